"""Content of a snapshot: a table's state between two rounds, and the state of its lines.

A resuming service starts at the newest snapshot of each table and replays what followed. The part that follows from the
raw record (everything except the view) is compared byte for byte in a complete replay.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

import msgspec
from msgspec.structs import replace

from dealwire.journal.contents import TableSnapshot, TableStart
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.records import JournalRecord
from dealwire.table.state import PublisherState, TableState, ViewerState
from devices.feed_state import LineStanding
from rules.meters.bank import BankState

T_co = TypeVar("T_co", covariant=True)


class Kept(msgspec.Struct, frozen=True):
    """State of a table at rest: the table, its lines by number, the shared meters, and its view (`viewer`)."""

    table: TableState
    lines: dict[int, LineStanding]
    bank: BankState | None
    viewer: ViewerState | None = None


_DECODER = msgspec.json.Decoder(Kept)


@runtime_checkable
class Keeps(Protocol):
    """A table whose state can be saved."""

    def state(self) -> PublisherState | None:
        """Return the publisher's state; None during a round."""

    @property
    def bank_state(self) -> BankState | None:
        """State of its shared meters; None if it shares none."""


@runtime_checkable
class ReleasesReadings(Protocol):
    """A table at which readings wait for a supervisor."""

    def release(self, readings: Iterable[str]) -> frozenset[str]:
        """Release readings whose held money was settled by hand. Those that waited are allowed from the next snapshot
        on."""

    def keep(self) -> None:
        """Record that the state was written: the released readings are allowed."""


@runtime_checkable
class Adopts(Protocol[T_co]):
    """A maker that can also restore tables from snapshots."""

    def __call__(self, start: TableStart, /) -> T_co:
        """Return the table as it began."""

    def adopt(self, snapshot: TableSnapshot, kept: Kept) -> T_co:
        """Return the table as of the snapshot."""

    def skipped(self, record: JournalRecord) -> None:
        """Take a record of a table that is adopted later: it may have moved shared meters."""


def kept_of(publisher: object, lines: Mapping[int, LineStanding | None]) -> Kept | None:
    """Return the state of a table and its lines; None if one of them is not at rest, or the table cannot give it."""
    standings = {number: standing for number, standing in sorted(lines.items()) if standing is not None}
    if not isinstance(publisher, Keeps) or len(standings) < len(lines):
        return None
    state = publisher.state()
    return Kept(state.table, standings, publisher.bank_state, state.viewer) if state is not None else None


def encoded(kept: Kept) -> bytes:
    """Return the state as JSON for a snapshot's record."""
    return msgspec.json.encode(kept)


def decoded(path: Path, snapshot: TableSnapshot) -> Kept:
    """Return the state in a snapshot; JournalDamaged if it cannot be read."""
    try:
        return _DECODER.decode(snapshot.state)
    except msgspec.DecodeError as error:
        raise JournalDamaged(path, snapshot.sequence, f"a snapshot that cannot be read: {error}") from error


def provable(kept: Kept) -> bytes:
    """Return the part that follows from the raw record, as bytes to compare. The view also depends on when the program
    checked its lines."""
    return encoded(replace(kept, viewer=None))
