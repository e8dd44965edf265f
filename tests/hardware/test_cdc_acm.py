"""The serial port on the real cdc_acm driver: the adapter's side is the kernel's gadget, its name comes from udev."""

import pytest

from protocol.tdp import messages as m

pytestmark = pytest.mark.hardware

LINK = "/dev/serial/by-id/usb-Test_Works_Adapter_ACM001-if00"
LOST = {"the device hung up", "No such device", "Input/output error"}
"""Messages of a driver about a port that went away; which one depends on who noticed first."""


def adapter(guest, name="adapter", serial="ACM001"):
    return guest.plug_tty(name, serial, tty="ttyACM0", minor=0, address=2)


def test_a_session_by_the_lasting_name_and_again_after_an_unplug(guest):
    cable = adapter(guest, "first")
    device = guest.device_on(cable)
    guest.run_program()
    guest.open_again(f"serial://{LINK}?baud=115200")
    guest.wait("seen", body="LinkUp(session=3237998081")
    device.emit(m.GreenButtonMessage)
    guest.wait("seen", body="GreenButton")
    guest.tell("request")
    assert guest.wait("ended")["how"] == "Answered"
    guest.unplug(cable)
    guest.wait("seen", body="LinkLost")
    guest.tell("close")
    assert guest.wait("closed")["threads"] == 1
    guest.device_on(adapter(guest, "second"), session=0xC0FFEE02)
    guest.open_again(f"serial://{LINK}?baud=115200")
    guest.wait("seen", body="LinkUp(session=3237998082")


def test_unplugged_while_reading(guest):
    cable = adapter(guest)
    guest.run_program()
    guest.open_again(LINK, order="raw")
    guest.tell("drain")
    guest.unplug(cable)
    assert guest.wait("gone")["why"] in LOST
    assert guest.wait("gone")["why"] in LOST
    guest.tell("close")
    guest.wait("closed")
    guest.refused_at_last(LINK, "LineAbsent")


def test_every_byte_value_passes_both_ways(guest):
    """A line discipline left on would drop some bytes and double others."""
    cable = adapter(guest)
    guest.run_program()
    guest.open_again(LINK, order="raw")
    guest.tell("write", bytes(range(256)).hex())
    guest.until(lambda: len(cable.arrived) >= 256)
    assert bytes(cable.arrived) == bytes(range(256))
    cable.write(bytes(range(256)))
    heard = ""
    while len(heard) < 512:
        guest.tell("read")
        heard += guest.wait("read")["data"]
    assert heard == bytes(range(256)).hex()
