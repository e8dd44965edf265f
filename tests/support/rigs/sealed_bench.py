"""A simulated device under test whose line is sealed: the bench speaks through a host's end, the device through its
own."""

from __future__ import annotations

from collections.abc import Mapping

from devices.simulator.host import TableModel
from devices.simulator.unit import Unit
from devices.simulator.unit_seal import UnitSeal
from devices.transport.ciphers import Ciphers
from protocol.tdp.messages import Role
from protocol.tdp.seal.device_end import PairedHost
from protocol.tdp.seal.host_end import HostEnd
from tests.support.rigs.attested import identity


class PairedSeal(UnitSeal):
    """End of a device that was paired with one host."""

    def __init__(self, suite: Ciphers, host: bytes) -> None:
        super().__init__(suite)
        self._hosts = [PairedHost(host, Role.SERVICE, "bench")]


class SealedTable:
    """Layer between the bench and a simulated table that seals the line of one device, which attests."""

    def __init__(self, table: TableModel, device: str) -> None:
        suite = Ciphers()
        own = suite.generate()
        unit = table.units[device]
        assert isinstance(unit, Unit)
        unit.seal = seal = PairedSeal(suite, suite.public(own))
        unit.identify(identity(0, device)._replace(secret=seal.identity.secret))
        self.seal, self._table, self._device = seal, table, device
        self.end = HostEnd(suite, own, lambda _: seal.public)
        """The bench's end."""
        self.in_clear: set[int] = set()
        """Kinds of the frames that left the device in clear."""

    @property
    def units(self) -> Mapping[str, object]:
        """The table's devices."""
        return self._table.units

    @property
    def finished(self) -> bool:
        """True if the table is."""
        return self._table.finished

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which the table or the end is due."""
        due = (self._table.next_deadline_ns, self.end.next_deadline_ns)
        return min((each for each in due if each is not None), default=None)

    def power_on(self, now_ns: int) -> None:
        """Switch the table on."""
        self._table.power_on(now_ns)

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        """Seal what the bench sends."""
        self._table.receive(device, self.end.send(data, now_ns), now_ns)

    def tick(self, now_ns: int) -> None:
        """Run the table's timers."""
        self._table.tick(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        """Return what opened, and answer what concerns the end."""
        data = self._table.take_output(device, now_ns)
        up, out = self.end.receive(data, now_ns) if data else self.end.tick(now_ns)
        if out:
            self._table.receive(device, out, now_ns)
        return up
