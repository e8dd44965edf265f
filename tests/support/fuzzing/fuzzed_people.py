"""Targets of a fuzzer: the files of people, and what a browser answers about a passkey.

The answers are of an authenticator that is written out here; each input is the bytes of one of their fields.
"""

from __future__ import annotations

import hashlib
import json
import struct
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Final

from cbor2 import dumps
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from dealwire.hub.lines import Assertion
from dealwire.people.approvals import check
from dealwire.people.passkeys import Challenge, ConsoleName, Passkey, Passkeys, enrolled, packed, pinned_text, verified
from dealwire.people.users import digest_of, read_users
from tests.support.fuzzing.fuzz_units import FuzzTally, Unaccounted, folder_of, spoiled

PLACE: Final = ConsoleName("casino.example", ("https://casino.example",))
CHALLENGE: Final = Challenge(bytes(range(32)), "sign-in", "ann", "192.0.2.1", 1 << 62)
AUTHENTICATOR: Final = Ed25519PrivateKey.from_private_bytes(bytes([9]) * 32)
CREDENTIAL: Final = bytes(range(16))
_APPROVES: Final = ("clientDataJSON", "authenticatorData", "signature")
_PRESENT, _VERIFIED, _ENROLS = 0x01, 0x04, 0x40
USERS: Final = f"""schema = "dealwire.users/1"
[[user]]
name = "ann"
role = "supervisor"
tables = ["pit-1", "pit-2"]
password = "$argon2id$v=19$m=19456,t=2,p=1${"A" * 22}${"B" * 43}"
[[program]]
name = "report"
token = "{digest_of("a token")}"
may = ["read"]
from = ["192.0.2.0/24"]
until = 2027-01-01
"""


def _client(kind: str) -> bytes:
    challenge = urlsafe_b64encode(CHALLENGE.value).rstrip(b"=").decode()
    return json.dumps({"type": kind, "challenge": challenge, "origin": PLACE.origins[0], "crossOrigin": False}).encode()


def _authenticator_data(flags: int, count: int) -> bytes:
    return hashlib.sha256(PLACE.host.encode()).digest() + struct.pack(">BL", flags, count)


def enrolling() -> dict[str, bytes]:
    """Return the fields of an answer to `navigator.credentials.create`."""
    key = dumps({1: 1, 3: -8, -1: 6, -2: AUTHENTICATOR.public_key().public_bytes_raw()})
    data = _authenticator_data(_PRESENT | _VERIFIED | _ENROLS, 0)
    data += bytes(16) + struct.pack(">H", len(CREDENTIAL)) + CREDENTIAL + key
    made = dumps({"fmt": "none", "attStmt": {}, "authData": data})
    return {"clientDataJSON": _client("webauthn.create"), "attestationObject": made}


def signing() -> dict[str, bytes]:
    """Return the fields of an answer to `navigator.credentials.get`."""
    client, data = _client("webauthn.get"), _authenticator_data(_PRESENT | _VERIFIED, 7)
    signature = AUTHENTICATOR.sign(data + hashlib.sha256(client).digest())
    return {"clientDataJSON": client, "authenticatorData": data, "signature": signature}


def whole_answer(fields: dict[str, bytes]) -> dict[str, Any]:
    """Return the whole answer of a browser."""
    response = {name: packed(value) for name, value in fields.items()}
    return {"id": packed(CREDENTIAL), "rawId": packed(CREDENTIAL), "type": "public-key", "response": response}


class PeopleAnswers:
    """Users files, passkeys files, and answers of browsers."""

    def __init__(self, _: Random) -> None:
        folder = folder_of(self)
        self._users, self._passkeys = folder / "users.toml", folder / "passkeys"
        self._users.touch(mode=0o600)
        self._enrol, self._sign = enrolling(), signing()
        self._known = enrolled(PLACE, "ann", CHALLENGE, whole_answer(self._enrol), 1)
        verified(PLACE, CHALLENGE, whole_answer(self._sign), self._known)
        self._pinned = pinned_text(self._known)
        keys = Passkeys(self._passkeys)
        keys.put(self._known)
        self._read: Callable[[bytes], object] = self._read_users

    def inputs(self, chance: Random) -> Iterator[bytes]:
        """Yield spoiled files, and fields of answers."""
        keys = self._passkeys.read_bytes() * 3
        while True:
            for read, valid in self._all(keys):
                self._read = read
                yield spoiled(valid, chance, 1 + int(chance.random() * 3))

    def _all(self, keys: bytes) -> Iterator[tuple[Callable[[bytes], object], bytes]]:
        yield self._read_users, USERS.encode()
        yield self._read_passkeys, keys
        for name, value in self._enrol.items():
            yield lambda data, name=name: self._enrols(name, data), value  # type: ignore[misc]
        for name, value in self._sign.items():
            yield lambda data, name=name: self._signs(name, data), value  # type: ignore[misc]
        for name, value in self._sign.items():
            yield lambda data, name=name: self._approves(name, data), value  # type: ignore[misc]
        yield self._is_any, json.dumps(whole_answer(self._sign)).encode()

    def take(self, data: bytes, chance: Random, tally: FuzzTally) -> None:
        """Read an input."""
        self._read(data)
        tally.frames += 1

    def _read_users(self, data: bytes) -> object:
        self._users.write_bytes(data)
        return read_users(self._users)

    def _read_passkeys(self, data: bytes) -> object:
        self._passkeys.write_bytes(data)
        return Passkeys.read(self._passkeys)

    def _enrols(self, name: str, data: bytes) -> Passkey:
        return enrolled(PLACE, "ann", CHALLENGE, whole_answer(self._enrol | {name: data}), 1)

    def _signs(self, name: str, data: bytes) -> None:
        verified(PLACE, CHALLENGE, whole_answer(self._sign | {name: data}), self._known)
        if data != self._sign[name]:
            raise Unaccounted(f"an answer was accepted with another {name}")

    def _approves(self, name: str, data: bytes) -> None:
        """Take an answer as the tables take one that approves."""
        fields = {key: packed(value) for key, value in (self._sign | {name: data}).items()}
        proof = Assertion(packed(CREDENTIAL), *(fields[key] for key in _APPROVES))
        check(proof, self._pinned, CHALLENGE.value, PLACE.origins, 0)
        if data != self._sign[name]:
            raise Unaccounted(f"an approval was accepted with another {name}")

    def _is_any(self, data: bytes) -> None:
        """Read a spoiled answer as a whole, as far as it is still an object."""
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            return
        if isinstance(answer, dict):
            verified(PLACE, CHALLENGE, answer, self._known)
            enrolled(PLACE, "ann", CHALLENGE, answer, 1)
