"""Checking a journal: the chain, the numbering, the seals. The chain needs no key."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from dealwire.journal.errors import JournalDamaged
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import GENESIS, RAW, Head, JournalRecord, chained, heading
from dealwire.journal.sealing import CLEAR

TAIL: Final = 1000
"""Newest records that are checked whenever a journal is opened for writing."""


@dataclass(slots=True)
class JournalVerdict:
    """What a check found in order."""

    head: Head = field(default_factory=lambda: Head(0, GENESIS))
    kinds: Counter[str] = field(default_factory=Counter)
    sealed: int = 0
    """Raw records that are sealed."""
    clear: int = 0
    """Raw records that are not: whoever can write the file can have made them."""
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
    after = max(reader.head.sequence - TAIL, 0)
    head: Head | None = Head(0, GENESIS) if after == 0 else None
    for record in reader.records(after):
        head = Head(record.sequence, record.hash) if head is None else follow(reader, head, record)
    assert head is not None
    return head


def verify(reader: JournalReader, *, open_seals: bool = False, expect: Head | None = None) -> JournalVerdict:
    """Check every record, and with `open_seals` every seal. JournalDamaged names the first that is wrong.

    `expect` is a record noted elsewhere: whoever cuts the end off, or writes the whole file anew, cannot give it back.
    """
    for complaint in reader.complaints():
        raise JournalDamaged(reader.path, None, f"SQLite: {complaint}")
    found = JournalVerdict()
    for record in reader.records():
        found.head = follow(reader, found.head, record)
        found.kinds[record.kind] += 1
        found.first_ns, found.last_ns = found.first_ns or record.at_ns, max(found.last_ns, record.at_ns)
        if record.kind in RAW:
            sealed = record.payload[:1] != CLEAR
            found.sealed += sealed
            found.clear += not sealed
            if open_seals:
                reader.raw(record)
                found.opened += sealed
        if expect is not None and record.sequence == expect.sequence and record.hash != expect.hash:
            why = f"its hash is {record.hash.hex()}, not {expect.hash.hex()} as noted: the journal was written anew"
            raise JournalDamaged(reader.path, record.sequence, why)
    if expect is not None and expect.sequence > found.head.sequence:
        why = f"ends after record {found.head.sequence}; record {expect.sequence} was there once: the end was cut off"
        raise JournalDamaged(reader.path, None, why)
    return found
