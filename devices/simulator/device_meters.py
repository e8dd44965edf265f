"""The meters of a simulated device: they count what it does as it does it, whether or not a host ever hears of it."""

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
    """Every meter of one device, in a fixed order. It is the memory that a power cut leaves alone."""

    def __init__(self, counted: Iterable[Counted]) -> None:
        self._shown: dict[Counted, int] = dict.fromkeys(counted, 0)
        self._place = {key[0]: key for key in self._shown}
        self._powered_ns = 0
        self._since_ns: int | None = None

    def count(self, meter: D, by: int = 1) -> None:
        """Go on by so many; a meter that this device does not have stays away."""
        key = self._place.get(meter)
        if key is not None:
            self._shown[key] = (self._shown[key] + by) % WRAP

    def power_on(self, now_ns: int) -> None:
        """A start."""
        self.count(D.POWER_CYCLES)
        self._since_ns = now_ns

    def power_off(self, now_ns: int) -> None:
        """The power is gone; what was counted stays."""
        if self._since_ns is not None:
            self._powered_ns += max(0, now_ns - self._since_ns)
            self._since_ns = None

    def readings(self, now_ns: int) -> tuple[MeterReading, ...]:
        """What they show."""
        powered_ns = self._powered_ns + (max(0, now_ns - self._since_ns) if self._since_ns is not None else 0)
        hours = self._place[D.HOURS_POWERED]
        shown = self._shown | {hours: powered_ns // HOUR_NS % WRAP}
        return tuple(MeterReading(meter, component, number) for (meter, component), number in shown.items())

    def reported(self, event: type[m.Event], fields: dict[str, Any]) -> None:
        """Count what the device just reported to have done; what it does without a word is counted where it is done."""
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
