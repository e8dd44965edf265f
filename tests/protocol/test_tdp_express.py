"""The short road and the ordinary one are the same road: what is delivered, what is counted, where both stand."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.capture import Capture
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from protocol.tdp.express import STATUS, Codes, Express, Reads, read_event
from protocol.tdp.express_reception import ExpressReception
from protocol.tdp.framing import encode_frame
from protocol.tdp.messages import Event, Kind, PacketLifted, ShowMeter
from protocol.tdp.outputs import Delivered, Output, StatusSeen, Timing
from protocol.tdp.packets import PACKETS
from protocol.tdp.reception import Reception
from tests.support.links import LINES, START_NS, Faults, Pair, hello_reply, report

CAPTURES = Path(__file__).parent.parent.parent / "captures"
EVENTS = [cls for (kind, _), (cls, _) in PACKETS.items() if kind == Kind.EVENT]
CODES = Codes([{cls: code for code, cls in enumerate(EVENTS, 1)}])
SIZES = (1, 2, 7, 40, 1000)
"""How many reads are tried at once."""

Chunks = Sequence[tuple[int, bytes]]


def in_bulk(lines: bytes, reads: Chunks) -> Reads:
    """Reads of these lines as the short road takes them."""
    datas = [data for _, data in reads]
    times, sizes = np.array([at_ns for at_ns, _ in reads]), np.array([*map(len, datas)])
    return Reads(np.frombuffer(lines, np.uint8), times, sizes, datas)


def ordinary(chunks: Chunks) -> tuple[list[object], dict[str, object]]:
    reception = Reception(timing=Timing())
    told: list[object] = []
    for at_ns, data in chunks:
        told += plain(at_ns, reception.receive(data, at_ns))
    told += plain(chunks[-1][0], reception.close(chunks[-1][0]))
    return told, standing(reception)


def express(chunks: Chunks, size: int) -> tuple[list[object], dict[str, object], int]:
    """The same from as many reads as `size` at once, and how many frames came by the short road."""
    told: list[object] = []
    taken = 0
    reception = ExpressReception(timing=Timing())
    for start in range(0, len(chunks), size):
        reads = [(at_ns, data) for at_ns, data in chunks[start : start + size] if data]
        run = Express([reception], CODES).read(in_bulk(bytes(len(reads)), reads), reads[-1][0]) if reads else None
        if run is None:
            for at_ns, data in reads:
                told += plain(at_ns, reception.receive(data, at_ns))
        else:
            events = [index for index, code in enumerate(run.codes) if code < STATUS]
            told += [(int(run.at_ns[index]), read_event(run.frames.frame(index))) for index in events]
            taken += len(run.codes)
    told += plain(chunks[-1][0], reception.close(chunks[-1][0]))
    return told, standing(reception), taken


def plain(at_ns: int, outputs: Sequence[Output]) -> list[object]:
    """What was given out and when, but for reports of the whole state."""
    told = [item.message if isinstance(item, Delivered) else item for item in outputs]
    return [(at_ns, item) for item in told if not isinstance(item, StatusSeen)]


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


def agree(chunks: Chunks, sizes: Sequence[int] = SIZES) -> tuple[list[object], int]:
    """What is told, the same on every road, and how many frames went the short one at best."""
    told, state = ordinary(chunks)
    most = 0
    for size in sizes:
        short, end, taken = express(chunks, size)
        assert (short, end) == (told, state)
        most = max(most, taken)
    return told, most


@pytest.mark.parametrize("path", sorted(CAPTURES.glob("*.pcapng")), ids=lambda path: path.stem)
def test_on_every_recording_however_it_is_cut(path: Path) -> None:
    capture = Capture.read(path)
    lines: dict[int, list[tuple[int, bytes]]] = {}
    for chunk in capture.chunks:
        if chunk.data and not chunk.sent and capture.interfaces[chunk.interface].dialect == "tdp":
            lines.setdefault(chunk.interface, []).append((chunk.at_ns, chunk.data))
    random = Random(path.stem)
    for chunks in lines.values():
        told, taken = agree(chunks)
        assert any(isinstance(item, Event) for _, item in told)
        assert taken > len(told) / 2
        assert agree([(at_ns, data[i : i + 1]) for at_ns, data in chunks for i in range(len(data))], (300,))[0] == told
        pieces = []
        for at_ns, data in chunks:
            cut = random.randint(0, len(data))
            pieces += [(at_ns, data[:cut]), (at_ns, data[cut:])]
        assert agree(pieces)[0] == told


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
    told, _ = agree([(heard.at_ns, heard.data) for heard in pair.heard])
    assert sum(isinstance(item, PacketLifted) for _, item in told) == 60


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


@pytest.mark.parametrize("late_ns", [0, 49_999_999, 50_000_000, 2_999_999_999, 3_000_000_000, 3_100_000_000])
@pytest.mark.parametrize("cut", [0, 1, 9, 23])
def test_a_silence_ends_what_it_ends_on_either_road(late_ns: int, cut: int) -> None:
    greeting = encode_frame(encode(hello_reply(SESSION), link_sequence=0))
    frames = [encode_frame(encode(m.PacketLifted(number, 5, 1), link_sequence=number)) for number in range(1, 9)]
    early, late = b"".join(frames[:4]) + frames[4][:cut], frames[4][cut:] + b"".join(frames[5:])
    after_ns = START_NS + 1 + late_ns
    agree([(START_NS, greeting), (START_NS + 1, early), (after_ns, late), (after_ns + 1, frames[0])], (1, 2, 3))


@pytest.mark.parametrize("data", [b"\0\0", b"\0\0\0", b"\1\0", b"\0\1\0", b"\5a\0", b"\0" * 9])
def test_bytes_that_are_no_frame_are_the_same_noise(data: bytes) -> None:
    greeting = encode_frame(encode(hello_reply(SESSION), link_sequence=0))
    frames = [encode_frame(encode(m.PacketLifted(number, 5, 1), link_sequence=number)) for number in range(1, 5)]
    for at in range(3):
        for reads in ([*frames[:at], data, *frames[at:]], [*frames[:at], frames[at] + data, *frames[at + 1 :]]):
            agree([(START_NS, greeting), *((START_NS + at_ns, read) for at_ns, read in enumerate(reads, 1))])


def test_a_report_of_a_frame_from_the_wrong_end_of_the_table_is_not_taken_for_one_of_ours() -> None:
    shuffler, controller = (ExpressReception(timing=Timing()) for _ in range(2))
    codes = Codes([{m.PacketLifted: 1}, {m.GameEnded: 2}])
    for reception in (shuffler, controller):
        reception.receive(encode_frame(encode(hello_reply(SESSION), link_sequence=0)), START_NS)
    reads = [
        (START_NS, encode_frame(encode(m.PacketLifted(1, 5, 1), link_sequence=1))),
        (START_NS, encode_frame(encode(m.GameEnded(1, 5, 1), link_sequence=1))),
    ]
    express = Express([shuffler, controller], codes)
    assert express.read(in_bulk(b"\1\0", reads), START_NS) is None
    run = express.read(in_bulk(b"\0\1", reads), START_NS)
    assert run is not None
    assert run.codes == b"\1\2"
    assert (shuffler.order.expected, controller.order.expected) == (2, 2)
