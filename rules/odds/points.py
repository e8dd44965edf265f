"""Two hands of points from one shoe: every total of the player's beside every total of the dealer's.

Nobody decides anything once the bets lie, so the totals are all there is to a bet on the higher or the lower one.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import combinations_with_replacement
from math import comb, prod


def count_points(shoe: Mapping[int, int], cards: int = 3) -> Counter[tuple[int, int]]:
    """(points of the player, of the dealer) -> deals, both hands as sets; `shoe`: points -> how many such cards."""
    hands = [Counter(held) for held in combinations_with_replacement(sorted(shoe), cards)]
    found: Counter[tuple[int, int]] = Counter()
    for mine in hands:
        ways = _ways(shoe, mine)
        left = {points: there - mine[points] for points, there in shoe.items()}
        for other in hands:
            found[_total(mine), _total(other)] += ways * _ways(left, other)
    return +found


def _ways(shoe: Mapping[int, int], held: Counter[int]) -> int:
    return prod(comb(max(shoe[points], 0), times) for points, times in held.items())


def _total(held: Counter[int]) -> int:
    return sum(points * times for points, times in held.items())
