"""Hands, bets, pay tables: a `RoundResult` in, a `Settlement` out, every line with its clause."""

from protocol.tomlfile import TomlFileError
from rules.award import AwardBook
from rules.errors import SettlementRefused
from rules.game import Game, game_ids, load_game
from rules.linked import settle_linked
from rules.meter_setup import load_setup
from rules.meters import MeterBank, MeterRefused
from rules.settle import settle
from rules.settlement import Settlement, SettlementLine
from rules.terms import Meter

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
