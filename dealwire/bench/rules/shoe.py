"""Rules that keep a shoe's book: what was filled in, what was drawn, and what its messages say of it.

Of a shoe whose filling was not heard nothing is judged.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.rule import BenchRule, Known
from protocol.cards import UNREAD
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Reader
from protocol.tdp.outputs import DeviceStatus

SURE_MAX: Final = 100
_READER_MAX: Final = max(Reader) * 2 - 1


@dataclass
class _ShoeBook(BenchRule, name="shoe-book"):
    """`ordinal` counts the cards that left the shoe, and `drawn`, `shoe`, `decks`, `loaded` say the same wherever they
    stand."""

    filled: m.ShoeLoadedMessage | None = None
    drawn: int = 0
    pushed_back: bool = False

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if not self.follows:
            self.filled = None
        if isinstance(event, m.ShoeLoadedMessage):
            self.filled, self.drawn, self.pushed_back = event, 0, False
        elif self.filled is not None:
            self._enter(event)

    def _enter(self, event: m.Event) -> None:
        match event:
            case m.CardReportedAgainMessage():
                self._says(event, "ordinal", self.drawn + self.pushed_back)
                self.drawn, self.pushed_back = self.drawn + self.pushed_back, False
            case m.CardDrawnMessage() | m.CardUnreadableMessage() | m.CardDrawnOutsideMessage():
                self.drawn, self.pushed_back = self.drawn + 1, False
                self._says(event, "ordinal", self.drawn)
            case m.PushedBackMessage():
                self._says(event, "ordinal", self.drawn)
                self.drawn, self.pushed_back = self.drawn - 1, True
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
    """A face comes no oftener than there are decks, the same when said again; what was not read is no card drawn."""

    decks: int = 0
    faces: Counter[int] = field(default_factory=Counter)
    last: m.CardDrawnMessage | None = None

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        match event:
            case m.ShoeLoadedMessage():
                self.decks, self.last = event.decks, None
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
