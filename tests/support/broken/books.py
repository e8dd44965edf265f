"""Devices whose statements do not fit together, for the bench: a deal's faces, counts and order, the other deck's book,
a lamp that a button puts out, keys that bounce."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from devices.simulator.deck import Bay
from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from protocol.tdp.messages import Resolution, ShufflerState
from tests.support.broken.base import Broken, Caught, changed
from tests.support.broken.classes import Shoe
from tests.support.broken.lying_tables import CutsOnly, NeverShuffles, shuffler_of

OTHER: Final = 2
"""Number of the deck that is loaded second."""


class GreenPutsOut(Broken):
    """The green button clears the reason for the red lamp, and the deal continues."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = shuffler_of(table)
        press = shuffler.press_green

        def pressed(now_ns: int) -> bool:
            lit = shuffler.state is ShufflerState.MISDEAL
            done = bool(press(now_ns))
            return bool(shuffler.clear(0, Resolution.RESUME, now_ns)) if lit else done

        shuffler.press_green = pressed


class SameFace(Broken):
    """Every packet holds the same five cards."""

    first = b""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.PacketDispensedMessage) or message.counted != 5:
            return [envelope.body]
        self.first = self.first or message.cards
        return [changed(envelope, cards=self.first)]


class StrayJoker(Broken):
    """The first card of every second packet is reported as a joker."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if not isinstance(message, m.PacketDispensedMessage) or message.ordinal % 2:
            return [envelope.body]
        return [changed(envelope, cards=b"\x51" + message.cards[1:])]


class OtherDeckShort(Broken):
    """The remainder of the other deck is expected and counted one card too small."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.RemainderDumpedMessage) and message.deck == OTHER:
            return [changed(envelope, expected=message.expected - 1, counted=message.counted - 1)]
        if isinstance(message, m.ShufflerStatusMessage) and message.deck == OTHER and message.remainder:
            return [changed(envelope, remainder=message.remainder - 1, in_tray=message.in_tray - 1)]
        return [envelope.body]


class OtherDeckStatus(Broken):
    """STATUS has a remainder of the other deck that is one card too small."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ShufflerStatusMessage) and message.deck == OTHER and message.remainder:
            return [changed(envelope, remainder=message.remainder - 1)]
        return [envelope.body]


class OtherDeckWhole(Broken):
    """The other deck is always counted as 52 cards, and a wrong total has no consequence."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = shuffler_of(table)
        load = shuffler.load_deck

        def loaded(deck: int, now_ns: int) -> bool:
            if deck == OTHER:
                cards = shuffler.cards
                cards.gather(deck, Bay.INPUT)
            return bool(load(deck, now_ns))

        shuffler.load_deck = loaded


class KeepsPacket(Broken):
    """`expected` of the remainder leaves a packet that was not lifted a packet, although STATUS has taken it back."""

    waiting = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.PacketDispensedMessage):
            self.waiting = message.counted
        if isinstance(message, m.PacketLiftedMessage):
            self.waiting = 0
        if isinstance(message, m.RemainderDumpedMessage):
            less = self.waiting = self.waiting if message.expected == message.counted else 0
            return [changed(envelope, expected=message.expected - less, counted=message.counted - less)]
        if isinstance(message, m.ShufflerStatusMessage) and message.remainder:
            less = self.waiting
            return [changed(envelope, remainder=message.remainder - less, in_tray=message.in_tray - less)]
        return [envelope.body]


class GameUntold(Broken):
    """A game that is chosen at its display is not reported."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = shuffler_of(table)

        def chosen(setting: Any, now_ns: int) -> bool:
            shuffler.game = setting
            return True

        shuffler.choose_game = chosen


class GameForgotten(Broken):
    """The device reports a game chosen at its display, but deals packets of the previous game's size."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = shuffler_of(table)
        choose = shuffler.choose_game

        def chosen(setting: Any, now_ns: int) -> bool:
            before = shuffler.game
            done = bool(choose(setting, now_ns))
            shuffler.game = before
            return done

        shuffler.choose_game = chosen


class Bouncing(Broken):
    """Base of controllers whose key reports its event twice, the second time under the next number."""

    message: type[m.Event]

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        controller: Any = table.controller  # type: ignore[attr-defined]
        say = controller.say

        def twice(event: type[m.Event], *given: Any, **fields: Any) -> Any:
            if event is self.message:
                say(event, *given, **fields)
            return say(event, *given, **fields)

        controller.say = twice


class BadgeTwice(Bouncing):
    """A badge that is swiped once is reported twice."""

    message = m.BadgeSwipedMessage


class WagerTwice(Bouncing):
    """A wager that is placed once is reported twice."""

    message = m.WagerPlacedMessage


class DecisionTwice(Bouncing):
    """A decision that is keyed once is reported twice."""

    message = m.DecisionMadeMessage


class CountStuck(Shoe):
    """`shoe` does not count up when the shoe is filled."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.ShoeLoadedMessage | m.ShoeEndedMessage | m.ShoeStatusMessage) and message.shoe:
            return [changed(envelope, shoe=1)]
        return [envelope.body]


class ShoeJoker(Shoe):
    """Each tenth card is reported as a joker, out of decks that have none."""

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        message = envelope.message
        if isinstance(message, m.CardDrawnMessage) and message.ordinal % 10 == 0:
            return [changed(envelope, card=0x51)]
        return [envelope.body]


def _caught(device: Callable[[TableModel], TableModel], *by: str, reads: bool = False, **more: Any) -> Caught:
    return Caught(device, by, recognition=reads, **more)


BOOK_DEVICES: Final = (
    _caught(GreenPutsOut, "deal.green-in-misdeal", "always.cleared"),
    _caught(NeverShuffles, "always.shuffled", reads=True, quick=("deal.whole", "deal.two-decks")),
    _caught(CutsOnly, "always.shuffled", reads=True, quick=("deal.whole", "deal.two-decks")),
    _caught(SameFace, "always.one-face", "always.shuffled", reads=True, quick=("deal.whole",)),
    _caught(StrayJoker, "always.one-face", reads=True, quick=("deal.whole",)),
    _caught(OtherDeckShort, "always.book", "deal.both-decks", quick=("deal.both-decks",)),
    _caught(OtherDeckStatus, "always.book", quick=("deal.both-decks",)),
    _caught(OtherDeckWhole, "count.other-deck-short"),
    _caught(KeepsPacket, "always.book", "always.unlifted", "deal.both-decks", quick=("deal.both-decks",)),
    _caught(GameUntold, "deal.game-at-the-display"),
    _caught(GameForgotten, "deal.game-at-the-display", "always.game"),
    _caught(BadgeTwice, "always.keys-once", "keys.once", quick=("game.keys",), plan="table-controller"),
    _caught(WagerTwice, "always.keys-once", "keys.once", quick=("game.keys",), plan="table-controller"),
    _caught(DecisionTwice, "always.keys-once", "keys.once", quick=("game.keys",), plan="table-controller"),
    _caught(CountStuck, "always.shoe-book", plan="shoe", quick=("shoe.*",)),
    _caught(ShoeJoker, "always.shoe-cards", plan="shoe", quick=("shoe.*",)),
)
"""Devices whose statements contradict each other, or the operator's knowledge."""
