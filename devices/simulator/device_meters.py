"""Meters of a simulated device. They count its actions as they happen, with or without a host."""

from collections.abc import Iterable
from typing import Any, Final

from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.instruments import MeterReading
from protocol.tdp.messages import Component
from protocol.tdp.messages import DeviceMeter as D

WRAP: Final = 1 << 32
HOUR_NS: Final = 3_600_000_000_000

Counted = tuple[D, Component]

_WHOLE: Final = (
    (D.HOURS_POWERED, Component.DEVICE),
    (D.POWER_CYCLES, Component.DEVICE),
    (D.FAULTS, Component.DEVICE),
    (D.COMMANDS_REFUSED, Component.LINK),
)
SHUFFLER_METERS: Final[tuple[Counted, ...]] = (
    (D.ROUNDS, Component.DEVICE),
    (D.PACKETS, Component.EXIT),
    (D.CARDS, Component.EXIT),
    (D.SHUFFLES_DONE, Component.COMPARTMENTS),
    (D.SHUFFLES_FAILED, Component.COMPARTMENTS),
    (D.CARDS_SHUFFLED, Component.COMPARTMENTS),
    (D.DECKS, Component.FEED),
    (D.JAMS, Component.EXIT),
    (D.MISDEALS, Component.DEVICE),
    (D.REJECTED_CARDS, Component.REJECT_TRAY),
    (D.DOOR_OPENINGS, Component.DOOR),
    (D.SELF_TESTS, Component.DEVICE),
    *_WHOLE,
)
SHOE_METERS: Final[tuple[Counted, ...]] = (
    (D.ROUNDS, Component.DEVICE),
    (D.CARDS, Component.EXIT),
    (D.UNREAD_CARDS, Component.READER),
    (D.DECKS, Component.FEED),
    (D.SHOES, Component.DEVICE),
    *_WHOLE,
)
CONTROLLER_METERS: Final[tuple[Counted, ...]] = (
    (D.ROUNDS, Component.DEVICE),
    (D.SELF_TESTS, Component.DEVICE),
    *_WHOLE,
)


class DeviceMeters:
    """All meters of one device, in a fixed order. They survive a power cut."""

    def __init__(self, counted: Iterable[Counted]) -> None:
        self._shown: dict[Counted, int] = dict.fromkeys(counted, 0)
        self._place = {key[0]: key for key in self._shown}
        self._powered_ns = 0
        self._since_ns: int | None = None

    def count(self, meter: D, by: int = 1) -> None:
        """Add to a meter. A meter that this device lacks is ignored."""
        key = self._place.get(meter)
        if key is not None:
            self._shown[key] = (self._shown[key] + by) % WRAP

    def power_on(self, now_ns: int) -> None:
        """Count a start."""
        self.count(D.POWER_CYCLES)
        self._since_ns = now_ns

    def power_off(self, now_ns: int) -> None:
        """Stop the hour meter. Counts are kept."""
        if self._since_ns is not None:
            self._powered_ns += max(0, now_ns - self._since_ns)
            self._since_ns = None

    def readings(self, now_ns: int) -> tuple[MeterReading, ...]:
        """Return the readings of all meters."""
        powered_ns = self._powered_ns + (max(0, now_ns - self._since_ns) if self._since_ns is not None else 0)
        hours = self._place[D.HOURS_POWERED]
        shown = self._shown | {hours: powered_ns // HOUR_NS % WRAP}
        return tuple(MeterReading(meter, component, number) for (meter, component), number in shown.items())

    def reported(self, event: type[m.Event], fields: dict[str, Any]) -> None:
        """Count an action that the device just reported. Unreported actions are counted where they happen."""
        match fields:
            case {"fault": fault} if event is m.FaultRaisedMessage:
                self.count(D.FAULTS)
                self.count(D.JAMS, int(fault == Fault.EXIT_JAM and fields["value"] == 1))
            case {"counted": counted} if event is m.PacketDispensedMessage:
                self.count(D.PACKETS)
                self.count(D.CARDS, counted)
            case {"open": 1}:
                self.count(D.DOOR_OPENINGS)
            case {"decks": decks}:
                self.count(D.SHOES)
                self.count(D.DECKS, decks)
            case _:
                for meter in _ONE_EACH.get(event, ()):
                    self.count(meter)


_ONE_EACH: Final[dict[type[m.Event], tuple[D, ...]]] = {
    m.DeckLoadedMessage: (D.DECKS,),
    m.CardRejectedMessage: (D.REJECTED_CARDS,),
    m.MisdealMessage: (D.MISDEALS,),
    m.GameEndedMessage: (D.ROUNDS,),
    m.CardDrawnMessage: (D.CARDS,),
    m.CardDrawnOutsideMessage: (D.CARDS,),
    m.CardUnreadableMessage: (D.CARDS, D.UNREAD_CARDS),
    m.ShoeErrorMessage: (D.FAULTS,),
    m.OverdrawMessage: (D.FAULTS,),
    m.PushedBackMessage: (D.FAULTS,),
    m.PulledBackMessage: (D.FAULTS,),
}
