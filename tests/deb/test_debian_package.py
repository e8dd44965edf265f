"""The Debian package under a real systemd, in a machine of its own: installed, upgraded, removed, purged.

One machine does all of it, one thing after the other; each test judges one of them. `make test-deb` runs it, as root.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.reading.guides import blocks
from tests.test_locks import PROJECT

pytestmark = pytest.mark.hardware

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build/deb"
VERSION = PROJECT["project"]["version"]
NEW, OLD = ROOT / f"dist/dealwire_{VERSION}_amd64.deb", BUILT / "dealwire_0.0.9_amd64.deb"
LONGEST_S = 1500
UNIT = """[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/usr/bin/python3 /rig/debian_rig.py
StandardOutput=append:/facts/log
StandardError=append:/facts/log
"""


def typed() -> dict[str, Any]:
    """Return the guide's commands for the package, up to the first settled round."""
    page = (ROOT / "docs/guides/install.md").read_text(encoding="utf-8")
    part = page[page.index("## The Debian package") : page.index("### Upgrade")]
    set_up, serves, own = (block for block in blocks(part) if block.language == "sh")
    assert [block.use for block in (set_up, serves, own)] == ["left out", "background", "left out"]
    commands = set_up.text.replace("apt install", "apt-get install -y").splitlines()
    return {"set up": commands, "serves": serves.text.strip(), "own table": own.text.splitlines()}


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the machine's facts, by trial."""
    needed = (NEW, OLD, BUILT / "root/usr/bin")
    lacks = [str(path.relative_to(ROOT)) for path in needed if not path.exists()]
    if lacks or shutil.which("systemd-nspawn") is None or os.geteuid() != 0:
        pytest.skip(f"missing: {', '.join(lacks) or 'systemd-nspawn, or root'}; run: make test-deb")
    folder = tmp_path_factory.mktemp("machine")
    told, packages = folder / "facts", folder / "packages"
    told.mkdir()
    packages.mkdir()
    shutil.copy(OLD, packages / "old.deb")
    shutil.copy(NEW, packages)
    (packages / "new.deb").symlink_to(NEW.name)
    (packages / "guide.json").write_text(json.dumps(typed()))
    (folder / "rig.service").write_text(UNIT)
    binds = {told: "/facts", packages: "/packages", Path(__file__).parent: "/rig"}
    command = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--volatile=overlay", "--private-network"]
    command += [f"--bind{'' if path == told else '-ro'}={path}:{at}" for path, at in binds.items()]
    command += [
        f"--bind-ro={folder / 'rig.service'}:/etc/systemd/system/rig.service",
        "-D",
        str(BUILT / "root"),
        "--boot",
    ]
    command += ["systemd.wants=rig.service", "--show-status=no"]
    try:
        with (folder / "console").open("wb") as console:
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console, timeout=LONGEST_S)
    finally:
        if (told / "log").exists():
            print((told / "log").read_text(errors="replace")[-6000:])
    found = [json.loads(line) for line in (told / "facts").read_text().splitlines()]
    assert found[-1]["trial"] == "end", "the machine did not get through"
    return {fact["trial"]: fact for fact in found}


def test_systemd_is_the_first_process(facts: dict[str, Any]) -> None:
    assert facts["booted"]["pid_1"] == "systemd\n"


def test_from_an_empty_machine_to_a_settled_round_in_the_console(facts: dict[str, Any]) -> None:
    fact = facts["first round"]
    assert (fact["code"], fact["settled"]) == (0, True), fact["said"]
    assert fact["commands"] == 2
    print(f"installed after {fact['installed_s']:.0f} s, a settled round in the console after {fact['seconds']:.0f} s")


def test_without_a_journal_purge_leaves_nothing(facts: dict[str, Any]) -> None:
    fact = facts["purged unused"]
    assert (fact["code"], fact["left"], fact["users"]) == (0, [], [])


def test_a_table_is_served_by_its_own_user(facts: dict[str, Any]) -> None:
    fact = facts["serves"]
    assert (fact["checked"], fact["code"], fact["up"]) == (0, 0, True), fact["said"]
    assert fact["owner"] == "dealwire"
    assert {*fact["groups"]} == {"dealwire", "dialout", "dealwire-console"}
    assert [*fact["modes"].values()] == ["750", "700", "600", "600"]


def test_an_upgrade_in_the_middle_of_a_round_resumes_there(facts: dict[str, Any]) -> None:
    assert facts["old"]["version"] == "dealwire, version 0.0.9\n"
    fact, after = facts["upgraded"], facts["goes on"]
    assert (fact["code"], fact["middle"], fact["up"], fact["other"]) == (0, True, True, True), fact["said"]
    assert (fact["version"], fact["NRestarts"]) == (f"dealwire, version {VERSION}\n", "0")
    assert after["further"], after["journal"]
    numbers = [each["number"] for each in after["rounds"]]
    assert numbers == [*range(1, len(numbers) + 1)]
    (under_way,) = fact["under_way"]
    assert under_way["end_ns"] is None, "it was stopped between two rounds"
    (resumed,) = (each for each in after["rounds"] if each["number"] == under_way["number"])
    assert resumed["outcome"] == "complete"
    print(f"the table was down for {fact['down_s']:.1f} s")


def test_the_journal_holds_across_the_upgrade(facts: dict[str, Any]) -> None:
    assert facts["goes on"]["code"] == 0
    assert facts["goes on"]["checks"] == [0, 0], facts["goes on"]["said"]


def test_the_files_of_the_technician_stay(facts: dict[str, Any]) -> None:
    assert facts["upgraded"]["example"]


def test_unit_and_rules_are_the_text_that_the_program_prints(facts: dict[str, Any]) -> None:
    assert facts["goes on"]["same"] == {"unit": True, "udev": True}


def test_removed_it_serves_no_more_and_keeps_what_is_not_its_own(facts: dict[str, Any]) -> None:
    fact = facts["removed"]
    assert (fact["code"], fact["ActiveState"], fact["opt"]) == (0, "inactive", False), fact["said"]
    assert (fact["journal"], fact["table"]) == (True, True)


def test_purge_leaves_journals_with_their_keys_and_owner_and_says_so(facts: dict[str, Any]) -> None:
    fact = facts["purged"]
    assert fact["code"] == 0
    assert "journals in /var/lib/dealwire stay" in fact["said"]
    assert fact["same"], "the journal is another"
    journals = {path for path in fact["left"] if path.startswith("/var/lib/dealwire/")}
    assert "/var/lib/dealwire/pit.journal" in journals
    assert {*fact["left"]} - journals == {"/etc/dealwire", "/etc/dealwire/journal.key", "/var/lib/dealwire"}
    assert len(fact["users"]) == 2, "the group of the console's user may read journals that stay"


def test_a_table_of_ones_own_is_served_by_what_the_guide_says(facts: dict[str, Any]) -> None:
    fact = facts["own table"]
    assert len(fact["codes"]) == 4
    assert ({*fact["codes"]}, fact["up"]) == ({0}, True), fact["said"]


def test_another_build_has_the_same_bytes(tmp_path: Path) -> None:
    if not NEW.exists():
        pytest.skip(f"missing: {NEW.relative_to(ROOT)}; run: make test-deb")
    elsewhere = {**os.environ, "TMPDIR": str(tmp_path)}
    words = [str(ROOT / ".ci/build-deb"), sys.prefix, str(ROOT), VERSION, str(tmp_path / "again")]
    subprocess.run(["/bin/sh", "-c", 'umask 077; exec "$@"', "sh", *words], check=True, env=elsewhere, cwd=tmp_path)
    assert (tmp_path / "again" / NEW.name).read_bytes() == NEW.read_bytes()
