"""Certificates and signed measurements: what is proved, and every way in which it is not."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from devices.attestation import Evidence, Maker, NotAttested, check
from devices.attested import note_text, parse_note
from devices.events import FirmwareAttested
from devices.simulator.identity import Identity, IdentityProblem
from protocol.tdp import Brought, Up
from protocol.tdp import messages as m
from protocol.tdp.attestation import Certificate, Statement
from protocol.tdp.codec import decode, encode
from protocol.tdp.instruments import Instruments, Signer
from tests.support.oracles import vectors_by_hand as by_hand
from tests.support.rigs import attested as rig
from tests.support.rigs.links import Pair

SESSION = 0x1A2B3C4D
NONCE = bytes(range(16))
MAKERS = (Maker("dealwire", rig.public_half(rig.MAKER)),)
KEY = rig.device_key(0)
HELLO = m.HelloReplyMessage(
    *(SESSION, 1, 0, 1, 4, 1, 0x280, 1, 256, 256),
    *("dealwire", "sim-shuffler", "SIM-0001", "1.0.0", bytes(32)),
)
ASKED = m.VerifyMessage(NONCE, 0)


def evidence(
    *,
    key: Ed25519PrivateKey = KEY,
    session: int = SESSION,
    nonce: bytes = NONCE,
    region: int = 0,
    certificate: bytes | None = None,
    certified: Ed25519PrivateKey = KEY,
    hello: m.HelloReplyMessage = HELLO,
    line: bytes | None = None,
) -> Evidence:
    """Return what a device sends, made with the cipher's library: all right unless something is given."""
    payload = rig.measured(nonce, session=session, region=region)
    own, signature = rig.statement(key, payload)
    message = decode(encode(m.MeasuredMessage(0, bytes(16), 0, 1, bytes(32)))[:8] + payload).message
    assert isinstance(message, m.MeasuredMessage)
    signed = rig.certificate(certified, "shuffler") if certificate is None else certificate
    statement = Statement.read(((2, own + signature),))
    return Evidence(hello, Certificate(rig.public_half(certified), signed), ASKED, message, statement, line)


def test_what_is_proved() -> None:
    proof = check(evidence(), MAKERS)
    assert (proof.key, proof.region, proof.length) == (rig.public_half(KEY), 0, 5)
    assert proof.sha256 == hashlib.sha256(b"1.0.0").digest()
    assert check(evidence(line=rig.line_key()), MAKERS) == proof


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (evidence(hello=replace(HELLO, capabilities=0x80)), "it does not claim to attest"),
        (evidence()._replace(certificate=None), "its HELLO-REPLY has no certificate"),
        (evidence(hello=replace(HELLO, model="sim\0shuffler")), "its model or serial number is no text that a maker"),
        (evidence()._replace(statement=None), "its measurement is not signed"),
        (evidence(key=rig.device_key(1)), "its signature does not fit the key that its maker certified"),
        (evidence(session=SESSION + 1), "it signed session 1a2b3c4e, not its session 1a2b3c4d"),
        (evidence(nonce=bytes(16)), "it signed another nonce than this one"),
        (evidence(region=3), "it measured region 3 by algorithm 1"),
        (evidence(certificate=rig.certificate(KEY, "shuffler", maker=rig.OTHER_MAKER)), "is not one of its maker"),
        (evidence(certificate=rig.certificate(KEY, "shuffler", serial="SIM-0002")), "is not one of its maker"),
        (evidence(certificate=rig.certificate(KEY, "shoe", model="sim-shuffler")), "is not one of its maker"),
        (evidence(certified=rig.device_key(2)), "its signature does not fit the key that its maker certified"),
        (evidence(hello=replace(HELLO, maker="Other")), "no trusted maker has the name 'Other'"),
        (evidence(hello=replace(HELLO, serial="SIM-0003")), "for dealwire sim-shuffler SIM-0003"),
        (evidence(line=bytes([9]) * 32), "it signed for another line than the one it is on"),
    ],
)
def test_what_is_not_proved_is_said_in_one_line(found: Evidence, why: str) -> None:
    with pytest.raises(NotAttested) as caught:
        check(found, MAKERS)
    assert why in caught.value.why
    assert "\n" not in str(caught.value)


def test_a_maker_certifies_only_its_own_devices() -> None:
    """The key of one trusted maker is worth nothing for the devices of another."""
    both = (Maker("dealwire", rig.public_half(rig.OTHER_MAKER)), Maker("Other", rig.public_half(rig.MAKER)))
    with pytest.raises(NotAttested, match="is not one of its maker"):
        check(evidence(), both)


@pytest.mark.parametrize("at", [0, 3, 4, 35, 36, 67, 68, 99, 131])
def test_no_byte_of_a_statement_can_change(at: int) -> None:
    found = evidence()
    assert found.statement is not None
    value = bytearray(found.statement.extension()[1])
    assert len(value) == 132
    value[at] ^= 1
    with pytest.raises(NotAttested, match="signature does not fit"):
        check(found._replace(statement=Statement.read(((2, bytes(value)),))), MAKERS)


def test_a_doubled_short_or_long_extension_is_none() -> None:
    statement, certificate = bytes(132), bytes(96)
    assert Statement.read(((1, b""), (2, statement))) is not None
    assert Certificate.read(((3, certificate),)) is not None
    for value in (statement[1:], statement + b"\0"):
        assert Statement.read(((2, value),)) is None
    assert Statement.read(((2, statement), (2, statement))) is None
    assert Certificate.read(((3, certificate), (3, certificate))) is None
    assert Certificate.read(((3, certificate[1:]),)) is None


def test_the_vectors_hold() -> None:
    """They are made with the keys of RFC 8032 and the texts of the page, without this program."""
    found = {each["name"]: each for each in by_hand.attested()}
    hello = decode(bytes.fromhex(found["HelloReply: certified"]["decoded"])[:-4])
    maker = Maker("Example Gaming", bytes.fromhex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"))
    for name, line in (("Measured: signed", by_hand.STATEMENT[72:136]), ("Measured: signed, without a line key", "")):
        measured = decode(bytes.fromhex(found[name]["decoded"])[:-4])
        assert isinstance(hello.message, m.HelloReplyMessage)
        assert isinstance(measured.message, m.MeasuredMessage)
        certificate, statement = Certificate.read(hello.extensions), Statement.read(measured.extensions)
        key = bytes.fromhex(line) or None
        proof = check(Evidence(hello.message, certificate, ASKED, measured.message, statement, key), (maker,))
        assert proof.sha256 == hello.message.digest
        assert statement is not None
        assert statement.extension() == measured.extensions[0]
        assert certificate is not None
        assert certificate.extension() == hello.extensions[0]


def test_a_link_brings_certificate_and_signature() -> None:
    """The bytes of the simulated device are those that the library makes."""
    certificate = rig.certificate(KEY, "shuffler")
    signer = Signer(Certificate(rig.public_half(KEY), certificate), KEY.sign, rig.line_key())
    pair = Pair(instruments=Instruments(image={0: rig.IMAGE}.get, signer=signer)).start()
    assert pair.run(2000, lambda: pair.host.complete)
    (up,) = pair.of(Up)
    assert isinstance(up, Up)
    assert up.certificate == Certificate(rig.public_half(KEY), certificate) == pair.host.certificate
    request = pair.request(m.VerifyMessage(NONCE, 0))
    assert pair.run(1000, lambda: bool(pair.of(Brought)))
    (brought,) = pair.of(Brought)
    assert isinstance(brought, Brought)
    assert brought.request == request
    session = pair.host.session
    assert session is not None
    own, signature = rig.statement(KEY, rig.measured(NONCE, session=session))
    assert brought.statement is not None
    assert brought.statement.extension() == (2, own + signature)


def test_an_identity_is_private_and_one_line(tmp_path: Path) -> None:
    file, made = tmp_path / "device.id", rig.identity(0, "shuffler")
    file.write_text(made.text)
    file.chmod(0o600)
    assert Identity.read(file) == made
    bare = Identity.new()
    file.write_text(bare.text)
    assert Identity.read(file) == bare
    assert bare.signer is None
    for text in (
        "",
        "x",
        made.text * 2,
        made.text.replace("tdp", "tcp"),
        made.text[:-3],
        f"tdp-identity {'0' * 62} - -",
    ):
        file.write_text(text)
        with pytest.raises(IdentityProblem, match="not an identity; allowed: one line"):
            Identity.read(file)
    file.write_text(made.text)
    file.chmod(0o640)
    with pytest.raises(IdentityProblem, match=r"others may use it \(mode 0640\)"):
        Identity.read(file)
    with pytest.raises(IdentityProblem, match="cannot be read"):
        Identity.read(tmp_path / "none")


def test_a_verdict_is_written_down_and_read_again() -> None:
    for verdict in (FirmwareAttested("awaited"), FirmwareAttested("proved", "ab" * 32, "1.0", 7, "00" * 8)):
        assert parse_note(note_text(verdict)) == verdict
    for note in ("line lost", "attestation: ", "attestation: {}", 'attestation: {"state":"fine"}'):
        assert parse_note(note) is None
