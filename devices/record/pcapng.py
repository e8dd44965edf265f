"""The pcapng file as blocks: enough to write recordings, and to read files of any origin safely.

Layout from the pcapng draft of the IETF (draft-ietf-opsawg-pcapng): a block is its type, its total length, a body and
the total length again, in the byte order that its section header declares.
"""

import logging
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, NamedTuple, Self

from devices.files import create_file
from devices.record.capture_errors import CaptureCorrupt, CaptureEmpty, CaptureForeign, CaptureInaccessible
from protocol.errors import shorten

_log = logging.getLogger(__name__)

SECTION: Final = 0x0A0D0D0A
INTERFACE: Final = 1
PACKET: Final = 6
MAGIC: Final = 0x1A2B3C4D
BLOCK_MAX: Final = 16 * 1024 * 1024
"""Maximum length of a block: Wireshark's own limit for a block without a capture length."""
OPTION_MAX: Final = 0xFFFF

RTAC_SERIAL: Final = 250
"""Link type: 12 bytes big-endian (seconds, microseconds, event, control lines, footer), then the data."""
STATUS_CHANGE, SENT, RECEIVED = 0, 1, 2
"""Events in its header."""
COMMENT, FLAGS = 1, 2
"""Options of a packet. The two low bits of the flags are the direction."""
INBOUND, OUTBOUND = 1, 2
IF_NAME, IF_DESCRIPTION, IF_SPEED, IF_TSRESOL, IF_TSOFFSET = 2, 3, 8, 9, 14
"""Options of an interface."""


class Block(NamedTuple):
    """One block. `order` is `<` or `>`, the byte order of its section."""

    offset: int
    type: int
    order: str
    body: bytes


# ------------------------------------------------------------------ writing


def option(code: int, value: bytes) -> bytes:
    """Return one option. A text longer than an option can hold is cut."""
    value = value[:OPTION_MAX]
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


END_OF_OPTIONS: Final = option(0, b"")


def block(kind: int, body: bytes) -> bytes:
    """Return one whole block, little-endian."""
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


def section_header(application: str) -> bytes:
    """Return the first block of a file. The section's length is left open."""
    head = struct.pack("<IHHq", MAGIC, 1, 0, -1)
    return block(SECTION, head + option(4, application.encode()) + END_OF_OPTIONS)


def interface(link_type: int, options: bytes) -> bytes:
    """Return the block that declares the source of packets. Their times are nanoseconds."""
    head = struct.pack("<HHI", link_type, 0, 0)
    return block(INTERFACE, head + options + option(IF_TSRESOL, b"\x09") + END_OF_OPTIONS)


def packet(interface: int, at_ns: int, data: bytes, options: bytes = b"") -> bytes:
    """Return the block of one packet."""
    head = struct.pack("<IIIII", interface, at_ns >> 32, at_ns & 0xFFFFFFFF, len(data), len(data))
    return block(PACKET, head + data + bytes(-len(data) % 4) + options)


class BlockFile:
    """Writer of a recording, each block at once, from any thread. A failing disk stops it, and `failed` has the reason.

    Only the file's owner may read it, because it contains every card face in clear. Opening an existing file needs
    `overwrite`. Raise CaptureInaccessible if the file cannot be opened.
    """

    def __init__(self, path: str | Path, application: str, *, overwrite: bool = False) -> None:
        self.path = Path(path)
        self.failed: str | None = None
        self._lock = threading.RLock()
        try:
            # Unbuffered: one system call a block, so that the file is valid after each, even if the program is killed.
            self._file = create_file(self.path, overwrite=overwrite)
        except OSError as cause:
            raise CaptureInaccessible(self.path, cause) from cause
        self._put(section_header(application))

    def close(self) -> None:
        """End the recording. May be called twice."""
        with self._lock:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _put(self, block: bytes) -> None:
        with self._lock:
            if self.failed is not None or self._file.closed:
                return
            try:
                written = self._file.write(block)
            except OSError as error:
                self._fail(error.strerror or str(error))
            else:
                if written != len(block):
                    self._fail(f"the disk accepted {written} of {len(block)} bytes")

    def _fail(self, why: str) -> None:
        self.failed = why
        _log.error("%s: recording stopped: %s", self.path, why)


# ------------------------------------------------------------------ reading


def options(order: str, body: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield the options from byte `start` of a block's body. Raise ValueError if one does not fit."""
    while start + 4 <= len(body):
        code, length = struct.unpack_from(f"{order}HH", body, start)
        if code == 0:
            return
        value = body[start + 4 : start + 4 + length]
        if len(value) < length:
            raise ValueError(f"option {code} of {length} bytes does not fit its block")
        yield code, value
        start += 4 + length + -length % 4


_HEADS: Final = {order: struct.Struct(f"{order}II") for order in "<>"}


class Blocks:
    """Blocks of one file, in order. Iterate once; `torn` then tells whether the end is truncated.

    Raise CaptureEmpty or CaptureForeign at the start, and CaptureCorrupt at the first invalid block.
    """

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self.path = path
        self.torn: tuple[int, int] | None = None
        """Offset of an unfinished last block, and the number of its bytes."""
        self._file = file
        self._offset = 0

    def __iter__(self) -> Iterator[Block]:
        read, offset, order, head_of = self._file.read, 0, "<", _HEADS["<"]
        while head := read(8):
            self._offset = offset
            if offset == 0:
                self._check_kind(head)
            if len(head) < 8:
                self.torn = (offset, len(head))
                return
            kind, length = head_of.unpack(head)
            if kind == SECTION:
                mark = read(4)
                if len(mark) < 4:
                    self.torn = (offset, 8 + len(mark))
                    return
                order = self._byte_order(mark)
                head_of = _HEADS[order]
                head, length = head + mark, head_of.unpack(head)[1]
            elif kind == 0 and length == 0 and self._only_zeros_follow(head):
                return
            if length & 3 or not 12 <= length <= BLOCK_MAX or (kind == SECTION and length < 28):
                raise self._corrupt(f"a block of {length} bytes; expected a multiple of 4 from 12 to {BLOCK_MAX}")
            rest = read(length - len(head))
            if len(rest) < length - len(head):
                self.torn = (offset, len(head) + len(rest))
                return
            if rest[-4:] != head[4:8]:
                raise self._corrupt(f"the block's two lengths differ ({shorten(head[4:8])} and {shorten(rest[-4:])})")
            yield Block(offset, kind, order, head[8:] + rest[:-4])
            offset += length
        if offset == 0:
            raise CaptureEmpty(self.path)

    def _corrupt(self, why: str) -> CaptureCorrupt:
        return CaptureCorrupt(self.path, self._offset, why)

    def _check_kind(self, head: bytes) -> None:
        if not SECTION.to_bytes(4, "big").startswith(head[:4]):
            raise CaptureForeign(self.path, _looks_like(head))

    def _byte_order(self, magic: bytes) -> str:
        for order in "<>":
            if struct.unpack(f"{order}I", magic)[0] == MAGIC:
                return order
        raise self._corrupt(f"expected the byte-order mark 1A2B3C4Dh in a section header, got {shorten(magic)}")

    def _only_zeros_follow(self, head: bytes) -> bool:
        """Return True if only zeros follow, which a power cut leaves at the end of a file being written."""
        count = len(head)
        while piece := self._file.read(65536):
            if piece.strip(b"\0"):
                return False
            count += len(piece)
        self.torn = (self._offset, count)
        return True


_KNOWN: Final = {
    b"\xd4\xc3\xb2\xa1": "the older pcap format; convert it with `editcap -F pcapng`",
    b"\xa1\xb2\xc3\xd4": "the older pcap format; convert it with `editcap -F pcapng`",
    b"\x4d\x3c\xb2\xa1": "the older pcap format; convert it with `editcap -F pcapng`",
    b"\xa1\xb2\x3c\x4d": "the older pcap format; convert it with `editcap -F pcapng`",
    b"\x1f\x8b": "gzip; unpack it first",
    b"\x28\xb5\x2f\xfd": "zstd; unpack it first",
    b"PK\x03\x04": "a zip archive; unpack it first",
}


def _looks_like(head: bytes) -> str:
    for start, name in _KNOWN.items():
        if head.startswith(start):
            return name
    if all(value in b"\t\n\r" or 0x20 <= value < 0x7F for value in head):
        return f"text, starting {head.decode('ascii')!r}"
    return f"something else, starting {shorten(head)}"
