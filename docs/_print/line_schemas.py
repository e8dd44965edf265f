"""JSON Schema of every type of line, generated from the models that make the lines and published in `docs/schema/`."""

import inspect
from collections.abc import Callable
from functools import partial
from types import NoneType, UnionType
from typing import Any, Final, NamedTuple, get_args, get_origin, get_type_hints

from dealer_flow.record.base import DIALECT, line_schema
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.export.standing import StandingLine
from dealwire.hub.lines import GapLine, HeadLine, StatusLine
from dealwire.table.event_line import optional
from devices import events
from devices.events import Body, Level
from protocol.cards import Card
from protocol.places import Place
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterRecord
from rules.settlement import Settlement


class LineType(NamedTuple):
    """Type of line: its `type`, the version of its schema, and its meaning."""

    name: str
    version: int
    what: str

    @property
    def schema(self) -> str:
        """Return the value of `schema` in such a line."""
        return f"dealwire.{self.name}/{self.version}"

    @property
    def file(self) -> str:
        """Return the name of the schema's file in `docs/schema/`."""
        return f"{self.name}-{self.version}.json"


LINE_TYPES: Final = {
    line.name: line
    for line in (
        LineType("event", 1, "a device's report as it arrived; a face that nobody has shown is `??`"),
        LineType("incident", 2, "a fault or a deviation from the procedure, when it is detected"),
        LineType("round", 2, "a finished round: cards, bets, decisions, shown hands"),
        LineType("settlement", 1, "the money of that round, by bet, with the clause of each"),
        LineType("meter", 1, "a step of a progressive meter"),
        LineType("award", 1, "a step of the award procedure at the table controller"),
        LineType("status", 1, "a table or a line started, stopped, was lost or came back"),
        LineType("gap", 1, "standard output only: lines were skipped here because the reader was too slow"),
        LineType("head", 1, "standard output only: the journal's newest line"),
        LineType("standing", 1, "MQTT only, retained: the table's current state"),
    )
}
"""Types of lines by name."""


def schema_of(line_type: str) -> dict[str, Any]:
    """Return the schema of one type of line; raise KeyError for an unknown type."""
    return _SCHEMAS[line_type]()


def bodies() -> list[type[Body]]:
    """Return every kind of report, in the order in which `devices.events` declares them."""
    found = [kind for kind in vars(events).values() if inspect.isclass(kind) and issubclass(kind, Body)]
    return [kind for kind in found if kind is not Body]


def field_shapes(kind: type[Body]) -> dict[str, dict[str, Any]]:
    """Return the schema of each field of a kind of report; raise KeyError for a type that no report may have."""
    hints = get_type_hints(kind)
    return {name: _shape(hints[name]) for name in kind.__struct_fields__}


def meaning(kind: type[Body]) -> str:
    """Return the meaning of a kind of report in one paragraph."""
    return " ".join((inspect.getdoc(kind) or "").split())


def _event_schema() -> dict[str, Any]:
    kinds = bodies()
    head = {
        "schema": {"const": LINE_TYPES["event"].schema},
        "type": {"const": "event"},
        "device": {"type": "string", "description": "The line's name at the table."},
        "session": {"type": "string", "pattern": "^[0-9a-f]{8}$", "description": "The device's power-up session."},
        "number": {"type": "integer", "minimum": 0, "description": "The event's number in its session; 0 for none."},
        "at_ns": {"type": "integer", "description": "When it arrived, nanoseconds since 1970."},
        "event": {"enum": [kind.__name__ for kind in kinds]},
        "fields": {"type": "object"},
    }
    return {
        "$schema": DIALECT,
        "title": "Event",
        "description": "Report of a device: its kind is in `event`, its values in `fields`.",
        "type": "object",
        "properties": head,
        "required": list(head),
        "additionalProperties": False,
        "allOf": [_rule(kind) for kind in kinds],
    }


def _rule(kind: type[Body]) -> dict[str, Any]:
    """Return the rule that ties `event` of this kind to the schema of its `fields`."""
    shapes = field_shapes(kind)
    fields = {
        "description": meaning(kind),
        "properties": shapes,
        "required": [name for name in shapes if name not in optional(kind)],
        "additionalProperties": False,
    }
    return {"if": {"properties": {"event": {"const": kind.__name__}}}, "then": {"properties": {"fields": fields}}}


_PLAIN: Final[dict[Any, dict[str, Any]]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    NoneType: {"type": "null"},
    Card: {"type": "string", "title": "card"},
    Place: {"type": "string", "title": "place"},
    Level: {"enum": [level.value for level in Level]},
}


def _shape(hint: Any) -> dict[str, Any]:
    if get_origin(hint) is tuple:
        inner = get_args(hint)
        if inner[-1] is Ellipsis:
            return {"type": "array", "items": _shape(inner[0])}
        return {"type": "array", "prefixItems": [_shape(one) for one in inner], "minItems": len(inner), "items": False}
    if get_origin(hint) is UnionType:
        return {"anyOf": [_shape(one) for one in get_args(hint)]}
    return _PLAIN[hint]


_SCHEMAS: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    "event": _event_schema,
    **{
        kind.TYPE: partial(line_schema, kind)
        for kind in (
            Incident,
            RoundResult,
            Settlement,
            MeterRecord,
            AwardRecord,
            StatusLine,
            GapLine,
            HeadLine,
            StandingLine,
        )
    },
}
