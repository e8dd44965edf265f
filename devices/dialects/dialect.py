"""Definition of a dialect: its framer and explanations, its link, and a driver for each kind of device it supports.

`devices/dialects/known.py` finds dialects; `docs/dialects/adding.md` explains how to add one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from devices.dialects.drivers import UnknownKind
from devices.dialects.translation import Driver
from protocol.cutting import Noise, Piece
from protocol.link import Link
from protocol.tdp.messages import Role


class DialectFramer(Protocol):
    """Splitter of bytes into frames and `Noise` that tile the input.

    Adjacent noise with one reason may come out in parts. For any input, no more than one frame is buffered.
    """

    @property
    def pending(self) -> int:
        """Number of buffered bytes whose frame may still be completed."""

    def feed(self, chunk: bytes) -> Sequence[Piece]:
        """Return the pieces that `chunk` completes, in stream order."""

    def flush(self) -> Sequence[Noise]:
        """Give up the pending bytes as noise."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One device dialect: its name, its serial settings, and the factories of its driver, link and framer."""

    name: str
    """Name on the command line and in a capture."""
    about: str
    """One-line description for a reader."""
    baud: int
    """Baud rate of a serial line, unless the address specifies one; 8 data bits, no parity, 1 stop bit."""
    drivers: Mapping[str, Callable[[], Driver]]
    """Factory of the driver, by kind of device (`shoe` ...)."""
    make_link: Callable[[str, Role, bool], Link]
    """Factory of a link. It takes the kind of device, the role to request, and True for a recording: the link must then
    never send."""
    make_framer: Callable[[], DialectFramer]
    explain: Callable[[Any], dict[str, object]]
    """Function that returns a frame as plain JSON values, `kind` first. It must not raise."""
    why_barren: Callable[[bytes], str] = lambda _: ""
    """Function that explains bytes without a frame to a reader; empty if unknown. It must not raise."""
    says_who: bool = True
    """True if a device reports its maker, model and serial number. Otherwise the displayed model is the dialect's."""

    def driver(self, kind: str, *, where: str) -> Driver:
        """Return a driver for a kind of device. UnknownKind names `where` it was requested and the allowed kinds."""
        make = self.drivers.get(kind)
        if make is None:
            raise UnknownKind(where, kind, tuple(self.drivers))
        return make()


class Explainer:
    """Converter of bytes to one JSON-ready object for each frame and each run of noise: `offset`, `length`, `kind`.

    The objects tile the input and do not depend on chunk boundaries.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._framer, self._explain = dialect.make_framer(), dialect.explain
        self._noise: list[Noise] = []

    def feed(self, chunk: bytes) -> list[dict[str, object]]:
        """Return the objects that `chunk` completes."""
        return self._lines(self._framer.feed(chunk))

    def flush(self) -> list[dict[str, object]]:
        """Return the remaining objects at the end of the input."""
        return self._lines(self._framer.flush()) + self._noise_so_far()

    def _lines(self, pieces: Sequence[Piece]) -> list[dict[str, object]]:
        lines: list[dict[str, object]] = []
        for piece in pieces:
            if self._noise and not (isinstance(piece, Noise) and piece.reason == self._noise[-1].reason):
                lines += self._noise_so_far()
            if isinstance(piece, Noise):
                self._noise.append(piece)
            else:
                lines.append({"offset": piece.offset, "length": piece.length, **self._explain(piece)})
        return lines

    def _noise_so_far(self) -> list[dict[str, object]]:
        if not self._noise:
            return []
        first, data = self._noise[0], b"".join(piece.data for piece in self._noise)
        self._noise.clear()
        return [
            {
                "offset": first.offset,
                "length": len(data),
                "kind": "noise",
                "reason": str(first.reason),
                "data": data.hex(),
            }
        ]
