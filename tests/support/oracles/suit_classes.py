"""Every hand of a given number of cards, one for all hands that only swap suits, with their number."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, groupby, product
from math import factorial, prod

from protocol.cards import CARDS, Card


def hands_by_suit(cards: int) -> Iterator[tuple[tuple[Card, ...], int]]:
    """Yield a hand of each class, and the number of hands in it: they add up to C(52, `cards`)."""
    for lengths in _partitions(cards, 4):
        groups = [
            list(combinations_with_replacement(list(combinations(range(1, 14), length)), len(list(alike))))
            for length, alike in groupby(lengths)
        ]
        for chosen in product(*groups):
            suits = [ranks for group in chosen for ranks in group]
            hand = tuple(CARDS[suit << 4 | rank] for suit, ranks in enumerate(suits, 1) for rank in ranks)
            yield hand, factorial(4) // prod(map(factorial, Counter(suits).values()))


def _partitions(cards: int, suits: int, most: int = 13) -> Iterator[tuple[int, ...]]:
    """Yield the ways to share cards out to suits, the longest first."""
    if suits == 0:
        if cards == 0:
            yield ()
        return
    for first in range(min(cards, most), -1, -1):
        for rest in _partitions(cards - first, suits - 1, first):
            yield (first, *rest)
