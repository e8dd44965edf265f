"""The packet shuffler: its events in our words."""

from typing import Final

from devices import events as e
from devices.translation import Table, TableDriver, common_events
from protocol.cards import CARDS
from protocol.tdp import messages as m

_NOT_KNOWN: Final = 0xFFFF


def _packet(event: m.PacketDispensed) -> e.PacketDispensed:
    cards = tuple([CARDS[code] for code in event.cards])
    return e.PacketDispensed(event.deck, event.ordinal, event.expected, event.counted, cards)


def _misdeal(event: m.Misdeal) -> e.MisdealReported:
    remainder = None if event.remainder == _NOT_KNOWN else event.remainder
    return e.MisdealReported(event.deck, event.fault, event.loaded, remainder, event.rejected, event.packets)


def _cleared(event: m.MisdealCleared) -> e.MisdealCleared:
    return e.MisdealCleared(event.fault, event.badge, event.resolution == m.Resolution.RESUME)


EVENTS: Final[Table] = {
    **common_events(m.ShufflerState),
    m.GreenButton: lambda _: e.GreenButton(),
    m.GameSelected: lambda event: e.GameSelected(event.packet_size, event.cards, event.jokers, event.game),
    m.DeckLoaded: lambda event: e.DeckLoaded(event.deck, event.back),
    m.ShuffleStarted: lambda event: e.ShuffleStarted(event.deck),
    m.DeckVerified: lambda event: e.DeckVerified(event.deck, event.expected, event.counted),
    m.PacketDispensed: _packet,
    m.PacketLifted: lambda event: e.PacketLifted(event.ordinal),
    m.RemainderDumped: lambda event: e.RemainderDumped(event.deck, event.expected, event.counted),
    m.RemainderLifted: lambda event: e.RemainderLifted(event.deck),
    m.CardRejected: lambda event: e.CardRejected(event.deck, CARDS[event.card], event.fault),
    m.RedLamp: lambda event: e.RedLamp(bool(event.lit), event.fault),
    m.Misdeal: _misdeal,
    m.MisdealCleared: _cleared,
    m.DeckRemoved: lambda event: e.DeckRemoved(event.deck),
}


class ShufflerDriver(TableDriver):
    """Driver of a packet shuffler."""

    events = EVENTS
