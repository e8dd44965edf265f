"""One evening of a player-banked game on real pseudo-terminals: players of different styles for a dozen hands, with the
errors that people make at such a table.

    python -m tests.support.programs.serve_evening GAME SPEED

Announces the lines as `dealwire sim --json` does. The expected result is the dealer's own account, from who folded and
the chips of each seat, without the program under test.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from dealer_flow.procedure.load import load_procedure
from dealwire.rehearsal.bettors import IN_TURN
from dealwire.rehearsal.dealt_table import Course
from dealwire.rehearsal.scenario import Scenario
from dealwire.rehearsal.scenario_file import clean_round, scenario_of
from dealwire.rehearsal.serve import serve
from dealwire.rehearsal.step_dealer import StepDealer
from dealwire.rehearsal.tables import set_up
from protocol.places import seat
from tests.support.evenings.table_evenings import TableEvening

HANDS: Final = 12
SEATS: Final = (1, 2, 4, 7)
SEED: Final = 18
STAKES: Final = (6_000, 20_000, 12_000, 40_000)
WRONG: Final = {
    3: ("string-bet", {"action": 3}, "string-bet"),
    5: ("out-of-turn", {"action": 2}, "acted-out-of-turn"),
    7: ("short-call", {"action": 2}, "action-refused"),
    9: ("time-limit", {"action": 2}, "time-limit"),
    11: ("misdeal-called", {"packet": 5}, "misdeal-called"),
}
"""Hand -> the error in it, and the finding. In the sixth hand of a game with a board the flop comes too early."""
PREMATURE: Final = ("premature", {"action": 2}, "card-early")
EVENINGS: Final = (
    *("holdem.co", "omaha.co", "pineapple.co", "crazy-pineapple.co", "draw.co", "five-card-stud.co"),
    *("seven-card-stud.co", "home-run.co", "eighty-eight.co", "joker.co", "trips.co", "longhorn.co"),
)
"""One evening a family."""


@dataclass
class Account:
    """A dealer's account of an evening: the outcome of each hand and the status of its seats, the incidents, the chips
    of each seat at the end, and the chips that each bought."""

    outcomes: list[str] = field(default_factory=list)
    seats: list[dict[str, str]] = field(default_factory=list)
    incidents: list[str] = field(default_factory=list)
    chips: dict[str, int] = field(default_factory=dict)
    bought: dict[str, int] = field(default_factory=dict)


def evening_of(name: str) -> Scenario:
    """Return the evening of a game."""
    procedure, rounds = load_procedure(name), list[dict[str, Any]]()
    for number in range(1, HANDS + 1):
        table = clean_round(procedure, SEATS)
        for player, style, stake in zip(table["players"], (*IN_TURN, "aggressive"), STAKES, strict=True):
            player |= {"style": style} | ({"stake": stake} if procedure.betting is not None else {})
        if "number" in table:
            table["number"] = SEATS[number % len(SEATS)]
        if (wrong := _wrong(name, number)) is not None:
            table["troubles"] = [{"what": wrong[0], **wrong[1]}]
        rounds.append(table)
    return scenario_of(procedure, rounds, seed=SEED)


def _wrong(name: str, number: int) -> tuple[str, dict[str, int], str] | None:
    procedure = load_procedure(name)
    if procedure.betting is None:
        return WRONG[number] if number == max(WRONG) else None
    board = any("community" in getattr(step, "to", ()) for step in procedure.step)
    return PREMATURE if number == 6 and board else WRONG.get(number)


def account_of(name: str) -> Account:
    """Return the dealer's account of the evening."""
    scenario, kept = evening_of(name), Account()
    table = set_up(scenario, speed=20)
    dealer = table.dealer
    assert isinstance(dealer, StepDealer)
    ends: Callable[[], bool] = dealer.controller.end_game
    dealer.controller.end_game = partial(_noting, dealer, kept, ends)  # type: ignore[method-assign]
    TableEvening(table).run()
    found = [wrong[2] for number in range(1, HANDS + 1) if (wrong := _wrong(name, number)) is not None]
    if dealer.taken_back:  # unless the seat that acted out of turn folded
        found.insert(found.index("acted-out-of-turn") + 1, "action-taken-back")
    kept.incidents = list(dict.fromkeys(found))
    kept.chips = {str(number): cents for number, cents in sorted(dealer.chips.behind.items())}
    kept.bought = {str(number): cents for number, cents in sorted(dealer.chips.bought.items())}
    return kept


def _noting(dealer: StepDealer, kept: Account, ends: Callable[[], bool]) -> bool:
    """Press END GAME, and note how the hand ended."""
    kept.outcomes.append("complete" if dealer.course is Course.PLAY else "misdeal")
    stands = {}
    for number in dealer.view.active:
        folded = "folded" if number in dealer.view.folded else "live"
        stands[str(number)] = "dead" if seat(number) in dealer.dead else folded
    kept.seats.append(stands)
    return ends()


def main(name: str, speed: str) -> None:
    """Serve until the evening is over and the host has every event."""
    ready = {"schema": "dealwire.sim/1", "type": "ready"}
    serve(
        evening_of(name),
        lines={"shoe": "pty", "table-controller": "pty"},
        ready=lambda lines: print(json.dumps(ready | {"lines": lines}), flush=True),
        speed=float(speed),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
