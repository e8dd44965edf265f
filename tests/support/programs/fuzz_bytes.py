"""Bytes fuzzed into everything that takes them from outside: dialects, sealed lines in every state, GAT, files.

    python -m tests.support.programs.fuzz_bytes 1000000000 --seed 30 --jobs 2

Half of them are random or a valid conversation spoiled, the others spoiled frames with a right check. Checked of each
input: frames, noise and pending bytes tile the stream; nothing but declared errors comes out; no end accepts a sealed
frame, a proof or a signature that is not genuine; memory and time are bounded. The first finding ends the run with exit
code 1: its input is in a file, and part, seed and unit repeat it:

    python -m tests.support.programs.fuzz_bytes --part "gat, recorded" --unit 17 --seed 30
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path

from tests.support.fuzzing.fuzz_parts import PARTS
from tests.support.fuzzing.fuzz_units import FuzzTally, Undeclared, run_unit

FOLDER = Path("build/fuzz")
COLUMNS = f"{'part':28}{'bytes':>15}{'frames':>13}{'noise bytes':>15}{'errors declared':>17}{'MB/s':>8}"


def units_of(total: int) -> Iterator[tuple[str, int, int]]:
    """Yield part, number and size of every unit, so that a run which is ended early has all parts in their shares."""
    shares = sum(part.share for part in PARTS.values())
    given = dict.fromkeys(PARTS, 0)
    number = dict.fromkeys(PARTS, 0)
    for _ in iter(int, 1):
        name = min(PARTS, key=lambda each: given[each] / PARTS[each].share)
        left = int(total * PARTS[name].share / shares) + 1 - given[name]
        if left <= 0:
            return
        size = min(PARTS[name].unit, left)
        yield name, number[name], size
        number[name] += 1
        given[name] += size


def work(name: str, seed: int, unit: int, size: int) -> FuzzTally:
    """Run one unit, in a process of the pool."""
    return run_unit(PARTS[name], seed, unit, size)


def fuzz(total: int, seed: int, jobs: int, seconds: float) -> tuple[dict[str, FuzzTally], float]:
    """Run units until `total` bytes are through, or the time is over. Undeclared is the first finding."""
    found = {name: FuzzTally() for name in PARTS}
    begun, told = time.monotonic(), 0.0
    units = units_of(total)
    with ProcessPoolExecutor(jobs) as pool:
        running: dict[Future[FuzzTally], str] = {}
        try:
            while True:
                if time.monotonic() - begun < seconds:
                    for name, unit, size in islice(units, 2 * jobs - len(running)):
                        running[pool.submit(work, name, seed, unit, size)] = name
                if not running:
                    return found, time.monotonic() - begun
                for each in wait(running, return_when=FIRST_COMPLETED).done:
                    found[running.pop(each)].add(each.result())
                if time.monotonic() - told > 30:
                    told = time.monotonic()
                    done = sum(each.bytes for each in found.values())
                    sys.stderr.write(f"{done:,} bytes in {told - begun:.0f} s\n")
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def lines(found: dict[str, FuzzTally], seconds: float) -> Iterator[str]:
    """Yield the table: a row for each part, their sum, and the errors by class."""
    yield COLUMNS
    total = FuzzTally()
    for name, each in found.items():
        yield _row(name, each)
        total.add(each)
    yield _row("all", total)
    yield f"{seconds:.0f} s; errors: {', '.join(f'{count:,} {name}' for name, count in total.errors.most_common())}"


def _row(name: str, of: FuzzTally) -> str:
    rate = of.bytes / of.seconds / 1e6 if of.seconds else 0.0
    return f"{name:28}{of.bytes:>15,}{of.frames:>13,}{of.noise_bytes:>15,}{of.errors.total():>17,}{rate:>8.1f}"


def report(finding: Undeclared, folder: Path) -> int:
    """Write the input of a finding to a file, and return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    name = "".join(letter if letter.isalnum() else "-" for letter in finding.part)
    path = folder / f"{name}-{finding.seed}-{finding.unit}.bin"
    path.write_bytes(finding.data)
    sys.stderr.write(f"{finding}\nits last input is in {path}\n")
    sys.stderr.write(f"again: --part {finding.part!r} --unit {finding.unit} --seed {finding.seed}\n")
    return 1


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Fuzz bytes into everything that takes them from outside.")
    parser.add_argument("bytes", type=int, nargs="?", default=100_000_000)
    parser.add_argument("--seed", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no unit after this time")
    parser.add_argument("--part", choices=PARTS, help="run one unit of this part")
    parser.add_argument("--unit", type=int, default=0)
    parser.add_argument("--into", type=Path, default=FOLDER, help="folder for the input of a finding")
    asked = parser.parse_args(given)
    try:
        if asked.part:
            tally = run_unit(PARTS[asked.part], asked.seed, asked.unit, PARTS[asked.part].unit)
            found, seconds = {asked.part: tally}, tally.seconds
        else:
            found, seconds = fuzz(asked.bytes, asked.seed, asked.jobs, asked.seconds)
    except Undeclared as finding:
        return report(finding, asked.into)
    for line in lines(found, seconds):
        sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
