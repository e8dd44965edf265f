"""One card is exchanged unseen, and the hand is held against the best of one card more.

The player sees his first cards, lays one aside and gets another; the dealer gets one card more than makes a hand
and takes the best. Nobody folds. First cards that are good enough win at once (CO 47.1-1017.42(7)-(11)).

What a showdown is worth depends on the cards seen, all of one hand and the new one, and on which of them was laid
aside, not on which is new: so it is counted once for every set of cards, alike sets folded, and each card laid
aside.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Final

import numpy as np

from rules.odds.best_of_one_more import BestOfOneMore, Levels
from rules.odds.joint import Ending
from rules.odds.placed_sets import Folded, Ints, Pack, Sets, places, signatures, with_card
from rules.odds.question import Progress
from rules.odds.table_rows import LOST, RowPays

_CHUNK = 1 << 15
Nets = tuple[Fraction, Fraction, Fraction]
"""What a unit gains by a win, a tie and a loss."""
EVEN: Final[Nets] = (Fraction(1), Fraction(0), LOST)


@dataclass(frozen=True, slots=True)
class _Showdowns:
    """By signature of the cards seen, ascending, and by the card laid aside: the level of the others, and how many of
    the dealer's hands are below it, and below it or equal."""

    numbers: Ints
    levels: Levels
    below: Ints
    not_above: Ints


@dataclass(frozen=True, slots=True)
class AtOnce:
    """First cards that win without a draw: the row of every hand by place, and what it gains; one that loses draws."""

    rows: Ints
    pays: RowPays


@dataclass(frozen=True, slots=True)
class Exchanges:
    """First hands, alike ones folded, and by the card that is exchanged how many of the dealer's hands are below what
    is then made, and below it or equal, over every new card."""

    pack: Pack
    hands: Folded
    below: Ints
    not_above: Ints


def count_exchanges(pack: Pack, levels: Levels, size: int = 5, progress: Progress | None = None) -> Exchanges:
    """`levels` has the strength of every hand of `size` cards by place, without gaps."""
    dealer = BestOfOneMore(pack, size, levels)
    return Exchanges(pack, dealer.hands, *_by_discard(pack, dealer.hands.sets, levels, _showdowns(dealer, progress)))


def unseen_draw(
    counted: Exchanges, *, at_once: AtOnce | None = None, nets: Nets = EVEN
) -> tuple[Counter[Ending], dict[str, int]]:
    """How one bet ends whose win, tie and loss gain these `nets`, and how many hands are exchanged and how many not.

    Of cards whose exchange gains the same, the first is exchanged. Deals: first cards as a set, the new one, the
    dealer's as a set.
    """
    pack, hands, size = counted.pack, counted.hands, counted.hands.sets.shape[1]
    win, tie, lose = (int(net * lcm(*(each.denominator for each in nets))) for net in nets)
    taken = np.argmax((win - tie) * counted.below + (tie - lose) * counted.not_above, axis=1)
    draws = hands.weights.copy()
    ways: Counter[Ending] = Counter()
    of_hand = (pack.size - size) * comb(pack.size - size - 1, size + 1)
    if at_once:
        first = at_once.rows[places(hands.sets)]
        for row, net in enumerate(at_once.pays.nets):
            if net != LOST:
                won = int(draws[first == row].sum())
                ways[_ended(net, "wins at once", at_once.pays.name(row))] += won * of_hand
                draws[first == row] = 0
    index = np.arange(len(draws))
    won, no_loss = _dot(draws, counted.below[index, taken]), _dot(draws, counted.not_above[index, taken])
    ways[_ended(nets[0], "win")] = won
    ways[_ended(nets[1], "tie")] = no_loss - won
    ways[_ended(nets[2], "lose")] = int(draws.sum()) * of_hand - no_loss
    decided = {"exchanges": int(draws.sum()), "wins at once": int((hands.weights - draws).sum())}
    return +ways, decided


def _ended(net: Fraction, what: str, row: str = "") -> Ending:
    return Ending((Fraction(1),), (net,), what, (row,))


def _dot(weights: Ints, values: Ints) -> int:
    """Their products' sum, as long as it may be."""
    return sum(weight * value for weight, value in zip(weights.tolist(), values.tolist(), strict=True))


def _showdowns(dealer: BestOfOneMore, progress: Progress | None) -> _Showdowns:
    parts = list(dealer.seen_sets())
    sets = np.concatenate(parts)
    numbers, first = np.unique(signatures(dealer.pack, sets, 1), return_index=True)
    sets = sets[first]
    shape = len(sets), dealer.size + 1
    levels, below, not_above = np.zeros(shape, np.int16), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for start in range(0, len(sets), _CHUNK):
        part = slice(start, start + _CHUNK)
        seen = sets[part]
        for place in range(dealer.size + 1):
            levels[part, place] = dealer.levels[places(np.delete(seen, place, axis=1))]
        below[part], not_above[part] = dealer.below(seen, levels[part])
        if progress:
            progress(min(start + _CHUNK, len(sets)), len(sets))
    return _Showdowns(numbers, levels, below, not_above)


def _by_discard(pack: Pack, hands: Sets, levels: Levels, found: _Showdowns) -> tuple[Ints, Ints]:
    """[hand, card laid aside] -> the dealer's hands below, and below or equal, summed over the new card."""
    below, not_above = np.zeros(hands.shape, np.int64), np.zeros(hands.shape, np.int64)
    for card in range(pack.size):
        able = np.flatnonzero((hands != card).all(axis=1))
        seen = with_card(hands[able], card)
        place = np.searchsorted(found.numbers, signatures(pack, seen, 1))
        for discard in range(hands.shape[1]):
            kept = np.delete(hands[able], discard, axis=1)
            level = levels[places(with_card(kept, card))]
            # Equal levels are worth the same, so any place that leaves this level will do.
            column = np.argmax(found.levels[place] == level[:, None], axis=1)
            below[able, discard] += found.below[place, column]
            not_above[able, discard] += found.not_above[place, column]
    return below, not_above
