"""An hour of the service under faults: `python -m tests.support.programs.soak --minutes 60 --speed 50 --tables 2`.

The service is `dealwire run`, its devices are processes of their own that deal without an end, and in a share of their
rounds something goes wrong by chance: jams, power cuts, wrong counts, spoiled lines. Watched from outside: memory,
descriptors and threads of the service, with a page open at each table; and whether every started round was published,
once.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from tests.support.rigs.serving import Program, compared, published, simulators, write_configuration

SAMPLE_S: Final = 5.0
WARM_UP: Final = 0.2
"""First part of a soak, in which memory may still grow: caches fill, the log of the view fills."""
GROWTH_KIB: Final = 8 * 1024
"""Largest growth in memory from the samples after the warm-up to the last ones, in KiB."""


@dataclass
class Soak:
    """Observations: samples of (resident KiB, descriptors, threads), and the rounds of each table."""

    samples: list[tuple[int, int, int]] = field(default_factory=list)
    started: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    under_way: Counter[str] = field(default_factory=Counter)
    quiet_s: dict[str, float] = field(default_factory=dict)
    """Seconds from a table's last round to the last line of the journal."""
    outcomes: Counter[str] = field(default_factory=Counter)
    incidents: Counter[str] = field(default_factory=Counter)
    missing: dict[str, list[int]] = field(default_factory=dict)
    twice: dict[str, list[int]] = field(default_factory=dict)
    pages: list[Page] = field(default_factory=list)
    code: int = 0
    said: str = ""
    equal: int = 0
    difference: str | None = None

    def faults(self) -> list[str]:
        """Return everything that is not as it should be; empty if all is well."""
        found = []
        for table, started in self.started.items():
            if started != self.ended[table] + self.under_way[table]:
                found.append(f"{table}: {started} rounds started, {self.ended[table]} made known")
        found += [f"{table}: no round in the last {quiet:.0f} s" for table, quiet in self.quiet_s.items() if quiet > 60]
        found += [f"{table}: rounds {numbers} are missing" for table, numbers in self.missing.items() if numbers]
        found += [f"{table}: rounds {numbers} came twice" for table, numbers in self.twice.items() if numbers]
        found += ["a page was shown nothing" for page in self.pages if page.messages < 10]
        if self.code != 0:
            found.append(f"the service ended with {self.code}")
        if self.difference is not None:
            found.append(self.difference)
        return found + self.growth()

    def growth(self) -> list[str]:
        """Return every growth of memory, descriptors or threads after the warm-up beyond the allowed amount."""
        settled = self.samples[int(len(self.samples) * WARM_UP) :]
        third = max(len(settled) // 3, 1)
        first, last = settled[:third], settled[-third:]
        found = []
        for index, what, allowed in ((0, "KiB of memory", GROWTH_KIB), (1, "descriptors", 0), (2, "threads", 0)):
            before, after = max(each[index] for each in first), min(each[index] for each in last)
            if after > before + allowed:
                found.append(f"{what} grew from {before} to {after}")
        return found


def soak(folder: Path, *, minutes: float, speed: float, tables: int, faults: float, seed: int) -> Soak:
    """Run the soak, end the service, and read what it wrote."""
    result = Soak()
    with simulators(tables, scenario="demo", speed=speed, faults=faults, seed=seed) as addresses:
        file = write_configuration(folder, addresses, top="[console]\nport = 0\n")
        with Program(file) as program, ExitStack() as stack:
            program.wait_for(lambda: "console: " in program.text)
            for number in range(1, tables + 1):
                result.pages.append(stack.enter_context(Page(program.text, f"table-{number}")))
            end = time.monotonic() + minutes * 60
            while time.monotonic() < end and program.process.poll() is None:
                time.sleep(min(SAMPLE_S, max(end - time.monotonic(), 0.01)))
                sample = measure(program.process.pid)
                if sample is not None:
                    result.samples.append(sample)
            result.code = program.end() if program.process.poll() is None else program.process.returncode
            result.said = program.text
    account(folder, result)
    found = compared(folder)
    result.equal, result.difference = found.equal, None if found.difference is None else str(found.difference)
    return result


class Page:
    """A viewer that watches a table in a browser all the time."""

    def __init__(self, said: str, table: str) -> None:
        found = re.search(r"console: http(://\S+/)", said)
        assert found is not None
        self.messages = 0
        self._open = ExitStack()
        self._address, self._origin = f"ws{found[1]}live/{table}", Origin(f"http{found[1]}"[:-1])

    def __enter__(self) -> Page:
        line = self._open.enter_context(connect(self._address, origin=self._origin, max_size=None))
        thread = threading.Thread(target=self._read, args=(line,))
        thread.start()
        self._open.callback(thread.join)
        self._open.callback(line.close)
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def _read(self, line: ClientConnection) -> None:
        with contextlib.suppress(ConnectionClosed):
            for _ in line:
                self.messages += 1


def measure(process: int) -> tuple[int, int, int] | None:
    """Return resident KiB, descriptors and threads of a process; None if it has ended."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        descriptors = len(list(Path(f"/proc/{process}/fd").iterdir()))
        return int(fields["VmRSS"].split()[0]), descriptors, int(fields["Threads"])
    except (OSError, KeyError):
        return None


def account(folder: Path, result: Soak) -> None:
    """Check that every START GAME has its round, by number, once."""
    numbers: dict[str, list[int]] = {}
    ended_ns: dict[str, int] = {}
    newest_ns = 0
    for item in published(folder):
        newest_ns = max(newest_ns, item.at_ns)
        line = json.loads(item.line)
        if item.topic == "round":
            result.ended[item.table] += 1
            result.under_way[item.table] = 0
            ended_ns[item.table] = item.at_ns
            result.outcomes[line["outcome"]] += 1
            numbers.setdefault(item.table, []).append(line["round"])
        elif item.topic == "incident":
            result.incidents[line["code"]] += 1
        elif line.get("event") == "GameStarted":
            result.started[item.table] += 1
            result.under_way[item.table] = 1
    result.quiet_s = {table: (newest_ns - at_ns) / 1e9 for table, at_ns in ended_ns.items()}
    for table, found in numbers.items():
        counted = Counter(found)
        result.missing[table] = [number for number in range(1, max(found) + 1) if number not in counted]
        result.twice[table] = [number for number, times in counted.items() if times > 1]


def main() -> int:
    """Run a soak and print the result; return 1 if anything is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--speed", type=float, default=50)
    parser.add_argument("--tables", type=int, default=2)
    parser.add_argument("--faults", type=float, default=0.4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="dealwire-soak-") as folder:
        result = soak(Path(folder), **vars(options))
        size = sum(path.stat().st_size for path in Path(folder).glob("journal.sqlite*"))
    settled = result.samples[int(len(result.samples) * WARM_UP) :]
    for index, what in enumerate(("KiB of memory", "descriptors", "threads")):
        values = [each[index] for each in settled]
        print(f"{what}: {values[0]} after the warm-up, {values[-1]} at the end, {min(values)} to {max(values)} between")
    print(f"rounds: {dict(result.started)} started, {dict(result.ended)} made known; outcomes {dict(result.outcomes)}")
    print(f"incidents: {dict(result.incidents.most_common())}")
    print(f"pages: {[page.messages for page in result.pages]} messages")
    print(f"journal: {size / 1e6:.1f} MB; {result.equal} lines rebuilt, each byte for byte")
    for fault in result.faults():
        print(f"NOT GOOD: {fault}")
    if result.said:
        print(f"it said: {result.said[-2000:]}")
    return 1 if result.faults() else 0


if __name__ == "__main__":
    sys.exit(main())
