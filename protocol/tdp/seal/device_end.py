"""Device's end of a sealed line, and its end of pairing.

A device that no host is paired with is *open*: it takes frames in clear, as one without seals. With the first pairing
it is *closed*: in clear it answers HELLO and handshakes, and refuses everything else.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from protocol.errors import BadPayload
from protocol.tdp.codec import decode
from protocol.tdp.derive import HEADER_SIZE
from protocol.tdp.messages import Kind, Reason, Role
from protocol.tdp.outputs import SEALED
from protocol.tdp.packets import VERSION
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.line_end import (
    HELLO_REPLY,
    NEVER,
    PAIR_ANSWER,
    PAIR_CALL,
    PAIR_PROLOGUE,
    PAIR_PROOF,
    SEAL_ANSWER,
    SEAL_CALL,
    SEAL_PROLOGUE,
    SealEnd,
    SealTiming,
    handshake_id,
    is_echo,
    is_hello,
    link_frame,
)
from protocol.tdp.seal.noise import Handshake, NoisePattern
from protocol.tdp.seal.suite import HandshakeFailed, SealSuite
from protocol.tdp.seal.words import key_id, secret_of, short_string

HOSTS_MAX: Final = 4
"""Number of hosts that a device is paired with at most."""


_HANDSHAKES: Final = {SEAL_CALL: 56, PAIR_CALL: 48, PAIR_PROOF: 81}
"""Length of each handshake message of a host."""


class PairedHost(NamedTuple):
    """A host that a device is paired with: its public key, the highest role it may have, its name."""

    public: bytes
    role: Role
    name: str


class DeviceEnd(SealEnd):
    """The device's end, from power-up to power-off. `greeting` is the payload of its HELLO-REPLY in this session.

    The owner reads `hosts_changed`, `report_due` and `role` after each call.
    """

    def __init__(
        self,
        suite: SealSuite,
        own: bytes,
        greeting: bytes,
        hosts: Iterable[PairedHost] = (),
        *,
        timing: SealTiming | None = None,
    ) -> None:
        super().__init__(suite, own, timing)
        self.hosts = list(hosts)
        self.hosts_changed = False
        """Set when a host was stored or forgotten. The owner, who saves them, clears it."""
        self.report_due = False
        """Set when the device's status is the answer that the host waits for. The owner clears it."""
        self.role: Role | None = None
        """Highest role of the host whose keys are in use; None before."""
        self.code = ""
        """Code of pairing that the device shows; empty while it pairs with no one."""
        self.short_string = ""
        """Short authentication string of the last pairing; empty before."""
        self._greeting = greeting
        self._new: tuple[KeySet, Role] | None = None  # keys under which nothing opened yet
        self._answered: tuple[bytes, bytes] | None = None  # the last call, and its answer
        self._pairing: Handshake | None = None
        self._proof = b""  # the proof that was accepted last
        self._code_ns = self._code_role = 0
        self._nak_ns = self._started_ns = self._proved_ns = self._greeted_ns = self._answered_ns = -NEVER

    @property
    def closed(self) -> bool:
        """True if the device takes sealed frames only."""
        return bool(self.hosts)

    # -------------------------------------------------------------- the person at the device

    def allow_pairing(self, code: str, now_ns: int, role: Role = Role.OPERATE) -> None:
        """Show a code. For ten minutes one host may pair with it, for at most this role."""
        self.code, self._code_ns, self._code_role = code, now_ns, role
        self.short_string = ""
        self._drop_handshake()

    def end_pairing(self) -> None:
        """Show no code any longer."""
        self.code, self._pairing = "", None

    def forget_hosts(self) -> None:
        """Forget every host: the device is open again."""
        self.hosts.clear()
        self.hosts_changed = True
        self.keys = self._new = self.role = None
        self.end_pairing()
        self._drop_handshake()

    # -------------------------------------------------------------- to the line

    def _send(self, body: bytes, now_ns: int) -> None:
        if self.keys is not None:
            self._put_sealed(self.keys, body, now_ns)
        elif not self.closed:
            self._put_clear(body, now_ns)

    def _nak(self, body: bytes, reason: Reason, now_ns: int) -> None:
        """Answer a frame with a NAK in clear, but not often: what it answers may be anyone's."""
        if now_ns - self._nak_ns >= self._timing.repeat_ns:
            self._nak_ns = now_ns
            self.stats.naks += 1
            head = bytes((VERSION, 0, Kind.NAK, 0)) + body[4:8]
            self._put_clear(head + int(reason).to_bytes(2, "little"), now_ns)

    def _due_ns(self) -> int:
        return self._code_ns + self._timing.code_ns if self.code else NEVER

    def _expire(self, now_ns: int) -> None:
        super()._expire(now_ns)
        if self.code and now_ns - self._code_ns >= self._timing.code_ns:
            self.end_pairing()

    # -------------------------------------------------------------- from the line

    def _pass_refused(self, body: bytes) -> None:
        """Drop it: a device keeps no records, and its link would answer the flag."""

    def _judge(self, body: bytes, now_ns: int) -> None:
        if body[1] & SEALED:
            self._open(body, now_ns)
            return
        message_id = handshake_id(body)
        if message_id in _HANDSHAKES:
            self._take_handshake(message_id, body, now_ns)
        elif self.closed and is_hello(body):
            self._greet(now_ns)
        elif not self.closed:
            self._pass_up(body)
        else:
            self.stats.clear += 1
            if body[2] == Kind.COMMAND:
                self._nak(body, Reason.NOT_SEALED, now_ns)

    def _open(self, body: bytes, now_ns: int) -> None:
        opened = self.keys.open(body) if self.keys is not None else None
        if opened is None and self._new is not None:
            keys, role = self._new
            opened = keys.open(body)
            if opened is not None:
                self._use(keys, role)
        if opened is not None:
            self.stats.opened += 1
            self._pass_up(opened)
            return
        self.stats.unopened += 1
        if self.keys is None and self._new is None and not is_echo(body):
            self._nak(body, Reason.NOT_SEALED, now_ns)

    def _use(self, keys: KeySet, role: Role) -> None:
        self.keys, self.role = keys, role
        self._new = None
        self.stats.handshakes += 1

    def _take_handshake(self, message_id: int, body: bytes, now_ns: int) -> None:
        try:
            decode(body)
        except BadPayload:
            self._nak(body, Reason.BAD_PAYLOAD, now_ns)
            return
        body = body[: HEADER_SIZE + _HANDSHAKES[message_id]]  # without extensions
        if message_id == SEAL_CALL:
            self._take_call(body, now_ns)
        elif message_id == PAIR_CALL:
            self._take_pair_call(body, now_ns)
        else:
            self._take_proof(body, now_ns)

    def _drop_handshake(self) -> None:
        self._pairing = self._answered = None
        self._proof = b""

    def _take_call(self, body: bytes, now_ns: int) -> None:
        if self._answers_again(body, now_ns):
            return
        called = next((host for host in self.hosts if key_id(host.public) == body[8:16]), None)
        if called is None:
            self._nak(body, Reason.NOT_PERMITTED, now_ns)
        elif now_ns - self._started_ns < self._timing.repeat_ns:
            self._nak(body, Reason.BUSY, now_ns)
        else:
            self._started_ns = now_ns
            self._drop_handshake()
            shake = self._shake(NoisePattern.SEAL, SEAL_PROLOGUE, remote=called.public)
            try:
                shake.read(body[16:])
                self._answer(body, link_frame(SEAL_ANSWER, shake.write()), now_ns)
            except HandshakeFailed:
                self._nak(body, Reason.BAD_PAYLOAD, now_ns)
                return
            into, out = shake.split()
            self._new = KeySet(self._suite, out, into), called.role

    def _shake(
        self, pattern: NoisePattern, prologue: bytes, *, remote: bytes | None = None, code: bytes = b""
    ) -> Handshake:
        return Handshake(
            self._suite,
            pattern,
            initiator=False,
            own=self._own,
            prologue=prologue + self._greeting,
            remote=remote,
            code=code,
        )

    def _greet(self, now_ns: int) -> None:
        """Answer HELLO in clear, but not often: the answer is long, the same for everyone, and its frame counts."""
        if now_ns - self._greeted_ns >= self._timing.answer_ns:
            self._greeted_ns = now_ns
            self._put_clear(link_frame(HELLO_REPLY, self._greeting), now_ns)

    def _answer(self, call: bytes, answer: bytes, now_ns: int) -> None:
        self._answered, self._answered_ns = (call[8:], answer), now_ns
        self._put_clear(answer, now_ns)

    def _answers_again(self, body: bytes, now_ns: int) -> bool:
        """Answer a call that is repeated with the same answer, but not often: it may be anyone's recording."""
        if self._answered is None or self._answered[0] != body[8:]:
            return False
        if now_ns - self._answered_ns >= self._timing.answer_ns:
            self._answered_ns = now_ns
            self._put_clear(self._answered[1], now_ns)
        return True

    # -------------------------------------------------------------- pairing

    def _take_pair_call(self, body: bytes, now_ns: int) -> None:
        if not self.code or len(self.hosts) >= HOSTS_MAX:
            self._nak(body, Reason.BUSY if self.code else Reason.NOT_PERMITTED, now_ns)
        elif self._answers_again(body, now_ns):
            pass
        elif now_ns - self._started_ns < self._timing.repeat_ns:
            self._nak(body, Reason.BUSY, now_ns)
        else:
            self._drop_handshake()
            shake = self._shake(NoisePattern.PAIR, PAIR_PROLOGUE, code=secret_of(self.code))
            try:
                shake.read(body[8:])
                self._started_ns = now_ns  # one that is refused before this costs nothing
                self._answer(body, link_frame(PAIR_ANSWER, shake.write()), now_ns)
            except HandshakeFailed:
                self._nak(body, Reason.BAD_PAYLOAD, now_ns)
                return
            self._pairing = shake

    def _take_proof(self, body: bytes, now_ns: int) -> None:
        if self._proof and body[8:] == self._proof:
            if now_ns - self._proved_ns >= self._timing.repeat_ns:  # not often: it may be anyone's recording
                self._proved_ns, self.report_due = now_ns, True
            return
        shake, role = self._pairing, self._code_role
        if shake is None:
            self._nak(body, Reason.NOT_PERMITTED, now_ns)
            return
        self.end_pairing()  # one attempt
        try:
            granted = shake.read(body[8:])
        except HandshakeFailed:
            granted = b""
        if len(granted) != 17 or shake.remote is None:
            self._nak(body, Reason.NOT_PERMITTED, now_ns)
            return
        self._store(shake.remote, Role(min(role, granted[0], Role.SERVICE)), granted[1:])
        self._proof, self.short_string = body[8:], short_string(shake.hash)
        into, out = shake.split()
        self._use(KeySet(self._suite, out, into), self.hosts[-1].role)
        self._proved_ns, self.report_due = now_ns, True

    def _store(self, public: bytes, role: Role, name: bytes) -> None:
        text = name.rstrip(b"\0").decode("ascii", "replace")
        self.hosts = [host for host in self.hosts if host.public != public] + [PairedHost(public, role, text)]
        self.hosts_changed = True
