"""Splitting of a byte stream into frames and noise, for dialects that find frames by scanning bytes in order.

A dialect supplies one function that looks at a position and returns the piece that begins there. The bookkeeping is
shared: frames, noise and pending bytes together always tile the input, regardless of how the input is chunked.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from msgspec import Struct


class Piece(Protocol):
    """Part of a stream: a frame or noise."""

    @property
    def offset(self) -> int:
        """Offset of the first byte from the start of the stream."""

    @property
    def length(self) -> int:
        """Number of wire bytes."""


class Noise(Struct, frozen=True, gc=False):
    """Bytes that belong to no frame, unchanged, from `offset` in the stream. Each dialect has its own reasons."""

    offset: int
    data: bytes
    reason: StrEnum

    @property
    def length(self) -> int:
        """Number of wire bytes."""
        return len(self.data)


F = TypeVar("F", bound=Piece)

Cut = Callable[[bytes, int, int], F | Noise | None]
"""Function of data, position in the data and offset in the stream. It returns the piece that begins there, or None if
it needs more bytes."""


class Cutter(Generic[F]):
    """Splitter of a stream into frames and noise. It never buffers more than `cut` needs to decide, for any
    input."""

    def __init__(self, cut: Cut[F], silence: StrEnum) -> None:
        self._cut, self._silence = cut, silence
        self._held = b""
        self._offset = 0  # offset of the first held byte

    @property
    def pending(self) -> int:
        """Number of buffered bytes whose frame may still be completed."""
        return len(self._held)

    def feed(self, chunk: bytes) -> list[F | Noise]:
        """Return the pieces that `chunk` completes, in stream order."""
        data = self._held + chunk
        pieces: list[F | Noise] = []
        at = 0
        while at < len(data):
            found = self._cut(data, at, self._offset + at)
            if found is None:
                break
            pieces.append(found)
            at += found.length
        self._held = data[at:]
        self._offset += at
        return pieces

    def flush(self) -> list[Noise]:
        """Give up the pending bytes as noise. Call it after silence in the middle of a frame, or at the end of the
        stream."""
        held, offset = self._held, self._offset
        self._held, self._offset = b"", offset + len(held)
        return [Noise(offset, held, self._silence)] if held else []
