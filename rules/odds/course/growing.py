"""Games of a single player's hand that he sees grow, walked for every hand at once.

All that the player knows is a set of cards. So the future is a table with a row for each set, with equivalent sets
merged, and a column for each ending: a sequence of choices, and the rows of the pay tables that his hands reach. The
next card sums the tables of the sets that it makes; a choice takes each set's row from the table of the way that gains
most. Each column's ending is settled once.

Discards are identified by their places in the set.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import factorial, lcm
from typing import Final

import numpy as np
import numpy.typing as npt

from dealer_flow.procedure.must_draw import must_draw
from protocol.cards import CARDS, Card
from rules.bets.bet import Bet
from rules.hands.hand_spec import OWN
from rules.odds.cards.hand_rows import HandRows, LaidAside, one_less
from rules.odds.cards.placed_sets import Choose, Ints, Pack, RowFinder, Sets, choices
from rules.odds.course.played_round import Group, OnePlayerState
from rules.odds.course.steps import GameCourse, GoOn, Way, by_stake, for_least
from rules.odds.joint import Ending

Flags = npt.NDArray[np.bool_]
_PLACES: Final = CARDS[0x60:0x70]
"""Placeholder cards for the cards of a set, in their order."""
_NEVER: Final = np.iinfo(np.int64).min
Rows = tuple[tuple[str, int], ...]
"""Row of its pay table that each hand reaches."""


@dataclass(frozen=True, slots=True)
class End:
    """A column: the choices and stakes, and the rows that the hands reach."""

    lying: OnePlayerState
    rows: Rows = ()


@dataclass(frozen=True, slots=True)
class FutureDraws:
    """Future of each set of cards, in `deals` equally likely deals.

    - `counts`: the number of deals by [set, end]; None if nothing more comes.
    - `made`: the choices that may follow, each a step and the index of a way.
    - `taken`: by [set, choice], the number of deals in which each choice of `made` is taken.
    """

    ends: tuple[End, ...]
    deals: int = 1
    counts: Ints | LaidAside | None = None
    made: tuple[tuple[str, int], ...] = ()
    taken: Ints | None = None


@dataclass
class Growing(GameCourse[FutureDraws]):
    """Walk of a growing hand.

    `tables`: by hand, the rows of the pay table that pay it. `strategy`: a strategy other than the best play; at each
    choice it returns the index among the open stakes, the lowest first.
    """

    pack: Pack
    tables: Mapping[str, HandRows]
    strategy: Choose | None = None
    taken: Mapping[tuple[str, int], int] = field(default_factory=dict, init=False)
    """Number of deals that take each way at each step, by its index: a fold first, then by stake."""
    first_ways: Sequence[Way] = field(default=(), init=False)
    """Ways that are open at the first decision, by index."""
    first: Ints = field(default_factory=lambda: np.zeros(0, np.int64), init=False)
    """Index of the way taken at the first decision, by the place of the set of cards."""
    _endings: dict[End, Ending | None] = field(default_factory=dict, init=False)

    def run(self) -> dict[End, int]:
        """Return the number of deals by ending, under the best play or the strategy."""
        found = self.from_the_deal()
        assert isinstance(found.counts, np.ndarray), "cards are dealt"
        if found.taken is not None:
            self.taken = dict(zip(found.made, found.taken[0].tolist(), strict=True))
        ways = zip(found.ends, found.counts[0].tolist(), strict=True)
        return {end: number for end, number in ways if number}

    def ending(self, end: End) -> Ending:
        """Return the ending of the bets, each settled with a hand that reaches the row."""
        found = self._settled(end)
        assert found is not None, "a bet is held"
        return found

    def _settled(self, end: End) -> Ending | None:
        """Return the ending, or None if a bet is held, so that the way is not allowed."""
        if end not in self._endings:
            rows = dict(end.rows)
            by_hand = {hand: self.settler.ending(self._with_cards(end.lying, hand, row)) for hand, row in rows.items()}
            other = self.settler.ending(self._with_cards(end.lying, "", 0)) if None not in by_hand.values() else None
            found = [by_hand.get(_hand_of(bet, end.lying), other) for bet in self.settler.bets]
            parts = [(each.stakes[at], each.nets[at], each.rows[at]) for at, each in enumerate(found) if each]
            whole = len(parts) == len(found)
            stakes, nets, paid = zip(*parts, strict=True) if whole else ((), (), ())
            self._endings[end] = Ending(stakes, nets, "", paid) if whole else None
        return self._endings[end]

    def _with_cards(self, lying: OnePlayerState, hand: str, row: int) -> OnePlayerState:
        """Return the state with example cards, those of the hand reaching the row."""
        wanted = self.settler.terms.game.hand(hand).of if hand else {}
        left = Counter({place: cards[1] if isinstance(cards, tuple) else cards for place, cards in wanted.items()})
        left[OWN] = min(left[OWN], len(lying.at(OWN)) - len(lying.aside))
        cards = sum(min(most, len(lying.at(place))) for place, most in left.items())
        example = self.tables[hand].example(cards, row) if hand else []
        left_over = ((card, self.pack.decks - example.count(card)) for card in range(self.pack.size))
        others = iter([card for card, number in left_over for _ in range(number)])
        groups = []
        for group in lying.groups:
            own = min(left[group.place], len(group.cards), len(example))
            left[group.place] -= own
            numbers = [example.pop() for _ in range(own)] + [next(others) for _ in group.cards[own:]]
            groups.append(replace(group, cards=tuple(map(self.pack.card, numbers))))
        found = replace(lying, groups=tuple(groups))
        return replace(found, aside=found.at(OWN)[len(found.at(OWN)) - len(lying.aside) :])

    # -------------------------------------------------------------- the course

    def settled(self, lying: OnePlayerState) -> FutureDraws:
        """Return a single ending."""
        return FutureDraws((End(lying),))

    def seen(self, at: str, number: int, lying: OnePlayerState, step: str, go_on: GoOn[FutureDraws]) -> FutureDraws:
        """Return the sum over the cards that may come to each set."""
        known = _known(lying)
        then = replace(lying, groups=(*lying.groups, Group(at, step, _PLACES[known : known + number])))
        coming = go_on(then)
        if not number:
            return self._spread(coming, known, then) if (step, at) in self.settler.watched else coming
        if coming.counts is None:
            return self._last(coming, then, number)
        for hand in self._complete(then):
            coming = self._split_by_row(coming, hand, known + number)
        assert isinstance(coming.counts, np.ndarray), "cards are laid aside before the last ones come"
        tables = [coming.counts] if coming.taken is None else [coming.counts, coming.taken]
        tables = [self._sum_last_cards(table, known, number) for table in tables]
        deals = coming.deals * self.pack.ways(known, number)
        return replace(coming, deals=deals, counts=tables[0], taken=tables[1] if coming.taken is not None else None)

    def _sum_last_cards(self, table: Ints, known: int, number: int) -> Ints:
        """Sum a table of sets over their last `number` cards."""
        if not known:
            weights = self.pack.alike(number).copies.tolist()
            columns = (zip(column, weights, strict=True) for column in table.T.tolist())
            return np.array([[sum(each * weight for each, weight in column) for column in columns]], object)
        for more in range(number, 0, -1):
            table = one_less(self.pack, known + more - 1, table)
        # Each set of further cards was reached once per order of its cards.
        return table // factorial(number)

    def best(self, ways: Sequence[Way], lying: OnePlayerState, step: str, go_on: GoOn[FutureDraws]) -> FutureDraws:
        """Choose for each set the way that gains most; of equal ways, the one with the lowest stake."""
        known = _known(lying)
        ways = by_stake(ways)
        found = [self._spread(go_on(way.lying), known) for way in ways]
        sets = self.pack.alike(known).sets
        is_open = np.stack([self._open(way, each, sets) for way, each in zip(ways, found, strict=True)])
        wanted = choices(self.pack, sets, len(lying.choices), self.strategy)
        if wanted is not None:
            stakes = [sum(way.lying.wagers.values()) for way in ways]
            at = np.array([sorted(set(stakes)).index(each) for each in stakes])[:, None]
            able = is_open & (at == wanted)
            is_open = np.where(able.any(axis=0), able, is_open & (at == 0))
        chosen = self._for_most(ways, found, is_open)
        if not lying.choices:
            self.first_ways = ways
            self.first = chosen[self.pack.alike(known).of]
        return _chosen_of(found, chosen, step)

    def alike(self, lying: OnePlayerState) -> Hashable:
        """Return everything but the cards; the step implies their number."""
        wagers = tuple(sorted(lying.wagers.items()))
        return wagers, lying.choices, lying.folded, lying.given_up, lying.aside, _known(lying)

    def _for_most(self, ways: Sequence[Way], found: Sequence[FutureDraws], is_open: Flags) -> Ints:
        ends = [ended for each in found for end in each.ends if (ended := self._settled(end))]
        scale = lcm(*(Fraction(net).denominator for end in ends for net in end.nets))
        deals = lcm(*(each.deals for each in found))
        most, chosen = np.full(is_open.shape[1], _NEVER), np.zeros(is_open.shape[1], np.int64)
        for at in (ways.index(way) for way in for_least(ways)):
            each = found[at]
            assert each.counts is not None, "it was spread"
            settled = (self._settled(end) for end in each.ends)
            nets = np.array([int(sum(end.nets) * scale) if end else 0 for end in settled], np.int64)
            gains = np.where(is_open[at], each.counts @ nets * (deals // each.deals), _NEVER)
            chosen[gains > most] = at
            np.maximum(most, gains, out=most)
        return chosen

    def _open(self, way: Way, coming: FutureDraws, sets: Sets) -> Flags:
        """Return the sets for which a way is open: it holds no bet, it shows a hand only if that is paid, and it draws
        as it must."""
        held = np.array([self._settled(end) is None for end in coming.ends], np.int64)
        assert coming.counts is not None, "it was spread"
        able = (coming.counts @ held == 0) if held.any() else np.ones(len(sets), np.bool_)
        if way.choice is None:
            return able
        for bet in self.settler.bets:
            if bet.instead is not None and bet.instead.choice == way.choice.part.name:
                shown = self.tables[bet.instead.hand]
                able &= shown.rows(sets) != shown.table.none
        if way.draw is None:
            return able
        rows, number = way.draw.must, way.choice.part.draws

        def draws(cards: Sequence[Card]) -> int:
            must = must_draw(rows, cards)
            return must.row.draws if must is not None else number

        return np.asarray(able & (RowFinder(self.pack, draws).rows(sets) == number))

    # -------------------------------------------------------------- tables

    def _complete(self, lying: OnePlayerState) -> Iterator[str]:
        """Yield the hands that decide bets and are complete with exactly the cards present."""
        there = {group.place: len(lying.at(group.place)) for group in lying.groups}
        there[OWN] = len(lying.at(OWN)) - len(lying.aside)
        over = {(group.place, group.step) for group in lying.groups}
        decide = {_hand_of(bet, lying) for bet in self.settler.bets}
        for hand in (each for each in self.tables if each in decide):
            spec = self.settler.terms.game.hand(hand)
            limits = {place: each if isinstance(each, tuple) else (each, each) for place, each in spec.of.items()}
            whole = there.keys() == limits.keys()
            if whole and spec.fill:
                whole = sum(there.values()) == spec.fill
            elif whole:
                whole = all(least <= there[place] <= most for place, (least, most) in limits.items())
            if whole and all(any((place, step) in over for step in steps) for place, steps in spec.at.items()):
                yield hand

    def _last(self, coming: FutureDraws, then: OnePlayerState, number: int) -> FutureDraws:
        """Return the last cards of a hand by the row they lead to; other last cards change nothing."""
        hands = [*self._complete(then)]
        if not hands:
            return coming
        (end,), (hand,) = coming.ends, hands
        known, rows = _known(then) - number, self.tables[hand]
        kept, size = known - len(then.aside), known - len(then.aside) + number
        around = {cards: rows.after(cards, size - cards) for cards in range(kept, min(known, size) + 1)}
        met = np.flatnonzero(around[kept].any(axis=0))
        around = {cards: each[:, met] for cards, each in around.items()}
        ends = tuple(replace(end, rows=((hand, row),)) for row in met.tolist())
        places = tuple(map(_PLACES.index, then.aside))
        counts = LaidAside(self.pack, places, known, around) if places else around[known]
        return FutureDraws(ends, self.pack.ways(known, number), counts)

    def _spread(self, coming: FutureDraws, known: int, then: OnePlayerState | None = None) -> FutureDraws:
        """Return the table of an ending for which no more counting cards come; `then` is the state when the hands were
        complete."""
        if coming.counts is not None:
            return coming
        lying = then or coming.ends[0].lying
        hands = [] if lying.folded else self._complete(lying)
        found = replace(coming, counts=np.ones((len(self.pack.alike(known).sets), 1), np.int64))
        for hand in hands:
            found = self._split_by_row(found, hand, known)
        return found

    def _split_by_row(self, coming: FutureDraws, hand: str, known: int) -> FutureDraws:
        """Split the columns by the rows that a hand of the sets reaches, unless it gets more cards first."""
        if any(hand in dict(end.rows) for end in coming.ends):
            return coming
        assert isinstance(coming.counts, np.ndarray), "it was spread"
        of, kinds = self.tables[hand].rows(self.pack.alike(known).sets), self.tables[hand].kinds
        counts = np.concatenate([np.where((of == row)[:, None], coming.counts, 0) for row in range(kinds)], axis=1)
        ends = tuple(replace(end, rows=((hand, row), *end.rows)) for row in range(kinds) for end in coming.ends)
        met = np.flatnonzero(counts.any(axis=0))
        return replace(coming, counts=counts[:, met], ends=tuple(ends[column] for column in met.tolist()))


def _hand_of(bet: Bet, lying: OnePlayerState) -> str:
    """Return the hand that decides a bet after the choices made."""
    chosen = {name for _, name in lying.choices}
    return bet.instead.hand if bet.instead is not None and bet.instead.choice in chosen else bet.hand


def _known(lying: OnePlayerState) -> int:
    return sum(len(group.cards) for group in lying.groups)


def _chosen_of(found: Sequence[FutureDraws], chosen: Ints, step: str) -> FutureDraws:
    """Return, for each set, the row of the chosen table, and the choices taken."""
    deals = lcm(*(each.deals for each in found))
    ends = list(dict.fromkeys(end for each in found for end in each.ends))
    made = [(step, at) for at in range(len(found))]
    made = list(dict.fromkeys([*made, *(one for each in found for one in each.made)]))
    counts, taken = (np.zeros((len(chosen), len(each)), np.int64) for each in (ends, made))
    for at, each in enumerate(found):
        here = np.flatnonzero(chosen == at)
        assert each.counts is not None, "it was spread"
        columns = np.array([ends.index(end) for end in each.ends])
        counts[here[:, None], columns] += each.counts[here] * (deals // each.deals)
        taken[here, made.index((step, at))] += 1
        if each.taken is not None:
            taken[here[:, None], np.array([made.index(one) for one in each.made])] += each.taken[here]
    return FutureDraws(tuple(ends), deals, counts, tuple(made), taken)
