"""Payloads of records as values: start of a table, line, snapshot, published line."""

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from dealwire.hub.lines import Publication, Topic
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.passing import INFLATED_MAX
from dealwire.journal.records import JournalRecord

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A line of a table, registered by record `sequence`. `number` counts from 1 in the file."""

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
    """The start of a table: its configuration as the service wrote it, and other facts that decide its results."""

    table: str
    sequence: int
    configuration: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table at record `sequence`: its start, its lines, and `state`, JSON that only the table and its lines
    interpret."""

    sequence: int
    at_ns: int
    start: TableStart
    lines: tuple[JournalLine, ...]
    state: bytes


@dataclass(frozen=True, slots=True)
class Segment:
    """The records of one gaming day; `hash` is that of the last. `exported` lists its copies, one file per line,
    `sha256` their hashes in the same order; None without a copy."""

    first: int
    last: int
    day: str
    hash: bytes
    exported: str | None = None
    sha256: str | None = None

    @property
    def copies(self) -> dict[str, str]:
        """The files that hold the day with their SHA-256 when copied; the newest if one was written twice."""
        return dict(zip((self.exported or "").splitlines(), (self.sha256 or "").splitlines(), strict=False))


def publication_of(record: JournalRecord, epoch: str = "") -> Publication:
    """Return a record of a topic as a publication."""
    text = record.text
    topic = cast(Topic, record.kind)
    return Publication(record.sequence, record.table, record.at_ns, topic, text, epoch, record.hash.hex())


def snapshot_head(start: TableStart, lines: list[JournalLine]) -> bytes:
    """Return the unsealed part of a snapshot: enough to identify the table without its start record."""
    fields = {"started": start.sequence, "configuration": start.configuration, "facts": start.facts}
    clear = json.dumps({**fields, "lines": [asdict(line) for line in lines]}).encode()
    return struct.pack(">I", len(clear)) + clear


def inflated(body: bytes) -> bytes:
    """Return the state in a snapshot; ValueError if it is truncated or longer than any that was written."""
    unpack = zlib.decompressobj()
    try:
        state = unpack.decompress(body, INFLATED_MAX)
    except zlib.error as error:
        raise ValueError(f"its state cannot be read: {error}") from error
    if not unpack.eof or unpack.unused_data:
        raise ValueError("its state is cut off")
    return state


def epoch_of(record: JournalRecord) -> str:
    """Return the opening named in an `opened` or `day` record; empty from an older version."""
    try:
        return str(json.loads(record.payload).get("epoch", ""))
    except (ValueError, AttributeError):
        return ""


def opened_in(record: JournalRecord) -> int:
    """Return the number of the `opened` record named in a `day` record; 0 from an older version."""
    try:
        number = json.loads(record.payload).get("opened")
    except (ValueError, AttributeError):
        return 0
    return number if isinstance(number, int) else 0


def start_of(path: Path, record: JournalRecord) -> TableStart:
    """Return the content of a `started` record."""
    return fields_of(
        path, record, lambda fields: TableStart(record.table, record.sequence, fields["configuration"], fields["facts"])
    )


def line_of(path: Path, record: JournalRecord) -> JournalLine:
    """Return the content of a `line` record."""
    return fields_of(path, record, lambda fields: JournalLine(record.line, record.sequence, record.table, **fields))


def fields_of(
    path: Path, record: JournalRecord, make: Callable[[dict[str, Any]], T], payload: bytes | None = None
) -> T:
    """Return `make` of a record's payload, or of the given part; JournalDamaged if it cannot be read."""
    try:
        return make(json.loads(record.payload if payload is None else payload))
    except (ValueError, KeyError, TypeError) as error:
        raise JournalDamaged(path, record.sequence, f"a record {record.kind!r} that cannot be read") from error
