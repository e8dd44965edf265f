"""The card-reading shoe that speaks TDP: its events in our words."""

from typing import Final

from devices import events as e
from devices.translation import Table, TableDriver, common_events, name_of, names_of
from protocol.cards import CARDS, UNREAD
from protocol.faults import fault_text
from protocol.places import NOWHERE, PLACES
from protocol.tdp import messages as m

_MODES: Final = names_of(m.ShoeMode)
_READER: Final = {flag: e.ReaderFlag[str(flag.name)] for flag in m.Reader}


def _where(place: int) -> str | None:
    return None if place == NOWHERE else PLACES[place].text


def _reader(flags: int) -> tuple[str, ...]:
    return tuple(_READER.get(m.Reader(1 << bit), f"0x{1 << bit:02X}") for bit in range(8) if flags >> bit & 1)


def _drawn(event: m.CardDrawn) -> e.CardDrawn | e.CardUnread:
    card, reader = CARDS[event.card], _reader(event.reader)
    if card == UNREAD:
        return e.CardUnread(event.ordinal, _where(event.place), reader)
    return e.CardDrawn(event.ordinal, card, _where(event.place), event.confidence, reader)


def _outside(event: m.CardDrawnOutside) -> e.DrawWhileLocked | e.CardDrawnOutside:
    card = CARDS[event.card]
    if event.mode == m.ShoeMode.LOCKED:
        return e.DrawWhileLocked(card)
    return e.CardDrawnOutside(card, name_of(_MODES, event.mode).lower())


EVENTS: Final[Table] = {
    **common_events(m.ShoeState),
    m.ShoeLoaded: lambda event: e.ShoeLoaded(event.shoe, event.decks, event.cards),
    m.BurnStarted: lambda event: e.BurnStarted(event.count),
    m.CardDrawn: _drawn,
    m.CardUnreadable: lambda event: e.CardUnread(event.ordinal, _where(event.place), _reader(event.reader)),
    m.CardReportedAgain: lambda event: e.CardReportedAgain(event.ordinal, CARDS[event.card], _where(event.place)),
    m.CutCardSeen: lambda _: e.CutCardSeen(),
    m.Overdraw: lambda event: e.Overdrawn(bool(event.halted)),
    m.PushedBack: lambda event: e.CardPushedBack(bool(event.halted)),
    m.PulledBack: lambda event: e.CardPulledBack(bool(event.halted)),
    m.CardDrawnOutside: _outside,
    m.ShoeError: lambda event: e.ShoeError(event.fault, bool(event.halted), fault_text(event.fault)),
    m.ShoeErrorCleared: lambda event: e.ShoeErrorCleared(event.fault, event.badge),
    m.ShoeLockMoved: lambda event: e.ShoeLocked(bool(event.locked)),
    m.ShoeEnded: lambda event: e.ShoeEnded(event.shoe, event.drawn),
}


class ShoeDriver(TableDriver):
    """Driver of a card-reading shoe."""

    events = EVENTS
