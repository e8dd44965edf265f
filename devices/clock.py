"""The only place that looks at the real clock. Everything else is handed a time."""

import time
from typing import Protocol


class Clock(Protocol):
    """Nanoseconds since 1970 that never run backwards."""

    def now_ns(self) -> int:
        """The time now, or the time of the turn while one is held."""

    def hold(self) -> int:
        """Begin a turn: `now_ns` stands still, so that all that is handled in it has one time. Turns may nest."""

    def release(self) -> None:
        """End the turn."""


class SystemClock:
    """Wall time read once at the start, carried on by the monotonic clock: a set-back of the host's time
    cannot reorder a recording, and the same number serves as time stamp and for deadlines.

    It starts at `not_before_ns` when the wall is behind that: a record that goes on must not run backwards either."""

    def __init__(self, not_before_ns: int = 0) -> None:
        self._offset_ns = max(time.time_ns(), not_before_ns) - time.monotonic_ns()
        self._held_ns: int | None = None
        self._depth = 0

    def now_ns(self) -> int:
        """The time now, or of the turn while one is held."""
        return time.monotonic_ns() + self._offset_ns if self._held_ns is None else self._held_ns

    def hold(self) -> int:
        """Begin a turn and give its time."""
        now_ns = self._held_ns = self.now_ns()
        self._depth += 1
        return now_ns

    def release(self) -> None:
        """End the turn; time goes on when the outermost one ends."""
        self._depth -= 1
        if not self._depth:
            self._held_ns = None


class ManualClock:
    """A clock that moves only when told; tests and replays use it."""

    def __init__(self, start_ns: int = 1_700_000_000_000_000_000) -> None:
        self._now_ns = start_ns

    def now_ns(self) -> int:
        """The time it was last set to."""
        return self._now_ns

    def advance(self, ns: int) -> int:
        """Move forward by `ns` and return the new time."""
        if ns < 0:
            raise ValueError(f"a clock does not run backwards: {ns} ns")
        self._now_ns += ns
        return self._now_ns

    def hold(self) -> int:
        """The time: it stands still anyway."""
        return self._now_ns

    def release(self) -> None:
        """Nothing to end."""

    def set(self, now_ns: int) -> None:
        """Move forward to `now_ns`; earlier times are ignored."""
        self._now_ns = max(self._now_ns, now_ns)
