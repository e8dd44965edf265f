"""Check of a device's attestation: its maker's certificate, and its signature over a fresh measurement.

It shows that the one who answered holds the key that a trusted maker certified for this class, maker, model and serial
number, and what the device measured. It does not show that a device tells the truth about its own memory, and on a line
that is not sealed it does not show that later reports come from the same device.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from protocol.errors import LocalError, RemoteError
from protocol.tdp import attestation as a
from protocol.tdp.messages import Algorithm, Capability, HelloReplyMessage, MeasuredMessage, Region, VerifyMessage

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

SEED_BYTES: Final = 32


class SigningUnavailable(LocalError):
    """The library that signs and verifies is not installed."""

    def __init__(self) -> None:
        from devices.extras import install_command

        super().__init__(f"cryptography is not installed: {install_command('seal')}")


class NotAttested(RemoteError):
    """A device did not prove what it is; `why` says it as text."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(f"the device is not attested: {why}")


class Maker(NamedTuple):
    """A trusted maker: its name as its devices report it, and its Ed25519 key."""

    name: str
    key: bytes


class FirmwareProof(NamedTuple):
    """Proved facts of one measurement."""

    key: bytes
    """The device's Ed25519 key."""
    region: int
    length: int
    sha256: bytes


class Evidence(NamedTuple):
    """Everything that a device and the line gave: `line_key` is the device's X25519 key on a sealed line, else None."""

    hello: HelloReplyMessage
    certificate: a.Certificate | None
    challenge: VerifyMessage
    measured: MeasuredMessage
    statement: a.Statement | None
    line_key: bytes | None = None


def check(found: Evidence, makers: Sequence[Maker]) -> FirmwareProof:
    """Return the proved facts. NotAttested names the first thing that does not hold."""
    return signed_by(certified_key(found.hello, found.certificate, makers), found)


def signed_by(key: bytes, found: Evidence) -> FirmwareProof:
    """Return the facts that the device with this key signed; NotAttested if it did not sign them."""
    measured, challenge, statement = found.measured, found.challenge, found.statement
    if statement is None:
        raise NotAttested("its measurement is not signed")
    if measured.session != found.hello.session:
        raise NotAttested(f"it signed session {measured.session:08x}, not its session {found.hello.session:08x}")
    if measured.nonce != challenge.nonce:
        raise NotAttested("it signed another nonce than this one")
    if (measured.region, measured.algorithm) != (challenge.region, Algorithm.SHA256):
        raise NotAttested(f"it measured region {measured.region} by algorithm {measured.algorithm}")
    signed = a.attested(measured, statement.length, statement.sha256, statement.line_key)
    if not holds(key, statement.signature, signed):
        raise NotAttested("its signature does not fit the key that its maker certified")
    if found.line_key is not None and statement.line_key != found.line_key:
        raise NotAttested("it signed for another line than the one it is on")
    return FirmwareProof(key, measured.region, statement.length, statement.sha256)


def certified_key(hello: HelloReplyMessage, certificate: a.Certificate | None, makers: Sequence[Maker]) -> bytes:
    """Return the device's key if a trusted maker of its name certified it; NotAttested if none did."""
    if not hello.capabilities & Capability.ATTESTATION:
        raise NotAttested("it does not claim to attest")
    if certificate is None:
        raise NotAttested("its HELLO-REPLY has no certificate")
    named = [each for each in makers if each.name == hello.maker]
    if not named:
        raise NotAttested(f"no trusted maker has the name {hello.maker!r}")
    try:
        signed = a.certified(hello, certificate.key)
    except ValueError:
        raise NotAttested("its model or serial number is no text that a maker certifies") from None
    if not any(holds(each.key, certificate.signature, signed) for each in named):
        text = f"{hello.maker} {hello.model} {hello.serial}"
        raise NotAttested(f"its certificate is not one of its maker for {text}")
    return certificate.key


def check_start(hello: HelloReplyMessage, proof: FirmwareProof) -> None:
    """Raise NotAttested if the proved firmware is another than that of the HELLO-REPLY, if that names one."""
    if proof.region == Region.FIRMWARE and any(hello.digest) and hello.digest != proof.sha256:
        raise NotAttested("its firmware is not the one that it started with")


# ------------------------------------------------------------------ the cipher


def holds(key: bytes, signature: bytes, data: bytes) -> bool:
    """Return True if `signature` is that of the Ed25519 key over `data`. SigningUnavailable without the library."""
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as cause:
        raise SigningUnavailable from cause
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, data)
    except (InvalidSignature, ValueError):
        return False
    return True


def signer_of(seed: bytes) -> Callable[[bytes], bytes]:
    """Return the function that signs with the Ed25519 key of this seed. SigningUnavailable without the library."""
    return _private(seed).sign


def public_of(seed: bytes) -> bytes:
    """Return the Ed25519 key that belongs to a seed. SigningUnavailable without the library."""
    return _private(seed).public_key().public_bytes_raw()


def line_key_of(secret: bytes) -> bytes:
    """Return the X25519 key that belongs to a secret. SigningUnavailable without the library."""
    try:
        from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    except ImportError as cause:
        raise SigningUnavailable from cause
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def _private(seed: bytes) -> "Ed25519PrivateKey":
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    except ImportError as cause:
        raise SigningUnavailable from cause
    return Ed25519PrivateKey.from_private_bytes(seed)
