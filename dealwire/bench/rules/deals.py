"""Rules that hold what a shuffler says now against what it said before: its habits, its backs, the fault of its lamp.

They look on as those of `rules` do, and are listed in a plan like them.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.card_ledger import Book
from dealwire.bench.rules.rule import BenchRule, Known
from dealwire.bench.rules.truth import saying
from protocol.tdp import messages as m
from protocol.tdp.messages import ShufflerState
from protocol.tdp.outputs import DeviceStatus

NOT_SEEN: Final = 0
"""`back` of a device that cannot see backs."""


@dataclass
class _Backs(BenchRule):
    """One deck always has the same back, and the other deck another; 0 is not seen."""

    of: dict[int, int] = field(default_factory=dict)
    """By deck, the back it had."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        loaded = heard.event
        if not isinstance(loaded, m.DeckLoadedMessage):
            return
        deck, back = loaded.deck, loaded.back
        if back == NOT_SEEN:
            self.seen += 1
            return
        before = self.of.setdefault(deck, back)
        others = [other for other, seen in self.of.items() if seen == back and other != deck]
        if before != back:
            self._judge(False, saying(f"deck {deck} is loaded with back {back}; it had back {before} before"))
        else:
            self._judge(not others, saying(f"deck {deck} has back {back}, as deck {others[:1]} has"))

    def over(self) -> None:
        pass  # the decks are the same after a power cut


@dataclass
class _Unlifted(BenchRule):
    """A packet that nobody lifted goes back, or stays a packet: by `expected` of RemainderDumped, always the same."""

    way: str = ""
    """What became of the first one."""
    number: int = 0
    book: Book = field(default_factory=Book)

    def hear(self, heard: HeardFrame, known: Known) -> None:
        event, status = heard.event, heard.message
        if isinstance(status, m.ShufflerStatusMessage):
            if status.state == ShufflerState.READY and status.last_event == self.number:
                self.book.verified = status.loaded
            return
        if event is None or event.number <= self.number:
            return
        if event.number != self.number + 1:
            self.book = Book()
        self.number = event.number
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
        self._judge(way == self.way, lambda: f"{words}; an earlier one {self.way}")

    def over(self) -> None:
        self.number, self.book = 0, Book()  # a habit outlasts the power


class _FaultsOnce(BenchRule):
    """`faults` of STATUS names each fault once."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        status = heard.message
        if isinstance(status, DeviceStatus):
            twice = sorted({fault for fault in status.faults if status.faults.count(fault) > 1})
            self._judge(not twice, lambda: f"faults {list(status.faults)} of STATUS names {twice[0]} twice")


@dataclass
class _FirstFault(BenchRule):
    """What clears the lamp names the fault that lit it, whatever came meanwhile."""

    number: int = 0
    lit: int | None = None
    """The fault that lit the lamp; None when it is dark, or lit unseen."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        event = heard.event
        if event is None or event.number <= self.number:
            return
        if event.number != self.number + 1:
            self.lit = None
        self.number = event.number
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
            self._judge(fault == self.lit, saying(words))


DEAL_RULES: Final[dict[str, Callable[[], BenchRule]]] = {
    "backs": _Backs,
    "unlifted": _Unlifted,
    "faults-once": _FaultsOnce,
    "first-fault": _FirstFault,
}
"""Rules of a shuffler's habits, by name."""
