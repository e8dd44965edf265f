"""Exact counts by combinatorics: best five-card hands, longest flushes, and the ends of a race of columns."""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, combinations_with_replacement, product
from math import comb, prod
from typing import Final

from protocol.cards import DECK
from rules.hands.five_card import NOTHING
from rules.kinds.race import flush_end
from rules.paytables.conditions import SUITS, RaceEnd

_RANKS: Final = range(13)  # ace to king
_RUNS: Final = tuple(frozenset((low + step) % 13 for step in range(5)) for low in range(10))
_ROYAL: Final = _RUNS[-1]
_OF_SUIT: Final = 13

# ------------------------------------------------------------------ five-card hands, no card wild

# A set with five cards or more of one suit is a flush at least; two cards more can make no full house beside it, so the
# ranks of that suit alone decide. Any other set is named by how often it holds each rank.


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


# ------------------------------------------------------------------ flushes, deuces wild


def count_flush_lengths(natural: str = "own-suit", *, cards: int = 7, ranks: int = 12) -> Counter[tuple[int, int]]:
    """(longest natural flush, longest flush) -> hands of `cards` cards from four suits of a deuce and `ranks` others.

    What a deuce is to a natural flush is the reading `natural`. Ranks change neither length, so a hand is counted by
    which deuces it holds and how many other cards of each suit: some thousand cases for all C(52,7) hands.
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
    """Cards drawn when a suit first has `column` cards -> probability; 0 for no such suit within `most` cards."""
    found: dict[int, Fraction] = {}
    for cards in range(column, most + 1):
        before = cards - 1
        ways = comb(_OF_SUIT * decks, column - 1) * _short(before - (column - 1), column, decks)
        next_is_of_suit = Fraction(_OF_SUIT * decks - (column - 1), len(DECK) * decks - before)
        found[cards] = len(SUITS) * Fraction(ways, comb(len(DECK) * decks, before)) * next_is_of_suit
    found[0] = 1 - sum(found.values(), Fraction(0))
    return found


def _short(cards: int, column: int, decks: int) -> int:
    """Ways to draw `cards` from the three other suits, fewer than `column` of each."""
    return sum(
        prod(comb(_OF_SUIT * decks, number) for number in held)
        for held in product(range(column), repeat=len(SUITS) - 1)
        if sum(held) == cards
    )


def race_ends(column: int, most: int, readings: Mapping[str, str], decks: int = 1) -> dict[RaceEnd, Fraction]:
    """Every way a race ends, with an extra card drawn when no suit has won, and its probability; they add up to 1.

    Which ranks stand in the winning column does not hang on when it was filled: any are as likely as any others.
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
