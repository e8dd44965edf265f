"""The whole acceptance plans against the reference device in C, without an operator: as a program under sanitizers, and
on the boards in QEMU."""

import json
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from protocol.tdp import messages as m
from tests.support.rigs import attested
from tests.support.rigs.firmware import BOARDS, ROOT, board, devices, make, order, program
from tests.support.rigs.patience import machine_watched, wait_until

pytestmark = pytest.mark.firmware

OPTION = {"shoe": "--shoe", "table-controller": "--controller", "shuffler": "--shuffler"}
SPEED = 10
"""Speed of the device: a shuffle takes three seconds. The plan waits for motions, and none of its limits is about them.
"""
ROUNDS = 5


LATE = "this machine was late"
LATE_MS = 20
"""Lateness that the bench tolerates before it doubts a failure; the emulator and the program get no more."""
RHYTHM = ("always.status-rhythm", "always.status-on-change", "always.clock-pace")
"""Rules about time alone, checked again while the checks of times are repeated. A board's clock stands while its
emulator does not run for a cycle of the board's counter, 335 or 671 ms."""
TRIES = 6
"""Number of tries: a shared machine is sometimes late, and checks that failed meanwhile are repeated alone."""


NO_ROOM = "a sealed line leaves no room for a frame of 256 bytes"
NO_ROOM_FOR = ["frame.longest", "frame.both-cobs-forms", "frame.too-long"]


def judge(device: str, line: str, control: Path, report: Path, keys: Path | None = None) -> None:
    """Run the device's plan, including the link's, with hands at its control socket; every check is run and passes. On
    a line that is sealed with `keys`, those that want a longer frame than it has room for say so.

    On a machine that was never late a failure counts at once.
    """
    if device == "shuffler":
        assert order(control, f"speed {SPEED}") == "ok"
    only: list[str] = []
    for _ in range(TRIES):
        with machine_watched() as late_ms:
            done, bad = judge_once(device, line, control, report, only, keys)
        in_doubt = [name for name, _ in bad if max(late_ms) > LATE_MS and (name in RHYTHM or "always." not in name)]
        in_doubt += [name for name, why in bad if why.startswith(LATE)]
        failed = [f"{name}: {why}" for name, why in bad if name not in in_doubt]
        assert failed == [], done.stdout[-2000:]
        if not in_doubt:
            break
        print(f"judged again, for the machine was late by {max(late_ms):.0f} ms:", *(f"{n}: {why}" for n, why in bad))
        only = [*{*in_doubt}, *(["timing.*"] if {*RHYTHM} & {*in_doubt} else [])]
    assert not in_doubt, f"too busy to judge, {TRIES} times: {bad}"
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def judge_once(
    device: str, line: str, control: Path, report: Path, only: list[str], keys: Path | None = None
) -> tuple[subprocess.CompletedProcess[str], list[tuple[str, str]]]:
    """Run the whole plan, or some of its checks. Return the process, and the checks that did not pass with their
    reasons.

    The soak check deals only a few rounds, and its report says that the others were not run.
    """
    hands = f"{sys.executable} -m firmware.qemu.hands {control}"
    words = [sys.executable, "-m", "dealwire", "bench", device, OPTION[device], line, "--operator-program", hands]
    words += ["--rounds", str(ROUNDS), "--report", str(report), "--overwrite"]
    words += [word for name in only for word in ("--only", name)]
    words += ["--sealed-keys", str(keys)] if keys else []
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    told = json.loads(report.read_text())
    asked = [each for each in told["checks"] if not only or any(fnmatch(each["id"], name) for name in only)]
    bad = [(each["id"], each["why"]) for each in asked if each["outcome"] != "passed"]
    bad = [(name, why) for name, why in bad if why != "the device has no ATTESTATION"]  # it has no keys of a maker here
    if keys is not None and not only:
        assert [name for name, why in bad if why == NO_ROOM] == NO_ROOM_FOR
    bad = [(name, why) for name, why in bad if keys is None or why != NO_ROOM]
    return done, [(name, why) for name, why in bad if not (name == "soak.rounds" and why.startswith("--rounds"))]


@pytest.mark.parametrize("device", devices())
def test_the_program_passes_its_whole_plan(device: str, tmp_path: Path) -> None:
    make("sanitized")
    with program(device, tmp_path) as line:
        judge(device, line, tmp_path / "control", tmp_path / "report.json")


SETUP = {
    "shoe": ("shoe-setup 1", "shoe-setup 0"),
    "table-controller": ("table-setup 1", "table-setup 0"),
    "shuffler": ("open-setup", "close-setup"),
}
"""Acts by which a person opens a device for pairing, and closes it."""
MODELS = {"shoe": "tdp-shoe", "table-controller": "tdp-controller", "shuffler": "tdp-shuffler"}


@pytest.mark.parametrize("device", devices())
def test_the_program_passes_its_whole_plan_over_a_sealed_line(device: str, tmp_path: Path) -> None:
    """With keys of a maker, so that nothing is left out for want of them."""
    make("sanitized")
    control, keys = tmp_path / "control", tmp_path / "line-keys"
    own = attested.identity(0, device, model=MODELS[device], serial="TDP-0001").text
    (tmp_path / "identity").write_text(own)
    (tmp_path / "identity").chmod(0o600)
    with program(device, tmp_path, identity=tmp_path / "identity") as line:
        opening, closing = SETUP[device]
        wait_until(lambda: order(control, opening) == "ok", "the device in setup")
        code = order(control, f"pair {m.Role.SERVICE:d}")
        words = ["device", "pair", line, "--code", code, "--role", "service", "--sas", "none", "--keys", str(keys)]
        done = subprocess.run([sys.executable, "-m", "dealwire", *words], capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stdout + done.stderr
        assert order(control, closing) == "ok"
        judge(device, line, control, tmp_path / "report.json", keys)


@pytest.mark.parametrize("name", BOARDS)
@pytest.mark.parametrize("device", devices())
def test_the_board_passes_its_whole_plan(device: str, name: str, tmp_path: Path) -> None:
    with board(device, name) as playing:
        judge(device, str(playing.line), playing.control, tmp_path / "report.json")
