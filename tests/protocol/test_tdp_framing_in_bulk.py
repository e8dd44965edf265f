"""Many frames at once are what the framer finds one by one; anything that is no frame refuses them all."""

from collections.abc import Sequence
from random import Random
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.tdp.framing import CHECK_BYTES, MAX_FRAME, MIN_FRAME, Frame, Framer, encode_frame
from protocol.tdp.framing_in_bulk import cut, decode


def at_once(stream: bytes) -> list[bytes] | None:
    """Header and payload of every frame, all found at once."""
    at = cut(stream)
    frames = decode(stream, at) if at is not None else None
    if frames is None:
        return None
    return [frames.frame(index)[:-CHECK_BYTES] for index in range(len(frames.sizes))]


def one_by_one(stream: bytes) -> tuple[list[bytes], bool, bytes]:
    """The same from the framer; whether there was nothing else; what is pending."""
    framer = Framer()
    pieces = framer.feed(stream)
    bodies = [piece.body for piece in pieces if isinstance(piece, Frame)]
    return bodies, len(bodies) == len(pieces), framer.held


def bodies(longest: int = 40) -> st.SearchStrategy[bytes]:
    """Zeros are frequent, as in messages."""
    octets = st.one_of(st.just(0), st.integers(0, 255))
    return st.lists(octets, min_size=MIN_FRAME - CHECK_BYTES, max_size=longest).map(bytes)


framed = st.tuples(bodies(), st.booleans()).map(lambda drawn: encode_frame(drawn[0], after_silence=drawn[1]))


@given(st.lists(framed, max_size=12), st.binary(max_size=9).map(lambda rest: rest.replace(b"\0", b"\1")), st.booleans())
def test_frames_are_found(frames: Sequence[bytes], tail: bytes, opened: bool) -> None:
    stream = b"".join(frames) + b"\0" * opened + tail
    found, clean, held = one_by_one(stream)
    assert clean
    assert at_once(stream) == found
    at = cut(stream)
    assert at is not None
    assert at.held == held


@given(st.lists(st.one_of(framed, st.binary(max_size=20), st.just(b"\0")), max_size=8))
@settings(max_examples=500)
def test_anything_else_refuses_all(pieces: Sequence[bytes]) -> None:
    stream = b"".join(pieces)
    found, clean, held = one_by_one(stream)
    at = cut(stream)
    if not clean:
        assert at_once(stream) is None
    elif at is not None:
        assert at_once(stream) == found
        assert at.held == held


@pytest.mark.parametrize("seed", range(20))
def test_no_wrong_byte_passes(seed: int) -> None:
    """Every byte of several frames is spoiled in turn: what the framer refuses is refused, wherever it lies."""
    random = Random(seed)
    frames = [
        encode_frame(random.randbytes(random.randint(8, 30)), after_silence=random.random() < 0.3) for _ in "abcd"
    ]
    stream = b"".join(frames)
    for at in range(len(stream)):
        spoiled = bytearray(stream)
        spoiled[at] ^= random.randint(1, 255)
        found, clean, _ = one_by_one(bytes(spoiled))
        assert at_once(bytes(spoiled)) == (found if clean else None)


def test_a_frame_that_is_two_frames_in_disguise_is_none() -> None:
    """A block that goes on over a delimiter swallows what stands there for it: the check of everything comes out wrong,
    and so does the place where the frame should end."""
    good = encode_frame(b"\1" * 12)
    longer = bytes([good[0] + 3]) + good[1:]
    assert at_once(good * 2) is not None
    assert at_once(good + longer + good) is None
    assert at_once(longer) is None


@pytest.mark.parametrize("size", [MIN_FRAME - CHECK_BYTES, 100, MAX_FRAME - CHECK_BYTES])
def test_the_shortest_and_the_longest(size: int) -> None:
    body = bytes([7, 0]) * (size // 2)
    assert at_once(encode_frame(body) * 3) == [body] * 3


def test_a_run_of_254_bytes_without_a_zero_is_left_to_the_framer() -> None:
    long = encode_frame(bytes(range(1, 253)))
    assert len(long) == MAX_FRAME + 2 + 1
    assert one_by_one(long)[1]
    assert at_once(long) is None
    assert at_once(encode_frame(bytes(12)) + long + encode_frame(bytes(12))) is None


@pytest.mark.parametrize("size", [0, 1, 7])
def test_a_check_that_is_right_does_not_make_a_frame_of_too_few_bytes(size: int) -> None:
    from cobs import cobs

    body = bytes(range(1, 1 + size))
    short = cobs.encode(body + crc32(body).to_bytes(CHECK_BYTES, "little")) + b"\0"
    assert at_once(short) is None
    assert at_once(encode_frame(bytes(8)) + short + encode_frame(bytes(8))) is None


def test_what_was_pending_where() -> None:
    frame = encode_frame(bytes(8))
    stream = frame + b"\0" + frame + frame[:3]
    at = cut(stream)
    assert at is not None
    pending = at.is_pending(np.arange(len(stream) + 1)).tolist()
    first, opened, second = len(frame), len(frame) + 1, 2 * len(frame) + 1
    assert [place for place in range(len(stream) + 1) if not pending[place]] == [0, first, second]
    assert pending[opened]
    assert at.held == frame[:3]


@pytest.mark.parametrize("idle", [b"\0\0", b"\0\0\0"])
def test_idle_delimiters_are_no_frames(idle: bytes) -> None:
    frame = encode_frame(bytes(8))
    assert cut(idle) is None
    assert cut(frame + idle) is None
    assert cut(frame + idle + frame) is None
