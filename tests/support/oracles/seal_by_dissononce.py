"""Writes `docs/protocol-seal-vectors.json`: handshakes and frames of a sealed line as dissononce makes them, without
any code of the packages under test.

    python -m tests.support.oracles.seal_by_dissononce
"""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from random import Random
from typing import Any

from dissononce.cipher.chachapoly import ChaChaPolyCipher
from dissononce.dh.x25519.private import PrivateKey
from dissononce.dh.x25519.public import PublicKey
from dissononce.dh.x25519.x25519 import X25519DH
from dissononce.hash.sha256 import SHA256Hash
from dissononce.processing.handshakepatterns.interactive.KK import KKHandshakePattern
from dissononce.processing.handshakepatterns.interactive.XX import XXHandshakePattern
from dissononce.processing.impl.cipherstate import CipherState
from dissononce.processing.impl.handshakestate import HandshakeState
from dissononce.processing.impl.symmetricstate import SymmetricState
from dissononce.processing.modifiers.psk import PSKPatternModifier

PATH = Path(__file__).parents[3] / "docs" / "protocol-seal-vectors.json"
BASE_32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class _FixedDh(X25519DH):  # type: ignore[misc]
    """X25519 whose next ephemeral key is given."""

    def __init__(self, private: bytes | None) -> None:
        super().__init__()
        self._private = private

    def generate_keypair(self, privatekey: Any = None) -> Any:
        if privatekey is None and self._private is not None:
            privatekey = PrivateKey(self._private)
        return super().generate_keypair(privatekey)


class End:
    """One end of a handshake of dissononce."""

    def __init__(
        self,
        pattern: str,
        initiator: bool,
        own: bytes,
        prologue: bytes,
        remote: bytes,
        code: bytes,
        ephemeral: bytes | None,
    ) -> None:
        self._symmetric = SymmetricState(CipherState(ChaChaPolyCipher()), SHA256Hash())
        self._state = HandshakeState(self._symmetric, _FixedDh(ephemeral))
        pair = X25519DH().generate_keypair(PrivateKey(own))
        if pattern == "KK":
            self._state.initialize(KKHandshakePattern(), initiator, prologue, s=pair, rs=PublicKey(remote))
        else:
            made = PSKPatternModifier(3).modify(XXHandshakePattern())
            self._state.initialize(made, initiator, prologue, s=pair, psks=[code])
        self.keys = (b"", b"")
        self.hash = b""

    def write(self, payload: bytes) -> bytes:
        out = bytearray()
        self._end(self._state.write_message(payload, out))
        return bytes(out)

    def read(self, message: bytes) -> bytes:
        out = bytearray()
        self._end(self._state.read_message(message, out))
        return bytes(out)

    def _end(self, ciphers: Any) -> None:
        if ciphers:
            self.keys = (ciphers[0]._key, ciphers[1]._key)
            self.hash = self._symmetric.get_handshake_hash()


def half_to_show(private: bytes) -> bytes:
    return bytes(X25519DH().generate_keypair(PrivateKey(private)).public.data)


def crockford(number: int, count: int) -> str:
    """Return `number` in Crockford's base 32."""
    digits = []
    for _ in range(count):
        number, digit = divmod(number, 32)
        digits.append(BASE_32[digit])
    return "".join(reversed(digits))


def code(number: int) -> tuple[str, bytes]:
    """Return the code that a device shows for a random number of 60 bits, and the secret that it stands for."""
    plain = crockford(number, 12)
    check = BASE_32[sum((at + 1) * BASE_32.index(plain[at]) for at in range(12)) % 31]
    return f"{plain[0:4]}-{plain[4:8]}-{plain[8:12]}-{check}", hashlib.sha256(b"TDP 1.4 code" + plain.encode()).digest()


def greeting_payload(chance: Random) -> bytes:
    """Return a payload of HELLO-REPLY."""
    head = struct.pack("<IBBBBBIIHH", chance.randrange(1, 1 << 32), 1, 0, 1, 4, 1, 0x1CF, 42, 256, 256)
    names = b"".join(text.ljust(16, b"\0") for text in (b"Example Gaming", b"PS-1", b"00017", b"1.4.2"))
    return head + names + chance.randbytes(32)


def handshake(name: str, pattern: str, chance: Random) -> dict[str, Any]:
    host, device, host_e, device_e = (chance.randbytes(32) for _ in range(4))
    pairs = pattern != "KK"
    number = chance.getrandbits(60)
    spelled, secret = code(number)
    prologue = (b"TDP 1.4 pair" if pairs else b"TDP 1.4 seal") + greeting_payload(chance)
    one = End(pattern, True, host, prologue, half_to_show(device), secret, host_e)
    other = End(pattern, False, device, prologue, half_to_show(host), secret, device_e)
    payloads = [b"", b"", b"\1" + b"pit-3".ljust(16, b"\0")] if pairs else [b"", b""]
    messages = []
    for at, payload in enumerate(payloads):
        sender, receiver = (one, other) if at % 2 == 0 else (other, one)
        wire = sender.write(payload)
        assert receiver.read(wire) == payload
        messages.append({"payload": payload.hex(), "bytes": wire.hex()})
    assert one.keys == other.keys
    sas = crockford(int.from_bytes(hashlib.sha256(b"TDP 1.4 sas" + one.hash).digest()[:5], "big"), 8)
    return {
        "name": name,
        "pattern_name": {"text": pattern},
        **({"code": {"text": spelled}} if pairs else {}),
        "host_private": host.hex(),
        "device_private": device.hex(),
        "host_ephemeral": host_e.hex(),
        "device_ephemeral": device_e.hex(),
        "prologue": prologue.hex(),
        "messages": messages,
        "hash": one.hash.hex(),
        "host_to_device": one.keys[0].hex(),
        "device_to_host": one.keys[1].hex(),
        "short_string": {"text": f"{sas[:4]}-{sas[4:]}"},
    }


def sealed_vector(name: str, total: int, base: int, clear: bytes, key: bytes) -> dict[str, Any]:
    """Return a frame sealed by dissononce: `total` counts the frames of its direction, the counter begins at `base`."""
    body = clear[:3] + bytes([total & 0xFF]) + clear[4:]
    head = body[:1] + bytes([body[1] | 0x80]) + body[2:8]
    sealed = head + bytes(ChaChaPolyCipher().encrypt(key, total - base, head, body[8:]))
    return {"name": name, "key": key.hex(), "total": total, "counter": total - base, "clear": body.hex(),
            "sealed": sealed.hex()}  # fmt: skip


def vectors() -> dict[str, Any]:
    chance = Random(1_4)
    button = bytes.fromhex("0100040700004001") + struct.pack("<II", 12, 34_567)
    longest = bytes.fromhex("0100090000007f7f") + bytes(228)
    numbers = [chance.getrandbits(60) for _ in range(3)] + [0, (1 << 60) - 1]
    return {
        "about": "Handshakes and frames of a sealed line of TDP 1.4, written by dissononce: hex, or text.",
        "handshakes": [
            *(handshake(f"pairing {number}", "XXpsk3", chance) for number in range(1, 4)),
            *(handshake(f"sealing {number}", "KK", chance) for number in range(1, 4)),
        ],
        "frames": [
            sealed_vector("the first frame of a direction", 0, 0, button, chance.randbytes(32)),
            sealed_vector("the first frame sealed after seven in clear", 7, 0, button, chance.randbytes(32)),
            sealed_vector("the first frame sealed after a thousand", 1_000, 768, button, chance.randbytes(32)),
            sealed_vector("without payload", 3, 0, bytes.fromhex("0100010000002101"), chance.randbytes(32)),
            sealed_vector("the longest", 255, 0, longest, chance.randbytes(32)),
        ],
        "codes": [{"number": number, "code": code(number)[0], "secret": code(number)[1].hex()} for number in numbers],
    }


def render() -> str:
    """Return the file."""
    return json.dumps(vectors(), indent=1) + "\n"


if __name__ == "__main__":
    PATH.write_text(render(), encoding="utf-8")
