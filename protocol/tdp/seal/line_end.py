"""Common part of both ends of a sealed line: it stands between a link, which knows nothing of seals, and the line.

Every frame that comes from the line is passed to the link opened, or marked as refused, or not at all. What it passes
on is always whole frames and whole noise, so that nothing which was refused can be completed to a frame later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from msgspec import Struct

from protocol.tdp import messages as m
from protocol.tdp.codec import read
from protocol.tdp.framing import CHECK_BYTES, Framer, Noise, NoiseReason, encode_frame
from protocol.tdp.messages import Kind
from protocol.tdp.outputs import MESSAGE_IDS, MUST_UNDERSTAND, REFUSED
from protocol.tdp.packets import MAX_FRAME, PACKETS, VERSION
from protocol.tdp.seal.keyset import KeySet
from protocol.tdp.seal.suite import TAG_BYTES, SealSuite
from protocol.tdp.vetting import FROM_HOST_ALONE

NEVER: Final = 1 << 63
_MS: Final = 1_000_000
_S: Final = 1000 * _MS
_LONGEST: Final = MAX_FRAME - CHECK_BYTES - TAG_BYTES

PAIR_PROLOGUE: Final = b"TDP 1.4 pair"
SEAL_PROLOGUE: Final = b"TDP 1.4 seal"
HELLO, HELLO_REPLY = MESSAGE_IDS[m.HelloMessage], MESSAGE_IDS[m.HelloReplyMessage]
PAIR_CALL, PAIR_ANSWER = MESSAGE_IDS[m.PairCallMessage], MESSAGE_IDS[m.PairAnswerMessage]
PAIR_PROOF = MESSAGE_IDS[m.PairProofMessage]
SEAL_CALL, SEAL_ANSWER = MESSAGE_IDS[m.SealCallMessage], MESSAGE_IDS[m.SealAnswerMessage]


class SealTiming(Struct, frozen=True):
    """Times of a sealed line, in nanoseconds, and numbers of tries."""

    repeat_ns: int = 250 * _MS
    """Time after which a handshake message without an answer is sent again; also the shortest time between two NAKs,
    and between two handshakes."""
    turn_ns: int = 300 * _MS
    """Time between two calls that take turns: longer than a device needs before it starts another handshake."""
    tries: int = 6
    """Number of times that a handshake message is sent before the host begins with HELLO again."""
    answer_ns: int = 100 * _MS
    """Shortest time between two answers in clear that a closed device repeats: HELLO-REPLY, or the answer to the same
    call. What it answers may be anyone's."""
    doubt_ns: int = 3 * _S
    """Time for which something in clear must say again and again that the line cannot be sealed, while nothing opens,
    before the host begins with the line from the start."""
    unopened_ns: int = 1 * _S
    """Time without an opened frame after which a frame that does not open makes the host call again."""
    lost_ns: int = 3 * _S
    """Time without an opened frame after which the host says HELLO in clear again."""
    partial_ns: int = 50 * _MS
    """As for a link: silence after which an unfinished frame is noise."""
    rekey_ns: int = 24 * 3600 * _S
    """Age of keys at which the host makes new ones."""
    rekey_frames: int = 1 << 32
    """Number of frames in one direction after which the host makes new keys."""
    code_ns: int = 600 * _S
    """Time for which a code of pairing is valid."""


@dataclass(slots=True)
class SealStats:
    """Counters of one end."""

    opened: int = 0
    """Sealed frames that opened."""
    unopened: int = 0
    """Sealed frames that did not: altered, repeated, or under other keys."""
    clear: int = 0
    """Frames in clear where only sealed ones are taken."""
    too_long: int = 0
    """Frames of the link that leave no room for a tag; they are not sent."""
    handshakes: int = 0
    naks: int = 0


class SealedBytes(NamedTuple):
    """Bytes for the link, and bytes for the line."""

    up: bytes
    out: bytes


class SealEnd:
    """One end of a sealed line."""

    def __init__(self, suite: SealSuite, own: bytes, timing: SealTiming | None = None) -> None:
        self.stats = SealStats()
        self.keys: KeySet | None = None
        """Keys in use; None before the first handshake."""
        self._suite, self._own = suite, own
        self._timing = timing or SealTiming()
        self._from_line, self._from_link = Framer(), Framer()
        self._total = 0  # frames sent in this direction: its low byte is the link sequence
        self._byte_ns = self._given_ns = 0
        self._sent_ns: int | None = None
        self._up: list[bytes] = []
        self._out: list[bytes] = []

    # -------------------------------------------------------------- the face

    def send(self, data: bytes, now_ns: int) -> bytes:
        """Return the bytes for the line that stand for the frames which the link sends.

        A link sends whole frames. Anything else goes on as it is: a test bench sends it, to see what the other end
        makes of it.
        """
        for body in self._from_link.bodies(data):
            if isinstance(body, bytes):
                self._send(body, now_ns)
            else:
                self._out.append(body.data)
        self._given_ns = now_ns
        return self._take().out

    def receive(self, data: bytes, now_ns: int) -> SealedBytes:
        """Process bytes that arrived at `now_ns`."""
        self._expire(now_ns)
        self._byte_ns = now_ns
        opens = data[:1] == b"\0" and self._from_line.idle
        for body in self._from_line.bodies(data):
            if isinstance(body, bytes):
                self._judge(body, now_ns)
            else:
                self._pass_noise(body)
        if opens and self._up and self._up[0][:1] != b"\0":
            self._up[0] = b"\0" + self._up[0]  # a delimiter that opened a frame opens it for the link as well
        return self._take()

    def tick(self, now_ns: int) -> SealedBytes:
        """Do what is due by `now_ns`."""
        self._expire(now_ns)
        return self._take()

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None if nothing is due."""
        due_ns = self._due_ns()
        if self._from_line.held or self._from_line.overlong:
            due_ns = min(due_ns, self._byte_ns + self._timing.partial_ns)
        if self._from_link.held or self._from_link.overlong:
            due_ns = min(due_ns, self._given_ns + self._timing.partial_ns)
        return None if due_ns >= NEVER else due_ns

    # -------------------------------------------------------------- for the subclass

    def _send(self, body: bytes, now_ns: int) -> None:
        """Put a frame of the link on the line, if it may go there."""
        raise NotImplementedError

    def _judge(self, body: bytes, now_ns: int) -> None:
        """Handle a frame from the line."""
        raise NotImplementedError

    def _due_ns(self) -> int:
        return NEVER

    def _expire(self, now_ns: int) -> None:
        if (self._from_line.held or self._from_line.overlong) and now_ns - self._byte_ns >= self._timing.partial_ns:
            for noise in self._from_line.flush():
                self._pass_noise(noise)
        if (self._from_link.held or self._from_link.overlong) and now_ns - self._given_ns >= self._timing.partial_ns:
            self._out += [noise.data for noise in self._from_link.flush()]

    # -------------------------------------------------------------- inside

    def _take(self) -> SealedBytes:
        passed = SealedBytes(b"".join(self._up), b"".join(self._out))
        self._up.clear()
        self._out.clear()
        return passed

    def _pass_up(self, body: bytes) -> None:
        self._up.append(encode_frame(body))

    def _pass_refused(self, body: bytes) -> None:
        self._up.append(encode_frame(body[:1] + bytes([body[1] | REFUSED]) + body[2:]))

    def _pass_noise(self, noise: Noise) -> None:
        """Pass noise on for the records. Noise that would be a frame, had it been closed, is passed on as refused."""
        if noise.reason is NoiseReason.IDLE:
            self._up.append(noise.data)
            return
        piece = noise.data.strip(b"\0") + b"\0"
        for found in Framer().bodies(piece):
            if isinstance(found, bytes):
                self._pass_refused(found)
            else:
                self._up.append(piece)

    def _put_clear(self, body: bytes, now_ns: int) -> None:
        self._put(body[:3] + bytes([self._total & 0xFF]) + body[4:], now_ns)

    def _put_sealed(self, keys: KeySet, body: bytes, now_ns: int) -> None:
        if len(body) > _LONGEST:
            self.stats.too_long += 1
            return
        self._put(keys.seal(body, self._total), now_ns)

    def _put(self, body: bytes, now_ns: int) -> None:
        silent = self._sent_ns is None or now_ns - self._sent_ns >= self._timing.partial_ns
        self._total += 1
        self._sent_ns = now_ns
        self._out.append(encode_frame(body, after_silence=silent))


def link_frame(message_id: int, payload: bytes) -> bytes:
    """Return the body of a handshake frame."""
    return bytes((VERSION, 0, Kind.LINK, 0, 0, 0, message_id, 0)) + payload


def is_hello(body: bytes) -> bool:
    """Return True for a HELLO in clear that fits its layout, of any version."""
    if body[1] & MUST_UNDERSTAND or body[2] != Kind.LINK or body[6:8] != bytes((HELLO, 0)):
        return False
    return isinstance(read(body).message, m.HelloMessage)


def is_echo(body: bytes) -> bool:
    """Return True for the header of a frame that only a device sends, and for a NAK: nobody answers one."""
    if body[2] == Kind.LINK:
        message = PACKETS.get((Kind.LINK, int.from_bytes(body[6:8], "little")))
        return message is not None and message[0] not in FROM_HOST_ALONE
    return body[2] not in (Kind.COMMAND, Kind.ACK)


def handshake_id(body: bytes) -> int:
    """Return the message id of a clear link frame of this version; 0 for any other frame."""
    if body[0] != VERSION or body[1] & MUST_UNDERSTAND or body[2] != Kind.LINK or body[7]:
        return 0
    return body[6]
