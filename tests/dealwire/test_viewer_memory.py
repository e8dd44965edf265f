"""Memory of a viewer: why a round came to its present state, each line of its log, and all of it across a restart."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import devices.events as e
from dealwire.hub.view import DeviceView, TableView
from dealwire.table.viewer import Viewer
from tests.dealwire.test_viewer import Watched, started

MISDEAL = e.MisdealCalled(7, 0)
LOST = e.EventsLost(3, 5)
LOST_TEXT = "events of shuffler are lost: 3 to 5"
CALLED = ("misdeal", "badge 7 calls a misdeal", "47.1-1022", 7_000_000)
HALTED = ("halted", LOST_TEXT, "procedure")


def wrong(view: TableView) -> list[tuple[object, ...]]:
    return [(each.kind, each.cause, each.clause, each.since_ns) for each in view.trouble]


def test_the_worst_that_happened_in_a_round_is_why_it_stands() -> None:
    table = started()
    assert wrong(table.see(MISDEAL)) == [CALLED]
    table.see(e.LinkLost("x"), "elsewhere")
    back = e.LinkUp(1, "shuffler", "ACME", "One", "A1", "1.0", True, False)
    assert wrong(table.see(back, "elsewhere")) == [CALLED], "what is no worse does not take its place"
    table = started()
    table.see(MISDEAL)
    assert wrong(table.shuffler(LOST)) == [(*HALTED, 8_000_000)], "what nobody can rely on does"
    table = started()
    table.shuffler(LOST)
    assert wrong(table.see(MISDEAL)) == [(*HALTED, 7_000_000)]


def test_why_the_last_round_could_not_be_relied_on() -> None:
    table = started()
    table.shuffler(LOST)
    view = table.see(e.GameEnded(7))
    assert [each.kind for each in view.trouble] == ["held"]
    assert table.viewer._money.held.release(1) is not None
    view = table.viewer.view(0, 0)
    assert wrong(view) == [("unreliable", LOST_TEXT, "procedure", 8_000_000)]
    table.see(e.GameStarted(8))
    assert wrong(table.viewer.view(0, 0))[:1] != [("unreliable", LOST_TEXT, "procedure", 8_000_000)]


def test_each_line_of_the_log_has_its_number_clause_place_and_round() -> None:
    table = started()
    table.shuffler(LOST)
    table.shuffler(e.LinkLost("x"))
    view = table.see(e.GameEnded(7))
    held = f"round 7: nothing is settled; $20.00 held: the round is unreliable: {LOST_TEXT}"
    assert [(line.sequence, line.at_ns, line.code, line.text, line.clause, line.round) for line in view.log] == [
        (1, 7_000_000, "events-lost", LOST_TEXT, "procedure", None),
        (2, 8_000_000, "link-lost", "shuffler: x", "procedure", None),
        (3, 9_000_000, "round", "round 7 ends: unreliable", None, 7),
        (4, 9_000_000, "settlement", held, None, 7),
    ]
    table = Watched()
    view = table.see(e.LinkLost("pulled"), "elsewhere")
    lost = [(line.code, line.text, line.place, line.clause) for line in view.log]
    assert lost == [("link-lost", "elsewhere: pulled", "elsewhere", None)]
    table.viewer.log("note", "numbered", 5, 77, clause="c", place="p", round_=3)
    line = table.viewer.view(0, 0).log[-1]
    assert (line.sequence, line.at_ns, line.code, line.text) == (77, 5, "note", "numbered")
    assert (line.clause, line.place, line.round) == ("c", "p", 3)
    table.viewer.log("note", "and one of its own", 6)
    assert table.viewer.view(0, 0).log[-1].sequence == 3, "counted with those that have a number"


def after_a_round() -> Watched:
    """Something of everything that is remembered."""
    table = started()
    table.viewer.device(DeviceView(name="shuffler", kind="shuffler", address="x", link="waiting"))
    table.shuffler(e.LinkUp(1, "shuffler", "ACME", "One", "A1", "1.0", True, False))
    table.shuffler(e.StateChanged("READY", "IDLE"))
    table.shuffler(e.RedLamp(True, 201))
    table.shuffler(LOST)
    table.shuffler(e.RedLamp(True, 301))
    table.see(e.GameEnded(7))
    return table


def test_a_viewer_that_is_made_anew_shows_what_was_shown() -> None:
    table = after_a_round()
    state = table.viewer.state()
    assert (state.lamp, state.lamp_known, state.deck, state.round) == (301, True, 1, 7)
    assert state.written == len(state.log) > 3
    assert (state.shuffler, state.safe_stop, state.reported_ns) == ("READY", None, 12_000_000)
    assert state.last_cause == (LOST_TEXT, "procedure", 10_000_000)
    assert dict(state.meters) == table.table.meters
    again = Viewer(table.table, "pit-1", seats=6)
    again.restore(state)
    again.hold(table.viewer._money.held)
    assert again.state() == state
    assert again.view(5, 6) == table.viewer.view(5, 6)
    assert again.view(5, 6).red_lamp_text == "packet short (301)"
    again.log("note", "x", 1)
    assert again.view(5, 6).log[-1].sequence == state.written + 1, "it counts on"


@pytest.mark.parametrize("why", [None, "the disk is full"])
def test_a_safe_stop_is_remembered(why: str | None) -> None:
    table = after_a_round()
    if why is not None:
        table.viewer.safe_stop(why, 99)
    again = Viewer(table.table, "pit-1", seats=6)
    again.restore(table.viewer.state())
    view = again.view(0, 0)
    assert (view.safe_stop, again.state().safe_stop) == (why, why)
    assert (view.next == ()) == (why is not None)
    assert (view.unknown.since_ns if view.unknown is not None else None) == (0 if why else None)


def test_nothing_is_known_of_the_last_round_of_a_new_table() -> None:
    viewer = Watched().viewer
    state = viewer.state()
    assert (state.last_cause, state.log, state.devices, state.written, state.round) == (None, (), (), 0, 0)
    again = Watched().viewer
    again.restore(replace(state, round=12, deck=2))
    assert (again.view(0, 0).round, again.view(0, 0).deck) == (12, 2)
