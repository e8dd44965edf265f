"""Random and mutated bytes through every dialect, each byte accounted for.

    python -m tests.support.programs.fuzz_dialects --bytes 10000000

Half of the bytes are random, half are the simulated shoe's output with bits flipped, bytes lost and bytes made up.
Checked: frames, noise and pending tile the input; nothing but declared errors is raised by the codec and nothing by the
link; pending data stays bounded.
"""

import argparse
import contextlib
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from devices.dialects.known import BUILT_IN
from devices.line.session import Feed
from firmware.same.gat import EndInPython, GatBench, inspect
from protocol.errors import BadAnswer
from protocol.gat.codec import encode
from protocol.gat.device_end import GatDevice, MeasuredSoftware
from protocol.gat.documents import read_components, read_functions
from protocol.gat.exchange import Exchange
from protocol.gat.link import GatListener
from protocol.gat.messages import StatusQueryMessage
from protocol.tdp.messages import Role
from tests.support.evenings.simulated_shoe import START_NS, ShoeEvening

CHUNK = 4096
MS = 1_000_000
ACTS = ["fill", "begin 3", *["draw"] * 6, "draw unread", "clear", "draw", "push back", "clear", "draw", "end round",
        "lock", "draw", "unlock", "draw", "slow", "draw", "clear", "wrong button", "end round", "empty"]  # fmt: skip


@dataclass(slots=True)
class Report:
    """Figures of one dialect's run."""

    dialect: str
    bytes: int = 0
    frames: int = 0
    noise_bytes: int = 0
    reports: int = 0
    most_pending: int = 0
    peak_kib: int = 0
    seconds: float = 0.0


def mutated(sample: bytes, chance: Random) -> bytes:
    """Return the sample with about one byte in forty changed."""
    data = bytearray(sample)
    for _ in range(len(data) // 40):
        at, change = chance.randrange(len(data)), chance.randrange(4)
        if change == 0:
            data[at] ^= 1 << chance.randrange(8)
        elif change == 1:
            del data[at : at + chance.randrange(1, 8)]
        elif change == 2:
            data[at:at] = chance.randbytes(chance.randrange(1, 8))
        else:
            start = chance.randrange(len(data))
            data[at:at] = data[start : start + chance.randrange(1, 30)]
    return bytes(data)


def sample_of(name: str) -> bytes:
    """Return the simulated device's output in a dialect; for GAT also the terminal's."""
    if name == "gat":
        bench = GatBench([EndInPython()], Random(1))
        for _ in range(40):
            inspect(bench, Exchange())
        return b"".join(bench.heard)
    return b"".join(data for _, data in ShoeEvening(ACTS, name).run().heard)


class GatEnds:
    """Everything that takes bytes of a GAT line: listener, device, terminal, documents."""

    def __init__(self, count: Callable[[object], None]) -> None:
        self._link, self._exchange, self._count = GatListener(), Exchange(), count
        self._device = GatDevice(MeasuredSoftware("game", "maker", (("one", bytes(3000)),)), 512)

    def start(self, now_ns: int) -> None:
        self._link.start(now_ns)

    def receive(self, chunk: bytes, now_ns: int) -> None:
        self._link.receive(chunk, now_ns)
        for at in range(0, len(chunk), 64):
            self._device.receive(chunk[at : at + 64], now_ns + at * MS)
        self._device.tick(now_ns)
        self._device.take_output()
        self._device.receive(encode(StatusQueryMessage()), now_ns + 5000 * MS)
        (answer,) = self._device.take_output()
        self._count(answer)
        if self._exchange.done:
            self._exchange.ask(StatusQueryMessage(), now_ns)
        self._exchange.tick(now_ns)
        self._exchange.receive(chunk, now_ns)
        for read in (read_components, read_functions):
            with contextlib.suppress(BadAnswer):
                read(chunk)

    def end(self, now_ns: int) -> None:
        self._link.close(now_ns)


def feed_of(name: str, count: Callable[[object], None]) -> Feed | GatEnds:
    """Return the host's end of a line, which counts what comes of the bytes."""
    dialect = BUILT_IN[name]
    if not dialect.drivers:
        return GatEnds(count)
    feed = Feed("fuzz", dialect.make_link("shoe", Role.OPERATE, False), dialect.driver("shoe", where="fuzz"), count)
    feed.settle = lambda _: None
    return feed


def fuzz(name: str, total: int, seed: int = 1) -> Report:
    """Pass `total` bytes through framer, codec, link and driver; raise AssertionError if a byte is unaccounted for."""
    dialect, chance, report = BUILT_IN[name], Random(seed), Report(name)
    sample = sample_of(name)
    framer = dialect.make_framer()
    reports = 0

    def count(_: object) -> None:
        nonlocal reports
        reports += 1

    feed = feed_of(name, count)
    now_ns, begun = START_NS, time.monotonic()
    feed.start(now_ns)
    tracemalloc.start()
    while report.bytes < total:
        chunk = chance.randbytes(CHUNK) if chance.randrange(2) else mutated(sample, chance)[:CHUNK]
        now_ns += chance.choice((1, 20, 600, 4000)) * MS
        at = report.bytes - framer.pending
        for piece in framer.feed(chunk):
            assert piece.offset == at, f"{name}: byte {at} is nobody's"
            assert piece.length > 0
            at += piece.length
            if hasattr(piece, "reason"):
                report.noise_bytes += len(piece.data)
            else:
                report.frames += 1
                dialect.explain(piece)
        report.bytes += len(chunk)
        assert at + framer.pending == report.bytes, f"{name}: bytes are missing before {report.bytes}"
        report.most_pending = max(report.most_pending, framer.pending)
        feed.receive(chunk, now_ns)
    feed.end(now_ns)
    report.peak_kib = tracemalloc.get_traced_memory()[1] // 1024
    tracemalloc.stop()
    report.reports, report.seconds = reports, time.monotonic() - begun
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("dialects", nargs="*", default=list(BUILT_IN))
    asked = parser.parse_args()
    for name in asked.dialects:
        print(fuzz(name, asked.bytes, asked.seed), flush=True)


if __name__ == "__main__":
    main()
