"""How many hands the dealer can hold that are below a strength and share no card with the player's.

Hands that avoid the player's cards are counted by what they would share: all hands, less those with one of his cards,
plus those with two of them, and so on. So all it takes is a table for sets of one card, of two, ... of how many hands
below each strength hold them; suits are interchangeable, so a table has a row for each class of sets only.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rules.odds.card_sets import CardSets, places
from rules.odds.placed_sets import Ints, Sets

_AT_ONCE: Final = 3_000_000
"""Sets that are worked on together: some hundred megabytes."""


@dataclass(frozen=True)
class DealerHands:
    """Hands of `size` cards; `strength` of each, by number, from 0 up and below `strengths`."""

    sets: CardSets
    size: int
    strength: npt.NDArray[np.int32]
    strengths: int
    below: tuple[npt.NDArray[Any], ...]
    """By the size of the set that is held: [class, strength] -> hands that hold it and are below the strength."""

    def clear_of(self, own: Sets, up: Sets, strength: Ints) -> Ints:
        """Row by row: the hands that hold all of `up`, none of `own`, and are below `strength`."""
        found = np.zeros(len(own), np.int64)
        shown = up.shape[1]
        for shared in range(min(own.shape[1], self.size - shown) + 1):
            for chosen in combinations(range(own.shape[1]), shared):
                held = np.hstack([own[:, list(chosen)], up])
                if shown and shared:
                    held.sort(axis=1)
                counted = self._holding(held, strength)
                found += -counted if shared % 2 else counted
        return found

    def _holding(self, held: Sets, strength: Ints) -> Ints:
        """The hands that hold all of a set and are below a strength."""
        number = self.sets.number(held)
        if held.shape[1] == self.size:
            return (self.strength[number] < strength).astype(np.int64)
        of = self.sets.alike(held.shape[1]).of
        return self.below[held.shape[1]][of[number], strength].astype(np.int64)


def dealer_hands(sets: CardSets, size: int, strength: npt.NDArray[np.int32]) -> DealerHands:
    """Count the hands that hold each set of fewer than `size` cards, strength by strength."""
    strengths = int(strength.max()) + 1
    below = tuple(_below(sets, held, size, strength, strengths) for held in range(size))
    return DealerHands(sets, size, strength, strengths, below)


def _below(sets: CardSets, held: int, size: int, strength: npt.NDArray[np.int32], strengths: int) -> npt.NDArray[Any]:
    alike = sets.alike(held)
    further = places(sets.deck - held, size - held)
    most = comb(sets.deck - held, size - held)
    table = np.zeros((len(alike.sets), strengths + 1), np.min_scalar_type(most))
    for rows in _slices(len(alike.sets), max(len(further), strengths)):
        part = alike.sets[rows]
        rest = sets.rest(part)[:, further]
        hands = np.concatenate([np.broadcast_to(part[:, None, :], (*rest.shape[:2], held)), rest], axis=2)
        hands.sort(axis=2)
        found = strength[sets.number(hands.reshape(-1, size))].reshape(len(part), -1)
        at = np.arange(len(part))[:, None] * strengths + found
        counted = np.bincount(at.ravel(), minlength=len(part) * strengths).reshape(len(part), strengths)
        table[rows, 1:] = counted.cumsum(axis=1)
    return table


def _slices(rows: int, width: int) -> Iterator[slice]:
    """Rows in parts of about as many sets as are worked on at once."""
    step = max(1, _AT_ONCE // width)
    return (slice(start, start + step) for start in range(0, rows, step))
