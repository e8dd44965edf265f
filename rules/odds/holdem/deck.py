"""The deck of a hold'em game as integers, with suits folded: boards up to the naming of suits, their flops and turns,
and the mapping of holes when suits are renamed.

A card is `suit * len(ranks) + rank`, a hole is its index among all pairs of cards. A set of cards is one mask of ranks
per suit, with bit 0 for the deuce and bit 12 for the ace. It is *folded* if no mask is greater than the one before it.
Folding is valid because no rule distinguishes suits: counts are equal for all sets that fold to the same masks.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from math import comb
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.odds.cards.placed_sets import Pack

BOARD: Final = 5
RANKS: Final = 13
Ints = npt.NDArray[np.int64]
Places = npt.NDArray[np.intp]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FoldedSets:
    """Every set of this many cards, folded: `masks`, one row per set with one column per suit; `weights`, the number of
    sets each represents; `keys`, the masks as one ascending integer each."""

    masks: Ints
    weights: Ints
    keys: Ints

    @property
    def count(self) -> int:
        """Number of distinct sets."""
        return int(self.keys.size)


@dataclass(frozen=True, slots=True)
class BoardSubsets:
    """Subsets of each of some boards, one row per board: `sets`, the index of each among the folded sets, and
    `namings`, the naming of suits that folds it."""

    sets: Places
    namings: Places


@dataclass(frozen=True)
class HoldemDeck:
    """A deck of `suits` suits that each have the `ranks`, 2 to 14 for the ace. Tests may use smaller decks, which must
    have cards for two hands and a board."""

    ranks: tuple[int, ...] = tuple(range(2, RANKS + 2))
    suits: int = 4

    @property
    def size(self) -> int:
        """Number of cards."""
        return self.suits * len(self.ranks)

    @property
    def rivals(self) -> int:
        """Number of hands the dealer can hold for a given board and hole."""
        return comb(self.size - BOARD - 2, 2)

    @property
    def deals(self) -> int:
        """Number of holes, boards and dealer's hands, ignoring the order of the board's cards."""
        return comb(self.size, 2) * comb(self.size - 2, BOARD) * self.rivals

    @cached_property
    def holes(self) -> Places:
        """The two cards of every hole, the lower number first, in two rows."""
        return np.array(list(combinations(range(self.size), 2)), dtype=np.intp).T

    @cached_property
    def bit_of(self) -> Ints:
        """Bit of the rank of each card."""
        return np.array([1 << rank - 2 for _ in range(self.suits) for rank in self.ranks], dtype=np.int64)

    @cached_property
    def suit_of(self) -> Places:
        """Suit of each card."""
        return np.repeat(np.arange(self.suits, dtype=np.intp), len(self.ranks))

    @cached_property
    def namings(self) -> tuple[tuple[int, ...], ...]:
        """Every order of the suits: `naming[i]` is the suit that moves to place i."""
        return tuple(permutations(range(self.suits)))

    @cached_property
    def moved(self) -> Places:
        """The original hole of each folded hole under each naming: folded = native[moved[naming]]."""
        return self._moves(self.namings)

    @cached_property
    def moved_back(self) -> Places:
        """The inverse of `moved`: native = folded[moved_back[naming]]."""
        return self._moves([tuple(np.argsort(naming)) for naming in self.namings])

    def _moves(self, namings: "list[tuple[int, ...]] | tuple[tuple[int, ...], ...]") -> Places:
        place = np.zeros((self.size, self.size), dtype=np.intp)
        low, high = self.holes
        place[low, high] = place[high, low] = np.arange(low.size)
        each = len(self.ranks)
        cards = np.arange(self.size)
        origins = [np.asarray(naming, dtype=np.intp)[cards // each] * each + cards % each for naming in namings]
        return np.array([place[origin[low], origin[high]] for origin in origins])


@lru_cache(maxsize=16)
def folded_sets(deck: HoldemDeck, cards: int) -> FoldedSets:
    """Return every set of `cards` cards of the deck, by ascending key."""
    _, sets, copies = Pack(deck.ranks, deck.suits).classes(cards)
    rank, suit = np.divmod(sets.astype(np.intp), deck.suits)
    masks = -np.sort(-suit_masks(deck, suit * len(deck.ranks) + rank), axis=1)
    keys = _keys(masks)
    order = np.argsort(keys)
    return FoldedSets(masks[order], copies[order], keys[order])


def _keys(masks: Ints) -> Ints:
    keys = np.zeros(masks.shape[:-1], dtype=np.int64)
    for suit in range(masks.shape[-1]):
        keys = keys << RANKS | masks[..., suit]
    return keys


def board_cards(deck: HoldemDeck, masks: Ints) -> Places:
    """Return the cards of folded sets of equal size, one row per set."""
    bits = masks[:, deck.suit_of] & deck.bit_of
    rows, cards = np.nonzero(bits)
    return cards.reshape(len(masks), -1) if len(rows) else np.zeros((len(masks), 0), dtype=np.intp)


def suit_masks(deck: HoldemDeck, cards: Places) -> Ints:
    """Return the masks of sets of cards, one per suit along a new last axis."""
    masks = [(deck.bit_of[cards] * (deck.suit_of[cards] == suit)).sum(axis=-1) for suit in range(deck.suits)]
    return np.stack(masks, axis=-1)


def inside(deck: HoldemDeck, boards: Places, cards: int) -> BoardSubsets:
    """Return the subsets of `cards` cards of some boards, in the order of `itertools.combinations`."""
    chosen = np.array(list(combinations(range(boards.shape[1]), cards)), dtype=np.intp)
    masks = suit_masks(deck, boards[:, chosen])
    order = np.argsort(-masks, axis=2, kind="stable")
    keys = _keys(np.take_along_axis(masks, order, axis=2))
    codes = np.zeros(order.shape[:2], dtype=np.intp)
    for suit in range(deck.suits):
        codes = codes * deck.suits + order[..., suit]
    return BoardSubsets(np.searchsorted(folded_sets(deck, cards).keys, keys), _naming_by_digits(deck)[codes])


@lru_cache(maxsize=16)
def _naming_by_digits(deck: HoldemDeck) -> Places:
    """Return the naming by the number that its suits make as digits."""
    found = np.zeros(deck.suits**deck.suits, dtype=np.intp)
    for at, naming in enumerate(deck.namings):
        code = 0
        for suit in naming:
            code = code * deck.suits + suit
        found[code] = at
    return found


def summed_over_alike(deck: HoldemDeck, cards: int, sums: Ints) -> Ints:
    """Sum over holes that differ only by a naming of suits: `sums` has one row per folded set and one column per hole.
    The sums are multiplied by the number of such namings, which is constant along a row."""
    masks = folded_sets(deck, cards).masks
    whole = np.zeros_like(sums)
    for at, naming in enumerate(deck.namings):
        rows = np.flatnonzero((masks[:, list(naming)] == masks).all(axis=1))
        whole[rows] += sums[rows][:, deck.moved[at]]
    return whole
