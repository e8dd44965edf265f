"""The physical state: cards as objects, each in exactly one place. Devices and people count the cards there."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from protocol.cards import CARDS, DECK, Card
from protocol.places import Place

FIRST_JOKER = 0x51


class Bay(StrEnum):
    """Places for cards inside the shuffler."""

    INPUT = "input tray"
    CHAMBER = "chamber"
    TRAY = "packet tray"
    REJECT = "reject tray"
    STUCK = "stuck inside"


Spot = Bay | Place


@dataclass(frozen=True, slots=True, eq=False)
class PlayingCard:
    """One physical card. Two cards are the same only if they are the same object."""

    card: Card
    back: int


class Cards:
    """All cards and their places. The first card of a pile is its top."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._piles: dict[Spot, list[PlayingCard]] = {}

    def __iter__(self) -> Iterator[tuple[Spot, PlayingCard]]:
        for spot, pile in self._piles.items():
            for card in pile:
                yield spot, card

    def bring(self, back: int, at: Spot, jokers: int = 0) -> None:
        """Put a new deck with this back, in its maker's order, at `at`."""
        faces = (*DECK, *(CARDS[FIRST_JOKER + number] for number in range(jokers)))
        self._pile(at)[:0] = [PlayingCard(face, back) for face in faces]

    def at(self, spot: Spot) -> tuple[PlayingCard, ...]:
        """Return the cards at a spot, top first."""
        return tuple(self._piles.get(spot, ()))

    def count(self, spot: Spot) -> int:
        """Return the number of cards at a spot."""
        return len(self._piles.get(spot, ()))

    def faces(self, spot: Spot) -> tuple[Card, ...]:
        """Return the faces of the cards at a spot, top first."""
        return tuple(card.card for card in self.at(spot))

    def backs(self, spots: Iterable[Spot]) -> list[int]:
        """Return the distinct backs among the cards at `spots`, in ascending order."""
        return sorted({card.back for spot in spots for card in self.at(spot)})

    def deal(self, source: Spot, target: Spot, count: int) -> int:
        """Move cards one by one from top to top, which reverses their order. Return how many there were to move."""
        moved = min(count, self.count(source))
        for _ in range(moved):
            self._pile(target).insert(0, self._pile(source).pop(0))
        return moved

    def lift(self, source: Spot, target: Spot) -> int:
        """Move a whole pile onto another as one block. Return the number of cards."""
        block = self._pile(source)[:]
        self._pile(source).clear()
        self._pile(target)[:0] = block
        return len(block)

    def put_under(self, spot: Spot, count: int) -> None:
        """Move the top `count` cards of a pile to its bottom."""
        pile = self._pile(spot)
        pile[:] = pile[count:] + pile[:count]

    def lay(self, card: PlayingCard, spot: Spot) -> None:
        """Put a card on top of a pile."""
        self._pile(spot).insert(0, card)

    def pick(self, source: Spot, target: Spot, indices: Iterable[int]) -> None:
        """Move the cards at these indices, counted from 0 at the top, and leave the others in order."""
        pile = self._pile(source)
        picked = [pile[index] for index in sorted(set(indices)) if index < len(pile)]
        self._pile(target).extend(picked)
        pile[:] = [card for card in pile if card not in picked]

    def gather(self, back: int, target: Spot, leave: int = 0) -> int:
        """Collect this deck from everywhere on the table to `target`, but overlook `leave` cards. Return the number
        collected."""
        found = [(spot, card) for spot, card in self if isinstance(spot, Place) and card.back == back]
        taken = found[: max(0, len(found) - leave)]
        for spot, card in taken:
            self._pile(spot).remove(card)
        self._pile(target)[:0] = [card for _, card in taken]
        return len(taken)

    def remove(self, spot: Spot) -> int:
        """Remove a pile from the table for good, like worn cards. Return the number of cards."""
        return len(self._piles.pop(spot, ()))

    def shuffle(self, spot: Spot) -> None:
        """Shuffle a pile into an order that no one knows."""
        self._rng.shuffle(self._pile(spot))

    def _pile(self, spot: Spot) -> list[PlayingCard]:
        return self._piles.setdefault(spot, [])
