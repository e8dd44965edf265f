"""Who counts the bets that are decided together: a game file names a solver, and this is the list of them.

A solver is called with the question and the bets it answers for, in the order of the game's file, and yields the odds
of them together and of each, best through `rules.odds.joint`. Many need NumPy, so each is loaded when it is asked for.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Final

from rules.bets.bet import Bet
from rules.errors import ExtraMissing, OddsRefused
from rules.game.load import Game
from rules.odds.question import TOGETHER, Question
from rules.odds.returns import NotComputed, Odds

Solver = Callable[[Question, Sequence[Bet]], Iterator[Odds | NotComputed]]

SOLVERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "against-dealer": "rules.odds.against:against_dealer",
        "longest-flush": "rules.odds.main_game:fold_or_play",
        "bonus-card": "rules.odds.alone:bonus_card_odds",
        "community-draw": "rules.odds.alone:community_draw_odds",
        "holdem": "rules.odds.holdem_game:holdem_odds",
        "discard-one": "rules.odds.alone:discard_one_odds",
        "kept-pair": "rules.odds.alone:kept_pair_odds",
        "points": "rules.odds.unseen:points_odds",
        "low-and-high": "rules.odds.low_and_high:low_and_high",
        "streets": "rules.odds.alone:streets_odds",
        "surrender": "rules.odds.alone:surrender_odds",
        "take-back": "rules.odds.alone:take_back_odds",
        "two-shoes": "rules.odds.unseen:two_shoes_odds",
        "unseen-draw": "rules.odds.unseen:unseen_draw_odds",
    }
)
"""Name in a game file -> module and function."""


BY_STRATEGY: Final = frozenset({"against-dealer", "bonus-card", "discard-one", "holdem", "streets", "take-back"})
"""Solvers that can play as a file says."""
_FLUSHES: Final = "longest-flush"


def answers_for(game: Game) -> list[Bet]:
    """The bets that the game's solver counts, the first of them the unit; none where it has no solver.

    A game whose bets are decided by the longer flush has one without naming it.
    """
    spec = game.spec.odds
    own = [bet for bet in game.bets.values() if not bet.tip_for]
    if spec is None or not spec.solver:
        flushes = spec is None and all(game.rankings[bet.hand].id == _FLUSHES for bet in own if bet.kind in TOGETHER)
        return [bet for bet in own if bet.kind in TOGETHER] if flushes else []
    if spec.bets:
        return [game.bets[name] for name in spec.bets]
    return [bet for bet in own if bet.kind in TOGETHER or bet.kind == "fee" or bet.fold == "absent"]


def solver(game: Game) -> Solver:
    """The solver of a game that has one. OddsRefused names those there are; ExtraMissing the package it needs."""
    spec = game.spec.odds
    name = spec.solver if spec else _FLUSHES
    if name not in SOLVERS:
        raise OddsRefused("solver", name, SOLVERS)
    module, _, function = SOLVERS[name].partition(":")
    try:
        found: Solver = getattr(import_module(module), function)
    except ModuleNotFoundError as error:
        if error.name != "numpy":
            raise
        raise ExtraMissing("numpy", "odds") from error
    return found
