"""The demonstration on the reference devices in C."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.rigs.firmware import PATIENCE_S, ROOT, make, order, program

pytestmark = pytest.mark.firmware


def test_the_demo_runs_on_the_devices_in_c(tmp_path: Path) -> None:
    """The same hands at the same table yield the same result as on simulated devices."""
    make("host")
    kept = tmp_path / "demo.pcapng"
    words = [sys.executable, "-m", "dealwire", "demo", "--no-wait", "--devices", "firmware", "--keep", str(kept)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert "in C" in done.stdout
    assert "tdp-shuffler" in kept.read_bytes().decode("latin-1")
    rounds = [line for line in done.stdout.splitlines() if line.startswith("Round ")]
    assert [line.rpartition(": ")[2] for line in rounds] == ["complete", "complete", "misdeal"]
    assert "dead  4 cards instead of 5" in done.stdout


def test_the_channel_says_in_which_state_a_device_is(tmp_path: Path) -> None:
    make("host")
    with program("table-controller", tmp_path, "tdp-device"):
        control = tmp_path / "control"
        end = time.monotonic() + PATIENCE_S
        while order(control, "state 1") != "ok" and time.monotonic() < end:
            time.sleep(0.05)
        assert order(control, "state 2") == "no"
        assert order(control, "start-game") == "ok"
        assert (order(control, "state 2"), order(control, "state 1")) == ("ok", "no")
        assert order(control, "reveal 1 1 17 18 19 20 21") == "ok"
