"""The cards at one place, as three may count them: the device as it dealt them, the faces shown, a person.

The person's count holds over the faces' and the faces' over the device's.
"""

from dataclasses import dataclass

from dealer_flow.procedure.steps import Due
from protocol.cards import UNREAD, Card
from protocol.places import NOWHERE, Place


@dataclass(slots=True)
class Dispensed:
    """A packet in the tray, or `lifted` to a place, which should have got `expected` cards by it."""

    ordinal: int
    counted: int
    cards: tuple[Card, ...]
    lifted: bool = False
    place: Place = NOWHERE
    expected: int = 0


@dataclass(slots=True)
class Hand:
    """The cards at one place. `expected` should lie there now, burned ones included."""

    place: Place
    expected: int = 0
    device_count: int | None = None
    person_count: int | None = None
    by_hand: int = 0
    """Cards among them that no device dealt."""
    discarded: int = 0
    """Cards that were exchanged for others."""
    recognised: tuple[Card, ...] = ()
    """What the device read, in the order dealt, discarded cards among them; `??` for a card it did not read."""
    opened: tuple[Card, ...] = ()
    """What lies open before the hands are shown."""
    revealed: tuple[Card, ...] | None = None
    burned: frozenset[int] | None = None
    """Positions from the dealer's left that were burned; None while no burn was confirmed."""
    step: str = ""
    """The step that gave the last cards."""
    judged: int = 0
    """By how many cards the hand was too long, or below zero too short, when it was last judged."""

    @property
    def counted(self) -> int | None:
        """The count that holds."""
        if self.person_count is not None:
            return self.person_count
        return self.device_count

    @property
    def set_aside(self) -> int:
        """How many of the cards were burned."""
        return len(self.burned or ())

    @property
    def cards(self) -> tuple[Card, ...]:
        """Faces as shown, else as recognised, else unread; as many as were counted."""
        if self.revealed is not None:
            return self.revealed
        if self.recognised and not self.discarded:
            return self.recognised
        return self.opened + (UNREAD,) * ((self.counted or 0) - len(self.opened))

    def lay_down(self, cards: int) -> None:
        """Cards were discarded for good."""
        self.expected -= cards
        self.discarded += cards
        self.device_count = (self.device_count or 0) - cards
        if self.person_count is not None:
            self.person_count -= cards

    def kill(self) -> None:
        """One card is dead and leaves the hand; the next is to take its place."""
        self.discarded += 1
        self.judged -= 1
        self.device_count = (self.device_count or 0) - 1
        if self.person_count is not None:
            self.person_count -= 1

    def put_back(self) -> None:
        """The last card was laid back on the deck."""
        self.expected -= 1
        self.device_count = (self.device_count or 0) - 1
        self.recognised = self.recognised[:-1]

    def take(self, counted: int, cards: tuple[Card, ...], due: Due) -> None:
        """`counted` cards came for what was due."""
        before, held = self.device_count or 0, self.counted or 0
        wanted = min(counted, due.cards) if due.at_most else due.cards
        replaces = wanted if due.why == "exchange" else 0
        self.step = due.step
        self.expected += wanted if due.why == "deal" else 0
        self.discarded += replaces
        self.device_count = before + counted - replaces
        if self.person_count is not None:
            self.person_count += counted - replaces
        if cards or self.recognised:
            kept = self.recognised or (UNREAD,) * held
            self.recognised = kept + (cards or (UNREAD,) * counted)
        if self.revealed is not None:
            self.opened, self.revealed = self.revealed, None
