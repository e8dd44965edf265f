"""A transport with all that passes in the journal: what comes before it is decoded, what goes once the disk has it."""

from collections.abc import Callable

from dealwire.journal.journal import Journal
from devices.clock import Clock
from devices.recording import CLOSED, LINE_LOST
from devices.transport.base import LineClosed, Timed, Transport


class Journaled:
    """A transport around `inner` for line number `line` of `journal`. Use the owner's clock, so that times agree.

    No byte goes out before everything that came in is on the disk: a device is never told that we have what a kill
    could take from us. When the journal fails the line closes, and what was not acknowledged stays with the device.
    """

    def __init__(self, inner: Transport, journal: Journal, line: int, clock: Clock) -> None:
        self.name = inner.name
        self._inner, self._journal, self._line, self._clock = inner, journal, line, clock
        self._timed = inner if isinstance(inner, Timed) else None
        self._ended = False

    @property
    def next_deadline_ns(self) -> int | None:
        """The inner transport's own deadline, where it has one."""
        return self._timed.next_deadline_ns if self._timed else None

    def fileno(self) -> int | None:
        """The inner transport's descriptor."""
        return self._inner.fileno()

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Passed on."""
        self._inner.on_ready(wake)

    def read(self) -> bytes:
        """Passed on, and journalled before it is given."""
        try:
            data = self._inner.read()
        except LineClosed as error:
            self._end(LINE_LOST + error.why)
            raise
        if data:
            self._journal.chunk(self._line, self._clock.now_ns(), False, data)
            self._check()
        return data

    def write(self, data: bytes) -> int:
        """Passed on once the open group is on the disk; what the line took is journalled."""
        self._journal.secure()
        self._check()
        try:
            taken = self._inner.write(data)
        except LineClosed as error:
            self._end(LINE_LOST + error.why)
            raise
        if taken:
            self._journal.chunk(self._line, self._clock.now_ns(), True, data[:taken])
        return taken

    def close(self) -> None:
        """Passed on; the journal says when."""
        self._inner.close()
        self._end(CLOSED)

    def abandon(self, why: str) -> None:
        """Closed because it is no longer trusted; the journal says that the line was lost."""
        self._inner.close()
        self._end(LINE_LOST + why)

    def _check(self) -> None:
        if self._journal.failed is not None:
            raise LineClosed(self.name, f"the journal stopped: {self._journal.failed}")

    def _end(self, text: str) -> None:
        if not self._ended:
            self._ended = True
            self._journal.note(self._line, self._clock.now_ns(), text)
