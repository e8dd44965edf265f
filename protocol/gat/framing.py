"""Frames of the Game Authentication Terminal protocol, and their separation from noise.

    code  length  data…  CRC-high  CRC-low

`length` counts the whole frame, 4 to 255 bytes. The CRC covers everything before it. There is no start byte and no
escape: on a live line silence separates frames. A recording is split here without silence: a frame is a known code, a
length that fits it, and a valid CRC; of two that overlap, the one that is complete first. Every other byte is noise.
"""

import re
from enum import IntEnum, StrEnum
from typing import Final

from msgspec import Struct

from protocol.cutting import Cutter
from protocol.cutting import Noise as Noise

HEAD: Final = 2
CHECK: Final = 2
MAX_WIRE: Final = 255
DATA_MAX: Final = MAX_WIRE - HEAD - CHECK
"""Maximum number of data bytes in a frame."""
CHUNK: Final = 248
"""Maximum number of bytes of a result in one frame."""
ANSWER: Final = 0x80
"""Bit that makes the code of a query that of its response."""


class Code(IntEnum):
    """First byte of a frame."""

    STATUS_QUERY = 0x01
    LAST_STATUS_QUERY = 0x02
    RESULTS_QUERY = 0x03
    CALCULATION_QUERY = 0x04
    STATUS_RESPONSE = 0x81
    LAST_STATUS_RESPONSE = 0x82
    RESULTS_RESPONSE = 0x83
    CALCULATION_RESPONSE = 0x84


LENGTHS: Final = {
    Code.STATUS_QUERY: range(4, 5),
    Code.LAST_STATUS_QUERY: range(4, 5),
    Code.RESULTS_QUERY: range(7, 8),
    Code.CALCULATION_QUERY: range(5, MAX_WIRE + 1),
    Code.STATUS_RESPONSE: range(8, 9),
    Code.LAST_STATUS_RESPONSE: range(9, 10),
    Code.RESULTS_RESPONSE: range(7, MAX_WIRE + 1),
    Code.CALCULATION_RESPONSE: range(5, 6),
}
"""Lengths that a frame of each code can have."""
_ALLOWED: Final = {int(code): lengths for code, lengths in LENGTHS.items()}
_CODES: Final = re.compile(b"[%s]" % bytes(Code))
_OTHERS: Final = re.compile(b"[^%s]+" % bytes(Code))
_QUERY_MAX: Final = max(code for code in Code if not code & ANSWER)


class GatNoise(StrEnum):
    """Reasons why bytes belong to no frame."""

    BETWEEN = "not the code of a frame"
    LENGTH = "a length that the code cannot have"
    CHECK = "a wrong CRC"
    INSIDE = "another frame begins inside"
    SILENCE = "cut off"


def _remainder(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (0xA001 if byte & 1 else 0)
    return byte


_TABLE: Final = tuple(_remainder(byte) for byte in range(256))


def crc16(data: bytes) -> int:
    """Return the CRC over `data`: polynomial 8005h, reflected, from FFFFh."""
    crc = 0xFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc


class Frame(Struct, frozen=True, gc=False):
    """One frame with a valid CRC."""

    offset: int
    length: int
    code: int
    data: bytes


class Framer(Cutter[Frame]):
    """Splitter of a stream into frames and noise. It never buffers more than one frame, for any input."""

    def __init__(self) -> None:
        super().__init__(_cut, GatNoise.SILENCE)


def _cut(data: bytes, at: int, offset: int) -> Frame | Noise | None:
    """Return the piece that begins at `data[at]`; None if it needs more bytes."""
    lengths = _ALLOWED.get(data[at])
    if lengths is None:
        run = _OTHERS.match(data, at)
        return Noise(offset, run[0] if run else b"", GatNoise.BETWEEN)
    if at + 1 == len(data):
        return None
    length = data[at + 1]
    if length not in lengths:
        return Noise(offset, data[at : at + 1], GatNoise.LENGTH)
    end = at + length
    there = min(end, len(data))
    if any(_is_frame(data, one.start(), there) for one in _CODES.finditer(data, at + 1, there - HEAD - CHECK + 1)):
        return Noise(offset, data[at : at + 1], GatNoise.INSIDE)
    if end > len(data):
        return None
    if not _is_frame(data, at, end):
        return Noise(offset, data[at : at + 1], GatNoise.CHECK)
    return Frame(offset, length, data[at], data[at + HEAD : end - CHECK])


def _is_frame(data: bytes, at: int, before: int) -> bool:
    """Return True if a valid frame begins at `data[at]` and is complete at `before`."""
    lengths = _ALLOWED.get(data[at])
    if lengths is None or data[at + 1] not in lengths or at + data[at + 1] > before:
        return False
    end = at + data[at + 1] - CHECK
    return crc16(data[at:end]) == int.from_bytes(data[end : end + CHECK])


def encode_frame(code: int, data: bytes = b"") -> bytes:
    """Return the wire bytes of a frame. Raise ValueError if the code cannot have that many data bytes."""
    length = len(data) + HEAD + CHECK
    if length not in _ALLOWED[code]:
        raise ValueError(f"a frame of {length} bytes with the code {code:02X}h")
    body = bytes((code, length)) + data
    return body + crc16(body).to_bytes(CHECK)


def can_begin(query: bytes | bytearray) -> bool:
    """Return True while `query` may be the beginning of a query: its code, and a length that fits the code."""
    if not 0 < query[0] <= _QUERY_MAX:
        return False
    return len(query) < HEAD or query[1] in _ALLOWED[query[0]]
