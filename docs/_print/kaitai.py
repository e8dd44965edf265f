"""Description of a decoded frame of the Table Device Protocol for Kaitai Struct, which generates parsers:
`docs/tdp.ksy`.

The descriptions of the other dialects are written by hand, except for the numbers that the program declares.
"""

import json
import re
from collections.abc import Iterable, Mapping
from enum import IntEnum
from functools import cache
from keyword import iskeyword
from typing import Any, Final

from docs._print import DOCS
from docs._print.protocol_data import AnswerSpec, CodeSpec, Definition, FieldSpec, MessageSpec, definition
from protocol import cards
from protocol.angel_eye import messages as am
from protocol.angel_eye.codec import SUITS
from protocol.angel_eye.framing import NakReason, Start

FILE: Final = "tdp.ksy"
ANGEL_EYE: Final = "dialects/angel-eye.ksy"
MARK: Final = "# printed by make docs from here on\n"
_ABOUT: Final = """\
One frame of the Table Device Protocol as it is behind COBS: header, payload, check. Outside of this description
are how a stream is cut into frames (COBS bytes up to a zero byte), the COBS decoding, and the check: `check` is
read, and whoever reads has to hold it against the CRC-32 of all the bytes before it.
A frame of another version, with one of the flags that a receiver must understand, or of a kind and message that
are not known has its payload as bytes. protocol-reference.md and protocol.json explain the values."""
_PLAIN: Final = re.compile(r"[a-z][a-z0-9_]*")
_NOT_PLAIN: Final = {"on", "off", "yes", "no", "y", "n", "true", "false", "null"}
_NAMES: Final = ("ace", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king")
_RANKS: Final = dict(zip("A23456789TJQK", _NAMES, strict=True))
_SUITS: Final = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def member(name: str) -> str:
    """Return a value's name in Kaitai's spelling; Python keywords get a suffix, since its compiler copies them as they
    are."""
    return name.lower() + "_" * iskeyword(name.lower())


def snake(name: str) -> str:
    """Return a name in Kaitai's spelling: `HelloReply` and `hello reply` become `hello_reply`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|\W+", "_", name).lower()


def description(data: Definition) -> dict[str, Any]:
    """Return the description as a tree."""
    layouts: list[MessageSpec | AnswerSpec] = [*data.messages, *data.answers]
    return {
        "meta": {
            "id": "tdp",
            "title": f"{data.title}, version {data.version.major}.{data.version.minor}",
            "license": "Apache-2.0",
            "ks-version": "0.11",
            "endian": "le",
            "encoding": "ASCII",
        },
        "doc": _ABOUT,
        "doc-ref": "protocol.md",
        "seq": [*_header(data), _payload(data), {"id": "check", "type": "u4", "doc": "not verified here"}],
        "instances": {"layout": _layout(data)},
        "types": {snake(each.name): _type(each) for each in layouts} | _common(),
        "enums": _enums(data),
    }


def _header(data: Definition) -> list[dict[str, Any]]:
    fields = [_field(field) for field in data.header]
    fields[-1]["enum"] = "message"
    return fields


def _layout(data: Definition) -> dict[str, Any]:
    answers = " or ".join(f"kind.to_i == {each.kind_value}" for each in data.answers)
    chosen = f"kind.to_i * 0x10000 + (({answers}) ? 0 : message.to_i)"
    return {
        "value": f"(version == {data.version.major} and (flags & 0xf0) == 0) ? {chosen} : -1",
        "doc": "kind and message as one number, -1 where no layout may be assumed",
    }


def _payload(data: Definition) -> dict[str, Any]:
    cases = {Hex(each.kind_value << 16 | each.id): snake(each.name) for each in data.messages}
    cases |= {Hex(each.kind_value << 16): snake(each.name) for each in data.answers}
    size = f"_io.size - {data.limits['header'] + data.limits['check']}"
    return {"id": "payload", "size": size, "type": {"switch-on": "layout", "cases": cases}}


def _type(layout: MessageSpec | AnswerSpec) -> dict[str, Any]:
    made: dict[str, Any] = {"doc": layout.about, "seq": [part for field in layout.fields for part in _parts(field)]}
    made["seq"].append({"id": "extensions", "type": "extension", "repeat": "eos"})
    records = {_record(field): {"seq": [_field(part) for part in field.of]}
               for field in layout.fields if isinstance(field.of, tuple)}  # fmt: skip
    return made | ({"types": records} if records else {})


def _record(field: FieldSpec) -> str:
    return f"{field.name}_record"


def _parts(field: FieldSpec) -> list[dict[str, Any]]:
    if field.type != "list":
        return [_field(field)]
    count = f"number_of_{field.name}"
    element = {"type": _record(field)} if isinstance(field.of, tuple) else _number(str(field.of), field)
    repeated = {"id": field.name, **element, "repeat": "expr", "repeat-expr": count}
    return [{"id": count, "type": "u1"}, repeated | _doc(field)]


def _field(field: FieldSpec) -> dict[str, Any]:
    if field.type == "text":
        return {"id": field.name, "type": "text", "size": field.size, **_doc(field)}
    if field.type == "bytes":
        return {"id": field.name, "size": field.size, **_doc(field)}
    return {"id": field.name, **_number(field.type, field), **_doc(field)}


def _number(type_: str, field: FieldSpec) -> dict[str, Any]:
    names = field.values
    if field.values_by_class and len(set(field.values_by_class.values())) == 1:
        names = next(iter(field.values_by_class.values()))
    width = {"type": f"u{int(type_[1:]) // 8}"}
    return width | ({"enum": snake(names)} if names and names not in _flags() else {})


def _doc(field: FieldSpec) -> dict[str, str]:
    told = [field.about] if field.about else []
    if field.values in _flags():
        told.append(f"a sum of {snake(str(field.values))}")
    if field.values_by_class and len(set(field.values_by_class.values())) > 1:
        told.append("one of " + ", ".join(snake(name) for name in field.values_by_class.values()))
    return {"doc": "; ".join(told)} if told else {}


def _flags() -> set[str]:
    return {each.name for each in definition_once().enumerations if each.flags}


@cache
def definition_once() -> Definition:
    """Return the definition, made once because a printer looks it up field by field."""
    return definition()


def _common() -> dict[str, Any]:
    return {
        "text": {
            "doc": "ASCII, filled up with zero bytes",
            "seq": [{"id": "octets", "type": "u1", "repeat": "eos", "valid": {"max": Hex(0x7F)}}],
            "instances": {"value": {"pos": 0, "size-eos": True, "type": "str", "pad-right": 0}},
        },
        "extension": {
            "doc": "What a later version or a maker adds behind a payload; one that is not known is passed over.",
            "seq": [
                {"id": "type", "type": "u1", "enum": "extension_type"},
                {"id": "size", "type": "u1"},
                {"id": "value", "size": "size"},
            ],
        },
    }


def _enums(data: Definition) -> dict[str, Any]:
    found = {snake(each.name): {value.value: member(value.name) for value in each.values}
             for each in data.enumerations}  # fmt: skip
    found["card"] = {each.code: _card(each) for each in data.cards}
    found["place"] = {each.code: snake(each.text) for each in data.places}
    found["message"] = {Hex(each.id): snake(each.name) for each in data.messages}
    found["extension_type"] = {each.type: snake(each.name) for each in data.extensions}
    return found


def _card(code: CodeSpec) -> str:
    rank, suit = code.text[:1], code.text[1:]
    if rank in _RANKS and suit in _SUITS:
        return f"{_RANKS[rank]}_of_{_SUITS[suit]}"
    if rank == "X":
        return f"joker_{suit}"
    named = (name.lower() for name, card in vars(cards).items()
             if isinstance(card, cards.Card) and card.text == code.text)  # fmt: skip
    return next(named, f"card_{code.code}")


class Hex(int):
    """Number that is printed in hexadecimal."""


def laid(data: Any, indent: str = "") -> list[str]:
    """Return the lines of a YAML document in block style, one key on each line."""
    lines: list[str] = []
    if isinstance(data, list):
        for each in data:
            first, *rest = laid(each, indent + "  ")
            lines += [f"{indent}- {first.strip()}", *rest]
        return lines
    for key, value in data.items():
        if isinstance(value, dict | list) and value:
            lines += [f"{indent}{_scalar(key)}:", *laid(value, indent + "  ")]
        elif isinstance(value, str) and "\n" in value:
            lines += [f"{indent}{_scalar(key)}: |", *(f"{indent}  {line}" for line in value.splitlines())]
        else:
            lines.append(f"{indent}{_scalar(key)}: {_scalar(value)}")
    return lines


def _scalar(value: object) -> str:
    if isinstance(value, Hex):
        return f"{value:#x}"
    if isinstance(value, str):
        bare = _PLAIN.fullmatch(value.replace("-", "_")) and value not in _NOT_PLAIN
        return value if bare else json.dumps(value, ensure_ascii=False)
    return json.dumps(value)


def _numbers(enumerations: Mapping[str, type[IntEnum]]) -> Iterable[str]:
    tree = {name: {Hex(each.value): each.name.lower() for each in names} for name, names in enumerations.items()}
    tree["suit"] = {Hex(0): "none", **{Hex(number): _SUITS[suit] for number, suit in SUITS.items()}}
    return laid({"enums": tree})


def pages() -> dict[str, str]:
    """Return the description of a frame, and that of the dialect whose numbers are declared."""
    written, _, _ = (DOCS / ANGEL_EYE).read_text(encoding="utf-8").partition(MARK)
    numbers = {"start": Start, "nak_reason": NakReason, "destination": am.Destination, "mode": am.Mode,
               "trouble": am.Trouble, "winner": am.Winner}  # fmt: skip
    head = "# Printed by make docs from the declarations that the program runs on.\n"
    return {
        FILE: head + "\n".join(laid(description(definition_once()))) + "\n",
        ANGEL_EYE: written + MARK + "\n".join(_numbers(numbers)) + "\n",
    }
