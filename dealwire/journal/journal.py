"""The journal as the owner writes it: everything that decides a result, on the disk before anybody is told of it.

What is handed in joins the open group. A group is written in one transaction and synced, so that either all of it is
in the file or none: by `commit`, and by `Journaled` before any byte goes out that thanks a device for something. Reads
and writes of a table wait together until anything else is written of it, for a minute at most: what leads to nothing
was made known to nobody, and no device was thanked for it.
"""

import logging
import secrets
import sqlite3
import threading
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final

from msgspec.json import encode

from dealwire.hub.lines import Publication, Topic
from dealwire.journal import database, derived
from dealwire.journal.balancing import loaded
from dealwire.journal.book_tables import BookTables
from dealwire.journal.books import BOOKS, Books
from dealwire.journal.check import check_start, check_tail
from dealwire.journal.contents import JournalLine, Segment, TableStart, snapshot_head
from dealwire.journal.errors import KeyProblem
from dealwire.journal.obligations import Released, released
from dealwire.journal.passing import BYTES_MAX, INFLATED_MAX, WAIT_NS, Passed, packed
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import (
    BALANCE,
    DAY,
    EXPORTED,
    GENESIS,
    HELD,
    KEY,
    LINE,
    NOTE,
    OPENED,
    PASSED,
    RAW,
    RELEASED,
    RESUMED,
    SALVAGED,
    SETTLED,
    SNAPSHOT,
    STARTED,
    STOPPED,
    TOPICS,
    Head,
    chained,
    heading,
)
from dealwire.journal.sealing import CLEAR, SealsWith, sealer_of
from dealwire.journal.watching import FileWatch
from dealwire.version import __version__
from devices.clock import Clock
from rules.meters.settled_rounds import SettledKey

_log = logging.getLogger(__name__)

SCHEMA: Final = "dealwire.journal/3"

GROUP_MAX: Final = 1024
"""Records of one group; a group that grows beyond is written without waiting for `commit`."""
LOCKED_MOST_NS: Final = 30_000_000_000
"""Another program may hold the file's lock for so long; until then what is to be written waits in memory."""
PRUNED_AT_ONCE: Final = 2000
"""Records that are pruned in one turn: a few milliseconds."""
PAGES_AT_ONCE: Final = 256
BALANCED_EACH: Final = 1000
"""Records between two balances, about: as many are read again at a start."""
AFTERTHOUGHTS: Final = (*RAW, SNAPSHOT, BALANCE)
"""Kinds of records that nothing that goes out has to wait for: nobody is thanked for them."""
LAST_WAIT_MS: Final = 5000
"""How long the end waits for another program's lock."""

_Stored = tuple[int, int, int, str, str, bytes, bytes]
"""A record as its row has it."""
_INSERT: Final = f"INSERT INTO record ({database.COLUMNS}) VALUES "
_ROW: Final = "(?, ?, ?, ?, ?, ?, ?)"
TOGETHER: Final = 32
"""Rows of one statement. Each gives up the interpreter, and other threads take it: the fewer, the sooner a result is
on the disk."""
_BOOKED: Final = ("settlement", "meter", "award")
"""Topics that move what the books hold."""
_CONSUMER: Final = "INSERT OR REPLACE INTO consumer (name, sequence) VALUES (?, ?)"


class Journal:
    """One file and its one writer. Only `unsent` and `mark_sent` may be called from other threads.

    Opens the file, or makes it, and checks its newest records. A JournalError says in one line what is wrong. `key`
    None leaves raw bytes unsealed. Afterwards nothing here raises for a bad disk: `failed` says why nothing more is
    written, and from then on nothing more may be made known or acknowledged. `about` is what the opening's record says
    besides. `set_back` lets the record's time begin anew with the clock's, which is behind it: every table begins anew
    then, too. `believed`: what the tables hold is taken as it is, because no record that is left says all of it.
    """

    written_ns = 0
    """When a group was last on the disk."""
    before_sync: Callable[[], None]
    """Called before the disk is waited for, and `after_sync` afterwards: nothing, unless whoever serves sets them."""
    after_sync: Callable[[], None]

    def __init__(
        self,
        path: str | Path,
        *,
        key: SealsWith | None,
        clock: Clock,
        about: Mapping[str, object] | None = None,
        set_back: bool = False,
        believed: bool = False,
    ) -> None:
        self.path = Path(path)
        self.failed: str | None = None
        self.locked_since_ns: int | None = None
        """Since when another program has held the file's lock, as far as was noticed; None while none does."""
        self.owes = False
        """The open group holds what has to be on the disk before anything goes out."""
        self._holds_raw = self._closed = False
        self.taken_up = False
        """The file was of an older version until now: what it holds gives other reports than it gave then."""
        self.lost = False
        """Why it failed: the file is not there any more, or not the one that was opened."""
        self.epoch = secrets.token_hex(8)
        """Names this opening: no two lines have the same number and the same epoch, whatever becomes of the file."""
        self._ended: tuple[str, ...] = ()
        """Tables that cannot go on from before this opening."""
        self._clock, self._believed = clock, believed
        self._sealer = sealer_of(key, self.path)
        self._make_empty()
        self._lines: dict[tuple[str, str], JournalLine] = {}
        self._tables: dict[int, str] = {}
        self._numbers = 0
        self._consumers, self._moved = dict[str, int](), dict[str, int]()
        self._lock = threading.Lock()  # guards the consumers, which move in other threads
        self._reader: JournalReader | None = None
        self._file = database.WritableFile(self.path)
        try:
            self._open_file(about or {}, set_back)
        except BaseException:
            self._file.close()
            raise

    def _make_empty(self) -> None:
        """Nothing waits to be written or made known."""
        self._group: list[_Stored] = []
        self._rows: list[derived.Row] = []
        self.books = Books(self._rows)
        """What follows from the records and money goes by."""
        self._balanced = 0
        """The number of the newest balance."""
        self._too_long: set[str] = set()
        self._passing: dict[str, list[Passed]] = {}
        self._sizes: dict[str, int] = {}
        self._times: dict[str, int] = {}
        self._published: list[Publication] = []
        self._ready: list[Publication] = []
        self.before_sync = self.after_sync = lambda: None

    def _open_file(self, about: Mapping[str, object], set_back: bool) -> None:
        self.taken_up = self._file.version == 1
        if self._file.new:
            self._begin()
        else:
            self._go_on(set_back)
        self._open_epoch(about)
        self._file.db.execute("PRAGMA busy_timeout = 0")  # a loop that serves tables waits for nobody
        self._watch = FileWatch(self.path)

    def _begin(self) -> None:
        self.identity = secrets.token_bytes(16)
        self._head, self.newest_ns = Head(0, GENESIS), 0
        self._on_disk = self._head
        self._day: str | None = None
        self._anchor, self._segment_first = 0, 1
        self._rows.append(("INSERT INTO anchor (sequence, hash, file) VALUES (0, ?, ?)", (GENESIS, self.identity)))

    def _go_on(self, set_back: bool) -> None:
        try:
            with JournalReader(self.path) as reader:
                self._head, self.books = self._checked(reader)
                self.identity, self.newest_ns = reader.identity, reader.newest_ns
                self.books.write_to(self._rows)
                running, lines = reader.starts(), reader.lines()
                self._day, segments = reader.day(), reader.segments()
                self._anchor = reader.anchor.sequence
                self._segment_first = segments[-1].last + 1 if segments else reader.anchor.sequence + 1
                balance = reader.newest_of(BALANCE) if reader.version >= database.VERSION else None
                self._balanced = balance.sequence if balance is not None else 0
            if set_back:
                self.newest_ns, self._day = 0, None
            if set_back or self.taken_up:
                self._ended = tuple(running)
            self._on_disk = self._head
            self._numbers = max(lines, default=0)
            self._tables = {line.number: line.table for line in lines.values()}
            for line in lines.values():
                if line.table in running and line.sequence > running[line.table].sequence:
                    self._lines[line.table, line.name] = line
            self._consumers = dict(self._file.db.execute("SELECT name, sequence FROM consumer"))
        except database.TROUBLE as error:
            raise database.as_ours(self.path, error) from error

    def _checked(self, reader: JournalReader) -> tuple[Head, Books]:
        """The newest record, and the books as the records say: of a file of an older version made just now."""
        if self._believed:
            return check_tail(reader), loaded(reader)
        head, books = check_start(reader)
        if reader.version == database.VERSION:
            assert books is not None
            return head, books
        db = self._file.db
        if books is None:
            db.execute("INSERT INTO anchor (sequence, hash, file) VALUES (0, ?, ?)", (GENESIS, reader.identity))
            books = Books(era=1)
            for record in reader.records():
                books.take(record)
        else:
            tables = BookTables(reader)
            books.add_older(tables.rows_of("settled"), tables.rows_of("meter"))
        for name in BOOKS:
            db.execute(f"DELETE FROM {name}")
        derived.write(db, books.statements())
        return head, books

    def _open_epoch(self, about: Mapping[str, object]) -> None:
        fields = {"schema": SCHEMA, "file": self.identity.hex(), "epoch": self.epoch}
        at_ns = max(self._clock.now_ns(), self.newest_ns)
        sequence = self._add(at_ns, 0, OPENED, "", encode({**fields, "program": f"dealwire {__version__}", **about}))
        self._rows.append(("INSERT INTO opening (sequence, epoch) VALUES (?, ?)", (sequence, self.epoch)))
        for table in self._ended:  # with the opening or not at all: nobody deals on from what is over
            self.stopped(table, at_ns, "its record cannot be gone on with")
        if self._file.version < database.VERSION:  # no start goes back to before the books were led
            self._balance(at_ns)
        try:
            self._write()
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

    def started(self, table: str, at_ns: int, configuration: str, facts: Mapping[str, object] | None = None) -> int:
        """A table begins anew: no round is under way, its lines are registered after this. The record's number.

        `configuration` is the text from which `rebuild` makes the same table again; `facts` are JSON values that
        decide its results and stand elsewhere: hashes of procedure and game, where the meters stand.
        """
        self._forget_lines(table)
        began = encode({"configuration": configuration, "facts": dict(facts or {})})
        sequence = self._add(at_ns, 0, STARTED, table, began)
        self._turn(table)
        return sequence

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
        fields = {"name": name, "device": device, "dialect": dialect, "address": address, "baud": baud}
        sequence = self._add(self.newest_ns, number, LINE, table, encode({**fields, "procedure": procedure}))
        line = JournalLine(number, sequence, table, name, device, dialect, address, baud, procedure)
        self._lines[table, name], self._tables[number] = line, table
        self._announce(table)
        return number

    def chunk(self, line: int, at_ns: int, sent: bool, data: bytes) -> None:
        """Bytes of one read, before they are decoded, or of one write. They wait for what comes of them."""
        if not self._open():
            return
        table = self._tables[line]
        waiting = self._passing.setdefault(table, [])
        if waiting and at_ns - waiting[0].at_ns >= WAIT_NS:
            self._add_passing(table, idle=True)
            waiting = self._passing.setdefault(table, [])
        waiting.append(Passed(line, at_ns, sent, bytes(data)))
        self._sizes[table] = size = self._sizes.get(table, 0) + len(data)
        if size >= BYTES_MAX:
            self._add_passing(table)

    def thanks(self, line: int) -> None:
        """What goes out on this line next may thank its device for all that came: `owes` says whether it may."""
        table = self._tables[line]
        if any(not each.sent for each in self._passing.get(table, ())):
            self._add_passing(table)
        self.owes |= self._holds_raw

    def note(self, line: int, at_ns: int, text: str) -> None:
        """A remark about a line: why it was lost, or that this program closed it."""
        self._add(at_ns, line, NOTE, self._tables[line], text.encode())

    def publish(self, table: str, topic: Topic, at_ns: int, text: str) -> int:
        """A line to be made known once `commit` returned it; its sequence. `at_ns` is the time of the report that it
        follows from, not that of the clock."""
        if topic not in TOPICS:
            raise ValueError(f"no topic {topic!r}; there are {', '.join(TOPICS)}")
        if self._open():
            sequence = self._add(at_ns, 0, topic, table, text.encode())
            if topic in _BOOKED:
                self.books.published(sequence, at_ns, table, topic, text)
            self._published.append(Publication(sequence, table, at_ns, topic, text, self.epoch, self._head.hash.hex()))
        return self._head.sequence

    def settled(self, table: str, at_ns: int, key: SettledKey) -> None:
        """The settlement that was published last is of this round. What is held of it is open from here on."""
        if self._open() and table not in self.books.settled.tables_of(key):
            sequence = self._add(at_ns, 0, SETTLED, table, encode(key))
            self.books.settle(sequence, table, key, self._head.hash)

    def holds(self, table: str, at_ns: int, key: SettledKey) -> None:
        """The settlement that was published last is of a round with the number of one that was settled: what is held
        of it is open from here on, and it does not count as that one. Nothing where none such was published."""
        if self._open() and self.books.obligations.awaits(table, key):
            sequence = self._add(at_ns, 0, HELD, table, encode(key))
            self.books.obligations.hold(sequence, table, key, self._head.hash)

    def release(self, table: str, entry: int, at_ns: int, who: str, badge: int, why: str) -> Released | None:
        """A person settled by hand what is held under this number: it is open no more. None when nothing is."""
        held = self.books.obligations.held(table).get(entry)
        if held is None or not self._open():
            return None
        noted = released(table, held, who, badge, why)
        self._add(at_ns, 0, RELEASED, table, encode(noted))
        self.books.obligations.release(table, noted)
        return noted

    def snapshot(self, start: TableStart, state: bytes) -> int | None:
        """A table as it stands after everything written of it; None when nothing can be written. Its time is that of
        the newest record of the table: nothing is due by then that was not met."""
        table = start.table
        self._add_passing(table)
        if not self._open() or not self._may_be_read(table, state):
            return None
        self._turn(table)  # whoever goes on from here needs no key of before
        sequence, at_ns = self._head.sequence + 1, self._times.get(table, self.newest_ns)
        head = heading(sequence, at_ns, 0, SNAPSHOT, table)
        lines = [line for line in self._lines.values() if line.table == table]
        payload = snapshot_head(start, lines) + self._sealed(zlib.compress(state), head, table)
        self._append(at_ns, 0, SNAPSHOT, table, payload, head)
        return sequence

    def _may_be_read(self, table: str, state: bytes) -> bool:
        """Whether a snapshot is short enough to be read back; if not the former one stays, and the log says so once."""
        if len(state) <= INFLATED_MAX:
            return True
        if table not in self._too_long:
            self._too_long.add(table)
            why = f"its state is {len(state):,} bytes, at most {INFLATED_MAX:,} are read; the one before stays"
            _log.error("%s: table %s: no snapshot is written: %s", self.path, table, why)
        return False

    def altered(self, table: str) -> str:
        """Where the file does not hold what was written of the meters of `table` and of those that tables share, in
        words; empty where it does. To be asked before money is taken off one."""
        if not self._open():
            return ""
        try:
            rows = self._file.db.execute(derived.METERS_OF, (table, derived.SHARED)).fetchall()
        except database.TROUBLE as error:
            return f"the meters in the file cannot be read: {database.in_words(error)}"
        return self.books.meters.altered(table, rows)

    # ------------------------------------------------------------------ segments

    def begin_day(self, day: str, at_ns: int) -> None:
        """A gaming day begins: what was written since the one before is a segment. The first day of a file takes what
        was written before it along."""
        for table in list(self._passing):
            self._add_passing(table, idle=True)
        before, last = self._day, self._head
        fields = {"file": self.identity.hex(), "day": day}
        if before is not None:
            segment = {"day": before, "first": self._segment_first, "last": last.sequence, "hash": last.hash.hex()}
            insert = "INSERT INTO segment (first, last, day, hash) VALUES (?, ?, ?, ?)"
            self._rows.append((insert, (self._segment_first, last.sequence, before, last.hash)))
            self._segment_first = self._add(at_ns, 0, DAY, "", encode({**fields, "segment": segment}))
        else:
            self._add(at_ns, 0, DAY, "", encode(fields))
        self._day = day
        for table in sorted({table for table, _ in self._lines}):  # a segment holds the keys of what is in it
            self._announce(table, anew=True)

    @property
    def day(self) -> str | None:
        """The gaming day that began last; None before any did."""
        return self._day

    def exported(self, segment: Segment, file: str, sha256: str, at_ns: int) -> None:
        """A segment is in a file of its own and was checked there."""
        fields = {"first": segment.first, "last": segment.last, "hash": segment.hash.hex(), "day": segment.day}
        self._add(at_ns, 0, EXPORTED, "", encode({**fields, "file": file, "sha256": sha256}))
        more = "exported = coalesce(exported || char(10), '') || ?, sha256 = coalesce(sha256 || char(10), '') || ?"
        self._rows.append((f"UPDATE segment SET {more} WHERE first = ?", (file, sha256, segment.first)))

    def salvaged(self, at_ns: int, found: Mapping[str, object]) -> None:
        """What is before this is what could be read of a damaged file; `found` are JSON values that say more."""
        self._add(at_ns, 0, SALVAGED, "", encode(dict(found)))
        self._balance(at_ns)

    def prune(self, segment: Segment, most: int = PRUNED_AT_ONCE) -> bool:
        """Take the oldest records off the file, with the next group: of this segment, which must be the oldest and
        exported. At most so many at once; True when none of it is left."""
        last = min(segment.last, self._anchor + most)
        row = self._file.db.execute("SELECT hash FROM record WHERE sequence = ?", (last,)).fetchone()
        if row is None or not self._open() or segment.exported is None:
            return True
        if last >= self._balanced:  # what is taken off has its place in one that stays
            self._balance(self.newest_ns)
        self._rows.append(("DELETE FROM record WHERE sequence <= ?", (last,)))
        self._rows.append(("UPDATE anchor SET sequence = ?, hash = ?", (last, row[0])))
        self._anchor = last
        return last == segment.last

    def give_back(self, pages: int = PAGES_AT_ONCE) -> None:
        """Give room that was pruned back to the disk, a little at a time."""
        if self._open() and not self._file.db.in_transaction:
            with suppress(*database.TROUBLE):
                # a script, because `execute` takes one step of it, which is one page
                self._file.db.executescript(f"PRAGMA incremental_vacuum({pages})")

    # ------------------------------------------------------------------ to the disk

    def secure(self) -> bool:
        """Write the open group and sync it. False when the disk did not take it: then nothing may be acknowledged.
        Costs nothing when the group is empty."""
        if (self._group or self._rows) and self._open():
            if self._head.sequence - self._balanced >= BALANCED_EACH and not self.books.obligations.waits(
                self._on_disk.sequence
            ):
                self._balance(self.newest_ns)
            self._try_to_write()
        return self.failed is None and not self._group

    def commit(self) -> list[Publication]:
        """Write the open group; what may now be made known, in order. Nothing that the disk did not take."""
        self.secure()
        ready, self._ready = self._ready, []
        return ready

    def look(self, now_ns: int) -> None:
        """Once a second: is the file still there, and still ours? What has waited long enough gets its record."""
        for table, waiting in list(self._passing.items()):
            if waiting and now_ns - waiting[0].at_ns >= WAIT_NS:
                self._add_passing(table, idle=True)
        if not self._open():
            return
        trouble = self._watch.trouble(self._on_disk)
        if trouble is not None:
            self.lost = True
            self._fail(trouble)
        elif self.locked_since_ns is not None and now_ns - self.locked_since_ns > LOCKED_MOST_NS:
            self._fail(f"another program has locked the file for {LOCKED_MOST_NS // 10**9} s")

    def close(self) -> None:
        """Write the open group and give the file back. May be called twice; what comes after is not written."""
        if self._closed:
            return
        for table in list(self._passing):
            self._add_passing(table, idle=True)
        if (self._group or self._moved) and self.failed is None:
            self._file.db.execute(f"PRAGMA busy_timeout = {LAST_WAIT_MS}")
            self._try_to_write()
            if self.locked_since_ns is not None:
                self._fail("another program has locked the file")
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
            return self._reading().publications(self._consumers.get(consumer, 0), limit)

    def mark_sent(self, consumer: str, sequence: int) -> None:
        """`consumer` has everything up to `sequence`. Written with the next group: after a kill it may be asked to
        send some again, under their same sequence."""
        with self._lock:
            if sequence > self._consumers.get(consumer, 0):
                self._consumers[consumer] = self._moved[consumer] = sequence

    def released(self, entry: int, table: str | None = None) -> tuple[int, Released] | None:
        """When and by whom it was said that what was held under this number, at `table` or at whichever, was settled by
        hand, if the record is still in the file; only what is on the disk."""
        with self._lock:
            return None if self._closed else self._reading().released(entry, table)

    # ------------------------------------------------------------------ inside

    def _reading(self) -> JournalReader:
        if self._reader is None:
            self._reader = JournalReader(self.path)
        return self._reader

    def _open(self) -> bool:
        return self.failed is None and not self._closed

    def _announce(self, table: str, *, anew: bool = False) -> None:
        """The key of what is sealed for the table from here on, if an auditor is to have it."""
        if self._sealer is None or not self._open():
            return
        try:
            payload = self._sealer.announcement(table, anew=anew)
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

    def _add_passing(self, table: str, *, idle: bool = False) -> None:
        """What passed on the lines of a table gets its record. Compressed only where nothing came of it: the length of
        what holds faces says nothing of them."""
        waiting = self._passing.pop(table, None)
        self._sizes.pop(table, None)
        if not waiting or not self._open():
            return
        at_ns = max(each.at_ns for each in waiting)
        head = heading(self._head.sequence + 1, at_ns, 0, PASSED, table)
        self._append(at_ns, 0, PASSED, table, self._sealed(packed(waiting, at_ns, deflate=idle), head, table), head)

    def _balance(self, at_ns: int) -> None:
        """Write down what the books say of all before."""
        if self._open():
            self._balanced = self._add(at_ns, 0, BALANCE, "", encode(self.books.balance()))

    def _sealed(self, data: bytes, head: bytes, table: str) -> bytes:
        return CLEAR + data if self._sealer is None else self._sealer.seal(data, self.identity + head, table)

    def _add(self, at_ns: int, line: int, kind: str, table: str, payload: bytes) -> int:
        """A record, after what passed at its table before it; its number."""
        if table in self._passing:
            self._add_passing(table)
        if self._open():
            head = heading(self._head.sequence + 1, at_ns, line, kind, table)
            self._append(at_ns, line, kind, table, payload, head)
        return self._head.sequence

    def _append(self, at_ns: int, line: int, kind: str, table: str, payload: bytes, head: bytes) -> None:
        sequence, digest = self._head.sequence + 1, chained(self._head.hash, head, payload)
        self._head = Head(sequence, digest)
        self.newest_ns = max(self.newest_ns, at_ns)
        self._times[table] = max(self._times.get(table, 0), at_ns)
        self.owes |= kind not in AFTERTHOUGHTS
        self._holds_raw |= kind == PASSED
        self._group.append((sequence, at_ns, line, kind, table, payload, digest))
        if kind in RAW and len(self._group) >= GROUP_MAX:  # not between a settlement and whose round it is
            self.secure()

    def _write(self) -> None:
        db = self._file.db
        if not db.in_transaction:
            db.execute("BEGIN IMMEDIATE")
        _insert(db, self._group)
        derived.write(db, self._rows)
        if self._moved:
            with self._lock:
                moved, self._moved = self._moved, {}
            db.executemany(_CONSUMER, moved.items())
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
        self._rows.clear()
        self.books.meters.unwritten.clear()
        self.owes, self._holds_raw, self.locked_since_ns = False, False, None
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
                    _log.warning("%s: another program has locked the file; what is to be written waits", self.path)
            else:
                self._fail(database.in_words(error))

    def _fail(self, why: str) -> None:
        self.failed = why
        self._group.clear()
        self._rows.clear()
        self._passing.clear()
        self._published.clear()
        _log.error("%s: nothing more is journalled: %s", self.path, why)
        try:
            if self._file.db.in_transaction:
                self._file.db.execute("ROLLBACK")
        except database.TROUBLE as error:
            _log.debug("%s: after the failure: %s", self.path, error)


def _insert(db: sqlite3.Connection, rows: Sequence[_Stored]) -> None:
    for start in range(0, len(rows), TOGETHER):
        together = rows[start : start + TOGETHER]
        db.execute(_INSERT + ", ".join([_ROW] * len(together)), list(chain.from_iterable(together)))
