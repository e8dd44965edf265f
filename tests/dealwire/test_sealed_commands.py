"""Sealed lines of `dealwire record`, `monitor`, `bench` and `device pair`, with devices in the program or beside it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.cli.exits import explain
from dealwire.service.line_keys import LineKeys, PairedDevice
from protocol.errors import SealRequired
from protocol.tdp.messages import Role
from tests.dealwire.test_sealed_tables import DoorProgram, dealing, doors, keyed

__all__ = ["doors"]  # the fixture

TABLE = """
[[table]]
name = "table-1"
procedure = "flushes-gone-wild.co"
[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "sim:shuffler"
[[table.device]]
name = "controller"
kind = "table-controller"
address = "sim:table-controller"
"""
NAME = "dealwire/sim-shuffler/SIM-0001"


def run(*args: str) -> Result:
    return CliRunner().invoke(main, [*args])


def paired(folder: Path, *more: str) -> tuple[str, str]:
    """Pair with a simulated shuffler. Return its address and the folder of the keys."""
    line, keys = f"sim:shuffler?speed=50&identity={folder / 'shuffler.identity'}", str(folder / "line-keys")
    done = run("device", "pair", line, "--keys", keys, *more)
    assert done.exit_code == 0, done.output
    return line, keys


# ------------------------------------------------------------------ devices in the program


def test_a_simulated_device_is_paired_by_one_command_and_sealed_from_then_on(tmp_path: Path) -> None:
    line, keys = paired(tmp_path)
    assert [each.name for each in LineKeys.read(Path(keys)).devices.values()] == [NAME]
    assert (tmp_path / "shuffler.identity").stat().st_mode & 0o777 == 0o600
    seen = run("monitor", "--shuffler", line, "--keys", keys, "-n", "5", "--json")
    assert seen.exit_code == 0, seen.output
    assert json.loads(seen.stdout.splitlines()[0])["fields"]["serial"] == "SIM-0001"
    measured = run("device", "verify", line, "--keys", keys)
    assert measured.exit_code == 0, measured.output


@pytest.mark.parametrize(
    "command",
    [("device", "meters"), pytest.param(("monitor", "-T", "3", "--shuffler"), marks=pytest.mark.more)],
)
def test_a_device_that_demands_a_seal_is_one_line_that_names_the_options(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    line, _ = paired(tmp_path)
    refused = run(*command, line)
    assert refused.exit_code == 6
    (said,) = refused.stderr.splitlines()
    assert "takes only sealed frames" in said
    assert said.endswith("options for the keys: --keys, --sealed-keys of bench")
    assert explain(SealRequired())[1].endswith("--sealed-keys of bench")


def test_a_simulated_device_without_keys_names_the_way_that_works(tmp_path: Path) -> None:
    refused = run("device", "pair", "sim:shuffler", "--keys", str(tmp_path / "line-keys"))
    assert refused.exit_code == 2
    assert "add identity=FILE" in refused.stderr
    assert not (tmp_path / "line-keys").exists()
    bench = run("bench", "--simulated", "--sealed-keys", paired(tmp_path)[1])
    assert bench.exit_code == 2
    assert "give --shuffler 'sim:shuffler?identity=FILE'" in bench.stderr


def test_a_simulated_device_is_benched_over_a_sealed_line(tmp_path: Path) -> None:
    line, keys = paired(tmp_path, "--role", "service")
    done = run("bench", "link", "--shuffler", line, "--sealed-keys", keys, "--unattended", "--only", "session.again")
    assert done.exit_code == 0, done.output
    assert "pass  session.again" in done.stdout


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--shuffler", "sim:shuffler", "--in-clear", "shuffler"), "--in-clear needs --keys"),
        (("--shuffler", "sim:shuffler", "--keys", "K", "--in-clear", "shoe"), "--in-clear shoe: there is no such line"),
        (("--shoe", "sim:shoe", "--shoe-dialect", "bee-tek", "--keys", "K"), "add --in-clear shoe"),
    ],
)
def test_lines_that_cannot_be_sealed_are_one_line(tmp_path: Path, options: tuple[str, ...], why: str) -> None:
    keys = str(LineKeys.read_or_make(tmp_path / "line-keys").folder)
    refused = run("monitor", *(keys if each == "K" else each for each in options))
    assert (refused.exit_code, why in refused.stderr) == (2, True), refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_the_keys_can_be_those_that_a_configuration_names(tmp_path: Path) -> None:
    line, keys = paired(tmp_path)
    file = tmp_path / "table.toml"
    file.write_text(f'schema = "dealwire.table/1"\n[journal]\npath = "j.sqlite"\n[lines]\nkeys = "line-keys"\n{TABLE}')
    done = run("device", "meters", line, "--keys", str(file))
    assert done.exit_code == 0, done.output
    listed = [run("device", "keys", "list", "--keys", each).stdout for each in (keys, str(file))]
    assert listed[0] == listed[1] != ""
    file.write_text(f'schema = "dealwire.table/1"\n[journal]\npath = "j.sqlite"\n{TABLE}')
    for text, why in ((file.read_text(), "names no keys"), ("schema = 1", "table.toml")):
        file.write_text(text)
        refused = run("monitor", "--shuffler", line, "--keys", str(file))
        assert (refused.exit_code, why in refused.stderr) == (2, True), refused.stderr
        assert len(refused.stderr.splitlines()) == 1


def test_one_line_can_stay_in_clear_beside_a_sealed_one(tmp_path: Path) -> None:
    line, keys = paired(tmp_path)
    both = ("--shuffler", line, "--controller", "sim:table-controller", "--keys", keys)
    seen = run("monitor", *both, "--in-clear", "controller", "-n", "12", "--json")
    assert seen.exit_code == 0, seen.output
    assert {json.loads(each)["device"] for each in seen.stdout.splitlines()} == {"shuffler", "controller"}


# ------------------------------------------------------------------ what is recorded


def recorded(tmp_path: Path, addresses: dict[str, str], *options: str) -> bytes:
    file = tmp_path / "recording.pcapng"
    lines = ("--shuffler", addresses["shuffler"], "--controller", addresses["table-controller"])
    done = run("record", *lines, "-o", str(file), "--rounds", "1", "--overwrite", *options)
    assert done.exit_code == 0, done.output
    return file.read_bytes()


@pytest.mark.more
def test_a_recording_of_sealed_lines_holds_what_the_links_saw_and_no_key(tmp_path: Path) -> None:
    keys = keyed(tmp_path)
    ids = tmp_path / "ids"
    with dealing(tmp_path, "--identity", str(ids)) as addresses:
        data = recorded(tmp_path, addresses, "--keys", str(keys.folder))
    replayed = run("replay", str(tmp_path / "recording.pcapng"))
    assert replayed.exit_code == 0, replayed.output
    assert "round 1" in replayed.stdout.lower()
    secrets = [keys.own, *(bytes.fromhex((ids / f"{each}.identity").read_text().split()[1]) for each in addresses)]
    assert len(secrets) == 3
    for secret in secrets:
        assert secret not in data
        assert secret.hex().encode() not in data
    shown = run("decode", str(tmp_path / "recording.pcapng"))
    assert "SealAnswer" not in shown.stdout


# ------------------------------------------------------------------ the role that is granted


@pytest.mark.more
def test_the_role_that_a_person_limited_is_listed_beside_the_one_that_was_wanted(
    doors: DoorProgram, tmp_path: Path
) -> None:
    folder, line = str(tmp_path / "keys"), doors.addresses["shuffler"]
    doors.type("pair shuffler observe")
    code = str(doors.line()["shows"]).removeprefix("pairing code ")
    done = run("device", "pair", line, "--code", code, "--sas", "none", "--keys", folder, "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["role"], said["wanted"]) == ("observe", "operate")
    listed = run("device", "keys", "list", "--keys", folder)
    assert "  observe (wanted operate)  " in listed.stdout
    (device,) = LineKeys.read(Path(folder)).devices.values()
    assert (device.role, device.wanted) == (Role.OBSERVE, Role.OPERATE)


def test_roles_are_kept_as_they_are_and_a_role_that_is_none_is_refused(tmp_path: Path) -> None:
    keys = LineKeys.read_or_make(tmp_path)
    made = [
        PairedDevice("maker/model/1", bytes([1]) * 32, "-", Role.OPERATE, "2026-11-30"),
        PairedDevice("maker/model/2", bytes([2]) * 32, "-", Role.OBSERVE, "2026-11-30", Role.SERVICE),
        PairedDevice("maker/model/3", bytes([3]) * 32, "-", None, "2026-11-30", Role.OPERATE),
    ]
    for each in made:
        keys.add(each)
    file = tmp_path / "devices.keys"
    assert [line.split()[4] for line in file.read_text().splitlines()] == ["operate", "observe/service", "-/operate"]
    assert [*LineKeys.read(tmp_path).devices.values()] == made
    listed = run("device", "keys", "list", "--keys", str(tmp_path))
    assert "  not known (wanted operate)  " in listed.stdout
    for wrong in ("-", "observe/", "/operate", "boss/operate"):
        file.write_text(f"tdp-device maker/model/1 {'11' * 32} - {wrong} 2026-11-30\n")
        assert run("device", "keys", "list", "--keys", str(tmp_path)).exit_code == 2
