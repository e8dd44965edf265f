"""Host's end of pairing: with the code that the device shows, both ends learn each other's keys, once."""

from __future__ import annotations

from protocol.errors import BadPayload
from protocol.tdp.codec import decode, encode
from protocol.tdp.messages import Capability, HelloMessage, HelloReplyMessage, Kind, NakMessage, Reason, Role
from protocol.tdp.outputs import SEALED
from protocol.tdp.packets import MINOR, VERSION
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.line_end import (
    HELLO_REPLY,
    PAIR_ANSWER,
    PAIR_CALL,
    PAIR_PROLOGUE,
    PAIR_PROOF,
    SealEnd,
    SealTiming,
    handshake_id,
    link_frame,
)
from protocol.tdp.seal.noise import Handshake, NoisePattern
from protocol.tdp.seal.suite import HandshakeFailed, SealSuite
from protocol.tdp.seal.words import short_string

NO_SEAL = "the device offers no sealed line, so it cannot be paired"
NOT_NOW = "the device is not in pairing, or the code is wrong or used up; have it show a new code, with its door open"
FULL = "the device is busy, or paired with as many hosts as it can hold; a person at the device can forget them"


class HostPairing(SealEnd):
    """The host's end of one pairing. `done` or `problem` ends it; until then call `tick` at each deadline."""

    def __init__(
        self,
        suite: SealSuite,
        own: bytes,
        code: bytes,
        *,
        role: Role,
        name: str,
        timing: SealTiming | None = None,
    ) -> None:
        super().__init__(suite, own, timing)
        self.hello: HelloReplyMessage | None = None
        """Identification of the device, which the handshake covers; None before."""
        self.device = b""
        """Public key of the device, proved once `done`."""
        self.short_string = ""
        """Short authentication string, to compare with the one that the device shows."""
        self.done = False
        self.problem = ""
        """Reason that the pairing failed; empty while it did not."""
        self._granted = bytes([role]) + name.encode("ascii", "replace")[:16].ljust(16, b"\0")
        self._code = code
        self._shake: Handshake | None = None
        self._frame = encode(HelloMessage(VERSION, 0, VERSION, MINOR, "dealwire"))
        self._due: int = 0
        self._refused_ns: int | None = None  # the first NAK to the message that waits for an answer

    def _send(self, body: bytes, now_ns: int) -> None:
        """Send nothing: there is no link above a pairing."""

    def _due_ns(self) -> int:
        return self._due

    def _expire(self, now_ns: int) -> None:
        super()._expire(now_ns)
        if now_ns >= self._due and not self.done and not self.problem:
            self._put_now(self._frame, now_ns)

    def _put_now(self, frame: bytes, now_ns: int) -> None:
        self._frame, self._due = frame, now_ns + self._timing.repeat_ns
        self._put_clear(frame, now_ns)

    def _judge(self, body: bytes, now_ns: int) -> None:
        if self.done or self.problem:
            return
        message_id = handshake_id(body)
        if body[1] & SEALED:
            if self.keys is not None and self.keys.open(body) is not None:
                self.done = True
        elif message_id == HELLO_REPLY and self._shake is None:
            self._greet(body, now_ns)
        elif message_id == PAIR_ANSWER and self._shake is not None and self.keys is None:
            self._prove(self._shake, body, now_ns)
        elif body[2] == Kind.NAK and self._shake is not None:
            self._take_nak(body, now_ns)

    def _greet(self, body: bytes, now_ns: int) -> None:
        try:
            hello = decode(body).message
        except BadPayload:
            return
        if not isinstance(hello, HelloReplyMessage):
            return
        if not hello.capabilities & Capability.SEALING:
            self.problem = NO_SEAL
            return
        self.hello = hello
        self._shake = Handshake(
            self._suite,
            NoisePattern.PAIR,
            initiator=True,
            own=self._own,
            prologue=PAIR_PROLOGUE + body[8:],
            code=self._code,
        )
        self._put_now(link_frame(PAIR_CALL, self._shake.write()), now_ns)

    def _prove(self, shake: Handshake, body: bytes, now_ns: int) -> None:
        answered = shake.after(body[8:])
        if answered is None:  # anyone can send one that does not hold: the device's own may follow
            return
        shake = answered
        try:
            proof = shake.write(self._granted)
        except HandshakeFailed as error:
            self.problem = f"the answer to the call does not hold: {error}"
            return
        self._refused_ns = None
        assert shake.remote is not None
        self.device, self.short_string = shake.remote, short_string(shake.hash)
        self.keys = KeySet(self._suite, *shake.split())
        self._put_now(link_frame(PAIR_PROOF, proof), now_ns)

    def _take_nak(self, body: bytes, now_ns: int) -> None:
        """Give up when NAKs go on: a single one in clear may be anyone's."""
        try:
            nak = decode(body).message
        except BadPayload:
            return
        if isinstance(nak, NakMessage) and not body[7] and body[6] in (PAIR_CALL, PAIR_PROOF):
            if self._refused_ns is None:
                self._refused_ns = now_ns
            if now_ns - self._refused_ns >= self._timing.unopened_ns:
                self.problem = FULL if nak.reason == Reason.BUSY else NOT_NOW
