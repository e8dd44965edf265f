"""Writes `docs/protocol-vectors.json` from tables typed by hand, without any code of the packages under test.

    python -m tests.support.oracles.vectors_by_hand

Its own COBS, its own layouts; the check is `binascii.crc32`. Types: u8 u16 u32 u64 little-endian; tN text padded
with zeros to N; xN exactly N bytes; b one count byte and that many bytes; a16 one count byte and that many u16;
p8 one count byte and that many pairs of u8; m one count byte and that many of u8 u8 u32.
"""

import binascii
import json
import struct
from pathlib import Path
from typing import Any

PATH = Path(__file__).parents[3] / "docs" / "protocol-vectors.json"
ROOM = 256 - 4 - 8  # of a decoded frame, for payload

COMMAND, REPLY, PROGRESS, EVENT, ACK, NAK, LINK = range(1, 8)

STATUS_HEAD = "session:u32 last_event:u32 uptime_ms:u32"
TABLE: list[tuple[str, int, int, str, list[Any]]] = [
    # name, kind, message id, layout, typical values
    ("Hello", LINK, 0x0001, "lowest_major:u8 lowest_minor:u8 highest_major:u8 highest_minor:u8 host:t16",
     [1, 0, 1, 1, "dealwire"]),
    ("HelloReply", LINK, 0x0002,
     "session:u32 lowest_major:u8 lowest_minor:u8 highest_major:u8 highest_minor:u8 device_class:u8 capabilities:u32 "
     "boot_count:u32 event_depth:u16 max_frame:u16 maker:t16 model:t16 serial:t16 firmware:t16 digest:x32",
     [0x1A2B3C4D, 1, 0, 1, 2, 1, 0x0F, 42, 256, 256, "Example Gaming", "PS-1", "00017", "1.4.2",
      bytes(range(0xE0, 0x100)).hex()]),
    ("Heartbeat", LINK, 0x0003, "session:u32", [0x1A2B3C4D]),
    ("Gap", LINK, 0x0004, "session:u32 first_missing:u32 first_kept:u32 last:u32", [0x1A2B3C4D, 5, 90, 345]),
    ("Ack", ACK, 0x0005, "session:u32 up_to:u32", [0x1A2B3C4D, 345]),
    ("ShufflerStatus", LINK, 0x0110,
     STATUS_HEAD + " state:u8 lamps:u8 door_open:u8 deck:u8 loaded:u16 packets:u8 dispensed:u16 in_tray:u8 "
     "remainder:u16 rejected:u8 faults:a16",
     [0x1A2B3C4D, 345, 3_600_000, 12, 1, 0, 2, 52, 3, 15, 0, 0, 1, [301, 504]]),
    ("ShoeStatus", LINK, 0x0210,
     STATUS_HEAD + " state:u8 locked:u8 halted:u8 shoe:u32 decks:u8 loaded:u16 drawn:u16 in_round:u16 "
     "cut_card_seen:u8 faults:a16",
     [0x5EED5EED, 77, 120_000, 5, 0, 1, 4711, 8, 416, 260, 11, 1, [401, 402]]),
    ("ControllerStatus", LINK, 0x0310, STATUS_HEAD + " state:u8 round:u32 sensors:u32 faults:a16",
     [0x0BADCAFE, 17, 59_999, 2, 1001, 0b101, [601]]),
    ("OpenSession", COMMAND, 0x0020, "session:u32 major:u8 minor:u8 role:u8", [0x1A2B3C4D, 1, 0, 1]),
    ("ReadEvents", COMMAND, 0x0021, "session:u32 first:u32", [0x1A2B3C4D, 90]),
    ("ReportStatus", COMMAND, 0x0022, "", []),
    ("SelfTest", COMMAND, 0x0023, "", []),
    ("SelectGame", COMMAND, 0x0120, "packet_size:u8 cards:u16 jokers:u8 game:t32", [5, 52, 0, "flushes-gone-wild.co"]),
    ("Dispense", COMMAND, 0x0121, "", []),
    ("Dump", COMMAND, 0x0122, "", []),
    ("RaiseLamp", COMMAND, 0x0123, "fault:u16", [505]),
    ("ClearMisdeal", COMMAND, 0x0124, "badge:u32 resolution:u8", [77_001, 2]),
    ("SetLock", COMMAND, 0x0125, "locked:u8", [1]),
    ("LockShoe", COMMAND, 0x0220, "locked:u8", [1]),
    ("ClearShoeError", COMMAND, 0x0221, "fault:u16 badge:u32", [401, 77_001]),
    ("EndRound", COMMAND, 0x0222, "", []),
    ("SetSensorLight", COMMAND, 0x0320, "seat:u8 lit:u8", [3, 1]),
    ("ShowMeter", COMMAND, 0x0321, "meter:u8 cents:u64", [1, 12_345_678_900]),
    ("ShowText", COMMAND, 0x0322, "text:t40", ["MISDEAL: call the supervisor"]),
    ("Booted", EVENT, 0x0030, "boot_count:u32 previous_session:u32 cause:u8 mid_round:u8", [42, 0xDEADBEEF, 1, 1]),
    ("FaultRaised", EVENT, 0x0031, "fault:u16 place:u8 value:u16", [204, 0x46, 1]),
    ("FaultCleared", EVENT, 0x0032, "fault:u16", [204]),
    ("DoorMoved", EVENT, 0x0033, "open:u8", [1]),
    ("StateChanged", EVENT, 0x0034, "state:u8 previous:u8", [8, 7]),
    ("GreenButton", EVENT, 0x0140, "", []),
    ("GameSelected", EVENT, 0x0141, "packet_size:u8 cards:u16 jokers:u8 game:t32", [5, 52, 0, "flushes-gone-wild.co"]),
    ("DeckLoaded", EVENT, 0x0142, "deck:u8 back:u8", [1, 2]),
    ("ShuffleStarted", EVENT, 0x0143, "deck:u8", [2]),
    ("DeckVerified", EVENT, 0x0144, "deck:u8 expected:u16 counted:u16", [1, 52, 52]),
    ("PacketDispensed", EVENT, 0x0145, "deck:u8 ordinal:u8 expected:u8 counted:u8 cards:b", [1, 2, 5, 5, "4132121d2a"]),
    ("PacketLifted", EVENT, 0x0146, "ordinal:u8", [2]),
    ("RemainderDumped", EVENT, 0x0147, "deck:u8 expected:u16 counted:u16", [1, 27, 26]),
    ("RemainderLifted", EVENT, 0x0148, "deck:u8", [1]),
    ("CardRejected", EVENT, 0x0149, "deck:u8 card:u8 fault:u16", [1, 0x62, 103]),
    ("RedLamp", EVENT, 0x014A, "lit:u8 fault:u16", [1, 301]),
    ("Misdeal", EVENT, 0x014B, "deck:u8 fault:u16 loaded:u16 remainder:u16 rejected:u8 packets:p8",
     [1, 301, 52, 0xFFFF, 0, [[5, 5], [5, 4]]]),
    ("MisdealCleared", EVENT, 0x014C, "fault:u16 badge:u32 resolution:u8", [301, 77_001, 1]),
    ("DeckRemoved", EVENT, 0x014D, "deck:u8", [1]),
    ("ShoeLoaded", EVENT, 0x0240, "shoe:u32 decks:u8 cards:u16", [4711, 8, 416]),
    ("BurnStarted", EVENT, 0x0241, "count:u8", [10]),
    ("CardDrawn", EVENT, 0x0242, "ordinal:u16 card:u8 place:u8 confidence:u8 reader:u8", [260, 0x4D, 0x42, 99, 3]),
    ("CardUnreadable", EVENT, 0x0243, "ordinal:u16 place:u8 reader:u8", [261, 0, 0b1100]),
    ("CutCardSeen", EVENT, 0x0244, "drawn:u16", [364]),
    ("Overdraw", EVENT, 0x0245, "ordinal:u16 halted:u8", [278, 1]),
    ("PushedBack", EVENT, 0x0246, "ordinal:u16 halted:u8", [279, 0]),
    ("PulledBack", EVENT, 0x0247, "ordinal:u16 halted:u8", [280, 1]),
    ("CardDrawnOutside", EVENT, 0x0248, "ordinal:u16 card:u8 mode:u8", [281, 0x2A, 1]),
    ("ShoeError", EVENT, 0x0249, "fault:u16 halted:u8", [401, 1]),
    ("ShoeErrorCleared", EVENT, 0x024A, "fault:u16 badge:u32", [401, 77_001]),
    ("ShoeLockMoved", EVENT, 0x024B, "locked:u8", [1]),
    ("ShoeEnded", EVENT, 0x024C, "shoe:u32 drawn:u16", [4711, 365]),
    ("CardReportedAgain", EVENT, 0x024D, "ordinal:u16 card:u8 place:u8", [260, 0x4D, 0x42]),
    ("GameStarted", EVENT, 0x0340, "round:u32", [1001]),
    ("GameEnded", EVENT, 0x0341, "round:u32", [1001]),
    ("SensorChanged", EVENT, 0x0342, "seat:u8 on:u8", [4, 1]),
    ("HandButton", EVENT, 0x0343, "hand:u8 on:u8", [7, 0]),
    ("SpotSelected", EVENT, 0x0344, "seat:u8", [6]),
    ("BadgeSwiped", EVENT, 0x0345, "badge:u32 level:u8", [77_001, 2]),
    ("Confirmed", EVENT, 0x0346, "", []),
    ("WagerPlaced", EVENT, 0x0347, "seat:u8 bet:u8 cents:u32", [3, 1, 2_500]),
    ("DecisionMade", EVENT, 0x0348, "seat:u8 decision:u8", [3, 2]),
    ("BurnConfirmed", EVENT, 0x0349, "place:u8 positions:u16 spread:u8", [0x40, 0b10011, 1]),
    ("HandRevealed", EVENT, 0x034A, "place:u8 source:u8 cards:b", [0x41, 1, "1112136051"]),
    ("CardsCounted", EVENT, 0x034B, "place:u8 counted:u8", [0x41, 5]),
    ("MisdealCalled", EVENT, 0x034C, "badge:u32 fault:u16", [77_001, 505]),
    ("CardMishandled", EVENT, 0x034D, "place:u8 how:u8 card:u8", [0x51, 2, 0x2A]),
    ("HandSet", EVENT, 0x034E, "place:u8 by:u8 foul:u8 low:u8 cards:b", [0x03, 1, 0, 2, "1131323334351d"]),
    ("CardsDiscarded", EVENT, 0x034F, "place:u8 cards:b", [0x41, "2a60"]),
    ("NumberDrawn", EVENT, 0x0350, "drawn:u8", [18]),
    ("WagerOn", EVENT, 0x0351, "seat:u8 bet:u8 proposition:u8 on:u8 cents:u32", [3, 5, 2, 0x2A, 75]),
    ("HandCorrected", EVENT, 0x0352, "place:u8 badge:u32 level:u8 cards:b", [0x03, 77_001, 2, "1112136051"]),
    ("Reply", REPLY, 0x0121, "status:u8 reason:u16 state:u8", [2, 3, 12]),
    ("Progress", PROGRESS, 0x0023, "percent:u8 state:u8", [40, 1]),
    ("Nak", NAK, 0x0145, "reason:u16", [11]),
    # add rows at the end, so that the bytes of earlier rows remain the same
    ("ReadMeters", COMMAND, 0x0024, "first:u16", [39]),
    ("Verify", COMMAND, 0x0025, "nonce:x16 region:u8", [bytes(range(0x10, 0x20)).hex(), 0]),
    ("Meters", LINK, 0x0006, "session:u32 total:u16 first:u16 meters:m",
     [0x1A2B3C4D, 41, 39, [[4, 2, 70_123], [11, 3, 0xFFFF_FFFF]]]),
    ("Measured", LINK, 0x0007, "session:u32 nonce:x16 region:u8 algorithm:u8 digest:x32",
     [0x1A2B3C4D, bytes(range(0x10, 0x20)).hex(), 0, 1, bytes(range(0xC0, 0xE0)).hex()]),
    ("StakeShown", EVENT, 0x0353, "seat:u8 cents:u32", [3, 45_000]),
    ("PlayerActed", EVENT, 0x0354, "seat:u8 action:u8 manner:u8 cents:u32", [3, 2, 0, 1_200]),
    ("PotTaken", EVENT, 0x0355, "pot:u8 seat:u8 cents:u32", [1, 3, 7_550]),
    ("PairCall", LINK, 0x0008, "ephemeral:x32 tag:x16", [bytes(range(1, 33)).hex(), bytes(range(0x40, 0x50)).hex()]),
    ("PairAnswer", LINK, 0x0009, "ephemeral:x32 static:x48 tag:x16",
     [bytes(range(2, 34)).hex(), bytes(range(0x50, 0x80)).hex(), bytes(range(0x80, 0x90)).hex()]),
    ("PairProof", LINK, 0x000A, "static:x48 granted:x33",
     [bytes(range(0x90, 0xC0)).hex(), bytes(range(0xC0, 0xE1)).hex()]),
    ("SealCall", LINK, 0x000B, "key_id:x8 ephemeral:x32 tag:x16",
     ["0123456789abcdef", bytes(range(3, 35)).hex(), bytes(range(0xD0, 0xE0)).hex()]),
    ("SealAnswer", LINK, 0x000C, "ephemeral:x32 tag:x16",
     [bytes(range(4, 36)).hex(), bytes(range(0xE0, 0xF0)).hex()]),
]  # fmt: skip

INTEGERS = {"u8": "<B", "u16": "<H", "u32": "<I", "u64": "<Q"}


def layout_of(kind: int, layout: str) -> list[tuple[str, str]]:
    head = "number:u32 device_ms:u32 " if kind == EVENT else ""
    return [(name, type_) for name, type_ in (item.split(":") for item in (head + layout).split())]


def pack(type_: str, value: Any) -> bytes:
    if type_ in INTEGERS:
        return struct.pack(INTEGERS[type_], value)
    if type_[0] == "t":
        raw = value.encode("ascii")
        assert len(raw) <= int(type_[1:])
        return raw + bytes(int(type_[1:]) - len(raw))
    if type_[0] == "x":
        raw = bytes.fromhex(value)
        assert len(raw) == int(type_[1:])
        return raw
    if type_ == "b":
        raw = bytes.fromhex(value)
        return bytes([len(raw)]) + raw
    if type_ == "a16":
        return bytes([len(value)]) + b"".join(struct.pack("<H", item) for item in value)
    if type_ == "m":
        return bytes([len(value)]) + b"".join(struct.pack("<BBI", *item) for item in value)
    assert type_ == "p8", type_
    return bytes([len(value)]) + bytes(item for pair in value for item in pair)


def zero(type_: str) -> Any:
    return 0 if type_ in INTEGERS else "" if type_[0] in "tb" else "00" * int(type_[1:]) if type_[0] == "x" else []


def top(type_: str, room: int) -> Any:
    """Return the largest value; a counted field fills the `room` bytes that the frame has left."""
    if type_ in INTEGERS:
        return (1 << 8 * struct.calcsize(INTEGERS[type_])) - 1
    if type_[0] == "t":
        return "~" * int(type_[1:])
    if type_[0] == "x":
        return "ff" * int(type_[1:])
    if type_ == "b":
        return "4d" * (room - 1)
    if type_ == "m":
        return [[255, 255, 0xFFFF_FFFF]] * ((room - 1) // 6)
    return [0xFFFF] * ((room - 1) // 2) if type_ == "a16" else [[255, 255]] * ((room - 1) // 2)


def stuff(data: bytes) -> bytes:
    """Return data in COBS. A group of 254 bytes without a zero that ends the data has no empty group after it."""
    out, group = bytearray(), bytearray()
    open_group = True
    for byte in data:
        open_group = True
        if byte:
            group.append(byte)
        if not byte or len(group) == 254:
            out.append(len(group) + 1)
            out += group
            group.clear()
            open_group = not byte
    if open_group:
        out.append(len(group) + 1)
        out += group
    return bytes(out)


def with_check(body: bytes) -> bytes:
    return body + struct.pack("<I", binascii.crc32(body))


def wire(body: bytes) -> bytes:
    return stuff(with_check(body)) + b"\0"


def head(kind: int, message_id: int, sequence: int = 0, request: int = 0, flags: int = 0, version: int = 1) -> bytes:
    return struct.pack("<BBBBHH", version, flags, kind, sequence, request, message_id)


OLD_SESSION = 0xDEADBEEF
ZEROS = "counts from 1 on are 0 in it, which no sender writes"
LARGEST = "it has flags that this version does not define, and values beyond what they may be"
NAMELESS = "extension 01h has four bytes; one of another length names no session, is skipped, and sent by nobody"


def frame(name: str, row: tuple[str, int, int, str, list[Any]], values: list[Any], sequence: int, request: int = 0,
          flags: int = 0, extensions: list[tuple[int, str]] | None = None,
          reading_only: str = "") -> dict[str, Any]:  # fmt: skip
    message, kind, message_id, text, _ = row
    layout = layout_of(kind, text)
    tail = b"".join(bytes([t, len(v) // 2]) + bytes.fromhex(v) for t, v in extensions or [])
    payload = b"".join(pack(type_, value) for (_, type_), value in zip(layout, values, strict=True)) + tail
    body = head(kind, message_id, sequence, request, flags) + payload
    assert len(payload) <= ROOM, name
    return {
        "name": name,
        "message": message,
        "kind": kind,
        "message_id": message_id,
        "header": {"version": 1, "flags": flags, "link_sequence": sequence, "request": request},
        "fields": {field: value for (field, _), value in zip(layout, values, strict=True)},
        "extensions": [{"type": t, "value": v} for t, v in extensions or []],
        "payload": payload.hex(),
        "decoded": with_check(body).hex(),
        "wire": wire(body).hex(),
    } | ({"reading_only": reading_only} if reading_only else {})


def edge(layout: list[tuple[str, str]]) -> tuple[list[Any], list[Any]]:
    """Return the fields all zero, and all at their largest."""
    room, largest = ROOM, []
    for _, type_ in layout:
        largest.append(top(type_, room))
        room -= len(pack(type_, largest[-1]))
    return [zero(type_) for _, type_ in layout], largest


def frames() -> list[dict[str, Any]]:
    found = []
    for sequence, row in enumerate(TABLE):
        name, kind, _, text, values = row
        values = [sequence + 1, 60_000 + sequence, *values] if kind == EVENT else values
        request = 0x0102 if kind in (COMMAND, REPLY, PROGRESS) or name in ("Meters", "Measured") else 0
        found.append(frame(f"{name}: typical", row, values, sequence, request))
        layout = layout_of(kind, text)
        if layout:
            zeros, largest = edge(layout)
            found.append(frame(f"{name}: all zero", row, zeros, 0, reading_only=ZEROS))
            found.append(frame(f"{name}: all at their largest", row, largest, 255, 0xFFFF, 0x0F, reading_only=LARGEST))
        if name in ("HelloReply", "ShufflerStatus", "PacketDispensed", "Reply", "Dispense"):
            extensions = [(0x01, ""), (0x80, "00"), (0xFF, "00ff7e")]
            found.append(frame(f"{name}: three extensions", row, values, 0x80, request, extensions=extensions,
                               reading_only=NAMELESS))  # fmt: skip
    return found + from_zero() + old_events() + attested()


def from_zero() -> list[dict[str, Any]]:
    """Return vectors with legal zeros in fields that count: a host that rejected them would refuse a correct device."""
    rows = {row[0]: row for row in TABLE}
    cases = [
        ("Overdraw: of the first card", "Overdraw", [3, 61_000, 0, 1], 0),
        ("Meters: of a new device", "Meters", [0x1A2B3C4D, 2, 0, [(2, 0, 0), (17, 0, 1)]], 0x0102),
        ("GameStarted: after the highest number", "GameStarted", [4, 62_000, 0], 0),
        ("GameEnded: after the highest number", "GameEnded", [5, 63_000, 0], 0),
    ]
    return [frame(name, rows[message], values, 10, request) for name, message, values, request in cases]


def old_events() -> list[dict[str, Any]]:
    """Return events with the session that extension 01h names: that of the power-up before, or none."""
    row = next(row for row in TABLE if row[0] == "PacketDispensed")
    named = struct.pack("<I", OLD_SESSION).hex()
    cases: list[tuple[str, list[tuple[int, str]], int | None]] = [
        ("of the session before", [(1, named)], OLD_SESSION),
        ("of the session before, behind a maker's extension", [(0x80, "00"), (1, named)], OLD_SESSION),
        ("extension 01h of three bytes", [(1, named[:6])], None),
        ("extension 01h of five bytes", [(1, named + "00")], None),
    ]
    return [
        frame(f"PacketDispensed: {name}", row, [7, 61_000, *row[4]], 9, extensions=extensions,
              reading_only="" if session else NAMELESS)
        | {"names_session": session}
        for name, extensions, session in cases
    ]  # fmt: skip


IMAGE_DIGEST = "1fbbbc015f810997bec6465dce2c7ee2498be646aecaf0276052454cc1360861"
"""SHA-256 of ASCII `image of the firmware`."""
NONCED_DIGEST = "ff2cb09c4df9a666cfb7a110db5d257af9f1193f17a5c87e9c0b14a736ae210e"
"""SHA-256 of the bytes 0 to 15, then that image."""
CERTIFICATE = (
    "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511ae77d9c7fbae2c732fb95d87b769efa2b6563"
    "62ecb13b64a698398410674c8ea3dbe5cabcf14422a8174754adfa63bc9c4b240525fb42d2efe7ab9f5425fd180d"
)
"""Value of extension 03h."""
STATEMENT = (
    "150000001fbbbc015f810997bec6465dce2c7ee2498be646aecaf0276052454cc13608618520f0098930a754748b7ddcb43e"
    "f75a0dbf3a0d26381af4eba4a98eaa9b4e6a2e8fa428296a91d05e842551d07cbcc529dce70980ed66286bd35e3621a6afe2"
    "dfefc94fbc5a6d7f3ca26764e40bafdb9a05113de8a5e2bdc42df65385902602"
)
"""Value of extension 02h."""
STATEMENT_WITHOUT = (
    "150000001fbbbc015f810997bec6465dce2c7ee2498be646aecaf0276052454cc13608610000000000000000000000000000"
    "000000000000000000000000000000000000a38f67578b1be5e238af921c1f256ec2bd5a8262b19cfac9da9cbfe245dc5ea2"
    "3239ccab230a70eaba2776d61f830d7a56b09e693f2490ad36e02d1ed2c7eb04"
)
"""The same of a device without an X25519 key."""


def attested() -> list[dict[str, Any]]:
    """Return the messages of a device that attests. It signs with the key of test 1 of RFC 8032, its maker with that of
    test 2, its X25519 key is the first of RFC 7748; made with `cryptography`, without this program."""
    rows = {row[0]: row for row in TABLE}
    hello = [0x1A2B3C4D, 1, 0, 1, 4, 1, 0x28F, 42, 256, 256, "Example Gaming", "PS-1", "00017", "1.4.2", IMAGE_DIGEST]
    measured = [0x1A2B3C4D, bytes(range(16)).hex(), 0, 1, NONCED_DIGEST]
    return [
        frame("HelloReply: certified", rows["HelloReply"], hello, 11, extensions=[(0x03, CERTIFICATE)]),
        frame("Measured: signed", rows["Measured"], measured, 12, 0x0102, extensions=[(0x02, STATEMENT)]),
        frame("Measured: signed, without a line key", rows["Measured"], measured, 13, 0x0102,
              extensions=[(0x02, STATEMENT_WITHOUT)]),
    ]  # fmt: skip


def unknown() -> list[dict[str, Any]]:
    """Return whole frames that mean nothing to version 1.4: values to keep and acknowledge, not errors."""
    cases = [
        ("unknown event", head(EVENT, 0x7F7F, 9) + bytes.fromhex("0a000000e8030000c0ffee")),
        ("a shoe's event, not yet given out", head(EVENT, 0x027F) + bytes.fromhex("0100000002000000")),
        ("unknown kind", head(9, 0x0001) + b"\x01"),
        ("unknown kind and id without payload", head(0xFF, 0xFFFF, 255, 0xFFFF, 0xFF)),
        ("another version's command", head(COMMAND, 0x0121, 1, 2, version=2)),
        ("256 bytes without a zero", head(9, 0x7F7F, 1, 0x0101, 0x0F) + b"\xaa" * ROOM),
    ]
    return [
        {
            "name": name,
            "version": body[0],
            "kind": body[2],
            "message_id": struct.unpack_from("<H", body, 6)[0],
            "payload": body[8:].hex(),
            "decoded": with_check(body).hex(),
            "wire": wire(body).hex(),
        }
        for name, body in cases
    ]


BUTTON = head(EVENT, 0x0140, 7) + struct.pack("<II", 12, 34_567)
LIFTED = head(EVENT, 0x0146, 8) + struct.pack("<IIB", 13, 35_000, 2)


def streams() -> list[dict[str, Any]]:
    """Return vectors of byte streams and their reading. Each stream is put together from pieces whose reading is known
    beforehand."""
    good, next_ = wire(BUTTON), wire(LIFTED)
    flipped = bytearray(good)
    flipped[good.index(0x87)] ^= 0x10  # a byte of device_ms, not of the COBS chain
    wrong_order = stuff(BUTTON + struct.pack(">I", binascii.crc32(BUTTON))) + b"\0"
    no_zero = head(9, 0x7F7F, 1, 0x0101, 0x0F) + b"\xab" * (254 - 12)
    assert 0 not in with_check(no_zero)
    long_body = with_check(head(9, 1) + b"\x55" * (ROOM + 1))
    longest = head(9, 0x7F7F, 1, 0x0101, 0x0F) + b"\xaa" * ROOM
    truncated = good[:9]  # the group that began with 04 lacks its last byte
    assert truncated.endswith(b"\x04\x40\x01")
    cases: list[tuple[str, list[tuple[str, bytes]], bytes]] = [
        ("one frame", [("frame", good)], b""),
        ("opening delimiter", [("frame", b"\0" + good)], b""),
        ("two frames", [("frame", good), ("frame", next_)], b""),
        ("two frames, each after silence", [("frame", b"\0" + good), ("frame", b"\0" + next_)], b""),
        ("idle line", [("idle delimiter", b"\0"), ("idle delimiter", b"\0"), ("frame", b"\0" + good)], b""),
        ("zeros only: the last may still open a frame", [("idle delimiter", b"\0")] * 3, b"\0"),
        ("nothing", [], b""),
        ("bad check", [("bad check", bytes(flipped))], b""),
        ("bad check, high byte first", [("bad check", wrong_order)], b""),
        ("bad check, then a good frame", [("bad check", bytes(flipped)), ("frame", good)], b""),
        ("good, bad check after silence, good",
         [("frame", good), ("bad check", b"\0" + bytes(flipped)), ("frame", next_)], b""),
        ("not COBS: the group runs past the delimiter", [("not COBS", b"\x05\x11\x22\0"), ("frame", good)], b""),
        ("start-up text before the first frame", [("not COBS", b"boot ok\r\n\0"), ("frame", good)], b""),
        ("shorter than header and check", [("too short", wire(BUTTON[:7])), ("frame", good)], b""),
        ("one byte", [("too short", b"\x01\0")], b""),
        ("cut in the middle of a group, next frame opens with a delimiter",
         [("not COBS", truncated + b"\0"), ("frame", next_)], b""),
        ("cut off by silence or the end", [("frame", next_)], b"\0" + truncated),
        ("longest frame", [("frame", wire(longest)), ("frame", good)], b""),
        ("257 bytes decoded, more on the wire than a frame may have",
         [("too long", stuff(long_body) + b"\0"), ("frame", good)], b""),
        ("257 bytes decoded, though no more on the wire than a frame may have",
         [("too long", b"\x01" * 258 + b"\0"), ("frame", good)], b""),
        ("300 bytes without a delimiter, then a good frame",
         [("too long", b"\x7e" * 300 + b"\0"), ("frame", good)], b""),
        ("254 bytes without a zero", [("frame", wire(no_zero))], b""),
        ("254 bytes without a zero, with the empty last group some senders add",
         [("frame", stuff(with_check(no_zero)) + b"\x01\0")], b""),
    ]  # fmt: skip
    return [typed_stream(*case) for case in cases]


def typed_stream(name: str, pieces: list[tuple[str, bytes]], pending: bytes) -> dict[str, Any]:
    listed, offset = [], 0
    for reading, data in pieces:
        piece: dict[str, Any] = {"offset": offset, "length": len(data), "reading": reading}
        if reading == "frame":
            piece["body"] = unstuff(data).hex()
        listed.append(piece)
        offset += len(data)
    data = b"".join(data for _, data in pieces) + pending
    return {"name": name, "wire": data.hex(), "pieces": listed, "pending": len(pending)}


def unstuff(data: bytes) -> bytes:
    """Return the body of a good frame, by the textbook."""
    data, out = data.strip(b"\0"), bytearray()
    at = 0
    while at < len(data):
        code = data[at]
        out += data[at + 1 : at + code]
        at += code
        if code < 255 and at < len(data):
            out.append(0)
    return bytes(out[:-4])


def bad_payloads() -> list[dict[str, Any]]:
    """Return good frames whose payload does not fit the message they name: answered by NAK, reason 11."""
    packet, status = head(EVENT, 0x0145), head(LINK, 0x0310)
    cases = [
        ("payload one byte short", LIFTED[:-1]),
        ("no payload at all", packet),
        ("card count beyond the payload", packet + struct.pack("<IIBBBBB", 1, 2, 1, 1, 5, 5, 5) + b"\x11" * 4),
        ("card count missing", packet + struct.pack("<IIBBBB", 1, 2, 1, 1, 5, 5)),
        ("fault count beyond the payload", status + struct.pack("<IIIBIIB", 1, 2, 3, 1, 4, 0, 2) + b"\x01\x00\x02"),
        ("half an extension head", LIFTED + b"\x01"),
        ("extension longer than the payload", LIFTED + b"\x01\x03ab"),
        ("good extension, then half of one", LIFTED + b"\x01\x00\x02"),
        ("text that is not ASCII", head(COMMAND, 0x0322) + "café".encode("latin-1") + bytes(36)),
    ]
    return [{"name": name, "body": body.hex(), "wire": wire(body).hex()} for name, body in cases]


def document() -> dict[str, Any]:
    from tests.support.oracles.conversations_by_hand import (
        conversations,  # which are put together from what stands above
    )

    return {
        "protocol": "Table Device Protocol",
        "version": "1.3",
        "about": "Hex throughout. decoded = header, payload, check; wire = COBS of it and the closing delimiter. "
        "Fields that hold bytes or card codes are hex, texts are text. A frame is read and written as it stands; one "
        "with reading_only is read, and that says why nobody writes it. names_session: the session that extension 01h "
        "names, null for none. See protocol.md and protocol-data.md.",
        "frames": frames(),
        "unknown": unknown(),
        "streams": streams(),
        "bad_payloads": bad_payloads(),
        "conversations": conversations(),
    }


def render() -> str:
    """Return the document with one vector or step a line, so that a change shows as the lines it touches."""
    lines = []
    for key, value in document().items():
        if isinstance(value, list):
            rows = ",\n".join("  " + row_of(row) for row in value)
            lines.append(f"{json.dumps(key)}: [\n{rows}\n ]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def row_of(row: dict[str, Any]) -> str:
    if "steps" not in row:
        return json.dumps(row)
    steps = ",\n".join("    " + json.dumps(step) for step in row["steps"])
    head_ = json.dumps({key: value for key, value in row.items() if key != "steps"})
    return f'{head_[:-1]}, "steps": [\n{steps}\n   ]}}'


if __name__ == "__main__":
    PATH.write_text(render(), encoding="ascii")
