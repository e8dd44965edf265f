"""Filters of the dissector in real tshark: a name means one thing, and the same thing at every start."""

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from dealwire.wireshark.folders import DISSECTOR
from tests.support.oracles.tshark import LUA, ROOT, alone, needs_tshark, run

CLEAN = ROOT / "captures" / "clean-3.pcapng"


def numbers(path: Path, wanted: str) -> list[int]:
    """The packets that a filter shows."""
    return [int(each) for each in run("-r", path, "-Y", wanted, "-T", "fields", "-e", "frame.number").split()]


def listed(what: str, tmp_path: Path) -> list[str]:
    """Return the entries of `tshark -G` for our protocols, one after the other: Wireshark takes those in any order."""
    place = tmp_path / "plugins" / DISSECTOR
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(LUA.read_bytes())
    command = [needs_tshark(), "-G", what]
    done = subprocess.run(command, capture_output=True, text=True, env=alone(tmp_path), check=True)
    ours = ("tdp.", "angel_eye.", "bee_tek.", "dealwire.")
    found = [line for line in done.stdout.splitlines() if any(f"\t{name}" in line for name in ours)]
    return [line for name in ours for line in found if f"\t{name}" in line]


@pytest.mark.more
def test_a_name_is_registered_once_and_in_the_same_order_at_every_start(tmp_path: Path) -> None:
    fields = listed("fields", tmp_path)
    names = Counter(line.split("\t")[2] for line in fields)
    assert len(names) > 150
    assert not [name for name, count in names.items() if count > 1]
    values = listed("values", tmp_path)
    assert not [row for row, count in Counter(tuple(each.split("\t")[:3]) for each in values).items() if count > 1]
    for _ in range(4):
        assert listed("fields", tmp_path) == fields


@pytest.mark.more
def test_a_state_by_its_name_is_the_same_at_ten_starts() -> None:
    found = {tuple(numbers(CLEAN, 'tdp.state.shuffler == "LOADED"')) for _ in range(10)}
    assert found == {(9, 13, 75)}
    assert numbers(CLEAN, "tdp.state == 3 && tdp.state.shuffler") == [9, 13, 75]
    shown = run("-r", CLEAN, "-Y", "frame.number == 13", "-O", "tdp")
    assert shown.count("LOADED (3)") == 2
    assert "State: 3" not in shown, "the number under the bare name is not shown beside it"


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("wanted", "shows"),
    [
        ('tdp.kind == "EVENT" && tdp.card == "AS"', False),
        ('tdp.door_open == "closed"', True),
        ("tdp.lamps.red == 0 && tdp.in_tray == 0", True),
        ('tdp.meter.device == "ROUNDS"', False),
    ],
)
def test_names_and_numbers_are_both_taken(wanted: str, shows: bool) -> None:
    assert bool(numbers(CLEAN, wanted)) == shows
