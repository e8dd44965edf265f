"""Recorded bytes to settled rounds, one core: what each further layer of the road costs, in the same run.

The recordings are this project's own (`captures/`), held in memory as chunks as they were read; each pass plays all
of them through new links, drivers, flows and settlements, as `dealwire replay` does.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from benchmarks.table import Table, interleave
from dealer_flow.procedure import Procedure, load_procedure
from dealwire.table import Table as DealtTable
from dealwire.table import Terms
from devices.capture import Capture, Chunk
from devices.events import Seen
from devices.replay import play
from protocol.tdp.codec import decode
from protocol.tdp.framing import Frame, Framer
from rules.game import load_game

CAPTURES: Final = Path(__file__).parent.parent / "captures"
NAMES: Final = ("clean-1", "clean-3", "clean-8", "two-rounds", "player-short", "dealer-long")


class InMemory(Capture):
    """A recording whose chunks were read before the clock started."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        source = Capture.read(path)
        self._kept = list(source.chunks)
        self.interfaces = source.interfaces

    @property
    def chunks(self):  # type: ignore[no-untyped-def, override]
        return iter(self._kept)

    @property
    def received(self) -> list[Chunk]:
        return [chunk for chunk in self._kept if not chunk.sent and chunk.data]


def run(seconds: float) -> Table:
    """Frames and rounds a second of each stage, side by side."""
    recordings = [InMemory(CAPTURES / f"{name}.pcapng") for name in NAMES]
    procedure, terms = load_procedure("flushes-gone-wild.co"), Terms(load_game("flushes-gone-wild.co"))
    frames = sum(play(recording, lambda _: None).frames for recording in recordings)

    def decoded() -> int:
        found = 0
        for recording in recordings:
            framers: dict[int, Framer] = {}
            for chunk in recording.received:
                framer = framers.setdefault(chunk.interface, Framer())
                for piece in framer.feed(chunk.data):
                    if type(piece) is Frame:
                        decode(piece.body)
                        found += 1
        return found

    def delivered() -> int:
        return sum(play(recording, lambda _: None).frames for recording in recordings)

    def dealt(settled: Terms | None) -> Callable[[], int]:
        def all_of_them() -> int:
            found = 0
            for recording in recordings:
                table = DealtTable(procedure, settled)

                def deliver(seen: Seen, table: DealtTable = table) -> None:
                    table.handle(seen)

                found += play(recording, deliver).frames
                table.finish()
            return found

        return all_of_them

    stages = {
        "framing, check, decode": decoded,
        "… and link, driver: events": delivered,
        "… and flow: rounds": dealt(None),
        "… and rules: settlements": dealt(terms),
    }
    rounds = sum(rounds_of(recording, procedure) for recording in recordings)
    medians = dict(zip(stages, interleave(list(stages.values()), seconds), strict=True))
    first = next(iter(medians.values()))
    rows = [
        [
            name,
            f"{frames / taken:,.0f}",
            f"{taken / frames * 1e6:.2f}",
            f"{rounds / taken:,.0f}",
            f"{first / taken:.2f}",
        ]
        for name, taken in medians.items()
    ]
    return Table(
        "Recorded bytes to results, one core",
        ["", "frames/s", "us a frame", "rounds/s", "to the first"],
        rows,
        [
            f"{len(NAMES)} recordings, {frames} frames, {rounds} rounds a pass; medians of passes in turn.",
            "Chunks are as they were read live, mostly one frame each; opening the file is left out.",
        ],
    )


def rounds_of(recording: Capture, procedure: Procedure) -> int:
    """How many rounds a recording holds."""
    table = DealtTable(procedure, None)

    def deliver(seen: Seen) -> None:
        table.handle(seen)

    play(recording, deliver)
    table.finish()
    return sum(table.outcomes.values())
