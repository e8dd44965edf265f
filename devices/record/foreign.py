"""Recordings of other tools: the older pcap format, and USB transfers as Linux's usbmon writes them.

Such a file does not say what is at the end of a line. The user names each line to play and the device at its end; it is
then played like one of ours.
"""

import struct
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from devices.record import pcapng
from devices.record.capture_errors import CaptureCorrupt
from devices.record.pcapng import BLOCK_MAX, Block


class LineEnd(NamedTuple):
    """Device at the end of a recorded line, as the user specifies."""

    device: str
    dialect: str = "tdp"


NamedLines = Mapping[str, LineEnd]
"""Line ends by the name of the line: `line 1`, the first serial one if the file does not name it, or `usb 1-5`, the
device with address 5 on USB bus 1."""

PCAP_MAGIC: Final = {
    b"\xd4\xc3\xb2\xa1": ("<", 6),
    b"\xa1\xb2\xc3\xd4": (">", 6),
    b"\x4d\x3c\xb2\xa1": ("<", 9),
    b"\xa1\xb2\x3c\x4d": (">", 9),
}
"""First bytes of the older format, mapped to its byte order and its decimal digits of a second."""
_FILE_HEAD: Final = 24
_RECORD_HEAD: Final = 16
_NS: Final = 1_000_000_000

USBMON_HEADERS: Final = {189: 48, 220: 64}
"""Link types of usbmon with the size of their header in bytes; everything used here is in the first 48."""
_BULK: Final = 3
_IN: Final = 0x80
_HEADS: Final = {order: struct.Struct(f"{order}QcBBBH2sqiiII8s") for order in "<>"}


class PcapBlocks:
    """Packets of a file in the older format, as the blocks that pcapng would have; otherwise like `Blocks`."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.path = path
        self.torn: tuple[int, int] | None = None
        self._file = file

    def __iter__(self) -> Iterator[Block]:
        head = self._file.read(_FILE_HEAD)
        if len(head) < _FILE_HEAD:
            self.torn = (0, len(head))
            return
        order, digits = PCAP_MAGIC[head[:4]]
        link_type = struct.unpack_from(f"{order}I", head, 20)[0] & 0xFFFF
        yield Block(0, pcapng.SECTION, order, b"")
        nanoseconds = struct.pack(f"{order}HHB3x", pcapng.IF_TSRESOL, 1, 9)
        yield Block(0, pcapng.INTERFACE, order, struct.pack(f"{order}HHI", link_type, 0, 0) + nanoseconds)
        offset = _FILE_HEAD
        while head := self._file.read(_RECORD_HEAD):
            if len(head) < _RECORD_HEAD:
                self.torn = (offset, len(head))
                return
            seconds, parts, size, _ = struct.unpack(f"{order}IIII", head)
            if size > BLOCK_MAX:
                raise CaptureCorrupt(self.path, offset, f"a record of {size} bytes; expected {BLOCK_MAX} at most")
            data = self._file.read(size)
            if len(data) < size:
                self.torn = (offset, len(head) + len(data))
                return
            at_ns = seconds * _NS + parts * 10 ** (9 - digits)
            packet = struct.pack(f"{order}IIIII", 0, at_ns >> 32, at_ns & 0xFFFFFFFF, size, size)
            yield Block(offset, pcapng.PACKET, order, packet + data + bytes(-size % 4))
            offset += len(head) + size


class UsbData(NamedTuple):
    """Payload of a usbmon packet: the device, the direction, the bytes."""

    name: str
    sent: bool
    data: bytes


def usb_data(order: str, link_type: int, packet: bytes) -> UsbData | None:
    """Return the bytes of a bulk transfer, when it was sent or when it arrived; None for any other packet.

    Raise ValueError for an invalid packet.
    """
    size = USBMON_HEADERS[link_type]
    if len(packet) < size:
        raise ValueError(f"a USB packet of {len(packet)} bytes; usbmon's header has {size}")
    _, event, kind, endpoint, address, bus, _, _, _, _, _, count, _ = _HEADS[order].unpack_from(packet)
    data = packet[size : size + count]
    comes = bool(endpoint & _IN)
    if kind != _BULK or not data or event != (b"C" if comes else b"S"):
        return None
    return UsbData(f"usb {bus}-{address}", not comes, data)
