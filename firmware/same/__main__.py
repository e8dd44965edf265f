"""Run random scripts on the reference device in C and on the simulated one, and compare every byte in every step.

    python -m firmware.same [--scripts N] [--from N] [--device NAME] [--sealed] [--workers N]

Exit code 1 if one differs: the shortest script with a difference is printed, with the output of both.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Final

from firmware.same.comparing import compared, shortened, told
from firmware.same.steps import devices_of

BATCH: Final = 200


def main(words: list[str]) -> int:
    """Run the command and return its exit code."""
    asked = argparse.ArgumentParser(prog="python -m firmware.same")
    asked.add_argument("--scripts", type=int, default=2000)
    asked.add_argument("--from", type=int, default=0, dest="first")
    asked.add_argument("--device", action="append")
    asked.add_argument(
        "--sealed", action="store_true", help="devices with a sealed line, and hosts that pair with them"
    )
    asked.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = asked.parse_args(words)
    names = options.device or list(devices_of())
    began = time.monotonic()
    each = -(-options.scripts // len(names))
    jobs = [(name, at, min(BATCH, options.first + each - at))
            for at in range(options.first, options.first + each, BATCH) for name in names]  # fmt: skip
    played = steps = 0
    with ProcessPoolExecutor(options.workers) as workers:
        for (name, at, count), (seed, taken) in zip(
            jobs, workers.map(partial(compared, sealed=options.sealed), jobs), strict=True
        ):
            played, steps = played + count, steps + taken
            if seed is not None:
                print(told(shortened(name, seed, options.sealed)))
                print(f"{name}, script {seed}: not the same (of batch {at}, after {played} scripts)")
                workers.shutdown(cancel_futures=True)
                return 1
            if sys.stderr.isatty():
                print(f"\r{played} scripts", end="", file=sys.stderr)
    took = time.monotonic() - began
    what = "sealed scripts" if options.sealed else "scripts"
    print(f"{played} {what} ({', '.join(names)}; {steps} steps) from {options.first}: the same bytes, {took:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
