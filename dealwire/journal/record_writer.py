"""The writer's file: records in their chain, and when they reach the disk.

Records join the open group. A group is written in one transaction and synced, so that the file has all of it or none,
including the rows of the tables that follow from it. That happens at `commit`, and in `Journaled` before any byte goes
out that acknowledges something to a device. Reads and writes of a table are collected until another record of the table
follows, for a minute at most: bytes without results were neither published nor acknowledged.

This module orders and seals records, and handles failures of the disk. `journal` defines the records of a table.
"""

import logging
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Final, Self

from msgspec.json import encode

from dealwire.hub.lines import Publication, Topic
from dealwire.journal import database, derived
from dealwire.journal.errors import KeyProblem
from dealwire.journal.outboxes import Outboxes
from dealwire.journal.passing import BYTES_MAX, WAIT_NS, Passed, packed
from dealwire.journal.records import (
    BALANCE,
    CHECKPOINT,
    KEY,
    LOG,
    NO_LEAF,
    PASSED,
    RAW,
    SNAPSHOT,
    TOPICS,
    Head,
    chained,
    heading,
)
from dealwire.journal.sealing import CLEAR, Sealer
from dealwire.journal.standing import JournalStanding
from dealwire.journal.watching import FileWatch
from devices.clock import Clock

_log = logging.getLogger(__name__)

GROUP_MAX: Final = 1024
"""Maximum number of records of a group; a larger group is written without waiting for `commit`."""
LOCKED_MOST_NS: Final = 30_000_000_000
"""Maximum time for which another program may hold the file's lock; until then writes wait in memory."""
BALANCED_EACH: Final = 1000
"""Records between two balances, about: a start reads that many again."""
AFTERTHOUGHTS: Final = (*RAW, SNAPSHOT, BALANCE, CHECKPOINT)
"""Kinds of records that never delay output: they acknowledge nothing."""
LAST_WAIT_MS: Final = 5000
"""Longest wait for another program's lock at the end."""
TOGETHER: Final = 32
"""Rows per statement. Each statement releases the interpreter, which other threads may take, so fewer statements bring
a result to the disk sooner."""

_Stored = tuple[int, int, int, str, str, bytes, bytes]
"""A record in the form of its row."""
_INSERT: Final = f"INSERT INTO record ({database.COLUMNS}) VALUES "
_ROW: Final = "(?, ?, ?, ?, ?, ?, ?)"
_BOOKED: Final = ("settlement", "meter", "award")
"""Topics that change the books."""
_CONSUMER: Final = "INSERT OR REPLACE INTO consumer (name, sequence) VALUES (?, ?)"


class RecordWriter:
    """A journal's file open for writing, from `standing` on. For one thread; only its `outboxes` are for others.

    Nothing here raises for a bad disk: `failed` says why writing stopped, and from then on nothing may be published or
    acknowledged.
    """

    written_ns = 0
    """Time at which a group last reached the disk."""

    def __init__(
        self, file: database.WritableFile, standing: JournalStanding, sealer: Sealer | None, clock: Clock
    ) -> None:
        self.path = file.path
        self.failed: str | None = None
        self.lost = False
        """True if it failed because the file is gone or was replaced."""
        self.locked_since_ns: int | None = None
        """Since when another program is known to hold the file's lock; None if none does."""
        self.must_commit = False
        """True if the open group must reach the disk before anything goes out."""
        self.epoch = secrets.token_hex(8)
        """Name of this opening. No two lines have the same number and the same epoch, whatever happens to the file."""
        self.opened = 0
        """Number of the opening's record."""
        self.identity, self.newest_ns = standing.identity, standing.newest_ns
        self.before_sync: Callable[[], None] = lambda: None
        """Called before waiting for the disk, and `after_sync` afterwards; do nothing unless the service sets them."""
        self.after_sync: Callable[[], None] = lambda: None
        self.rows: list[derived.Row] = []
        """Statements that are written with the open group, after its records."""
        self.books = standing.books
        """The books: what follows from the records and decides money."""
        self.books.write_to(self.rows)
        self.log = standing.log
        """The tree over the records."""
        self.balanced = standing.balanced
        """The number of the newest balance."""
        self.table_of = standing.tables
        """The table of each line, by number."""
        self.outboxes = Outboxes(self.path, standing.sent)
        self._file, self._sealer, self._clock = file, sealer, clock
        self._watch: FileWatch | None = None
        self._holds_raw = self._closed = False
        self._head = self._on_disk = standing.head
        self._group: list[_Stored] = []
        self._passing: dict[str, list[Passed]] = {}
        self._sizes, self._times = dict[str, int](), dict[str, int]()
        self._published: list[Publication] = []
        self._ready: list[Publication] = []

    @property
    def stopped_why(self) -> str | None:
        """Reason why nothing more is written: it failed or was closed. None while it is open."""
        return self.failed or ("it was closed" if self._closed else None)

    @property
    def head(self) -> Head:
        """The newest record, including the open group; worth noting outside this file."""
        return self._head

    def time_of(self, table: str) -> int:
        """Return the time of a table's newest record; of the newest of all if it has none since the opening."""
        return self._times.get(table, self.newest_ns)

    # ------------------------------------------------------------------ what is handed in

    def chunk(self, line: int, at_ns: int, sent: bool, data: bytes) -> None:
        """Take the bytes of one read, before they are decoded, or of one write. They wait for their results."""
        if not self.is_open():
            return
        table = self.table_of[line]
        waiting = self._passing.setdefault(table, [])
        if waiting and at_ns - waiting[0].at_ns >= WAIT_NS:
            self.add_passing(table, idle=True)
            waiting = self._passing.setdefault(table, [])
        waiting.append(Passed(line, at_ns, sent, bytes(data)))
        self._sizes[table] = size = self._sizes.get(table, 0) + len(data)
        if size >= BYTES_MAX:
            self.add_passing(table)

    def prepare_output(self, line: int) -> None:
        """Prepare for output on this line, which may acknowledge what arrived. Check `must_commit` afterwards."""
        table = self.table_of[line]
        if any(not each.sent for each in self._passing.get(table, ())):
            self.add_passing(table)
        self.must_commit |= self._holds_raw

    def publish(self, table: str, topic: Topic, at_ns: int, text: str) -> int:
        """Add a line to be published once `commit` returned it; return its sequence. `at_ns` is the time of the report
        that led to it, not of the clock."""
        if topic not in TOPICS:
            raise ValueError(f"no topic {topic!r}; there are {', '.join(TOPICS)}")
        if self.is_open():
            sequence = self.add(at_ns, 0, topic, table, text.encode())
            if topic in _BOOKED:
                self.books.published(sequence, at_ns, table, topic, text)
            self._published.append(Publication(sequence, table, at_ns, topic, text, self.epoch, self._head.hash.hex()))
        return self._head.sequence

    def is_open(self) -> bool:
        """True while something can still be written."""
        return self.failed is None and not self._closed

    def add(self, at_ns: int, line: int, kind: str, table: str, payload: bytes) -> int:
        """Add a record after the table's collected bytes; return its number."""
        if table in self._passing:
            self.add_passing(table)
        if self.is_open():
            head = heading(self._head.sequence + 1, at_ns, line, kind, table)
            self._append(at_ns, line, kind, table, payload, head)
        return self._head.sequence

    def add_sealed(self, at_ns: int, kind: str, table: str, data: bytes, clear: bytes = b"") -> int:
        """Add a record with sealed `data`, if there is a key, after the unsealed `clear`; return its number."""
        head = heading(self._head.sequence + 1, at_ns, 0, kind, table)
        sealed = CLEAR + data if self._sealer is None else self._sealer.seal(data, self.identity + head, table)
        self._append(at_ns, 0, kind, table, clear + sealed, head)
        return self._head.sequence

    def add_passing(self, table: str, *, idle: bool = False) -> None:
        """Write the collected bytes of a table as a record. It is compressed only if the bytes had no results: the
        compressed length of faces would reveal something about them."""
        waiting = self._passing.pop(table, None)
        self._sizes.pop(table, None)
        if waiting and self.is_open():
            at_ns = max(each.at_ns for each in waiting)
            self.add_sealed(at_ns, PASSED, table, packed(waiting, at_ns, deflate=idle))

    def add_all_passing(self) -> None:
        """Write all collected bytes, none of which had results."""
        for table in list(self._passing):
            self.add_passing(table, idle=True)

    def balance(self, at_ns: int) -> None:
        """Write a balance of the books."""
        if self.is_open():
            balance = {**self.books.balance(), "log": self.log.noted()}
            self.balanced = self.add(at_ns, 0, BALANCE, "", encode(balance))

    def altered(self, table: str) -> str:
        """Return the differences between the file's rows and the written values as text, for the meters of `table` and
        the shared ones; empty if there are none. Call it before a meter pays."""
        if not self.is_open():
            return ""
        try:
            rows = self._file.db.execute(derived.METERS_OF, (table, derived.SHARED)).fetchall()
        except database.TROUBLE as error:
            return f"the meters in the file cannot be read: {database.in_words(error)}"
        return self.books.meters.altered(table, rows)

    # ------------------------------------------------------------------ seals

    @property
    def sealed(self) -> bool:
        """True if raw bytes are sealed."""
        return self._sealer is not None

    def announce(self, table: str, *, anew: bool = False) -> None:
        """Add the `key` record for what is sealed for the table from now on, if an auditor needs it."""
        if self._sealer is None or not self.is_open():
            return
        try:
            payload = self._sealer.announcement(table, anew=anew)
        except KeyProblem as problem:
            self._fail(str(problem))
            return
        if payload is not None:
            self.add(self.newest_ns, 0, KEY, table, payload)

    def turn(self, table: str) -> None:
        """Switch to the next key: the last record starts or ends the table, or is its snapshot, so nothing before is
        needed."""
        if self._sealer is not None and self.is_open():
            self._sealer.turn(table)

    # ------------------------------------------------------------------ to the disk

    def secure(self) -> bool:
        """Write the open group and sync it. False if the disk did not take it: then nothing may be acknowledged. Costs
        nothing if the group is empty."""
        if (self._group or self.rows) and self.is_open():
            due = self._head.sequence - self.balanced >= BALANCED_EACH
            if due and not self.books.obligations.waits(self._on_disk.sequence):
                self.balance(self.newest_ns)
            self._try_to_write()
        return self.failed is None and not self._group

    def commit(self) -> list[Publication]:
        """Write the open group; return what may be published now, in order. Nothing that the disk did not take."""
        self.secure()
        ready, self._ready = self._ready, []
        return ready

    def begin(self) -> None:
        """Write the first group, the only one whose failure raises a JournalError. From then on the file is watched."""
        try:
            self._write()
        except database.TROUBLE as error:
            raise database.as_ours(self.path, error) from error
        self._file.db.execute("PRAGMA busy_timeout = 0")  # the tables' loop must not block on a lock
        self._watch = FileWatch(self.path)

    def look(self, now_ns: int) -> None:
        """Once a second: check that the file is still there and ours, and write bytes that waited long enough."""
        for table, waiting in list(self._passing.items()):
            if waiting and now_ns - waiting[0].at_ns >= WAIT_NS:
                self.add_passing(table, idle=True)
        if not self.is_open():
            return
        trouble = self._watch.trouble(self._on_disk) if self._watch is not None else None
        if trouble is not None:
            self.lost = True
            self._fail(trouble)
        elif self.locked_since_ns is not None and now_ns - self.locked_since_ns > LOCKED_MOST_NS:
            self._fail(f"another program has locked the file for {LOCKED_MOST_NS // 10**9} s")

    def close(self) -> None:
        """Write the open group and close the file. May be called twice; later records are not written."""
        if self._closed:
            return
        self.add_all_passing()
        if (self._group or self.outboxes.moved) and self.failed is None:
            self._file.db.execute(f"PRAGMA busy_timeout = {LAST_WAIT_MS}")
            self._try_to_write()
            if self.locked_since_ns is not None:
                self._fail("another program has locked the file")
        self._closed = True
        self.outboxes.close()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, at_ns: int, line: int, kind: str, table: str, payload: bytes, head: bytes) -> None:
        before = self._head.hash
        sequence, digest = self._head.sequence + 1, chained(before, head, payload)
        self._head = Head(sequence, digest)
        if kind not in NO_LEAF and (self.log.tree or kind == LOG):
            leaf = self.log.add(sequence, kind, table, head, payload, before)
            assert leaf is not None
            self.rows += leaf.statements()
        self.newest_ns = max(self.newest_ns, at_ns)
        self._times[table] = max(self._times.get(table, 0), at_ns)
        self.must_commit |= kind not in AFTERTHOUGHTS
        self._holds_raw |= kind == PASSED
        self._group.append((sequence, at_ns, line, kind, table, payload, digest))
        if kind in RAW and len(self._group) >= GROUP_MAX:  # never between a settlement and the record of its round
            self.secure()

    def _write(self) -> None:
        db = self._file.db
        if not db.in_transaction:
            db.execute("BEGIN IMMEDIATE")
        _insert(db, self._group)
        derived.write(db, self.rows)
        if self.outboxes.moved:
            db.executemany(_CONSUMER, self.outboxes.take_moved().items())
        self.before_sync()
        try:
            db.execute("COMMIT")
        finally:
            self.after_sync()
        if self._group:
            self._on_disk = Head(self._group[-1][0], self._group[-1][6])
        if self._sealer is not None:
            self._sealer.forget()
        self._group.clear()
        self.rows.clear()
        self.books.meters.unwritten.clear()
        self.must_commit, self._holds_raw, self.locked_since_ns = False, False, None
        self.written_ns = self._clock.now_ns()
        self._ready += self._published
        self._published.clear()

    def _try_to_write(self) -> None:
        try:
            self._write()
        except database.TROUBLE as error:
            if database.is_locked(error):
                if self.locked_since_ns is None:
                    self.locked_since_ns = self._clock.now_ns()
                    _log.warning("%s: another program has locked the file; writes are waiting", self.path)
            else:
                self._fail(database.in_words(error))

    def _fail(self, why: str) -> None:
        self.failed = why
        self._group.clear()
        self.rows.clear()
        self._passing.clear()
        self._published.clear()
        _log.error("%s: the journal stopped: %s", self.path, why)
        try:
            if self._file.db.in_transaction:
                self._file.db.execute("ROLLBACK")
        except database.TROUBLE as error:
            _log.debug("%s: after the failure: %s", self.path, error)


def _insert(db: sqlite3.Connection, rows: Sequence[_Stored]) -> None:
    for start in range(0, len(rows), TOGETHER):
        together = rows[start : start + TOGETHER]
        db.execute(_INSERT + ", ".join([_ROW] * len(together)), list(chain.from_iterable(together)))
