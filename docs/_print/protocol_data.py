"""The Table Device Protocol as data, for authors of a device or a host in another language: `docs/protocol.json`.

It is printed from the declarations that the program uses. `Definition` describes its content, and the JSON Schema is
printed from `Definition`.
"""

import json
import re
from collections.abc import Iterable
from enum import IntEnum, IntFlag
from typing import Any, Final

import msgspec
from msgspec.structs import asdict

from dealer_flow.record.base import DIALECT
from docs._print.protocol_behaviour import Behaviour, MakerSpec, Ranges, behaviour, makers, ranges
from protocol import cards, places
from protocol.faults import Fault
from protocol.message import message_name
from protocol.tdp import framing
from protocol.tdp import messages as m
from protocol.tdp.attestation import CERTIFICATE_BYTES, CERTIFICATE_EXTENSION, MEASURED_EXTENSION, STATEMENT_BYTES
from protocol.tdp.bounds import JOKERS_MAX, PACKET_SIZE_MAX, SUITED, bounds_of
from protocol.tdp.commands import REQUEST_MAX, role_needed
from protocol.tdp.derive import FIXED, HEADER_SIZE, Shape, fields_of, header_fields
from protocol.tdp.derive import Field as Declared
from protocol.tdp.device_link import WINDOW
from protocol.tdp.event_store import DEPTH_MIN
from protocol.tdp.instruments import NONCE_BYTES, READINGS_MAX
from protocol.tdp.messages import DeviceClass, Kind, Message
from protocol.tdp.outputs import SESSION_EXTENSION, Timing
from protocol.tdp.packets import ANSWERS, MAX_FRAME, MINOR, PACKETS, VERSION
from protocol.tdp.reply_cache import KEPT_MAX, KEPT_NS
from protocol.tdp.since import FIRST, VERSIONS, message_since, place_since, value_since

SCHEMA: Final = "protocol/1"
FILE: Final = "protocol.json"
SCHEMA_FILE: Final = "schema/protocol-1.json"


class FieldSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """Field of a layout.

    - `size`: its bytes; for a list, the bytes of one element.
    - `offset`: counted from the layout's first byte; missing after a list.
    - `list`: a count byte and that many elements `of` a number or of fields.
    - `values`: an enumeration, `card` or `place`.
    - `least` and `most`: the limits of what a sender may write.
    """

    name: str
    type: str
    size: int
    offset: int | None = None
    of: "str | tuple[FieldSpec, ...] | None" = None
    values: str | None = None
    values_by_class: dict[str, str] | None = None
    least: int | None = None
    most: int | None = None
    about: str = ""


class MessageSpec(msgspec.Struct, frozen=True):
    """Message.

    - `device_class`: null if any device may have it.
    - `role`: the least role that may send a command.
    - `fixed`: the bytes before the first list. The shortest payload has those and one byte for each list.
    """

    id: int
    hex: str
    name: str
    kind: str
    kind_value: int
    device_class: str | None
    sender: str
    role: str | None
    since: str
    about: str
    fixed: int
    fields: tuple[FieldSpec, ...]


class AnswerSpec(msgspec.Struct, frozen=True):
    """Frame kind with the same layout for every message id; the message id names the message that it answers."""

    kind: str
    kind_value: int
    name: str
    sender: str
    about: str
    fixed: int
    fields: tuple[FieldSpec, ...]


class ValueSpec(msgspec.Struct, frozen=True):
    """One value of an enumeration, or one bit of flags as the number it stands for."""

    name: str
    value: int
    since: str


class EnumerationSpec(msgspec.Struct, frozen=True):
    """Meanings of the values of fields. `flags`: a field may hold any sum of them."""

    name: str
    flags: bool
    about: str
    values: tuple[ValueSpec, ...]


class CodeSpec(msgspec.Struct, frozen=True):
    """Code and text form of a card or a place."""

    code: int
    text: str
    since: str


class TimingSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """Time that both ends keep, in milliseconds; or a number of times, as `count`."""

    name: str
    about: str
    ms: int | None = None
    count: int | None = None


class VersionSpec(msgspec.Struct, frozen=True):
    """Version, and what it added."""

    version: str
    about: str


class NumberSpec(msgspec.Struct, frozen=True):
    """Version number of the protocol, as HELLO-REPLY and OPEN-SESSION carry it."""

    major: int
    minor: int


class CheckSpec(msgspec.Struct, frozen=True):
    """Check of a frame; numbers as hex."""

    name: str
    polynomial: str
    reflected: bool
    initial: str
    final_xor: str
    residue: str


class ExtensionSpec(msgspec.Struct, frozen=True):
    """Known extension: its type byte and the length of its value."""

    type: int
    name: str
    size: int
    about: str


class Definition(msgspec.Struct, frozen=True):
    """The whole protocol. Every number on the wire is unsigned, low byte first."""

    schema_file: str = msgspec.field(name="$schema")
    schema: str
    protocol: str
    title: str
    version: NumberSpec
    versions: tuple[VersionSpec, ...]
    limits: dict[str, int]
    timings: tuple[TimingSpec, ...]
    check: CheckSpec
    header: tuple[FieldSpec, ...]
    messages: tuple[MessageSpec, ...]
    answers: tuple[AnswerSpec, ...]
    enumerations: tuple[EnumerationSpec, ...]
    cards: tuple[CodeSpec, ...]
    places: tuple[CodeSpec, ...]
    extensions: tuple[ExtensionSpec, ...]
    ranges: Ranges
    makers: tuple[MakerSpec, ...]
    behaviour: Behaviour


_STATES: Final = {
    DeviceClass.SHUFFLER.name: m.ShufflerState.__name__,
    DeviceClass.SHOE.name: m.ShoeState.__name__,
    DeviceClass.TABLE_CONTROLLER.name: m.ControllerState.__name__,
}
_BY_CLASS: Final = {"state", "previous"}
_HOSTS: Final = {Kind.COMMAND, Kind.ACK}
_HOSTS_LINKS: Final = {m.HelloMessage, m.HeartbeatMessage}


_EXTENSIONS: Final = (
    ExtensionSpec(SESSION_EXTENSION, "session", 4, "The session that an old event belongs to."),
    ExtensionSpec(
        MEASURED_EXTENSION,
        "statement",
        STATEMENT_BYTES,
        "In *Measured*: length u32 and SHA-256 of the image alone, X25519 key of the device (zeros: none), Ed25519 "
        "signature over ASCII `TDP measured`, the declared fields of the message and what precedes it here.",
    ),
    ExtensionSpec(
        CERTIFICATE_EXTENSION,
        "certificate",
        CERTIFICATE_BYTES,
        "In HELLO-REPLY: Ed25519 key of the device, its maker's Ed25519 signature over ASCII `TDP device`, the class, "
        "maker, model and serial of the message and that key.",
    ),
)


def definition() -> Definition:
    """Return the protocol as this version of the program declares it."""
    return Definition(
        schema_file=SCHEMA_FILE,
        schema=SCHEMA,
        protocol="tdp",
        title="Table Device Protocol",
        version=NumberSpec(VERSION, MINOR),
        versions=tuple(VersionSpec(version, about) for version, about in VERSIONS.items()),
        limits=_limits(),
        timings=tuple(_timing(name, value) for name, value in asdict(Timing()).items()),
        check=CheckSpec("CRC-32", "04C11DB7", True, "FFFFFFFF", "FFFFFFFF", "2144DF1C"),
        header=_fields(header_fields()),
        messages=tuple(_message(*item) for item in sorted(PACKETS.items(), key=lambda item: item[0][1])),
        answers=tuple(_answer(kind, cls, packet) for kind, (cls, packet) in ANSWERS.items()),
        enumerations=tuple(_enumeration(names) for names in enumerations()),
        cards=tuple(CodeSpec(code, card.text, FIRST) for code, card in enumerate(cards.CARDS) if card.text[:2] != "0x"),
        places=tuple(
            CodeSpec(code, place.text, place_since(code))
            for code, place in enumerate(places.PLACES)
            if place.text[:2] != "0x"
        ),
        extensions=_EXTENSIONS,
        ranges=ranges(),
        makers=makers(),
        behaviour=behaviour(),
    )


def _limits() -> dict[str, int]:
    return {
        "max_frame": MAX_FRAME,
        "min_frame": framing.MIN_FRAME,
        "header": HEADER_SIZE,
        "check": framing.CHECK_BYTES,
        "max_payload": MAX_FRAME - framing.CHECK_BYTES - HEADER_SIZE,
        "max_encoded": framing.MAX_ENCODED,
        "max_wire": framing.MAX_WIRE,
        "event_depth_min": DEPTH_MIN,
        "window": WINDOW,
        "requests_remembered": KEPT_MAX,
        "requests_remembered_ms": KEPT_NS // 10**6,
        "request_max": REQUEST_MAX,
        "seats_max": places.SEATS_MAX,
        "packet_size_max": PACKET_SIZE_MAX,
        "deck_without_jokers": SUITED,
        "jokers_max": JOKERS_MAX,
        "meters_in_a_frame": READINGS_MAX,
        "nonce": NONCE_BYTES,
    }


def _timing(name: str, value: int) -> TimingSpec:
    from docs._print.protocol import TIMES

    plain = name.removesuffix("_ns")
    if plain == name:
        return TimingSpec(name, TIMES[name], count=value)
    return TimingSpec(plain, TIMES[name], ms=value // 10**6)


def _sentence(cls: type) -> str:
    return " ".join((cls.__doc__ or "").split())


def _message(key: tuple[Kind, int], declared: tuple[type[Message], Any]) -> MessageSpec:
    (kind, number), (cls, packet) = key, declared
    found = fields_of(packet)
    of_class = {each.value: each.name for each in DeviceClass}.get(number >> 8)
    host = kind in _HOSTS or cls in _HOSTS_LINKS
    return MessageSpec(
        id=number,
        hex=f"{number:04X}",
        name=message_name(cls),
        kind=kind.name,
        kind_value=int(kind),
        device_class=of_class,
        sender="host" if host else "device",
        role=role_needed(cls).name if kind == Kind.COMMAND else None,
        since=message_since(cls),
        about=_sentence(cls),
        fixed=_fixed(found),
        fields=_fields(found, of_class, cls),
    )


def _answer(kind: Kind, cls: type[Message], packet: Any) -> AnswerSpec:
    found = fields_of(packet)
    sender = "either" if kind == Kind.NAK else "device"
    return AnswerSpec(
        kind.name, int(kind), message_name(cls), sender, _sentence(cls), _fixed(found), _fields(found, None, cls)
    )


def _fixed(found: Iterable[Declared]) -> int:
    return sum(field.size for field in found if field.shape in FIXED)


def _fields(
    found: Iterable[Declared], of_class: str | None = None, message: type[Message] | None = None
) -> tuple[FieldSpec, ...]:
    specs, at, behind = [], 0, False
    for field in found:
        specs.append(_field(field, None if behind else at, of_class, message))
        behind = behind or field.shape not in FIXED
        at += field.size
    return tuple(specs)


def _field(field: Declared, offset: int | None, of_class: str | None, message: type[Message] | None) -> FieldSpec:
    """Return a field's specification. An enumeration sets no limits, since its unknown values are read as numbers."""
    number = field.shape is Shape.INTEGER
    whole = (0, (1 << 8 * field.size) - 1)
    least, most = (bounds_of(message, field.name, whole[1]) if message else whole) if number else (None, None)
    by_class = None
    if number and field.names is None and field.name in _BY_CLASS:
        by_class = {of_class: _STATES[of_class]} if of_class in _STATES else _STATES
    return FieldSpec(
        name=field.name,
        type=_type(field),
        size=field.size,
        offset=offset,
        of=_of(field),
        values=field.names if isinstance(field.names, str) or field.names is None else field.names.__name__,
        values_by_class=by_class,
        least=least,
        most=most,
        about=field.doc,
    )


def _type(field: Declared) -> str:
    fixed = {Shape.INTEGER: f"u{8 * field.size}", Shape.TEXT: "text", Shape.BYTES: "bytes"}
    return fixed.get(field.shape, "list")


def _of(field: Declared) -> str | tuple[FieldSpec, ...] | None:
    if field.shape is Shape.RECORDS:
        return _fields(field.parts)
    return f"u{8 * field.size}" if field.shape in (Shape.BLOB, Shape.RUN) else None


def enumerations() -> tuple[type[IntEnum] | type[IntFlag], ...]:
    """Return every enumeration of a field's values, by name."""
    found: dict[str, type[IntEnum] | type[IntFlag]] = {"Kind": Kind, "Fault": Fault}
    found |= {name: getattr(m, name) for name in _STATES.values()}
    layouts = [header_fields(), *(fields_of(packet) for _, packet in [*PACKETS.values(), *ANSWERS.values()])]
    for field in [field for layout in layouts for each in layout for field in (each, *each.parts)]:
        if field.names is not None and not isinstance(field.names, str):
            found[field.names.__name__] = field.names
    return tuple(found[name] for name in sorted(found))


def _enumeration(names: type[IntEnum] | type[IntFlag]) -> EnumerationSpec:
    values = tuple(ValueSpec(value.name or "", int(value), value_since(value)) for value in names)
    return EnumerationSpec(names.__name__, issubclass(names, IntFlag), _sentence(names), values)


def _laid(data: Any, indent: str) -> str:
    """Return JSON with everything that fits on a line on one line, for people and for diffs."""
    flat = json.dumps(data, ensure_ascii=False)
    if len(indent) + len(flat) <= 120 or not isinstance(data, dict | list):
        return flat
    deeper = indent + " "
    if isinstance(data, dict):
        parts = [f"{deeper}{json.dumps(key)}: {_laid(value, deeper)}" for key, value in data.items()]
        return "{\n" + ",\n".join(parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(deeper + _laid(value, deeper) for value in data) + f"\n{indent}]"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of `protocol.json`."""
    made = msgspec.json.schema(Definition)
    name = made.pop("$ref").rpartition("/")[2]
    parts = made["$defs"]
    whole = parts.pop(name)
    for part in [whole, *parts.values()]:
        part.pop("title", None)
        part["description"] = re.sub(r"\s+", " ", part.get("description", "")).strip()
        part["additionalProperties"] = False
    return {"$schema": DIALECT, "title": SCHEMA, **whole, "$defs": parts}


def pages() -> dict[str, str]:
    """Return the definition and its schema by their paths under `docs`."""
    return {
        FILE: _laid(json.loads(msgspec.json.encode(definition())), "") + "\n",
        SCHEMA_FILE: json.dumps(schema(), indent=2, ensure_ascii=False) + "\n",
    }
