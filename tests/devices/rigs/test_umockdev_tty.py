"""A USB serial adapter that the system lists, links and removes, with pyserial's real port code."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.tdp import messages as m
from tests.support.rigs.umockdev import Rig, needs_umockdev

pytestmark = needs_umockdev

LINK = "/dev/serial/by-id/usb-Test_Works_Adapter_RIG001-if00-port0"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def test_an_adapter_comes_back_under_another_name_and_the_same_link(rig):
    cable = rig.plug_tty("first", "RIG001", tty="ttyUSB0", minor=0, address=2)
    rig.run_program()
    rig.tell("ports")
    assert rig.wait("ports")["ports"] == [["/dev/ttyUSB0", 0x0403, 0x6001, "RIG001", "1-1"]]
    rig.tell("links")
    assert rig.wait("links")["links"] == {LINK: "ttyUSB0"}
    rig.tell("open", f"serial://{LINK}?baud=115200")
    device = rig.device_on(cable)
    rig.wait("seen", body="LinkUp(session=3237998081")
    device.emit(m.GreenButtonMessage)
    rig.wait("seen", body="GreenButton")
    rig.tell("request")
    assert rig.wait("ended")["how"] == "Answered"

    rig.unplug(cable)
    rig.wait("seen", body="LinkLost")
    rig.tell("links")
    assert rig.wait("links")["links"] == {}
    rig.tell("ports")
    assert rig.wait("ports")["ports"] == []

    again = rig.plug_tty("second", "RIG001", tty="ttyUSB1", minor=1, address=3)
    rig.tell("open", f"serial://{LINK}?baud=115200")
    rig.device_on(again, session=0xC0FFEE02)
    rig.wait("seen", body="LinkUp(session=3237998082")
    rig.tell("ports")
    assert rig.wait("ports")["ports"][0][0] == "/dev/ttyUSB1"


def test_a_port_held_by_this_program_is_busy_and_one_that_left_is_absent(rig):
    cable = rig.plug_tty("only", "RIG001", tty="ttyUSB0", minor=0, address=2)
    rig.run_program()
    rig.tell("raw", "/dev/ttyUSB0")
    rig.wait("open")
    rig.tell("raw", "/dev/ttyUSB0")
    rig.wait("error", kind="LineBusy")
    rig.tell("drain")
    rig.unplug(cable)
    rig.wait("gone")
    rig.tell("close")
    rig.wait("closed")
    rig.tell("raw", "/dev/ttyUSB0")
    rig.wait("error", kind="LineAbsent")
