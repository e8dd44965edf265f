"""Cost of held money for the loop: tables at the pace of people with nothing held, and with up to a month of held
rounds.

Each table is a service of its own, and all are served at the same time, so other load on the machine affects all alike.
Each has its console with an open page, its metrics, which are read every few seconds, and a snapshot after every round.
Two of them hold nothing; the difference between them shows the precision of the measurement.
"""

import json
import platform
import sys
import tempfile
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

from benchmarks.held_records import write_held
from benchmarks.service import child
from benchmarks.table import Table

HELD: Final = (0, 0, 50, 5_000, 90_000)
"""Numbers of held rounds. The largest is a month of two a minute at one table, around the clock."""
BRIEFLY: Final = (0, 0, 50)
LEAST_S: Final = 3.0
WHOLE_S: Final = 240.0
"""Minimum number of seconds for a meaningful number of rounds."""
PACE: Final = 1.0
READ_EACH_S: Final = 5.0


def measure(held: tuple[int, ...], seconds: float) -> list[dict[str, Any]]:
    """Return the milliseconds a second that each number of held rounds costs, over `seconds`."""
    with tempfile.TemporaryDirectory() as made, ExitStack() as stack:
        running, metrics = [], []
        for number, count in enumerate(held):
            folder = Path(made) / str(number)
            folder.mkdir()
            write_held(folder / "journal.sqlite", "table-0", count)
        for number in range(len(held)):
            far = stack.enter_context(child("service_device", "1", str(PACE), "0"))
            assert far.stdout is not None
            [addresses] = json.loads(far.stdout.readline())
            arguments = str(Path(made) / str(number)), str(seconds), json.dumps(addresses)
            running.append(stack.enter_context(child("held_service", *arguments)))
        for each in running:
            assert each.stdout is not None
            metrics.append(each.stdout.readline().strip())
        over = threading.Event()
        reader = threading.Thread(target=_read, args=(metrics, over))
        reader.start()
        try:
            lines = [each.stdout.readline() for each in running if each.stdout is not None]
        finally:
            over.set()
            reader.join()
        return [json.loads(line) for line in lines]


def _read(addresses: list[str], over: threading.Event) -> None:
    while not over.wait(READ_EACH_S):
        for address in addresses:
            try:
                with urlopen(address, timeout=READ_EACH_S) as answer:
                    answer.read()
            except OSError:  # it is over sooner than the others
                time.sleep(0)


def run(seconds: float) -> Table:
    """Measure 0, 50, 5,000 and 90,000 held rounds; a run of less than three seconds holds fewer."""
    held, seconds = (HELD, max(seconds, WHOLE_S)) if seconds >= LEAST_S else (BRIEFLY, seconds)
    found = measure(held, seconds)
    none = found[0]
    rows = []
    for count, each in zip(held, found, strict=True):
        if each["held"] < count:
            raise RuntimeError(f"{each['held']} of {count} rounds are held")
        more = each["loop"] - none["loop"]
        cells = [f"{each['loop']:.2f}", f"{each['all']:.2f}", f"{more:+.2f}", f"{each['loop'] / none['loop']:.2f}"]
        rows.append([f"{count:,}", str(each["rounds"]), str(each["snapshots"]), *cells])
    return Table(
        "What held rounds cost the loop of a table that deals at the pace of people",
        ["held", "rounds", "snapshots", "loop, ms/s", "process, ms/s", "loop, more", "times none"],
        rows,
        [
            "Milliseconds of the processor a second: of the thread that serves, and of the process with its console,",
            f"a page that looks on and its metrics, read every {READ_EACH_S:g} s. All together, for {seconds:g} s.",
            "The second table that holds nothing says how well this measures.",
            f"Python {platform.python_version()}, {platform.machine()}; journal sealed, every group synced.",
        ],
    )


if __name__ == "__main__":
    print(run(float(sys.argv[1]) if len(sys.argv) > 1 else WHOLE_S))
