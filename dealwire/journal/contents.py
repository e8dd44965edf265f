"""What a record's payload says, as a value: how a table began, a line, a snapshot, a line that was made known."""

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
    """A line of a table, as registered by record `sequence`. `number` counts from 1 in the file."""

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
    """How a table began: its configuration as the service wrote it down, and what else decides its results."""

    table: str
    sequence: int
    configuration: str
    facts: dict[str, Any]


@dataclass(frozen=True, slots=True)
class TableSnapshot:
    """A table as record `sequence` holds it: how it began, its lines, and `state`, JSON, of which only the table and
    its lines know more."""

    sequence: int
    at_ns: int
    start: TableStart
    lines: tuple[JournalLine, ...]
    state: bytes


@dataclass(frozen=True, slots=True)
class Segment:
    """The records of one gaming day; `hash` is that of the last. `exported` names the files that hold it too, a line
    each, with their SHA-256 in the same order; None until there is one."""

    first: int
    last: int
    day: str
    hash: bytes
    exported: str | None = None
    sha256: str | None = None

    @property
    def copies(self) -> dict[str, str]:
        """The files that the day was copied to, with the SHA-256 of each as it was then; the newest where one was
        written twice."""
        return dict(zip((self.exported or "").splitlines(), (self.sha256 or "").splitlines(), strict=False))


def publication_of(record: JournalRecord, epoch: str = "") -> Publication:
    """A record of a topic as it is made known."""
    text = record.text
    topic = cast(Topic, record.kind)
    return Publication(record.sequence, record.table, record.at_ns, topic, text, epoch, record.hash.hex())


def snapshot_head(start: TableStart, lines: list[JournalLine]) -> bytes:
    """What a snapshot's record says in clear: enough to know the table without the record of its beginning."""
    fields = {"started": start.sequence, "configuration": start.configuration, "facts": start.facts}
    clear = json.dumps({**fields, "lines": [asdict(line) for line in lines]}).encode()
    return struct.pack(">I", len(clear)) + clear


def inflated(body: bytes) -> bytes:
    """The state in a snapshot; ValueError when it is cut off, or more than was ever written."""
    unpack = zlib.decompressobj()
    try:
        state = unpack.decompress(body, INFLATED_MAX)
    except zlib.error as error:
        raise ValueError(f"its state cannot be read: {error}") from error
    if not unpack.eof or unpack.unused_data:
        raise ValueError("its state is cut off")
    return state


def epoch_of(record: JournalRecord) -> str:
    """The opening that an `opened` or a `day` record names; empty where an older version wrote it."""
    try:
        return str(json.loads(record.payload).get("epoch", ""))
    except (ValueError, AttributeError):
        return ""


def opened_in(record: JournalRecord) -> int:
    """The number of the `opened` record that a `day` record names; 0 where an older version wrote it."""
    try:
        number = json.loads(record.payload).get("opened")
    except (ValueError, AttributeError):
        return 0
    return number if isinstance(number, int) else 0


def start_of(path: Path, record: JournalRecord) -> TableStart:
    """What a `started` record says."""
    return fields_of(
        path, record, lambda fields: TableStart(record.table, record.sequence, fields["configuration"], fields["facts"])
    )


def line_of(path: Path, record: JournalRecord) -> JournalLine:
    """What a `line` record says."""
    return fields_of(path, record, lambda fields: JournalLine(record.line, record.sequence, record.table, **fields))


def fields_of(
    path: Path, record: JournalRecord, make: Callable[[dict[str, Any]], T], payload: bytes | None = None
) -> T:
    """What `make` makes of a record's payload, or of that part of it; JournalDamaged when it cannot be read."""
    try:
        return make(json.loads(record.payload if payload is None else payload))
    except (ValueError, KeyError, TypeError) as error:
        raise JournalDamaged(path, record.sequence, f"a record {record.kind!r} that cannot be read") from error
