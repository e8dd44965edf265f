"""Settlement of a round: hands, bets, pay tables and meters.

`settle` takes a `RoundResult` and returns a `Settlement` in which every line cites its clause.
"""

from protocol.tomlfile import TomlFileError
from rules.errors import SettlementRefused
from rules.game.load import Game, game_ids, load_game
from rules.meters.award import AwardBook
from rules.meters.bank import MeterBank, MeterRefused
from rules.meters.linked import settle_linked
from rules.meters.setup import load_setup
from rules.settle.rounds import settle
from rules.settlement import Meter, Settlement, SettlementLine

__all__ = [
    "AwardBook",
    "Game",
    "Meter",
    "MeterBank",
    "MeterRefused",
    "Settlement",
    "SettlementLine",
    "SettlementRefused",
    "TomlFileError",
    "game_ids",
    "load_game",
    "load_setup",
    "settle",
    "settle_linked",
]
