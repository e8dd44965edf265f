"""The records of one round, from the first after the previous round to its last, read in one pass that also verifies
the chain."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from dealwire.journal.check import follow, open_seal
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.records import HELD, SEALED_KINDS, SETTLED, SNAPSHOT, Head, JournalRecord
from dealwire.journal.rounds import RoundPlace, RoundReader
from dealwire.sheet.model import ChainChecked

_END: Final = frozenset({"settlement", "meter", "award", SETTLED, HELD, SNAPSHOT})
"""Kinds of records that may follow a round's line and still belong to the round."""
_LATER: Final = 2_000
"""Records after a round's line, of all tables, in which its settlement is searched."""


def fields_of(record: JournalRecord) -> dict[str, Any]:
    """Return the fields of a record; empty if it cannot be read, which the chain check covers."""
    try:
        return dict(json.loads(record.payload))
    except (ValueError, TypeError):
        return {}


@dataclass(frozen=True, slots=True)
class JournalledEvent:
    """A report of a device from the journal."""

    record: JournalRecord
    device: str
    event: str
    fields: dict[str, Any]

    @classmethod
    def of(cls, record: JournalRecord) -> "JournalledEvent":
        """Return the report of a record."""
        line = json.loads(record.payload)
        return cls(record, str(line["device"]), str(line["event"]), dict(line["fields"]))


@dataclass(slots=True)
class RoundWindow:
    """The journal's records of a round. `before` is the record before the first."""

    place: RoundPlace
    before: Head
    first: int
    last: int
    records: list[JournalRecord] = field(default_factory=list)
    """Records of the table, and of no table, such as openings; without raw bytes and snapshots."""
    events: list[JournalledEvent] = field(default_factory=list)
    checked: ChainChecked = field(default_factory=lambda: ChainChecked(0, 0, 0, 0))
    ends: list[JournalRecord] = field(default_factory=list)
    """First and last record of the round in this window."""

    def of(self, *topics: str) -> list[JournalRecord]:
        """Return the lines of these topics, or marks of these kinds."""
        return [record for record in self.records if record.kind in topics]

    def events_of(self, *names: str) -> list[JournalledEvent]:
        """Return the reports of these kinds."""
        return [event for event in self.events if event.event in names]


def read_window(reader: RoundReader, table: str, place: RoundPlace, *, open_seals: bool = False) -> RoundWindow:
    """Return all records of a round. JournalDamaged if the chain is broken within it."""
    first, last = _first(reader, table, place), _last(reader, table, place)
    if first - 1 == reader.anchor.sequence:
        before = reader.anchor
    else:
        digest = reader.hash_at(first - 1)
        if digest is None:
            raise JournalDamaged(reader.path, first - 1, "is missing")
        before = Head(first - 1, digest)
    window = RoundWindow(place, before, first, last)
    head, counts = before, [0, 0, 0, 0]
    for record in reader.records(first - 1):
        if record.sequence > last:
            break
        head = follow(reader, head, record)
        counts[0] += 1
        if record.kind in SEALED_KINDS:
            sealed = reader.is_sealed(record)
            counts[1 if sealed else 2] += 1
            if open_seals and record.table == table:
                open_seal(reader, record)
                counts[3] += sealed
        if record.sequence in (first, last):
            window.ends.append(record)
        if record.table in (table, "") and record.kind not in SEALED_KINDS:
            window.records.append(record)
            if record.kind == "event":
                window.events.append(_event(reader, record))
    if head.sequence < last:
        raise JournalDamaged(reader.path, head.sequence + 1, "is missing")
    window.checked = ChainChecked(*counts)
    return window


def _event(reader: RoundReader, record: JournalRecord) -> JournalledEvent:
    try:
        return JournalledEvent.of(record)
    except (ValueError, KeyError, TypeError) as error:
        raise JournalDamaged(reader.path, record.sequence, "a report that cannot be read") from error


def _first(reader: RoundReader, table: str, place: RoundPlace) -> int:
    """Return the first record that belongs to no earlier round."""
    middle = place.ends or place.begins
    start = reader.begun(table, middle)
    earlier = next(reader.lines_back(table, {"round": ""}, before=middle, after=start), None)
    if earlier is None:
        return max(start, reader.anchor.sequence + 1)
    for record in reader.records(earlier.sequence):
        if record.table == table and record.kind not in _END:
            return record.sequence
    return middle


def _last(reader: RoundReader, table: str, place: RoundPlace) -> int:
    """Return the last record of this round."""
    if not place.ends:
        return _last_so_far(reader, table, place)
    last = place.ends
    for record in reader.records(place.ends):
        if record.table == table:
            if record.kind not in _END and not _says_again(record):
                break
            if record.kind != SNAPSHOT:
                last = record.sequence
        if record.sequence > place.ends + _LATER:
            break
    return last


def _last_so_far(reader: RoundReader, table: str, place: RoundPlace) -> int:
    """Return the newest line of a round that has not ended, before its table started over."""
    last = place.begins
    for record in reader.publications(place.begins, table=table):
        if reader.begun(table, record.sequence) > place.begins:
            break
        last = record.sequence
    return last


def _says_again(record: JournalRecord) -> bool:
    """True for the incident that says the previous round was already settled."""
    return record.kind == "incident" and b'"round-repeated"' in record.payload
