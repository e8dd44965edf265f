"""Packet shuffler: its messages as events."""

from typing import Final

from devices import events as e
from devices.dialects.translation import Table, TableDriver, common_events
from protocol.cards import CARDS
from protocol.tdp import messages as m
from protocol.tdp import state_book

_NOT_KNOWN: Final = 0xFFFF


def _packet(event: m.PacketDispensedMessage) -> e.PacketDispensed:
    cards = tuple([CARDS[code] for code in event.cards])
    return e.PacketDispensed(event.deck, event.ordinal, event.expected, event.counted, cards)


def _misdeal(event: m.MisdealMessage) -> e.MisdealReported:
    remainder = None if event.remainder == _NOT_KNOWN else event.remainder
    return e.MisdealReported(event.deck, event.fault, event.loaded, remainder, event.rejected, event.packets)


def _cleared(event: m.MisdealClearedMessage) -> e.MisdealCleared:
    return e.MisdealCleared(event.fault, event.badge, event.resolution == m.Resolution.RESUME)


def round_counted(status: m.ShufflerStatusMessage) -> e.RoundCounted:
    """Return a status of the round as a report."""
    return e.RoundCounted(
        status.deck, status.loaded, status.packets, status.dispensed, status.in_tray, status.remainder, status.rejected
    )


EVENTS: Final[Table] = {
    **common_events(m.ShufflerState),
    m.GreenButtonMessage: lambda _: e.GreenButton(),
    m.GameSelectedMessage: lambda event: e.GameSelected(event.packet_size, event.cards, event.jokers, event.game),
    m.DeckLoadedMessage: lambda event: e.DeckLoaded(event.deck, event.back),
    m.ShuffleStartedMessage: lambda event: e.ShuffleStarted(event.deck),
    m.DeckVerifiedMessage: lambda event: e.DeckVerified(event.deck, event.expected, event.counted),
    m.PacketDispensedMessage: _packet,
    m.PacketLiftedMessage: lambda event: e.PacketLifted(event.ordinal),
    m.RemainderDumpedMessage: lambda event: e.RemainderDumped(event.deck, event.expected, event.counted),
    m.RemainderLiftedMessage: lambda event: e.RemainderLifted(event.deck),
    m.CardRejectedMessage: lambda event: e.CardRejected(event.deck, CARDS[event.card], event.fault),
    m.RedLampMessage: lambda event: e.RedLamp(bool(event.lit), event.fault),
    m.MisdealMessage: _misdeal,
    m.MisdealClearedMessage: _cleared,
    m.DeckRemovedMessage: lambda event: e.DeckRemoved(event.deck),
}


class ShufflerDriver(TableDriver):
    """Driver of a packet shuffler."""

    events, booked = EVENTS, state_book.SHUFFLER
