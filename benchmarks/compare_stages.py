"""Timing of the stages of `replay` in two commits, in turn: `python -m benchmarks replay --against COMMIT`.

Each commit has a process of its own, which waits while the other works. Other load on the machine affects both alike,
and the times are processor times, so the ratio is reliable even where neither figure is.
"""

import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, Self

from benchmarks.table import Table
from benchmarks.trees import ROOT, command, environment, tree_of

PASSES: Final = 5
"""Passes that are timed in each turn of a process, after one that warms the processor's caches."""
TURNS_LEAST: Final = 3


class Worker:
    """Process that times stages with the packages of `tree`. Use it as a context manager."""

    def __init__(self, tree: Path) -> None:
        self._process = subprocess.Popen(
            command("compare_stages"),
            env=environment(tree),
            cwd=tempfile.gettempdir(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.frames: int = self._answer()

    def times(self, stage: str) -> list[float]:
        """Return the seconds of several passes of a stage."""
        assert self._process.stdin is not None
        print(stage, file=self._process.stdin, flush=True)
        found: list[float] = self._answer()
        return found

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("a process that times stages ended; what it said stands above")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def compare_stages(commit: str, seconds: float) -> Table:
    """Compare microseconds a frame of each stage with another commit's. Raise NoCommit if there is no such commit."""
    from benchmarks.replay import stages

    taken: dict[str, tuple[list[float], list[float]]] = {stage: ([], []) for stage in stages().passes}
    with ExitStack() as stack:
        both = [stack.enter_context(Worker(stack.enter_context(tree_of(commit)))), stack.enter_context(Worker(ROOT))]
        end, turns = time.monotonic() + seconds, 0
        while turns < TURNS_LEAST or time.monotonic() < end:
            for stage, times in taken.items():
                for side in (0, 1) if turns % 2 else (1, 0):
                    times[side].extend(both[side].times(stage))
            turns += 1
    frames = [worker.frames for worker in both]
    rows = []
    for stage, times in taken.items():
        other, ours = (statistics.median(each) / count for each, count in zip(times, frames, strict=True))
        rows.append([stage, f"{other * 1e6:.2f}", f"{ours * 1e6:.2f}", f"{1 / ours:,.0f}", f"{other / ours:.2f}"])
    return Table(
        "Recorded bytes to results, two commits",
        ["", f"{commit}, us a frame", "here, us a frame", "here, frames/s", "times as fast"],
        rows,
        [
            f"Python {platform.python_version()}, {platform.machine()}; {turns} turns of {PASSES} passes each.",
            "Medians of the processor's time; ours measure both, on the same recordings.",
        ],
    )


def main() -> None:
    """Print the number of frames in a pass, then time each stage that is named on a line of standard input."""
    from benchmarks.replay import stages

    timed = stages()
    print(timed.frames, flush=True)
    for line in sys.stdin:
        work, found = timed.passes[line.rstrip("\n")], []
        work()
        for _ in range(PASSES):
            start = time.process_time()
            work()
            found.append(time.process_time() - start)
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
