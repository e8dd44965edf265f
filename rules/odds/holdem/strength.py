"""Strength of every hole on a board: the best five of seven cards, by lookup.

The ranking `poker` ranks five cards (47.1-1004). Each strength has a number, 1 for the weakest of 7,462; more cards
have that of their best five. Seven cards with five of a suit make neither four of a kind nor a full house, so a hand's
strength is the greater of two: that of its ranks, ignoring suits, and that of the ranks in its suit. The first is
looked up by the ranks of board and hole, the second by the set of ranks in the suit.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from protocol.cards import ACE_HIGH, CARDS, Card
from rules.hands import Ranked, ranking
from rules.odds.holdem.deck import RANKS, Flags, HoldemDeck, Ints, Places, suit_masks

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
_SUITED: Final = 5
_MOST: Final = 7
_DIGIT: Final = 3
"""Bits per counter of a rank."""
_OF_RANK: Final = 1 << _DIGIT * np.arange(RANKS, dtype=np.int64)
STRENGTHS: Final = 7462
NO_HOLE: Final = STRENGTHS + 1
"""Placeholder above all strengths, for an impossible hole."""
Small = npt.NDArray[np.int16]


def card_of(suit: int, rank: int) -> Card:
    """Return the card of a suit, from 0, and a rank, 14 for the ace."""
    return CARDS[(suit + 1 << 4) | (1 if rank == ACE_HIGH else rank)]


def ranked(cards: Iterable[Card]) -> Ranked:
    """Rank cards by the ranking of hold'em."""
    return ranking("poker").rank(cards, {})


def _of_one_suit(mask: int) -> list[Card]:
    return [card_of(0, rank + 2) for rank in range(RANKS) if mask >> rank & 1]


def _cards_of_ranks(ranks: tuple[int, ...]) -> list[Card]:
    """Return cards of these ranks, from 0, with suits as different as possible."""
    return [card_of(place % 4, rank + 2) for place, rank in enumerate(ranks)]


@dataclass(frozen=True, slots=True)
class Ladder:
    """All hands of five cards, weakest first: an example of each strength, and the number of each, from 1."""

    hands: tuple[Ranked, ...]
    numbers: dict[Any, int]
    category: npt.NDArray[np.intp]
    """Category by number; the entries of 0 and `NO_HOLE`, which are not hands, are unused."""

    def least(self, category: str) -> int:
        """Return the number of the weakest hand of a category."""
        return int(np.searchsorted(self.category[:NO_HOLE], CATEGORIES.index(category)) or 1)

    def lowest(self, category: str) -> Ranked:
        """Return the weakest hand of a category."""
        return self.hands[self.least(category) - 1]


@lru_cache(maxsize=1)
def ladder() -> Ladder:
    """Return the ladder of strengths by the ranking of hold'em."""
    found = dict[Any, Ranked]()
    dealt = [_cards_of_ranks(ranks) for ranks in _multisets(_SUITED)]
    dealt += [_of_one_suit(sum(1 << rank for rank in ranks)) for ranks in combinations(range(RANKS), _SUITED)]
    for hand in map(ranked, dealt):
        found.setdefault(hand.strength, hand)
    hands = tuple(found[strength] for strength in sorted(found))
    category = [0, *(CATEGORIES.index(getattr(hand.key, "made", "")) for hand in hands), 0]
    return Ladder(hands, {hand.strength: at for at, hand in enumerate(hands, 1)}, np.array(category, np.intp))


def _multisets(cards: int) -> list[tuple[int, ...]]:
    """Return the multisets of this many ranks, at most four alike."""
    every = combinations_with_replacement(range(RANKS), cards)
    return [ranks for ranks in every if max(map(ranks.count, ranks)) <= 4]


@lru_cache(maxsize=_MOST)
def by_ranks(cards: int) -> tuple[Ints, Ints]:
    """Return multisets of five to seven ranks by their `_row_keys`, ascending, and the number of each, ignoring
    suits."""
    rows = np.array(_multisets(cards), dtype=np.int64)
    keys = _OF_RANK[rows].sum(axis=1)
    if cards == _SUITED:
        numbers = ladder().numbers
        found = np.array([numbers[ranked(_cards_of_ranks(ranks)).strength] for ranks in _multisets(cards)], np.int64)
    else:
        found = np.zeros(len(rows), np.int64)
        for column in rows.T:
            found = np.maximum(found, _number_of(keys - _OF_RANK[column], cards - 1))
    order = np.argsort(keys)
    return keys[order], found[order]


def _number_of(keys: Ints, cards: int) -> Ints:
    """Return the number of these ranks; 0 for more than four alike."""
    known, numbers = by_ranks(cards)
    at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
    return np.asarray(np.where(known[at] == keys, numbers[at], 0))


@lru_cache(maxsize=1)
def by_suit() -> Small:
    """Return the number of each set of five to seven ranks in a suit; 0 for fewer than five."""
    found = np.zeros(1 << RANKS, np.int16)
    for cards in range(_SUITED, _MOST + 1):
        for ranks in combinations(range(RANKS), cards):
            mask = sum(1 << rank for rank in ranks)
            if cards == _SUITED:
                found[mask] = ladder().numbers[ranked(_of_one_suit(mask)).strength]
            else:
                found[mask] = max(found[mask & ~(1 << rank)] for rank in ranks)
    return found


@lru_cache(maxsize=16)
def _keys_with_holes(deck: HoldemDeck, cards: int) -> tuple[Ints, Small]:
    """Return the keys of this many ranks, ascending, and the number of each with the ranks of each hole (column)."""
    ranks = [rank - 2 for rank in deck.ranks]
    rows = [row for row in combinations_with_replacement(ranks, cards) if max(map(row.count, row)) <= deck.suits]
    keys = np.sort(_OF_RANK[np.array(rows, dtype=np.int64)].sum(axis=1))
    holes = (_OF_RANK[:, None] + _OF_RANK).ravel()
    return keys, _number_of(keys[:, None] + holes, cards + 2).astype(np.int16)


def _row_keys(held: Ints) -> Ints:
    return np.asarray((held * _OF_RANK).sum(axis=-1))


@lru_cache(maxsize=4)
def _hole_ranks(deck: HoldemDeck) -> tuple[Places, npt.NDArray[np.int16]]:
    """Return the ranks of each hole as a column of `plain`, and the ranks it has in each suit."""
    ranks = np.array(deck.ranks, dtype=np.intp)[np.arange(deck.size) % len(deck.ranks)] - 2
    low, high = deck.holes
    bits = np.array(
        [sum(deck.bit_of[card] * (deck.suit_of[card] == suit) for card in (low, high)) for suit in range(deck.suits)]
    )
    return ranks[low] * RANKS + ranks[high], bits.astype(np.int16)


def _dead_holes(deck: HoldemDeck, boards: Places) -> Flags:
    """Return the holes that use a card of the board, for each board (row)."""
    on_board = np.zeros((len(boards), deck.size), dtype=np.bool_)
    np.put_along_axis(on_board, boards, True, axis=1)
    low, high = deck.holes
    return np.asarray(on_board[:, low] | on_board[:, high])


def _held(deck: HoldemDeck, cards: Places) -> Ints:
    """Return the count of each rank for sets of cards (rows)."""
    ranks = np.array(deck.ranks)[cards % len(deck.ranks)] - 2
    return np.asarray((ranks[:, :, None] == np.arange(RANKS)).sum(axis=1))


def strengths(deck: HoldemDeck, cards: Places) -> Small:
    """Return, for each set of three to five cards (row), the number of every hole with them; numbers are comparable
    across sizes. `NO_HOLE` marks a hole that uses one of the cards."""
    row_keys, plain = _keys_with_holes(deck, cards.shape[1])
    columns, bits = _hole_ranks(deck)
    found = plain[np.searchsorted(row_keys, _row_keys(_held(deck, cards)))].take(columns, axis=1)
    masks = suit_masks(deck, cards).astype(np.int16)
    for suit in range(deck.suits):
        some = np.flatnonzero((deck.suit_of[cards] == suit).sum(axis=1) >= _SUITED - 2)
        if some.size:
            found[some] = np.maximum(found[some], by_suit()[masks[some, suit, None] | bits[suit]])
    found[_dead_holes(deck, cards)] = NO_HOLE
    return found


def strengths_with_one(deck: HoldemDeck, boards: Places) -> Ints:
    """Return, for each board of four or five cards (row), the number of each card of the deck with it; 0 for a card of
    the board."""
    each = np.arange(deck.size)
    ranks = np.array(deck.ranks)[each % len(deck.ranks)] - 2
    found = _number_of(_row_keys(_held(deck, boards))[:, None] + _OF_RANK[ranks], boards.shape[1] + 1)
    masks = suit_masks(deck, boards)[:, deck.suit_of] | deck.bit_of
    found = np.asarray(np.maximum(found, by_suit()[masks]))
    np.put_along_axis(found, boards, 0, axis=1)
    return found
