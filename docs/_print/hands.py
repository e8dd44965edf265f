"""Lines between the bench and a hands program: the table of actions, and the JSON Schema."""

import json
from collections.abc import Iterator
from typing import Any, Final

from dealer_flow.record.base import DIALECT
from dealwire.bench.hands.actions import HELLO, HandAction, hand_actions, plain
from dealwire.bench.hands.command import LINE_MAX, PATIENCE_MAX_MS
from dealwire.bench.hands.program import SCHEMA
from dealwire.hub.actions import ActionField
from docs._print import printed, table

_PAGE: Final = "bench-operator.md"
_KINDS: Final = {
    "run": "the run itself; no act",
    "power": "the plug",
    "cable": "the cable",
    "act": "an act at the device",
    "fault": "made to go wrong at what comes next",
}


def pages() -> dict[str, str]:
    """Return every page and schema by its path under `docs`."""
    return {_PAGE: printed(_PAGE, _actions()), "schema/hands-1.json": json.dumps(schema(), indent=2) + "\n"}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a line in either direction."""
    return {
        "$schema": DIALECT,
        "title": "A line between the bench and a hands program",
        "oneOf": [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Answer"}],
        "$defs": {"Request": _request(), "Answer": _answer()},
    }


def _request() -> dict[str, Any]:
    keys = {
        "schema": {"const": SCHEMA},
        "id": {"type": "integer", "minimum": 1, "description": "Counts the lines of a run from 1."},
        "action": {"enum": [*hand_actions()]},
        "with": {"type": "object", "description": "The action's fields, every one of them."},
        "say": {"type": "string", "description": "The sentence for a person."},
        "deadline_ms": {"type": "integer", "minimum": 1, "description": "How long the bench waits for the answer."},
    }
    return {
        "description": "What the bench writes: one thing to be done.",
        **_object(keys),
        "allOf": [_rule(name, action) for name, action in hand_actions().items()],
    }


def _rule(name: str, action: HandAction) -> dict[str, Any]:
    fields = {key: _shape(field) for key, field in action.doing.fields.items()}
    return {
        "if": {"properties": {"action": {"const": name}}},
        "then": {"properties": {"with": {**_object(fields), "description": action.doing.ask}}},
    }


def _answer() -> dict[str, Any]:
    keys: dict[str, Any] = {
        "id": {"type": "integer", "minimum": 1, "description": "Of the line that is answered."},
        "result": {"enum": ["done", "cannot", "failed"]},
        "why": {"type": "string", "description": "The reason, for the report. Needed unless it is done."},
        "name": {"type": "string", "description": f"In the answer to {HELLO}: what the report calls these hands."},
        "can": {
            "type": "array",
            "items": {"enum": [*hand_actions()]},
            "description": f"In the answer to {HELLO}: what they can do. Without it they may be asked for anything.",
        },
        "patience_ms": {
            "type": "integer",
            "minimum": 0,
            "maximum": PATIENCE_MAX_MS,
            "description": f"In the answer to {HELLO}: how long after `done` the device may begin to notice.",
        },
    }
    undone = {"properties": {"result": {"enum": ["cannot", "failed"]}}}
    return {
        "description": "What the program answers. Keys beyond these are passed over.",
        "type": "object",
        "properties": keys,
        "required": ["id", "result"],
        "if": undone,
        "then": {"required": ["why"], "properties": {"why": {"minLength": 1}}},
    }


def _object(keys: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": keys, "required": [*keys], "additionalProperties": False}


def _shape(field: ActionField) -> dict[str, Any]:
    match field.kind:
        case "number":
            return {"type": "integer", "minimum": field.least, "maximum": field.most}
        case "choice":
            return {"enum": [plain(field, choice) for choice in field.choices]}
        case "place":
            return {"type": "string", "title": "place"}
        case _:
            return {"type": "string"}


def _actions() -> Iterator[str]:
    yield f"A line is at most {LINE_MAX} bytes. The schema of both directions is [hands-1.json](schema/hands-1.json)."
    for kind, words in _KINDS.items():
        yield from ("", f"## {words[0].upper()}{words[1:]}", "")
        found = [action.doing for action in hand_actions().values() if action.kind == kind]
        rows = ((f"`{it.name}`", it.device, _fields(it.fields.values()), it.ask) for it in found)
        yield from table(("action", "device", "`with`", "for a person"), rows)


def _fields(fields: Any) -> str:
    return "; ".join(f"`{field.name}` {_span(field)}" for field in fields) or "-"


def _span(field: ActionField) -> str:
    match field.kind:
        case "number":
            return f"{field.least} to {field.most}"
        case "choice":
            return ", ".join(field.choices)
        case kind:
            return str(kind)
