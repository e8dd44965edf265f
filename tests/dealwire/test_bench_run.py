"""Plans on simulated devices: in memory on their own clock, and over a real pseudo-terminal."""

from pathlib import Path

import pytest

from dealwire.bench.hands.operator import NoOperator, PersonOperator, SimulatedOperator
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome, CheckRecord, Failed, NotRun, NotRunCause
from dealwire.bench.report.report import BenchVerdict
from dealwire.bench.run.reporting import report_of
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, BenchRun, run_plan
from dealwire.bench.verbs.soak import evening, play
from dealwire.bench.verbs.wire import SimulatedWire
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from protocol.errors import NoAnswer, WrongDevice
from tests.support.reading.acceptance_plans import bench_plan_of

HEAD = 'schema = "dealwire.plan/1"\nid = "mine"\ntitle = "Mine"\ndevice = "shuffler"\n'


def judged(plan: str, device: str, *only: str, rounds: int = 25) -> dict[str, tuple[BenchOutcome, str]]:
    rig = SimulatedRig(device, speed=10)
    report = run_plan(load_plan(plan), rig.wire, lambda _: rig.hands, BenchChoices(only, rounds))
    return {result.id: (result.outcome, result.why) for result in report.results if result.id in chosen(plan, only)}


def chosen(plan: str, only: tuple[str, ...]) -> set[str]:
    return {name for name in load_plan(plan).ids if BenchChoices(only).takes(name)}


def taken(run: BenchRun) -> list[CheckRecord]:
    """Return the results that the options did not leave out."""
    return [result for result in run.results if result.cause is not NotRunCause.FILTERED]


WHOLE = [pytest.param("shuffler", marks=pytest.mark.slow), "table-controller", "shoe"]
"""The plan of the shuffler takes minutes: `make acceptance` runs it, too."""


@pytest.mark.more
@pytest.mark.parametrize("device", WHOLE)
def test_the_simulated_device_passes_its_whole_plan(device: str) -> None:
    results = judged(device, device)
    expected = {"attest.answers": "the device has no ATTESTATION"}
    if device == "shuffler":
        expected["soak.rounds"] = "--rounds 25: so many of the plan's 1000 rounds were dealt, and nothing went wrong"
    not_passed = {name: why for name, (outcome, why) in results.items() if outcome is not BenchOutcome.PASSED}
    assert not_passed == expected
    assert tuple(results) == load_plan(device).ids


def test_a_plan_for_another_device_is_not_run() -> None:
    rig = SimulatedRig("shoe")
    with pytest.raises(WrongDevice):
        run_plan(load_plan("shuffler"), rig.wire, lambda _: rig.hands)


class Mute:
    """A table whose device never says anything."""

    next_deadline_ns = None

    def power_on(self, now_ns: int) -> None:
        pass

    def receive(self, device: str, data: bytes, now_ns: int) -> None:
        pass

    def tick(self, now_ns: int) -> None:
        pass

    def take_output(self, device: str, now_ns: int) -> bytes:
        return b""


def test_a_device_that_says_nothing_is_no_answer() -> None:
    with pytest.raises(NoAnswer):
        run_plan(load_plan("link"), SimulatedWire(Mute(), "shuffler"), lambda _: NoOperator())


def test_without_a_person_nothing_is_left_half_done_and_nothing_skipped_is_a_pass() -> None:
    rig = SimulatedRig("shuffler")
    report = run_plan(
        load_plan("shuffler"), rig.wire, lambda _: NoOperator(), BenchChoices(("fault.*", "soak.*", "frame.hello"))
    )
    outcomes = {result.id: result for result in report.results}
    assert outcomes["frame.hello"].outcome is BenchOutcome.PASSED
    assert outcomes["fault.door-501"].outcome is BenchOutcome.NOT_RUN
    assert "needs a person" in outcomes["fault.door-501"].why
    assert outcomes["soak.rounds"].outcome is BenchOutcome.NOT_RUN
    assert outcomes["fault.door-501"].cause is NotRunCause.UNATTENDED
    assert sum(one.outcome is BenchOutcome.NOT_RUN for one in taken(report)) > 10
    assert report_of(report).verdict is BenchVerdict.INCOMPLETE
    nothing = run_plan(
        load_plan("shuffler"), SimulatedRig("shuffler").wire, lambda _: NoOperator(), BenchChoices(("soak.*",))
    )
    assert report_of(nothing).verdict is BenchVerdict.NOTHING_RUN


def test_a_person_is_told_what_to_do_and_may_skip_it() -> None:
    rig = SimulatedRig("shuffler")
    assert isinstance(rig.hands, SimulatedOperator)
    asked: list[str] = []

    def ask(instruction: str) -> bool:
        asked.append(instruction)
        return False

    report = run_plan(
        load_plan("shuffler"), rig.wire, lambda _: PersonOperator(ask), BenchChoices(("fault.too-few-101",))
    )
    assert asked == ["Put the other deck into the input tray, with 1 card(s) missing and 0 too many."]
    (skipped,) = taken(report)
    assert (skipped.outcome, skipped.cause) == (BenchOutcome.NOT_RUN, NotRunCause.SKIPPED)
    assert skipped.why.startswith("skipped: Put the other deck")


def test_a_person_who_does_it_passes_the_check() -> None:
    """Another pair of hands at the same table follows the instructions."""
    rig = SimulatedRig("shuffler")
    does = {
        "Put the other deck into the input tray, with 1 card(s) missing and 0 too many.": {"short": 1},
    }

    def ask(instruction: str) -> bool:
        rig.hands.do("load", does[instruction])
        return True

    report = run_plan(
        load_plan("shuffler"), rig.wire, lambda _: PersonOperator(ask), BenchChoices(("fault.too-few-101",))
    )
    assert [(one.outcome, one.why) for one in taken(report)] == [(BenchOutcome.PASSED, "")]


def test_what_a_plan_for_any_device_asks_and_this_one_never_says_is_not_judged(tmp_path: Path) -> None:
    text = HEAD.replace('"shuffler"', '"any"') + (
        '[[check]]\nid = "a.b"\ntitle = "t"\nsection = "frame"\nmust = "m"\n'
        'steps = [ { status = "status", where = { shoe = 1 } } ]\n'
    )
    rig = SimulatedRig("shuffler")
    (result,) = run_plan(bench_plan_of(text, tmp_path), rig.wire, lambda _: rig.hands).results
    assert result.outcome is BenchOutcome.NOT_RUN
    assert result.why.startswith("'ShufflerStatus' has no field 'shoe'; allowed: ")


def test_a_capability_the_device_lacks_is_not_judged(tmp_path: Path) -> None:
    text = HEAD + (
        '[[check]]\nid = "a.b"\ntitle = "t"\nsection = "frame"\nmust = "m"\nneeds = ["LAYOUT_READER"]\n'
        'steps = [ { send = "Hello" } ]\n'
    )
    rig = SimulatedRig("shuffler")
    report = run_plan(bench_plan_of(text, tmp_path), rig.wire, lambda _: rig.hands)
    assert (report.results[0].outcome, report.results[0].why) == (
        BenchOutcome.NOT_RUN,
        "the device has no LAYOUT_READER",
    )


@pytest.mark.parametrize(
    ("steps", "says"),
    [
        ('{ send = "ReportStatus" }, { reply = "refused" }', "ReportStatus should have been refused; came: Reply"),
        ('{ expect = "RedLamp", within = 100 }', "no RedLamp within 100 ms"),
        ('{ send = "Hello" }, { never = ["HelloReply"], during = 50 }', "HelloReply lowest_major=1"),
        ('{ send = "Hello" }, { wait = 10 }, { count = 2, of = "HelloReply" }', "HelloReply came 1 times, not 2"),
        ('{ send = "Hello" }, { nak = "BUSY" }', "no Nak with reason BUSY within 250 ms"),
        ('{ state = "DUMPING", within = 2000 }', "no status with state DUMPING within 2000 ms"),
        ('{ events = [ { event = "RedLamp" } ], within = 50 }', "no RedLamp"),
        ('{ newest = 99 }', "where 99 (99) was due"),
        ('{ measure = "status", times = 3, limit = 500 }', "status: 1000 ms, more than 500 ms"),
        ('{ still_lost = true }', "it does not hold its host for lost (601)"),
        ('{ do = "open-setup" }', "the simulated device did not accept this action: open-setup"),
        ('{ books = "misdeal" }', "no misdeal record came"),
        ('{ caught_up = "$last+5", kept = 256, within = 100 }', "was due"),
        ('{ lost = "lost", at_most = 500 }', "does not hold its host for lost"),
    ],
)  # fmt: skip
def test_every_kind_of_step_can_fail(tmp_path: Path, steps: str, says: str) -> None:
    text = HEAD + f'[[check]]\nid = "a.b"\ntitle = "t"\nsection = "frame"\nmust = "m"\nsteps = [ {steps} ]\n'
    rig = SimulatedRig("shuffler")
    report = run_plan(bench_plan_of(text, tmp_path), rig.wire, lambda _: rig.hands)
    assert report.results[0].outcome is BenchOutcome.FAILED
    assert says in report.results[0].why


def test_a_report_holds_no_face_of_a_card() -> None:
    from dealwire.rehearsal.tables import SimulatedTable

    table = SimulatedTable(load_scenario("recognition"))
    wire = SimulatedWire(table, "shuffler")
    hands = SimulatedOperator(table, "shuffler", wire.now_ns)
    report = run_plan(load_plan("shuffler"), wire, lambda _: hands, BenchChoices(("deal.whole", "always.faces")))
    assert [one.outcome for one in taken(report)] == [BenchOutcome.PASSED] * 2
    told = [entry.what for result in report.results for entry in result.timeline]
    assert any("PacketDispensed" in text for text in told)
    assert not [text for text in told if "card" in text.replace("cards=52", "")]


def test_over_a_real_pseudo_terminal_in_real_time() -> None:
    rig = SimulatedRig("shuffler", real_time=True, speed=50)
    try:
        report = run_plan(
            load_plan("link"), rig.wire, lambda _: rig.hands, BenchChoices(("frame.hello", "frame.both*", "commands.*"))
        )
    finally:
        rig.wire.close()
    assert [(one.outcome, one.why) for one in taken(report)] == [(BenchOutcome.PASSED, "")] * 16


# ------------------------------------------------------------------ soak


def test_a_soak_accounts_for_every_round_and_is_the_same_again() -> None:
    first = play(evening(15, 3, 7), 15)[0]
    again = play(evening(15, 3, 7), 15)[0]
    assert (first.rounds, first.games) == (15, 15)
    assert first == again
    assert first != play(evening(15, 3, 8), 15)[0]


def test_a_soak_fails_when_a_fault_is_not_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    from dealwire.bench.verbs import soak

    scenario = soak.evening(6, 1, 3)
    account, held, table = soak.play(scenario, 6)
    soak._judge(account, held, scenario, table)
    account.faults.clear()
    with pytest.raises(Failed, match="faults that happened and were not raised"):
        soak._judge(account, held, scenario, table)
    account = soak.play(scenario, 6)[0]
    account.rounds -= 1
    with pytest.raises(Failed, match="6 rounds were dealt"):
        soak._judge(account, held, scenario, table)
    assert NotRun is not Failed


def test_cards_that_vanish_from_the_table_are_missed() -> None:
    from dealwire.bench.verbs import soak
    from devices.simulator.deck import Bay

    scenario = soak.evening(3, 0, 3)
    account, held, table = soak.play(scenario, 3)
    assert isinstance(table, SimulatedTable)
    table.cards.remove(Bay.INPUT)
    with pytest.raises(Failed, match="cards are on the table and in the device, 104 were brought"):
        soak._judge(account, held, scenario, table)


@pytest.mark.slow
def test_a_thousand_rounds(tmp_path: Path) -> None:
    assert judged("shuffler", "shuffler", "soak.*", rounds=1000)["soak.rounds"] == (BenchOutcome.PASSED, "")


def test_a_machine_that_is_late_itself_does_not_blame_the_device(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEAD + (
        '[[check]]\nid = "a.b"\ntitle = "t"\nsection = "timing"\nmust = "m"\narea = "timing"\n'
        'steps = [ { measure = "status", times = 2, limit = 900 } ]\n'
    )
    plan = bench_plan_of(text, tmp_path)
    rig = SimulatedRig("shuffler")
    assert run_plan(plan, rig.wire, lambda _: rig.hands).results[0].outcome is BenchOutcome.FAILED
    monkeypatch.setattr(SimulatedWire, "own_delay_ms", lambda _: 80.0)
    result = run_plan(plan, rig.wire, lambda _: rig.hands).results[0]
    assert result.outcome is BenchOutcome.NOT_RUN
    assert result.why.startswith("this machine was late by 80 ms")
    assert result.notes == ("run 3 times, because this machine was late",)


def test_what_a_check_failed_with_the_first_time_is_told_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bet of the first making still lies there, so the second has another reason to fail."""
    text = HEAD.replace('device = "shuffler"', 'device = "table-controller"') + (
        '[[check]]\nid = "a.b"\ntitle = "t"\nsection = "table-controller"\nmust = "m"\nprepare = "BETS_OPEN"\n'
        'steps = [ { do = "bet-on", with = { seat = 4 } }, { expect = "SensorChanged" }, '
        '{ status = "status", where = { sensors = "-8" } } ]\n'
    )
    rig = SimulatedRig("table-controller")
    delays = iter([0.0, 80.0, *[0.0] * 9])
    monkeypatch.setattr(SimulatedWire, "own_delay_ms", lambda _: next(delays))
    result = run_plan(bench_plan_of(text, tmp_path), rig.wire, lambda _: rig.hands).results[0]
    assert result.outcome is BenchOutcome.FAILED
    assert result.why == "the simulated device did not accept this action: bet-on"
    assert result.notes[0] == "run 2 times, because this machine was late"
    assert result.notes[1].startswith("first attempt: ")
    assert "sensors" in result.notes[1]


def test_a_live_wire_knows_how_late_it_is() -> None:
    rig = SimulatedRig("shuffler", real_time=True, speed=50)
    try:
        rig.wire.own_delay_ms()
        rig.wire.wait(rig.wire.now_ns() + 60_000_000)
        before = rig.wire.own_delay_ms()
        began_ns = rig.wire.now_ns()
        while rig.wire.now_ns() < began_ns + 100_000_000:
            pass  # other work than the wire's
        rig.wire.wait(rig.wire.now_ns() + 30_000_000)
        assert rig.wire.own_delay_ms() > 70
        assert before >= 0
    finally:
        rig.wire.close()
