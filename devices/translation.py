"""What a link reports, in the words of `devices.events`: a table from message class to function, all of it pure.

What a device says that this version does not know becomes a value, never an error.
"""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, Final, Protocol

from devices import events as e
from protocol.places import PLACES
from protocol.tdp import messages as m
from protocol.tdp import outputs as o


class Driver(Protocol):
    """Translates one kind of device. A driver has no state and touches no line."""

    def translate(self, output: o.Output) -> e.Body | None:
        """What `output` means, or None when it is nothing that happened at the device."""
        ...


def name_of(names: type[IntEnum], number: int) -> str:
    """The known name of a number, else `0xNN`."""
    known = names._value2member_map_.get(number)
    return f"0x{number:02X}" if known is None else known.name


def _link_up(output: o.Up) -> e.LinkUp:
    hello = output.hello
    return e.LinkUp(
        session=hello.session,
        device_class=name_of(m.DeviceClass, hello.device_class).lower().replace("_", "-"),
        maker=hello.maker,
        model=hello.model,
        serial=hello.serial,
        firmware=hello.firmware,
        recognises_cards=bool(hello.capabilities & m.Capability.CARD_RECOGNITION),
        resumed=output.resumed,
    )


LINK: Final[Mapping[type[o.Output], Callable[[Any], e.Body]]] = {
    o.Up: _link_up,
    o.Down: lambda output: e.LinkLost(output.why),
    o.SessionChanged: lambda output: e.SessionChanged(output.previous, output.session),
    o.Lost: lambda output: e.EventsLost(output.first, output.last),
}
"""Outputs of the link itself that mean something at the table."""

Table = Mapping[type[m.Event], Callable[[Any], e.Body]]


def common_events(states: type[IntEnum]) -> Table:
    """Events any device may send; `states` names its own states."""
    return {
        m.Booted: lambda event: e.Booted(event.boot_count, bool(event.mid_round)),
        m.FaultRaised: lambda event: e.FaultRaised(event.fault, PLACES[event.place], event.value),
        m.FaultCleared: lambda event: e.FaultCleared(event.fault),
        m.DoorMoved: lambda event: e.DoorMoved(bool(event.open)),
        m.StateChanged: lambda event: e.StateChanged(name_of(states, event.state), name_of(states, event.previous)),
        o.UnknownEvent: lambda event: e.UnknownReported(
            f"event 0x{event.message_id:04X} of {len(event.payload)} bytes"
        ),
    }


def translate(table: Table, output: o.Output) -> e.Body | None:
    """Look `output` up: an event in `table`, anything else in `LINK`."""
    if type(output) is o.Delivered:
        message = output.message
        make = table.get(type(message))
        return e.UnknownReported(f"event {type(message).__name__}") if make is None else make(message)
    known = LINK.get(type(output))
    return None if known is None else known(output)
