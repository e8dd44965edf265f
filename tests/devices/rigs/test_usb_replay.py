"""A USB session recorded through the real libusb: tshark reads it, and umockdev replays it through the real libusb."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.tdp import messages as m
from tests.support.umockdev import PROGRAM, Rig, Talk, needs_umockdev
from tests.support.usb_descriptors import BULK, Description

pytestmark = needs_umockdev

SHUFFLER = Description(endpoints=((0x01, BULK, 64), (0x81, BULK, 64)))
ADDRESS = "usb:1209:0005:SIM-0001"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


AT_NS = "1700000000000000000"
"""Where the program's clock stands, recording and replaying: what a link sends depends on the time."""


def record(rig: Rig, file: Path) -> list[str]:
    """A short session, recorded by the program; what it saw."""
    cable = rig.plug_usb("shuffler", SHUFFLER, address=2)
    device = rig.device_on(cable)
    rig.run_program(AT_NS)
    rig.tell("record", str(file), ADDRESS)
    seen = [rig.wait("seen", body="LinkUp")["body"]]
    # The next event only after the last one's acknowledgement: a replay is in the recorded order, byte for byte.
    for number, (kind, fields) in enumerate(EVENTS, 1):
        device.emit(kind, **fields)
        seen.append(rig.wait("seen")["body"])
        rig.until(lambda number=number: device.store.acknowledged >= number)
    rig.unplug(cable)
    seen.append(rig.wait("seen")["body"])
    rig.tell("close")
    rig.wait("closed")
    return seen


EVENTS = (
    (m.GreenButton, {}),
    (m.PacketDispensed, {"deck": 1, "ordinal": 1, "expected": 5, "counted": 5, "cards": bytes.fromhex("1121314160")}),
    (m.PacketLifted, {"ordinal": 1}),
)


def test_a_recorded_session_gives_the_same_events_again(rig, tmp_path):
    file = tmp_path / "session.pcapng"
    seen = record(rig, file)
    assert len(seen) == 5
    assert "unplugged" in seen[-1]
    description = file.with_suffix(".umockdev")
    place = "/sys" + description.read_text().splitlines()[0].removeprefix("P: ")
    play = Talk("umockdev-run", "-d", str(description), "-p", f"{place}={file}", "--", *PROGRAM, AT_NS)
    play.wait("started")
    play.tell("open", ADDRESS)
    again = [play.wait("seen")["body"] for _ in seen]
    assert play.finish() == 0
    assert again == seen


@pytest.mark.skipif(shutil.which("tshark") is None, reason="system package missing: tshark")
def test_tshark_reads_the_recording_and_knows_what_it_is(rig, tmp_path):
    file = tmp_path / "session.pcapng"
    record(rig, file)
    fields = ("usb.endpoint_address", "usb.urb_type", "usb.bInterfaceClass", "usb.capdata", "_ws.malformed")
    done = subprocess.run(
        ["tshark", "-r", str(file), "-T", "json", *(word for field in fields for word in ("-e", field))],
        capture_output=True,
        check=True,
    )
    packets = [packet["_source"]["layers"] for packet in json.loads(done.stdout)]
    assert not [packet for packet in packets if "_ws.malformed" in packet]
    bulk = [packet for packet in packets if packet.get("usb.endpoint_address", [""])[0] in ("0x01", "0x81")]
    assert {packet["usb.bInterfaceClass"][0] for packet in bulk} == {"0xff"}
    received = b"".join(
        bytes.fromhex(packet["usb.capdata"][0])
        for packet in bulk
        if packet["usb.endpoint_address"] == ["0x81"] and "usb.capdata" in packet
    )
    # What the frames look like is the framing's business: here it is enough that they are whole and in order.
    assert received.startswith(b"\x00")
    assert received.endswith(b"\x00")
    assert b"Test Works" in received
