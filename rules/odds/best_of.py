"""How many sets of five to seven cards have which best five-card hand, no card wild, by ranks and suits apart.

A set with five cards or more of one suit is a flush at least; two cards more can make no full house beside it, so the
ranks of that suit alone decide. Any other set is named by how often it holds each rank.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod
from typing import Final

from rules.hands.five_card import NOTHING

_RANKS: Final = range(13)  # ace to king
_RUNS: Final = tuple(frozenset((low + step) % 13 for step in range(5)) for low in range(10))
_ROYAL: Final = _RUNS[-1]


@cache
def count_best_hands(cards: int = 5) -> Counter[str]:
    """Name, as a progressive pay table has it -> how many of the C(52, `cards`) sets hold it at best."""
    if not 5 <= cards <= 7:
        raise ValueError(f"a best hand is counted over 5 to 7 cards, not {cards}")
    counted: Counter[str] = Counter()
    for of_suit in range(5, cards + 1):
        for ranks in combinations(_RANKS, of_suit):
            counted[_suited(frozenset(ranks))] += 4 * comb(39, cards - of_suit)
    for ranks in combinations_with_replacement(_RANKS, cards):
        times = Counter(ranks)
        if max(times.values()) <= 4:
            counted[_mixed(times)] += _without_flush(times.values())
    return counted


def _suited(ranks: frozenset[int]) -> str:
    if ranks >= _ROYAL:
        return "royal flush"
    return "straight flush" if any(ranks >= run for run in _RUNS) else "flush"


def _mixed(times: Counter[int]) -> str:
    frequent = sorted(times.values(), reverse=True)
    if frequent[0] == 4:
        return "four of a kind"
    if frequent[0] == 3 and len(frequent) > 1 and frequent[1] >= 2:
        return "full house"
    if any(times.keys() >= run for run in _RUNS):
        return "straight"
    return "three of a kind" if frequent[0] == 3 else NOTHING


def _without_flush(times: Iterable[int]) -> int:
    """Ways to give suits to ranks held so many times, no suit five times or more."""
    held = tuple(times)
    of_suit = [1]  # index: cards of one given suit
    for number in held:
        with_it, without = comb(3, number - 1), comb(3, number)
        of_suit = [a * without + b * with_it for a, b in zip([*of_suit, 0], [0, *of_suit], strict=True)]
    return prod(comb(4, number) for number in held) - 4 * sum(of_suit[5:])
