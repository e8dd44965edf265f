"""Host's end of a sealed line.

    CLEAR --HELLO-REPLY--> CALLING --SealAnswer--> SEALED --new keys after a day--> CALLING, while SEALED goes on
      ^                       |                      |
      +----no answer----------+----nothing opens-----+

The link's own HELLO is the clock of the first state: it repeats it each 250 ms until a device answers. In clear the
host sends HELLO and handshake messages and nothing else, whatever arrives.

What arrives in clear may be anyone's. It ends no handshake that is under way: a HELLO-REPLY begins one beside it, an
answer that is not genuine is passed over, a NAK is a hint. Only if the hints go on while nothing opens, the line is
given up with the sentence of the last one, to be opened again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from protocol.errors import BadPayload
from protocol.tdp.codec import decode, encode
from protocol.tdp.messages import Capability, HelloMessage, HelloReplyMessage, Kind, NakMessage, Reason
from protocol.tdp.outputs import SEALED
from protocol.tdp.packets import MINOR, VERSION
from protocol.tdp.seal.calls import Call, Calls
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

_SAYS: Final = "something in clear on this line says that"
NO_SEAL = f"{_SAYS} the device offers no sealed line, and this line requires one"
UNKNOWN_HOST = f"{_SAYS} the device does not know this host's key; if that goes on, check this host's key"
CALL_REFUSED = (
    f"{_SAYS} the call of this host does not open; if that goes on, check the device's key: "
    "it is another device, or someone is in between"
)
NOT_THE_KEY = (
    "something on this line answers without the key of the device; if that goes on, check the device's key: "
    "it is another device, or someone is in between"
)
_REFUSALS: Final = {int(Reason.NOT_PERMITTED): UNKNOWN_HOST, int(Reason.BAD_PAYLOAD): CALL_REFUSED}


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
        """Reason that the line is given up; empty while it is not."""
        self.since_ns: int | None = None
        """Time since which the line is sealed without a gap in which nothing opened; None before."""
        self._find, self._log = find, log
        self._id = key_id(suite.public(own))
        self._old: KeySet | None = None  # the keys before, until a frame opens under the new ones
        self._hello = encode(HelloMessage(VERSION, 0, VERSION, MINOR, "dealwire"))
        self._greeting, self._remote = b"", b""  # of the last handshake: payload of the HELLO-REPLY, the device's key
        self._calls, self._called_ns = Calls(), 0
        self._opened_ns = self._hint_ns = self._keyed_ns = -NEVER
        self._doubt_ns: int | None = None  # the first of the hints that say the line cannot be sealed
        self._doubted_ns = -NEVER  # the last of them
        self._renew = False

    @property
    def sealed(self) -> bool:
        """True once a frame opened under the keys in use."""
        return self.keys is not None and self._old is None and self.stats.opened > 0

    @property
    def device_key(self) -> bytes:
        """Public key of the device with which the last handshake was; empty before the first."""
        return self._remote

    # -------------------------------------------------------------- to the line

    def _send(self, body: bytes, now_ns: int) -> None:
        greets = handshake_id(body) == HELLO
        if greets:
            self._hello = body
        if self.keys is not None and not (greets and self._silent(now_ns)):
            self._put_sealed(self.keys, body, now_ns)
        elif greets and (not self._calls.busy or self._doubt_ns is not None):
            self._put_clear(body, now_ns)

    def _silent(self, now_ns: int) -> bool:
        return now_ns - self._opened_ns >= self._timing.lost_ns

    def _start(self, greeting: bytes, remote: bytes, now_ns: int) -> None:
        """Begin a handshake with the device of this HELLO-REPLY, beside those under way."""
        shake = Handshake(
            self._suite,
            NoisePattern.SEAL,
            initiator=True,
            own=self._own,
            prologue=SEAL_PROLOGUE + greeting,
            remote=remote,
        )
        try:
            call = Call(greeting, shake, link_frame(SEAL_CALL, self._id + shake.write()))
        except HandshakeFailed:  # the key that is kept for this device is none
            self._doubt(NOT_THE_KEY, now_ns)
            return
        self._calls.add(call)
        if len(self._calls) == 1:
            self._repeat(now_ns)

    def _repeat(self, now_ns: int) -> None:
        """Send the call whose turn it is; give up if each had all its turns."""
        call = self._calls.next(self._timing.tries)
        if call is not None:
            self._called_ns = now_ns
            self._put_clear(call.frame, now_ns)
            return
        self._calls.clear()
        self._renew = False
        self._keyed_ns = max(self._keyed_ns, now_ns - self._key_life_ns + self._timing.lost_ns)

    @property
    def _turn_ns(self) -> int:
        """Time from a call to the next one."""
        return self._timing.repeat_ns if len(self._calls) == 1 else self._timing.turn_ns

    def _due_ns(self) -> int:
        if self._calls.busy:
            return self._called_ns + self._turn_ns
        return self._keyed_ns + self._key_life_ns if self.keys is not None else NEVER

    @property
    def _key_life_ns(self) -> int:
        """Age of keys at which the host calls again: soon if the device still uses the keys before, for then it has
        not taken these, and reads nothing that the host sends."""
        return self._timing.rekey_ns if self._old is None else self._timing.lost_ns

    def _expire(self, now_ns: int) -> None:
        super()._expire(now_ns)
        if self._calls.busy and now_ns - self._called_ns >= self._turn_ns:
            self._repeat(now_ns)
        keys = self.keys
        if keys is not None and not self._calls.busy:
            old = now_ns - self._keyed_ns >= self._key_life_ns or keys.sent >= self._timing.rekey_frames
            if old and not self._silent(now_ns):
                self._start(self._greeting, self._remote, now_ns)

    # -------------------------------------------------------------- from the line

    def _judge(self, body: bytes, now_ns: int) -> None:
        if body[1] & SEALED:
            self._open(body, now_ns)
            return
        message_id = handshake_id(body)
        if message_id == HELLO_REPLY:
            self._greet(body, now_ns)
        elif message_id == SEAL_ANSWER and self._calls.busy:
            self._finish(body, now_ns)
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
                self._opened_ns, self._doubt_ns, self.problem = now_ns, None, ""
                self.stats.opened += 1
                self._pass_up(opened)
                return
        self.stats.unopened += 1
        self._pass_refused(body)
        if self.keys is not None and now_ns - self._opened_ns >= self._timing.unopened_ns:
            self._hint(now_ns, known=True)

    def _hint(self, now_ns: int, *, known: bool) -> None:
        """Call again, or say HELLO if the device's HELLO-REPLY may be another by now, because the device may have lost
        its keys. A hint proves nothing, so not often."""
        if now_ns - self._hint_ns < self._timing.repeat_ns or (known and self._calls.busy):
            return
        self._hint_ns = now_ns
        if known:
            self._start(self._greeting, self._remote, now_ns)
        else:
            self._renew = True
            self._put_clear(self._hello, now_ns)

    def _doubt(self, why: str, now_ns: int) -> None:
        """Note that something says why the line cannot be sealed. It may be anyone's, so the line is given up only if
        it goes on, and nothing opened meanwhile."""
        timing = self._timing
        if self._doubt_ns is None or now_ns - self._doubted_ns > timing.unopened_ns:
            self._doubt_ns = now_ns
        self._doubted_ns = now_ns
        if now_ns - self._doubt_ns >= timing.doubt_ns and self._silent(now_ns):
            self.problem = why

    def _greet(self, body: bytes, now_ns: int) -> None:
        """Take a HELLO-REPLY in clear. Only the handshake proves it, which covers all its bytes."""
        if not (self._renew or self.keys is None or self._silent(now_ns)) or body[8:] in self._calls:
            return
        try:
            hello = decode(body).message
        except BadPayload:
            hello = None
        if not isinstance(hello, HelloReplyMessage):
            return
        if not hello.capabilities & Capability.SEALING:
            self._doubt(NO_SEAL, now_ns)
            return
        try:
            remote = self._find(hello)
        except KeyError as error:
            self._doubt(str(error.args[0]), now_ns)
            return
        if not self._calls.full:  # a call costs four multiplications: forged ones are not made in vain
            self._start(body[8:], remote, now_ns)

    def _finish(self, body: bytes, now_ns: int) -> None:
        call = self._calls.answered(body[8:])
        if call is None:
            self._doubt(NOT_THE_KEY, now_ns)
            return
        assert call.shake.remote is not None
        self._greeting, self._remote = call.greeting, call.shake.remote
        if self.since_ns is None or self._silent(now_ns):
            self.since_ns = now_ns
        self._calls.clear()
        self._renew = False
        out, into = call.shake.split()
        if self._old is None:  # keys that the device never took are dropped, not those that it uses
            self._old = self.keys
        self.keys = KeySet(self._suite, out, into)
        self._keyed_ns = self._opened_ns = now_ns
        self._doubt_ns, self.problem = None, ""
        self.stats.handshakes += 1
        if self._log is not None:
            self._log(call.frame[16:48], out, into)
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
            self._hint(now_ns, known=False)
        elif nak.reason in _REFUSALS and body[6] == SEAL_CALL and not body[7] and len(self._calls) < 2:
            self._doubt(_REFUSALS[nak.reason], now_ns)  # of several calls all but one must be refused
