"""Cost of records on the disk before they are published: groups of records, single records, and a plain file.

A record is the 60 bytes of a usual read. Every case ends each group with a sync, on one disk, in turn.
"""

import itertools
import os
import platform
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from benchmarks.table import Table, timed
from dealwire.journal import Journal, SealingKey
from dealwire.journal.errors import SealingUnavailable
from devices.clock import SystemClock

DATA: Final = bytes(range(60))
GROUPS: Final = (1, 8, 64)
IN_TURN: Final = 10
"""Groups of a case before the next case has its turn."""


def run(seconds: float) -> Table:
    """Measure groups and records a second of each case, and the time of one group."""
    with tempfile.TemporaryDirectory() as made, ExitStack() as stack:
        folder = Path(made)
        key = SealingKey.new(folder / "key")
        cases: dict[str, tuple[int, Callable[[], None]]] = {}
        rows = []
        for size in GROUPS:
            name = f"journal, sealed, {size} a group"
            try:
                cases[name] = size, _journal(stack, folder / f"sealed-{size}", key, size)
            except SealingUnavailable:
                rows.append([name, "cryptography is not installed", "-", "-", "-"])
        cases["journal, unsealed, 64 a group"] = 64, _journal(stack, folder / "clear", None, 64)
        for size in (1, 64):
            cases[f"plain file and fsync, {size} a group"] = size, _plain(stack, folder / f"plain-{size}", size)
        taken = timed([case for _, case in cases.values()], seconds, in_turn=IN_TURN)
        rows += [[name, *_figures(size, times)] for (name, (size, _)), times in zip(cases.items(), taken, strict=True)]
        rows.append(["journal, nothing to commit", "-", "-", f"{_idle(stack, folder / 'idle') * 1000:.5f}", "-"])
    return Table(
        "Records on the disk",
        ["", "groups/s", "records/s", "p50 ms", "p99 ms"],
        rows,
        [
            f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.machine()}; "
            f"{len(taken[0])} groups a case, {IN_TURN} in turn.",
            "Groups a second are of the mean, checkpoints among them. A record is hashed, sealed and stored.",
            "The plain file is what a log without order, checks or all-or-nothing would cost.",
        ],
    )


def _journal(stack: ExitStack, path: Path, key: SealingKey | None, size: int) -> Callable[[], None]:
    journal = stack.enter_context(Journal(path, key=key, clock=SystemClock()))
    line = journal.line("t", "shoe", device="shoe", dialect="tdp", address="", baud=115200, procedure="p")

    def group() -> None:
        for number in range(size):
            journal.chunk(line, number, False, DATA)
        journal.commit()
        if journal.failed:
            raise RuntimeError(journal.failed)

    return group


def _plain(stack: ExitStack, path: Path, size: int) -> Callable[[], None]:
    file = stack.enter_context(path.open("wb", buffering=0))

    def group() -> None:
        for _ in range(size):
            file.write(DATA)
        os.fsync(file.fileno())

    return group


def _figures(size: int, times: list[float]) -> list[str]:
    mean = statistics.fmean(times)
    percentiles = statistics.quantiles(times, n=100)
    return [f"{1 / mean:,.0f}", f"{size / mean:,.0f}", f"{percentiles[49] * 1e3:.2f}", f"{percentiles[98] * 1e3:.2f}"]


def _idle(stack: ExitStack, path: Path) -> float:
    journal = stack.enter_context(Journal(path, key=None, clock=SystemClock()))
    start = time.perf_counter()
    for _ in itertools.repeat(None, 10_000):
        journal.commit()
    return (time.perf_counter() - start) / 10_000
