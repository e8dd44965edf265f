"""Both shoe dialects against their published vectors, chunked in three ways; every byte is accounted for."""

import contextlib
import json
import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.angel_eye import codec as angel_codec
from protocol.angel_eye import framing as angel_framing
from protocol.angel_eye import messages as am
from protocol.bee_tek import codec as bee_codec
from protocol.bee_tek import framing as bee_framing
from protocol.bee_tek import messages as bm
from protocol.cards import DECK, parse_card
from protocol.errors import BadReport, CannotEncode
from protocol.message import message_name
from tests.support.oracles import dialects_by_hand as oracle
from tests.support.reading.each import of_each

ANGEL: dict[str, Any] = json.loads(oracle.ANGEL_EYE.read_text())
BEE: dict[str, Any] = json.loads(oracle.BEE_TEK.read_text())
FRAMINGS = {"angel-eye": angel_framing, "bee-tek": bee_framing}
STREAMS = [("angel-eye", vector) for vector in ANGEL["streams"]] + [("bee-tek", vector) for vector in BEE["streams"]]
WIRES = {
    "angel-eye": [bytes.fromhex(vector["wire"]) for vector in ANGEL["frames"]],
    "bee-tek": [vector["text"].encode() for vector in BEE["items"]],
}


def name_of(value: Any) -> str:
    return value["name"] if isinstance(value, dict) else str(value)


def bytewise(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


def in_threes(data: bytes) -> list[bytes]:
    return [data[i : i + 3] for i in range(0, len(data), 3)]


CUTS = [lambda data: [data], bytewise, in_threes]
CUT_NAMES = ["whole", "byte by byte", "by threes"]


def feed(dialect: str, chunks: list[bytes]) -> tuple[list[Any], Any]:
    framer = FRAMINGS[dialect].Framer()  # type: ignore[attr-defined]
    return [piece for chunk in chunks for piece in framer.feed(chunk)], framer


def merged(pieces: list[Any]) -> list[tuple[int, int, str]]:
    """Return offset, length and reading; adjacent noise with one reason is merged."""
    found: list[tuple[int, int, str]] = []
    for piece in pieces:
        reading = str(getattr(piece, "reason", "frame"))
        if found and reading != "frame" and found[-1][2] == reading:
            offset, length, _ = found.pop()
            found.append((offset, length + piece.length, reading))
        else:
            found.append((piece.offset, piece.length, reading))
    return found


def assert_tiled(pieces: list[Any], pending: int, data: bytes) -> None:
    at = 0
    for piece in pieces:
        assert piece.offset == at
        if hasattr(piece, "reason"):
            assert piece.data == data[at : at + piece.length]
        assert piece.length > 0
        at += piece.length
    assert at + pending == len(data)


def test_the_published_vectors_are_the_hand_typed_ones() -> None:
    assert oracle.ANGEL_EYE.read_text() == oracle.render(oracle.angel_eye()), (
        "python -m tests.support.oracles.dialects_by_hand"
    )
    assert oracle.BEE_TEK.read_text() == oracle.render(oracle.bee_tek())


def test_every_message_and_kind_of_noise_has_a_vector() -> None:
    commands = {"Message", "UnknownReport"}
    declared = {
        message_name(c) for c in vars(am).values() if isinstance(c, type) and issubclass(c, am.Message)
    } - commands
    assert declared <= {vector["message"] for vector in ANGEL["frames"]}
    declared = {
        message_name(c) for c in vars(bm).values() if isinstance(c, type) and issubclass(c, bm.Message)
    } - commands
    assert declared == {vector["message"] for vector in BEE["items"]}
    for streams, reasons in ((ANGEL["streams"], angel_framing.NoiseReason), (BEE["streams"], bee_framing.NoiseReason)):
        readings = {piece["reading"] for vector in streams for piece in vector["pieces"]}
        assert readings == {"frame", *reasons} - {reasons.SILENCE}


# ------------------------------------------------------------------ Angel Eye


NAMED = {
    module: {message_name(c): c for c in vars(module).values()
             if isinstance(c, type) and issubclass(c, module.Message)}
    for module in (am, bm)
}  # fmt: skip


def plain(message: Any) -> dict[str, Any]:
    found = {name: getattr(message, name) for name in type(message).__struct_fields__ if name != "mode" or
             isinstance(message, am.Message)}  # fmt: skip
    return {name: value.text if hasattr(value, "is_face") else value.hex() if isinstance(value, bytes) else value
            for name, value in found.items()}  # fmt: skip


def angel_message(vector: dict[str, Any]) -> am.Message:
    fields = dict(vector["fields"])
    if "card" in fields:
        fields["card"] = parse_card(fields["card"])
    if "data" in fields:
        fields["data"] = bytes.fromhex(fields["data"])
    message: am.Message = NAMED[am][vector["message"]](**fields)
    return message


@of_each("vector", ANGEL["frames"], ids=name_of)
def test_angel_eye_frame_in_three_cuts(vector: dict[str, Any]) -> None:
    wire = bytes.fromhex(vector["wire"])
    for cut in CUTS:
        pieces, framer = feed("angel-eye", cut(wire))
        assert framer.pending == 0
        assert merged(pieces) == [(0, len(wire), "frame")]
        message = angel_codec.decode(pieces[0])
        assert message == angel_message(vector)
        assert plain(message) == vector["fields"]
    if vector["sends"]:
        sequence = wire[1] if wire[0] == 0x05 else 0x30
        assert angel_codec.encode(angel_message(vector), sequence) == wire


@pytest.mark.parametrize("vector", ANGEL["bad_reports"], ids=name_of)
def test_angel_eye_whole_frames_that_cannot_be(vector: dict[str, Any]) -> None:
    (frame,), _ = feed("angel-eye", [bytes.fromhex(vector["wire"])])
    with pytest.raises(BadReport, match=r"^angel-eye: (report [A-Za-z]: |an unknown operation).*; [0-9a-f ]+$"):
        angel_codec.decode(frame)
    assert angel_codec.describe(frame)["kind"] == "bad report"


def test_angel_eye_says_what_a_setting_takes() -> None:
    wire = next(vector["wire"] for vector in ANGEL["bad_reports"] if vector["name"] == "M with five characters")
    (frame,), _ = feed("angel-eye", [bytes.fromhex(wire)])
    with pytest.raises(BadReport, match=r"^angel-eye: report M: it needs six printable characters; 31 4d"):
        angel_codec.decode(frame)


def test_bee_tek_ends_a_run_at_the_first_byte_that_is_not_printable() -> None:
    pieces, _ = feed("bee-tek", [b"[Ga\x7fme]<Card:4S>"])
    assert merged(pieces)[0] == (0, 3, bee_framing.NoiseReason.TORN)


def test_angel_eye_has_a_code_for_every_card_and_no_two_alike() -> None:
    wires = {angel_codec.encode(am.CardDrawnMessage(0, 1, card)) for card in DECK}
    assert len(wires) == 52
    cards = [angel_codec.decode(feed("angel-eye", [wire])[0][0]) for wire in sorted(wires)]
    assert {message.card for message in cards} == set(DECK)  # type: ignore[attr-defined]


def test_angel_eye_describes_with_names() -> None:
    (frame,), _ = feed("angel-eye", [bytes.fromhex("05 34 45 C1 03 42 33")])
    told = {"kind": "REPORT", "sequence": "4", "message": "ErrorRaised"}
    assert angel_codec.describe(frame) == {**told, "fields": {"error_mode": True, "trouble": "CANNOT_READ"}}


@pytest.mark.parametrize(
    "message",
    [
        am.ClearErrorMessage(100),
        am.CardDrawnMessage(8, 1, DECK[0]),
        am.CardDrawnMessage(0, 16, DECK[0]),
        am.CardDrawnMessage(0, 1, parse_card("X1")),
        am.SettingChangedMessage("1", "0000"),
        am.TextMessage("é"),
        am.Message(),
    ],
    ids=repr,
)
def test_angel_eye_refuses_what_has_no_room(message: am.Message) -> None:
    with pytest.raises(CannotEncode):
        angel_codec.encode(message)


def test_a_sequence_must_print() -> None:
    with pytest.raises(CannotEncode, match="sequence 31"):
        angel_codec.encode(am.StandingByMessage(), 0x1F)


# ------------------------------------------------------------------ Bee-Tek


def bee_message(vector: dict[str, Any]) -> bm.Message:
    fields = {k: parse_card(v) if k == "card" else v for k, v in vector["fields"].items()}
    message: bm.Message = NAMED[bm][vector["message"]](vector["mode"], **fields)
    return message


@pytest.mark.parametrize("vector", BEE["items"], ids=name_of)
def test_bee_tek_describes_with_names(vector: dict[str, Any]) -> None:
    pieces, _ = feed("bee-tek", [vector["text"].encode()])
    (frame,) = [piece for piece in pieces if isinstance(piece, bee_framing.Frame)]
    told = {"kind": "ITEM", "mode": vector["mode"], "message": vector["message"], "fields": vector["fields"]}
    assert bee_codec.describe(frame) == told


@pytest.mark.parametrize("vector", BEE["items"], ids=name_of)
def test_bee_tek_item_in_three_cuts(vector: dict[str, Any]) -> None:
    wire = vector["text"].encode()
    for cut in CUTS:
        pieces, framer = feed("bee-tek", cut(wire))
        assert framer.pending == 0
        assert [reading for _, _, reading in merged(pieces) if reading != "blank"] == ["frame"]
        (frame,) = [piece for piece in pieces if isinstance(piece, bee_framing.Frame)]
        assert bee_codec.decode(frame) == bee_message(vector)
    if vector["sends"]:
        assert bee_codec.encode(bee_message(vector)) == wire


@pytest.mark.parametrize("vector", BEE["bad_reports"], ids=name_of)
def test_bee_tek_items_that_cannot_be(vector: dict[str, Any]) -> None:
    (frame,), _ = feed("bee-tek", [vector["text"].encode()])
    with pytest.raises(BadReport, match=r"^bee-tek: (no such card|an item without its mode)"):
        bee_codec.decode(frame)
    assert bee_codec.describe(frame)["kind"] == "bad report"


@pytest.mark.parametrize(
    "message",
    [
        bm.CardDrawnMessage("Game", parse_card("X1")),
        bm.UnknownItemMessage("Game", "a>b"),
        bm.UnknownItemMessage("M" * 33, "x"),
        bm.AlarmMessage("Game", "E1", "é"),
        bm.Message("Game"),
    ],
    ids=repr,
)
def test_bee_tek_refuses_what_has_no_room(message: bm.Message) -> None:
    with pytest.raises(CannotEncode):
        bee_codec.encode(message)


# ------------------------------------------------------------------ both


@of_each("cut", CUTS)
@of_each("dialect, vector", STREAMS, ids=lambda case: name_of(case[1]))
def test_stream(dialect: str, vector: dict[str, Any], cut: Any) -> None:
    data = bytes.fromhex(vector["wire"])
    pieces, framer = feed(dialect, cut(data))
    expected = [(piece["offset"], piece["length"], piece["reading"]) for piece in vector["pieces"]]
    joined: list[tuple[int, int, str]] = []
    for offset, length, reading in expected:
        if joined and reading != "frame" and joined[-1][2] == reading:
            joined[-1] = joined[-1][0], joined[-1][1] + length, reading
        else:
            joined.append((offset, length, reading))
    assert merged(pieces) == joined
    assert framer.pending == vector["pending"]
    assert_tiled(pieces, framer.pending, data)


def line(dialect: str) -> st.SearchStrategy[bytes]:
    """Return a strategy for whole and cut frames, noise, and bytes with a meaning for the framer."""
    wires = WIRES[dialect]
    meaning = bytes([2, 3, 5, 6, 0x15]) if dialect == "angel-eye" else b"[]<> :"
    return st.lists(
        st.one_of(
            st.sampled_from(wires),
            st.binary(max_size=30),
            st.lists(st.sampled_from(meaning), max_size=5).map(bytes),
            st.tuples(st.sampled_from(wires), st.integers(0, 30)).map(lambda cut: cut[0][: cut[1]]),
            st.integers(50, 130).map(lambda size: b"A" * size),
        ),
        max_size=8,
    ).map(b"".join)


@pytest.mark.parametrize("dialect", FRAMINGS)
@settings(max_examples=150)
@given(data=st.data(), places=st.lists(st.integers(0, 500), max_size=6))
def test_any_bytes_in_any_cut_are_accounted_for(dialect: str, data: Any, places: list[int]) -> None:
    stream = data.draw(line(dialect))
    edges = [0, *sorted({place % (len(stream) + 1) for place in places}), len(stream)]
    whole, framer_whole = feed(dialect, [stream])
    cut, framer_cut = feed(dialect, [stream[a:b] for a, b in pairwise(edges)])
    assert merged(whole) == merged(cut)
    assert framer_whole.pending == framer_cut.pending < FRAMINGS[dialect].MAX_WIRE  # type: ignore[attr-defined]
    assert_tiled(cut, framer_cut.pending, stream)
    rest = framer_cut.flush()
    assert_tiled([*cut, *rest], 0, stream)
    assert framer_cut.pending == 0


@pytest.mark.parametrize("dialect", FRAMINGS)
def test_endless_noise_is_held_in_bounded_memory(dialect: str) -> None:
    framer, given_up = FRAMINGS[dialect].Framer(), 0  # type: ignore[attr-defined]
    start = {"angel-eye": b"\x05", "bee-tek": b"["}[dialect]
    for _ in range(300):
        given_up += sum(piece.length for piece in framer.feed(start + b"x" * 1000))
        assert framer.pending < FRAMINGS[dialect].MAX_WIRE  # type: ignore[attr-defined]
    assert given_up + framer.pending == 300 * 1001
    good = WIRES[dialect][0]
    pieces = framer.feed(good)
    assert [str(getattr(p, "reason", "frame")) for p in pieces if getattr(p, "reason", "") != "blank"][-1] == "frame"


def test_every_flipped_bit_of_an_angel_eye_report_is_noticed() -> None:
    """An XOR detects every single flipped bit; it misses pairs in one column, so the content is checked too."""
    for wire in WIRES["angel-eye"][:26]:
        good, _ = feed("angel-eye", [wire])
        for bit in range(8 * len(wire)):
            damaged = bytearray(wire)
            damaged[bit // 8] ^= 1 << bit % 8
            frames = [p for p in feed("angel-eye", [bytes(damaged) + wire])[0] if not hasattr(p, "reason")]
            frames = [p for p in frames if p.start is angel_framing.Start.REPORT]
            assert {p.body for p in frames} == {good[0].body}, (wire.hex(), bit)


def test_swallowed_bytes_never_make_another_angel_eye_card() -> None:
    chance = random.Random(5)
    cards = [wire for wire, vector in zip(WIRES["angel-eye"], ANGEL["frames"], strict=True)
             if vector["message"] == "CardDrawn"]  # fmt: skip
    bodies = {feed("angel-eye", [wire])[0][0].body for wire in cards}
    for _ in range(3000):
        stream = b"".join(chance.choices(cards, k=3))
        a, b = sorted(chance.sample(range(len(stream)), 2))
        for piece in feed("angel-eye", [stream[:a] + stream[b:]])[0]:
            if isinstance(piece, angel_framing.Frame):
                with contextlib.suppress(BadReport):
                    card = isinstance(angel_codec.decode(piece), am.CardDrawnMessage)
                    assert not card or piece.body in bodies
