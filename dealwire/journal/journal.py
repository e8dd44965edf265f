"""The writer's journal: everything that decides a result, on the disk before it is published.

This module defines the records: start and end of tables, their lines, settled rounds, held and released money,
snapshots. `record_writer`, on which it is based, brings them to the disk.
"""

import logging
import zlib
from collections.abc import Mapping
from pathlib import Path
from secrets import token_bytes
from typing import Final

from msgspec.json import encode

from dealwire.journal import database
from dealwire.journal.checkpoints import Checkpoints
from dealwire.journal.contents import JournalLine, TableStart, snapshot_head
from dealwire.journal.days import Days
from dealwire.journal.keyfiles import KEY_BYTES
from dealwire.journal.obligations import Released, released
from dealwire.journal.passing import INFLATED_MAX
from dealwire.journal.record_writer import RecordWriter
from dealwire.journal.records import (
    HELD,
    LINE,
    NOTE,
    OPENED,
    RELEASED,
    RESUMED,
    SALVAGED,
    SETTLED,
    SNAPSHOT,
    STAMPED,
    STARTED,
    STOPPED,
)
from dealwire.journal.sealing import SealsWith, sealer_of
from dealwire.journal.signing import SigningPair
from dealwire.journal.standing import standing_of
from dealwire.version import __version__
from devices.clock import Clock
from rules.meters.settled_rounds import SettledKey

_log = logging.getLogger(__name__)

SCHEMA: Final = "dealwire.journal/4"


class Journal(RecordWriter):
    """One file and its one writer. Only its `outboxes` may be used by other threads.

    It opens or creates the file and checks its newest records. A JournalError says in one line what is wrong.

    - `key`: None leaves raw bytes unsealed.
    - `about`: further content of the opening's record.
    - `set_back`: journal time restarts with the clock, which is behind it; every table then starts over.
    - `believed`: trust the tables of the file, because the remaining records do not cover them.
    - `signer`: signs checkpoints of the tree, which begins with the first opening that has one.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        key: SealsWith | None,
        clock: Clock,
        about: Mapping[str, object] | None = None,
        set_back: bool = False,
        believed: bool = False,
        signer: SigningPair | None = None,
    ) -> None:
        path = Path(path)
        sealer = sealer_of(key, path)
        file = database.WritableFile(path)
        try:
            standing = standing_of(file, believed=believed)
            if set_back:
                standing.newest_ns, standing.day = 0, None
            super().__init__(file, standing, sealer, clock)
            self.taken_up = file.version == 1
            """True if the file was of an older version until now: its content yields other reports today."""
            self.days = Days(self, file, standing)
            self.checkpoints = Checkpoints(self, signer, standing.checkpoint)
            self.line_key = SigningPair.of_seed(token_bytes(KEY_BYTES)) if signer is not None else None
            """Key of this opening, which signs the lines that leave; it is never on the disk."""
            self._lines, self._numbers = standing.lines, max(standing.tables, default=0)
            self._too_long: set[str] = set()
            ended = standing.running if set_back or self.taken_up else ()
            self._open_epoch(about or {}, max(clock.now_ns(), self.newest_ns), ended)
            if file.version < database.VERSION:  # so that no start reads records from before the books were kept
                self.balance(self.newest_ns)
            self.checkpoints.open(self.newest_ns)
            self.begin()
        except BaseException:
            file.close()
            raise

    def _open_epoch(self, about: Mapping[str, object], at_ns: int, ended: tuple[str, ...]) -> None:
        fields = {"schema": SCHEMA, "file": self.identity.hex(), "epoch": self.epoch}
        if self.line_key is not None:
            fields["line_key"] = self.line_key.public.hex()
        self.opened = self.add(at_ns, 0, OPENED, "", encode({**fields, "program": f"dealwire {__version__}", **about}))
        self.rows.append(("INSERT INTO opening (sequence, epoch) VALUES (?, ?)", (self.opened, self.epoch)))
        for table in ended:  # in the same group as the opening, so that no reader resumes a table that ended
            self.stopped(table, at_ns, "its record cannot be resumed")

    # ------------------------------------------------------------------ tables and their lines

    def started(self, table: str, at_ns: int, configuration: str, facts: Mapping[str, object] | None = None) -> int:
        """Record that a table starts: no round is under way, and its lines are registered after this. Return the
        record's number.

        `configuration` is the text from which `rebuild` makes the same table; `facts` are other JSON values that decide
        its results: hashes of procedure and game, meters.
        """
        self._forget_lines(table)
        began = encode({"configuration": configuration, "facts": dict(facts or {})})
        sequence = self.add(at_ns, 0, STARTED, table, began)
        self.turn(table)
        return sequence

    def resumed(self, table: str, at_ns: int) -> None:
        """Record that an interrupted table resumes; called by `resume`."""
        self.add(at_ns, 0, RESUMED, table, encode({"program": f"dealwire {__version__}"}))

    def stopped(self, table: str, at_ns: int, why: str = "") -> None:
        """Record that a table ends: its lines were closed, and the lines of `Table.finish` were published."""
        self._forget_lines(table)
        self.add(at_ns, 0, STOPPED, table, encode({"why": why}))
        self.turn(table)

    def line(self, table: str, name: str, *, device: str, dialect: str, address: str, baud: int, procedure: str) -> int:
        """Register a line and return its number. A line with the same name and device keeps its number until the table
        starts over, so that a device that was moved to another port continues."""
        known = self._lines.get((table, name))
        same = known is not None and (known.device, known.dialect) == (device, dialect)
        if not same:
            self._numbers += 1
        number = known.number if known is not None and same else self._numbers
        fields = {"name": name, "device": device, "dialect": dialect, "address": address, "baud": baud}
        sequence = self.add(self.newest_ns, number, LINE, table, encode({**fields, "procedure": procedure}))
        line = JournalLine(number, sequence, table, name, device, dialect, address, baud, procedure)
        self._lines[table, name], self.table_of[number] = line, table
        self.announce(table)
        return number

    def note(self, line: int, at_ns: int, text: str) -> None:
        """Record a note about a line: why it was lost, or that this program closed it."""
        self.add(at_ns, line, NOTE, self.table_of[line], text.encode())

    def _forget_lines(self, table: str) -> None:
        self._lines = {key: line for key, line in self._lines.items() if key[0] != table}

    # ------------------------------------------------------------------ rounds and money

    def settled(self, table: str, at_ns: int, key: SettledKey) -> None:
        """Record which round the last published settlement is of. Its held money is open from now on."""
        if self.is_open() and table not in self.books.settled.tables_of(key):
            sequence = self.add(at_ns, 0, SETTLED, table, encode(key))
            self.books.settle(sequence, table, key, self.head.hash)

    def holds(self, table: str, at_ns: int, key: SettledKey) -> None:
        """Record that the last published settlement is of a round whose number was already settled. Its held money is
        open from now on, and it does not count as that round. Do nothing if no such settlement was published."""
        if self.is_open() and self.books.obligations.awaits(table, key):
            sequence = self.add(at_ns, 0, HELD, table, encode(key))
            self.books.obligations.hold(sequence, table, key, self.head.hash)

    def release(self, table: str, entry: int, at_ns: int, who: str, badge: int, why: str) -> Released | None:
        """Record that the held money with this number was settled by hand, and close it. None if it is not open."""
        held = self.books.obligations.held(table).get(entry)
        if held is None or not self.is_open():
            return None
        noted = released(table, held, who, badge, why)
        self.add(at_ns, 0, RELEASED, table, encode(noted))
        self.books.obligations.release(table, noted)
        self.checkpoints.soon = True
        return noted

    # ------------------------------------------------------------------ where it all stands

    def snapshot(self, start: TableStart, state: bytes) -> int | None:
        """Record a table's state after everything written of it; None if nothing can be written. The snapshot has the
        time of the table's newest record, by which every deadline was met."""
        table = start.table
        self.add_passing(table)
        if not self.is_open() or not self._may_be_read(table, state):
            return None
        self.turn(table)  # resuming from this snapshot needs no earlier key
        lines = [line for line in self._lines.values() if line.table == table]
        return self.add_sealed(self.time_of(table), SNAPSHOT, table, zlib.compress(state), snapshot_head(start, lines))

    def _may_be_read(self, table: str, state: bytes) -> bool:
        """True if a snapshot is short enough to be read back; if not, keep the previous one and log it once."""
        if len(state) <= INFLATED_MAX:
            return True
        if table not in self._too_long:
            self._too_long.add(table)
            why = f"its state is {len(state):,} bytes, at most {INFLATED_MAX:,} are read; the one before stays"
            _log.error("%s: table %s: no snapshot is written: %s", self.path, table, why)
        return False

    def begin_day(self, day: str, at_ns: int) -> None:
        """Begin a gaming day for every table."""
        if self.checkpoints.due:
            self.checkpoints.sign(at_ns)  # so that the copy of the day can prove its last rounds
        self.days.begin(day, at_ns)
        for table in sorted({table for table, _ in self._lines}):  # each segment must contain the keys of its records
            self.announce(table, anew=True)

    def stamped(self, fields: Mapping[str, object], at_ns: int) -> None:
        """Record an authority's time stamp of a checkpoint."""
        self.add(at_ns, 0, STAMPED, "", encode(dict(fields)))

    def salvaged(self, at_ns: int, found: Mapping[str, object]) -> None:
        """Record that everything before was recovered from a damaged file; `found` are JSON values with details."""
        self.add(at_ns, 0, SALVAGED, "", encode(dict(found)))
        self.log.end()
        self.balance(at_ns)
