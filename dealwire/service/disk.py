"""Watch of the journal's disk: operators are warned before it is full, because then every table stops."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

LEVELS: Final = (80, 90, 95)
"""Percent of the disk in use at which to warn, each once until space is available again."""
LESS: Final = 2
"""Percent below a level at which it is armed again, so that files at the edge cause no repeated warnings."""
EVERY_NS: Final = 5_000_000_000
"""Time between two checks."""


class Usage(Protocol):
    """Bytes of a disk, as from `shutil.disk_usage`."""

    @property
    def total(self) -> int:
        """All bytes."""

    @property
    def used(self) -> int:
        """Bytes in use."""

    @property
    def free(self) -> int:
        """Bytes that a user other than root may still write."""


class DiskWatch:
    """The disk that holds `folder`."""

    def __init__(self, folder: Path, usage: Callable[[Path], Usage] = shutil.disk_usage) -> None:
        self.free = self.size = 0
        """Bytes that may still be written, and bytes in all; zero before the first check."""
        self._folder, self._usage = folder, usage
        self._level = 0
        self._due_ns = 0

    def look(self, now_ns: int) -> str | None:
        """Check when due; return a warning once for each level passed."""
        if now_ns < self._due_ns:
            return None
        self._due_ns = now_ns + EVERY_NS
        try:
            found = self._usage(self._folder)
        except OSError:
            return None  # the journal reports problems of its file
        self.free, self.size = found.free, found.total
        percent = percent_used(found)
        before = self._level
        self._level = max((level for level in LEVELS if percent >= level - LESS * (level <= before)), default=0)
        if self._level == before:
            return None
        how = f"{percent} % of the journal's disk is in use, {in_words(self.free)} free"
        return (
            f"{how}; when it is full, every table stops" if self._level > before else f"space is available again: {how}"
        )


def percent_used(found: Usage) -> int:
    """Return the percentage of a disk that is in use. Space reserved for root does not count as free."""
    return 100 * found.used // max(1, found.used + found.free)


def in_words(count: int) -> str:
    """Return a byte count as text."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
