"""A table whose lines must be sealed: served, restarted, compared; refused with a plain device; keys and commands."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.config.load import load_configuration
from dealwire.journal.errors import KeyProblem, KeyUnsafe
from dealwire.journal.settings import configuration_of
from dealwire.service.line_keys import LineKeys, PairedDevice, key_log, line_keys_of
from dealwire.service.readiness import StartOptions, readiness
from dealwire.service.simulated import simulator
from devices.simulator.unit_seal import UnitSeal
from devices.transport.ciphers import Ciphers
from protocol.errors import DealwireError
from protocol.tdp.messages import Role
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import compared, opened, published, run_until, write_configuration

NAMES = {"shuffler": "sim-shuffler", "table-controller": "sim-table_contro"}
LINES = '[lines]\nkeys = "line-keys"\n'


def keyed(folder: Path, *, paired: bool = True) -> LineKeys:
    """Make the keys of a host and of two simulated devices, which know each other if `paired`."""
    keys = LineKeys.read_or_make(folder / "line-keys")
    (folder / "ids").mkdir(exist_ok=True)
    for device, model in NAMES.items():
        path = folder / "ids" / f"{device}.identity"
        seal = UnitSeal(Ciphers(), path)
        if paired:
            public = Ciphers().public(keys.own).hex()
            path.with_name(f"{path.name}.hosts").write_text(f"tdp-host {public} operate pit-3\n")
        keys.add(PairedDevice(f"dealwire/{model}/SIM-0001", seal.public, "-", Role.OPERATE, "2026-11-30"))
    return keys


@contextmanager
def dealing(folder: Path, *options: str) -> Iterator[dict[str, str]]:
    scenario = ["--scenario", "demo", "--endless", "--speed", "200"]
    with simulator([*scenario, *options]) as addresses:
        yield addresses


def sealed_configuration(folder: Path, addresses: dict[str, str]) -> Path:
    file = write_configuration(folder, [addresses], top=LINES)
    text = file.read_text()
    file.write_text(text.replace('\nkind = "', '\nsealed = "required"\nkind = "'))
    return file


# ------------------------------------------------------------------ served


def test_a_sealed_table_deals_is_restarted_and_its_record_holds_what_the_links_saw(tmp_path: Path) -> None:
    devices = keyed(tmp_path).devices
    short = {name: devices[f"dealwire/{model}/SIM-0001"].key.hex()[:16] for name, model in NAMES.items()}
    with dealing(tmp_path, "--identity", str(tmp_path / "ids")) as addresses:
        file = sealed_configuration(tmp_path, addresses)
        file.write_text(file.read_text().replace(LINES, f'{LINES}key-log = "keys.log"\n'))
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) >= 2)
            table = service.tables["table-1"]
            run_until(service, lambda: all(each.seal for each in table.view(0).devices))
            seals = {each.name: each for each in table.view(0).devices}
        assert {name: (each.seal, each.sealed_with) for name, each in seals.items()} == {
            "shuffler": ("sealed", short["shuffler"]), "controller": ("sealed", short["table-controller"])
        }  # fmt: skip
        again, listener = opened(file)
        with again:
            run_until(again, lambda: len(listener.of("settlement")) >= 1)
    assert compared(tmp_path).difference is None
    assert len(published(tmp_path, "round")) >= 3
    said = [json.loads(each.line) for each in published(tmp_path, "status")]
    opened_lines = [line for line in said if line["kind"] == "line-up"]
    assert {(line["device"], line["sealed"]) for line in opened_lines} == {
        ("shuffler", short["shuffler"]), ("controller", short["table-controller"])
    }  # fmt: skip
    logged = (tmp_path / "keys.log").read_text().splitlines()
    assert len(logged) == 4
    assert (tmp_path / "keys.log").stat().st_mode & 0o777 == 0o600


@pytest.mark.more
def test_a_plain_device_on_a_line_that_must_be_sealed_is_refused_in_one_line(tmp_path: Path) -> None:
    keyed(tmp_path)
    with dealing(tmp_path) as addresses:
        file = sealed_configuration(tmp_path, addresses)
        service, listener = opened(file)
        with service:
            lines = service.tables["table-1"].lines
            run_until(service, lambda: all(line.error is not None for line in lines))
            said = {str(line.error) for line in lines}
        assert said == {
            f"{address}: not sealed: something in clear on this line says that the device offers no sealed line, and "
            "this line requires one"
            for address in addresses.values()
        }
        assert not listener.of("round")


@pytest.mark.more
def test_a_device_with_another_key_than_the_pinned_one_is_refused(tmp_path: Path) -> None:
    keyed(tmp_path)
    with dealing(tmp_path, "--identity", str(tmp_path / "ids")) as addresses:
        file = sealed_configuration(tmp_path, addresses)
        other = Ciphers().public(b"\7" * 32).hex()
        file.write_text(file.read_text() + f'sealed = "required"\n[table.device.pin]\nkey = "{other}"\n'.replace(
            'sealed = "required"\n', "", 1))  # fmt: skip
        service, listener = opened(file)
        with service:
            (controller,) = [line for line in service.tables["table-1"].lines if line.name == "controller"]
            run_until(service, lambda: controller.error is not None)
            assert "says that the call of this host does not open" in str(controller.error)
        assert not listener.of("round")


# ------------------------------------------------------------------ settings


def configuration(folder: Path, **changed: str) -> Path:
    addresses = {"shuffler": "/dev/ttyS0", "table-controller": "/dev/ttyS1"}
    return write_configuration(folder, [addresses], **changed)  # type: ignore[arg-type]


def test_a_table_without_sealed_lines_is_stored_as_before_they_existed(tmp_path: Path) -> None:
    file = configuration(tmp_path)
    stored = json.loads(configuration_of(load_configuration(file).table[0]))
    assert all(set(device) == {"name", "kind", "address", "dialect", "role"} for device in stored["device"])
    file.write_text(file.read_text() + '[table.device.pin]\nserial = "1"\n')
    stored = json.loads(configuration_of(load_configuration(file).table[0]))
    assert set(stored["device"][1]["pin"]) == {"maker", "model", "serial", "firmware", "firmware-digest"}
    assert line_keys_of(load_configuration(file)) is None


def test_a_sealed_line_is_another_table(tmp_path: Path) -> None:
    plain = configuration_of(load_configuration(configuration(tmp_path)).table[0])
    addresses = {"shuffler": "/dev/ttyS0", "table-controller": "/dev/ttyS1"}
    sealed = configuration_of(load_configuration(sealed_configuration(tmp_path, addresses)).table[0])
    assert sealed != plain
    assert json.loads(sealed)["device"][0]["sealed"] == "required"


@pytest.mark.parametrize(
    ("end", "top", "why"),
    [
        ('sealed = "required"\n', "", "a sealed line needs the keys of [lines]; add [lines] with keys = 'FOLDER'"),
        ('sealed = "perhaps"\n', LINES, "'required'"),
        (f'[table.device.pin]\nkey = "{"ab" * 32}"\n', LINES, "add sealed = 'required' to the device"),
        ('sealed = "required"\n[table.device.pin]\nkey = "ab"\n', LINES, "key"),
    ],
)
def test_settings_that_do_not_fit_are_one_line(tmp_path: Path, end: str, top: str, why: str) -> None:
    file = configuration(tmp_path, top=top)
    file.write_text(file.read_text() + end)
    with pytest.raises(DealwireError) as caught:
        load_configuration(file)
    assert why in str(caught.value)


def test_a_service_without_its_keys_does_not_start(tmp_path: Path) -> None:
    addresses = {"shuffler": "/dev/ttyS0", "table-controller": "/dev/ttyS1"}
    service, _ = opened(sealed_configuration(tmp_path, addresses))
    with pytest.raises(KeyProblem, match=r"host\.key"), service:
        pass


def test_the_check_of_a_file_reads_its_keys(tmp_path: Path) -> None:
    addresses = {"shuffler": "/dev/ttyS0", "table-controller": "/dev/ttyS1"}
    file = sealed_configuration(tmp_path, addresses)

    def tried() -> list[tuple[str, str]]:
        return [(each.outcome, each.text) for each in readiness(load_configuration(file), StartOptions())
                if each.what == "lines"]  # fmt: skip

    ((outcome, text),) = tried()
    assert (outcome, "host.key" in text) == ("wrong", True)
    keyed(tmp_path)
    assert tried() == [("ok", f"{tmp_path / 'line-keys'} has the keys of 2 devices")]


# ------------------------------------------------------------------ the folder of keys


def test_a_hosts_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    keys = keyed(tmp_path)
    (keys.folder / "host.key").chmod(0o640)
    with pytest.raises(KeyUnsafe, match="chmod 600"):
        LineKeys.read(keys.folder)


def test_a_key_that_does_not_fit_its_id_and_a_line_that_is_none_are_named(tmp_path: Path) -> None:
    keys = keyed(tmp_path)
    own = keys.folder / "host.key"
    good = own.read_text()
    own.write_text(good.replace(keys.id, "0" * 16))
    with pytest.raises(KeyProblem, match="does not fit its id"):
        LineKeys.read(keys.folder)
    own.write_text(good)
    devices = keys.folder / "devices.keys"
    devices.write_text(devices.read_text() + "tdp-device only-a-name\n")
    with pytest.raises(KeyProblem, match=r"devices.keys:3: not a device's key"):
        LineKeys.read(keys.folder)


def test_the_key_log_is_private_and_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "keys.log"
    log = key_log(path)
    log(b"\1" * 32, b"\2" * 32, b"\3" * 32)
    log(b"\4" * 32, b"\5" * 32, b"\6" * 32)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().splitlines() == [
        f"TDP-SEAL {'01' * 32} {'02' * 32} {'03' * 32}",
        f"TDP-SEAL {'04' * 32} {'05' * 32} {'06' * 32}",
    ]


# ------------------------------------------------------------------ commands


def run(*args: str, typed: str = "") -> Result:
    return CliRunner().invoke(main, ["device", *args], input=typed)


class DoorProgram:
    """`dealwire sim` with keys, in a process of its own, and the person at its doors."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "dealwire", "sim", "--procedure", "flushes-gone-wild.co", "--json"]
        lines = ["--shuffler", "tcp:0", "--controller", "tcp:0", "--identity", str(folder / "ids")]
        self.process = subprocess.Popen([*command, *lines], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addresses: dict[str, str] = self.line()["lines"]

    def line(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def type(self, text: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def code(self) -> str:
        self.type("pair shuffler")
        return str(self.line()["shows"]).removeprefix("pairing code ")

    def end(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=PATIENCE_S)


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[DoorProgram]:
    program = DoorProgram(tmp_path)
    yield program
    program.end()


@pytest.mark.more
def test_a_device_is_paired_used_and_forgotten_by_commands(doors: DoorProgram, tmp_path: Path) -> None:
    folder, line = str(tmp_path / "keys"), doors.addresses["shuffler"]
    assert run("meters", line).exit_code == 0
    done = run("pair", line, "--code", doors.code(), "--sas", "none", "--keys", folder, "--name", "pit-3", "--json")
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["device"] == "dealwire/sim-shuffler/SIM-0001"
    assert doors.line()["shows"] == f"paired, compare {said['short_string']}"
    assert " operate pit-3" in (tmp_path / "ids" / "shuffler.identity.hosts").read_text()
    plain = run("meters", line)
    assert (plain.exit_code, plain.stderr.count("\n")) == (6, 1)
    assert plain.stderr.startswith(f"dealwire: {line}: the device is paired and takes only sealed frames;")
    assert run("meters", line, "--keys", folder).exit_code == 0
    assert run("verify", line, "--keys", folder).exit_code == 0
    listed = run("keys", "list", "--keys", folder)
    assert said["key"] in listed.output
    assert listed.output.splitlines()[0].endswith(", 1 paired device")
    other = run("keys", "forget", "SIM-0002", "--keys", folder)
    assert other.stderr.endswith("'SIM-0002' does not name one paired device; paired: dealwire/sim-shuffler/SIM-0001\n")
    unknown = run("meters", doors.addresses["table-controller"], "--keys", folder)
    assert (unknown.exit_code, "is not paired with this host" in unknown.stderr) == (6, True)
    doors.type("forget shuffler")
    assert doors.line()["shows"] == "forgot its hosts"
    gone = run("meters", line, "--keys", folder)
    assert (gone.exit_code, "does not know this host's key" in gone.stderr) == (6, True)
    assert run("keys", "forget", "SIM-0001", "--keys", folder).exit_code == 0
    assert run("keys", "forget", "SIM-0001", "--keys", folder).exit_code == 2


def test_a_wrong_code_and_a_wrong_string_keep_nothing(doors: DoorProgram, tmp_path: Path) -> None:
    folder, line = tmp_path / "keys", doors.addresses["shuffler"]
    doors.code()
    wrong = run("pair", line, "--code", "0AYW-AHEP-PJW7-Q", "--keys", str(folder))
    assert (wrong.exit_code, "the code is wrong" in wrong.stderr) == (6, True)
    code = doors.code()
    differs = run("pair", line, "--keys", str(folder), typed=f"{code}\nZZZZ-ZZZZ\n")
    assert differs.exit_code == 1
    assert "the short strings differ" in differs.stderr
    assert not (folder / "devices.keys").exists()
    mistyped = run("pair", line, "--code", "0AYW-AHEP-PJW7-0", "--keys", str(folder))
    assert (mistyped.exit_code, "check character does not fit" in mistyped.stderr) == (2, True)
    assert len(mistyped.stderr.splitlines()) == 1


def test_the_string_that_the_device_shows_is_compared(doors: DoorProgram, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dealwire", "device", "pair", doors.addresses["shuffler"]]
    code = doors.code()
    with subprocess.Popen(
        [*command, "--keys", str(tmp_path / "keys"), "--code", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    ) as pair:  # fmt: skip
        shown = str(doors.line()["shows"]).removeprefix("paired, compare ")
        out, err = pair.communicate(f"{shown.lower()}\n", timeout=PATIENCE_S)
    assert pair.returncode == 0, err
    assert f"short string {shown}" in out


def test_a_new_key_of_the_host_means_that_every_device_is_paired_again(tmp_path: Path) -> None:
    keys = keyed(tmp_path)
    done = run("keys", "rotate", "--yes", "--keys", str(keys.folder))
    assert done.exit_code == 0
    assert done.output.count("pair again: ") == 2
    after = LineKeys.read(keys.folder)
    assert after.id != keys.id
    assert after.devices == {}
    refused = run("keys", "rotate", "--keys", str(keys.folder), typed="n\n")
    assert (refused.exit_code, LineKeys.read(keys.folder).id) == (2, after.id)


@pytest.mark.parametrize("args", [("keys", "list"), ("keys", "rotate"), ("meters", "sim:shoe")])
def test_a_folder_without_keys_is_one_line(tmp_path: Path, args: tuple[str, ...]) -> None:
    result = run(*args, "--keys", str(tmp_path / "none"))
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "host.key" in result.stderr
