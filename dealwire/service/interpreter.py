"""Settings of the Python interpreter for a service: garbage collection and thread switching.

Nothing here knows of tables.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

UNSEEN_MAX: Final = 100_000
"""Maximum number of objects allocated between two beats before the garbage collector runs on its own."""
ALL_EACH_S: Final = 600
"""Seconds between two full collections."""
SWITCH_S: Final = 0.0002
"""Longest time another thread, such as one rendering a page, may keep the interpreter from the tables. A commit
releases it several times, and with Python's default each release could cost 5 ms."""


@contextmanager
def switching_within(seconds: float = SWITCH_S) -> Iterator[None]:
    """Set the thread switch interval, in seconds, within the block."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def made_for_good() -> Iterator[None]:
    """Exclude existing objects from garbage collection within the block.

    Traversing all classes, procedures and pages of a service takes a tenth of a second, during which no table is
    served. Newer objects are collected at a beat of the service: on its own, the collector would run where most objects
    are allocated, in the middle of a result.
    """
    gc.collect()
    gc.freeze()
    before = gc.get_threshold()
    gc.set_threshold(UNSEEN_MAX, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def look_for_garbage(now_ns: int) -> None:
    """Collect the objects allocated since the last beat, and every ten minutes all since `made_for_good`. Do nothing
    outside `made_for_good`."""
    if gc.get_threshold()[0] == UNSEEN_MAX:
        gc.collect(2 if now_ns // 10**9 % ALL_EACH_S == 0 else 1)
