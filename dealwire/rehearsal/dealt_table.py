"""A table of simulated devices with one who deals at it, still without a line. Pure."""

from collections.abc import Mapping

from dealwire.rehearsal.simulated_dealer import SimulatedDealer
from devices.simulator.line_faults import LineFaults
from devices.simulator.unit import TableUnit


class DealtTable:
    """Feed it what hosts send and the time; take what goes onto each device's line.

    The dealer begins when every device believes that its host is there. A subclass puts the devices, their lines and
    the dealer on it.
    """

    units: Mapping[str, TableUnit]
    lines: Mapping[str, LineFaults]
    dealer: SimulatedDealer
    seated = False
    """The dealer has begun."""
    now_ns = 0
    """When the table last did anything."""

    def power_on(self, now_ns: int) -> None:
        """Switch the devices on."""
        for unit in self.units.values():
            unit.power_on(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Bytes from a device's host."""
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
        if not self.seated and all(unit.hosted for unit in self.units.values()):
            self.seated = True
            self.dealer.start(now_ns)
        self.dealer.tick(now_ns)
