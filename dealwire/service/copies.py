"""Checks the files that days were copied to: still there, and unchanged?

It runs in a thread of its own, since a hanging disk must not delay a table; one check at a time.
"""

import hashlib
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

from dealwire.journal import JournalReader
from dealwire.journal.contents import Segment
from dealwire.journal.errors import JournalError
from dealwire.journal.records import Head
from devices.files import open_file

AT_ONCE: Final = 1 << 20
"""Bytes read between two signs of progress."""
SILENT: Final = "its disk does not respond"
OTHER: Final = "its contents changed"


class Copy(NamedTuple):
    """A file that holds a day, and its SHA-256 when the day was copied. `whole`: read all of it, however recently it
    was read."""

    path: str
    sha256: str
    whole: bool = False


FileId = tuple[int, int]
"""Device and inode: the same for two names of one file."""
Stamp = tuple[int, int, int, int]
"""File identity with size and time of change."""


class Look(NamedTuple):
    """Result of a check: the problem of each file or None, the files just read completely and found intact, the SHA-256
    of a new file, and the identity of each file found."""

    wrong: dict[str, str | None]
    whole: frozenset[str] = frozenset()
    sha256: str = ""
    files: Mapping[str, FileId] = MappingProxyType({})


class CopyWatch:
    """Checks copies in a thread. Start with `look` or `take_over`, then poll `found`. Use it from one thread."""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._result = Look({})
        self._at = ""
        """The file being checked."""
        self._moves = 0
        self._moved: tuple[int, int] | None = None
        """Progress counter as last seen, and when."""
        self._read: dict[str, tuple[Stamp, str | None]] = {}
        """Files read completely: their stamps, and the problem found."""
        self._seen: dict[str, FileId] = {}

    @property
    def busy(self) -> bool:
        """True if a check is under way or its result was not taken."""
        return self._thread is not None

    def look(self, copies: Sequence[Copy]) -> None:
        """Start checking that these files exist and are unchanged."""
        self._begin(lambda: self._look(copies))

    def take_over(self, path: str, segment: Segment, identity: bytes, anchor: Head) -> None:
        """Start checking that a new file holds this day of that journal, whose first record follows `anchor`, and hash
        it."""
        self._begin(lambda: self._take_over(path, segment, identity, anchor))

    def found(self) -> Look | None:
        """Return the result; None while the check is under way."""
        if self._thread is None or self._thread.is_alive():
            return None
        self._thread = None
        return self._result

    def stuck(self, now_ns: int, most_ns: int) -> str | None:
        """Return the file at which the check has made no progress for `most_ns`; None if it progresses."""
        if self._thread is None or self._moved is None or self._moved[0] != self._moves:
            self._moved = self._moves, now_ns
        return self._at if self._thread is not None and now_ns - self._moved[1] >= most_ns else None

    # ------------------------------------------------------------------ in the thread

    def _begin(self, job: Callable[[], Look]) -> None:
        assert self._thread is None

        def run() -> None:
            self._result = job()

        self._result, self._moved = Look({}), None
        self._thread = threading.Thread(target=run, name="archive", daemon=True)
        self._thread.start()

    def _look(self, copies: Sequence[Copy]) -> Look:
        self._seen.clear()
        wrong = {each.path: self._wrong(each) for each in copies}
        whole = frozenset(each.path for each in copies if each.whole and wrong[each.path] is None)
        return Look(wrong, whole, files=dict(self._seen))

    def _wrong(self, copy: Copy) -> str | None:
        self._at = copy.path
        self._moves += 1
        try:
            before, known = _stamp(copy.path), self._read.get(copy.path)
            self._seen[copy.path] = before[:2]
            if not copy.whole and (known is None or known[0] == before):
                return known[1] if known is not None else None
            why = None if self._hash(copy.path) == copy.sha256 else OTHER
        except OSError as error:
            self._read.pop(copy.path, None)
            return error.strerror or str(error)
        self._read[copy.path] = before, why
        return why

    def _take_over(self, path: str, segment: Segment, identity: bytes, anchor: Head) -> Look:
        self._at = path
        self._moves += 1
        try:
            with JournalReader(Path(path), still=True) as reader:
                held = reader.identity, reader.anchor, reader.head
            if held != (identity, anchor, Head(segment.last, segment.hash)):
                return Look({path: OTHER})
            return Look({path: None}, sha256=self._hash(path))
        except JournalError as error:
            return Look({path: error.why})
        except OSError as error:
            return Look({path: error.strerror or str(error)})

    def _hash(self, path: str) -> str:
        digest = hashlib.sha256()
        with open_file(path) as file:
            while piece := file.read(AT_ONCE):
                digest.update(piece)
                self._moves += 1
        return digest.hexdigest()


def _stamp(path: str) -> Stamp:
    found = Path(path).stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
