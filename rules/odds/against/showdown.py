"""Exact count of every showdown of a longest-flush game: for each player's hand, the comparison with the hands that the
community and the dealer can still get.

Deuces are wild, so they are interchangeable here, and so are suits. A hand is reduced to its number of deuces and, for
each suit, the set of its other ranks. Hands with the same number of cards in each suit share a *pattern*, and there are
17 patterns of five cards. Within a pattern, and for a community with given numbers of cards in each suit, the player's
length is one number, and counts alone give the number of shorter dealers.

Only dealers of equal length need ranks: dealers with k deuces of their own stay at or below the player's flush if they
do so in each suit separately, so the dealer's hands are counted suit by suit and multiplied. In one suit they are the
hands with too few cards to matter, and those that reach the length with lower ranks. The latter are looked up in a
table of running sums, whose rows are the dealer's completed flushes from the lowest up and whose columns are the sets
of ranks the player may hold.

All counts are integers. Only this module, used neither to deal nor to settle, imports NumPy.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, product
from math import comb, factorial, prod
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rules.hands.longest_flush import ACE, complete

SUITS: Final = 4
DEUCES: Final = 4
FLUSH_RANKS: Final = tuple(range(3, ACE + 1))
"""The ranks that are not wild."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DealShape:
    """Number of cards of a hand, and the ranks (3 to 14, the ace) of each suit in addition to its deuce."""

    own: int = 5
    community: int = 2
    ranks: tuple[int, ...] = FLUSH_RANKS

    @property
    def deck(self) -> int:
        """Number of cards in the deck."""
        return SUITS * len(self.ranks) + DEUCES

    @property
    def hands(self) -> int:
        """Number of hands a player can hold."""
        return comb(self.deck, self.own)

    @property
    def completions(self) -> int:
        """Number of ways to deal the community and the dealer once a player holds a hand."""
        left = self.deck - self.own
        return comb(left, self.community) * comb(left - self.community, self.own)


class Pattern(NamedTuple):
    """Hands that differ only in ranks and in the order of suits: `deuces`, and the other cards of each suit, most
    first."""

    deuces: int
    suits: tuple[int, ...]

    @property
    def text(self) -> str:
        """The pattern in words: `3-1 + deuce`."""
        suits = "-".join(str(cards) for cards in self.suits if cards)
        deuces = ("", "deuce")[self.deuces] if self.deuces < 2 else f"{self.deuces} deuces"
        return " + ".join(filter(None, (suits, deuces)))

    @property
    def copies(self) -> int:
        """Number of hands for each set of ranks: suits in another order, other deuces."""
        orders = factorial(SUITS) // prod(factorial(self.suits.count(cards)) for cards in set(self.suits))
        return orders * comb(DEUCES, self.deuces)


@dataclass(frozen=True, slots=True)
class Showdowns:
    """All hands of a pattern, one axis per suit, and the number of ways to complete the deal by result.

    `by_length[m]` ways make the player's flush m cards longer, the same for every hand of the pattern. `by_kickers` and
    `ties`, of equal length, are counted by hand. In all other ways the dealer wins.
    """

    pattern: Pattern
    by_length: tuple[int, ...]
    by_kickers: Ints
    ties: Ints


def patterns(deal: DealShape) -> list[Pattern]:
    """Return every pattern a hand can have."""
    return [
        Pattern(deuces, suits)
        for deuces in range(min(DEUCES, deal.own) + 1)
        for suits in _spread(deal.own - deuces, len(deal.ranks))
        if tuple(sorted(suits, reverse=True)) == suits
    ]


def showdowns(deal: DealShape, pattern: Pattern, wild_kicker: str = "highest-absent") -> Showdowns:
    """Count every way to complete the deal from every hand of `pattern`."""
    return _Count(deal, pattern, wild_kicker).run()


def _spread(cards: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield every way to spread `cards` over the suits."""
    return (suits for suits in product(range(min(cards, most) + 1), repeat=SUITS) if sum(suits) == cards)


class _Term(NamedTuple):
    """Dealers whose flush has the player's length in exactly the suits named, with the number of cards drawn to
    each."""

    ways: int
    deuces: int
    reaching: tuple[tuple[int, int], ...]


class _Community(NamedTuple):
    """A community by its deuces and its cards of each suit, and the results that follow from counts alone."""

    suits: tuple[int, ...]
    deuces: int
    by_length: list[int]
    terms: list[_Term]
    longest: tuple[int, ...]
    """The suits in which the player's flush has its length."""


@dataclass
class _Count:
    deal: DealShape
    pattern: Pattern
    wild_kicker: str
    _running: dict[tuple[int, ...], tuple[Ints, npt.NDArray[np.int32]]] = field(default_factory=dict)
    _free: dict[tuple[int, int], Ints] = field(default_factory=dict)

    def run(self) -> Showdowns:
        shape = [len(self._masks[cards]) for cards in self.pattern.suits]
        by_kickers, ties = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        by_length = [0] * (self.deal.own + self.deal.community + 1)
        ranks = len(self.deal.ranks)
        for community in self._communities():
            same = comb(DEUCES - self.pattern.deuces, community.deuces)
            there = same * prod(
                comb(ranks - held, cards) for held, cards in zip(self.pattern.suits, community.suits, strict=True)
            )
            for margin, ways in enumerate(community.by_length):
                by_length[margin] += there * ways
            for masks in product(*(self._masks[cards].tolist() for cards in community.suits)):
                hands = np.ix_(*(self._disjoint(*each) for each in zip(self.pattern.suits, masks, strict=True)))
                lower, lower_or_same = self._equal_length(community, masks)
                by_kickers[hands] += same * lower
                ties[hands] += same * (lower_or_same - lower)
        return Showdowns(self.pattern, tuple(by_length), by_kickers, ties)

    @cached_property
    def _masks(self) -> list[Ints]:
        """Sets of ranks as bit masks, by their size."""
        bits = [1 << index for index in range(len(self.deal.ranks))]
        return [np.array([sum(chosen) for chosen in combinations(bits, cards)]) for cards in range(len(bits) + 1)]

    @cached_property
    def _strength(self) -> Ints:
        """Strength of completed flushes as an integer, by [deuces, set of ranks]."""
        table = flush_strengths(self.deal.ranks, self.deal.own + self.deal.community, self.wild_kicker)
        return np.array(table, np.int64)

    def _disjoint(self, cards: int, taken: int) -> Ints:
        """Return the indices of the sets of `cards` ranks that contain none of `taken`."""
        if (cards, taken) not in self._free:
            self._free[cards, taken] = np.flatnonzero(self._masks[cards] & taken == 0)
        return self._free[cards, taken]

    def _communities(self) -> Iterator[_Community]:
        for deuces in range(min(DEUCES - self.pattern.deuces, self.deal.community) + 1):
            for suits in _spread(self.deal.community - deuces, len(self.deal.ranks)):
                if all(h + c <= len(self.deal.ranks) for h, c in zip(self.pattern.suits, suits, strict=True)):
                    yield self._community(suits, deuces)

    def _community(self, suits: tuple[int, ...], deuces: int) -> _Community:
        """Return the results from counts alone: shorter dealers by the number of cards, and dealers that may be of
        equal length."""
        held = [mine + shared for mine, shared in zip(self.pattern.suits, suits, strict=True)]
        left = [len(self.deal.ranks) - cards for cards in held]
        left_deuces = DEUCES - self.pattern.deuces - deuces
        length = max(held) + self.pattern.deuces + deuces

        def up_to(longest: int) -> int:
            return sum(
                comb(left_deuces, drawn)
                * _ways(left, [longest - deuces - drawn - shared for shared in suits], self.deal.own - drawn)
                for drawn in range(min(left_deuces, self.deal.own) + 1)
            )

        no_longer = [up_to(longest) for longest in range(length)]
        exactly = [b - a for a, b in zip([0, *no_longer], no_longer, strict=False)]
        terms: list[_Term] = []
        for drawn in range(min(left_deuces, self.deal.own) + 1):
            need = [length - deuces - drawn - shared for shared in suits]
            terms += _terms(left, need, self.deal.own - drawn, deuces + drawn, comb(left_deuces, drawn))
        longest = tuple(suit for suit, cards in enumerate(held) if cards == max(held))
        return _Community(suits, deuces, [0, *reversed(exactly)], terms, longest)

    def _equal_length(self, community: _Community, masks: Sequence[int]) -> tuple[Ints, Ints]:
        """Return the dealers of the player's length with lower ranks, and with lower or equal ranks, for all hands that
        hold none of the community."""
        mine = self._strength[self.pattern.deuces + community.deuces]
        best = np.zeros((1,) * SUITS, np.int64)
        for suit in community.longest:
            own = self._masks[self.pattern.suits[suit]][self._disjoint(self.pattern.suits[suit], masks[suit])]
            best = np.maximum(best, _along(suit, mine[own | masks[suit]]))
        lower = lower_or_same = np.zeros((1,) * SUITS, np.int64)
        seen: dict[tuple[int, int, int], tuple[Ints, Ints]] = {}
        for ways, deuces, reaching in community.terms:
            product_lower = product_same = np.full((1,) * SUITS, ways)
            for suit, cards in reaching:
                key = suit, cards, deuces
                if key not in seen:
                    seen[key] = self._count_below_best(suit, cards, deuces, masks[suit], best)
                product_lower, product_same = product_lower * seen[key][0], product_same * seen[key][1]
            lower, lower_or_same = lower + product_lower, lower_or_same + product_same
        return lower, lower_or_same

    def _count_below_best(self, suit: int, cards: int, deuces: int, shared: int, best: Ints) -> tuple[Ints, Ints]:
        """Return the number of sets of `cards` of a suit that make, with `shared` and `deuces`, a flush below `best`,
        and one not above it."""
        held = self.pattern.suits[suit]
        key = held, shared, cards, deuces
        if key not in self._running:
            drawn = self._masks[cards][self._disjoint(cards, shared)]
            strength = self._strength[deuces][drawn | shared]
            order = np.argsort(strength)
            own = self._masks[held][self._disjoint(held, shared)]
            can_be = drawn[order][:, None] & own[None, :] == 0
            running = np.zeros((len(drawn) + 1, len(own)), np.int32)
            np.cumsum(can_be, axis=0, dtype=np.int32, out=running[1:])
            self._running[key] = strength[order], running
        strengths, running = self._running[key]
        hands = _along(suit, np.arange(running.shape[1]))
        below = running[np.searchsorted(strengths, best, "left"), hands]
        not_above = running[np.searchsorted(strengths, best, "right"), hands]
        return below.astype(np.int64), not_above.astype(np.int64)


def _along(axis: int, values: Ints) -> Ints:
    return values.reshape([-1 if each == axis else 1 for each in range(SUITS)])


def _ways(left: Sequence[int], most: Sequence[int], cards: int) -> int:
    """Return the ways to draw `cards` from suits with `left` cards each and at most `most` of each; 0 if a limit is
    negative."""
    if min(most, default=0) < 0:
        return 0
    ways = [1] + [0] * cards
    for there, limit in zip(left, most, strict=True):
        ways = [
            sum(ways[total - drawn] * comb(there, drawn) for drawn in range(min(limit, total) + 1))
            for total in range(cards + 1)
        ]
    return ways[cards]


def _terms(left: Sequence[int], need: Sequence[int], cards: int, deuces: int, copies: int) -> Iterator[_Term]:
    """Yield the dealers that reach `need` in some suits and stay below it in the others, by these suits."""
    if min(need) < 0:
        return
    for chosen in product((False, True), repeat=SUITS):
        reaching = tuple((suit, need[suit]) for suit in range(SUITS) if chosen[suit])
        rest = cards - sum(drawn for _, drawn in reaching)
        if not reaching or rest < 0 or any(drawn > left[suit] for suit, drawn in reaching):
            continue
        others = [suit for suit in range(SUITS) if not chosen[suit]]
        ways = copies * _ways([left[suit] for suit in others], [need[suit] - 1 for suit in others], rest)
        if ways:
            yield _Term(ways, deuces, reaching)


def flush_strengths(ranks: Sequence[int], cards: int, wild_kicker: str) -> list[list[int]]:
    """Return the strength of flushes by [deuces][set of other ranks of one suit, bit n for `ranks[n]`].

    A longer flush is greater, then one with higher cards; equal numbers tie. 0 where there are more than `cards` cards.
    """
    table = []
    for deuces in range(5):
        row = [0] * (1 << len(ranks))
        for mask in range(len(row)):
            if mask.bit_count() + deuces <= cards:
                held = tuple(rank for index, rank in enumerate(ranks) if mask >> index & 1)
                row[mask] = _spell((len(held) + deuces, *complete(held, deuces, wild_kicker)), cards + 1)
        table.append(row)
    return table


def _spell(digits: Sequence[int], places: int) -> int:
    """Pack digits of four bits each into an integer, the first one highest."""
    return sum(digit << 4 * (places - place) for place, digit in enumerate(digits, start=1))
