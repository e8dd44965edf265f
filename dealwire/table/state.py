"""Saved state of a table between two rounds.

A table made of the same settings that restores this state continues with the same bytes. Shared meters are not part of
it: their bank has its own records. The state contains faces that were not shown (cards burned from a shoe that
continues), so it needs the same protection as the raw record.
"""

from msgspec import UNSET, Struct, UnsetType

from dealer_flow.play.reports.saved_state import FlowState
from devices.listed import NotedBadges
from rules.meters.award_record import AwardState
from rules.settlement import Rolled

Counts = tuple[tuple[str, int], ...]
"""Names with a number each, in order of appearance, which results keep."""


class RedactorState(Struct, frozen=True):
    """Hidden cards of a shoe that continues: burns still due, and cards that left unseen."""

    burns_due: int
    aside: tuple[tuple[int | None, str], ...]


class PoolState(Struct, frozen=True):
    """Runners for the table's pool by seat, and the round started last. The pool is one of the table's meters."""

    runners: tuple[tuple[int, int], ...]
    round: int


class TableState(Struct, frozen=True):
    """State of a table between two rounds. `meters` are its own, in cents; `redactor` is present for a publishing
    table."""

    flow: FlowState
    outcomes: Counts
    incidents: Counts
    meters: Counts
    awards: AwardState | None
    redactor: RedactorState | None = None
    pool: PoolState | None = None
    rolled: tuple[tuple[str, Rolled], ...] = ()
    """State of pots that roll over, in addition to their cents."""
    allowed: tuple[str, ...] = ()
    """Unsigned readings that a supervisor allowed at this table."""
    badges: NotedBadges | UnsetType = UNSET
    """Badges that count at this table; absent if any does."""


class LoggedLine(Struct, frozen=True):
    """A line of a view's log."""

    sequence: int
    at_ns: int
    code: str
    text: str
    clause: str | None
    place: str | None
    round: int | None = None


class ShownDevice(Struct, frozen=True):
    """A device as a view shows it."""

    name: str
    kind: str
    address: str
    link: str
    state: str
    problem: str | None
    since_ns: int | None = None
    firmware: str = ""


class ViewerState(Struct, frozen=True):
    """State of a table's view between two rounds."""

    redactor: RedactorState
    devices: tuple[ShownDevice, ...]
    log: tuple[LoggedLine, ...]
    written: int
    lamp: int
    deck: int
    round: int
    shuffler: str
    meters: Counts
    safe_stop: str | None
    lamp_known: bool = False
    """True if the shuffler has reported the state of its lamp."""
    lamp_ns: int | None = None
    reported_ns: int | None = None
    last_cause: tuple[str, str | None, int] | None = None
    """Reason why the last round was unreliable: text, clause, time."""
    money: str = ""
    """Settlement and outcomes as JSON of `dealwire.table.money`; empty before the first."""


class PublisherState(Struct, frozen=True):
    """A table of a service and its view, between two rounds."""

    table: TableState
    viewer: ViewerState
