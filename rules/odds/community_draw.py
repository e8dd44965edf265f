"""Any of the first cards are kept and community cards, in their order, fill the hand.

The player sees his own cards alone, and the community is any cards of the rest in any order, so he draws as many
cards as he lays aside (CO 47.1-1017.20(5)-(7)). What a hold can become is counted by inclusion and exclusion: among
all hands that hold the kept cards those without any card laid aside, from tables of how many hands hold given cards
and pay a row.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, perm

import numpy as np

from rules.odds.best_play import PlayedOut, RowPays
from rules.odds.joint import Ending
from rules.odds.placed_sets import Ints, Pack, Sets, all_sets, count_rows, fold, places


def community_draw(pack: Pack, rows: Ints, pays: RowPays, *, size: int, discards: Sequence[int]) -> PlayedOut:
    """One bet, paid by the row of the kept cards and the drawn ones. So many of the `size` cards may be laid down.

    `rows` has the row of every set of `size` cards in order of place. Of holds that gain the same, that of most cards
    is taken. Deals: own cards as a set, `size` community cards in order.
    """
    kinds = len(pays.nets)
    holding = [count_rows(pack.size, rows, kinds, size, known) for known in range(size)]
    holding.append(np.eye(kinds, dtype=np.int64)[rows])
    hands = fold(pack, all_sets(pack.size, size))
    holds = [kept for laid_down in sorted(discards) for kept in combinations(range(size), size - laid_down)]
    counting = _Draws(pack, hands.sets, holding)
    nets, _ = pays.whole()
    taken = counting.best(holds, [each @ nets for each in holding])
    ways: Counter[Ending] = Counter()
    decided: Counter[str] = Counter()
    for number, kept in enumerate(holds):
        chosen = np.flatnonzero(taken == number)
        found = (counting.drawn(kept, holding, chosen) * hands.weights[chosen, None]).sum(axis=0)
        decided[f"keep {len(kept)}"] += int(hands.weights[chosen].sum())
        for row, draws in enumerate(found.tolist()):
            end = Ending((Fraction(1),), (pays.nets[row],), f"keeps {len(kept)}", (pays.name(row),))
            ways[end] += draws * counting.copies(kept)
    return PlayedOut(+ways, {"hand": dict(decided)})


@dataclass(frozen=True, slots=True)
class _Draws:
    """`hands`, and tables, by number of cards, of the hands that hold given cards."""

    pack: Pack
    hands: Sets
    holding: list[Ints]

    def drawn(self, kept: tuple[int, ...], tables: list[Ints], chosen: Ints | slice) -> Ints:
        """`tables` summed over what `kept` cards of the `chosen` hands become, without the cards laid aside."""
        hands = self.hands[chosen]
        found = np.zeros((len(hands), *tables[0].shape[1:]), np.int64)
        for sign, cards in self._terms(kept):
            found += sign * tables[len(cards)][places(hands[:, cards])]
        return found

    def best(self, holds: list[tuple[int, ...]], gains: list[Ints]) -> Ints:
        """By hand, the hold that gains most; of equal ones the first."""
        most = np.full(len(self.hands), np.iinfo(np.int64).min)
        taken = np.zeros(len(self.hands), np.int64)
        for number, kept in enumerate(holds):
            gain = self.drawn(kept, gains, slice(None)) * self.copies(kept)
            taken[gain > most] = number
            np.maximum(most, gain, out=most)
        return taken

    def _terms(self, kept: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...]]]:
        laid_aside = [place for place in range(self.hands.shape[1]) if place not in kept]
        for more in range(len(laid_aside) + 1):
            for back in combinations(laid_aside, more):
                yield (-1) ** more, tuple(sorted((*kept, *back)))

    def copies(self, kept: tuple[int, ...]) -> int:
        """How many communities, in order, draw the same cards to a hold."""
        size, left = self.hands.shape[1], self.pack.size - self.hands.shape[1]
        return perm(left, size) // comb(left, size - len(kept))
