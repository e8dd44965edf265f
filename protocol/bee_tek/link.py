"""Host's end of the line, without I/O. The shoe sends and no one answers, so the link never sends.

The reports have no numbers and no repeats, so any corrupted bytes may have been a report. The first bytes that belong
to no item, blanks apart, are `Missed`, and no further ones until the next item. An item that is lost whole cannot be
detected. A restart cannot be distinguished from a pause, so everything that one link receives is one session.
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
"""Silence after which an incomplete item becomes noise. At 9600 baud the longest item takes 120 ms."""


class HostLink(UnnumberedLink[Frame]):
    """Host's listening link to one shoe, used once. It never sends."""

    def __init__(self) -> None:
        super().__init__(Framer(), PARTIAL_NS)
        self._spoiled = False

    def heard(self) -> BeeTekHeard | None:
        """Return the received state; None while an item is incomplete."""
        if self.state is LinkState.CLOSED:
            return BeeTekHeard()
        return None if self._framer.pending else BeeTekHeard(self.session, self._number, self._spoiled)

    def recall(self, heard: object) -> None:
        """Resume from the state that another link on this line exported. Raise ValueError for the state of another
        dialect."""
        if not isinstance(heard, BeeTekHeard):
            raise ValueError(f"state of another dialect, not {DIALECT}: {type(heard).__name__}")
        self._recall(heard.session, heard.number)
        self._spoiled = heard.spoiled

    def request(self, command: object, now_ns: int) -> tuple[int, list[Output]]:
        """Raise NoCommands: the shoe accepts no commands."""
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
