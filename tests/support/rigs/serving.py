"""A `table.toml` on simulated devices, and the service that serves it: in this process, or in one of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from dealwire.config.load import load_configuration
from dealwire.hub.hub import Hub, Subscription
from dealwire.hub.lines import Publication
from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.compare import Comparison, compare
from dealwire.journal.factory import TableFactory
from dealwire.rehearsal.dealt_table import DealtTable
from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import find_scenario
from dealwire.rehearsal.tables import set_up
from dealwire.service.opening import DERIVED_AND_EVENTS
from dealwire.service.service import Service
from dealwire.service.simulated import simulator
from devices.clock import SystemClock
from devices.line.loop import Member, Owner
from devices.simulator.host import SimulatorHost
from tests.support.rigs.kept_terminals import keep
from tests.support.rigs.patience import PATIENCE_S, wait_until

TABLE: Final = """
[[table]]
name = "{name}"
procedure = "{procedure}"
{more}
[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "{shuffler}"
role = "{role}"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "{controller}"
"""


def write_configuration(
    folder: Path,
    addresses: Sequence[dict[str, str]],
    *,
    role: str = "control",
    more: str = "limit-cents = 10000",
    top: str = "",
    procedure: str = "flushes-gone-wild.co",
) -> Path:
    """Write a configuration with a table for each simulated one, `table-1` and on, sealed with a key of its own. `more`
    goes into each table, `top` before the first. The addresses belong to this test until it ends."""
    key = folder / "journal.key"
    if not key.exists():
        SealingKey.new(key)
    for at in addresses:
        for address in at.values():
            keep(address)
    text = 'schema = "dealwire.table/1"\n[journal]\npath = "journal.sqlite"\nkey-file = "journal.key"\n' + top
    for number, at in enumerate(addresses, 1):
        text += TABLE.format(
            name=f"table-{number}",
            more=more,
            procedure=procedure,
            role=role,
            shuffler=at["shuffler"],
            controller=at["table-controller"],
        )
    file = folder / "table.toml"
    file.write_text(text)
    return file


@contextmanager
def simulators(
    count: int = 1, *, scenario: str = "demo", speed: float = 200, faults: float = 0.0, seed: int = 1
) -> Iterator[list[dict[str, str]]]:
    """Run simulated tables that deal without an end, each in a process of its own; yield their addresses by device."""
    with ExitStack() as stack:
        addresses = []
        for number in range(count):
            arguments = ["--scenario", scenario, "--endless", "--speed", str(speed)]
            arguments += ["--faults", str(faults)] if faults else []
            addresses.append(stack.enter_context(simulator([*arguments, "--seed", str(seed + number)])))
        yield addresses


@contextmanager
def simulators_here(
    count: int = 1,
    *,
    scenario: str = "demo",
    speed: float = 200,
    faults: float | None = None,
    seed: int = 1,
    prepare: Callable[[DealtTable], None] = lambda _: None,
) -> Iterator[list[dict[str, str]]]:
    """Run such tables in threads of this process, for tests of the service rather than of its devices' processes: they
    start sooner, at a tenth of the work, and a test can break the devices here. `prepare` gets each table before its
    devices are switched on."""
    with ExitStack() as stack:
        addresses = []
        for number in range(count):
            table = set_up(endless(find_scenario(scenario), faults=faults, seed=seed + number), speed=speed)
            prepare(table)
            addresses.append(stack.enter_context(_in_a_thread(table)))
        yield addresses


@contextmanager
def _in_a_thread(table: DealtTable) -> Iterator[dict[str, str]]:
    """Run a table's devices in a thread; yield their addresses."""
    bench, clock, over = SimulatorHost(table, dict.fromkeys(table.units, "pty")), SystemClock(), threading.Event()
    owner = Owner(clock)
    members: tuple[Member, ...] = (bench, *bench.lines.values())
    for member in members:
        owner.add(member)
    bench.start(clock.now_ns())
    thread = threading.Thread(target=lambda: owner.run(over.is_set))
    thread.start()
    try:
        yield bench.addresses
    finally:
        over.set()
        owner.call_soon(lambda: None)
        thread.join()
        owner.close()


class Listener:
    """Reads the hub of a service that runs in this process."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.items: list[Publication] = []
        self._reader: Subscription = hub.subscribe(lambda: None)

    def take(self) -> list[Publication]:
        """Return everything so far; a reader that fell behind is an error here."""
        items, lagged = self._reader.take()
        assert not lagged
        self.items += items
        return self.items

    def of(self, topic: str) -> list[dict[str, Any]]:
        """Return the lines of a topic, as objects."""
        return [json.loads(item.line) for item in self.take() if item.topic == topic]


def run_until(service: Service, holds: Callable[[], bool]) -> None:
    """Serve until `holds()`; raise AssertionError if it never does."""
    assert service.owner.run(holds, PATIENCE_S), "what was waited for did not come"


def compared(folder: Path) -> Comparison:
    """Compare the journal's published and derived records with those derived again from its raw record."""
    with journal_reader(folder) as reader, TableFactory(reader.path) as make:
        return compare(reader, make, DERIVED_AND_EVENTS, check_snapshots=True)


def journal_reader(folder: Path) -> JournalReader:
    """Open the journal, with its key."""
    return JournalReader(folder / "journal.sqlite", SealingKey.load(folder / "journal.key"))


def published(folder: Path, topic: str | None = None) -> list[Publication]:
    """Return the publications that the journal records."""
    with JournalReader(folder / "journal.sqlite") as reader:
        return [item for item in reader.publications() if topic in (None, item.topic)]


def opened(file: Path, **options: Any) -> tuple[Service, Listener]:
    """Return a service for this file, not opened yet, and its listener."""
    hub = Hub()
    return Service(load_configuration(file), hub, **options), Listener(hub)


PATIENT: Final = (
    "from dealwire.cli import ending, main; "
    f"ending.LAST_RESORT_S = {PATIENCE_S}; "  # `test_ending.py` is about the two seconds of a program
    "main(prog_name='dealwire')"
)
ORDERLY: Final = (sys.executable, "-c", PATIENT)
"""Command of the program that may take as long as a busy machine needs to end in order."""


class Program:
    """`dealwire run FILE` as a process; its output goes to `said`."""

    def __init__(self, file: Path, *options: str, environment: dict[str, str] | None = None, limit: str = "") -> None:
        self.said = file.parent / "said.txt"
        self._out = self.said.open("ab")
        arguments = [*ORDERLY, "run", str(file), *options]
        command = ["sh", "-c", f'{limit}exec "$@"', "sh", *arguments]
        self.process = subprocess.Popen(
            command, stdout=self._out, stderr=self._out, env={**os.environ, **(environment or {})}
        )

    def __enter__(self) -> Program:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._out.close()

    def wait_for(self, holds: Callable[[], bool]) -> None:
        """Wait until `holds()`; raise AssertionError with the program's output if it never does."""
        wait_until(lambda: self.process.poll() is not None or holds(), "what the program was to do", pause_s=0.02)
        assert self.process.poll() is None or holds(), f"it ended: {self.text}"

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait, and return the exit code."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE_S)

    @property
    def text(self) -> str:
        """Return the program's output so far."""
        return self.said.read_text()


def rounds_in(folder: Path) -> int:
    """Return the number of rounds in a journal; 0 before it exists."""
    if not (folder / "journal.sqlite").exists():
        return 0
    try:
        return len(published(folder, "round"))
    except Exception:
        return 0  # it is being made


def copy_journal(path: Path, folder: Path) -> Path:
    """Copy a journal with its side files, as SIGKILL would leave them at this instant."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (path.name, f"{path.name}-wal", f"{path.name}-key"):
        if (path.parent / name).exists():
            shutil.copy(path.parent / name, folder / name)
    return folder / path.name
