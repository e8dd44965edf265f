"""The packet shuffler: its events in our words, and the commands it takes."""

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


class Shuffler(TableDriver):
    """Driver of a packet shuffler. The builders make commands for `Session.request`; all but none need `operate`."""

    device_class: Final = m.DeviceClass.SHUFFLER

    events = EVENTS

    @staticmethod
    def select_game(packet_size: int, cards: int, jokers: int, game: str) -> m.Message:
        """Deal packets of `packet_size` from a deck of `cards`, `jokers` among them."""
        return m.SelectGame(packet_size, cards, jokers, game)

    @staticmethod
    def dispense() -> m.Message:
        """Bring the next packet."""
        return m.Dispense()

    @staticmethod
    def dump() -> m.Message:
        """Bring the remainder."""
        return m.Dump()

    @staticmethod
    def raise_lamp(fault: int) -> m.Message:
        """Light the red lamp for a misdeal only the host can see."""
        return m.RaiseLamp(fault)

    @staticmethod
    def clear_misdeal(badge: int, resume: bool) -> m.Message:
        """The person with `badge` acknowledged the misdeal: go on, or take the deck out."""
        return m.ClearMisdeal(badge, m.Resolution.RESUME if resume else m.Resolution.REMOVE_DECK)

    @staticmethod
    def lock(locked: bool) -> m.Message:
        """Lock or unlock the device for the table."""
        return m.SetLock(int(locked))
