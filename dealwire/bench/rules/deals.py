"""Rules that hold what a shuffler says now against what it said before: its habits, backs, the fault of its lamp."""

from dataclasses import dataclass, field
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.card_ledger import Book
from dealwire.bench.rules.rule import BenchRule, Known
from protocol.tdp import messages as m
from protocol.tdp.messages import ShufflerState
from protocol.tdp.outputs import DeviceStatus

NOT_SEEN: Final = 0
"""`back` of a device that cannot see backs."""


@dataclass
class _Backs(BenchRule, name="backs", kept=("of",)):
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
            self.judge(False, f"deck {deck} is loaded with back {back}; it had back {before} before")
        else:
            self.judge(not others, f"deck {deck} has back {back}, as deck {others[:1]} has")


@dataclass
class _Unlifted(BenchRule, name="unlifted", kept=("way",)):
    """A packet that nobody lifted goes back, or stays a packet: by `expected` of RemainderDumped, always the same."""

    way: str = ""
    """What became of the first one."""
    book: Book = field(default_factory=Book)

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if not isinstance(status, m.ShufflerStatusMessage) or status.last_event != self.newest:
            return
        if status.state == ShufflerState.READY:
            self.book.verified = status.loaded

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
    """`faults` of STATUS names each fault once."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        twice = sorted({fault for fault in status.faults if status.faults.count(fault) > 1})
        words = f"faults {list(status.faults)} of STATUS names {twice[0]} twice" if twice else ""
        self.judge(not twice, words)


@dataclass
class _FirstFault(BenchRule, name="first-fault"):
    """What clears the lamp names the fault that lit it, whatever came meanwhile."""

    lit: int | None = None
    """The fault that lit the lamp; None when it is dark, or lit unseen."""

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
