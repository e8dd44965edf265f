"""The reference device in C with keys from its maker: the certificate in HELLO-REPLY, and the measurement signed by the
certified key."""

import hashlib
import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from tests.support.rigs.firmware import BUILD, PATIENCE_S, ROOT, Asked, make, order, program
from tests.support.rigs.sealed_host import SealedHost, public_key

pytestmark = pytest.mark.firmware

OWN, SEED, MAKER, HOST = (bytes([number]) * 32 for number in (1, 2, 3, 4))
IMAGE = Random(5).randbytes(5000)
FIXED = 117
"""Bytes of HELLO-REPLY before its extensions."""
TEXTS = struct.pack("<B16s16s16s", m.DeviceClass.TABLE_CONTROLLER, b"dealwire", b"tdp-controller", b"TDP-0001")
CERTIFIED = Ed25519PrivateKey.from_private_bytes(SEED).public_key().public_bytes_raw()


@pytest.fixture(autouse=True)
def built() -> None:
    make("sanitized")


def identity(folder: Path, signature: str | None = None) -> Path:
    """A maker's file with the keys of the table controller."""
    maker = Ed25519PrivateKey.from_private_bytes(MAKER)
    signed = maker.sign(b"TDP device" + TEXTS + CERTIFIED).hex() if signature is None else signature
    file = folder / "identity"
    file.write_text(f"tdp-identity {OWN.hex()} {SEED.hex()} {signed}\n")
    file.chmod(0o600)
    return file


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "image").write_bytes(IMAGE)
    given = {"image": tmp_path / "image", "identity": identity(tmp_path)}
    with program("table-controller", tmp_path, **given) as line:
        yield line


def measured(host: SealedHost, nonce: bytes) -> bytes:
    """Challenge the device; return the payload of *Measured*, opened if the line is sealed."""
    host.say(m.VerifyMessage(nonce, m.Region.FIRMWARE))
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for body in host.bodies():
            opened = host.to_host.open(body) if body[1] & 0x80 and host.to_host else body
            if opened[2] == m.Kind.LINK and opened[6:8] == b"\7\0":
                return opened[8:]
    raise AssertionError("no Measured")


def holds(payload: bytes, session: int, nonce: bytes, image: bytes = IMAGE) -> None:
    """The bytes of the specification, and the signature over them."""
    fields = struct.pack("<I16sBB", session, nonce, 0, 1) + hashlib.sha256(nonce + image).digest()
    extension = struct.pack("<I", len(image)) + hashlib.sha256(image).digest() + public_key(OWN)
    assert payload[:54] == fields
    assert payload[54:56] == bytes([2, 132])
    assert payload[56:124] == extension
    signer = Ed25519PublicKey.from_public_bytes(CERTIFIED)
    signer.verify(payload[124:], b"TDP measured" + fields + extension)
    with pytest.raises(InvalidSignature):
        signer.verify(payload[124:], b"TDP measured" + fields[:-1] + b"?" + extension)
    assert len(payload) == 188


def test_the_certificate_stands_in_hello_reply(device: str) -> None:
    with SealedHost(device, HOST) as host:
        payload = host.introduced()
        assert payload[FIXED : FIXED + 2] == bytes([3, 96])
        assert payload[FIXED + 2 : FIXED + 34] == CERTIFIED
        maker = Ed25519PrivateKey.from_private_bytes(MAKER).public_key()
        texts = payload[8:9] + payload[21:69]
        assert texts == TEXTS
        maker.verify(payload[FIXED + 34 :], b"TDP device" + texts + CERTIFIED)
        assert len(payload) == 215
        capabilities = m.Capability(int.from_bytes(payload[9:13], "little"))
        assert capabilities & m.Capability.ATTESTATION
        assert capabilities & m.Capability.SEALING


def test_a_measurement_is_signed_in_clear(device: str) -> None:
    with SealedHost(device, HOST) as host:
        session = host.greet().session
        host.booted(session)
        for _ in range(3):
            nonce = Random().randbytes(16)
            holds(measured(host, nonce), session, nonce)


def test_a_measurement_is_signed_on_a_sealed_line_by_the_device_that_it_is_sealed_with(
    device: str, tmp_path: Path
) -> None:
    with Asked(device) as plain:
        plain.booted(plain.greet().session)
        plain.hear(m.StateChangedMessage)
    assert order(tmp_path / "control", "table-setup 1") == "ok"
    with SealedHost(device, HOST) as host:
        assert host.pair(order(tmp_path / "control", "pair 2")) == public_key(OWN)
        host.hear(m.ControllerStatusMessage)
        session = host.greet().session
        host.booted(session)
        nonce = bytes(range(16))
        holds(measured(host, nonce), session, nonce)


def test_an_image_of_one_portion_is_signed_too(tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(b"small")
    given = {"image": tmp_path / "image", "identity": identity(tmp_path)}
    with program("table-controller", tmp_path, **given) as line, SealedHost(line, HOST) as host:
        session = host.greet().session
        host.booted(session)
        holds(measured(host, bytes(16)), session, bytes(16), b"small")


def test_a_handshake_waits_for_a_signature_and_the_other_way_round(device: str, tmp_path: Path) -> None:
    """They share a work space; neither spoils the other."""
    with Asked(device) as plain:
        plain.booted(plain.greet().session)
        plain.hear(m.StateChangedMessage)
    assert order(tmp_path / "control", "table-setup 1") == "ok"
    with SealedHost(device, HOST) as host:
        key = host.pair(order(tmp_path / "control", "pair 2"))
        host.hear(m.ControllerStatusMessage)
        session = host.greet().session
        host.booted(session)
        noise, call = host.call(key)
        host.send(encode(call))
        nonce = bytes(range(16))
        holds(measured(host, nonce), session, nonce)
        answer = host.answered(call, m.SealAnswerMessage)
        noise.read_message(answer.ephemeral + answer.tag)
        host.use(noise)
        holds(measured(host, nonce), session, nonce)


def test_without_a_certificate_nothing_is_signed(tmp_path: Path) -> None:
    file = identity(tmp_path, "-")
    with program("table-controller", tmp_path, identity=file) as line, SealedHost(line, HOST) as host:
        assert len(host.introduced()) == FIXED
        hello = host.greet()
        assert not hello.capabilities & m.Capability.ATTESTATION
        host.booted(hello.session)
        assert len(measured(host, bytes(16))) == 54


@pytest.mark.parametrize(
    "wrong", ["", "tdp-identity\n", "tdp-identity {0} {0}\n", "tdp-identity {0} {0} -", "x {0} {0} -\n"]
)
def test_a_file_that_is_no_identity_is_refused_in_one_line(wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "identity"
    file.write_text(wrong.format(OWN.hex()))
    file.chmod(0o600)
    assert "not an identity" in refused(file)


def test_an_identity_that_others_may_read_is_refused(tmp_path: Path) -> None:
    file = identity(tmp_path)
    file.chmod(0o640)
    assert "chmod 600" in refused(file)
    assert "No such file" in refused(tmp_path / "none")


def refused(file: Path) -> str:
    words = [BUILD / "tdp-device-sanitized", "shoe", "--identity", file]
    done = subprocess.run(words, capture_output=True, text=True, timeout=20, cwd=file.parent)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


# ------------------------------------------------------------------ with the project's own commands


def ran(folder: Path, *words: str) -> tuple[int, str]:
    """Run `dealwire device` with these words; return its exit code, and what it printed."""
    command = [sys.executable, "-m", "dealwire", "device", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=PATIENCE_S, env=environment)
    return done.returncode, done.stdout + done.stderr


def laboratory(folder: Path) -> None:
    """A maker certifies the device, and a laboratory allows its image."""
    named = ("--class", "table-controller", "--maker", "dealwire", "--model", "tdp-controller")
    (folder / "image").write_bytes(IMAGE)
    for words in (
        ("attest", "key", "maker.key", "--for", "maker", "--name", "dealwire"),
        ("attest", "certify", "own.identity", "--key", "maker.key", *named[:2], *named[4:], "--serial", "TDP-0001"),
        ("attest", "key", "lab.key", "--for", "list", "--name", "laboratory"),
        ("attest", "allow", "list", "--image", "image", *named, "--version", "1.0.0", "--until", "2099-12-31"),
        ("attest", "sign", "list", "--key", "lab.key"),
    ):
        code, said = ran(folder, *words)
        assert code == 0, said


ASKED = ("--makers", "maker.key.pub", "--allowed", "list", "--signers", "lab.key.pub")


def test_the_commands_of_maker_laboratory_and_house_prove_it_and_refuse_its_clone(tmp_path: Path) -> None:
    """The clone has the device's names and its image, and no certified key; the last device has other firmware."""
    laboratory(tmp_path)
    image, own = tmp_path / "image", tmp_path / "own.identity"
    with program("table-controller", tmp_path, image=image, identity=own) as line:
        code, said = ran(tmp_path, "verify", line, *ASKED)
        assert code == 0, said
    with program("table-controller", tmp_path, image=image, identity=identity(tmp_path)) as line:
        code, said = ran(tmp_path, "verify", line, *ASKED)
        assert code != 0, said
        assert "its certificate is not one of its maker for dealwire tdp-controller TDP-0001" in said
    other = tmp_path / "other"
    other.write_bytes(IMAGE[:-1] + b"!")
    with program("table-controller", tmp_path, image=other, identity=own) as line:
        code, said = ran(tmp_path, "verify", line, *ASKED)
        assert code != 0, said
        assert "its firmware (1.0.0, " in said


def test_the_bench_checks_its_signatures(device: str, tmp_path: Path) -> None:
    hands = f"{sys.executable} -m firmware.qemu.hands {tmp_path / 'control'}"
    words = ["bench", "table-controller", "--controller", device, "--only", "attest.*", "--operator-program", hands]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "dealwire", *words],
        capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE_S, env=environment,
    )  # fmt: skip
    assert "1 of " in done.stdout, done.stdout + done.stderr
    assert "none failed" in done.stdout
