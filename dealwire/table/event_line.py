"""A device's report as one line of JSON, `dealwire.event/1`."""

import json
from enum import Enum
from typing import Any

from msgspec.structs import asdict

from devices.events import Body, Seen
from protocol.cards import Card
from protocol.places import Place


def plain(value: Any) -> Any:
    """A body's field as JSON takes it: cards and places as text."""
    if isinstance(value, Card | Place):
        return value.text
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def fields(seen: Seen) -> dict[str, Any]:
    """The fields of a report's body, without those in which the device had nothing to say."""
    silent = optional(type(seen.body)).items()
    return {name: plain(value) for name, value in asdict(seen.body).items() if (name, value) not in silent}


def optional(kind: type[Body]) -> dict[str, Any]:
    """The fields that a line may lack, each with what its absence means."""
    names, defaults = kind.__struct_fields__, kind.__struct_defaults__
    return dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))


def event_line(seen: Seen) -> str:
    """The report as JSON: where, when, and the fields of its body."""
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
