"""What a service asks of Python itself: when it looks for garbage, and how long one thread keeps it from another.

Nothing here knows of tables.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

UNSEEN_MAX: Final = 100_000
"""So many objects may be made between two beats before the garbage collector looks through them by itself."""
ALL_EACH_S: Final = 600
"""Seconds between two looks through all that was made."""
SWITCH_S: Final = 0.0002
"""As long as another thread of this process, a page that is made say, keeps the interpreter from the tables at most.
A commit gives it up some times, and Python's own 5 ms would be waited each time."""


@contextmanager
def switching_within(seconds: float = SWITCH_S) -> Iterator[None]:
    """A thread that wants to go on gets the interpreter from another after so long."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


@contextmanager
def made_for_good() -> Iterator[None]:
    """What exists now is left alone by the garbage collector until the end. To look through all the classes, procedures
    and pages of a service takes it a tenth of a second, in which no table hears a thing. What comes later it looks
    through at a service's beat: by itself it would do so where most is made, which is in the middle of a result."""
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
    """Look through what was made since the last beat, and every ten minutes through all that was made since
    `made_for_good`; where nothing was, the collector goes by itself."""
    if gc.get_threshold()[0] == UNSEEN_MAX:
        gc.collect(2 if now_ns // 10**9 % ALL_EACH_S == 0 else 1)
