"""The serial port on the real ftdi_sio driver, plugged and unplugged from outside the guest."""

import pytest

from protocol.tdp import messages as m

pytestmark = pytest.mark.hardware

LINK = "/dev/serial/by-id/usb-QEMU_QEMU_USB_SERIAL_RIG001-if00-port0"
ADDRESS = f"serial://{LINK}?baud=115200"
LOST = {"the device hung up", "No such device", "Input/output error"}
"""Messages of a driver about a port that went away; which one depends on who noticed first."""


def test_a_session_and_the_adapter_told_not_to_wait(guest):
    device = guest.device_on(guest.plug_ftdi("adapter", "RIG001"))
    guest.run_program()
    guest.open_again(ADDRESS)
    guest.wait("seen", body="LinkUp(session=3237998081")
    device.emit(m.GreenButtonMessage)
    guest.wait("seen", body="GreenButton")
    guest.tell("request")
    assert guest.wait("ended")["how"] == "Answered"
    guest.tell("ports")
    assert guest.wait("ports")["ports"] == [["/dev/ttyUSB0", 0x0403, 0x6001, "RIG001", "1-1"]]
    guest.tell("show", "/sys/bus/usb-serial/devices/ttyUSB0/latency_timer")
    assert guest.wait("shown")["text"] == "1"


def test_back_under_another_name_while_the_lost_port_is_still_open(guest):
    guest.plug_ftdi("first", "RIG001")
    guest.run_program()
    guest.open_again(LINK, order="raw")
    guest.tell("drain")
    guest.unplug_ftdi("first")
    guest.wait("gone")
    guest.wait("gone")
    device = guest.device_on(guest.plug_ftdi("second", "RIG001"))
    guest.open_again(ADDRESS)  # at first the link may be gone, or still lead to the port that was
    guest.wait("seen", body="LinkUp(session=3237998081")
    device.emit(m.GreenButtonMessage)
    guest.wait("seen", body="GreenButton")
    guest.tell("links")
    assert guest.wait("links")["links"] == {LINK: "ttyUSB1"}


def test_unplugged_while_writing(guest):
    guest.plug_ftdi("adapter", "RIG001")
    guest.run_program()
    guest.open_again(LINK, order="raw")
    guest.tell("flood")  # the far end reads nothing
    guest.wait("full")
    guest.tell("drain")
    guest.unplug_ftdi("adapter")
    assert guest.wait("gone")["why"] in LOST
    assert guest.wait("gone")["why"] in LOST
    guest.tell("close")
    assert guest.wait("closed")["threads"] == 1


def test_a_port_in_use_names_its_holder(guest):
    guest.plug_ftdi("adapter", "RIG001")
    guest.run_program()
    guest.open_again(LINK, order="raw")
    guest.tell("raw", "/dev/ttyUSB0")
    assert "this program" in guest.wait("error", kind="LineBusy")["text"]


def test_two_with_one_serial_number_are_named_by_where_they_are(guest):
    guest.plug_ftdi("left", "RIG001", port="1")
    guest.plug_ftdi("right", "RIG001", port="2")
    guest.order("await_files", paths=["/dev/ttyUSB0", "/dev/ttyUSB1"])
    guest.obeyed()
    guest.run_program()
    text = guest.answer("raw", "serial-id:RIG001")["text"]
    assert "USB path 1-1" in text
    assert "USB path 1-2" in text
    assert guest.answer("raw", "serial-path:1-2")["what"] == "open"
