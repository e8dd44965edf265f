"""Faults by button, at a table where a dealer deals."""

import pytest

from dealwire.rehearsal.faults import UnknownAct, faults, inject, injectable
from dealwire.rehearsal.tables import SHUFFLER
from devices.clock import ManualClock
from devices.simulator.host import SimulatorHost
from devices.simulator.shoe_table import ShoeTable
from protocol.faults import Fault
from protocol.tdp import messages as m
from tests.support.evenings.simulated_table import Evening


class Fitted(SimulatorHost):
    """A bench without lines around a table that runs in memory: `inject` needs its table only."""

    def __init__(self, evening: Evening) -> None:
        self.table = evening.table
        self.lines = {}


def dealt_until(evening: Evening, packet: int) -> None:
    evening.run(lambda: any(event.ordinal == packet for event in evening.of(m.PacketDispensedMessage)))


@pytest.mark.parametrize(
    ("name", "fields", "number"),
    [
        ("packet-count", {"by": -1}, 301),
        ("packet-count", {"by": 2}, 302),
        ("jam", {"tries": 4}, 203),
        ("lost-card", {}, 204),
        ("lifted-early", {}, 303),
        ("door", {}, 501),
        ("power", {}, 502),
        ("remainder-short", {"cards": 1}, 305),
    ],
)
def test_a_fault_by_button_happens_in_the_round_that_is_dealt(name: str, fields: dict[str, int], number: int) -> None:
    evening = Evening("clean-3")
    dealt_until(evening, 1)
    said = inject(Fitted(evening), name, fields)
    assert said.endswith("in this round")
    evening.run()
    assert [event.fault for event in evening.of(m.RedLampMessage) if event.lit] == [number]
    assert number in faults()[name].numbers


def test_after_the_deal_it_waits_for_the_next_round() -> None:
    evening = Evening("two-rounds")
    evening.run(lambda: bool(evening.of(m.RemainderLiftedMessage)))
    assert inject(Fitted(evening), "packet-count", {"by": -1}).endswith("at packet 1, in the next round")
    evening.run()
    short = [event for event in evening.of(m.PacketDispensedMessage) if event.counted == 4]
    assert [event.ordinal for event in short] == [1]
    assert len(evening.of(m.RemainderLiftedMessage)) == 2


def test_cards_overlooked_make_the_next_deck_short() -> None:
    evening = Evening("two-rounds")
    dealt_until(evening, 2)
    assert inject(Fitted(evening), "deck-short", {"cards": 2}).endswith("in this round")
    evening.run(
        lambda: any(event.fault == Fault.TOO_FEW_CARDS for event in evening.of(m.FaultRaisedMessage)), limit_s=900
    )


def test_a_line_can_be_spoiled_and_everything_arrives_all_the_same() -> None:
    clean, spoiled = Evening("clean-1"), Evening("clean-1")
    clean.run()
    dealt_until(spoiled, 1)
    for name in ("line-noise", "line-drop", "line-flip", "line-stall"):
        inject(Fitted(spoiled), name, {}, device=SHUFFLER)
    spoiled.run()
    assert [type(event) for event in spoiled.events(SHUFFLER)] == [type(event) for event in clean.events(SHUFFLER)]


def test_what_cannot_be_is_said_in_one_line() -> None:
    evening = Evening("clean-1")
    bench = Fitted(evening)
    with pytest.raises(UnknownAct, match="no such fault; allowed: packet-count, "):
        inject(bench, "earthquake", {})
    with pytest.raises(UnknownAct, match="tries: must be a whole number from 1 to 4"):
        inject(bench, "jam", {"tries": 9})
    with pytest.raises(UnknownAct, match="no field 'cards'; allowed: packet"):
        inject(bench, "lost-card", {"cards": 1})
    with pytest.raises(UnknownAct, match="no such device: 'roulette'"):
        inject(bench, "line-drop", {}, device="roulette")
    dealt_until(evening, 1)
    with pytest.raises(UnknownAct, match="packet 20: the round has 3"):
        inject(bench, "jam", {"packet": 20})


def test_a_shoe_has_no_packets() -> None:
    bench = Fitted(Evening("clean-1"))
    bench.table = ShoeTable([])
    with pytest.raises(UnknownAct, match="only a table with a packet shuffler can do this"):
        inject(bench, "jam", {})


def test_the_buttons_are_the_catalogue() -> None:
    assert [fault.name for fault in injectable()] == list(faults())
    assert all(fault.title for fault in injectable())
    assert ManualClock().now_ns() > 0
