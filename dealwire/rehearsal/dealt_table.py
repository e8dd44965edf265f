"""Table of simulated devices with a dealer, without lines. Pure.

The dealer's work is a generator. It yields what the dealer waits for: a pause in nanoseconds, or a condition.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum, auto
from random import Random
from typing import Final

from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.line_faults import LineFaults
from devices.simulator.shuffler_parts import MS
from devices.simulator.table_controller import TableControllerModel
from devices.simulator.unit import TableUnit

Wait = int | Callable[[], bool]
"""Pause in nanoseconds, or condition to wait for."""
Doings = Generator[Wait, None, None]
Counted = Generator[Wait, None, int]
"""Steps that return the number of cards they moved."""

PATIENCE_NS: Final = 2_000 * MS
"""Nanoseconds that the dealer waits for a display to catch up before continuing anyway. It does not scale with people's
speed: the resends of a line do not either, and people are slower than those."""


@dataclass(frozen=True, slots=True)
class PeoplePace:
    """Times that people take, in nanoseconds."""

    bet: int = 300 * MS
    step: int = 500 * MS
    lift: int = 500 * MS
    draw: int = 800 * MS
    think: int = 1_500 * MS
    show: int = 800 * MS
    collect: int = 2_000 * MS
    power: int = 1_500 * MS
    come: int = 20_000 * MS

    def faster(self, speed: float) -> "PeoplePace":
        """Return the times of people who are `speed` times as fast."""
        return PeoplePace(**{item.name: int(getattr(self, item.name) / speed) for item in fields(self)})


class Course(Enum):
    """Decision about the course of a round."""

    PLAY = auto()
    """The round is played."""
    PROGRESSIVE = auto()
    """The hands are dealt and revealed for the progressive only."""
    STOP = auto()
    """No further packet is dealt."""
    VOID = auto()
    """The deck was removed from the shuffler."""


class DealtTable:
    """Simulated table. Pass it bytes from hosts and the time, and take the output of each device's line.

    The dealer starts when every device has a host. A subclass provides the dealer. `speed` makes people faster.
    """

    dealer: "SimulatedDealer"

    def __init__(
        self, units: Mapping[str, TableUnit], controller: TableControllerModel, seeds: Random, speed: float
    ) -> None:
        self.units, self.controller = units, controller
        self.lines = {name: LineFaults(Random(seeds.random())) for name in units}
        self.pace = PeoplePace().faster(speed)
        self.deserted = False
        """True if the dealer never starts, whatever hosts connect."""
        self.seated = False
        """True after the dealer has started."""
        self.now_ns = 0
        """Time of the last activity."""

    def power_on(self, now_ns: int) -> None:
        """Switch the devices on."""
        for unit in self.units.values():
            unit.power_on(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Pass bytes from a device's host."""
        if not self.lines[device].cut:
            self.units[device].receive(data, now_ns)
        self._go_on(now_ns)

    def tick(self, now_ns: int) -> None:
        """Do what is due."""
        for unit in self.units.values():
            unit.tick(now_ns)
        self._go_on(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        """Return the output of a device's line, damaged if the scenario says so."""
        line = self.lines[device]
        return b"".join(
            [line.carry(frame, now_ns) for frame in self.units[device].take_output()] or [line.carry(b"", now_ns)]
        )

    @property
    def next_deadline_ns(self) -> int | None:
        """Time of the next `tick`."""
        dues = [unit.next_deadline_ns for unit in self.units.values()]
        dues += [line.next_deadline_ns for line in self.lines.values()]
        dues.append(self.dealer.next_deadline_ns)
        return min((due for due in dues if due is not None), default=None)

    @property
    def finished(self) -> bool:
        """True if the scenario has been played and every host has every event or is gone."""
        return self.dealer.done and all(unit.all_acknowledged or unit.host_lost for unit in self.units.values())

    def _go_on(self, now_ns: int) -> None:
        self.now_ns = now_ns
        if not self.seated and not self.deserted and all(unit.hosted for unit in self.units.values()):
            self.seated = True
            self.dealer.start(now_ns)
        self.dealer.tick(now_ns)


class SimulatedDealer:
    """Dealer who plays a session. Call `start` once, then `tick` whenever a device did something or a deadline
    passed."""

    def __init__(self, table: DealtTable) -> None:
        self.units, self.controller, self.pace = table.units, table.controller, table.pace
        self.now_ns = 0
        self.done = False
        self._lines = table.lines
        self._hands_at = ""
        self._script: Doings | None = None
        self._due_ns: int | None = None
        self._until: Callable[[], bool] | None = None

    def start(self, now_ns: int) -> None:
        """Start dealing."""
        self._script = self._evening()
        self._due_ns = now_ns
        self.tick(now_ns)

    @property
    def next_deadline_ns(self) -> int | None:
        """End of the current pause; None while the dealer waits for a condition."""
        return self._due_ns

    def tick(self, now_ns: int) -> None:
        """Continue as far as possible."""
        self.now_ns = now_ns
        while self._script and not self.done and self._may_go_on(now_ns):
            self._due_ns = self._until = None
            wait = next(self._script, None)
            if wait is None:
                self.done = True
            elif isinstance(wait, int):
                self._due_ns = now_ns + wait
            else:
                self._until = wait
            for unit in self.units.values():
                unit.settle(now_ns)

    def at(self, device: str) -> Doings:
        """Turn to a device, once the displays show what was done at the others."""
        if self._hands_at != device:
            yield from self.until_shown([name for name in self.units if name != device])
            self._hands_at = device
        yield self.pace.step

    def until_shown(self, devices: Sequence[str]) -> Doings:
        """Wait until the hosts have the events of these devices, or as long as a person would."""
        give_up_ns = self.now_ns + PATIENCE_NS
        units = [self.units[name] for name in devices]
        for unit in units:
            unit.settle(self.now_ns)
        while not all(unit.all_acknowledged for unit in units) and self.now_ns < give_up_ns:
            yield 5 * MS

    def bet(self, player: int, cents: Mapping[str, int], numbers: Mapping[str, int]) -> Doings:
        """Place bets, given their cents and numbers by name."""
        for name, amount in cents.items():
            self.controller.place_wager(player, numbers[name], amount)
            yield self.pace.bet

    def spoil_line(self, troubles: Sequence[PlannedTrouble], ordinal: int) -> None:
        """Damage the lines as these troubles require at a packet or card."""
        for trouble in troubles:
            if trouble.ordinal != ordinal:
                continue
            line = self._lines[trouble.device]
            match trouble.what:
                case What.NOISE:
                    line.insert_noise(trouble.amount)
                case What.DROP:
                    line.drop(trouble.amount)
                case What.FLIP:
                    line.flip(trouble.amount)
                case What.STALL:
                    line.stall(self.now_ns + trouble.amount * MS)

    def _evening(self) -> Doings:
        raise NotImplementedError

    def _may_go_on(self, now_ns: int) -> bool:
        if self._until is not None:
            return self._until()
        return self._due_ns is not None and now_ns >= self._due_ns
