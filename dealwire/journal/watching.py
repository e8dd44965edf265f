"""The file under a writer: still the one it opened, at its place, with what was written last.

SQLite goes on writing to a file that was deleted or moved away, and nobody would ever find it.
"""

import logging
import os
from contextlib import closing
from pathlib import Path
from typing import Final

from dealwire.journal.database import TROUBLE, as_ours, open_reading, real_path
from dealwire.journal.errors import JournalBusy, JournalError, JournalInaccessible
from dealwire.journal.records import Head

_log = logging.getLogger(__name__)

BESIDE: Final = ("", "-wal", "-lock")
"""The files of a journal that have to stay while it is written."""

_Place = tuple[int, int]


class FileWatch:
    """What the files of the journal at `path` were once it was written to, and `trouble` when they are not any more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files = {name: f"{real_path(path) if name else path}{name}" for name in BESIDE}
        self._known = {name: _place(file) for name, file in self._files.items()}
        self._change, self._most = _change(path), self._size()

    def trouble(self, head: Head) -> str | None:
        """Why the file is not the one that was opened, or does not hold `head`, the newest record on the disk."""
        for name, known in self._known.items():
            what = self._files[name]
            now = _place(what)
            if now is None:
                return f"{what} was deleted or moved away while it was written"
            if now != known:
                return f"{what} was replaced by another file while it was written"
        change, log = _change(self._path), self._size()
        if change == self._change and log >= self._most:
            return None
        try:
            trouble = self._altered(head)
        except JournalError as error:
            _log.warning(
                "%s: could not be looked at: %s", self._path, error.why
            )  # no descriptor, say: at the next beat
            return None
        self._change, self._most = change, log  # by our own writing, mostly
        return trouble

    def _size(self) -> int:
        """Of the log: SQLite begins it anew and never makes it shorter while somebody has it open."""
        try:
            return os.stat(self._files["-wal"]).st_size
        except OSError:
            return 0

    def _altered(self, head: Head) -> str | None:
        """JournalError when it cannot be looked at now, which says nothing of what is in it."""
        try:
            with closing(open_reading(self._path)) as db:
                found = db.execute("SELECT hash FROM record WHERE sequence = ?", (head.sequence,)).fetchone()
        except (JournalBusy, JournalInaccessible):
            raise
        except JournalError as error:
            return f"it was altered while it was written: {error.why}"
        except TROUBLE as error:
            problem = as_ours(self._path, error)
            if isinstance(problem, JournalBusy | JournalInaccessible):
                raise problem from error
            return f"it was altered while it was written: {problem.why}"
        if found is None or found[0] != head.hash:
            return f"an older or another copy was put over it while it was written: record {head.sequence} is gone"
        return None


def _place(file: str) -> _Place | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _change(path: Path) -> tuple[int, int]:
    try:
        found = os.stat(path)
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
