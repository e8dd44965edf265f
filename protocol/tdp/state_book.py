"""Check of a STATUS against the events before it, for hosts and for test benches.

A book is a plain dictionary from a field to its value according to the events. A value that no event has set is taken
from the first status that is checked. A status is checked if its `last_event` is an event after which nothing is in
progress: one for which the event's `Entry` returned True.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from protocol.places import BURN
from protocol.tdp import messages as m
from protocol.tdp.messages import Lamp, ShoeState
from protocol.tdp.outputs import DeviceStatus

StateBook = dict[str, int]
"""Field values according to the events; see the fields of a STATUS. `red-lamp` is 1 while it is lit, `pushed-back` the
number of a card in the exit of a shoe, `deck-in-play` the deck being dealt until its remainder is lifted, and
`lifted-deck` the same deck once its remainder was counted."""

_AT_REST: Final = frozenset(
    {ShoeState.EMPTY, ShoeState.LOADED, ShoeState.STANDBY, ShoeState.SHOE_END, ShoeState.LOCKED, ShoeState.SETUP}
)
"""States of a shoe after whose *StateChanged* no event of the same card follows."""
_NO_ROUND: Final = frozenset({ShoeState.EMPTY, ShoeState.LOADED, ShoeState.STANDBY, ShoeState.SHOE_END})
_KEPT: Final = ("red-lamp", "pushed-back")
"""Values that survive a power cut, whatever people do meanwhile."""


class StatusMismatch(NamedTuple):
    """Contradiction between a device's events and `what` of its STATUS, or of a later event."""

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
    book.pop("in-round", None)  # unknown: a burned card did not count in the round
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
    book.pop("red-lamp", None)  # RedLamp follows, and a status may come in between
    return False


def _packet(book: StateBook, event: m.PacketDispensedMessage) -> bool:
    book["deck-in-play"] = event.deck
    return False


def _dumped(book: StateBook, event: m.RemainderDumpedMessage) -> bool:
    if event.counted:
        book["lifted-deck"] = event.deck
    else:
        book.pop("deck-in-play", None)  # a remainder of no cards is never lifted
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


def _contradiction_only(book: StateBook, event: m.Event) -> bool:  # noqa: ARG001
    return False


Entry = Callable[[StateBook, Any], bool]
"""Function that enters an event into the book. It returns True if a status whose newest event is this one may be
checked."""

Entries = Mapping[type[m.Event], Entry]
"""Events that make up the book of one device class."""

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
    m.ShuffleStartedMessage: _contradiction_only,
    m.DeckVerifiedMessage: _contradiction_only,
    m.CardRejectedMessage: _contradiction_only,
}


def _drawn_again(book: StateBook, event: m.CardDrawnMessage) -> StatusMismatch | None:
    pushed = event.ordinal == book.get("pushed-back")
    return StatusMismatch("pushed-back", event.ordinal, event.ordinal) if pushed else None


def _other_lifted(book: StateBook, event: m.RemainderLiftedMessage) -> StatusMismatch | None:
    counted = book.get("lifted-deck", event.deck)
    return StatusMismatch("lifted-deck", event.deck, counted) if event.deck != counted else None


def _cards_are_out(book: StateBook, event: m.ShuffleStartedMessage | m.DeckVerifiedMessage) -> StatusMismatch | None:
    dealt = event.deck == book.get("deck-in-play")
    return StatusMismatch("deck-in-play", event.deck, event.deck) if dealt else None


def _nothing_left(book: StateBook, event: m.CardRejectedMessage) -> StatusMismatch | None:
    dumped = event.deck == book.get("lifted-deck")
    return StatusMismatch("rejected-late", event.deck, event.deck) if dumped else None


CONTRADICTIONS: Final[Mapping[type[m.Event], Callable[[StateBook, Any], StatusMismatch | None]]] = {
    m.CardDrawnMessage: _drawn_again,
    m.RemainderLiftedMessage: _other_lifted,
    m.ShuffleStartedMessage: _cards_are_out,
    m.DeckVerifiedMessage: _cards_are_out,
    m.CardRejectedMessage: _nothing_left,
}
"""Events that may contradict earlier ones."""


def contradiction_of(book: StateBook, event: m.Event) -> StatusMismatch | None:
    """Return the contradiction between an event and earlier ones, or None.

    - A card that was pushed back comes as a new one.
    - The remainder that is lifted is of another deck than the one counted.
    - A deck is shuffled or counted while its cards are being dealt.
    - A card of a deck is rejected when none of it is left in the device.
    """
    against = CONTRADICTIONS.get(type(event))
    return against(book, event) if against is not None else None


def book_of_status(status: DeviceStatus) -> StateBook:
    """Return the values of a STATUS that events also report, for comparison with a book of events."""
    if isinstance(status, m.ControllerStatusMessage):
        return {"sensors": status.sensors}
    if isinstance(status, m.ShufflerStatusMessage):
        return {"red-lamp": int(bool(status.lamps & Lamp.RED))}
    found = {"locked": status.locked}
    if status.loaded:
        found |= {"drawn": status.drawn, "in-round": status.in_round}
    return found


def contradictions(book: StateBook, status: DeviceStatus) -> list[StatusMismatch]:
    """Return the contradictions between a status and the earlier events. Values that no event set are taken from the
    status."""
    found = []
    for what, stated in book_of_status(status).items():
        known = book.setdefault(what, stated)
        if known != stated:
            found.append(StatusMismatch(what, stated, known))
    return found


def after_power(book: StateBook) -> StateBook:
    """Return the book after a restart of the device, provided that every earlier event was received."""
    return {what: known for what, known in book.items() if what in _KEPT}
