"""A USB session recorded through the real libusb: tshark reads it, and umockdev replays it through the real libusb."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.programs.record_usb import DEAL, record, replay
from tests.support.rigs.umockdev import Rig, needs_umockdev

pytestmark = needs_umockdev


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def test_a_recorded_session_gives_the_same_events_again(rig, tmp_path):
    file = tmp_path / "session.pcapng"
    seen = record(rig, file)
    assert len(seen) == len(DEAL) + 2
    assert "unplugged" in seen[-1]
    assert replay(file, len(seen)) == seen


@pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed (apt install tshark)")
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
    # The framing tests check the frames; here they only have to be whole and in order.
    assert received.startswith(b"\x00")
    assert received.endswith(b"\x00")
    assert b"Test Works" in received
