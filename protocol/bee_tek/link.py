"""The host's end of the line, without I/O. The shoe speaks, nobody answers; there is nothing to send.

Nothing numbers the reports and nothing repeats them, so whatever was spoiled may have been one: the first bytes that
belong to no item, blanks apart, are `Missed`, and no more until an item is heard again. An item lost whole cannot be
noticed. A start cannot be told from a pause, so all that one link hears is one session, named by the millisecond its
first item came in: another link over the same recording gives it the same name, one over another line another.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from protocol.bee_tek.codec import DIALECT, decode
from protocol.bee_tek.framing import Frame, Framer, Noise, NoiseReason
from protocol.bee_tek.heard import BeeTekHeard
from protocol.errors import BadReport, NoCommands
from protocol.link import Discarded, LineCounters, Missed, Output, Reported, Started, session_at

PARTIAL_NS: Final = 500_000_000
"""An item cut off by this much silence is given up as noise. At 9600 baud the longest takes 120 ms."""


class LinkState(StrEnum):
    """Where a host's link stands."""

    CLOSED = "closed"
    WAITING = "waiting for the first item"
    UP = "up"


class HostLink:
    """One host's ear on one shoe, used once. It never sends."""

    def __init__(self) -> None:
        self.state = LinkState.CLOSED
        self.stats = LineCounters()
        self.session = 0
        """0 before the first item."""
        self._framer = Framer()
        self._heard_ns = 0
        self._number = 0
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
        self.session, self._number, self._spoiled = heard.session, heard.number, heard.spoiled
        if self.session:
            self.state = LinkState.UP

    @property
    def next_deadline_ns(self) -> int | None:
        """When an unfinished item is given up; None while there is none."""
        return self._heard_ns + PARTIAL_NS if self._framer.pending else None

    def start(self, now_ns: int) -> list[Output]:
        """Begin to listen."""
        self.state = LinkState.WAITING
        return []

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Take bytes that arrived at `now_ns`."""
        out = self.tick(now_ns)
        self._heard_ns = now_ns
        for piece in self._framer.feed(data):
            if isinstance(piece, Noise):
                self._take_noise(piece, out)
            else:
                self._take(piece, now_ns, out)
        return out

    def tick(self, now_ns: int) -> list[Output]:
        """Give up an item that was cut off."""
        due_ns, out = self.next_deadline_ns, list[Output]()
        if due_ns is not None and now_ns >= due_ns:
            self._flush(out)
        return out

    def skip(self, now_ns: int) -> list[Output]:
        """Bytes that came here will never be seen."""
        out: list[Output] = []
        self._flush(out)
        self._miss("bytes that were not kept", out)
        return out

    def request(self, command: object, now_ns: int) -> tuple[int, list[Output]]:
        """NoCommands: the shoe takes none."""
        raise NoCommands(DIALECT)

    def close(self, now_ns: int) -> list[Output]:
        """End: what is cut off is noise."""
        out: list[Output] = []
        self._flush(out)
        self.state = LinkState.CLOSED
        return out

    def _flush(self, out: list[Output]) -> None:
        for noise in self._framer.flush():
            self._take_noise(noise, out)

    def _take_noise(self, noise: Noise, out: list[Output]) -> None:
        if noise.reason is NoiseReason.BLANK:
            return
        self.stats.noise_bytes += noise.length
        out.append(Discarded(noise.data, noise.reason))
        self._miss(noise.reason, out)

    def _take(self, frame: Frame, now_ns: int, out: list[Output]) -> None:
        self.stats.frames += 1
        self._open(now_ns, out)
        try:
            message = decode(frame)
        except BadReport as error:
            self.stats.unusable += 1
            out.append(Discarded(error.body, error.why))
            self._miss(error.why, out)
            return
        self._spoiled = False
        self.stats.events += 1
        self._number += 1
        out.append(Reported(self.session, self._number, message))

    def _miss(self, why: str, out: list[Output]) -> None:
        if not self._spoiled:
            self._spoiled = True
            self.stats.gaps += 1
            out.append(Missed(self.session, why))

    def _open(self, now_ns: int, out: list[Output]) -> None:
        if not self.session:
            self.session, self.state = session_at(now_ns), LinkState.UP
            out.append(Started(self.session, 0))
