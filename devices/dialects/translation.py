"""Translation of a link's outputs to `devices.events`, by tables from message class to function, all of them pure.

A report that this version does not know becomes a value, never an error.
"""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any, ClassVar, Final, Protocol, final

from devices import events as e
from protocol.link import Missed, Reported, Started
from protocol.message import message_name
from protocol.places import PLACES
from protocol.tdp import messages as m
from protocol.tdp import outputs as o
from protocol.tdp.state_book import Entries


class Driver(Protocol):
    """Translator for one kind of device. A driver has no state and touches no line."""

    def translate(self, output: o.Output) -> e.Body | None:
        """Return the event for `output`, or None if nothing happened at the device."""


class Names(dict[int, str]):
    """Names of known numbers, and `0xNN` for any other."""

    def __missing__(self, number: int) -> str:
        return f"0x{number:02X}"


def names_of(numbers: type[IntEnum]) -> Names:
    """Return the names of an enumeration's numbers."""
    return Names({int(known): known.name for known in numbers})


_CLASSES: Final = names_of(m.DeviceClass)
_RECOGNISES: Final = int(m.Capability.CARD_RECOGNITION)  # plain int: an IntFlag's & costs more than all the rest
_METERS: Final = int(m.Capability.METERS)
_MEASURES: Final = int(m.Capability.VERIFY)


def _link_up(output: o.Up) -> e.LinkUp:
    hello = output.hello
    return e.LinkUp(
        session=hello.session,
        device_class=_CLASSES[hello.device_class].lower().replace("_", "-"),
        maker=hello.maker,
        model=hello.model,
        serial=hello.serial,
        firmware=hello.firmware,
        recognises_cards=bool(hello.capabilities & _RECOGNISES),
        resumed=output.resumed,
        firmware_digest=hello.digest.hex() if any(hello.digest) else "",
        meters=bool(hello.capabilities & _METERS),
        measures=bool(hello.capabilities & _MEASURES),
    )


LINK: Final[Mapping[type[o.Output], Callable[[Any], e.Body]]] = {
    o.Up: _link_up,
    o.Down: lambda output: e.LinkLost(output.why),
    o.SessionRestarted: lambda output: e.SessionChanged(output.previous, output.session, output.whole),
    o.Returned: lambda output: e.SessionReturned(output.session),
    o.Lost: lambda output: e.EventsLost(output.first, output.last),
}
"""Outputs of the link itself that are events at the table."""

Table = Mapping[type[m.Event], Callable[[Any], e.Body]]


class _Changes(dict[tuple[int, int], e.StateChanged]):
    """State changes by their numbers, one shared value for each, because no other event is as frequent."""

    def __init__(self, names: Names) -> None:
        super().__init__(
            {(state, previous): e.StateChanged(names[state], names[previous]) for state in names for previous in names}
        )
        self._names = names

    def __missing__(self, change: tuple[int, int]) -> e.StateChanged:
        state, previous = change
        return e.StateChanged(self._names[state], self._names[previous])


def common_events(states: type[IntEnum]) -> Table:
    """Return the translations of events that any device may send. `states` names the states of this kind."""
    changes = _Changes(names_of(states))
    return {
        m.BootedMessage: lambda event: e.Booted(event.boot_count, bool(event.mid_round)),
        m.FaultRaisedMessage: lambda event: e.FaultRaised(event.fault, PLACES[event.place], event.value),
        m.FaultClearedMessage: lambda event: e.FaultCleared(event.fault),
        m.DoorMovedMessage: lambda event: e.DoorMoved(bool(event.open)),
        m.StateChangedMessage: lambda event: changes[event.state, event.previous],
        o.UnknownEvent: lambda event: e.UnknownReported(
            f"event 0x{event.message_id:04X} of {len(event.payload)} bytes"
        ),
    }


class TableDriver:
    """Driver that looks up every event in `events` and every other output in `LINK`.

    `translate` is final because `Feed` does the lookup of an event itself.
    """

    events: ClassVar[Table]
    booked: ClassVar[Entries] = {}
    """Events that the device's STATUS is checked against."""

    @final
    def translate(self, output: o.Output) -> e.Body | None:
        """Return the event for `output`, or None."""
        if type(output) is o.Delivered:
            message = output.message
            make = self.events.get(type(message))
            return e.UnknownReported(f"event {message_name(message)}") if make is None else make(message)
        kind = type(output)
        return LINK[kind](output) if kind in LINK else None


class UnnumberedDriver:
    """Driver of a shoe without event numbers, whose link counts instead. A report is looked up in `events` by its
    class.

    `model` is the displayed name of such devices; they do not report one.
    """

    events: ClassVar[Mapping[type[Any], Callable[[Any], e.Body]]]
    model: ClassVar[str]

    def translate(self, output: o.Output) -> e.Body | None:
        """Return the event for `output`, or None."""
        if isinstance(output, Reported):
            message = output.message
            make = self.events.get(type(message))
            return e.UnknownReported(f"report {message_name(message)}") if make is None else make(message)
        if isinstance(output, Started):
            if output.previous:
                return e.SessionChanged(output.previous, output.session)
            return e.LinkUp(output.session, "shoe", "", self.model, "", "", True, False)
        return e.EventsLost(0, 0) if isinstance(output, Missed) else None
