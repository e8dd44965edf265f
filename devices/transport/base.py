"""What a line must do, and nothing about what travels on it."""

from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

from devices.events import BytesDropped
from protocol.errors import LineClosed as LineClosed  # re-exported: every transport raises it


class Transport(Protocol):
    """A line that carries bytes both ways. One owner calls it; nothing here blocks.

    `fileno` gives the descriptor the owner's selector waits on, or None when there is none; then the transport
    calls the function given to `on_ready`, from any thread, whenever `read` would give bytes or raise.
    """

    name: str
    """The line's address as a person wrote it, for messages."""

    def fileno(self) -> int | None:
        """Descriptor to wait on, or None."""

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Call `wake` whenever there is something to read. Lines with a descriptor ignore it."""

    def read(self) -> bytes:
        """Every byte that has arrived, `b""` for none yet. LineClosed when the line is gone and drained."""

    def write(self, data: bytes) -> int:
        """Send what the line takes now and say how many bytes that was. LineClosed when the line is gone."""

    def close(self) -> None:
        """Give the line back: lock, descriptor, thread. May be called twice."""


@runtime_checkable
class Timed(Protocol):
    """A line that releases bytes when a time comes, such as a replayed one: nothing else says when to read it."""

    @property
    def next_deadline_ns(self) -> int | None:
        """When `read` has something to give; None when only the other end can change that."""


@runtime_checkable
class Abandonable(Protocol):
    """A line that keeps note of why it ended, such as a recorded one."""

    def abandon(self, why: str) -> None:
        """Close the line, which is no longer trusted."""


@runtime_checkable
class Rationed(Protocol):
    """A line of which no more is kept than a budget allows."""

    def take_dropped(self) -> list[BytesDropped]:
        """What was noted of bytes that were not kept, since the last call; it came before what `read` gave last."""

    def heard(self, count: int, frames: int) -> None:
        """The `count` bytes that `read` gave last were decoded; the line gave so many frames by now."""


READ_SIZE: Final = 65536
"""Most bytes one `read` gives: larger than any kernel's serial buffer, so one call empties the line."""


class OpenLine:
    """What every line of ours is: named, and ended once, for a reason that each later call raises."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._gone: LineClosed | None = None

    def close(self) -> None:
        """Give the line back. May be called twice."""
        self._gone = self._gone or LineClosed(self.name, "closed by this program")

    def _check(self) -> None:
        if self._gone is not None:
            raise LineClosed(self.name, self._gone.why) from self._gone.__cause__

    def _lost(self, why: str) -> LineClosed:
        self._gone = LineClosed(self.name, why)
        return self._gone


class DescriptorLine(OpenLine):
    """A line the owner's loop waits on. A kind says how to `receive` and `send` without waiting, and what `hung_up`,
    the end of what can be received, is called."""

    def __init__(
        self, name: str, descriptor: int, receive: Callable[[int], bytes], send: Callable[[bytes], int], hung_up: str
    ) -> None:
        super().__init__(name)
        self._descriptor: int | None = descriptor
        self._receive, self._send, self._hung_up = receive, send, hung_up

    def fileno(self) -> int | None:
        """The descriptor; None once closed."""
        return self._descriptor

    def on_ready(self, wake: Callable[[], None]) -> None:
        """Not used: the descriptor says when to read."""

    def read(self) -> bytes:
        """What has arrived, at most 64 KiB; LineClosed when the other end is gone."""
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
        """Bytes the system took now; LineClosed when the other end is gone."""
        self._check()
        try:
            return self._send(data)
        except BlockingIOError:
            return 0
        except OSError as cause:
            raise self._lost(cause.strerror or str(cause)) from cause

    def close(self) -> None:
        """Give the line back. May be called twice."""
        super().close()
        self._descriptor = None
