"""C programs that test the core of the reference device from inside, under both sanitizers: a power cut at each byte of
the store, full or blank memory, grouping of saved data, the board's main loop on a busy line."""

import re
import shutil
import subprocess
from collections import defaultdict

import pytest

from firmware.qemu.board import QEMU
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


COUNTING = ["-M", "mps2-an385", "-display", "none", "-nodefaults", "-icount", "shift=10"]
SAYING = ["-chardev", "stdio,id=said", "-semihosting-config", "enable=on,target=native,chardev=said"]
WORK = re.compile(r"[\w-]+: (.+): line (\d+) bytes; store (\d+) reads of (\d+) bytes, (\d+) written; (\d+) instruct.*")


def test_the_work_of_a_call_is_what_the_contract_says() -> None:
    """Bytes and reads are exact; instructions, which depend on the compiler, may be a few fewer."""
    if shutil.which(QEMU) is None:
        pytest.skip(f"{QEMU} is not installed (make test-firmware does)")
    make("counted")
    image = BUILD / "mps2-an385/counted/work.bin"
    done = subprocess.run([QEMU, *COUNTING, *SAYING, "-kernel", image], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    counted = defaultdict[str, list[int]](lambda: [0] * 5)
    for found in map(WORK.fullmatch, done.stdout.splitlines()):
        assert found is not None, done.stdout
        counted[found[1]] = [max(pair) for pair in zip(counted[found[1]], map(int, found.groups()[1:]), strict=True)]
    contract = (ROOT / "firmware/README.md").read_text().partition("| call | bytes on the line |")[2]
    stated = {}
    for row in contract.partition("\n\n")[0].splitlines()[2:]:
        name, *numbers = (cell.strip() for cell in row.strip("|").split("|"))
        stated[name] = [int(number.replace(",", "")) for number in numbers]
    assert {name: work[:4] for name, work in counted.items()} == {name: work[:4] for name, work in stated.items()}
    for name, (*_, instructions) in counted.items():
        assert 0.9 * stated[name][4] <= instructions <= stated[name][4], (name, instructions)
