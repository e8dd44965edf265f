"""Rows that hands reach with a few further cards, computed for all hands at once.

Ranks and suits are treated separately. A multiset of ranks is a number, and a table leads from it to the next with one
more card. All the ranks of a hand give its row without a flush; the ranks of a suit, if there are enough, give the row
of its cards of that suit.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from rules.odds.cards.placed_sets import MOST_OF_RANK, Ints, Pack, RowFinder, Sets
from rules.odds.question import Progress

_NONE = -1
_STEP = 1 << 6
"""Number of sets of further cards between two progress reports."""


@dataclass
class MoreCards:
    """Hands of `cards` cards, `number` of which are still to come.

    With one deck, a flush of `finder.suited` cards outranks any other hand of the same cards. With several decks, a
    hand reaches the better of its two rows, and rows are ordered from the best down.
    """

    finder: RowFinder
    cards: int
    number: int

    @cached_property
    def _further(self) -> list[list[int]]:
        found: list[list[int]] = self.finder.pack.sets(self.number).tolist()
        return found

    def counts(self, hands: Sets, kinds: int, progress: Progress | None = None) -> Ints:
        """Return the number of ways in which further cards give a row, by [hand, row]; rows are below `kinds`."""
        pack, counts = self.finder.pack, np.zeros((len(hands), kinds), np.int64)
        held = [(hands == card).sum(axis=1) for card in range(pack.size)]
        states = self._states(hands)
        for done, more in enumerate(self._further, 1):
            ways = np.ones(len(hands), np.int64)
            for card, times in Counter(more).items():
                left = (max(pack.decks - there, 0) for there in range(hands.shape[1] + 1))
                ways *= np.array([comb(number, times) for number in left])[held[card]]
            row, able = self._rows(states, more), np.flatnonzero(ways)
            counts[able, row[able]] += ways[able]
            if progress and (not done % _STEP or done == len(self._further)):
                progress(done, len(self._further))
        return counts

    def example(self, hand: Sets, row: int) -> Sets:
        """Return the hand with further cards that give it the row."""
        states, pack = self._states(hand[None]), self.finder.pack
        for more in self._further:
            found = np.sort(np.concatenate([hand, np.array(more, np.uint8)]))
            if self._rows(states, more)[0] == row and max(Counter(found.tolist()).values()) <= pack.decks:
                return found
        raise AssertionError("the row was counted")

    def _states(self, hands: Sets) -> list[tuple[Ints, Ints]]:
        """Return, for all cards and for each suit, the distinct multisets of ranks and the one of each hand."""
        numbers = [self._tables.number(hands, suit) for suit in (None, *range(self.finder.pack.suits))]
        return [np.unique(each, return_inverse=True) for each in numbers]

    def _rows(self, states: list[tuple[Ints, Ints]], more: list[int]) -> Ints:
        """Return the row of each hand with these cards."""
        tables, pack = self._tables, self.finder.pack
        (ranks, of), *suits = states
        found: Ints = tables.plain[tables.after(ranks, more)][of]
        for suit, (held, which) in enumerate(suits):
            flush = tables.suited[tables.after(held, [card for card in more if card % pack.suits == suit])]
            if (flush != _NONE).any():
                row = flush[which]
                found = np.where(row == _NONE, found, row if pack.decks == 1 else np.minimum(found, row))
        return found

    @cached_property
    def _tables(self) -> "_Tables":
        return _Tables(self.finder, self.cards)


@dataclass
class _Tables:
    """Multisets of up to `size` ranks, numbered in the order of their codes, which have a digit for the count of each
    rank."""

    finder: RowFinder
    size: int

    @property
    def pack(self) -> Pack:
        return self.finder.pack

    @cached_property
    def _multisets(self) -> dict[int, tuple[int, ...]]:
        ranks = range(len(self.pack.ranks))
        each = (held for size in range(self.size + 1) for held in combinations_with_replacement(ranks, size))
        return dict(sorted((sum(MOST_OF_RANK**rank for rank in held), held) for held in each))

    @cached_property
    def _codes(self) -> Ints:
        return np.array(list(self._multisets), np.int64)

    @cached_property
    def _next(self) -> Ints:
        """Multiset with one more card of a rank, by [multiset, rank]; arbitrary if it would be too large."""
        of_rank = MOST_OF_RANK ** np.arange(len(self.pack.ranks), dtype=np.int64)
        return np.minimum(np.searchsorted(self._codes, self._codes[:, None] + of_rank), len(self._codes) - 1)

    def number(self, hands: Sets, suit: int | None = None) -> Ints:
        """Return the multiset of the ranks of each hand, or of its ranks in one suit."""
        of_rank = MOST_OF_RANK ** (hands.astype(np.int64) // self.pack.suits)
        counted = of_rank if suit is None else np.where(hands % self.pack.suits == suit, of_rank, 0)
        return np.asarray(np.searchsorted(self._codes, counted.sum(axis=1)))

    def after(self, states: Ints, cards: list[int]) -> Ints:
        """Return the multisets with these cards added."""
        for card in cards:
            states = self._next[states, card // self.pack.suits]
        return states

    @cached_property
    def plain(self) -> Ints:
        """The row of each multiset of all cards, with the suits as different as possible."""
        suits, found = self.pack.suits, np.full(len(self._codes), _NONE, np.int64)
        for number, ranks in enumerate(self._multisets.values()):
            if len(ranks) == self.size and max(Counter(ranks).values()) <= suits * self.pack.decks:
                cards = [rank * suits + place % suits for place, rank in enumerate(ranks)]
                found[number] = self.finder.row_of([self.pack.card(card) for card in cards])
        return found

    @cached_property
    def suited(self) -> Ints:
        """The row of each multiset of cards of one suit; _NONE if there are too few, or more than the pack has."""
        suits, found = self.pack.suits, np.full(len(self._codes), _NONE, np.int64)
        for number, ranks in enumerate(self._multisets.values()):
            if len(ranks) >= self.finder.suited and max(Counter(ranks).values()) <= self.pack.decks:
                found[number] = self.finder.row_of([self.pack.card(rank * suits) for rank in ranks])
        return found
