"""A time at which something is due in the owner's loop: it touches nothing but the moment."""

from collections.abc import Callable

from devices.line.loop import Member


class Timer(Member):
    """A member of the owner's loop without a line. Set `due_ns`; when it falls, it is None again, `call` is called."""

    def __init__(self, call: Callable[[int], None], due_ns: int | None = None) -> None:
        self.due_ns = due_ns
        self._call = call

    @property
    def next_deadline_ns(self) -> int | None:
        """When it falls."""
        return self.due_ns

    def on_deadline(self, now_ns: int) -> None:
        """It fell."""
        self.due_ns = None
        self._call(now_ns)

    def close(self) -> None:
        """It falls no more."""
        self.due_ns = None
