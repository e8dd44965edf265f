"""Cutting a stream into frames and noise, for dialects whose frames are found by looking at the bytes in order.

What a dialect knows is a function that looks at one place and says which piece begins there; the bookkeeping, so that
frames, noise and pending bytes tile the input however it is cut, is the same for all of them.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from msgspec import Struct


class Piece(Protocol):
    """Part of a stream."""

    @property
    def offset(self) -> int:
        """Of its first byte, from the start of the stream."""

    @property
    def length(self) -> int:
        """Wire bytes."""


class Noise(Struct, frozen=True, gc=False):
    """Bytes that belong to no frame, as they came, from `offset` in the stream; `reason` is the dialect's own."""

    offset: int
    data: bytes
    reason: StrEnum

    @property
    def length(self) -> int:
        """Wire bytes."""
        return len(self.data)


F = TypeVar("F", bound=Piece)

Cut = Callable[[bytes, int, int], F | Noise | None]
"""The piece that begins at a place in the data, given with its offset in the stream; None when it needs more bytes."""


class Cutter(Generic[F]):
    """Cuts a stream into frames and noise. Holds at most what `cut` asks more bytes for, whatever arrives."""

    def __init__(self, cut: Cut[F], silence: StrEnum) -> None:
        self._cut, self._silence = cut, silence
        self._held = b""
        self._offset = 0  # of the first held byte

    @property
    def pending(self) -> int:
        """Bytes held back because their frame may still be completed."""
        return len(self._held)

    def feed(self, chunk: bytes) -> list[F | Noise]:
        """What `chunk` completes, in the order of the stream."""
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
        """Give up what is pending: the line was silent in the middle of a frame, or ended."""
        held, offset = self._held, self._offset
        self._held, self._offset = b"", offset + len(held)
        return [Noise(offset, held, self._silence)] if held else []
