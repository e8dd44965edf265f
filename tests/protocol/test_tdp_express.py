"""The short road and the ordinary one are the same road: what is delivered, what is counted, where both stand."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.capture import Capture
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.express import ExpressReception, Takers, read_event
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Event, Kind, PacketLifted, ShowMeter
from protocol.tdp.outputs import Delivered, Output, StatusSeen, Timing
from protocol.tdp.packets import PACKETS
from protocol.tdp.reception import Reception
from tests.support.links import LINES, START_NS, Faults, Pair, hello_reply, report

CAPTURES = Path(__file__).parent.parent.parent / "captures"
EVENTS = [cls for (kind, _), (cls, _) in PACKETS.items() if kind == Kind.EVENT]
COUNTED = (m.StateChanged, m.ShuffleStarted)
"""Events that nobody takes in these tests."""

Chunks = Sequence[tuple[int, bytes]]


def ordinary(chunks: Chunks) -> tuple[list[object], dict[str, object]]:
    reception = Reception(timing=Timing())
    told: list[object] = []
    for at_ns, data in chunks:
        told += map(plain, reception.receive(data, at_ns))
    told += map(plain, reception.close(chunks[-1][0] if chunks else 0))
    return [item for item in told if keep(item)], standing(reception)


def express(chunks: Chunks) -> tuple[list[object], dict[str, object]]:
    told: list[object] = []
    takers = Takers()
    for cls in EVENTS:
        takers.take(cls, None if cls in COUNTED else lambda frame: told.append(read_event(frame)))
    reception = ExpressReception(takers, timing=Timing())
    for at_ns, data in chunks:
        told += map(plain, reception.receive(data, at_ns))
    told += map(plain, reception.close(chunks[-1][0] if chunks else 0))
    return [item for item in told if keep(item)], standing(reception)


def plain(output: Output) -> object:
    return output.message if isinstance(output, Delivered) else output


def keep(item: object) -> bool:
    return not isinstance(item, (StatusSeen, *COUNTED))


def standing(reception: Reception) -> dict[str, object]:
    return {
        **asdict(reception.stats),
        "session": reception.session,
        "expected": reception.order.expected,
        "last": reception.order.last,
        "sequence": reception._sequence,
        "heard": reception.heard_ns,
        "ack due": reception.ack_due,
    }


def agree(chunks: Chunks) -> list[object]:
    told, state = ordinary(chunks)
    assert express(chunks) == (told, state)
    return told


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcapng")), ids=lambda path: path.stem)
def test_on_every_recording_however_it_is_cut(path: Path) -> None:
    capture = Capture.read(path)
    lines: dict[int, list[tuple[int, bytes]]] = {}
    for chunk in capture.chunks:
        if chunk.data and not chunk.sent and capture.interfaces[chunk.interface].dialect == "tdp":
            lines.setdefault(chunk.interface, []).append((chunk.at_ns, chunk.data))
    random = Random(path.stem)
    for chunks in lines.values():
        told = agree(chunks)
        assert any(isinstance(item, Event) for item in told)
        assert agree([(at_ns, data[i : i + 1]) for at_ns, data in chunks for i in range(len(data))]) == told
        pieces = []
        for at_ns, data in chunks:
            cut = random.randint(0, len(data))
            pieces += [(at_ns, data[:cut]), (at_ns, data[cut:])]
        assert agree(pieces) == told


@pytest.mark.parametrize("faults", LINES.values(), ids=LINES.keys())
@pytest.mark.parametrize("seed", range(3))
def test_over_every_bad_line(faults: Faults, seed: int) -> None:
    pair = Pair(faults, seed).start()
    pair.run(20_000, lambda: pair.host.state == "up")
    for turn in range(60):
        pair.emit(PacketLifted, ordinal=turn % 200)
        if turn % 3 == 0:
            pair.emit(m.PacketDispensed, deck=1, ordinal=turn, expected=5, counted=5, cards=bytes(turn % 6))
        if turn % 7 == 0 and pair.host.state == "up":
            pair.request(ShowMeter(1, turn))
        pair.run(35)
    pair.run(15_000)
    told = agree([(heard.at_ns, heard.data) for heard in pair.heard])
    assert sum(isinstance(item, PacketLifted) for item in told) == 60


SESSION = 0x51


def frames() -> st.SearchStrategy[bytes]:
    """One frame: mostly what comes next, now and then anything that can go wrong with one."""
    head = st.tuples(
        st.integers(0, 3), st.integers(0, 40), st.sampled_from((0, 0, 0, 7)), st.sampled_from((0, 0, 0x80))
    )

    def event(drawn: tuple[tuple[int, int, int, int], int]) -> bytes:
        (sequence, number, request, flags), which = drawn
        message = (
            m.StateChanged(number, 5, 1, 2),
            m.PacketLifted(number, 5, 3),
            m.PacketDispensed(number, 5, 1, 1, 5, 5, bytes(which)),
            report(SESSION, number, 9),
            hello_reply(SESSION),
        )[which]
        return encode_frame(
            encode(message, link_sequence=sequence, request=request, flags=flags), after_silence=bool(sequence & 1)
        )

    return st.tuples(head, st.integers(0, 4)).map(event)


@given(st.lists(st.one_of(frames(), st.binary(max_size=6), st.just(b"\0\0")), max_size=30), st.randoms())
@settings(max_examples=300)
def test_on_any_stream(pieces: list[bytes], random: Random) -> None:
    greeting = encode_frame(encode(hello_reply(SESSION), link_sequence=0))
    running = [encode_frame(encode(m.PacketLifted(number, 5, 1), link_sequence=number)) for number in range(1, 6)]
    stream = b"".join([greeting, *running, *pieces])
    at_ns, chunks = START_NS, []
    while stream:
        size = random.choice((1, 7, 30, 200))
        chunks.append((at_ns, stream[:size]))
        stream = stream[size:]
        at_ns += random.choice((0, 1_000_000, 60_000_000, 4_000_000_000))
    agree(chunks)


def test_a_count_that_nobody_would_check_cannot_be_left_out() -> None:
    with pytest.raises(ValueError, match="HandRevealed"):
        Takers().take(m.HandRevealed, None)
