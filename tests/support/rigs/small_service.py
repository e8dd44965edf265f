"""A table service in small: the minimum that every user of the journal must do. The devices are processes of their own,
so that they outlive a service that is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from dealer_flow.procedure.load import load_procedure
from dealwire.journal import Journal, Journaled, JournalReader, SealingKey, resume
from dealwire.journal.contents import TableStart
from dealwire.journal.errors import JournalEmpty
from dealwire.journal.rebuilding import OutcomePublisher
from dealwire.journal.resuming import Resumed
from dealwire.journal.transport import Gate
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from dealwire.table.table import Table, TableTerms
from devices.clock import Clock, SystemClock
from devices.dialects.known import dialect_named
from devices.drive.address import line_at
from devices.events import Seen
from devices.line.loop import Owner
from devices.line.supervisor import Pace, Supervisor
from devices.simulator.host import SimulatorHost
from devices.transport.opening import Opener
from protocol.tdp.messages import Role
from protocol.tdp.outputs import Timing
from rules.game.load import load_game

TABLE: Final = "table-1"
GAME: Final = "flushes-gone-wild.co"
CONFIGURATION: Final = f'procedure = "{GAME}"\n'
LONGEST_S: Final = 300
"""Seconds after which a service that still deals is hung, and is ended."""
LINES: Final = {"shuffler": "shuffler", "controller": "table-controller"}


def make_publisher(start: TableStart) -> OutcomePublisher:
    """Return the table of this service; its configuration names only the game."""
    procedure = load_procedure(start.configuration.split('"')[1])
    terms = TableTerms(load_game(procedure.id), meters=dict(start.facts["meters"]))
    return OutcomePublisher(Table(procedure, terms, name=start.table))


def begin(journal: Journal, at_ns: int, meters: dict[str, int] | None = None) -> OutcomePublisher:
    """Start a new record for the table."""
    facts = {"meters": meters or {}}
    journal.started(TABLE, at_ns, CONFIGURATION, facts)
    return make_publisher(TableStart(TABLE, 0, CONFIGURATION, facts))


def serve(path: Path, key_file: Path, addresses: dict[str, str], rounds: int, publish: Callable[[str], None]) -> None:
    """Resume the journal, or start it, and deal until `rounds` rounds were dealt in all. `publish` gets each published
    line as `sequence line`, after it is on the disk."""
    key = SealingKey.load(key_file)
    newest_ns = 0
    if path.exists():
        with contextlib.suppress(JournalEmpty), JournalReader(path) as reader:
            newest_ns = reader.newest_ns
    clock = SystemClock(newest_ns)
    with Journal(path, key=key, clock=clock) as journal:
        went_on = resume(journal, key, make_publisher, clock.now_ns())
        for item in went_on.unpublished:
            publish(f"{item.sequence} {item.line}\n")
        publisher = went_on.publishers.get(TABLE) or begin(journal, clock.now_ns())

        def deliver(seen: Seen) -> None:
            for topic, text, *_ in publisher.publish(seen):
                journal.publish(TABLE, topic, seen.at_ns, text)

        def finished() -> bool:
            for item in journal.commit():
                publish(f"{item.sequence} {item.line}\n")
            return journal.failed is not None or sum(publisher.table.outcomes.values()) >= rounds

        owner = Owner(clock)
        gate = Gate(owner.call_soon)
        for name, device in LINES.items():
            owner.add(_supervisor(name, device, addresses[device], journal, went_on, clock, gate, deliver))
        owner.run(finished)
        owner.close()
        for topic, text, *_ in publisher.finish():
            journal.publish(TABLE, topic, clock.now_ns(), text)
        journal.stopped(TABLE, clock.now_ns())
        finished()


def _supervisor(
    name: str,
    device: str,
    address: str,
    journal: Journal,
    went_on: Resumed[OutcomePublisher],
    clock: Clock,
    gate: Gate,
    deliver: Callable[[Seen], None],
) -> Supervisor:
    dialect, opener = dialect_named("tdp"), line_at(address, clock, baud=115200)
    number = journal.line(TABLE, name, device=device, dialect="tdp", address=address, baud=115200, procedure=GAME)
    supervisor = Supervisor(
        name,
        Opener(lambda: Journaled(opener.open(), journal, number, clock, gate)),
        went_on.link_maker(number, lambda: dialect.make_link(device, Role.OPERATE, False), Role.OPERATE),
        dialect.driver(device, where=name),
        clock,
        deliver,
        after=went_on.feeds.get(number),
        pace=Pace(first_ns=20_000_000),
    )
    supervisor.start()
    return supervisor


@contextmanager
def served_devices(scenario: str | Path, speed: float) -> Iterator[dict[str, str]]:
    """Run simulated devices in a process of their own, on TCP ports; yield their addresses."""
    arguments = [sys.executable, "-m", "tests.support.rigs.small_service", str(scenario), str(speed)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.terminate()


def serve_devices(scenario: Path, speed: float) -> None:
    """Run the simulators of `served_devices`. They wait a minute for an absent host before they stop dealing, because a
    machine under load takes seconds for what takes milliseconds, and that must not change the deal."""
    patient = Timing(lost_ns=60_000_000_000)
    table = SimulatedTable(load_scenario(scenario), speed=speed, timing=patient)
    bench, owner = SimulatorHost(table, dict.fromkeys(table.units, "tcp:0")), Owner(clock := SystemClock())
    for member in (bench, *bench.lines.values()):
        owner.add(member)
    bench.start(clock.now_ns())
    print(json.dumps(bench.addresses), flush=True)
    owner.run()


class Child:
    """A service in a forked process, with a pipe that carries what it publishes."""

    def __init__(self, path: Path, key_file: Path, addresses: dict[str, str], rounds: int) -> None:
        out, into = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                os.close(out)
                signal.alarm(LONGEST_S)
                serve(path, key_file, addresses, rounds, lambda text: _write_all(into, text.encode()))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(code)
        os.close(into)
        self._out = out

    def kill(self) -> None:
        """Kill the service at once, without a signal it could handle."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> tuple[list[tuple[int, str]], int]:
        """Return the published lines, whole ones only, and the exit code (negative: the signal that ended it)."""
        parts = []
        while data := os.read(self._out, 65536):
            parts.append(data)
        os.close(self._out)
        _, status = os.waitpid(self.pid, 0)
        whole = b"".join(parts).decode().split("\n")[:-1]
        told = [(int(sequence), line) for sequence, line in (text.split(" ", 1) for text in whole)]
        return told, os.waitstatus_to_exitcode(status)


def _write_all(handle: int, data: bytes) -> None:
    while data:
        data = data[os.write(handle, data) :]


def long_scenario(folder: Path, rounds: int, *, recognition: bool = False) -> Path:
    """Write a scenario of many rounds of one or two players, some of them with a miscounted packet."""
    parts = [
        'title = "Many rounds"',
        "seed = 7",
        f'procedure = "{GAME}"',
        'basic = { wild = "2", least = 3 }',
        f"recognition = {str(recognition).lower()}",
    ]
    for number in range(rounds):
        parts.append("[[rounds]]")
        for seat in (2, 5)[: 1 + number % 2]:
            wagers = "{ ante = 1000, blind = 1000, flush-rush = 500, progressive = 100 }"
            parts += ["[[rounds.players]]", f"seat = {seat}", f"wagers = {wagers}", 'decision = "basic"']
    file = folder / "many.toml"
    file.write_text("\n".join(parts))
    return file


if __name__ == "__main__":
    serve_devices(Path(sys.argv[1]), float(sys.argv[2]))
