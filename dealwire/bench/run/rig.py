"""Simulated device under test: on a simulated clock in this process, or on a pseudo-terminal in real time."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from dealwire.bench.hands.operator import NoOperator, Operator, SimulatedOperator, Table
from dealwire.bench.verbs.wire import LiveWire, SimulatedWire, Wire
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.drive.address import line_at
from devices.simulator.gat import GatTable, SimulatedGat, software
from devices.simulator.host import SimulatorHost, TableModel
from devices.simulator.shoe_table import ShoeTable
from devices.simulator.unit import FIRMWARE

GAT: Final = "gat"
"""Name of the device whose GAT line is tested."""
GAT_PORTION: Final = 16
"""Bytes that the simulated device measures in a step: few, so that a calculation takes as long as several queries."""
SCENARIO: Final = "clean-1"
"""Scenario that gives the game and the seed. It is not dealt, because the bench opens one device only."""


class SimulatedRig:
    """Test rig with a simulated device: `wire` is the line to it, `hands` its operator. `wrap` may put a layer between
    line and table. A shuffler with `recognition` reads card faces."""

    def __init__(
        self,
        device: str,
        *,
        speed: float = 1.0,
        real_time: bool = False,
        dialect: str = "tdp",
        recognition: bool = False,
        wrap: Callable[[TableModel], TableModel] = lambda table: table,
    ) -> None:
        self.table: Table | GatTable
        if device == GAT:
            self.table = GatTable(SimulatedGat(software(device, FIRMWARE.encode() * 100), portion=GAT_PORTION))
        elif device == "shoe":
            self.table = ShoeTable([], dialect=dialect)
        else:
            self.table = SimulatedTable(replace(load_scenario(SCENARIO), recognition=recognition), speed=speed)
        self.wire: Wire
        image = getattr(self.table.units[device], "image", None)  # a shoe of another dialect measures none
        self.hands: Operator
        if not real_time:
            self.wire = SimulatedWire(wrap(self.table), device)
            self.wire.image = image
            self.hands = self._operator(device, self.wire.now_ns)
            return
        clock = SystemClock()
        bench = SimulatorHost(self.table, {device: "pty"})
        address, beside = bench.addresses[device], (bench, *bench.lines.values())
        self.wire = LiveWire(f"{address}, simulated", line_at(address, clock), clock=clock, beside=beside)
        self.wire.image = image
        bench.start(clock.now_ns())
        self.hands = self._operator(device, clock.now_ns, lambda: bench.pump(clock.now_ns()))

    def _operator(self, device: str, now: Callable[[], int], flush: Callable[[], None] = lambda: None) -> Operator:
        """Return the device's operator. A GAT line needs none."""
        return NoOperator() if isinstance(self.table, GatTable) else SimulatedOperator(self.table, device, now, flush)
