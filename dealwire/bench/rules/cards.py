"""Rules that compare a shuffler's or a shoe's statements with its earlier ones: habits, backs, the fault of the lamp;
cards filled and drawn. A shoe is not tested until its filling was received."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.card_ledger import Book
from dealwire.bench.rules.rule import BenchRule, Known
from protocol.cards import CARDS, UNREAD
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.bounds import SUITED
from protocol.tdp.messages import Reader, ShufflerState
from protocol.tdp.outputs import DeviceStatus

JOKERS: Final = range(0x51, 0x55)
NOT_SEEN: Final = 0
"""Value of `back` for a device that does not see backs."""


@dataclass
class _Backs(BenchRule, name="backs", kept=("of",)):
    """A deck always has the same back, and the other deck another one; 0 means not seen."""

    of: dict[int, int] = field(default_factory=dict)
    """Back of each deck."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        loaded = heard.event
        if not isinstance(loaded, m.DeckLoadedMessage):
            return
        deck, back = loaded.deck, loaded.back
        if back == NOT_SEEN:
            self.judge(
                not self.of.get(deck), f"deck {deck} is loaded and no back seen; it had back {self.of.get(deck)}"
            )
            return
        before = self.of.setdefault(deck, back)
        others = [other for other, seen in self.of.items() if seen == back and other != deck]
        if before != back:
            self.judge(False, f"deck {deck} is loaded with back {back}; it had back {before} before")
        else:
            self.judge(not others, f"deck {deck} has back {back}, as deck {others[:1]} has")


@dataclass
class _Unlifted(BenchRule, name="unlifted", kept=("way",)):
    """A packet that is not lifted goes back or stays a packet. The `expected` count of RemainderDumped shows which; it
    is always the same."""

    way: str = ""
    """Behavior of the first such packet."""
    book: Book = field(default_factory=Book)

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if not isinstance(status, m.ShufflerStatusMessage) or status.last_event != self.newest:
            return
        if status.state == ShufflerState.READY:
            self.book.ready = status.loaded

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.book = Book()
        self.book.enter(event)
        if isinstance(event, m.RemainderDumpedMessage) and self.book.loaded:
            self._compare(event)

    def _compare(self, remainder: m.RemainderDumpedMessage) -> None:
        back, apart = self.book.right
        if back == apart or remainder.expected not in (back, apart):
            return
        way = "goes back" if remainder.expected == back else "stays a packet"
        self.way = self.way or way
        words = f"event {remainder.number} expects {remainder.expected}: the packet that nobody lifted {way}"
        self.judge(way == self.way, f"{words}; an earlier one {self.way}")


class _FaultsOnce(BenchRule, name="faults-once"):
    """STATUS lists each fault once."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        twice = sorted({fault for fault in status.faults if status.faults.count(fault) > 1})
        words = f"faults {list(status.faults)} of STATUS names {twice[0]} twice" if twice else ""
        self.judge(not twice, words)


@dataclass
class _FirstFault(BenchRule, name="first-fault"):
    """Clearing the lamp names the fault that lit it, whatever happened in between."""

    lit: int | None = None
    """Fault that lit the lamp; None if it is dark or the cause was not received."""

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.lit = None
        match event:
            case m.RedLampMessage(lit=0, fault=fault):
                self._names("RedLamp 0", fault)
            case m.RedLampMessage(fault=fault):
                self.lit = fault if self.lit is None else self.lit
            case m.MisdealClearedMessage(fault=fault):
                self._names("MisdealCleared", fault)
                self.lit = None

    def _names(self, name: str, fault: int) -> None:
        if self.lit is not None:
            words = f"{name} names fault {fault}; the lamp was lit for {self.lit}, the first"
            self.judge(fault == self.lit, words)


# ------------------------------------------------------------------ a shoe

SURE_MAX: Final = 100
_READER_MAX: Final = max(Reader) * 2 - 1


@dataclass
class _ShoeBook(BenchRule, name="shoe-book", kept=("number",)):
    """`ordinal` counts the cards that left the shoe; `drawn`, `shoe`, `decks` and `loaded` agree in all messages.
    `shoe` increases with each filling, through every power cut."""

    number: int = 0
    """`shoe` of the last filling; 0 before one was received."""
    filled: m.ShoeLoadedMessage | None = None
    drawn: int = 0
    pushed_back: int = 0
    """Cards that were pushed back and have not come out again."""

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.filled = None
        if isinstance(event, m.ShoeLoadedMessage):
            words = f"event {event.number}: shoe is {event.shoe}; it was {self.number} when it was filled before"
            self.judge(event.shoe > self.number, words)
            self.number = event.shoe
            self.filled, self.drawn, self.pushed_back = event, 0, 0
        elif self.filled is not None:
            self._enter(event)

    def _enter(self, event: m.Event) -> None:
        match event:
            case m.CardReportedAgainMessage():
                out = self.pushed_back > 0
                self._says(event, "ordinal", self.drawn + out)
                self.drawn, self.pushed_back = self.drawn + out, self.pushed_back - out
            case m.CardDrawnMessage() | m.CardUnreadableMessage() | m.CardDrawnOutsideMessage():
                self.drawn, self.pushed_back = self.drawn + 1, max(self.pushed_back - 1, 0)
                self._says(event, "ordinal", self.drawn)
            case m.PushedBackMessage():
                self._says(event, "ordinal", self.drawn)
                self.drawn, self.pushed_back = self.drawn - 1, self.pushed_back + 1
            case m.PulledBackMessage() | m.OverdrawMessage():
                self._says(event, "ordinal", self.drawn)
            case m.CutCardSeenMessage():
                self._says(event, "drawn", self.drawn)
            case m.ShoeEndedMessage() if self.filled is not None:
                self._says(event, "drawn", self.drawn)
                self._says(event, "shoe", self.filled.shoe)

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if not isinstance(status, m.ShoeStatusMessage) or self.filled is None:
            return
        if status.last_event != self.newest or not status.loaded:
            return
        for name, wanted in (
            ("shoe", self.filled.shoe),
            ("decks", self.filled.decks),
            ("loaded", self.filled.cards),
            ("drawn", self.drawn),
        ):
            self._says(status, name, wanted)

    def _says(self, message: m.Message, name: str, wanted: int) -> None:
        stated = getattr(message, name)
        words = f"{message_name(message)}: {name} is {stated}; the events before say {wanted}"
        self.judge(stated == wanted, words)


@dataclass
class _Cards(BenchRule, name="shoe-cards"):
    """No face appears more often than there are decks, or differs when it is repeated; no joker appears from decks
    without any; an unread card is not a drawn card."""

    decks: int = 0
    jokers: int | None = None
    """Number of jokers that were filled in; None until known."""
    faces: Counter[int] = field(default_factory=Counter)
    last: m.CardDrawnMessage | None = None

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        match event:
            case m.ShoeLoadedMessage():
                self.decks, self.last, self.jokers = event.decks, None, event.cards - SUITED * event.decks
                self.faces.clear()
            case m.CardDrawnMessage():
                self.judge(event.card != UNREAD and bool(event.card), "CardDrawn of a card that was not read")
                self.judge(event.confidence <= SURE_MAX, f"confidence {event.confidence} percent")
                self.judge(event.reader <= _READER_MAX, f"reader {event.reader:02X}h")
                self._count(event.card)
                self.last = event
            case m.CardUnreadableMessage():
                self.judge(event.reader <= _READER_MAX, f"reader {event.reader:02X}h")
            case m.CardDrawnOutsideMessage():
                self.judge(bool(event.card), "CardDrawnOutside of no card")
            case m.CardReportedAgainMessage() if self.last is not None and self.last.ordinal == event.ordinal:
                same = (event.card, event.place) == (self.last.card, self.last.place)
                self.judge(same, f"card {event.ordinal} is another when it is said again")

    def _count(self, card: int) -> None:
        self.faces[card] += 1
        often = self.faces[card]
        words = f"the same face for the {often}th time out of {self.decks} decks"
        self.judge(not self.decks or often <= self.decks, words)
        if CARDS[card].is_joker and self.jokers is not None:
            words = f"a joker out of a shoe that was filled with {max(self.jokers, 0)}"
            self.judge(sum(self.faces[code] for code in JOKERS) <= self.jokers, words)
