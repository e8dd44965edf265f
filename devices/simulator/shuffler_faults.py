"""Faults of a packet shuffler as data: the model runs on them, and docs/protocol.md prints them."""

from dataclasses import dataclass
from typing import Final

from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import Event
from protocol.tdp.messages import ShufflerState as S

LAMP: Final[tuple[type[Event], ...]] = (m.FaultRaisedMessage, m.RedLampMessage, m.MisdealMessage)
"""Events when the red lamp is lit, in this order. While it is lit, a further fault is only raised."""

CLEARED: Final[tuple[type[Event], ...]] = (m.FaultClearedMessage, m.RedLampMessage, m.MisdealClearedMessage)
"""Events of a person's acknowledgment, in this order. The first comes once for each latched fault."""


@dataclass(frozen=True, slots=True)
class ShufflerFault:
    """Reaction to a fault: the events before and after raising it, and the new state.

    - `lamp`: the red lamp is lit and latched
    - `value`: meaning of the field of this name in FaultRaised
    - `resume`: consequence of the decision RESUME; empty if it is refused and the deck has to come out
    """

    fault: Fault
    when: str
    before: tuple[type[Event], ...]
    lamp: bool
    state: S
    value: str
    resume: str

    @property
    def events(self) -> tuple[type[Event], ...]:
        """All events in order."""
        raised = LAMP if self.lamp else LAMP[:1]
        return (*self.before, *raised, m.StateChangedMessage)

    @property
    def may_resume(self) -> bool:
        """True if a person may decide to resume."""
        return bool(self.resume)


_WAITS: Final = "the cards in the tray wait to be lifted"
_PACKET: Final = (m.PacketDispensedMessage,)
_COUNTED: Final = "cards counted"

FAULTS: Final[tuple[ShufflerFault, ...]] = (
    ShufflerFault(
        Fault.TOO_FEW_CARDS,
        "a deck is short when counted",
        (m.DeckVerifiedMessage,),
        True,
        S.MISDEAL,
        _COUNTED,
        "",
    ),
    ShufflerFault(
        Fault.TOO_MANY_CARDS, "a deck is long when counted", (m.DeckVerifiedMessage,), True, S.MISDEAL, _COUNTED, ""
    ),
    ShufflerFault(
        Fault.EXIT_JAM,
        "a jam that the device could not free",
        (m.FaultRaisedMessage, m.StateChangedMessage),
        True,
        S.MISDEAL,
        "tries: 1 when it begins, and their number when the lamp is lit",
        "the packet is dispensed from its start, after a person freed the cards",
    ),
    ShufflerFault(
        Fault.CARD_LOST,
        "a card did not arrive at its destination",
        _PACKET,
        True,
        S.MISDEAL,
        "cards lost",
        f"{_WAITS}; the remainder will be short (305)",
    ),
    ShufflerFault(
        Fault.SENSOR_FAILED,
        "a sensor failed in the self-test",
        (),
        False,
        S.FAULT,
        "0",
        "",
    ),
    ShufflerFault(Fault.PACKET_SHORT, "a packet is short", _PACKET, True, S.MISDEAL, _COUNTED, _WAITS),
    ShufflerFault(Fault.PACKET_LONG, "a packet is long", _PACKET, True, S.MISDEAL, _COUNTED, _WAITS),
    ShufflerFault(
        Fault.PACKET_LIFTED_EARLY,
        "a hand takes a packet while it is dispensed",
        (*_PACKET, m.PacketLiftedMessage),
        True,
        S.MISDEAL,
        _COUNTED,
        "the next packet comes, because this one is lifted",
    ),
    ShufflerFault(
        Fault.REMAINDER_COUNT_WRONG,
        "the remainder differs from the expected count",
        (m.RemainderDumpedMessage,),
        True,
        S.MISDEAL,
        _COUNTED,
        "the remainder waits to be lifted; if it has no card the round is over",
    ),
    ShufflerFault(
        Fault.DOOR_OPENED_MID_ROUND,
        "the door is opened in the middle of a round",
        (m.DoorMovedMessage,),
        True,
        S.OPEN,
        "0",
        "once the door is closed (*DoorMoved*, *StateChanged* to MISDEAL): a stopped motion starts over",
    ),
    ShufflerFault(
        Fault.POWER_LOST_MID_ROUND,
        "the device starts after a power loss in the middle of a round",
        (m.BootedMessage, m.StateChangedMessage),
        True,
        S.MISDEAL,
        "0",
        "",
    ),
    ShufflerFault(
        Fault.MISDEAL_CALLED_BY_HOST,
        "the host lights the lamp (*RaiseLamp*)",
        (),
        True,
        S.MISDEAL,
        "0",
        "the device returns to its previous state",
    ),
    ShufflerFault(
        Fault.HOST_LOST,
        "the host is lost",
        (),
        False,
        S.SAFE,
        "0",
        "",
    ),
)
"""All faults of the model by number, except the loss of the host, which belongs to the line."""

REMOVE_ONLY: Final = frozenset(row.fault for row in FAULTS if row.lamp and not row.may_resume)
"""Faults after which the device does not resume: the deck has to come out and be counted again."""
