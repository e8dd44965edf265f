"""The whole service while somebody sets the host's clock, and when it starts with one that cannot be right."""

from __future__ import annotations

import json
import logging
import subprocess
import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from dealwire.cli.exits import Exit, explain
from dealwire.export.metrics import Metrics
from dealwire.journal import JournalReader
from dealwire.service.timekeeping import DAY_NS, FAR_NS, ClockDoubtful, doubtful, follows, sentence_of
from devices.clock import ClockStep, SystemClock
from tests.support.rigs.serving import (
    ORDERLY,
    Listener,
    compared,
    opened,
    published,
    run_until,
    simulators_here,
    write_configuration,
)

SECOND = 1_000_000_000


class Wall:
    """The host's clock, which a test may set."""

    def __init__(self, by_ns: int = 0) -> None:
        self.by_ns = by_ns

    def __call__(self) -> int:
        return time.time_ns() + self.by_ns

    @property
    def makes(self) -> Callable[[int], SystemClock]:
        return partial(SystemClock, wall=self)


def steps(listener: Listener) -> list[str]:
    return [line["text"] for line in listener.of("status") if line["kind"] == "clock-step"]


def outcomes(folder: Path) -> set[str]:
    return {json.loads(item.line)["outcome"] for item in published(folder, "round")}


@pytest.mark.every(3)
@pytest.mark.parametrize("by_ns", [5 * SECOND, 3600 * SECOND, 399 * DAY_NS])
def test_a_clock_set_forward_is_told_and_followed_and_no_round_suffers(tmp_path: Path, by_ns: int) -> None:
    wall = Wall()
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses), make_clock=wall.makes)
        with service:
            table = service.tables["table-1"]
            run_until(service, lambda: table.rounds >= 2)
            run_until(service, lambda: table.table.flow.state.value == "deciding")
            before_ns = service.clock.now_ns()
            wall.by_ns = by_ns
            run_until(service, lambda: bool(steps(listener)))
            rounds = table.rounds
            run_until(service, lambda: table.rounds >= rounds + 3)
            assert before_ns + by_ns <= service.clock.now_ns() < before_ns + by_ns + 60 * SECOND
            assert service.health.lag_ns < max(by_ns, 3600 * SECOND), "a jump is no wait"
    (said,) = steps(listener)
    assert "was set forward by" in said
    assert said.endswith("journal time follows it")
    assert outcomes(tmp_path) <= {"complete", "misdeal"}
    found = compared(tmp_path)
    assert (found.difference, found.pending) == (None, [])
    times = [item.at_ns for item in published(tmp_path)]
    assert all(a <= b for a, b in pairwise(times))
    assert times[-1] - times[0] >= by_ns


@pytest.mark.more
def test_a_clock_set_back_is_told_once_and_the_record_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    wall = Wall()
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses), make_clock=wall.makes)
        metrics = Metrics(service.hub, health=service.health)
        with service, caplog.at_level(logging.WARNING, "dealwire.service"):
            table = service.tables["table-1"]
            run_until(service, lambda: table.rounds >= 1)
            wall.by_ns = -3600 * SECOND
            run_until(service, lambda: bool(steps(listener)))
            rounds = table.rounds
            run_until(service, lambda: table.rounds >= rounds + 2)
            service.run(1.2)
            view = service.hub.views()["table-1"]
            found = {family.name: family.samples for family in metrics.collect()}
            (sample,) = found["dealwire_clock_offset_seconds"]
    (said,) = steps(listener)
    assert "was set back by" in said
    assert "a tenth slower" in said
    assert said in [line.text for line in view.log]
    assert said in [record.message for record in caplog.records]
    assert -3601 < sample.value < -3590
    assert outcomes(tmp_path) <= {"complete", "misdeal"}
    times = [item.at_ns for item in published(tmp_path)]
    assert all(a <= b for a, b in pairwise(times))
    assert compared(tmp_path).difference is None


def test_a_file_written_ten_years_ahead_is_usable_again_once_somebody_says_the_clock_is_right(tmp_path: Path) -> None:
    ahead_ns = 3650 * DAY_NS
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        service, _ = opened(file, make_clock=Wall(ahead_ns).makes)
        with service:
            run_until(service, lambda: service.tables["table-1"].rounds >= 2)
            meters = dict(service.tables["table-1"].table.meters)
        with pytest.raises(ClockDoubtful) as error, opened(file)[0]:
            raise AssertionError("it must not start")
        code, line = explain(error.value)
        assert code == Exit.CHECK_FAILED
        assert "is before its newest record" in line
        assert "`dealwire run --trust-clock` starts every table over at the clock's time" in line
        with JournalReader(tmp_path / "journal.sqlite") as reader:
            head = reader.head
        service, listener = opened(file, clock_is_right=True)
        with service:
            table = service.tables["table-1"]
            assert dict(table.table.meters) == meters
            run_until(service, lambda: table.rounds >= 2)
        (said,) = steps(listener)
        assert said.startswith("the operator confirmed the host clock: it shows ")
        service, _ = opened(file)  # nobody has to say it again
        with service:
            run_until(service, lambda: service.tables["table-1"].rounds >= 4)
    now_ns = time.time_ns()
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        assert abs(reader.newest_ns - now_ns) < 600 * SECOND
        late = [record.at_ns for record in reader.records(head.sequence)]
        openings = [json.loads(record.payload)["clock"] for record in reader.records() if record.kind == "opened"]
    assert all(abs(at_ns - now_ns) < 600 * SECOND for at_ns in late)
    assert all(set(each) == {"wall_ns", "monotonic_ns", "carried_ns"} for each in openings)
    assert openings[0]["carried_ns"] - openings[-1]["carried_ns"] > ahead_ns - 600 * SECOND
    found = compared(tmp_path)
    assert (found.difference, found.pending) == (None, [])


@pytest.mark.parametrize(
    ("wall_ns", "expected"),
    [
        (999 * DAY_NS, False),
        (999 * DAY_NS - 1, True),
        (1000 * DAY_NS + FAR_NS, False),
        (1000 * DAY_NS + FAR_NS + 1, True),
    ],
)
def test_how_far_a_clock_may_be_from_the_record(wall_ns: int, expected: bool) -> None:
    assert doubtful(wall_ns, 1000 * DAY_NS) is expected
    assert doubtful(wall_ns, 0) is False, "there is no record"


def test_a_start_some_hours_behind_goes_on_and_says_so(tmp_path: Path) -> None:
    """As after a clock that was set back while tables were served: a crash then keeps no table down."""
    places = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]
    file = write_configuration(tmp_path, places)
    with opened(file)[0] as service:
        service.run(0.1)
    for number in range(2):
        service, listener = opened(file, make_clock=Wall(-3 * 3600 * SECOND).makes)
        with service:
            service.run(0.1)
        assert any("behind the newest record" in said for said in steps(listener)), number
    times = [item.at_ns for item in published(tmp_path)]
    assert all(a <= b for a, b in pairwise(times))
    assert compared(tmp_path).difference is None


def test_a_start_over_a_year_later_asks_and_goes_on(tmp_path: Path) -> None:
    places = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]
    file = write_configuration(tmp_path, places)
    with opened(file)[0] as service:
        service.run(0.1)
    later = Wall(401 * DAY_NS)
    service, _ = opened(file, make_clock=later.makes)
    with pytest.raises(ClockDoubtful, match="401 days after its newest record"), service:
        raise AssertionError("it must not start")
    service, listener = opened(file, make_clock=later.makes, clock_is_right=True)
    with service:
        service.run(0.1)
    assert len(steps(listener)) == 1
    assert any("resumes" in line["text"] for line in listener.of("status") if line["kind"] == "started")


@pytest.mark.more
def test_the_program_refuses_in_one_line_and_goes_on_when_told(tmp_path: Path) -> None:
    places = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]
    file = write_configuration(tmp_path, places)
    with opened(file, make_clock=Wall(3650 * DAY_NS).makes)[0] as service:
        service.run(0.1)
    command = [*ORDERLY, "run", str(file)]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert "is before its newest record" in refused.stderr
    with subprocess.Popen([*command, "--trust-clock"], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said, stopped = [], False
        for line in process.stderr:
            said.append(line)
            if "retrying" in line and not stopped:  # it serves
                stopped = True  # once: another signal may find it past its handler
                process.terminate()
        assert process.wait(300) == 0, said
    assert any("the operator confirmed the host clock" in line for line in said)


def test_a_step_that_is_too_far_is_only_told() -> None:
    step = ClockStep(FAR_NS + 1, 2_000_000_000 * SECOND, 1_700_000_000 * SECOND)
    assert not follows(step)
    assert "too far to follow" in sentence_of(step)
