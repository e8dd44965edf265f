"""A deadline of the owner's loop that calls a function."""

from collections.abc import Callable


class Timer:
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

    def fileno(self) -> int | None:
        """A timer has no descriptor."""
        return None

    def wants_write(self) -> bool:
        """A timer writes nothing."""
        return False

    def on_readable(self, now_ns: int) -> None:
        """Never called: nothing wakes a timer."""

    def on_writable(self, now_ns: int) -> None:
        """Never called: a timer writes nothing."""

    def set_wake(self, wake: Callable[[], None]) -> None:
        """A timer needs no wake-up."""

    def close(self) -> None:
        """It falls no more."""
        self.due_ns = None
