"""Programs in C that look into the core of the reference device, under both sanitizers: power cut at each byte of the
store, memory that is full or was never written, what is saved with what, the board's main loop on a busy line."""

import subprocess

import pytest

from tests.support.rigs.firmware import BUILD, ROOT, make

pytestmark = pytest.mark.firmware

CHECKS = sorted(path.stem for path in (ROOT / "firmware/checks").glob("*.c") if path.stem != "checks")


@pytest.mark.parametrize("name", CHECKS)
def test_everything_holds(name: str) -> None:
    make("checks")
    done = subprocess.run([BUILD / "checks" / name], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def test_there_is_something_to_check() -> None:
    looked_for = {"power_cut", "migration", "old_session", "committed", "first_power", "long_session", "link", "work"}
    assert looked_for | {"board_loop"} <= {*CHECKS}
