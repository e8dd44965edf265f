"""What a table keeps from one round to the next, as it stands on disk.

Taken between two rounds, and put back into a table made of the same settings, it goes on byte for byte. Meters that
tables share are not in it: their bank's records are theirs. It holds faces that nobody has shown, as the raw record
does (cards burned from a shoe that goes on), so it must lie where that lies.
"""

from msgspec import Struct

from dealer_flow.play.reports.saved_state import FlowState
from rules.meters.award_record import AwardState
from rules.settlement import Rolled

Counts = tuple[tuple[str, int], ...]
"""Names with a number each, in the order in which they came: results list them in it."""


class RedactorState(Struct, frozen=True):
    """What lies hidden in a shoe that goes on: cards that are still burned, and those that left it unseen."""

    burns_due: int
    aside: tuple[tuple[int | None, str], ...]


class PoolState(Struct, frozen=True):
    """Who has runners that win the table's pool, and the round that was started last. The pool is one of its meters."""

    runners: tuple[tuple[int, int], ...]
    round: int


class TableState(Struct, frozen=True):
    """A table between two rounds. `meters` are its own, in cents; `redactor` is that of a table that publishes."""

    flow: FlowState
    outcomes: Counts
    incidents: Counts
    meters: Counts
    awards: AwardState | None
    redactor: RedactorState | None = None
    pool: PoolState | None = None
    rolled: tuple[tuple[str, Rolled], ...] = ()
    """How the pots that roll over stand beside their cents."""
    allowed: tuple[str, ...] = ()
    """Readings that nobody has signed and a person let pass at this table."""


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


class ViewerState(Struct, frozen=True):
    """What a person sees of a table between two rounds."""

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
    """The shuffler has said how its lamp is."""
    lamp_ns: int | None = None
    reported_ns: int | None = None
    last_cause: tuple[str, str | None, int] | None = None
    """Why the last round could not be relied on: words, clause, when."""
    money: str = ""
    """Settlement, outcomes and what is held, as JSON of `dealwire.table.money`; empty when there was none yet."""


class PublisherState(Struct, frozen=True):
    """A table of a service between two rounds, and what is seen of it."""

    table: TableState
    viewer: ViewerState
