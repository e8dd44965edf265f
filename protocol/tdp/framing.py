r"""Splitting of a byte stream into frames and noise, with a reason for every byte that belongs to no frame.

    [00]  COBS( version flags kind link_sequence request message payload… crc32 )  00
     |      \_____________________ 12 to 256 bytes decoded ____________________/   |
     opening delimiter, after silence                                     closing delimiter

COBS removes every zero from the bytes between the delimiters, so the next zero always ends the damage: a framer never
needs more than one frame to resynchronize. `NoiseReason` lists what can go wrong.

Frames, noise and pending bytes tile the input exactly, regardless of chunk boundaries. Only a run of idle delimiters
or an overlong piece may come out in several parts, one for each chunk.
"""

import re
from enum import StrEnum
from typing import Any, Final
from zlib import crc32

from cobs import cobs
from msgspec import Struct

from protocol.cutting import Noise as Noise
from protocol.errors import CannotEncode
from protocol.tdp.packets import HEADER, MAX_FRAME

CHECK_BYTES: Final = 4
MIN_FRAME: Final = HEADER.sizeof() + CHECK_BYTES
"""Decoded length in bytes of a frame without payload."""
_LEAST, _MOST = MIN_FRAME - CHECK_BYTES, MAX_FRAME - CHECK_BYTES  # bytes of header and payload
MAX_ENCODED: Final = MAX_FRAME + MAX_FRAME // 254 + 1
"""Maximum encoded length. COBS adds one byte, and one more after every 254 without a zero."""
MAX_WIRE: Final = MAX_ENCODED + 2
"""Length in bytes of the longest frame on the wire, with both delimiters."""

RESIDUE: Final = 0x2144DF1C
"""CRC-32 of any data followed by its own CRC-32, low byte first. Comparing with it avoids slicing off the check."""


class NoiseReason(StrEnum):
    """Reasons why bytes belong to no frame."""

    IDLE = "idle delimiter"
    COBS = "not COBS"
    CHECK = "bad check"
    SHORT = "too short"
    LONG = "too long"
    SILENCE = "cut off"


class Frame(Struct, frozen=True, gc=False):
    """One frame with a valid check. `offset` and `length` count wire bytes, delimiters included; `body` is header and
    payload."""

    offset: int
    length: int
    body: bytes


_decode: Final = cobs.decode
_BODY: Final = slice(-CHECK_BYTES)  # built once, not for every frame
_FEW: Final = b"\0\0\0"
_RUN: Final = re.compile(rb"\0{3,}")
"""Pattern of more delimiters than can separate two frames."""


def _fault(part: bytes) -> NoiseReason:
    """Return the first rule that a piece which is no frame breaks."""
    if len(part) > MAX_ENCODED:
        return NoiseReason.LONG
    try:
        size = len(_decode(part))
    except cobs.DecodeError:
        return NoiseReason.COBS
    if size > MAX_FRAME:
        return NoiseReason.LONG
    return NoiseReason.SHORT if size < MIN_FRAME else NoiseReason.CHECK


class Framer:
    """Splitter of a stream into frames and noise. It never buffers more than one frame, for any input."""

    def __init__(self) -> None:
        self.held = b""
        """Pending bytes: an opening delimiter, the start of a frame, or both."""
        self._offset = 0  # offset of the first held byte
        self.overlong = False  # inside a piece that was already dropped as too long

    @property
    def pending(self) -> int:
        """Number of buffered bytes whose frame may still be completed; never more than `MAX_WIRE`."""
        return len(self.held)

    @property
    def idle(self) -> bool:
        """True if nothing is pending and the next byte begins a piece."""
        return not self.held and not self.overlong

    def feed(self, chunk: bytes) -> list[Frame | Noise]:
        """Return the pieces that `chunk` completes, in stream order."""
        data, first = self.held + chunk, self._offset
        pieces: list[Frame | Noise] = []
        at = 0
        for body in self.bodies(chunk):
            if isinstance(body, bytes):
                end = data.index(0, at + (not data[at])) + 1  # an optional opening delimiter, then the closing one
                pieces.append(Frame(first + at, end - at, body))
                at = end
            else:
                pieces.append(body)
                at += body.length
        return pieces

    def bodies(self, chunk: bytes) -> list[bytes | Noise]:
        """Do what `feed` does, but return the body of each frame instead of a Frame. This saves an object per frame for
        callers that need no offsets."""
        if self.overlong:
            return self._skip(chunk)
        data = self.held + chunk
        # Fast path for back-to-back frames. Anything else starts over on the slow path, from the same `data`.
        parts = data.split(b"\0")
        tail = parts.pop()
        if len(parts) > 1 and parts[1] and not parts[0]:
            del parts[0]  # the delimiter that opens the first frame
        bodies: list[Any] = []
        try:
            for part in parts:
                decoded = _decode(part)
                if crc32(decoded) != RESIDUE or not MIN_FRAME <= len(decoded) <= MAX_FRAME:
                    return self._cut_all(data)
                bodies.append(decoded[_BODY])
        except cobs.DecodeError:
            return self._cut_all(data)
        if tail:
            self._hold(tail, self._offset + len(data) - len(tail), 0, bodies)
        else:
            self.held = b""
            self._offset += len(data)
        return bodies

    def _cut_all(self, data: bytes) -> list[bytes | Noise]:
        """Split `data`, which begins with the pending bytes, without the fast path."""
        pieces: list[bytes | Noise] = []
        if _FEW in data:
            data = self._cut_runs(data, pieces)
        self._cut(data, pieces)
        return pieces

    def _cut_runs(self, data: bytes, pieces: list[bytes | Noise]) -> bytes:
        """Split everything up to the end of the last run of delimiters, each run as one piece, and return the rest
        after the pending byte. A line that sends only zeros must not cost a piece per byte."""
        at = 0
        for run in _RUN.finditer(data):
            self._cut(self.held + data[at : run.start() + 1] if at else data[: run.start() + 1], pieces)
            idle = len(self.held) + len(run[0]) - 2  # the first closed what came before, the last may open what follows
            pieces.append(Noise(self._offset, bytes(idle), NoiseReason.IDLE))
            self._offset += idle
            self.held = b"\0"
            at = run.end()
        return self.held + data[at:]

    def _cut(self, data: bytes, pieces: list[bytes | Noise]) -> None:
        """Split `data`, which begins with the pending bytes, and keep what is then pending."""
        parts = data.split(b"\0")
        tail = parts.pop()
        offset, add = self._offset, pieces.append
        opened = 0  # 1 if the delimiter right before `offset` belongs to no piece yet
        for part in parts:
            if part:
                try:
                    decoded = _decode(part)
                except cobs.DecodeError:
                    decoded = b""
                if crc32(decoded) == RESIDUE and MIN_FRAME <= len(decoded) <= MAX_FRAME:
                    add(decoded[_BODY])
                else:
                    add(Noise(offset - opened, b"\0"[:opened] + part + b"\0", _fault(part)))
                offset += len(part) + 1
                opened = 0
            else:
                if opened:
                    add(Noise(offset - 1, b"\0", NoiseReason.IDLE))
                offset += 1
                opened = 1
        if tail or opened:
            self._hold(tail, offset, opened, pieces)
        else:
            self.held, self._offset = b"", offset

    def flush(self) -> list[Noise]:
        """Give up the pending bytes as noise. Call it after silence in the middle of a frame, or at the end of the
        stream. The next byte starts a new piece."""
        held, offset = self.held, self._offset
        self.held, self._offset, self.overlong = b"", offset + len(held), False
        if not held:
            return []
        return [Noise(offset, held, NoiseReason.IDLE if held == b"\0" else NoiseReason.SILENCE)]

    def _hold(self, tail: bytes, offset: int, opened: int, pieces: list[bytes | Noise]) -> None:
        """Keep an unfinished piece, unless it can no longer become a frame."""
        held = b"\0" + tail if opened else tail
        self._offset = offset - opened
        if len(tail) > MAX_ENCODED:
            pieces.append(Noise(self._offset, held, NoiseReason.LONG))
            self._offset += len(held)
            self.overlong = True
            held = b""
        self.held = held

    def _skip(self, chunk: bytes) -> list[bytes | Noise]:
        """Return the rest of an overlong piece as noise, and split what follows its delimiter."""
        end = chunk.find(b"\0") + 1
        noise = chunk[:end] if end else chunk
        pieces: list[bytes | Noise] = [Noise(self._offset, bytes(noise), NoiseReason.LONG)] if noise else []
        self._offset += len(noise)
        self.overlong = not end
        return pieces + self.bodies(chunk[end:]) if end else pieces


def encode_frame(body: bytes, *, after_silence: bool = False) -> bytes:
    """Return the wire bytes of `body`, which is header and payload.

    With `after_silence` a delimiter goes first, so that noise on the idle line cannot become part of the frame. Raise
    CannotEncode if the frame would be shorter than a header or longer than `MAX_FRAME`.
    """
    if not _LEAST <= len(body) <= _MOST:
        raise CannotEncode("frame", f"{len(body)} bytes; header and payload take {_LEAST} to {_MOST}")
    framed: bytes = cobs.encode(body + crc32(body).to_bytes(CHECK_BYTES, "little")) + b"\0"
    return b"\0" + framed if after_silence else framed
