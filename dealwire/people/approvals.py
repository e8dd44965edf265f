"""Approvals that are proved: the answer of a pinned passkey to one request of the record.

The tables' process checks it by itself, so that it need not believe a console. It reads the signed bytes at fixed
places with `cryptography` alone; no parser of CBOR is fed with what a console sent. Keys are pinned in the users file,
which no console can write, as the public half in DER.
"""

import hashlib
import hmac
import importlib.util
import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from dealwire.hub.actions import Role
from dealwire.hub.lines import Assertion
from dealwire.people.passkeys import unpacked
from dealwire.people.users import Users
from protocol.errors import LocalError
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    PublicKey = ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey | rsa.RSAPublicKey

KIND: Final = "dealwire approval v1"
"""First text of all that is hashed for a challenge. No key of one kind serves for another."""
AUTHENTICATOR_LEAST: Final = 37
"""Bytes of a passkey's own data: hash of the host name, flags, counter. What follows is signed, and not read."""
PRESENT: Final = 0x01
VERIFIED: Final = 0x04
RSA_LEAST: Final = 2048


class NotProved(LocalError):
    """An answer of a passkey does not prove an approval; the text says why."""


def needs_cryptography() -> None:
    """Raise ExtraMissing if cryptography is not installed. It is loaded now, and not in a turn of the tables."""
    if importlib.util.find_spec("cryptography") is None:
        raise ExtraMissing("cryptography", "people")
    import cryptography.hazmat.primitives.serialization  # noqa: F401


def challenge_of(
    nonce: str, table: str, number: int, act: str, who: str, until_ns: int, fields: Mapping[str, int | str], text: str
) -> bytes:
    """Return what the passkey of an approver signs: a hash of the whole request as it is on record.

    The nonce is the service's. `number` is that of the request's record, `text` what was requested, in words.
    """
    about = [KIND, nonce, table, number, act, who, until_ns, dict(sorted(fields.items())), text]
    return hashlib.sha256(json.dumps(about, separators=(",", ":")).encode("ascii")).digest()


def key_name(id_: str) -> str:
    """Return the short name of a passkey: the beginning of the hash of its id."""
    return hashlib.sha256(id_.encode()).hexdigest()[:8]


def key_of(pinned: str) -> "PublicKey":
    """Return the public key of a pinned passkey. NotProved if it is none that counts."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
    from cryptography.hazmat.primitives.serialization import load_der_public_key

    try:
        found = load_der_public_key(unpacked(pinned.partition(":")[2]))
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise NotProved("the pinned key cannot be read; dealwire users pin writes it") from None
    if isinstance(found, ed25519.Ed25519PublicKey):
        return found
    if isinstance(found, ec.EllipticCurvePublicKey) and isinstance(found.curve, ec.SECP256R1):
        return found
    if isinstance(found, rsa.RSAPublicKey) and found.key_size >= RSA_LEAST:
        return found
    raise NotProved("the pinned key is of a kind that does not count; allowed: Ed25519, P-256, RSA of 2,048 bits")


def check_pins(users: Users, roles: Mapping[str, Role], now_ns: int) -> None:
    """NotProved unless each act has somebody whose passkey could approve it, and each pinned key can be read. `roles`
    has the role of each act."""
    needs_cryptography()
    for act, role in roles.items():
        if not users.approvers(role, now_ns):
            raise NotProved(f"{act} needs a {role} with approval-keys in the users file; dealwire users pin")
    for user in users.file.user:
        for pinned in user.approval_keys or ():
            try:
                key_of(pinned)
            except NotProved as error:
                raise NotProved(f"approval-keys of {user.name} in the users file: {error}") from None


def counter_in(proof: Assertion) -> int:
    """Return the counter of a passkey in its answer, 0 if it has none."""
    return int.from_bytes(unpacked(proof.authenticator)[33:AUTHENTICATOR_LEAST], "big")


def check(proof: Assertion, pinned: str, challenge: bytes, origins: Collection[str], before: int) -> None:
    """NotProved unless `proof` is the answer of the pinned passkey to `challenge`, on a page at one of `origins`, by a
    person whom the passkey verified, with a counter that rose over `before`."""
    try:
        client = json.loads(unpacked(proof.client))
        data, signature = unpacked(proof.authenticator), unpacked(proof.signature)
    except (ValueError, RecursionError):
        raise NotProved("this is not the answer of a passkey") from None
    if not isinstance(client, dict) or client.get("type") != "webauthn.get" or len(data) < AUTHENTICATOR_LEAST:
        raise NotProved("this is not the answer of a passkey")
    _check_client(client, challenge, origins)
    host = urlsplit(client["origin"]).hostname or ""
    if not hmac.compare_digest(data[:32], hashlib.sha256(host.encode()).digest()):
        raise NotProved("the passkey belongs to another host name")
    if data[32] & (PRESENT | VERIFIED) != PRESENT | VERIFIED:
        raise NotProved("the passkey did not verify the person")
    if not _is_signed(key_of(pinned), signature, data + hashlib.sha256(unpacked(proof.client)).digest()):
        raise NotProved("the signature is not of this passkey")
    if (count := counter_in(proof)) <= before and (count or before):
        raise NotProved(f"counter {count} after {before}: the passkey may be copied")


def _check_client(client: dict[str, Any], challenge: bytes, origins: Collection[str]) -> None:
    """NotProved unless the browser says that it answered this challenge, on a page of the console."""
    try:
        given = unpacked(client.get("challenge", ""))
    except (ValueError, AttributeError):
        given = b""
    if not hmac.compare_digest(given, challenge):
        raise NotProved("the passkey answered to something else than this request")
    if client.get("origin") not in origins or client.get("crossOrigin", False) is not False or "topOrigin" in client:
        raise NotProved("the passkey answered on a page of another origin")


def _is_signed(key: "PublicKey", signature: bytes, signed: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding
    from cryptography.hazmat.primitives.hashes import SHA256

    try:
        if isinstance(key, ed25519.Ed25519PublicKey):
            key.verify(signature, signed)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            key.verify(signature, signed, ec.ECDSA(SHA256()))
        else:
            key.verify(signature, signed, padding.PKCS1v15(), SHA256())
    except InvalidSignature:
        return False
    return True
