"""Interface of a line, independent of what it carries."""

from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

from devices.events import BytesDropped
from protocol.errors import LineClosed as LineClosed  # re-exported: every transport raises it


class Transport(Protocol):
    """A line that carries bytes both ways. One owner calls it; nothing here blocks.

    `fileno` returns the descriptor for the owner's selector, or None. Without one, the transport calls the function
    given to `on_ready`, from any thread, whenever `read` would return bytes or raise.
    """

    name: str
    """The line's address as the user wrote it, for messages."""

    def fileno(self) -> int | None:
        """Return the descriptor to wait on, or None."""

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Set the function to call whenever there is something to read. Lines with a descriptor ignore it."""

    def read(self) -> bytes:
        """Return all bytes that have arrived, `b""` for none yet. Raise LineClosed if the line is gone and drained."""

    def write(self, data: bytes) -> int:
        """Send what the line accepts now, and return the number of bytes. Raise LineClosed if the line is gone."""

    def close(self) -> None:
        """Release the line: lock, descriptor, thread. May be called twice."""


@runtime_checkable
class Timed(Protocol):
    """A line that releases bytes at given times, such as a replayed one: nothing else triggers a read."""

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which `read` has something to return; None if only the other end can change that."""


@runtime_checkable
class Abandonable(Protocol):
    """A line that records why it ended."""

    def abandon(self, why: str) -> None:
        """Close the line, which is no longer trusted."""


@runtime_checkable
class Rationed(Protocol):
    """A line with a budget for the bytes that are kept."""

    def take_dropped(self) -> list[BytesDropped]:
        """Return the notes about dropped bytes since the last call. They arrived before the last result of `read`."""

    def count_frames(self, count: int, frames: int) -> None:
        """Report that the `count` bytes of the last `read` were decoded, with the link's frame counter."""


READ_SIZE: Final = 65536
"""Maximum number of bytes that one `read` returns: more than any kernel's serial buffer, so one call drains the line.
"""


class OpenLine:
    """Base of all lines: a name, and one end with a reason, which each later call raises."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._gone: LineClosed | None = None

    def close(self) -> None:
        """Release the line. May be called twice."""
        self._gone = self._gone or LineClosed(self.name, "closed by this program")

    def _check(self) -> None:
        if self._gone is not None:
            raise LineClosed(self.name, self._gone.why) from self._gone.__cause__

    def _lost(self, why: str) -> LineClosed:
        self._gone = LineClosed(self.name, why)
        return self._gone


class DescriptorLine(OpenLine):
    """A line with a descriptor for the owner's loop.

    Its kind supplies non-blocking `receive` and `send`, and the reason `hung_up` for the end of the incoming data.
    """

    def __init__(
        self, name: str, descriptor: int, receive: Callable[[int], bytes], send: Callable[[bytes], int], hung_up: str
    ) -> None:
        super().__init__(name)
        self._descriptor: int | None = descriptor
        self._receive, self._send, self._hung_up = receive, send, hung_up

    def fileno(self) -> int | None:
        """Return the descriptor; None once closed."""
        return self._descriptor

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Do nothing: the descriptor triggers reads."""

    def read(self) -> bytes:
        """Return what has arrived, at most 64 KiB. Raise LineClosed if the other end is gone."""
        if self._gone is not None:
            self._check()
        try:
            data = self._receive(READ_SIZE)
        except BlockingIOError:
            return b""
        except OSError as cause:
            raise self._lost(cause.strerror or str(cause)) from cause
        if not data:
            raise self._lost(self._hung_up)
        return data

    def write(self, data: bytes) -> int:
        """Return the number of bytes the system accepted. Raise LineClosed if the other end is gone."""
        self._check()
        try:
            return self._send(data)
        except BlockingIOError:
            return 0
        except OSError as cause:
            raise self._lost(cause.strerror or str(cause)) from cause

    def close(self) -> None:
        """Release the line. May be called twice."""
        super().close()
        self._descriptor = None
