"""Games of one player's hand alone, of which he sees more and more cards: the course walked for every hand at once.

All that he knows is a set of cards, so what may come is a table with a row for each set, alike ones folded, and a
column for each way to end: a line of choices, and the rows of the pay tables that his hands reach. A card that may come
sums the tables of the sets that it makes; a choice takes each set's row from the table of the way that gains most. What
an ending comes to is settled, once for each column.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, cached_property
from math import comb, factorial, lcm
from typing import Final

import numpy as np
import numpy.typing as npt

from dealer_flow.procedure.must_draw import must_draw
from protocol.cards import CARDS, Card
from rules.odds.course import GameCourse, GoOn, Way, by_stake, for_least
from rules.odds.joint import Ending
from rules.odds.placed_sets import (
    Choose,
    Folded,
    Ints,
    Pack,
    RowFinder,
    Sets,
    all_sets,
    choices,
    fold,
    places,
    with_card,
)
from rules.odds.played_round import Group, Lying
from rules.odds.question import Progress
from rules.odds.table_rows import TableRows
from rules.odds.two_more_cards import count_two_more

Flags = npt.NDArray[np.bool_]
_UNSEEN: Final = CARDS[0x60]
Rows = tuple[tuple[str, int], ...]
"""Hand -> the row of its pay table that it reaches."""


@dataclass(frozen=True, slots=True)
class End:
    """A column: what was chosen and staked, and the rows that the hands reach."""

    lying: Lying
    rows: Rows = ()


@dataclass(frozen=True, slots=True)
class Coming:
    """All that can come of each set of cards, in so many equally likely `deals`: [set, end] -> how many of them end so;
    without `counts` nothing more comes. `taken`: [set, choice] -> how often each choice of `made`, a step and the place
    of a way, is made from there on."""

    ends: tuple[End, ...]
    deals: int = 1
    counts: Ints | None = None
    made: tuple[tuple[str, int], ...] = ()
    taken: Ints | None = None


@dataclass(frozen=True, slots=True)
class Grown:
    """How many deals end each way, and how many take each way at each step, by its place: the fold first, then by what
    lies there. `first`: the same of every set of cards at the first step at which is chosen, by place."""

    ways: Mapping[End, int]
    taken: Mapping[tuple[str, int], int]
    first: Ints


@cache
def sets_of(pack: Pack, known: int) -> Folded:
    """Every set of so many cards, alike ones folded."""
    return fold(pack, all_sets(pack.size, known))


@dataclass
class HandRows:
    """The rows of the pay table of a hand that sets of cards reach, with an example of each."""

    pack: Pack
    table: TableRows
    progress: Progress | None = None
    _examples: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    _after: dict[tuple[int, int], Ints] = field(default_factory=dict)

    @cached_property
    def _finder(self) -> RowFinder:
        return self.table.finder(self.pack)

    @property
    def kinds(self) -> int:
        """How many rows there are, that of hands which lose among them."""
        return len(self.table.pays.nets)

    def rows(self, sets: Sets) -> Ints:
        """The row of each set."""
        found = self._finder.rows(sets)
        for row, at in zip(*np.unique(found, return_index=True), strict=True):
            self._examples.setdefault((sets.shape[1], int(row)), sets[at].tolist())
        return found

    def after(self, known: int, number: int) -> Ints:
        """[set of `known` cards, row] -> how many sets of `number` further cards lead to it; one card or two."""
        key = known, number
        if key not in self._after:
            sets = sets_of(self.pack, known).sets
            if number == 2:
                self._after[key] = count_two_more(self._finder, sets, self.kinds, self.progress).astype(np.int64)
            else:
                self._after[key] = self._one_more(sets)
        return self._after[key]

    def _one_more(self, sets: Sets) -> Ints:
        counts = np.zeros((len(sets), self.kinds), np.int64)
        for card in range(self.pack.size):
            able = np.flatnonzero((sets != card).all(axis=1))
            counts[able, self.rows(with_card(sets[able], card))] += 1
            if self.progress:
                self.progress(card + 1, self.pack.size)
        return counts

    def example(self, cards: int, row: int) -> list[int]:
        """So many cards that reach a row."""
        if (cards, row) not in self._examples:
            known, counts = cards - 2, self._after[cards - 2, 2]
            start = sets_of(self.pack, known).sets[np.argmax(counts[:, row])]
            left = np.setdiff1d(np.arange(self.pack.size, dtype=np.uint8), start)
            pairs = left[all_sets(len(left), 2)]
            self.rows(np.sort(np.column_stack([pairs, np.tile(start, (len(pairs), 1))]), axis=1))
        return list(self._examples[cards, row])


@dataclass
class Growing(GameCourse[Coming]):
    """`tables`: hand -> the rows of the pay table that pay it. `strategy`: what somebody chooses who does not play for
    the most, by the places of `Grown`."""

    pack: Pack
    tables: Mapping[str, "HandRows"]
    strategy: Choose | None = None
    _first: Ints | None = field(default=None, init=False)
    _endings: dict[End, Ending] = field(default_factory=dict, init=False)

    def run(self) -> Grown:
        """Every deal, under the best play or the strategy."""
        found = self.from_the_deal()
        assert found.counts is not None, "cards are dealt"
        taken = found.taken[0].tolist() if found.taken is not None else ()
        first = np.zeros(0, np.int64) if self._first is None else self._first
        ways = dict(zip(found.ends, found.counts[0].tolist(), strict=True))
        return Grown(
            {end: number for end, number in ways.items() if number}, dict(zip(found.made, taken, strict=True)), first
        )

    def ending(self, end: End) -> Ending:
        """The bets of an end, each settled with a hand that reaches the row."""
        if end not in self._endings:
            rows = dict(end.rows)
            by_hand = {hand: self.settler.ending(self._with_cards(end.lying, hand, row)) for hand, row in rows.items()}
            other = self.settler.ending(self._with_cards(end.lying, "", 0))
            found = [(place, by_hand.get(bet.hand, other)) for place, bet in enumerate(self.settler.bets)]
            assert all(each for _, each in found), "a bet is held"
            parts = [(each.stakes[place], each.nets[place], each.rows[place]) for place, each in found if each]
            stakes, nets, paid = zip(*parts, strict=True)
            self._endings[end] = Ending(stakes, nets, "", paid)
        return self._endings[end]

    def _with_cards(self, lying: Lying, hand: str, row: int) -> Lying:
        """Cards of which those of the hand reach the row."""
        wanted = self.settler.terms.game.hand(hand).of if hand else {}
        left = Counter({place: cards[1] if isinstance(cards, tuple) else cards for place, cards in wanted.items()})
        cards = sum(min(most, len(lying.at(place))) for place, most in left.items())
        example = self.tables[hand].example(cards, row) if hand else []
        others = iter([card for card in range(self.pack.size) if card not in example])
        groups = []
        for group in lying.groups:
            own = min(left[group.place], len(group.cards), len(example))
            left[group.place] -= own
            numbers = [example.pop() for _ in range(own)] + [next(others) for _ in group.cards[own:]]
            groups.append(replace(group, cards=tuple(map(self.pack.card, numbers))))
        return replace(lying, groups=tuple(groups))

    # -------------------------------------------------------------- the course

    def settled(self, lying: Lying) -> Coming:
        """One end."""
        return Coming((End(lying),))

    def seen(self, at: str, number: int, lying: Lying, step: str, go_on: GoOn[Coming]) -> Coming:
        """The sum over the cards that may come to each set."""
        then = replace(lying, groups=(*lying.groups, Group(at, step, (_UNSEEN,) * number)))
        coming, known = go_on(then), _known(lying)
        if coming.counts is None:
            return self._last(coming, known, number)
        for hand in self._complete(then):
            coming = self._by_row(coming, hand, known + number)
        for more in range(number, 0, -1):
            coming = self._one_less(coming, known + more - 1)
        same = factorial(number)
        assert coming.counts is not None, "it was summed"
        taken = None if coming.taken is None else coming.taken // same
        deals = coming.deals * comb(self.pack.size - known, number)
        return replace(coming, deals=deals, counts=coming.counts // same, taken=taken)

    def best(self, ways: Sequence[Way], lying: Lying, step: str, go_on: GoOn[Coming]) -> Coming:
        """The way that gains most with each set, of equal ones the one that stakes least."""
        known = _known(lying)
        ways = by_stake(ways)
        found = [self._spread(go_on(way.lying), known) for way in ways]
        sets = sets_of(self.pack, known).sets
        is_open = np.stack([self._open(way, sets) for way in ways])
        chosen = choices(self.pack, sets, len(lying.choices), self.strategy)
        if chosen is None:
            chosen = self._for_most(ways, found, is_open)
        else:
            chosen = np.where(is_open[chosen, np.arange(len(sets))], chosen, 0)
        if not lying.choices:
            self._first = chosen[sets_of(self.pack, known).of]
        return _chosen_of(found, chosen, step)

    def alike(self, lying: Lying) -> Hashable:
        """All but the cards, of which the step tells how many there are."""
        return tuple(sorted(lying.wagers.items())), lying.choices, lying.folded, lying.given_up, _known(lying)

    def _for_most(self, ways: Sequence[Way], found: Sequence[Coming], is_open: Flags) -> Ints:
        ends = [self.ending(end) for each in found for end in each.ends]
        scale = lcm(*(Fraction(net).denominator for end in ends for net in end.nets))
        deals = lcm(*(each.deals for each in found))
        order = [ways.index(way) for way in for_least(ways)]
        gains = []
        for at in order:
            each = found[at]
            assert each.counts is not None, "it was spread"
            nets = np.array([int(sum(self.ending(end).nets) * scale) for end in each.ends], np.int64)
            gains.append(np.where(is_open[at], each.counts @ nets * (deals // each.deals), np.iinfo(np.int64).min))
        return np.asarray(np.array(order)[np.argmax(np.stack(gains), axis=0)])

    def _open(self, way: Way, sets: Sets) -> Flags:
        """The sets with which a way may be taken."""
        if way.draw is None or way.choice is None:
            return np.ones(len(sets), np.bool_)
        rows, number = way.draw.must, way.choice.draws

        def draws(cards: Sequence[Card]) -> int:
            must = must_draw(rows, cards)
            return must.row.draws if must is not None else number

        return np.asarray(RowFinder(self.pack, draws).rows(sets) == number)

    # -------------------------------------------------------------- tables

    def _complete(self, lying: Lying) -> list[str]:
        """The hands that have all their cards, where these are all that lie there."""
        found = []
        for hand in self.tables:
            wanted = self.settler.terms.game.hand(hand).of.items()
            limits = [(place, each if isinstance(each, tuple) else (each, each)) for place, each in wanted]
            there = {group.place for group in lying.groups}
            if there == dict(limits).keys() and all(
                least <= len(lying.at(place)) <= most for place, (least, most) in limits
            ):
                found.append(hand)
        return found

    def _last(self, coming: Coming, known: int, number: int) -> Coming:
        """The last cards, by the row that they lead to."""
        (end,) = coming.ends
        (hand,) = self._complete(end.lying)
        counts = self.tables[hand].after(known, number)
        met = np.flatnonzero(counts.any(axis=0))
        ends = tuple(replace(end, rows=((hand, row),)) for row in met.tolist())
        return Coming(ends, comb(self.pack.size - known, number), counts[:, met])

    def _spread(self, coming: Coming, known: int) -> Coming:
        """A table of an end with which no more cards come."""
        if coming.counts is not None:
            return coming
        (end,) = coming.ends
        hands = [] if end.lying.folded else self._complete(end.lying)
        found = replace(coming, counts=np.ones((len(sets_of(self.pack, known).sets), 1), np.int64))
        for hand in hands:
            found = self._by_row(found, hand, known)
        return found

    def _by_row(self, coming: Coming, hand: str, known: int) -> Coming:
        """The same by the rows that a hand of the sets reaches, unless it has more cards by then."""
        assert coming.counts is not None, "it was spread"
        if any(hand in dict(end.rows) for end in coming.ends):
            return coming
        of, kinds = self.tables[hand].rows(sets_of(self.pack, known).sets), self.tables[hand].kinds
        counts = np.concatenate([np.where((of == row)[:, None], coming.counts, 0) for row in range(kinds)], axis=1)
        ends = tuple(replace(end, rows=((hand, row), *end.rows)) for row in range(kinds) for end in coming.ends)
        met = np.flatnonzero(counts.any(axis=0))
        return replace(coming, counts=counts[:, met], ends=tuple(ends[column] for column in met.tolist()))

    def _one_less(self, coming: Coming, known: int) -> Coming:
        """Tables of sets of one card more, summed over the card."""
        larger, sets = sets_of(self.pack, known + 1), sets_of(self.pack, known).sets
        tables = [each for each in (coming.counts, coming.taken) if each is not None]
        found = [np.zeros((len(sets), each.shape[1]), np.int64) for each in tables]
        for card in range(self.pack.size):
            able = np.flatnonzero((sets != card).all(axis=1))
            above = larger.of[places(with_card(sets[able], card))]
            for total, each in zip(found, tables, strict=True):
                total[able] += each[above]
        return replace(coming, counts=found[0], taken=found[1] if coming.taken is not None else None)


def _known(lying: Lying) -> int:
    return sum(len(group.cards) for group in lying.groups)


def _chosen_of(found: Sequence[Coming], chosen: Ints, step: str) -> Coming:
    """Of each set the row of the table that is chosen, and what is chosen."""
    deals = lcm(*(each.deals for each in found))
    ends = list(dict.fromkeys(end for each in found for end in each.ends))
    made = [(step, at) for at in range(len(found))]
    made = list(dict.fromkeys([*made, *(one for each in found for one in each.made)]))
    counts, taken = (np.zeros((len(columns), len(chosen)), np.int64) for columns in (ends, made))
    for at, each in enumerate(found):
        here = chosen == at
        assert each.counts is not None, "it was spread"
        for end, column in zip(each.ends, each.counts.T, strict=True):
            counts[ends.index(end)] += np.where(here, column * (deals // each.deals), 0)
        taken[made.index((step, at))] += here
        for one, column in zip(each.made, each.taken.T if each.taken is not None else (), strict=True):
            taken[made.index(one)] += np.where(here, column, 0)
    return Coming(tuple(ends), deals, counts.T, tuple(made), taken.T)
