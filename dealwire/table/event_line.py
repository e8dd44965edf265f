"""A device's report as one line of JSON, `dealwire.event/1`."""

import json
from enum import Enum
from typing import Any

from msgspec.structs import asdict

from devices.events import Seen
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
    """The fields of a report's body."""
    return {name: plain(value) for name, value in asdict(seen.body).items()}


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
