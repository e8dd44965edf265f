"""Simulated devices that survive the service: a process of their own, pseudo-terminals, a witness at each connector."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.simulator.host import DeviceLine, SimulatorHost
from tests.support.oracles.wire_witness import Witness

SCENARIO: Final = "demo"
LINE_NAMES: Final = {"shuffler": "shuffler", "table-controller": "controller"}
"""Simulated device -> the line's name at the table."""


class Devices:
    """Devices that deal without an end until they are closed. The witnesses' findings are read from `notes`; every byte
    that they saw is kept in `wire`, a line each: time, device, direction, bytes."""

    def __init__(
        self, notes: Path, wire: Path, seed: int, speed: float, faults: float, scenario: str = SCENARIO
    ) -> None:
        self.acknowledged: dict[tuple[str, int], int] = {}
        """(line, session) -> the last event that was acknowledged."""
        self.gone: dict[tuple[str, int], set[int]] = {}
        self.ended: set[tuple[int, int]] = set()
        """(the controller's session, round) of each END GAME that was acknowledged."""
        self._notes, self._read = notes, 0
        notes.touch()
        out, into = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(out)
                _serve(notes, wire, into, seed, speed, faults, scenario)
            finally:
                os._exit(1)
        os.close(into)
        with os.fdopen(out) as announced:
            self.addresses: dict[str, str] = json.loads(announced.readline())

    def __enter__(self) -> Devices:
        return self

    def __exit__(self, *_: object) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)

    def read_witness(self) -> None:
        """Take in the witnesses' new notes."""
        with self._notes.open("rb") as file:
            file.seek(self._read)
            data = file.read()
        data = data[: data.rfind(b"\n") + 1]
        self._read += len(data)
        for line in data.decode().splitlines():
            what, device, *numbers = line.split()
            session, number = (int(each) for each in numbers)
            if what == "acknowledged":
                self.acknowledged[device, session] = max(number, self.acknowledged.get((device, session), 0))
            elif what == "gone":
                self.gone.setdefault((device, session), set()).add(number)
            else:
                self.ended.add((session, number))


def _serve(notes: Path, wire: Path, announce: int, seed: int, speed: float, faults: float, scenario: str) -> None:
    clock = SystemClock()
    owner = Owner(clock)
    table = SimulatedTable(endless(load_scenario(scenario), faults=faults, seed=seed), speed=speed)
    bench = SimulatorHost(table, dict.fromkeys(table.units, "pty"))
    file = os.open(notes, os.O_WRONLY | os.O_APPEND)
    passed = wire.open("w", buffering=1)

    def note(device: str, way: str, data: bytes, news: list[tuple[str, int, int]]) -> None:
        passed.write(f"{clock.now_ns()} {device} {way} {data.hex()}\n")
        text = "".join(f"{what} {LINE_NAMES[device]} {session} {number}\n" for what, session, number in news)
        if text and os.write(file, text.encode()) != len(text):
            raise OSError("the witness's file took less than a line")

    for device, line in bench.lines.items():
        _witnessed(device, line, Witness(), note)
    for member in (bench, *bench.lines.values()):
        owner.add(member)
    bench.start(clock.now_ns())
    os.write(announce, json.dumps(bench.addresses).encode() + b"\n")
    owner.run()
    sys.exit("the devices ended by themselves")


def _witnessed(device: str, line: DeviceLine, witness: Witness, note: Callable[[str, str, bytes, Any], None]) -> None:
    take, send = line._on_bytes, line.send

    def on_bytes(data: bytes, now_ns: int) -> None:
        note(device, "to-device", data, witness.to_device(data))
        take(data, now_ns)

    def say(data: bytes) -> None:
        note(device, "to-host", data, witness.to_host(data))
        send(data)

    line._on_bytes = on_bytes
    line.send = say  # type: ignore[method-assign]
