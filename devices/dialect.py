"""What a dialect brings: how its bytes are cut and explained, its link, and a driver for each kind of device it knows.

`devices/dialects.py` finds them; `docs/dialects/adding.md` adds one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from devices.drivers import UnknownKind
from devices.translation import Driver
from protocol.link import Link
from protocol.tdp.messages import Role


class Framer(Protocol):
    """Cuts bytes into pieces that tile the input: each has `offset` and `length` in bytes of the stream.

    Noise also has `data`, the bytes as they came, and `reason`, a text; a frame has no `reason`. Neighbouring noise of
    one reason may come out in parts. Whatever arrives, no more than one frame's bytes are held.
    """

    @property
    def pending(self) -> int:
        """Bytes held back because their frame may still be completed."""
        ...

    def feed(self, chunk: bytes) -> list[Any]:
        """What `chunk` completes, in the order of the stream."""
        ...

    def flush(self) -> list[Any]:
        """Give up what is pending, as noise."""
        ...


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
    make_framer: Callable[[], Framer]
    explain: Callable[[Any], dict[str, object]]
    """A frame of the framer as plain JSON values, `kind` first; it raises nothing."""

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
        self._noise: list[Any] = []

    def feed(self, chunk: bytes) -> list[dict[str, object]]:
        """What `chunk` completes."""
        return self._tell(self._framer.feed(chunk))

    def flush(self) -> list[dict[str, object]]:
        """The rest, at the end of the input."""
        return self._tell(self._framer.flush()) + self._tell_noise()

    def _tell(self, pieces: list[Any]) -> list[dict[str, object]]:
        told: list[dict[str, object]] = []
        for piece in pieces:
            reason = getattr(piece, "reason", None)
            if self._noise and reason != self._noise[-1].reason:
                told += self._tell_noise()
            if reason is not None:
                self._noise.append(piece)
            else:
                told.append({"offset": piece.offset, "length": piece.length, **self._explain(piece)})
        return told

    def _tell_noise(self) -> list[dict[str, object]]:
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
