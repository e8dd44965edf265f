"""Frequent messages take a fast path through the codec and the link, with the same results."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from devices.record.capture import Capture
from protocol.errors import BadPayload
from protocol.tdp import HostLink, Output
from protocol.tdp import messages as m
from protocol.tdp.codec import _FAST_ANSWER_DECODERS, FAST_DECODERS, _decode, decode
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.reception import Reception
from tests.support.reading.vectors import FRAMES, body_of, name_of

CAPTURES = sorted((Path(__file__).parents[2] / "captures").glob("*.pcapng"))


def read(decoder: object, body: bytes) -> object:
    try:
        return decoder(body)  # type: ignore[operator]
    except BadPayload as error:
        return str(error)


@pytest.mark.parametrize("vector", FRAMES, ids=name_of)
def test_any_body_is_read_the_same(vector: dict[str, object]) -> None:
    """Truncated, extended, and with any byte of it changed."""
    whole, chance = body_of(vector), random.Random(str(vector["name"]))
    bodies = [whole, *(whole[:size] for size in range(len(whole))), whole + b"\0", whole + b"\1\1x"]
    for at in range(len(whole)):
        bodies += [whole[:at] + bytes([other]) + whole[at + 1 :] for other in {0, 1, 2, 3, chance.randrange(256)}]
    for body in bodies:
        assert read(decode, body) == read(_decode, body)


def test_whole_numbers_and_cards_have_a_fast_decoder() -> None:
    """Guards against a change that sends all of them through the slow path unnoticed."""
    kinds = {fast[2] for fast in (*FAST_DECODERS.values(), *_FAST_ANSWER_DECODERS.values())}
    assert {m.WagerPlacedMessage, m.HandRevealedMessage, m.ShufflerStatusMessage, m.ReplyMessage} <= kinds
    assert {m.StateChangedMessage, m.PacketDispensedMessage} <= {fast[2] for fast in Reception._usual.values()}


def heard(path: Path) -> Iterator[list[tuple[bytes, int]]]:
    """Yield the chunks received on each TDP line, with their times."""
    lines: dict[int, list[tuple[bytes, int]]] = {}
    capture = Capture.read(path)
    for chunk in capture.chunks:
        if capture.interfaces[chunk.interface].dialect == "tdp" and not chunk.sent and chunk.data:
            lines.setdefault(chunk.interface, []).append((chunk.data, chunk.at_ns))
    yield from lines.values()


def damaged(line: list[tuple[bytes, int]], chance: random.Random) -> list[tuple[bytes, int]]:
    """Return the line with frames lost, doubled, late, of another version, with flags, extended; clocks, numbers and
    sessions that went back or differ; silence; wrong bytes."""
    found: list[tuple[bytes, int]] = []
    silence_ns = 0
    for data, at_ns in line:
        for body in [piece.body for piece in Framer().feed(data) if isinstance(piece, Frame)]:
            kind = chance.randrange(60)
            if kind == 0:
                continue
            if kind in (1, 2):
                body = bytes([kind, 1 << chance.randrange(8)]) + body[2:]
            if kind in (3, 4, 5) and len(body) >= 20:
                field = 8 + 4 * chance.randrange(
                    3
                )  # number and clock of an event; session, last event, clock of a status
                low = int.from_bytes(body[field : field + 4], "little") - chance.choice((0, 1, 2, 20_000))
                body = body[:field] + max(low, 0).to_bytes(4, "little") + body[field + 4 :]
            frame = encode_frame(body + b"\1\4abcd" if kind == 6 and len(body) < 200 else body)
            if kind == 7:
                at = chance.randrange(len(frame))
                frame = frame[:at] + bytes([chance.randrange(256)]) + frame[at + 1 :]
            if kind == 8:
                silence_ns += 4_000_000_000
            found += [(frame, at_ns + silence_ns)] * (2 if kind == 9 else 1)
            if kind == 10 and len(found) > 1:
                (first, first_ns), (second, second_ns) = found[-2:]
                found[-2:] = [(second, first_ns), (first, second_ns)]
    return found


def delivered(line: list[tuple[bytes, int]]) -> tuple[list[str], object, object]:
    """Return the outputs of a listener as text (an error equals only itself), its received state, and its counters."""
    link, out = HostLink(listen=True), list[Output]()
    link.start(line[0][1])
    for data, at_ns in line:
        while (due_ns := link.next_deadline_ns) is not None and due_ns <= at_ns:
            out += link.tick(due_ns)
        out += link.receive(data, at_ns)
    state = link.heard()
    return [repr(output) for output in out + link.close(line[-1][1])], state, link.stats


@pytest.mark.every(4)
@pytest.mark.parametrize("path", CAPTURES, ids=lambda path: path.stem)
def test_a_link_that_never_goes_it_delivers_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(path.stem)
    for whole in heard(path):
        for line in (whole, *(damaged(whole, chance) for _ in range(4))):
            if not line:
                continue
            short = delivered(line)
            with monkeypatch.context() as patch:
                patch.setattr(Reception, "_usual", {})
                assert delivered(line) == short
