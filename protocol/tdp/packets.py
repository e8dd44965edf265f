"""Layouts of all TDP messages as `construct` declarations, built from the field declarations in `messages.py`. The
specification is generated from them.

They only describe; `derive.py` derives the plain `struct` decoders that run, and a test proves the two equal on every
message, on random bytes and on truncated input. Layouts are fixed and little-endian. After the declared fields a
payload may have extensions, each a type byte, a length byte and that many bytes. A receiver keeps the ones that it does
not know.
"""

from __future__ import annotations

from typing import Any, Final, get_type_hints

import msgspec
from construct import (
    Bytes,
    Construct,
    GreedyBytes,
    GreedyRange,
    Int8ul,
    Int16ul,
    Int32ul,
    Int64ul,
    PaddedString,
    Prefixed,
    PrefixedArray,
    Struct,
    Subconstruct,
    Terminated,
)

from protocol.tdp.messages import DECLARED, FrameHeader, Kind, Message
from protocol.tdp.wire import CARDS as CARDS
from protocol.tdp.wire import PLACES as PLACES
from protocol.tdp.wire import Field, Shape, field_of

VERSION: Final = 1
"""Version byte of the header: the protocol's major number."""
MINOR: Final = 4
"""Minor version. 1 added mishandled cards, the places of named hands, and packets of different sizes. 2 added set
hands, discards, drawn numbers, propositions and corrections, meters, and the measurement of the firmware. 3 added the
chips of players who bet against each other: stakes, actions, pots. 4 added the sealed line."""
VERSION_TEXT: Final = f"{VERSION}.{MINOR}"
"""Version as pages, plans and reports write it."""

MAX_FRAME: Final = 256
"""Maximum length in bytes of a decoded frame, header and check included. It fits a microcontroller's buffer, and CRC-32
detects every error of up to four bits at this size."""


class DeclaredField(Subconstruct):  # type: ignore[type-arg]
    """Field of a layout, with its declaration."""

    def __init__(self, subcon: Any, field: Field) -> None:
        super().__init__(subcon)
        self.field = field


EXTENSION: Final = Struct("type" / Int8ul, "value" / Prefixed(Int8ul, GreedyBytes))

_INTEGERS: Final = {1: Int8ul, 2: Int16ul, 4: Int32ul, 8: Int64ul}


def _layout(field: Field) -> Any:
    match field.shape:
        case Shape.INTEGER:
            found: Any = _INTEGERS[field.size]
        case Shape.BYTES:
            found = Bytes(field.size)
        case Shape.TEXT:
            found = PaddedString(field.size, "ascii")
        case Shape.BLOB:
            found = Prefixed(Int8ul, GreedyBytes)
        case Shape.RUN:
            found = PrefixedArray(Int8ul, _INTEGERS[field.size])
        case Shape.RECORDS:
            found = PrefixedArray(Int8ul, Struct(*map(_layout, field.parts)))
    return field.name / DeclaredField(found, field)


def _fields(declared: type[msgspec.Struct]) -> list[Any]:
    hints = get_type_hints(declared, include_extras=True)
    return [_layout(field_of(name, hints[name])) for name in declared.__struct_fields__]


HEADER: Final = Struct(*_fields(FrameHeader))


def _payload(cls: type[Message]) -> Construct[Any, Any]:
    return Struct(*_fields(cls), "extensions" / GreedyRange(EXTENSION), Terminated)


Packet = tuple[type[Message], "Construct[Any, Any]"]
"""A message and the layout of its payload."""

ANSWERS: Final[dict[Kind, Packet]] = {
    kind: (cls, _payload(cls)) for cls, (kind, number, _) in DECLARED.items() if number is None
}
"""Kinds with one layout for all message ids, which name the command or frame that is answered."""

PACKETS: Final[dict[tuple[Kind, int], Packet]] = {
    (kind, number): (cls, _payload(cls)) for cls, (kind, number, _) in DECLARED.items() if number is not None
}
