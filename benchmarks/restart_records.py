"""Journals of any length, written as the service writes them: its own code, simulated devices, lines in memory, and a
clock that only this program moves. Nothing is synced to the disk meanwhile; every hash, seal and snapshot is real.

`python -m benchmarks.restart_records FOLDER RECORDS [IDLE_S]` writes one of a table that waits IDLE_S between two
rounds.
"""

import dataclasses
import importlib.util
import itertools
import json
import logging
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from unittest import mock

from dealwire.config.load import load_configuration
from dealwire.hub.hub import Hub
from dealwire.journal import Journal, JournalReader, SealingKey
from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from dealwire.service.service import Service
from devices.clock import ManualClock, SystemClock
from devices.transport.base import LineClosed, Transport
from devices.transport.memory import MemoryLine, memory_pair
from devices.transport.opening import Opener
from rules.meters.settled_rounds import SettledKey

SPEED: Final = 20.0
IDLE_S: Final = 4.5
"""Seconds between the steps in which people bet; gives about 60 rounds an hour."""
ADDRESSES: Final = {SHUFFLER: "tcp://127.0.0.1:9", CONTROLLER: "tcp://127.0.0.1:19"}
"""Addresses at which the restarted service looks for its absent devices."""
JOURNAL: Final = "journal.sqlite"
SETTINGS: Final = """schema = "dealwire.table/1"
[journal]
path = "journal.sqlite"
{key}
[[table]]
name = "table-1"
procedure = "flushes-gone-wild.co"
limit-cents = 10000
[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "{shuffler}"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "{controller}"
"""
SAMPLES: Final = 5_000
READ: Final = bytes(range(60))
GROUP: Final = 500
EACH_NS: Final = 600_000_000
"""Nanoseconds between two published lines."""
START_NS: Final = time.time_ns() - 300 * 86_400 * 1_000_000_000
STEP_NS: Final = 250_000


def settings_in(folder: Path) -> Path:
    """Return the `table.toml` of a folder; write it first if it is missing, with a seal where that is possible."""
    file, key = folder / "table.toml", ""
    if not file.exists():
        if importlib.util.find_spec("cryptography") is not None:
            SealingKey.new(folder / "journal.key")
            key = 'key-file = "journal.key"'
        file.write_text(SETTINGS.format(key=key, shuffler=ADDRESSES[SHUFFLER], controller=ADDRESSES[CONTROLLER]))
    return file


class MovedClock(SystemClock):
    """The service's clock, moved by the code that fills the journal."""

    def __init__(self, start_ns: int) -> None:
        self._at_ns = start_ns
        super().__init__(wall=lambda: self._at_ns, monotonic=lambda: self._at_ns)

    def set(self, now_ns: int) -> None:
        """Move the clock forward."""
        self._at_ns = max(now_ns, self._at_ns)


class Far:
    """Devices, and their ends of both lines."""

    def __init__(self, clock: MovedClock, idle_s: float, seed: int) -> None:
        self._clock = clock
        self.table = SimulatedTable(endless(load_scenario("clean-3"), seed=seed), speed=SPEED)
        self.table.pace = dataclasses.replace(self.table.pace, bet=int(idle_s * 1e9))
        self.table.dealer.pace = self.table.pace
        self.table.power_on(clock.now_ns())
        self._ends: dict[str, MemoryLine] = {}

    def opener(self, address: str, *_: object, **__: object) -> Opener:
        """Return the line at an address, in place of `line_at`."""
        device = next(name for name, each in ADDRESSES.items() if each == address)

        def open_line() -> Transport:
            host, self._ends[device] = memory_pair(self._clock)
            return host

        return Opener(open_line)

    @property
    def next_deadline_ns(self) -> int | None:
        """Return the time at which a device has something to do next."""
        return self.table.next_deadline_ns

    def turn(self) -> bool:
        """Move the bytes on the lines and let the devices do what is due. Return True if they sent something."""
        now_ns, due_ns = self._clock.now_ns(), self.table.next_deadline_ns
        works = due_ns is not None and due_ns <= now_ns
        for device, end in list(self._ends.items()):
            try:
                data = end.read()
            except LineClosed:
                del self._ends[device]
                continue
            if data:
                works = True
                self.table.receive(device, data, now_ns)
        if not works:
            return False
        self.table.tick(now_ns)
        said = {device: self.table.take_output(device, now_ns) for device in self._ends}
        for device, data in said.items():
            if data:
                self._ends[device].write(data)
        return any(said.values())


@contextmanager
def served(folder: Path, clock: MovedClock, far: Far) -> Iterator[Service]:
    """Yield the service with this clock and these lines, and with a disk that never waits."""
    with (
        mock.patch("dealwire.service.table_session.line_at", far.opener),
        Service(load_configuration(settings_in(folder)), Hub(), make_clock=lambda _: clock) as service,
    ):
        service.journal._file.db.execute("PRAGMA synchronous = OFF")
        yield service


def fill(folder: Path, records: int) -> int:
    """Let another table that is no longer served fill the journal in `folder` up to `records`: it publishes the first
    table's lines again and again, each round under a number of its own. Return its number of rounds."""
    configuration = load_configuration(settings_in(folder))
    part, table, rounds = configuration.journal, "table-0", 0
    with JournalReader(part.path) as reader:
        samples = [(item.topic, item.line) for item in reader.publications(limit=SAMPLES) if item.topic != "status"]
        start, at_ns = reader.starts()["table-1"], reader.newest_ns
    key = SealingKey.load(part.key_file) if part.key_file is not None else None
    with Journal(part.path, key=key, clock=ManualClock(at_ns)) as journal:
        journal._file.db.execute("PRAGMA synchronous = OFF")
        journal.started(table, at_ns, start.configuration, start.facts)
        line = journal.line(
            table,
            "shuffler",
            device="shuffler",
            dialect="tdp",
            address="",
            baud=115200,
            procedure="flushes-gone-wild.co",
        )
        for number, (topic, text) in enumerate(itertools.cycle(samples)):
            if journal.head.sequence >= records or journal.failed is not None:
                break
            at_ns += EACH_NS
            journal.chunk(line, at_ns, False, READ)
            journal.publish(table, topic, at_ns, text)
            if topic == "settlement":
                rounds += 1
                journal.settled(table, at_ns, SettledKey("dealwire", f"{rounds >> 8:08x}", rounds))
            if number % GROUP == 0:
                journal.commit()
        journal.stopped(table, at_ns, "it was moved")
        if journal.failed is not None:
            raise RuntimeError(journal.failed)
    return rounds


def write(folder: Path, records: int, idle_s: float = IDLE_S, *, seconds: float = 0.0) -> dict[str, Any]:
    """Serve until the journal in `folder` has `records` records and `seconds` of the table's time have passed. The
    journal may exist already; then the devices are switched on again."""
    started, clock, seed = time.monotonic(), MovedClock(START_NS), 1
    if (folder / JOURNAL).exists():
        with JournalReader(folder / JOURNAL) as reader:
            clock, seed = MovedClock(reader.newest_ns + 1_000_000_000), reader.head.sequence
    far = Far(clock, idle_s, seed)
    begun_ns = clock.now_ns()
    end_ns = begun_ns + int(seconds * 1e9)
    with served(folder, clock, far) as service:
        owner, session = service.owner, next(iter(service.tables.values()))
        while service.journal.head.sequence < records or clock.now_ns() < end_ns:
            far.turn()
            owner.turn()
            far.turn()
            dues = [due for member in (far, *owner.members) if (due := member.next_deadline_ns) is not None]
            clock.set(max(min(dues), clock.now_ns() + STEP_NS))
            if service.journal.failed is not None:
                raise RuntimeError(service.journal.failed)
        rounds, last = session.rounds, service.journal.head.sequence
    return {
        "records": last,
        "rounds": rounds,
        "bytes": size_of(folder),
        "days": (clock.now_ns() - begun_ns) / 86_400e9,
        "seconds": time.monotonic() - started,
    }


def size_of(folder: Path) -> int:
    """Return the bytes of the journal in a folder with all its files."""
    return sum(each.stat().st_size for each in folder.rglob("*") if each.name.startswith(JOURNAL))


def main(arguments: list[str]) -> None:
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    found: Mapping[str, Any] = write(folder, int(float(arguments[1])), float((arguments[2:] or [IDLE_S])[0]))
    print(json.dumps(found))


if __name__ == "__main__":
    logging.disable()
    main(sys.argv[1:])
