"""Pauses between attempts."""

import asyncio
import random
from contextlib import suppress
from typing import Final

FIRST_S: Final = 0.1
LONGEST_S: Final = 10.0


class Retry:
    """Each pause is twice as long as the one before, and shortened at random, so that a site's tables do not all come
    back in the same instant."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """It worked."""
        self._pause_s = FIRST_S

    def next_s(self) -> float:
        """How long to wait now, in seconds."""
        pause_s, self._pause_s = self._pause_s, min(2 * self._pause_s, LONGEST_S)
        return pause_s * random.uniform(0.5, 1.0)


async def pause(woken: asyncio.Event, seconds: float) -> None:
    """Wait until woken, but no longer than `seconds`."""
    with suppress(TimeoutError):
        await asyncio.wait_for(woken.wait(), seconds)
