"""Notifications to systemd while a service starts, and its units' handling of the exit codes."""

from __future__ import annotations

import configparser
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

import dealwire
from dealwire.cli.exits import Exit, explain
from dealwire.cli.system_files import advice, shipped
from dealwire.journal import errors as journal
from dealwire.service.notify import PATIENCE_S, Notifier
from protocol.errors import DealwireError, LineAbsent, LineBusy
from protocol.tomlfile import TomlFileError

SECOND = 1_000_000_000
SERVICE, RECORD = "dealwire@.service", "dealwire-record@.service"
CONSOLE = "dealwire-console@.service"
SINCE_254 = {"RestartSteps", "RestartMaxDelaySec"}
"""Keys that an older systemd says it ignores."""
NO_SYSTEMD = "systemd-analyze is not installed (apt install systemd)"
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason=NO_SYSTEMD)


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """systemd's end of the notify socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as end:
        end.bind(str(tmp_path / "notify"))
        end.setblocking(False)
        yield end


def heard(end: socket.socket) -> list[str]:
    found = []
    while True:
        try:
            found.append(end.recv(4096).decode())
        except BlockingIOError:
            return found


def test_more_time_is_asked_for_in_microseconds(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    notifier.extend(2.5)
    assert heard(manager) == ["EXTEND_TIMEOUT_USEC=2500000"]
    notifier.close()


def test_a_start_that_gets_on_asks_once_a_second(manager: socket.socket) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": manager.getsockname()})
    asks = f"EXTEND_TIMEOUT_USEC={PATIENCE_S * 1_000_000}"
    for now_ns in range(0, 3 * SECOND, SECOND // 100):
        notifier.keep_waiting(now_ns)
    assert heard(manager) == [asks] * 3
    notifier.keep_waiting(SECOND)  # a clock that was set back must not silence it
    assert heard(manager) == [asks]
    notifier.close()


def test_without_systemd_no_time_is_asked_for() -> None:
    notifier = Notifier({})
    notifier.keep_waiting(0)
    notifier.extend(1)
    notifier.close()


# ------------------------------------------------------------------ the units


def unit(name: str) -> configparser.ConfigParser:
    parsed = configparser.ConfigParser(strict=False, interpolation=None)
    parsed.optionxform = str  # type: ignore[assignment, method-assign]
    parsed.read_string(resources.files("dealwire.service").joinpath("files", name).read_text(encoding="utf-8"))
    return parsed


def prevented(name: str) -> set[int]:
    return {int(code) for code in unit(name)["Service"]["RestartPreventExitStatus"].split()}


HERE = Path("/j")


@pytest.mark.parametrize(
    ("error", "restarted"),
    [
        (TomlFileError(HERE, 3, "seats", "unknown key"), False),
        (journal.KeyProblem(HERE, "no key in it"), False),
        (journal.KeyUnsafe(HERE, 0o644), False),
        (journal.KeyUnknown(HERE, 1, "aa"), False),
        (journal.SealingUnavailable(HERE), False),
        (journal.JournalDamaged(HERE, 7, "its hash is another"), False),
        (journal.JournalForeign(HERE, "text"), False),
        (journal.JournalNewer(HERE, 9, 1), False),
        (journal.JournalInaccessible(HERE, "no rights", 13), False),
        (journal.JournalInaccessible(HERE, "read-only", 30), False),
        (journal.JournalUnwritable(HERE, "disk full"), True),
        (journal.JournalBusy(HERE), True),
        (LineBusy("tcp:8420"), True),
        (LineAbsent("/dev/x", "gone"), True),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, DealwireError) else str(value),
)
def test_what_a_restart_cannot_cure_is_not_restarted(error: DealwireError, restarted: bool) -> None:
    code, _ = explain(error)
    assert (code not in prevented(SERVICE)) == restarted


def test_a_good_end_and_a_crash_are_as_systemd_has_them() -> None:
    assert unit(SERVICE)["Service"]["Restart"] == "on-failure"
    assert not prevented(SERVICE) & {Exit.GOOD, Exit.CHECK_FAILED, Exit.BUSY}


def test_a_circle_of_quick_failures_ends() -> None:
    found = unit(SERVICE)
    service, limits = found["Service"], found["Unit"]
    burst, interval_s = int(limits["StartLimitBurst"]), int(limits["StartLimitIntervalSec"])
    first_s, most_s, steps = (int(service[name]) for name in ("RestartSec", "RestartMaxDelaySec", "RestartSteps"))
    waits_s = sum(first_s * (most_s / first_s) ** min(number / steps, 1) for number in range(burst))
    assert waits_s + burst * 10 < interval_s, "a start that fails within 10 s must count towards the limit"
    wedged_s = 30 + int(service["WatchdogSec"])
    assert burst * wedged_s > interval_s, "a line that wedges again and again must not end the other tables"


@pytest.mark.parametrize("name", [SERVICE, RECORD])
def test_neither_unit_leaves_a_core_or_runs_out_of_descriptors_first(name: str) -> None:
    found = unit(name)
    assert found["Service"]["LimitCORE"] == "0"
    assert int(found["Service"]["LimitNOFILE"]) >= 1024
    assert "time-sync.target" in found["Unit"]["After"]
    assert "time-sync.target" in found["Unit"]["Wants"]


@needs_systemd
@pytest.mark.parametrize("name", [SERVICE, RECORD, CONSOLE])
def test_systemd_finds_nothing_wrong_with_a_unit(name: str, tmp_path: Path) -> None:
    program = tmp_path / "dealwire"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = resources.files("dealwire.service").joinpath("files", name).read_text(encoding="utf-8")
    file = tmp_path / name.replace("@", "@pit")
    must_be_a_unit(file, text.replace("/usr/local/bin/dealwire", str(program)))


@needs_systemd
@pytest.mark.parametrize("name", [SERVICE, RECORD, CONSOLE])
def test_a_unit_leaves_its_service_little_to_harm(name: str, tmp_path: Path) -> None:
    """By systemd's own count, of 10; the recorder's, which writes faces to a file, as the tables'."""
    (file := tmp_path / name).write_text(shipped(name))
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(file)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "unrecognized option" in done.stderr:
        pytest.skip("not here: systemd-analyze is of a version before 250, which reads no file")
    found = re.search(r"Overall exposure level for .*: ([0-9.]+)", done.stdout)
    assert found is not None, done.stderr
    assert float(found[1]) <= 2.0


def test_the_recorder_s_unit_keeps_what_the_tables_unit_keeps() -> None:
    ours, theirs = unit(RECORD)["Service"], unit(SERVICE)["Service"]
    words = ("Protect", "Private", "Restrict", "SystemCall", "Lock", "Memory", "Capability", "Device")
    keeps = [key for key in theirs if key.startswith(words)]
    assert len(keeps) >= 18
    assert {key: ours.get(key) for key in keeps} == {key: theirs[key] for key in keeps}


def test_the_console_s_unit_keeps_as_much_and_has_no_device_and_no_key() -> None:
    ours, theirs = unit(CONSOLE)["Service"], unit(SERVICE)["Service"]
    words = ("Protect", "Private", "Lock", "Memory", "Capability", "DevicePolicy", "NoNew", "UMask", "LimitCORE")
    keeps = [key for key in theirs if key.startswith(words)]
    assert len(keeps) >= 17
    assert {key: ours.get(key) for key in keeps} == {key: theirs[key] for key in keeps}
    assert "DeviceAllow" not in ours
    assert ours["PrivateDevices"] == "yes"
    assert ours["User"] not in (theirs["User"], theirs["Group"])
    assert "SupplementaryGroups" not in ours
    assert {*ours["RestrictAddressFamilies"].split()} < {*theirs["RestrictAddressFamilies"].split()}
    assert ours["InaccessiblePaths"] == "-/etc/dealwire/journal.key"
    assert prevented(CONSOLE) == {Exit.USAGE, Exit.PERMISSION}


@needs_systemd
def test_the_tables_unit_with_a_console_s_settings_is_a_unit(tmp_path: Path) -> None:
    program = tmp_path / "dealwire"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    text = f"{shipped(SERVICE)}\n{shipped('dealwire-console.conf')}"
    must_be_a_unit(tmp_path / "dealwire@pit.service", text.replace("/usr/local/bin/dealwire", str(program)))


def test_the_recorder_does_not_take_the_tables_folder() -> None:
    """A state folder of a dynamic user is given to that user, with everything in it."""
    assert unit(RECORD)["Service"]["DynamicUser"] == "yes"
    assert unit(RECORD)["Service"]["StateDirectory"] != unit(SERVICE)["Service"]["StateDirectory"]


# ------------------------------------------------------------------ where the program is


@pytest.mark.parametrize(
    ("name", "path", "why"),
    [
        (SERVICE, "/home/a/.venv/bin/dealwire", "is below /home, which ProtectHome=yes hides"),
        (SERVICE, "/root/.local/bin/dealwire", "is below /root, which ProtectHome=yes hides"),
        (SERVICE, "/tmp/x/bin/dealwire", "is below /tmp, which PrivateTmp=yes hides"),
        (RECORD, "/var/tmp/x/bin/dealwire", "is below /var/tmp, which DynamicUser=yes hides"),
        (SERVICE, "/opt/dealwire/bin/dealwire", ""),
        (RECORD, "/home/a/.venv/bin/dealwire", "is below /home, which ProtectHome=yes hides"),
        (RECORD, "/opt/dealwire/bin/dealwire", ""),
        (SERVICE, "/homes/a/dealwire", ""),
    ],
)
def test_a_program_that_a_unit_hides_is_told(name: str, path: str, why: str) -> None:
    said = advice(shipped(name), [Path(path)])
    assert bool(said) == bool(why)
    assert why in "".join(said[:1])
    assert [line for line in said if "sudo python3 -m venv /opt/dealwire" in line] == said[1:2]


def test_a_folder_that_others_may_not_enter_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    unit = shipped(RECORD).replace("DynamicUser", "").replace("PrivateTmp", "")
    assert "which other users may not enter" in advice(unit, [tmp_path / "x"])[0]


@pytest.mark.more
def test_a_unit_that_is_printed_in_a_hidden_place_warns_and_is_a_unit(tmp_path: Path) -> None:
    """A real environment below /tmp, as somebody makes it who tries the program."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    (lib,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (lib / "all.pth").write_text(f"{Path(dealwire.__file__).parents[1]}\n{sysconfig.get_path('purelib')}\n")
    program = tmp_path / "venv" / "bin" / "dealwire"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for command, name in ((["run", "--print-unit"], SERVICE), (["doctor", "--systemd"], RECORD)):
        done = subprocess.run(
            [str(program.with_name("python")), "-m", "dealwire", *command], capture_output=True, text=True, check=True
        )
        assert f"WARNING: a service cannot start this program: {program} is below /tmp" in done.stderr
        assert done.stdout.startswith("# WARNING: a service cannot start this program: ")
        assert str(program) in re.findall(r"ExecStart=.*", done.stdout)[0]
        if shutil.which("systemd-analyze") is None:
            pytest.skip(NO_SYSTEMD)
        must_be_a_unit(tmp_path / name.replace("@", "@pit"), done.stdout)


def must_be_a_unit(file: Path, text: str) -> None:
    """systemd has nothing against it, but what it does not know yet."""
    file.write_text(text)
    done = subprocess.run(["systemd-analyze", "verify", str(file)], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if file.name in line]
    known = re.compile(rf"Unknown key (name )?'({'|'.join(SINCE_254)})'")
    assert not [line for line in complaints if not known.search(line)], done.stderr


@needs_systemd
def test_systemd_finds_what_is_wrong_with_a_unit(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="protect home"):
        must_be_a_unit(tmp_path / "a.service", shipped(SERVICE).replace("ProtectHome=yes", "ProtectHome=maybe"))
