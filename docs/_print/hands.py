"""Print the actions of operator programs and the JSON Schema of their lines."""

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
    "run": "the run itself",
    "power": "the plug",
    "cable": "the cable",
    "act": "a step at the device",
    "fault": "a fault at the next opportunity",
}


def pages() -> dict[str, str]:
    """Return every page and schema by its path under `docs`."""
    return {_PAGE: printed(_PAGE, _actions()), "schema/hands-1.json": json.dumps(schema(), indent=2) + "\n"}


def schema() -> dict[str, Any]:
    """Return the JSON Schema of a line in either direction."""
    return {
        "$schema": DIALECT,
        "title": "Line between the bench and an operator program",
        "oneOf": [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Answer"}],
        "$defs": {"Request": _request(), "Answer": _answer()},
    }


def _request() -> dict[str, Any]:
    keys = {
        "schema": {"const": SCHEMA},
        "id": {"type": "integer", "minimum": 1, "description": "Number of the request, from 1."},
        "action": {"enum": [*hand_actions()]},
        "with": {"type": "object", "description": "All fields of the action."},
        "say": {"type": "string", "description": "Instruction for an operator."},
        "deadline_ms": {"type": "integer", "minimum": 1, "description": "Time limit for the answer."},
    }
    return {
        "description": "Request of the bench: one step.",
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
        "id": {"type": "integer", "minimum": 1, "description": "Number of the answered request."},
        "result": {"enum": ["done", "cannot", "failed"]},
        "why": {"type": "string", "description": "Reason, for the report. Required unless the result is done."},
        "name": {"type": "string", "description": f"In the answer to {HELLO}: name of the program in the report."},
        "can": {
            "type": "array",
            "items": {"enum": [*hand_actions()]},
            "description": f"In the answer to {HELLO}: supported actions. Without it, any action may be requested.",
        },
        "patience_ms": {
            "type": "integer",
            "minimum": 0,
            "maximum": PATIENCE_MAX_MS,
            "description": f"In the answer to {HELLO}: time after `done` within which the device may notice the step.",
        },
    }
    undone = {"properties": {"result": {"enum": ["cannot", "failed"]}}}
    return {
        "description": "Answer of the program. Other keys are ignored.",
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
        yield from table(("action", "device", "`with`", "instruction"), rows)


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
