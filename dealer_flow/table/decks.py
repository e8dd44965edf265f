"""Record of the decks from round to round. Pure: it returns findings, and the procedure decides what they mean.

A deck is known by the number the device gives it and by the back it reports; a deck dealt from a shoe has number 0. A
deck that was found defective is remembered by its number until it leaves the table: it is taken out of the device, or
another back appears at its number, or between two rounds a supervisor's or an executive's badge is swiped, which means
that the deck was exchanged. The same events reset its age.
"""

from dataclasses import dataclass, field
from typing import Final, Self

from msgspec import Struct

from dealer_flow.record.incidents import UNJUDGED, Incident
from dealer_flow.table.deal_book import dealt_again, remember

MINUTE_NS: Final = 60 * 10**9


class DecksState(Struct, frozen=True):
    """State of the decks as saved on disk; the fields are those of `Decks`."""

    counted: dict[int, tuple[int, int]]
    backs: dict[int, int]
    rounds: dict[int, int]
    defective: dict[int, Incident | None]
    last: int | None
    counted_at_ns: int | None
    count_due: bool
    orders: tuple[tuple[int, str], ...] = ()


@dataclass(slots=True)
class Decks:
    """The decks at one table."""

    counted: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Decks counted and not yet dealt, deck number -> (cards set, cards counted)."""
    backs: dict[int, int] = field(default_factory=dict)
    rounds: dict[int, int] = field(default_factory=dict)
    """Rounds dealt from each deck since it came to the table."""
    defective: dict[int, Incident | None] = field(default_factory=dict)
    """Deck -> the finding, for as long as it is remembered."""
    last: int | None = None
    """Deck that was dealt last."""
    counted_at_ns: int | None = None
    """Time when a deck was last counted, or the flow began to watch; nanoseconds since 1970."""
    count_due: bool = False
    orders: tuple[tuple[int, str], ...] = ()
    """Rounds dealt with faces that a device read, the latest last: the round's number and the order."""
    quiet_until_ns: int = 0
    """Time before which no count can be due; not saved on disk, since `watch` computes it."""

    def verified(self, deck: int, expected: int, counted: int) -> None:
        """Record that the device counted a deck."""
        self.counted[deck] = (expected, counted)

    def loaded(self, deck: int, back: int, youngest: int = 0) -> list[Incident]:
        """Record that a deck was put into the device; return what is wrong if it replaces another one."""
        found = self.exchange(deck, youngest) if self.backs.get(deck, back) != back else []
        self.backs[deck] = back
        return found

    def removed(self, deck: int) -> None:
        """Record that a deck was taken out of the device."""
        self.counted.pop(deck, None)
        self.exchange(deck)

    def exchange(self, deck: int | None = None, youngest: int = 0) -> list[Incident]:
        """Forget this deck, which left the table, or every deck that was due for a change.

        Returns what is wrong if a deck leaves before it was dealt `youngest` rounds.
        """
        found: list[Incident] = []
        for number in [deck] if deck is not None else [*self.rounds, *self.defective]:
            found += self.too_young(number, youngest)
            self.rounds.pop(number, None)
            self.defective.pop(number, None)
        return found

    def find_defective(self, deck: int, why: Incident | None = None) -> None:
        """Record that this deck must not be dealt again."""
        self.defective.setdefault(deck, why)

    def deal(self, deck: int, *, alternating: bool, oldest: int, youngest: int = 0) -> list[Incident]:
        """Record that a round is dealt from this deck, and return what is wrong with that.

        `oldest` and `youngest` are the rounds after which a deck must be changed and before which it may not; 0 for no
        limit.
        """
        found: list[Incident] = []
        if self.last not in (None, deck):
            found += self.too_young(self.last, youngest)
        if deck in self.defective:
            why = self.defective[deck]
            found.append(Incident(code="defective-deck-again", clause=UNJUDGED, deck=deck, cause=why, unreliable=True))
        if alternating and self.last == deck:
            found.append(Incident(code="deck-not-alternated", clause=UNJUDGED, deck=deck))
        age = self.rounds.get(deck, 0)
        if oldest and age >= oldest:
            found.append(Incident(code="deck-too-old", clause=UNJUDGED, deck=deck, counted=age, limit=oldest))
        self.rounds[deck], self.last = age + 1, deck
        return found

    def too_young(self, deck: int | None, youngest: int) -> list[Incident]:
        """Return the incidents of changing this deck for another now.

        Empty if the deck has left the table or is defective.
        """
        rounds = self.rounds.get(deck) if deck is not None and deck not in self.defective else None
        if rounds is None or rounds >= youngest:
            return []
        return [Incident(code="deck-changed-early", clause=UNJUDGED, deck=deck, counted=rounds, limit=youngest)]

    def too_old(self, oldest: int) -> list[int]:
        """Return the decks to be changed before another round is dealt from them."""
        return sorted(deck for deck, rounds in self.rounds.items() if oldest and rounds >= oldest)

    def order(self, number: int, order: str) -> int | None:
        """Note the order of a round's cards; return the earlier round with the same sequence, if there is one."""
        again = dealt_again(order, self.orders)
        self.orders = remember(self.orders, number, order)
        return again

    # ------------------------------------------------------------------ counted every so many minutes

    def watch(self, at_ns: int, minutes: int) -> bool:
        """Check the time; return True once when no deck was counted for so many minutes."""
        if at_ns < self.quiet_until_ns or self.count_due:
            return False
        if self.counted_at_ns is None:
            self.counted_at_ns = at_ns
        due_ns = self.counted_at_ns + minutes * MINUTE_NS
        self.quiet_until_ns, self.count_due = due_ns, at_ns >= due_ns
        return self.count_due

    def count(self, at_ns: int) -> None:
        """Record that a whole deck, or the rest of it, was counted now."""
        self.counted_at_ns, self.count_due, self.quiet_until_ns = at_ns, False, 0

    def forget(self) -> None:
        """Forget what the device had counted, since it restarted."""
        self.counted.clear()

    # ------------------------------------------------------------------ kept on disk

    def state(self) -> DecksState:
        """Return the state for saving."""
        return DecksState(
            counted=self.counted.copy(),
            backs=self.backs.copy(),
            rounds=self.rounds.copy(),
            defective=self.defective.copy(),
            last=self.last,
            counted_at_ns=self.counted_at_ns,
            count_due=self.count_due,
            orders=self.orders,
        )

    @classmethod
    def restore(cls, state: DecksState) -> Self:
        """Restore the decks from their saved state."""
        return cls(
            counted=dict(state.counted),
            backs=dict(state.backs),
            rounds=dict(state.rounds),
            defective=dict(state.defective),
            last=state.last,
            counted_at_ns=state.counted_at_ns,
            count_due=state.count_due,
            orders=state.orders,
        )
