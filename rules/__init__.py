"""Hands, bets, pay tables: a `RoundResult` in, a `Settlement` out, every line with its clause."""

from rules.errors import GameFileError, SettlementRefused
from rules.game import Game, game_ids, load_game
from rules.settle import settle
from rules.settlement import Line, Settlement
from rules.terms import Meter

__all__ = [
    "Game",
    "GameFileError",
    "Line",
    "Meter",
    "Settlement",
    "SettlementRefused",
    "game_ids",
    "load_game",
    "settle",
]
