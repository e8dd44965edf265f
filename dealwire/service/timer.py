"""A timer in the owner's loop."""

from collections.abc import Callable

from devices.line.loop import Member


class Timer(Member):
    """A loop member without a line. When `due_ns` passes, it is reset to None and `call` is called."""

    def __init__(self, call: Callable[[int], None], due_ns: int | None = None) -> None:
        self.due_ns = due_ns
        self._call = call

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which the timer is due."""
        return self.due_ns

    def on_deadline(self, now_ns: int) -> None:
        """Run the timer."""
        self.due_ns = None
        self._call(now_ns)

    def close(self) -> None:
        """Cancel the timer."""
        self.due_ns = None
