"""How full the disk under the journal is: somebody has to know before it is full, for then every table stops."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

LEVELS: Final = (80, 90, 95)
"""Percent of the disk in use at which a person is warned, each once until there is room again."""
LESS: Final = 2
"""Percent below a level from where it may be reached anew: files that come and go at the edge are not worth a word."""
EVERY_NS: Final = 5_000_000_000
"""Between two looks."""


class Usage(Protocol):
    """Bytes of a disk, as `shutil.disk_usage` gives them."""

    @property
    def total(self) -> int:
        """All there are."""

    @property
    def used(self) -> int:
        """Those in use."""

    @property
    def free(self) -> int:
        """Those that may still be written by who is not root."""


class DiskWatch:
    """The disk that holds `folder`."""

    def __init__(self, folder: Path, usage: Callable[[Path], Usage] = shutil.disk_usage) -> None:
        self.free = self.size = 0
        """Bytes that may still be written, and that there are in all; zeros before the first look."""
        self._folder, self._usage = folder, usage
        self._level = 0
        self._due_ns = 0

    def look(self, now_ns: int) -> str | None:
        """Look, when it is time to; what a person should be told, once for each level that was passed."""
        if now_ns < self._due_ns:
            return None
        self._due_ns = now_ns + EVERY_NS
        try:
            found = self._usage(self._folder)
        except OSError:
            return None  # the journal says itself what is wrong with its file
        self.free, self.size = found.free, found.total
        percent = percent_used(found)
        before = self._level
        self._level = max((level for level in LEVELS if percent >= level - LESS * (level <= before)), default=0)
        if self._level == before:
            return None
        how = f"{percent} % of the journal's disk is in use, {in_words(self.free)} are free"
        return f"{how}; when it is full, every table stops" if self._level > before else f"there is room again: {how}"


def percent_used(found: Usage) -> int:
    """How full a disk is; what is reserved for root is no room of ours."""
    return 100 * found.used // max(1, found.used + found.free)


def in_words(count: int) -> str:
    """So many bytes, for a person."""
    for unit, size in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
