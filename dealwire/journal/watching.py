"""Watch of a writer's file: still the file that was opened, at its place, with the last record written.

SQLite keeps writing to a file that was deleted or moved, and those records would be lost.
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
"""Files of a journal that must stay while it is written."""

_Place = tuple[int, int]


class FileWatch:
    """Remembers the files of the journal at `path` at the start of writing; `trouble` compares."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files = {name: f"{real_path(path) if name else path}{name}" for name in BESIDE}
        self._known = {name: _place(file) for name, file in self._files.items()}
        self._change, self._most = _change(path), self._size()

    def trouble(self, head: Head) -> str | None:
        """Return why the file is not the one that was opened, or lacks `head`, the newest record on the disk; None if
        all is well."""
        for name, known in self._known.items():
            what = self._files[name]
            now = _place(what)
            if now is None:
                return f"{what} was deleted or moved while in use"
            if now != known:
                return f"{what} was replaced by another file while in use"
        change, log = _change(self._path), self._size()
        if change == self._change and log >= self._most:
            return None
        try:
            trouble = self._altered(head)
        except JournalError as error:
            _log.warning(
                "%s: could not be checked: %s", self._path, error.why
            )  # perhaps out of descriptors; retry at the next beat
            return None
        self._change, self._most = change, log  # usually changed by our own writes
        return trouble

    def _size(self) -> int:
        """Return the size of the log. SQLite restarts it and never shortens it while someone has it open."""
        try:
            return os.stat(self._files["-wal"]).st_size
        except OSError:
            return 0

    def _altered(self, head: Head) -> str | None:
        """Return why the file was altered. JournalError if it cannot be checked now, which says nothing about its
        content."""
        try:
            with closing(open_reading(self._path)) as db:
                found = db.execute("SELECT hash FROM record WHERE sequence = ?", (head.sequence,)).fetchone()
        except (JournalBusy, JournalInaccessible):
            raise
        except JournalError as error:
            return f"it was altered while in use: {error.why}"
        except TROUBLE as error:
            problem = as_ours(self._path, error)
            if isinstance(problem, JournalBusy | JournalInaccessible):
                raise problem from error
            return f"it was altered while in use: {problem.why}"
        if found is None or found[0] != head.hash:
            return f"it was overwritten by an older or different copy while in use: record {head.sequence} is gone"
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
