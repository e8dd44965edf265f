"""`dealwire bench` as people type it."""

import json
import os
import select
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.bench.hands.operator import SimulatedOperator
from dealwire.bench.plan.plan import load_plan
from dealwire.cli import main
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.line.loop import Owner
from devices.simulator.host import SimulatorHost
from protocol.tdp.packets import VERSION_TEXT

CHECKS = len(load_plan("shuffler").ids)
"""Of the plan of the shuffler."""
ROOT = Path(__file__).parent.parent.parent


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments], catch_exceptions=False)


def test_a_simulated_shuffler_is_judged_and_passes(tmp_path: Path) -> None:
    junit, html = tmp_path / "a.xml", tmp_path / "a.html"
    result = run(
        "shuffler", "--simulated", "--only", "frame.*", "--speed", "10", "--junit", str(junit), "--html", str(html)
    )
    assert result.exit_code == 0, result.output
    assert (
        f"Incomplete: 19 of {CHECKS} checks run, none failed; {CHECKS - 19} not run (filtered by --only 'frame.*')"
        in result.output
    )
    assert junit.read_text().startswith("<?xml")
    assert html.read_text().startswith("<!doctype html>")


def test_json_on_standard_output_and_nothing_else() -> None:
    result = run("table-controller", "--simulated", "--only", "game.keys", "--json")
    assert result.exit_code == 0
    (line,) = result.stdout.splitlines()
    report = json.loads(line)
    assert (report["schema"], report["verdict"]) == ("dealwire.bench/2", "incomplete")
    assert [check["id"] for check in report["checks"] if check["outcome"] == "passed"] == ["game.keys"]
    assert report["summary"] in result.stderr


def test_a_check_that_fails_is_exit_code_1(tmp_path: Path) -> None:
    plan = tmp_path / "strict.toml"
    plan.write_text(
        'schema = "dealwire.plan/1"\nid = "strict"\ntitle = "Strict"\ndevice = "shuffler"\n[[check]]\nid = "a.b"\n'
        'title = "t"\nsection = "timing"\nmust = "m"\nsteps = [ { measure = "status", times = 2, limit = 900 } ]\n'
    )
    result = run(str(plan), "--simulated")
    assert result.exit_code == 1
    assert "status: 1000 ms, more than 900 ms" in result.output


@pytest.mark.every(3)
@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "name one device"),
        (("shuffler", "--simulated", "--shuffler", "/dev/null"), 2, "name one device"),
        (("shoe", "--shuffler", "/dev/null"), 2, "the plan 'shoe' is for a shoe, not for a shuffler"),
        (("nope", "--simulated"), 2, "nope: no such plan; known: link, shoe, shuffler, table-controller"),
        (("shuffler", "--simulated", "--operator-program", "true"), 2, "--operator-program is for an attached device"),
        (
            ("--shuffler", "/dev/null", "--operator-program", "true", "--unattended"),
            2,
            "--operator-program and --unattended exclude each other",
        ),
        (("shuffler", "--simulated", "--only", "dance.*"), 2, "matches no check of the plan"),
        (("shuffler", "--simulated", "--html", "/nowhere/at/all.html"), 2, "no such folder: /nowhere/at"),
        (("shuffler", "--simulated", "--report", "/nowhere/at/all.json"), 2, "no such folder: /nowhere/at"),
        (("shuffler", "--simulated", "--report", "a", "--html", "./a"), 2, "a: --report and --html must be different"),
        (("shuffler", "--simulated", "--report", "a", "--junit", "a.sig"), 2, "--junit and the signature of --report"),
        (("shuffler", "--simulated", "--html", "/etc/hostname"), 2, "/etc/hostname: exists; --overwrite replaces it"),
        (("--verify", "/etc/hostname", "--html", "/etc/hostname"), 2, "the report and --html must be different files"),
        (("shuffler", "--simulated", "--sign", "lab.key"), 2, "give --report FILE, too"),
        (("shuffler", "--simulated", "--report", "x", "--sign", "/nowhere.key"), 2, "/nowhere.key: key file cannot be"),
        (("shuffler", "--simulated", "--against", "/nowhere.json"), 2, "/nowhere.json: cannot be read: No such file"),
        (("shuffler", "--simulated", "--against", "/etc/hostname"), 6, "/etc/hostname: not a report dealwire.bench/2"),
        (("shuffler", "--simulated", "--operator", "An\x1bn"), 2, "must be printable, at most 200 characters"),
        (("shuffler", "--simulated", "--key", "lab.pub"), 2, "--key needs --verify FILE"),
        (("--verify", "/nowhere.json"), 2, "/nowhere.json: cannot be read: No such file"),
        (("--verify", "/etc/hostname"), 6, "/etc/hostname: not a report dealwire.bench/2"),
        (("--verify", "/etc/hostname", "--simulated"), 2, "--simulated does not go with --verify"),
        (("--verify", "/etc/hostname", "--only", "x"), 2, "--only does not go with --verify"),
        (("shuffler", "--shuffler", "/dev/tty-not-there"), 3, "/dev/tty-not-there"),
        (("shuffler", "--shuffler", "tcp://127.0.0.1:1"), 3, "127.0.0.1:1"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_its_code(arguments: tuple[str, ...], code: int, says: str) -> None:
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert says in result.output
    assert "Traceback" not in result.output


def test_lists() -> None:
    plans = run("--list")
    assert plans.exit_code == 0
    assert "table-controller" in plans.output
    assert "packet-count" in plans.output
    assert f"\n\nThe plans test for the Table Device Protocol {VERSION_TEXT}.\n\nFaults " in plans.output
    dialects = CliRunner().invoke(main, ["dialect", "list"]).output
    assert f"Table Device Protocol {VERSION_TEXT}, this project's own" in dialects
    checks = run("shoe", "--list")
    assert all(one in checks.output for one in load_plan("shoe").ids)


def test_what_the_line_may_add_is_chosen_and_told() -> None:
    real = ("shuffler", "--simulated", "--real-time", "--only", "frame.hello")
    chosen = run(*real, "--allowance", "20")
    assert (
        "20 ms added to every limit, for this machine and the line, set by --allowance; the plan has 50 ms"
        in chosen.output
    )
    planned = run(*real)
    assert "50 ms added to every limit, for this machine and the line\n" in planned.output
    simulated = run("shuffler", "--simulated", "--allowance", "20")
    assert simulated.exit_code == 2
    assert "--allowance needs a real line or --real-time; on the simulated clock it is 0" in simulated.stderr


FRAMES = ("shuffler", "--simulated", "--only", "frame.h*")


def test_strict_fails_on_whatever_was_not_run() -> None:
    assert run(*FRAMES).exit_code == 0
    result = run(*FRAMES, "--strict")
    assert result.exit_code == 1
    assert f"--strict: {CHECKS - 1} checks were not run" in result.stderr


def test_strict_passes_when_all_were_run(tmp_path: Path) -> None:
    plan = tmp_path / "whole.toml"
    plan.write_text(
        'schema = "dealwire.plan/1"\nid = "whole"\ntitle = "Whole"\ndevice = "shuffler"\n[[check]]\nid = "a.b"\n'
        'title = "t"\nsection = "frame"\nmust = "m"\nsteps = [ { greet = 500 } ]\n'
    )
    result = run(str(plan), "--simulated", "--strict")
    assert result.exit_code == 0
    assert "Passed: 1 of 1 checks run, none failed" in result.output


@pytest.fixture
def signed(tmp_path: Path) -> Path:
    """A report, signed."""
    assert run("--new-key", str(tmp_path / "lab.key"), str(tmp_path / "lab.pub")).exit_code == 0
    file = tmp_path / "report.json"
    head = ("--laboratory", "Lab 3", "--operator", "Ann", "--ticket", "T-1")
    result = run(*FRAMES, "--report", str(file), "--sign", str(tmp_path / "lab.key"), *head)
    assert result.exit_code == 0, result.output
    assert "signed with key" in result.output
    return file


def test_a_report_is_verified_and_its_other_forms_made_again(signed: Path, tmp_path: Path) -> None:
    html = tmp_path / "again.html"
    result = run("--verify", str(signed), "--key", str(tmp_path / "lab.pub"), "--html", str(html))
    assert result.exit_code == 0, result.output
    for said in ("good  signature", "good  plan", "Lab 3", "Ann", "T-1", "no problem found"):
        assert said in result.output
    assert signed.with_name("report.json.sig").read_text().split()[3] in html.read_text()


def test_a_report_that_was_altered_is_exit_code_1_and_no_form_is_made(signed: Path, tmp_path: Path) -> None:
    html = tmp_path / "again.html"
    signed.write_bytes(signed.read_bytes().replace(b'"not_run":%d' % (CHECKS - 1), b'"not_run":0'))
    result = run("--verify", str(signed), "--key", str(tmp_path / "lab.pub"), "--html", str(html))
    assert result.exit_code == 1
    assert "BAD   signature   the report is not what was signed with key" in result.output
    assert f"BAD   counts      not run: the report says 0, its checks give {CHECKS - 1}" in result.output
    assert "this is not a report as the bench wrote it" in result.output
    assert not html.exists()


def test_a_report_that_is_there_and_its_signature_stay(signed: Path, tmp_path: Path) -> None:
    signature = signed.with_name("report.json.sig")
    before = signed.read_bytes(), signature.read_bytes()
    result = run(*FRAMES, "--report", str(signed), "--sign", str(tmp_path / "lab.key"))
    assert result.exit_code == 2
    assert "report.json: exists; --overwrite replaces it" in result.output
    assert (signed.read_bytes(), signature.read_bytes()) == before
    signed.unlink()
    assert "report.json.sig: exists" in run(*FRAMES, "--report", str(signed)).output
    assert signature.read_bytes() == before[1]


def test_one_file_by_two_names_takes_one_form(tmp_path: Path) -> None:
    """By a hard link the second form was written over the first."""
    (tmp_path / "a").write_text("what was there")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    result = run(*FRAMES, "--html", str(tmp_path / "a"), "--junit", str(tmp_path / "b"), "--overwrite")
    assert result.exit_code == 2
    assert "must be different files" in result.output
    assert (tmp_path / "b").read_text() == "what was there"


def test_a_report_names_so_many_instruments(tmp_path: Path) -> None:
    """Each of the longest, they leave the page its 400 kB."""
    longest = f'[[instrument]]\nname = "{"<" * 200}"\nnumber = "{"<" * 200}"\ncalibrated = "{"<" * 200}"\n'
    conditions, page = tmp_path / "lab.toml", tmp_path / "r.html"
    for number in (40, 41):
        conditions.write_text('schema = "dealwire.conditions/1"\n' + longest * number)
        result = run(*FRAMES, "--conditions", str(conditions), "--html", str(page), "--overwrite")
        if number == 40:
            assert (result.exit_code, page.stat().st_size < 300_000) == (0, True), result.output
    for refused in (result, run(*FRAMES, *("--instrument", "a clock") * 41)):
        assert (refused.exit_code, "a report holds at most 40" in refused.output) == (2, True), refused.output
        assert refused.output.count("\n") == 1


def test_a_folder_that_may_not_be_written_is_said_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dealwire.cli.bench_reports.may", lambda path, _: path != tmp_path)
    monkeypatch.setattr("dealwire.cli.bench.run_plan", None)
    result = run(*FRAMES, "--junit", str(tmp_path / "a.xml"))
    assert result.exit_code == 5
    assert "a.xml: may not be written" in result.output


@pytest.mark.parametrize("form", ["--report", "--junit", "--html"])
def test_a_full_disk_is_exit_code_1(form: str) -> None:
    result = run(*FRAMES, form, "/dev/full")
    assert result.exit_code == 1
    assert "/dev/full: cannot be written: No space left on device" in result.output


def test_a_report_written_anew_without_a_signature_has_none(signed: Path) -> None:
    assert run(*FRAMES, "--report", str(signed), "--overwrite").exit_code == 0
    assert not signed.with_name("report.json.sig").exists()


def test_printed_and_written_reports_are_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "r.json"
    result = run(*FRAMES, "--json", "--report", str(file))
    assert result.stdout.encode() == file.read_bytes()


def test_a_run_is_held_against_the_last_one(signed: Path, tmp_path: Path) -> None:
    now = tmp_path / "now.json"
    result = run("shuffler", "--simulated", "--only", "frame.t*", "--against", str(signed), "--report", str(now))
    assert result.exit_code == 0
    assert "  newly not run (1):\n      frame.hello\n" in result.output
    assert "newly passing (5)" in result.output
    assert json.loads(now.read_bytes())["against"]["newly_not_run"] == ["frame.hello"]
    verified = run("--verify", str(now), "--against", str(signed))
    assert verified.exit_code == 0
    assert "good  comparison" in verified.output


def test_a_signature_that_is_none_speaks_against_the_report(signed: Path) -> None:
    signature = signed.with_name("report.json.sig")
    for content in (b"", b"nonsense\n", b"\xff\x00", signature.read_bytes()[:-9]):
        signature.write_bytes(content)
        result = run("--verify", str(signed))
        assert result.exit_code == 1, result.output
        assert "BAD   signature   report.json.sig: " in result.output


def test_a_last_report_whose_counts_do_not_hold_is_said_to_be_so(signed: Path, tmp_path: Path) -> None:
    trimmed = tmp_path / "trimmed.json"
    trimmed.write_bytes(signed.read_bytes().replace(b"%d not run" % (CHECKS - 1), b"0 not run"))
    for arguments in (FRAMES, ("--verify", str(signed))):
        assert "counts are wrong" not in run(*arguments, "--against", str(signed)).stderr
        result = run(*arguments, "--against", str(trimmed))
        (line,) = [line for line in result.stderr.splitlines() if "counts are wrong" in line]
        assert line.startswith(f"dealwire: {trimmed}: its counts are wrong: the head says ")


def test_two_reports_are_held_against_each_other_without_a_run(signed: Path, tmp_path: Path) -> None:
    now = tmp_path / "now.json"
    run("shuffler", "--simulated", "--only", "frame.t*", "--report", str(now))
    result = run("--verify", str(now), "--against", str(signed))
    assert result.exit_code == 0
    assert "newly not run (1)" in result.output


@pytest.mark.more
def test_how_far_a_run_is_shows_on_a_terminal() -> None:
    with Attached("pty") as attached:
        terminal, slave = os.openpty()
        command = [sys.executable, "-m", "dealwire", "bench", "link", "--shuffler", attached.address, "--unattended"]
        running = subprocess.Popen([*command, "--only", "frame.[ht]*"], stdout=subprocess.PIPE, stderr=slave, cwd=ROOT)
        os.close(slave)
        said = b""
        while b"6/6  frame.thirteen-in-one-write" not in said:
            assert select.select([terminal], [], [], 30)[0], said
            said += os.read(terminal, 4096)
        out, _ = running.communicate(timeout=300)
        os.close(terminal)
    assert b"1/6  frame.hello" in said
    assert b"Incomplete: 6 of " in out


class Attached:
    """A shuffler in another thread, at the other end of a real socket or pseudo-terminal."""

    def __init__(self, line: str) -> None:
        self.clock = SystemClock()
        self.owner = Owner(self.clock)
        self.table = SimulatedTable(load_scenario("clean-1"), speed=50)
        self.bench = SimulatorHost(self.table, {"shuffler": line})
        self.address = self.bench.addresses["shuffler"]
        self._done: list[str] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=lambda: self.owner.run(self._over.is_set), name="a device")

    def __enter__(self) -> "Attached":
        for member in (self.bench, *self.bench.lines.values()):
            self.owner.add(member)
        self.bench.start(self.clock.now_ns())
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.owner.call_soon(lambda: None)
        self._thread.join()
        self.owner.close()

    def act(self, name: str) -> None:
        """Somebody at the device does something."""
        flush = lambda: self.bench.pump(self.clock.now_ns())  # noqa: E731
        hands = SimulatedOperator(self.table, "shuffler", self.clock.now_ns, flush)
        self.owner.call_soon(lambda: self._done.append(hands.do(name, {})))

    def unplug(self) -> None:
        def pull() -> None:
            line = self.bench.lines["shuffler"]
            self.owner.remove(line)
            line.close()

        self.owner.call_soon(pull)


def test_a_device_behind_a_tcp_line_is_judged_unattended() -> None:
    only = ("--only", "commands.[rs]*", "--only", "fault.door-501", "--only", "always.clean")
    with Attached("tcp:0") as attached:
        result = run("--shuffler", attached.address, "--unattended", *only)
    assert result.exit_code == 0, result.output
    filtered = f"{CHECKS - 12} filtered by --only 'commands.[rs]*' --only 'fault.door-501' --only 'always.clean'"
    said = f"Incomplete: 10 of {CHECKS} checks run, none failed; {CHECKS - 10} not run ({filtered}, 2 needs a person)"
    assert said in result.output
    assert "needs a person: Lift the cards from the tray." in result.output


def bench_at_a_terminal(*arguments: str) -> tuple[subprocess.Popen[bytes], int]:
    """The program with its standard input at a real terminal; its other end."""
    master, slave = os.openpty()
    command = [sys.executable, "-m", "dealwire", "bench", *arguments]
    running = subprocess.Popen(command, stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)
    os.close(slave)
    return running, master


def told(running: "subprocess.Popen[bytes]", wanted: bytes) -> None:
    """Read standard error until the program has said this."""
    assert running.stderr is not None
    said = b""
    while wanted not in said:
        assert select.select([running.stderr], [], [], 30)[0], f"nothing more after {said!r}"
        more = os.read(running.stderr.fileno(), 4096)
        assert more, f"the program ended: {said!r}"
        said += more


@pytest.mark.more
def test_a_person_at_an_attached_device_is_asked_and_does_it() -> None:
    with Attached("pty") as attached:
        only = ("--only", "fault.door-idle", "--only", "deal.setup", "--only", "deal.lock")
        running, terminal = bench_at_a_terminal("shuffler", "--shuffler", attached.address, *only)
        try:
            for asked, act in (
                (b"Put the other deck into the input tray", "load"),
                (b"Open the device's setup menu.", "open-setup"),
                (b"Close the setup menu.", "close-setup"),
            ):
                told(running, asked)
                attached.act(act)
                os.write(terminal, b"\n")
            told(running, b"Open the door.")
            os.write(terminal, b"s\n")
            out, _ = running.communicate(timeout=300)
        finally:
            running.kill()
            running.wait()
            os.close(terminal)
    assert (
        b"Incomplete: 2 of %d checks run, none failed; %d not run (%d filtered by --only "
        % (CHECKS, CHECKS - 2, CHECKS - 3)
        in out
    )
    assert b"1 skipped by the person)" in out
    assert b"skipped: Open the door." in out
    assert running.returncode == 0


def test_a_line_that_goes_leaves_a_report() -> None:
    with Attached("tcp:0") as attached:
        timer = threading.Timer(2, attached.unplug)
        timer.start()
        result = run("link", "--shuffler", attached.address, "--unattended", "--only", "frame.*")
        timer.join()
    assert result.exit_code == 1
    assert "the line is gone: " in result.output
    assert "Traceback" not in result.output
