"""`monitor --hex`: every byte as it passed, in any dialect that the line is thought to use, and its decoding."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dealwire.cli.raw_bytes import RawBytes, stamps
from devices.dialects.known import dialect_names
from devices.record.capture import Capture

ROOT = Path(__file__).parents[2]


@given(st.lists(st.binary(min_size=1, max_size=70), max_size=12), st.sampled_from(dialect_names()), st.booleans())
def test_every_byte_is_there_once_and_belongs_to_a_frame_or_to_none(
    reads: list[bytes], dialect: str, as_json: bool
) -> None:
    said: list[str] = []
    raw = RawBytes(said.append, stamps("n", 0), most=None, as_json=as_json)
    number = raw.interface("shoe", device="shoe", dialect=dialect)
    for at_ns, data in enumerate(reads):
        raw.chunk(number, at_ns, False, data)
    raw.end()
    whole = b"".join(reads)
    if as_json:
        objects = [json.loads(line) for line in said]
        shown = b"".join(bytes.fromhex(each["data"]) for each in objects if each["type"] == "bytes")
        pieces = [(each["offset"], each["length"]) for each in objects if each["type"] in ("frame", "noise")]
    else:
        rows = [found for line in said if (found := re.search(r"([0-9a-f]{6})  (.*?)  +\|(.*)\|$", line))]
        shown = b"".join(bytes.fromhex(row[2]) for row in rows)
        below = [re.search(r" [=!] ([0-9a-f]{6})  (\d+) byte", line) for line in said]
        pieces = [(int(found[1], 16), int(found[2])) for found in below if found]
    assert shown == whole
    place = 0
    for offset, length in pieces:
        assert offset == place
        place += length
    assert place == len(whole)


def test_a_recorded_table_is_frames_alone() -> None:
    said: list[str] = []
    raw = RawBytes(said.append, stamps("a", 0), most=None, as_json=True)
    capture = Capture.read(ROOT / "captures" / "clean-1.pcapng")
    numbers: list[int] = []
    for chunk in capture.chunks:
        numbers += [
            raw.interface(line.name, device=line.device, dialect=line.dialect)
            for line in capture.interfaces[len(numbers) :]  # they are met one by one
        ]
        if chunk.data:
            raw.chunk(numbers[chunk.interface], chunk.at_ns, chunk.sent, chunk.data)
    raw.end()
    kinds = [json.loads(line)["type"] for line in said]
    assert kinds.count("frame") == 89
    assert "noise" not in kinds


def test_rows_say_time_direction_place_and_what_can_be_read() -> None:
    said: list[str] = []
    raw = RawBytes(said.append, stamps("z", 1_000_000_000), most=2, as_json=False)
    number = raw.interface("shoe", device="shoe")
    raw.chunk(number, 2_500_000_000, True, b"hello, shoe\x00\x1b[2Jxyz")
    raw.chunk(number, 3_000_000_000, False, b"A")
    raw.chunk(number, 3_000_000_000, False, b"never printed: two were asked for")
    raw.note(number, 4_000_000_000, "unplugged")
    assert said == [
        "     1.500  shoe        > 000000  68 65 6c 6c 6f 2c 20 73 68 6f 65 00 1b 5b 32 4a  |hello, shoe..[2J|",
        "                          000010  78 79 7a                                         |xyz|",
        "     2.000  shoe        < 000000  41                                               |A|",
        "     3.000  shoe        * unplugged",
    ]
    assert raw.full


@contextmanager
def chattering(text: bytes, times: int) -> Iterator[int]:
    """A device on a TCP port that says what no dialect knows."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            device, _ = server.accept()
            with device, suppress(ConnectionError):  # it is left in the middle, too
                for _ in range(times):
                    device.sendall(text)
                while device.recv(4096):
                    pass

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]


@pytest.mark.every(3)
@pytest.mark.parametrize("options", [(), ("--hex",), ("--hex", "--json")])
def test_a_device_that_writes_text_is_named_also_before_the_third_second(options: tuple[str, ...]) -> None:
    with chattering(bytes(range(40, 87)), 10) as port:
        done = subprocess.run(
            [sys.executable, "-m", "dealwire", "monitor", "--shuffler", f"tcp://127.0.0.1:{port}", "-T", "1", *options],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
    assert (done.returncode, done.stderr) == (
        6,
        "dealwire: shuffler: 470 bytes, no frame: it is text, such as "
        "'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNO': a console, or another protocol\n",
    )
    if options == ("--hex",):
        assert "|()*+,-./01234567|" in done.stdout
        assert "not a frame: " in done.stdout


@pytest.mark.every(3)
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="not here: a disk that is full needs /dev/full (Linux)")
@pytest.mark.parametrize(
    ("arguments", "ended"),
    [
        ("--hex > /dev/full", (1, "", "dealwire: cannot write the output: No space left on device\n")),
        ("--hex --json -n 3 > /dev/full", (1, "", "dealwire: cannot write the output: No space left on device\n")),
        ("--hex | true", (0, "", "")),
    ],
)
def test_an_output_that_fails_ends_it_in_its_own_words(arguments: str, ended: tuple[int, str, str]) -> None:
    with chattering(bytes(range(40, 87)), 10) as port:
        command = f"{sys.executable} -m dealwire monitor --shuffler tcp://127.0.0.1:{port} {arguments}"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, cwd=ROOT, timeout=60
        )
    assert (done.returncode, done.stdout, done.stderr) == ended
