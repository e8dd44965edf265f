"""The owner's loop: order within a turn, threads, failures, and the state after closing."""

import os
import socket
import threading
from collections.abc import Callable

import pytest

from devices.clock import ManualClock, SystemClock
from devices.line.loop import Owner
from tests.support.rigs.lines import MS, SECOND


class Probe:
    """A member that records its calls."""

    def __init__(self, log: list[tuple[str, str, int]], name: str, descriptor: int | None = None) -> None:
        self.log, self.name = log, name
        self.descriptor = descriptor
        self.deadlines: list[int] = []
        self.write_wanted = False
        self.closed = 0
        self.wake: Callable[[], None] = lambda: None
        self.fails: Exception | None = None

    @property
    def next_deadline_ns(self) -> int | None:
        return self.deadlines[0] if self.deadlines else None

    def fileno(self) -> int | None:
        return self.descriptor

    def wants_write(self) -> bool:
        return self.write_wanted

    def set_wake(self, wake: Callable[[], None]) -> None:
        self.wake = wake

    def on_readable(self, now_ns: int) -> None:
        self.log.append((self.name, "read", now_ns))
        if self.fails:
            raise self.fails

    def on_writable(self, now_ns: int) -> None:
        self.log.append((self.name, "write", now_ns))
        self.write_wanted = False

    def on_deadline(self, now_ns: int) -> None:
        self.log.append((self.name, "due", now_ns))
        self.deadlines.pop(0)

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def log() -> list[tuple[str, str, int]]:
    return []


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1000)


@pytest.fixture
def owner(clock):
    made = Owner(clock)
    yield made
    made.close()


def test_deadlines_come_first_in_the_order_they_fell_each_at_its_own_time(owner, clock, log):
    one, two = Probe(log, "one"), Probe(log, "two")
    owner.add(one)
    owner.add(two)
    one.deadlines, two.deadlines = [1100, 1300, 9000], [1200]
    two.wake()
    clock.set(2000)
    owner.turn()
    assert log == [("one", "due", 1100), ("two", "due", 1200), ("one", "due", 1300), ("two", "read", 2000)]


def test_a_deadline_that_does_not_pass_does_not_hang_the_turn(owner, clock, log):
    class Stuck(Probe):
        def on_deadline(self, now_ns: int) -> None:
            self.log.append((self.name, "due", now_ns))

    stuck = Stuck(log, "stuck")
    stuck.deadlines = [5]
    owner.add(stuck)
    owner.turn()
    assert log == [("stuck", "due", 5)]


def test_descriptors_are_watched_for_reading_and_for_room(owner, clock, log):
    left, right = socket.socketpair()
    probe = Probe(log, "line", left.fileno())
    owner.add(probe)
    owner.turn()
    assert log == []
    probe.write_wanted = True
    owner.turn()
    assert log == [("line", "write", 1000)]
    right.send(b"x")
    owner.turn()
    assert log[1:] == [("line", "read", 1000)]
    owner.remove(probe)
    owner.turn()
    assert len(log) == 2
    left.close()
    right.close()


def test_a_descriptor_number_used_again_belongs_to_its_new_member(owner, clock, log):
    left, right = socket.socketpair()
    old = Probe(log, "old", left.fileno())
    owner.add(old)
    owner.turn()
    number = left.fileno()
    left.close()
    old.descriptor = None
    again, far = socket.socketpair()
    assert again.fileno() == number
    owner.add(Probe(log, "new", number))
    far.send(b"x")
    owner.turn()
    assert log == [("new", "read", 1000)]
    for end in (right, again, far):
        end.close()


def test_call_soon_from_another_thread_wakes_a_waiting_loop(log):
    owner = Owner(SystemClock())
    ran: list[threading.Thread] = []
    thread = threading.Timer(0.02, lambda: owner.call_soon(lambda: ran.append(threading.current_thread())))
    thread.start()
    assert owner.run(lambda: bool(ran), timeout_s=30)
    assert ran == [threading.current_thread()]
    thread.join()
    owner.close()


def test_wake_from_many_threads_loses_nothing(log):
    owner = Owner(SystemClock())
    probes = [Probe([], str(n)) for n in range(8)]
    for probe in probes:
        owner.add(probe)

    def work(probe: Probe) -> None:
        for _ in range(200):
            probe.wake()

    threads = [threading.Thread(target=work, args=(probe,)) for probe in probes]
    for thread in threads:
        thread.start()
    assert owner.run(lambda: all(len(probe.log) == 200 for probe in probes), timeout_s=30)
    for thread in threads:
        thread.join()
    owner.close()


def test_a_wake_after_closing_is_harmless(owner, log):
    probe = Probe(log, "late")
    owner.add(probe)
    owner.close()
    probe.wake()
    owner.call_soon(lambda: None)
    assert probe.closed == 1


def test_run_ends_at_its_time_limit():
    owner = Owner(SystemClock())
    assert owner.run(lambda: False, timeout_s=0.01) is False
    assert owner.run(lambda: True, timeout_s=0) is True
    owner.close()


def test_a_failing_member_is_closed_and_the_error_raised(owner, log):
    bad, good = Probe(log, "bad"), Probe(log, "good")
    bad.fails = RuntimeError("broken")
    for member in (bad, good):
        owner.add(member)
        member.wake()
    with pytest.raises(RuntimeError, match="broken"):
        owner.turn()
    assert (bad.closed, good.closed) == (1, 0)
    assert owner.members == (good,)
    owner.turn()
    assert [entry[0] for entry in log] == ["bad", "good"]


def test_with_a_hook_the_others_go_on_and_the_cause_is_told(clock, log):
    told: list[tuple[object, Exception]] = []
    owner = Owner(clock, on_error=lambda member, error: told.append((member, error)))
    bad, good = Probe(log, "bad"), Probe(log, "good")
    bad.fails = RuntimeError("broken")
    for member in (bad, good):
        owner.add(member)
        member.wake()
    owner.turn()
    assert told == [(bad, bad.fails)]
    assert [entry[0] for entry in log] == ["bad", "good"]
    assert bad.closed == 1
    owner.close()
    assert good.closed == 1


def test_a_member_removed_in_the_same_turn_is_not_called(owner, log):
    first, second = Probe(log, "first"), Probe(log, "second")
    for member in (first, second):
        owner.add(member)
        member.wake()
    first.on_readable = lambda now_ns: owner.remove(second)  # type: ignore[method-assign]
    owner.turn()
    assert log == []


def test_two_hundred_and_fifty_lines_in_one_loop(clock, log):
    owner = Owner(clock)
    pairs = [os.pipe() for _ in range(250)]
    for number, (reader, _) in enumerate(pairs):
        owner.add(Probe(log, str(number), reader))
    for _, writer in pairs:
        os.write(writer, b"x")
    owner.turn()
    assert {entry[0] for entry in log} == {str(number) for number in range(250)}
    owner.close()
    for pair in pairs:
        for descriptor in pair:
            os.close(descriptor)


def test_a_turn_has_one_time():
    clock = SystemClock()
    held = clock.hold()
    assert {clock.now_ns() for _ in range(1000)} == {held}
    assert clock.hold() == held
    clock.release()
    assert clock.now_ns() == held
    clock.release()
    assert clock.now_ns() > held


def test_a_manual_clock_never_goes_back():
    clock = ManualClock(5 * SECOND)
    clock.set(4 * SECOND)
    assert clock.now_ns() == 5 * SECOND
    assert clock.advance(MS) == 5 * SECOND + MS
    with pytest.raises(ValueError):
        clock.advance(-1)
