"""Reading a journal: published lines, starts and snapshots of tables, sealed bytes.

Anyone may read, even while it is written; nothing here can change it. `book_tables` reads the books.
"""

from bisect import bisect_right
from pathlib import Path
from typing import Any

from dealwire.hub.lines import Publication
from dealwire.journal import database
from dealwire.journal.auditing import AUDITED
from dealwire.journal.books import ERA, era_of
from dealwire.journal.contents import (
    JournalLine,
    Segment,
    TableSnapshot,
    TableStart,
    fields_of,
    inflated,
    line_of,
    publication_of,
    start_of,
)
from dealwire.journal.errors import JournalDamaged, KeyUnknown
from dealwire.journal.obligations import Released, released_of
from dealwire.journal.passing import NotPassed, Passed, unpacked
from dealwire.journal.record_file import MANY, RecordFile
from dealwire.journal.records import (
    DAY,
    LINE,
    OPENED,
    PASSED,
    RELEASED,
    SENT,
    SNAPSHOT,
    STARTED,
    STOPPED,
    JournalRecord,
    heading,
)
from dealwire.journal.sealing import CLEAR, NotGenuine, OpensWith, Unsealer


class JournalReader(RecordFile):
    """A journal open for reading, with or without a key. Use it as a context manager; every method may be called from
    any thread. Errors as of a RecordFile."""

    def __init__(self, path: str | Path, key: OpensWith | None = None, *, still: bool = False) -> None:
        self._unsealer = Unsealer(key, Path(path))
        self._learned = 0
        self._openings: tuple[list[int], list[str]] = [], []
        self._epochs_up_to = 0
        super().__init__(path, still=still)

    # ------------------------------------------------------------------ publications

    def newest(self, table: str | None = None, *, up_to: int = MANY, before_ns: int = MANY) -> tuple[int, int]:
        """Return number and time of the newest published line, of one `table` or of all, up to this number and before
        this time; zeros if there is none."""
        where = f"{database.IS_PUBLICATION} AND tbl = coalesce(?, tbl) AND sequence <= ? AND at_ns < ?"
        sql = f"SELECT sequence, at_ns FROM record INDEXED BY publication WHERE {where} ORDER BY sequence DESC LIMIT 1"
        sequence, at_ns = next(iter(self.rows(sql, table, up_to, before_ns)), (0, 0))
        return sequence, at_ns

    def publications(self, after: int = 0, limit: int | None = None, table: str | None = None) -> list[Publication]:
        """Return the lines published after number `after`, oldest first, at most `limit`; of one `table`, or of all."""
        where = f"{database.IS_PUBLICATION} AND sequence > ?"
        named = () if table is None else (table,)
        rows = self.rows(
            f"SELECT {database.COLUMNS} FROM record INDEXED BY publication WHERE {where}"
            f"{' AND tbl = ?' if named else ''} ORDER BY sequence LIMIT ?",
            after,
            *named,
            -1 if limit is None else limit,
        )
        found = [publication_of(record := self.record(row), self.epoch_at(record.sequence)) for row in rows]
        for item in found:
            if item.sequence <= after:
                raise JournalDamaged(self.path, item.sequence, f"comes after record {after}")
            after = item.sequence
        return found

    def made_known(self, table: str, after: int, up_to: int) -> bool:
        """True if anything of `table` was published after number `after`, up to number `up_to`."""
        where = f"{database.IS_PUBLICATION} AND sequence > ? AND sequence <= ? AND tbl = ?"
        sql = f"SELECT 1 FROM record INDEXED BY publication WHERE {where} LIMIT 1"
        return bool(self.rows(sql, after, up_to, table))

    def released(self, entry: int, table: str | None = None) -> tuple[int, Released] | None:
        """Return when the held money with this number was released, at `table` or at any, and the release."""
        where = f"{self._marks} AND kind = ? AND tbl = ? AND instr(payload, CAST(? AS BLOB)) = 1"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where}"
        for name in [table] if table is not None else self._named(RELEASED):
            for record in map(self.record, self.rows(sql, RELEASED, name, f'{{"entry":{entry},')):
                if (noted := released_of(record)) is not None:
                    return record.at_ns, noted
        return None

    # ------------------------------------------------------------------ openings

    def era_at(self, sequence: int) -> int:
        """Return the journal version in the opening before a record."""
        opened = self._newest_mark(OPENED, "", sequence)
        return era_of(opened) if opened is not None else ERA

    def epoch_at(self, sequence: int) -> str:
        """Return the opening that wrote record `sequence`; empty for a version that named none."""
        if self.version > 1 and sequence > self._epochs_up_to:
            self._epochs_up_to = self.head.sequence
            rows = self.openings()
            self._openings = [row[0] for row in rows], [row[1] for row in rows]
        numbers, epochs = self._openings
        place = bisect_right(numbers, sequence)
        return epochs[place - 1] if place else ""

    def openings(self) -> list[tuple[int, str]]:
        """Return every named opening: its record's number and its name."""
        return self.rows("SELECT sequence, epoch FROM opening ORDER BY sequence") if self.version > 1 else []

    # ------------------------------------------------------------------ tables and days

    def starts(self, *, stopped: bool = False) -> dict[str, TableStart]:
        """Return the last start of each table that was not stopped, by name; with `stopped`, of all tables."""
        found: dict[str, TableStart] = {}
        for table in sorted({*self._named(STARTED), *self._named(SNAPSHOT)}):
            started, ended = self._newest_mark(STARTED, table), self._newest_mark(STOPPED, table)
            kept = self._newest_mark(SNAPSHOT, table)
            began = max(record.sequence for record in (started, kept) if record is not None)
            if ended is not None and ended.sequence > began and not stopped:
                continue
            if started is not None:
                found[table] = start_of(self.path, started)
            elif kept is not None:
                found[table] = self.snapshot_of(kept, state=False).start
        return found

    def lines(self) -> dict[int, JournalLine]:
        """Return every line by number, as last registered."""
        found: dict[int, JournalLine] = {}
        for table in self._named(SNAPSHOT):
            for kept in (self._oldest_mark(SNAPSHOT, table), self._newest_mark(SNAPSHOT, table)):
                if kept is not None:
                    found |= {line.number: line for line in self.snapshot_of(kept, state=False).lines}
        for record in self.paged(0, f"{self._marks} AND kind = '{LINE}'"):
            if record.line not in found or found[record.line].sequence <= record.sequence:
                found[record.line] = line_of(self.path, record)
        return dict(sorted(found.items()))

    def segments(self) -> list[Segment]:
        """Return the finished gaming days that are still in the file, oldest first."""
        if self.version == 1:
            return []
        rows = self.rows("SELECT first, last, day, hash, exported, sha256 FROM segment ORDER BY first")
        return [Segment(*row) for row in rows if row[1] > self.anchor.sequence]

    def day(self) -> str | None:
        """Return the current gaming day; None before the first."""
        rows = self.rows(f"SELECT max(sequence) FROM record INDEXED BY mark WHERE {self._marks} AND kind = '{DAY}'")
        record = next(self._page(rows[0][0] - 1), None) if rows and rows[0][0] else None
        return fields_of(self.path, record, lambda fields: str(fields["day"])) if record is not None else None

    def consumers(self) -> dict[str, int]:
        """Return the number of the last line that each exporter has sent. Ignore marks beyond the newest record:
        another program wrote them."""
        newest = "(SELECT max(sequence) FROM record)"
        return dict(self.rows(f"SELECT name, sequence FROM consumer WHERE sequence <= {newest}"))

    # ------------------------------------------------------------------ snapshots, and what is sealed

    def snapshot(self, table: str, *, state: bool = True, up_to: int = MANY) -> TableSnapshot | None:
        """Return the newest snapshot of `table` since its last start, up to record `up_to`; None if there is none.
        Without `state` no key is needed."""
        kept, started = self._newest_mark(SNAPSHOT, table, up_to), self._newest_mark(STARTED, table, up_to)
        if kept is None or (started is not None and started.sequence > kept.sequence):
            return None
        return self.snapshot_of(kept, state=state)

    def first_snapshot(self, table: str) -> TableSnapshot | None:
        """Return the oldest snapshot of `table` still in the file; None if there is none."""
        found = self._oldest_mark(SNAPSHOT, table)
        return self.snapshot_of(found) if found is not None else None

    def snapshot_of(self, record: JournalRecord, *, state: bool = True) -> TableSnapshot:
        """Return the content of a snapshot's record; only its `state` needs the key."""
        length = int.from_bytes(record.payload[:4], "big")
        sealed = record.payload[4 + length :]
        body = self._opened(record, sealed) if state else b""

        def read(fields: dict[str, Any]) -> TableSnapshot:
            start = TableStart(record.table, fields["started"], fields["configuration"], fields["facts"])
            lines = tuple(JournalLine(**line) for line in fields["lines"])
            return TableSnapshot(record.sequence, record.at_ns, start, lines, inflated(body) if state else b"")

        return fields_of(self.path, record, read, record.payload[4 : 4 + length])

    def passed(self, record: JournalRecord) -> list[Passed]:
        """Return the reads and writes in a record, oldest first. Errors as of `raw`."""
        if record.kind != PASSED:
            return [Passed(record.line, record.at_ns, record.kind == SENT, self.raw(record))]
        try:
            return unpacked(self.raw(record), record.at_ns)
        except NotPassed as error:
            raise JournalDamaged(self.path, record.sequence, f"{error}") from None

    def raw(self, record: JournalRecord) -> bytes:
        """Return the sealed bytes of a record. KeyUnknown without the right key, JournalDamaged if altered."""
        return self._opened(record, record.payload)

    def is_sealed(self, record: JournalRecord) -> bool:
        """True if the content of a raw record or a snapshot is sealed."""
        start = 4 + int.from_bytes(record.payload[:4], "big") if record.kind == SNAPSHOT else 0
        return record.payload[start : start + 1] != CLEAR

    def _opened(self, record: JournalRecord, payload: bytes) -> bytes:
        missing = self._unsealer.missing(payload)
        if missing is not None and self._unsealer.learns:
            self._learn()
            missing = self._unsealer.missing(payload)
        if missing is not None:
            audited = payload[:1] == AUDITED
            raise KeyUnknown(self.path, record.sequence, missing, audited=audited, beside=self._unsealer.beside)
        try:
            head = heading(record.sequence, record.at_ns, record.line, record.kind, record.table)
            return self._unsealer.open(payload, self.identity + head)
        except NotGenuine:
            why = "the seal is broken: the bytes were altered or moved, or the key is another"
            raise JournalDamaged(self.path, record.sequence, why) from None

    def _learn(self) -> None:
        """Read the new `key` records. It needs no index: a file without such records may have none."""
        while found := list(self._page(self._learned, database.IS_ANNOUNCEMENT)):
            for record in found:
                try:
                    self._unsealer.learn(record.payload)
                except NotGenuine:
                    why = "a key sealed to the auditor that was altered"
                    raise JournalDamaged(self.path, record.sequence, why) from None
            self._learned = found[-1].sequence
