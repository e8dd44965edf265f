"""Recovery of a damaged journal into a new file.

The new file has the records up to the first wrong one, in their chain. Readable records beyond are no longer evidence,
but they are used: rounds that they report as settled are not settled again, and meters keep their amounts. Every table
starts over from there.
"""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from dealwire.journal import database
from dealwire.journal.books import BOOKED, ERA, Books
from dealwire.journal.contents import epoch_of, opened_in
from dealwire.journal.errors import JournalDamaged, JournalError, JournalForeign, JournalInaccessible, JournalUnwritable
from dealwire.journal.journal import Journal
from dealwire.journal.log_tables import TREE_SINCE, LeafRow
from dealwire.journal.logbook import CLEARS
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import DAY, GENESIS, OPENED, Head, JournalRecord, chained, heading, record_of
from dealwire.journal.segments import WrittenLog, write_file
from dealwire.program_digest import program_facts
from devices.clock import Clock
from devices.files import create_file, open_file

_PAGE: Final = 4096
_HEADER: Final = 100
"""Bytes of the header of an SQLite file."""
GIVEN_UP_AFTER: Final = 1 << 24
"""Consecutive unreadable numbers after which the end is assumed."""

_READ: Final = f"SELECT {database.COLUMNS} FROM record WHERE sequence"
"""Used with a limit, so that SQLite does not search beyond the last row, which may be on a lost page."""

Row = tuple[Any, ...]


@dataclass(slots=True)
class Salvaged:
    """Result: `kept` is the newest record of the new file, `beyond` the number of readable records after it, `lost` the
    ranges of numbers that cannot be read or do not follow, both ends included."""

    kept: Head
    beyond: int = 0
    lost: list[tuple[int, int]] = field(default_factory=list)


def salvage(path: Path, output: Path, clock: Clock) -> Salvaged:
    """Recover the journal at `path` into a new file `output`. JournalError if nothing can be recovered."""
    if output.exists():
        raise JournalInaccessible(output, "already exists")
    with _readable(path, output) as file, closing(_connect(file)) as db:
        source = _Source(path, file, db)
        found = Salvaged(source.anchor)
        beyond = _look_through(source, found)
        if found.kept == source.anchor:
            raise JournalDamaged(path, found.kept.sequence + 1, "not even the first record can be read")
        chain = takewhile(lambda record: record.sequence <= found.kept.sequence, source.records())
        opened = source.openings(found.kept.sequence)
        try:
            create_file(output).close()
        except OSError as error:
            raise JournalInaccessible.of(output, error) from error
        with _none_or_whole(output):
            books, log = source.books(), source.log()
            write_file(output, source.anchor, source.identity, opened, chain, books, log, whole=True, beyond=beyond)
            _say_so(output, path, found, clock)
    return found


@contextmanager
def _readable(path: Path, output: Path) -> Iterator[Path]:
    """Yield the file, or if its end is missing a copy next to `output` padded with zeros: SQLite reads nothing of a
    file shorter than its first page says. The file itself is not changed."""
    with ExitStack() as stack:
        try:
            with open_file(path) as file:
                header, size = file.read(_HEADER), os.fstat(file.fileno()).st_size
            if (whole := _size_in_header(header)) > size:
                folder = stack.enter_context(TemporaryDirectory(prefix=f".{output.name}-", dir=output.parent))
                path = _padded(path, Path(folder) / "copy", whole)
        except OSError as error:
            raise JournalInaccessible.of(path, error) from error
        yield path


def _padded(path: Path, copy: Path, size: int) -> Path:
    for end in ("", "-wal"):
        if (part := path.with_name(path.name + end)).exists():
            shutil.copyfile(part, copy.with_name(copy.name + end))
    os.truncate(copy, size)
    return copy


def _size_in_header(header: bytes) -> int:
    """Return a file's length according to its first page, in bytes; 0 if that is not valid. By SQLite's file format:
    page size at 16, pages at 28, valid while the numbers at 24 and 92 are equal."""
    if len(header) < _HEADER or header[24:28] != header[92:96]:
        return 0
    page = int.from_bytes(header[16:18])
    return (1 << 16 if page == 1 else page) * int.from_bytes(header[28:32])


def _connect(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    db.text_factory = database.as_text
    return db


@contextmanager
def _none_or_whole(output: Path) -> Iterator[None]:
    """Remove a file that could not be written completely."""
    try:
        yield
    except BaseException as error:
        for end in ("", "-journal", "-wal", "-shm", "-lock"):
            output.with_name(output.name + end).unlink(missing_ok=True)
        if isinstance(error, database.TROUBLE):
            raise JournalUnwritable(output, database.in_words(error)) from error
        raise


def _say_so(output: Path, path: Path, found: Salvaged, clock: Clock) -> None:
    with JournalReader(output) as reader:
        running = reader.starts()
    with Journal(output, key=None, clock=clock, about=program_facts(), believed=True) as journal:
        at_ns = max(clock.now_ns(), journal.newest_ns)
        fields = {"kept": str(found.kept), "beyond": found.beyond, "lost": found.lost[:100], "from": path.name}
        journal.salvaged(at_ns, fields)
        for table in running:
            journal.stopped(table, at_ns, "the journal was salvaged")
        journal.secure()
        if journal.failed is not None:
            raise JournalUnwritable(output, journal.failed)


def _look_through(source: "_Source", found: Salvaged) -> list[JournalRecord]:
    """Find how far the records follow one another, and the readable ones beyond that decide money."""
    beyond, whole, before = list[JournalRecord](), True, found.kept.sequence
    for record in source.records():
        if record.sequence != before + 1:
            found.lost.append((before + 1, record.sequence - 1))
            whole = False
        before = record.sequence
        if whole and _follows(found.kept, record):
            found.kept = Head(record.sequence, record.hash)
            continue
        if whole:
            found.lost.append((record.sequence, record.sequence))
        whole = False
        found.beyond += 1
        if record.kind in BOOKED:
            beyond.append(record)
    return beyond


def _follows(before: Head, record: JournalRecord) -> bool:
    """True if the hash of a record, the next by number, follows."""
    head = heading(record.sequence, record.at_ns, record.line, record.kind, record.table)
    return chained(before.hash, head, record.payload) == record.hash


class _Source:
    """A damaged file, read as far as SQLite can."""

    def __init__(self, path: Path, file: Path, db: sqlite3.Connection) -> None:
        """`path` is named in errors, `file` is read."""
        self._path, self._file, self._db = path, file, db
        try:
            application = db.execute("PRAGMA application_id").fetchone()[0]
        except database.TROUBLE as error:
            raise database.as_ours(path, error) from error
        if application != database.APPLICATION_ID:
            raise JournalForeign(path, "its first page does not say that it is one")
        self._version = int((self._try("PRAGMA user_version") or [(database.VERSION,)])[0][0])
        self.anchor, self.identity = self._anchor()

    def _anchor(self) -> tuple[Head, bytes]:
        rows = self._try("SELECT sequence, hash, file FROM anchor")
        if rows and len(rows[0][1]) == len(GENESIS) and len(rows[0][2]) == 16:
            return Head(rows[0][0], rows[0][1]), rows[0][2]
        try:
            with JournalReader(self._file) as reader:
                return reader.anchor, reader.identity
        except JournalError as error:
            raise JournalDamaged(
                self._path, None, f"what its first record follows cannot be read: {error.why}"
            ) from None

    def books(self) -> Books:
        """Return the entries of the file's tables about pruned records, as far as they can be read."""
        books = Books(era=self._version)
        if self.anchor.sequence and self._version > 1:
            before, older = self.anchor.sequence, self._version < ERA
            runs = self._try("SELECT tbl, device, session, first, last FROM settled")
            meters = self._try("SELECT tbl, name, sequence, line FROM meter WHERE sequence <= ?", before)
            held = None if older else self._try("SELECT * FROM obligation WHERE entry <= ?", before)
            books.add_older(runs or (), meters or ())
            books.load((), (), held or ())
        return books

    def log(self) -> WrittenLog:
        """Return the tree before the first record from which it can be led, by the file's leaves if all can be read."""
        if self._version < TREE_SINCE or not self.anchor.sequence:
            return WrittenLog()
        since = next((each.sequence for each in self.records() if each.kind in CLEARS), 0)
        rows = self._try("SELECT tree, number FROM leaf WHERE sequence = ?", since)
        follows = (rows[0][0], rows[0][1]) if rows else (0, 0)
        return WrittenLog(earlier=self._leaves(since), since=since, follows=follows)

    def _leaves(self, before: int) -> Iterator[LeafRow]:
        after, sql = (
            0,
            "SELECT tree, number, sequence, hash FROM leaf WHERE sequence > ? AND sequence < ? ORDER BY sequence",
        )
        while rows := self._try(f"{sql} LIMIT ?", after, before, _PAGE):
            for tree, number, sequence, found in rows:
                if type(found) is not bytes or len(found) != len(GENESIS) or sequence <= after:
                    return
                after = sequence
                yield tree, number, sequence, found

    def openings(self, up_to: int) -> list[tuple[int, str]]:
        """Return the openings before its first record, and those in the records up to that number."""
        rows = self._try("SELECT sequence, epoch FROM opening WHERE sequence <= ?", self.anchor.sequence) or ()
        found = {row[0]: row[1] for row in rows if type(row[0]) is int and type(row[1]) is str}
        for each in takewhile(lambda record: record.sequence <= up_to, self.records()):
            if each.kind == OPENED:
                found[each.sequence] = epoch_of(each)
            elif each.kind == DAY and 0 < (last := opened_in(each)) <= self.anchor.sequence:
                found = {n: epoch for n, epoch in found.items() if n < last or n > self.anchor.sequence}
                found[last] = epoch_of(each)
        return sorted((sequence, epoch) for sequence, epoch in found.items() if epoch)

    def records(self) -> Iterator[JournalRecord]:
        """Yield every readable record in order."""
        start, width = self.anchor.sequence + 1, _PAGE
        last = self._last()
        while start <= last:
            end = min(start + width - 1, last)
            rows = self._try(f"{_READ} BETWEEN ? AND ? LIMIT ?", start, end, end - start + 1)
            if rows is None and width > 1:
                width //= 2
                continue
            for record in sorted(filter(None, map(record_of, rows or ())), key=lambda each: each.sequence):
                if start <= record.sequence <= end:
                    yield record
            start, width = end + 1, min(width * 2, _PAGE)
            if rows == []:  # readable and empty: skip to the next record, which may be far
                following = self._try("SELECT min(sequence) FROM record WHERE sequence >= ?", start)
                start = following[0][0] if following and type(following[0][0]) is int else start

    def _last(self) -> int:
        rows = self._try("SELECT sequence FROM record ORDER BY sequence DESC LIMIT 1")
        if rows:
            return int(rows[0][0])
        newest, step = self.anchor.sequence, 1
        while step < GIVEN_UP_AFTER:  # the end is unreadable: probe ever farther for a readable record
            if self._try("SELECT sequence FROM record WHERE sequence = ?", newest + step):
                newest, step = newest + step, 1
            else:
                step *= 2
        return newest

    def _try(self, sql: str, *values: object) -> list[Row] | None:
        try:
            return self._db.execute(sql, values).fetchall()
        except database.TROUBLE:
            return None
