"""A simulated table in this process, each of its devices a line: `sim:shuffler?seed=1`.

Addresses with equal settings share a table, so that `sim:shuffler` and `sim:table-controller` deal together. A device
that nobody opens gets a host of its own after a moment, or the dealer would wait for ever.
"""

import dataclasses
from collections.abc import Callable
from typing import Final
from urllib.parse import parse_qs, urlsplit

from dealwire.rehearsal.scenario import load_scenario
from dealwire.rehearsal.shuffler_table import SimulatedTable
from devices.clock import Clock, SystemClock
from devices.transport.base import LineClosed
from protocol.errors import LineUnusable
from protocol.tdp import HostLink, Output, Send
from protocol.tdp.messages import Role

ALONE_NS: Final = 500_000_000
"""A device that was not opened this long after the first gets its own host."""

DEFAULTS: Final = {"scenario": "clean-3", "seed": "", "speed": "1"}


class Rig:
    """One table and the lines to it."""

    def __init__(self, table: SimulatedTable, clock: Clock) -> None:
        self.table, self.clock = table, clock
        self.lines: dict[str, SimulatedLine | None] = dict.fromkeys(table.units)
        self._stand_ins: dict[str, HostLink] = {}
        now_ns = clock.now_ns()
        self._alone_ns: int | None = now_ns + ALONE_NS
        table.power_on(now_ns)

    @property
    def next_deadline_ns(self) -> int | None:
        """When anything at the table happens by itself."""
        dues = [self.table.next_deadline_ns, self._alone_ns]
        dues += [host.next_deadline_ns for host in self._stand_ins.values()]
        return min((due for due in dues if due is not None), default=None)

    def run(self) -> None:
        """Do what is due now, and put what the devices say onto their lines."""
        now_ns = self.clock.now_ns()
        if self._alone_ns is not None and self._alone_ns <= now_ns:
            self._alone_ns = None
            for device in [device for device, line in self.lines.items() if line is None]:
                self._stand_ins[device] = host = HostLink(role=Role.OBSERVE)
                self._hear(device, host.start(now_ns), now_ns)
        self.table.tick(now_ns)
        for device, line in self.lines.items():
            data = self.table.take_output(device, now_ns)
            stand_in = self._stand_ins.get(device)
            if stand_in is not None:
                self._hear(device, stand_in.receive(data, now_ns) if data else [], now_ns)
                self._hear(device, stand_in.tick(now_ns), now_ns)
            elif line is not None:
                line.put(data)

    def _hear(self, device: str, outputs: list[Output], now_ns: int) -> None:
        for output in outputs:
            if isinstance(output, Send):
                self.table.receive(device, output.data, now_ns)


class SimulatedLine:
    """The host's end of one device's line; the table's time passes whenever it is read."""

    def __init__(self, name: str, device: str, rig: Rig) -> None:
        self.name = name
        self._device, self._rig = device, rig
        self._arrived = bytearray()
        self._wake: Callable[[], None] | None = None
        self._gone = False

    @property
    def next_deadline_ns(self) -> int | None:
        """When to read next."""
        return None if self._gone else self._rig.next_deadline_ns

    def fileno(self) -> int | None:
        """None: time says when to read."""
        return None

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Call `wake` when bytes have arrived."""
        self._wake = wake
        wake()

    def put(self, data: bytes) -> None:
        """The device says something."""
        if data:
            self._arrived += data
            if self._wake is not None:
                self._wake()

    def read(self) -> bytes:
        """What has arrived by now."""
        self._check()
        self._rig.run()
        data = bytes(self._arrived)
        self._arrived.clear()
        return data

    def write(self, data: bytes) -> int:
        """Taken whole."""
        self._check()
        self._rig.table.receive(self._device, data, self._rig.clock.now_ns())
        self._rig.run()
        return len(data)

    def close(self) -> None:
        """Leave the device alone."""
        self._gone = True
        if self._rig.lines[self._device] is self:
            self._rig.lines[self._device] = None

    def _check(self) -> None:
        if self._gone:
            raise LineClosed(self.name, "closed by this program")


_rigs: Final[dict[tuple[str, ...], Rig]] = {}


def open_simulated(address: str, clock: Clock | None = None) -> SimulatedLine:
    """The line to a simulated device; LineUnusable says which devices and settings there are."""
    parts = urlsplit(address)
    given = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if not set(given) <= set(DEFAULTS):
        raise LineUnusable(address, f"allowed settings: {', '.join(DEFAULTS)}")
    key = tuple(value for _, value in sorted((DEFAULTS | given).items()))
    rig = _rigs.get(key)
    if rig is None or rig.lines.get(parts.path) is not None or all(line is None for line in rig.lines.values()):
        rig = _rigs[key] = Rig(_table(address, DEFAULTS | given), clock or SystemClock())
    if parts.path not in rig.lines:
        raise LineUnusable(address, f"simulated devices: {', '.join(rig.lines)}")
    line = rig.lines[parts.path] = SimulatedLine(address, parts.path, rig)
    return line


def _table(address: str, settings: dict[str, str]) -> SimulatedTable:
    try:
        speed, seed = float(settings["speed"]), int(settings["seed"] or 0)
    except ValueError as error:
        raise LineUnusable(address, "seed is a whole number, speed a number") from error
    if not 0.01 <= speed <= 1000:
        raise LineUnusable(address, f"speed {speed:g}; allowed: 0.01 to 1000")
    scenario = load_scenario(settings["scenario"])
    if settings["seed"]:
        scenario = dataclasses.replace(scenario, seed=seed)
    return SimulatedTable(scenario, speed=speed)
