"""Every recording in `captures/` gives what its index says, however its bytes are cut."""

import hashlib
import random
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from dealer_flow.procedure import load_procedure
from dealer_flow.result import Incident, RoundResult
from dealwire.table import Table, Terms
from devices.capture import Capture, Chunk
from devices.events import Seen
from devices.replay import PlayStats, play
from rules.game import load_game
from tests.support.wire_count import count_wire

CAPTURES = Path(__file__).parent.parent / "captures"
INDEX: list[dict[str, Any]] = tomllib.loads((CAPTURES / "index.toml").read_text())["capture"]
PROCEDURE, GAME = load_procedure("flushes-gone-wild.co"), load_game("flushes-gone-wild.co")

each = pytest.mark.parametrize("entry", INDEX, ids=[entry["file"] for entry in INDEX])


class Recut(Capture):
    """The same recording with its chunks cut another way."""

    def __init__(self, source: Capture, cut: Callable[[list[Chunk]], Iterator[Chunk]]) -> None:
        super().__init__(source.path)
        chunks = list(source.chunks)
        self.interfaces = source.interfaces
        self._recut = list(cut(chunks))

    @property
    def chunks(self) -> Iterator[Chunk]:
        return iter(self._recut)


def piece(chunk: Chunk, data: bytes) -> Chunk:
    return Chunk(chunk.interface, chunk.at_ns, chunk.sent, data, chunk.comment)


def byte_by_byte(chunks: list[Chunk]) -> Iterator[Chunk]:
    for chunk in chunks:
        if chunk.data:
            yield from (piece(chunk, chunk.data[i : i + 1]) for i in range(len(chunk.data)))
        else:
            yield chunk


def at_random(chunks: list[Chunk]) -> Iterator[Chunk]:
    chance = random.Random(7)
    for chunk in chunks:
        rest = chunk.data
        while len(rest) > 1 and chance.random() < 0.8:
            size = chance.randrange(1, len(rest))
            yield piece(chunk, rest[:size])
            rest = rest[size:]
        yield piece(chunk, rest)


def received_only(chunks: list[Chunk]) -> Iterator[Chunk]:
    """What we wrote decides nothing: a recording of one direction gives the same rounds."""
    return (chunk for chunk in chunks if not chunk.sent)


def dealt(capture: Capture) -> tuple[list[RoundResult], list[str], PlayStats]:
    """Rounds, everything said as JSON, and the counters."""
    table, rounds, said = Table(PROCEDURE, Terms(GAME)), list[RoundResult](), list[str]()

    def take(items: list[Any]) -> None:
        said.extend(item.to_json() for item in items)
        rounds.extend(item for item in items if isinstance(item, RoundResult))

    def deliver(seen: Seen) -> None:
        take(table.handle(seen))

    stats = play(capture, deliver)
    take(table.finish())
    return rounds, said, stats


@each
def test_the_file_is_the_one_the_index_describes(entry: dict[str, Any]) -> None:
    assert hashlib.sha256((CAPTURES / entry["file"]).read_bytes()).hexdigest() == entry["sha256"]


@each
def test_rounds_seats_and_incidents(entry: dict[str, Any]) -> None:
    rounds, _, _ = dealt(Capture.read(CAPTURES / entry["file"]))
    assert [each.outcome for each in rounds] == entry["outcomes"]
    assert [{str(seat.seat): seat.status for seat in each.seats} for each in rounds] == entry["seats"]
    found = {incident.code for each in rounds for incident in each.incidents}
    assert set(entry["incidents"]) <= found
    if not entry["incidents"]:
        assert not found


@each
def test_every_card_of_a_complete_round_is_somewhere(entry: dict[str, Any]) -> None:
    for each in dealt(Capture.read(CAPTURES / entry["file"]))[0]:
        if each.outcome == "complete":
            assert each.remainder is not None
            seats = sum(seat.counted or 0 for seat in each.seats)
            community, dealer = each.packets[0].counted, each.dealer and each.dealer.counted
            assert (community or 0) + seats + (dealer or 0) + (each.remainder.counted or 0) + each.rejected == 52
            faces = [face for hand in (*each.seats, each.dealer) if hand for face in hand.cards if face != "??"]
            faces += [face for face in each.community if face != "??"]
            assert len(faces) == len(set(faces))


@each
def test_frames_and_noise(entry: dict[str, Any]) -> None:
    """The index was counted by another decoder; the replay must find the same frames."""
    capture = Capture.read(CAPTURES / entry["file"])
    received: dict[int, bytes] = {}
    for chunk in capture.chunks:
        if not chunk.sent:
            received[chunk.interface] = received.get(chunk.interface, b"") + chunk.data
    counts = [count_wire(data) for data in received.values()]
    assert (sum(f for f, _ in counts), sum(n for _, n in counts)) == (entry["frames"], entry["noise_bytes"])
    stats = dealt(capture)[2]
    assert stats.frames == entry["frames"]
    assert (stats.noise_bytes > 0) == (entry["noise_bytes"] > 0)


@each
@pytest.mark.parametrize("cut", [byte_by_byte, at_random, received_only], ids=lambda cut: cut.__name__)
def test_cuts_change_nothing(entry: dict[str, Any], cut: Callable[[list[Chunk]], Iterator[Chunk]]) -> None:
    whole = Capture.read(CAPTURES / entry["file"])
    assert dealt(Recut(whole, cut))[1] == dealt(whole)[1]


def test_the_index_lists_every_recording() -> None:
    assert {entry["file"] for entry in INDEX} == {path.name for path in CAPTURES.glob("*.pcapng")}
    assert len(INDEX) >= 8


@each
def test_stock_tshark_reads_it(entry: dict[str, Any]) -> None:
    """Payloads and directions as a foreign reader sees them are the ones we read."""
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed")
    fields = ["-T", "fields", "-e", "frame.interface_name", "-e", "frame.packet_flags_direction", "-e", "rtacser.data"]
    # Fields of the dissector vary with the version; the raw bytes do not, so they are asked for as well.
    done = subprocess.run(
        [tshark, "-r", str(CAPTURES / entry["file"]), *fields[:-2]], capture_output=True, text=True, check=True
    )
    capture = Capture.read(CAPTURES / entry["file"])
    ours = [
        [capture.interfaces[chunk.interface].name, "0x00000002" if chunk.sent else "0x00000001"]
        for chunk in capture.chunks
        if chunk.data
    ]
    theirs = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row for row in theirs if row[1] not in ("", "0x00000000")] == ours


def test_a_finding_is_said_when_it_happens_and_again_in_its_round() -> None:
    """Incidents on the stream are those of the rounds, in the same order."""
    table, streamed, rounds = Table(PROCEDURE, None), list[Incident](), list[RoundResult]()

    def deliver(seen: Seen) -> None:
        for item in table.handle(seen):
            (streamed if isinstance(item, Incident) else rounds).append(item)  # type: ignore[arg-type]

    play(Capture.read(CAPTURES / "power-cycle.pcapng"), deliver)
    told = [incident for each in rounds for incident in each.incidents]
    assert told
    assert streamed == told
