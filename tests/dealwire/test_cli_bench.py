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

from dealwire.bench.hands import SimulatedHands
from dealwire.bench.plan import load_plan
from dealwire.cli import main
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import SimulatedTable
from devices.clock import SystemClock
from devices.loop import Owner
from devices.simulator.host import SimulatorHost

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parent.parent.parent


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["bench", *arguments], catch_exceptions=False)


def test_a_simulated_shuffler_is_judged_and_passes(tmp_path: Path) -> None:
    junit, html = tmp_path / "a.xml", tmp_path / "a.html"
    result = run(
        "shuffler", "--simulated", "--only", "frame.*", "--speed", "10", "--junit", str(junit), "--html", str(html)
    )
    assert result.exit_code == 0, result.output
    assert "16 passed, 0 failed, 0 not run" in result.output
    assert junit.read_text().startswith("<?xml")
    assert html.read_text().startswith("<!doctype html>")


def test_json_on_standard_output_and_nothing_else() -> None:
    result = run("table-controller", "--simulated", "--only", "game.keys", "--json")
    assert result.exit_code == 0
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["type"] for line in lines] == ["check", "summary"]
    assert lines[1]["verdict"] == "passed"


def test_a_check_that_fails_is_exit_code_1(tmp_path: Path) -> None:
    plan = tmp_path / "strict.toml"
    plan.write_text(
        'schema = "dealwire.plan/1"\nid = "strict"\ntitle = "Strict"\ndevice = "shuffler"\n[[check]]\nid = "a.b"\n'
        'title = "t"\nsection = "timing"\nmust = "m"\nsteps = [ { measure = "status", times = 2, limit = 900 } ]\n'
    )
    result = run(str(plan), "--simulated")
    assert result.exit_code == 1
    assert "status: 1000 ms, more than 900 ms" in result.output


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "judge one device"),
        (("shuffler", "--simulated", "--shuffler", "/dev/null"), 2, "judge one device"),
        (("shoe", "--shuffler", "/dev/null"), 2, "the plan 'shoe' is for a shoe, not for a shuffler"),
        (("nope", "--simulated"), 2, "nope: no such plan; known: link, shoe, shuffler, table-controller"),
        (("shuffler", "--simulated", "--only", "dance.*"), 2, "names no check of the plan"),
        (("shuffler", "--simulated", "--html", "/nowhere/at/all.html"), 2, "no such folder: /nowhere/at"),
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
    checks = run("shoe", "--list")
    assert all(one in checks.output for one in load_plan("shoe").ids)


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
        hands = SimulatedHands(self.table, "shuffler", self.clock.now_ns, flush)
        self.owner.call_soon(lambda: self._done.append(hands.act(name, {})))

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
    assert "5 passed, 0 failed, 1 not run" in result.output
    assert "needs a person: Lift what lies in the tray." in result.output


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


def test_a_person_at_an_attached_device_is_asked_and_does_it() -> None:
    with Attached("pty") as attached:
        only = ("--only", "fault.door-idle", "--only", "deal.setup", "--only", "deal.lock")
        running, terminal = bench_at_a_terminal("shuffler", "--shuffler", attached.address, *only)
        try:
            for asked, act in (
                (b"Put the deck that lies outside into the input tray", "load"),
                (b"Open the set-up menu at the device.", "open-setup"),
                (b"Close the set-up menu.", "close-setup"),
            ):
                told(running, asked)
                attached.act(act)
                os.write(terminal, b"\n")
            told(running, b"Open the door.")
            os.write(terminal, b"s\n")
            out, _ = running.communicate(timeout=60)
        finally:
            running.kill()
            running.wait()
            os.close(terminal)
    assert b"2 passed, 0 failed, 1 not run" in out
    assert b"skipped: Open the door." in out
    assert running.returncode == 0


def test_a_line_that_goes_leaves_a_report() -> None:
    with Attached("tcp:0") as attached:
        timer = threading.Timer(0.8, attached.unplug)
        timer.start()
        result = run("link", "--shuffler", attached.address, "--unattended", "--only", "frame.*")
        timer.join()
    assert result.exit_code == 1
    assert "the line is gone: " in result.output
    assert "Traceback" not in result.output
