"""USB bulk through the real pyusb and the real libusb, against a device whose usbfs node a rig provides."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.tdp import messages as m
from tests.support.rigs.umockdev import Rig, needs_umockdev
from tests.support.rigs.usb_descriptors import BULK, INTERRUPT, Description

pytestmark = needs_umockdev

SHUFFLER = Description(endpoints=((0x01, BULK, 64), (0x81, BULK, 64)))


STALL, OVERFLOW, BROKEN_BITS = -32, -75, -84
"""Status of a transfer, as the kernel reports it: EPIPE, EOVERFLOW, EILSEQ."""


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def test_a_session_over_libusb_survives_an_unplug_and_a_new_address(rig):
    device = rig.device_on(rig.plug_usb("first", SHUFFLER, address=2))
    rig.run_program()
    rig.tell("open", "usb:1209:0005:SIM-0001")
    rig.wait("seen", body="LinkUp(session=3237998081, device_class='shuffler'")
    device.emit(m.GreenButtonMessage)
    device.emit(m.PacketDispensedMessage, deck=1, ordinal=1, expected=5, counted=5, cards=bytes.fromhex("1121314160"))
    assert rig.wait("seen", body="GreenButton")["number"] == 1
    assert rig.wait("seen", body="PacketDispensed")["number"] == 2
    rig.tell("request")
    assert rig.wait("ended")["how"] == "Answered"
    rig.unplug(rig.cables["first"])
    rig.wait("seen", body="'unplugged')")
    rig.tell("close")
    assert rig.wait("closed")["threads"] == 1
    rig.device_on(rig.plug_usb("second", SHUFFLER, address=3), session=0xC0FFEE02)
    rig.tell("find")
    assert rig.wait("found")["devices"] == ["1209:0005 3"]
    rig.tell("open", "usb:1209:0005:SIM-0001")
    rig.wait("seen", body="LinkUp(session=3237998082")


def test_unplugged_while_writing(rig):
    cable = rig.plug_usb("full", SHUFFLER, address=2)
    rig.order("usb_takes", id="full", takes=False)
    rig.run_program()
    rig.tell("raw", "usb:1209:0005")
    rig.wait("open")
    rig.tell("flood")
    assert rig.wait("full")["total"] >= 65536
    rig.tell("drain")
    rig.unplug(cable)
    assert rig.wait("gone")["why"] == "unplugged"
    assert rig.wait("gone")["why"] == "unplugged"
    rig.tell("close")
    assert rig.wait("closed")["threads"] == 1


def test_what_libusb_makes_of_a_failed_transfer_is_told_apart(rig):
    cable = rig.plug_usb("faulty", SHUFFLER, address=2)
    rig.run_program()
    rig.tell("raw", "usb:1209:0005")
    rig.wait("open")
    for status in STALL, OVERFLOW:
        rig.order("usb_fails", id="faulty", endpoint=0x81, status=status)
        cable.write(b"after")
        rig.tell("read")
        assert rig.wait("read")["data"] == b"after".hex()
    rig.tell("read")
    cable.write(bytes(64))
    report = rig.wait("read")
    assert (report["data"], report["spoiled"]) == (bytes(64).hex(), 2)
    rig.order("usb_fails", id="faulty", endpoint=0x01, status=STALL)
    rig.obeyed()
    rig.tell("write", "aa" * 10)
    rig.until(lambda: rig.failed == 3)
    rig.tell("write", "bb" * 128)
    rig.until(lambda: len(cable.arrived) >= 128)
    assert cable.arrived == bytes.fromhex("bb" * 128)
    rig.order("usb_fails", id="faulty", endpoint=0x81, status=BROKEN_BITS)
    rig.tell("drain")
    assert rig.wait("gone")["why"] == "unplugged, or a bad cable: transfers fail"


def test_two_of_a_kind_are_named_and_not_guessed_between(rig):
    rig.device_on(rig.plug_usb("left", SHUFFLER, address=2, port="1"), session=0x11)
    rig.device_on(rig.plug_usb("right", SHUFFLER, address=3, port="2.4"), session=0x22)
    other = Description(serial="SIM-0002", endpoints=SHUFFLER.endpoints)
    rig.device_on(rig.plug_usb("third", other, address=4, port="3"), session=0x33)
    rig.run_program()
    rig.tell("open", "usb:1209:0005:SIM-0001")
    text = rig.wait("error", kind="LineAmbiguous")["text"]
    assert text.startswith("usb:1209:0005:SIM-0001: 2 devices match; specify one of them: usb:1209:0005@1-")
    rig.tell("open", "usb:1209:0005:SIM-0002")
    rig.wait("seen", body=f"LinkUp(session={0x33}")
    rig.tell("close")
    rig.wait("closed")
    rig.tell("open", "usb:1209:0005@1-1")
    rig.wait("seen", body=f"LinkUp(session={0x11}")


def test_a_device_of_another_class_is_refused_with_what_it_is(rig):
    rig.plug_usb("keyboard", Description(interface_class=3, endpoints=((0x82, INTERRUPT, 8),)), address=2)
    rig.run_program()
    rig.tell("open", "usb:1209:0005")
    text = rig.wait("error", kind="LineUnusable")["text"]
    assert text.endswith("found interface 0 of class 0x03 with 0 bulk in and 0 out")
    rig.tell("open", "usb:1209:0006")
    rig.wait("error", kind="LineAbsent")
