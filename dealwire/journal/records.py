"""What a journal is made of: records in one unbroken sequence, each chained to the one before by SHA-256.

`docs/journal.md` states the bytes, so that a test laboratory can check a journal with a program of its own.
"""

import hashlib
import struct
from dataclasses import dataclass
from typing import Any, Final, get_args

from dealwire.hub.lines import Topic

TOPICS: Final[tuple[str, ...]] = get_args(Topic)
"""Kinds of records that are made known; stored in clear text."""
OPENED: Final = "opened"
"""A program opened the file to write it: the first record, and one at every start since."""
STARTED: Final = "started"
"""A table begins anew, with its configuration."""
RESUMED: Final = "resumed"
"""A table that was broken off goes on."""
STOPPED: Final = "stopped"
"""A table ends."""
LINE: Final = "line"
"""A line of a table, with what is at its end."""
PASSED: Final = "passed"
"""Reads and writes of the lines of one table, oldest first; `dealwire.journal.passing`."""
RECEIVED: Final = "received"
"""Bytes of one read, in files of version 1."""
SENT: Final = "sent"
"""Bytes of one write, in files of version 1."""
KEY: Final = "key"
"""What opens the raw record of a table from here on, sealed to an auditor."""
NOTE: Final = "note"
"""A remark about a line, such as its loss."""
SNAPSHOT: Final = "snapshot"
"""A table as it stood between two rounds: whoever goes on with it begins there."""
SETTLED: Final = "settled"
"""Which round the settlement before this is of, by all that tells it from any other: it is settled once."""
HELD: Final = "held"
"""All of the settlement before this is held: it is of a round that has the number of one that was settled."""
RELEASED: Final = "released"
"""A person said that what is held of a round was settled by hand."""
BALANCE: Final = "balance"
"""What the books say, that are derived from all records before this one."""
DAY: Final = "day"
"""A gaming day begins; all before it is a segment."""
EXPORTED: Final = "exported"
"""A segment was written to a file of its own and checked there."""
SALVAGED: Final = "salvaged"
"""What is before this record is what could be read of a damaged file."""

RAW: Final = (PASSED, RECEIVED, SENT)
SEALED_KINDS: Final = (*RAW, SNAPSHOT)
"""Kinds whose payload is sealed, where there is a key: they may hold faces that nobody has shown."""
MARKS: Final = (
    OPENED,
    STARTED,
    RESUMED,
    STOPPED,
    LINE,
    SNAPSHOT,
    SETTLED,
    HELD,
    RELEASED,
    BALANCE,
    DAY,
    EXPORTED,
    SALVAGED,
)

GENESIS: Final = bytes(32)
"""What stands for the hash before the first record."""

TEXT_MAX: Final = 0xFFFF
"""Bytes of a kind or a table's name: their length takes two."""

_HEAD: Final = struct.Struct(">QQI")
_U32: Final = struct.Struct(">I")


@dataclass(frozen=True, slots=True)
class Head:
    """The newest record of a journal: its number and hash say all that comes before. Sequence 0: there is none."""

    sequence: int
    hash: bytes

    def __str__(self) -> str:
        return f"{self.sequence}:{self.hash.hex()}"


@dataclass(frozen=True, slots=True)
class JournalRecord:
    """One record. `line` counts from 1, 0 where none is meant; `payload` is as stored, sealed or not."""

    sequence: int
    at_ns: int
    line: int
    kind: str
    table: str
    payload: bytes
    hash: bytes

    @property
    def text(self) -> str:
        """The payload as text; what is none, as in a damaged file, as another."""
        return self.payload.decode("utf-8", "replace")


def record_of(row: tuple[Any, ...]) -> JournalRecord | None:
    """The record in a row, its columns in order; None for one that no journal holds, as of a damaged file."""
    sequence, at_ns, line, kind, table, payload, digest = row
    # Written out, because it is asked of every record of a day while a service that starts deals it again.
    if not (
        (type(sequence) is type(at_ns) is type(line) is int)
        and (0 < sequence < 1 << 63 and 0 <= at_ns < 1 << 63 and 0 <= line < 1 << 32)
        and (type(kind) is type(table) is str and type(payload) is type(digest) is bytes)
        and (len(kind.encode()) <= TEXT_MAX and len(table.encode()) <= TEXT_MAX)
    ):
        return None
    return JournalRecord(sequence, at_ns, line, kind, table, payload, digest)


def heading(sequence: int, at_ns: int, line: int, kind: str, table: str) -> bytes:
    """The canonical bytes of a record but for its payload."""
    kind_bytes, table_bytes = kind.encode(), table.encode()
    lengths = len(kind_bytes).to_bytes(2, "big"), len(table_bytes).to_bytes(2, "big")
    return _HEAD.pack(sequence, at_ns, line) + lengths[0] + kind_bytes + lengths[1] + table_bytes


def chained(previous: bytes, heading_bytes: bytes, payload: bytes) -> bytes:
    """The hash of a record."""
    return hashlib.sha256(previous + heading_bytes + _U32.pack(len(payload)) + payload).digest()
