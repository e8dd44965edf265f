"""Pay table rows that sets of cards reach: at once, with further cards, or with discards.

Discards cannot come again, so the hands around the kept cards without any discard are counted by inclusion and
exclusion.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np

from rules.odds.cards.more_cards import MoreCards
from rules.odds.cards.placed_sets import Ints, Pack, RowFinder, Sets
from rules.odds.cards.table_rows import TableRows
from rules.odds.question import Progress

_FEW: Final = 5
"""Maximum number of cards for which every set is ranked."""
_AT_ONCE: Final = 3
"""Maximum number of cards by which a hand may be extended in one pass; more are added in several passes."""


def one_less(pack: Pack, known: int, table: Ints) -> Ints:
    """Sum a table of sets with one more card over that card."""
    larger, sets = pack.alike(known + 1), pack.alike(known).sets
    found = np.zeros((len(sets), table.shape[1]), np.int64)
    for able, with_it, left in pack.with_each_card(sets):
        found[able] += table[larger.of[pack.places(with_it)]] * left[:, None]
    return found


@dataclass
class HandRows:
    """Rows of a hand's pay table that sets of cards reach, with an example of each."""

    pack: Pack
    table: TableRows
    progress: Progress | None = None
    _examples: dict[tuple[int, int], Sets] = field(default_factory=dict)
    _after: dict[tuple[int, int], Ints] = field(default_factory=dict)
    _coming: dict[tuple[int, int], MoreCards] = field(default_factory=dict)

    @cached_property
    def _finder(self) -> RowFinder:
        return self.table.finder(self.pack)

    @property
    def kinds(self) -> int:
        """Number of rows, including the one of hands that lose."""
        return len(self.table.pays.nets)

    def rows(self, sets: Sets) -> Ints:
        """Return the row of each set."""
        found = self._finder.rows(sets)
        for row, at in zip(*np.unique(found, return_index=True), strict=True):
            self._examples.setdefault((sets.shape[1], int(row)), sets[at])
        return found

    def after(self, known: int, number: int) -> Ints:
        """Return the number of ways in which `number` further cards lead to a row, by [set of `known` cards, row]."""
        key = known, number
        if key not in self._after:
            sets = self.pack.alike(known).sets
            if not number:
                self._after[key] = np.eye(self.kinds, dtype=np.int64)[self.rows(sets)]
            elif self._at_once(known, number):
                self._after[key] = self._more(known, number).counts(sets, self.kinds, self.progress)
            else:
                self._after[key] = one_less(self.pack, known, self.after(known + 1, number - 1)) // number
        return self._after[key]

    def _at_once(self, known: int, number: int) -> bool:
        return known + number > _FEW and number <= _AT_ONCE

    def _more(self, known: int, number: int) -> MoreCards:
        return self._coming.setdefault((known, number), MoreCards(self._finder, known + number, number))

    def example(self, cards: int, row: int) -> list[int]:
        """Return an example of `cards` cards that reach a row."""
        if (cards, row) not in self._examples:
            found = (key for key, counts in self._after.items() if sum(key) == cards and counts[:, row].any())
            known, number = next(found)
            start = self.pack.alike(known).sets[np.argmax(self._after[known, number][:, row])]
            self._examples[cards, row] = self._with_completions(row, start, number)
        return [*map(int, self._examples[cards, row])]

    def _with_completions(self, row: int, cards: Sets, number: int) -> Sets:
        """Return the cards with further ones that lead to the row."""
        if not number:
            return cards
        if self._at_once(len(cards), number):
            return self._more(len(cards), number).example(cards, row)
        larger = [each[0] for _, each, _ in self.pack.with_each_card(cards[None]) if len(each)]
        of = self.pack.alike(len(cards) + 1).of
        leads = self.after(len(cards) + 1, number - 1)
        reaching = (each for each in larger if leads[of[self.pack.places(each[None])[0]], row])
        return self._with_completions(row, next(reaching), number - 1)


@dataclass(frozen=True, slots=True)
class LaidAside:
    """Number of ways, by [set, row], in which cards come that bring the set, without those at the places `aside`, to
    the row.

    `around` has, by number of cards, the rows of the hands around every set of that size. Values are computed only for
    the sets requested.
    """

    pack: Pack
    aside: tuple[int, ...]
    known: int
    around: Mapping[int, Ints]

    def __matmul__(self, nets: Ints) -> Ints:
        """Return the sum over rows of each count times its net, for every set."""
        return self._summed({size: each @ nets for size, each in self.around.items()}, slice(None))

    def __getitem__(self, chosen: Ints) -> Ints:
        """Return the rows of the `chosen` sets."""
        return self._summed(self.around, chosen)

    def _summed(self, around: Mapping[int, Ints], chosen: Ints | slice) -> Ints:
        sets = self.pack.alike(self.known).sets[chosen]
        kept = [place for place in range(self.known) if place not in self.aside]
        found = np.zeros((len(sets), *around[len(kept)].shape[1:]), np.int64)
        for back in (each for size in range(len(self.aside) + 1) for each in combinations(self.aside, size)):
            held = sorted((*kept, *back))
            if len(held) in around:
                of = self.pack.alike(len(held)).of[self.pack.places(sets[:, held])]
                found += (-1) ** len(back) * around[len(held)][of]
        return found
