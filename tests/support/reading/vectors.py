"""The published vectors, as tests use them."""

import json
from pathlib import Path
from typing import Any, get_type_hints

from protocol.message import message_name
from protocol.tdp.messages import Message
from protocol.tdp.packets import ANSWERS, PACKETS

VECTORS: dict[str, Any] = json.loads((Path(__file__).parents[3] / "docs" / "protocol-vectors.json").read_text())
FRAMES: list[dict[str, Any]] = VECTORS["frames"]
STREAMS: list[dict[str, Any]] = VECTORS["streams"]
UNKNOWN: list[dict[str, Any]] = VECTORS["unknown"]
BAD_PAYLOADS: list[dict[str, Any]] = VECTORS["bad_payloads"]

_NAMED = {message_name(cls): cls for cls, _ in [*PACKETS.values(), *ANSWERS.values()]}


def name_of(vector: dict[str, Any]) -> str:
    return str(vector["name"])


def body_of(vector: dict[str, Any]) -> bytes:
    """Return header and payload: the decoded frame without its check."""
    return bytes.fromhex(vector["decoded"])[:-4]


def extensions_of(vector: dict[str, Any]) -> tuple[tuple[int, bytes], ...]:
    return tuple((item["type"], bytes.fromhex(item["value"])) for item in vector["extensions"])


def message_of(vector: dict[str, Any]) -> Message:
    """Return the message that a vector describes, built by the class's own constructor."""
    cls = _NAMED[vector["message"]]
    kinds = get_type_hints(cls)
    message: Message = cls(**{name: _value(kinds[name], value) for name, value in vector["fields"].items()})
    return message


def _value(kind: object, value: Any) -> Any:
    if kind is bytes:
        return bytes.fromhex(value)
    if isinstance(value, list):
        return tuple(tuple(item) if isinstance(item, list) else item for item in value)
    return value
