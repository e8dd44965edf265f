"""Sizes of a tree at which others wait for the proof that it grew.

Anyone may ask, under any name, so sizes wait and not requests: each once, however often it is asked for, and an answer
is for everybody who stands there. A size at which the log signed a checkpoint comes before any other. There are only so
many of those, and they take turns, so a witness that stands at one waits for a known time at most. Of the others, which
anyone can make up, one is drawn.
"""

from collections import OrderedDict
from random import SystemRandom
from typing import Final

SIGNED_MOST: Final = 65_536
"""Most sizes of checkpoints that wait: 45 days of one a minute, more than a journal keeps unless it is changed."""
OTHERS_MOST: Final = 256
"""Most other sizes that wait; beyond that a new one takes the place of any."""

_random: Final = SystemRandom()


class WaitingSizes:
    """Waiting sizes: `signed` are those of checkpoints, in the order of their turns."""

    def __init__(self) -> None:
        self._signed = OrderedDict[int, None]()
        self._others: list[int] = []

    def __contains__(self, size: int) -> bool:
        return size in self._signed or size in self._others

    def add(self, size: int, *, signed: bool) -> None:
        """Have a size wait that does not wait yet; `signed` if the log signed a checkpoint of it."""
        if size in self:
            return
        if signed:
            if len(self._signed) < SIGNED_MOST:
                self._signed[size] = None
        elif len(self._others) < OTHERS_MOST:
            self._others.append(size)
        else:
            self._others[_random.randrange(OTHERS_MOST)] = size

    def take(self) -> int | None:
        """Return the next size, which waits no more; None if none waits."""
        if self._signed:
            return self._signed.popitem(last=False)[0]
        if not self._others:
            return None
        at = _random.randrange(len(self._others))
        self._others[at], self._others[-1] = self._others[-1], self._others[at]
        return self._others.pop()
