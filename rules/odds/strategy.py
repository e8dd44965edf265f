"""Fold or play, decided for every hand a player can hold, and what that makes of the game.

The player decides on his own cards alone: the dealer's hand and the community are turned up afterwards (CO
47.1-1017.60 (7)-(8), WA FGW 7-8, SD 20:18:16:15.19 (6)-(7)). He plays when that loses less, or wins more, than folding.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm

import numpy as np

from rules.odds.showdown import DealShape, Ints, Pattern, Showdowns, patterns, showdowns


@dataclass(frozen=True, slots=True)
class Stake:
    """One of the bets that stand or fall together: its size in units, whether it is made by not folding, and what comes
    back of a unit, itself included, by the cards a win is won by (0: on the kickers)."""

    name: str
    units: int
    by_playing: bool
    back: Mapping[int, Fraction]


@dataclass(frozen=True, slots=True)
class PatternChoices:
    """The hands of one pattern, and how many of them are played."""

    pattern: Pattern
    hands: int
    played: int


@dataclass(frozen=True, slots=True)
class MainGame:
    """Outcomes over every hand and every way to deal on, under the best choice for each hand.

    `ways`: "fold", "lose", "tie", and the margin of a win in cards, 0 on the kickers; they add up to `total`.
    """

    ways: Mapping[str | int, int]
    total: int
    choices: tuple[PatternChoices, ...]

    @property
    def hands_played(self) -> int:
        """Of all hands a player can hold, those worth playing."""
        return sum(each.played for each in self.choices)

    def probability(self, outcome: str | int) -> Fraction:
        """Of an outcome named as in `ways`."""
        return Fraction(self.ways.get(outcome, 0), self.total)


def count_all(deal: DealShape, wild_kicker: str, *, workers: int = 1) -> list[Showdowns]:
    """The showdowns of every pattern, on `workers` processes."""
    count, todo = partial(showdowns, deal, wild_kicker=wild_kicker), patterns(deal)
    if workers < 2:
        return [count(pattern) for pattern in todo]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(count, todo))


def best_play(deal: DealShape, counted: Sequence[Showdowns], stakes: Sequence[Stake]) -> MainGame:
    """Fold or play, hand by hand, whichever gains more; a hand that gains the same either way is played."""
    scale = lcm(*(back.denominator for stake in stakes for back in stake.back.values()))
    ways: Counter[str | int] = Counter()
    choices = []
    for found in counted:
        play = _gain_of_playing(deal, found, stakes, scale) >= 0
        copies, played = found.pattern.copies, int(play.sum())
        ways["fold"] += copies * (play.size - played) * deal.completions
        ways["tie"] += copies * int(found.ties[play].sum())
        ways[0] += copies * int(found.by_kickers[play].sum())
        for margin, dealt in enumerate(found.by_length):
            if dealt:
                ways[margin] += copies * played * dealt
        choices.append(PatternChoices(found.pattern, copies * play.size, copies * played))
    total = deal.hands * deal.completions
    ways["lose"] = total - ways.total()
    return MainGame(ways, total, tuple(choices))


def _gain_of_playing(deal: DealShape, found: Showdowns, stakes: Sequence[Stake], scale: int) -> Ints:
    """What playing gains over folding, hand by hand, summed over every way to deal on, in 1/`scale` units."""

    staked = sum(stake.units for stake in stakes)
    if_folded = scale * sum(stake.units for stake in stakes if stake.by_playing)  # what is then not put at risk

    def back(margin: int) -> int:
        return int(scale * sum(stake.units * stake.back[margin] for stake in stakes))

    fixed = sum(back(margin) * dealt for margin, dealt in enumerate(found.by_length) if dealt)
    gained = fixed + back(0) * found.by_kickers + scale * staked * found.ties
    return np.asarray(gained - if_folded * deal.completions)
