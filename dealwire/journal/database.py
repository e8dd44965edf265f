"""The file of a journal: SQLite in WAL mode, every commit synced; one writer, any number of readers.

SQLite's own locks are POSIX locks, which a process loses when it closes any descriptor of the file. So nothing here
opens the file except SQLite, and the lock against a second writer is on a separate file.

Lock and log are next to the file itself, not to a link to it. A hard link would have its own log and lock, and two
writers would spoil the file: a file with two names is not written.
"""

import contextlib
import errno
import os
import sqlite3
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from dealwire.journal.errors import (
    JournalBusy,
    JournalDamaged,
    JournalEmpty,
    JournalError,
    JournalForeign,
    JournalInaccessible,
    JournalNewer,
    JournalUnfit,
    JournalUnwritable,
)
from dealwire.journal.records import KEY, MARKS, TOPICS
from devices.files import check_kind, sync_folder

APPLICATION_ID: Final = 0x64774A31
"""`dwJ1`, at byte 68 of the file."""
VERSION: Final = 4
"""Version 1 had a record for each read and write, and no derived tables; version 2 had no `obligation` table, and
neither releases nor balances as records; version 3 had no tree."""


TROUBLE: Final = (sqlite3.Error, UnicodeDecodeError)
"""Exceptions of SQLite; the second occurs when its own message quotes bytes of a damaged file."""


def _listed(kinds: tuple[str, ...]) -> str:
    return ", ".join(f"'{kind}'" for kind in kinds)


IS_PUBLICATION: Final = f"kind IN ({_listed(TOPICS)})"
IS_MARK: Final = f"kind IN ({_listed(MARKS)})"
IS_ANNOUNCEMENT: Final = f"kind = '{KEY}'"

_MARKS_1: Final = ("opened", "started", "resumed", "stopped", "line")
_MARKS_2: Final = (*_MARKS_1, "snapshot", "settled", "day", "exported", "salvaged")
_MARKS_3: Final = (*_MARKS_1, "snapshot", "settled", "held", "released", "balance", "day", "exported", "salvaged")

RECORD: Final = """CREATE TABLE record (
        sequence INTEGER PRIMARY KEY,
        at_ns INTEGER NOT NULL,
        line INTEGER NOT NULL,
        kind TEXT NOT NULL,
        tbl TEXT NOT NULL,
        payload BLOB NOT NULL,
        hash BLOB NOT NULL
    ) STRICT"""
_MARK: Final = f"CREATE INDEX mark ON record (kind, tbl, sequence) WHERE {IS_MARK}"
_ANCHOR: Final = "CREATE TABLE anchor (sequence INTEGER NOT NULL, hash BLOB NOT NULL, file BLOB NOT NULL) STRICT"
_WHOLE: Final = "ALTER TABLE anchor ADD COLUMN whole INTEGER NOT NULL DEFAULT 1"
_OBLIGATION: Final = """CREATE TABLE obligation (
        entry INTEGER PRIMARY KEY, tbl TEXT NOT NULL, device TEXT NOT NULL, session TEXT NOT NULL,
        round INTEGER NOT NULL, at_ns INTEGER NOT NULL, cents INTEGER NOT NULL, currency TEXT NOT NULL,
        why TEXT NOT NULL, clause TEXT NOT NULL, readings TEXT NOT NULL, hash BLOB NOT NULL
    ) STRICT"""
_TREE: Final = (
    """CREATE TABLE leaf (
        tree INTEGER NOT NULL, number INTEGER NOT NULL, sequence INTEGER NOT NULL, hash BLOB NOT NULL,
        PRIMARY KEY (tree, number)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE node (
        tree INTEGER NOT NULL, level INTEGER NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL,
        PRIMARY KEY (tree, level, number)
    ) STRICT, WITHOUT ROWID""",
    "CREATE UNIQUE INDEX leaf_of ON leaf (sequence)",
)
DERIVED: Final = (
    _ANCHOR,
    _WHOLE,
    "CREATE TABLE opening (sequence INTEGER PRIMARY KEY, epoch TEXT NOT NULL) STRICT",
    """CREATE TABLE settled (
        tbl TEXT NOT NULL, device TEXT NOT NULL, session TEXT NOT NULL,
        first INTEGER NOT NULL, last INTEGER NOT NULL,
        PRIMARY KEY (tbl, device, session, first)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE meter (
        tbl TEXT NOT NULL, name TEXT NOT NULL, sequence INTEGER NOT NULL, line TEXT NOT NULL,
        PRIMARY KEY (tbl, name)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE segment (
        first INTEGER PRIMARY KEY, last INTEGER NOT NULL, day TEXT NOT NULL, hash BLOB NOT NULL,
        exported TEXT, sha256 TEXT
    ) STRICT""",
    _OBLIGATION,
    *_TREE,
)
"""Derived tables for look-ups; `check.verify` checks them against the records."""

SCHEMA: Final = (
    RECORD,
    f"CREATE INDEX publication ON record (sequence) WHERE {IS_PUBLICATION}",
    _MARK,
    f"CREATE INDEX announcement ON record (sequence) WHERE {IS_ANNOUNCEMENT}",
    "CREATE TABLE consumer (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT",
    *DERIVED,
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)
_FORMS_SINCE: Final = 3
"""Since this version a journal's own objects are in the form that is compared; earlier ones were written in others."""
_SCHEMA: Final = "SELECT name, sql FROM sqlite_schema"
_RAISED: Final = f"PRAGMA user_version = {VERSION}"
_FROM: Final = {
    1: ("DROP INDEX mark", _MARK, *DERIVED, _RAISED),
    2: ("DROP INDEX mark", _MARK, _WHOLE, _OBLIGATION, *_TREE, _RAISED),
    3: ("DROP INDEX mark", _MARK, *_TREE, _RAISED),
}

COLUMNS: Final = "sequence, at_ns, line, kind, tbl, payload, hash"


def in_words(error: Exception) -> str:
    """Return a disk error as text."""
    code = _code(error)
    known = {
        sqlite3.SQLITE_FULL: "the disk is full",
        sqlite3.SQLITE_READONLY: "the disk or the file is read-only",
        sqlite3.SQLITE_IOERR: "the disk failed",
        sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
        sqlite3.SQLITE_CORRUPT: "the file is damaged",
    }
    if isinstance(error, UnicodeDecodeError):
        return known[sqlite3.SQLITE_CORRUPT]
    words = " ".join(str(error).split())[:200]
    return f"{known[code]} ({words})" if code in known else words


def _code(error: Exception) -> int:
    """Return SQLite's primary error code; 0 if there is none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def is_locked(error: Exception) -> bool:
    """True if another program holds a lock for now."""
    return _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def as_ours(path: Path, error: Exception) -> JournalError:
    """Return our error for an SQLite error of a journal that is opened or read."""
    code = _code(error)
    if code == sqlite3.SQLITE_NOTADB:
        return JournalForeign(path, "not a SQLite file")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return JournalBusy(path)
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return JournalUnwritable(path, in_words(error))
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return JournalInaccessible(path, in_words(error), errno.EACCES)
    if code == sqlite3.SQLITE_CANTOPEN:
        number = errno.EACCES if path.exists() else errno.ENOENT
        return JournalInaccessible(path, in_words(error), number)
    return JournalDamaged(path, None, in_words(error))


class WritableFile:
    """A journal's file, locked and open for its one writer. `new`: it was just created. `version` is the version it had
    until now: in an older one not everything is derived yet."""

    def __init__(self, path: Path) -> None:
        refuse_no_file(path)
        self.path = path
        self.version = VERSION
        self._lock = _lock(path)
        self.db: sqlite3.Connection
        try:
            self._make()
            refuse_two_names(path)
            self.db = sqlite3.connect(path, isolation_level=None, timeout=5.0)
            self.db.text_factory = as_text
            try:
                self.new = self._prepare()
            except BaseException:
                self.db.close()
                raise
        except BaseException as error:
            os.close(self._lock)
            if isinstance(error, TROUBLE):
                raise as_ours(path, error) from error
            raise

    def close(self) -> None:
        """Release file and lock."""
        with contextlib.suppress(*TROUBLE):
            self.db.close()
        os.close(self._lock)

    def _make(self) -> None:
        """Create the file, empty and private, so that SQLite's files next to it are private too."""
        try:
            os.close(os.open(real_path(self.path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except FileExistsError:
            return
        except OSError as error:
            raise JournalInaccessible.of(self.path, error) from error
        sync_folder(real_path(self.path).parent)

    def _prepare(self) -> bool:
        empty = _is_empty(self.db)
        if empty:
            self.db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # lets pruned pages be returned to the disk
        else:
            self.version = check_version(self.path, self.db)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = FULL")
        if empty or self.version < VERSION:
            self.db.execute("BEGIN IMMEDIATE")  # ended by the commit of the first record
            for statement in SCHEMA if empty else _FROM[self.version]:
                self.db.execute(statement)
        return empty


def as_text(value: bytes) -> str:
    """Decode a text; one of a damaged file decodes to another text, which the chain exposes."""
    return value.decode("utf-8", "replace")


def refuse_no_file(path: Path) -> None:
    """JournalInaccessible for a folder, pipe, socket or device: SQLite would block on some of them."""
    try:
        check_kind(path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise JournalInaccessible.of(path, error) from error


def real_path(path: Path) -> Path:
    """Return the real path of the file, next to which its log and lock are."""
    return Path(os.path.realpath(path))


def refuse_two_names(path: Path) -> None:
    """JournalUnfit for a file with hard links: the other name has its own lock and log."""
    if (names := path.stat().st_nlink) > 1:
        why = f"it has {names} names (hard links), so two programs could write to it with separate logs"
        raise JournalUnfit(path, f"{why}; leave it one name")


def _lock(path: Path) -> int:
    import fcntl  # not on every system, and a recording is replayed without it

    try:
        lock = os.open(f"{real_path(path)}-lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise JournalInaccessible.of(path, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        raise JournalBusy(path) from error
    return lock


def _is_empty(db: sqlite3.Connection) -> bool:
    """True for a file in which nothing was ever committed, such as one whose creation was interrupted."""
    tables = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    return not (tables or db.execute("PRAGMA application_id").fetchone()[0])


def check_version(path: Path, db: sqlite3.Connection) -> int:
    """Return the file's version; JournalForeign or JournalNewer unless this program can use it."""
    if db.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise JournalForeign(path, "a SQLite file of another program")
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise JournalNewer(path, version, VERSION)
    if version < 1:
        raise JournalForeign(path, f"its version is {version}")
    return int(version)


def strangers(rows: Iterable[tuple[str, str, str, str | None]], version: int) -> list[str]:
    """Return the objects in `sqlite_schema` (type, name, table, SQL) that no journal has and that could act in it.

    These are triggers and views, and indexes or altered definitions on the journal's own tables. Additional tables,
    such as those of a backup program, touch nothing.
    """
    own, later = _made(version), _made(VERSION).keys() - _made(version).keys()
    found = []
    for kind, name, table, sql in rows:
        made, plain, of = " ".join((sql or "").split()), name.lower(), table.lower()  # SQLite ignores their case
        if plain in later:
            found.append(f"{kind} {name!r} of a later version")
        elif kind in ("trigger", "view") or (of in own and plain not in own and not plain.startswith("sqlite_")):
            found.append(f"{kind} {name!r}")
        elif plain in own and made != own[plain] and version >= _FORMS_SINCE:
            found.append(f"{kind} {name!r} of another form")
    return found


@cache
def _made(version: int) -> dict[str, str]:
    """Return the SQL of a journal's own objects, by name."""
    mark = _MARK.replace(IS_MARK, marks(version))
    lacks = {1: DERIVED, 2: (_WHOLE, _OBLIGATION, *_TREE), 3: _TREE}.get(version, ())
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        for statement in SCHEMA:
            if statement not in lacks:
                db.execute(mark if statement == _MARK else statement)
        return {name: " ".join(sql.split()) for name, sql in db.execute(_SCHEMA) if sql is not None}


def marks(version: int) -> str:
    """Return the condition of the index of marks in a file of this version."""
    older = {1: _MARKS_1, 2: _MARKS_2, 3: _MARKS_3}.get(version)
    return f"kind IN ({_listed(older)})" if older is not None else IS_MARK


def open_reading(path: Path, *, still: bool = False) -> sqlite3.Connection:
    """Open a read-only connection, even while a writer is active, and on a read-only medium.

    `still`: no one writes the file, so no file is created next to it, unless the log of a killed writer must be read.
    """
    refuse_no_file(path)
    if not path.exists():
        raise JournalInaccessible(path, os.strerror(errno.ENOENT), errno.ENOENT)
    uri = f"{path.absolute().as_uri()}?mode=ro"
    wal = Path(f"{real_path(path)}-wal")
    whole = not (wal.exists() and wal.stat().st_size)
    if still and whole:
        return _connect(path, f"{uri}&immutable=1")
    try:
        return _connect(path, uri)
    except JournalInaccessible:
        if os.access(path, os.R_OK) and whole:
            return _connect(path, f"{uri}&immutable=1")  # no log to read, and no one who could write
        raise


def is_locked_by_writer(path: Path) -> bool:
    """True while a program has the journal open for writing. Nothing is created, and no one is locked out for longer
    than the test takes."""
    import fcntl

    try:
        lock = os.open(f"{real_path(path)}-lock", os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(lock)
    return False


def beside(path: Path) -> list[Path]:
    """Return the journal's file and the files next to it."""
    return [path, *(Path(f"{real_path(path)}{end}") for end in ("-lock", "-wal", "-shm"))]


def _connect(path: Path, uri: str) -> sqlite3.Connection:
    try:
        db = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=5.0, check_same_thread=False)
        db.text_factory = as_text
        try:
            if _is_empty(db):
                raise JournalEmpty(path)
            check_version(path, db)
        except BaseException:
            db.close()
            raise
    except TROUBLE as error:
        raise as_ours(path, error) from error
    return db
