"""The unit under a real systemd, in its own computer: what is restarted, what is not, and what it may access.

One guest runs everything in sequence; each test evaluates one part.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from dealwire.cli.exits import Exit
from tests.support.rigs.guest import KERNEL, QEMU, missing_for_guest
from tests.support.rigs.umockdev import ROOT

pytestmark = pytest.mark.hardware

LONGEST_S = 1500
SYSTEMD = Path("/lib/systemd/systemd")


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the facts that the guest reported, by trial."""
    lacks = missing_for_guest() or ("" if SYSTEMD.exists() else "systemd")
    if lacks:
        pytest.skip(f"missing: {lacks}; run: make test-hardware")
    folder = tmp_path_factory.mktemp("systemd")
    words = f"console=ttyS0 quiet mitigations=off panic=-1 rig={ROOT}/tests/hardware/systemd-guest"
    words += f" prefix={sys.base_prefix} packages={sysconfig.get_path('purelib')}"
    host = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap"
    machine = "-accel tcg,thread=multi -machine q35 -cpu max -smp 2 -m 1024 -display none -no-reboot -nic none"
    command = [
        *(QEMU, *machine.split(), "-monitor", "none", "-device", "virtio-serial-pci"),
        *("-kernel", str(KERNEL / "vmlinuz"), "-initrd", str(KERNEL / "initrd.gz"), "-append", words),
        *("-virtfs", host, "-serial", f"file:{folder / 'console'}"),
        *("-chardev", f"file,id=facts,path={folder / 'facts'}", "-device", "virtserialport,chardev=facts,name=facts"),
    ]
    try:
        subprocess.run(command, check=True, timeout=LONGEST_S)
    finally:
        print((folder / "console").read_text(errors="replace")[-6000:])
    told = [json.loads(line) for line in (folder / "facts").read_text().splitlines()]
    assert told[-1]["trial"] == "end", "the guest did not get through"
    return {fact["trial"]: fact for fact in told}


def test_it_is_ready_serves_and_has_its_limits(facts: dict[str, Any]) -> None:
    fact = facts["starts"]
    assert (fact["code"], fact["up"], fact["NRestarts"]) == (0, True, 0)
    assert (fact["core"], fact["descriptors"]) == ("0", "4096")


def test_after_a_kill_it_is_started_again_and_rounds_go_on(facts: dict[str, Any]) -> None:
    assert (facts["killed"]["up"], facts["killed"]["NRestarts"]) == (True, 1)


def test_one_that_hangs_is_ended_by_the_watchdog_and_started_again(facts: dict[str, Any]) -> None:
    fact = facts["hangs"]
    assert (fact["ended"], fact["watchdog"], fact["up"], fact["NRestarts"]) == (True, True, True, 2)


def test_it_stops_whole(facts: dict[str, Any]) -> None:
    fact = facts["stops"]
    assert (fact["code"], fact["ActiveState"], fact["Result"], fact["ExecMainStatus"]) == (0, "inactive", "success", 0)
    assert fact["checks"] == [Exit.GOOD, Exit.GOOD], fact["said"]


@pytest.mark.parametrize(
    ("trial", "code"), [("settings", Exit.USAGE), ("mode", Exit.PERMISSION), ("damaged", Exit.PROTOCOL)]
)
def test_what_a_restart_cannot_cure_is_not_restarted(facts: dict[str, Any], trial: str, code: int) -> None:
    fact = facts[trial]
    assert (fact["ActiveState"], fact["Result"], fact["ExecMainStatus"]) == ("failed", "exit-code", code), fact
    assert fact["NRestarts"] == 0
    assert len(fact["said"]) == 1


def test_a_full_disk_does_not_circle_for_ever(facts: dict[str, Any]) -> None:
    fact = facts["full"]
    assert (fact["ActiveState"], fact["ExecMainStatus"]) == ("failed", Exit.CHECK_FAILED), fact
    assert 4 <= fact["NRestarts"] <= 5
    assert (facts["room again"]["code"], facts["room again"]["up"]) == (0, True)
