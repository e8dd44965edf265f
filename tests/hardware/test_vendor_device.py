"""USB bulk on the real USB stack of Linux, against a device whose side is Linux too (FunctionFS)."""

import sys

import pytest

from protocol.tdp import messages as m
from tests.support.rigs.usb_descriptors import Description

pytestmark = pytest.mark.hardware

SHUFFLER = Description()
ADDRESS = "usb:1209:0005:SIM-0001"
PACKET = 512
"""Bytes in a packet at high speed, the speed of the guest's bus."""
STALL = -32


def opened(guest):
    """Return a program with the raw line open, and the device's side."""
    cable = guest.plug_usb("device", SHUFFLER, address=2)
    guest.run_program()
    guest.tell("raw", ADDRESS)
    guest.wait("open")
    return cable


def test_a_session_survives_an_unplug_and_a_new_address(guest):
    device = guest.device_on(guest.plug_usb("first", SHUFFLER, address=2))
    guest.run_program()
    guest.tell("open", ADDRESS)
    guest.wait("seen", body="LinkUp(session=3237998081, device_class='shuffler'")
    device.emit(m.GreenButtonMessage)
    device.emit(m.PacketDispensedMessage, deck=1, ordinal=1, expected=5, counted=5, cards=bytes.fromhex("1121314160"))
    assert guest.wait("seen", body="GreenButton")["number"] == 1
    assert guest.wait("seen", body="PacketDispensed")["number"] == 2
    guest.tell("request")
    assert guest.wait("ended")["how"] == "Answered"
    guest.tell("find")
    before = [each for each in guest.wait("found")["devices"] if each.startswith("1209:0005")]
    guest.unplug(guest.cables["first"])
    guest.wait("seen", body="LinkLost(why='unplugged")
    guest.tell("close")
    assert guest.wait("closed")["threads"] == 1
    guest.device_on(guest.plug_usb("second", SHUFFLER, address=3), session=0xC0FFEE02)
    guest.open_again(ADDRESS)
    guest.wait("seen", body="LinkUp(session=3237998082")
    guest.tell("find")
    after = [each for each in guest.wait("found")["devices"] if each.startswith("1209:0005")]
    assert len(before) == len(after) == 1
    assert before != after


def test_unplugged_while_reading(guest):
    cable = opened(guest)
    guest.tell("drain")
    guest.unplug(cable)
    assert guest.wait("gone")["why"].startswith("unplugged")
    assert guest.wait("gone")["why"].startswith("unplugged")
    guest.tell("close")
    assert guest.wait("closed")["threads"] == 1


def test_unplugged_while_writing(guest):
    cable = opened(guest)
    guest.order("usb_takes", id="device", takes=False)
    guest.obeyed()
    guest.tell("flood")
    assert guest.wait("full")["total"] >= 65536
    guest.tell("drain")
    guest.unplug(cable)
    assert guest.wait("gone")["why"].startswith("unplugged")
    assert guest.wait("gone")["why"].startswith("unplugged")
    guest.tell("close")
    assert guest.wait("closed")["threads"] == 1


def test_a_full_packet_needs_no_empty_one_to_arrive(guest):
    opened(guest)
    guest.order("usb_packet", id="device", data="5a" * PACKET)
    guest.tell("read")
    assert guest.wait("read")["data"] == "5a" * PACKET


def test_a_device_that_reads_in_large_pieces_gets_a_write_of_full_packets(guest):
    cable = opened(guest)
    guest.tell("write", "a5" * 2 * PACKET)
    guest.until(lambda: len(cable.arrived) >= 2 * PACKET)
    assert bytes(cable.arrived) == b"\xa5" * 2 * PACKET


def test_a_stall_either_way_is_cleared_and_counted(guest):
    cable = opened(guest)
    guest.order("usb_fails", id="device", endpoint=0x81, status=STALL)
    guest.until(lambda: guest.failed == 1)
    cable.write(b"after")
    guest.tell("read")
    report = guest.wait("read")
    assert (report["data"], report["spoiled"]) == (b"after".hex(), 1)
    guest.order("usb_fails", id="device", endpoint=0x01, status=STALL)
    guest.obeyed()
    guest.tell("write", "aa")  # taken; the pipe stalls after it
    guest.until(lambda: guest.failed == 2)
    guest.tell("write", "bb")
    guest.wait("wrote")
    guest.wait("wrote")
    while b"\xcc" not in cable.arrived:  # what the stall met is lost, as noise would lose it; what comes later arrives
        guest.tell("write", "cc")
        guest.wait("wrote")
        guest.owner.run(lambda: b"\xcc" in cable.arrived, timeout_s=1.0)
    cable.write(b"still")
    guest.tell("read")
    assert guest.wait("read") == {"what": "read", "data": b"still".hex(), "spoiled": 2}
    assert cable.arrived.startswith(b"\xaa")
    assert b"\xbb" not in cable.arrived


def test_two_alike_are_named_and_not_guessed_between(guest):
    guest.device_on(guest.plug_usb("left", SHUFFLER, address=2), session=0x11)
    guest.device_on(guest.plug_usb("right", SHUFFLER, address=3), session=0x22)
    guest.run_program()
    guest.tell("open", ADDRESS)
    text = guest.wait("error", kind="LineAmbiguous")["text"]
    assert text.startswith(f"{ADDRESS}: 2 devices match; specify one of them: usb:1209:0005@")
    one, other = text.partition("specify one of them: ")[2].split(", ")
    for address in (one, other):
        guest.tell("open", address)
        guest.wait("seen", body="LinkUp(session=")
        guest.tell("close")
        guest.wait("closed")


def test_the_command_line_finds_the_device_again_by_itself(guest):
    device = guest.device_on(guest.plug_usb("first", SHUFFLER, address=2))
    guest.run_other(sys.executable, "-m", "dealwire", "monitor", "--json", "--count", "4", "--shuffler", ADDRESS)

    def events() -> list[str]:
        return [item["event"] for item in guest.said if item.get("type") == "event"]

    guest.until(lambda: events() == ["LinkUp"])
    device.emit(m.GreenButtonMessage)
    guest.until(lambda: events() == ["LinkUp", "GreenButton"])
    guest.unplug(guest.cables["first"])
    guest.until(lambda: events()[2:] == ["LinkLost"])
    guest.device_on(guest.plug_usb("second", SHUFFLER, address=3), session=0xC0FFEE02)
    guest.until(lambda: guest.exit is not None)
    assert guest.exit == 0
    assert events()[3] in ("SessionChanged", "LinkUp")
