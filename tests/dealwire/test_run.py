"""`dealwire run` as a process: signals, systemd, kill -9, a full disk, and what it says."""

from __future__ import annotations

import configparser
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.cli.run import deaf_to_hang_up
from dealwire.journal import SealingKey
from tests.support.programs.soak import Soak, account
from tests.support.rigs.ports import free_port
from tests.support.rigs.serving import (
    ORDERLY,
    Program,
    compared,
    published,
    rounds_in,
    simulators_here,
    write_configuration,
)

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "table.toml"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["run", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_check_says_what_is_wrong_and_opens_nothing(tmp_path: Path) -> None:
    example = tmp_path / EXAMPLE.name
    example.write_text(EXAMPLE.read_text().replace("port = 8420", f"port = {free_port()}"))  # another test may use it
    code, said = run("--check", str(example))
    assert (code, said.count("wrong  "), "journal.key: key file cannot be read" in said) == (Exit.USAGE, 1, True)
    SealingKey.new(tmp_path / "journal.key")
    code, said = run("--check", str(example))
    assert code == Exit.GOOD
    assert "ok       seal: raw bytes are sealed with journal.key: " in said
    assert said.splitlines()[-1].startswith(f"{example}: nothing wrong")
    assert not (tmp_path / "journal.sqlite").exists()
    bad = tmp_path / "bad.toml"
    bad.write_text(EXAMPLE.read_text().replace("seats = 6", "seats = 60"))
    code, said = run("--check", str(bad))
    assert code == Exit.USAGE
    assert said.startswith(f"wrong    {bad}:17: table[1].seats: ")


def test_without_a_line_a_table_waits_for_it_and_says_so(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, [{"shuffler": "/dev/ttyNONE0", "table-controller": "/dev/ttyNONE1"}])
    with Program(file) as program:
        program.wait_for(lambda: program.text.count("retrying") >= 2)
        assert program.end() == Exit.GOOD
    assert "/dev/ttyNONE0" in program.text
    assert "Traceback" not in program.text


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGTERM, Exit.GOOD),
        pytest.param(signal.SIGINT, Exit.INTERRUPTED, marks=pytest.mark.slow),
    ],
)
def test_a_signal_ends_it_whole(tmp_path: Path, number: int, code: int) -> None:
    with simulators_here() as addresses, Program(write_configuration(tmp_path, addresses)) as program:
        program.wait_for(lambda: rounds_in(tmp_path) >= 1)
        program.process.send_signal(signal.SIGHUP)
        program.wait_for(lambda: "SIGHUP: nothing to read again; restart the service" in program.text)
        assert program.end(number) == code
    assert "Traceback" not in program.text
    assert json.loads(published(tmp_path, "status")[-1].line)["kind"] == "stopped"
    assert compared(tmp_path).difference is None


def test_a_hang_up_during_the_start_ends_nothing() -> None:
    before = signal.getsignal(signal.SIGHUP)
    with deaf_to_hang_up():
        os.kill(os.getpid(), signal.SIGHUP)
    assert signal.getsignal(signal.SIGHUP) is before


@pytest.mark.more
def test_a_service_that_is_killed_goes_on_and_loses_nothing(tmp_path: Path) -> None:
    with simulators_here(speed=100) as addresses:
        file = write_configuration(tmp_path, addresses)
        for wanted in (1, 2):
            with Program(file) as program:
                program.wait_for(lambda: rounds_in(tmp_path) >= wanted)  # noqa: B023
                program.process.kill()
                program.process.wait()
        with Program(file) as program:
            program.wait_for(lambda: rounds_in(tmp_path) >= 3)
            assert program.end() == Exit.GOOD
    lines = [json.loads(item.line) for item in published(tmp_path, "round")]
    assert [line["round"] for line in lines] == list(range(1, len(lines) + 1))
    settled = Counter(json.loads(item.line)["round"] for item in published(tmp_path, "settlement"))
    assert set(settled.values()) == {1}
    found = compared(tmp_path)
    assert found.difference is None
    assert found.equal > 100


@pytest.mark.slow
def test_twenty_kills_at_any_instant_lose_nothing(tmp_path: Path) -> None:
    """Two tables with faults; each life ends within three seconds, often in the middle of a round."""
    random = Random(20)
    with simulators_here(2, speed=100, faults=0.2) as addresses:
        file = write_configuration(tmp_path, addresses)
        for _ in range(20):
            with Program(file) as program:
                said = len(program.text)
                program.wait_for(lambda: " is connected" in program.text[said:])  # noqa: B023
                time.sleep(random.uniform(0, 3))
                program.process.kill()
                program.process.wait()
        with Program(file) as program:
            said = len(program.text)
            program.wait_for(lambda: " is connected" in program.text[said:])
            assert program.end() == Exit.GOOD
    result = Soak()
    account(tmp_path, result)
    assert result.missing == {"table-1": [], "table-2": []}
    assert result.twice == {"table-1": [], "table-2": []}
    assert result.ended.total() > 20
    found = compared(tmp_path)
    assert found.difference is None
    print(dict(result.ended), dict(result.outcomes), found.equal)


@pytest.mark.more
def test_a_disk_that_takes_nothing_more_ends_it_with_one_line(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        with Program(file, limit="ulimit -f 300; ") as program:  # 300 blocks of 512 bytes a file
            assert program.process.wait(300) == Exit.CHECK_FAILED
        said = [line for line in program.text.splitlines() if line.startswith("dealwire: ")]
    assert len(said) == 1
    assert "journal.sqlite: " in said[0]
    assert "Traceback" not in program.text
    kinds = [json.loads(item.line).get("kind") for item in published(tmp_path)]  # of what is no status: None
    assert "started" in kinds
    assert "stopped" not in kinds, "after a write that failed nothing is written, the stop neither"


@pytest.mark.more
def test_a_second_service_on_the_same_journal_is_refused(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        with Program(file) as program:
            program.wait_for(lambda: "is connected" in program.text)
            code, said = run("--no-console", str(file))
            assert code == Exit.BUSY
            assert said.startswith("dealwire: ")
            assert said.count("\n") == 1
            assert "another program is writing this journal" in said
            program.end()


# ------------------------------------------------------------------ systemd


class Manager:
    """systemd's end of the notify socket."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "notify"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))
        self._socket.settimeout(0.2)
        self.heard: list[dict[str, str]] = []

    def listen(self, seconds: float = 0.0) -> list[dict[str, str]]:
        """Return everything received so far, after listening for `seconds`."""
        end = time.monotonic() + seconds
        while True:
            try:
                text = self._socket.recv(65536).decode()
            except TimeoutError:
                if time.monotonic() >= end:
                    return self.heard
                continue
            self.heard.append(dict(line.split("=", 1) for line in text.splitlines()))

    def close(self) -> None:
        self._socket.close()


@pytest.mark.more
def test_systemd_is_told_and_the_watchdog_is_petted_while_the_owner_turns(tmp_path: Path) -> None:
    manager = Manager(tmp_path)
    environment = {"NOTIFY_SOCKET": str(manager.path), "WATCHDOG_USEC": "10000000"}
    with (
        simulators_here() as addresses,
        Program(write_configuration(tmp_path, addresses), environment=environment) as program,
    ):
        program.wait_for(lambda: any("WATCHDOG" in each for each in manager.listen()))
        before, ready = [
            next(at for at, each in enumerate(manager.heard) if name in each)
            for name in ("EXTEND_TIMEOUT_USEC", "READY")
        ]
        assert before < ready, "more time is asked for before the tables are served"
        program.wait_for(
            lambda: re.search(r"1 table, 2 of 2 lines up", manager.listen()[-1].get("STATUS", "")) is not None
        )
        program.process.send_signal(signal.SIGSTOP)  # the owner is wedged
        manager.listen(0.5)
        before = len(manager.heard)
        assert len(manager.listen(2.5)) == before, "nobody petted the watchdog"
        program.process.send_signal(signal.SIGCONT)
        program.wait_for(lambda: len(manager.listen()) > before)
        assert program.end() == Exit.GOOD
    assert manager.listen()[-1]["STOPPING"] == "1"
    manager.close()


def test_the_unit_and_the_rules_are_printed_for_this_program() -> None:
    printed = CliRunner().invoke(main, ["run", "--print-unit"])
    code, unit = printed.exit_code, printed.stdout
    assert code == Exit.GOOD
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read_string(unit)
    service = parsed["Service"]
    assert service["Type"] == "notify"
    assert service["ExecStart"].endswith("dealwire run /etc/dealwire/%i.toml")
    assert int(service["WatchdogSec"]) > 2, "it is petted every second"
    code, rules = run("--print-udev")
    assert code == Exit.GOOD
    for line in rules.splitlines():
        assert line.startswith(("#", "ACTION", "SUBSYSTEM", "LABEL")) or not line
    assert 'ATTR{latency_timer}="1"' in rules


@pytest.mark.more
def test_without_a_file_a_simulated_table_is_served() -> None:
    command = [*ORDERLY, "run", "--no-console", "--speed", "50"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        said = ""
        while "table-controller is connected" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        process.send_signal(signal.SIGTERM)
        said += process.stderr.read()
        assert process.wait(300) == Exit.GOOD
    assert "no longer served" in said


@pytest.mark.more
def test_the_demo_says_its_console_first_and_can_stay() -> None:
    command = [sys.executable, "-m", "dealwire", "demo", "--speed", "100", "--stay"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        said = [process.stdout.readline()]
        assert re.match(r"console: http://127\.0\.0\.1:\d+/", said[0])
        while "table-controller is connected" not in said[-1]:
            line = process.stdout.readline()
            assert line, "".join(said)
            said.append(line)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(300) == Exit.INTERRUPTED
    assert any(line.startswith("  identical: ") for line in said)
    assert sum(line.startswith("console: ") for line in said) == 2
    assert "Traceback" not in rest
