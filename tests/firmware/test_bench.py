"""The whole acceptance plans against the reference device in C, nobody at hand: as a program under sanitizers, and on the
Cortex-M3 that QEMU plays."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.firmware import ROOT, board, devices, make, program

pytestmark = pytest.mark.firmware

OPTION = {"shoe": "--shoe", "table-controller": "--controller", "shuffler": "--shuffler"}


def judge(device: str, line: str, control: Path, report: Path) -> None:
    """Run the device's plan, the link's included, with hands at its control socket; every check is run and passes."""
    hands = f"{sys.executable} -m firmware.qemu.hands {control}"
    words = [sys.executable, "-m", "dealwire", "bench", device, OPTION[device], line, "--hands", hands]
    words += ["--strict", "--report", str(report)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    told = json.loads(report.read_text())
    bad = [f"{each['id']}: {each.get('reason')}" for each in told["checks"] if each["outcome"] != "pass"]
    assert not bad, "\n".join(bad)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("device", devices())
def test_the_program_passes_its_whole_plan(device: str, tmp_path: Path) -> None:
    make("sanitized")
    with program(device, tmp_path) as line:
        judge(device, line, tmp_path / "control", tmp_path / "report.json")


@pytest.mark.parametrize("device", devices())
def test_the_board_passes_its_whole_plan(device: str, tmp_path: Path) -> None:
    with board(device) as playing:
        judge(device, str(playing.line), playing.control, tmp_path / "report.json")
