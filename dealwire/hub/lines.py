"""Every line of JSON that leaves dealwire, by type. A device's report becomes one in `dealwire.table.event_line`.

`dealwire.export.schemas` has their schemas; `docs/events.md` explains them.
"""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple

from dealer_flow.record.base import LineRecord


class LineType(NamedTuple):
    """One type of line: the `type` in it, the version of its schema, and what such a line says."""

    name: str
    version: int
    what: str

    @property
    def schema(self) -> str:
        """What the line's `schema` says."""
        return f"dealwire.{self.name}/{self.version}"

    @property
    def file(self) -> str:
        """The schema's file in `docs/schema/`."""
        return f"{self.name}-{self.version}.json"


LINE_TYPES: Final = {
    line.name: line
    for line in (
        LineType("event", 1, "one report of a device, as it arrived; a face nobody has shown is `??`"),
        LineType("incident", 2, "something that went wrong or off procedure, when it was found"),
        LineType("round", 2, "a round that ended: what was dealt, bet, decided and shown"),
        LineType("settlement", 1, "the money of that round, bet by bet, each with its clause"),
        LineType("meter", 1, "one step of a progressive meter"),
        LineType("award", 1, "one step of the award procedure at the table controller"),
        LineType("status", 1, "a table or one of its lines started, stopped, was lost or came back"),
        LineType("gap", 1, "on standard output only: the reader was too slow and lines were left out here"),
    )
}
"""By type."""


Topic = Literal["event", "incident", "round", "settlement", "meter", "award", "status"]
StatusKind = Literal["started", "stopped", "safe-stop", "line-up", "line-lost", "action"]


class GapLine(LineRecord, frozen=True, kw_only=True):
    """Lines were left out here, because the reader was too slow. The journal has them, under the numbers between."""

    SCHEMA: ClassVar[str] = "dealwire.gap/1"
    TYPE: ClassVar[str] = "gap"

    after: int
    """The number of the last line before the gap; 0 when there was none."""
    before: int
    """The number of the first line after it."""


class StatusLine(LineRecord, frozen=True, kw_only=True):
    """What became of a table or of one of its lines: no part of a round, but somebody has to know."""

    SCHEMA: ClassVar[str] = "dealwire.status/1"
    TYPE: ClassVar[str] = "status"

    table: str
    kind: StatusKind
    """`safe-stop`: the table deals no more until a person has looked; `action`: a person asked for something."""
    device: str | None = None
    """The line's name at the table; null when it is about the table."""
    text: str
    """One sentence for a person."""


@dataclass(frozen=True, slots=True)
class Publication:
    """One line of NDJSON on its way out. It holds no face of a card before its reveal.

    `sequence` is its number in the journal: it rises, with gaps, and names the line for ever, so a reader that meets
    it twice knows. `table` is the table's name; `line` one JSON object with `schema` and `type`, without a newline.
    """

    sequence: int
    table: str
    at_ns: int
    topic: Topic
    line: str
