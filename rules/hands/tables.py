"""Hands by table, for counting many: a five-card hand is five steps through a tree, a flush four look-ups.

A card stands here by its *place* in `protocol.cards.DECK`, 0 to 51. Cards are taken on trust: five places must be of
five different cards. `rules.hands.bulk` does the same for whole arrays of hands.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any, Final

from protocol.cards import DECK, Card
from rules.hands.five_card import NOTHING
from rules.hands.longest_flush import ACE, complete

PLACES: Final[Mapping[Card, int]] = {card: place for place, card in enumerate(DECK)}
"""Card -> its place in the deck."""

RANKS: Final = tuple(range(2, ACE + 1))
"""Deuce to ace, as numbers."""

CLASSES: Final = 7462
"""How many five-card hands differ in strength."""

_CATEGORIES: Final = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
_SHAPES: Final = {(1, 1, 1, 1, 1): 0, (2, 1, 1, 1): 1, (2, 2, 1): 2, (3, 1, 1): 3, (3, 2): 6, (4, 1): 7}
_WHEEL: Final = (5, 4, 3, 2, ACE)

Ranks = tuple[int, ...]
Strength = tuple[int, Ranks]


@cache
def class_table() -> dict[tuple[Ranks, bool], int]:
    """Ranks from low to high, and whether they are of one suit -> class of the hand, 1 the weakest to 7,462."""
    strengths = {
        (ranks, suited): _strength(ranks, suited)
        for ranks in combinations_with_replacement(RANKS, 5)
        for suited in (False, True)
        if ranks[0] != ranks[4] and not (suited and len(set(ranks)) < 5)
    }
    order = {strength: number for number, strength in enumerate(sorted(set(strengths.values())), start=1)}
    return {hand: order[strength] for hand, strength in strengths.items()}


def _strength(ranks: Ranks, suited: bool) -> Strength:
    """Category, then the ranks that decide, the most frequent first."""
    counts = Counter(ranks)
    deciding = tuple(sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True))
    category = _SHAPES[tuple(counts[rank] for rank in deciding)]
    if category == 0:
        if set(deciding) == set(_WHEEL):
            deciding = _WHEEL
        straight = deciding == _WHEEL or deciding[0] - deciding[4] == 4
        category = (8 if suited else 4) if straight else 5 if suited else 0
    return category, deciding


@cache
def class_names() -> tuple[str, ...]:
    """Class -> what a progressive pay table calls the hand; no class is 0."""
    names = [""] * (CLASSES + 1)
    for (ranks, suited), number in class_table().items():
        category, deciding = _strength(ranks, suited)
        name = _CATEGORIES[category]
        royal = name == "straight flush" and deciding[0] == ACE
        names[number] = "royal flush" if royal else name if category >= 3 else NOTHING
    return tuple(names)


@cache
def five_card_tree() -> Any:
    """Five cards one after the other: `tree[a][b][c][d][e]` is the class of the hand at those places.

    Built on first use, in well under a second. Branches where it is all the same are shared: after some cards a branch
    stands for their ranks, and for their suit as long as there is one.
    """
    return _branch((), None)


@cache
def _branch(ranks: Ranks, suit: int | None) -> Any:
    if len(ranks) == 5:
        return class_table()[ranks, suit is not None]
    branch: list[Any] = [None] * len(DECK)
    for place, card in enumerate(DECK):
        rank = ACE if card & 0x0F == 1 else card & 0x0F
        shared = card >> 4 if not ranks or suit == card >> 4 else None
        if ranks.count(rank) < 4 and not (shared and rank in ranks):
            branch[place] = _branch(tuple(sorted((*ranks, rank))), shared)
    return branch


def five_card_class(cards: Iterable[Card]) -> int:
    """Class of five different playing cards, 1 the weakest to 7,462."""
    found = five_card_tree()
    for card in cards:
        found = found[PLACES[card]]
    return int(found)


def count_five_card_hands() -> dict[str, int]:
    """Name -> how many of the 2,598,960 hands have it."""
    names, counted = class_names(), Counter[str]()
    for (ranks, suited), number in class_table().items():
        suits = 4 if suited else prod(comb(4, times) for times in Counter(ranks).values())
        counted[names[number]] += suits - 4 if not suited and len(set(ranks)) == 5 else suits
    return dict(counted)


def flush_strengths(ranks: Sequence[int], cards: int, wild_kicker: str) -> list[list[int]]:
    """[deuces][set of other ranks of one suit, bit n for `ranks[n]`] -> the flush they make, as a number.

    A longer flush is greater, then one with higher cards; equal numbers tie. 0 where there are over `cards` cards.
    """
    table = []
    for deuces in range(5):
        row = [0] * (1 << len(ranks))
        for mask in range(len(row)):
            if mask.bit_count() + deuces <= cards:
                held = [rank for index, rank in enumerate(ranks) if mask >> index & 1]
                row[mask] = _spell((len(held) + deuces, *complete(held, deuces, wild_kicker)), cards + 1)
        table.append(row)
    return table


def _spell(digits: Sequence[int], places: int) -> int:
    """Digits of four bits each, the first one highest."""
    return sum(digit << 4 * (places - place) for place, digit in enumerate(digits, start=1))


FLUSH_RANKS: Final = RANKS[1:]
"""The ranks that are not wild."""


def _word(card: Card) -> int:
    suit = (card >> 4) - 1
    if card & 0x0F == 2:
        return (1 << 48) + (1 << 52 + suit)
    rank = ACE if card & 0x0F == 1 else card & 0x0F
    return 1 << 12 * suit + FLUSH_RANKS.index(rank)


FLUSH_WORDS: Final = tuple(_word(card) for card in DECK)
"""Place -> a card as a number; a hand is the sum. Twelve bits a suit, deuces counted at 48, their suits from 52 up."""


def flush_strength(word: int, table: Sequence[Sequence[int]]) -> int:
    """Strength of the best flush in a hand given as a sum of `FLUSH_WORDS`, by a table for `FLUSH_RANKS`."""
    row = table[word >> 48 & 7]
    return max(row[word & 4095], row[word >> 12 & 4095], row[word >> 24 & 4095], row[word >> 36 & 4095])
