"""Recorded bytes to settled rounds on one core: the cost of each further layer, in one run.

The recordings are this project's own (`captures/`), held in memory in the chunks in which they were read. Each pass
plays all of them through new links and drivers, and the last stages through one table, as `dealwire replay` does.
"""

import argparse
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.table import Table, interleave
from benchmarks.trees import NoCommit
from dealer_flow.procedure.load import load_procedure
from dealwire.table.table import Table as DealtTable
from dealwire.table.table import TableTerms
from devices.drive.replay import play
from devices.record.capture import Capture, Chunk
from protocol.tdp.codec import decode
from protocol.tdp.framing import Frame, Framer
from rules.game.load import load_game

CAPTURES: Final = Path(__file__).parent.parent / "captures"
NAMES: Final = ("clean-1", "clean-3", "clean-8", "two-rounds", "player-short", "dealer-long")


class InMemory(Capture):
    """Recording whose chunks were read before the clock started."""

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


@dataclass(frozen=True, slots=True)
class Stages:
    """Timed stages. Each of `passes` plays every recording once and does all that the one before does and one layer
    more."""

    passes: dict[str, Callable[[], object]]
    frames: int
    rounds: int
    reads: int
    """Reads of one pass; `frames` and `rounds` are of one pass too."""


def stages() -> Stages:
    """Return the stages from bytes to settlements, ready to be timed."""
    recordings = [InMemory(CAPTURES / f"{name}.pcapng") for name in NAMES]
    procedure, terms = load_procedure("flushes-gone-wild.co"), TableTerms(load_game("flushes-gone-wild.co"))
    counted = DealtTable(procedure, terms)
    frames = deal(recordings, counted)

    def decoded() -> int:
        found = 0
        for recording in recordings:
            framers: dict[int, Framer] = {}
            for chunk in recording.received:
                if chunk.interface not in framers:
                    framers[chunk.interface] = Framer()
                framer = framers[chunk.interface]
                for piece in framer.feed(chunk.data):
                    if type(piece) is Frame:
                        decode(piece.body)
                        found += 1
        return found

    def delivered() -> int:
        return sum(play(recording, lambda _: None).frames for recording in recordings)

    passes: dict[str, Callable[[], object]] = {
        "framing, check, decode": decoded,
        "… and link, driver: events": delivered,
        "… and flow: rounds": partial(deal, recordings, DealtTable(procedure, None)),
        "… and rules: settlements": partial(deal, recordings, DealtTable(procedure, terms)),
    }
    reads = sum(len(recording.received) for recording in recordings)
    return Stages(passes, frames, counted.outcomes.total(), reads)


def run(seconds: float) -> Table:
    """Compare frames and rounds a second of all stages."""
    timed = stages()
    frames, rounds = timed.frames, timed.rounds
    medians = dict(zip(timed.passes, interleave(list(timed.passes.values()), seconds), strict=True))
    rows = [
        [name, f"{frames / taken:,.0f}", f"{taken / frames * 1e6:.2f}", f"{rounds / taken:,.0f}"]
        for name, taken in medians.items()
    ]
    return Table(
        "Recorded bytes to results, one core",
        ["", "frames/s", "us a frame", "rounds/s"],
        rows,
        [
            f"Python {platform.python_version()}, {platform.machine()}; medians of passes in turn.",
            f"{len(NAMES)} recordings of {frames} frames and {rounds} rounds: {frames / rounds:.0f} frames a round.",
            f"Bytes as they were read live, {frames / timed.reads:.1f} frames a read; opening the file is left out.",
            "One table deals all of them, as one does live.",
        ],
    )


def deal(recordings: list[InMemory], table: DealtTable) -> int:
    """Play every recording at `table`; return the number of frames."""
    frames = 0
    for recording in recordings:
        frames += play(recording, table.handle).frames
        table.finish()
    return frames


def main(seconds: float, arguments: Sequence[str]) -> None:
    """Run `python -m benchmarks replay` with these arguments."""
    from benchmarks.compare_stages import compare_stages

    parser = argparse.ArgumentParser(prog="python -m benchmarks [seconds] replay")
    parser.add_argument("--against", metavar="COMMIT", required=True, help="time another commit's stages in turn")
    try:
        print(compare_stages(parser.parse_args(arguments).against, seconds))
    except NoCommit as error:
        sys.exit(str(error))
