"""Both devices of a simulated table on USB, with whole rounds."""

from collections.abc import Callable

import pytest

from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from devices.clock import SystemClock
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import TableControllerDriver
from devices.line.loop import Owner
from devices.line.session import Session
from devices.transport.usb_bulk import open_usb
from protocol.tdp import Delivered, HostLink, Output
from protocol.tdp.messages import DeviceClass, Role
from tests.support.rigs.usb_backend import FakeBus, Gadget
from tests.support.rigs.usb_descriptors import Description

SPEED = 200.0
PRODUCTS = {SHUFFLER: 0x0005, CONTROLLER: 0x0006}


class GadgetEnd:
    """A member of the owner: one simulated device behind its USB socket."""

    def __init__(self, table: SimulatedTable, name: str, gadget: Gadget) -> None:
        self._table, self._name, self._gadget = table, name, gadget

    @property
    def next_deadline_ns(self) -> int | None:
        return self._table.next_deadline_ns

    def fileno(self) -> int | None:
        return None

    def wants_write(self) -> bool:
        return False

    def set_wake(self, wake: Callable[[], None]) -> None:
        self._gadget.on_ready(wake)

    def on_readable(self, now_ns: int) -> None:
        if data := self._gadget.read():
            self._table.receive(self._name, data, now_ns)
        self.pump(now_ns)

    def on_writable(self, now_ns: int) -> None: ...

    def on_deadline(self, now_ns: int) -> None:
        self._table.tick(now_ns)
        self.pump(now_ns)

    def pump(self, now_ns: int) -> None:
        if data := self._table.take_output(self._name, now_ns):
            self._gadget.write(data)

    def close(self) -> None:
        self._gadget.unplug()


@pytest.mark.parametrize("scenario", ["clean-3", "recognition", "misdeal-called"])
def test_every_event_of_a_deal_arrives_over_usb_once_and_in_order(scenario):
    clock = SystemClock()
    owner = Owner(clock)
    table = SimulatedTable(load_scenario(scenario), speed=SPEED)
    gadgets = {name: Gadget(Description(product=product)) for name, product in PRODUCTS.items()}
    bus = FakeBus(*gadgets.values())
    heard: dict[str, list[Output]] = {name: [] for name in PRODUCTS}
    table.power_on(clock.now_ns())
    ends = [GadgetEnd(table, name, gadget) for name, gadget in gadgets.items()]
    sessions = []
    for name, driver in ((SHUFFLER, ShufflerDriver()), (CONTROLLER, TableControllerDriver())):
        device_class = DeviceClass.SHUFFLER if name == SHUFFLER else DeviceClass.TABLE_CONTROLLER
        line = open_usb(f"usb:1209:{PRODUCTS[name]:04x}", backend=bus)
        link = HostLink(expects=device_class, role=Role.OPERATE)
        sessions.append(Session(name, line, link, driver, clock, lambda _: None, heard[name].append))
    for member in (*ends, *sessions):
        owner.add(member)
    for session in sessions:
        session.start()
    for end in ends:
        end.pump(clock.now_ns())
    assert owner.run(lambda: table.finished, timeout_s=20)
    owner.close()
    assert bus.open_handles == 0

    for name in PRODUCTS:
        store = table.units[name]._store  # what the device itself knows it reported
        delivered = [output.message for output in heard[name] if isinstance(output, Delivered)]
        assert delivered == [store.get(number).event for number in range(1, store.last + 1)]
        assert len(delivered) > 5
