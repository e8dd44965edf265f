"""Hands that are a program: the lines, the result of a check, and the simulator's operator in another process."""

import io
import json
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dealwire.bench.hands.actions import HELLO, NEW_CHECK, hand_actions, hand_task
from dealwire.bench.hands.command import OperatorChannel, OperatorGone, ProgramOperator
from dealwire.bench.hands.operator import Operator, SimulatedOperator
from dealwire.bench.hands.program import ActFailed, Hands, serve
from dealwire.bench.plan.plan import load_plan
from dealwire.bench.record import BenchOutcome, CheckRecord, NotRun, NotRunCause
from dealwire.bench.run.rig import SimulatedRig
from dealwire.bench.run.runner import BenchChoices, run_plan
from dealwire.rehearsal.faults import acts, faults
from docs._print import DOCS
from docs._print.hands import pages
from tests.support.broken.devices import LyingCounts

PROGRAM = Path(sys.executable).with_name("dealwire")
SCHEMA = jsonschema.Draft202012Validator(json.loads((DOCS / "schema/hands-1.json").read_text()))
ASKS = {"schema": "dealwire.hands/1", "id": 7, "action": "lift", "with": {"to": "seat 1"}, "say": "x", "deadline_ms": 9}


class Jig(Hands):
    name = "jig 3"
    patience_ms = 250

    def __init__(self) -> None:
        self.lifted: list[str] = []

    def lift(self, to: str) -> None:
        self.lifted.append(to)

    def close_door(self) -> None:
        raise ActFailed("the hinge is stiff")

    def green(self) -> None:
        raise RuntimeError("no such pin")

    def _helper(self) -> None:
        """No action."""


def exchange(hands: Hands, *lines: dict[str, Any]) -> list[dict[str, Any]]:
    sink = io.StringIO()
    serve(hands, io.StringIO("".join(json.dumps(line) + "\n" for line in lines)), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


# ------------------------------------------------------------------ the lines


def test_what_is_printed_is_current() -> None:
    for path, text in pages().items():
        assert (DOCS / path).read_text(encoding="utf-8") == text, "run `make docs`"


def test_an_action_is_there_once_and_every_act_and_fault_is_one() -> None:
    names = [HELLO, NEW_CHECK, "power-off", "power-on", "cable-out", "cable-in", *acts(), *faults()]
    assert [*hand_actions()] == names
    assert len(names) == len(set(names))


def test_every_plan_asks_for_nothing_but_actions() -> None:
    needed = {
        action for plan in ("shuffler", "shoe", "table-controller") for check in load_plan(plan).check
        for step in check.steps for action, _ in step.needs
    }  # fmt: skip
    assert {"lift", "green", "load", "packet-count", "power-off", "power-on"} <= needed
    assert {"cable-out", "cable-in", "start-game", "draw"} <= needed
    assert needed <= hand_actions().keys()


def test_each_request_fits_the_schema_and_wrong_fields_do_not() -> None:
    for number, (name, action) in enumerate(hand_actions().items(), 1):
        fields = {"device": "shoe", "line": "tcp://x:1", "check": "frame.hello"}
        task = hand_task(name, {key: value for key, value in fields.items() if key in action.doing.fields})
        line = {"schema": "dealwire.hands/1", "id": number, "action": name, "with": task.fields, "say": task.say,
                "deadline_ms": 1}  # fmt: skip
        SCHEMA.validate(line)
        assert not SCHEMA.is_valid({**line, "with": {**task.fields, "zoo": 1}})
    assert not SCHEMA.is_valid({**ASKS, "action": "jump"})
    assert not SCHEMA.is_valid({**ASKS, "with": {}})


def test_what_a_person_is_told_is_a_sentence() -> None:
    sentence = "Make packet 1 come out with 1 card too few, so that the device counts it."
    assert hand_task("packet-count", {"packet": 1}).say == sentence
    assert hand_task("packet-count", {"packet": 2, "by": 2, "noticed": 0}).say.endswith(
        "2 come out with 2 cards too many, so that the device does not count it."
    )
    assert hand_task("lock-key", {"locked": 0}).say == "Unlock the shoe with its key."


def test_a_number_of_a_choice_is_a_number() -> None:
    assert hand_task("packet-count", {"by": "-2"}).fields["by"] == -2
    assert hand_task("lift", {"to": "seat 3"}).fields["to"] == "seat 3"


def test_a_program_is_a_method_for_each_action() -> None:
    jig = Jig()
    hello = {**ASKS, "id": 1, "action": "hello", "with": {"device": "shuffler", "line": "/dev/x"}}
    answers = exchange(
        jig,
        hello,
        {**ASKS, "id": 2},
        {**ASKS, "id": 3, "action": "close-door", "with": {}},
        {**ASKS, "id": 4, "action": "green", "with": {}},
        {**ASKS, "id": 5, "action": "load", "with": {"short": 0, "extra": 0}},
        {**ASKS, "id": 6, "action": "new-check", "with": {"check": "a.b"}},
    )
    assert answers == [
        {"id": 1, "name": "jig 3", "can": ["close-door", "green", "lift"], "patience_ms": 250, "result": "done"},
        {"id": 2, "result": "done"},
        {"id": 3, "result": "failed", "why": "the hinge is stiff"},
        {"id": 4, "result": "failed", "why": "RuntimeError: no such pin"},
        {"id": 5, "result": "cannot", "why": "jig 3 has no way to do 'load'"},
        {"id": 6, "result": "done"},
    ]
    assert jig.lifted == ["seat 1"]
    for answer in answers:
        SCHEMA.validate(answer)


def test_the_page_shows_lines_that_fit_the_schema() -> None:
    text = (DOCS / "bench-operator.md").read_text()
    lines = [
        json.loads(line) for block in re.findall(r"```json\n(.*?)```", text, re.DOTALL) for line in block.splitlines()
    ]
    assert len(lines) == 2
    for line in lines:
        SCHEMA.validate(line)


# ------------------------------------------------------------------ the program as it runs

LOOP = """import json, sys
for line in sys.stdin:
    asks = json.loads(line)
    say = {'id': asks['id'], 'result': 'done'}
"""
"""A program that answers `say`; what follows may change that."""


@pytest.fixture
def channels() -> Iterator[list[OperatorChannel]]:
    opened: list[OperatorChannel] = []
    yield opened
    for channel in opened:
        channel.close()


def hands_of(body: str, channels: list[OperatorChannel], tmp_path: Path, deadline_ms: int = 60_000) -> ProgramOperator:
    file = tmp_path / "jig.py"
    file.write_text(LOOP + body + "    print(json.dumps(say), flush=True)\n")
    channels.append(OperatorChannel(f"{sys.executable} {file}"))
    return ProgramOperator(channels[-1], "shuffler", "/dev/x", deadline_ms)


def test_an_act_is_done_by_the_program(channels: list[OperatorChannel], tmp_path: Path) -> None:
    hands = hands_of(f"    open({str(tmp_path / 'log')!r}, 'a').write(line)\n", channels, tmp_path)
    hands.begin("deal.whole")
    assert hands.do("lift", {"to": "dealer"}) == "Lift the cards from the tray."
    assert hands.do("jam", {"packet": 1, "tries": 4}).startswith("Make packet 1 jam")
    assert hands.do("power-off") == "Switch the device off, or unplug it."
    written = [json.loads(line) for line in (tmp_path / "log").read_text().splitlines()]
    assert [line["action"] for line in written] == ["hello", "new-check", "lift", "jam", "power-off"]
    assert [line["id"] for line in written] == [1, 2, 3, 4, 5]
    assert written[2]["with"] == {"to": "dealer"}
    for line in written:
        SCHEMA.validate(line)


@pytest.mark.parametrize(
    ("result", "cause"), [("cannot", NotRunCause.CANNOT), ("failed", NotRunCause.HANDS_FAILED)]
)  # fmt: skip
def test_what_is_not_done_is_not_run_and_the_next_act_goes_on(
    result: str, cause: NotRunCause, channels: list[OperatorChannel], tmp_path: Path
) -> None:
    body = f"    if asks['action'] == 'green':\n        say |= {{'result': '{result}', 'why': 'no arm'}}\n"
    hands = hands_of(body, channels, tmp_path)
    with pytest.raises(NotRun, match=f"operator program, 'green': {result}: no arm") as caught:
        hands.do("green", {})
    assert caught.value.cause is cause
    assert hands.gone is None
    assert hands.do("lift", {})


def test_what_it_cannot_do_is_known_before_a_check_begins(channels: list[OperatorChannel], tmp_path: Path) -> None:
    hands = hands_of("    say['can'] = ['lift', 'hello']\n    say['patience_ms'] = 70\n", channels, tmp_path)
    assert hands.patience_ms == 70
    hands.ready_for("lift", {})
    with pytest.raises(NotRun, match="cannot do 'power-off': Switch the device off") as caught:
        hands.ready_for("power-off", {})
    assert caught.value.cause is NotRunCause.CANNOT


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("        sys.exit(3)\n", r"it ended with exit code 3 at 'green'"),
        ("        import os; os.kill(os.getpid(), 9)\n", r"it was ended by signal 9 at 'green'"),
        ("        print('ok'); sys.stdout.flush(); continue\n", r"invalid answer at 'green': .*; it said: ok"),
        ("        say = {'id': 9, 'result': 'done'}\n", r"it answers 9, not 2, at 'green'"),
        ("        say['result'] = 'maybe'\n", r"invalid answer at 'green': Invalid enum value 'maybe'"),
        ("        say['result'] = 'cannot'\n", r"'cannot' without a reason at 'green'"),
        ("        print('x' * 70000, flush=True); continue\n", r"invalid answer at 'green'|more than 65536 bytes"),
        ("        continue\n", r"no answer within 300 ms at 'green'"),
    ],
)
def test_a_program_that_is_gone_is_one_line_and_nothing_more_is_run(
    body: str, why: str, channels: list[OperatorChannel], tmp_path: Path
) -> None:
    hands = hands_of("    if asks['action'] == 'green':\n" + body, channels, tmp_path, 300)
    with pytest.raises(NotRun, match=why) as caught:
        hands.do("green", {})
    assert caught.value.cause is NotRunCause.HANDS_FAILED
    assert "\n" not in str(hands.gone)
    with pytest.raises(NotRun, match="the operator program is gone"):
        hands.ready_for("lift", {})
    with pytest.raises(NotRun, match=why):
        hands.do("lift", {})


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("no-such-program-anywhere", "cannot be started: No such file"),
        ("", "cannot be started: no command|cannot be started: list index"),
        ("'unbalanced", "cannot be started: No closing quotation"),
        ("true", "it ended with exit code 0 at 'hello'"),
        ("cat", "invalid answer at 'hello': Object missing required field `result`"),
    ],
)
def test_a_program_that_is_none_is_one_line(command: str, why: str, channels: list[OperatorChannel]) -> None:
    def start() -> None:
        channels.append(OperatorChannel(command))
        ProgramOperator(channels[-1], "shuffler", "/dev/x")

    with pytest.raises(OperatorGone, match=why):
        start()


def test_what_it_can_do_must_be_actions(channels: list[OperatorChannel], tmp_path: Path) -> None:
    with pytest.raises(OperatorGone, match="no such action: 'jump'; allowed: hello, new-check, power-off"):
        hands_of("    say['can'] = ['jump']\n", channels, tmp_path)


# ------------------------------------------------------------------ whole programs


@pytest.fixture
def simulator() -> Iterator[dict[str, Any]]:
    """`dealwire sim --operator-socket`, ten times as fast."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(PROGRAM), "sim", "--operator-socket", f"{folder}/hands", "--speed", "10", "--json"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            yield json.loads(process.stdout.readline())
            process.terminate()


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(PROGRAM), "bench", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
    )


@pytest.mark.more
def test_a_device_is_judged_with_nobody_at_hand(simulator: dict[str, Any], tmp_path: Path) -> None:
    """Acts, faults and the plug; what is reported is what a person's run would report."""
    only = ("deal.green-button", "fault.packet-short-301", "fault.door-idle", "session.power-up", "frame.hello")
    done = bench(
        "--shuffler", simulator["lines"]["shuffler"], "--operator-program",
        f"{PROGRAM} operator socket {simulator['hands']}",
        *(word for name in only for word in ("--only", name)), "--report", str(tmp_path / "r.json"),
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((tmp_path / "r.json").read_text())
    assert {check["id"] for check in report["checks"] if check["outcome"] == "passed"} == {*only}
    assert report["hands"] == "program"
    (lifted,) = [check for check in report["checks"] if check["id"] == "deal.green-button"]
    assert [moment["what"] for moment in lifted["timeline"] if moment["by"] == "hands"] == [
        "Press the green button.", "Press the green button.", "Lift the cards from the tray.",
    ]  # fmt: skip


@pytest.mark.more
def test_the_exit_code_says_that_hands_failed_or_were_missed(simulator: dict[str, Any], tmp_path: Path) -> None:
    address, only = simulator["lines"]["shuffler"], ("--only", "deal.green-button", "--only", "frame.hello")
    alone = bench("--shuffler", address, *only)
    assert alone.returncode == 1, alone.stdout + alone.stderr
    assert "1 checks need an operator and were not run; run it at a terminal, or use --operator-program" in alone.stderr
    assert "dealwire: 1 of 2 checks need an operator, and there is no terminal; run it at" in alone.stderr
    assert bench("--shuffler", address, *only, "--unattended").returncode == 0
    jig = tmp_path / "jig.py"
    acts = "    if asks['action'] not in ('hello', 'new-check'): sys.exit(3)\n"
    jig.write_text(LOOP + acts + "    print(json.dumps(say), flush=True)\n")
    gone = bench("--shuffler", address, *only, "--operator-program", f"{sys.executable} {jig}")
    assert gone.returncode == 1, gone.stdout + gone.stderr
    assert f"--operator-program {sys.executable} {jig}: it ended with exit code 3 at '" in gone.stderr
    assert "Incomplete: 1 of " in gone.stdout
    absent = bench("--shuffler", address, *only, "--operator-program", "no-such-program-anywhere")
    assert absent.returncode == 2
    assert (
        absent.stderr
        == "dealwire: --operator-program no-such-program-anywhere: cannot be started: No such file or directory\n"
    )


def test_a_socket_with_nobody_at_it_is_one_line(tmp_path: Path) -> None:
    for address in (str(tmp_path / "none"), "tcp://127.0.0.1:1"):
        done = subprocess.run([PROGRAM, "operator", "socket", address], capture_output=True, text=True, timeout=60)
        assert done.returncode == 3
        assert done.stderr.startswith(f"dealwire: {address}: ")
        assert done.stderr.count("\n") == 1


def test_one_hands_program_at_a_time_and_a_stale_socket_is_replaced(simulator: dict[str, Any]) -> None:
    def ask(line: socket.socket, words: str) -> bytes:
        line.sendall(words.encode() + b"\n")
        return line.makefile("rb").readline()

    hello = {**ASKS, "id": 1, "action": "hello", "with": {"device": "shuffler", "line": "x"}}
    with socket.socket(socket.AF_UNIX) as first:
        first.connect(simulator["hands"])
        assert b"sim" in ask(first, json.dumps(hello))
        assert ask(first, "nonsense") == b""
    with socket.socket(socket.AF_UNIX) as second:
        second.connect(simulator["hands"])
        assert json.loads(ask(second, json.dumps({**hello, "with": {"device": "shoe", "line": "x"}}))) == {
            "id": 1, "result": "cannot", "why": "there is no shoe here, but shuffler, table-controller",
        }  # fmt: skip
    assert Path(simulator["hands"]).is_socket()


# ------------------------------------------------------------------ a soak at an attached shuffler


class Delegated(Operator):
    """Somebody else's hands at the same table, which cannot bring about `beyond`."""

    whose = "program"

    def __init__(self, hands: SimulatedOperator, *beyond: str) -> None:
        self._hands, self._beyond = hands, beyond
        self.done: list[str] = []

    def ready_for(self, action: str, fields: Mapping[str, Any]) -> None:
        if action in self._beyond:
            raise NotRun("beyond", NotRunCause.CANNOT)

    def begin(self, check: str) -> None:
        self._hands.begin(check)

    def do(self, action: str, fields: Mapping[str, Any] = {}) -> str:
        self.done.append(action)
        return self._hands.do(action, fields)


def soaked(rounds: int, *beyond: str, wrap: Any = lambda table: table) -> tuple[CheckRecord, Delegated]:
    rig = SimulatedRig("shuffler", speed=20, wrap=wrap)
    hands = Delegated(rig.hands, *beyond)
    choices = BenchChoices(("soak.*",), rounds)
    (result,) = [
        it
        for it in run_plan(load_plan("shuffler"), rig.wire, lambda _: hands, choices).results
        if it.id == "soak.rounds"
    ]
    return result, hands


def test_a_soak_is_dealt_by_hands_at_an_attached_shuffler() -> None:
    result, hands = soaked(40)
    assert (result.outcome, result.cause) == (BenchOutcome.NOT_RUN, NotRunCause.SHORTENED), result.why
    assert result.notes[0].startswith("40 of 40 rounds in ")
    faults_made = [name for name in hands.done if name in faults()]
    assert len(faults_made) == 8
    assert len(set(faults_made)) > 2
    assert "faults raised: none" not in result.notes


def test_what_hands_cannot_bring_about_is_not_chosen() -> None:
    result, hands = soaked(10, *faults())
    assert result.cause is NotRunCause.SHORTENED, result.why
    assert not {*hands.done} & {*faults()}
    result, hands = soaked(10, "lift")
    assert (result.outcome, result.cause, hands.done) == (BenchOutcome.NOT_RUN, NotRunCause.CANNOT, [])


def test_a_soak_finds_a_shuffler_that_counts_wrong() -> None:
    result, _ = soaked(40, wrap=LyingCounts)
    assert result.outcome is BenchOutcome.FAILED
    assert re.match(r"round \d+ of 40, \d packets with packet-count .*: packet \d counts 5 where 4 came", result.why)
