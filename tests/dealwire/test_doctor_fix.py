"""`dealwire doctor --fix`: shown, asked, done, tried again; and what only root may do is only shown."""

from __future__ import annotations

import grp
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import doctor, fixes, main
from dealwire.cli.fixes import Fix, ShellCommand
from dealwire.cli.system_files import RULES, RULES_PATH, rules_of, udev_rules, udev_rules_of_all
from dealwire.host import EXTRAS, check_all, has_libusb
from tests.support.rigs.serving import write_configuration

pytestmark = pytest.mark.more

ROOT = Path(__file__).parents[2]
ABSENT = {"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}
FTDI = {"name": "/dev/ttyUSB0", "usb": "0403:6001", "serial": "A5XK"}
OTHER = {"name": "/dev/ttyACM7", "usb": "1209:0001", "serial": "X1"}


@pytest.fixture(scope="module", autouse=True)
def libusb() -> None:
    """libusb keeps a socket of its own from the first look on."""
    if EXTRAS["usb"].installed:
        has_libusb()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A table whose key and tokens everybody may read."""
    made = write_configuration(tmp_path, [ABSENT], top='[console]\ntokens-file = "tokens.toml"\n')
    (tmp_path / "tokens.toml").write_text('dealer = "0123456789abcdef"\n')
    for name in ("tokens.toml", "journal.key"):
        (tmp_path / name).chmod(0o644)
    return made


def modes(file: Path) -> list[int]:
    return [(file.parent / name).stat().st_mode & 0o777 for name in ("journal.key", "tokens.toml")]


def test_without_a_terminal_it_only_prints(file: Path) -> None:
    result = CliRunner().invoke(main, ["doctor", str(file), "--fix"])
    assert result.exit_code == 1
    for name in ("journal.key", "tokens.toml"):
        assert f"    chmod 600 {file.parent / name}\n  not done\n" in result.stdout
    assert modes(file) == [0o644, 0o644]


def test_a_script_says_yes_to_all(file: Path) -> None:
    result = CliRunner().invoke(main, ["doctor", str(file), "--fix", "--yes"])
    assert result.stdout.count("done and checked") == 2
    assert modes(file) == [0o600, 0o600]
    assert "nothing to fix" in CliRunner().invoke(main, ["doctor", str(file), "--fix"]).stdout


def test_on_a_terminal_each_is_asked(file: Path) -> None:
    ours, its = pty.openpty()
    command = [sys.executable, "-m", "dealwire", "doctor", str(file), "--fix"]
    with subprocess.Popen(command, stdin=its, stdout=subprocess.PIPE, text=True) as process:
        os.write(ours, b"n\ny\n")
        said, _ = process.communicate(timeout=300)
    os.close(its)
    os.close(ours)
    assert said.count("apply this fix? [y/N]") == 2
    assert modes(file) == [0o644, 0o600]


@pytest.mark.parametrize("options", [["--yes"], ["--fix", "--json"]])
def test_what_does_not_go_together_is_refused(options: list[str]) -> None:
    assert CliRunner().invoke(main, ["doctor", *options]).exit_code == 2


def tool(folder: Path, name: str, code: int = 0) -> None:
    """A program of the system's that notes how it was called."""
    path = folder / name
    path.write_text(f'#!/bin/sh\necho "{name} $*" >>{folder}/called\necho "{name}: no" >&2\nexit {code}\n')
    path.chmod(0o755)


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the system's tools, and where its rules are."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(fixes, "RULES_PATH", str(tmp_path / "rules.d" / RULES))
    tool(tmp_path, "udevadm")
    return tmp_path


def of_ports(*ports: dict[str, str]) -> list[Fix]:
    return [fix for fix in fixes.fixes(None, ports) if "udev" in fix.what]


def told(capsys: pytest.CaptureFixture[str], run: Callable[[], None]) -> str:
    run()
    return capsys.readouterr().out


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root may do what puts it right")
def test_the_rules_of_what_is_attached_are_added(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = system / "rules.d" / RULES
    said = told(capsys, lambda: doctor.put_right(of_ports(FTDI), yes=True))
    assert f"tee -a {rules} <<'END'" in said
    assert "done and checked" in said
    assert rules.read_text() == udev_rules([FTDI])
    assert (system / "called").read_text().splitlines() == ["udevadm control --reload", "udevadm trigger"]
    doctor.put_right(of_ports(FTDI, OTHER), yes=True)
    assert rules.read_text() == udev_rules([FTDI]) + udev_rules([OTHER]), "what stands there stays"
    assert of_ports(FTDI, OTHER) == []


def test_a_command_that_fails_is_told(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool(system, "udevadm", 3)
    fix = Fix("x", (ShellCommand(("udevadm", "trigger")),), False, lambda: None)
    assert "failed: udevadm: no" in told(capsys, lambda: doctor.put_right([fix], yes=True))
    fix = Fix("x", (ShellCommand(("no-such-program",)),), False, lambda: "still so")
    assert "no-such-program: No such file" in told(capsys, lambda: doctor.put_right([fix], yes=True))
    fix = Fix("x", (ShellCommand(("true",)),), False, lambda: "still so")
    assert "done, but the problem remains: still so" in told(capsys, lambda: doctor.put_right([fix], yes=True))


def test_what_only_root_can_do_is_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    fix = Fix(
        "x", (ShellCommand(("usermod", "-aG", "dialout", "a b")), ShellCommand(("tee", "f"), "1\n")), True, lambda: "no"
    )
    said = told(capsys, lambda: doctor.put_right([fix], yes=True))
    assert "    sudo usermod -aG dialout 'a b'\n    sudo tee f <<'END'\n    1\n    END\n" in said
    assert "not done: this needs root; type the commands above" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="not here: only root can become somebody else")
def test_a_port_of_a_group_is_opened_by_joining_it() -> None:
    ours, its = os.openpty()
    name = os.ttyname(its)
    os.chmod(name, 0o660)
    os.chown(name, 0, grp.getgrnam("dialout").gr_gid)
    os.seteuid(65534)
    try:
        port = {"name": name, "usb": "", "serial": ""}
        found = list(fixes.fixes(None, [port]))
    finally:
        os.seteuid(0)
        os.close(its)
        os.close(ours)
    assert [(fix.as_root, fix.steps[0].command[:3], fix.then != "") for fix in found] == [
        (True, ("usermod", "-aG", "dialout"), True)
    ]


# ------------------------------------------------------------------ what is listed


def test_extras_and_dialects_are_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = {each.check: [] for each in check_all()} | {"dialect": []}
    for each in check_all():
        found[each.check].append(each.text)
    assert "tdp comes with dealwire" in found["dialect"]
    assert any(text.startswith("console is ") for text in found["extra"])
    info = tmp_path / "beep-1.2.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: beep\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text("[dealwire.dialects]\nbeep = no_such_module:DIALECT\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "beep" in {dist.name for dist in metadata.distributions()}
    added = [each for each in check_all() if each.check == "dialect" and each.text.endswith("from beep 1.2")]
    assert [each.verdict for each in added] == ["warning"], "it cannot be loaded"


def test_an_extra_that_a_file_asks_for_is_bad_when_it_is_missing(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    whole = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "jinja2" else whole(name))
    result = CliRunner().invoke(main, ["doctor", str(file), "--json"])
    items = [json.loads(line) for line in result.stdout.splitlines()]
    extra = [
        (each["verdict"], each["text"]) for each in items if each["check"] == "extra" and "console" in each["text"]
    ]
    assert [verdict for verdict, _ in extra] == ["note", "bad"]
    shown = CliRunner().invoke(main, ["doctor", str(file), "--fix"]).stdout
    assert "-m pip install " in shown
    assert "not installed, but needed: console" in shown


# ------------------------------------------------------------------ one file of rules


def test_the_rules_have_one_name_everywhere() -> None:
    for folder in ("devices", "dealwire", "docs", "tests", "README.md"):
        for path in [ROOT / folder] if folder.endswith(".md") else (ROOT / folder).rglob("*"):
            if path.suffix in (".md", ".py", ".rules", ".service", ".toml") and path != Path(__file__):
                text = path.read_text(encoding="utf-8")
                assert text.count("-dealwire.rules") == text.count(RULES), path


def test_without_an_adapter_an_example_is_shown() -> None:
    lines = udev_rules([]).splitlines()
    assert RULES_PATH in lines[0]
    assert all(line.startswith("#") for line in lines)
    assert any(line.removeprefix("#   ") in rules_of({"usb": "0403:6001", "serial": "A10KZW3X"}) for line in lines)


def test_the_rules_for_all_have_those_of_other_adapters_too() -> None:
    general = udev_rules_of_all([])
    assert udev_rules_of_all([FTDI]) == general
    assert udev_rules_of_all([OTHER]) == general + "\n".join(rules_of(OTHER)) + "\n"
