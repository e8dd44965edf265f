"""Host's end of a sealed line.

    CLEAR --HELLO-REPLY--> CALLING --SealAnswer--> SEALED --new keys after a day--> CALLING, while SEALED goes on
      ^                       |                      |
      +----no answer----------+----nothing opens-----+

The link's own HELLO is the clock of the first state: it repeats it each 250 ms until a device answers. In clear the
host sends HELLO and handshake messages and nothing else, whatever arrives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from protocol.errors import BadPayload
from protocol.tdp.codec import decode, encode
from protocol.tdp.messages import Capability, HelloMessage, HelloReplyMessage, Kind, NakMessage, Reason
from protocol.tdp.outputs import SEALED
from protocol.tdp.packets import MINOR, VERSION
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.line_end import (
    HELLO,
    HELLO_REPLY,
    NEVER,
    SEAL_ANSWER,
    SEAL_CALL,
    SEAL_PROLOGUE,
    SealEnd,
    SealTiming,
    handshake_id,
    link_frame,
)
from protocol.tdp.seal.noise import Handshake, NoisePattern
from protocol.tdp.seal.suite import HandshakeFailed, SealSuite
from protocol.tdp.seal.words import key_id

KeyLog = Callable[[bytes, bytes, bytes], None]
"""Function that is given the ephemeral key of a call, and the keys from host to device and from device to host."""

NO_SEAL = "the device offers no sealed line, and this line requires one"
UNKNOWN_HOST = "the device does not know this host's key; pair them again"
NOT_THE_KEY = "the device does not have the key that it was paired with: it is another one, or someone is in between"
_REFUSALS: Final = {int(Reason.NOT_PERMITTED): UNKNOWN_HOST, int(Reason.BAD_PAYLOAD): NOT_THE_KEY}


class HostEnd(SealEnd):
    """The host's end. `find` returns the public key that belongs to a HELLO-REPLY; it raises KeyError, with a reason
    for a reader, if there is none."""

    def __init__(
        self,
        suite: SealSuite,
        own: bytes,
        find: Callable[[HelloReplyMessage], bytes],
        *,
        timing: SealTiming | None = None,
        log: KeyLog | None = None,
    ) -> None:
        super().__init__(suite, own, timing)
        self.problem = ""
        """Reason that the line cannot be sealed; empty while there is none."""
        self._find, self._log = find, log
        self._id = key_id(suite.public(own))
        self._old: KeySet | None = None  # the keys before, until a frame opens under the new ones
        self._hello = encode(HelloMessage(VERSION, 0, VERSION, MINOR, "dealwire"))
        self._greeting: bytes | None = None  # payload of the last HELLO-REPLY
        self._remote = b""
        self._shake: Handshake | None = None
        self._call, self._called_ns, self._tries = b"", 0, 0
        self._opened_ns = self._hint_ns = self._keyed_ns = -NEVER
        self._renew = False

    @property
    def sealed(self) -> bool:
        """True once a frame opened under the keys in use."""
        return self.keys is not None and self._old is None and self.stats.opened > 0

    # -------------------------------------------------------------- to the line

    def _send(self, body: bytes, now_ns: int) -> None:
        greets = handshake_id(body) == HELLO
        if greets:
            self._hello = body
        if self.keys is not None and not (greets and self._silent(now_ns)):
            self._put_sealed(self.keys, body, now_ns)
        elif greets and self._shake is None:
            self._put_clear(body, now_ns)

    def _silent(self, now_ns: int) -> bool:
        return now_ns - self._opened_ns >= self._timing.lost_ns

    def _start(self, greeting: bytes, now_ns: int) -> None:
        self._shake = Handshake(
            self._suite,
            NoisePattern.SEAL,
            initiator=True,
            own=self._own,
            prologue=SEAL_PROLOGUE + greeting,
            remote=self._remote,
        )
        try:
            self._call = link_frame(SEAL_CALL, self._id + self._shake.write())
        except HandshakeFailed:  # the pinned key is none
            self._shake, self.problem = None, NOT_THE_KEY
            return
        self._renew, self._tries = False, 0
        self._repeat(now_ns)

    def _repeat(self, now_ns: int) -> None:
        self._tries, self._called_ns = self._tries + 1, now_ns
        self._put_clear(self._call, now_ns)

    def _due_ns(self) -> int:
        if self._shake is not None:
            return self._called_ns + self._timing.repeat_ns
        return self._keyed_ns + self._key_life_ns if self.keys is not None else NEVER

    @property
    def _key_life_ns(self) -> int:
        """Age of keys at which the host calls again: soon if the device still uses the keys before, for then it has
        not taken these, and reads nothing that the host sends."""
        return self._timing.rekey_ns if self._old is None else self._timing.lost_ns

    def _expire(self, now_ns: int) -> None:
        super()._expire(now_ns)
        if self._shake is not None and now_ns - self._called_ns >= self._timing.repeat_ns:
            if self._tries < self._timing.tries:
                self._repeat(now_ns)
            else:
                self._shake = None
                self._keyed_ns = max(self._keyed_ns, now_ns - self._key_life_ns + self._timing.lost_ns)
        keys = self.keys
        if self._shake is None and keys is not None and self._greeting is not None:
            old = now_ns - self._keyed_ns >= self._key_life_ns or keys.sent >= self._timing.rekey_frames
            if old and not self._silent(now_ns):
                self._start(self._greeting, now_ns)

    # -------------------------------------------------------------- from the line

    def _judge(self, body: bytes, now_ns: int) -> None:
        if body[1] & SEALED:
            self._open(body, now_ns)
            return
        message_id = handshake_id(body)
        if message_id == HELLO_REPLY:
            self._greet(body, now_ns)
        elif message_id == SEAL_ANSWER and self._shake is not None:
            self._finish(self._shake, body, now_ns)
        elif body[2] == Kind.NAK and body[0] == VERSION:
            self._take_nak(body, now_ns)
        else:
            self.stats.clear += 1
            self._pass_refused(body)

    def _open(self, body: bytes, now_ns: int) -> None:
        for keys in (self.keys, self._old):
            opened = keys.open(body) if keys is not None else None
            if opened is not None:
                if keys is self.keys:
                    self._old = None
                self._opened_ns, self.problem = now_ns, ""
                self.stats.opened += 1
                self._pass_up(opened)
                return
        self.stats.unopened += 1
        self._pass_refused(body)
        if now_ns - self._opened_ns >= self._timing.unopened_ns and self._greeting is not None and self._remote:
            self._hint(now_ns, self._greeting)

    def _hint(self, now_ns: int, greeting: bytes | None) -> None:
        """Call again, or say HELLO, because the device may have lost its keys; a hint proves nothing, so not often."""
        if now_ns - self._hint_ns < self._timing.repeat_ns or self._shake is not None:
            return
        self._hint_ns = now_ns
        if greeting is not None:
            self._start(greeting, now_ns)
        else:
            self._renew = True
            self._put_clear(self._hello, now_ns)

    def _greet(self, body: bytes, now_ns: int) -> None:
        """Take a HELLO-REPLY in clear. Only the handshake proves it, which covers all its bytes."""
        if self._shake is not None or not (self._renew or self.keys is None or self._silent(now_ns)):
            return
        try:
            hello = decode(body).message
        except BadPayload:
            hello = None
        if not isinstance(hello, HelloReplyMessage):
            return
        if not hello.capabilities & Capability.SEALING:
            self.problem = NO_SEAL
            return
        try:
            self._remote = self._find(hello)
        except KeyError as error:
            self.problem = str(error.args[0])
            return
        self._greeting = body[8:]
        self._start(self._greeting, now_ns)

    def _finish(self, shake: Handshake, body: bytes, now_ns: int) -> None:
        self._shake = None
        try:
            shake.read(body[8:])
        except HandshakeFailed:
            self.problem = NOT_THE_KEY if self.keys is None else ""
            return
        out, into = shake.split()
        if self._old is None:  # keys that the device never took are dropped, not those that it uses
            self._old = self.keys
        self.keys = KeySet(self._suite, out, into)
        self._keyed_ns = self._opened_ns = now_ns
        self.stats.handshakes += 1
        self.problem = ""
        if self._log is not None:
            self._log(self._call[16:48], out, into)
        self._put_sealed(self.keys, self._hello, now_ns)

    def _take_nak(self, body: bytes, now_ns: int) -> None:
        """Take a NAK in clear, which anyone may have sent: a hint and nothing more."""
        self.stats.naks += 1
        try:
            nak = decode(body).message
        except BadPayload:
            return
        if not isinstance(nak, NakMessage):
            return
        if nak.reason == Reason.NOT_SEALED and now_ns - self._opened_ns >= self._timing.repeat_ns:
            self._hint(now_ns, None)
        elif nak.reason in _REFUSALS and body[6] == SEAL_CALL and not body[7] and self._silent(now_ns):
            self._shake, self.problem = None, _REFUSALS[nak.reason]
