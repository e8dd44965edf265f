"""Text from a device, a file or its name never moves the cursor of a reader's terminal, nor starts a line of a log."""

from __future__ import annotations

import ast
import contextlib
import json
import logging
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dealwire.cli.doctor import systemd_unit
from dealwire.cli.system_files import udev_rules
from dealwire.cli.terminal import log_lines
from devices.record import pcapng
from protocol.printable import TEXT_MAX, printable, printable_json
from tests.support.broken.hostile_devices import HOSTILE
from tests.support.rigs.serving import write_configuration

ROOT = Path(__file__).parents[2]
CLEAN = ROOT / "captures" / "clean-1.pcapng"
OURS: Final = re.compile(r"\x1b\[[0-9;]*m|\r\x1b\[K")
"""Our own colours, and the line of progress that is written over."""
EVIL: Final = "\x1b]0;PWN\x07\x1b[2J\x9b2J\u202eevil\nline\r\x85\u2028\x7f"
"""The same and what only UTF-8 can say: control characters of 8 bits, letters turned round, other ends of lines."""


@pytest.fixture
def addresses() -> Iterator[dict[str, str]]:
    """A shuffler and a controller of which every text is hostile."""
    command = [sys.executable, "-m", "tests.support.broken.hostile_devices"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())
        finally:
            process.kill()


def on_terminal(*arguments: str, end_at: str = "", timeout_s: float = 300) -> str:
    """Return everything that a command writes to a terminal, on both streams. One that would not end by itself gets
    SIGTERM when it has written `end_at`."""
    ours, its = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "dealwire", *arguments], stdin=its, stdout=its, stderr=its, cwd=ROOT
    )
    os.close(its)
    read, ended = b"", not end_at
    with contextlib.suppress(OSError):  # Linux says EIO when the last writer has gone
        while select.select([ours], [], [], timeout_s)[0] and (piece := os.read(ours, 65536)):
            read += piece
            if not ended and end_at.encode() in read:
                process.send_signal(signal.SIGTERM)
                ended = True
    os.close(ours)
    process.wait(timeout_s)
    return read.decode("utf-8")


def harmless(text: str) -> list[str]:
    """Its lines, in which nothing but printable characters is left once our own colours are taken out."""
    assert text
    lines = OURS.sub("", text).split("\r\n")
    for line in lines:
        assert line.isprintable(), line
    return lines


def flags(addresses: dict[str, str]) -> list[str]:
    return ["--shuffler", addresses["shuffler"], "--controller", addresses["table-controller"]]


# ------------------------------------------------------------------ devices


def test_monitor(addresses: dict[str, str]) -> None:
    lines = harmless(on_terminal("monitor", *flags(addresses), "-n", "30"))
    assert any(rf"serial {printable(HOSTILE)}" in line for line in lines)
    assert all(re.match(r"\d\d:\d\d:\d\d\.\d{3}  (shuffler|controller) ", line) for line in lines if line), lines


@pytest.mark.more
def test_monitor_json_keeps_the_exact_text(addresses: dict[str, str]) -> None:
    lines = harmless(on_terminal("monitor", *flags(addresses), "-n", "30", "--json"))
    found = [json.loads(line) for line in lines if line]
    assert HOSTILE in {each["fields"].get("serial") for each in found}


@pytest.mark.more
def test_record_and_replay(addresses: dict[str, str], tmp_path: Path) -> None:
    capture = str(tmp_path / "evening.pcapng")
    for command in (["record", *flags(addresses), "-o", capture, "--rounds", "1"], ["replay", capture]):
        harmless(on_terminal(*command))
        harmless(on_terminal(*command, "--json", *(["--overwrite"] if command[0] == "record" else [])))


@pytest.mark.more
def test_bench(addresses: dict[str, str], tmp_path: Path) -> None:
    junit, html = tmp_path / "x.xml", tmp_path / "x.html"
    judged = ["bench", "--shuffler", addresses["shuffler"], "--unattended", "--only", "frame.hello"]
    lines = harmless(on_terminal(*judged, "--junit", str(junit), "--html", str(html)))
    assert any(f"serial {printable(HOSTILE)}" in line for line in lines)
    for report in (junit, html):
        assert printable(HOSTILE) in report.read_text()
        assert "\x1b" not in report.read_text()


@pytest.mark.more
def test_run_and_its_journal(addresses: dict[str, str], tmp_path: Path) -> None:
    at = {"shuffler": addresses["shuffler"], "controller": addresses["table-controller"], **addresses}
    file = write_configuration(tmp_path, [at])
    lines = harmless(on_terminal("run", str(file), end_at="controller is connected"))
    assert any("table-1" in line for line in lines)
    journal, key = str(tmp_path / "journal.sqlite"), str(tmp_path / "journal.key")
    for command in (["show"], ["show", "--raw", "--key", key], ["export"], ["verify"]):
        harmless(on_terminal("journal", command[0], journal, *command[1:]))


# ------------------------------------------------------------------ files and names


@pytest.mark.more
def test_names_of_files_and_of_what_is_in_them(tmp_path: Path) -> None:
    evil = EVIL.replace("\x85", "").replace("/", "")
    folder = tmp_path / evil
    folder.mkdir()
    file = folder / f"{evil}.pcapng"
    shutil.copy(CLEAN, file)
    (folder / f"{evil}2.pcapng").write_bytes(CLEAN.read_bytes()[:-5])
    for command in (["replay", str(file)], ["replay", str(folder)], ["replay", str(folder), "--json"]):
        harmless(on_terminal(*command))
    for command in (["check"], ["run", "--check"], ["sim", "--scenario"], ["odds"], ["journal", "verify"]):
        harmless(on_terminal(*command, str(file)))


@pytest.mark.more
@pytest.mark.parametrize("settings", [f"device='{EVIL}'", f"device=shuffler procedure='{EVIL}'", "device=shuffler"])
def test_what_a_recording_says_of_itself(settings: str, tmp_path: Path) -> None:
    file = tmp_path / "evil.pcapng"
    options = pcapng.option(pcapng.IF_NAME, EVIL.encode()) + pcapng.option(pcapng.IF_DESCRIPTION, settings.encode())
    head = pcapng.section_header("t") + pcapng.interface(pcapng.RTAC_SERIAL, options)
    file.write_bytes(head + pcapng.interface(pcapng.RTAC_SERIAL, options.replace(b"evil", b"twin")))
    for command in (["replay", str(file)], ["monitor", "--shuffler", f"replay:{file}"]):
        harmless(on_terminal(*command))


@pytest.mark.more
@pytest.mark.parametrize("command", [["check"], ["run", "--check"], ["games"], ["sim", "--scenario"]], ids=" ".join)
def test_what_a_file_says(command: list[str], tmp_path: Path) -> None:
    file = tmp_path / "evil.toml"
    text = json.dumps(EVIL.replace("\x7f", ""))
    for content in (f"{text} = 1", f"schema = {text}", f"schema = 'dealwire.table/1'\n[[table]]\nname = {text}"):
        file.write_text(content + "\n")
        harmless(on_terminal(*command, str(file)))


@pytest.mark.more
@pytest.mark.parametrize("text", [[], ["--text"]], ids=["json", "text"])
def test_what_a_round_says(text: list[str], tmp_path: Path) -> None:
    lines = on_terminal("replay", str(CLEAN), "--json", "--no-settle").splitlines()
    good = json.loads(next(line for line in lines if '"type":"round"' in line))
    good["seats"][0]["wagers"] |= {EVIL: 5}
    (tmp_path / "rounds").write_text(json.dumps({**good, "table": EVIL}) + "\n" + json.dumps({"schema": EVIL}) + "\n")
    shell = f"{sys.executable} -m dealwire settle {' '.join(text)} < {tmp_path / 'rounds'}"
    ours, its = pty.openpty()
    subprocess.run(["/bin/sh", "-c", shell], stdout=its, stderr=its, cwd=ROOT, check=False)
    harmless(os.read(ours, 65536).decode())
    os.close(its)
    os.close(ours)


# ------------------------------------------------------------------ the functions


def test_printable_is_one_short_line() -> None:
    assert printable("a\x1b\n\x9b\u202e\u2028\x7f\ud800 ä") == r"a\x1b\n\x9b\u202e\u2028\x7f\ud800 ä"
    assert printable("x" * 300) == "x" * TEXT_MAX + " … (100 more)"
    assert printable("x" * 300, None) == "x" * 300


def test_printable_json_says_the_same() -> None:
    said = {"text": "\x7f\x9b\u202e\U000e0001 ä\x00"}
    line = printable_json(json.dumps(said, ensure_ascii=False))
    assert line.isprintable()
    assert json.loads(line) == said


def test_a_log_has_a_line_for_each_record() -> None:
    form = log_lines("%(levelname)s %(message)s")
    record = logging.LogRecord("dealwire", logging.WARNING, "", 1, "%s: lost", (EVIL,), None)
    assert form.format(record).isprintable()
    try:
        raise ValueError(EVIL)
    except ValueError:
        record.exc_info = sys.exc_info()
    first, *more = form.format(record).split("\n")
    assert first.startswith("WARNING ")
    assert all(line.startswith("    ") and line.isprintable() for line in more)


@pytest.mark.parametrize("serial", ["A\nExecStart=/bin/evil", "A %i", "A'b", 'A"b', "\x1b[2J"])
def test_what_is_printed_for_the_system_cannot_be_added_to(serial: str) -> None:
    port = {"name": "/dev/ttyUSB0", "usb": "0403:6001", "serial": serial}
    assert "evil" not in systemd_unit([port]) + udev_rules([port])
    assert "serial-id:SERIAL" in systemd_unit([port])


def test_commands_print_through_one_door() -> None:
    """`echo`, `echo_json` and `say_table` make a text printable; click's own functions print what never came from
    outside: a text written here, JSON of the standard library, which is ASCII, and whole files of ours."""
    ours = {
        "printed",
        "shipped",
        "_shipped",
        "all_sql",
        "udev_rules",
        "udev_rules_of_all",
        "systemd_unit",
        "json.dumps",
        "round_title",
    }
    for path in sorted((ROOT / "dealwire" / "cli").glob("*.py")):
        if path.name == "terminal.py":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("click.echo", "click.secho", "print"):
                argument = node.args[0] if node.args else ast.Constant("")
                known = isinstance(argument, ast.Constant) or (
                    isinstance(argument, ast.Call) and ast.unparse(argument.func) in ours
                )
                parts = argument.values if isinstance(argument, ast.JoinedStr) else []
                calls = [ast.unparse(part.value) for part in parts if isinstance(part, ast.FormattedValue)]
                assert known or (calls and all(call.startswith("printable(") for call in calls)), ast.unparse(node)
