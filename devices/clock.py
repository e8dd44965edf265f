"""The only place that looks at the real clock. Everything else is handed a time."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

STEP_NS: Final = 1_000_000_000
"""A wall that moved by more against the monotonic clock was set; less is how a time service steers it."""
SLOWER: Final = 10
"""While the wall is behind, a second of ours takes this part longer: the record's time never runs backwards."""


class Clock(Protocol):
    """Nanoseconds since 1970 that never run backwards."""

    def now_ns(self) -> int:
        """The time now, or the time of the turn while one is held."""

    def hold(self) -> int:
        """Begin a turn: `now_ns` stands still, so that all that is handled in it has one time. Turns may nest."""

    def release(self) -> None:
        """End the turn."""


@dataclass(frozen=True, slots=True)
class ClockStep:
    """The wall was set by `by_ns`, forward or (negative) back, and says `wall_ns`; ours says `carried_ns`."""

    by_ns: int
    wall_ns: int
    carried_ns: int


class SystemClock:
    """Wall time read at the start, carried on by the monotonic clock: a set-back of the host's time
    cannot reorder a recording, and the same number serves as time stamp and for deadlines.

    It starts at `not_before_ns` when the wall is behind that: a record that goes on must not run backwards either.
    Whoever calls `look` now and then learns that the wall was set. A wall that is behind is waited for by going slower;
    one that is ahead is followed by `follow` alone. `wall` and `monotonic` give nanoseconds.
    """

    def __init__(
        self,
        not_before_ns: int = 0,
        *,
        wall: Callable[[], int] = time.time_ns,
        monotonic: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._wall, self._monotonic = wall, monotonic
        self._seen = wall(), monotonic()  # both clocks, when the wall was last known to be right
        # Ours at a moment, the monotonic clock then, and whether ours goes slower since: one value, for other threads.
        self._course = max(self._seen[0], not_before_ns), self._seen[1], False
        self._held_ns: int | None = None
        self._depth = 0

    def now_ns(self) -> int:
        """The time now, or of the turn while one is held."""
        held_ns = self._held_ns
        return self._carried() if held_ns is None else held_ns

    @property
    def offset_ns(self) -> int:
        """By how much the wall is ahead of ours, nanoseconds; negative when it is behind."""
        return self._wall() - self._carried()

    def readings(self) -> dict[str, int]:
        """Every clock now, for a record: the host's two and the one that is carried on, nanoseconds."""
        return {"wall_ns": self._wall(), "monotonic_ns": self._monotonic(), "carried_ns": self._carried()}

    def look(self) -> ClockStep | None:
        """How the wall was set since it was last right; None while it goes as the monotonic clock does."""
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
        """From now on ours is the wall's time, where that is ahead. Whoever waits for a deadline sees all of them pass
        at once."""
        self._course = max(self._wall(), self._carried()), self._monotonic(), self._course[2]

    def _carried(self) -> int:
        base_ns, since_ns, slow = self._course
        passed_ns = self._monotonic() - since_ns
        return base_ns + (passed_ns - passed_ns // SLOWER if slow else passed_ns)

    def hold(self) -> int:
        """Begin a turn and give its time."""
        now_ns = self._held_ns
        if now_ns is None:
            now_ns = self._held_ns = self._carried()
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
