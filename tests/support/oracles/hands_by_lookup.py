"""Poker hands by table, for large counts, in addition to the rankings that settle: a five-card hand is five steps
through a tree, a flush four look-ups, and whole arrays of hands go through NumPy.

A card is given by its *place* in `protocol.cards.DECK`, 0 to 51. Cards are not validated: five places must be of five
different cards. Arrays of hands come as columns: one array of places a card, all of one length. Work goes in blocks
that fit a processor's cache.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from protocol.cards import DECK, Card
from rules.hands.five_card import NOTHING
from rules.hands.longest_flush import ACE
from rules.odds.against.showdown import FLUSH_RANKS, flush_strengths

PLACES: Final[Mapping[Card, int]] = {card: place for place, card in enumerate(DECK)}
"""Card -> its place in the deck."""

RANKS: Final = tuple(range(2, ACE + 1))
"""Deuce to ace, as numbers."""

CLASSES: Final = 7462
"""Number of five-card hands that differ in strength."""

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
    """Return the class of the hand, 1 the weakest to 7,462, by its ranks from low to high and whether they are of one
    suit."""
    strengths = {
        (ranks, suited): _strength(ranks, suited)
        for ranks in combinations_with_replacement(RANKS, 5)
        for suited in (False, True)
        if ranks[0] != ranks[4] and not (suited and len(set(ranks)) < 5)
    }
    order = {strength: number for number, strength in enumerate(sorted(set(strengths.values())), start=1)}
    return {hand: order[strength] for hand, strength in strengths.items()}


def _strength(ranks: Ranks, suited: bool) -> Strength:
    """Return the category, then the ranks that decide, the most frequent first."""
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
    """Return the name of each class in a progressive pay table; no class is 0."""
    names = [""] * (CLASSES + 1)
    for (ranks, suited), number in class_table().items():
        category, deciding = _strength(ranks, suited)
        name = _CATEGORIES[category]
        royal = name == "straight flush" and deciding[0] == ACE
        names[number] = "royal flush" if royal else name if category >= 3 else NOTHING
    return tuple(names)


@cache
def five_card_tree() -> Any:
    """Return a tree over five cards one after the other: `tree[a][b][c][d][e]` is the class of the hand at those
    places.

    Built on first use, in well under a second. Branches with the same content are shared: after some cards a branch
    depends on their ranks alone, and on their suit as long as there is one.
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
    """Return the class of five different playing cards, 1 the weakest to 7,462."""
    found = five_card_tree()
    for card in cards:
        found = found[PLACES[card]]
    return int(found)


def count_five_card_hands() -> dict[str, int]:
    """Return the number of hands with each name, out of 2,598,960."""
    names, counted = class_names(), Counter[str]()
    for (ranks, suited), number in class_table().items():
        suits = 4 if suited else prod(comb(4, times) for times in Counter(ranks).values())
        counted[names[number]] += suits - 4 if not suited and len(set(ranks)) == 5 else suits
    return dict(counted)


def _word(card: Card) -> int:
    suit = (card >> 4) - 1
    if card & 0x0F == 2:
        return (1 << 48) + (1 << 52 + suit)
    rank = ACE if card & 0x0F == 1 else card & 0x0F
    return 1 << 12 * suit + FLUSH_RANKS.index(rank)


FLUSH_WORDS: Final = tuple(_word(card) for card in DECK)
"""Each card as a number, by place; a hand is the sum. Twelve bits a suit, deuces counted at 48, their suits from 52 up.
"""


def flush_strength(word: int, table: Sequence[Sequence[int]]) -> int:
    """Return the strength of the best flush in a hand given as a sum of `FLUSH_WORDS`, by a table for `FLUSH_RANKS`."""
    row = table[word >> 48 & 7]
    return max(row[word & 4095], row[word >> 12 & 4095], row[word >> 24 & 4095], row[word >> 36 & 4095])


# ------------------------------------------------------------------ in bulk

Column = npt.NDArray[np.integer[Any]]

BLOCK: Final = 1 << 14
_CARDS: Final = len(DECK)

# The smallest keys, found one after the other, that keep the sums of any five ranks apart, four of a rank at most.
_RANK_KEYS: Final = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
_SUMS: Final = 4 * _RANK_KEYS[-1] + _RANK_KEYS[-2] + 1
_SUIT_BIT: Final = 20
_SUM: Final = (1 << _SUIT_BIT) - 1


def five_card_classes(columns: Sequence[Column]) -> npt.NDArray[np.uint16]:
    """Return the class of each hand, 1 the weakest to 7,462; five columns of places of different cards."""
    one_two_three, four_five, classes = _five_card_tables()
    first, second, third, fourth, fifth = columns
    found = np.empty(len(first), np.uint16)
    for start in range(0, len(first), BLOCK):
        block = slice(start, start + BLOCK)
        left = one_two_three.take(
            (first[block].astype(np.intp) * _CARDS + second[block]) * _CARDS + third[block], mode="wrap"
        )
        right = four_five.take(fourth[block].astype(np.intp) * _CARDS + fifth[block], mode="wrap")
        suited = (left & right) > _SUM
        sums = ((left & _SUM) + (right & _SUM)).astype(np.intp)
        sums += suited.astype(np.intp) * _SUMS
        classes.take(sums, out=found[block], mode="wrap")
    return found


@cache
def _five_card_tables() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
    """Return sums of keys for three cards and for two, with the suit they share, if any, above; and the class of each
    sum."""
    rank_keys = [_RANK_KEYS[RANKS.index(ACE if card & 0x0F == 1 else card & 0x0F)] for card in DECK]
    keys = np.array(rank_keys, np.int32)
    suits = np.array([1 << _SUIT_BIT + (card >> 4) - 1 for card in DECK], np.int32)
    two = (keys[:, None] + keys) | (suits[:, None] & suits)
    three = ((two[:, :, None] & _SUM) + keys) | (two[:, :, None] & suits)
    classes = np.zeros(2 * _SUMS, np.uint16)
    for (ranks, suited), number in class_table().items():
        classes[sum(_RANK_KEYS[RANKS.index(rank)] for rank in ranks) + suited * _SUMS] = number
    return three.ravel(), two.ravel(), classes


def flush_strength_of(wild_kicker: str = "highest-absent", cards: int = 7) -> Callable[[Sequence[Column]], Column]:
    """Return a function that maps columns of up to `cards` cards to each hand's best flush: a greater number wins,
    equal ones tie.

    `strength >> 4 * cards` is its length.
    """
    table = np.array(flush_strengths(FLUSH_RANKS, cards, wild_kicker), np.int64).ravel()

    def strengths(columns: Sequence[Column]) -> Column:
        found = np.empty(len(columns[0]), np.int64)
        for start in range(0, len(found), BLOCK):
            words = _words(columns, slice(start, start + BLOCK))
            row = (words >> 48 & 7) << 12
            best = table.take(row | words & 4095)
            for shift in (12, 24, 36):
                np.maximum(best, table.take(row | words >> shift & 4095), out=best)
            found[start : start + BLOCK] = best
        return found

    return strengths


def flush_lengths(columns: Sequence[Column], readings: Mapping[str, str]) -> tuple[Column, Column]:
    """Return the longest natural flush and the longest flush of each hand, by the reading `natural`."""
    counts = np.array([mask.bit_count() for mask in range(1 << 12)], np.int8)
    natural, longest = (np.empty(len(columns[0]), np.int8) for _ in range(2))
    for start in range(0, len(natural), BLOCK):
        words = _words(columns, slice(start, start + BLOCK))
        most = real = np.zeros(len(words), np.int8)
        for suit in range(4):
            held = counts.take(words >> 12 * suit & 4095)
            most = np.maximum(most, held)
            stands = words >> 52 + suit & 1 if readings.get("natural", "own-suit") == "own-suit" else 0
            real = np.maximum(real, held + stands).astype(np.int8)
        natural[start : start + BLOCK] = real
        longest[start : start + BLOCK] = most + (words >> 48 & 7)
    return natural, longest


def _words(columns: Sequence[Column], block: slice) -> npt.NDArray[np.int64]:
    words = _WORDS.take(columns[0][block])
    for column in columns[1:]:
        words += _WORDS.take(column[block])
    return words


_WORDS: Final = np.array(FLUSH_WORDS, np.int64)
