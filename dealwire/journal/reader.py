"""Reading a journal: by anybody, also while it is written; nothing here can change it."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from dealwire.hub.lines import Publication, Topic
from dealwire.journal import database
from dealwire.journal.auditing import AUDITED
from dealwire.journal.errors import JournalDamaged, KeyUnknown
from dealwire.journal.records import GENESIS, LINE, OPENED, STARTED, STOPPED, TEXT_MAX, Head, JournalRecord, heading
from dealwire.journal.sealing import NotGenuine, OpensWith, Unsealer

T = TypeVar("T")

MANY: Final = (1 << 63) - 1
"""More than any number or time in a journal."""
PAGE: Final = 1000
"""Records fetched at once, so that a reader that lingers holds back no checkpoint of the writer."""


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A line of a table, as registered by record `sequence`. `number` counts from 1 in the file."""

    number: int
    sequence: int
    table: str
    name: str
    device: str
    dialect: str
    address: str
    baud: int
    procedure: str


@dataclass(frozen=True, slots=True)
class TableStart:
    """How a table began: its configuration as the service wrote it down, and what else decides its results."""

    table: str
    sequence: int
    configuration: str
    facts: dict[str, Any]


class JournalReader:
    """A journal open for reading. Use it as a context manager; every method may be called from any thread.

    JournalInaccessible, JournalForeign (JournalEmpty), JournalNewer or JournalDamaged when it cannot be read.
    """

    def __init__(self, path: str | Path, key: OpensWith | None = None) -> None:
        self.path = Path(path)
        self._unsealer = Unsealer(key, self.path)
        self._learned = 0
        self._lock = threading.Lock()
        self._db = database.open_reading(self.path)
        try:
            first = next(self._page(0, f"kind = '{OPENED}' AND {database.IS_MARK}"), None)
            if first is None:
                raise JournalDamaged(self.path, 1, "the first record is missing")
            self.identity = _fields(self.path, first, lambda fields: bytes.fromhex(fields["file"]))
            """The file's own number, 16 random bytes."""
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    def __enter__(self) -> "JournalReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ records

    @property
    def head(self) -> Head:
        """The newest record's number and hash."""
        rows = self._rows("SELECT sequence, hash FROM record ORDER BY sequence DESC LIMIT 1")
        return Head(*rows[0]) if rows else Head(0, GENESIS)

    def hash_at(self, sequence: int) -> bytes | None:
        """The place in the chain of record `sequence`; None when it is not here."""
        rows = self._rows("SELECT hash FROM record WHERE sequence = ?", sequence)
        return bytes(rows[0][0]) if rows else None

    @property
    def newest_ns(self) -> int:
        """The latest time among the newest records, nanoseconds since 1970: no clock that goes on may start before."""
        newest = "SELECT at_ns FROM record ORDER BY sequence DESC LIMIT 1000"
        return int(self._rows(f"SELECT coalesce(max(at_ns), 0) FROM ({newest})")[0][0])

    def newest(self, table: str | None = None, *, up_to: int = MANY, before_ns: int = MANY) -> tuple[int, int]:
        """Number and time of the newest line that was made known, of one `table` or of all, up to this number and
        before this time; zeros when there is none."""
        where = f"{database.IS_PUBLICATION} AND tbl = coalesce(?, tbl) AND sequence <= ? AND at_ns < ?"
        sql = f"SELECT sequence, at_ns FROM record INDEXED BY publication WHERE {where} ORDER BY sequence DESC LIMIT 1"
        sequence, at_ns = next(iter(self._rows(sql, table, up_to, before_ns)), (0, 0))
        return sequence, at_ns

    def records(self, after: int = 0) -> Iterator[JournalRecord]:
        """Every record after number `after`, oldest first, up to the newest there is when the end is reached."""
        found = list(self._page(after))
        while found:
            yield from found
            found = list(self._page(found[-1].sequence))

    def publications(self, after: int = 0, limit: int | None = None, table: str | None = None) -> list[Publication]:
        """What was made known after number `after`, oldest first, at most `limit`; of one `table`, or of all."""
        where = f"{database.IS_PUBLICATION} AND sequence > ?"
        named = () if table is None else (table,)
        rows = self._rows(
            f"SELECT {database.COLUMNS} FROM record INDEXED BY publication WHERE {where}"
            f"{' AND tbl = ?' if named else ''} ORDER BY sequence LIMIT ?",
            after,
            *named,
            -1 if limit is None else limit,
        )
        return [publication_of(self._record(row)) for row in rows]

    def starts(self, *, stopped: bool = False) -> dict[str, TableStart]:
        """How each table that was not stopped began last, by its name; with `stopped`, the others too."""
        found: dict[str, TableStart] = {}
        for record in self._marks():
            if record.kind == STARTED:
                found[record.table] = start_of(self.path, record)
            elif record.kind == STOPPED and not stopped:
                found.pop(record.table, None)
        return found

    def lines(self) -> dict[int, JournalLine]:
        """Every line, by its number; one registered again as it was last."""
        return {record.line: line_of(self.path, record) for record in self._marks() if record.kind == LINE}

    def raw(self, record: JournalRecord) -> bytes:
        """The bytes of a read or a write. KeyUnknown without the right key, JournalDamaged when they were altered."""
        missing = self._unsealer.missing(record.payload)
        if missing is not None and self._unsealer.learns:
            self._learn()
            missing = self._unsealer.missing(record.payload)
        if missing is not None:
            audited = record.payload[:1] == AUDITED
            raise KeyUnknown(self.path, record.sequence, missing, audited=audited, beside=self._unsealer.beside)
        try:
            head = heading(record.sequence, record.at_ns, record.line, record.kind, record.table)
            return self._unsealer.open(record.payload, self.identity + head)
        except NotGenuine:
            why = "the seal is broken: the bytes were altered or moved, or the key is another"
            raise JournalDamaged(self.path, record.sequence, why) from None

    def complaints(self) -> list[str]:
        """What SQLite finds wrong with the file; empty when it is sound."""
        answers = "\n".join(str(row[0]) for row in self._rows("PRAGMA integrity_check(10)")).splitlines()
        return [line for line in answers if line != "ok" and not line.startswith("***")]

    def _learn(self) -> None:
        """Every `key` record that came since; no index is named, because a file without them may have none."""
        while found := list(self._page(self._learned, database.IS_ANNOUNCEMENT)):
            for record in found:
                try:
                    self._unsealer.learn(record.payload)
                except NotGenuine:
                    why = "a key sealed to the auditor that was altered"
                    raise JournalDamaged(self.path, record.sequence, why) from None
            self._learned = found[-1].sequence

    def _marks(self) -> Iterator[JournalRecord]:
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {database.IS_MARK} ORDER BY sequence"
        return map(self._record, self._rows(sql))

    def _page(self, after: int, where: str = "1") -> Iterator[JournalRecord]:
        sql = f"SELECT {database.COLUMNS} FROM record WHERE {where} AND sequence > ? ORDER BY sequence LIMIT ?"
        return map(self._record, self._rows(sql, after, PAGE))

    def _record(self, row: tuple[Any, ...]) -> JournalRecord:
        sequence, at_ns, line, kind, table, payload, digest = row
        # Written out, because it is asked of every record of a day while a service that starts deals it again.
        if not (
            (type(sequence) is type(at_ns) is type(line) is int)
            and (0 <= sequence < 1 << 63 and 0 <= at_ns < 1 << 63 and 0 <= line < 1 << 32)
            and (type(kind) is type(table) is str and type(payload) is type(digest) is bytes)
            and (len(kind.encode()) <= TEXT_MAX and len(table.encode()) <= TEXT_MAX)
        ):
            raise JournalDamaged(self.path, sequence if type(sequence) is int else None, "holds what no journal holds")
        return JournalRecord(sequence, at_ns, line, kind, table, payload, digest)

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except database.TROUBLE as error:
            raise database.as_ours(self.path, error) from error


def publication_of(record: JournalRecord) -> Publication:
    """A record of a topic as it is made known."""
    text = record.payload.decode("utf-8", "replace")
    topic = cast(Topic, record.kind)
    return Publication(record.sequence, record.table, record.at_ns, topic, text, hash=record.hash.hex())


def start_of(path: Path, record: JournalRecord) -> TableStart:
    """What a `started` record says."""
    return _fields(
        path, record, lambda fields: TableStart(record.table, record.sequence, fields["configuration"], fields["facts"])
    )


def line_of(path: Path, record: JournalRecord) -> JournalLine:
    """What a `line` record says."""
    return _fields(path, record, lambda fields: JournalLine(record.line, record.sequence, record.table, **fields))


def _fields(path: Path, record: JournalRecord, make: Callable[[dict[str, Any]], T]) -> T:
    try:
        return make(json.loads(record.payload))
    except (ValueError, KeyError, TypeError) as error:
        raise JournalDamaged(path, record.sequence, f"a record {record.kind!r} that cannot be read") from error
