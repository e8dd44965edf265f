"""A host that pairs with a device and talks to it over a sealed line, on the package `noiseprotocol`: its handshakes
share no code with the program."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
from noise.connection import Keypair, NoiseConnection

from protocol.tdp import messages as m
from protocol.tdp.codec import decode, encode
from protocol.tdp.framing import Frame, encode_frame
from protocol.tdp.messages import Message
from tests.support.rigs.firmware import PATIENCE_S, REQUESTS, Asked, Port

SEALED: Final = 0x80
SYMBOLS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32."""


def public_key(secret: bytes) -> bytes:
    """Return the X25519 public key of a secret one."""
    return X25519PrivateKey.from_private_bytes(secret).public_key().public_bytes_raw()


def code_key(shown: str) -> bytes:
    """Return the pre-shared key of a code as a device shows it. Raise AssertionError for a wrong check character."""
    symbols = shown.replace("-", "")
    values = [SYMBOLS.index(symbol) for symbol in symbols]
    assert len(values) == 13
    assert sum((at + 1) * value for at, value in enumerate(values[:12])) % 31 == values[12]
    return hashlib.sha256(b"TDP 1.4 code" + symbols[:12].encode()).digest()


def short_string(handshake_hash: bytes) -> str:
    """Return the short authentication string of a handshake."""
    bits = int.from_bytes(hashlib.sha256(b"TDP 1.4 sas" + handshake_hash).digest()[:5])
    shown = "".join(SYMBOLS[bits >> at & 31] for at in range(35, -5, -5))
    return f"{shown[:4]}-{shown[4:]}"


class SealedDirection:
    """One direction of a sealed line: its key, and the counter of the newest frame."""

    def __init__(self, key: bytes) -> None:
        self._aead, self.top = ChaCha20Poly1305(key), -1

    def seal(self, body: bytes) -> bytes:
        """Seal header and payload; the link sequence is the counter's low byte."""
        self.top += 1
        head = bytes([body[0], body[1] | SEALED, body[2], self.top & 255]) + body[4:8]
        return head + self._aead.encrypt(bytes(4) + self.top.to_bytes(8, "little"), body[8:], head)

    def open(self, body: bytes) -> bytes:
        """Open a sealed frame; raise InvalidTag. The first may have any sequence."""
        counter = body[3] if self.top < 0 else self.top + (body[3] - self.top & 255)
        plain = self._aead.decrypt(bytes(4) + counter.to_bytes(8, "little"), body[8:], body[:8])
        self.top = counter
        return bytes([body[0], body[1] & ~SEALED & 255]) + body[2:8] + plain


class SealedHost(Asked):
    """A host whose line may be sealed. Until then it speaks in clear; `clear` has what it heard in clear since."""

    def __init__(self, line: str | Port, secret: bytes) -> None:
        super().__init__(line)
        self.secret = secret
        self.to_device: SealedDirection | None = None
        self.to_host: SealedDirection | None = None
        self.clear = list[Message]()
        self.dropped = 0
        self.sent = list[bytes]()
        self.compare = ""

    def say(self, message: Message) -> None:
        """Send a message; sealed, if there are keys."""
        self.send(encode(message, request=next(REQUESTS) % 60_000 + 1), sealed=True)

    def send(self, body: bytes, *, sealed: bool = False) -> None:
        """Send header and payload."""
        if sealed and self.to_device is not None:
            body = self.to_device.seal(body)
        self.sent.append(body)
        self._port.write(encode_frame(body, after_silence=True))

    def hear(
        self, kind: type[Message], wanted: Callable[[Message], bool] = lambda _: True, within: float = PATIENCE_S
    ) -> Message:
        """Return the next message of this kind that opened, or in clear as long as there are no keys."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            while self._heard:
                message = self._heard.pop(0)
                if isinstance(message, kind) and wanted(message):
                    return message
            for body in self.bodies():
                self._take(body)
        raise AssertionError(f"no {kind.__name__} within {within} s")

    def bodies(self) -> list[bytes]:
        """Return the frames that arrived within a moment."""
        return [piece.body for piece in self._framer.feed(self._port.read(256)) if isinstance(piece, Frame)]

    def _take(self, body: bytes) -> None:
        if body[1] & SEALED:
            if self.to_host is None:
                self.dropped += 1
                return
            try:
                body = self.to_host.open(body)
            except InvalidTag:
                self.dropped += 1
                return
        elif self.to_host is not None:
            self.clear.append(decode(body).message)
            return
        message = decode(body).message
        self._heard.append(message)
        if isinstance(message, m.Event) and self._session:
            self.say(m.AckMessage(self._session, message.number))

    def introduced(self) -> bytes:
        """Return the payload of the HELLO-REPLY in clear."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.send(encode(m.HelloMessage(1, 0, 1, 4, "test")))
            asked = time.monotonic()
            while time.monotonic() < asked + 0.5:
                for body in self.bodies():
                    if not body[1] & SEALED and isinstance(decode(body).message, m.HelloReplyMessage):
                        return body[8:]
        raise AssertionError("no HELLO-REPLY in clear")

    def answered(self, call: Message, kind: type[Message], times: int = 1) -> Any:
        """Return the answer to a call, or the NAK. It is repeated while nothing comes or the device is busy."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            for _ in range(times):
                self.send(encode(call))
            asked = time.monotonic()
            while time.monotonic() < asked + 0.25:
                for body in self.bodies():
                    found = None if body[1] & SEALED else decode(body).message
                    busy = isinstance(found, m.NakMessage) and found.reason == m.Reason.BUSY
                    if isinstance(found, kind | m.NakMessage) and not busy:
                        return found
        raise AssertionError(f"no {kind.__name__}")

    def begin(self, pattern: bytes, prologue: bytes, device: bytes | None = None, psk: bytes | None = None) -> Any:
        """Return a handshake of the package, in the host's role."""
        noise = NoiseConnection.from_name(b"Noise_%s_25519_ChaChaPoly_SHA256" % pattern)
        noise.set_as_initiator()
        noise.set_prologue(prologue)
        noise.set_keypair_from_private_bytes(Keypair.STATIC, self.secret)
        if device is not None:
            noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, device)
        if psk is not None:
            noise.set_psks(psk)
        noise.start_handshake()
        return noise

    def use(self, noise: Any) -> None:
        """Seal and open with the keys of a finished handshake."""
        ended = noise.noise_protocol
        self.to_device = SealedDirection(ended.cipher_state_encrypt.k)
        self.to_host = SealedDirection(ended.cipher_state_decrypt.k)
        self.compare = short_string(noise.get_handshake_hash())

    def pair(
        self,
        shown: str,
        role: int = m.Role.SERVICE,
        name: bytes = b"table 7",
        *,
        meanwhile: Callable[[], object] = lambda: None,
    ) -> Any:
        """Pair by the code that the device shows; return its X25519 key. The device's first sealed STATUS proves the
        rest. A NAK is returned in its place. `meanwhile` happens before the proof is sent."""
        noise = self.begin(b"XXpsk3", b"TDP 1.4 pair" + self.introduced(), psk=code_key(shown))
        call = bytes(noise.write_message())
        answer = self.answered(m.PairCallMessage(call[:32], call[32:]), m.PairAnswerMessage)
        if isinstance(answer, m.NakMessage):
            return answer
        noise.read_message(answer.ephemeral + answer.static + answer.tag)
        device = noise.noise_protocol.handshake_state.rs.public_bytes
        proof = bytes(noise.write_message(bytes([role]) + name.ljust(16, b"\0")))
        self.use(noise)
        meanwhile()
        self.send(encode(m.PairProofMessage(proof[:48], proof[48:])))
        return device

    def call(self, device: bytes) -> tuple[Any, m.SealCallMessage]:
        """Return a handshake for service and its call."""
        noise = self.begin(b"KK", b"TDP 1.4 seal" + self.introduced(), device)
        call = bytes(noise.write_message())
        key_id = hashlib.sha256(public_key(self.secret)).digest()[:8]
        return noise, m.SealCallMessage(key_id, call[:32], call[32:])

    def seal(self, device: bytes, times: int = 1) -> Any:
        """Seal the line; return the answer, which may be a NAK."""
        noise, call = self.call(device)
        answer = self.answered(call, m.SealAnswerMessage, times)
        if isinstance(answer, m.SealAnswerMessage):
            noise.read_message(answer.ephemeral + answer.tag)
            self.use(noise)
        return answer
