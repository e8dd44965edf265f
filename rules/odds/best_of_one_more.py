"""How many hands of one card more than needed are weaker than a given strength, once some cards are out of the pack.

The dealer gets `size` + 1 cards of which the best `size` count, out of a pack without the `size` + 1 cards that are
seen. By inclusion and exclusion over these: hands of the whole pack, less those with any one of them, and so on. So
there is a table for every number of cards, with a row for each set of so many, alike sets folded, and running sums
over strengths.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from rules.odds.placed_sets import Folded, Ints, Pack, Sets, all_sets, fold, places, signatures, with_card

Levels = npt.NDArray[np.int16]
"""Strengths as small numbers, without gaps; greater is stronger and equal ones tie."""

_CHUNK = 1 << 10
_NEVER = np.iinfo(np.int16).max


@dataclass
class BestOfOneMore:
    """`levels` of every hand of `size` cards, by place."""

    pack: Pack
    size: int
    levels: Levels

    @cached_property
    def _folded(self) -> list[Folded]:
        """By number of cards: all sets, alike ones folded."""
        return [fold(self.pack, all_sets(self.pack.size, cards)) for cards in range(self.size + 1)]

    @property
    def hands(self) -> Folded:
        """Every hand of `size` cards, alike ones folded."""
        return self._folded[self.size]

    def best(self, sets: Sets) -> Levels:
        """The level of the best hand in each set of one card more."""
        found = self.levels[places(sets[:, 1:])]
        for kept in list(combinations(range(self.size + 1), self.size))[:-1]:
            np.maximum(found, self.levels[places(sets[:, kept])], out=found)
        return found

    @cached_property
    def _last(self) -> Levels:
        """[hand, card] -> the level with that card, for hands of `size`; past every level where it holds the card."""
        sets = self._folded[self.size].sets
        found = np.full((len(sets), self.pack.size), _NEVER, np.int16)
        for card in range(self.pack.size):
            able = np.flatnonzero((sets != card).all(axis=1))
            found[able, card] = self.best(with_card(sets[able], card))
        return found

    @cached_property
    def _tables(self) -> list[npt.NDArray[np.int32]]:
        """By number of cards below `size`: [set of so many, level] -> hands around it that are below the level.

        First as counts of each level, from the sets with one card more; every hand is met once for each card it adds.
        """
        many = int(self.levels.max()) + 1
        counts: list[npt.NDArray[np.int32]] = []
        for cards in range(self.size - 1, -1, -1):
            folded = self._folded[cards]
            table = np.zeros((len(folded.sets), many + 1), np.int32)
            for card in range(self.pack.size):
                able = np.flatnonzero((folded.sets != card).all(axis=1))
                above = self._folded[cards + 1].of[places(with_card(folded.sets[able], card))]
                if counts:
                    table[able] += counts[-1][above]
                else:
                    self._add_last(table, able, above)
            table //= self.size + 1 - cards
            counts.append(table)
        for table in counts:
            for start in range(0, len(table), _CHUNK):  # the largest table would not fit twice
                part = table[start : start + _CHUNK]
                part[:, 1:] = np.cumsum(part[:, :-1], axis=1)
                part[:, 0] = 0
        return counts[::-1]

    def _add_last(self, table: npt.NDArray[np.int32], able: Ints, above: Ints) -> None:
        for card in range(self.pack.size):
            level = self._last[above, card]
            there = level != _NEVER
            table[able[there], level[there]] += 1

    def below(self, seen: Sets, levels: Levels) -> tuple[Ints, Ints]:
        """[set, n] -> hands without the cards of the set that are below its n-th level; and below it or equal.

        `seen` are sets of `size` + 1 cards, `levels` some for each.
        """
        strictly = np.zeros(levels.shape, np.int64)
        equal_too = np.zeros(levels.shape, np.int64)
        for cards in range(self.size):
            table = self._tables[cards]
            for kept in combinations(range(self.size + 1), cards):
                rows = self._folded[cards].of[places(seen[:, kept])][:, None]
                strictly += (-1) ** cards * table[rows, levels]
                equal_too += (-1) ** cards * table[rows, levels + 1]
        for kept in combinations(range(self.size + 1), self.size):
            last = self._last[self._folded[self.size].of[places(seen[:, kept])]]
            for column in range(levels.shape[1]):
                level = levels[:, column, None]
                strictly[:, column] += (-1) ** self.size * (last < level).sum(axis=1)
                equal_too[:, column] += (-1) ** self.size * (last <= level).sum(axis=1)
        best = self.best(seen)[:, None]
        sign = (-1) ** (self.size + 1)
        return strictly + sign * (best < levels), equal_too + sign * (best <= levels)

    def seen_sets(self) -> Iterator[Sets]:
        """Every set of `size` + 1 cards in some parts, one of those alike in each part."""
        smaller = all_sets(self.pack.size, self.size)
        for highest in range(self.size, self.pack.size):
            yield _one_of_each(self.pack, with_card(smaller[: comb(highest, self.size)], highest))


def _one_of_each(pack: Pack, sets: Sets) -> Sets:
    _, first = np.unique(signatures(pack, sets, 1), return_index=True)
    return sets[first]
