"""Every hand of a given number of cards from the deck, as columns of places, in blocks."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

Columns = list[npt.NDArray[np.uint8]]


def every_hand(cards: int, deck: int = 52) -> Iterator[Columns]:
    """Yield all hands in blocks: hands with the same first card come together, and none comes twice."""
    for first in range(deck - cards + 1):
        columns = [np.array([first], np.uint8)]
        for _ in range(cards - 1):
            columns = _extended(columns, deck)
        yield columns


def _extended(columns: Columns, deck: int) -> Columns:
    """Return each hand extended by every card after its last."""
    last = columns[-1].astype(np.int64)
    choices = deck - 1 - last
    which = np.repeat(np.arange(len(last)), choices)
    step = np.arange(len(which)) - np.repeat(np.cumsum(choices) - choices, choices)
    return [*(column[which] for column in columns), (last[which] + 1 + step).astype(np.uint8)]
