"""How every TDP message is laid out: `construct` declarations, made of what `messages.py` says of each field. The
specification is printed from them.

These describe; `derive.py` derives the plain `struct` decoders that run, and a test proves the two equal on
every message, on random bytes and on truncated input. Layouts are fixed and little-endian. After the declared
fields a payload may carry extensions, each a type byte, a length byte and that many bytes: a receiver keeps
those it does not know.
"""

from __future__ import annotations

from enum import IntEnum, IntFlag
from typing import Any, Final, get_type_hints

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

from protocol.tdp.messages import DECLARED, Kind, Message
from protocol.tdp.wire import CARDS as CARDS
from protocol.tdp.wire import PLACES as PLACES
from protocol.tdp.wire import Form, Shape

VERSION: Final = 1
"""The header's version byte: the protocol's major number."""
MINOR: Final = 3
"""1 added what a person saw happen to a card, the places of named hands, and packets of different sizes; 2 more of what
a person sees: how a hand was set, what was laid away, the number drawn, propositions, corrections; meters and the
measuring of the firmware; 3 the chips of players who bet against each other: stakes, actions, pots."""
VERSION_TEXT: Final = f"{VERSION}.{MINOR}"
"""The version as pages, plans and reports name it."""

MAX_FRAME: Final = 256
"""Bytes of a decoded frame, header and check included: small enough for a microcontroller's buffer, and
CRC-32 finds every error of up to four bits at this size."""


class Code(Subconstruct):  # type: ignore[type-arg]
    """An integer whose known values `names` lists; any other value is kept as it is."""

    def __init__(self, subcon: Any, names: type[IntEnum] | type[IntFlag] | str) -> None:
        super().__init__(subcon)
        self.names = names


HEADER: Final = Struct(
    "version" / Int8ul * "protocol major number",
    "flags" / Int8ul * "bits 7-4: the receiver must understand; bits 3-0: it may ignore",
    "kind" / Code(Int8ul, Kind) * "what the frame is for",
    "link_sequence" / Int8ul * "counts every frame sent in this direction, modulo 256",
    "request" / Int16ul * "the command this belongs to, 0 for none",
    "message" / Int16ul * "which layout the payload has",
)

EXTENSION: Final = Struct("type" / Int8ul, "value" / Prefixed(Int8ul, GreedyBytes))

_INTEGERS: Final = {1: Int8ul, 2: Int16ul, 4: Int32ul, 8: Int64ul}


def _bare(form: Form) -> Any:
    """One value of a form, without a name; one element, of counted integers."""
    match form.shape:
        case Shape.INTEGER | Shape.RUN:
            return _INTEGERS[form.size]
        case Shape.BYTES:
            return Bytes(form.size)
        case Shape.TEXT:
            return PaddedString(form.size, "ascii")
        case Shape.BLOB:
            return Prefixed(Int8ul, GreedyBytes)
        case Shape.RECORDS:
            return PrefixedArray(Int8ul, Struct(*(_field(*part) for part in form.parts.items())))


def _field(name: str, declared: Any) -> Any:
    """A field as it is declared: its form, what its values mean, a phrase; of the latter two, any."""
    form, *notes = declared.__metadata__
    doc = "".join(one for one in notes if type(one) is str)
    codes = [one for one in notes if type(one) is not str]
    found = Code(_bare(form), codes[0]) if codes else _bare(form)
    found = name / (PrefixedArray(Int8ul, found) if form.shape is Shape.RUN else found)
    return found * doc if doc else found


def _payload(cls: type[Message]) -> Construct[Any, Any]:
    fields = get_type_hints(cls, include_extras=True)
    return Struct(
        *(_field(name, fields[name]) for name in cls.__struct_fields__),
        "extensions" / GreedyRange(EXTENSION),
        Terminated,
    )


Packet = tuple[type[Message], "Construct[Any, Any]"]
"""A message and the layout of its payload."""

ANSWERS: Final[dict[Kind, Packet]] = {
    kind: (cls, _payload(cls)) for cls, (kind, number, _) in DECLARED.items() if number is None
}
"""Kinds whose layout is the same whatever the message id, which there names the command or frame answered."""

PACKETS: Final[dict[tuple[Kind, int], Packet]] = {
    (kind, number): (cls, _payload(cls)) for cls, (kind, number, _) in DECLARED.items() if number is not None
}
