"""Which rows a hand reaches with two more cards, for every hand at once.

Ranks and suits are looked at apart. A multiset of ranks is a number, and a card leads from one to the next by a
table; the row of a multiset is that of cards of no flush. Beside it stands, for each suit, the set of its ranks as
bits: with enough of them the row is that of the suited cards instead.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement

import numpy as np
import numpy.typing as npt

from rules.odds.placed_sets import Ints, Pack, RowFinder, Sets
from rules.odds.question import Progress

_NONE = -1


def count_two_more(
    finder: RowFinder, hands: Sets, kinds: int, progress: Progress | None = None
) -> npt.NDArray[np.int32]:
    """[hand, row] -> how many pairs of the cards left give it; rows are below `kinds`.

    A flush of `finder.suited` cards outranks every hand that the same cards make otherwise.
    """
    pack = finder.pack
    tables = _Tables(finder, hands.shape[1])
    counts = np.zeros((len(hands), kinds), np.int32)
    start = tables.starts(hands)
    masks = [tables.masks(hands, suit) for suit in range(pack.suits)]
    flush_of = [tables.flushes[mask] for mask in masks]
    lacks = [(hands != card).all(axis=1) for card in range(pack.size)]
    for first in range(pack.size):
        with_first = tables.next_one[:, first // pack.suits][start]
        for second in range(first + 1, pack.size):
            row = tables.plain[tables.next_two[:, second // pack.suits][with_first]]
            for suit in range(pack.suits):
                added = sum(1 << card // pack.suits for card in (first, second) if card % pack.suits == suit)
                flush = tables.flushes[masks[suit] | added] if added else flush_of[suit]
                row = np.where(flush == _NONE, row, flush)
            able = np.flatnonzero(lacks[first] & lacks[second])
            counts[able, row[able]] += 1
        if progress:
            progress(first + 1, pack.size)
    return counts


@dataclass
class _Tables:
    finder: RowFinder
    size: int

    @property
    def pack(self) -> Pack:
        return self.finder.pack

    def _multisets(self, size: int) -> tuple[Ints, list[tuple[int, ...]]]:
        """Multisets of ranks in order of their code, a digit to the base of 8 for how often each rank is held."""
        found = {}
        for ranks in combinations_with_replacement(range(len(self.pack.ranks)), size):
            if all(ranks.count(rank) <= self.pack.suits for rank in set(ranks)):
                found[sum(8**rank for rank in ranks)] = ranks
        codes = sorted(found)
        return np.array(codes, np.int64), [found[code] for code in codes]

    @cached_property
    def _sizes(self) -> list[tuple[Ints, list[tuple[int, ...]]]]:
        return [self._multisets(self.size + more) for more in range(3)]

    def starts(self, hands: Sets) -> Ints:
        """The number of each hand's multiset of ranks."""
        codes = (8 ** (hands.astype(np.int64) // self.pack.suits)).sum(axis=1)
        return np.asarray(np.searchsorted(self._sizes[0][0], codes))

    def _next(self, more: int) -> Ints:
        """[multiset, rank] -> the multiset with one card of that rank; where it cannot be, any."""
        codes, after = self._sizes[more][0], self._sizes[more + 1][0]
        of_rank = 8 ** np.arange(len(self.pack.ranks), dtype=np.int64)
        return np.minimum(np.searchsorted(after, codes[:, None] + of_rank), len(after) - 1)

    @cached_property
    def next_one(self) -> Ints:
        """From the hand to the hand with one card."""
        return self._next(0)

    @cached_property
    def next_two(self) -> Ints:
        """From the hand with one card to that with two."""
        return self._next(1)

    @cached_property
    def plain(self) -> Ints:
        """The row of each multiset of all cards, of as many suits as can be."""
        suits = self.pack.suits
        sets = [sorted(rank * suits + place % suits for place, rank in enumerate(ranks)) for ranks in self._sizes[2][1]]
        return self.finder.rows(np.array(sets, np.uint8))

    @cached_property
    def flushes(self) -> Ints:
        """Set of ranks of one suit, as bits -> its row; _NONE where they are too few, or too many for the hand."""
        ranks, cards = len(self.pack.ranks), self.size + 2
        found = np.full(1 << ranks, _NONE, np.int64)
        for suited in range(self.finder.suited, cards + 1):
            for chosen in combinations(range(ranks), suited):
                others = [rank * self.pack.suits + 1 for rank in range(ranks)][: cards - suited]
                hand = sorted([*(rank * self.pack.suits for rank in chosen), *others])
                found[sum(1 << rank for rank in chosen)] = self.finder.rows(np.array([hand], np.uint8))[0]
        return found

    def masks(self, hands: Sets, suit: int) -> Ints:
        """The ranks of one suit in each hand, as bits."""
        of_suit = hands % self.pack.suits == suit
        return np.asarray(np.where(of_suit, 1 << (hands.astype(np.int64) // self.pack.suits), 0).sum(axis=1))
