"""Two of four cards from a shoe are kept, and five of a board make the hand with them.

The player chooses before the board lies there, and the cards he lays aside cannot come. Of the cards of a shoe he sees
four; boards of the rest are those of the whole shoe beside the kept two, less those with one of the others, plus those
with both. So it is enough to know, for every two, three and four cards that belong to the hand, what the rest of it can
be; four are counted with every three more, three and two are sums of these. Cards that are the same, and hands that
differ by the names of suits, are looked at once (CO 47.1-1017.51(5), (11)).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import Final

import numpy as np

from rules.odds.best_play import PlayedOut, RowPays
from rules.odds.joint import Ending
from rules.odds.placed_sets import Ints, Pack, RowOf, Sets, all_sets, places
from rules.odds.question import Progress

OWN: Final = 4
KEPT: Final = 2
HAND: Final = 7
_BASE: Final = 8
"""Above how often a rank can stand in a hand."""


def kept_pair(
    pack: Pack, decks: int, row_of: RowOf, pays: RowPays, *, suited: int = 5, progress: Progress | None = None
) -> PlayedOut:
    """One bet, paid by the best of seven cards, under the pair that gains most; of equal ones the first.

    Rows run from the best hand down. A hand has the better of two rows: that of its ranks, and that of the cards of a
    suit of which it has at least `suited`. Deals: own cards and the board, each as a set.
    """
    shoe = _Shoe(pack, decks, row_of, len(pays.nets), suited, progress)
    nets, _ = pays.whole()
    hands = shoe.alike(OWN)
    best = np.full(len(hands.sets), np.iinfo(np.int64).min)
    rows = np.zeros((len(hands.sets), len(nets)), np.int64)
    for kept in combinations(range(OWN), KEPT):
        found = shoe.boards(hands.sets, kept)
        gain = found @ nets
        rows[gain > best] = found[gain > best]
        np.maximum(best, gain, out=best)
    ways: Counter[Ending] = Counter()
    for row, net in enumerate(pays.nets):
        deals = sum(a * b for a, b in zip(rows[:, row].tolist(), hands.ways.tolist(), strict=True))
        ways[Ending((Fraction(1),), (net,), "", (pays.name(row),))] += deals
    return PlayedOut(+ways, {})


@dataclass(frozen=True, slots=True)
class _Alike:
    """Multisets of cards, alike ones once, ascending; in how many ways the shoe gives each; which any multiset is."""

    sets: Sets
    ways: Ints
    of: Ints


@dataclass
class _Shoe:
    pack: Pack
    decks: int
    row_of: RowOf
    kinds: int
    suited: int
    progress: Progress | None

    def all(self, size: int) -> Sets:
        """Every multiset of so many cards that the shoe can give or not."""
        distinct = all_sets(self.pack.size + size - 1, size)
        return (distinct - np.arange(size, dtype=np.uint8)).astype(np.uint8)

    def place(self, sets: Sets) -> Ints:
        """Of multisets among all of their size."""
        return places((sets + np.arange(sets.shape[1], dtype=np.uint8)).astype(np.uint8))

    def alike(self, size: int) -> _Alike:
        """All multisets of a size, folded."""
        sets = self.all(size)
        of_rank = _BASE ** (sets.astype(np.int64) // self.pack.suits)
        codes = np.stack(
            [np.where(sets % self.pack.suits == suit, of_rank, 0).sum(axis=1) for suit in range(self.pack.suits)],
            axis=1,
        )
        codes.sort(axis=1)
        _, first, of = np.unique(codes, axis=0, return_index=True, return_inverse=True)
        ways = np.zeros(len(first), np.int64)
        np.add.at(ways, of.ravel(), self.ways(sets))
        return _Alike(sets[first], ways, of.ravel())

    def ways(self, sets: Sets) -> Ints:
        """In how many ways the shoe gives each multiset."""
        times = (Counter(each).values() for each in sets.tolist())
        return np.array([prod(comb(self.decks, number) for number in each) for each in times], np.int64)

    @cached_property
    def _rest(self) -> Sets:
        return self.all(HAND - OWN)

    @cached_property
    def _rest_ways(self) -> Ints:
        return self.ways(self._rest)

    @cached_property
    def _tables(self) -> list[tuple[_Alike, Ints]]:
        """For four, three and two cards of a hand: the folded multisets, and by row how many boards complete them."""
        four = self.alike(OWN)
        counted = np.array([self._beside(cards, number, len(four.sets)) for number, cards in enumerate(four.sets)])
        found = [(four, counted)]
        for cards in (OWN - 1, KEPT):
            smaller = self.alike(cards)
            found.append((smaller, self._summed(smaller.sets, *found[-1]) // (HAND - cards)))
        return found

    def _summed(self, sets: Sets, larger: _Alike, counted: Ints) -> Ints:
        """Over the card that is added: each board is met once for each of its cards."""
        total = np.zeros((len(sets), self.kinds), np.int64)
        for card in range(self.pack.size):
            left = self.decks - (sets == card).sum(axis=1)
            added = np.sort(np.column_stack([sets, np.full(len(sets), card, np.uint8)]), axis=1)
            total += np.maximum(left, 0)[:, None] * counted[larger.of[self.place(added)]]
        return total

    def boards(self, hands: Sets, kept: tuple[int, ...]) -> Ints:
        """[hand, row] -> boards that hold none of the two cards laid aside, for these of the four kept."""
        (four, of_four), (three, of_three), (two, of_two) = self._tables
        aside = [place for place in range(OWN) if place not in kept]
        found = of_two[two.of[self.place(hands[:, kept])]] + of_four[four.of[self.place(hands)]]
        for other in aside:
            found = found - of_three[three.of[self.place(hands[:, sorted((*kept, other))])]]
        return np.asarray(found)

    # -------------------------------------------------------------- four cards and three more

    def _beside(self, cards: Sets, number: int, many: int) -> Ints:
        """By row, how many sets of three more cards of the shoe complete four."""
        if self.progress and not number % 64:
            self.progress(number, many)
        held = Counter(cards.tolist())
        counts = np.zeros(self.kinds, np.int64)
        if max(held.values()) > self.decks:
            return counts
        ways = self._rest_ways.copy()
        for card, times in held.items():
            more = (self._rest == card).sum(axis=1)
            whole = np.array([max(comb(self.decks, n), 1) for n in range(HAND)], np.int64)
            left = np.array([comb(self.decks - times, n) for n in range(HAND)], np.int64)
            ways = ways // whole[more] * left[more]
        np.add.at(counts, self._rows(cards), ways)
        return counts

    def _rows(self, cards: Sets) -> Ints:
        suits = self.pack.suits
        row: Ints = self._of_ranks[self._number_of_ranks(cards.tolist())][self._rest_ranks]
        for suit in range(suits):
            mine = [card // suits for card in cards.tolist() if card % suits == suit]
            if self.suited - len(mine) > HAND - OWN:
                continue
            enough, codes = self._rest_suited[suit, max(self.suited - len(mine), 0)]
            of_suit = self._suited_row[np.searchsorted(self._suited_codes, codes + sum(_BASE**rank for rank in mine))]
            row[enough] = np.minimum(row[enough], of_suit)
        return row

    @cached_property
    def _ranks(self) -> dict[tuple[int, ...], int]:
        four = combinations_with_replacement(range(len(self.pack.ranks)), OWN)
        return {ranks: number for number, ranks in enumerate(four)}

    def _number_of_ranks(self, cards: Sequence[int]) -> int:
        return self._ranks[tuple(sorted(card // self.pack.suits for card in cards))]

    @cached_property
    def _three_ranks(self) -> dict[tuple[int, ...], int]:
        three = combinations_with_replacement(range(len(self.pack.ranks)), HAND - OWN)
        return {ranks: number for number, ranks in enumerate(three)}

    @cached_property
    def _rest_ranks(self) -> Ints:
        ranks = np.sort(self._rest // self.pack.suits, axis=1).tolist()
        return np.array([self._three_ranks[tuple(each)] for each in ranks], np.int64)

    @cached_property
    def _of_ranks(self) -> Ints:
        """[ranks of four, ranks of three] -> the row of the seven, of as many suits as can be."""
        known: dict[tuple[int, ...], int] = {}
        table = np.zeros((len(self._ranks), len(self._three_ranks)), np.int64)
        for four, row in self._ranks.items():
            for three, column in self._three_ranks.items():
                ranks = tuple(sorted(four + three))
                if ranks not in known:
                    cards = [rank * self.pack.suits + place % self.pack.suits for place, rank in enumerate(ranks)]
                    known[ranks] = self.row_of([self.pack.card(card) for card in cards])
                table[row, column] = known[ranks]
        return table

    @cached_property
    def _rest_suited(self) -> dict[tuple[int, int], tuple[Ints, Ints]]:
        """(suit, n) -> which threes have at least n cards of it, and the ranks of these as a number."""
        of_rank = _BASE ** (self._rest.astype(np.int64) // self.pack.suits)
        found = {}
        for suit in range(self.pack.suits):
            here = self._rest % self.pack.suits == suit
            codes = np.where(here, of_rank, 0).sum(axis=1)
            for least in range(HAND - OWN + 1):
                enough = np.flatnonzero(here.sum(axis=1) >= least)
                found[suit, least] = enough, codes[enough]
        return found

    @cached_property
    def _suited_rows(self) -> dict[int, int]:
        """Ranks of the cards of one suit, as a number -> the row of these cards."""
        found = {}
        for size in range(self.suited, HAND + 1):
            for ranks in combinations_with_replacement(range(len(self.pack.ranks)), size):
                cards = [self.pack.card(rank * self.pack.suits) for rank in ranks]
                found[sum(_BASE**rank for rank in ranks)] = self.row_of(cards)
        return found

    @cached_property
    def _suited_codes(self) -> Ints:
        return np.array(sorted(self._suited_rows), np.int64)

    @cached_property
    def _suited_row(self) -> Ints:
        return np.array([self._suited_rows[code] for code in self._suited_codes.tolist()], np.int64)
