"""The bench can fail: each device that is broken on purpose is caught, by the checks that should and by no other."""

import contextlib
from typing import Any

import pytest

from dealwire.bench.hands.hands import SimulatedHands
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.bench.verbs.wire import LiveWire
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.drive.address import line_at
from devices.simulator.host import SimulatorHost
from tests.support.broken.base import Caught
from tests.support.broken.devices import ALL_DEVICES, BEGIN, PAGE, caught_by, judge, published_page


@pytest.mark.every(10)
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
        hands = SimulatedHands(table, "shuffler", clock.now_ns, lambda: far.pump(clock.now_ns()))
        found = run_plan(load_plan("link"), wire, lambda _: hands, BenchChoices(("session.line-closed",)))
        line._hang_up = hang_up
    assert caught_by(found) == (("session.line-closed",) if ends else ())
