"""Every byte belongs to a frame, is noise with a reason, or is pending; a damaged frame is never accepted."""

import random
import struct
import zlib
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.errors import CannotEncode
from protocol.tdp.framing import MAX_ENCODED, MAX_WIRE, Frame, Framer, Noise, NoiseReason, encode_frame
from protocol.tdp.packets import MAX_FRAME
from tests.support.reading.each import of_each
from tests.support.reading.vectors import FRAMES, STREAMS, UNKNOWN, body_of, name_of

WHOLE = [*FRAMES, *UNKNOWN]

# A GreenButton, event 12 at 34567 ms, link sequence 7. Worked through by hand in docs/protocol.md.
BUTTON_BODY = bytes.fromhex("0100040700004001 0c000000 07870000")
BUTTON_WIRE = bytes.fromhex("0201 030407 01 0440010c 01 01 03 0787 01 05 9760cf81 00")

Piece = Frame | Noise


def merged(pieces: list[Piece]) -> list[tuple[int, int, str, bytes]]:
    """Return offset, length, reading and bytes; idle and overlong runs, which come out in chunks, are merged."""
    found: list[tuple[int, int, str, bytes]] = []
    for piece in pieces:
        if isinstance(piece, Frame):
            found.append((piece.offset, piece.length, "frame", piece.body))
            continue
        reading, data = str(piece.reason), piece.data
        run = found and found[-1][2] == reading and reading in (NoiseReason.IDLE, NoiseReason.LONG)
        if run:
            offset, length, _, before = found.pop()
            found.append((offset, length + piece.length, reading, before + data))
        else:
            found.append((piece.offset, piece.length, reading, data))
    return found


def feed(chunks: list[bytes]) -> tuple[list[Piece], Framer]:
    framer = Framer()
    return [piece for chunk in chunks for piece in framer.feed(chunk)], framer


def bytewise(data: bytes) -> list[bytes]:
    return [data[i : i + 1] for i in range(len(data))]


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted({place % (len(data) + 1) for place in places}), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


def assert_tiled(pieces: list[Piece], framer: Framer, data: bytes) -> None:
    """Assert that no byte is doubled or missing, noise is verbatim, and frames encode their body."""
    at = 0
    for piece in pieces:
        assert piece.offset == at
        here = data[at : at + piece.length]
        if isinstance(piece, Noise):
            assert piece.data == here
        else:
            assert here.endswith(b"\0")
            assert here.count(0) == 1 + here.startswith(b"\0")
        at += piece.length
    assert at + framer.pending == len(data)
    assert framer.pending <= MAX_WIRE


def test_worked_example() -> None:
    check = struct.pack("<I", zlib.crc32(BUTTON_BODY))
    assert check == bytes.fromhex("9760cf81")
    assert encode_frame(BUTTON_BODY) == BUTTON_WIRE
    assert encode_frame(BUTTON_BODY, after_silence=True) == b"\0" + BUTTON_WIRE
    assert Framer().feed(BUTTON_WIRE) == [Frame(0, len(BUTTON_WIRE), BUTTON_BODY)]


@of_each("vector", WHOLE, ids=name_of)
def test_vector_in_three_cuts(vector: dict[str, Any]) -> None:
    wire, body = bytes.fromhex(vector["wire"]), body_of(vector)
    assert encode_frame(body) == wire
    expected = [Frame(0, len(wire), body)]
    assert feed([wire])[0] == expected
    assert feed(bytewise(wire))[0] == expected
    garbage = bytes.fromhex("ff00 4142 00 05")
    pieces, framer = feed([garbage + b"\0" + wire + b"\0\x03x"])
    assert [piece.body for piece in pieces if isinstance(piece, Frame)] == [body]
    assert framer.pending == 3
    assert_tiled(pieces, framer, garbage + b"\0" + wire + b"\0\x03x")


@of_each("cutting", [lambda data: [data], bytewise])
@of_each("vector", STREAMS, ids=name_of)
def test_stream_vector(vector: dict[str, Any], cutting: Any) -> None:
    data = bytes.fromhex(vector["wire"])
    expected: list[Piece] = []
    for piece in vector["pieces"]:
        at, length = piece["offset"], piece["length"]
        if piece["reading"] == "frame":
            expected.append(Frame(at, length, bytes.fromhex(piece["body"])))
        else:
            expected.append(Noise(at, data[at : at + length], NoiseReason(piece["reading"])))
    pieces, framer = feed(cutting(data))
    assert merged(pieces) == merged(expected)
    assert framer.pending == vector["pending"]
    assert_tiled(pieces, framer, data)


def test_flush_gives_up_what_is_pending_and_starts_anew() -> None:
    framer = Framer()
    assert framer.flush() == []
    framer.feed(BUTTON_WIRE + b"\0" + BUTTON_WIRE[:9])
    assert framer.flush() == [Noise(len(BUTTON_WIRE), b"\0" + BUTTON_WIRE[:9], NoiseReason.SILENCE)]
    assert framer.pending == 0
    at = len(BUTTON_WIRE) + 10
    assert framer.feed(BUTTON_WIRE) == [Frame(at, len(BUTTON_WIRE), BUTTON_BODY)]
    framer.feed(b"\0")
    assert framer.flush() == [Noise(at + len(BUTTON_WIRE), b"\0", NoiseReason.IDLE)]


def test_flush_ends_an_overlong_piece() -> None:
    framer = Framer()
    framer.feed(b"x" * 1000)
    assert framer.flush() == []
    assert framer.feed(BUTTON_WIRE) == [Frame(1000, len(BUTTON_WIRE), BUTTON_BODY)]


@pytest.mark.parametrize("before", [b"", b"\0", b"ab", BUTTON_WIRE, BUTTON_WIRE[:9]])
def test_a_run_of_delimiters_is_one_piece_however_long(before: bytes) -> None:
    pieces, framer = feed([before, bytes(100_000) + BUTTON_WIRE])
    assert len(pieces) <= 3, "a piece for every zero of a line that gives nothing else took a whole core"
    assert pieces[-1] == Frame(len(before) + 100_000 - 1, len(BUTTON_WIRE) + 1, BUTTON_BODY)
    assert_tiled(pieces, framer, before + bytes(100_000) + BUTTON_WIRE)


pieces_of_a_line = st.one_of(
    st.sampled_from([bytes.fromhex(vector["wire"]) for vector in WHOLE]),
    st.binary(max_size=40),
    st.binary(min_size=250, max_size=270).map(lambda data: data.replace(b"\0", b"\1")),
    st.integers(1, 5).map(bytes),
    st.integers(6, 700).map(bytes),
    st.tuples(st.sampled_from([bytes.fromhex(vector["wire"]) for vector in FRAMES]), st.integers(0, 300)).map(
        lambda cut_off: cut_off[0][: cut_off[1]]
    ),
)


@settings(max_examples=150)
@given(st.lists(pieces_of_a_line, max_size=6).map(b"".join), st.lists(st.integers(0, 2000), max_size=8))
def test_any_bytes_in_any_cut_are_accounted_for(data: bytes, places: list[int]) -> None:
    whole, framer_whole = feed([data])
    cuts, framer_cuts = feed(cut(data, places))
    assert_tiled(whole, framer_whole, data)
    assert_tiled(cuts, framer_cuts, data)
    assert merged(whole) == merged(cuts)
    assert framer_whole.pending == framer_cuts.pending
    assert_tiled([*cuts, *framer_cuts.flush()], framer_cuts, data)


@settings(max_examples=150)
@given(st.lists(pieces_of_a_line, max_size=6).map(b"".join), st.lists(st.integers(0, 2000), max_size=8))
def test_bodies_are_those_of_the_same_pieces(data: bytes, places: list[int]) -> None:
    plain, bare = Framer(), Framer()
    for chunk in cut(data, places):
        found = plain.feed(chunk)
        assert bare.bodies(chunk) == [piece.body if isinstance(piece, Frame) else piece for piece in found]
        assert (bare.held, bare.idle) == (plain.held, plain.idle)
    assert bare.flush() == plain.flush()


@settings(max_examples=60)
@given(st.lists(st.binary(max_size=3000), max_size=4))
def test_random_bytes(chunks: list[bytes]) -> None:
    pieces, framer = feed(chunks)
    assert_tiled(pieces, framer, b"".join(chunks))


def test_every_single_flipped_bit_is_noticed() -> None:
    """Also in the delimiters: the next valid frame is found, the damaged one never."""
    for vector in FRAMES[::5]:
        body = body_of(vector)
        wire = b"\0" + bytes.fromhex(vector["wire"])
        for bit in range(8, 8 * len(wire)):
            damaged = bytearray(wire)
            damaged[bit // 8] ^= 1 << bit % 8
            frames = [p.body for p in Framer().feed(bytes(damaged) + b"\0" + BUTTON_WIRE) if isinstance(p, Frame)]
            assert frames == [BUTTON_BODY], (vector["name"], bit)
        assert body != BUTTON_BODY


@pytest.mark.parametrize("flips", [2, 3, 4])
def test_more_flipped_bits_never_make_another_frame(flips: int) -> None:
    chance = random.Random(flips)
    for vector in FRAMES:
        wire, body = bytes.fromhex(vector["wire"]), body_of(vector)
        for _ in range(60):
            damaged = bytearray(wire)
            for bit in chance.sample(range(8 * len(wire)), flips):
                damaged[bit // 8] ^= 1 << bit % 8
            assert not [p for p in Framer().feed(bytes(damaged)) if isinstance(p, Frame)], (vector["name"], body)


def test_each_check_byte_counts() -> None:
    """A frame is refused for any wrong value of any byte of its check."""
    for index in range(-5, -1):
        for value in range(1, 256):
            damaged = BUTTON_WIRE[:index] + bytes([value]) + BUTTON_WIRE[len(BUTTON_WIRE) + index + 1 :]
            readings = [getattr(piece, "reason", "frame") for piece in Framer().feed(damaged)]
            assert readings == (["frame"] if damaged == BUTTON_WIRE else [NoiseReason.CHECK])


def test_the_largest_frame_is_not_too_long_when_its_check_is_wrong() -> None:
    for more, reason in ((0, NoiseReason.CHECK), (1, NoiseReason.LONG)):
        plain = b"\x01" * (MAX_FRAME + more)
        runs = [plain[at : at + 254] for at in range(0, len(plain), 254)]
        stuffed = b"".join(bytes([len(run) + 1]) + run for run in runs)  # what COBS makes where no zero is
        assert [piece.reason for piece in Framer().feed(stuffed + b"\0") if isinstance(piece, Noise)] == [reason]


def test_garbage_does_not_swallow_the_frame_behind_it() -> None:
    late = BUTTON_WIRE[5:]  # the end of a frame whose start went before we listened
    for stale in (late, b"\xff\xff\0", b"x" * 5000 + b"\0", BUTTON_WIRE[:-2] + b"\x01\0"):
        for cutting in ([stale + BUTTON_WIRE], bytewise(stale + BUTTON_WIRE)):
            pieces, _ = feed(cutting)
            assert [p.body for p in pieces if isinstance(p, Frame)] == [BUTTON_BODY]


def test_endless_noise_is_held_in_bounded_memory() -> None:
    framer, given_up = Framer(), 0
    for _ in range(2000):
        pieces = framer.feed(b"\xa5" * 1024)
        given_up += sum(piece.length for piece in pieces)
        assert framer.pending <= MAX_WIRE
    assert given_up + framer.pending == 2000 * 1024
    assert [p.body for p in framer.feed(b"\0" + BUTTON_WIRE) if isinstance(p, Frame)] == [BUTTON_BODY]


def test_held_back_to_the_last_byte_that_could_still_be_a_frame() -> None:
    framer = Framer()
    assert framer.feed(b"\0" + b"\x02" * MAX_ENCODED) == []
    assert framer.pending == MAX_ENCODED + 1
    assert [piece.length for piece in framer.feed(b"\x02")] == [MAX_ENCODED + 2]
    assert framer.pending == 0


def test_a_reused_read_buffer_is_copied() -> None:
    framer, buffer = Framer(), bytearray(b"x" * 300 + b"\0" + BUTTON_WIRE)
    pieces = framer.feed(buffer[:280]) + framer.feed(buffer[280:])
    buffer[:] = bytes(len(buffer))
    assert b"".join(piece.data for piece in pieces if isinstance(piece, Noise)) == b"x" * 300 + b"\0"
    assert pieces[-1] == Frame(301, len(BUTTON_WIRE), BUTTON_BODY)


@pytest.mark.parametrize("size", [0, 7, 253])
def test_a_body_that_is_no_frame_is_refused(size: int) -> None:
    with pytest.raises(CannotEncode, match=f"frame cannot be encoded: {size} bytes; header and payload take 8 to 252"):
        encode_frame(bytes(size))
