"""Current standing of a table, as a retained message for readers that connect later."""

from typing import ClassVar, Literal

from dealer_flow.record.base import LineRecord, Record
from dealwire.hub.view import TableView


class TroubleFact(Record, frozen=True):
    """Problem: kind, clause if there is one, role that can act, start, and the device or round."""

    kind: str
    clause: str | None
    who: str | None
    since_ns: int | None
    place: str | None


class StandingLine(LineRecord, frozen=True, kw_only=True):
    """Current standing of a table. It is valid while the table's `status` is `online`. It is not a line of the journal:
    it follows from earlier lines. It names no card and quotes no one."""

    SCHEMA: ClassVar[str] = "dealwire.standing/1"
    TYPE: ClassVar[str] = "standing"

    table: str
    known: bool
    """True if every device is connected and its reports are accepted; otherwise the state of the round is unknown."""
    unknown_since_ns: int | None
    """Start of the unknown state; null while the state is known."""
    state: str | None
    """State of the round in the flow; null while it is unknown."""
    round: int
    """Number of the last known round, current or finished."""
    lamp: Literal["none", "unknown", "dark", "lit"]
    """State of the red lamp; `none` if no device has one."""
    fault: int
    """Fault that lit the lamp; 0 if it is not lit or the fault is unknown."""
    safe_stop: bool
    held_cents: int
    """Held stakes that are not yet released, in cents."""
    devices: dict[str, Literal["waiting", "unknown", "up", "closed"]]
    """State of each device's line, by its name at the table."""
    trouble: tuple[TroubleFact, ...]
    """Problems, the worst first."""


def standing_of(view: TableView) -> StandingLine:
    """Return the standing of the table in this view."""
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
