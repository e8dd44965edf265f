"""A table as its snapshot holds it: what it keeps between two rounds, and what was heard on its lines.

Whoever goes on with a journal begins at the newest snapshot of each table and deals what came after. What of it follows
from the raw record (all but what a person sees) is compared byte for byte when the whole record is dealt again.
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
    """A table at rest, its lines by number, and the meters that it shares. `viewer` is what a person saw of it."""

    table: TableState
    lines: dict[int, LineStanding]
    bank: BankState | None
    viewer: ViewerState | None = None


_DECODER = msgspec.json.Decoder(Kept)


@runtime_checkable
class Keeps(Protocol):
    """A table that can be taken up where it stood."""

    def state(self) -> PublisherState | None:
        """Where it stands; None while a round is under way."""

    @property
    def bank_state(self) -> BankState | None:
        """Where the meters stand that it shares; None when it shares none."""


@runtime_checkable
class LetsPass(Protocol):
    """A table at which readings wait for a person."""

    def release(self, readings: Iterable[str]) -> frozenset[str]:
        """What these decided was settled by hand; those of them that waited are let pass from the next snapshot on."""

    def keep(self) -> None:
        """It was written down as it stands: what was released passes."""


@runtime_checkable
class Adopts(Protocol[T_co]):
    """Makes tables from snapshots, too."""

    def __call__(self, start: TableStart, /) -> T_co:
        """The table as it began."""

    def adopt(self, snapshot: TableSnapshot, kept: Kept) -> T_co:
        """The table as it stood."""

    def passed_over(self, record: JournalRecord) -> None:
        """A record of a table that is adopted further on: it may have moved meters that others share."""


def kept_of(publisher: object, lines: Mapping[int, LineStanding | None]) -> Kept | None:
    """The table and its lines as they stand; None while one of them is not at rest, or none can say it."""
    standings = {number: standing for number, standing in sorted(lines.items()) if standing is not None}
    if not isinstance(publisher, Keeps) or len(standings) < len(lines):
        return None
    state = publisher.state()
    return Kept(state.table, standings, publisher.bank_state, state.viewer) if state is not None else None


def encoded(kept: Kept) -> bytes:
    """As a snapshot's record holds it."""
    return msgspec.json.encode(kept)


def decoded(path: Path, snapshot: TableSnapshot) -> Kept:
    """What a snapshot holds; JournalDamaged when that cannot be read."""
    try:
        return _DECODER.decode(snapshot.state)
    except msgspec.DecodeError as error:
        raise JournalDamaged(path, snapshot.sequence, f"a snapshot that cannot be read: {error}") from error


def provable(kept: Kept) -> bytes:
    """The part that follows from the raw record, as bytes to compare. What a person was shown also depends on when the
    program looked at its lines."""
    return encoded(replace(kept, viewer=None))
