"""Sets of cards as integers, so that what a player sees is an index and a table over all hands is an array.

A card is a number: rank * suits + suit, with ranks from the lowest up and jokers last. A set of cards is a row of
ascending numbers, and its *place* is its index among all sets of its size in colexicographic order (the highest card
counts most): the sum of C(card, 1), C(next card, 2) and so on. With several decks a number may appear more than once in
a row; the place is then that of the row with 0, 1, 2 ... added. All counts are integers.

Only this module, used neither to deal nor to settle, imports NumPy.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, factorial, prod
from typing import Final

import numpy as np
import numpy.typing as npt

from protocol.cards import CARDS, Card

Ints = npt.NDArray[np.int64]
Sets = npt.NDArray[np.uint8]
"""Sets of cards: one ascending row each."""
Masks = npt.NDArray[np.int16]
"""Ranks that a set holds of a suit, as bits, by [set, suit]."""

ACES_HIGH: Final = (*range(2, 14), 1)
"""The ranks of a deck as `protocol.cards` numbers them, from the deuce to the ace."""
MOST_OF_RANK: Final = 8
"""Base of the digits for counts of a rank: greater than any count in a set."""
_RANKS: Final = 13
_AT_ONCE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class SetClasses:
    """Classes of sets of one size; two sets are in one class if exchanging suits, or jokers, turns one into the other.

    - `of`: the class by place of a set.
    - `sets`: one set of each class.
    - `copies`: the number of ways to deal the sets of a class.
    """

    of: npt.NDArray[np.int32]
    sets: Sets
    copies: Ints


@dataclass(frozen=True, slots=True)
class Pack:
    """The cards of a game: `ranks` in ascending order, each in `suits` suits (1 to 4), then identical `jokers`; `decks`
    copies of each."""

    ranks: tuple[int, ...] = ACES_HIGH
    suits: int = 4
    jokers: int = 0
    decks: int = 1

    @property
    def plain(self) -> int:
        """Number of different cards with a rank and a suit."""
        return len(self.ranks) * self.suits

    @property
    def size(self) -> int:
        """Number of different cards."""
        return self.plain + self.jokers

    def card(self, number: int) -> Card:
        """Return the card of a number."""
        rank, suit = divmod(number, self.suits)
        if number < self.plain:
            return CARDS[(suit + 1 << 4) + self.ranks[rank]]
        return CARDS[0x51 + number - self.plain]

    def cards(self, one: Sequence[int] | Sets) -> tuple[Card, ...]:
        """Return a set as cards."""
        return tuple(self.card(int(card)) for card in one)

    def ways(self, left: int, number: int) -> int:
        """Return the number of ways in which `number` further cards can come after `left` are seen."""
        return comb(self.size * self.decks - left, number)

    # -------------------------------------------------------------- sets

    def sets(self, size: int) -> Sets:
        """Return every set of this size in order of place; with several decks, including sets with more of a card than
        exist."""
        if self.decks == 1:
            return all_sets(self.size, size)
        return (all_sets(self.size + size - 1, size) - np.arange(size, dtype=np.uint8)).astype(np.uint8)

    def places(self, sets: Sets) -> Ints:
        """Return the place of each set."""
        return places(sets if self.decks == 1 else (sets + np.arange(sets.shape[1])).astype(np.uint8))

    def rest(self, sets: Sets) -> Sets:
        """Return the cards of one deck that are not in each set."""
        clear = np.ones((len(sets), self.size), bool)
        clear[np.arange(len(sets))[:, None], sets] = False
        return np.nonzero(clear)[1].astype(np.uint8).reshape(len(sets), self.size - sets.shape[1])

    def with_each_card(self, sets: Sets) -> Iterator[tuple[Ints, Sets, Ints]]:
        """Yield for each card: the sets it can be added to, these sets with it, and the number of such cards left."""
        for card in range(self.size):
            left = self.decks - (sets == card).sum(axis=1)
            able = np.flatnonzero(left > 0)
            yield able, with_card(sets[able], card), left[able]

    # -------------------------------------------------------------- equivalent sets

    def alike(self, size: int) -> SetClasses:
        """Return the classes of the sets of `size` cards."""
        return _alike(self, size)

    def classes(self, size: int) -> tuple[Ints, Sets, Ints]:
        """Return, for each class of sets of `size` cards of one deck: its `suit_free` number (ascending), one set, and
        the number of its sets."""
        parts = []
        for jokers in range(min(self.jokers, size) + 1):
            for masks in _masks(len(self.ranks), self.suits, size - jokers):
                masks.sort(axis=1)
                copies = _copies(masks) * comb(self.jokers, jokers)
                parts.append((self._packed(masks, jokers), self._unpacked(masks, jokers), copies))
        keys, sets, copies = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.argsort(keys)
        return keys[order], sets[order], copies[order]

    def suit_free(self, sets: Sets) -> Ints:
        """Return a number for each set that is equal for two sets that differ only by an exchange of suits.

        It packs the ranks of each suit, with the suits sorted, and the number of jokers.
        """
        return self._packed(np.sort(self.by_suit(sets), axis=1), self.joker_count(sets))

    def joker_count(self, sets: Sets) -> Ints:
        """Return the number of jokers of each set."""
        return np.asarray((sets >= self.plain).sum(axis=1))

    def by_suit(self, sets: Sets) -> Masks:
        """Return the ranks that each set holds of each suit, as bits, by [set, suit]."""
        held = np.zeros((len(sets), self.suits + 1), np.int16)  # the last column collects the jokers
        rows = np.arange(len(sets))
        for place in range(sets.shape[1]):
            rank, suit = np.divmod(sets[:, place], self.suits)
            held[rows, np.where(sets[:, place] < self.plain, suit, self.suits)] |= np.int16(1) << rank.astype(np.int16)
        return held[:, : self.suits]

    def _packed(self, masks: Masks, jokers: Ints | int) -> Ints:
        found = np.zeros(len(masks), np.int64)
        for suit in range(self.suits):
            found |= masks[:, suit].astype(np.int64) << (len(self.ranks) * suit)
        return found | np.int64(jokers) << self.plain

    def _unpacked(self, masks: Masks, jokers: int) -> Sets:
        """Return the sets of the masks, the lowest set of each class."""
        size = sum(int(mask).bit_count() for mask in masks[0])
        held = (masks[:, None, :] >> np.arange(len(self.ranks), dtype=np.int16)[:, None] & 1).astype(bool)
        cards = np.nonzero(held.reshape(len(masks), -1))[1].astype(np.uint8).reshape(len(masks), size)
        wild = np.arange(self.plain, self.plain + jokers, dtype=np.uint8)
        return np.hstack([cards, np.tile(wild, (len(masks), 1))])


@cache
def _alike(pack: Pack, size: int) -> SetClasses:
    if pack.decks > 1:
        return _alike_of_shoe(pack, pack.sets(size))
    keys, sets, copies = pack.classes(size)
    of = np.empty(comb(pack.size, size), np.int32)
    for start in range(0, len(of), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        of[part] = np.searchsorted(keys, pack.suit_free(pack.sets(size)[part]))
    return SetClasses(of, sets, copies)


def _alike_of_shoe(pack: Pack, sets: Sets) -> SetClasses:
    """Return the classes with several decks, from a digit per suit for the count of each rank."""
    of_rank = MOST_OF_RANK ** (sets.astype(np.int64) // pack.suits)
    codes = [np.where(sets % pack.suits == suit, of_rank, 0).sum(axis=1) for suit in range(pack.suits)]
    _, first, of = np.unique(np.sort(np.stack(codes), axis=0), axis=1, return_index=True, return_inverse=True)
    copies = np.zeros(len(first), np.int64)
    times = (Counter(each).values() for each in sets.tolist())
    np.add.at(copies, of.ravel(), [prod(comb(pack.decks, number) for number in each) for each in times])
    return SetClasses(of.ravel().astype(np.int32), sets[first], copies)


def _masks(ranks: int, suits: int, cards: int) -> Iterator[Masks]:
    """Yield every way to hold `cards` cards with suits in no order, in parts with equal numbers of cards per suit."""
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
    """Return the number of sets that sorted masks of suits represent: their different orders."""
    run, same = np.ones(len(masks), np.int64), np.ones(len(masks), np.int64)
    for suit in range(1, masks.shape[1]):
        run = np.where(masks[:, suit] == masks[:, suit - 1], run + 1, 1)
        same *= run
    return factorial(masks.shape[1]) // same


# ------------------------------------------------------------------ sets by their places


@cache
def all_sets(pack: int, size: int) -> Sets:
    """Return every set of `size` of `pack` cards, in order of place."""
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
    """Return the place of each row of ascending cards."""
    found = np.zeros(len(sets), np.int64)
    for position in range(sets.shape[1]):
        found += _binomials(position + 1)[sets[:, position]]
    return found


def with_card(sets: Sets, card: int) -> Sets:
    """Return the rows with `card`, which none of them holds, in ascending order again."""
    added = np.full((len(sets), 1), card, np.uint8)
    return np.sort(np.concatenate([sets, added], axis=1), axis=1)


def chosen_places(of: int, size: int) -> npt.NDArray[np.intp]:
    """Return every choice of `size` places out of `of`, one per row."""
    return np.array(list(combinations(range(of), size)), np.intp).reshape(comb(of, size), size)


# ------------------------------------------------------------------ rows of sets


def _signatures(pack: Pack, sets: Sets, suited: int) -> Ints:
    """Return a number that is equal for sets with the same ranks whose suits do not matter: suits count only if one has
    at least `suited` cards. Raises ValueError if two suits could have so many."""
    if suited <= 1:
        return pack.suit_free(sets)
    if sets.shape[1] >= 2 * suited:
        raise ValueError(f"two suits can have {suited} of {sets.shape[1]} cards")
    masks = pack.by_suit(sets)
    masks[np.bitwise_count(masks.astype(np.uint16)) < suited] = 0
    ranks = np.where(sets < pack.plain, MOST_OF_RANK ** np.minimum(sets // pack.suits, _RANKS - 1).astype(np.int64), 0)
    return np.asarray((ranks.sum(axis=1) << 16) + (masks.max(axis=1).astype(np.int64) << 2) + pack.joker_count(sets))


RowOf = Callable[[Sequence[Card]], int]
"""Returns the number of the pay table row that cards reach."""


@dataclass
class RowFinder:
    """Rows that sets of cards reach; `row_of` is called once for sets that cannot differ.

    `row_of` must use suits only if one suit has at least `suited` cards, and must ignore the order of cards.
    """

    pack: Pack
    row_of: RowOf
    suited: int = 5
    _known: dict[tuple[int, int], int] = field(default_factory=dict)

    def rows(self, sets: Sets) -> Ints:
        """Return the row of each set."""
        numbers, first, of = np.unique(
            _signatures(self.pack, sets, self.suited), return_index=True, return_inverse=True
        )
        found = np.empty(len(numbers), np.int64)
        for index, (number, place) in enumerate(zip(numbers.tolist(), first.tolist(), strict=True)):
            key = sets.shape[1], number
            if key not in self._known:
                self._known[key] = self.row_of(self.pack.cards(sets[place]))
            found[index] = self._known[key]
        return found[of.ravel()]


Choose = Callable[[int, Sequence[Card]], int | None]
"""A strategy: takes the number of the decision (from 0) and the cards the player sees, and returns the number of his
option; None for every hand of a decision that it leaves to the best play."""


def choices(pack: Pack, sets: Sets, decision: int, choose: Choose | None) -> Ints | None:
    """Return the option of `choose` for each set; None if the best play decides."""
    if choose is None:
        return None
    taken = [choose(decision, pack.cards(each)) for each in sets]
    return None if None in taken else np.array(taken, np.int64)
