"""Rounds after a power cut of a device: a test for each row of the table on the protocol's page."""

from collections.abc import Callable
from typing import Final

import pytest

from dealer_flow.play.machine.states import State
from devices import events as e
from protocol.faults import Fault
from tests.support.dealing.hand_table import CONTROLLER, DEVICE, SESSION, HandTable, dealt, hands, ready

AFTER: Final = 0x99
"""The session that begins with the power."""


def cut(table: HandTable, *, mid_round: bool, whole: bool = True, device: str = DEVICE) -> HandTable:
    """A device has no power for a moment. `whole`: no event of the session before is missing."""
    table.sessions[device] = AFTER
    table.see(device, e.SessionChanged(SESSION, AFTER, whole), numbered=False)
    return table.see(device, e.Booted(7, mid_round))


def played_out(table: HandTable) -> str:
    return table.burn().bet(1, play=1000).choose(1, 2).end().outcome


def test_a_round_that_was_dealt_counts_though_the_shuffler_had_no_power_since() -> None:
    table = cut(dealt(1), mid_round=False)
    assert (table.codes, table.flow.state is State.HALTED) == (["session-changed"], False)
    assert played_out(table) == "complete"


def test_a_remainder_that_was_counted_counts_though_nobody_had_lifted_it() -> None:
    table = cut(dealt(1), mid_round=True)
    table.device(e.RedLamp(True, Fault.POWER_LOST_MID_ROUND))
    assert played_out(table) == "complete"
    assert table.codes[:2] == ["session-changed", "power-lost"]


def test_a_round_of_which_nothing_was_dealt_counts() -> None:
    table = cut(ready(1), mid_round=False)
    for cards in hands(3):
        table.deal(cards)
    assert played_out(table.dump()) == "complete"


@pytest.mark.parametrize("mid_round", [True, False])
def test_packets_that_were_due_when_the_power_went_make_the_round_unreliable(mid_round: bool) -> None:
    table = cut(ready(1).deal(hands(3)[0]), mid_round=mid_round)
    assert table.flow.state is State.HALTED
    assert table.end().outcome == "unreliable"


def test_a_remainder_that_was_due_makes_it_unreliable() -> None:
    table = ready(1)
    for cards in hands(3):
        table.deal(cards)
    assert cut(table, mid_round=True).end().outcome == "unreliable"


@pytest.mark.parametrize("mid_round", [True, False])
@pytest.mark.parametrize("begin", [lambda: dealt(1), lambda: ready(1)], ids=["dealt", "begun"])
def test_a_missing_event_makes_it_unreliable(begin: Callable[[], HandTable], mid_round: bool) -> None:
    assert cut(begin(), mid_round=mid_round, whole=False).end().outcome == "unreliable"
    lost = begin()
    lost.see(DEVICE, e.EventsLost(5, 6), numbered=False)
    assert cut(lost, mid_round=mid_round).end().outcome == "unreliable"


def test_the_same_session_begun_anew_makes_it_unreliable() -> None:
    """There is nothing to read the end from: an unknown number of events is lost, and the id is the one before."""
    table = dealt(1)
    table.see(DEVICE, e.EventsLost(0, 0), numbered=False)
    table.see(DEVICE, e.SessionChanged(SESSION, SESSION), numbered=False)
    assert table.end().outcome == "unreliable"


@pytest.mark.parametrize("whole", [True, False])
def test_a_controller_in_a_game_makes_it_unreliable(whole: bool) -> None:
    table = cut(dealt(1), mid_round=True, whole=whole, device=CONTROLLER)
    assert table.flow.state is State.HALTED
    assert table.end().outcome == "unreliable"


def test_a_round_between_two_counts() -> None:
    table = cut(HandTable(), mid_round=False)
    assert table.codes == []
