"""Host's end of a line to a device that numbers nothing, without I/O. All dialects of such devices share it.

The link numbers the reports it receives and names a session by the millisecond of its first report. Another link on the
same recording therefore uses the same session name, and a link on another line a different one.
"""

from enum import StrEnum
from typing import Generic, TypeVar

from protocol.cutting import Cutter, Noise, Piece
from protocol.link import Discarded, LineCounters, Missed, Output, Reported
from protocol.message import Message

F = TypeVar("F", bound=Piece)


class LinkState(StrEnum):
    """States of a host's link."""

    CLOSED = "closed"
    WAITING = "waiting for the first report"
    UP = "up"


class UnnumberedLink(Generic[F]):
    """Host's link to one device, used once. It listens; the dialect interprets the frames, and may send.

    A frame that is interrupted by `partial_ns` of silence becomes noise.
    """

    def __init__(self, framer: Cutter[F], partial_ns: int) -> None:
        self.state = LinkState.CLOSED
        self.stats = LineCounters()
        self.session = 0
        """Session id; 0 before the first report."""
        self._framer, self._partial_ns = framer, partial_ns
        self._heard_ns = self._number = 0

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None if no timer is running."""
        return self._heard_ns + self._partial_ns if self._framer.pending else None

    def start(self, now_ns: int) -> list[Output]:
        """Start listening."""
        self.state = LinkState.WAITING
        return []

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Process the bytes that arrived at `now_ns`."""
        out: list[Output] = []
        self._give_up_partial(now_ns, out)
        self._heard_ns = now_ns
        for piece in self._framer.feed(data):
            if isinstance(piece, Noise):
                self._take_noise(piece, out)
            else:
                self._take(piece, now_ns, out)
        return out

    def tick(self, now_ns: int) -> list[Output]:
        """Run the timers that are due by `now_ns`."""
        out: list[Output] = []
        self._give_up_partial(now_ns, out)
        return out

    def skip(self, now_ns: int) -> list[Output]:
        """Record that bytes are missing here and will never arrive."""
        out: list[Output] = []
        self._flush(out)
        self._miss("bytes that were not kept", out)
        return out

    def close(self, now_ns: int) -> list[Output]:
        """Close the link. An incomplete frame becomes noise."""
        out: list[Output] = []
        if self.state is not LinkState.CLOSED:
            self._flush(out)
            self._end(now_ns, out)
            self.state = LinkState.CLOSED
        return out

    def _recall(self, session: int, number: int) -> None:
        """Resume after `number` reports of `session`."""
        self.session, self._number = session, number
        if session:
            self.state = LinkState.UP

    def _give_up_partial(self, now_ns: int, out: list[Output]) -> None:
        if self._framer.pending and now_ns >= self._heard_ns + self._partial_ns:
            self._flush(out)

    def _flush(self, out: list[Output]) -> None:
        for noise in self._framer.flush():
            self._take_noise(noise, out)

    def _take_noise(self, noise: Noise, out: list[Output]) -> None:
        self.stats.noise_bytes += noise.length
        out.append(Discarded(noise.data, noise.reason))

    def _take(self, frame: F, now_ns: int, out: list[Output]) -> None:
        raise NotImplementedError

    def _end(self, now_ns: int, out: list[Output]) -> None:
        """Handle the end of the line in the subclass; does nothing by default."""

    def _deliver(self, message: Message, out: list[Output]) -> None:
        self.stats.events += 1
        self._number += 1
        out.append(Reported(self.session, self._number, message))

    def _discard(self, body: bytes, why: str, out: list[Output]) -> None:
        """Count and report a complete frame that is unusable."""
        self.stats.unusable += 1
        out.append(Discarded(body, why))

    def _miss(self, why: str, out: list[Output]) -> None:
        self.stats.gaps += 1
        out.append(Missed(self.session, why))
