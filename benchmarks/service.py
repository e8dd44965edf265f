"""The table service: the time from the last byte of a round on the wire to its settlement, and the cost of waiting.

The devices are a process of their own, and so are the pages. The service is this process, with its journal on the disk,
sealed, every group synced, and its console, so the path has every part that a real table has.
"""

import importlib.util
import json
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.table import Table
from dealwire.config.schema import Configuration, JournalPart
from dealwire.config.table_parts import DevicePart, TablePart
from dealwire.hub.hub import Hub
from dealwire.hub.lines import Publication
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER
from dealwire.service.interpreter import made_for_good
from dealwire.service.service import Service

TABLES: Final = 8
SPEED: Final = 10.0
APART_S: Final = 0.55
"""Seconds between tables that do not end their rounds together: an eighth of a round at this speed."""
LEAST_S: Final = 3.0
"""Minimum number of seconds; a shorter run ends no round."""
ROUNDS_LEAST: Final = 101
"""Minimum number of rounds; of fewer, the 99th percentile is just the slowest."""
LONGEST_S: Final = 300.0
"""Seconds after which a run without that many rounds has stalled; its rounds are shown."""
ROOT: Final = Path(__file__).parent.parent


@dataclass
class Found:
    """Result of one run: milliseconds from END GAME on the wire to the hub and to the page, and the resources of the
    process."""

    to_hub: list[float] = field(default_factory=list)
    to_page: list[float] = field(default_factory=list)
    cpu: float = 0.0
    """Share of one core."""


class Lines:
    """Lines that a child process prints, read in a thread."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.read: list[list[str]] = []
        assert process.stdout is not None
        self._from = process.stdout
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        for line in self._from:
            if line.endswith("\n"):  # the last one is cut where the process was ended in it
                self.read.append(line.split())

    def over(self) -> None:
        self._thread.join()


@contextmanager
def child(module: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Yield a process of this folder, and end it afterwards."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            yield process
        finally:
            process.terminate()


def configured(folder: Path, addresses: list[dict[str, str]]) -> Configuration:
    """Return a configuration with one table for each pair of lines."""
    key = None
    if importlib.util.find_spec("cryptography") is not None:
        from dealwire.journal import SealingKey

        key = SealingKey.new(folder / "key").path
    tables = [
        TablePart(
            name=f"table-{number}",
            procedure="flushes-gone-wild.co",
            device=(
                DevicePart(name="shuffler", kind="shuffler", address=at[SHUFFLER]),
                DevicePart(name="controller", kind="table-controller", address=at[CONTROLLER]),
            ),
        )
        for number, at in enumerate(addresses)
    ]
    journal = JournalPart.model_validate({"path": folder / "journal.sqlite", "key-file": key})
    return Configuration.model_validate({"schema": "dealwire.table/1", "table": tuple(tables), "journal": journal})


def measure(
    seconds: float,
    tables: int,
    *,
    idle: bool = False,
    looked_at: bool = True,
    speed: float = SPEED,
    apart_s: float = 0.0,
    settle_s: float = 2.0,
    rounds: int = 0,
) -> Found:
    """Measure one run, with a page at each table if `looked_at`.

    - `idle`: the devices have dealt three rounds and send only heartbeats.
    - `apart_s`: seconds between the starts of two tables.
    - `settle_s`: seconds from the last start until the measurement begins.
    - The measurement lasts `seconds`, and until `rounds` rounds were settled.
    """
    found, hub = Found(), Hub()
    settled: dict[int, tuple[str, int, int]] = {}

    def note(item: Publication) -> None:
        if item.topic == "settlement":
            line = json.loads(item.line)
            settled[item.sequence] = item.table, line["round"], time.monotonic_ns()

    publish = hub.publish
    hub.publish = lambda item: (publish(item), note(item))[0]  # type: ignore[method-assign, func-returns-value]
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        how = [str(tables), str(speed), str(apart_s), *(["idle"] if idle else [])]
        far = stack.enter_context(child("service_device", *how))
        assert far.stdout is not None
        addresses = json.loads(far.stdout.readline())
        ends = Lines(far)
        service = stack.enter_context(Service(configured(Path(folder), addresses), hub))
        service.run(0.5)  # a page can be had of a table that was shown
        pages = pages_of(stack, service, hub) if looked_at else None
        service.run(30.0 if idle else settle_s + tables * apart_s)  # idle: until the rounds are dealt
        settled.clear()
        stack.enter_context(made_for_good())  # as `dealwire run` does
        cpu_s, wall_s = time.process_time(), time.monotonic()
        service.run(seconds)
        while len(settled) < rounds and time.monotonic() - wall_s < LONGEST_S:
            service.run(1.0)
        found.cpu = (time.process_time() - cpu_s) / (time.monotonic() - wall_s)
        stack.close()
        ends.over()
        if pages is not None:
            pages.over()
    _match(found, settled, ends.read, pages.read if pages is not None else [])
    return found


def pages_of(stack: ExitStack, service: Service, hub: Hub) -> Lines | None:
    """Open a console of the service with a page for each table, as long as `stack` is open; return None without the
    extra."""
    if any(importlib.util.find_spec(name) is None for name in ("starlette", "uvicorn", "websockets", "jinja2")):
        return None
    from dealwire.console.server import Console

    console = Console(hub, clock=service.clock)
    console.start()
    stack.callback(console.stop)
    return Lines(stack.enter_context(child("service_page", console.address, *service.tables)))


def _match(
    found: Found, settled: dict[int, tuple[str, int, int]], ends: list[list[str]], pages: list[list[str]]
) -> None:
    wire = {(f"table-{table}", int(number)): int(at_ns) for table, number, at_ns in ends}
    shown: dict[str, list[tuple[int, int]]] = {}
    for table, sequence, at_ns in pages:
        shown.setdefault(table, []).append((int(sequence), int(at_ns)))
    for sequence, (table, number, at_ns) in settled.items():
        sent_ns = wire.get((table, number))
        if sent_ns is None:
            continue
        found.to_hub.append((at_ns - sent_ns) / 1e6)
        page_ns = next((seen_ns for seen, seen_ns in shown.get(table, []) if seen >= sequence), None)
        if page_ns is not None:
            found.to_page.append((page_ns - sent_ns) / 1e6)


def run(seconds: float) -> Table:
    """Measure the latency of a settlement with eight tables in one process, and the cost of eight idle tables."""
    dealt = measure(max(LEAST_S, seconds), TABLES, rounds=ROUNDS_LEAST if seconds >= LEAST_S else 0)
    rows = [
        ["settlement at the hub", *_cells(dealt.to_hub), _part(dealt.cpu)],
        ["settlement at a page", *_cells(dealt.to_page), _part(dealt.cpu)],
    ]
    if seconds >= LEAST_S:
        apart = measure(seconds, TABLES, apart_s=APART_S, rounds=ROUNDS_LEAST)
        rows += [
            ["at the hub, rounds end apart", *_cells(apart.to_hub), _part(apart.cpu)],
            ["at a page, rounds end apart", *_cells(apart.to_page), _part(apart.cpu)],
        ]
        for what, looked_at in (("no round under way", True), ("no round under way, no page", False)):
            idle = measure(seconds, TABLES, idle=True, looked_at=looked_at)
            rows.append([what, "-", "-", "-", "-", _part(idle.cpu)])
    return Table(
        f"The table service, {TABLES} tables in one process",
        ["what", "rounds", "p50 ms", "p99 ms", "most ms", "CPU"],
        rows,
        [
            "Milliseconds from just before the device writes END GAME; a page is a WebSocket of the console.",
            f"At least {ROUNDS_LEAST} rounds, so that a p99 is one.",
            f"All tables begin and so end together, up to eight in one turn; apart: {APART_S:g} s after each other.",
            f"Devices {SPEED:g} times as fast as people; journal sealed, every group synced to the disk.",
            "CPU is the service's with its console and a page a table, where nothing else is said.",
        ],
    )


def _cells(values: list[float]) -> list[str]:
    if not values:
        return ["0", "-", "-", "-"]
    ordered = sorted(values)
    chosen = ordered[len(ordered) // 2], ordered[len(ordered) * 99 // 100], ordered[-1]
    return [str(len(ordered)), *(f"{value:.1f}" for value in chosen)]


def _part(cpu: float) -> str:
    return f"{100 * cpu:.1f} %" if cpu else "-"


def main(tables: int) -> None:
    """Measure `tables` tables without pages for a minute, each at one round a minute."""
    found = measure(60, tables, looked_at=False, speed=1.0, settle_s=40.0)
    count, p50, p99, most = _cells(found.to_hub)
    print(f"{tables} tables, {count} rounds in 60 s: p50 {p50} ms, p99 {p99} ms, most {most} ms at the hub; ", end="")
    print(f"{_part(found.cpu)} of a core")


if __name__ == "__main__":
    main(int(sys.argv[1]))
