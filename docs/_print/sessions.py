"""Sessions of a game: the rounds of its captures in the tree, and rounds dealt on simulated devices from a seed."""

import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any, Final

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.bettors import IN_TURN
from dealwire.rehearsal.scenario import AnyScenario, endless
from dealwire.rehearsal.scenario_file import clean_round, clean_scenario, scenario_of
from dealwire.rehearsal.simulate import reports
from dealwire.table.replay import replay
from dealwire.table.table import Table
from devices.record.capture import Capture, CaptureError
from rules.game.load import Game, wrong_option

CAPTURES: Final = Path(__file__).parents[2] / "captures"
ROUNDS: Final = 100
"""Number of dealt rounds for a game."""
SEED: Final = 31
_PLAYERS: Final = 5


def made_of(game: Game) -> str:
    """Return the SHA-256 of everything the sessions depend on: the game, its procedures, their captures, and how it is
    dealt."""
    own = [f"{ROUNDS} {SEED} {_PLAYERS}", game.sha256]
    own += [load_procedure(name).ref().sha256 for name in game.spec.procedures]
    captures = (path for name in game.spec.procedures for path in _captures().get(name, ()))
    own += [hashlib.sha256(path.read_bytes()).hexdigest() for path in captures]
    return hashlib.sha256("\n".join(own).encode()).hexdigest()


def sessions(game: Game) -> Iterator[RoundResult]:
    """Yield every round of the sessions that the game settles."""
    for name in game.spec.procedures:
        for path in _captures().get(name, ()):
            recorded = (each for each in replay(path) if isinstance(each, RoundResult))
            yield from (each for each in recorded if wrong_option(game.spec.options, each.options) is None)
    yield from _dealt(game)


@cache
def _captures() -> dict[str, tuple[Path, ...]]:
    """Return the captures that name a procedure, by its id."""
    found: dict[str, tuple[Path, ...]] = {}
    for path in sorted(CAPTURES.glob("*.pcapng")):
        try:
            name = Capture.read(path).procedure
        except CaptureError:
            continue
        found[name] = (*found.get(name, ()), path)
    return found


def _dealt(game: Game) -> Iterator[RoundResult]:
    """Yield the dealt rounds: every bet is made, and players of different styles fold at random."""
    scenario, options = _scenario(game)
    table = Table(load_procedure(game.spec.procedures[0]), None, name="evening", options=options)
    yield from _first(ROUNDS, (each for seen in reports(endless(scenario, seed=SEED)) for each in table.handle(seen)))


def _scenario(game: Game) -> tuple[AnyScenario, dict[str, str]]:
    procedure = load_procedure(game.spec.procedures[0])
    options = {name: allowed[0] for name, allowed in game.spec.options.items()}
    seats = range(1, min(_PLAYERS, procedure.seats.most) + 1)
    if procedure.shoe is not None or procedure.betting is not None:
        return clean_scenario(procedure, seats), options
    dealt: dict[str, Any] = clean_round(procedure, seats)
    for player, style in zip(dealt["players"], cycle(IN_TURN), strict=False):
        player |= {"style": style, "declares": True}
    return scenario_of(procedure, [dealt], options=options), options


def _first(number: int, outcomes: Iterable[object]) -> Iterator[RoundResult]:
    for each in outcomes:
        if isinstance(each, RoundResult):
            yield each
            number -= 1
            if not number:
                return
