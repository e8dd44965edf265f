"""Random and mutated bytes through every dialect, each byte accounted for.

    python -m tests.support.programs.fuzz_dialects --bytes 10000000

Half of the bytes are random, half are the simulated shoe's output with bits flipped, bytes lost and bytes made up.
Checked: frames, noise and pending tile the input; nothing but declared errors is raised by the codec and nothing by the
link; pending data stays bounded.
"""

import argparse
import time
import tracemalloc
from dataclasses import dataclass
from random import Random

from devices.dialects.known import BUILT_IN
from devices.line.session import Feed
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


def fuzz(name: str, total: int, seed: int = 1) -> Report:
    """Pass `total` bytes through framer, codec, link and driver; raise AssertionError if a byte is unaccounted for."""
    dialect, chance, report = BUILT_IN[name], Random(seed), Report(name)
    sample = b"".join(data for _, data in ShoeEvening(ACTS, name).run().heard)
    framer = dialect.make_framer()
    reports = 0

    def count(_: object) -> None:
        nonlocal reports
        reports += 1

    link = dialect.make_link("shoe", Role.OPERATE, False)
    feed = Feed("fuzz", link, dialect.driver("shoe", where="fuzz"), count)
    feed.settle = lambda _: None
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
