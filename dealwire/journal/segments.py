"""Segments of a journal: the records of one gaming day in a file of their own, which is a journal too.

The chain continues from file to file: a segment's first record follows the last one of the previous segment, and a
record of the journal names each copy. Only what was copied and verified may be pruned.
"""

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from datetime import datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Final

from dealwire.journal import database, derived
from dealwire.journal.books import Books
from dealwire.journal.check import verify
from dealwire.journal.contents import Segment
from dealwire.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalInaccessible,
    JournalUnfit,
    JournalUnwritable,
)
from dealwire.journal.log_tables import LeafRow, LogTables
from dealwire.journal.logbook import NO_TREE, LogBook, LogState
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import DAY, EXPORTED, Head, JournalRecord
from devices.files import sync_folder

SUFFIX: Final = ".journal"
_MANY: Final = 1000


def gaming_day(now_ns: int, begins: time) -> str:
    """Return the gaming day at a time, as YYYY-MM-DD; it begins at a time of this machine's day."""
    now = datetime.fromtimestamp(now_ns // 1_000_000_000).astimezone()
    back = timedelta(hours=begins.hour, minutes=begins.minute)
    return (now - back).date().isoformat()


def file_name(reader: JournalReader, segment: Segment) -> str:
    """Return the file name of a segment: number of the journal's file, day, first record."""
    return f"{reader.identity.hex()[:8]}-{segment.day}-{segment.first}{SUFFIX}"


def export_segment(reader: JournalReader, segment: Segment, folder: Path) -> tuple[Path, str]:
    """Write a segment to `folder` and verify it there, record by record; return its file and SHA-256.

    JournalUnwritable or JournalInaccessible if the folder does not take it, JournalDamaged if the copy does not match
    the journal, JournalUnfit if another day is there already.
    """
    if segment.first <= reader.anchor.sequence:  # its copy may be intact
        raise JournalDamaged(reader.path, segment.first, "was pruned; it is in the file that the day was copied to")
    target, tables = folder / file_name(reader, segment), LogTables(reader)
    made = target.with_suffix(".part")
    opened = [
        each for each in reader.openings() if each[0] <= segment.last
    ]  # the copy has the same bytes whenever it is made
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        made.unlink(missing_ok=True)
        os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        first = anchor_of(reader, segment.first)
        log = WrittenLog(tables.state_before(segment.first), tables.frontier(segment.first))
        write_file(made, first, reader.identity, opened, records(reader, segment), Books(), log, whole=False)
        with JournalReader(made) as copy:
            head = verify(copy).head
        if head != Head(segment.last, segment.hash):
            why = f"record {segment.last} of the copy is {head}, not as the day's record says"
            raise JournalDamaged(made, head.sequence, why)
        digest = _digest(made)
        _keep_another(target, reader.identity, head)
        os.replace(made, target)
        sync_folder(folder)
    except OSError as error:
        raise JournalInaccessible.of(target, error) from error
    except database.TROUBLE as error:
        raise JournalUnwritable(target, database.in_words(error)) from error
    finally:
        with suppress(OSError):
            made.unlink(missing_ok=True)
    return target, digest


def _keep_another(target: Path, identity: bytes, head: Head) -> None:
    """JournalUnfit if another intact day is there: of another journal, or of a copy of this one that was continued. An
    unreadable file is not evidence and is overwritten."""
    try:
        with JournalReader(target, still=True) as there:
            found = there.identity, verify(there).head
    except JournalError:
        return
    if found != (identity, head):
        raise JournalUnfit(target, "another intact day is there and is not overwritten; move it away")


def check_copies(reader: JournalReader, segment: Segment) -> None:
    """JournalDamaged if a segment's day or copies differ from the records: its row alone is not trusted when the day is
    to be removed."""
    day = {"day": segment.day, "first": segment.first, "last": segment.last, "hash": segment.hash.hex()}
    begun = reader.first_of(DAY, segment.last)
    copies: dict[str, str] = {}
    try:
        recorded = json.loads(begun.payload).get("segment") if begun is not None else None
        for record in reader.all_of(EXPORTED, segment.last):
            copied = json.loads(record.payload)
            if day.items() <= copied.items():
                copies[copied["file"]] = copied["sha256"]
    except (ValueError, KeyError, TypeError, AttributeError):
        recorded = None
    if recorded != day or copies != segment.copies:
        why = f"the table 'segment' does not have the day {segment.day} and its copies as the records say"
        raise JournalDamaged(reader.path, None, why)


def records(reader: JournalReader, segment: Segment) -> Iterator[JournalRecord]:
    """Yield the records of a segment."""
    for record in reader.records(segment.first - 1):
        if record.sequence > segment.last:
            return
        yield record


def anchor_of(reader: JournalReader, first: int) -> Head:
    """Return the record before record `first`."""
    digest = reader.hash_at(first - 1)
    return reader.anchor if digest is None else Head(first - 1, digest)


def write_file(
    path: Path,
    anchor: Head,
    identity: bytes,
    opened: Sequence[tuple[int, str]],
    chain: Iterable[JournalRecord],
    books: Books,
    log: "WrittenLog",
    *,
    whole: bool,
    beyond: Iterable[JournalRecord] = (),
) -> None:
    """Make a journal in the empty file `path` from records that follow `anchor`.

    Its tables hold `books`, led forward by these records and by those in `beyond`, which are not stored, and the tree
    from `log` on. `whole`: they cover all earlier records too.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA auto_vacuum = INCREMENTAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("BEGIN IMMEDIATE")
        for statement in database.SCHEMA:
            db.execute(statement)
        begins = (anchor.sequence, anchor.hash, identity, int(whole))
        db.execute("INSERT INTO anchor (sequence, hash, file, whole) VALUES (?, ?, ?, ?)", begins)
        db.executemany("INSERT INTO opening (sequence, epoch) VALUES (?, ?)", opened)
        insert = f"INSERT INTO record ({database.COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"
        log.begin(db, anchor)
        rest = iter(chain)
        while page := list(islice(rest, _MANY)):
            db.executemany(insert, [row_of(each) for each in page])
            for each in page:
                books.take(each)
                log.take(db, each)
        for each in beyond:
            books.take(each)
        derived.write(db, books.statements())
        db.execute("COMMIT")


class WrittenLog:
    """The tree of a file that is made from records: `state` before its first, and the rows that it begins with.

    `earlier` are leaves before record `since`, from which the tree is led to it: to the place that it `follows`, or
    else some are missing; then older proofs are lost, and nothing else.
    """

    def __init__(
        self,
        state: LogState = NO_TREE,
        rows: Iterable[derived.Row] = (),
        earlier: Iterable[LeafRow] = (),
        since: int = 0,
        follows: tuple[int, int] = (0, 0),
    ) -> None:
        self._book, self._rows, self._earlier = LogBook(state), rows, earlier
        self._since, self._follows, self._before = since, follows, b""

    def begin(self, db: sqlite3.Connection, anchor: Head) -> None:
        """Write the rows of what comes before the first record."""
        self._before = anchor.hash
        derived.write(db, self._rows)
        if not self._since:
            return
        for row in self._earlier:
            if (leaf := self._book.adopt(*row)) is None:
                break
            derived.write(db, leaf.statements())
        if (self._book.tree, self._book.size) != self._follows:
            self._book = LogBook()
            db.execute("DELETE FROM leaf")
            db.execute("DELETE FROM node")

    def take(self, db: sqlite3.Connection, record: JournalRecord) -> None:
        """Write the leaf of a record, if it is one."""
        if record.sequence >= self._since and (leaf := self._book.take(record, self._before)) is not None:
            derived.write(db, leaf.statements())
        self._before = record.hash


def row_of(record: JournalRecord) -> tuple[int, int, int, str, str, bytes, bytes]:
    """Return a record in the form of a row."""
    return record.sequence, record.at_ns, record.line, record.kind, record.table, record.payload, record.hash


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
