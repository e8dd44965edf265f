"""Exact counts by combinatorics: longest flushes, and the results of a race of columns."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Final

from protocol.cards import DECK
from rules.kinds.race import flush_end
from rules.paytables.conditions import SUITS, RaceEnd

_OF_SUIT: Final = 13

# ------------------------------------------------------------------ flushes, deuces wild


def count_flush_lengths(natural: str = "own-suit", *, cards: int = 7, ranks: int = 12) -> Counter[tuple[int, int]]:
    """Count hands of `cards` cards by (longest natural flush, longest flush), from four suits with a deuce and `ranks`
    others.

    The reading `natural` decides if a deuce counts in a natural flush. Ranks do not change the lengths, so a hand is
    reduced to its deuces and the number of other cards of each suit: a few thousand cases for all C(52,7) hands.
    """
    counted: Counter[tuple[int, int]] = Counter()
    for deuces in product((0, 1), repeat=len(SUITS)):
        wild = sum(deuces)
        stands = deuces if natural == "own-suit" else (0,) * len(SUITS)
        for suits in product(range(ranks + 1), repeat=len(SUITS) - 1):
            last = cards - wild - sum(suits)
            if 0 <= last <= ranks:
                held = (*suits, last)
                ways = prod(comb(ranks, number) for number in held)
                real = max(number + deuce for number, deuce in zip(held, stands, strict=True))
                counted[real, max(held) + wild] += ways
    return counted


# ------------------------------------------------------------------ a race of columns


def finishing_card(column: int = 5, most: int = 16, decks: int = 1) -> dict[int, Fraction]:
    """Return the probability by the number of cards drawn when a suit first has `column` cards; key 0 if no suit has
    within `most` cards."""
    found: dict[int, Fraction] = {}
    for cards in range(column, most + 1):
        before = cards - 1
        ways = comb(_OF_SUIT * decks, column - 1) * _short(before - (column - 1), column, decks)
        next_is_of_suit = Fraction(_OF_SUIT * decks - (column - 1), len(DECK) * decks - before)
        found[cards] = len(SUITS) * Fraction(ways, comb(len(DECK) * decks, before)) * next_is_of_suit
    found[0] = 1 - sum(found.values(), Fraction(0))
    return found


def _short(cards: int, column: int, decks: int) -> int:
    """Return the ways to draw `cards` from the three other suits, fewer than `column` of each."""
    return sum(
        prod(comb(_OF_SUIT * decks, number) for number in held)
        for held in product(range(column), repeat=len(SUITS) - 1)
        if sum(held) == cards
    )


def race_ends(column: int, most: int, readings: Mapping[str, str], decks: int = 1) -> dict[RaceEnd, Fraction]:
    """Return the probability of every result of a race, with an extra card drawn if no suit won; they add up to 1.

    The ranks in the winning column do not depend on the time it was filled: all are equally likely.
    """
    return dict(_race_ends(column, most, tuple(sorted(readings.items())), decks))


@cache
def _race_ends(column: int, most: int, readings: tuple[tuple[str, str], ...], decks: int) -> dict[RaceEnd, Fraction]:
    cards = finishing_card(column, most, decks)
    ends: dict[RaceEnd, Fraction] = {}
    for letter, suit in SUITS.items():
        own = [card for card in DECK if card.suit == letter]
        flushes: Counter[RaceEnd] = Counter()
        for chosen in combinations_with_replacement(own, column):
            copies = prod(comb(decks, times) for times in Counter(chosen).values())
            if copies:
                flushes[flush_end(0, suit, list(chosen), dict(readings))] += copies
        for flush, number in flushes.items():
            of_suit = Fraction(number, flushes.total() * len(SUITS))
            ends |= {flush._replace(cards=drawn): of_suit * chance for drawn, chance in cards.items() if drawn}
        ends[RaceEnd(extra=suit)] = cards[0] / len(SUITS)
    return ends
