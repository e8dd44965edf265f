"""Every procedure dealt at the simulated table: devices, bytes, links, drivers, flow; and again from the recording.

One evening a procedure: a clean round, one for each wrong hand its clauses speak of, mishaps, faults of the device.
What each must come to is read off the procedure's rows by `tests.support.evenings.procedure_rounds`.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.tables import SimulatedTable, set_up
from devices import events as e
from devices.drive.replay import play
from devices.record.capture import Capture
from devices.record.recording import CaptureWriter
from protocol.tdp.messages import Role
from tests.support.evenings.procedure_rounds import STEPPED, Cases, RoundCase, readings
from tests.support.evenings.table_evenings import TableEvening

SPEED = 20.0


@dataclass
class Evening:
    """The rounds dealt, the reports that hosts received, and the recording."""

    procedure: Procedure
    cases: list[RoundCase]
    seen: list[e.Seen]
    recording: bytes

    def told(self) -> list[list[e.Seen]]:
        """Return the reports of each round, from its bets to END GAME."""
        rounds: list[list[e.Seen]] = [[]]
        for seen in self.seen:
            rounds[-1].append(seen)
            if isinstance(seen.body, e.GameEnded):
                rounds.append([])
        return rounds[: len(self.cases)]


def evening(name: str) -> Evening:
    """All cases of a procedure in one evening, recorded."""
    made = Cases(load_procedure(name))
    cases = made.all()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "evening.pcapng"
        with CaptureWriter(path, procedure=name) as writer:
            table = set_up(made.scenario_of(cases), speed=SPEED)
            dealt = TableEvening(table, role=Role.OPERATE, writer=writer).run()
        assert writer.failed is None
        return Evening(made.procedure, cases, dealt.seen, path.read_bytes())


def followed(
    procedure: Procedure, seen: list[e.Seen], options: dict[str, str] | None = None
) -> list[RoundResult | Incident]:
    """Everything the flow says to these reports."""
    flow = DealerFlow(procedure, options=options)
    said = [item for each in seen for item in flow.handle(each)]
    return [*said, *flow.finish()]


@pytest.mark.every(24)
@pytest.mark.parametrize("name", STEPPED)
def test_an_evening_with_every_case_of_a_procedure(name: str, tmp_path: Path) -> None:
    """Dealt once; all properties of a session are checked."""
    dealt = evening(name)
    said = followed(dealt.procedure, dealt.seen)
    results = [item for item in said if isinstance(item, RoundResult)]
    every_round_is_dealt_to_its_end(dealt)
    the_clean_round_has_every_card_somewhere(dealt)
    found = differences(dealt.cases, results)
    assert not found, "\n".join(found)
    assert [incident.code for incident in results[0].incidents] == [], "a clean round has no incident"
    nothing_is_out_of_turn(dealt, results)
    again = read_again(dealt, tmp_path / "evening.pcapng")
    assert [item.to_json() for item in followed(dealt.procedure, again)] == [item.to_json() for item in said]


def every_round_is_dealt_to_its_end(dealt: Evening) -> None:
    ends = [seen.body.round for seen in dealt.seen if isinstance(seen.body, e.GameEnded)]
    assert ends == list(range(1, len(dealt.cases) + 1))
    assert not [seen.body for seen in dealt.seen if isinstance(seen.body, e.EventsLost | e.UnknownReported)]


def the_clean_round_has_every_card_somewhere(dealt: Evening) -> None:
    """Counted from the reports alone."""
    clean = [seen.body for seen in dealt.told()[0]]
    deck = dealt.procedure.deck
    out = [body.counted for body in clean if isinstance(body, e.PacketDispensed)]
    lifted = {body.ordinal for body in clean if isinstance(body, e.PacketLifted)}
    left = [body.counted for body in clean if isinstance(body, e.RemainderDumped)]
    if dealt.procedure.device == "packet-shuffler":
        assert sum(out[ordinal - 1] for ordinal in lifted) + sum(left) == deck.cards
    elif dealt.procedure.device == "card-shoe":
        assert [body.cards for body in clean if isinstance(body, e.ShoeLoaded)] == [deck.cards * deck.decks]
        drawn = [body.ordinal for body in clean if isinstance(body, e.CardDrawn)]
        assert drawn == list(range(1, len(drawn) + 1))
    shown = {body.place: body.cards for body in clean if isinstance(body, e.HandRevealed)}
    faces = [card for cards in shown.values() for card in cards]
    beside = any(getattr(step, "origin", "") == "hand" for step in dealt.procedure.step)
    copies = deck.decks + (beside and dealt.procedure.device == "card-shoe")
    assert faces
    assert max(faces.count(card) for card in faces) <= copies


def nothing_is_out_of_turn(dealt: Evening, results: list[RoundResult]) -> None:
    """The simulated dealer follows the procedure in every case, except for a card that no place is due."""
    said = [(case.name, i.text) for case, r in zip(dealt.cases, results, strict=True)
            for i in r.incidents if i.code == "out-of-turn" and i.reason != "drawn_for_somebody"]  # fmt: skip
    assert said == []


def read_again(dealt: Evening, path: Path) -> list[e.Seen]:
    """Return the reports in the recording."""
    path.write_bytes(dealt.recording)
    again: list[e.Seen] = []
    play(Capture.read(path), again.append)
    return again


def differences(cases: list[RoundCase], found: list[RoundResult]) -> list[str]:
    """One line for each round that did not come to what it must."""
    assert len(found) == len(cases)
    wrong = []
    for case, result in zip(cases, found, strict=True):
        dead = {f"seat {seat.seat}" for seat in result.seats if seat.status == "dead"}
        seats = {place for place in case.dead if place.startswith("seat")}
        if result.outcome != case.outcome or (case.outcome == "complete" and dead != seats):
            texts = "; ".join(incident.text for incident in result.incidents)
            wrong.append(f"{case.name}: {result.outcome} {sorted(dead)}, not {case.outcome} {sorted(seats)}: {texts}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPPED)
def test_each_reading_comes_to_what_its_clause_says(name: str) -> None:
    procedure, wrong = load_procedure(name), list[str]()
    for options in readings(procedure):
        made = Cases(procedure, options)
        cases = made.all()
        seen = TableEvening(set_up(made.scenario_of(cases), speed=SPEED), role=Role.OPERATE).run().seen
        said = followed(procedure, seen, options)
        rounds = [item for item in said if isinstance(item, RoundResult)]
        wrong += [f"{options}: {text}" for text in differences(cases, rounds)]
    assert not wrong, "\n".join(wrong)


def test_a_shuffler_whose_packets_differ_says_so() -> None:
    made = Cases(load_procedure("ultimate-texas-holdem.co"))
    table = set_up(made.scenario_of([made.clean()]), speed=SPEED)
    assert isinstance(table, SimulatedTable)
    assert table.shuffler.game.packet_size == 0
    sizes = [body.expected for body in TableEvening(table).run().bodies(e.PacketDispensed)]  # type: ignore[attr-defined]
    assert sizes == [2, 2, 2, 2, 3, 2]
