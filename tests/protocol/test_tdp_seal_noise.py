"""The handshakes of a sealed line against two foreign implementations of Noise, in both roles."""

from __future__ import annotations

import json
from random import Random
from typing import Any, Final

import pytest
from dissononce.cipher.chachapoly import ChaChaPolyCipher
from noise.connection import Keypair, NoiseConnection

from devices.transport.ciphers import Ciphers
from protocol.tdp.derive import fields_of
from protocol.tdp.messages import (
    PairAnswerMessage,
    PairCallMessage,
    PairProofMessage,
    SealAnswerMessage,
    SealCallMessage,
)
from protocol.tdp.packets import PACKETS
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.noise import Handshake, NoisePattern
from protocol.tdp.seal.suite import HandshakeFailed
from protocol.tdp.seal.words import BadCode, code_of, key_id, secret_of, short_string
from tests.support.oracles import seal_by_dissononce as foreign

SUITE: Final = Ciphers()
VECTORS: Final[dict[str, Any]] = json.loads(foreign.PATH.read_text(encoding="utf-8"))
PROLOGUE: Final = b"TDP 1.4 seal" + bytes(range(117))
CODE: Final = bytes(range(200, 232))
BOTH_ROLES = pytest.mark.parametrize("initiator", [True, False], ids=["host", "device"])
BOTH_PATTERNS = pytest.mark.parametrize("pattern", list(NoisePattern))


def ours(pattern: NoisePattern, initiator: bool, own: bytes, remote: bytes, **more: Any) -> Handshake:
    known = {"remote": remote} if pattern is NoisePattern.SEAL else {"code": CODE}
    return Handshake(SUITE, pattern, initiator=initiator, own=own, prologue=PROLOGUE, **known, **more)


def keys(chance: Random) -> tuple[bytes, bytes]:
    return chance.randbytes(32), chance.randbytes(32)


# ------------------------------------------------------------------ noiseprotocol


@BOTH_PATTERNS
@BOTH_ROLES
@pytest.mark.parametrize("seed", range(3))
def test_noiseprotocol_agrees(pattern: NoisePattern, initiator: bool, seed: int) -> None:
    mine, theirs = keys(Random(seed))
    other = NoiseConnection.from_name(f"Noise_{pattern}_25519_ChaChaPoly_SHA256".encode())
    (other.set_as_responder if initiator else other.set_as_initiator)()
    other.set_keypair_from_private_bytes(Keypair.STATIC, theirs)
    if pattern is NoisePattern.SEAL:
        other.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, SUITE.public(mine))
    else:
        other.set_psks(CODE)
    other.set_prologue(PROLOGUE)
    other.start_handshake()
    shake, turn = ours(pattern, initiator, mine, SUITE.public(theirs)), initiator
    while not shake.done:
        if turn:
            assert bytes(other.read_message(shake.write(b"to the other"))) == b"to the other"
        else:
            assert shake.read(bytes(other.write_message(b"to us"))) == b"to us"
        turn = not turn
    assert shake.hash == other.get_handshake_hash()
    assert shake.remote == SUITE.public(theirs)
    out, into = shake.split() if initiator else shake.split()[::-1]
    assert other.decrypt(SUITE.sealer(out)(bytes(12), b"a card", b"")) == b"a card"
    assert SUITE.opener(into)(bytes(12), bytes(other.encrypt(b"a lamp")), b"") == b"a lamp"


# ------------------------------------------------------------------ dissononce


@BOTH_PATTERNS
@BOTH_ROLES
@pytest.mark.parametrize("seed", range(3))
def test_dissononce_agrees_with_fixed_and_with_random_ephemeral_keys(
    pattern: NoisePattern, initiator: bool, seed: int
) -> None:
    chance = Random(seed)
    mine, theirs = keys(chance)
    fixed = chance.randbytes(32) if seed else None
    other = foreign.End(pattern, not initiator, theirs, PROLOGUE, SUITE.public(mine), CODE, fixed)
    shake = ours(pattern, initiator, mine, SUITE.public(theirs), ephemeral=chance.randbytes(32) if seed else None)
    turn = initiator
    while not shake.done:
        if turn:
            assert other.read(shake.write(b"payload")) == b"payload"
        else:
            assert shake.read(other.write(b"answer")) == b"answer"
        turn = not turn
    assert shake.split() == other.keys
    assert shake.hash == other.hash


# ------------------------------------------------------------------ vectors written by dissononce


def test_the_vectors_are_those_that_dissononce_writes() -> None:
    assert foreign.render() == foreign.PATH.read_text(encoding="utf-8"), "run make docs"


@pytest.mark.parametrize("vector", VECTORS["handshakes"], ids=lambda vector: vector["name"])
@BOTH_ROLES
def test_each_handshake_of_the_vectors_comes_out(vector: dict[str, Any], initiator: bool) -> None:
    side, other = ("host", "device") if initiator else ("device", "host")
    raw = {key: bytes.fromhex(value) for key, value in vector.items() if isinstance(value, str) and key != "name"}
    pattern = NoisePattern(vector["pattern_name"]["text"])
    known: dict[str, Any] = {"code": secret_of(vector["code"]["text"])} if "code" in vector else {}
    if pattern is NoisePattern.SEAL:
        known["remote"] = SUITE.public(raw[f"{other}_private"])
    shake = Handshake(SUITE, pattern, initiator=initiator, own=raw[f"{side}_private"], prologue=raw["prologue"],
                      ephemeral=raw[f"{side}_ephemeral"], **known)  # fmt: skip
    for number, message in enumerate(vector["messages"]):
        payload, wire = bytes.fromhex(message["payload"]), bytes.fromhex(message["bytes"])
        if (number % 2 == 0) is initiator:
            assert shake.write(payload) == wire
        else:
            assert shake.read(wire) == payload
    assert shake.split() == (raw["host_to_device"], raw["device_to_host"])
    assert shake.hash == raw["hash"]
    assert shake.remote == SUITE.public(raw[f"{other}_private"])
    assert short_string(shake.hash) == vector["short_string"]["text"]


def test_the_messages_are_as_long_as_their_layouts() -> None:
    sizes = {len(each["messages"]): [len(bytes.fromhex(one["bytes"])) for one in each["messages"]]
             for each in VECTORS["handshakes"]}  # fmt: skip
    assert sizes == {3: [48, 96, 81], 2: [48, 48]}
    fixed = {
        PairCallMessage: 48,
        PairAnswerMessage: 96,
        PairProofMessage: 81,
        SealCallMessage: 56,
        SealAnswerMessage: 48,
    }
    for cls, size in fixed.items():
        assert sum(field.size for field in fields_of(next(p for c, p in PACKETS.values() if c is cls))) == size


@pytest.mark.parametrize("vector", VECTORS["frames"], ids=lambda vector: vector["name"])
def test_each_sealed_frame_of_the_vectors_opens_and_is_written_alike(vector: dict[str, Any]) -> None:
    key, clear, sealed = (bytes.fromhex(vector[name]) for name in ("key", "clear", "sealed"))
    assert KeySet(SUITE, key, bytes(32)).seal(clear, vector["total"]) == sealed
    assert KeySet(SUITE, bytes(32), key).open(sealed) == clear


# ------------------------------------------------------------------ what does not open


@BOTH_PATTERNS
def test_a_message_with_any_bit_changed_is_refused(pattern: NoisePattern) -> None:
    chance = Random(5)
    host, device = keys(chance)

    def ends() -> tuple[Handshake, Handshake]:
        return (
            ours(pattern, True, host, SUITE.public(device), ephemeral=b"\1" * 32),
            ours(pattern, False, device, SUITE.public(host), ephemeral=b"\2" * 32),
        )

    one, other = ends()
    messages = []
    while not one.done:
        messages.append(one.write(b"role and name"))
        other.read(messages[-1])
        if not one.done:
            messages.append(other.write())
            one.read(messages[-1])
    for at in range(0, 8 * len(messages[0]), 3):
        changed = bytearray(messages[0])
        changed[at // 8] ^= 1 << at % 8
        with pytest.raises(HandshakeFailed):
            ends()[1].read(bytes(changed))
    for size in range(len(messages[0])):
        with pytest.raises(HandshakeFailed):
            ends()[1].read(messages[0][:size])


@pytest.mark.parametrize("point", [bytes(32), b"\1" + bytes(31), b"\xec" + b"\xff" * 30 + b"\x7f"])
def test_a_key_that_agrees_on_nothing_is_refused(point: bytes) -> None:
    shake = ours(NoisePattern.SEAL, False, b"\7" * 32, SUITE.public(b"\5" * 32))
    with pytest.raises(HandshakeFailed, match="agree on nothing"):
        shake.read(point + bytes(16))


def test_another_prologue_is_another_handshake() -> None:
    host, device = keys(Random(9))
    call = Handshake(
        SUITE, NoisePattern.SEAL, initiator=True, own=host, prologue=b"one", remote=SUITE.public(device)
    ).write()
    other = Handshake(SUITE, NoisePattern.SEAL, initiator=False, own=device, prologue=b"two", remote=SUITE.public(host))
    with pytest.raises(HandshakeFailed):
        other.read(call)


# ------------------------------------------------------------------ codes and strings


def test_a_code_survives_how_people_type_it() -> None:
    code = VECTORS["codes"][0]
    assert secret_of(code["code"]).hex() == code["secret"]
    for typed in (code["code"].lower(), code["code"].replace("-", ""), f" {code['code'].replace('-', ' ')} "):
        assert secret_of(typed).hex() == code["secret"]
    assert secret_of(code["code"].replace("1", "l").replace("0", "O")).hex() == code["secret"]


@pytest.mark.parametrize("vector", VECTORS["codes"], ids=lambda vector: vector["code"])
def test_each_code_of_the_vectors_comes_out(vector: dict[str, Any]) -> None:
    assert code_of(vector["number"]) == vector["code"]
    assert secret_of(vector["code"]).hex() == vector["secret"]


def test_a_wrong_character_is_noticed() -> None:
    code = VECTORS["codes"][0]["code"]
    swapped = code[1] + code[0] + code[2:]
    with pytest.raises(BadCode, match="check character"):
        secret_of(swapped)
    with pytest.raises(BadCode, match="12 characters"):
        secret_of(code[:-2])
    with pytest.raises(BadCode, match="12 characters"):
        secret_of("U" + code[1:])


def test_the_id_of_a_key_is_of_its_hash() -> None:
    assert key_id(bytes(32)).hex() == "66687aadf862bd77"  # SHA-256 of 32 zero bytes, published in many places


# ------------------------------------------------------------------ counter and window


def test_a_frame_opens_once_and_in_any_order_within_the_window() -> None:
    sender, receiver = KeySet(SUITE, b"\1" * 32, b"\2" * 32), KeySet(SUITE, b"\2" * 32, b"\1" * 32)
    body = bytes((1, 0, 4, 0, 0, 0, 0x40, 1)) + b"payload"
    sealed = [sender.seal(body, 200 + number) for number in range(200)]
    order = [3, 0, 2, 1, 66, 4, 3, 67, 2, 66, 150, 100, 87, 86]
    opened = [receiver.open(sealed[at]) is not None for at in order]
    # 3 is only 63 before 66 and was seen; 2 is 64 before 66; 86 is 64 before 150
    assert opened == [True, True, True, True, True, True, False, True, False, False, True, True, True, False]


def test_the_counter_goes_on_beyond_the_link_sequence() -> None:
    sender, receiver = KeySet(SUITE, b"\1" * 32, b"\2" * 32), KeySet(SUITE, b"\2" * 32, b"\1" * 32)
    body = bytes((1, 0, 4, 0, 0, 0, 0x40, 1)) + b"x"
    for number in range(1000):
        sealed = sender.seal(body, 77 + number)
        if number % 100 < 10:  # ninety of a hundred are lost
            found = receiver.open(sealed)
            assert found is not None
            assert found[:3] + found[4:] == body[:3] + body[4:]
            assert found[3] == 77 + number & 0xFF


def test_more_than_127_lost_frames_open_nothing_and_leave_the_state() -> None:
    sender, receiver = KeySet(SUITE, b"\1" * 32, b"\2" * 32), KeySet(SUITE, b"\2" * 32, b"\1" * 32)
    body = bytes((1, 0, 4, 0, 0, 0, 0x40, 1))
    assert receiver.open(sender.seal(body, 0)) is not None
    frames = [sender.seal(body, number) for number in range(1, 300)]
    assert receiver.open(frames[127]) is None  # counter 128, taken for -128
    assert receiver.open(frames[126]) is not None


def test_a_forged_frame_does_not_move_the_window() -> None:
    sender, receiver = KeySet(SUITE, b"\1" * 32, b"\2" * 32), KeySet(SUITE, b"\2" * 32, b"\1" * 32)
    body = bytes((1, 0, 4, 0, 0, 0, 0x40, 1)) + b"abc"
    chance = Random(1)
    assert receiver.open(chance.randbytes(40)) is None
    assert receiver.open(sender.seal(body, 0)) is not None
    for sequence in range(256):
        assert receiver.open(bytes((1, 0x80, 4, sequence, 0, 0, 0x40, 1)) + chance.randbytes(19)) is None
    assert receiver.open(sender.seal(body, 1)) is not None


def test_dissononces_cipher_is_the_one_of_the_frames() -> None:
    sealed = KeySet(SUITE, b"\3" * 32, bytes(32)).seal(bytes((1, 0, 4, 0, 0, 0, 0x40, 1)) + b"abc", 5)
    assert ChaChaPolyCipher().decrypt(b"\3" * 32, 5, sealed[:8], sealed[8:]) == b"abc"
