"""Recordings: byte-exact, readable by other tools, explicit about every defect."""

import errno
import os
import shutil
import struct
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.clock import ManualClock
from devices.record.capture import (
    Capture,
    CaptureCorrupt,
    CaptureEmpty,
    CaptureError,
    CaptureForeign,
    CaptureInaccessible,
    CaptureWriter,
    Chunk,
    Interface,
    Recorded,
)
from devices.transport.base import LineClosed
from devices.transport.memory import memory_pair

AT = 1_700_000_000_123_456_789


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    size = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + size + body + size


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def option(code: int, value: bytes, order: str = "<") -> bytes:
    return struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)


def interface(order: str = "<", link_type: int = 250, options: bytes = b"") -> bytes:
    return block(1, struct.pack(f"{order}HHI", link_type, 0, 0) + options, order)


def packet(data: bytes, order: str = "<", number: int = 0, ticks: int = AT, event: int = 2) -> bytes:
    record = struct.pack(">IIBBH", 1_700_000_000, 123_456, event, 0, 0) + data
    head = struct.pack(f"{order}IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(record), len(record))
    return block(6, head + record + bytes(-len(record) % 4), order)


def write(path: Path, *parts: bytes) -> Path:
    path.write_bytes(b"".join(parts))
    return path


def two_lines(path: Path) -> Path:
    with CaptureWriter(path) as writer:
        one = writer.interface("shuffler", device="shuffler", line="ttyUSB0", baud=115200)
        two = writer.interface("controller", device="table-controller", line="tcp://rack 2:4001", baud=9600)
        writer.chunk(one, AT, False, b"\x00\x01\x02")
        writer.chunk(two, AT + 5, True, bytes(range(256)))
        writer.note(two, AT + 6, "line lost: the device hung up")
        writer.chunk(one, AT + 7, False, b"z")
    return path


CHUNKS = [
    Chunk(0, AT, False, b"\x00\x01\x02"),
    Chunk(1, AT + 5, True, bytes(range(256))),
    Chunk(1, AT + 6, False, b"", "line lost: the device hung up"),
    Chunk(0, AT + 7, False, b"z"),
]


def test_what_was_recorded_is_read(tmp_path):
    capture = Capture.read(two_lines(tmp_path / "a.pcapng"))
    assert capture.interfaces == (
        Interface("shuffler", "shuffler", "tdp", "ttyUSB0", 115200),
        Interface("controller", "table-controller", "tdp", "tcp://rack 2:4001", 9600),
    )
    assert list(capture.chunks) == CHUNKS
    assert list(capture.chunks) == CHUNKS
    assert (capture.torn, capture.skipped) == (None, 0)


def test_the_procedure_stands_with_every_line_and_may_be_missing(tmp_path):
    with CaptureWriter(tmp_path / "a.pcapng", procedure="race-to-the-flush") as writer:
        writer.interface("shoe", device="shoe", dialect="angel-eye", baud=4800)
        writer.interface("controller", device="table-controller")
    capture = Capture.read(tmp_path / "a.pcapng")
    assert [line.procedure for line in capture.interfaces] == ["race-to-the-flush"] * 2
    assert capture.procedure == "race-to-the-flush"
    assert b"procedure=race-to-the-flush" in (tmp_path / "a.pcapng").read_bytes()
    assert Capture.read(two_lines(tmp_path / "b.pcapng")).procedure == ""
    assert b"procedure" not in (tmp_path / "b.pcapng").read_bytes()


def test_bytes_of_a_record_as_the_format_demands(tmp_path):
    path = tmp_path / "a.pcapng"
    with CaptureWriter(path) as writer:
        start = path.stat().st_size
        writer.chunk(writer.interface("s", device="shuffler"), AT, True, b"\xab\xcd\xef")
        data = path.read_bytes()[start:]
    first = int.from_bytes(data[4:8], "little")
    expected = (
        "06000000" "3c000000"  # packet block of 60 bytes
        "00000000" "849a9717" "1585cc8e"  # interface 0, nanoseconds since 1970 high and low
        "0f000000" "0f000000"  # 15 bytes of 15
        "6553f100" "0001e240" "01" "00" "0000"  # seconds, microseconds, sent, no control lines
        "abcdef" "00"
        "02000400" "02000000" "00000000"  # flags: outbound; end of options
        "3c000000"
    )  # fmt: skip
    high, low = divmod(AT, 1 << 32)
    expected = expected.replace("849a9717", high.to_bytes(4, "little").hex())
    expected = expected.replace("1585cc8e", low.to_bytes(4, "little").hex())
    assert data[first:].hex() == expected


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(st.integers(0, 1), st.integers(0, 2**62), st.booleans(), st.binary(min_size=1, max_size=600)),
        max_size=12,
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
def test_any_bytes_come_back(tmp_path_factory, records, words):
    path = tmp_path_factory.mktemp("c") / "any.pcapng"
    with CaptureWriter(path) as writer:
        for name in ("a", "b"):
            writer.interface(name, device="shuffler", line=words)
        for number, at_ns, sent, data in records:
            writer.chunk(number, at_ns % 2**61, sent, data)
            writer.note(number, 1, words)
    capture = Capture.read(path)
    found = list(capture.chunks)
    assert [(c.interface, c.at_ns, c.sent, c.data) for c in found if c.data] == [
        (number, at_ns % 2**61, sent, data) for number, at_ns, sent, data in records
    ]
    assert {c.comment for c in found if not c.data} <= {words}
    assert [i.line for i in capture.interfaces] == [words, words]


def test_cut_anywhere_it_gives_what_came_before(tmp_path):
    whole = two_lines(tmp_path / "whole.pcapng").read_bytes()
    cut = tmp_path / "cut.pcapng"
    boundaries = set()
    offset = 0
    while offset < len(whole):
        offset += int.from_bytes(whole[offset + 4 : offset + 8], "little")
        boundaries.add(offset)
    for size in range(1, len(whole) + 1):
        cut.write_bytes(whole[:size])
        capture = Capture.read(cut)
        found = list(capture.chunks)
        assert found == CHUNKS[: len(found)]
        start = max((b for b in boundaries if b <= size), default=0)
        if size in boundaries:
            assert capture.torn is None
        else:
            assert capture.torn == f"cut off at byte {start}: {size - start} bytes of an unfinished record dropped"


def test_zeros_at_the_end_are_a_power_cut(tmp_path):
    path = two_lines(tmp_path / "a.pcapng")
    size = path.stat().st_size
    with path.open("ab") as file:
        file.write(bytes(4096))
    capture = Capture.read(path)
    assert list(capture.chunks) == CHUNKS
    assert capture.torn == f"cut off at byte {size}: 4096 bytes of an unfinished record dropped"


@pytest.mark.parametrize("order", ["<", ">"])
def test_both_byte_orders(tmp_path, order):
    name = option(2, b"left", order) + option(9, b"\x09", order) + option(0, b"", order)
    path = write(tmp_path / "o", section(order), interface(order, options=name), packet(b"hello", order))
    capture = Capture.read(path)
    assert list(capture.chunks) == [Chunk(0, AT, False, b"hello")]
    assert capture.interfaces == (Interface("left", "", "", "", 0),)


def test_sections_interfaces_and_blocks_of_others(tmp_path):
    micro, binary = interface(), interface(options=option(9, b"\x8a"))  # 10^-6 and 2^-10 seconds
    path = write(
        tmp_path / "o",
        section(),
        block(0x0BAD, b"whatever1234"),
        interface(link_type=220),
        micro,
        packet(b"usb", number=0),
        packet(b"m", number=1, ticks=1_700_000_000_000_001, event=1),
        section(">"),
        interface(">"),
        packet(b"n", ">", ticks=1_700_000_000_000_002),
        section(),
        binary,
        packet(b"b", ticks=1024 + 512),
    )
    capture = Capture.read(path)
    assert list(capture.chunks) == [
        Chunk(0, 1_700_000_000_000_001_000, True, b"m"),
        Chunk(1, 1_700_000_000_000_002_000, False, b"n"),
        Chunk(2, 1_500_000_000, False, b"b"),
    ]
    assert capture.skipped == 2
    assert [i.name for i in capture.interfaces] == ["line 1", "line 2", "line 3"]


@pytest.mark.parametrize(
    ("head", "says"),
    [
        (bytes.fromhex("d4c3b2a1020004000000000000000000"), "older pcap"),
        (bytes.fromhex("a1b23c4d000200040000000000000000"), "older pcap"),
        (bytes.fromhex("1f8b0800000000000003"), "gzip"),
        (b"packet_shuffler,READY\n", "text"),
        (b"\x7fELF\x02\x01\x01\x00", "something else, starting 7f 45 4c 46"),
        (b"{}", "text"),
    ],
)
def test_a_foreign_file_says_what_it_looks_like(tmp_path, head, says):
    path = write(tmp_path / "foreign", head)
    with pytest.raises(CaptureForeign) as caught:
        Capture.read(path)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{path}: not a pcapng recording")
    assert "\n" not in str(caught.value)


def test_empty_and_missing_files(tmp_path):
    with pytest.raises(CaptureEmpty):
        Capture.read(write(tmp_path / "empty"))
    with pytest.raises(CaptureInaccessible) as caught:
        Capture.read(tmp_path / "none")
    assert caught.value.errno == errno.ENOENT
    with pytest.raises(CaptureInaccessible):
        Capture.read(tmp_path)


NANOSECONDS = option(9, b"\x09")
GOOD = section() + interface(options=NANOSECONDS) + packet(b"first")


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (struct.pack("<II", 6, 13) + bytes(64), "a block of 13 bytes"),
        (struct.pack("<II", 6, 0x7FFFFFFC) + bytes(64), "a block of 2147483644 bytes"),
        (struct.pack("<II", 6, 0) + bytes(64), "a block of 0 bytes"),
        (struct.pack("<II", 0, 0) + bytes(64) + b"x", "a block of 0 bytes"),
        (packet(b"next")[:-4] + b"\x00\x01\x02\x03", "two lengths differ"),
        (packet(b"next", number=5), "a packet of interface 5; the file has declared 1"),
        (packet(b"next", number=1), "a packet of interface 1; the file has declared 1"),
        (block(6, struct.pack("<IIIII", 0, 0, 0, 11, 11) + bytes(12)), "a packet of 11 bytes"),
        (block(6, struct.pack("<IIIII", 0, 0, 0, 400, 400) + bytes(12)), "a packet of 400 bytes"),
        (block(6, struct.pack("<IIIII", 0, 0x40000000, 0, 12, 12) + bytes(12)), "4611686018 s since 1970"),
        (block(6, b"\0\0\0\0"), ": a block with 4 bytes of content is too short for its type 6"),
        (block(1, b""), ": a block with 0 bytes of content is too short for its type 1"),
        (block(1, struct.pack("<HHI", 250, 0, 0) + b"\x02\x00\xff\x00abcd"), "option 2 of 255 bytes"),
        (block(0x0A0D0D0A, bytes(16)), "byte-order mark"),
    ],
)
def test_damage_is_named_with_its_place_and_nothing_before_it_is_lost(tmp_path, bad, says):
    path = write(tmp_path / "bad", GOOD, bad, packet(b"behind"))
    capture = Capture.read(path)
    found = []
    with pytest.raises(CaptureCorrupt) as caught:
        found.extend(capture.chunks)
    assert [chunk.data for chunk in found] == [b"first"]
    assert caught.value.offset == len(GOOD)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"{path}: damaged at byte {len(GOOD)}: ")


@settings(max_examples=150)
@given(st.data())
def test_any_damage_gives_chunks_or_the_one_declared_error(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("d")
    whole = bytearray(two_lines(folder / "whole").read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = write(folder / "bad", bytes(whole))
    told = ""
    try:
        assert len(list(Capture.read(path).chunks)) <= len(CHUNKS)
    except CaptureError as error:
        told = str(error)
    assert not told or told.startswith(str(path))
    assert "\n" not in told


def test_an_existing_recording_is_kept(tmp_path):
    path = two_lines(tmp_path / "a.pcapng")
    before = path.read_bytes()
    with pytest.raises(CaptureInaccessible) as caught:
        CaptureWriter(path)
    assert caught.value.errno == errno.EEXIST
    assert path.read_bytes() == before
    CaptureWriter(path, overwrite=True).close()
    assert len(path.read_bytes()) < len(before)


def test_each_record_is_in_the_file_at_once(tmp_path):
    path = tmp_path / "a.pcapng"
    writer = CaptureWriter(path)
    number = writer.interface("s", device="shuffler")
    for count in range(1, 4):
        writer.chunk(number, AT, False, b"x")
        assert len(list(Capture.read(path).chunks)) == count
    writer.close()
    writer.chunk(number, AT, False, b"late")
    assert len(list(Capture.read(path).chunks)) == 3


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="not here: a disk that is full needs /dev/full (Linux)")
def test_a_full_disk_stops_the_recording_and_never_the_line(caplog):
    clock = ManualClock()
    writer = CaptureWriter("/dev/full", overwrite=True)
    assert writer.failed == "No space left on device"
    inner, far = memory_pair(clock)
    line = Recorded(inner, writer, writer.interface("s", device="shuffler"), clock)
    for _ in range(3):
        assert far.write(b"to host") == 7
        assert line.read() == b"to host"
        assert line.write(b"to device") == 9
        assert far.read() == b"to device"
    line.close()
    writer.close()
    assert [record.getMessage() for record in caplog.records] == [
        "/dev/full: recording stopped: No space left on device"
    ]


def test_a_broken_recorder_never_breaks_the_line(tmp_path):
    clock = ManualClock()
    inner, far = memory_pair(clock)
    with CaptureWriter(tmp_path / "a") as writer:
        line = Recorded(inner, writer, 7, clock)  # no such interface
        far.write(b"x")
        assert line.read() == b"x"
        assert line.write(b"y") == 1


def test_the_wrapper_records_reads_partial_writes_and_the_end(tmp_path):
    clock = ManualClock(AT)
    inner, far = memory_pair(clock)
    path = tmp_path / "a"
    with CaptureWriter(path) as writer:
        line = Recorded(inner, writer, writer.interface("s", device="shuffler"), clock)
        assert line.read() == b""
        far.write(b"in")
        line.read()
        clock.advance(10)
        taken = line.write(bytes(70_000))
        far.close()
        with pytest.raises(LineClosed):
            line.read()
        with pytest.raises(LineClosed):
            line.write(b"")
        line.close()
    assert taken == 65_536
    assert list(Capture.read(path).chunks) == [
        Chunk(0, AT, False, b"in"),
        Chunk(0, AT + 10, True, bytes(65_536)),
        Chunk(0, AT + 10, False, b"", "line lost: the other end closed"),
    ]


def test_stock_tshark_reads_the_same(tmp_path):
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed (apt install tshark)")
    path = two_lines(tmp_path / "a.pcapng")
    fields = [
        "frame.interface_name",
        "frame.time_epoch",
        "rtacser.eventtype",
        "frame.packet_flags_direction",
        "data.data",
    ]
    arguments = [argument for field in fields for argument in ("-e", field)]
    done = subprocess.run(
        [tshark, "-r", path, "-T", "fields", *arguments], capture_output=True, text=True, check=True, timeout=60
    )
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == ["shuffler", "controller", "controller", "shuffler"]
    assert [row[1] for row in rows] == [f"1700000000.12345{n}" for n in (6789, 6794, 6795, 6796)]
    assert [int(row[2], 0) for row in rows] == [2, 1, 0, 2]
    assert [row[3] for row in rows] == ["0x00000001", "0x00000002", "", "0x00000001"]
    assert [row[4] for row in rows] == ["000102", bytes(range(256)).hex(), "", "7a"]
