"""Checking a journal: the chain, the numbering, the seals. The chain needs no key."""

import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from dealwire.journal import database, derived
from dealwire.journal.contents import epoch_of
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import (
    GENESIS,
    OPENED,
    PASSED,
    RECEIVED,
    SALVAGED,
    SEALED_KINDS,
    SENT,
    SNAPSHOT,
    Head,
    JournalRecord,
    chained,
    heading,
)

Row = tuple[Any, ...]

TAIL: Final = 1000
"""Newest records that are checked whenever a journal is opened for writing."""


@dataclass(slots=True)
class JournalVerdict:
    """What a check found in order."""

    head: Head = field(default_factory=lambda: Head(0, GENESIS))
    anchor: Head = field(default_factory=lambda: Head(0, GENESIS))
    """What the first record follows: the last one that was pruned."""
    kinds: Counter[str] = field(default_factory=Counter)
    sealed: int = 0
    """Raw records and snapshots that are sealed."""
    clear: int = 0
    """Those that are not: whoever can write the file can have made them."""
    opened: int = 0
    """Seals that were opened with the key."""
    first_ns: int = 0
    last_ns: int = 0

    @property
    def records(self) -> int:
        """How many there are."""
        return self.kinds.total()


def follow(reader: JournalReader, before: Head, record: JournalRecord) -> Head:
    """The chain one record further; JournalDamaged when it does not follow `before`."""
    if record.sequence != before.sequence + 1:
        why = f"comes after record {before.sequence}: what was between them is missing"
        raise JournalDamaged(reader.path, record.sequence, why)
    head = heading(record.sequence, record.at_ns, record.line, record.kind, record.table)
    if chained(before.hash, head, record.payload) != record.hash:
        why = "its hash does not follow from it and the record before: one of the two was altered"
        raise JournalDamaged(reader.path, record.sequence, why)
    return Head(record.sequence, record.hash)


def check_tail(reader: JournalReader) -> Head:
    """Check the newest records; the newest one. JournalDamaged names the first that is wrong."""
    after = max(reader.head.sequence - TAIL, reader.anchor.sequence)
    head: Head | None = reader.anchor if after == reader.anchor.sequence else None
    for record in reader.records(after):
        head = Head(record.sequence, record.hash) if head is None else follow(reader, head, record)
    assert head is not None
    return head


def verify(reader: JournalReader, *, open_seals: bool = False, expect: Head | None = None) -> JournalVerdict:
    """Check every record, and with `open_seals` every seal. JournalDamaged names the first that is wrong. The journal
    may be written and pruned meanwhile.

    `expect` is a record noted elsewhere: whoever cuts the end off, or writes the whole file anew, cannot give it back.
    """
    for complaint in reader.complaints():
        raise JournalDamaged(reader.path, None, f"SQLite: {complaint}")
    while True:
        try:
            return _Check(reader, open_seals, expect).whole()
        except JournalDamaged:
            if not reader.look_again():
                raise


class _Check:
    """One walk through a journal."""

    def __init__(self, reader: JournalReader, open_seals: bool, expect: Head | None) -> None:
        self._reader, self._open_seals, self._expect = reader, open_seals, expect
        self._found = JournalVerdict(head=reader.anchor, anchor=reader.anchor)
        self._lookup = Lookup(reader)

    def whole(self) -> JournalVerdict:
        """From the first record to the newest."""
        reader, found, expect = self._reader, self._found, self._expect
        if expect is not None and expect.sequence < found.anchor.sequence:
            why = f"begins after record {found.anchor.sequence}; record {expect.sequence} is in a segment of its own"
            raise JournalDamaged(reader.path, None, why)
        if expect is not None and expect.sequence == found.anchor.sequence:
            self._must_be(found.anchor, expect)
        for record in reader.records():
            self._take(record)
        with reader.standing_still():
            for record in reader.records(found.head.sequence):  # what came since, and with it what is looked up
                self._take(record)
            self._lookup.finish()
        if expect is not None and expect.sequence > found.head.sequence:
            there = found.head.sequence
            why = f"ends after record {there}; record {expect.sequence} was there once: the end was cut off"
            raise JournalDamaged(reader.path, None, why)
        return found

    def _take(self, record: JournalRecord) -> None:
        reader, found, expect = self._reader, self._found, self._expect
        found.head = follow(reader, found.head, record)
        self._lookup.take(record)
        found.kinds[record.kind] += 1
        found.first_ns, found.last_ns = found.first_ns or record.at_ns, max(found.last_ns, record.at_ns)
        if record.kind in SEALED_KINDS:
            sealed = reader.is_sealed(record)
            found.sealed += sealed
            found.clear += not sealed
            if self._open_seals:
                open_seal(reader, record)
                found.opened += sealed
        if expect is not None and record.sequence == expect.sequence:
            self._must_be(found.head, expect)

    def _must_be(self, there: Head, noted: Head) -> None:
        if there.hash != noted.hash:
            why = f"its hash is {there.hash.hex()}, not {noted.hash.hex()} as noted: the journal was written anew"
            raise JournalDamaged(self._reader.path, there.sequence, why)


def open_seal(reader: JournalReader, record: JournalRecord) -> None:
    """JournalDamaged or KeyUnknown when what a record holds under its seal cannot be read."""
    if record.kind == SNAPSHOT:
        reader.snapshot_of(record)
    elif record.kind == PASSED:
        reader.passed(record)
    else:
        reader.raw(record)


class Lookup:
    """Holds what a journal looks up by a key against the records that it follows from: the same tables, made again in
    memory. Of records that were pruned, that an older version wrote or that a salvage could not keep, there may be more
    in the journal's own."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._whole = reader.version > 1 and reader.anchor.sequence == 0
        self._salvaged = False
        self._made = sqlite3.connect(":memory:", isolation_level=None)
        for statement in database.DERIVED:
            self._made.execute(statement)

    def take(self, record: JournalRecord) -> None:
        """One record, in order."""
        if self._reader.version == 1:
            return
        self._salvaged |= record.kind == SALVAGED
        self._whole &= record.kind not in (SALVAGED, RECEIVED, SENT)  # an older version wrote the last two
        derived.write(self._made, derived.rows_of(record))
        if record.kind == OPENED and self._reader.epoch_at(record.sequence) != epoch_of(record):
            why = "an opening that the table of openings does not know"
            raise JournalDamaged(self._reader.path, record.sequence, why)

    def finish(self) -> None:
        """The records are over."""
        if self._reader.version == 1:
            return
        for table in ("settled", "meter"):
            made, kept = set(self._made.execute(f"SELECT * FROM {table}")), self._reader.derived(table)
            if made == kept or (not self._whole and (self._salvaged or self._covered(table, made, kept))):
                continue
            why = f"the table {table!r} does not hold what the records say, and no more"
            raise JournalDamaged(self._reader.path, None, why)
        self._made.close()

    def _covered(self, table: str, made: set[Row], kept: set[Row]) -> bool:
        """Whether the journal's table holds all that follows from the records that are left."""
        if table == "meter":
            return made <= kept
        return all(any(row[:3] == run[:3] and row[3] <= run[3] and run[4] <= row[4] for row in kept) for run in made)
