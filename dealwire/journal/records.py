"""Records of a journal: one unbroken sequence, each chained to the previous one by SHA-256.

`docs/journal.md` states the bytes, so that a test laboratory can verify a journal with its own program.
"""

import hashlib
import struct
from dataclasses import dataclass
from typing import Any, Final, get_args

from dealwire.hub.lines import Topic

TOPICS: Final[tuple[str, ...]] = get_args(Topic)
"""Kinds of records that are published; stored unsealed."""
OPENED: Final = "opened"
"""A program opened the file for writing: the first record, and one at every start since."""
STARTED: Final = "started"
"""A table starts, with its configuration."""
RESUMED: Final = "resumed"
"""An interrupted table resumes."""
STOPPED: Final = "stopped"
"""A table ends."""
LINE: Final = "line"
"""A line of a table, with its device."""
PASSED: Final = "passed"
"""Reads and writes of the lines of one table, oldest first; `dealwire.journal.passing`."""
RECEIVED: Final = "received"
"""Bytes of one read, in files of version 1."""
SENT: Final = "sent"
"""Bytes of one write, in files of version 1."""
KEY: Final = "key"
"""Key of a table's raw record from here on, sealed to an auditor."""
NOTE: Final = "note"
"""A note about a line, such as its loss."""
SNAPSHOT: Final = "snapshot"
"""State of a table between two rounds, from which it can resume."""
SETTLED: Final = "settled"
"""The round of the preceding settlement, fully identified: it is settled once."""
HELD: Final = "held"
"""The preceding settlement is of a round with the number of a settled one: all of it is held."""
RELEASED: Final = "released"
"""A supervisor settled the held money of a round by hand."""
BALANCE: Final = "balance"
"""The books as derived from all records before this one."""
DAY: Final = "day"
"""A gaming day begins; everything before it is a segment."""
EXPORTED: Final = "exported"
"""A segment was written to a file of its own and verified there."""
SALVAGED: Final = "salvaged"
"""Everything before this record was recovered from a damaged file: a tree ends here."""
LOG: Final = "log"
"""A tree over the records begins; this record is its first leaf."""
CHECKPOINT: Final = "checkpoint"
"""Size and root of the tree, signed."""
COSIGNED: Final = "cosigned"
"""A witness signed a checkpoint of this journal."""
STAMPED: Final = "stamped"
"""An authority's time stamp of a checkpoint."""

RAW: Final = (PASSED, RECEIVED, SENT)
SEALED_KINDS: Final = (*RAW, SNAPSHOT)
"""Kinds with a sealed payload, if there is a key: they may contain faces that were not shown."""
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
    LOG,
    CHECKPOINT,
    COSIGNED,
    STAMPED,
)
NO_LEAF: Final = frozenset((*RAW, "event", NOTE, SNAPSHOT, KEY, COSIGNED, SALVAGED))
"""Kinds that are no leaves of the tree; each leaf commits to all records before it, these too."""

GENESIS: Final = bytes(32)
"""Hash before the first record."""

TEXT_MAX: Final = 0xFFFF
"""Most bytes of a kind or a table's name: their length takes two bytes."""

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
    """One record. `line` counts from 1, 0 for no line; `payload` is as stored, sealed or not."""

    sequence: int
    at_ns: int
    line: int
    kind: str
    table: str
    payload: bytes
    hash: bytes

    @property
    def text(self) -> str:
        """The payload as text; invalid bytes, as in a damaged file, are replaced."""
        return self.payload.decode("utf-8", "replace")


def record_of(row: tuple[Any, ...]) -> JournalRecord | None:
    """Return the record in a row, columns in order; None for one that no journal contains, as in a damaged file."""
    sequence, at_ns, line, kind, table, payload, digest = row
    # Unrolled for speed: a starting service checks every record of a day.
    if not (
        (type(sequence) is type(at_ns) is type(line) is int)
        and (0 < sequence < 1 << 63 and 0 <= at_ns < 1 << 63 and 0 <= line < 1 << 32)
        and (type(kind) is type(table) is str and type(payload) is type(digest) is bytes)
        and (len(kind.encode()) <= TEXT_MAX and len(table.encode()) <= TEXT_MAX)
    ):
        return None
    return JournalRecord(sequence, at_ns, line, kind, table, payload, digest)


def heading(sequence: int, at_ns: int, line: int, kind: str, table: str) -> bytes:
    """Return the canonical bytes of a record without its payload."""
    kind_bytes, table_bytes = kind.encode(), table.encode()
    lengths = len(kind_bytes).to_bytes(2, "big"), len(table_bytes).to_bytes(2, "big")
    return _HEAD.pack(sequence, at_ns, line) + lengths[0] + kind_bytes + lengths[1] + table_bytes


def chained(previous: bytes, heading_bytes: bytes, payload: bytes) -> bytes:
    """Return the hash of a record."""
    return hashlib.sha256(previous + heading_bytes + _U32.pack(len(payload)) + payload).digest()
