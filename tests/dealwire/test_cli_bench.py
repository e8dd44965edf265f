"""`dealwire bench` as people type it."""

import json
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.bench.plan import load_plan
from dealwire.cli import main
from devices.clock import SystemClock
from devices.loop import Owner
from devices.simulator.host import Bench
from devices.simulator.scenario import load_scenario
from devices.simulator.table import SimulatedTable


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


def test_a_device_behind_a_tcp_line_is_judged_unattended(tmp_path: Path) -> None:
    """A device in another thread, at the other end of a real socket."""
    clock = SystemClock()
    owner = Owner(clock)
    bench = Bench(SimulatedTable(load_scenario("clean-1"), speed=50), {"shuffler": "tcp:0"})
    for member in (bench, *bench.lines.values()):
        owner.add(member)
    bench.start(clock.now_ns())
    over = threading.Event()
    thread = threading.Thread(target=lambda: owner.run(over.is_set), name="a device")
    thread.start()
    try:
        address = bench.addresses["shuffler"]
        only = ("--only", "commands.[rs]*", "--only", "fault.door-501", "--only", "always.clean")
        result = run("--shuffler", address, "--unattended", *only)
    finally:
        over.set()
        owner.call_soon(lambda: None)
        thread.join()
        owner.close()
    assert result.exit_code == 0, result.output
    assert "5 passed, 0 failed, 1 not run" in result.output
    assert "needs a person: Lift what lies in the tray." in result.output
