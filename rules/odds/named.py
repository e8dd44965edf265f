"""What `[odds]` of a game file names: a solver, its settings, and bets. None of it touches a settlement, so a game with
a fault here settles; `dealwire check` and `dealwire odds` find it before anything is counted."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from dealer_flow.procedure.tomlfile import fault_in
from protocol.tomlfile import Key, TomlFileError
from rules.game import Game
from rules.odds.solvers import SOLVERS
from rules.spec import OddsSpec
from rules.spec_faults import unknown

SETTINGS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "against-dealer": ("seen", "dealer-up", "beside", "fine", "ways"),
        "holdem": ("before", "call", "flop", "turn", "river"),
        "streets": ("raises",),
        "bonus-card": ("first-cards", "insurance", "fee"),
        "discard-one": ("folds", "decision"),
    }
)
"""Solver -> the settings that it reads; those that are not here read none."""


def odds_faults(game: Game) -> Iterator[TomlFileError]:
    """Each name in `[odds]` of a game's file that stands for nothing, at its line."""
    if game.spec.odds is not None:
        for key, why in _faults(game.spec.odds, [bet.name for bet in game.spec.bets]):
            yield fault_in(game.path, ("odds", *key), why)


def _faults(spec: OddsSpec, bets: list[str]) -> Iterator[tuple[Key, str]]:
    yield from unknown(("bets",), "bet", spec.bets, bets)
    yield from unknown(("not-computed",), "bet", spec.not_computed, bets)
    if not spec.solver:
        return
    yield from unknown(("solver",), "solver", (spec.solver,), SOLVERS)
    if spec.solver in SOLVERS:
        known = SETTINGS.get(spec.solver, ())
        for name in sorted(spec.settings.keys() - set(known)):
            why = f"unknown setting of {spec.solver}; allowed: {', '.join(known) or 'none'}"
            yield ("settings", name), why
    yield from unknown(("settings", "beside"), "bet", _names(spec.settings.get("beside")), bets)
    for number, way in enumerate(spec.settings.get("ways", ())):
        named = _names(way.get("bets")) if isinstance(way, Mapping) else ()
        yield from unknown(("settings", "ways", number, "bets"), "bet", named, bets)


def _names(given: Any) -> tuple[str, ...]:
    return tuple(map(str, given)) if isinstance(given, tuple | list) else ()
