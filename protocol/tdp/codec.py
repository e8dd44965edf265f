"""Conversion between a frame's body and a typed message, and to plain JSON values for a reader."""

import struct
from collections.abc import Mapping
from enum import IntEnum, IntFlag
from typing import Any, Final

from protocol.cards import spell_cards
from protocol.errors import BadPayload, CannotEncode
from protocol.faults import Fault, fault_text
from protocol.message import message_name
from protocol.places import PLACES as PLACE_CODES
from protocol.tdp.derive import (
    HEAD,
    HEADER_CODES,
    HEADER_SIZE,
    NO_FAST_DECODER,
    Extensions,
    FastDecoder,
    Field,
    Layout,
    LayoutMismatch,
    Shape,
    unpack_header,
    write_extensions,
)
from protocol.tdp.derive import Envelope as Envelope
from protocol.tdp.framing import CHECK_BYTES
from protocol.tdp.messages import FrameFlag, Kind, Message
from protocol.tdp.packets import ANSWERS, CARDS, MAX_FRAME, PACKETS, PLACES, VERSION


class Unknown(Message, frozen=True):
    """A message for which this version has no layout. `payload` is the complete payload, extensions included."""

    kind: int
    message_id: int
    payload: bytes


_HEADER: Final = struct.Struct("<" + HEADER_CODES)
_MAX_PAYLOAD: Final = MAX_FRAME - CHECK_BYTES - HEADER_SIZE

_LAYOUTS: Final = {kind << 16 | number: Layout(cls, packet) for (kind, number), (cls, packet) in PACKETS.items()}
_ANSWERS: Final = {int(kind): Layout(cls, packet) for kind, (cls, packet) in ANSWERS.items()}
_OF_ANY_VERSION: Final = frozenset({Kind.LINK << 16 | 0x0001, Kind.LINK << 16 | 0x0002})
_BY_CLASS: Final = {
    **{layout.cls: (key >> 16, key & 0xFFFF, layout) for key, layout in _LAYOUTS.items()},
    **{layout.cls: (kind, None, layout) for kind, layout in _ANSWERS.items()},
}


FAST_DECODERS: Final[Mapping[int, FastDecoder]] = {
    key & 0xFFFF: fast for key, layout in _LAYOUTS.items() if (fast := layout.fast_decoder(key >> 16)) is not None
}
"""Fast decoders by message id, which identifies one message in all kinds. `decode` uses them; a link uses them
directly for the messages that arrive all the time."""
_FAST_ANSWER_DECODERS: Final = {
    fast[0]: fast for kind, layout in _ANSWERS.items() if (fast := layout.fast_decoder(kind)) is not None
}


def decode(body: bytes) -> Envelope:
    """Return the message in a frame's body.

    A kind, id or version without a layout yields `Unknown`, never an error. Raise BadPayload if the payload does not
    fit the layout of its message.
    """
    head = body[HEAD]
    try:
        usual, values, cls = FAST_DECODERS[body[6] | body[7] << 8]  # by the message id in the header
        if head == usual:
            return Envelope(cls(*values(body)), (), body)
    except NO_FAST_DECODER:
        pass
    try:
        _, values, cls = _FAST_ANSWER_DECODERS[head]
        return Envelope(cls(*values(body)), (), body)
    except NO_FAST_DECODER:
        return _decode(body)


def _decode(body: bytes) -> Envelope:
    """Decode any body, as `decode` does without its fast path."""
    try:
        version, flags, kind, _, _, message_id = unpack_header(body)
    except struct.error:
        raise BadPayload(0, 0, body, f"{len(body)} bytes are too short for a header of {HEADER_SIZE}") from None
    key = kind << 16 | message_id
    layout = _LAYOUTS.get(key) or _ANSWERS.get(kind)
    if layout is None or flags & FrameFlag.SEALED or (version != VERSION and key not in _OF_ANY_VERSION):
        return Envelope(Unknown(kind, message_id, body[HEADER_SIZE:]), (), body)
    try:
        return layout.read(body)
    except LayoutMismatch as error:
        raise BadPayload(kind, message_id, body[HEADER_SIZE:], str(error)) from None


def read(body: bytes) -> Envelope:
    """Decode as `decode` does, but return `Unknown` for a payload that does not fit its layout."""
    try:
        return decode(body)
    except BadPayload as error:
        return as_unknown(error, body)


def as_unknown(error: BadPayload, body: bytes) -> Envelope:
    """Return the envelope of a frame whose payload does not fit its layout, as a frame of an unknown message."""
    return Envelope(Unknown(error.kind, error.message_id, error.payload), (), body)


def encode(
    message: Message,
    *,
    link_sequence: int = 0,
    request: int = 0,
    flags: int = 0,
    message_id: int | None = None,
    extensions: Extensions = (),
) -> bytes:
    """Return header and payload of `message`, without the check.

    Pass `message_id` for Reply, Progress and Nak: it is the id of the message they answer. `link_sequence` is taken
    modulo
    256. Raise CannotEncode if a value does not fit.
    """
    name = message_name(message)
    try:
        kind, number, payload = _identify(message, message_id)
        payload += write_extensions(extensions)
        header = _HEADER.pack(VERSION, flags, kind, link_sequence & 0xFF, request, number)
    except LayoutMismatch as error:
        raise CannotEncode(name, str(error)) from None
    except struct.error:
        raise CannotEncode(name, f"header: flags {flags}, request {request}, message id {message_id}") from None
    if len(payload) > _MAX_PAYLOAD:
        raise CannotEncode(name, f"its payload is {len(payload)} bytes; a frame holds at most {_MAX_PAYLOAD}")
    return header + payload


def _identify(message: Message, message_id: int | None) -> tuple[int, int, bytes]:
    """Return the kind, message id and payload of `message`."""
    if isinstance(message, Unknown):
        return message.kind, message.message_id, message.payload
    try:
        kind, own_id, layout = _BY_CLASS[type(message)]
    except KeyError:
        raise LayoutMismatch("the protocol has no such message") from None
    number = own_id if message_id is None else message_id
    if number is None:
        raise LayoutMismatch("message_id is missing: the id of the message it answers")
    if own_id is not None and number != own_id:
        raise LayoutMismatch(f"its message id is 0x{own_id:04X}, not 0x{number:04X}")
    return kind, number, layout.write(message)


def describe_sealed(body: bytes) -> dict[str, object]:
    """Return what anyone sees of a sealed frame: its header, the name of its message, and how long it is."""
    version, flags, kind, sequence, request, message_id = unpack_header(body)
    layout = _LAYOUTS.get(kind << 16 | message_id) or _ANSWERS.get(kind)
    return {
        "version": version,
        "flags": flags,
        "kind": _name(Kind, kind),
        "link_sequence": sequence,
        "request": request,
        "message_id": f"0x{message_id:04X}",
        "message": message_name(layout.cls) if layout is not None else "Unknown",
        "sealed": len(body) - HEADER_SIZE,
    }


def describe(envelope: Envelope) -> dict[str, object]:
    """Return a frame as JSON-ready values: header, message name and every field by name.

    Known values of an enumeration appear as their names, unknown ones as numbers. Cards, places and faults appear as
    text, bytes as hex.
    """
    message = envelope.message
    if isinstance(message, Unknown):
        shown: dict[str, object] = {"payload": message.payload.hex()}
    else:
        layout = _BY_CLASS[type(message)][2]
        shown = {field.name: _show(field, getattr(message, field.name)) for field in layout.fields}
    return {
        "version": envelope.version,
        "flags": envelope.flags,
        "kind": _name(Kind, envelope.kind),
        "link_sequence": envelope.link_sequence,
        "request": envelope.request,
        "message_id": f"0x{envelope.message_id:04X}",
        "message": message_name(message),
        "fields": shown,
        "extensions": [{"type": type_, "value": value.hex()} for type_, value in envelope.extensions],
    }


def _show(field: Field, value: Any) -> object:
    if field.shape is Shape.RECORDS:
        return [
            {part.name: _show_one(part, number) for part, number in zip(field.parts, record, strict=True)}
            for record in value
        ]
    if field.shape is Shape.RUN:
        return [_show_one(field, item) for item in value]
    if field.names == CARDS and field.shape is Shape.BLOB:
        return spell_cards(value)
    return value.hex() if isinstance(value, bytes) else _show_one(field, value)


def _show_one(field: Field, value: Any) -> object:
    names = field.names
    if names is None:
        return value
    if isinstance(names, str):
        return PLACE_CODES[value].text if names == PLACES else spell_cards([value])[0]
    return fault_text(value) if names is Fault else _name(names, value)


def _name(names: type[IntEnum] | type[IntFlag], value: int) -> object:
    if issubclass(names, IntFlag):
        known = [flag for flag in names if flag & value]
        rest = value & ~sum(known)
        return [str(flag.name) for flag in known] + ([f"0x{rest:X}"] if rest else [])
    return names(value).name if value in names._value2member_map_ else value
