"""The derived decoders against the vectors and against `construct`, on valid, random, truncated and overlong input."""

import json
import pickle
import random
import subprocess
import sys
from typing import Any

import construct
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import asdict

from protocol.errors import BadPayload, CannotEncode
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.codec import Unknown, decode, describe, encode
from protocol.tdp.derive import FIXED, Layout, Shape, Underivable, fields_of, header_fields
from protocol.tdp.messages import Kind, Message
from protocol.tdp.packets import ANSWERS, HEADER, PACKETS
from protocol.tdp.predecessor import named_session
from tests.support.oracles import vectors_by_hand as oracle
from tests.support.reading.each import of_each
from tests.support.reading.vectors import BAD_PAYLOADS, FRAMES, UNKNOWN, body_of, extensions_of, message_of, name_of

Case = tuple[int, int, type[Message], Any]
CASES: list[Case] = [(kind, number, cls, packet) for (kind, number), (cls, packet) in PACKETS.items()]
CASES += [(kind, 0x0121, cls, packet) for kind, (cls, packet) in ANSWERS.items()]


def case_name(case: Case) -> str:
    return message_name(case[2])


def head(kind: int, number: int) -> bytes:
    return oracle.head(kind, number, sequence=5, request=6)


def plain(value: Any) -> Any:
    """Return a parse result of construct as plain values: tuples for lists, tuples of values for records."""
    if isinstance(value, list):
        return tuple(plain(item) for item in value)
    if isinstance(value, dict):
        return tuple(plain(item) for key, item in value.items() if key != "_io")
    return value


def by_construct(packet: Any, payload: bytes) -> tuple[dict[str, Any], Any] | None:
    """Return fields and extensions as construct reads them; None if it refuses."""
    try:
        parsed = packet.parse(payload)
    except construct.ConstructError:
        return None
    values = {key: plain(value) for key, value in parsed.items() if key not in ("_io", "extensions")}
    return values, plain(parsed.extensions)


def by_codec(case: Case, payload: bytes) -> tuple[dict[str, Any], Any] | None:
    kind, number, cls, _ = case
    try:
        envelope = decode(head(kind, number) + payload)
    except BadPayload:
        return None
    assert type(envelope.message) is cls
    return asdict(envelope.message), envelope.extensions


def assert_same(case: Case, payload: bytes) -> bool:
    """Assert that both decoders read the same or both refuse. Return True if they read it."""
    expected = by_construct(case[3], payload)
    assert by_codec(case, payload) == expected, (case_name(case), payload.hex())
    return expected is not None


# ------------------------------------------------------------------ the published vectors, three ways


def test_the_published_vectors_are_the_hand_typed_ones() -> None:
    assert oracle.PATH.read_text() == oracle.render(), "run: python -m tests.support.oracles.vectors_by_hand"


def test_every_message_has_its_vectors() -> None:
    """Each has at least one; those with fields also have zero and maximum values."""
    names = [vector["name"] for vector in FRAMES]
    for _, _, cls, packet in CASES:
        assert f"{message_name(cls)}: typical" in names
        if fields_of(packet):
            assert f"{message_name(cls)}: all zero" in names
            assert f"{message_name(cls)}: all at their largest" in names
    assert len(names) == len(set(names))


@of_each("vector", FRAMES, ids=name_of)
def test_vector(vector: dict[str, Any]) -> None:
    body, header, message = body_of(vector), vector["header"], message_of(vector)
    envelope = decode(body)
    assert envelope.message == message
    assert type(envelope.message) is type(message)
    assert (envelope.kind, envelope.message_id) == (vector["kind"], vector["message_id"])
    found = {name: getattr(envelope, name) for name in header}
    assert found == header
    assert envelope.extensions == extensions_of(vector)
    rest = {name: value for name, value in header.items() if name != "version"}
    assert encode(message, message_id=envelope.message_id, extensions=envelope.extensions, **rest) == body


OF_A_SESSION = [vector for vector in FRAMES if "names_session" in vector]


@of_each("vector", OF_A_SESSION, ids=name_of)
def test_only_four_bytes_name_the_session_of_an_old_event(vector: dict[str, Any]) -> None:
    assert named_session(decode(body_of(vector)).extensions) == vector["names_session"]


def test_what_no_sender_writes_is_for_reading_only() -> None:
    """The remaining vectors have no flag, no count of 0, and extension 01h with four bytes."""
    assert {vector["names_session"] is None for vector in OF_A_SESSION} == {True, False}
    for vector in FRAMES:
        named = {item["type"]: item["value"] for item in vector["extensions"]}
        odd = vector["header"]["flags"] or 0 in (vector["fields"].get("number"), vector["fields"].get("session"))
        odd = odd or (vector["kind"] == Kind.COMMAND and not vector["header"]["request"])
        assert ("reading_only" in vector) >= (bool(odd) or len(named.get(1, "00000000")) != 8), vector["name"]
        assert "reading_only" not in vector or "typical" not in vector["name"]


@of_each("vector", FRAMES, ids=name_of)
def test_vector_as_construct_reads_and_builds_it(vector: dict[str, Any]) -> None:
    body, payload = body_of(vector), bytes.fromhex(vector["payload"])
    parsed = HEADER.parse(body[:8])
    assert (parsed.kind, parsed.message) == (vector["kind"], vector["message_id"])
    assert body[8:] == payload
    packet = PACKETS.get((parsed.kind, parsed.message)) or ANSWERS[parsed.kind]
    message = message_of(vector)
    expected = asdict(message)
    assert by_construct(packet[1], payload) == (expected, extensions_of(vector))
    assert built(packet[1], message, extensions_of(vector)) == payload


def built(packet: Any, message: Message, extensions: tuple[tuple[int, bytes], ...] = ()) -> bytes:
    values = asdict(message)
    if isinstance(message, m.MisdealMessage):
        values["packets"] = [{"expected": expected, "counted": counted} for expected, counted in message.packets]
    if isinstance(message, m.MetersMessage):
        names = ("meter", "component", "count")
        values["meters"] = [dict(zip(names, reading, strict=True)) for reading in message.meters]
    items = [{"type": type_, "value": value} for type_, value in extensions]
    return bytes(packet.build({**values, "extensions": items}))


@of_each("vector", UNKNOWN, ids=name_of)
def test_unknown_is_a_value_and_travels_on(vector: dict[str, Any]) -> None:
    body = body_of(vector)
    envelope = decode(body)
    unknown = Unknown(vector["kind"], vector["message_id"], bytes.fromhex(vector["payload"]))
    assert envelope.message == unknown
    assert envelope.version == vector["version"]
    if vector["version"] == 1:
        again = encode(unknown, flags=envelope.flags, link_sequence=envelope.link_sequence, request=envelope.request)
        assert again == body


@of_each("vector", BAD_PAYLOADS, ids=name_of)
def test_bad_payload(vector: dict[str, Any]) -> None:
    body = bytes.fromhex(vector["body"])
    with pytest.raises(BadPayload) as caught:
        decode(body)
    assert (caught.value.kind, caught.value.payload) == (body[2], body[8:])
    assert f"0x{caught.value.message_id:04X}: {caught.value.why}; payload" in str(caught.value)


# ------------------------------------------------------------------ decoder == construct


@of_each("case", CASES, ids=case_name)
def test_decoder_equals_construct_on_cut_overlong_and_random_payloads(case: Case) -> None:
    chance = random.Random(case_name(case))
    payloads = [bytes.fromhex(v["payload"]) for v in FRAMES if v["message"] == case_name(case)]
    read = refused = 0
    for payload in payloads:
        assert assert_same(case, payload)
        for end in range(max(0, len(payload) - 60), len(payload)):
            read += assert_same(case, payload[:end])
        for tail in (b"\0", b"\1\0", b"\1\1", b"\1\5abc", b"\1\1a\2", b"\0" * 7, b"\xff" * 9):
            read += assert_same(case, payload + tail)
    for size in (0, 1, 2, 5, 9, 13, 20, 33, 60, 117, 244):
        for _ in range(6):
            data = bytearray(chance.randbytes(size))
            refused += not assert_same(case, bytes(data))
            refused += not assert_same(case, bytes(byte & 0x7F if i % 2 else byte & 3 for i, byte in enumerate(data)))
    assert read
    assert refused


@settings(max_examples=250)
@given(st.sampled_from(CASES), st.binary(max_size=244))
def test_decoder_equals_construct_on_what_hypothesis_finds(case: Case, payload: bytes) -> None:
    assert_same(case, payload)


@settings(max_examples=150)
@given(st.binary(max_size=252))
def test_any_body_gives_an_envelope_or_the_one_error(body: bytes) -> None:
    try:
        envelope = decode(body)
    except BadPayload:
        return
    json.dumps(describe(envelope))
    assert (envelope.version, envelope.flags, envelope.kind, envelope.link_sequence) == tuple(body[:4])


@pytest.mark.parametrize("body", [b"", b"\x01", bytes(7)])
def test_less_than_a_header(body: bytes) -> None:
    with pytest.raises(BadPayload, match=f"{len(body)} bytes are too short for a header of 8"):
        decode(body)


# ------------------------------------------------------------------ encoder == construct


def values_for(layout: Layout) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for any values of the declared fields that fit a frame."""

    def one(field: Any) -> st.SearchStrategy[Any]:
        if field.shape is Shape.INTEGER:
            return st.integers(0, (1 << 8 * field.size) - 1)
        if field.shape is Shape.BYTES:
            return st.binary(min_size=field.size, max_size=field.size)
        if field.shape is Shape.TEXT:
            return st.text(st.characters(max_codepoint=127), max_size=field.size).filter(lambda t: not t.endswith("\0"))
        if field.shape is Shape.BLOB:
            return st.binary(max_size=60)
        if field.shape is Shape.RUN:
            return st.lists(st.integers(0, 0xFFFF), max_size=30).map(tuple)
        return st.lists(st.tuples(*map(one, field.parts)), max_size=30).map(tuple)

    return st.fixed_dictionaries({field.name: one(field) for field in layout.fields})


messages_and_packets = st.one_of(
    [
        values_for(Layout(cls, packet)).map(lambda values, cls=cls, packet=packet: (cls(**values), packet))
        for _, _, cls, packet in CASES
    ]
)
some_extensions = st.lists(st.tuples(st.integers(0, 255), st.binary(max_size=20)), max_size=3).map(tuple)


@settings(max_examples=250)
@given(messages_and_packets, some_extensions)
def test_encoder_equals_construct_and_decoding_gives_the_message_back(
    case: tuple[Message, Any], extensions: tuple[tuple[int, bytes], ...]
) -> None:
    message, packet = case
    answers = isinstance(message, (m.ReplyMessage, m.ProgressMessage, m.NakMessage))
    body = encode(message, message_id=0x0121 if answers else None, extensions=extensions)
    assert body[8:] == built(packet, message, extensions)
    envelope = decode(body)
    assert (envelope.message, envelope.extensions) == (message, extensions)


def typical(case: Case) -> Message:
    return next(message_of(v) for v in FRAMES if v["name"] == f"{case_name(case)}: typical")


@of_each("case", CASES, ids=case_name)
def test_a_value_without_room_is_refused_by_field_and_limit(case: Case) -> None:
    """One above the maximum and one below zero for every integer; one character, byte or item too many."""
    _, number, cls, packet = case
    message = typical(case)
    values = asdict(message)
    for field in fields_of(packet):
        wrong: list[Any] = [None, 1.5]
        if field.shape is Shape.INTEGER:
            wrong += [-1, 1 << 8 * field.size, "1"]
        elif field.shape is Shape.TEXT:
            wrong += ["x" * (field.size + 1), "café", b"bytes"]
        elif field.shape is Shape.BYTES:
            wrong += [bytes(field.size - 1), bytes(field.size + 1), "00" * field.size]
        elif field.shape is Shape.BLOB:
            wrong += [bytes(256), "text"]
        elif field.shape is Shape.RUN:
            wrong += [(0x10000,), (-1,), (0,) * 256]
        else:
            record = tuple(0 for _ in field.parts)
            wrong += [(record[1:],), ((*record, 0),), (record,) * 256]
            wrong += [((*record[:-1], 1 << 8 * field.parts[-1].size),), ((*record[:-1], -1),)]
        for value in wrong:
            with pytest.raises(CannotEncode, match=f"^{message_name(cls)} cannot be encoded: {field.name} "):
                encode(cls(**{**values, field.name: value}), message_id=number)


def test_a_message_longer_than_a_frame_is_refused() -> None:
    room = 256 - 4 - 8 - 11  # check, header, and the fields and count of a HandRevealed
    assert len(encode(m.HandRevealedMessage(1, 2, 3, 1, bytes(room)))) == 252
    with pytest.raises(CannotEncode, match=r"HandRevealed .*: its payload is 245 bytes; a frame holds at most 244"):
        encode(m.HandRevealedMessage(1, 2, 3, 1, bytes(room + 1)))


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (
            lambda: encode(m.ReplyMessage(0, 0, 0)),
            "Reply cannot be encoded: message_id is missing: the id of the message it answers",
        ),
        (lambda: encode(m.DispenseMessage(), message_id=0x0122), "Dispense .*: its message id is 0x0121, not 0x0122"),
        (lambda: encode(m.DispenseMessage(), request=0x10000), "Dispense .*: header: flags 0, request 65536"),
        (lambda: encode(m.DispenseMessage(), flags=256), "Dispense .*: header: flags 256"),
        (lambda: encode(m.NakMessage(1), message_id=0x10000), "Nak .*: header: .* message id 65536"),
        (lambda: encode(m.DispenseMessage(), extensions=((256, b""),)), "Dispense .*: extensions: "),
        (lambda: encode(m.DispenseMessage(), extensions=((1, bytes(256)),)), "Dispense .*: extensions: "),
        (lambda: encode(m.Message()), "Message cannot be encoded: the protocol has no such message"),
        (lambda: encode(m.Event(1, 2)), "Event cannot be encoded: the protocol has no such message"),
    ],
)
def test_what_else_cannot_be_encoded(call: Any, why: str) -> None:
    with pytest.raises(CannotEncode, match=why):
        call()


def test_link_sequence_wraps() -> None:
    assert decode(encode(m.DispenseMessage(), link_sequence=0x1FE)).link_sequence == 0xFE


# ------------------------------------------------------------------ versions


def test_only_hello_and_its_reply_are_read_in_every_version() -> None:
    reply = next(v for v in FRAMES if v["name"] == "HelloReply: typical")
    for message in (m.HelloMessage(2, 0, 2, 1, "future"), message_of(reply)):
        body = bytearray(encode(message))
        body[0] = 2
        assert decode(bytes(body)).message == message
    for message, message_id in ((m.DispenseMessage(), None), (m.NakMessage(10), 0x0121)):
        body = bytearray(encode(message, message_id=message_id))
        body[0] = 2
        assert decode(bytes(body)).message == Unknown(body[2], 0x0121, bytes(body[8:]))


@of_each("vector", FRAMES, ids=name_of)
def test_nothing_else_of_another_version_is_taken_for_what_ours_says(vector: dict[str, Any]) -> None:
    if vector["name"].startswith("Hello"):
        return
    body = bytearray(
        encode(
            message_of(vector), message_id=0x0121 if vector["name"].startswith(("Reply", "Progress", "Nak")) else None
        )
    )
    body[0] = 2
    assert isinstance(decode(bytes(body)).message, Unknown)


def test_a_payload_too_short_says_by_how_much() -> None:
    body = encode(m.GreenButtonMessage(1, 2))
    with pytest.raises(BadPayload, match="5 bytes where at least 8 are needed"):
        decode(body[:13])


# ------------------------------------------------------------------ values


@of_each("case", CASES, ids=case_name)
def test_a_decoded_message_is_the_frozen_value(case: Case) -> None:
    """Equal, hashable, picklable, immutable: what the class's own constructor makes."""
    expected = typical(case)
    message = decode(encode(expected, message_id=case[1])).message
    assert type(message) is case[2]
    assert (message, hash(message), repr(message)) == (expected, hash(expected), repr(expected))
    assert pickle.loads(pickle.dumps(message)) == expected
    for name in message.__struct_fields__:
        with pytest.raises(AttributeError, match="immutable"):
            setattr(message, name, 0)
    with pytest.raises((AttributeError, TypeError)):
        message.other = 0  # type: ignore[attr-defined]


# ------------------------------------------------------------------ describe


def shown(message: Message, message_id: int | None = None) -> Any:
    return describe(decode(encode(message, message_id=message_id)))["fields"]


def test_describe_speaks_the_words_of_the_field() -> None:
    packet = m.PacketDispensedMessage(7, 1234, 1, 2, 5, 5, bytes.fromhex("31112a5160"))
    assert describe(decode(encode(packet, link_sequence=3, extensions=((9, b"\x01\x02"),)))) == {
        "version": 1,
        "flags": 0,
        "kind": "EVENT",
        "link_sequence": 3,
        "request": 0,
        "message_id": "0x0145",
        "message": "PacketDispensed",
        "fields": {
            "number": 7,
            "device_ms": 1234,
            "deck": 1,
            "ordinal": 2,
            "expected": 5,
            "counted": 5,
            "cards": ["AH", "AC", "TD", "X1", "??"],
        },
        "extensions": [{"type": 9, "value": "0102"}],
    }


def test_describe_names_places_faults_enums_and_flags() -> None:
    raised = shown(m.FaultRaisedMessage(1, 2, 204, 0x46, 3))
    assert raised == {"number": 1, "device_ms": 2, "fault": "card lost (204)", "place": "shuffler", "value": 3}
    status = shown(m.ShufflerStatusMessage(1, 2, 3, 12, 0b101, 0, 2, 52, 3, 15, 0, 0, 1, (301, 299)))
    assert (status["state"], status["lamps"]) == ("MISDEAL", ["RED", "0x4"])
    assert status["faults"] == ["packet short (301)", "card transport fault 299"]
    assert shown(m.CardRejectedMessage(1, 2, 1, 0x62, 103))["card"] == "?#"
    assert shown(m.MisdealMessage(1, 2, 1, 301, 52, 0xFFFF, 0, ((5, 4),)))["packets"] == [{"expected": 5, "counted": 4}]
    assert shown(m.ReplyMessage(2, 3, 12), 0x0121) == {"status": "REFUSED", "reason": "WRONG_STATE", "state": 12}
    hello = next(message_of(v) for v in FRAMES if v["name"] == "HelloReply: typical")
    assert shown(hello)["digest"] == bytes(range(0xE0, 0x100)).hex()
    assert shown(hello)["capabilities"] == ["CARD_RECOGNITION", "TWO_DECKS", "COUNTS_PACKETS", "HOST_LAMP"]


def test_describe_keeps_what_it_does_not_know_as_numbers() -> None:
    assert shown(m.BadgeSwipedMessage(1, 2, 77, 200))["level"] == 200
    assert shown(m.HandRevealedMessage(1, 2, 0xEE, 1, b"\xee")) == {
        "number": 1,
        "device_ms": 2,
        "place": "0xEE",
        "source": "READER",
        "cards": ["0xEE"],
    }
    told = describe(decode(bytes.fromhex("0100630000000500aabb")))
    assert (told["kind"], told["message"], told["fields"]) == (99, "Unknown", {"payload": "aabb"})


@of_each("vector", [*FRAMES, *UNKNOWN], ids=name_of)
def test_describe_gives_json(vector: dict[str, Any]) -> None:
    told = describe(decode(body_of(vector)))
    assert json.loads(json.dumps(told)) == told


# ------------------------------------------------------------------ the walker refuses what it does not know


def extended(*parts: Any) -> Any:
    packet = PACKETS[Kind.COMMAND, 0x0121][1]
    return construct.Struct(*parts, *packet.subcons)


@pytest.mark.parametrize(
    "part",
    [
        "x" / construct.Int16ub,
        "x" / construct.Int16sl,
        "x" / construct.Float32l,
        "x" / construct.VarInt,
        "x" / construct.CString("ascii"),
        "x" / construct.PaddedString(8, "utf8"),
        "x" / construct.Prefixed(construct.Int16ul, construct.GreedyBytes),
        "x" / construct.PrefixedArray(construct.Int16ul, construct.Int8ul),
        "x" / construct.PrefixedArray(construct.Int8ul, construct.CString("ascii")),
        "x" / construct.PrefixedArray(construct.Int8ul, construct.Struct("t" / construct.PaddedString(4, "ascii"))),
        "x" / construct.Optional(construct.Int8ul),
        "x" / construct.Const(b"TDP"),
        "x" / construct.BitStruct("a" / construct.BitsInteger(8)),
        "x" / construct.Bytes(construct.this.n),
    ],
    ids=lambda part: type(part.subcon).__name__,
)
def test_a_shape_without_a_decoder_is_refused(part: Any) -> None:
    with pytest.raises(Underivable):
        fields_of(extended(part))


def test_a_declaration_out_of_order_or_without_its_end_is_refused() -> None:
    *fixed, counted = PACKETS[Kind.EVENT, 0x034A][1].subcons[:-2]
    with pytest.raises(Underivable, match="a fixed field after a counted one"):
        fields_of(extended(counted, *fixed))
    with pytest.raises(Underivable, match=r"^field x: no message declares it$"):
        fields_of(extended("x" / construct.PaddedString(4, "ascii")))
    with pytest.raises(Underivable, match="must end with extensions and Terminated"):
        fields_of(construct.Struct("x" / construct.Int8ul, construct.Terminated, construct.Terminated))
    with pytest.raises(Underivable, match="has fields"):
        Layout(m.PacketLiftedMessage, PACKETS[Kind.EVENT, 0x0145][1])


def test_the_hand_typed_tables_list_the_declared_messages() -> None:
    """The oracle has every message and no other; layouts agree field by field."""
    declared = {(message_name(cls), kind): fields_of(packet) for kind, _, cls, packet in CASES}
    assert {(name, kind) for name, kind, *_ in oracle.TABLE} == set(declared)
    for name, kind, _, text, _ in oracle.TABLE:
        assert [field for field, _ in oracle.layout_of(kind, text)] == [f.name for f in declared[name, Kind(kind)]]
    assert [field.name for field in header_fields() if field.shape in FIXED] == [
        "version", "flags", "kind", "link_sequence", "request", "message",
    ]  # fmt: skip


def test_importing_the_codec_compiles_what_it_needs() -> None:
    """About two `struct.Struct` for each message; one for each possible length would be 16,000."""
    code = (
        "import struct\n"
        "class Counted(struct.Struct):\n"
        "    made = 0\n"
        "    def __init__(self, _):\n"
        "        Counted.made += 1\n"
        "struct.Struct = Counted\n"
        "import protocol.tdp.codec\n"
        "print(Counted.made)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(PACKETS) < int(done.stdout) <= 2 * len(CASES) + 10
