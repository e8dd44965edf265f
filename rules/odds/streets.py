"""Fold, or bet once to several times the ante, before each community card.

What was bet before is lost by folding, so a decision hangs on it: the same cards may be folded behind little and
played behind much (CO 47.1-1017.46(6)-(8)). A bet in the blind is one made without looking, and never better. Every
bet is paid by the one hand of all cards.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import comb, perm

import numpy as np

from rules.odds.best_play import PlayedOut, RowPays, units
from rules.odds.in_words import in_words
from rules.odds.joint import Ending
from rules.odds.placed_sets import Choose, Ints, Pack, all_sets, choices, count_rows, extend, shrink

Taken = Mapping[tuple[int, int], Ints]
"""(decision, staked so far) -> for each set of cards the option: 0 folds, n takes the n-th of the raises."""


@dataclass(frozen=True, slots=True)
class StreetShape:
    """`own` cards, a community up to `size` cards in all, and for each of its cards the raises that may be made before
    it, in antes, least first."""

    own: int
    size: int
    raises: tuple[tuple[int, ...], ...]

    @property
    def streets(self) -> int:
        """How often the player decides."""
        return self.size - self.own

    def before(self, street: int) -> list[int]:
        """What can be staked when a street is reached, the ante included."""
        staked = {1}
        for raises in self.raises[:street]:
            staked = {so_far + more for so_far in staked for more in raises}
        return sorted(staked)


def streets(pack: Pack, rows: Ints, pays: RowPays, shape: StreetShape, *, choose: Choose | None = None) -> PlayedOut:
    """The ante and a bet a street. `rows` has the row of every set of `size` cards in order of place.

    Of options that gain the same the least raise is taken, folding last. `choose` gives 0 for a fold and n for the n-th
    raise. Deals: own cards as a set, the community in order.
    """
    nets, scale = pays.whole()
    last = count_rows(pack.size, rows, len(nets), shape.size, shape.size - 1)
    return _count(pack, shape, last, pays, _taken(pack, shape, last @ nets, scale, choose))


def _taken(pack: Pack, shape: StreetShape, gains: Ints, scale: int, choose: Choose | None) -> Taken:
    """Backwards: `gains` is what a unit gains for each set before the last card, summed over the cards to come."""
    taken: dict[tuple[int, int], Ints] = {}
    last = shape.streets - 1
    ends = pack.size - shape.size + 1  # deals that follow the decision
    worth = {staked: staked * gains for staked in shape.before(shape.streets)}
    for street in range(last, -1, -1):
        known = shape.own + street
        chosen = choices(pack, all_sets(pack.size, known), street, choose)
        values: dict[int, Ints] = {}
        for so_far in shape.before(street):
            options = np.stack([worth[so_far + more] for more in shape.raises[street]])
            options = np.concatenate([options, np.full((1, options.shape[1]), -so_far * scale * ends)])
            # The fold comes last here, so that it is not taken for a bet that gains the same, and is 0 elsewhere.
            best = np.argmax(options, axis=0) if chosen is None else (chosen - 1) % len(options)
            taken[street, so_far] = (best + 1) % len(options)
            values[so_far] = np.take_along_axis(options, best[None, :], axis=0)[0]
        worth = {so_far: shrink(pack.size, value, known) for so_far, value in values.items()} if street else {}
        ends *= pack.size - known + 1
    return taken


def _count(pack: Pack, shape: StreetShape, last: Ints, pays: RowPays, taken: Taken) -> PlayedOut:
    """Forwards: how many deals come to each set by each run of bets, and how they end."""
    ways: Counter[Ending] = Counter()
    decided: dict[str, Counter[str]] = defaultdict(Counter)
    reached: dict[tuple[int, ...], Ints] = {(): np.ones(comb(pack.size, shape.own), np.int64)}
    for street in range(shape.streets):
        follow = perm(pack.size - shape.own - street, shape.streets - street)
        going_on: dict[tuple[int, ...], Ints] = {}
        for bets, counts in reached.items():
            option = taken[street, 1 + sum(bets)]
            for number, more in enumerate((0, *shape.raises[street])):
                here = np.where(option == number, counts, 0)
                decided[f"street {street + 1}"][f"{more}x" if more else "fold"] += int(here.sum())
                if more:
                    going_on[*bets, more] = here
                elif folded := int(here.sum()) * follow:
                    ways[_folded(shape, bets)] += folded
        known = shape.own + street + 1
        reached = (
            going_on if known == shape.size else {bets: extend(pack.size, n, known) for bets, n in going_on.items()}
        )
    for bets, counts in reached.items():
        for row, deals in enumerate((counts @ last).tolist()):
            if deals:
                ways[_shown(bets, pays, row)] += deals
    options = ("fold", *(f"{more}x" for more in shape.raises[0]))
    first = in_words(pack, shape.own, taken[0, 1], options)
    return PlayedOut(ways, {street: dict(options) for street, options in decided.items()}, first)


def _folded(shape: StreetShape, bets: tuple[int, ...]) -> Ending:
    stakes = units(1, *bets, *[0] * (shape.streets - len(bets)))
    return Ending(stakes, tuple(-stake for stake in stakes), f"fold at street {len(bets) + 1}", ("",) * len(stakes))


def _shown(bets: Sequence[int], pays: RowPays, row: int) -> Ending:
    stakes = units(1, *bets)
    what = f"bets {'-'.join(map(str, bets))}"
    return Ending(stakes, tuple(stake * pays.nets[row] for stake in stakes), what, (pays.name(row),) * len(stakes))
