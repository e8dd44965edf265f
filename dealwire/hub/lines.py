"""Every line of JSON that leaves dealwire, by type. A device's report becomes one in `dealwire.table.event_line`.

`docs/schema/` has their schemas; `docs/events.md` explains them.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from dealer_flow.record.base import LineRecord, Record, written

Topic = Literal["event", "incident", "round", "settlement", "meter", "award", "status"]
StatusKind = Literal[
    "started", "stopped", "safe-stop", "line-up", "line-lost", "action", "access", "warning", "clock-step"
]


class GapLine(LineRecord, frozen=True, kw_only=True):
    """Lines were left out here, because the reader was too slow. The journal has them, under the numbers between."""

    SCHEMA: ClassVar[str] = "dealwire.gap/1"
    TYPE: ClassVar[str] = "gap"

    after: int
    """The number of the last line before the gap; 0 when there was none."""
    before: int
    """The number of the first line after it."""


class HeadLine(LineRecord, frozen=True, kw_only=True):
    """Up to where the journal had come when this was written: no record of it, but what it can be held to later."""

    SCHEMA: ClassVar[str] = "dealwire.head/1"
    TYPE: ClassVar[str] = "head"

    epoch: str
    """The opening of the journal that wrote the line before, hex."""
    sequence: int
    """The number of the line before."""
    hash: str
    """SHA-256 of its record's place in the journal's chain, hex."""


class ClockSet(Record, frozen=True):
    """The host's clock was set by so many nanoseconds, back when negative. Then it said `wall_ns`, and the record's
    time was `carried_ns`; `followed`: from then on the record's time is the clock's."""

    by_ns: int
    wall_ns: int
    carried_ns: int
    followed: bool


class StatusLine(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a table or of one of its lines: no part of a round, but somebody has to know."""

    SCHEMA: ClassVar[str] = "dealwire.status/1"
    TYPE: ClassVar[str] = "status"

    table: str
    kind: StatusKind
    """`safe-stop`: the table deals no more until a person has looked; `action`: a person asked for something;
    `access`: somebody signed in or out at the console, tried to, or was refused something; `warning`: a person should
    look into it before it stops a table; `clock-step`: the host's clock was set."""
    device: str | None = written(None)
    """The line's name at the table; null when it is about the table."""
    text: str
    """One sentence for a person."""
    clock: ClockSet | None = None
    """Of a clock that was set while tables are served, both times. Absent from every other line."""
    round: int | None = None
    """The round of which a person said that its held money was settled by hand. Absent from every other line."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One line of NDJSON on its way out. It holds no face of a card before its reveal.

    `sequence` is its number in the journal: it rises, with gaps, and names the line for ever, so a reader that meets
    it twice knows. `table` is the table's name; `line` one JSON object with `schema` and `type`, without a newline.
    `epoch` names the opening of the journal that wrote it, `hash` is its record's place in the chain, both in hex: two
    lines of one number that differ in either do not come from one history. Empty for what is not in a journal.
    """

    sequence: int
    table: str
    at_ns: int
    topic: Topic
    line: str
    epoch: str = ""
    hash: str = ""
