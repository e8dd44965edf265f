"""A sealed line: a transport that passes opened bytes up and sealed frames down.

It stands below whatever records the line, so a record holds what the link saw; a frame that was refused is in it,
marked as refused.
"""

from collections.abc import Callable
from typing import Final

from devices.clock import Clock
from devices.transport.base import Abandonable, Timed, Transport
from protocol.errors import LineUnsealed
from protocol.tdp.seal.host_end import HostEnd

_AGAIN_NS: Final = 10_000_000
"""Time after which bytes of its own, for which the line had no room, are tried again."""


class Sealed:
    """Wrapper of a transport that seals and opens.

    `write` takes all but the last byte of what it is given until the line has taken everything, so that the caller,
    who knows nothing of the sealed bytes, tries again. `read` raises LineUnsealed if the line cannot be sealed.
    """

    def __init__(self, inner: Transport, end: HostEnd, clock: Clock) -> None:
        self.name = inner.name
        self.end = end
        """The host's end, for its state and counters."""
        self._inner, self._clock = inner, clock
        self._timed = inner if isinstance(inner, Timed) else None
        self._waiting = bytearray()  # sealed bytes that the line has not taken
        self._again_ns = 0  # when to try them again
        self._owed = False  # the last byte of the last write is still to be taken

    @property
    def next_deadline_ns(self) -> int | None:
        """Deadline of the wrapped transport, if it has one, or of the seal."""
        due = [self.end.next_deadline_ns, self._timed.next_deadline_ns if self._timed is not None else None]
        if self._waiting:
            due.append(self._again_ns)
        return min((each for each in due if each is not None), default=None)

    def fileno(self) -> int | None:
        """Return the transport's descriptor."""
        return self._inner.fileno()

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Pass `wake` on."""
        self._inner.on_ready(wake)

    def read(self) -> bytes:
        """Return what opened. Raise LineUnsealed if the line cannot be sealed, LineClosed if it is gone."""
        data = self._inner.read()
        now_ns = self._clock.now_ns()
        up, out = self.end.receive(data, now_ns) if data else self.end.tick(now_ns)
        self._waiting += out
        self._flush()
        if self.end.problem:
            self._inner.close()
            raise LineUnsealed(self.name, self.end.problem)
        return up

    def write(self, data: bytes) -> int:
        """Seal whole frames and send them. Return the number of bytes taken."""
        taken = 0
        if self._waiting:
            self._flush()
            if self._waiting:
                return 0
        if self._owed:
            self._owed, taken = False, 1
        if len(data) > taken:
            self._waiting += self.end.send(data[taken:], self._clock.now_ns())
            self._flush()
            if self._waiting:
                self._owed = True
                return len(data) - 1
        return len(data)

    def close(self) -> None:
        """Release the line. May be called twice."""
        self._inner.close()

    def abandon(self, why: str) -> None:
        """Close a line that is no longer trusted."""
        if isinstance(self._inner, Abandonable):
            self._inner.abandon(why)
        else:
            self._inner.close()

    def _flush(self) -> None:
        while self._waiting:
            taken = self._inner.write(bytes(self._waiting))
            if not taken:
                self._again_ns = self._clock.now_ns() + _AGAIN_NS
                break
            del self._waiting[:taken]
