"""One pair of hands at a table of simulated devices: what every dealer does, whatever is dealt.

A dealer's work is written as it is done, as a generator: what it yields is what the dealer waits for, a pause in
nanoseconds or something that must come true.
"""

from collections.abc import Callable, Mapping, Sequence

from dealwire.rehearsal.pace import PATIENCE_NS, Doings, PeoplePace
from dealwire.rehearsal.trouble import PlannedTrouble, What
from devices.simulator.line_faults import LineFaults
from devices.simulator.shuffler_parts import MS
from devices.simulator.unit import TableUnit


class SimulatedDealer:
    """Plays an evening. Call `start` once, then `tick` whenever a device did something or a deadline fell."""

    def __init__(self, units: Mapping[str, TableUnit], lines: Mapping[str, LineFaults], pace: PeoplePace) -> None:
        self.units, self.pace = units, pace
        self.now_ns = 0
        self.done = False
        self._lines = lines
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

    def tick(self, now_ns: int) -> bool:
        """Go on as far as possible; says whether anything was done."""
        self.now_ns, acted = now_ns, False
        while self._script and not self.done and self._may_go_on(now_ns):
            acted = True
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
        return acted

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

    def spoil_line(self, troubles: Sequence[PlannedTrouble]) -> None:
        """Do to the lines what these troubles say."""
        for trouble in troubles:
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
