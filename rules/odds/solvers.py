"""Registry of the solvers for bets that are decided together; a game file names one.

A solver is called with the question and its bets, in the order of the game's file, and yields the odds of them together
and of each, preferably through `rules.odds.joint`. Many need NumPy, so each is loaded on first use.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from protocol.tomlfile import Key, TomlFileError
from rules.bets.bet import Bet
from rules.bets.bet_keys import unknown
from rules.errors import ExtraMissing, OddsRefused
from rules.game.load import Game
from rules.odds.cards.distribution import FLUSHES
from rules.odds.decide import settings
from rules.odds.decide.decisions import Decisions, DifferentDecisions, NoProcedure, decisions
from rules.odds.question import Question
from rules.odds.returns import NotComputed, Odds

Solver = Callable[[Question, Sequence[Bet]], Iterator[Odds | NotComputed]]


class SolverRow(NamedTuple):
    """A solver: its module and function; the function that `reads` its settings from the decisions, or refuses them
    with their clause; and whether it supports strategy files."""

    function: str
    reads: Callable[[Decisions, Sequence[Bet]], object]
    by_strategy: bool = False


SOLVERS: Final[Mapping[str, SolverRow]] = MappingProxyType(
    {
        "against-dealer": SolverRow("against.solver:against_dealer", settings.against_settings, by_strategy=True),
        "longest-flush": SolverRow("against.solver:against_dealer", settings.against_settings),
        "bonus-card": SolverRow("course.growing_hands:bonus_card_odds", settings.bonus_settings, by_strategy=True),
        "community-draw": SolverRow("course.growing_hands:community_draw_odds", settings.community_discards),
        "holdem": SolverRow("holdem.solver:holdem_odds", settings.holdem_settings, by_strategy=True),
        "discard-one": SolverRow("course.growing_hands:discard_one_odds", settings.discard_folds, by_strategy=True),
        "kept-pair": SolverRow("course.growing_hands:kept_pair_odds", settings.kept_pair_settings),
        "points": SolverRow("unseen:points_odds", settings.no_decisions),
        "low-and-high": SolverRow("against.low_and_high:low_and_high", settings.low_and_high_settings),
        "streets": SolverRow("course.growing_hands:streets_odds", settings.street_raises, by_strategy=True),
        "surrender": SolverRow("course.growing_hands:surrender_odds", settings.surrender_settings),
        "take-back": SolverRow("course.growing_hands:take_back_odds", settings.take_back_settings, by_strategy=True),
        "two-shoes": SolverRow("unseen:two_shoes_odds", settings.only_bets),
        "unseen-draw": SolverRow("unseen:unseen_draw_odds", settings.unseen_draw_settings),
    }
)
"""Solvers by the name in a game file."""


def answers_for(game: Game) -> list[Bet]:
    """Return the bets that the game's solver counts, the first being the unit; empty if it has no solver.

    A game whose bets are decided by the longer flush has a solver without naming it.
    """
    spec = game.spec.odds
    own = [bet for bet in game.bets.values() if not bet.tip_for]
    if spec is None or not spec.solver:
        flushes = spec is None and all(game.rankings[bet.hand].id == FLUSHES for bet in own if bet.compared_with)
        return [bet for bet in own if bet.compared_with] if flushes else []
    if spec.bets:
        return [game.bets[name] for name in spec.bets]
    return [bet for bet in own if bet.compared_with or bet.kind == "fee" or bet.fold == "absent"]


def solver_name(game: Game) -> str:
    """Return the name of the solver of a game that has one."""
    return game.spec.odds.solver if game.spec.odds else FLUSHES


def solver(game: Game) -> Solver:
    """Return the solver of a game that has one. Raises OddsRefused with the known solvers, or ExtraMissing with the
    package needed."""
    name = solver_name(game)
    if name not in SOLVERS:
        raise OddsRefused("solver", name, SOLVERS)
    module, _, function = SOLVERS[name].function.partition(":")
    try:
        found: Solver = getattr(import_module(f"rules.odds.{module}"), function)
    except ModuleNotFoundError as error:
        # Only NumPy is optional; any other missing module is a defect.
        if error.name != "numpy":
            raise
        raise ExtraMissing("numpy", "odds") from error
    return found


def odds_faults(game: Game, files: Mapping[str, Path] = MappingProxyType({})) -> Iterator[TomlFileError]:
    """Yield an error for each unknown name in `[odds]` of a game's file, and for each procedure with other choices than
    the solver counts, at its line.

    A procedure that is not available is skipped. These errors do not affect settlement.
    """
    wrong = [*_strange(game)]
    for key, why in wrong or _decided_otherwise(game, files):
        yield game.fault(key, why)


def _strange(game: Game) -> Iterator[tuple[Key, str]]:
    spec, bets = game.spec.odds, [bet.name for bet in game.spec.bets]
    if spec is None:
        return
    for key, names in (("bets", spec.bets), ("beside", spec.beside), ("stakes", spec.stakes)):
        yield from unknown(("odds", key), "bet", names, bets)
    yield from unknown(("odds", "not-computed"), "bet", spec.not_computed, bets)
    if spec.solver:
        yield from unknown(("odds", "solver"), "solver", (spec.solver,), SOLVERS)


def _decided_otherwise(game: Game, files: Mapping[str, Path]) -> Iterator[tuple[Key, str]]:
    """Yield an error for each procedure whose decisions are not those that the solver counts, or differ from the first
    procedure's."""
    bets, first = answers_for(game), None
    for number, name in enumerate(game.spec.procedures if bets else ()):
        try:
            found = SOLVERS[solver_name(game)].reads(decisions(game, number, files), bets)
        except NoProcedure:
            return
        except DifferentDecisions as why:
            yield ("procedures", number), f"{name}: {why}"
            return
        first = found if not number else first
        if found != first:
            yield ("procedures", number), f"{name}: its choices differ from those of {game.spec.procedures[0]}"
