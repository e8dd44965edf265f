"""The recorder of USB: its bytes, worked out by hand, and its isolation of transfers from disk errors."""

import errno
import logging
import struct
from pathlib import Path

import pytest

from devices.clock import ManualClock
from devices.record.capture_errors import CaptureInaccessible
from devices.record.usb import UsbRecorder
from devices.transport.base import LineClosed
from devices.transport.usb_bulk import UsbBulk, open_usb
from tests.support.rigs.patience import wait_until
from tests.support.rigs.usb_backend import FakeBus, Gadget

AT_NS = 1_700_000_000_123_456_789


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(UsbBulk, "TIMEOUT_MS", 5)


def packets(path: Path) -> list[bytes]:
    """Return the packets of a pcapng file, read without code under test."""
    raw, found, offset = path.read_bytes(), [], 0
    while offset < len(raw):
        kind, length = struct.unpack_from("<II", raw, offset)
        assert struct.unpack_from("<I", raw, offset + length - 4) == (length,)
        if kind == 6:
            (size,) = struct.unpack_from("<I", raw, offset + 20)
            found.append(raw[offset + 28 : offset + 28 + size])
        elif kind == 1:
            assert struct.unpack_from("<H", raw, offset + 8) == (220,)
        offset += length
    return found


def hear(line: UsbBulk, data: bytes) -> None:
    got = bytearray()
    wait_until(lambda: got.extend(line.read()) or len(got) >= len(data), pause_s=0.0005)
    assert got == data


def test_a_short_session_byte_for_byte(tmp_path):
    gadget = Gadget()
    with UsbRecorder(FakeBus(gadget), tmp_path / "x.pcapng", clock=ManualClock(AT_NS)) as recorder:
        line = open_usb("usb:1209:0005", backend=recorder)
        gadget.write(b"\x01\x02\x03")
        hear(line, b"\x01\x02\x03")
        line.write(b"\xaa" * 64)
        while not gadget.read():
            pass
        line.close()
    time_of = struct.pack("<qi", 1_700_000_000, 123_456)

    def packet(number: int, head: str, status: int, length: int, data: str = "", setup: str = "00" * 8) -> bytes:
        body = bytes.fromhex(data)
        counts = struct.pack("<iII", status, length, len(body))
        return (
            struct.pack("<Q", number) + bytes.fromhex(head) + time_of + counts + bytes.fromhex(setup) + bytes(16) + body
        )

    device = "120100020000004009120500000101020301"
    configuration = "0902200001010080320904000002ff0000000705010240000007058102400000"
    assert packets(tmp_path / "x.pcapng") == [
        # event, transfer, endpoint, device 2, bus 1 in 16 bits, mark of the setup, mark of missing data
        packet(1, "53 02 80 02 0100 00 3c", -115, 18, setup="8006000100001200"),
        packet(1, "43 02 80 02 0100 2d 00", 0, 18, device),
        packet(2, "53 02 80 02 0100 00 3c", -115, 9, setup="8006000200000900"),
        packet(2, "43 02 80 02 0100 2d 00", 0, 9, configuration[:18]),
        packet(3, "53 02 80 02 0100 00 3c", -115, 32, setup="8006000200002000"),
        packet(3, "43 02 80 02 0100 2d 00", 0, 32, configuration),
        packet(4, "53 03 81 02 0100 2d 3c", -115, 64),
        packet(4, "43 03 81 02 0100 2d 00", 0, 3, "010203"),
        packet(5, "53 03 01 02 0100 2d 00", -115, 64, "aa" * 64),
        packet(5, "43 03 01 02 0100 2d 3e", 0, 64),
        packet(6, "53 03 01 02 0100 2d 00", -115, 0),
        packet(6, "43 03 01 02 0100 2d 3e", 0, 0),
    ]
    description = (tmp_path / "x.umockdev").read_text().splitlines()
    assert description[0] == "P: /devices/pci0000:00/0000:00:14.0/usb1/1-1"
    assert description[1].lower() == f"n: bus/usb/001/002={device}{configuration}"
    assert "A: idVendor=1209\\n" in description


@pytest.mark.parametrize(
    ("number", "status"), [(errno.EPIPE, -32), (errno.EOVERFLOW, -75), (errno.ENODEV, -108), (errno.EIO, -71)]
)
def test_a_failed_transfer_is_recorded_with_what_the_system_calls_it(tmp_path, number, status):
    gadget = Gadget()
    gadget.next_errors[0x81].append(number)
    with UsbRecorder(FakeBus(gadget), tmp_path / "x.pcapng") as recorder:
        line = open_usb("usb:1209:0005", backend=recorder)
        gadget.write(b"wake")
        wait_until(lambda: not gadget.next_errors[0x81])
        line.close()
    ends = [struct.unpack_from("<i", one, 28)[0] for one in packets(tmp_path / "x.pcapng") if one[8:11] == b"C\x03\x81"]
    assert ends[0] == status


def test_reads_that_bring_nothing_leave_nothing(tmp_path):
    gadget = Gadget()
    with UsbRecorder(FakeBus(gadget), tmp_path / "x.pcapng") as recorder:
        line = open_usb("usb:1209:0005", backend=recorder)
        wait_until(lambda: 0x81 in gadget.waiting)
        line.close()
    assert len(packets(tmp_path / "x.pcapng")) == 6


def test_a_write_that_times_out_is_recorded_as_begun_only(tmp_path):
    gadget = Gadget()
    gadget.let(takes_data=False)
    with UsbRecorder(FakeBus(gadget), tmp_path / "x.pcapng") as recorder:
        line = open_usb("usb:1209:0005", backend=recorder)
        line.write(b"nobody takes it")
        wait_until(lambda: 0x01 in gadget.waiting)
        line.close()
    out = [one[8:11] for one in packets(tmp_path / "x.pcapng") if one[9:11] == b"\x03\x01"]
    assert set(out) == {b"S\x03\x01"}


def test_an_unplug_passes_through(tmp_path):
    gadget = Gadget()
    with UsbRecorder(FakeBus(gadget), tmp_path / "x.pcapng") as recorder:
        line = open_usb("usb:1209:0005", backend=recorder)
        gadget.unplug()
        with pytest.raises(LineClosed, match="unplugged"):
            hear(line, b"nothing more")
        line.close()
    assert struct.unpack_from("<i", packets(tmp_path / "x.pcapng")[-1], 28) == (-108,)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not here: a disk that is full needs /dev/full (Linux)")
def test_a_full_disk_stops_the_recording_and_no_transfer(tmp_path, caplog):
    caplog.set_level(logging.ERROR)
    gadget = Gadget()
    path = tmp_path / "x.pcapng"
    path.symlink_to("/dev/full")
    with UsbRecorder(FakeBus(gadget), path, overwrite=True) as recorder:
        line = open_usb("usb:1209:0005", backend=recorder)
        gadget.write(b"all the same")
        hear(line, b"all the same")
        line.close()
    assert recorder.failed == "No space left on device"
    assert [record.getMessage() for record in caplog.records] == [f"{path}: recording stopped: No space left on device"]


def test_after_its_end_transfers_still_pass(tmp_path):
    gadget = Gadget()
    recorder = UsbRecorder(FakeBus(gadget), tmp_path / "x.pcapng")
    line = open_usb("usb:1209:0005", backend=recorder)
    recorder.close()
    recorder.close()
    gadget.write(b"unrecorded")
    hear(line, b"unrecorded")
    line.close()


def test_a_recording_is_not_written_over_by_accident(tmp_path):
    path = tmp_path / "x.pcapng"
    path.write_bytes(b"precious")
    with pytest.raises(CaptureInaccessible):
        UsbRecorder(FakeBus(), path)
    assert path.read_bytes() == b"precious"
