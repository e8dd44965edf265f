"""The strength of every hole on a board: the best five of seven cards, looked up.

Ranks 47.1-1004: an ace is low in 5-4-3-2-A alone. With five of a suit on seven cards there is neither four of a kind
nor a full house, so a hand's strength is the greater of two: that of its ranks, suits left out, and that of the ranks
in its suit. The first is looked up by the ranks of board and hole, the second by the set of ranks in the suit. Both are
small numbers in order of strength, so that they can be counted with.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.odds.holdem_deck import BOARD, RANKS, Flags, HoldemDeck, Ints, Places, suit_masks

CATEGORIES: Final = (
    "high card",
    "pair",
    "two pair",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
    "royal flush",
)
_HIGH, _PAIR, _TWO_PAIR, _THREE, _STRAIGHT, _FLUSH, _FULL, _FOUR, _STRAIGHT_FLUSH, _ROYAL = range(len(CATEGORIES))
_BITS: Final = 1 << RANKS
_WHEEL: Final = 1 << RANKS - 1 | 0b1111
_SUITED: Final = 5
Small = npt.NDArray[np.int16]


@dataclass(frozen=True, slots=True)
class StrengthTable:
    """`plain[ranks of the board, ranks of the hole]` and `suited[ranks in the suit]` (0: no flush), both numbers up to
    `count`; `category` of each number. `row` finds the board's ranks by their key."""

    plain: Small
    suited: Small
    category: npt.NDArray[np.uint8]
    row_keys: Ints

    @property
    def count(self) -> int:
        """How many strengths there are; the number itself is stronger than all and stands for no hand."""
        return int(self.category.size)

    def at_least(self, category: str) -> int:
        """The weakest strength of a category or one above it."""
        return int(np.searchsorted(self.category, CATEGORIES.index(category)))


@lru_cache(maxsize=1)
def _high_bits() -> tuple[Ints, Ints, Ints]:
    """Of each set of ranks: the highest (0 for none), what is left without it, and the top of its best straight (0)."""
    masks = np.arange(_BITS, dtype=np.int64)
    top = np.zeros(_BITS, dtype=np.int64)
    for bit in range(RANKS):
        top[masks >= 1 << bit] = bit
    rest = masks & ~(1 << top)
    straight = np.zeros(_BITS, dtype=np.int64)
    straight[masks & _WHEEL == _WHEEL] = 3
    for low in range(RANKS - 4):
        straight[masks >> low & 0b11111 == 0b11111] = low + 4
    return top, rest, straight


def _packed(masks: Ints, ranks: int) -> Ints:
    """The `ranks` highest of sets of ranks as one number in order."""
    top, rest, _ = _high_bits()
    found = np.zeros(masks.shape, dtype=np.int64)
    for _ in range(ranks):
        found, masks = found << 4 | top[masks], rest[masks]
    return found


def _keyed(category: int, *parts: tuple[Ints, int]) -> Ints:
    """A category and what decides within it, each with the number of ranks it takes, as one number in order."""
    found, used = np.int64(category), 0
    key = np.zeros_like(parts[0][0]) + found
    for value, ranks in parts:
        key, used = key << 4 * ranks | value, used + ranks
    return key << 4 * (_SUITED - used)


def _of_counts(counts: Ints) -> Ints:
    """The best five cards by how many of each rank there are, suits left out: one number each, in order."""
    top, rest, straight = _high_bits()
    shifts = np.arange(RANKS, dtype=np.int64)
    once, twice, thrice, four = (((counts >= least) << shifts).sum(axis=-1) for least in (1, 2, 3, 4))
    pairs_left = twice & ~(1 << top[thrice])
    second = rest[twice]
    two_pairs = 1 << top[twice] | 1 << top[second]
    cases = [
        (four > 0, _keyed(_FOUR, (top[four], 1), (_packed(once & ~(1 << top[four]), 1), 1))),
        ((thrice > 0) & (pairs_left > 0), _keyed(_FULL, (top[thrice], 1), (top[pairs_left], 1))),
        (straight[once] > 0, _keyed(_STRAIGHT, (straight[once], 1))),
        (thrice > 0, _keyed(_THREE, (top[thrice], 1), (_packed(once & ~(1 << top[thrice]), 2), 2))),
        (second > 0, _keyed(_TWO_PAIR, (_packed(twice, 2), 2), (_packed(once & ~two_pairs, 1), 1))),
        (twice > 0, _keyed(_PAIR, (top[twice], 1), (_packed(once & ~(1 << top[twice]), 3), 3))),
    ]
    return np.select([case for case, _ in cases], [key for _, key in cases], _keyed(_HIGH, (_packed(once, 5), 5)))


@lru_cache(maxsize=1)
def _of_suited() -> Ints:
    """The best flush of each set of ranks in a suit; 0 with fewer than five."""
    masks = np.arange(_BITS, dtype=np.int64)
    _, _, straight = _high_bits()
    held = sum((masks >> bit & 1) for bit in range(RANKS))
    royal = straight == RANKS - 1
    key = np.where(
        straight > 0,
        np.where(royal, _keyed(_ROYAL, (straight, 1)), _keyed(_STRAIGHT_FLUSH, (straight, 1))),
        _keyed(_FLUSH, (_packed(masks, 5), 5)),
    )
    return np.asarray(np.where(held >= _SUITED, key, 0))


@dataclass(frozen=True, slots=True)
class _Keys:
    """The strength, as one number in order, by ranks of cards and a hole (column), and by ranks in a suit. `row_keys`
    finds the row of ranks."""

    row_keys: Ints
    plain: Ints
    suited: Ints


@lru_cache(maxsize=16)
def _keys_beside(deck: HoldemDeck, cards: int) -> _Keys:
    """Of holes beside so many other cards."""
    ranks = [rank - 2 for rank in deck.ranks]
    rows = [row for row in combinations_with_replacement(ranks, cards) if max(map(row.count, row)) <= deck.suits]
    held = np.array([[row.count(rank) for rank in range(RANKS)] for row in rows], dtype=np.int64)
    pairs = np.eye(RANKS, dtype=np.int64)
    keys = np.empty((len(rows), RANKS * RANKS), dtype=np.int64)
    for first in range(RANKS):
        for second in range(RANKS):
            keys[:, first * RANKS + second] = _of_counts(held + pairs[first] + pairs[second])
    row_keys = _row_keys(held)
    by_key = np.argsort(row_keys)
    return _Keys(row_keys[by_key], keys[by_key], _of_suited())


@lru_cache(maxsize=4)
def strength_table(deck: HoldemDeck) -> StrengthTable:
    """The tables of a deck."""
    keys = _keys_beside(deck, BOARD)
    order = np.unique(np.concatenate([keys.plain.ravel(), keys.suited[keys.suited > 0]]))
    category = (order >> 4 * _SUITED).astype(np.uint8)
    flushes = np.where(keys.suited > 0, np.searchsorted(order, keys.suited), 0)
    plain = np.searchsorted(order, keys.plain).astype(np.int16)
    return StrengthTable(plain, flushes.astype(np.int16), category, keys.row_keys)


def _row_keys(held: Ints) -> Ints:
    return np.asarray((held << 3 * np.arange(RANKS, dtype=np.int64)).sum(axis=-1))


@lru_cache(maxsize=4)
def _of_holes(deck: HoldemDeck) -> tuple[Places, npt.NDArray[np.int16]]:
    """Of each hole, its ranks as a column of `plain`; and, suit by suit, the ranks it has in it."""
    ranks = np.array(deck.ranks, dtype=np.intp)[np.arange(deck.size) % len(deck.ranks)] - 2
    low, high = deck.holes
    bits = np.array(
        [sum(deck.bit_of[card] * (deck.suit_of[card] == suit) for card in (low, high)) for suit in range(deck.suits)]
    )
    return ranks[low] * RANKS + ranks[high], bits.astype(np.int16)


def dead_holes(deck: HoldemDeck, boards: Places) -> Flags:
    """For each board (row), which holes use one of its cards."""
    on_board = np.zeros((len(boards), deck.size), dtype=np.bool_)
    np.put_along_axis(on_board, boards, True, axis=1)
    low, high = deck.holes
    return np.asarray(on_board[:, low] | on_board[:, high])


def _held(deck: HoldemDeck, cards: Places) -> Ints:
    """How many of each rank some cards are; rows are sets of cards."""
    ranks = np.array(deck.ranks)[cards % len(deck.ranks)] - 2
    return np.asarray((ranks[:, :, None] == np.arange(RANKS)).sum(axis=1))


def strengths(deck: HoldemDeck, boards: Places, masks: Ints) -> Small:
    """For each board (row; its cards, and its masks suit by suit), the strength of every hole; a hole that uses a card
    of the board has the number above all."""
    table = strength_table(deck)
    columns, bits = _of_holes(deck)
    rows = np.searchsorted(table.row_keys, _row_keys(_held(deck, boards)))
    found = table.plain[rows].take(columns, axis=1)
    for suit in range(deck.suits):
        some = np.flatnonzero((deck.suit_of[boards] == suit).sum(axis=1) >= _SUITED - 2)
        if some.size:
            suited = table.suited[masks[some, suit, None].astype(np.int16) | bits[suit]]
            found[some] = np.maximum(found[some], suited)
    found[dead_holes(deck, boards)] = table.count
    return found


# ------------------------------------------------------------------ any number of cards on the board


def strengths_beside(deck: HoldemDeck, cards: Places) -> Ints:
    """For each set of three to five cards (row), the strength of every hole with them, as a number that orders hands of
    any number of cards; 0 for a hole that uses one of them."""
    keys = _keys_beside(deck, cards.shape[1])
    columns, bits = _of_holes(deck)
    found = keys.plain[np.searchsorted(keys.row_keys, _row_keys(_held(deck, cards)))].take(columns, axis=1)
    masks = suit_masks(deck, cards)
    for suit in range(deck.suits):
        found = np.maximum(found, keys.suited[masks[:, suit, None] | bits[suit]])
    found[dead_holes(deck, cards)] = 0
    return found


def strengths_with_one(deck: HoldemDeck, boards: Places) -> Ints:
    """For each board (row), the strength of each card of the deck with it, as `strengths_beside` has it; 0 for a card
    of the board."""
    each = np.arange(deck.size)
    ranks = np.array(deck.ranks)[each % len(deck.ranks)] - 2
    found = _of_counts(_held(deck, boards)[:, None, :] + np.eye(RANKS, dtype=np.int64)[ranks])
    masks = suit_masks(deck, boards)[:, deck.suit_of] | deck.bit_of
    found = np.asarray(np.maximum(found, _of_suited()[masks]))
    np.put_along_axis(found, boards, 0, axis=1)
    return found


def strength_alone(deck: HoldemDeck, cards: Places) -> Ints:
    """What five to seven cards make by themselves (rows are sets of cards), as `strengths_beside` has it."""
    suited = _of_suited()[suit_masks(deck, cards)].max(axis=1)
    return np.asarray(np.maximum(_of_counts(_held(deck, cards)), suited))


@lru_cache(maxsize=4)
def strength_numbers(deck: HoldemDeck) -> Ints:
    """Every strength of five cards, in order: 7,462 with the whole deck."""
    keys = _keys_beside(deck, _SUITED - 2)
    numbers = np.unique(np.concatenate([keys.plain.ravel(), keys.suited[keys.suited > 0]]))
    return numbers[[_is_dealt(number) for number in numbers.tolist()]]


def _ranks_of(number: int) -> list[int]:
    """The five ranks, from 0, of a hand of this strength."""
    category, digits = number >> 4 * _SUITED, [number >> 4 * place & 15 for place in range(_SUITED - 1, -1, -1)]
    match category:
        case 8 | 9 | 4:
            return [digits[0] - step if digits[0] >= step else RANKS - 1 for step in range(_SUITED)]
        case 7:
            return [digits[0]] * 4 + [digits[1]]
        case 6:
            return [digits[0]] * 3 + [digits[1]] * 2
        case 3:
            return [digits[0]] * 3 + digits[1:3]
        case 2:
            return [digits[0]] * 2 + [digits[1]] * 2 + [digits[2]]
        case 1:
            return [digits[0]] * 2 + digits[1:4]
    return digits


def _is_dealt(number: int) -> bool:
    """Whether four suits have such a hand: the table of ranks has rows with five of one, too."""
    ranks = _ranks_of(number)
    return max(map(ranks.count, ranks)) <= 4


def five_cards_of(number: int) -> list[int]:
    """Five cards of the whole deck with this strength."""
    flush = number >> 4 * _SUITED in (_FLUSH, _STRAIGHT_FLUSH, _ROYAL)
    return [(0 if flush else place % 4) * RANKS + rank for place, rank in enumerate(_ranks_of(number))]
