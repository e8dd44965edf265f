"""The cryptography of the reference device in C, built for this machine and called from here: the same results as
other implementations."""

import ctypes
import hashlib
import shutil
import subprocess
from collections.abc import Callable
from random import Random
from typing import Any, Final

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from tests.support.rigs.firmware import ROOT

pytestmark = pytest.mark.firmware

FIRMWARE: Final = ROOT / "firmware"
SIZES: Final = r"""
#include "sha512.h"
#include "tdp_seal.h"
unsigned size_of_curve(void) { return sizeof(struct curve_work); }
unsigned size_of_keys(void) { return sizeof(struct seal_keys); }
unsigned size_of_noise(void) { return sizeof(struct noise); }
unsigned size_of_signing(void) { return sizeof(struct seal_signing); }
"""
HEADER: Final = bytes([1, 0, 4, 0, 0, 0, 0x40, 1])


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed (make test-firmware does)")
    folder = tmp_path_factory.mktemp("core")
    (folder / "sizes.c").write_text(SIZES)
    sources = [*(f"seal/{name}.c" for name in ("curve", "noise", "sha512", "ed25519")), "src/sha256.c", "src/frame.c"]
    words = ["cc", "-std=c99", "-O2", "-shared", "-fPIC", "-Iinclude", "-Isrc", "-Iseal", "-Imonocypher"]
    words += ["-o", folder / "core.so", folder / "sizes.c", *sources]
    done = subprocess.run(words, cwd=FIRMWARE, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    library = ctypes.CDLL(str(folder / "core.so"))
    for name in ("curve_step", "curve_base_step", "ed25519_step", "noise_decrypt"):
        getattr(library, name).restype = ctypes.c_bool
    for name in ("noise_seal", "noise_open"):
        getattr(library, name).restype = ctypes.c_uint16
    return library


def room(size: int) -> Any:
    return ctypes.create_string_buffer(size)


def stepped(begin: Callable[[Any], object], step: Callable[[Any, Any], bool], size: int) -> tuple[bytes, int]:
    """Run a multiplication to its end; return its result and the number of calls."""
    work, out = room(size), room(32)
    begin(work)
    calls = 1
    while not step(work, out):
        calls += 1
    assert work.raw == bytes(size)  # wiped
    return out.raw, calls


def x25519(core: ctypes.CDLL, scalar: bytes, point: bytes, steps: int = 255) -> bytes:
    return stepped(
        lambda work: core.curve_begin(work, scalar, point),
        lambda work, out: core.curve_step(work, steps, out),
        core.size_of_curve(),
    )[0]


BASE: Final = bytes([9, *bytes(31)])


@pytest.mark.parametrize("steps", [1, 8, 100, 255])
def test_x25519_in_steps_is_that_of_another_library(core: ctypes.CDLL, steps: int) -> None:
    chance = Random(steps)
    for _ in range(20):
        mine, other = chance.randbytes(32), chance.randbytes(32)
        key = X25519PrivateKey.from_private_bytes(mine)
        public = X25519PrivateKey.from_private_bytes(other).public_key().public_bytes_raw()
        assert x25519(core, mine, BASE, steps) == key.public_key().public_bytes_raw()
        shared = key.exchange(X25519PublicKey.from_public_bytes(public))
        assert x25519(core, mine, public, steps) == shared


def test_x25519_has_the_results_of_rfc_7748(core: ctypes.CDLL) -> None:
    scalar = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    point = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    assert x25519(core, scalar, point, 8).hex() == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    low = bytes(32)
    assert x25519(core, scalar, low) == low  # the core refuses this result of a point of small order


def test_a_step_is_a_small_part_of_the_whole(core: ctypes.CDLL) -> None:
    _, calls = stepped(
        lambda work: core.curve_begin(work, bytes(range(32)), BASE),
        lambda work, out: core.curve_step(work, 8, out),
        core.size_of_curve(),
    )
    assert calls == 32


def test_sha512_is_that_of_the_standard_library(core: ctypes.CDLL) -> None:
    chance = Random(1)
    for length in (*range(260), 1000):
        text, digest, state = chance.randbytes(length), room(64), room(256)
        core.sha512_begin(state)
        cut = length // 3
        core.sha512_add(state, text[:cut], cut)
        core.sha512_add(state, text[cut:], length - cut)
        core.sha512_end(state, digest)
        assert digest.raw == hashlib.sha512(text).digest()


def signed(core: ctypes.CDLL, seed: bytes, text: bytes, turns: int) -> tuple[bytes, bytes]:
    public, signing, work = room(32), room(core.size_of_signing()), room(core.size_of_curve())
    core.ed25519_public(public, work, seed)
    core.ed25519_begin(signing, work, seed, text, len(text))
    while not core.ed25519_step(signing, work, turns):
        pass
    core.ed25519_end(signing, seed, public.raw, text, len(text))
    return public.raw, signing.raw[32:96]


@pytest.mark.parametrize("turns", [1, 2, 5, 32])
def test_a_signature_in_steps_is_that_of_another_library(core: ctypes.CDLL, turns: int) -> None:
    chance = Random(turns)
    for length in (0, 1, 54, 98, 127, 128, 300):
        seed, text = chance.randbytes(32), chance.randbytes(length)
        key = Ed25519PrivateKey.from_private_bytes(seed)
        assert signed(core, seed, text, turns) == (key.public_key().public_bytes_raw(), key.sign(text))


def test_a_signature_is_that_of_rfc_8032(core: ctypes.CDLL) -> None:
    """Section 7.1, test 2."""
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    public, signature = signed(core, seed, b"\x72", 2)
    assert public.hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    assert signature.hex() == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )


# ------------------------------------------------------------------ handshakes


class Answerer:
    """The device's end of a handshake, out of the C functions in the order of the pattern."""

    def __init__(self, core: ctypes.CDLL, name: bytes, prologue: bytes) -> None:
        self.core, self.noise = core, room(core.size_of_noise())
        core.noise_begin(self.noise, name, prologue[:5], 5, prologue[5:], len(prologue) - 5)

    def mix(self, *parts: bytes) -> None:
        for part in parts:
            self.core.noise_mix_hash(self.noise, part, len(part))

    def key(self, scalar: bytes, point: bytes) -> None:
        self.core.noise_mix_key(self.noise, x25519(self.core, scalar, point))

    def opened(self, sealed: bytes) -> bytes:
        out = room(len(sealed))
        assert self.core.noise_decrypt(self.noise, out, sealed, len(sealed))
        return bytes(out.raw[: len(sealed) - 16])

    def sealed(self, plain: bytes) -> bytes:
        out = room(len(plain) + 16)
        self.core.noise_encrypt(self.noise, out, plain, len(plain))
        return bytes(out.raw)

    def split(self) -> Any:
        keys = room(self.core.size_of_keys())
        self.core.noise_split(self.noise, keys)
        return keys


def answer_kk(core: ctypes.CDLL, prologue: bytes, own: bytes, host: bytes, fresh: bytes, call: bytes) -> Any:
    """Return the answer to a first message of KK and the keys."""
    end = Answerer(core, b"Noise_KK_25519_ChaChaPoly_SHA256", prologue)
    end.mix(host, x25519(core, own, BASE), call[:32])
    end.key(own, call[:32])
    end.key(own, host)
    assert end.opened(call[32:]) == b""
    public = x25519(core, fresh, BASE)
    end.mix(public)
    end.key(fresh, call[:32])
    end.key(fresh, host)
    return public + end.sealed(b""), end.split()


def initiator(pattern: bytes, prologue: bytes, own: bytes, device: bytes | None, psk: bytes | None) -> Any:
    """The host's end, of the package noiseprotocol."""
    from noise.connection import Keypair, NoiseConnection

    host = NoiseConnection.from_name(b"Noise_%s_25519_ChaChaPoly_SHA256" % pattern)
    host.set_as_initiator()
    host.set_prologue(prologue)
    host.set_keypair_from_private_bytes(Keypair.STATIC, own)
    if device is not None:
        host.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, device)
    if psk is not None:
        host.set_psks(psk)
    host.start_handshake()
    return host


def same_keys(keys: Any, host: Any) -> None:
    """The first key is for frames to the device."""
    assert keys.raw[:32] == host.noise_protocol.cipher_state_encrypt.k
    assert keys.raw[32:64] == host.noise_protocol.cipher_state_decrypt.k


def public_of(secret: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def test_kk_agrees_with_another_implementation(core: ctypes.CDLL) -> None:
    chance = Random(7)
    for _ in range(5):
        prologue, own, device, fresh = b"TDP 1.4 seal" + chance.randbytes(117), *(chance.randbytes(32) for _ in "123")
        host = initiator(b"KK", prologue, own, public_of(device), None)
        answer, keys = answer_kk(core, prologue, device, public_of(own), fresh, bytes(host.write_message()))
        assert bytes(host.read_message(answer)) == b""
        same_keys(keys, host)


def test_xx_with_a_code_agrees_with_another_implementation(core: ctypes.CDLL) -> None:
    chance = Random(8)
    for _ in range(5):
        prologue, own, device, fresh, psk = (
            b"TDP 1.4 pair" + chance.randbytes(215),
            *(chance.randbytes(32) for _ in "1234"),
        )
        host = initiator(b"XXpsk3", prologue, own, None, psk)
        call = bytes(host.write_message())
        end = Answerer(core, b"Noise_XXpsk3_25519_ChaChaPoly_SHA256", prologue)
        end.mix(call[:32])
        core.noise_mix_key(end.noise, call[:32])
        assert end.opened(call[32:]) == b""
        public = x25519(core, fresh, BASE)
        end.mix(public)
        core.noise_mix_key(end.noise, public)
        end.key(fresh, call[:32])
        answer = public + end.sealed(public_of(device))
        end.key(device, call[:32])
        assert bytes(host.read_message(answer + end.sealed(b""))) == b""
        proof = bytes(host.write_message(b"\2table 7".ljust(17, b"\0")))
        assert end.opened(proof[:48]) == public_of(own)
        end.key(fresh, public_of(own))
        core.noise_mix_psk(end.noise, psk)
        assert end.opened(proof[48:]) == b"\2table 7".ljust(17, b"\0")
        same_keys(end.split(), host)


# ------------------------------------------------------------------ sealed frames


class Line:
    """Keys in C, and the same on `cryptography` for the other end."""

    def __init__(self, core: ctypes.CDLL) -> None:
        chance = Random(9)
        own, device, fresh = (chance.randbytes(32) for _ in "123")
        host = initiator(b"KK", b"line?", own, public_of(device), None)
        answer, self.keys = answer_kk(core, b"line?", device, public_of(own), fresh, bytes(host.write_message()))
        host.read_message(answer)
        self.core = core
        self.to_device, self.to_host = (ChaCha20Poly1305(self.keys.raw[at : at + 32]) for at in (0, 32))

    def frame(self, counter: int, payload: bytes = b"payload") -> bytes:
        head = bytes([1, 0x80, 4, counter & 255, 0, 0, 0x40, 1])
        return head + self.to_device.encrypt(bytes(4) + counter.to_bytes(8, "little"), payload, head)

    def opens(self, frame: bytes) -> bytes | None:
        """Return the frame as the device opens it; None if it does not open, and is then left as it is."""
        memory = room(300)
        memory[: len(frame)] = frame
        length = self.core.noise_open(self.keys, memory, len(frame))
        if length == 0:
            assert memory.raw[: len(frame)] == frame
            return None
        return bytes(memory.raw[:length])


@pytest.fixture
def line(core: ctypes.CDLL) -> Line:
    return Line(core)


def test_a_sealed_frame_opens_once(line: Line) -> None:
    frame = line.frame(200)
    assert line.opens(frame) == bytes([1, 0, 4, 200, 0, 0, 0x40, 1]) + b"payload"
    assert line.opens(frame) is None
    assert line.opens(line.frame(201, b"")) is not None


def test_frames_may_be_lost_and_come_in_another_order(line: Line) -> None:
    """A frame more than 63 behind the newest is refused, so is one that was opened; at most 127 may be lost."""
    opened = [
        counter for counter in (5, 7, 6, 132, 69, 68, 70, 70, 259, 258, 259 + 127) if line.opens(line.frame(counter))
    ]
    assert opened == [5, 7, 6, 132, 69, 70, 259, 258, 386]
    assert line.opens(line.frame(386 + 128)) is None


def test_counters_go_on_beyond_a_byte(line: Line) -> None:
    assert all(line.opens(line.frame(counter)) for counter in range(3, 70_000, 100))
    assert line.opens(line.frame(3)) is None


def test_no_altered_frame_opens(line: Line) -> None:
    """Every bit of it, header included, and another direction's."""
    frame = line.frame(9)
    for bit in range(8 * len(frame)):
        altered = bytearray(frame)
        altered[bit // 8] ^= 1 << bit % 8
        assert line.opens(bytes(altered)) is None
    for length in range(len(frame)):
        assert line.opens(frame[:length]) is None
    reflected = frame[:8] + line.to_host.encrypt(bytes(4) + (9).to_bytes(8, "little"), b"payload", frame[:8])
    assert line.opens(reflected) is None
    assert line.opens(frame) is not None


def test_what_the_device_seals_opens_elsewhere(core: ctypes.CDLL, line: Line) -> None:
    """The counter begins at the link sequence and follows it, also past frames that were sent in clear."""
    nonces = []
    for sequence, counter in ((250, 250), (251, 251), (0, 256), (5, 261), (5, 517), (4, 772)):
        memory = room(300)
        memory[:13] = bytes([1, 0, 2, sequence, 5, 0, 0, 0]) + b"reply"
        length = core.noise_seal(line.keys, memory, 13)
        assert length == 29
        nonces.append(nonce := bytes(4) + counter.to_bytes(8, "little"))
        assert memory.raw[1] == 0x80
        assert line.to_host.decrypt(nonce, memory.raw[8:length], memory.raw[:8]) == b"reply"
        with pytest.raises(InvalidTag):
            line.to_device.decrypt(nonce, memory.raw[8:length], memory.raw[:8])
    assert len({*nonces}) == len(nonces)


def test_a_million_hostile_frames_open_nothing(core: ctypes.CDLL, line: Line) -> None:
    """Altered, cut, lengthened, under another counter, or noise; the genuine one still opens."""
    genuine = [line.frame(counter) for counter in range(64)]
    assert all(line.opens(frame) for frame in genuine[:-1])
    chance, memory = Random(10), room(300)
    for _ in range(1_000_000):
        frame = bytearray(genuine[chance.randrange(64)])
        kind = chance.randrange(5)
        if kind == 0:
            frame[chance.randrange(len(frame))] ^= 1 << chance.randrange(8)
        elif kind == 1:
            frame[3] = frame[3] + chance.randrange(1, 256) & 255
        elif kind == 2:
            del frame[chance.randrange(len(frame)) :]
        elif kind == 3:
            frame += b"?"
        else:
            frame[8:] = chance.randbytes(len(frame) - 8)
        memory[: len(frame)] = bytes(frame)
        assert core.noise_open(line.keys, memory, len(frame)) == 0, frame.hex()
    assert line.opens(genuine[-1]) is not None
