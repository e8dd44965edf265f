"""Captures of other tools, dealt when a person says what is at the end of each line: they give what ours give."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from devices.record.capture import Capture, Chunk

CAPTURES = Path(__file__).parents[2] / "captures"
OURS = CAPTURES / "clean-3.pcapng"
LINES = ("--line", "line 1=shuffler:tdp", "--line", "line 2=table-controller")
USB = ("--line", "usb 1-5=shuffler", "--line", "usb 1-6=table-controller:tdp")


def replay(file: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["replay", str(file), "--json", *options])


def dealt(result: Result) -> list[str]:
    """Return the lines of the deal and the settlement, without the counts at the end."""
    return [line for line in result.stdout.splitlines() if json.loads(line)["type"] != "summary"]


def rtac(chunk: Chunk) -> bytes:
    """A serial record as Wireshark has it: time, what it is, and whether it was sent."""
    seconds, rest_ns = divmod(chunk.at_ns, 10**9)
    return struct.pack(">IIBBH", seconds, rest_ns // 1000, 1 if chunk.sent else 2, 0, 0) + chunk.data


def usbmon(chunk: Chunk, order: str = "<", header: int = 64) -> bytes:
    """Of a bulk transfer the packet that has the bytes; device 5 is the first line, 6 the second."""
    event, endpoint = (b"S", 0x02) if chunk.sent else (b"C", 0x81)
    head = struct.pack(f"{order}QcBBBH2s", 1, event, 3, endpoint, 5 + chunk.interface, 1, b"-\0")
    head += struct.pack(f"{order}qiiII8s", 0, 0, 0, len(chunk.data), len(chunk.data), b"")
    return head.ljust(header, b"\0") + chunk.data


def pcapng_block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def pcapng(link_types: list[int], packets: list[tuple[int, int, bytes]]) -> bytes:
    """A file without names, in microseconds, as a capture tool writes it."""
    out = pcapng_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    out += b"".join(pcapng_block(1, struct.pack("<HHI", kind, 0, 0)) for kind in link_types)
    for interface, at_ns, data in packets:
        ticks = at_ns // 1000
        head = struct.pack("<IIIII", interface, ticks >> 32, ticks & 0xFFFFFFFF, len(data), len(data))
        out += pcapng_block(6, head + data + bytes(-len(data) % 4))
    return out


def pcap(link_type: int, packets: list[tuple[int, bytes]], order: str = "<") -> bytes:
    out = struct.pack(f"{order}IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link_type)
    for at_ns, data in packets:
        seconds, rest_ns = divmod(at_ns, 10**9)
        out += struct.pack(f"{order}IIII", seconds, rest_ns // 1000, len(data), len(data)) + data
    return out


def chunks() -> list[Chunk]:
    return [chunk for chunk in Capture.read(OURS).chunks if chunk.data]


def as_serial() -> bytes:
    return pcapng([250, 250], [(each.interface, each.at_ns, rtac(each)) for each in chunks()])


def as_usb() -> bytes:
    return pcapng([220], [(0, each.at_ns, usbmon(each)) for each in chunks()])


def as_older_usb() -> bytes:
    return pcap(189, [(each.at_ns, usbmon(each, header=48)) for each in chunks()])


def as_older_usb_of_a_big_endian_machine() -> bytes:
    return pcap(220, [(each.at_ns, usbmon(each, ">")) for each in chunks()], ">")


@pytest.mark.parametrize(
    ("make", "options"),
    [
        (as_serial, LINES),
        (as_usb, USB),
        (as_older_usb, USB),
        (as_older_usb_of_a_big_endian_machine, USB),
    ],
)
def test_a_capture_of_another_tool_gives_what_ours_gives(
    make: Callable[[], bytes], options: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "theirs"
    file.write_bytes(make())
    result = replay(file, *options)
    assert result.exit_code == 0, result.output
    assert dealt(result) == dealt(replay(OURS))
    assert any(json.loads(line)["type"] == "settlement" for line in dealt(result))


def test_one_serial_line_in_the_older_format(tmp_path: Path) -> None:
    """Without the controller nothing is settled, but every packet is dealt."""
    file = tmp_path / "theirs.pcap"
    file.write_bytes(pcap(250, [(each.at_ns, rtac(each)) for each in chunks() if each.interface == 0]))
    result = replay(file, "--line", "line 1=shuffler")
    summary = json.loads(result.stdout.splitlines()[-1])
    assert result.exit_code == 0, result.output
    assert summary["frames"] > 20
    assert summary["noise_bytes"] == 0


def test_a_line_of_which_nothing_is_said_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "theirs"
    file.write_bytes(as_usb())
    result = replay(file, "--line", "usb 1-6=table-controller")
    assert result.exit_code == 0
    assert {json.loads(line)["outcome"] for line in dealt(result) if '"round"' in line} == {"unreliable"}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--line", "line 3=shuffler"), "no line 'line 3'; its lines are 'line 1', 'line 2'"),
        (("--line", "line 1"), "'line 1' is not of the form NAME=VALUE"),
        (
            ("--line", "line 1=shufler"),
            "line 1: no kind of device is called 'shufler'; allowed: shuffler, shoe, table-",
        ),
        (("--line", "line 1=shuffler:morse"), "unknown dialect 'morse'"),
        ((), "line 'line 1': "),
    ],
)
def test_what_is_said_wrong_of_a_line_is_one_line(options: tuple[str, ...], why: str, tmp_path: Path) -> None:
    file = tmp_path / "theirs"
    file.write_bytes(as_serial())
    result = replay(file, *options)
    assert result.exit_code in (2, 6)
    assert why in result.stderr.splitlines()[-1]
    assert "Traceback" not in result.output


def test_lines_are_those_of_one_file(tmp_path: Path) -> None:
    (tmp_path / "theirs.pcapng").write_bytes(as_serial())
    result = replay(tmp_path, *LINES)
    assert (result.exit_code, "--line needs a FILE, not a folder" in result.stderr) == (2, True)


@pytest.mark.parametrize("cut", [1, 30, 61])
def test_a_cut_file_is_dealt_as_far_as_it_goes(cut: int, tmp_path: Path) -> None:
    file = tmp_path / "theirs"
    file.write_bytes(as_older_usb()[:-cut])
    result = replay(file, *USB)
    assert result.exit_code == 1
    assert "cut off at byte" in result.stderr


def test_a_header_that_is_cut_is_damage(tmp_path: Path) -> None:
    file = tmp_path / "theirs"
    file.write_bytes(pcap(220, [(10**18, bytes(30))]))
    result = replay(file, *USB)
    assert (result.exit_code, "a USB packet of 30 bytes" in result.stderr) == (6, True)
