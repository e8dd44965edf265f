"""Splitting of a shoe's bytes into frames and noise, with a reason for every byte that belongs to no frame.

    shoe to host   05  sequence  letter  data…   03  check check      a report
                   06                                                 ACK of a command
                   15  reason                                         NAK of a command
                   02  text…  03  check check                         a text answer
    host to shoe   02  "OP" type digits  03  check check              a command
                   06, or 15 reason                                   ACK or NAK of a report

The check is two upper-case hexadecimal digits: the XOR of the bytes between the start byte and the check. For a report
the start byte is left out. For 02 the maker's printed example includes it although his text does not, so both are
accepted, and the example's is sent.

Control bytes never occur inside a frame, because binary data has its top bit set; one that does begins the next frame.
Frames, noise and pending bytes tile the input, regardless of chunk boundaries; a run of bytes between frames may come
out in several parts, one for each chunk.
"""

import re
from enum import IntEnum, StrEnum
from functools import reduce
from operator import xor
from typing import Final

from msgspec import Struct

from protocol.cutting import Cutter
from protocol.cutting import Noise as Noise

ETX: Final = 0x03
CHECK_BYTES: Final = 2
MAX_WIRE: Final = 64
"""Maximum length in bytes of a frame. The longest one known has 12; a public program gives up at this size too."""

_PRINTABLE: Final = range(0x20, 0x7F)
_HEX: Final = frozenset(b"0123456789ABCDEF")


class Start(IntEnum):
    """First byte of a frame."""

    COMMAND = 0x02
    REPORT = 0x05
    ACK = 0x06
    NAK = 0x15


class NakReason(IntEnum):
    """Reasons for a NAK."""

    LINE_ERROR = 0x01
    CHECK_ERROR = 0x02
    NO_ETX = 0x03
    BAD_LENGTH = 0x11
    BAD_ADDRESS = 0x12
    BAD_COMMAND = 0x13
    BAD_TYPE = 0x14
    BUSY = 0x21
    WRITING = 0x22
    OTHER = 0xFF


class NoiseReason(StrEnum):
    """Reasons why bytes belong to no frame."""

    BETWEEN = "between frames"
    TORN = "cut off by the next control byte"
    CHECK = "bad check"
    SHORT = "too short"
    LONG = "too long"
    REASON = "unknown reason"
    SILENCE = "cut off"


class Frame(Struct, frozen=True, gc=False):
    """One frame with a valid check. `body` is everything between the start byte and ETX; the reason for a NAK; else
    empty."""

    offset: int
    length: int
    start: Start
    body: bytes


_STARTS: Final = frozenset(Start)
_REASONS: Final = frozenset(NakReason)
_BETWEEN: Final = re.compile(b"[^%s]+" % re.escape(bytes(Start)))
_CONTROL: Final = re.compile(rb"[\x00-\x1f]")


class Framer(Cutter[Frame]):
    """Splitter of a stream into frames and noise. It never buffers more than one frame, for any input."""

    def __init__(self) -> None:
        super().__init__(_cut, NoiseReason.SILENCE)


def _cut(data: bytes, at: int, offset: int) -> Frame | Noise | None:
    """Return the piece that begins at `data[at]`; None if it needs more bytes."""
    start = data[at]
    if start == Start.ACK:
        return Frame(offset, 1, Start.ACK, b"")
    if start == Start.NAK:
        if at + 1 == len(data):
            return None
        if data[at + 1] in _REASONS:
            return Frame(offset, 2, Start.NAK, data[at + 1 : at + 2])
        return Noise(offset, data[at : at + 1], NoiseReason.REASON)
    if start not in _STARTS:
        return Noise(offset, _BETWEEN.match(data, at)[0], NoiseReason.BETWEEN)  # type: ignore[index]
    return _cut_long(data, at, offset)


def _cut_long(data: bytes, at: int, offset: int) -> Frame | Noise | None:
    """Return a report or command up to its check, or noise up to the byte at which it can no longer become one."""
    limit = min(len(data), at + MAX_WIRE - CHECK_BYTES)
    control = _CONTROL.search(data, at + 1, limit)
    if control is None:
        too_long = len(data) - at >= MAX_WIRE - CHECK_BYTES
        return Noise(offset, data[at:limit], NoiseReason.LONG) if too_long else None
    etx = control.start()
    if data[etx] != ETX:
        return Noise(offset, data[at:etx], NoiseReason.TORN)
    check = data[etx + 1 : etx + 1 + CHECK_BYTES]
    for index, digit in enumerate(check):
        if digit not in _HEX:
            return Noise(offset, data[at : etx + 1 + index], NoiseReason.CHECK)
    if len(check) < CHECK_BYTES:
        return None
    end = etx + 1 + CHECK_BYTES
    start, body = Start(data[at]), data[at + 1 : etx]
    if check not in _checks(start, body):
        return Noise(offset, data[at:end], NoiseReason.CHECK)
    if len(body) < 2 or body[0] not in _PRINTABLE:
        return Noise(offset, data[at:end], NoiseReason.SHORT)
    return Frame(offset, end - at, start, body)


def _checks(start: Start, body: bytes) -> tuple[bytes, ...]:
    """Return the checks that are valid for a frame."""
    total = reduce(xor, body, ETX)
    outside = b"%02X" % total
    return (outside,) if start is Start.REPORT else (b"%02X" % (total ^ start), outside)


def encode_frame(start: Start, body: bytes) -> bytes:
    """Return the wire bytes of a report (sequence, letter, data) or a command; for ACK and NAK only start byte and
    reason."""
    if start in (Start.ACK, Start.NAK):
        return bytes([start]) + body
    return bytes([start]) + body + bytes([ETX]) + _checks(start, body)[0]
