"""What a line must do, and nothing about what travels on it."""

from collections.abc import Callable
from typing import Final, Protocol, runtime_checkable

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


READ_SIZE: Final = 65536
"""Most bytes one `read` gives: larger than any kernel's serial buffer, so one call empties the line."""
