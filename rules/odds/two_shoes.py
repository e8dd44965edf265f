"""What hands make whose own cards come from one deck and whose community comes from a shoe of several.

Two cards of the same suit and rank can then lie together, and rows may count them. So a hand is known by its ranks, for
each rank by how many of its cards are the same, and by whether all are of one suit; which suits they are is all one.
"""

from collections import Counter
from collections.abc import Hashable
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Final

import numpy as np
import numpy.typing as npt

from rules.odds.dealt import Key
from rules.odds.placed_sets import Ints, Pack, all_sets, fold
from rules.odds.question import Progress

_PACK: Final = Pack()
Counts = npt.NDArray[np.uint8]
"""[hand, card] -> how many of that card it holds."""


def count_two_shoes(
    key: Key, *, own: int = 2, community: int = 3, decks: int = 3, pack: Pack = _PACK, progress: Progress | None = None
) -> Counter[Hashable]:
    """Key -> how many of the deals have it: `own` cards of one deck and `community` of `decks` decks, each as a set;
    `pack` is what a deck has.

    The key knows cards of one suit only where all are.
    """
    first = fold(pack, all_sets(pack.size, own))
    shared, ways = _from_shoe(pack, community, decks)
    codes = np.empty((len(first.sets), len(shared)), np.int64)
    for index, cards in enumerate(first.sets):
        held = shared.copy()
        held[:, cards] += 1
        codes[index] = _codes(pack, held, own + community)
        if progress:
            progress(index + 1, len(first.sets))
    _, place, of = np.unique(codes, return_index=True, return_inverse=True)
    deals = np.zeros(len(place), np.int64)
    np.add.at(deals, of.ravel(), (first.weights[:, None] * ways).ravel())
    found: Counter[Hashable] = Counter()
    for where, number in zip(place.tolist(), deals.tolist(), strict=True):
        index, rest = divmod(where, len(shared))
        hand = [*first.sets[index].tolist(), *np.repeat(np.arange(pack.size), shared[rest]).tolist()]
        found[key(tuple(pack.card(card) for card in hand))] += number
    if found.total() != comb(pack.size, own) * comb(pack.size * decks, community):
        raise AssertionError(f"{found.total():,} deals were counted")
    return found


def _from_shoe(pack: Pack, cards: int, decks: int) -> tuple[Counts, Ints]:
    """Every multiset of `cards` that a shoe can give, and in how many ways it does."""
    hands = [
        (held, prod(comb(decks, times) for times in Counter(held).values()))
        for held in combinations_with_replacement(range(pack.size), cards)
    ]
    hands = [(held, ways) for held, ways in hands if ways]
    counts = np.zeros((len(hands), pack.size), np.uint8)
    for index, (held, _) in enumerate(hands):
        for card in held:
            counts[index, card] += 1
    return counts, np.array([ways for _, ways in hands], np.int64)


def _codes(pack: Pack, held: Counts, cards: int) -> Ints:
    """The same number for hands that differ in the names of suits alone, or in suits that make no flush."""
    of_suit = held.reshape(-1, len(pack.ranks), pack.suits)
    flush = (of_suit.sum(axis=1) == cards).any(axis=1)
    same = np.sort(of_suit, axis=2).astype(np.int64)
    shapes, shape = np.unique(
        (same * (cards + 1) ** np.arange(pack.suits, dtype=np.int64)).sum(axis=2), return_inverse=True
    )
    base = _base(pack, cards)
    known = np.searchsorted(base, shapes)[shape.reshape(same.shape[:2])]
    powers = np.array([len(base) ** rank for rank in range(len(pack.ranks))], np.int64)
    return np.asarray((known * powers).sum(axis=1) * 2 + flush)


def _base(pack: Pack, cards: int) -> Ints:
    """Every way, as a number, in which up to `cards` cards of one rank can be the same, ascending."""
    found = {
        sum(times * (cards + 1) ** place for place, times in enumerate(sorted(held)))
        for held in combinations_with_replacement(range(cards + 1), pack.suits)
        if sum(held) <= cards
    }
    if 2 * len(found) ** len(pack.ranks) >= 2**63:
        raise ValueError(f"{cards} cards are too many to be known by one number")
    return np.array(sorted(found), np.int64)
