"""A folder in memory, for tests that write much and are not about the disk: a sync costs milliseconds there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")


@contextmanager
def memory_folder(otherwise: Path) -> Iterator[Path]:
    """Yield an empty folder in memory, or `otherwise` if the system has none."""
    if not MEMORY.is_dir():
        yield otherwise
        return
    with tempfile.TemporaryDirectory(dir=MEMORY) as name:
        yield Path(name)
