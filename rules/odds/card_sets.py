"""Every set of so many cards of a deck, numbered, and which of them are alike but for the names of the suits.

A card is a number: rank * suits + suit, ranks from the lowest of the deck up; a joker comes last. A set of cards is
a row of ascending numbers, and its own number is the colexicographic one: the sum of C(card, place), places from 1.

NumPy is imported by this module and by nothing that deals or settles.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, combinations_with_replacement
from math import comb, factorial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from protocol.cards import Card
from rules.odds.placed_sets import Ints, Sets, all_sets
from rules.odds.placed_sets import places as numbers

Masks = npt.NDArray[np.int16]
"""[set, suit] -> the ranks the set holds of the suit, a bit each."""

ACE: Final = 1
RANKS: Final = (*range(2, 14), ACE)
"""The ranks of a whole deck as cards are coded, the deuce first."""
JOKER: Final = Card(0x51)

_AT_ONCE: Final = 1_000_000


@dataclass(frozen=True)
class Alike:
    """Sets of one size, alike when exchanging suits turns one into the other.

    `of` set number -> class, `sets` one set of each class, `copies` how many sets each class stands for.
    """

    of: npt.NDArray[np.int32]
    sets: Sets
    copies: Ints


@dataclass(frozen=True)
class CardSets:
    """The sets of a deck of `ranks` (as cards are coded, lowest first) in `suits` suits, and perhaps one joker."""

    ranks: tuple[int, ...] = RANKS
    suits: int = 4
    jokers: int = 0
    _kept: dict[tuple[str, int], Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def deck(self) -> int:
        """Cards in the deck."""
        return self.plain + self.jokers

    @property
    def plain(self) -> int:
        """Cards in the deck that have a rank and a suit."""
        return len(self.ranks) * self.suits

    def cards(self, one: Sequence[int]) -> tuple[Card, ...]:
        """A set as cards."""
        return tuple(self._card(int(card)) for card in one)

    def _card(self, card: int) -> Card:
        if card == self.plain:
            return JOKER
        return Card((card % self.suits + 1) << 4 | self.ranks[card // self.suits])

    def every(self, size: int) -> Sets:
        """All sets of `size` cards, in the order of their numbers."""
        return all_sets(self.deck, size)

    def number(self, sets: Sets) -> Ints:
        """The number of each set."""
        return numbers(sets)

    def alike(self, size: int) -> Alike:
        """The classes of the sets of `size` cards."""
        if ("alike", size) not in self._kept:
            keys, sets, copies = self.classes(size)
            of = np.empty(comb(self.deck, size), np.int32)
            for start in range(0, len(of), _AT_ONCE):
                part = slice(start, start + _AT_ONCE)
                of[part] = np.searchsorted(keys, self.suit_free(self.every(size)[part]))
            self._kept["alike", size] = Alike(of, sets, copies)
        found: Alike = self._kept["alike", size]
        return found

    def classes(self, size: int) -> tuple[Ints, Sets, Ints]:
        """Of each class of sets of `size` cards: its `suit_free` number, ascending, one set, how many sets it has."""
        parts = []
        for jokers in range(min(self.jokers, size) + 1):
            for masks in _masks(len(self.ranks), self.suits, size - jokers):
                masks.sort(axis=1)
                parts.append((self._packed(masks, jokers), self._unpacked(masks, jokers), _copies(masks)))
        keys, sets, copies = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.argsort(keys)
        return keys[order], sets[order], copies[order]

    def suit_free(self, sets: Sets) -> Ints:
        """A number of each set that does not change when suits are exchanged: its ranks suit by suit, sorted."""
        masks = np.sort(self.by_suit(sets), axis=1)
        return self._packed(masks, (sets >= self.plain).any(axis=1) if self.jokers else 0)

    def by_suit(self, sets: Sets) -> Masks:
        """[set, suit] -> the ranks it holds of the suit, a bit each."""
        held = np.zeros((len(sets), self.suits + 1), np.int16)  # the last one takes the joker
        rows = np.arange(len(sets))
        for place in range(sets.shape[1]):
            rank, suit = np.divmod(sets[:, place], self.suits)
            held[rows, np.where(sets[:, place] < self.plain, suit, self.suits)] |= np.int16(1) << rank.astype(np.int16)
        return held[:, : self.suits]

    def _packed(self, masks: Masks, jokers: Any) -> Ints:
        found = np.zeros(len(masks), np.int64)
        for suit in range(self.suits):
            found |= masks[:, suit].astype(np.int64) << (len(self.ranks) * suit)
        return found | np.int64(jokers) << self.plain

    def _unpacked(self, masks: Masks, jokers: int) -> Sets:
        """The sets of the masks, the least set of each class."""
        size = sum(int(mask).bit_count() for mask in masks[0])
        held = (masks[:, None, :] >> np.arange(len(self.ranks), dtype=np.int16)[:, None] & 1).astype(bool)
        cards = np.nonzero(held.reshape(len(masks), -1))[1].astype(np.uint8).reshape(len(masks), size)
        return np.hstack([cards, np.full((len(masks), jokers), self.plain, np.uint8)])

    def rest(self, sets: Sets) -> Sets:
        """The cards of the deck that are not in each set."""
        clear = np.ones((len(sets), self.deck), bool)
        clear[np.arange(len(sets))[:, None], sets] = False
        return np.nonzero(clear)[1].astype(np.uint8).reshape(len(sets), self.deck - sets.shape[1])


def _masks(ranks: int, suits: int, cards: int) -> Iterator[Masks]:
    """Every way to hold `cards` cards, suits in no order, in parts alike in how many cards of a suit they hold."""
    sizes = {
        size: [sum(1 << rank for rank in held) for held in combinations(range(ranks), size)]
        for size in range(ranks + 1)
    }
    for spread in combinations_with_replacement(range(min(ranks, cards) + 1), suits):
        if sum(spread) != cards:
            continue
        found = np.zeros((1, 0), np.int16)
        for size in sorted(set(spread)):
            chosen = np.array(list(combinations_with_replacement(sizes[size], spread.count(size))), np.int16)
            found = np.hstack([np.repeat(found, len(chosen), axis=0), np.tile(chosen, (len(found), 1))])
        yield found


def _copies(masks: Masks) -> Ints:
    """How many sets the suits' sorted `masks` stand for: their different orders."""
    run, same = np.ones(len(masks), np.int64), np.ones(len(masks), np.int64)
    for suit in range(1, masks.shape[1]):
        run = np.where(masks[:, suit] == masks[:, suit - 1], run + 1, 1)
        same *= run
    return factorial(masks.shape[1]) // same


def places(of: int, size: int) -> npt.NDArray[np.intp]:
    """Every choice of `size` places out of `of`, a row each."""
    return np.array(list(combinations(range(of), size)), np.intp).reshape(comb(of, size), size)
