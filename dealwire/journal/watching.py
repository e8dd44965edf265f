"""The file under a writer: still the one it opened, at its place, with what was written last.

SQLite goes on writing to a file that was deleted or moved away, and nobody would ever find it.
"""

import os
from contextlib import closing
from pathlib import Path
from typing import Final

from dealwire.journal.database import TROUBLE, open_reading
from dealwire.journal.errors import JournalError
from dealwire.journal.records import Head

BESIDE: Final = ("", "-wal", "-lock")
"""The files of a journal that have to stay while it is written."""

_Place = tuple[int, int]


class FileWatch:
    """What the files of the journal at `path` were when it was opened, and `trouble` when they are not any more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = {name: _place(path, name) for name in BESIDE}
        self._change = _change(path)

    def trouble(self, head: Head) -> str | None:
        """Why the file is not the one that was opened, or does not hold `head`, the newest record on the disk."""
        for name, known in self._known.items():
            now = _place(self._path, name)
            what = f"{self._path}{name}"
            if now is None:
                return f"{what} was deleted or moved away while it was written"
            if known is None:
                self._known[name] = now  # the log is made with the first write
            elif now != known:
                return f"{what} was replaced by another file while it was written"
        change = _change(self._path)
        if change == self._change:
            return None
        self._change = change  # by our own writing, mostly
        return self._altered(head)

    def _altered(self, head: Head) -> str | None:
        try:
            with closing(open_reading(self._path)) as db:
                found = db.execute("SELECT hash FROM record WHERE sequence = ?", (head.sequence,)).fetchone()
        except JournalError as error:
            return f"it was altered while it was written: {error.why}"
        except TROUBLE as error:
            return f"it was altered while it was written: {error}"
        if found is None or found[0] != head.hash:
            return f"an older or another copy was put over it while it was written: record {head.sequence} is gone"
        return None


def _place(path: Path, name: str) -> _Place | None:
    try:
        found = os.stat(f"{path}{name}")
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _change(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
