"""How a race of columns can end, with exact probabilities: after how many cards, in which suit, with what flush."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, prod
from typing import Final

from protocol.cards import DECK
from rules.conditions import SUITS, RaceEnd
from rules.race import flush_end

_OF_SUIT: Final = 13
_OTHERS: Final = len(SUITS) - 1


def finishing_card(column: int = 5, most: int = 16) -> dict[int, Fraction]:
    """Cards drawn when a suit first has `column` cards -> probability; 0 for no such suit within `most` cards."""
    found: dict[int, Fraction] = {}
    for cards in range(column, most + 1):
        before = cards - 1
        ways = comb(_OF_SUIT, column - 1) * _short(before - (column - 1), column)
        next_is_of_suit = Fraction(_OF_SUIT - (column - 1), len(DECK) - before)
        found[cards] = len(SUITS) * Fraction(ways, comb(len(DECK), before)) * next_is_of_suit
    found[0] = 1 - sum(found.values(), Fraction(0))
    return found


def _short(cards: int, column: int) -> int:
    """Ways to draw `cards` from the three other suits, fewer than `column` of each."""
    return sum(
        prod(comb(_OF_SUIT, number) for number in held)
        for held in product(range(column), repeat=_OTHERS)
        if sum(held) == cards
    )


def race_ends(column: int, most: int, readings: Mapping[str, str]) -> dict[RaceEnd, Fraction]:
    """Every way a race ends, with an extra card drawn when no suit has won, and its probability; they add up to 1.

    Which ranks stand in the winning column does not hang on when it was filled: any are as likely as any others.
    """
    return dict(_race_ends(column, most, tuple(sorted(readings.items()))))


@cache
def _race_ends(column: int, most: int, readings: tuple[tuple[str, str], ...]) -> dict[RaceEnd, Fraction]:
    cards = finishing_card(column, most)
    ends: dict[RaceEnd, Fraction] = {}
    for letter, suit in SUITS.items():
        own = [card for card in DECK if card.suit == letter]
        flushes = Counter(flush_end(0, suit, list(chosen), dict(readings)) for chosen in combinations(own, column))
        for flush, number in flushes.items():
            of_suit = Fraction(number, flushes.total() * len(SUITS))
            ends |= {flush._replace(cards=drawn): of_suit * chance for drawn, chance in cards.items() if drawn}
        ends[RaceEnd(extra=suit)] = cards[0] / len(SUITS)
    return ends
