"""Position of a journal in its file, from which a writer continues.

Everything the writer builds on is checked here. Only a new file, or one of an older version, is written: its tables, in
the transaction that the writer's first group ends.
"""

import secrets
from dataclasses import dataclass, field
from typing import Final

from dealwire.journal import database, derived
from dealwire.journal.balancing import loaded
from dealwire.journal.book_tables import BookTables
from dealwire.journal.books import BOOKS, ERA, Books
from dealwire.journal.check import check_start, check_tail
from dealwire.journal.contents import JournalLine
from dealwire.journal.log_check import LogCheck
from dealwire.journal.log_tables import TREE_SINCE
from dealwire.journal.logbook import LogBook
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import BALANCE, CHECKPOINT, GENESIS, Head

_ANCHOR: Final = "INSERT INTO anchor (sequence, hash, file) VALUES (0, ?, ?)"


@dataclass(slots=True)
class JournalStanding:
    """A journal between two openings: `anchor`, `balanced` and `day_first` are numbers of records, the newest that was
    taken off, the newest balance, and the first of the gaming day under way."""

    identity: bytes
    head: Head
    books: Books
    log: LogBook = field(default_factory=LogBook)
    newest_ns: int = 0
    anchor: int = 0
    balanced: int = 0
    day: str | None = None
    day_first: int = 1
    running: tuple[str, ...] = ()
    """Tables that were started and not stopped."""
    lines: dict[tuple[str, str], JournalLine] = field(default_factory=dict)
    """Lines of the tables, by table and name."""
    tables: dict[int, str] = field(default_factory=dict)
    """The table of every line ever registered, by number."""
    checkpoint: int = 0
    """Number of the newest checkpoint's record."""
    sent: dict[str, int] = field(default_factory=dict)
    """Progress of each exporter: the newest line it has sent."""


def standing_of(file: database.WritableFile, *, believed: bool) -> JournalStanding:
    """Return the position of the journal in `file`. `believed`: its tables are trusted. JournalDamaged if they or the
    newest records were altered, other JournalErrors as of a reader."""
    try:
        if file.new:
            identity = secrets.token_bytes(16)
            file.db.execute(_ANCHOR, (GENESIS, identity))
            return JournalStanding(identity, Head(0, GENESIS), Books())
        with JournalReader(file.path) as reader:
            found = _read(file, reader, believed=believed)
            found.sent = reader.consumers()
    except database.TROUBLE as error:
        raise database.as_ours(file.path, error) from error
    return found


def _read(file: database.WritableFile, reader: JournalReader, *, believed: bool) -> JournalStanding:
    head, books, log = _checked(file, reader, believed=believed)
    starts, lines, segments = reader.starts(), reader.lines(), reader.segments()
    balance = reader.newest_of(BALANCE) if reader.version >= ERA else None
    checkpoint = reader.newest_of(CHECKPOINT) if reader.version >= TREE_SINCE else None
    return JournalStanding(
        identity=reader.identity,
        head=head,
        books=books,
        log=log,
        newest_ns=reader.newest_ns,
        anchor=reader.anchor.sequence,
        balanced=balance.sequence if balance is not None else 0,
        checkpoint=checkpoint.sequence if checkpoint is not None else 0,
        day=reader.day(),
        day_first=segments[-1].last + 1 if segments else reader.anchor.sequence + 1,
        running=tuple(starts),
        lines={
            (line.table, line.name): line
            for line in lines.values()
            if line.table in starts and line.sequence > starts[line.table].sequence
        },
        tables={line.number: line.table for line in lines.values()},
    )


def _log_of(reader: JournalReader) -> LogBook:
    """Return the tree that all records of the file lead to."""
    check, before = LogCheck(reader, believed=True), reader.anchor.hash
    for record in reader.records():
        check.take(record, before)
        before = record.hash
    return check.book


def _checked(file: database.WritableFile, reader: JournalReader, *, believed: bool) -> tuple[Head, Books, LogBook]:
    """Return the newest record, and books and tree derived from the records; for a file of an older version they are
    created now."""
    if believed:
        return check_tail(reader), loaded(reader), _log_of(reader)
    head, books, log = check_start(reader)
    if reader.version >= ERA:
        assert books is not None
        return head, books, log
    if books is None:
        file.db.execute(_ANCHOR, (GENESIS, reader.identity))
        books = Books(era=1)
        for record in reader.records():
            books.take(record)
    else:
        tables = BookTables(reader)
        books.add_older(tables.rows_of("settled"), tables.rows_of("meter"))
    for name in BOOKS:
        file.db.execute(f"DELETE FROM {name}")
    derived.write(file.db, books.statements())
    return head, books, log
