"""How a table stands at this moment, for who comes to the broker later: one retained message beside the lines."""

from typing import ClassVar, Literal

from dealer_flow.record.base import LineRecord, Record
from dealwire.hub.view import TableView


class TroubleFact(Record, frozen=True):
    """Something that is wrong: its kind, the worst first, the clause where one says it, the role that can do something,
    since when, and which device or round it is about."""

    kind: str
    clause: str | None
    who: str | None
    since_ns: int | None
    place: str | None


class StandingLine(LineRecord, frozen=True, kw_only=True):
    """How a table stands. It is true while the table's `status` is `online`, and no line of the journal: what it says
    follows from lines that came before it. It names no card and quotes nobody."""

    SCHEMA: ClassVar[str] = "dealwire.standing/1"
    TYPE: ClassVar[str] = "standing"

    table: str
    known: bool
    """Every device is heard and what it reports is taken; otherwise nobody knows where the round stands."""
    unknown_since_ns: int | None
    """Since when that is not known; null while it is."""
    state: str | None
    """Where the round stands, in the flow's words; null while that is not known."""
    round: int
    """The last round that is known of, under way or over."""
    lamp: Literal["none", "unknown", "dark", "lit"]
    """The red lamp; `none` where no device has one."""
    fault: int
    """The fault that lit it; 0 when it is not lit, or for what is not known."""
    safe_stop: bool
    held_cents: int
    """Stakes that are held and that nobody has said to be settled by hand."""
    devices: dict[str, Literal["waiting", "unknown", "up", "closed"]]
    """How each device's line stands, by its name at the table."""
    trouble: tuple[TroubleFact, ...]
    """What is wrong, the worst first."""


def standing_of(view: TableView) -> StandingLine:
    """How the table stands that gave this view."""
    unknown = view.unknown
    return StandingLine(
        table=view.table,
        known=unknown is None,
        unknown_since_ns=unknown.since_ns if unknown is not None else None,
        state=view.state if unknown is None else None,
        round=view.round,
        lamp=view.lamp,
        fault=view.red_lamp,
        safe_stop=view.safe_stop is not None,
        held_cents=sum(view.held_cents.values()),
        devices={device.name: device.link for device in view.devices},
        trouble=tuple(TroubleFact(t.kind, t.clause, t.who, t.since_ns, t.place) for t in view.trouble),
    )
