"""Wait for what must come. The guard is far above what anything takes: a busy machine makes a test longer, no more."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import pytest

PATIENCE_S: Final = 300.0


def wait_until(holds: Callable[[], object], what: str = "what was waited for", *, pause_s: float = 0.01) -> None:
    """Return when it holds; the test fails when it never does."""
    end_s = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > end_s:
            pytest.fail(f"{what} did not come within {PATIENCE_S:.0f} s")
        time.sleep(pause_s)
