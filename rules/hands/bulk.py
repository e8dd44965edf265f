"""The tables of `rules.hands.tables` for whole arrays of hands. Needs NumPy, the extra `odds`.

Hands come as columns: one array of places (0 to 51, as in `protocol.cards.DECK`) a card, all of one length. Work goes
in blocks that fit a processor's cache.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from protocol.cards import DECK
from rules.hands.longest_flush import ACE
from rules.hands.tables import FLUSH_RANKS, FLUSH_WORDS, RANKS, class_table, flush_strengths

Column = npt.NDArray[np.integer[Any]]

BLOCK: Final = 1 << 14
_CARDS: Final = len(DECK)

# The smallest keys, found one after the other, that keep the sums of any five ranks apart, four of a rank at most.
_RANK_KEYS: Final = (0, 1, 5, 22, 94, 312, 992, 2422, 5624, 12522, 19998, 43258, 79415)
_SUMS: Final = 4 * _RANK_KEYS[-1] + _RANK_KEYS[-2] + 1
_SUIT_BIT: Final = 20
_SUM: Final = (1 << _SUIT_BIT) - 1


def five_card_classes(columns: Sequence[Column]) -> npt.NDArray[np.uint16]:
    """Class of each hand, 1 the weakest to 7,462; five columns of places of different cards."""
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
    """Sums of keys for three cards and for two, with the suit they share, if any, above; sum -> class."""
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
    """A function from columns of up to `cards` cards to each hand's best flush: equal numbers tie, a greater one wins.

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
    """Longest natural flush and longest flush of each hand, by the reading `natural`."""
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
