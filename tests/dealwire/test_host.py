"""What `dealwire list` says of USB devices: an address that opens just that one."""

from dealwire.host import usb_devices
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
