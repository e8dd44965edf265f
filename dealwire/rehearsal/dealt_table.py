"""A table of simulated devices with one who deals at it, still without a line. Pure.

A dealer's work is written as it is done, as a generator: what it yields is what the dealer waits for, a pause in
nanoseconds or something that must come true.
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
"""A pause in nanoseconds, or something that must come true."""
Doings = Generator[Wait, None, None]
Counted = Generator[Wait, None, int]
"""Steps that say how many cards they moved."""

PATIENCE_NS: Final = 2_000 * MS
"""How long the dealer waits for a display to catch up before going on all the same. Not scaled with people's pace:
a line's resends are not either, and people are slower than those."""


@dataclass(frozen=True, slots=True)
class PeoplePace:
    """Nanoseconds people take."""

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
        """The same people, `speed` times as fast."""
        return PeoplePace(**{item.name: int(getattr(self, item.name) / speed) for item in fields(self)})


class Course(Enum):
    """What the table has decided about the round so far."""

    PLAY = auto()
    """It is played."""
    PROGRESSIVE = auto()
    """The hands are dealt out and shown for the progressive only."""
    STOP = auto()
    """No further packet is dealt."""
    VOID = auto()
    """The deck has come out of the shuffler."""


class DealtTable:
    """Feed it what hosts send and the time; take what goes onto each device's line.

    The dealer begins when every device believes that its host is there. A subclass puts the dealer on it. `speed` makes
    people faster.
    """

    dealer: "SimulatedDealer"

    def __init__(
        self, units: Mapping[str, TableUnit], controller: TableControllerModel, seeds: Random, speed: float
    ) -> None:
        self.units, self.controller = units, controller
        self.lines = {name: LineFaults(Random(seeds.random())) for name in units}
        self.pace = PeoplePace().faster(speed)
        self.deserted = False
        """Nobody ever deals here, whatever hosts come."""
        self.seated = False
        """The dealer has begun."""
        self.now_ns = 0
        """When the table last did anything."""

    def power_on(self, now_ns: int) -> None:
        """Switch the devices on."""
        for unit in self.units.values():
            unit.power_on(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Bytes from a device's host."""
        if not self.lines[device].cut:
            self.units[device].receive(data, now_ns)
        self._go_on(now_ns)

    def tick(self, now_ns: int) -> None:
        """Do what is due."""
        for unit in self.units.values():
            unit.tick(now_ns)
        self._go_on(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        """What comes out of a device's line now, spoiled where the scenario says so."""
        line = self.lines[device]
        return b"".join(
            [line.carry(frame, now_ns) for frame in self.units[device].take_output()] or [line.carry(b"", now_ns)]
        )

    @property
    def next_deadline_ns(self) -> int | None:
        """When `tick` is due next."""
        dues = [unit.next_deadline_ns for unit in self.units.values()]
        dues += [line.next_deadline_ns for line in self.lines.values()]
        dues.append(self.dealer.next_deadline_ns)
        return min((due for due in dues if due is not None), default=None)

    @property
    def finished(self) -> bool:
        """The scenario has been played, and every host has every event or is gone."""
        return self.dealer.done and all(unit.all_acknowledged or unit.host_lost for unit in self.units.values())

    def _go_on(self, now_ns: int) -> None:
        self.now_ns = now_ns
        if not self.seated and not self.deserted and all(unit.hosted for unit in self.units.values()):
            self.seated = True
            self.dealer.start(now_ns)
        self.dealer.tick(now_ns)


class SimulatedDealer:
    """Plays an evening. Call `start` once, then `tick` whenever a device did something or a deadline fell."""

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
        """Sit down at the table."""
        self._script = self._evening()
        self._due_ns = now_ns
        self.tick(now_ns)

    @property
    def next_deadline_ns(self) -> int | None:
        """When a pause ends; None while the dealer waits for something to happen."""
        return self._due_ns

    def tick(self, now_ns: int) -> None:
        """Go on as far as possible."""
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
        """Wait until the hosts have what these devices said, or for as long as a person would."""
        give_up_ns = self.now_ns + PATIENCE_NS
        units = [self.units[name] for name in devices]
        for unit in units:
            unit.settle(self.now_ns)
        while not all(unit.all_acknowledged for unit in units) and self.now_ns < give_up_ns:
            yield 5 * MS

    def bet(self, player: int, cents: Mapping[str, int], numbers: Mapping[str, int]) -> Doings:
        """Put money on bets, each by its number."""
        for name, amount in cents.items():
            self.controller.place_wager(player, numbers[name], amount)
            yield self.pace.bet

    def spoil_line(self, troubles: Sequence[PlannedTrouble], ordinal: int) -> None:
        """Do to the lines what these troubles say of a packet or card."""
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
