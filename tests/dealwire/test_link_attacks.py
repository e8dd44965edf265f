"""Attacks on the keys of sealed lines and on the trust of an attestation: files that others may change, commands at the
same time, key logs that cannot be written, secrets in texts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dealwire.attest.keys import SigningKey
from dealwire.attest.trust import Trust
from dealwire.config.schema import AttestationPart
from dealwire.journal.errors import KeyProblem, KeyUnsafe
from dealwire.service.line_keys import LineKeys, PairedDevice, key_log
from devices.simulator.identity import Identity
from devices.transport.tls import try_files
from protocol.errors import LineUnusable
from protocol.tdp.messages import Capability, HelloReplyMessage, Role
from tests.dealwire.test_sealed_tables import LINES, dealing, keyed, sealed_configuration
from tests.support.rigs.authorities import Site
from tests.support.rigs.links import hello_reply
from tests.support.rigs.serving import opened, run_until


def paired(name: str, key: int = 1) -> PairedDevice:
    return PairedDevice(name, bytes([key]) * 32, "-", Role.OPERATE, "2026-11-30")


def hello() -> HelloReplyMessage:
    return hello_reply(0x1001, capabilities=Capability.SEALING, highest_minor=4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    LineKeys.read_or_make(tmp_path / "keys").add(paired("Test/Pair/1"))
    return tmp_path / "keys"


@pytest.mark.parametrize("mode", [0o666, 0o664, 0o646])
def test_devices_that_others_may_change_are_not_trusted(folder: Path, mode: int) -> None:
    (folder / "devices.keys").chmod(mode)
    with pytest.raises(KeyUnsafe, match=rf"others may change it \(mode {mode:04o}\)"):
        LineKeys.read(folder)


@pytest.mark.parametrize(("name", "key", "why"), [("Test/Pair/1", 2, "in it twice"), ("Test/Pair/2", 1, "has the key")])
def test_a_name_or_a_key_that_stands_twice_is_refused(folder: Path, name: str, key: int, why: str) -> None:
    with (folder / "devices.keys").open("a") as file:
        file.write(f"tdp-device {name} {bytes([key]).hex() * 32} - operate 2026-11-30\n")
    with pytest.raises(KeyProblem, match=f"devices.keys:2: .*{why}"):
        LineKeys.read(folder)


def test_a_device_that_is_forgotten_during_a_pairing_stays_forgotten(folder: Path) -> None:
    pairing, forgetting = LineKeys.read(folder), LineKeys.read(folder)
    forgetting.forget("Test/Pair/1")
    pairing.add(paired("Test/Pair/2", 2))
    assert list(LineKeys.read(folder).devices) == ["Test/Pair/2"]


def test_two_pairings_at_once_keep_both_devices(folder: Path) -> None:
    pairings = LineKeys.read(folder), LineKeys.read(folder)
    for number, each in enumerate(pairings, 2):
        each.add(paired(f"Test/Pair/{number}", number))
    assert list(LineKeys.read(folder).devices) == ["Test/Pair/1", "Test/Pair/2", "Test/Pair/3"]


def test_a_device_that_was_paired_with_the_host_key_of_before_is_not_kept(folder: Path) -> None:
    pairing = LineKeys.read(folder)
    LineKeys.read(folder).rotate()
    with pytest.raises(KeyProblem, match="renewed meanwhile; pair the device again"):
        pairing.add(paired("Test/Pair/2", 2))
    assert not LineKeys.read(folder).devices


def test_a_running_service_lets_no_device_in_that_was_forgotten(folder: Path) -> None:
    running = LineKeys.read(folder)
    assert running.find(hello()) == bytes([1]) * 32
    LineKeys.read(folder).forget("Test/Pair/1")
    with pytest.raises(KeyError, match="is not paired with this host"):
        running.find(hello())


def test_no_text_of_keys_has_a_secret(folder: Path) -> None:
    keys, identity, signing = LineKeys.read(folder), Identity.new(), SigningKey.new("maker", "dealwire")
    text = f"{keys!r} {identity!r} {signing!r}"
    for secret in (keys.own, identity.secret, identity.seed, signing.seed):
        assert repr(secret)[2:-1] not in text
        assert secret.hex() not in text


@pytest.mark.parametrize("kind", ["pipe", "link", "folder"])
def test_a_key_log_that_is_no_file_is_refused_at_the_start(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "keys.log"
    {"pipe": os.mkfifo, "folder": os.mkdir, "link": lambda at: os.symlink(tmp_path / "elsewhere", at)}[kind](path)
    with pytest.raises(KeyProblem, match="key log cannot be written"):
        key_log(path)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.more
def test_a_key_log_that_can_no_longer_be_written_stops_no_table(tmp_path: Path) -> None:
    keyed(tmp_path)
    with dealing(tmp_path, "--identity", str(tmp_path / "ids")) as addresses:
        file = sealed_configuration(tmp_path, addresses)
        file.write_text(file.read_text().replace(LINES, f'{LINES}key-log = "keys.log"\n'))
        service, listener = opened(file)
        with service:
            (tmp_path / "keys.log").unlink(missing_ok=True)
            (tmp_path / "keys.log").mkdir()
            run_until(service, lambda: len(listener.of("settlement")) >= 1)


def test_makers_that_others_may_change_are_not_trusted(tmp_path: Path) -> None:
    makers = SigningKey.new("maker", "dealwire").write(tmp_path / "maker.key")
    signers = SigningKey.new("list", "lab").write(tmp_path / "lab.key")
    makers.chmod(0o666)
    part = AttestationPart(makers=makers, signers=signers, allowed=tmp_path / "firmware.list")
    with pytest.raises(KeyUnsafe, match=r"maker\.key\.pub: others may change it"):
        Trust(part, tmp_path / "journal").opened()


def tls_line(site: Site) -> str:
    client = site.client()
    return f"tls://127.0.0.1:9?ca={site.ca}&cert={client.cert}&key={client.key}"


def test_a_client_key_of_a_line_that_others_may_read_is_refused(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    address = tls_line(site)
    try_files(address)
    key = Path(address.partition("&key=")[2])
    key.chmod(0o644)
    with pytest.raises(LineUnusable, match=rf"{key.name}: others may use it \(mode 0644\)"):
        try_files(address)


def test_a_list_of_revoked_certificates_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    site = Site(tmp_path / "site")
    address = tls_line(site)
    revoked = Path(site.ca).with_suffix(".crl")
    revoked.unlink(missing_ok=True)
    try_files(address)
    revoked.symlink_to("nowhere")
    with pytest.raises(LineUnusable, match=rf"{revoked.name}: No such file"):
        try_files(address)
