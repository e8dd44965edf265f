"""Replay of an archive by `dealwire replay FOLDER` with one, two and four processes, and the most the machine allows.

The archive is copies of the recordings of `replay`. Every figure is for the whole command, from start to end.
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.replay import CAPTURES, NAMES
from benchmarks.table import Table, interleave

COPIES: Final = 600
JOBS: Final = (1, 2, 4)
LEAST: Final = 3
"""Minimum number of runs of each command, however few seconds are given."""


def run(seconds: float) -> Table:
    """Compare recordings a second for each number of processes."""
    with tempfile.TemporaryDirectory() as made:
        whole, halves = Path(made) / "whole", [Path(made) / "first", Path(made) / "second"]
        files = _fill(whole, range(COPIES))
        for half, which in zip(halves, (range(0, COPIES, 2), range(1, COPIES, 2)), strict=True):
            _fill(half, which)
        cases: dict[str, Callable[[], object]] = {
            f"--jobs {jobs}": partial(_replay, [whole], "--jobs", str(jobs)) for jobs in JOBS
        }
        cases["two commands at once, half each"] = partial(_replay, halves)
        medians = dict(zip(cases, interleave(list(cases.values()), seconds, LEAST), strict=True))
    alone = medians["--jobs 1"]
    return Table(
        "An archive dealt again",
        ["", "seconds", "recordings/s", "times --jobs 1"],
        [[name, f"{took:.2f}", f"{files / took:,.0f}", f"{alone / took:.2f}"] for name, took in medians.items()],
        [
            f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores; medians, in turn.",
            f"{files} recordings of one procedure, dealt and settled; the start of the command included.",
            "Two commands of half the work each share nothing: more than they do is not to be had from two processes.",
        ],
    )


def _fill(folder: Path, copies: range) -> int:
    folder.mkdir()
    for copy in copies:
        for name in NAMES:
            shutil.copy(CAPTURES / f"{name}.pcapng", folder / f"{copy:05}-{name}.pcapng")
    return len(copies) * len(NAMES)


def _replay(folders: list[Path], *options: str) -> None:
    command = [sys.executable, "-m", "dealwire", "replay", "--json", *options]
    with ExitStack() as stack:
        running = [
            stack.enter_context(subprocess.Popen([*command, str(folder)], stdout=subprocess.DEVNULL))
            for folder in folders
        ]
        for process in running:
            if process.wait():
                raise RuntimeError(f"dealwire replay ended with {process.returncode}")
