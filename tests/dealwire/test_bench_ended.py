"""A run that is ended before its last check leaves a report of what was made, and no device makes one last for ever."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome, NotRunCause
from dealwire.bench.report.html import to_html
from dealwire.bench.report.report import BenchVerdict, Report, read_report
from dealwire.bench.report.text import text_lines, to_junit
from dealwire.bench.run.reporting import report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, BenchRun, run_plan
from dealwire.bench.run.verifying import wrong_counts
from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope
from tests.support.broken.base import Broken, Rewriting

ENDED = {KeyboardInterrupt: "SIGINT"}


class Interrupted(Broken):
    """Somebody presses Ctrl-C when the bench asks the third time for the meters."""

    asked = 0

    def said(self, envelope: Envelope) -> Iterable[bytes]:
        self.asked += isinstance(envelope.message, m.MetersMessage)
        if self.asked == 3:
            self.asked += 1
            raise KeyboardInterrupt
        return [envelope.body]


def judged(device: Callable[[TableModel], TableModel], choices: BenchChoices) -> BenchRun:
    rig = SimulatedRig("shuffler", speed=20, wrap=device)
    return run_plan(load_plan("link"), rig.wire, lambda _: rig.hands, choices, interruptions=ENDED)


@pytest.fixture(scope="module")
def ended() -> Report:
    return report_of(judged(Interrupted, BenchChoices(("frame.*", "meters.*", "verify.*", "always.clean"))))


def test_what_was_made_is_in_the_report_and_what_was_not_says_why(ended: Report) -> None:
    assert ended.ended_early == "SIGINT"
    assert ended.verdict is BenchVerdict.INCOMPLETE
    by_id = {check.id: check for check in ended.checks}
    assert list(by_id) == list(load_plan("link").ids)
    assert by_id["frame.hello"].outcome is BenchOutcome.PASSED
    missing = [check.id for check in ended.checks if check.cause is NotRunCause.ENDED]
    assert missing[0] in ("meters.read", "meters.once")
    assert (
        missing[-4:] == ["verify.answers", "verify.once", "verify.region", "verify.goes-on"] or "frame" in missing[-1]
    )
    assert {by_id[name].why for name in missing} == {"the run was ended by SIGINT before this check"}
    assert by_id["commands.reply"].cause is NotRunCause.FILTERED
    assert by_id["always.clean"].outcome is BenchOutcome.PASSED


def test_every_form_says_that_it_is_partial(ended: Report) -> None:
    not_made = ended.counts.causes[NotRunCause.ENDED]
    words = f"Partial: the run was ended by SIGINT, and {not_made} checks were not run"
    assert f"NOTE: {words}" in [*text_lines(ended)]
    assert words in to_html(ended)
    assert words in to_junit(ended)
    assert f"{not_made} the run was ended" in ended.summary


def test_a_partial_report_adds_up_and_one_that_hides_it_does_not(ended: Report) -> None:
    assert [*wrong_counts(ended)] == []
    assert ["the head does not say so" in why for why in wrong_counts(replace(ended, ended_early=UNSET))] == [True]


def test_what_nobody_listens_to_ends_the_run_as_ever() -> None:
    rig = SimulatedRig("shuffler", speed=20, wrap=Interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_plan(load_plan("link"), rig.wire, lambda _: rig.hands, BenchChoices(("meters.*",)))


def test_a_limit_ends_it_too() -> None:
    run = judged(lambda table: table, BenchChoices(limit_min=1e-9))
    assert run.ended_early == "--limit 1e-09"
    assert {result.cause for result in run.results if not result.id.startswith("always.")} == {NotRunCause.ENDED}


# ------------------------------------------------------------------ a device that does not do what it accepted


class NeverDispenses(Broken):
    """It accepts DISPENSE, and its motor stands still: no packet ever comes."""

    def __init__(self, table: TableModel) -> None:
        super().__init__(table)
        shuffler = table.shuffler  # type: ignore[attr-defined]
        shuffler.durations = type(shuffler.durations)(dispense=10**18)


def test_one_check_waits_for_a_motor_that_stands_still_and_the_others_do_not() -> None:
    rig = SimulatedRig("shuffler", speed=20, wrap=NeverDispenses)
    only = BenchChoices(("deal.game", "deal.lock", "deal.whole", "deal.request-comes-back", "deal.only-lifting"))
    began_ns = rig.wire.now_ns()
    run = run_plan(load_plan("shuffler"), rig.wire, lambda _: rig.hands, only)
    made = [result for result in run.results if result.cause is not NotRunCause.FILTERED]
    failed = [result for result in made if result.outcome is BenchOutcome.FAILED]
    assert [result.id for result in failed] == ["deal.whole", "deal.only-lifting"]
    later = [result for result in made if result.cause is NotRunCause.NO_STATE]
    assert len(later) == 3
    why = "as deal.only-lifting: the device stays in DISPENSING; it was to come to READY"
    assert {result.why for result in later} == {why}
    assert rig.wire.now_ns() - began_ns < 15 * 60 * 10**9


OWN = """
schema = "dealwire.plan/1"
id = "mine"
title = "A check that takes too long"
device = "any"
[[check]]
id = "mine.long"
title = "It waits"
section = "commands"
must = "Nothing."
limit_s = 5
steps = [ { repeat = 100, steps = [ { wait = 1000 } ] } ]
[[check]]
id = "mine.next"
title = "The next is made"
section = "commands"
must = "A reply."
steps = [ { send = "ReportStatus" }, { reply = "done" } ]
"""


def test_a_check_has_a_limit(tmp_path: Path) -> None:
    plan = tmp_path / "mine.toml"
    plan.write_text(OWN)
    rig = SimulatedRig("shuffler", speed=20)
    run = run_plan(load_plan(plan), rig.wire, lambda _: rig.hands)
    assert [(result.id, result.outcome) for result in run.results] == [
        ("mine.long", BenchOutcome.FAILED),
        ("mine.next", BenchOutcome.PASSED),
    ]
    assert run.results[0].why == "the check came to no end within the time that it may take"
    assert run.results[0].duration_ms < 5_100


def test_what_hands_take_is_not_taken_off_the_limit() -> None:
    class Slow(Rewriting):
        """Nothing is broken."""

    rig = SimulatedRig("shuffler", speed=20, wrap=Slow)
    do = rig.hands.do

    def slowly(action: str, fields: object = {}) -> str:
        rig.wire.wait(rig.wire.now_ns() + 2_000 * 10**9)
        return str(do(action, fields))  # type: ignore[arg-type]

    rig.hands.do = slowly  # type: ignore[method-assign]
    run = run_plan(load_plan("shuffler"), rig.wire, lambda _: rig.hands, BenchChoices(("deal.setup",)))
    (result,) = [result for result in run.results if result.id == "deal.setup"]
    assert "came to no end" not in result.why


# ------------------------------------------------------------------ as people end it


@pytest.mark.more
def test_a_signal_leaves_every_form_of_a_partial_report(tmp_path: Path) -> None:
    number, name = signal.SIGTERM, "SIGTERM"
    report, html, junit = tmp_path / "r.json", tmp_path / "r.html", tmp_path / "r.xml"
    forms = ("--report", str(report), "--html", str(html), "--junit", str(junit))
    command = ("bench", "shuffler", "--simulated", "--real-time", "--unattended", *forms)
    running = subprocess.Popen(
        [sys.executable, "-m", "dealwire", *command], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stderr is not None
    os.set_blocking(running.stderr.fileno(), True)
    first = running.stderr.readline()
    running.send_signal(number)
    _, said = running.communicate(timeout=60)
    assert running.returncode in (-number, 128 + number), first + said
    found, _ = read_report(report)
    assert found.ended_early == name
    assert f"the run was ended by {name}" in html.read_text()
    assert f"the run was ended by {name}" in junit.read_text()
    assert list(wrong_counts(found)) == []
