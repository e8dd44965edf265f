"""USB devices in `dealwire list`: each has an address that opens just that one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from dealwire.cli.list import KINDS
from dealwire.host import CONSOLE, ports, usb_devices
from devices.transport.usb_bulk import open_usb
from tests.support.rigs.usb_backend import FakeBus, Gadget
from tests.support.rigs.usb_descriptors import Description


def test_each_device_is_named_by_an_address_that_opens_it_alone() -> None:
    twins = [Gadget(bus=1, ports=(4,)), Gadget(bus=1, ports=(2, 3))]
    bus = FakeBus(*twins)
    found = usb_devices(bus)
    assert found == [
        {"name": "usb:1209:0005@1-2.3", "description": "Bulk shuffler", "serial": "SIM-0001"},
        {"name": "usb:1209:0005@1-4", "description": "Bulk shuffler", "serial": "SIM-0001"},
    ]
    assert bus.open_handles == 0
    line = open_usb(found[1]["name"], backend=bus)
    assert [gadget.claimed_by is not None for gadget in twins] == [True, False]
    line.close()


def test_a_device_that_may_not_be_asked_is_listed_without_its_texts() -> None:
    gadget = Gadget(Description(vendor=0x0403, product=0x6001))
    gadget.denied = True
    assert usb_devices(FakeBus(gadget)) == [{"name": "usb:0403:6001@1-1", "description": "", "serial": ""}]


def test_hubs_are_left_out() -> None:
    class Hub(Description):
        device = Description().device[:4] + b"\x09" + Description().device[5:]

    assert usb_devices(FakeBus(Gadget(Hub()))) == []


@dataclass
class Attached:
    """A port as pyserial describes it."""

    device: str
    description: str = "n/a"
    vid: int | None = None
    serial_number: str | None = None
    location: str | None = None

    def __lt__(self, other: Attached) -> bool:
        return self.device < other.device


def test_a_name_without_a_uart_is_no_port_and_the_systems_console_no_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, kind, console in (("ttyS0", "4", "Y"), ("ttyS1", "0", "N"), ("ttyS2", "4", "N")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "type").write_text(f"{kind}\n")
        (tmp_path / name / "console").write_text(f"{console}\n")
    there = [Attached(f"/dev/ttyS{number}") for number in range(3)] + [Attached("/dev/ttyUSB0", "FT232R")]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: there)
    found = {port["name"]: port["description"] for port in ports(tmp_path)}
    assert found == {"/dev/ttyS0": CONSOLE, "/dev/ttyS2": "", "/dev/ttyUSB0": "FT232R"}


def test_what_is_attached_is_listed_last() -> None:
    assert [*KINDS][-2:] == ["usb", "ports"]
