"""Extensions of the protocol in words: their names and their fields."""

from __future__ import annotations

from msgspec.structs import asdict

from protocol.tdp.attestation import Certificate, Statement
from protocol.tdp.messages import HelloReplyMessage, MeasuredMessage
from protocol.tdp.outputs import SESSION_EXTENSION


def describe_extension(message: object, type_: int, value: bytes) -> dict[str, object]:
    """Return an extension of a message as JSON-ready values: type and value; for one that the protocol has also its
    name and its fields."""
    shown: dict[str, object] = {"type": type_, "value": value.hex()}
    found: Certificate | Statement | None = None
    if type_ == SESSION_EXTENSION and len(value) == 4:
        return shown | {"name": "session of an old event", "fields": {"session": int.from_bytes(value, "little")}}
    if isinstance(message, HelloReplyMessage):
        found, name = Certificate.read(((type_, value),)), "certificate of the maker"
    elif isinstance(message, MeasuredMessage):
        found, name = Statement.read(((type_, value),)), "signed measurement"
    if found is None:
        return shown
    fields = {key: part.hex() if isinstance(part, bytes) else part for key, part in asdict(found).items()}
    return shown | {"name": name, "fields": fields}
