"""Which rows a hand reaches with a few more cards, for every hand at once.

Ranks and suits are looked at apart. A multiset of ranks is a number, and a card leads from one to the next by a table.
All the ranks of a hand give the row that it reaches without a flush, those of a suit, where they are enough, that of
its cards of the suit.
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
"""Sets of further cards between two words on how far it is."""


@dataclass
class MoreCards:
    """Hands of so many cards, `number` of which are still to come.

    Of one deck, a flush of `finder.suited` cards outranks every hand that the same cards make otherwise; of several, a
    hand reaches the better of its two rows, and they run from the best down.
    """

    finder: RowFinder
    cards: int
    number: int

    @cached_property
    def _further(self) -> list[list[int]]:
        found: list[list[int]] = self.finder.pack.sets(self.number).tolist()
        return found

    def counts(self, hands: Sets, kinds: int, progress: Progress | None = None) -> Ints:
        """[hand, row] -> in how many ways the cards left give it; rows are below `kinds`."""
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
        """The hand with cards that give it the row."""
        states, pack = self._states(hand[None]), self.finder.pack
        for more in self._further:
            found = np.sort(np.concatenate([hand, np.array(more, np.uint8)]))
            if self._rows(states, more)[0] == row and max(Counter(found.tolist()).values()) <= pack.decks:
                return found
        raise AssertionError("the row was counted")

    def _states(self, hands: Sets) -> list[tuple[Ints, Ints]]:
        """Of all cards and of each suit: the multisets of ranks that there are, and which of them each hand has."""
        numbers = [self._tables.number(hands, suit) for suit in (None, *range(self.finder.pack.suits))]
        return [np.unique(each, return_inverse=True) for each in numbers]

    def _rows(self, states: list[tuple[Ints, Ints]], more: list[int]) -> Ints:
        """The row of each hand with these cards."""
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
    """Multisets of up to `size` ranks, numbered in the order of their codes: a digit for how often each is held."""

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
        """[multiset, rank] -> the multiset with one card of that rank; where it would be too large, any."""
        of_rank = MOST_OF_RANK ** np.arange(len(self.pack.ranks), dtype=np.int64)
        return np.minimum(np.searchsorted(self._codes, self._codes[:, None] + of_rank), len(self._codes) - 1)

    def number(self, hands: Sets, suit: int | None = None) -> Ints:
        """Of the ranks of each hand, or of those of one suit."""
        of_rank = MOST_OF_RANK ** (hands.astype(np.int64) // self.pack.suits)
        counted = of_rank if suit is None else np.where(hands % self.pack.suits == suit, of_rank, 0)
        return np.asarray(np.searchsorted(self._codes, counted.sum(axis=1)))

    def after(self, states: Ints, cards: list[int]) -> Ints:
        """The multisets with these cards."""
        for card in cards:
            states = self._next[states, card // self.pack.suits]
        return states

    @cached_property
    def plain(self) -> Ints:
        """The row of each multiset of all cards, of as many suits as can be."""
        suits, found = self.pack.suits, np.full(len(self._codes), _NONE, np.int64)
        for number, ranks in enumerate(self._multisets.values()):
            if len(ranks) == self.size and max(Counter(ranks).values()) <= suits * self.pack.decks:
                cards = [rank * suits + place % suits for place, rank in enumerate(ranks)]
                found[number] = self.finder.row_of([self.pack.card(card) for card in cards])
        return found

    @cached_property
    def suited(self) -> Ints:
        """The row of each multiset of cards of one suit; _NONE where they are too few, or not in the pack."""
        suits, found = self.pack.suits, np.full(len(self._codes), _NONE, np.int64)
        for number, ranks in enumerate(self._multisets.values()):
            if len(ranks) >= self.finder.suited and max(Counter(ranks).values()) <= self.pack.decks:
                found[number] = self.finder.row_of([self.pack.card(rank * suits) for rank in ranks])
        return found
