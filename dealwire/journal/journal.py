"""The journal as the owner writes it: everything that decides a result, on the disk before anybody is told of it.

What is handed in joins the open group. A group is written in one transaction and synced, so that either all of it is
in the file or none: by `commit`, and by `Journaled` before any byte goes out to a device.
"""

import logging
import secrets
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.json import encode

from dealwire.hub.lines import Publication, Topic
from dealwire.journal import database
from dealwire.journal.check import check_tail
from dealwire.journal.errors import KeyProblem
from dealwire.journal.reader import JournalLine, JournalReader
from dealwire.journal.records import (
    GENESIS,
    KEY,
    LINE,
    NOTE,
    OPENED,
    RECEIVED,
    RESUMED,
    SENT,
    STARTED,
    STOPPED,
    TOPICS,
    Head,
    chained,
    heading,
)
from dealwire.journal.sealing import CLEAR, SealsWith, sealer_of
from dealwire.version import __version__
from devices.clock import Clock

_log = logging.getLogger(__name__)

SCHEMA: Final = "dealwire.journal/1"

GROUP_MAX: Final = 1024
"""Records of one group; a group that grows beyond is written without waiting for `commit`."""

_INSERT: Final = f"INSERT INTO record ({database.COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)"


class Journal:
    """One file and its one writer. Only `unsent` and `mark_sent` may be called from other threads.

    Opens the file, or makes it, and checks its newest records. A JournalError says in one line what is wrong. `key`
    None leaves raw bytes unsealed. Afterwards nothing here raises for a bad disk: `failed` says why nothing more is
    written, and from then on nothing more may be made known or acknowledged.
    """

    def __init__(self, path: str | Path, *, key: SealsWith | None, clock: Clock) -> None:
        self.path = Path(path)
        self.failed: str | None = None
        self.owes = False
        """The open group holds more than what was sent: it has to be on the disk before anything goes out."""
        self._sealer = sealer_of(key, self.path)
        self._group: list[tuple[int, int, int, str, str, bytes, bytes]] = []
        self._published: list[Publication] = []
        self._ready: list[Publication] = []
        self._lines: dict[tuple[str, str], JournalLine] = {}
        self._tables: dict[int, str] = {}
        self._numbers = 0
        self._consumers: dict[str, int] = {}
        self._moved: dict[str, int] = {}
        self._lock = threading.Lock()  # guards the consumers, which move in other threads
        self._reader: JournalReader | None = None
        self._closed = False
        self._file = database.WritableFile(self.path)
        try:
            if self._file.new:
                self._begin(clock.now_ns())
            else:
                self._go_on()
        except BaseException:
            self._file.close()
            raise

    def _begin(self, at_ns: int) -> None:
        self._identity = secrets.token_bytes(16)
        self._head, self.newest_ns = Head(0, GENESIS), 0
        fields = {"schema": SCHEMA, "file": self._identity.hex(), "program": f"dealwire {__version__}"}
        self._add(at_ns, 0, OPENED, "", encode(fields))
        try:
            self._write()
        except database.TROUBLE as error:
            raise database.as_ours(self.path, error) from error

    def _go_on(self) -> None:
        with JournalReader(self.path) as reader:
            self._identity, self._head, self.newest_ns = reader.identity, check_tail(reader), reader.newest_ns
            running, lines = reader.starts(), reader.lines()
        self._numbers = max(lines, default=0)
        self._tables = {line.number: line.table for line in lines.values()}
        for line in lines.values():
            if line.table in running and line.sequence > running[line.table].sequence:
                self._lines[line.table, line.name] = line
        try:
            self._consumers = dict(self._file.db.execute("SELECT name, sequence FROM consumer"))
        except database.TROUBLE as error:
            raise database.as_ours(self.path, error) from error

    # ------------------------------------------------------------------ what is written

    @property
    def stopped_why(self) -> str | None:
        """Why nothing more is written: it failed, or was closed. None while it is open."""
        return self.failed or ("it was closed" if self._closed else None)

    @property
    def sealed(self) -> bool:
        """Raw bytes are sealed."""
        return self._sealer is not None

    @property
    def head(self) -> Head:
        """The newest record, of the open group too; worth to be noted outside this file."""
        return self._head

    def started(self, table: str, at_ns: int, configuration: str, facts: Mapping[str, object] | None = None) -> None:
        """A table begins anew: no round is under way, its lines are registered after this.

        `configuration` is the text from which `rebuild` makes the same table again; `facts` are JSON values that
        decide its results and stand elsewhere: hashes of procedure and game, where the meters stand.
        """
        self._forget_lines(table)
        self._add(at_ns, 0, STARTED, table, encode({"configuration": configuration, "facts": dict(facts or {})}))
        self._turn(table)

    def resumed(self, table: str, at_ns: int) -> None:
        """A table that was broken off goes on where the journal left it; `resume` says so itself."""
        self._add(at_ns, 0, RESUMED, table, encode({"program": f"dealwire {__version__}"}))

    def stopped(self, table: str, at_ns: int, why: str = "") -> None:
        """A table ends: its lines were closed, and what `Table.finish` gave was published."""
        self._forget_lines(table)
        self._add(at_ns, 0, STOPPED, table, encode({"why": why}))
        self._turn(table)

    def line(self, table: str, name: str, *, device: str, dialect: str, address: str, baud: int, procedure: str) -> int:
        """Register a line and give its number. A line of the same name and device keeps its number until the table
        begins anew, so that a device that was plugged in elsewhere goes on."""
        known = self._lines.get((table, name))
        same = known is not None and (known.device, known.dialect) == (device, dialect)
        if not same:
            self._numbers += 1
        number = known.number if known is not None and same else self._numbers
        sequence = self._head.sequence + 1
        line = JournalLine(number, sequence, table, name, device, dialect, address, baud, procedure)
        self._lines[table, name], self._tables[number] = line, table
        fields = {"name": name, "device": device, "dialect": dialect, "address": address, "baud": baud}
        self._add(self.newest_ns, number, LINE, table, encode({**fields, "procedure": procedure}))
        self._announce(table)
        return number

    def chunk(self, line: int, at_ns: int, sent: bool, data: bytes) -> None:
        """Bytes of one read, before they are decoded, or of one write. Sealed at once."""
        if not self._open():
            return
        kind, table = SENT if sent else RECEIVED, self._tables[line]
        head = heading(self._head.sequence + 1, at_ns, line, kind, table)
        payload = CLEAR + data if self._sealer is None else self._sealer.seal(data, self._identity + head, table)
        self._append(at_ns, line, kind, table, payload, head)

    def note(self, line: int, at_ns: int, text: str) -> None:
        """A remark about a line: why it was lost, or that this program closed it."""
        if self._open():
            self._add(at_ns, line, NOTE, self._tables[line], text.encode())

    def publish(self, table: str, topic: Topic, at_ns: int, text: str) -> int:
        """A line to be made known once `commit` returned it; its sequence. `at_ns` is the time of the report that it
        follows from, not that of the clock."""
        if topic not in TOPICS:
            raise ValueError(f"no topic {topic!r}; there are {', '.join(TOPICS)}")
        if self._open():
            sequence = self._head.sequence + 1
            self._published.append(Publication(sequence, table, at_ns, topic, text))
            self._add(at_ns, 0, topic, table, text.encode())
        return self._head.sequence

    # ------------------------------------------------------------------ to the disk

    def secure(self) -> bool:
        """Write the open group and sync it. False when the disk did not take it: then nothing may be acknowledged.
        Costs nothing when the group is empty."""
        if self._group and self._open():
            self._try_to_write()
        return self.failed is None

    def commit(self) -> list[Publication]:
        """Write the open group; what may now be made known, in order. Nothing that the disk did not take."""
        self.secure()
        ready, self._ready = self._ready, []
        return ready

    def close(self) -> None:
        """Write the open group and give the file back. May be called twice; what comes after is not written."""
        if self._closed:
            return
        if (self._group or self._moved) and self.failed is None:
            self._try_to_write()
        self._closed = True
        if self._reader is not None:
            self._reader.close()
        self._file.close()

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------------ outboxes

    def unsent(self, consumer: str, limit: int) -> list[Publication]:
        """What `consumer` has not marked as sent, oldest first, at most `limit`; only what is on the disk."""
        with self._lock:
            if self._closed:
                return []
            if self._reader is None:
                self._reader = JournalReader(self.path)
            return self._reader.publications(self._consumers.get(consumer, 0), limit)

    def mark_sent(self, consumer: str, sequence: int) -> None:
        """`consumer` has everything up to `sequence`. Written with the next group: after a kill it may be asked to
        send some again, under their same sequence."""
        with self._lock:
            if sequence > self._consumers.get(consumer, 0):
                self._consumers[consumer] = self._moved[consumer] = sequence

    # ------------------------------------------------------------------ inside

    def _open(self) -> bool:
        return self.failed is None and not self._closed

    def _announce(self, table: str) -> None:
        """The key of what is sealed for the table from here on, if an auditor is to have it."""
        if self._sealer is None or not self._open():
            return
        try:
            payload = self._sealer.announcement(table)
        except KeyProblem as problem:
            self._fail(str(problem))
            return
        if payload is not None:
            self._add(self.newest_ns, 0, KEY, table, payload)

    def _turn(self, table: str) -> None:
        """What was added last begins the table anew, or ends it: nothing before is needed to go on."""
        if self._sealer is not None and self._open():
            self._sealer.turn(table)

    def _forget_lines(self, table: str) -> None:
        self._lines = {key: line for key, line in self._lines.items() if key[0] != table}

    def _add(self, at_ns: int, line: int, kind: str, table: str, payload: bytes) -> None:
        if self._open():
            head = heading(self._head.sequence + 1, at_ns, line, kind, table)
            self._append(at_ns, line, kind, table, payload, head)

    def _append(self, at_ns: int, line: int, kind: str, table: str, payload: bytes, head: bytes) -> None:
        sequence, digest = self._head.sequence + 1, chained(self._head.hash, head, payload)
        self._head = Head(sequence, digest)
        self.newest_ns = max(self.newest_ns, at_ns)
        self.owes |= kind != SENT
        self._group.append((sequence, at_ns, line, kind, table, payload, digest))
        if len(self._group) >= GROUP_MAX:
            self.secure()

    def _write(self) -> None:
        db = self._file.db
        if not db.in_transaction:
            db.execute("BEGIN IMMEDIATE")
        db.executemany(_INSERT, self._group)
        with self._lock:
            moved, self._moved = self._moved, {}
        db.executemany("INSERT OR REPLACE INTO consumer (name, sequence) VALUES (?, ?)", moved.items())
        db.execute("COMMIT")
        if self._sealer is not None:
            self._sealer.forget()
        self._group.clear()
        self.owes = False
        self._ready += self._published
        self._published.clear()

    def _try_to_write(self) -> None:
        try:
            self._write()
        except database.TROUBLE as error:
            self._fail(database.in_words(error))

    def _fail(self, why: str) -> None:
        self.failed = why
        self._group.clear()
        self._published.clear()
        _log.error("%s: nothing more is journalled: %s", self.path, why)
        try:
            if self._file.db.in_transaction:
                self._file.db.execute("ROLLBACK")
        except database.TROUBLE as error:
            _log.debug("%s: after the failure: %s", self.path, error)
