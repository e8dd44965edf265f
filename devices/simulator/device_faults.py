"""Faults of a card shoe and a table controller as data; docs/protocol.md prints them.

The shoe's model takes from it which faults halt it, and tests check both models against every row.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from protocol.faults import Fault
from protocol.tdp import messages as m
from protocol.tdp.messages import ControllerState, Event, ShoeState


@dataclass(frozen=True, slots=True)
class DeviceFault:
    """Reaction of a device to a fault: the events it sends, in this order, and its new state (None if it does not
    change).

    - `halts`: it enters its error mode and stops until a person fixes the error
    - `cleared`: how that ends, with the events sent then; empty if there is nothing to clear
    """

    fault: Fault
    when: str
    events: tuple[type[Event], ...]
    halts: bool = False
    state: IntEnum | None = None
    cleared: str = ""


_BY_A_PERSON: Final = (
    "by a person, at the shoe or by *ClearShoeError*: *ShoeErrorCleared*, *StateChanged* to the state by its cards"
)
_BY_ITSELF: Final = "when the host is back: *FaultCleared*"


def _halting(fault: Fault, when: str, says: type[Event], *then: type[Event], also: str = "") -> DeviceFault:
    events: tuple[type[Event], ...] = (says, m.StateChangedMessage, *then)
    return DeviceFault(fault, when, events, True, ShoeState.ERROR, _BY_A_PERSON + also)


SHOE_FAULTS: Final = (
    _halting(Fault.CARD_UNREADABLE, "a card comes out in a game and its face is not read", m.ShoeErrorMessage,
             m.CardUnreadableMessage),
    _halting(Fault.OVERDRAW, "a card is drawn that no game needs: beyond a round's limit, or in LOADED or SHOE_END",
             m.OverdrawMessage, m.CardDrawnOutsideMessage),
    _halting(Fault.PUSHED_BACK, "a round's last card is pushed back into the exit", m.PushedBackMessage,
             also="; the card, drawn again, is *CardReportedAgain*"),
    _halting(Fault.PULLED_BACK, "a card is turned back halfway: it has not left", m.PulledBackMessage),
    DeviceFault(Fault.DRAW_WHILE_LOCKED, "a card is drawn while the shoe is locked", (m.CardDrawnOutsideMessage,)),
    DeviceFault(Fault.WRONG_BUTTON, "a button without a function in this state is pressed", (m.ShoeErrorMessage,)),
    _halting(Fault.CARD_CODE_WRONG, "a card's code is not one of the shoe's cards", m.ShoeErrorMessage),
    _halting(Fault.DRAW_TOO_SLOW, "a card takes too long to come out", m.ShoeErrorMessage),
    DeviceFault(Fault.HOST_LOST, "the host is lost", (m.FaultRaisedMessage,), cleared=_BY_ITSELF),
)  # fmt: skip
"""All faults of a shoe, by number."""

HALTING: Final = frozenset(row.fault for row in SHOE_FAULTS if row.halts)
"""Faults that halt the shoe."""

CONTROLLER_FAULTS: Final = (
    DeviceFault(Fault.POWER_LOST_MID_ROUND, "the device starts after a power loss in a game",
                (m.BootedMessage, m.StateChangedMessage), state=ControllerState.GAME),
    DeviceFault(Fault.MISDEAL_CALLED_BY_HOST, "a person calls a misdeal; another number may be used for it",
                (m.MisdealCalledMessage,)),
    DeviceFault(Fault.HOST_LOST, "the host is lost while bets are open",
                (m.FaultRaisedMessage, m.StateChangedMessage), state=ControllerState.SAFE,
                cleared=f"{_BY_ITSELF}, *StateChanged* to BETS_OPEN"),
    DeviceFault(Fault.HOST_LOST, "the host is lost in any other state", (m.FaultRaisedMessage,),
                cleared=f"{_BY_ITSELF}; if the game or set-up ends before that, *StateChanged* to SAFE"),
)  # fmt: skip
"""All faults of a table controller, by number."""
