"""How many hands have which longest natural flush and longest flush: by how many cards of each suit they hold."""

from collections import Counter
from itertools import product
from math import comb, prod

_SUITS = 4


def count_flush_lengths(natural: str = "own-suit", *, cards: int = 7, ranks: int = 12) -> Counter[tuple[int, int]]:
    """(longest natural flush, longest flush) -> hands of `cards` cards from four suits of a deuce and `ranks` others.

    What a deuce is to a natural flush is the reading `natural`. Ranks change neither length, so a hand is counted by
    which deuces it holds and how many other cards of each suit: some thousand cases for all C(52,7) hands.
    """
    counted: Counter[tuple[int, int]] = Counter()
    for deuces in product((0, 1), repeat=_SUITS):
        wild = sum(deuces)
        stands = deuces if natural == "own-suit" else (0,) * _SUITS
        for suits in product(range(ranks + 1), repeat=_SUITS - 1):
            last = cards - wild - sum(suits)
            if 0 <= last <= ranks:
                held = (*suits, last)
                ways = prod(comb(ranks, number) for number in held)
                real = max(number + deuce for number, deuce in zip(held, stands, strict=True))
                counted[real, max(held) + wild] += ways
    return counted
