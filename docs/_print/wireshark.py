"""Dissector for Wireshark, `dealwire/wireshark/dealwire.lua`: tables printed from the declarations, then the code
shared by all messages, from `lua/`. It is one file because Wireshark loads each file of a folder separately."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from docs._print import DOCS
from docs._print.wireshark_fields import BY_CLASS, Fields, values_of
from docs._print.wireshark_words import EVENTS_OF_FAULTS, SAYS
from protocol import cards, places
from protocol.angel_eye import framing as angel_framing
from protocol.angel_eye import messages as angel
from protocol.angel_eye.link import Timing as AngelTiming
from protocol.bee_tek import framing as bee_framing
from protocol.bee_tek import link as bee_link
from protocol.bee_tek import messages as bee
from protocol.faults import CLASSES, Fault
from protocol.message import Message, message_name
from protocol.tdp import framing
from protocol.tdp.attestation import CERTIFICATE_EXTENSION, KEY_BYTES, MEASURED_EXTENSION, SIGNATURE_BYTES
from protocol.tdp.derive import FIXED, fields_of, header_fields
from protocol.tdp.messages import Kind
from protocol.tdp.outputs import Timing
from protocol.tdp.packets import ANSWERS, CARDS, MAX_FRAME, PACKETS, PLACES, VERSION, VERSION_TEXT
from protocol.tdp.reply_cache import KEPT_NS

PATH: Final = "../dealwire/wireshark/dealwire.lua"
"""Path of the printed file from `docs/`."""
_LUA: Final = Path(__file__).parent / "lua"
_PARTS: Final = (
    *("base", "aead", "cut_tdp", "cut_others", "streams", "sealed", "talk", "tdp_fields", "tdp_read", "tdp", "noise"),
    *("dialects", "lines"),
)
_HEAD: Final = """\
-- Table Device Protocol, Angel Eye style and Bee-Tek style shoes in Wireshark. Part of dealwire, Apache-2.0.
-- Printed from the protocol's declarations: change those, or docs/_print/lua, and not this file.
-- It is kept in the tree because a wheel is built without the program's dependencies, which the printer needs, and so
-- that a change of the protocol shows what a reader of captures will see. tests/test_printed.py holds it to its parts.
-- `dealwire wireshark install` puts it where Wireshark looks for it.
-- Once is enough: a second one, named by hand beside the installed one, does nothing.
if _G.dealwire_is_loaded then return end
_G.dealwire_is_loaded = true
set_plugin_info({{ version = "{version}", author = "dealwire", description = "Card devices of casino tables" }})
"""
_NS: Final = 1_000_000_000
_HOST_MESSAGES: Final = frozenset({"Hello", "Heartbeat", "Ack", "PairCall", "PairProof", "SealCall"})

# ------------------------------------------------------------------ Lua's own notation


class Raw(str):
    """Text that is already Lua."""

    __slots__ = ()


def lua(value: object) -> str:
    """Return a value in Lua's notation; entries that are None are left out of tables."""
    if isinstance(value, Raw):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{_key(key)}={lua(each)}" for key, each in value.items() if each is not None) + "}"
    if isinstance(value, Sequence):
        return "{" + ",".join(lua(each) for each in value) + "}"
    if isinstance(value, int | float):
        return str(int(value)) if value == int(value) else str(value)
    raise TypeError(f"Lua has nothing for {value!r}")


def _key(key: object) -> str:
    return key if isinstance(key, str) and re.fullmatch(r"[A-Za-z_]\w*", key) else f"[{lua(key)}]"


def _lines(name: str, value: Mapping[str, object]) -> str:
    """Return a Lua table with one entry on each line."""
    return f"{name} = {{\n" + "".join(f"  {_key(key)} = {_long(each)},\n" for key, each in value.items()) + "}\n"


def _long(value: object) -> str:
    if isinstance(value, Mapping) and len(value) > 12:
        return "{\n" + "".join(f"    {_key(key)}={lua(each)},\n" for key, each in value.items()) + "  }"
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 12:
        return "{\n" + "".join(f"    {lua(each)},\n" for each in value) + "  }"
    return lua(value)


# ------------------------------------------------------------------ TDP


def _layout(fields: Fields, cls: type[Message], packet: Any, sender: str | None) -> dict[str, object]:
    name = message_name(cls)
    found = fields_of(packet)
    return {
        "name": name,
        "says": SAYS.get(name),
        "sender": sender,
        "fixed": sum(field.size for field in found if field.shape in FIXED),
        "fields": [fields.describe(field, name) for field in found],
    }


def spaced(name: str) -> str:
    """Return a message's name in words: `PacketDispensed` becomes `Packet dispensed`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


def _header(fields: Fields) -> list[object]:
    at, rows = 0, list[object]()
    names = {number: spaced(message_name(cls)) for (_, number), (cls, _) in PACKETS.items()}
    for field in header_fields():
        said = fields.describe(field)
        if field.name == "message":
            fields.values["message"] = names
            fields.rows[str(said["key"])][5] = "message"
        rows.append({"name": field.name, "key": said["key"], "at": at, "size": field.size, "flags": said["flags"]})
        at += field.size
    return rows


def tdp_table() -> str:
    """Return the dissector's table for TDP."""
    fields = Fields()
    header = _header(fields)
    messages = {
        kind << 16 | number: _layout(fields, cls, packet, _sender(kind, message_name(cls)))
        for (kind, number), (cls, packet) in sorted(PACKETS.items())
    }
    answers = {
        int(kind): _layout(fields, cls, packet, None if kind is Kind.NAK else "device")
        for kind, (cls, packet) in ANSWERS.items()
    }
    numbers = {message_name(cls): number for (_, number), (cls, _) in PACKETS.items()}
    values = {
        **{name: fields.values[name] for name in sorted(fields.values)},
        **{name: values_of(each) for name, each in BY_CLASS.items()},
        Fault.__name__: {int(each): each.name.lower().replace("_", " ") for each in Fault},
        CARDS: {int(code): code.text for code in cards.CARDS if not code.text.startswith("0x")},
        PLACES: {int(place): place.text for place in places.PLACES if not place.text.startswith("0x")},
    }
    facts: dict[str, object] = {
        "version": VERSION,
        "version_text": VERSION_TEXT,
        "max_frame": MAX_FRAME,
        "min_frame": framing.MIN_FRAME,
        "max_encoded": framing.MAX_ENCODED,
        "residue": framing.RESIDUE,
        "partial_s": Timing().partial_ns / _NS,
        "remembered_s": KEPT_NS / _NS,
        "extensions": {1: "session of an old event", 2: "signed measurement", 3: "certificate of the maker"},
        "inside": _inside(),
        "fault_classes": CLASSES,
        "fault_events": {numbers[name]: expert for name, expert in EVENTS_OF_FAULTS.items()},
        "flags": fields.flags,
        "states": fields.states,
        "names": fields.values["message"],
        "header": header,
        "fields": [*fields.rows.values()],
        "answers": answers,
        "messages": messages,
    }
    return (
        "local TDP = {}\n"
        + _lines("TDP.values", values)
        + "".join(_assign(f"TDP.{name}", value) for name, value in facts.items())
    )


_INSIDE: Final[Mapping[int, tuple[tuple[str, str, int], ...]]] = {
    MEASURED_EXTENSION: (
        ("signed.length", "Length of the image", 4),
        ("signed.sha256", "SHA-256 of the image", 32),
        ("signed.line_key", "X25519 key of the device", KEY_BYTES),
        ("signed.signature", "Signature (Ed25519)", SIGNATURE_BYTES),
    ),
    CERTIFICATE_EXTENSION: (
        ("certificate.key", "Ed25519 key of the device", KEY_BYTES),
        ("certificate.signature", "Signature of the maker (Ed25519)", SIGNATURE_BYTES),
    ),
}
"""Parts of an extension's value, in order: name in filters below `tdp.extension`, label, length in bytes."""


def _inside() -> dict[int, dict[str, object]]:
    """Return the parts of the extensions that have some, by type, each with the length of the whole value."""
    return {
        type_: {
            "size": sum(size for _, _, size in parts),
            "parts": [
                {"key": key, "label": label, "size": size, "number": True if size == 4 else None}
                for key, label, size in parts
            ],
        }
        for type_, parts in _INSIDE.items()
    }


def _assign(name: str, value: object) -> str:
    return f"{name} = {_long(value)}\n"


def _sender(kind: Kind, name: str) -> str:
    return "host" if kind is Kind.COMMAND or name in _HOST_MESSAGES else "device"


# ------------------------------------------------------------------ the two shoes

_LETTERS: Final[Mapping[str, tuple[type[Message], str, int]]] = {
    "S": (angel.StartedMessage, "bare", 0),
    "P": (angel.StandingByMessage, "bare", 0),
    "D": (angel.CardDrawnMessage, "card", 2),
    "R": (angel.CardReportedAgainMessage, "card", 2),
    "d": (angel.CardDrawnOutsideMessage, "outside", 2),
    "C": (angel.CutCardDrawnMessage, "bare", 0),
    "G": (angel.GameResultMessage, "result", 1),
    "E": (angel.ErrorRaisedMessage, "error", 1),
    "e": (angel.ErrorClearedMessage, "cleared", 1),
    "L": (angel.LockMovedMessage, "lock", 1),
    "M": (angel.SettingChangedMessage, "setting", 6),
}
"""Message, reader of its data, and length of the data in bytes, by letter."""


def angel_eye_table() -> str:
    """Return the dissector's table for shoes in Angel Eye's dialect."""
    start = angel_framing.Start
    facts: dict[str, object] = {
        **{each.name: int(each) for each in start},
        "max_wire": angel_framing.MAX_WIRE,
        "partial_s": AngelTiming().partial_ns / _NS,
        "kinds": values_of(start),
        "reasons": values_of(angel_framing.NakReason),
        "destinations": values_of(angel.Destination),
        "modes": values_of(angel.Mode),
        "winners": values_of(angel.Winner),
        "troubles": values_of(angel.Trouble),
        "letters": {
            letter: {"name": message_name(cls), "read": read, "size": size}
            for letter, (cls, read, size) in _LETTERS.items()
        },
        "names": _message_names(angel),
    }
    return _lines("local ANGEL", facts)


def _message_names(module: object) -> dict[str, str]:
    names = [name.removesuffix("Message") for name in vars(module) if name.endswith("Message") and name != "Message"]
    return {name: spaced(name) for name in names}


def bee_tek_table() -> str:
    """Return the dissector's table for shoes in Bee-Tek's dialect."""
    return _lines(
        "local BEE",
        {
            "mode_max": bee_framing.MODE_MAX,
            "item_max": bee_framing.ITEM_MAX,
            "partial_s": bee_link.PARTIAL_NS / _NS,
            "names": _message_names(bee),
        },
    )


# ------------------------------------------------------------------ the file


def dissector() -> str:
    """Return the whole file."""
    parts = [(_LUA / f"{name}.lua").read_text(encoding="utf-8") for name in _PARTS]
    head = _HEAD.format(version=VERSION_TEXT)
    return "\n".join([head, tdp_table(), angel_eye_table(), bee_tek_table(), *parts])


def pages() -> dict[str, str]:
    """Return the file by its path from `docs/`."""
    assert (DOCS / PATH).parent.is_dir()
    return {PATH: dissector()}
