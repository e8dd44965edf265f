"""The published faults of shoe and controller are what the simulated devices do: every row, by hand."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from devices.simulator.device_faults import CONTROLLER_FAULTS, HALTING, SHOE_FAULTS, DeviceFault
from devices.simulator.device_model import EventDraft
from devices.simulator.shoe import ShoeModel
from devices.simulator.table_controller import TableControllerModel
from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import ControllerState, Reason, ShoeState, Status

Said = list[tuple[type[m.Event], dict[str, Any]]]


def taken(device: ShoeModel | TableControllerModel) -> Said:
    """Return the device's output since the last call."""
    said = [(each.event, each.fields) for each in device.outbox if isinstance(each, EventDraft)]
    device.outbox.clear()
    return said


def kinds(said: Said) -> tuple[type[m.Event], ...]:
    return tuple(event for event, _ in said)


def shoe_in_round() -> ShoeModel:
    shoe = ShoeModel(Random(5), round_limit=3)
    shoe.power_on(0)
    shoe.tick(shoe.next_deadline_ns or 0)
    shoe.fill(1)
    shoe.begin()
    shoe.draw()
    shoe.outbox.clear()
    return shoe


def overdraw(shoe: ShoeModel) -> None:
    for _ in range(3):
        shoe.draw()


def draw_locked(shoe: ShoeModel) -> None:
    shoe.lock(True)
    shoe.draw()


SHOE_ACTS: dict[Fault, Callable[[ShoeModel], object]] = {
    Fault.CARD_UNREADABLE: lambda shoe: shoe.draw(readable=False),
    Fault.OVERDRAW: lambda shoe: overdraw(shoe),
    Fault.PUSHED_BACK: lambda shoe: shoe.push_back(),
    Fault.PULLED_BACK: lambda shoe: shoe.pull_back(),
    Fault.DRAW_WHILE_LOCKED: lambda shoe: draw_locked(shoe),
    Fault.WRONG_BUTTON: lambda shoe: shoe.trouble(Fault.WRONG_BUTTON),
    Fault.CARD_CODE_WRONG: lambda shoe: shoe.trouble(Fault.CARD_CODE_WRONG),
    Fault.DRAW_TOO_SLOW: lambda shoe: shoe.trouble(Fault.DRAW_TOO_SLOW),
    Fault.HOST_LOST: lambda shoe: shoe.host_gone(0),
}
BEFORE = {Fault.OVERDRAW: 2, Fault.DRAW_WHILE_LOCKED: 2}
"""Events that bring the shoe to the fault: cards drawn, the key and its state."""


def fault_name(row: DeviceFault) -> str:
    return f"{row.fault.name} {row.when}"


def test_every_shoe_reading_fault_stands_there() -> None:
    assert [row.fault for row in SHOE_FAULTS if row.fault < 500] == [each for each in Fault if each // 100 == 4]
    assert set(SHOE_ACTS) == {row.fault for row in SHOE_FAULTS}


@pytest.mark.parametrize("row", SHOE_FAULTS, ids=fault_name)
def test_a_shoe_does_at_each_fault_what_its_row_says(row: DeviceFault) -> None:
    shoe = shoe_in_round()
    SHOE_ACTS[row.fault](shoe)
    said = taken(shoe)[BEFORE.get(row.fault, 0) :]
    assert kinds(said) == row.events
    assert [fields["halted"] for _, fields in said if "halted" in fields] in ([], [int(row.halts)])
    assert shoe.fault == (row.fault if row.halts else Fault.NONE)
    assert shoe.state == (row.state or (ShoeState.LOCKED if shoe.locked else ShoeState.ROUND))
    if row.halts:
        assert row.fault in HALTING
        assert shoe.status(1, 0, 0).faults == (row.fault,)
        other = shoe.answer(1, m.ClearShoeErrorMessage(409, 7), 0)
        assert (other.status, other.reason) == (Status.REFUSED, Reason.BAD_PARAMETER)
        assert not shoe.trouble(Fault.DRAW_TOO_SLOW)
        assert shoe.answer(2, m.ClearShoeErrorMessage(row.fault, 7), 0).status == Status.DONE
        assert kinds(taken(shoe)) == (m.ShoeErrorClearedMessage, m.StateChangedMessage)
    elif row.cleared:
        shoe.host_back(0)
        assert kinds(taken(shoe)) == (m.FaultClearedMessage,)


def controller(state: ControllerState) -> TableControllerModel:
    made = TableControllerModel()
    made.power_on(0)
    made.tick(made.next_deadline_ns or 0)
    if state is ControllerState.GAME:
        made.start_game()
    assert made.state is state
    made.outbox.clear()
    return made


def test_a_controller_does_at_each_fault_what_its_row_says() -> None:
    cut, called, lost, lost_in_game = CONTROLLER_FAULTS
    in_game = controller(ControllerState.GAME)
    in_game.power_off()
    in_game.power_on(0)
    in_game.tick(in_game.next_deadline_ns or 0)
    assert (m.BootedMessage, *kinds(taken(in_game))) == cut.events  # *Booted* is the link's
    assert in_game.state is cut.state
    in_game.call_misdeal(7, Fault.MISDEAL_CALLED_BY_HOST)
    assert kinds(taken(in_game)) == called.events
    assert called.state is None
    in_game.host_gone(0)
    assert kinds(taken(in_game)) == lost_in_game.events
    assert (in_game.state, lost_in_game.state) == (ControllerState.GAME, None)
    in_game.end_game()
    assert in_game.state is ControllerState.SAFE
    idle = controller(ControllerState.BETS_OPEN)
    idle.host_gone(0)
    assert kinds(taken(idle)) == lost.events
    assert idle.state is lost.state
    idle.host_back(0)
    assert kinds(taken(idle)) == (m.FaultClearedMessage, m.StateChangedMessage)
    assert idle.state is ControllerState.BETS_OPEN
