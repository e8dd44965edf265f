"""Reading of recorded lines: pcapng with link type 250 (RTAC serial), one interface a line, one packet a read or write.

`docs/captures.md` describes the file; `recording.py` writes it.
"""

import shlex
import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

from devices.files import open_file
from devices.record import pcapng
from devices.record.capture_errors import CaptureCorrupt as CaptureCorrupt
from devices.record.capture_errors import CaptureEmpty as CaptureEmpty
from devices.record.capture_errors import CaptureError as CaptureError
from devices.record.capture_errors import CaptureForeign as CaptureForeign
from devices.record.capture_errors import CaptureInaccessible as CaptureInaccessible
from devices.record.foreign import PCAP_MAGIC, USBMON_HEADERS, NamedLines, PcapBlocks, usb_data
from devices.record.pcapng import Block, Blocks
from devices.record.recording import CLOSED as CLOSED
from devices.record.recording import LINE_LOST as LINE_LOST
from devices.record.recording import CaptureWriter as CaptureWriter
from devices.record.recording import Recorded as Recorded

LINES_MAX: Final = 1024
"""Maximum number of recorded lines in a file. A table has three, and one file may contain a year of recordings."""
DESCRIPTION_MAX: Final = 4096
"""Number of bytes of a line's description that are parsed; ours have about a hundred."""
BAUD_DIGITS_MAX: Final = 9


@dataclass(frozen=True, slots=True)
class Interface:
    """A recorded line. `device` is the kind of device at its end, `procedure` the id of the procedure dealt at the
    table; both are empty if the file does not name them."""

    name: str
    device: str
    dialect: str
    line: str
    baud: int
    procedure: str = ""


class Chunk(Struct, frozen=True, gc=False):
    """The bytes of one read (`sent` False) or one write, or a note without bytes. `interface` counts from 0."""

    interface: int
    at_ns: int
    sent: bool
    data: bytes
    comment: str = ""


@dataclass(slots=True)
class _Source:
    """An interface of the file's current section: its number among our lines, and how to read its times."""

    index: int
    units: int
    offset_s: int
    usb: int = 0
    """Link type if it is one of usbmon's. The lines are then its devices, and `index` is unused."""


class Capture:
    """A capture file. `chunks` reads it from the start each time; `interfaces` grows when lines appear later.

    `lines` names the lines to play and what is at their ends, regardless of the file. Then the older pcap format and
    USB transfers of usbmon are read too, all other lines are skipped, and `there` has the names of all lines found.
    """

    def __init__(self, path: Path, lines: NamedLines | None = None) -> None:
        self.path = path
        self._lines = lines
        self.there: dict[str, int] = {}
        """All lines of a file whose lines are named, each with its number among those to be played, or -1."""
        self.interfaces: tuple[Interface, ...] = ()
        """Serial lines found so far. Those declared before the first packet are known from the start."""
        self.torn: str | None = None
        """Description of the truncated end of the file, once it was read that far; None if it is complete."""
        self.skipped = 0
        """Number of blocks that contain no recorded serial bytes, such as those of another link type."""
        self.position = 0
        """Number of bytes of the file that were read so far."""
        self.foreign: frozenset[int] = frozenset()
        """Link types found that are not of a serial line; their packets are skipped."""

    @classmethod
    def read(cls, path: str | Path, lines: NamedLines | None = None) -> "Capture":
        """Open a capture. Raise CaptureError at once if it is missing, empty or of another kind."""
        capture = cls(Path(path), lines)
        # Read up to the first packet, for the lines; a file without packets is read to its end.
        for _ in capture.chunks:
            break
        return capture

    @property
    def procedure(self) -> str:
        """Id of the procedure that was followed at the table; empty if the file does not name it."""
        return next((line.procedure for line in self.interfaces if line.procedure), "")

    @property
    def chunks(self) -> Iterator[Chunk]:
        """Everything recorded, in order. Raise CaptureCorrupt, or CaptureInaccessible if the system cannot read
        further, after the last good chunk."""
        self.interfaces, self.torn, self.skipped, self.foreign = (), None, 0, frozenset()
        self.there.clear()
        try:
            yield from self._chunks()
        except OSError as cause:
            raise CaptureInaccessible(self.path, cause) from cause

    def _chunks(self) -> Iterator[Chunk]:
        with open_file(self.path) as file:
            blocks = Blocks(file, self.path) if self._lines is None else self._blocks_of(file)
            sources: list[_Source | None] = []
            for block in blocks:
                self.position = block.offset
                try:
                    chunk = self._take(block, sources)
                except struct.error as cause:
                    why = f"a block with {len(block.body)} bytes of content is too short for its type {block.type}"
                    raise CaptureCorrupt(self.path, block.offset, why) from cause
                except ValueError as cause:
                    raise CaptureCorrupt(self.path, block.offset, str(cause)) from cause
                if chunk is not None:
                    yield chunk
        if blocks.torn is not None:
            offset, count = blocks.torn
            self.torn = f"cut off at byte {offset}: {count} bytes of an unfinished record dropped"

    def _take(self, block: Block, sources: list[_Source | None]) -> Chunk | None:
        chunk = None
        if block.type == pcapng.PACKET:
            chunk = _chunk(block, sources) if self._lines is None else self._named_chunk(block, sources)
            self.skipped += chunk is None
        elif block.type == pcapng.INTERFACE:
            sources.append(self._interface(block))
        elif block.type == pcapng.SECTION:
            sources.clear()  # interfaces count from 0 again in each section
        else:
            self.skipped += 1
        return chunk

    def _blocks_of(self, file: BinaryIO) -> Blocks | PcapBlocks:
        """Return the blocks of another tool's file, which may use the older format."""
        older = file.read(4) in PCAP_MAGIC
        file.seek(0)
        return PcapBlocks(file, self.path) if older else Blocks(file, self.path)

    def _named_chunk(self, block: Block, sources: list[_Source | None]) -> Chunk | None:
        """Return the chunk of a named line; None for any other line."""
        number = _PACKET_HEADS[block.order].unpack_from(block.body)[0]
        source = sources[number] if number < len(sources) else None
        if source is None or not source.usb:
            chunk = _chunk(block, sources)
            return chunk if chunk is not None and chunk.interface >= 0 else None
        _, high, low, size, _ = _PACKET_HEADS[block.order].unpack_from(block.body)
        found = usb_data(block.order, source.usb, block.body[20 : 20 + size])
        index = self._number(found.name, Interface(found.name, "", "", found.name, 0)) if found is not None else -1
        if found is None or index < 0:
            return None
        return Chunk(index, _at_ns(high << 32 | low, source), found.sent, found.data)

    def _number(self, name: str, found: Interface) -> int:
        """Return the number of a line among those that are played; -1 for one that is not named."""
        if self._lines is None or name not in self.there:
            if len(self.interfaces) == LINES_MAX:
                raise ValueError(f"more than {LINES_MAX} recorded lines in one file")
            end = None if self._lines is None else self._lines.get(name)
            if end is not None:
                found = replace(found, device=end.device, dialect=end.dialect)
            plays = self._lines is None or end is not None
            self.there[name] = len(self.interfaces) if plays else -1
            self.interfaces += (found,) if plays else ()
            return len(self.interfaces) - 1 if plays else -1
        return self.there[name]

    def _interface(self, block: Block) -> _Source | None:
        link_type = struct.unpack_from(f"{block.order}H", block.body)[0]
        usb = link_type if self._lines is not None and link_type in USBMON_HEADERS else 0
        if link_type != pcapng.RTAC_SERIAL and not usb:
            self.foreign |= {link_type}
            return None
        found = dict(pcapng.options(block.order, block.body, 8))
        settings = _settings(_text(found.get(pcapng.IF_DESCRIPTION, b"")[:DESCRIPTION_MAX]))
        met = len(self.interfaces if self._lines is None else self.there)
        name = _text(found.get(pcapng.IF_NAME, b"")) or f"line {met + 1}"
        baud = settings.get("baud", "0")
        interface = Interface(
            name=name,
            device=settings.get("device", ""),
            dialect=settings.get("dialect", ""),
            line=settings.get("line", ""),
            baud=int(baud) if baud.isdecimal() and len(baud) <= BAUD_DIGITS_MAX else 0,
            procedure=settings.get("procedure", ""),
        )
        resolution = (found.get(pcapng.IF_TSRESOL) or b"\x06")[0]  # absent or empty: microseconds
        units = 2 ** (resolution & 0x7F) if resolution & 0x80 else 10**resolution
        offset_s = int.from_bytes(
            found.get(pcapng.IF_TSOFFSET, b""), "little" if block.order == "<" else "big", signed=True
        )
        return _Source(-1 if usb else self._number(name, interface), units, offset_s, usb)


_PACKET_HEADS: Final = {order: struct.Struct(f"{order}IIIII") for order in "<>"}
_NS: Final = 1_000_000_000
_TIMES: Final = range(2**62)
"""Valid times in nanoseconds: below the limit of 64 bits by enough to add deadlines. A recorder whose clock was never
set is in 1970."""
_USUAL: Final = {
    order: tuple(struct.pack(f"{order}HHIHH", pcapng.FLAGS, 4, way, 0, 0) for way in (pcapng.INBOUND, pcapng.OUTBOUND))
    for order in "<>"
}
"""Options of a packet that specify only its direction (received, sent), as in nearly every packet."""


def _chunk(block: Block, sources: list[_Source | None]) -> Chunk | None:
    """Return the chunk in a packet block; None if its interface is not a serial line. Raise ValueError if it is
    invalid."""
    body = block.body
    number, high, low, size, _ = _PACKET_HEADS[block.order].unpack_from(body)
    if number >= len(sources):
        raise ValueError(f"a packet of interface {number}; the file has declared {len(sources)}")
    source = sources[number]
    if source is None:
        return None
    if not 12 <= size <= len(body) - 20:
        raise ValueError(f"a packet of {size} bytes in a block of {len(body)}; a serial record has 12 or more")
    ticks = high << 32 | low  # `_at_ns`, inlined to save a call per packet
    at_ns = (ticks if source.units == _NS else ticks * _NS // source.units) + source.offset_s * _NS
    if at_ns not in _TIMES:
        raise _no_time(at_ns)
    sent, comment = body[28] & 1 == 1, ""
    end = 20 + size
    options = body[end + -size % 4 :]
    if options != _USUAL[block.order][sent]:
        for code, value in pcapng.options(block.order, options, 0):
            if code == pcapng.FLAGS and len(value) == 4:
                direction = struct.unpack(f"{block.order}I", value)[0] & 3
                sent = direction == pcapng.OUTBOUND if direction else sent
            elif code == pcapng.COMMENT:
                comment = _text(value)
    return Chunk(source.index, at_ns, sent, body[32:end], comment)


def _at_ns(ticks: int, source: _Source) -> int:
    at_ns = (ticks if source.units == _NS else ticks * _NS // source.units) + source.offset_s * _NS
    if at_ns not in _TIMES:
        raise _no_time(at_ns)
    return at_ns


def _no_time(at_ns: int) -> ValueError:
    return ValueError(f"a packet of {at_ns // _NS} s since 1970; a time must be between 1970 and 2116")


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _settings(description: str) -> dict[str, str]:
    """Return the `key=value` words, quoted as in a shell; none of them if the text does not have that form."""
    try:
        words = shlex.split(description)
    except ValueError:
        return {}
    return {key: value for key, mark, value in (word.partition("=") for word in words) if mark}
