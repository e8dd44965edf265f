"""The only module that reads the real clock. All other code receives the time as an argument."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

STEP_NS: Final = 1_000_000_000
"""Largest deviation of the wall clock from the monotonic clock that counts as steering by a time service. A larger one
means that the clock was set."""
SLOWER: Final = 10
"""Fraction by which our seconds are longer while the wall clock is behind: recorded time never runs backwards."""


class Clock(Protocol):
    """Nanoseconds since 1970 that never run backwards."""

    def now_ns(self) -> int:
        """Return the time now, or the fixed time of the current turn."""

    def hold(self) -> int:
        """Begin a turn: `now_ns` stays fixed, so that everything handled in the turn has one time. Turns may nest."""

    def release(self) -> None:
        """End the turn."""


@dataclass(frozen=True, slots=True)
class ClockStep:
    """The wall clock was set by `by_ns` (negative: back). It shows `wall_ns`, and our clock `carried_ns`."""

    by_ns: int
    wall_ns: int
    carried_ns: int


class SystemClock:
    """Wall time read at the start and advanced by the monotonic clock. Setting the host's clock back cannot reorder a
    recording, and the same number serves as time stamp and for deadlines.

    The clock starts at `not_before_ns` if the wall clock is behind that, because a continued record must not run
    backwards either. Call `look` from time to time to detect that the wall clock was set. If the wall clock is behind,
    our clock runs slower until they meet; if it is ahead, only `follow` catches up. `wall` and `monotonic` return
    nanoseconds.
    """

    def __init__(
        self,
        not_before_ns: int = 0,
        *,
        wall: Callable[[], int] = time.time_ns,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._seen = wall(), monotonic()  # both clocks, at the time when the wall clock was last right
        # Our time at a moment, the monotonic clock then, and whether ours runs slower since. One tuple, so that other
        # threads read it atomically.
        self._course = max(self._seen[0], not_before_ns), self._seen[1], False
        self._held_ns: int | None = None
        self._depth = 0

    def now_ns(self) -> int:
        """Return the time now, or the fixed time of the current turn."""
        held_ns = self._held_ns
        return self._carried() if held_ns is None else held_ns

    @property
    def offset_ns(self) -> int:
        """Lead of the wall clock over ours in nanoseconds; negative if it is behind."""
        return self._wall() - self._carried()

    def readings(self) -> dict[str, int]:
        """Return all clock readings for a record, in nanoseconds: the host's two clocks and ours."""
        return {"wall_ns": self._wall(), "monotonic_ns": self._monotonic(), "carried_ns": self._carried()}

    def look(self) -> ClockStep | None:
        """Return the step by which the wall clock was set since it was last right; None if it runs as the monotonic
        clock does."""
        wall_ns, monotonic_ns = self._wall(), self._monotonic()
        by_ns = (wall_ns - self._seen[0]) - (monotonic_ns - self._seen[1])
        carried_ns = self._carried()
        if abs(by_ns) <= STEP_NS:
            by_ns = 0
        else:
            self._seen = wall_ns, monotonic_ns
        slow = carried_ns - wall_ns > (0 if self._course[2] else STEP_NS)
        if slow is not self._course[2]:
            self._course = max(carried_ns, self._carried()), self._monotonic(), slow
        return ClockStep(by_ns, wall_ns, carried_ns) if by_ns else None

    def follow(self) -> None:
        """Jump to the wall time if that is ahead. Every deadline in between then passes at once."""
        self._course = max(self._wall(), self._carried()), self._monotonic(), self._course[2]

    def _carried(self) -> int:
        base_ns, since_ns, slow = self._course
        passed_ns = self._monotonic() - since_ns
        return base_ns + (passed_ns - passed_ns // SLOWER if slow else passed_ns)

    def hold(self) -> int:
        """Begin a turn and return its time."""
        now_ns = self._held_ns
        if now_ns is None:
            now_ns = self._held_ns = self._carried()
        self._depth += 1
        return now_ns

    def release(self) -> None:
        """End the turn. Time advances again when the outermost turn ends."""
        self._depth -= 1
        if not self._depth:
            self._held_ns = None


class ManualClock:
    """Clock that moves only on request, for tests and replays."""

    def __init__(self, start_ns: int = 1_700_000_000_000_000_000) -> None:
        self._now_ns = start_ns

    def now_ns(self) -> int:
        """Return the time that was last set."""
        return self._now_ns

    def advance(self, ns: int) -> int:
        """Move forward by `ns` and return the new time."""
        if ns < 0:
            raise ValueError(f"a clock does not run backwards: {ns} ns")
        self._now_ns += ns
        return self._now_ns

    def hold(self) -> int:
        """Return the time, which is fixed anyway."""
        return self._now_ns

    def release(self) -> None:
        """Do nothing."""

    def set(self, now_ns: int) -> None:
        """Move forward to `now_ns`; earlier times are ignored."""
        self._now_ns = max(self._now_ns, now_ns)
