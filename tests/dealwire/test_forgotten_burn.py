"""Texas Hold'em Bonus by single cards: a burn is forgotten, 47.1-1017.39(20), at a simulated table and again
from the recording."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import devices.events as e
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario_file import clean_round, scenario_of
from dealwire.rehearsal.tables import set_up
from dealwire.table.table import Table, TableOutcome
from devices.drive.replay import play
from devices.events import Seen
from devices.record.capture import Capture
from devices.record.recording import CaptureWriter
from tests.support.evenings.table_evenings import TableEvening

PROCEDURE, CLAUSE = "texas-holdem-bonus.co-single", "47.1-1017.39(20), (22)"
FOLD = 7


@cache
def evening(step: str | None) -> list[Seen]:
    """Return the reports in the recording of one round; `step` burns no card."""
    with tempfile.TemporaryDirectory() as folder:
        return _evening(Path(folder) / "round.pcapng", step)


def _evening(path: Path, step: str | None) -> list[Seen]:
    procedure = load_procedure(PROCEDURE)
    round_: dict[str, Any] = clean_round(procedure, [1, 2])
    if step is not None:
        round_ = {**round_, "troubles": [{"what": "skipped", "packet": "burn", "step": step}]}
    with CaptureWriter(path, procedure=PROCEDURE) as writer:
        dealt = TableEvening(set_up(scenario_of(procedure, [round_], seed=3), speed=50.0), writer=writer).run()
    again = list[Seen]()
    play(Capture.read(path), again.append)
    assert [seen.body for seen in again] == [seen.body for seen in dealt.seen]
    return again


def said(seen: list[Seen]) -> tuple[RoundResult, list[tuple[str, str]]]:
    table, out = Table(load_procedure(PROCEDURE), None), list[TableOutcome]()
    for each in seen:
        out += table.handle(each)
    (result,) = (item for item in out if isinstance(item, RoundResult))
    return result, [(item.code, item.clause) for item in out if isinstance(item, Incident)]


@pytest.mark.parametrize("step", ["burn-1", "burn-2", "burn-3"])
def test_the_hand_remains_in_play(step: str) -> None:
    result, codes = said(evening(step))
    assert (result.outcome, codes) == ("complete", [("burn-forgotten", CLAUSE)])
    assert (len(result.community), len(result.burned)) == (5, 2)
    assert [seat.returned for seat in result.seats] == [{}, {}]


@pytest.mark.parametrize("step", ["burn-1", "burn-2"])
def test_who_folds_for_that_keeps_all_wagers(step: str) -> None:
    """The recording with one choice in it that the player made after the dealer had spoken."""
    seen = evening(step)
    at = next(n for n, each in enumerate(seen) if isinstance(each.body, e.CardMishandled))
    later = (n for n, each in enumerate(seen[at:], at) if isinstance(each.body, e.DecisionMade))
    first = next(n for n in later if seen[n].body.seat == 1)  # type: ignore[attr-defined]
    folds = Seen(seen[first].device, seen[first].session, 0, seen[first].at_ns, e.DecisionMade(1, FOLD))
    mine = (e.DecisionMade, e.WagerPlaced, e.HandRevealed)
    kept = [each for each in seen[at:] if not (isinstance(each.body, mine) and _of_first(each.body))]
    result, codes = said([*seen[:at], seen[at], folds, *kept[1:]])
    assert (result.outcome, codes) == ("complete", [("burn-forgotten", CLAUSE)])
    assert [seat.status for seat in result.seats] == ["folded", "live"]
    assert result.seats[0].returned == result.seats[0].wagers
    assert result.seats[1].returned == {}


def _of_first(body: e.Body) -> bool:
    place = getattr(body, "place", None)
    return getattr(body, "seat", None) == 1 or (place is not None and place.seat == 1)


def test_every_card_is_burned() -> None:
    result, codes = said(evening(None))
    assert (result.outcome, codes, len(result.burned)) == ("complete", [], 3)
