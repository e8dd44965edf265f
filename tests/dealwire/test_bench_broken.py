"""The bench can fail: each device that is broken on purpose is caught, by the checks that should and by no other."""

import contextlib
from typing import Any, cast

import pytest

from dealwire.bench.hands.operator import NoOperator, SimulatedOperator
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.bench.verbs.wire import LiveWire
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.drive.address import line_at
from devices.simulator.host import SimulatorHost, TableModel
from tests.support.broken.base import Caught
from tests.support.broken.classes import KeepsHands
from tests.support.broken.devices import ALL_DEVICES, BEGIN, PAGE, caught_by, judge, published_page


@pytest.mark.every(20)
@pytest.mark.parametrize("each", ALL_DEVICES, ids=lambda each: each.name)
def test_a_broken_device_is_caught_in_a_short_run(each: Caught) -> None:
    only = each.quick or each.by[:1]
    found = caught_by(judge(each.device, (*only, "always.*"), each.plan, recognition=each.recognition))
    assert found, f"{each.name} passes {only}"
    assert set(found) <= set(each.by), f"{each.name} is caught by what has nothing to do with it"


@pytest.mark.slow
@pytest.mark.parametrize("each", ALL_DEVICES, ids=lambda each: each.name)
def test_a_broken_device_is_caught_by_exactly_the_checks_that_should(each: Caught) -> None:
    found = set(caught_by(judge(each.device, kind=each.plan, recognition=each.recognition)))
    assert set(each.by) - found == set()
    assert each.spreads or found - set(each.by) == set()


def test_a_device_that_goes_in_circles_is_given_up_after_three_of_them() -> None:
    """Its count of rounds goes up with each, and is no sign that it gets anywhere."""
    run = judge(KeepsHands, ("game.hand-buttons-go-out", "keys.reveal"), "table-controller")
    why = {result.id: result.why for result in run.of(BenchOutcome.FAILED)}
    assert why["keys.reveal"] == "the device stays in AWARD after end-game, 3 times; wanted: GAME"


def test_forty_mistakes_are_tried() -> None:
    assert len({each.name for each in ALL_DEVICES}) >= 40


def test_the_page_tells_who_catches_whom() -> None:
    page = PAGE.read_text()
    assert BEGIN in page
    assert page == published_page(page), "stale: python -m tests.support.broken.devices"


@pytest.mark.parametrize("ends", [False, True])
def test_a_device_whose_session_ends_with_its_connection_is_caught(ends: bool) -> None:
    table, clock = SimulatedTable(load_scenario("clean-1"), speed=50), SystemClock()
    far = SimulatorHost(table, {"shuffler": "tcp:0"})
    line: Any = far.lines["shuffler"]
    hang_up = line._hang_up

    def ended() -> None:
        hang_up()
        table.units["shuffler"].power_off()
        table.units["shuffler"].power_on(clock.now_ns())

    line._hang_up = ended if ends else hang_up
    wire = LiveWire(line.address, line_at(line.address, clock), clock=clock, beside=(far, line))
    with contextlib.closing(wire):
        far.start(clock.now_ns())
        hands = SimulatedOperator(table, "shuffler", clock.now_ns, lambda: far.pump(clock.now_ns()))
        found = run_plan(load_plan("link"), wire, lambda _: hands, BenchChoices(("session.line-closed",)))
        line._hang_up = hang_up
    assert caught_by(found) == (("session.line-closed",) if ends else ())


class AtLineSpeed:
    """A table whose devices hear no more than a line of 57,600 baud carries, however fast a host writes."""

    def __init__(self, table: SimulatedTable) -> None:
        self.table, self._coming, self._carried_ns = table, bytearray(), 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    @property
    def next_deadline_ns(self) -> int | None:
        due = self.table.next_deadline_ns
        return min(due or self._carried_ns, self._carried_ns + 5_000_000) if self._coming else due

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self._carried_ns = self._carried_ns if self._coming else now_ns
        self._coming += data

    def tick(self, now_ns: int) -> None:
        count = (now_ns - self._carried_ns) * 5_760 // 1_000_000_000 if self._coming else 0
        if count:
            self._carried_ns += count * 1_000_000_000 // 5_760
            self.table.receive("shuffler", bytes(self._coming[:count]), now_ns)
            del self._coming[:count]
        self.table.tick(now_ns)


@pytest.mark.more
def test_the_time_that_a_line_takes_for_what_was_sent_is_not_the_devices() -> None:
    """3,000 bytes are 520 ms on the line, and a HELLO behind them is answered within 250 ms of its end."""
    clock = SystemClock()
    table = AtLineSpeed(SimulatedTable(load_scenario("clean-1"), speed=50))
    far = SimulatorHost(table, {"shuffler": "pty"})
    line: Any = far.lines["shuffler"]
    wire = LiveWire(line.address, line_at(line.address, clock), baud=57_600, clock=clock, beside=(far, line))
    only = ("frame.bit-flips", "frame.endless")
    with contextlib.closing(wire):
        far.start(clock.now_ns())
        found = run_plan(load_plan("link"), wire, lambda _: NoOperator(), BenchChoices(only))
    assert {each.id: each.why for each in found.results if each.id in only} == dict.fromkeys(only, "")


HEAP_NS = 40_000_000


class FarAway:
    """A table on a busy machine: it reads its host late, its output comes in bursts, and its first status was lost."""

    def __init__(self, table: TableModel, late_ns: int) -> None:
        self.table, self._late_ns, self._called = table, late_ns, False
        self._coming: list[tuple[int, str, bytes]] = []
        self._said, self._heap_ns = b"", 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    @property
    def next_deadline_ns(self) -> int | None:
        heap = [self._heap_ns] if self._said else []
        return min([each[0] for each in self._coming] + heap + [self.table.next_deadline_ns or 2**63])

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        self._coming.append((now_ns + self._late_ns, device, data))

    def tick(self, now_ns: int) -> None:
        while self._coming and self._coming[0][0] <= now_ns:
            self._called = True
            self.table.receive(*self._coming.pop(0)[1:], now_ns)
        self.table.tick(now_ns)

    def take_output(self, device: str, now_ns: int) -> bytes:
        said = self.table.take_output(device, now_ns)
        if self._called and said:
            self._heap_ns = self._heap_ns if self._said else now_ns + HEAP_NS
            self._said += said
        if now_ns < self._heap_ns:
            return b""
        said, self._said = self._said, b""
        return said


@pytest.mark.parametrize("late_ms", [180, 240])
def test_what_waited_for_a_session_may_come_behind_the_status_that_was_asked_for(late_ms: int) -> None:
    rig = SimulatedRig("shuffler", wrap=lambda table: cast(TableModel, FarAway(table, late_ms * 1_000_000)))
    only = ("session.hello-keeps-the-role", "always.events-first")
    found = run_plan(load_plan("link"), rig.wire, lambda _: rig.hands, BenchChoices(only))
    assert {each.why for each in found.results if each.id == "always.events-first"} == {""}
