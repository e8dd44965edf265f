"""The file of a journal for reading: rows, records by number, marks by kind and table.

Anyone may read, even while it is written; nothing here can change it, opens a seal, or interprets a payload.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self

from dealwire.journal import database
from dealwire.journal.contents import fields_of
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.records import GENESIS, OPENED, Head, JournalRecord, record_of

MANY: Final = (1 << 63) - 1
"""More than any number or time in a journal."""
PAGE: Final = 1000
"""Records fetched at once, so that a slow reader does not block checkpoints of the writer."""


class RecordFile:
    """A journal's file open for reading. Use it as a context manager; every method may be called from any thread.

    `still`: no one writes it meanwhile, so no file is created next to it. JournalInaccessible, JournalForeign
    (JournalEmpty), JournalNewer or JournalDamaged if it cannot be read.
    """

    def __init__(self, path: str | Path, *, still: bool = False) -> None:
        self.path = Path(path)
        self._lock = threading.Lock()
        self._db = database.open_reading(self.path, still=still)
        try:
            self.version: int = self.rows("PRAGMA user_version")[0][0]
            self._marks = database.marks(self.version)
            self.anchor, self.identity = self._anchor()
            """The record before the first one, and the file's own number, 16 random bytes."""
            self.whole = self.version < 3 or bool(self.rows("SELECT whole FROM anchor")[0][0])
            """True if its tables cover all earlier records; those of a day's copy cover only its own."""
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ records

    @property
    def head(self) -> Head:
        """The newest record's number and hash."""
        rows = self.rows("SELECT sequence, hash FROM record ORDER BY sequence DESC LIMIT 1")
        return Head(*rows[0]) if rows else self.anchor

    def hash_at(self, sequence: int) -> bytes | None:
        """Return the hash of record number `sequence`; None if it is not in the file."""
        rows = self.rows("SELECT hash FROM record WHERE sequence = ?", sequence) if 0 <= sequence <= MANY else []
        return rows[0][0] if rows else None

    @property
    def newest_ns(self) -> int:
        """Latest time among the newest records of the newest opening, nanoseconds since 1970; a continuing clock must
        not start earlier."""
        opened = f"SELECT coalesce(max(sequence), 0) FROM record WHERE kind = '{OPENED}' AND {self._marks}"
        newest = f"SELECT at_ns FROM record WHERE sequence >= ({opened}) ORDER BY sequence DESC LIMIT 1000"
        return int(self.rows(f"SELECT coalesce(max(at_ns), 0) FROM ({newest})")[0][0])

    def look_again(self) -> bool:
        """Read the anchor again. True if older records were pruned since it was last read."""
        before, (self.anchor, _) = self.anchor, self._anchor()
        return self.anchor != before

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Read the file as it is now, whatever is written meanwhile. Keep it short: it blocks checkpoints."""
        self.rows("BEGIN")
        try:
            yield
        finally:
            self.rows("ROLLBACK")

    def records(self, after: int = 0) -> Iterator[JournalRecord]:
        """Yield every record after number `after`, oldest first, up to the newest when the end is reached."""
        return self.paged(after, "1")

    def _anchor(self) -> tuple[Head, bytes]:
        if self.version > 1:
            follows = "EXISTS (SELECT 1 FROM record WHERE record.sequence = anchor.sequence + 1)"
            rows = self.rows(
                f"SELECT sequence, hash, file, {follows} FROM anchor"
            )  # in one statement: the writer may prune meanwhile
            if len(rows) != 1 or len(rows[0][1]) != len(GENESIS) or len(rows[0][2]) != 16:
                raise JournalDamaged(self.path, None, "what its first record follows is not in it")
            if not rows[0][3]:
                raise JournalDamaged(self.path, rows[0][0] + 1, "the first record is missing")
            return Head(rows[0][0], rows[0][1]), rows[0][2]
        first = next(self._page(0, f"kind = '{OPENED}' AND {self._marks}"), None)
        if first is None:
            raise JournalDamaged(self.path, 1, "the first record is missing")
        return Head(0, GENESIS), fields_of(self.path, first, lambda fields: bytes.fromhex(fields["file"]))

    # ------------------------------------------------------------------ marks

    def newest_of(self, kind: str, up_to: int = MANY) -> JournalRecord | None:
        """Return the newest of the journal's own marks of a kind, which belong to no table, up to a record."""
        return self._newest_mark(kind, "", up_to)

    def first_of(self, kind: str, after: int = 0) -> JournalRecord | None:
        """Return the oldest of them after a record."""
        return next(self.all_of(kind, after), None)

    def all_of(self, kind: str, after: int = 0) -> Iterator[JournalRecord]:
        """Yield all of them after a record, oldest first."""
        return self.marked(kind, "", after)

    def marks_since(self, kind: str, after: int) -> Iterator[tuple[str, JournalRecord]]:
        """Yield the marks of a kind after a record, table by table, each with its table."""
        for table in self._named(kind):
            for record in self.marked(kind, table, after):
                yield table, record

    def marked(self, kind: str, table: str, after: int) -> Iterator[JournalRecord]:
        """Yield the marks of one kind of a table after number `after`, oldest first."""
        where = f"{self._marks} AND kind = ? AND tbl = ? AND sequence > ?"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where} ORDER BY sequence LIMIT ?"
        while found := list(map(self.record, self.rows(sql, kind, table, after, PAGE))):
            yield from found
            if found[-1].sequence <= after:
                raise JournalDamaged(self.path, found[-1].sequence, f"comes after record {after}")
            after = found[-1].sequence

    def _named(self, kind: str) -> list[str]:
        """Return the tables that have marks of this kind."""
        found, sql = list[str](), f"SELECT tbl FROM record INDEXED BY mark WHERE {self._marks} AND kind = ? AND tbl > ?"
        while rows := self.rows(f"{sql} ORDER BY tbl LIMIT 1", kind, found[-1] if found else ""):
            found.append(rows[0][0])
        return found

    def _newest_mark(self, kind: str, table: str, up_to: int = MANY) -> JournalRecord | None:
        where = f"{self._marks} AND kind = ? AND tbl = ? AND sequence <= ?"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where} ORDER BY sequence DESC LIMIT 1"
        return next(map(self.record, self.rows(sql, kind, table, up_to)), None)

    def _oldest_mark(self, kind: str, table: str) -> JournalRecord | None:
        where = f"{self._marks} AND kind = ? AND tbl = ?"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where} ORDER BY sequence LIMIT 1"
        return next(map(self.record, self.rows(sql, kind, table)), None)

    # ------------------------------------------------------------------ the file itself

    def size(self) -> int:
        """Return the bytes of the file in use."""
        pages, free, of = (self.rows(f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count", "page_size"))
        return int((pages - free) * of)

    def strangers(self) -> list[str]:
        """Return foreign objects in the file that could act, or be read in place of its tables."""
        rows = self.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name")
        return database.strangers(rows, self.version)

    def complaints(self) -> list[str]:
        """Return the problems that SQLite finds in the file; empty if there are none."""
        answers = "\n".join(str(row[0]) for row in self.rows("PRAGMA integrity_check(10)")).splitlines()
        return [line for line in answers if line != "ok" and not line.startswith("***")]

    # ------------------------------------------------------------------ rows

    def rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a statement. A JournalError if SQLite cannot read them."""
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except database.TROUBLE as error:
            raise database.as_ours(self.path, error) from error

    def record(self, row: tuple[Any, ...]) -> JournalRecord:
        """Return the record in a row; JournalDamaged for one that no journal contains."""
        record = record_of(row)
        if record is None:
            number = row[0] if type(row[0]) is int else None
            raise JournalDamaged(self.path, number, "holds what no journal holds")
        return record

    def paged(self, after: int, where: str) -> Iterator[JournalRecord]:
        """Yield the records after number `after` that satisfy the condition `where`, oldest first."""
        while found := list(self._page(after, where)):
            for record in found:
                if record.sequence <= after:  # a damaged tree may loop
                    raise JournalDamaged(self.path, record.sequence, f"comes after record {after}")
                after = record.sequence
                yield record

    def _page(self, after: int, where: str = "1") -> Iterator[JournalRecord]:
        sql = f"SELECT {database.COLUMNS} FROM record WHERE {where} AND sequence > ? ORDER BY sequence LIMIT ?"
        return map(self.record, self.rows(sql, after, PAGE))
