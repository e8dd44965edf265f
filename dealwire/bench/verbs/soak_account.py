"""What a soak adds up: rounds, packets, cards and faults, in numbers that do not grow with the rounds."""

from collections import Counter
from dataclasses import dataclass, field

from dealwire.bench.rules.card_ledger import Book
from protocol.tdp import Delivered, Lost, Output
from protocol.tdp import messages as m


@dataclass(slots=True)
class Account:
    """What the devices said in all, in numbers that do not grow with the rounds."""

    rounds: int = 0
    games: int = 0
    packets: int = 0
    cards: int = 0
    balanced: int = 0
    removed: int = 0
    faults: Counter[int] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)
    lost_events: int = 0
    book: Book = field(default_factory=Book)
    alarmed: bool = False
    wanted: Counter[int] = field(default_factory=Counter)
    """Faults that hands brought about."""

    def note(self, output: Output) -> None:
        """What one of the links told its host."""
        if isinstance(output, Delivered):
            self.enter(output.message)
        elif isinstance(output, Lost):
            self.lost_events += output.last - output.first + 1

    def enter(self, event: m.Event) -> None:
        """One event of either device."""
        match event:
            case m.GameStartedMessage():
                self.games += 1
            case m.GameEndedMessage():
                self.rounds += 1
            case m.FaultRaisedMessage(fault=fault):
                self.faults[fault] += 1
            case m.RedLampMessage(lit=1):
                self.alarmed = True
            case m.PacketLiftedMessage():
                self.packets += 1
        self.book.enter(event)
        if isinstance(event, m.RemainderDumpedMessage):
            wrong = self.book.wrong()
            self.balanced += not wrong
            if wrong and event.expected == event.counted:
                self.unexplained.append(f"round {self.games}: {wrong}")
        if isinstance(event, m.RemainderLiftedMessage | m.DeckRemovedMessage):
            self.cards += self.book.dealt
            self.removed += isinstance(event, m.DeckRemovedMessage)
            self.alarmed = False
