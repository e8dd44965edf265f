"""What a dialect brings: how its bytes are cut and explained, its link, and a driver for each kind of device it knows.

`devices/dialects/known.py` finds them; `docs/dialects/adding.md` adds one.
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
    """Cuts bytes into frames and `Noise` that tile the input. Neighbouring noise of one reason may come out in parts.
    Whatever arrives, no more than one frame's bytes are held."""

    @property
    def pending(self) -> int:
        """Bytes held back because their frame may still be completed."""

    def feed(self, chunk: bytes) -> Sequence[Piece]:
        """What `chunk` completes, in the order of the stream."""

    def flush(self) -> Sequence[Noise]:
        """Give up what is pending."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to speak to devices."""

    name: str
    """As written on the command line and in a capture."""
    about: str
    """One line for a person."""
    baud: int
    """Of a serial line, unless its address says otherwise; 8 data bits, no parity, 1 stop bit."""
    drivers: Mapping[str, Callable[[], Driver]]
    """What makes the driver, by kind of device (`shoe` ...)."""
    make_link: Callable[[str, Role, bool], Link]
    """A link for a kind of device, the role to ask for, and True for a recording: then it must never send."""
    make_framer: Callable[[], DialectFramer]
    explain: Callable[[Any], dict[str, object]]
    """A frame of the framer as plain JSON values, `kind` first; it raises nothing."""
    why_barren: Callable[[bytes], str] = lambda _: ""
    """What is wrong with bytes that hold no frame, for a person; empty where that is not known. It raises nothing."""
    says_who: bool = True
    """A device says its maker, model and serial number; else the model that is shown is the dialect's."""

    def driver(self, kind: str, *, where: str) -> Driver:
        """A driver for a kind of device; UnknownKind names `where` it was asked for and what is allowed."""
        make = self.drivers.get(kind)
        if make is None:
            raise UnknownKind(where, kind, tuple(self.drivers))
        return make()


class Explainer:
    """Bytes in, one JSON-ready object for each frame and each run of noise out: `offset`, `length`, `kind`. They tile
    the input, and how it was cut does not show in them."""

    def __init__(self, dialect: Dialect) -> None:
        self._framer, self._explain = dialect.make_framer(), dialect.explain
        self._noise: list[Noise] = []

    def feed(self, chunk: bytes) -> list[dict[str, object]]:
        """What `chunk` completes."""
        return self._lines(self._framer.feed(chunk))

    def flush(self) -> list[dict[str, object]]:
        """The rest, at the end of the input."""
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
