"""One card is exchanged unseen, and the hand is compared with the dealer's best from one card more.

The player sees his first cards, lays one aside and gets another; the dealer gets one card more than makes a hand and
takes the best. No player folds. First cards that are good enough win at once (CO 47.1-1017.42(7)-(11)).

The value of a showdown depends on the cards seen (all of one hand and the new one) and on the discard, not on which
card is new. So it is counted once for every set of cards, with equivalent sets merged, and each discard. The dealer's
hands are processed from the weakest up, and counted by the sets of cards that they hold.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import comb, lcm
from typing import Final

import numpy as np

from rules.odds.against.versus import RunningCounts
from rules.odds.cards.placed_sets import Ints, Pack, SetClasses, chosen_places, with_card
from rules.odds.cards.table_rows import LOST, RowPays
from rules.odds.joint import Ending
from rules.odds.question import Progress

Nets = tuple[Fraction, Fraction, Fraction]
"""Gain of one unit by a win, a tie and a loss."""
EVEN: Final[Nets] = (Fraction(1), Fraction(0), LOST)


@dataclass(frozen=True, slots=True)
class Showdowns:
    """Showdowns by the number of the cards seen, ascending, and by discard: the level of the remaining cards, and the
    number of dealer's hands below it, and below or equal to it."""

    numbers: Ints
    levels: Ints
    below: Ints
    not_above: Ints


@dataclass(frozen=True, slots=True)
class ImmediateWins:
    """First cards that win without a draw: the row of every class of hands, and its gain; a class that loses draws."""

    rows: Ints
    pays: RowPays


@dataclass(frozen=True, slots=True)
class Exchanges:
    """First hands, equivalent ones merged, and by discard the number of dealer's hands below the resulting hand, and
    below or equal to it, over every new card."""

    pack: Pack
    hands: SetClasses
    below: Ints
    not_above: Ints


def count_exchanges(pack: Pack, levels: Ints, size: int = 5, progress: Progress | None = None) -> Exchanges:
    """Count all exchanges. `levels` has the strength of every class of hands of `size` cards as a small integer;
    greater is stronger and equal ones tie."""
    of_place = levels[pack.alike(size).of]
    return Exchanges(
        pack, pack.alike(size), *_by_discard(pack, size, of_place, showdowns(pack, size, of_place, progress))
    )


def unseen_draw(
    counted: Exchanges, *, at_once: ImmediateWins | None = None, nets: Nets = EVEN
) -> tuple[Counter[Ending], dict[str, int]]:
    """Return the endings of one bet with these `nets` for win, tie and loss, and the number of hands that exchange and
    that do not.

    Among cards whose exchange gains the same, the first is exchanged. A deal is: first cards as a set, the new card,
    the dealer's cards as a set.
    """
    pack, hands, size = counted.pack, counted.hands, counted.hands.sets.shape[1]
    win, tie, lose = (int(net * lcm(*(each.denominator for each in nets))) for net in nets)
    taken = np.argmax((win - tie) * counted.below + (tie - lose) * counted.not_above, axis=1)
    draws = hands.copies.copy()
    ways: Counter[Ending] = Counter()
    of_hand = (pack.size - size) * comb(pack.size - size - 1, size + 1)
    if at_once:
        for row, net in enumerate(at_once.pays.nets):
            if net != LOST:
                won = int(draws[at_once.rows == row].sum())
                ways[_ended(net, "wins at once", at_once.pays.name(row))] += won * of_hand
                draws[at_once.rows == row] = 0
    index = np.arange(len(draws))
    won, no_loss = _exact_dot(draws, counted.below[index, taken]), _exact_dot(draws, counted.not_above[index, taken])
    ways[_ended(nets[0], "win")] = won
    ways[_ended(nets[1], "tie")] = no_loss - won
    ways[_ended(nets[2], "lose")] = int(draws.sum()) * of_hand - no_loss
    decided = {"exchanges": int(draws.sum()), "wins at once": int((hands.copies - draws).sum())}
    return +ways, decided


def _ended(net: Fraction, what: str, row: str = "") -> Ending:
    return Ending((Fraction(1),), (net,), what, (row,))


def _exact_dot(weights: Ints, values: Ints) -> int:
    """Return the sum of products in Python integers, which cannot overflow."""
    return sum(weight * value for weight, value in zip(weights.tolist(), values.tolist(), strict=True))


def showdowns(pack: Pack, size: int, of_place: Ints, progress: Progress | None = None) -> Showdowns:
    """Count the showdowns of every class of cards seen; `of_place` has the level of every hand."""
    numbers, seen, copies = pack.classes(size + 1)
    kept = chosen_places(size + 1, size)[::-1]  # reversed: row n is the set without card n
    levels = np.stack([of_place[pack.places(seen[:, each])] for each in kept], axis=1)
    best, sign = levels.max(axis=1), (-1) ** (size + 1)
    below, not_above = np.zeros(levels.size, np.int64), np.zeros(levels.size, np.int64)
    held = [
        np.stack([pack.alike(cards).of[pack.places(seen[:, each])] for each in chosen_places(size + 1, cards)], axis=1)
        for cards in range(size + 1)
    ]
    running = RunningCounts(pack, range(size + 1))
    order, hands = np.argsort(levels, axis=None, kind="stable"), np.argsort(best, kind="stable")
    ends = np.searchsorted(levels.ravel()[order], np.arange(int(best.max()) + 2))
    for level, (start, stop) in enumerate(pairwise(ends.tolist())):
        at = order[start:stop]
        those = at // (size + 1)
        sets = [each[those] for each in held]
        below[at] = running.clear_of(sets) + sign * (best[those] < level)
        new = hands[slice(*np.searchsorted(best[hands], (level, level + 1)))]
        running.add([each[new] for each in held], copies[new])
        not_above[at] = running.clear_of(sets) + sign * (best[those] <= level)
        if progress:
            progress(stop, levels.size)
    return Showdowns(numbers, levels, below.reshape(levels.shape), not_above.reshape(levels.shape))


def _by_discard(pack: Pack, size: int, of_place: Ints, found: Showdowns) -> tuple[Ints, Ints]:
    """Return the dealer's hands below, and below or equal, by [hand, discard], summed over the new card."""
    hands = pack.alike(size).sets
    below, not_above = np.zeros(hands.shape, np.int64), np.zeros(hands.shape, np.int64)
    for card, (able, seen, _) in enumerate(pack.with_each_card(hands)):
        place = np.searchsorted(found.numbers, pack.suit_free(seen))
        for discard in range(size):
            kept = np.delete(hands[able], discard, axis=1)
            level = of_place[pack.places(with_card(kept, card))]
            # Equal levels have the same value, so any discard that leaves this level will do.
            column = np.argmax(found.levels[place] == level[:, None], axis=1)
            below[able, discard] += found.below[place, column]
            not_above[able, discard] += found.not_above[place, column]
    return below, not_above
