"""Sets of cards as numbers, so that what a player sees is an index and a table over all hands is an array.

A pack's cards are numbered from 0, rank by rank. A set of them is a row of ascending numbers, and its *place* is
its position among all sets of its size when the highest card counts most (colexicographic order): the sum of
C(card, 1), C(next card, 2) and so on. Of a pack of several decks a number may stand in a row more than once; the place
is then that of the row with 0, 1, 2 ... added. Everything is counted in whole numbers.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import comb, prod
from typing import Final

import numpy as np
import numpy.typing as npt

from protocol.cards import CARDS, Card

Ints = npt.NDArray[np.int64]
Sets = npt.NDArray[np.uint8]
"""Sets of cards: a row each, ascending."""

ACES_HIGH: Final = (*range(2, 14), 1)
"""The ranks of a deck as `protocol.cards` numbers them, from the deuce to the ace."""
MOST_OF_RANK: Final = 8
"""Above how often a set can hold a rank."""
_RANKS: Final = 13


@dataclass(frozen=True, slots=True)
class Pack:
    """The cards of a game: `ranks` in ascending order, each in `suits` suits (1 to 4), then `jokers`, all alike; as
    many of each as there are `decks`."""

    ranks: tuple[int, ...] = ACES_HIGH
    suits: int = 4
    jokers: int = 0
    decks: int = 1

    @property
    def size(self) -> int:
        """How many different cards it has."""
        return len(self.ranks) * self.suits + self.jokers

    def ways(self, left: int, number: int) -> int:
        """In how many ways `number` cards can come once `left` are seen."""
        return comb(self.size * self.decks - left, number)

    def sets(self, size: int) -> Sets:
        """Every set of so many cards in order of place; of several decks, those with more of a card than there are,
        too."""
        if self.decks == 1:
            return all_sets(self.size, size)
        return (all_sets(self.size + size - 1, size) - np.arange(size, dtype=np.uint8)).astype(np.uint8)

    def places(self, sets: Sets) -> Ints:
        """The place of each set."""
        return places(sets if self.decks == 1 else (sets + np.arange(sets.shape[1])).astype(np.uint8))

    def copies(self, sets: Sets) -> Ints:
        """In how many ways each set can be dealt."""
        if self.decks == 1:
            return np.ones(len(sets), np.int64)
        times = (Counter(each).values() for each in sets.tolist())
        return np.array([prod(comb(self.decks, number) for number in each) for each in times], np.int64)

    def with_each_card(self, sets: Sets) -> Iterator[tuple[Ints, Sets, Ints]]:
        """Card by card: which sets it can be added to, these sets with it, and how many such cards are left."""
        for card in range(self.size):
            left = self.decks - (sets == card).sum(axis=1)
            able = np.flatnonzero(left > 0)
            yield able, with_card(sets[able], card), left[able]

    def card(self, number: int) -> Card:
        """The card of a number."""
        rank, suit = divmod(number, self.suits)
        if rank < len(self.ranks):
            return CARDS[(suit + 1 << 4) + self.ranks[rank]]
        return CARDS[0x51 + number - len(self.ranks) * self.suits]


@cache
def all_sets(pack: int, size: int) -> Sets:
    """Every set of `size` of `pack` cards, in order of place."""
    if size == 0:
        return np.zeros((1, 0), np.uint8)
    smaller = all_sets(pack, size - 1)
    parts = []
    for highest in range(size - 1, pack):
        below = smaller[: comb(highest, size - 1)]
        parts.append(np.column_stack([below, np.full(len(below), highest, np.uint8)]))
    return np.concatenate(parts) if parts else np.zeros((0, size), np.uint8)


@cache
def _binomials(size: int) -> Ints:
    return np.array([comb(card, size) for card in range(256)], np.int64)


def places(sets: Sets) -> Ints:
    """The place of each row of ascending cards."""
    found = np.zeros(len(sets), np.int64)
    for position in range(sets.shape[1]):
        found += _binomials(position + 1)[sets[:, position]]
    return found


def with_card(sets: Sets, card: int) -> Sets:
    """The rows with `card`, which none of them holds, ascending again."""
    added = np.full((len(sets), 1), card, np.uint8)
    return np.sort(np.concatenate([sets, added], axis=1), axis=1)


# ------------------------------------------------------------------ sets that are alike


@dataclass(frozen=True, slots=True)
class Folded:
    """Sets that are the same but for the names of suits and of jokers: one `sets` row each, how many sets, as often as
    each can be dealt, it stands for (`weights`), and which of them each of the sets given is (`of`)."""

    sets: Sets
    weights: Ints
    of: Ints


def fold(pack: Pack, sets: Sets) -> Folded:
    """Sets of `pack` with suits and jokers interchanged."""
    codes = signatures(pack, sets, 1) if pack.decks == 1 else _of_suits(pack, sets)
    _, first, of = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    weights = np.zeros(len(first), np.int64)
    np.add.at(weights, of.ravel(), pack.copies(sets))
    return Folded(sets[first], weights, of.astype(np.int64).ravel())


def _of_suits(pack: Pack, sets: Sets) -> Ints:
    """[set, suit] -> the ranks that it holds of the suit, in the order of these numbers: a digit for each rank."""
    of_rank = MOST_OF_RANK ** (sets.astype(np.int64) // pack.suits)
    codes = [np.where(sets % pack.suits == suit, of_rank, 0).sum(axis=1) for suit in range(pack.suits)]
    return np.sort(np.stack(codes, axis=1), axis=1)


def signatures(pack: Pack, sets: Sets, suited: int) -> Ints:
    """A number that is the same for sets with the same ranks whose suits do not matter: those are read only where one
    suit has at least `suited` cards.

    ValueError where two suits could have so many; 1 is always possible and then keeps all but the names of suits.
    """
    if suited > 1 and sets.shape[1] >= 2 * suited:
        raise ValueError(f"two suits can have {suited} of {sets.shape[1]} cards")
    ranks, suits = len(pack.ranks), pack.suits
    cards = np.arange(pack.size)
    of_suit = np.array(
        [
            np.where((cards % suits == suit) & (cards < ranks * suits), 1 << np.minimum(cards // suits, _RANKS), 0)
            for suit in range(suits)
        ],
        np.int64,
    )
    masks = np.stack([of_suit[suit][sets].sum(axis=1) for suit in range(suits)], axis=1)
    jokers = (sets >= ranks * suits).sum(axis=1).astype(np.int64)
    masks[np.bitwise_count(masks.astype(np.uint64)) < suited] = 0
    masks.sort(axis=1)
    if suited > 1:
        of_rank = np.where(cards < ranks * suits, MOST_OF_RANK ** np.minimum(cards // suits, _RANKS - 1), 0)
        return np.asarray((of_rank.astype(np.int64)[sets].sum(axis=1) << 16) + (masks[:, -1] << 2) + jokers)
    shifts = _RANKS * np.arange(suits, dtype=np.int64)
    return np.asarray(((masks << shifts).sum(axis=1) << 2) + jokers)


RowOf = Callable[[Sequence[Card]], int]
"""The number of the row of a pay table that cards reach."""


@dataclass
class RowFinder:
    """Which row sets of cards reach, by calling `row_of` once for sets that cannot differ.

    Suits matter to `row_of` where one suit has at least `suited` cards and nowhere else, and it does not care for the
    order of cards.
    """

    pack: Pack
    row_of: RowOf
    suited: int = 5
    _known: dict[tuple[int, int], int] = field(default_factory=dict)

    def rows(self, sets: Sets) -> Ints:
        """The row of each set."""
        numbers, first, of = np.unique(signatures(self.pack, sets, self.suited), return_index=True, return_inverse=True)
        found = np.empty(len(numbers), np.int64)
        for index, (number, place) in enumerate(zip(numbers.tolist(), first.tolist(), strict=True)):
            key = sets.shape[1], number
            if key not in self._known:
                self._known[key] = self.row_of([self.pack.card(card) for card in sets[place].tolist()])
            found[index] = self._known[key]
        return found[of.ravel()]

    def all_rows(self, size: int) -> Ints:
        """The row of every set of `size` cards of the pack, in order of place."""
        return self.rows(all_sets(self.pack.size, size))


Choose = Callable[[int, Sequence[Card]], int | None]
"""A strategy: number of the decision (from 0) and the cards the player sees -> number of the option he takes; None for
every hand of a decision that it leaves to the best play."""


def choices(pack: Pack, sets: Sets, decision: int, choose: Choose | None) -> Ints | None:
    """What `choose` takes for each set; it is called once for sets that differ by the names of suits alone. None where
    the best play decides."""
    if choose is None:
        return None
    folded = fold(pack, sets)
    taken = [choose(decision, [pack.card(card) for card in each]) for each in folded.sets.tolist()]
    return None if None in taken else np.array(taken, np.int64)[folded.of]
