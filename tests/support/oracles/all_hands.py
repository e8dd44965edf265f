"""Every set of so many cards of the deck, as columns of places, in blocks."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Columns = list[npt.NDArray[np.uint8]]


def every_hand(cards: int, deck: int = 52) -> Iterator[Columns]:
    """Blocks of all hands: those of a first card come together, none twice."""
    for first in range(deck - cards + 1):
        columns = [np.array([first], np.uint8)]
        for _ in range(cards - 1):
            columns = _extended(columns, deck)
        yield columns


def _extended(columns: Columns, deck: int) -> Columns:
    """Each hand with every card after its last."""
    last = columns[-1].astype(np.int64)
    choices = deck - 1 - last
    which = np.repeat(np.arange(len(last)), choices)
    step = np.arange(len(which)) - np.repeat(np.cumsum(choices) - choices, choices)
    return [*(column[which] for column in columns), (last[which] + 1 + step).astype(np.uint8)]
