"""A capture as tshark reads it with our dissector, and as our framers and codecs read it, in one form."""

import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from enum import IntFlag
from pathlib import Path
from typing import Any, Final, NamedTuple

from devices.record.capture import Capture
from docs._print.wireshark_words import CARD_CODES, TWO_WAYS
from protocol.angel_eye import codec as angel
from protocol.angel_eye.framing import Framer as AngelFramer
from protocol.bee_tek import codec as bee
from protocol.bee_tek.framing import Framer as BeeFramer
from protocol.cutting import Noise
from protocol.errors import BadPayload
from protocol.message import message_name
from protocol.tdp import codec as tdp
from protocol.tdp.derive import Shape, fields_of
from protocol.tdp.framing import Framer as TdpFramer
from protocol.tdp.packets import ANSWERS, PACKETS

ROOT: Final = Path(__file__).parents[3]
LUA: Final = ROOT / "dealwire" / "wireshark" / "dealwire.lua"
MS: Final = 1_000_000
PARTIAL_NS: Final = {"tdp": 50 * MS, "angel-eye": 500 * MS, "bee-tek": 500 * MS}
"""Silence after which an unfinished frame is given up, from the dialects' pages."""
PROTOCOLS: Final = {"tdp": "tdp", "angel-eye": "angel_eye", "bee-tek": "bee_tek"}
LATER: Final = ("response_in", "event_in", "ack_in", "continued_in", "given_up_in")
"""Fields that name a later packet, which a first pass cannot know."""


class Piece(NamedTuple):
    """A frame or a run of noise: its dialect, its fields in order (name without the dialect, value as text)."""

    protocol: str
    fields: tuple[tuple[str, str], ...]


Packets = list[list[Piece]]


def needs_tshark() -> str:
    """Return tshark's path; skip the test if it is missing or has no Lua."""
    import pytest

    found = shutil.which("tshark")
    if found is None:
        pytest.skip("tshark is not installed (apt install tshark)")
    return found


def alone(folder: Path = ROOT / "build" / "no-wireshark") -> dict[str, str]:
    """Return an environment with this personal folder of Wireshark, so that the user's own plugins do not count."""
    return {**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)}


def run(*arguments: object, lua: Path = LUA) -> str:
    """Return tshark's output with the dissector loaded; the test fails on a Lua error or if tshark crashes."""
    command = [needs_tshark(), "-X", f"lua_script:{lua}", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=alone())
    said = done.stdout + done.stderr
    fault = re.search(r"Lua Error.*|Lua: .*|lua_script.*error.*", said)
    if done.returncode or fault:  # no assert: pytest would compare megabytes
        raise AssertionError(fault[0][:500] if fault else done.stderr[-500:])
    return done.stdout


def seen_by_tshark(path: Path, *arguments: str) -> Packets:
    """Return every packet's pieces, with all their fields."""
    text = run("-r", path, "-T", "pdml", "-J", "tdp angel_eye bee_tek", *arguments)
    return [
        [_piece(proto) for proto in packet.findall("proto") if proto.get("name") in PROTOCOLS.values()]
        for packet in ET.fromstring(text).findall("packet")
    ]


RAW = (
    *(".key", ".line_key", ".sha256", ".signature", ".ephemeral", ".static", ".granted", ".tag", ".key_id"),
    *(".noise", ".idle", ".unread", ".digest", ".nonce", ".payload", ".data", ".extension.value"),
)
"""Fields of bytes, which tshark shows with colons and stores without."""


def _piece(proto: ET.Element) -> Piece:
    name = str(proto.get("name"))
    found = []
    for field in proto.iter("field"):
        full = str(field.get("name"))
        if full.startswith(f"{name}.") and not full.startswith(f"{name}.expert"):
            raw = full.endswith(RAW) and field.get("value")
            found.append((full.removeprefix(f"{name}."), raw or str(field.get("show"))))
    return Piece(name, tuple(found))


# ------------------------------------------------------------------ our own code


class _Line:
    """One direction of one line, cut by our own framer."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self._framer: Any = {"tdp": TdpFramer, "angel-eye": AngelFramer, "bee-tek": BeeFramer}[dialect]()
        self._at_ns = 0

    def take(self, data: bytes, at_ns: int) -> Iterator[Piece]:
        if at_ns - self._at_ns >= PARTIAL_NS[self.dialect]:
            yield from self.flush()
        self._at_ns = at_ns
        yield from _merged(self._piece(each) for each in self._framer.feed(data))

    def flush(self) -> Iterator[Piece]:
        yield from (self._piece(each) for each in self._framer.flush())

    def _piece(self, each: Any) -> Piece:
        protocol = PROTOCOLS[self.dialect]
        if isinstance(each, Noise) and str(each.reason) in ("idle delimiter", "blank"):
            return Piece(protocol, (("idle", each.data.hex()),))
        if isinstance(each, Noise):
            return Piece(protocol, (("noise", each.data.hex()), ("noise.reason", str(each.reason))))
        read = {"tdp": tdp_fields, "angel-eye": angel_fields, "bee-tek": bee_fields}[self.dialect]
        return Piece(protocol, tuple(read(each)))


def _merged(pieces: Iterator[Piece]) -> Iterator[Piece]:
    """Yield pieces with consecutive idle delimiters joined: one run, cut into parts, is one piece."""
    last: Piece | None = None
    for piece in pieces:
        if last and _idle(last) and _idle(piece):
            last = Piece(last.protocol, (("idle", last.fields[0][1] + piece.fields[0][1]),))
            continue
        if last:
            yield last
        last = piece
    if last:
        yield last


def _idle(piece: Piece) -> bool:
    return piece.protocol == "tdp" and piece.fields[0][0] == "idle"


def seen_by_us(path: Path) -> Packets:
    """Return every packet's pieces by our own code. A frame cut off by silence is given up in the packet after."""
    capture = Capture.read(path)
    lines: dict[tuple[int, bool], _Line] = {}
    packets: Packets = []
    for chunk in capture.chunks:
        dialect = capture.interfaces[chunk.interface].dialect
        if not chunk.data:
            ended = [lines[way] for way in ((chunk.interface, True), (chunk.interface, False)) if way in lines]
            packets.append([piece for line in ended for piece in line.flush()])
            continue
        line = lines.setdefault((chunk.interface, chunk.sent), _Line(dialect))
        packets.append([*line.take(chunk.data, chunk.at_ns)])
    return packets


_PACKETS: Final = dict([*PACKETS.values(), *ANSWERS.values()])


def tdp_fields(frame: Any) -> Iterator[tuple[str, str]]:
    """Yield a frame's fields under the document's names; a value by its number, with any name."""
    body = frame.body
    for name, at, size in (("version", 0, 1), ("flags", 1, 1), ("kind", 2, 1), ("link_sequence", 3, 1)):
        yield name, str(body[at : at + size][0])
        if name == "flags" and body[1]:
            yield "flags.sealed", str(body[1] >> 7)
    yield "request", str(int.from_bytes(body[4:6], "little"))
    yield "message", str(int.from_bytes(body[6:8], "little"))
    try:
        envelope = tdp.decode(body)
    except BadPayload:
        envelope = None
    if envelope is None or isinstance(envelope.message, tdp.Unknown):
        if body[8:]:
            yield "payload", body[8:].hex()
        return
    name = message_name(type(envelope.message))
    for field in fields_of(_PACKETS[type(envelope.message)]):
        value = getattr(envelope.message, field.name)
        if (name, field.name) in CARD_CODES:
            yield f"{field.name}.card", str(value)
        else:
            yield from _field(field, value)
    for kind, value in envelope.extensions:
        yield from (("extension.type", str(kind)), ("extension.length", str(len(value))))
        if value:
            yield "extension.value", value.hex()
        at = 0
        for part, size in INSIDE.get((kind, len(value)), ()):
            inner, at = value[at : at + size], at + size
            number = str(int.from_bytes(inner, "little")) if size == 4 else inner.hex()
            yield f"extension.{part}", number


INSIDE: Final = {
    (2, 132): (("signed.length", 4), ("signed.sha256", 32), ("signed.line_key", 32), ("signed.signature", 64)),
    (3, 96): (("certificate.key", 32), ("certificate.signature", 64)),
}
"""Parts of an extension's value by its type and length, as docs/protocol-reference.md has them."""


def _number(field: Any, value: int) -> Iterator[tuple[str, str]]:
    """Yield a number under its name, or under a qualified name if the plain one means something else elsewhere."""
    if field.name in TWO_WAYS and field.size == 1 and field.names is None:
        yield field.name, str(int(bool(value)))
    else:
        yield OTHERWISE.get((field.name, getattr(field.names, "__name__", "")), field.name), str(value)


OTHERWISE: Final = {("meter", "DeviceMeter"): "meter.device"}


def _field(field: Any, value: Any) -> Iterator[tuple[str, str]]:
    if field.shape is Shape.INTEGER:
        yield from _number(field, value)
        if isinstance(field.names, type) and issubclass(field.names, IntFlag):
            yield from ((f"{field.name}.{flag.name.lower()}", str(int(bool(value & flag)))) for flag in field.names)
    elif field.shape is Shape.BYTES:
        yield field.name, value.hex()
    elif field.shape is Shape.TEXT:
        yield field.name, value
    else:
        yield f"{field.name}.count", str(len(value))
        for item in value:
            if field.shape is Shape.RECORDS:
                for part, each in zip(field.parts, item, strict=True):
                    yield from _number(part, each)
            else:
                yield field.name.removesuffix("s"), str(int(item))


def angel_fields(frame: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields that `dealwire decode` prints for a frame, under the dissector's names."""
    said = angel.describe(frame)
    yield "kind", str(int(frame.start))
    if "sequence" in said:
        yield "sequence", str(said["sequence"])
        if said.get("message") != "UnknownReport":
            yield "letter", chr(frame.body[1])
    if "why" in said:
        yield "why", str(said["why"])
        yield "data", str(said["data"])
        return
    yield "message", _spaced(str(said["message"]))
    fields = said["fields"]
    assert isinstance(fields, dict)
    message = angel.decode(frame)
    for name, value in fields.items():
        raw = getattr(message, name)
        shown = value if isinstance(value, str) and not isinstance(raw, int) else raw
        if name == "card":
            shown = value
        if isinstance(raw, bytes):
            if not raw:
                continue
            shown = raw.hex()
        yield ("answer" if name == "reason" else name), str(int(shown) if isinstance(shown, int) else shown)


def bee_fields(frame: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields that `dealwire decode` prints for an item, under the dissector's names."""
    said = bee.describe(frame)
    if frame.mode:
        yield "mode", frame.mode
    if "message" in said:
        yield "message", _spaced(str(said["message"]))
    if frame.item:
        yield "item", frame.item
    if "why" in said:
        yield "why", str(said["why"])
        return
    fields = said["fields"]
    assert isinstance(fields, dict)
    if said["message"] == "UnknownItem":
        return
    names = {"code": "warning" if said["message"] == "Warned" else "alarm"}
    for name, value in fields.items():
        yield names.get(name, name), str(value)


def _spaced(name: str) -> str:
    return "".join(f" {letter}" if letter.isupper() else letter for letter in name).strip().capitalize()


# ------------------------------------------------------------------ comparison


OWN: Final = frozenset(
    [
        *("sender", "link_state", "request_in", "response_time", "response_time.retry", "since_command", "retry_of"),
        *("repeat_of", "began_in", "header", "check", "check.status", "check.calculated", "extension", "unread"),
        *("seal.status", "seal.counter", "seal.payload", "seal.tag", *LATER),
    ]
)
"""Fields that the dissector adds to those of the bytes, or that our codecs check and drop."""


def plain(packets: Packets) -> Packets:
    """Return only the fields of the bytes, with numbers spelled alike. For a payload that does not fit, or a frame with
    a bad check, our codecs read nothing and the dissector as much as it can: the bytes have to be the same."""
    return [
        [Piece(piece.protocol, tuple(_plain(piece.fields))) for piece in packet if piece.fields] for packet in packets
    ]


HEADER: Final = ("version", "flags", "kind", "link_sequence", "request", "message")


def _plain(fields: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    names = {name for name, _ in fields}
    only = {"noise", "noise.reason"} if "noise" in names else {*HEADER, "payload"} if "payload" in names else names
    for name, value in fields:
        if (
            name in OWN
            or name not in only
            or name.endswith((".list", ".row"))
            or name.startswith(("state.", "previous."))
        ):
            continue
        yield name, str(int(value, 16)) if value.startswith("0x") else value


def without_later(packets: Packets) -> Packets:
    """Return the packets as the first pass shows them."""
    return [
        [Piece(piece.protocol, tuple(each for each in piece.fields if each[0] not in LATER)) for piece in packet]
        for packet in packets
    ]
