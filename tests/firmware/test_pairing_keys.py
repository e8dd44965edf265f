"""Life of a pairing code, and keys that agree on nothing, at the reference device in C with a clock of its own.

The host is on `noiseprotocol`, and on the bytes of the framework."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from firmware.same.steps import Sealing
from protocol.tdp import messages as m
from protocol.tdp.codec import encode
from tests.support.rigs.firmware import make
from tests.support.rigs.scripted_device import ScriptedDevice
from tests.support.rigs.sealed_host import SealedHost, code_key, public_key

pytestmark = pytest.mark.firmware

SECRET, OTHER = bytes(range(1, 33)), bytes(range(101, 133))
LIFE_MS = 600_000
"""Ten minutes."""
SMALL_ORDER = [
    bytes.fromhex(text)
    for text in (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    )
]
"""All points of small order on the curve and its twist, and their other spellings below 2^255."""
POINTS = [*SMALL_ORDER, *(point[:31] + bytes([point[31] | 0x80]) for point in SMALL_ORDER)]
"""The same with the highest bit, which X25519 ignores."""


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    make("host")


@pytest.fixture
def device() -> Iterator[ScriptedDevice]:
    """A table controller in setup, where hosts may be paired."""
    with ScriptedDevice("table-controller", 77, Sealing(bytes(range(32)))) as found:
        found.wait(1500)
        found.act("table-setup 1")
        yield found


def shown(device: ScriptedDevice, role: int = 2) -> str:
    device.act(f"pair {role}")
    code, _ = device.display
    assert len(code) == 16
    return code


# ------------------------------------------------------------------ ten minutes


def test_a_code_lives_for_ten_minutes(device: ScriptedDevice) -> None:
    code = shown(device)
    device.wait(LIFE_MS - 1)
    assert device.display[0] == code
    host = SealedHost(device, SECRET)
    key = host.pair(code)
    assert len(key) == 32
    host.hear(m.ControllerStatusMessage)
    assert device.display == ("", host.compare)
    assert device.now_ms < 1500 + LIFE_MS  # all of it within the last millisecond


def test_after_ten_minutes_nobody_pairs_with_it(device: ScriptedDevice) -> None:
    code = shown(device)
    device.wait(LIFE_MS)
    assert device.display == ("", "")
    assert SealedHost(device, SECRET).pair(code).reason == m.Reason.NOT_PERMITTED
    fresh = shown(device)
    assert fresh != code
    device.wait(300)
    assert len(SealedHost(device, SECRET).pair(fresh)) == 32


def test_a_proof_that_comes_after_ten_minutes_is_refused(device: ScriptedDevice) -> None:
    code = shown(device)
    device.wait(LIFE_MS - 1)
    host = SealedHost(device, SECRET)
    host.pair(code, meanwhile=lambda: device.wait(1))
    host.to_device = host.to_host = None
    assert host.hear(m.NakMessage).reason == m.Reason.NOT_PERMITTED
    is_open(device)


def test_a_new_code_begins_its_own_ten_minutes_and_ends_the_old_one(device: ScriptedDevice) -> None:
    old = shown(device)
    device.wait(LIFE_MS - 1000)
    code = shown(device)
    assert code != old
    device.wait(LIFE_MS - 1)
    assert device.display[0] == code
    assert len(SealedHost(device, SECRET).pair(code)) == 32


def test_a_proof_with_the_code_before_does_not_end_the_new_one(device: ScriptedDevice) -> None:
    host, codes = SealedHost(device, SECRET), [shown(device)]
    host.pair(codes[0], meanwhile=lambda: codes.append(shown(device)))
    host.to_device = host.to_host = None
    assert host.hear(m.NakMessage).reason == m.Reason.NOT_PERMITTED
    assert device.display[0] == codes[1]
    device.wait(300)
    assert len(SealedHost(device, OTHER).pair(codes[1])) == 32


def is_open(device: ScriptedDevice) -> None:
    """Check that no host is paired: the device serves one that never was."""
    device.wait(300)
    host = SealedHost(device, OTHER)
    host.booted(host.greet().session)


# ------------------------------------------------------------------ keys that agree on nothing


class Symmetric:
    """State of a handshake, on the bytes of the framework."""

    def __init__(self, name: bytes, prologue: bytes) -> None:
        self.hash = name if len(name) == 32 else hashlib.sha256(name).digest()
        self.chaining, self.key, self.count = self.hash, b"", 0
        self.mix(prologue)

    def mix(self, data: bytes) -> None:
        self.hash = hashlib.sha256(self.hash + data).digest()

    def _derive(self, secret: bytes, count: int) -> list[bytes]:
        key, last, found = hmac.digest(self.chaining, secret, "sha256"), b"", []
        for number in range(count):
            last = hmac.digest(key, last + bytes([number + 1]), "sha256")
            found.append(last)
        return found

    def mix_key(self, secret: bytes) -> None:
        self.chaining, self.key = self._derive(secret, 2)
        self.count = 0

    def mix_psk(self, psk: bytes) -> None:
        self.chaining, mixed, self.key = self._derive(psk, 3)
        self.mix(mixed)
        self.count = 0

    def encrypt(self, text: bytes) -> bytes:
        nonce = bytes(4) + self.count.to_bytes(8, "little")
        sealed = ChaCha20Poly1305(self.key).encrypt(nonce, text, self.hash)
        self.count += 1
        self.mix(sealed)
        return sealed


def agreed(secret: bytes, point: bytes) -> bytes:
    """Return what two keys agree on: zeros with a point of small order, which the library refuses to return."""
    try:
        return X25519PrivateKey.from_private_bytes(secret).exchange(X25519PublicKey.from_public_bytes(point))
    except ValueError:
        return bytes(32)


def test_the_list_has_points_with_which_every_key_agrees_on_zeros() -> None:
    assert len({*POINTS}) == 14
    assert {agreed(secret, point) for secret in (SECRET, OTHER) for point in POINTS} == {bytes(32)}


def pair_call(point: bytes, introduction: bytes) -> m.PairCallMessage:
    """Return the first message of a pairing with this fresh key: it takes no secret."""
    state = Symmetric(b"Noise_XXpsk3_25519_ChaChaPoly_SHA256", b"TDP 1.4 pair" + introduction)
    state.mix(point)
    state.mix_key(point)
    return m.PairCallMessage(point, state.encrypt(b""))


def seal_call(point: bytes, agreed_with_it: bytes, device: bytes, introduction: bytes) -> m.SealCallMessage:
    """Return the first message of a sealed line with this fresh key, of a host that is paired."""
    state = Symmetric(b"Noise_KK_25519_ChaChaPoly_SHA256", b"TDP 1.4 seal" + introduction)
    for key in (public_key(SECRET), device, point):
        state.mix(key)
    state.mix_key(agreed_with_it)
    state.mix_key(agreed(SECRET, device))
    key_id = hashlib.sha256(public_key(SECRET)).digest()[:8]
    return m.SealCallMessage(key_id, point, state.encrypt(b""))


def proof_of(noise: Any, static: bytes, agreed_with_it: bytes, code: str) -> m.PairProofMessage:
    """Return the last message of a pairing, of a host whose own key is this one."""
    before = noise.noise_protocol.symmetric_state
    state = Symmetric(bytes(32), b"")
    state.hash, state.chaining = before.h, before.ck
    state.key, state.count = before.cipher_state.k, before.cipher_state.n
    sealed = state.encrypt(static)
    state.mix_key(agreed_with_it)
    state.mix_psk(code_key(code))
    return m.PairProofMessage(sealed, state.encrypt(bytes([2]) + b"nobody".ljust(16, b"\0")))


@pytest.mark.parametrize("point", POINTS, ids=bytes.hex)
def test_a_fresh_key_that_agrees_on_nothing_pairs_no_one(point: bytes, device: ScriptedDevice) -> None:
    """A call with a key that agrees on something is answered, so the rest of both calls is right."""
    shown(device)
    host = SealedHost(device, SECRET)
    introduction = host.introduced()
    assert isinstance(
        host.answered(pair_call(public_key(OTHER), introduction), m.PairAnswerMessage), m.PairAnswerMessage
    )
    device.wait(300)
    refused = host.answered(pair_call(point, introduction), m.PairAnswerMessage)
    assert refused.reason == m.Reason.BAD_PAYLOAD
    is_open(device)


@pytest.mark.parametrize("point", POINTS, ids=bytes.hex)
def test_a_fresh_key_that_agrees_on_nothing_seals_no_line(point: bytes, device: ScriptedDevice) -> None:
    """Even of a host that is paired, whose message is right in everything else."""
    host = SealedHost(device, SECRET)
    key = host.pair(shown(device))
    host.to_device = host.to_host = None
    device.wait(300)
    introduction = host.introduced()
    good = seal_call(public_key(OTHER), agreed(OTHER, key), key, introduction)
    assert isinstance(host.answered(good, m.SealAnswerMessage), m.SealAnswerMessage)
    device.wait(300)
    refused = host.answered(seal_call(point, bytes(32), key, introduction), m.SealAnswerMessage)
    assert refused.reason == m.Reason.BAD_PAYLOAD


@pytest.mark.parametrize("point", [None, *POINTS], ids=lambda point: "good" if point is None else point.hex())
def test_a_host_whose_own_key_agrees_on_nothing_is_not_paired(point: bytes | None, device: ScriptedDevice) -> None:
    """It knows the code; the attempt is over. The good key shows that the proof is right in everything else."""
    code = shown(device)
    host = SealedHost(device, SECRET)
    noise = host.begin(b"XXpsk3", b"TDP 1.4 pair" + host.introduced(), psk=code_key(code))
    call = bytes(noise.write_message())
    answer = host.answered(m.PairCallMessage(call[:32], call[32:]), m.PairAnswerMessage)
    noise.read_message(answer.ephemeral + answer.static + answer.tag)
    fresh = noise.noise_protocol.handshake_state.re.public_bytes
    static = public_key(OTHER) if point is None else point
    host.send(encode(proof_of(noise, static, bytes(32) if point else agreed(OTHER, fresh), code)))
    if point is None:
        device.wait(1000)
        assert device.display[0] == ""
        assert len(device.display[1]) == 9
    else:
        assert host.hear(m.NakMessage).reason == m.Reason.NOT_PERMITTED
        assert device.display == ("", "")
        is_open(device)
