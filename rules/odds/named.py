"""What `[odds]` of a game file names: a solver and bets; and whether the solver counts what the game's procedures let
players choose. None of it touches a settlement, so a game with a fault here settles; `dealwire check` and `dealwire
odds` find it before anything is counted."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from protocol.tomlfile import Key, TomlFileError
from rules.bets.faults import unknown
from rules.game.load import Game
from rules.odds.decisions import DecidedOtherwise, NoProcedure, decisions
from rules.odds.solvers import SOLVERS, answers_for, solver_name


def odds_faults(game: Game, files: Mapping[str, Path] = MappingProxyType({})) -> Iterator[TomlFileError]:
    """Each name in `[odds]` of a game's file that stands for nothing, and each procedure by which players choose
    otherwise than is counted, at its line. One that is not in `files` nor elsewhere at hand is no matter of the odds.
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
    """Each procedure whose decisions are not those that the solver counts, or not those of the first."""
    bets, first = answers_for(game), None
    for number, name in enumerate(game.spec.procedures if bets else ()):
        try:
            found = SOLVERS[solver_name(game)].reads(decisions(game, number, files), bets)
        except NoProcedure:
            return
        except DecidedOtherwise as why:
            yield ("procedures", number), f"{name}: {why}"
            return
        first = found if not number else first
        if found != first:
            yield ("procedures", number), f"{name}: players choose otherwise than by {game.spec.procedures[0]}"
