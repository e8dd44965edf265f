"""Waits for what must happen. The guard is far above what anything takes: a busy machine only makes a test longer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import pytest

PATIENCE_S: Final = 300.0


def wait_until(holds: Callable[[], object], what: str = "what was waited for", *, pause_s: float = 0.01) -> None:
    """Wait until `holds()`; fail the test if it never does."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end_s:
            pytest.fail(f"{what} did not come within {PATIENCE_S:.0f} s")
        time.sleep(pause_s)


@contextmanager
def machine_watched(every_s: float = 0.01) -> Iterator[list[float]]:
    """Yield the delays, in milliseconds, of a thread that only sleeps: any other program on the machine, an emulator
    too, was late by as much."""
    late, over = [0.0], threading.Event()

    def sleep() -> None:
        due = time.monotonic() + every_s
        while not over.wait(every_s):
            late.append((time.monotonic() - due) * 1000)
            due = time.monotonic() + every_s

    sleeper = threading.Thread(target=sleep, daemon=True)
    sleeper.start()
    try:
        yield late
    finally:
        over.set()
        sleeper.join()
