"""One of the first cards is laid aside, the rest and the flop make the hand; a bet beside the ante before the flop.

Either folding loses the ante and going on takes the bet, or the bet is free to choose and nobody folds. A hand that
wins by its first cards alone may be shown at once, is paid on the ante only, and its play is over (CO
47.1-1017.16(6)-(7)). A bonus on the same cards has no bearing on the other bets ((8)(c)), but the player who looks
at it discards otherwise.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final

import numpy as np

from rules.odds.best_play import LOST, PlayedOut, RowPays
from rules.odds.in_words import in_words
from rules.odds.joint import Ending
from rules.odds.placed_sets import Choose, Ints, Pack, Sets, all_sets, choices, count_rows, fold, places

FOLD: Final = "fold"
STAY: Final = "stay"
BET: Final = "bet"
DECLARE: Final = "declare"
NO_ROW: Final = -1
_NEVER: Final = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class HandPays:
    """The row of every complete hand and of every set of first cards, NO_ROW where these cannot be shown, by place; and
    what the rows pay."""

    rows: Ints
    declared: Ints
    pays: RowPays


@dataclass(frozen=True, slots=True)
class DiscardShape:
    """`own` cards, one of which is laid aside, and a hand of `size`; whether the ante may be folded, or else kept
    without a bet. `bonus` is what he bets on it, in antes; `for_main` False: he looks at the bonus alone."""

    own: int
    size: int
    folds: bool
    bonus: Fraction = Fraction(0)
    for_main: bool = True


def discard_one(
    pack: Pack, main: HandPays, bonus: HandPays | None, shape: DiscardShape, *, choose: Choose | None = None
) -> PlayedOut:
    """The ante, the bet and the bonus, in this order; a folded hand loses its bonus.

    Of options that gain the same, the first is taken of: stay, bet, declare, fold; of discards, that of the first card.
    `choose` gives 1 to bet and 0 not to; the rest is played best. Deals: own cards and the flop, each as a set.
    """
    counting = _Counting(pack, main, bonus or main, shape)
    return counting.run(choose)


@dataclass
class _Counting:
    pack: Pack
    main: HandPays
    bonus: HandPays
    shape: DiscardShape

    def run(self, choose: Choose | None) -> PlayedOut:
        shape = self.shape
        hands = fold(self.pack, all_sets(self.pack.size, shape.own))
        flops = comb(self.pack.size - shape.own, shape.size - shape.own + 1)
        kept = self._kept(hands.sets)
        declared = places(hands.sets)
        options = self._options()
        gains = np.stack(self._gains(kept, declared, flops))
        chosen = choices(self.pack, hands.sets, 0, choose)
        if chosen is not None:
            bets = np.array([option == BET for option, _ in options])
            gains[bets[:, None] != (chosen == 1)] = _NEVER
        taken = np.argmax(gains, axis=0)
        ways: Counter[Ending] = Counter()
        decided: Counter[str] = Counter()
        for number, (option, discard) in enumerate(options):
            weights = np.where(taken == number, hands.weights, 0)
            decided[option] += int(weights.sum())
            if option == FOLD:
                ways[self._ended(FOLD, None)] += int(weights.sum()) * flops
            elif option == DECLARE:
                for place, times in zip(declared[weights > 0].tolist(), weights[weights > 0].tolist(), strict=True):
                    pair = int(self.main.declared[place]), int(self.bonus.declared[place])
                    ways[self._ended(DECLARE, pair)] += times * flops
            else:
                for row, deals in enumerate((weights @ kept[discard]).tolist()):
                    ways[self._ended(option, divmod(row, len(self.bonus.pays.nets)))] += deals
        kinds = (BET, DECLARE, FOLD, STAY)
        kind_of = np.array([kinds.index(option) for option, _ in options])[taken[hands.of]]
        return PlayedOut(+ways, {"hand": dict(decided)}, in_words(self.pack, shape.own, kind_of, kinds))

    def _options(self) -> list[tuple[str, int]]:
        own = range(self.shape.own)
        found = [*((BET, card) for card in own), (DECLARE, 0)]
        return [*found, (FOLD, 0)] if self.shape.folds else [*((STAY, card) for card in own), *found]

    def _kept(self, hands: Sets) -> list[Ints]:
        """For each discard, in order: [hand, row of the main bets and the bonus] -> flops without the discard."""
        size, own = self.shape.size, self.shape.own
        rows = self.main.rows * len(self.bonus.pays.nets) + self.bonus.rows
        kinds = len(self.main.pays.nets) * len(self.bonus.pays.nets)
        with_discard = count_rows(self.pack.size, rows, kinds, size, own)[places(hands)]
        of_kept = count_rows(self.pack.size, rows, kinds, size, own - 1)
        kept = reversed(list(combinations(range(own), own - 1)))
        return [of_kept[places(hands[:, places_kept])] - with_discard for places_kept in kept]

    def _gains(self, kept: list[Ints], declared: Ints, flops: int) -> list[Ints]:
        """What each option gains for each hand, over all flops, in a common unit."""
        shape = self.shape
        units = Fraction(int(shape.for_main)), shape.bonus if shape.for_main else Fraction(1)
        scale = units[1].denominator
        main, by = self.main.pays.whole(self.bonus.pays)
        bonus, _ = self.bonus.pays.whole(self.main.pays)
        weigh = [int(unit * scale) for unit in units]
        by_row = {bets: (bets * weigh[0] * main[:, None] + weigh[1] * bonus[None, :]).ravel() for bets in (1, 2)}
        shown = weigh[0] * main[self.main.declared[declared]] + weigh[1] * bonus[self.bonus.declared[declared]]
        found = [each @ by_row[2] for each in kept]
        found.append(np.where(self.main.declared[declared] == NO_ROW, _NEVER, shown * flops))
        if shape.folds:
            return [*found, np.full(len(declared), -sum(weigh) * by * flops)]
        return [*(each @ by_row[1] for each in kept), *found]

    def _ended(self, option: str, rows: tuple[int, int] | None) -> Ending:
        made = Fraction(int(self.shape.bonus > 0 or not self.shape.for_main))
        units = self.shape.bonus if self.shape.for_main else Fraction(1)
        nets, names = (LOST, LOST), ("", "")
        if rows is not None:
            nets = self.main.pays.nets[rows[0]], self.bonus.pays.nets[rows[1]]
            names = self.main.pays.name(rows[0]), self.bonus.pays.name(rows[1])
        bet = Fraction(int(option == BET))
        return Ending(
            (Fraction(1), bet, units * made),
            (nets[0], bet * nets[0], units * made * nets[1]),
            option,
            (names[0], names[0] if bet else "", names[1] if made else ""),
        )
