"""Many lines in one process: the cost of a frame, and the time from the device's write to the event.

The devices are a process of their own (`benchmarks.lines_device`) on pseudo-terminals, each as busy as a 115200 baud
line can be. Every reader gets the same frames. The C reader is the floor; a thread for each line is pyserial's own way.
"""

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import serial

from benchmarks.lines_device import FRAME_BYTES, TAIL, age_us
from benchmarks.table import Table
from devices.clock import SystemClock
from devices.dialects.table_controller import TableControllerDriver
from devices.drive.address import open_transport
from devices.events import Seen, WagerPlaced
from devices.line.loop import Member, Owner
from devices.line.session import Session
from protocol.tdp import HostLink
from protocol.tdp.messages import DeviceClass

HERE: Final = Path(__file__).parent
SIZES: Final = (1, 8, 64, 200, 256)
DRAIN_S: Final = 0.3
LEAST_S: Final = 1.0
"""Minimum number of seconds for a meaningful tail."""


@dataclass
class Run:
    """Result of one reader in one run."""

    written: int = 0
    refused: int = 0
    frames: int = 0
    cpu_s: float = 0.0
    wall_s: float = 0.0
    ages: list[int] = field(default_factory=list)
    percentiles: tuple[int, int, int] | None = None
    failed: str = ""

    def latency(self) -> tuple[int, int, int]:
        """Return p50, p99 and p99.9 in microseconds."""
        if self.percentiles is not None:
            return self.percentiles
        ages = sorted(self.ages) or [0]
        return ages[len(ages) // 2], ages[len(ages) * 99 // 100], ages[len(ages) * 999 // 1000]


@contextmanager
def devices(lines: int, seconds: float, run: Run) -> Iterator[tuple[list[str], Callable[[], None]]]:
    """Start the far ends; return their names, and a function that makes them write and returns when they have."""
    command = [sys.executable, "-m", "benchmarks.lines_device", str(lines), str(seconds)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=HERE.parent) as far:
        assert far.stdin is not None
        assert far.stdout is not None
        names = json.loads(far.stdout.readline())

        def go() -> None:
            assert far.stdin is not None
            assert far.stdout is not None
            far.stdin.write("go\n")
            far.stdin.flush()
            found = json.loads(far.stdout.readline())
            run.written, run.refused = found["written"], found["refused"]
            time.sleep(DRAIN_S)

        yield names, go
        far.stdin.write("over\n")
        far.stdin.close()


def _timed(run: Run, go: Callable[[], None], serve: Callable[[Callable[[], bool]], None]) -> None:
    """Let the devices write in the background while `serve` runs in this thread."""
    over = threading.Event()

    def drive() -> None:
        go()
        over.set()

    driver = threading.Thread(target=drive)
    cpu_s, wall_s = time.process_time(), time.monotonic()
    driver.start()
    serve(over.is_set)
    run.cpu_s, run.wall_s = time.process_time() - cpu_s, time.monotonic() - wall_s
    driver.join()


class RawMember(Member):
    """Member of the loop that only reads and looks at each frame's stamp, for the cost of transport and loop alone."""

    def __init__(self, address: str, run: Run) -> None:
        self._transport, self._run, self._rest = open_transport(address), run, b""

    def fileno(self) -> int | None:
        return self._transport.fileno()

    def on_readable(self, now_ns: int) -> None:
        self._rest = _stamps(self._rest + self._transport.read(), self._run)

    def close(self) -> None:
        self._transport.close()


def _stamps(data: bytes, run: Run) -> bytes:
    *frames, rest = data.split(b"\0")
    now_ns = time.monotonic_ns()
    for raw in frames:
        if len(raw) == FRAME_BYTES - 1:
            run.ages.append(age_us(raw[1 - TAIL : 5 - TAIL], now_ns))
    run.frames = len(run.ages)
    return rest


def io_alone(lines: int, seconds: float) -> Run:
    """Run the owner's loop and the serial transport without decoding."""
    run = Run()
    with devices(lines, seconds, run) as (names, go):
        owner = Owner(SystemClock())
        for name in names:
            owner.add(RawMember(name, run))
        _timed(run, go, lambda over: _serve(owner, over))
        owner.close()
    return run


def events(lines: int, seconds: float) -> Run:
    """Run the whole path to a table's event: loop, transport, framing, check, link, driver."""
    run = Run()

    def deliver(seen: Seen) -> None:
        if type(seen.body) is WagerPlaced:
            run.ages.append(age_us(seen.body.cents.to_bytes(4, "little"), time.monotonic_ns()))

    with devices(lines, seconds, run) as (names, go):
        clock = SystemClock()
        owner = Owner(clock)
        for number, name in enumerate(names):
            link = HostLink(expects=DeviceClass.TABLE_CONTROLLER, listen=True)
            session = Session(f"line {number}", open_transport(name), link, TableControllerDriver(), clock, deliver)
            owner.add(session)
            session.start()
        _timed(run, go, lambda over: _serve(owner, over))
        run.frames = len(run.ages)
        owner.close()
    return run


def _serve(owner: Owner, over: Callable[[], bool]) -> None:
    while not over():
        owner.run(over, 0.05)  # so that the end is noticed even if nothing wakes the loop


def threads(lines: int, seconds: float) -> Run:
    """Run pyserial's own blocking reads, one thread for each line."""
    run = Run()
    stop = threading.Event()

    def read(port: Any) -> None:
        rest = b""
        while not stop.is_set():
            try:
                rest = _stamps(rest + port.read(max(1, port.in_waiting)), run)
            except (OSError, ValueError) as error:
                run.failed = str(error)
                return

    with devices(lines, seconds, run) as (names, go):
        try:
            ports = [serial.Serial(name, 115200, timeout=0.1) for name in names]
        except (OSError, ValueError) as error:
            run.failed = str(error)
            ports = []
        workers = [threading.Thread(target=read, args=(port,)) for port in ports]
        for worker in workers:
            worker.start()

        def serve(over: Callable[[], bool]) -> None:
            while not over():
                time.sleep(0.05)

        _timed(run, go, serve)
        stop.set()
        for worker in workers:
            worker.join()
        for port in ports:
            port.close()
    return run


def asyncio_fast(lines: int, seconds: float) -> Run:
    """Run pyserial-asyncio-fast: one event loop, one protocol object for each line."""
    run = Run()
    try:
        import serial_asyncio_fast
    except ImportError:
        run.failed = "not installed"
        return run

    class Reader(asyncio.Protocol):
        rest = b""

        def data_received(self, data: bytes) -> None:
            self.rest = _stamps(self.rest + data, run)

    async def read(names: list[str], over: Callable[[], bool]) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, context: setattr(run, "failed", str(context.get("exception"))))
        opened = [
            await serial_asyncio_fast.create_serial_connection(loop, Reader, name, baudrate=115200) for name in names
        ]
        while not over():
            await asyncio.sleep(0.05)
        for transport, _ in opened:
            transport.abort()
        await asyncio.sleep(0)

    with devices(lines, seconds, run) as (names, go):
        try:
            _timed(run, go, lambda over: asyncio.run(read(names, over)))
        except (OSError, ValueError) as error:
            run.failed = str(error)
    return run


def c_reader(lines: int, seconds: float) -> Run:
    """Run epoll in C."""
    run = Run()
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        run.failed = "no C compiler here"
        return run
    with tempfile.TemporaryDirectory() as folder, devices(lines, seconds, run) as (names, go):
        program = str(Path(folder) / "reader")
        subprocess.run([compiler, "-O2", "-o", program, str(HERE / "lines_reader.c")], check=True)
        with subprocess.Popen(
            [program, str(FRAME_BYTES), *names], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as reader:
            assert reader.stdin is not None
            assert reader.stdout is not None
            reader.stdout.readline()
            started = time.monotonic()
            go()
            run.wall_s = time.monotonic() - started
            reader.stdin.close()
            words = reader.stdout.read().split()
        run.frames, run.cpu_s = int(words[0]), float(words[1])
        run.percentiles = (int(words[2]), int(words[3]), int(words[4]))
    return run


READERS: Final = {
    "dealwire, to the event": events,
    "dealwire, I/O alone": io_alone,
    "C, epoll": c_reader,
    "pyserial, a thread a line": threads,
    "pyserial-asyncio-fast": asyncio_fast,
}


def run(seconds: float) -> Table:
    """Compare CPU, cost of a frame, latency and losses of every reader at every number of lines."""
    each_s = max(LEAST_S, seconds / 10)
    rows = []
    for lines in SIZES:
        floor = 0.0
        found = {name: reader(lines, each_s) for name, reader in READERS.items()}
        if found["C, epoll"].frames:
            floor = found["C, epoll"].cpu_s / found["C, epoll"].frames
        rows += [[str(lines), name, *_cells(result, floor)] for name, result in found.items()]
    return Table(
        "Simultaneous lines at a continuous 115200 baud, one process",
        ["lines", "reader", "frames/s", "CPU", "us a frame", "to C", "p50 us", "p99 us", "p99.9 us", "lost"],
        rows,
        [
            f"Frames of {FRAME_BYTES} bytes, {11520 // FRAME_BYTES} a second and line, {each_s:g} s a run.",
            "Latency runs from just before the device's write to the event; the devices take up a core of their own.",
            "frames/s is what the devices wrote; short of the full rate, they could not keep up themselves.",
            "CPU is the reading process's; `lost` counts frames the device wrote that never came out.",
        ],
    )


def _cells(result: Run, floor: float) -> list[str]:
    if result.failed or not result.frames:
        return ["-", "-", "-", "-", "-", "-", "-", result.failed[:24] or "nothing came"]
    cost = result.cpu_s / result.frames
    latency = [f"{value:,}" for value in result.latency()]
    lost = result.written - result.refused - result.frames
    busy_s = result.wall_s - DRAIN_S
    return [
        f"{result.written / busy_s:,.0f}",
        f"{100 * result.cpu_s / busy_s:.0f} %",
        f"{cost * 1e6:.2f}",
        f"{cost / floor:.2f}" if floor else "-",
        *latency,
        str(lost),
    ]
