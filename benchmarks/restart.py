"""Cost of a restart with a long journal: the time from the start of `dealwire run` to READY, and its memory.

One journal grows from size to size, written by the service's own code (`restart_records.py`). At each size the program
starts as systemd starts it, with a notify socket, and ends again. Its devices are absent, and READY does not wait for
them. `python -m benchmarks.restart 1e4 1e5 1e6 1e7` measures other sizes.
"""

import logging
import os
import platform
import re
import shutil
import signal
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.held_records import write_held
from benchmarks.restart_records import JOURNAL, fill, settings_in, size_of, write
from benchmarks.table import Table

SIZES: Final = (10_000, 100_000)
BRIEFLY: Final = (1_000, 2_000)
LEAST_S: Final = 3.0
SERVED: Final = 20_000
"""Records beyond which a journal is filled with the record of another table, which is faster than dealing so many
rounds."""
TAIL: Final = 3_000
"""Records of the restarted table at the end of such a journal."""
HELD: Final = 90_000
"""Rounds of the journal with held money: a month of two a minute."""
STARTS: Final = 3
"""Starts of each size; the table shows the median."""
GIVEN_UP_S: Final = 1800
HOUR_S: Final = 3600.0
ROUNDS_IDLE_S: Final = 0.3
ROUND_RECORDS: Final = 3_000


@dataclass(frozen=True, slots=True)
class Start:
    """One start, up to READY."""

    wall_s: float
    cpu_s: float
    memory_mib: float


def started(file: Path) -> Start:
    """Start the service, wait for READY, measure it, and end it."""
    with tempfile.TemporaryDirectory() as made, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        address = str(Path(made) / "notify")
        manager.bind(address)
        manager.settimeout(GIVEN_UP_S)
        begin = time.perf_counter()
        command = [sys.executable, "-m", "dealwire", "run", "--no-console", str(file)]
        environment = {**os.environ, "NOTIFY_SOCKET": address}
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, cwd=Path(__file__).parents[1]) as it:
            while b"READY=1" not in manager.recv(4096):
                pass
            wall_s = time.perf_counter() - begin
            status = Path(f"/proc/{it.pid}/status").read_text()
            times = Path(f"/proc/{it.pid}/stat").read_text().rpartition(")")[2].split()
            it.send_signal(signal.SIGTERM)
            it.wait(GIVEN_UP_S)
    found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    assert found is not None
    ticks = int(times[11]) + int(times[12])
    return Start(wall_s, ticks / os.sysconf("SC_CLK_TCK"), int(found[1]) / 1024)


def row(folder: Path, name: str, facts: dict[str, Any] | None) -> list[str]:
    """Return the row of one size: its content, and the medians of several starts."""
    with tempfile.TemporaryDirectory() as made:  # a start writes when it was: the one that grows stays in the past
        copy = shutil.copytree(folder, Path(made) / "started")
        starts = [started(settings_in(copy)) for _ in range(STARTS)]
    wall_s, cpu_s = (statistics.median(getattr(each, field) for each in starts) for field in ("wall_s", "cpu_s"))
    memory = max(each.memory_mib for each in starts)
    cells = ["-", "-"] if facts is None else [f"{facts['rounds']:,}", f"{facts['bytes'] / 1e6:,.1f}"]
    return [name, *cells, f"{wall_s:.2f}", f"{cpu_s:.2f}", f"{memory:.0f}"]


def disk() -> tuple[float, float]:
    """Return the bytes of an idle day, and of a round without the idle time around it."""
    with tempfile.TemporaryDirectory() as made:
        idle = [_written(Path(made) / f"idle-{hours}", 0, 1e6, hours * HOUR_S) for hours in (1, 3)]
        per_day = (idle[1]["bytes"] - idle[0]["bytes"]) / (idle[1]["days"] - idle[0]["days"])
        dealt = [_written(Path(made) / f"dealt-{part}", part * ROUND_RECORDS, ROUNDS_IDLE_S) for part in (1, 3)]
    days, rounds = dealt[1]["days"] - dealt[0]["days"], dealt[1]["rounds"] - dealt[0]["rounds"]
    return per_day, (dealt[1]["bytes"] - dealt[0]["bytes"] - days * per_day) / rounds


def _held(folder: Path, count: int) -> list[str]:
    """Return the row of a journal with `count` held rounds and nothing else."""
    folder.mkdir()
    settings_in(folder)
    write_held(folder / JOURNAL, "table-1", count)
    return row(folder, f"{count:,} rounds held", {"rounds": count, "bytes": size_of(folder)})


def _written(folder: Path, records: int, idle_s: float, seconds: float = 0.0) -> dict[str, Any]:
    folder.mkdir()
    return write(folder, records, idle_s, seconds=seconds)


def table_of(sizes: Sequence[int], *, with_disk: bool = True) -> Table:
    """Return the table with every size, measured in one run."""
    logging.disable()  # the service that writes says what it does
    rows, notes = [], []
    with tempfile.TemporaryDirectory() as made:
        empty = Path(made) / "empty"
        empty.mkdir()
        rows.append(row(empty, "none", None))
        rows.append(_held(Path(made) / "held", HELD if with_disk else BRIEFLY[0]))
        folder, rounds = Path(made) / "grown", 0
        folder.mkdir()
        for size in sizes:
            begun = time.monotonic()
            if size > SERVED:
                rounds += fill(folder, size - TAIL)
            facts = write(folder, size)
            rounds += facts["rounds"]
            rows.append(row(folder, f"{size:,}", facts | {"rounds": rounds}))
            print(f"{size:,} records written in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    if with_disk:
        per_day, per_round = disk()
        notes.append(f"On the disk: {per_day / 1e6:.1f} MB an idle day of a table, {per_round / 1e3:.1f} kB a round.")
    logging.disable(logging.NOTSET)
    return Table(
        "A restart with so much record behind it, one table",
        ["records", "rounds", "MB", "READY s", "CPU s", "MiB"],
        rows,
        [
            *notes,
            f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, {platform.machine()}; "
            f"from the start of the process, the median of {STARTS}; MiB is the most it ever had until READY.",
            "Records are what passes on the lines and what is made known. Devices are not there.",
        ],
    )


def run(seconds: float) -> Table:
    """Measure 10,000 and 100,000 records; a run of less than three seconds makes fewer."""
    return table_of(SIZES if seconds >= LEAST_S else BRIEFLY, with_disk=seconds >= LEAST_S)


if __name__ == "__main__":
    print(table_of([int(float(each)) for each in sys.argv[1:]] or SIZES))
