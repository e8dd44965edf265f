"""A standard output that fails: one line and an exit code for every command, and no table that stands still for it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import pytest

from dealwire.cli import WITHOUT_OUTPUT, main
from dealwire.cli.exits import Exit
from devices.record.capture import Capture
from tests.support.broken.failing_outputs import KINDS
from tests.support.rigs.serving import Program, published, rounds_in, simulators, write_configuration

pytestmark = pytest.mark.skipif(
    not Path("/dev/full").exists(), reason="not here: a disk that is full needs /dev/full (Linux)"
)

ROOT = Path(__file__).parents[2]
CLEAN = str(ROOT / "captures" / "clean-3.pcapng")
PRINTING: Final[dict[str, list[list[str]]]] = {
    "demo": [[]],
    "run": [["--print-unit"], ["--print-udev"]],
    "list": [[], ["--json"]],
    "games": [[], ["--json"], ["--flatten", "race-to-the-flush"]],
    "check": [["pai-gow.co"], ["--json", "pai-gow.co"]],
    "replay": [[CLEAN], [CLEAN, "--json"], [str(Path(CLEAN).parent)]],
    "odds": [["race-to-the-flush"], ["race-to-the-flush", "--json"]],
    "audit-paytables": [["race-to-the-flush"], ["race-to-the-flush", "--json"]],
    "sim": [["--list"], ["--json"]],
    "fleet sql": [[]],
    "fleet acl": [[]],
    "fleet alerts": [[]],
    "bench": [["--list"], ["shuffler", "--list"], ["shuffler", "--simulated", "--only", "frame.*"]],
    "doctor": [[], ["--json"], ["--udev"], ["--systemd"]],
}
"""By command: arguments with which it prints. Every command prints its help."""


def commands(group: click.Group, *path: str) -> Iterator[list[str]]:
    """Every command, groups too, as it is typed."""
    yield list(path)
    for name in group.list_commands(click.Context(group)):
        found = group.get_command(click.Context(group), name)
        if isinstance(found, click.Group):
            yield from commands(found, *path, name)
        else:
            yield [*path, name]


Asked = list[tuple[list[str], Sequence[str]]]


def ended(asked: Asked) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.broken.failing_outputs"],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert len(found) == sum(len(kinds) for _, kinds in asked)
    return found


@pytest.mark.more
def test_every_command_says_in_one_line_that_nothing_can_be_written() -> None:
    every = list(commands(main))
    assert len(every) > len(PRINTING)
    asked: Asked = [([*path, "--help"], KINDS[:1]) for path in every]
    asked += [(["--help"], KINDS), (["--version"], KINDS)]
    asked += [([*name.split(), *arguments], KINDS) for name, each in PRINTING.items() for arguments in each]
    for each in ended(asked):
        lines = [line for line in each["said"] if not line.startswith("(")]
        if each["output"] == "gone":
            assert (each["code"], lines) == (Exit.GOOD, []), each
        elif each["output"] == "full":
            expected = ["dealwire: cannot write the output: No space left on device"]
            assert (each["code"], lines) == (Exit.CHECK_FAILED, expected), each
        else:
            assert (each["code"], lines) == (Exit.USAGE, ["dealwire: standard output is closed"]), each


def test_what_reads_nothing_fails_too(tmp_path: Path) -> None:
    """As a shell starts them: what has begun is not lost in a buffer."""
    for command, stdin in ((["decode", "--dialect", "tdp"], b"\x01\x02\x00"), (["journal", "key", "new", "k"], b"")):
        arguments = ["sh", "-c", 'exec "$@" > /dev/full', "sh", sys.executable, "-m", "dealwire", *command]
        done = subprocess.run(arguments, input=stdin, capture_output=True, cwd=tmp_path, env={"PYTHONPATH": str(ROOT)})
        assert (done.returncode, done.stderr) == (1, b"dealwire: cannot write the output: No space left on device\n")


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with simulators(scenario="clean-3") as found:
        yield found[0]


OUTPUTS: Final = {
    "> /dev/full": (Exit.CHECK_FAILED, "cannot write the output: No space left on device"),
    "| true": (Exit.GOOD, "the reader of the output has closed it"),
    ">&-": (Exit.GOOD, "standard output is closed"),
}


@pytest.mark.more
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_table_that_is_recorded_goes_on(tmp_path: Path, addresses: dict[str, str], output: str) -> None:
    lines = f"--shuffler {addresses['shuffler']} --controller {addresses['table-controller']}"
    command = (
        f"{sys.executable} -m dealwire record {lines} -o {tmp_path}/r.pcapng --rounds 2 --timeout 200 --json {output}"
    )
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"], capture_output=True, text=True, cwd=ROOT, timeout=300
    )
    code, why = OUTPUTS[output]
    assert done.returncode == code, done.stderr
    begun, lost = done.stderr.splitlines()
    assert begun.startswith("recording shuffler and controller")
    assert lost == f"dealwire: {why}; dealing and recording continue"
    assert Capture.read(tmp_path / "r.pcapng").torn is None
    replayed = subprocess.run(
        [sys.executable, "-m", "dealwire", "replay", "--json", str(tmp_path / "r.pcapng")],
        capture_output=True,
        cwd=ROOT,
    )
    assert json.loads(replayed.stdout.splitlines()[-1])["rounds"] >= 2


def metrics(program: Program) -> dict[str, float]:
    address = next(line.split(": ")[1] for line in program.text.splitlines() if line.startswith("metrics: "))
    with urllib.request.urlopen(address, timeout=300) as answer:
        lines = answer.read().decode().splitlines()
    return {name: float(value) for name, _, value in (line.partition(" ") for line in lines) if "ndjson" in name}


@pytest.mark.more
@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ("exec 2>&1 > /dev/full; ", "No space left on device"),
        ("exec 2>&1 >&-; ", "standard output is closed"),
        ("mkfifo {0}/p; (read x < {0}/p) & exec 2>&1 > {0}/p; ", "the reader has left"),
    ],
    ids=["full", "closed", "a FIFO that was closed"],
)
def test_a_service_says_once_that_its_lines_are_lost(
    tmp_path: Path, addresses: dict[str, str], limit: str, why: str
) -> None:
    top = "[exports]\nndjson = true\n[exports.metrics]\nport = 0\n"
    file = write_configuration(tmp_path, [addresses], top=top)
    with Program(file, "--no-console", limit=limit.format(tmp_path)) as program:
        program.wait_for(lambda: "no more are written, the journal" in program.text)
        program.wait_for(lambda: rounds_in(tmp_path) >= 3)
        figures = metrics(program)
        assert program.end() == Exit.GOOD
    text = f"lines on standard output: {why}; no more are written, the journal has all of them"
    said = [line for line in program.text.splitlines() if text in line]
    assert [("WARNING" in line, "INFO table-1" in line) for line in said] == [(True, False), (False, True)]
    warnings = [line for item in published(tmp_path, "status") if (line := json.loads(item.line))["kind"] == "warning"]
    assert [line["text"] for line in warnings] == [text]
    assert figures["dealwire_ndjson_failed"] == 1
    assert figures["dealwire_ndjson_lost_lines_total"] > 0
    assert "Traceback" not in program.text


def test_what_goes_on_without_an_output_is_a_command() -> None:
    assert set(main.list_commands(click.Context(main))) >= WITHOUT_OUTPUT
