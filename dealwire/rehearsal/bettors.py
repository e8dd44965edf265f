"""Betting styles of simulated players, who act at random and never look at their cards."""

from collections.abc import Collection, Sequence
from random import Random
from typing import Final, Literal, NamedTuple

from dealwire.rehearsal.acting import LEAST, Move
from devices.events import BettingAction

StyleName = Literal["", "tight", "loose", "aggressive"]


class Style(NamedTuple):
    """Percentages of a style: folds to a bet, bets or raises, goes all in, mucks a losing hand."""

    folds: int
    raises: int
    all_in: int
    mucks: int


STYLES: Final[dict[StyleName, Style]] = {
    "": Style(0, 0, 0, 0),
    "tight": Style(45, 12, 2, 60),
    "loose": Style(12, 12, 4, 40),
    "aggressive": Style(14, 45, 9, 25),
}
"""Styles by name. A player without a style checks or calls."""
IN_TURN: Final[tuple[StyleName, ...]] = ("loose", "aggressive", "tight")
"""Styles of the players if the scenario names none."""


def acts(style: Style, moves: Sequence[Move], random: Random) -> tuple[BettingAction, int]:
    """Choose an action for a style, and return it with the total chips in front of the seat afterwards."""
    may = {move.action: move for move in moves}
    puts_in = may.get(BettingAction.BET) or may.get(BettingAction.RAISE)
    free = BettingAction.CHECK in may
    stays = may.get(BettingAction.CHECK) or may.get(BettingAction.CALL)
    if BettingAction.ALL_IN in may and _happens(style.all_in, random):
        return BettingAction.ALL_IN, may[BettingAction.ALL_IN].most
    if puts_in is not None and _happens(style.raises, random):
        return puts_in.action, _amount(puts_in, random)
    if BettingAction.FOLD in may and not free and _happens(style.folds, random):
        return BettingAction.FOLD, may[BettingAction.FOLD].most
    chosen = stays or puts_in or moves[0]
    return chosen.action, chosen.least


def chooses(style: Style, offered: Collection[str], folds: Collection[str], random: Random) -> str:
    """Choose one of the decisions of a game for a style."""
    gives_up = [name for name in offered if name in folds]
    plays = [name for name in offered if name not in folds]
    if gives_up and (not plays or _happens(style.folds, random)):
        return random.choice(gives_up)
    return random.choice(plays)


def mucks(style: Style, random: Random) -> bool:
    """Return True if a losing hand is mucked unseen."""
    return _happens(style.mucks, random)


def _happens(of_hundred: int, random: Random) -> bool:
    return random.randrange(100) < of_hundred


def _amount(move: Move, random: Random) -> int:
    """Return the minimum, some more, or the maximum; in whole steps unless it is the maximum."""
    if move.most <= move.least or _happens(10, random):
        return move.most
    return min(move.most, move.least + LEAST // 2 * random.choice((0, 0, 1, 2, 3, 6, 12, 30)))
