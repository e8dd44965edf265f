"""Listening link of a GAT line: it counts frames and noise. A device reports no events, so nothing else comes of it."""

from typing import Final

from msgspec import Struct

from protocol.errors import NoCommands
from protocol.gat.codec import DIALECT
from protocol.gat.framing import Frame, Framer
from protocol.link import Output
from protocol.unnumbered import UnnumberedLink

PARTIAL_NS: Final = 300_000_000
"""Silence after which an incomplete frame becomes noise. At 9600 baud the longest frame takes 266 ms."""


class GatListener(UnnumberedLink[Frame]):
    """Link that only listens. `dealwire device verify --gat` is the terminal."""

    def __init__(self) -> None:
        super().__init__(Framer(), PARTIAL_NS)

    def request(self, command: Struct, now_ns: int) -> tuple[int, list[Output]]:
        """Raise NoCommands: a terminal asks on a line of its own."""
        raise NoCommands(DIALECT, "a device is asked by `dealwire device verify --gat`")

    def _take(self, frame: Frame, now_ns: int, out: list[Output]) -> None:
        self.stats.frames += 1
