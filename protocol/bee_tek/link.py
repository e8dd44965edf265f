"""The host's end of the line, without I/O. The shoe speaks, nobody answers; there is nothing to send.

Nothing numbers the reports and nothing repeats them, so whatever was spoiled may have been one: the first bytes that
belong to no item, blanks apart, are `Missed`, and no more until an item is heard again. An item lost whole cannot be
noticed. A start cannot be told from a pause, so all that one link hears is one session.
"""

from __future__ import annotations

from typing import Final

from protocol.bee_tek.codec import DIALECT, decode
from protocol.bee_tek.framing import Frame, Framer, Noise, NoiseReason
from protocol.bee_tek.heard import BeeTekHeard
from protocol.errors import BadReport, NoCommands
from protocol.link import Output, Started, session_at
from protocol.unnumbered import LinkState as LinkState
from protocol.unnumbered import UnnumberedLink

PARTIAL_NS: Final = 500_000_000
"""An item cut off by this much silence is given up as noise. At 9600 baud the longest takes 120 ms."""


class HostLink(UnnumberedLink[Frame]):
    """One host's ear on one shoe, used once. It never sends."""

    def __init__(self) -> None:
        super().__init__(Framer(), PARTIAL_NS)
        self._spoiled = False

    def heard(self) -> BeeTekHeard | None:
        """None while an item is half heard."""
        if self.state is LinkState.CLOSED:
            return BeeTekHeard()
        return None if self._framer.pending else BeeTekHeard(self.session, self._number, self._spoiled)

    def recall(self, heard: object) -> None:
        """Go on from what a link on this line heard. ValueError when that is of another dialect."""
        if not isinstance(heard, BeeTekHeard):
            raise ValueError(f"not of {DIALECT}: {type(heard).__name__}")
        self._recall(heard.session, heard.number)
        self._spoiled = heard.spoiled

    def request(self, command: object, now_ns: int) -> tuple[int, list[Output]]:
        """NoCommands: the shoe takes none."""
        raise NoCommands(DIALECT)

    def _take_noise(self, noise: Noise, out: list[Output]) -> None:
        if noise.reason is not NoiseReason.BLANK:
            super()._take_noise(noise, out)
            self._miss(noise.reason, out)

    def _take(self, frame: Frame, now_ns: int, out: list[Output]) -> None:
        self.stats.frames += 1
        if not self.session:
            self.session, self.state = session_at(now_ns), LinkState.UP
            out.append(Started(self.session, 0))
        try:
            message = decode(frame)
        except BadReport as error:
            self._discard(error.body, error.why, out)
            self._miss(error.why, out)
            return
        self._spoiled = False
        self._deliver(message, out)

    def _miss(self, why: str, out: list[Output]) -> None:
        if not self._spoiled:
            self._spoiled = True
            super()._miss(why, out)
