"""Three bets on one hand as it grows, a share of the last of which may be given up after the first cards.

The player sees his own cards before any community card and gives it up where he would lose more on average by keeping
the bet; he may only where all three bets are made (CO 47.1-1017.37(6)-(7)).
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rules.odds.best_play import PlayedOut, RowPays
from rules.odds.in_words import in_words
from rules.odds.joint import Ending
from rules.odds.placed_sets import Folded, Ints, Pack, RowFinder, Sets, all_sets, fold, places
from rules.odds.question import Progress
from rules.odds.two_more_cards import count_two_more


@dataclass(frozen=True, slots=True)
class LastCards:
    """Hands of the middle, alike ones folded, and for each how often the last cards lead to which row of `pays`."""

    pack: Pack
    middle: Folded
    counts: Ints
    pays: RowPays


def count_last(finder: RowFinder, pays: RowPays, middle: int, progress: Progress | None = None) -> LastCards:
    """What every hand of `middle` cards becomes with two more."""
    hands = fold(finder.pack, all_sets(finder.pack.size, middle))
    counts = count_two_more(finder, hands.sets, len(pays.nets), progress)
    return LastCards(finder.pack, hands, counts.astype(np.int64), pays)


@dataclass(frozen=True, slots=True)
class GrowingHand:
    """The rows of every set of the `own` cards and of two more, by place, with their pays; and what these become."""

    first: Ints
    middle: Ints
    first_pays: RowPays
    middle_pays: RowPays
    last: LastCards
    own: int = 3

    @property
    def pays(self) -> tuple[RowPays, RowPays, RowPays]:
        """Of the three hands."""
        return self.first_pays, self.middle_pays, self.last.pays


def surrender(hand: GrowingHand, share: Fraction, *, may: bool = True) -> PlayedOut:
    """The three bets, in order; a bet given up counts as staked whole and loses this share.

    A bet that loses as much on average either way is kept. Deals: own cards and each pair of the community as sets.
    """
    pack, last = hand.last.pack, hand.last
    kinds = [len(pays.nets) for pays in hand.pays]
    own = fold(pack, all_sets(pack.size, hand.own))
    nets, scale = last.pays.whole(RowPays((share,)))
    ways: Counter[Ending] = Counter()
    given_up: list[int] = []
    for cards, weight, place in zip(own.sets, own.weights.tolist(), places(own.sets).tolist(), strict=True):
        reached = places(_with_two(cards, pack.size))
        joint = np.zeros((kinds[1], kinds[2]), np.int64)
        np.add.at(joint, hand.middle[reached], last.counts[last.middle.of[reached]])
        gives_up = may and int((joint @ nets).sum()) < -int(share * scale) * int(joint.sum())
        given_up.append(int(gives_up))
        for middle, row in np.argwhere(joint).tolist():
            end = _ended(hand.pays, (int(hand.first[place]), middle, row), share if gives_up else None)
            ways[end] += weight * int(joint[middle, row])
    taken = np.array(given_up, np.int64)
    gave_up = int(own.weights @ taken)
    decided = {"hand": {"keep": int(own.weights.sum()) - gave_up, "surrender": gave_up}}
    return PlayedOut(ways, decided, in_words(pack, hand.own, taken[own.of], ("keep", "surrender")))


def _with_two(cards: Sets, pack: int) -> Sets:
    """`cards` with every two others, ascending."""
    left = np.setdiff1d(np.arange(pack, dtype=np.uint8), cards)
    pairs = left[all_sets(len(left), 2)]
    return np.sort(np.column_stack([pairs, np.tile(cards, (len(pairs), 1))]), axis=1)


def _ended(pays: tuple[RowPays, RowPays, RowPays], rows: tuple[int, int, int], given_up: Fraction | None) -> Ending:
    nets = [each.nets[row] for each, row in zip(pays, rows, strict=True)]
    names = [each.name(row) for each, row in zip(pays, rows, strict=True)]
    if given_up is not None:
        nets[2], names[2] = -given_up, ""
    return Ending((Fraction(1),) * 3, tuple(nets), "keep" if given_up is None else "surrender", tuple(names))
