"""Rules that track every card of a shuffler and every key of a table controller across messages: a later statement must
not contradict an earlier one."""

from dataclasses import dataclass, field
from typing import Final

from msgspec.structs import asdict

from dealer_flow.table.deal_book import dealt_again, order_of, remember
from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.card_ledger import Book, words_for
from dealwire.bench.rules.cards import JOKERS
from dealwire.bench.rules.rule import BenchRule, Known
from protocol.cards import UNREAD
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.bounds import SUITED
from protocol.tdp.messages import ShufflerState
from protocol.tdp.outputs import DeviceStatus

AT_ONCE_MS: Final = 100
"""Milliseconds within which a button takes effect. A person who presses it and then clears the device takes longer."""
BOUNCE_MS: Final = 50
"""Milliseconds within which no one can press a key or swipe a card twice."""
_NEW_DECK: Final = 0
"""Number that stands for a new deck in the sequence of deals."""
_SUITS: Final = tuple([range(suit << 4 | 1, suit << 4 | 14) for suit in range(1, 5)])
_RESTS: Final = (ShufflerState.PACKET_WAIT, ShufflerState.REMAINDER_WAIT)


@dataclass
class _Deals(BenchRule, name="book"):
    """STATUS, the misdeal record and the remainder's expected count match the events of the deal."""

    book: Book = field(default_factory=Book)
    whole: bool = False
    """True if every event of the deal was received, from its first packet on."""

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.book, self.whole = Book(), False
        if isinstance(event, m.PacketDispensedMessage) and event.ordinal == 1:
            self.whole = True
        if isinstance(event, m.MisdealMessage) and self.whole:
            words = self.book.differs(event, missing=None)
            self.judge(not words, f"event {event.number}: {words}")
        self.book.enter(event)
        if isinstance(event, m.RemainderDumpedMessage) and self.book.verified and self.whole:
            fits = event.expected in self.book.right
            self.judge(fits, f"event {event.number}: {'' if fits else self.book.wrong()}")

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if not isinstance(status, m.ShufflerStatusMessage) or status.last_event != self.newest:
            return
        if status.state == ShufflerState.READY:
            self.book.ready = status.loaded
        if status.state in _RESTS and self.book.under_way and self.whole:
            found = self.book.contradicted(status)
            self.judge(found is None, f"STATUS after event {self.newest}: {words_for(found) if found else ''}")


@dataclass
class _Game(BenchRule, name="game"):
    """Deck counts match the game that was selected last, and packets have its size."""

    game: m.GameSelectedMessage | None = None
    """None until a game was selected."""

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.game = None
        match event:
            case m.GameSelectedMessage():
                self.game = event
            case m.DeckVerifiedMessage(expected=expected) if self.game is not None:
                fits = expected == self.game.cards
                self.judge(fits, f"event {event.number} expects {expected} cards; the game has {self.game.cards}")
            case m.PacketDispensedMessage(expected=expected) if self.game is not None and self.game.packet_size:
                fits, size = expected == self.game.packet_size, self.game.packet_size
                self.judge(fits, f"event {event.number} expects {expected} cards; the game has packets of {size}")


@dataclass
class _OneFace(BenchRule, name="one-face"):
    """Each face appears once per deal, and no joker appears from a deck without any. Without recognition no face
    appears."""

    faces: dict[int, set[int]] = field(default_factory=dict)
    """Faces by deck, since its last shuffle."""
    jokers: int | None = None
    """Number of jokers in the deck; None until known."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if isinstance(status, m.ShufflerStatusMessage) and status.state == ShufflerState.READY:
            self.jokers = status.loaded - SUITED

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        match event:
            case m.DeckVerifiedMessage(expected=expected):
                self.jokers = expected - SUITED
            case m.ShuffleStartedMessage(deck=deck):
                self.faces[deck] = set()
            case m.PacketDispensedMessage(deck=deck, ordinal=ordinal, cards=cards):
                self._see(deck, cards, f"packet {ordinal}, event {event.number},")
            case m.CardRejectedMessage(deck=deck, card=card):
                self._see(deck, bytes([card] if card else []), f"CardRejected, event {event.number},")

    def _see(self, deck: int, cards: bytes, where: str) -> None:
        faces = self.faces.setdefault(deck, set())
        read = [card for card in cards if 0 < card < UNREAD]
        again = len(read) - len({*read} - faces)
        self.judge(not again, f"{where} has {again} faces that came before in this deal")
        faces.update(read)
        jokers = sum(card in JOKERS for card in faces)
        fits = self.jokers is None or jokers <= max(self.jokers, 0)
        self.judge(fits, f"{where} brings the deal to {jokers} jokers; the deck has {self.jokers}")


@dataclass
class _Shuffled(BenchRule, name="shuffled", kept=("before", "deals")):
    """No deal repeats a run of cards of an earlier deal, of either deck, or of a new deck, as far as faces are
    reported."""

    before: tuple[tuple[int, str], ...] = ((_NEW_DECK, order_of(_SUITS)),)
    deals: int = 0
    packets: list[bytes] = field(default_factory=list)

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        match event:
            case m.PacketDispensedMessage(ordinal=ordinal, cards=cards):
                if ordinal == 1:
                    self._over()
                self.packets.append(cards)
            case m.RemainderDumpedMessage() | m.DeckRemovedMessage():
                self._over()

    def _over(self) -> None:
        if not self.packets:
            return
        self.deals, packets, self.packets = self.deals + 1, self.packets, []
        order = order_of(packets)
        again = dealt_again(order, self.before)
        what = "a new deck" if again == _NEW_DECK else f"deal {again}"
        self.judge(again is None, f"deal {self.deals} has cards in the order of {what}: they were not shuffled")
        self.before = self.before[:1] + remember(self.before[1:], self.deals, order)


@dataclass
class _Cleared(BenchRule, name="cleared"):
    """A misdeal is cleared by a person at the device or by a command, never by the green button."""

    lit: bool = False
    pressed: m.GreenButtonMessage | None = None

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        match event:
            case m.RedLampMessage(lit=lit):
                self.lit = bool(lit)
            case m.GreenButtonMessage():
                self.pressed = event if self.lit else None
            case m.MisdealClearedMessage():
                since = event.device_ms - self.pressed.device_ms if self.pressed is not None else AT_ONCE_MS + 1
                by_button = not heard.envelope.request and not event.badge and since <= AT_ONCE_MS
                self.judge(not by_button, f"event {event.number} clears the misdeal {since} ms after the green button")
                self.lit, self.pressed = False, None


@dataclass
class _KeysOnce(BenchRule, name="keys-once"):
    """A key press is reported once, and a hand that is revealed again has the same cards."""

    last: m.Event | None = None
    revealed: dict[int, set[int]] = field(default_factory=dict)
    """Faces shown in this game, by place."""

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        last, self.last = self.last, event
        if not isinstance(event, _KEYED):
            return
        bounced = last is not None and _what(last) == _what(event) and event.device_ms - last.device_ms <= BOUNCE_MS
        self.judge(
            not bounced, f"{message_name(event)} is reported twice, by events {event.number - 1} and {event.number}"
        )
        match event:
            case m.GameStartedMessage():
                self.revealed.clear()
            case m.HandCorrectedMessage(place=place) | m.CardsDiscardedMessage(place=place):
                self.revealed.pop(place, None)
            case m.HandRevealedMessage(place=place, cards=cards):
                now = {card for card in cards if card != UNREAD}
                before = self.revealed.get(place, now)
                self.revealed[place] = before | now
                words = f"event {event.number} reveals other cards at place {place:02X}h than the event before it"
                self.judge(before <= now or now <= before, words)


_KEYED: Final = (
    m.GameStartedMessage,
    m.BadgeSwipedMessage,
    m.SpotSelectedMessage,
    m.WagerPlacedMessage,
    m.DecisionMadeMessage,
    m.BurnConfirmedMessage,
    m.CardsCountedMessage,
    m.MisdealCalledMessage,
    m.HandRevealedMessage,
    m.CardMishandledMessage,
    m.HandSetMessage,
    m.CardsDiscardedMessage,
    m.NumberDrawnMessage,
    m.WagerOnMessage,
    m.HandCorrectedMessage,
    m.StakeShownMessage,
    m.PlayerActedMessage,
    m.PotTakenMessage,
)
"""Events of a person's actions at a table controller. CONFIRM is left out: the operator presses it as fast as possible.
"""


def _what(event: m.Event) -> tuple[object, ...]:
    """Return an event without its number and time."""
    return (type(event), *[value for name, value in asdict(event).items() if name not in ("number", "device_ms")])
