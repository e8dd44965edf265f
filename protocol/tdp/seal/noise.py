"""Handshakes of the Noise framework, revision 34, as far as a sealed line uses them: the patterns KK and XXpsk3 over
X25519, ChaCha20-Poly1305 and SHA-256.

The host initiates both. `split` gives the key from host to device, then that from device to host.
"""

from __future__ import annotations

import hashlib
import hmac
from copy import copy
from enum import StrEnum
from typing import Final

from protocol.tdp.seal.suite import KEY_BYTES, TAG_BYTES, HandshakeFailed, SealSuite


class NoisePattern(StrEnum):
    """Handshake patterns: XXpsk3 pairs two ends that share a code, KK joins two that know each other's key."""

    PAIR = "XXpsk3"
    SEAL = "KK"


_MESSAGES: Final[dict[NoisePattern, tuple[tuple[str, ...], ...]]] = {
    NoisePattern.PAIR: (("e",), ("e", "ee", "s", "es"), ("s", "se", "psk")),
    NoisePattern.SEAL: (("e", "es", "ss"), ("e", "ee", "se")),
}


def _nonce(number: int) -> bytes:
    return bytes(4) + number.to_bytes(8, "little")


def _derive(chaining: bytes, secret: bytes, count: int) -> list[bytes]:
    """Return `count` keys by HKDF with HMAC-SHA-256, as Noise defines it."""
    inner, last, found = hmac.digest(chaining, secret, "sha256"), b"", []
    for number in range(1, count + 1):
        last = hmac.digest(inner, last + bytes([number]), "sha256")
        found.append(last)
    return found


class Handshake:
    """One end of one handshake. Call `write` and `read` in turn, as the pattern has it, then `split`.

    - `own`: the end's private key.
    - `remote`: the other end's public key; for KK it is known before.
    - `code`: 32 bytes that both ends share, for XXpsk3.
    - `ephemeral`: the private key of this handshake, a new one unless a test gives it.

    HandshakeFailed leaves the handshake unusable.
    """

    def __init__(
        self,
        suite: SealSuite,
        pattern: NoisePattern,
        *,
        initiator: bool,
        own: bytes,
        prologue: bytes,
        remote: bytes | None = None,
        code: bytes = b"",
        ephemeral: bytes | None = None,
    ) -> None:
        name = f"Noise_{pattern}_25519_ChaChaPoly_SHA256".encode()
        self.hash = name.ljust(32, b"\0") if len(name) <= 32 else hashlib.sha256(name).digest()
        """Hash of everything that both ends have seen; after the last message it identifies the handshake."""
        self.remote = remote
        """The other end's public key, once it is known."""
        self._suite, self._initiator, self._own, self._code = suite, initiator, own, code
        self._chaining, self._key, self._count = self.hash, b"", 0
        self._ephemeral, self._remote_ephemeral = ephemeral, b""
        self._keys_e = (
            pattern is NoisePattern.PAIR
        )  # a pattern with a code mixes each ephemeral key into the cipher's key
        self._left = list(_MESSAGES[pattern])
        self._mix(prologue)
        if pattern is NoisePattern.SEAL:
            assert remote is not None
            both = suite.public(own), remote
            for public in both if initiator else reversed(both):
                self._mix(public)

    @property
    def done(self) -> bool:
        """True after the last message."""
        return not self._left

    def write(self, payload: bytes = b"") -> bytes:
        """Return the next message, which carries `payload`."""
        suite, out = self._suite, b""
        for token in self._left.pop(0):
            if token == "e":
                self._ephemeral = self._ephemeral or suite.generate()
                public = suite.public(self._ephemeral)
                out += public
                self._take_ephemeral(public)
            elif token == "s":
                out += self._encrypt(suite.public(self._own))
            else:
                self._agree(token)
        return out + self._encrypt(payload)

    def read(self, message: bytes) -> bytes:
        """Process the other end's message and return its payload. Raise HandshakeFailed if it is not genuine."""
        for token in self._left.pop(0):
            if token == "e":
                self._remote_ephemeral, message = self._cut(message, KEY_BYTES)
                self._take_ephemeral(self._remote_ephemeral)
            elif token == "s":
                sealed, message = self._cut(message, KEY_BYTES + (TAG_BYTES if self._key else 0))
                self.remote = self._decrypt(sealed)
            else:
                self._agree(token)
        return self._decrypt(message)

    def after(self, message: bytes) -> Handshake | None:
        """Return the handshake as it is after the other end's message; None if that is not genuine. This one stays as
        it is, so that a forged message leaves it waiting for the genuine one."""
        tried = copy(self)
        tried._left = list(self._left)
        try:
            tried.read(message)
        except HandshakeFailed:
            return None
        return tried

    def split(self) -> tuple[bytes, bytes]:
        """Return the keys of the two directions: from the initiator, and to it."""
        first, second = _derive(self._chaining, b"", 2)
        return first, second

    # -------------------------------------------------------------- inside

    def _cut(self, message: bytes, size: int) -> tuple[bytes, bytes]:
        if len(message) < size:
            raise HandshakeFailed("the message is too short")
        return message[:size], message[size:]

    def _mix(self, data: bytes) -> None:
        self.hash = hashlib.sha256(self.hash + data).digest()

    def _mix_key(self, secret: bytes) -> None:
        self._chaining, self._key = _derive(self._chaining, secret, 2)
        self._count = 0

    def _take_ephemeral(self, public: bytes) -> None:
        self._mix(public)
        if self._keys_e:
            self._mix_key(public)

    def _agree(self, token: str) -> None:
        """Mix in the code, or the secret of two keys: the first letter is the initiator's, the second the other's."""
        if token == "psk":
            self._chaining, mixed, self._key = _derive(self._chaining, self._code, 3)
            self._mix(mixed)
            self._count = 0
            return
        mine, theirs = (token[0], token[1]) if self._initiator else (token[1], token[0])
        own = self._ephemeral if mine == "e" else self._own
        remote = self._remote_ephemeral if theirs == "e" else self.remote
        assert own is not None
        assert remote is not None
        try:
            secret = self._suite.exchange(own, remote)
        except self._suite.failures:
            raise HandshakeFailed("the keys agree on nothing") from None
        self._mix_key(secret)

    def _encrypt(self, data: bytes) -> bytes:
        out = self._suite.sealer(self._key)(_nonce(self._count), data, self.hash) if self._key else data
        self._count += 1
        self._mix(out)
        return out

    def _decrypt(self, data: bytes) -> bytes:
        out = data
        if self._key:
            try:
                out = self._suite.opener(self._key)(_nonce(self._count), data, self.hash)
            except self._suite.failures:
                raise HandshakeFailed("the message was altered, or comes from someone else") from None
        self._count += 1
        self._mix(data)
        return out
