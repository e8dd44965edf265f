"""`dealwire device attest` and `device verify --makers`: keys, certificates, lists, and what none of them takes."""

from __future__ import annotations

import contextlib
import random
import stat
from datetime import date, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.attest.firmware import FirmwareList, ListRefused
from dealwire.attest.keys import SigningKey, trusted
from dealwire.cli import main
from dealwire.config.load import load_configuration
from dealwire.journal.errors import KeyProblem
from dealwire.rehearsal.dealt_table import DealtTable
from devices.simulator.identity import Identity
from devices.simulator.unit import Unit
from protocol.tomlfile import TomlFileError
from tests.support.rigs import attested as rig
from tests.support.rigs.serving import simulators_here, write_configuration

SHOE = ("--class", "shoe", "--model", "m", "--serial", "s")
TOMORROW = date.today() + timedelta(days=1)


def run(*args: object) -> Result:
    return CliRunner().invoke(main, ["device", *map(str, args)])


def made(folder: Path, kind: str, name: str) -> Path:
    file = folder / f"{kind}.key"
    assert run("attest", "key", file, "--for", kind, "--name", name).exit_code == 0
    return file


def allowed(folder: Path, image: bytes = rig.IMAGE, *more: object) -> Path:
    (folder / "image.bin").write_bytes(image)
    file, of = folder / "allowed.list", ("--class", "shuffler", "--maker", "dealwire", "--model", "sim-shuffler")
    found = run("attest", "allow", file, "--image", folder / "image.bin", *of, "--version", "1.0.0", *more)
    assert found.exit_code == 0, found.output
    return file


def test_a_device_is_certified_listed_and_verified(tmp_path: Path) -> None:
    maker, laboratory = made(tmp_path, "maker", "dealwire"), made(tmp_path, "list", "laboratory")
    device, facts = tmp_path / "device.id", ("--class", "shuffler", "--model", "sim-shuffler", "--serial", "SIM-0001")
    assert run("attest", "certify", device, "--key", maker, *facts).exit_code == 0
    file = allowed(tmp_path, rig.IMAGE, "--until", TOMORROW)
    assert run("attest", "sign", file, "--key", laboratory).exit_code == 0
    checked = run("attest", "check", file, "--signers", f"{laboratory}.pub")
    assert (checked.exit_code, checked.output.splitlines()[-1]) == (0, "signed by laboratory")
    line = f"sim:shuffler?speed=50&identity={device}"
    trusting = ("--makers", f"{maker}.pub", "--allowed", file, "--signers", f"{laboratory}.pub")
    good = run("verify", line, *trusting)
    assert good.exit_code == 0, good.output
    assert good.output.splitlines()[-1] == "the device has proved its firmware"
    assert '"version": "1.0.0"' in run("verify", line, *trusting, "--json").output
    none = run("verify", "sim:shuffler?speed=50", *trusting)
    assert (none.exit_code, none.output.count("\n")) == (1, 1)
    allowed(tmp_path, b"another")
    (tmp_path / "allowed.list").write_text((tmp_path / "allowed.list").read_text().replace("sim-shuffler", "x"))
    assert run("attest", "sign", file, "--key", laboratory).exit_code == 0
    other = run("verify", line, *trusting)
    assert (other.exit_code, other.output.count("\n")) == (1, 1)
    assert "its firmware (1.0.0, 5 bytes, SHA-256 92521fc3cbd964bd) is not on list 2" in other.output


def test_firmware_that_changed_while_the_device_ran_is_not_verified(tmp_path: Path) -> None:
    units: list[Unit] = []

    def prepare(table: DealtTable) -> None:
        rig.identified(table)
        units.extend(unit for unit in table.units.values() if isinstance(unit, Unit))

    rig.write_trust(tmp_path)
    with simulators_here(prepare=prepare) as (addresses,):
        for unit in units:
            unit.image = b"1.0.0 with a back door"
        found = run("verify", addresses["shuffler"], "--makers", tmp_path / "makers.pub")
    assert found.exit_code == 1
    assert "the device is not attested: its firmware is not the one that it started with" in found.output


def test_the_certificate_is_the_one_that_the_page_describes(tmp_path: Path) -> None:
    maker = tmp_path / "maker.key"
    maker.write_text(f"tdp-maker-key {'01' * 32} dealwire\n")
    maker.chmod(0o600)
    key, facts = rig.device_key(0), ("--class", "shuffler", "--model", "sim-shuffler", "--serial", "SIM-0001")
    printed = run("attest", "certify", "--key", maker, *facts, "--public", rig.public_half(key).hex())
    assert bytes.fromhex(printed.output) == rig.public_half(key) + rig.certificate(key, "shuffler")
    device = tmp_path / "device.id"
    device.write_text(Identity(rig.SECRET, bytes([100]) * 32).text)
    device.chmod(0o600)
    assert run("attest", "certify", device, "--key", maker, *facts).exit_code == 0
    assert Identity.read(device) == rig.identity(0, "shuffler"), "its keys stay"


def test_the_list_is_the_one_that_the_page_describes(tmp_path: Path) -> None:
    laboratory = tmp_path / "list.key"
    laboratory.write_text(f"tdp-list-key {'03' * 32} laboratory\n")
    laboratory.chmod(0o600)
    today = date.today()
    file = allowed(tmp_path, rig.IMAGE, "--from", today, "--until", TOMORROW)
    assert run("attest", "sign", file, "--key", laboratory).exit_code == 0
    wanted = rig.list_text(1, [rig.image_line("shuffler")], first=today, last=TOMORROW)
    assert file.read_text() == wanted
    assert run("attest", "sign", file, "--key", laboratory).exit_code == 0
    assert file.read_text() == wanted, "signed again, it is the same"
    allowed(tmp_path)
    assert file.read_text().startswith(f"tdp-firmware-list 2 {today} {TOMORROW}\n")
    assert "signed" not in file.read_text(), "a changed list is not signed"


def test_private_files_are_private_and_nothing_secret_is_shown(tmp_path: Path) -> None:
    maker = made(tmp_path, "maker", "Acme")
    seed = SigningKey.load(maker, "maker").seed.hex()
    assert stat.S_IMODE(maker.stat().st_mode) == 0o600
    facts = ("--class", "shuffler", "--model", "m", "--serial", "s")
    assert run("attest", "certify", tmp_path / "device.id", "--key", maker, *facts).exit_code == 0
    assert stat.S_IMODE((tmp_path / "device.id").stat().st_mode) == 0o600
    secrets = [seed, *(tmp_path / "device.id").read_text().split()[1:3]]
    for file in ("maker.key", "maker.key.pub", "device.id"):
        shown = run("attest", "show", tmp_path / file)
        assert shown.exit_code == 0
        assert not [secret for secret in secrets if secret in shown.output]
    assert seed not in (tmp_path / "maker.key.pub").read_text()
    maker.chmod(0o640)
    refused = run("attest", "certify", tmp_path / "device.id", "--key", maker, *facts)
    assert (refused.exit_code, "others may use it (mode 0640)" in refused.output) == (5, True)


def test_a_list_that_does_not_hold_is_1_and_a_file_that_is_no_list_is_2(tmp_path: Path) -> None:
    made(tmp_path, "list", "laboratory")
    allowed(tmp_path, rig.IMAGE, "--until", TOMORROW)
    (tmp_path / "words").write_text("no list")
    ends = {"allowed.list": 1, "words": 2, "none": 2, "list.key": 2}
    for name, code in ends.items():
        found = run("attest", "check", tmp_path / name, "--signers", tmp_path / "list.key.pub")
        assert (found.exit_code, found.output.count("\n")) == (code, 1), found.output
        assert str(tmp_path / name) in found.output


@pytest.mark.parametrize(
    ("args", "why"),
    [
        (("key", "maker.key", "--for", "maker", "--name", "Acme"), "exists; a key is never overwritten"),
        (("key", "x", "--for", "maker", "--name", "a name of 17 byte"), "must be 1 to 16 printable ASCII characters"),
        (
            ("certify", "--key", "maker.key", *SHOE),
            "give IDENTITY or --public",
        ),
        (
            ("certify", "x", "--key", "list.key", *SHOE),
            "the private key of who signs lists, not the private key of a maker; allowed: 'tdp-maker-key KEY NAME'",
        ),
        (
            ("certify", "--key", "maker.key", *SHOE, "--public", "00"),
            "64 hexadecimal",
        ),
        (("sign", "maker.key", "--key", "list.key.pub"), "only the public half of a key; give the file of the private"),
        (
            ("sign", "maker.key", "--key", "maker.key"),
            "the private key of a maker, not the private key of who signs lists",
        ),
        (
            ("check", "allowed.list", "--signers", "list.key"),
            "the private key of who signs lists, not the public key of who signs lists",
        ),
        (("sign", "maker.key", "--key", "list.key"), "not a list of firmware; allowed: 'tdp-firmware-list NUMBER"),
        (("sign", "none", "--key", "list.key"), "list cannot be read: No such file or directory"),
        (("check", "allowed.list", "--signers", "list.key.pub"), "it is not signed; allowed: 'signed KEY SIGNATURE'"),
        (("check", "allowed.list", "--signers", "maker.key.pub"), "'tdp-list-public KEY NAME'"),
        (("show", "image.bin"), "neither a key, an identity, nor a list of firmware"),
    ],
)
def test_what_does_not_fit_is_one_line(tmp_path: Path, args: tuple[str, ...], why: str) -> None:
    made(tmp_path, "maker", "Acme")
    made(tmp_path, "list", "laboratory")
    allowed(tmp_path, rig.IMAGE, "--until", TOMORROW)
    known = {each.name for each in tmp_path.iterdir()} | {"x", "none"}
    found = run("attest", *(tmp_path / each if each in known else each for each in args))
    assert found.exit_code in (1, 2)
    assert why in found.output
    assert "Traceback" not in found.output


def test_a_new_list_needs_its_last_day(tmp_path: Path) -> None:
    (tmp_path / "i").write_bytes(b"x")
    of = ("--image", tmp_path / "i", *["--class", "shoe", "--maker", "a", "--model", "b", "--version", "c"])
    assert "a new list needs --until" in run("attest", "allow", tmp_path / "l", *of).output
    late = run("attest", "allow", tmp_path / "l", *of, "--until", "2020-01-01")
    assert "--until 2020-01-01 is before the first day" in late.output
    assert not (tmp_path / "l").exists()


def test_keys_and_lists_of_garbage_are_refused(tmp_path: Path) -> None:
    """Damaged copies of each: refused with the errors that the commands print, or of the same content."""
    file, rng = tmp_path / "file", random.Random(35)
    keys, good = f"tdp-list-public {rig.public_half(rig.SIGNER).hex()} laboratory\n".encode(), rig.list_text().encode()
    file.write_bytes(keys)
    signers = trusted(file, "list")
    file.write_bytes(good)
    whole = FirmwareList.load(file, signers)
    for _ in range(200):
        data = bytearray(good)
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(data))
            data[at : at + rng.randrange(3)] = rng.randbytes(rng.randrange(3))
        file.write_bytes(data)
        with contextlib.suppress(ListRefused):
            assert FirmwareList.load(file, signers) == whole
        spoiled = bytearray(keys)
        spoiled[rng.randrange(len(spoiled))] = rng.randrange(256)
        file.write_bytes(spoiled)
        with contextlib.suppress(KeyProblem):
            assert len(trusted(file, "list")) == 1


@pytest.mark.parametrize(
    ("more", "why"),
    [
        (
            'without = ["table-1/shoe"]',
            "no device table-1/shoe; there are table-1/shuffler, table-1/controller",
        ),
        ('without = ["shoe"]', "attestation.without"),
        ("each-minutes = -1", "attestation.each-minutes"),
        ("", "table-1/controller is a recording and cannot prove its firmware; add it to without"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(tmp_path: Path, more: str, why: str) -> None:
    at = {"shuffler": "tcp://127.0.0.1:1", "table-controller": f"replay:{__file__}"}
    file = write_configuration(tmp_path, [at], top=rig.write_trust(tmp_path, more=f"{more}\n"))
    with pytest.raises(TomlFileError) as caught:
        load_configuration(file)
    text = "\n".join([str(caught.value), *map(str, getattr(caught.value, "__notes__", []))])
    assert why in text


def test_a_day_in_another_form_is_one_line_that_shows_how_to_write_it(tmp_path: Path) -> None:
    (tmp_path / "image.bin").write_bytes(rig.IMAGE)
    of = ("--class", "shuffler", "--maker", "dealwire", "--model", "sim-shuffler", "--version", "1.0.0")
    found = run("attest", "allow", tmp_path / "a.list", "--image", tmp_path / "image.bin", *of, "--until", "31.12.2099")
    assert found.exit_code == 2
    assert "'--until': must be a day such as 2027-01-31, not '31.12.2099'; see" in found.stderr
    assert not (tmp_path / "a.list").exists()
