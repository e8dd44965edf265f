"""Sums over the counts of engines that decide for a player, in the form that tests need."""

from collections import Counter
from fractions import Fraction

from rules.odds.decide.holdem_terms import FirstBet, HoldemCount

Joint = Counter[tuple[tuple[Fraction, ...], tuple[Fraction, ...]]]
"""(stake of each bet, net of each bet) -> equally likely deals."""


def deals(found: HoldemCount) -> int:
    """Return the number of deals; the same board cards dealt in another round count as another deal."""
    return sum(found.ways.values())


def joint(found: HoldemCount, riders: tuple[FirstBet, ...] = ()) -> Joint:
    """Return the bets of the game together: the first bets, the raises, and then `riders`, which had no part in the
    decisions."""
    counted: Joint = Counter()
    for (line, ending), number in found.ways.items():
        stakes, nets = found.terms.gains(line, ending)
        more = tuple(Fraction(bet.staked) for bet in riders)
        counted[stakes + more, nets + tuple(bet.net(ending) for bet in riders)] += number
    return counted
