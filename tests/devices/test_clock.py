"""The time of a record: it follows the host's clock forward, waits for it backward, and detects that it was set."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from devices.clock import STEP_NS, ClockStep, SystemClock

SECOND = 1_000_000_000
WALL = 1_800_000_000 * SECOND


class Host:
    """Clocks of a host."""

    def __init__(self) -> None:
        self.wall_ns, self.monotonic_ns = WALL, 77 * SECOND

    def pass_(self, ns: int) -> None:
        self.wall_ns += ns
        self.monotonic_ns += ns

    def clock(self, not_before_ns: int = 0) -> SystemClock:
        return SystemClock(not_before_ns, wall=lambda: self.wall_ns, monotonic=lambda: self.monotonic_ns)


def test_a_wall_that_goes_as_the_monotonic_clock_does_is_no_step() -> None:
    host, random = Host(), Random(3)
    clock = host.clock()
    for _ in range(10_000):
        host.pass_(random.randrange(3 * SECOND))
        host.wall_ns += random.randrange(-STEP_NS // 20_000, STEP_NS // 20_000)  # steered
        assert clock.look() is None
    assert abs(clock.offset_ns) < STEP_NS


def test_small_steps_that_add_up_are_told_as_one() -> None:
    host = Host()
    clock = host.clock()
    host.wall_ns += STEP_NS * 6 // 10
    assert clock.look() is None
    host.wall_ns += STEP_NS * 6 // 10
    assert clock.look() == ClockStep(STEP_NS * 12 // 10, host.wall_ns, WALL)
    assert clock.look() is None


def test_a_wall_set_forward_is_followed_when_that_is_asked_for_and_not_before() -> None:
    host = Host()
    clock = host.clock()
    host.wall_ns += 3600 * SECOND
    assert clock.look() == ClockStep(3600 * SECOND, WALL + 3600 * SECOND, WALL)
    assert clock.now_ns() == WALL
    assert clock.offset_ns == 3600 * SECOND
    held_ns = clock.hold()
    clock.follow()
    assert clock.now_ns() == held_ns == WALL, "a turn has one time"
    clock.release()
    assert clock.now_ns() == WALL + 3600 * SECOND
    assert (clock.look(), clock.offset_ns) == (None, 0)


def test_a_wall_set_back_is_told_once_and_caught_up_with_without_ever_going_back() -> None:
    host = Host()
    clock = host.clock()
    host.wall_ns -= 60 * SECOND
    assert clock.look() == ClockStep(-60 * SECOND, WALL - 60 * SECOND, WALL)
    times, steps = [clock.now_ns()], list[ClockStep]()
    for _ in range(700):
        host.pass_(SECOND)
        steps += [step for step in [clock.look()] if step is not None]
        times.append(clock.now_ns())
    assert steps == []
    assert all(a < b for a, b in pairwise(times))
    assert times[1] - times[0] == SECOND * 9 // 10
    assert times[-1] == host.wall_ns, "and as fast as ever from then on"


def test_a_clock_that_goes_slower_is_not_said_to_be_set_however_late_it_is_looked_at() -> None:
    host = Host()
    clock = host.clock()
    host.wall_ns -= 3600 * SECOND
    assert clock.look() is not None
    host.pass_(600 * SECOND)
    assert clock.look() is None


def test_following_a_wall_that_is_behind_changes_nothing() -> None:
    host = Host()
    clock = host.clock(WALL + 5 * SECOND)
    clock.follow()
    assert clock.now_ns() == WALL + 5 * SECOND
    assert clock.readings() == {"wall_ns": WALL, "monotonic_ns": 77 * SECOND, "carried_ns": WALL + 5 * SECOND}


@given(st.lists(st.tuples(st.integers(0, 5 * SECOND), st.integers(-100 * SECOND, 100 * SECOND), st.booleans())))
def test_whatever_is_done_to_the_wall_our_time_never_runs_backwards(moves: list[tuple[int, int, bool]]) -> None:
    host = Host()
    clock = host.clock()
    before_ns = clock.now_ns()
    for passed_ns, moved_ns, follow in moves:
        host.pass_(passed_ns)
        host.wall_ns += moved_ns
        clock.look()
        if follow:
            clock.follow()
            assert clock.offset_ns <= 0
        assert clock.now_ns() >= before_ns
        before_ns = clock.now_ns()
