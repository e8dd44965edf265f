"""Card-reading shoe with TDP: its messages as events."""

from typing import Final

from devices import events as e
from devices.dialects.translation import Table, TableDriver, common_events, names_of
from protocol.cards import CARDS, UNREAD
from protocol.faults import fault_text
from protocol.places import NOWHERE, PLACES
from protocol.tdp import messages as m
from protocol.tdp import state_book

_MODES: Final = names_of(m.ShoeMode)
_READER: Final = {flag: e.ReaderFlag[str(flag.name)] for flag in m.Reader}


def _where(place: int) -> str | None:
    return None if place == NOWHERE else PLACES[place].text


def _reader(flags: int) -> tuple[str, ...]:
    return tuple(_READER.get(m.Reader(1 << bit), f"0x{1 << bit:02X}") for bit in range(8) if flags >> bit & 1)


def _drawn(event: m.CardDrawnMessage) -> e.CardDrawn | e.CardUnread:
    card, reader = CARDS[event.card], _reader(event.reader)
    if card == UNREAD:
        return e.CardUnread(event.ordinal, _where(event.place), reader)
    return e.CardDrawn(event.ordinal, card, _where(event.place), event.confidence, reader)


def _outside(event: m.CardDrawnOutsideMessage) -> e.DrawWhileLocked | e.CardDrawnOutside:
    card = CARDS[event.card]
    if event.mode == m.ShoeMode.LOCKED:
        return e.DrawWhileLocked(card)
    return e.CardDrawnOutside(card, _MODES[event.mode].lower())


EVENTS: Final[Table] = {
    **common_events(m.ShoeState),
    m.ShoeLoadedMessage: lambda event: e.ShoeLoaded(event.shoe, event.decks, event.cards),
    m.BurnStartedMessage: lambda event: e.BurnStarted(event.count),
    m.CardDrawnMessage: _drawn,
    m.CardUnreadableMessage: lambda event: e.CardUnread(event.ordinal, _where(event.place), _reader(event.reader)),
    m.CardReportedAgainMessage: lambda event: e.CardReportedAgain(
        event.ordinal, CARDS[event.card], _where(event.place)
    ),
    m.CutCardSeenMessage: lambda _: e.CutCardSeen(),
    m.OverdrawMessage: lambda event: e.Overdrawn(bool(event.halted)),
    m.PushedBackMessage: lambda event: e.CardPushedBack(bool(event.halted)),
    m.PulledBackMessage: lambda event: e.CardPulledBack(bool(event.halted)),
    m.CardDrawnOutsideMessage: _outside,
    m.ShoeErrorMessage: lambda event: e.ShoeError(event.fault, bool(event.halted), fault_text(event.fault)),
    m.ShoeErrorClearedMessage: lambda event: e.ShoeErrorCleared(event.fault, event.badge),
    m.ShoeLockMovedMessage: lambda event: e.ShoeLocked(bool(event.locked)),
    m.ShoeEndedMessage: lambda event: e.ShoeEnded(event.shoe, event.drawn),
}


class ShoeDriver(TableDriver):
    """Driver of a card-reading shoe."""

    events, booked = EVENTS, state_book.SHOE
