"""What a STATUS must show by the events before it: one book of a device, the same for a host and for a bench.

A book is a plain dictionary, field -> what the events made of it. What no event has said is learnt from the first
status that is judged. A status is judged when its `last_event` is an event after which nothing is under way: `enter`
says which those are.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from protocol.places import BURN
from protocol.tdp import messages as m
from protocol.tdp.messages import Lamp, ShoeState
from protocol.tdp.outputs import DeviceStatus

StateBook = dict[str, int]
"""What the events made: see the fields of a STATUS; `red-lamp` is 1 while it is lit, `pushed-back` the number of a card
that lies in the exit of a shoe, `deck-in-play` the deck that is dealt, until its remainder is lifted, and `lifted-deck`
the same once that was counted."""

_AT_REST: Final = frozenset(
    {ShoeState.EMPTY, ShoeState.LOADED, ShoeState.STANDBY, ShoeState.SHOE_END, ShoeState.LOCKED, ShoeState.SETUP}
)
"""States of a shoe behind whose *StateChanged* no event of the same card follows."""
_NO_ROUND: Final = frozenset({ShoeState.EMPTY, ShoeState.LOADED, ShoeState.STANDBY, ShoeState.SHOE_END})
_KEPT: Final = ("red-lamp", "pushed-back")
"""What a power cut changes nothing in, whatever people do meanwhile."""


class Differs(NamedTuple):
    """A device said one thing by its events and another by `what` of its STATUS, or of a later event."""

    what: str
    stated: int
    known: int


def _sensor(book: StateBook, event: m.SensorChangedMessage) -> bool:
    if "sensors" in book and 1 <= event.seat <= 32:
        bit = 1 << event.seat - 1
        book["sensors"] = book["sensors"] | bit if event.on else book["sensors"] & ~bit
    return True


def _filled(book: StateBook, event: m.ShoeLoadedMessage) -> bool:  # noqa: ARG001 - as every entry
    book.update({"drawn": 0, "in-round": 0})
    book.pop("pushed-back", None)
    return False  # StateChanged follows


def _card(book: StateBook, event: m.CardDrawnMessage | m.CardUnreadableMessage | m.CardReportedAgainMessage) -> bool:
    book["drawn"] = event.ordinal
    book.pop("pushed-back", None)
    if "in-round" in book and event.place != BURN:
        book["in-round"] += 1
    return True


def _outside(book: StateBook, event: m.CardDrawnOutsideMessage) -> bool:
    book["drawn"] = event.ordinal
    book.pop("pushed-back", None)
    return True


def _pushed(book: StateBook, event: m.PushedBackMessage) -> bool:
    book.update({"drawn": event.ordinal - 1, "pushed-back": event.ordinal})
    book.pop("in-round", None)  # one that was burned was not among them
    return False


def _locked(book: StateBook, event: m.ShoeLockMovedMessage) -> bool:
    book["locked"] = event.locked
    return True


def _shoe_state(book: StateBook, event: m.StateChangedMessage) -> bool:
    if event.state in _NO_ROUND:
        book["in-round"] = 0
        book.pop("pushed-back", None)
    if event.state == ShoeState.EMPTY:
        book.pop("drawn", None)
    return event.state in _AT_REST


def _lamp(book: StateBook, event: m.RedLampMessage) -> bool:
    book["red-lamp"] = event.lit
    return True


def _cleared(book: StateBook, event: m.MisdealClearedMessage) -> bool:  # noqa: ARG001
    book.pop("red-lamp", None)  # RedLamp follows, and a status may come between
    return False


def _packet(book: StateBook, event: m.PacketDispensedMessage) -> bool:
    book["deck-in-play"] = event.deck
    return False


def _dumped(book: StateBook, event: m.RemainderDumpedMessage) -> bool:
    if event.counted:
        book["lifted-deck"] = event.deck
    else:
        book.pop("deck-in-play", None)  # a remainder of no card is never lifted
    return False


def _lifted(book: StateBook, event: m.RemainderLiftedMessage) -> bool:  # noqa: ARG001
    book.pop("deck-in-play", None)
    book.pop("lifted-deck", None)
    return False


def _removed(book: StateBook, event: m.DeckRemovedMessage) -> bool:
    if event.deck == book.get("deck-in-play"):
        book.pop("deck-in-play")
        book.pop("lifted-deck", None)
    return False


def _only_gainsaid(book: StateBook, event: m.Event) -> bool:  # noqa: ARG001
    return False


Entry = Callable[[StateBook, Any], bool]
"""An event into the book; True when a status that knows of it, and of nothing newer, may be judged."""

Entries = Mapping[type[m.Event], Entry]
"""The events that the book of one class of device is made of."""

CONTROLLER: Final[Entries] = {m.SensorChangedMessage: _sensor}
SHOE: Final[Entries] = {
    m.ShoeLoadedMessage: _filled,
    m.CardDrawnMessage: _card,
    m.CardUnreadableMessage: _card,
    m.CardReportedAgainMessage: _card,
    m.CardDrawnOutsideMessage: _outside,
    m.PushedBackMessage: _pushed,
    m.ShoeLockMovedMessage: _locked,
    m.StateChangedMessage: _shoe_state,
}
SHUFFLER: Final[Entries] = {
    m.RedLampMessage: _lamp,
    m.MisdealClearedMessage: _cleared,
    m.PacketDispensedMessage: _packet,
    m.RemainderDumpedMessage: _dumped,
    m.RemainderLiftedMessage: _lifted,
    m.DeckRemovedMessage: _removed,
    m.ShuffleStartedMessage: _only_gainsaid,
    m.DeckVerifiedMessage: _only_gainsaid,
    m.CardRejectedMessage: _only_gainsaid,
}


def _drawn_again(book: StateBook, event: m.CardDrawnMessage) -> Differs | None:
    pushed = event.ordinal == book.get("pushed-back")
    return Differs("pushed-back", event.ordinal, event.ordinal) if pushed else None


def _other_lifted(book: StateBook, event: m.RemainderLiftedMessage) -> Differs | None:
    counted = book.get("lifted-deck", event.deck)
    return Differs("lifted-deck", event.deck, counted) if event.deck != counted else None


def _cards_are_out(book: StateBook, event: m.ShuffleStartedMessage | m.DeckVerifiedMessage) -> Differs | None:
    dealt = event.deck == book.get("deck-in-play")
    return Differs("deck-in-play", event.deck, event.deck) if dealt else None


def _nothing_left(book: StateBook, event: m.CardRejectedMessage) -> Differs | None:
    dumped = event.deck == book.get("lifted-deck")
    return Differs("rejected-late", event.deck, event.deck) if dumped else None


GAINSAYING: Final[Mapping[type[m.Event], Callable[[StateBook, Any], Differs | None]]] = {
    m.CardDrawnMessage: _drawn_again,
    m.RemainderLiftedMessage: _other_lifted,
    m.ShuffleStartedMessage: _cards_are_out,
    m.DeckVerifiedMessage: _cards_are_out,
    m.CardRejectedMessage: _nothing_left,
}
"""Events that may contradict those before them."""


def gainsaid(book: StateBook, event: m.Event) -> Differs | None:
    """An event that cannot be true beside those before it: a card that was pushed back comes as a new one; the
    remainder that is lifted is of another deck than the one that was counted; a deck is shuffled or counted while its
    cards are dealt; a card of it is rejected when none is left in the device."""
    against = GAINSAYING.get(type(event))
    return against(book, event) if against is not None else None


def shown(status: DeviceStatus) -> StateBook:
    """What a STATUS has of what events tell."""
    if isinstance(status, m.ControllerStatusMessage):
        return {"sensors": status.sensors}
    if isinstance(status, m.ShufflerStatusMessage):
        return {"red-lamp": int(bool(status.lamps & Lamp.RED))}
    found = {"locked": status.locked}
    if status.loaded:
        found |= {"drawn": status.drawn, "in-round": status.in_round}
    return found


def compared(book: StateBook, status: DeviceStatus) -> list[Differs]:
    """What a status says otherwise than the events before it; what they have not said is learnt from it."""
    found = []
    for what, stated in shown(status).items():
        known = book.setdefault(what, stated)
        if known != stated:
            found.append(Differs(what, stated, known))
    return found


def after_power(book: StateBook) -> StateBook:
    """What is known when a device has started anew, and each event before was heard."""
    return {what: known for what, known in book.items() if what in _KEPT}
