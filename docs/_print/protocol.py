"""Tables of `docs/protocol.md` and `docs/protocol-reference.md`, printed from the declarations.

A region is between `<!-- generated: NAME -->` and `<!-- end generated -->`.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum, IntFlag
from typing import Any, Final

from msgspec.structs import asdict

from docs._print import DOCS, protocol_rules
from docs._print import table as lines_of
from protocol import cards, places
from protocol.faults import CLASSES, Fault
from protocol.message import message_name
from protocol.tdp import framing
from protocol.tdp.bounds import bounds_of
from protocol.tdp.commands import role_needed
from protocol.tdp.derive import FIXED, HEADER_SIZE, Field, Shape, fields_of, header_fields
from protocol.tdp.event_store import DEPTH_MIN
from protocol.tdp.instruments import MEANINGS
from protocol.tdp.messages import Kind, Message
from protocol.tdp.outputs import Timing
from protocol.tdp.packets import ANSWERS, CARDS, MAX_FRAME, MINOR, PACKETS, PLACES, VERSION
from tests.support.oracles.conversations_by_hand import conversations

_REGION: Final = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end generated -->)", re.DOTALL)

_GROUPS: Final = (
    ("Link messages", lambda kind, _: kind in (Kind.LINK, Kind.ACK)),
    ("Commands to any device", lambda kind, number: kind == Kind.COMMAND and number < 0x100),
    ("Commands to a packet shuffler", lambda kind, number: kind == Kind.COMMAND and number >> 8 == 1),
    ("Commands to a card shoe", lambda kind, number: kind == Kind.COMMAND and number >> 8 == 2),
    ("Commands to a table controller", lambda kind, number: kind == Kind.COMMAND and number >> 8 == 3),
    ("Events of any device", lambda kind, number: kind == Kind.EVENT and number < 0x100),
    ("Events of a packet shuffler", lambda kind, number: kind == Kind.EVENT and number >> 8 == 1),
    ("Events of a card shoe", lambda kind, number: kind == Kind.EVENT and number >> 8 == 2),
    ("Events of a table controller", lambda kind, number: kind == Kind.EVENT and number >> 8 == 3),
)

TIMES: Final = {
    "reply_ns": "maximum time until a device answers a command",
    "retry_ns": "time until a command without an answer is sent again",
    "tries": "number of times that a command is sent",
    "hello_ns": "time between two HELLOs while no device answers",
    "resend_ns": "time until a device sends unacknowledged events again",
    "status_ns": "maximum time between two status reports of a device",
    "heartbeat_ns": "maximum time between two frames of a host; it sends HEARTBEAT if necessary",
    "lost_ns": "time without a valid frame after which the other end is lost",
    "partial_ns": "silence after which an unfinished frame is dropped, and after which a delimiter goes first",
    "hole_ns": "time until a host gives up a missing event",
    "join_ns": "time that a late listener waits for a HELLO-REPLY",
}


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a Markdown table."""
    return "".join(f"{line}\n" for line in lines_of(head, rows))


def header_table() -> str:
    """Return the frame header, byte by byte."""
    return table(("offset", "field", "type", "meaning"), _rows(header_fields(), None))


def message_tables() -> str:
    """Return every message with its layout, by group; then the answers."""
    text = []
    for title, belongs in _GROUPS:
        text.append(f"### {title}\n\n")
        for (kind, number), (cls, packet) in sorted(PACKETS.items(), key=lambda item: item[0][1]):
            if belongs(kind, number):
                text.append(_message(cls, packet, f"{number:04X}h", kind))
    text.append(
        "### Answers\n\nIn an answer, the header's message id is that of the command or frame that is answered.\n\n"
    )
    text += [_message(cls, packet, "", kind) for kind, (cls, packet) in ANSWERS.items()]
    return "".join(text)


def _message(cls: type[Message], packet: Any, number: str, kind: Kind) -> str:
    found = fields_of(packet)
    role = f", role {role_needed(cls).name.lower()}" if kind == Kind.COMMAND else ""
    title = f"#### {number} {message_name(cls)}".replace("  ", " ")
    about = f"{title}\n\n{_sentence(cls)} *({kind.name}{role})*\n\n"
    if not found:
        return about + "No fields.\n\n"
    return about + table(("offset", "field", "type", "meaning"), _rows(found, cls)) + "\n"


def _sentence(cls: type) -> str:
    return " ".join((cls.__doc__ or "").split())


def _rows(found: Iterable[Field], message: type[Message] | None) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    at = 0
    for field in found:
        rows.append((at, f"`{field.name}`", _type(field) + _bounds(field, message), _meaning(field)))
        at += field.size if field.shape in FIXED else 0
    return rows


def _type(field: Field) -> str:
    bits = f"u{8 * field.size}"
    if field.shape is Shape.RECORDS:
        parts = ", ".join(f"{_part(part)} u{8 * part.size}" for part in field.parts)
        return f"u8 n, then n × ({parts})"
    return {
        Shape.INTEGER: bits,
        Shape.TEXT: f"text {field.size}",
        Shape.BYTES: f"{field.size} bytes",
        Shape.BLOB: "u8 n, then n × u8",
        Shape.RUN: f"u8 n, then n × {bits}",
    }[field.shape]


def _bounds(field: Field, message: type[Message] | None) -> str:
    """Return the values that a sender may write, if the type holds more; named values are those of their table."""
    whole = (1 << 8 * field.size) - 1
    if message is None or field.shape is not Shape.INTEGER or field.names is not None:
        return ""
    least, most = bounds_of(message, field.name, whole)
    if most < whole:
        return f", {least} to {most}"
    return f", from {least}" if least else ""


def _part(part: Field) -> str:
    return part.name if part.names is None else _link_to(part)


def _meaning(field: Field) -> str:
    if field.names is None:
        return field.doc
    link = _link_to(field)
    return f"{field.doc}; {link}" if field.doc else link


def _link_to(field: Field) -> str:
    names = field.names
    assert names is not None
    if isinstance(names, str):
        return {CARDS: "[card code](#card-codes)", PLACES: "[place code](#place-codes)"}[names]
    if names is Fault:
        return "[fault number](#fault-numbers)"
    return f"[{names.__name__}](#{names.__name__.lower()})"


def enum_tables() -> str:
    """Return every enumeration that a field names, except the faults."""
    used: dict[str, type[IntEnum] | type[IntFlag]] = {}
    for declared in [header_fields(), *(fields_of(packet) for _, packet in [*PACKETS.values(), *ANSWERS.values()])]:
        for field in [part for one in declared for part in (one, *one.parts)]:
            if field.names is not None and not isinstance(field.names, str) and field.names is not Fault:
                used[field.names.__name__] = field.names
    used["Kind"] = Kind
    return "\n".join(_enum(used[name]) for name in sorted(used))


def _enum(names: type[IntEnum] | type[IntFlag]) -> str:
    rows = [(f"{value:02X}h" if issubclass(names, IntFlag) else int(value), value.name) for value in names]
    column = "bit" if issubclass(names, IntFlag) else "value"
    return f"#### {names.__name__}\n\n{_sentence(names)}\n\n{table((column, 'name'), rows)}"


def card_table() -> str:
    """Return the card codes with suits down and ranks across, then the codes that are not playing cards."""
    suits = zip(cards.SUITS, ("clubs", "diamonds", "hearts", "spades"), strict=True)
    rows = [
        (name, *(f"{cards.parse_card(rank + suit):02X}h `{rank}{suit}`" for rank in cards.RANKS))
        for suit, name in suits
    ]
    special = {
        cards.NONE: "no card",
        cards.UNREAD: "a card, face not read",
        cards.FACE_UP: "a card that lies face up in the deck",
        cards.FOREIGN_BACK: "a card with another deck's back",
        cards.CUT_CARD: "cut card",
        cards.BLANK: "blank stock",
        cards.DUPLICATE: "a face seen before in this deck",
    }
    jokers = [(f"{code:02X}h", f"`{cards.CARDS[code].text}`", f"joker {code & 15}") for code in range(0x51, 0x55)]
    others = [(f"{code:02X}h", f"`{code.text}`", text) for code, text in special.items()]
    faces = table(("suit", "ace", *cards.RANKS[1:]), rows)
    return faces + "\n" + table(("code", "text", "meaning"), [*jokers, *others])


def place_table() -> str:
    """Return every named place."""
    named = [(f"{place:02X}h", place.text) for place in places.PLACES if not place.text.startswith(("0x", "seat"))]
    seats = (f"01h-{places.SEATS_MAX:02X}h", f"seat 1 to seat {places.SEATS_MAX}, clockwise from the dealer's left")
    return table(("code", "place"), [named[0], seats, *named[1:]])


def fault_table() -> str:
    """Return the known faults by class."""
    rows = [(int(f), f.name.lower().replace("_", " "), CLASSES.get(f // 100, "")) for f in Fault]
    return table(("number", "fault", "class"), rows)


def timing_table() -> str:
    """Return the protocol's times, from the defaults that both ends use."""
    times = asdict(Timing()).items()
    rows = [(f"`{name.removesuffix('_ns')}`", TIMES[name], _duration(name, value)) for name, value in times]
    return table(("name", "meaning", "value"), rows)


def _duration(name: str, value: int) -> str:
    if not name.endswith("_ns"):
        return str(value)
    return f"{value // 10**9} s" if value % 10**9 == 0 else f"{value // 10**6} ms"


def limit_table() -> str:
    """Return the sizes that both ends must keep to."""
    rows = [
        ("protocol version", f"{VERSION}.{MINOR}"),
        ("longest decoded frame, header and check included", f"{MAX_FRAME} bytes"),
        ("shortest decoded frame", f"{framing.MIN_FRAME} bytes"),
        ("header", f"{HEADER_SIZE} bytes"),
        ("longest payload, extensions included", f"{MAX_FRAME - framing.CHECK_BYTES - HEADER_SIZE} bytes"),
        ("longest frame after COBS, without delimiters", f"{framing.MAX_ENCODED} bytes"),
        ("longest frame on the wire, with both delimiters", f"{framing.MAX_WIRE} bytes"),
        ("unacknowledged events that a device stores, at least", DEPTH_MIN),
    ]
    return table(("limit", "value"), rows)


def meter_table() -> str:
    """Return the meaning of each meter."""
    return table(
        ("number", "meter", "counts"), [(int(meter), f"`{meter.name}`", text) for meter, text in MEANINGS.items()]
    )


EXCHANGE: Final = "a lost reply"
"""Name of the conversation that the page works through."""


def exchange_table() -> str:
    """Return the frames of one conversation, with their times and bytes."""
    steps = next(each["steps"] for each in conversations() if each["name"] == EXCHANGE)
    at_ms, rows = 0, []
    for step in steps:
        at_ms += step.get("ms", 0)
        if "bytes" in step:
            what = f"REPLY: {step['what']}" if step["message"] == "Reply" else step["what"]
            rows.append((at_ms, step["from"], what, f"`{_short_hex(step['bytes'])}`"))
    return table(("ms", "sender", "frame", "bytes on the wire"), rows)


def _short_hex(data: str) -> str:
    """Return hex bytes with spaces. A frame of more than 32 bytes is shortened; the vectors have all of it."""
    pairs = [data[at : at + 2].upper() for at in range(0, len(data), 2)]
    return (
        " ".join(pairs) if len(pairs) <= 32 else f"{' '.join(pairs[:16])} … {' '.join(pairs[-5:])}, {len(pairs)} bytes"
    )


PAGE: Final = "protocol.md"
REFERENCE: Final = "protocol-reference.md"

REGIONS: Final[dict[str, Callable[[], str]]] = {
    "exchange": exchange_table,
    "limits": limit_table,
    "header": header_table,
    "timing": timing_table,
    "meters": meter_table,
    "messages": message_tables,
    "enumerations": enum_tables,
    "cards": card_table,
    "places": place_table,
    "faults": fault_table,
    "shuffler-states": protocol_rules.state_table,
    "shuffler-faults": protocol_rules.fault_table,
    "shoe-faults": protocol_rules.shoe_fault_table,
    "controller-faults": protocol_rules.controller_fault_table,
    "refusals": protocol_rules.refusal_table,
    "command-states": protocol_rules.command_table,
}


REGIONS_OF: Final[dict[str, frozenset[str]]] = {
    PAGE: frozenset({"exchange"}),
    REFERENCE: frozenset(REGIONS) - {"exchange"},
}
"""Names of the regions that each page has."""


def refresh(text: str, page: str = REFERENCE) -> str:
    """Return `text` with every generated region printed again. Raise ValueError if one is missing or doubled."""
    found = [match[1] for match in _REGION.findall(text)]
    wanted = [name for name in REGIONS if name in REGIONS_OF[page]]
    if sorted(found) != sorted(wanted):
        raise ValueError(f"{page} has the generated regions {found}; it needs each once: {', '.join(wanted)}")
    return _REGION.sub(lambda match: f"{match[1]}\n{REGIONS[match[2]]()}\n{match[3]}", text)


def pages() -> dict[str, str]:
    """Return both pages with every region as it should be."""
    return {page: refresh((DOCS / page).read_text(encoding="utf-8"), page) for page in REGIONS_OF}
