"""Reading a journal: by anybody, also while it is written; nothing here can change it."""

import threading
from bisect import bisect_right
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Self, TypeVar

from dealwire.hub.lines import Publication
from dealwire.journal import database, derived
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
from dealwire.journal.records import (
    DAY,
    GENESIS,
    LINE,
    OPENED,
    PASSED,
    RELEASED,
    SENT,
    SETTLED,
    SNAPSHOT,
    STARTED,
    STOPPED,
    Head,
    JournalRecord,
    heading,
    record_of,
)
from dealwire.journal.sealing import CLEAR, NotGenuine, OpensWith, Unsealer
from rules.meters.settled_rounds import SettledKey

T = TypeVar("T")

MANY: Final = (1 << 63) - 1
"""More than any number or time in a journal."""
PAGE: Final = 1000
"""Records fetched at once, so that a reader that lingers holds back no checkpoint of the writer."""


class JournalReader:
    """A journal open for reading. Use it as a context manager; every method may be called from any thread. `still`
    says that nobody writes it meanwhile; then nothing is put beside the file.

    JournalInaccessible, JournalForeign (JournalEmpty), JournalNewer or JournalDamaged when it cannot be read.
    """

    def __init__(self, path: str | Path, key: OpensWith | None = None, *, still: bool = False) -> None:
        self.path = Path(path)
        self._unsealer = Unsealer(key, self.path)
        self._learned = 0
        self._lock = threading.Lock()
        self._openings: tuple[list[int], list[str]] = [], []
        self._epochs_up_to = 0
        self._db = database.open_reading(self.path, still=still)
        try:
            self.version: int = self._rows("PRAGMA user_version")[0][0]
            self._marks = database.marks(self.version)
            self.anchor, self.identity = self._anchor()
            """What the first record follows, and the file's own number, 16 random bytes."""
            self.whole = self.version < 3 or bool(self._rows("SELECT whole FROM anchor")[0][0])
            """Its tables hold all that the records of before said, too; those of a day's copy only what its own say."""
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Give the file back."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _anchor(self) -> tuple[Head, bytes]:
        if self.version > 1:
            follows = "EXISTS (SELECT 1 FROM record WHERE record.sequence = anchor.sequence + 1)"
            rows = self._rows(f"SELECT sequence, hash, file, {follows} FROM anchor")  # at once: it may be pruned now
            if len(rows) != 1 or len(rows[0][1]) != len(GENESIS) or len(rows[0][2]) != 16:
                raise JournalDamaged(self.path, None, "what its first record follows is not in it")
            if not rows[0][3]:
                raise JournalDamaged(self.path, rows[0][0] + 1, "the first record is missing")
            return Head(rows[0][0], rows[0][1]), rows[0][2]
        first = next(self._page(0, f"kind = '{OPENED}' AND {self._marks}"), None)
        if first is None:
            raise JournalDamaged(self.path, 1, "the first record is missing")
        return Head(0, GENESIS), fields_of(self.path, first, lambda fields: bytes.fromhex(fields["file"]))

    # ------------------------------------------------------------------ records

    @property
    def head(self) -> Head:
        """The newest record's number and hash."""
        rows = self._rows("SELECT sequence, hash FROM record ORDER BY sequence DESC LIMIT 1")
        return Head(*rows[0]) if rows else self.anchor

    def hash_at(self, sequence: int) -> bytes | None:
        """The hash of record number `sequence`; None when it is not in the file."""
        rows = self._rows("SELECT hash FROM record WHERE sequence = ?", sequence) if 0 <= sequence <= MANY else []
        return rows[0][0] if rows else None

    @property
    def newest_ns(self) -> int:
        """The latest time among the newest records of the newest opening, nanoseconds since 1970: no clock that goes on
        may start before."""
        opened = f"SELECT coalesce(max(sequence), 0) FROM record WHERE kind = '{OPENED}' AND {self._marks}"
        newest = f"SELECT at_ns FROM record WHERE sequence >= ({opened}) ORDER BY sequence DESC LIMIT 1000"
        return int(self._rows(f"SELECT coalesce(max(at_ns), 0) FROM ({newest})")[0][0])

    def newest(self, table: str | None = None, *, up_to: int = MANY, before_ns: int = MANY) -> tuple[int, int]:
        """Number and time of the newest line that was made known, of one `table` or of all, up to this number and
        before this time; zeros when there is none."""
        where = f"{database.IS_PUBLICATION} AND tbl = coalesce(?, tbl) AND sequence <= ? AND at_ns < ?"
        sql = f"SELECT sequence, at_ns FROM record INDEXED BY publication WHERE {where} ORDER BY sequence DESC LIMIT 1"
        sequence, at_ns = next(iter(self._rows(sql, table, up_to, before_ns)), (0, 0))
        return sequence, at_ns

    def look_again(self) -> bool:
        """Read the anchor as it is by now. True when older records were pruned since it was read."""
        before, (self.anchor, _) = self.anchor, self._anchor()
        return self.anchor != before

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """The file as it is now, whatever is written meanwhile. Keep it short: it holds back checkpoints."""
        self._rows("BEGIN")
        try:
            yield
        finally:
            self._rows("ROLLBACK")

    def records(self, after: int = 0) -> Iterator[JournalRecord]:
        """Every record after number `after`, oldest first, up to the newest there is when the end is reached."""
        return self._paged(after, "1")

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
        found = [publication_of(record := self._record(row), self.epoch_at(record.sequence)) for row in rows]
        for item in found:
            if item.sequence <= after:
                raise JournalDamaged(self.path, item.sequence, f"comes after record {after}")
            after = item.sequence
        return found

    def made_known(self, table: str, after: int, up_to: int) -> bool:
        """Whether anything of `table` was made known after number `after`, up to number `up_to`."""
        where = f"{database.IS_PUBLICATION} AND sequence > ? AND sequence <= ? AND tbl = ?"
        sql = f"SELECT 1 FROM record INDEXED BY publication WHERE {where} LIMIT 1"
        return bool(self._rows(sql, after, up_to, table))

    def settled(self, after: int, table: str) -> Iterator[SettledKey]:
        """The rounds of `table` that were settled after record `after`, oldest first."""
        if self.version > 1:
            yield from filter(None, map(derived.key_of, self._marked(SETTLED, table, after)))
        if self.version == 1 or self._rows(derived.KNOWS_OLDER, table):
            where = f"{database.IS_PUBLICATION} AND kind = 'settlement'"
            lines = (each.text for each in self._paged(after, where) if each.table == table)
            yield from filter(None, map(derived.older_key_of, lines))

    def was_settled(self, table: str, key: SettledKey) -> bool:
        """Whether this round's settlement was ever written; also by a version that wrote no more than its session."""
        if self.version == 1:
            return key._replace(device=derived.NOBODY) in self.settled(0, table)
        return bool(self._rows(derived.IS_SETTLED, table, *key, derived.NOBODY))

    def runs_settled(self, table: str, device: str, session: str) -> list[tuple[int, int]]:
        """The rounds of one session of a device that were settled, as runs, the first and last number of each; also
        those of a version that wrote no more than its session."""
        if self.version == 1:
            return [(key.round, key.round) for key in self.settled(0, table) if key.session == session]
        return [(first, last) for first, last in self._rows(derived.RUNS, table, device, derived.NOBODY, session)]

    def released(self, entry: int, table: str | None = None) -> tuple[int, Released] | None:
        """When it was said that what was held under this number, at `table` or at whichever, was settled by hand, and
        what was said."""
        where = f"{self._marks} AND kind = ? AND tbl = ? AND instr(payload, CAST(? AS BLOB)) = 1"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where}"
        for name in [table] if table is not None else self._named(RELEASED):
            for record in map(self._record, self._rows(sql, RELEASED, name, f'{{"entry":{entry},')):
                if (noted := released_of(record)) is not None:
                    return record.at_ns, noted
        return None

    def newest_of(self, kind: str) -> JournalRecord | None:
        """The newest of the journal's own marks of a kind, which are of no table."""
        return self._newest_mark(kind, "")

    def first_of(self, kind: str, after: int = 0) -> JournalRecord | None:
        """The oldest of them after a record."""
        return next(self.all_of(kind, after), None)

    def all_of(self, kind: str, after: int = 0) -> Iterator[JournalRecord]:
        """All of them after a record, oldest first."""
        return self._marked(kind, "", after)

    def marks_since(self, kind: str, after: int) -> Iterator[tuple[str, JournalRecord]]:
        """The marks of a kind after a record, of one table after the other, each with its table."""
        for table in self._named(kind):
            for record in self._marked(kind, table, after):
                yield table, record

    def runs_elsewhere(self, table: str, device: str, session: str) -> list[tuple[str, int, int]]:
        """The rounds of one session of a device that were settled at other tables: table, first and last number."""
        rows = self._rows(derived.ELSEWHERE, table, device, session) if self.version > 1 else []
        return [(name, first, last) for name, first, last in rows]

    def era_at(self, sequence: int) -> int:
        """The version of the journal that the opening before a record names."""
        opened = self._newest_mark(OPENED, "", sequence)
        return era_of(opened) if opened is not None else ERA

    def derived(self, table: str) -> set[tuple[Any, ...]]:
        """The rows of one of the tables that follow from the records."""
        return set(self._rows(f"SELECT * FROM {table}"))

    def obligations(self) -> Iterator[tuple[Any, ...]]:
        """The rows of what is held, by their numbers: however many there are, no more than a page of them is kept."""
        begin, sql = -MANY - 1, "SELECT * FROM obligation WHERE entry >= ? ORDER BY entry LIMIT ?"
        while begin <= MANY and (rows := self._rows(sql, begin, PAGE)):
            yield from rows
            if rows[-1][0] < begin:  # a damaged tree may lead back to where it came from, for ever
                raise JournalDamaged(self.path, None, "rows of the table 'obligation' that are not in their order")
            begin = rows[-1][0] + 1

    def own_meters(self, table: str) -> dict[str, int | None]:
        """Where the meters stand that are `table`'s own, in cents by name; None where that is not known."""
        return {name: derived.cents_of(line) for name, line in self._own_lines(table)}

    def own_rolled(self, table: str) -> dict[str, dict[str, Any]]:
        """How the pots of `table` that have rolled over stand beside their cents, by meter."""
        found = {name: derived.rolled_of(line) for name, line in self._own_lines(table)}
        return {name: rolled for name, rolled in found.items() if rolled is not None}

    def _own_lines(self, table: str) -> list[tuple[str, str]]:
        return [(name, line) for name, line in self._own(table) if name != derived.RUNNERS]

    def own_runners(self, table: str) -> dict[int, int]:
        """The runners that lie before the seats of `table`, by seat."""
        return next((derived.runners_of(line) for name, line in self._own(table) if name == derived.RUNNERS), {})

    def _own(self, table: str) -> list[tuple[str, str]]:
        rows = self._rows("SELECT name, line FROM meter WHERE tbl = ?", table) if self.version > 1 else []
        return [(name, line) for name, line in rows]

    def newest_meters(self, names: Collection[str], before: int) -> dict[str, str]:
        """The newest step of each of these shared meters before record `before`, by its name; without those that have
        none."""
        sql = "SELECT name, sequence, line FROM meter WHERE tbl = ?"
        rows = self._rows(sql, derived.SHARED) if self.version > 1 else []
        found = {name: line for name, sequence, line in rows if name in names and sequence < before}
        missing = {name for name, sequence, _ in rows if name in names} - found.keys() if rows else set(names)
        for record in self._meters_back(before) if missing else ():
            name = derived.meter_of(record.text)
            if name in missing:
                found[name] = record.text
                missing.remove(name)
            if not missing:
                break
        return found

    def _meters_back(self, before: int) -> Iterator[JournalRecord]:
        where = f"{database.IS_PUBLICATION} AND kind = 'meter' AND sequence < ?"
        sql = (
            f"SELECT {database.COLUMNS} FROM record INDEXED BY publication WHERE {where} ORDER BY sequence DESC LIMIT ?"
        )
        while found := list(map(self._record, self._rows(sql, before, PAGE))):
            yield from found
            before = found[-1].sequence

    def epoch_at(self, sequence: int) -> str:
        """The opening that wrote record `sequence`; empty for one of a version that named none."""
        if self.version > 1 and sequence > self._epochs_up_to:
            self._epochs_up_to = self.head.sequence
            rows = self.openings()
            self._openings = [row[0] for row in rows], [row[1] for row in rows]
        numbers, epochs = self._openings
        place = bisect_right(numbers, sequence)
        return epochs[place - 1] if place else ""

    # ------------------------------------------------------------------ tables

    def starts(self, *, stopped: bool = False) -> dict[str, TableStart]:
        """How each table that was not stopped began last, by its name; with `stopped`, the others too."""
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
        """Every line, by its number; one registered again as it was last."""
        found: dict[int, JournalLine] = {}
        for table in self._named(SNAPSHOT):
            for kept in (self._oldest_mark(SNAPSHOT, table), self._newest_mark(SNAPSHOT, table)):
                if kept is not None:
                    found |= {line.number: line for line in self.snapshot_of(kept, state=False).lines}
        for record in self._paged(0, f"{self._marks} AND kind = '{LINE}'"):
            if record.line not in found or found[record.line].sequence <= record.sequence:
                found[record.line] = line_of(self.path, record)
        return dict(sorted(found.items()))

    def snapshot(self, table: str, *, state: bool = True, up_to: int = MANY) -> TableSnapshot | None:
        """The newest snapshot of `table` since it began last, up to record `up_to`; None when there is none. Without
        `state` no key is needed."""
        kept, started = self._newest_mark(SNAPSHOT, table, up_to), self._newest_mark(STARTED, table, up_to)
        if kept is None or (started is not None and started.sequence > kept.sequence):
            return None
        return self.snapshot_of(kept, state=state)

    def first_snapshot(self, table: str) -> TableSnapshot | None:
        """The oldest snapshot of `table` that is still here; None when there is none."""
        found = self._oldest_mark(SNAPSHOT, table)
        return self.snapshot_of(found) if found is not None else None

    def snapshot_of(self, record: JournalRecord, *, state: bool = True) -> TableSnapshot:
        """What a snapshot's record holds; without `state`, which alone needs the key, for anybody."""
        length = int.from_bytes(record.payload[:4], "big")
        sealed = record.payload[4 + length :]
        body = self._opened(record, sealed) if state else b""

        def read(fields: dict[str, Any]) -> TableSnapshot:
            start = TableStart(record.table, fields["started"], fields["configuration"], fields["facts"])
            lines = tuple(JournalLine(**line) for line in fields["lines"])
            return TableSnapshot(record.sequence, record.at_ns, start, lines, inflated(body) if state else b"")

        return fields_of(self.path, record, read, record.payload[4 : 4 + length])

    def passed(self, record: JournalRecord) -> list[Passed]:
        """The reads and writes that a record holds, oldest first. Errors as of `raw`."""
        if record.kind != PASSED:
            return [Passed(record.line, record.at_ns, record.kind == SENT, self.raw(record))]
        try:
            return unpacked(self.raw(record), record.at_ns)
        except NotPassed as error:
            raise JournalDamaged(self.path, record.sequence, f"{error}") from None

    def raw(self, record: JournalRecord) -> bytes:
        """What a record holds under its seal. KeyUnknown without the right key, JournalDamaged when it was altered."""
        return self._opened(record, record.payload)

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

    def is_sealed(self, record: JournalRecord) -> bool:
        """Whether what a raw record or a snapshot holds is under a seal."""
        start = 4 + int.from_bytes(record.payload[:4], "big") if record.kind == SNAPSHOT else 0
        return record.payload[start : start + 1] != CLEAR

    def segments(self) -> list[Segment]:
        """What is before each gaming day, oldest first; of those that are still here."""
        if self.version == 1:
            return []
        rows = self._rows("SELECT first, last, day, hash, exported, sha256 FROM segment ORDER BY first")
        return [Segment(*row) for row in rows if row[1] > self.anchor.sequence]

    def openings(self) -> list[tuple[int, str]]:
        """Every opening that named itself: its record's number, its name."""
        return self._rows("SELECT sequence, epoch FROM opening ORDER BY sequence") if self.version > 1 else []

    def day(self) -> str | None:
        """The gaming day that began last; None when none ever did."""
        rows = self._rows(f"SELECT max(sequence) FROM record INDEXED BY mark WHERE {self._marks} AND kind = '{DAY}'")
        record = next(self._page(rows[0][0] - 1), None) if rows and rows[0][0] else None
        return fields_of(self.path, record, lambda fields: str(fields["day"])) if record is not None else None

    def size(self) -> int:
        """Bytes of the file that are in use."""
        pages, free, of = (self._rows(f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count", "page_size"))
        return int((pages - free) * of)

    def consumers(self) -> dict[str, int]:
        """How far each exporter has sent."""
        return dict(self._rows("SELECT name, sequence FROM consumer"))

    def strangers(self) -> list[str]:
        """Triggers and views of the file: no journal has any, and they would act, or be read, in its tables' place."""
        rows = self._rows("SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name")
        return [f"{kind} {name!r}" for kind, name in rows]

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

    def _named(self, kind: str) -> list[str]:
        """Tables of which there is a record of this kind of marks."""
        found, sql = list[str](), f"SELECT tbl FROM record INDEXED BY mark WHERE {self._marks} AND kind = ? AND tbl > ?"
        while rows := self._rows(f"{sql} ORDER BY tbl LIMIT 1", kind, found[-1] if found else ""):
            found.append(rows[0][0])
        return found

    def _newest_mark(self, kind: str, table: str, up_to: int = MANY) -> JournalRecord | None:
        where = f"{self._marks} AND kind = ? AND tbl = ? AND sequence <= ?"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where} ORDER BY sequence DESC LIMIT 1"
        return next(map(self._record, self._rows(sql, kind, table, up_to)), None)

    def _oldest_mark(self, kind: str, table: str) -> JournalRecord | None:
        where = f"{self._marks} AND kind = ? AND tbl = ?"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where} ORDER BY sequence LIMIT 1"
        return next(map(self._record, self._rows(sql, kind, table)), None)

    def _marked(self, kind: str, table: str, after: int) -> Iterator[JournalRecord]:
        """Records of one kind of marks of a table after number `after`, oldest first."""
        where = f"{self._marks} AND kind = ? AND tbl = ? AND sequence > ?"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where} ORDER BY sequence LIMIT ?"
        while found := list(map(self._record, self._rows(sql, kind, table, after, PAGE))):
            yield from found
            if found[-1].sequence <= after:
                raise JournalDamaged(self.path, found[-1].sequence, f"comes after record {after}")
            after = found[-1].sequence

    def _paged(self, after: int, where: str) -> Iterator[JournalRecord]:
        while found := list(self._page(after, where)):
            for record in found:
                if record.sequence <= after:  # a damaged tree may lead back to where it came from, for ever
                    raise JournalDamaged(self.path, record.sequence, f"comes after record {after}")
                after = record.sequence
                yield record

    def _page(self, after: int, where: str = "1") -> Iterator[JournalRecord]:
        sql = f"SELECT {database.COLUMNS} FROM record WHERE {where} AND sequence > ? ORDER BY sequence LIMIT ?"
        return map(self._record, self._rows(sql, after, PAGE))

    def _record(self, row: tuple[Any, ...]) -> JournalRecord:
        record = record_of(row)
        if record is None:
            number = row[0] if type(row[0]) is int else None
            raise JournalDamaged(self.path, number, "holds what no journal holds")
        return record

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            with self._lock:
                return self._db.execute(sql, values).fetchall()
        except database.TROUBLE as error:
            raise database.as_ours(self.path, error) from error
