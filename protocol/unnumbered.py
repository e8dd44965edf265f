"""The host's end of a line to a device that numbers nothing, without I/O: what every dialect of such devices shares.

The link numbers the reports it hears and names a session by the millisecond its first report came in, so another link
over the same recording gives it the same name, and one over another line another.
"""

from enum import StrEnum
from typing import Generic, TypeVar

from protocol.cutting import Cutter, Noise, Piece
from protocol.link import Discarded, LineCounters, Missed, Output, Reported
from protocol.message import Message

F = TypeVar("F", bound=Piece)


class LinkState(StrEnum):
    """The state of a host's link."""

    CLOSED = "closed"
    WAITING = "waiting for the first report"
    UP = "up"


class UnnumberedLink(Generic[F]):
    """One host's link to one device, used once. It listens; a dialect says what a frame means, and may send.

    A frame that is cut off by `partial_ns` of silence is given up as noise.
    """

    def __init__(self, framer: Cutter[F], partial_ns: int) -> None:
        self.state = LinkState.CLOSED
        self.stats = LineCounters()
        self.session = 0
        """0 before the first report."""
        self._framer, self._partial_ns = framer, partial_ns
        self._heard_ns = self._number = 0

    @property
    def next_deadline_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""
        return self._heard_ns + self._partial_ns if self._framer.pending else None

    def start(self, now_ns: int) -> list[Output]:
        """Begin to listen."""
        self.state = LinkState.WAITING
        return []

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Take bytes that arrived at `now_ns`."""
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
        """Do what is due by `now_ns`."""
        out: list[Output] = []
        self._give_up_partial(now_ns, out)
        return out

    def skip(self, now_ns: int) -> list[Output]:
        """Bytes that came here will never be seen."""
        out: list[Output] = []
        self._flush(out)
        self._miss("bytes that were not kept", out)
        return out

    def close(self, now_ns: int) -> list[Output]:
        """End: what is cut off is noise."""
        out: list[Output] = []
        if self.state is not LinkState.CLOSED:
            self._flush(out)
            self._end(now_ns, out)
            self.state = LinkState.CLOSED
        return out

    def _recall(self, session: int, number: int) -> None:
        """Go on from so many reports of a session."""
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
        """Whatever else ends with the line."""

    def _deliver(self, message: Message, out: list[Output]) -> None:
        self.stats.events += 1
        self._number += 1
        out.append(Reported(self.session, self._number, message))

    def _discard(self, body: bytes, why: str, out: list[Output]) -> None:
        """A whole frame is of no use."""
        self.stats.unusable += 1
        out.append(Discarded(body, why))

    def _miss(self, why: str, out: list[Output]) -> None:
        self.stats.gaps += 1
        out.append(Missed(self.session, why))
