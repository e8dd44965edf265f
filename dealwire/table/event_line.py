"""A device's report as one line of JSON, `dealwire.event/1`."""

import json
from enum import Enum
from functools import cache
from typing import Any, Final

from devices.events import Body, Seen
from protocol.cards import Card
from protocol.places import Place

_AS_THEY_ARE: Final = frozenset({int, str, bool, type(None)})


def plain(value: Any) -> Any:
    """Return a field of a body as a JSON value; cards and places become text."""
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, Card | Place):
        return value.text
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def fields(seen: Seen) -> dict[str, Any]:
    """Return the fields of a report's body, without those for which the device had nothing to report."""
    body = seen.body
    found = {name: getattr(body, name) for name in body.__struct_fields__}
    for name, silent in _optional_in(type(body)).items():
        if found[name] == silent:
            del found[name]
    return {name: value if type(value) in _AS_THEY_ARE else plain(value) for name, value in found.items()}


def optional(kind: type[Body]) -> dict[str, Any]:
    """Return the fields that may be absent from a line, each with the value that absence means."""
    names, defaults = kind.__struct_fields__, kind.__struct_defaults__
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


_optional_in: Final = cache(optional)


def event_line(seen: Seen) -> str:
    """Return the report as JSON: device, session, time, and the fields of its body."""
    head = {
        "schema": "dealwire.event/1",
        "type": "event",
        "device": seen.device,
        "session": f"{seen.session:08x}",
        "number": seen.number,
        "at_ns": seen.at_ns,
        "event": type(seen.body).__name__,
    }
    return json.dumps({**head, "fields": fields(seen)})
