"""What a host makes of the bytes it hears. It never sends: the live link and a listener share every line of it.

Theory of operation
-------------------
A recording replayed must give exactly what the live link gave, and a recording holds received bytes and their
times. So everything that is delivered is decided here, from those alone; `HostLink` adds the sending, and asks
this class where it stands. Timers fire at their own deadline, in order, however late `tick` is called, so a
replay that jumps from chunk to chunk and a live link that ticks each millisecond do the same.

*Session.* HELLO-REPLY and STATUS name the device's session. Another id than the one known is a restart. For
`lost_ns` after it the old session may still echo on the line: frames that name it are dropped then, and so are
events, until the device's reply to OPEN-SESSION shows that it speaks to us in the new one (it sends unacknowledged
events again, so nothing is lost). The same gate closes after silence. Later both rules lapse, so that a recording
which lacks that reply still plays.

*Where a session starts.* At event 1, once a HELLO-REPLY was heard or the session began before our eyes. A listener
that came late holds what it hears; without a HELLO-REPLY for `join_ns` it starts at the first event held and
reports those before it lost. Events heard before any session id are of session 0.

*A restart in mid-round.* The device keeps the last events of the session before. They come with an extension that
names their session, and a GAP of that session says which is the last. They are delivered first, then
SessionChanged, then Up and the events of the new session, which are held meanwhile. It ends when the last one is
there, when the device refuses, or after `hole_ns`; what is known to be missing by then is Lost.

*Holes* are filled by the device sending again. They end as Lost by GAP, by `hole_ns` without progress, or when no
more events can be held.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from typing import Any, Final

from protocol.errors import BadPayload, RemoteError, VersionMismatch, WrongDevice
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, Unknown, decode
from protocol.tdp.event_order import NOT_STARTED, EventOrder
from protocol.tdp.framing import Frame, Framer, Noise, NoiseReason
from protocol.tdp.messages import DeviceClass, Kind
from protocol.tdp.outputs import (
    MESSAGE_IDS,
    MUST_UNDERSTAND,
    SESSION_EXTENSION,
    Delivered,
    Discarded,
    Down,
    LinkStats,
    Lost,
    Output,
    SessionChanged,
    StatusSeen,
    Timing,
    UnknownEvent,
    Up,
)
from protocol.tdp.packets import MINOR, PACKETS, VERSION

ANONYMOUS: Final = 0
"""The session of events heard before any session id; devices never choose it."""

_NEVER: Final = 1 << 63
_EVENT_HEAD: Final = struct.Struct("<II")  # number, device_ms: the same in every version of the protocol
_OPEN_ID: Final = MESSAGE_IDS[m.OpenSession]
_READ_ID: Final = MESSAGE_IDS[m.ReadEvents]

AnswerHandler = Callable[[Envelope, int, list[Output]], None]
"""Told of every Reply, Progress and Nak: envelope, time, outputs so far."""


class Reception:
    """Received bytes to outputs. `expects` is the device class to insist on; times never run backwards."""

    def __init__(
        self, *, expects: DeviceClass | None = None, timing: Timing, on_answer: AnswerHandler | None = None
    ) -> None:
        self.stats = LinkStats()
        self.session: int | None = None
        self.hello: m.HelloReply | None = None
        """Who the device of this session is; None until its HELLO-REPLY was heard."""
        self.greeted = False
        """Set by every HELLO-REPLY that fits; whoever waits for one clears it."""
        self.opened = False
        """The device was heard to grant this session, and nothing since ended it."""
        self.alive = False
        self.refused_hello: m.HelloReply | None = None
        """The HELLO-REPLY of a device we cannot talk to; None while the device fits."""
        self.ack_due = False
        """Set by every event; whoever acknowledges clears it."""
        self.event_ns = 0
        self.old: EventOrder | None = None
        """The session before, while its kept events are awaited."""
        self.order = EventOrder(ANONYMOUS, self.stats)
        self._expects = expects
        self._timing = timing
        self._on_answer = on_answer
        self._framer = Framer()
        self._sequence = -1
        self._byte_ns = self._valid_ns = 0
        self._gate_ns = 0  # until then, no event before the session is open
        self._resumed = False
        self._old_since_ns = 0
        self._old_last: int | None = None  # the old session's last event, once a GAP said so
        self._echo: tuple[int, int] = (ANONYMOUS, 0)  # a session that ended, and until when it may echo
        self._timer_ns = _NEVER  # no timer but that of a partial frame is due before; may be early, never late
        self._handlers = self._make_handlers()

    # -------------------------------------------------------------- the face

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Take the bytes that arrived at `now_ns`."""
        out: list[Output] = []
        framer = self._framer
        if now_ns >= self._timer_ns or (framer.pending and now_ns - self._byte_ns >= self._timing.partial_ns):
            self._expire(now_ns, out)
        self._byte_ns = now_ns
        for piece in framer.feed(data):
            if piece.__class__ is Frame:
                self._take(piece.body, now_ns, out)
            else:
                self._take_noise(piece, out)  # type: ignore[arg-type]
        return out

    def tick(self, now_ns: int) -> list[Output]:
        """Let every timer fire that is due."""
        out: list[Output] = []
        self._expire(now_ns, out)
        return out

    def close(self, now_ns: int) -> list[Output]:
        """The line or the recording ends: give out what was held back."""
        out: list[Output] = []
        self._expire(now_ns, out)
        self._drop_partial(now_ns, out)
        self._finish_old(now_ns, out)
        self.order.start_at_held(now_ns, out)
        while self.order.held:
            self.order.give_up_hole(now_ns, out)
        self.alive = self.opened = False
        self._arm()
        return out

    @property
    def next_deadline_ns(self) -> int | None:
        """When `tick` has something to do; may be early, never late."""
        due = self._timer_ns
        if self._framer.pending:
            due = min(due, self._byte_ns + self._timing.partial_ns)
        return due if due != _NEVER else None

    # -------------------------------------------------------------- timers

    def _timers(self) -> Iterator[tuple[int, Callable[[int, list[Output]], None]]]:
        timing, order = self._timing, self.order
        if self._framer.pending:
            yield self._byte_ns + timing.partial_ns, self._drop_partial
        if self.alive:
            yield self._valid_ns + timing.lost_ns, self._lose
        if self.old:
            yield self._old_since_ns + timing.hole_ns, self._finish_old
        elif order.held:
            if order.started:
                yield order.since_ns + timing.hole_ns, order.give_up_hole
            else:
                yield order.since_ns + timing.join_ns, self._join_late

    def _expire(self, now_ns: int, out: list[Output]) -> None:
        while True:
            due_ns, action = min(self._timers(), key=_when, default=(_NEVER, None))
            if action is None or due_ns > now_ns:
                break
            action(due_ns, out)
        self._arm()

    def _arm(self) -> None:
        self._timer_ns = min((due for due, action in self._timers() if action != self._drop_partial), default=_NEVER)

    def _drop_partial(self, now_ns: int, out: list[Output]) -> None:
        for noise in self._framer.flush():
            self._take_noise(noise, out)

    def _lose(self, now_ns: int, out: list[Output]) -> None:
        """Silence: what is unacknowledged will come again when the session is opened again."""
        self._finish_old(now_ns, out)
        self.alive = self.opened = False
        if self.order.started:
            self.order.forget_held()
        if self.refused_hello is None:
            out.append(Down(f"nothing valid heard for {self._timing.lost_ns / 1e9:g} s"))

    def _join_late(self, now_ns: int, out: list[Output]) -> None:
        self.order.start_at_held(now_ns, out)

    # -------------------------------------------------------------- frames

    def _take_noise(self, noise: Noise, out: list[Output]) -> None:
        stats, reason = self.stats, noise.reason
        if reason is NoiseReason.IDLE:
            stats.idle_bytes += noise.length
            return
        stats.noise_bytes += noise.length
        stats.bad_checks += reason is NoiseReason.CHECK
        out.append(Discarded(noise.data, reason))

    def _take(self, body: bytes, now_ns: int, out: list[Output]) -> None:
        try:
            envelope = decode(body)
        except BadPayload as error:
            envelope = _unreadable(error, body)
        message = envelope.message
        handler = self._handlers.get(message.__class__)
        if handler is None or envelope.flags & MUST_UNDERSTAND or envelope.version != VERSION:
            handler = self._judge(handler, envelope)
        if handler is None:
            self.stats.unusable += 1
            out.append(Discarded(body, _why_unusable(envelope)))
            return
        if envelope.link_sequence == self._sequence:
            self._sequence = self._sequence + 1 & 0xFF
        else:
            self._count_missed(envelope.link_sequence)
        self.stats.frames += 1
        self._valid_ns = now_ns
        if not self.alive:
            self._revive(now_ns)
        handler(envelope, message, now_ns, out)

    def _judge(self, handler: Any, envelope: Envelope) -> Any:
        """A frame that is not plainly one of ours. What a host sends is an echo of the line, no sign of life."""
        if envelope.kind not in _FROM_DEVICE or isinstance(envelope.message, m.Hello | m.Heartbeat):
            return None
        greeting = isinstance(envelope.message, m.HelloReply)  # its layout is the same in every version
        if envelope.flags & MUST_UNDERSTAND or (envelope.version != VERSION and not greeting):
            return self._on_unusable
        return handler or self._on_unusable

    def _count_missed(self, sequence: int) -> None:
        ahead = sequence - self._sequence & 0xFF
        if self._sequence < 0 or ahead < 0x80:  # more is a frame heard again or out of order
            self.stats.missed_frames += ahead if self._sequence >= 0 else 0
            self._sequence = sequence + 1 & 0xFF

    def _revive(self, now_ns: int) -> None:
        self.alive = True
        self._close_gate(now_ns)
        self._arm()

    def _close_gate(self, now_ns: int) -> None:
        """From here no event counts until the session is open; at the very first contact they are held instead."""
        self.opened = False
        self._gate_ns = now_ns + self._timing.lost_ns if self.order.started or self.old else 0

    def _make_handlers(self) -> dict[type, Callable[[Envelope, Any, int, list[Output]], None]]:
        handlers: dict[type, Callable[[Envelope, Any, int, list[Output]], None]] = {
            m.HelloReply: self._on_hello_reply,
            m.Gap: self._on_gap,
            m.Reply: self._on_reply,
            m.Progress: self._on_answer_frame,
            m.Nak: self._on_answer_frame,
            Unknown: self._on_unknown,
        }
        for (kind, _), (cls, _) in PACKETS.items():
            if kind == Kind.EVENT:
                handlers[cls] = self._on_event
            elif "last_event" in cls.__annotations__:
                handlers[cls] = self._on_status
        handlers[UnknownEvent] = self._on_event
        return handlers

    def _on_unusable(self, envelope: Envelope, message: Any, now_ns: int, out: list[Output]) -> None:
        self.stats.unusable += 1
        out.append(Discarded(_shown(message), _why_unusable(envelope)))

    def _on_unknown(self, envelope: Envelope, message: Unknown, now_ns: int, out: list[Output]) -> None:
        if message.kind != Kind.EVENT or len(message.payload) < _EVENT_HEAD.size:
            if message.kind in _FROM_DEVICE:
                self._on_unusable(envelope, message, now_ns, out)
            return
        number, device_ms = _EVENT_HEAD.unpack_from(message.payload)
        event = UnknownEvent(number, device_ms, message.message_id, message.payload[_EVENT_HEAD.size :])
        self._on_event(envelope, event, now_ns, out)

    # -------------------------------------------------------------- events

    def _on_event(self, envelope: Envelope, event: m.Event, now_ns: int, out: list[Output]) -> None:
        if envelope.extensions and self._is_of_old(envelope, event, now_ns, out):
            return
        if not self.opened and now_ns < self._gate_ns:
            self.stats.repeats += 1
            return
        if self.refused_hello is not None:
            return
        self.ack_due = True
        self.event_ns = now_ns
        order = self.order
        if event.number == order.expected and not order.held:
            order.expected += 1
            self.stats.events += 1
            out.append(Delivered(order.session, envelope.request, event))
            return
        self._accept_out_of_order(envelope, event, now_ns, out)

    def _accept_out_of_order(self, envelope: Envelope, event: m.Event, now_ns: int, out: list[Output]) -> None:
        order = self.order
        if event.number == 0:
            self._on_unusable(envelope, event, now_ns, out)
            return
        order.accept(envelope.request, event, now_ns, out)
        if order.full and not order.started:
            self._finish_old(now_ns, out)
            order.start_at_held(now_ns, out)
        self._arm()

    def _is_of_old(self, envelope: Envelope, event: m.Event, now_ns: int, out: list[Output]) -> bool:
        """Take an event that names its session; False when that is the current one."""
        for type_, value in envelope.extensions:
            if type_ == SESSION_EXTENSION and len(value) == 4:
                session = int.from_bytes(value, "little")
                if session == self.session:
                    return False
                old = self.old
                if old is None or session != old.session:
                    self.stats.repeats += 1
                    return True
                old.accept(envelope.request, event, now_ns, out)
                self.event_ns = now_ns
                self._end_old_if_complete(now_ns, out)
                return True
        return False

    def _on_gap(self, envelope: Envelope, gap: m.Gap, now_ns: int, out: list[Output]) -> None:
        if not gap.first_missing <= gap.first_kept <= gap.last + 1:
            self._on_unusable(envelope, gap, now_ns, out)
            return
        old = self.old
        if old is not None and gap.session == old.session:
            self._old_last = gap.last
            self._skip(old, gap, now_ns, out)
            self._end_old_if_complete(now_ns, out)
        elif gap.session == self.session and self.order.started and self.opened:
            self._skip(self.order, gap, now_ns, out)
            self.ack_due = True
            self._arm()

    def _skip(self, order: EventOrder, gap: m.Gap, now_ns: int, out: list[Output]) -> None:
        if gap.first_missing <= order.expected < gap.first_kept:
            self.stats.gaps += 1
            order.skip_to(gap.first_kept, now_ns, out)

    # -------------------------------------------------------------- sessions

    def _on_status(self, envelope: Envelope, status: Any, now_ns: int, out: list[Output]) -> None:
        if self.refused_hello is not None or self._is_echo(status.session, now_ns):
            return
        if status.session != self.session:
            self._enter(status.session, now_ns, out)
        self.order.last = max(self.order.last, status.last_event)
        out.append(StatusSeen(status))

    def _on_hello_reply(self, envelope: Envelope, hello: m.HelloReply, now_ns: int, out: list[Output]) -> None:
        if self._is_echo(hello.session, now_ns):
            return
        error = self._misfit(hello)
        if error is not None:
            self._refuse(hello, error, now_ns, out)
            return
        self.refused_hello = None
        if hello.session != self.session:
            self._enter(hello.session, now_ns, out)
        if self.old is not None and self.hello is not None and _identity(hello) != _identity(self.hello):
            self._finish_old(now_ns, out)  # another device: it cannot hold the old one's events
        self.hello = hello
        self.greeted = True
        if self.old is None:
            self.order.start(1, now_ns, out)
            self._arm()

    def _is_echo(self, session: int, now_ns: int) -> bool:
        ended, until_ns = self._echo
        return session == ended and now_ns < until_ns

    def _misfit(self, hello: m.HelloReply) -> RemoteError | None:
        ours, lowest, highest = (VERSION, MINOR), hello.lowest_major, hello.highest_major
        if not lowest <= VERSION <= highest:
            theirs = f"{lowest}.{hello.lowest_minor} to {highest}.{hello.highest_minor}"
            return VersionMismatch(f"{ours[0]}.{ours[1]}", theirs)
        if self._expects is not None and hello.device_class not in (self._expects, DeviceClass.EMULATOR):
            return WrongDevice(class_text(self._expects), class_text(hello.device_class))
        return None

    def _refuse(self, hello: m.HelloReply, error: RemoteError, now_ns: int, out: list[Output]) -> None:
        if self.refused_hello is None or self.refused_hello.session != hello.session:
            self._finish_old(now_ns, out)
            self.opened = False
            self.refused_hello = hello
            out.append(Down(str(error), error))

    def _enter(self, session: int, now_ns: int, out: list[Output]) -> None:
        """The device is in a session we did not know."""
        if self.session is None:
            self.session = self.order.session = session
            return
        self._finish_old(now_ns, out)
        before, self.session = self.order, session
        self.order = EventOrder(session, self.stats)
        self._echo = before.session, now_ns + self._timing.lost_ns
        self._resumed = False
        self.old, self._old_since_ns, self._old_last = before, now_ns, None
        before.forget_held()
        self._close_gate(now_ns)
        if not before.started:
            self._finish_old(now_ns, out)
        self._arm()

    def _end_old_if_complete(self, now_ns: int, out: list[Output]) -> None:
        if self.old is not None and self._old_last is not None and self.old.expected > self._old_last:
            self._finish_old(now_ns, out)

    def _finish_old(self, now_ns: int, out: list[Output]) -> None:
        """No more of the old session will come: say what is missing of it, and begin the new one."""
        old = self.old
        if old is None:
            return
        self.old = None
        last = max(old.last, self._old_last or 0)
        while old.held:
            old.give_up_hole(now_ns, out)
        if old.started and old.expected <= last:
            out.append(Lost(old.session, old.expected, last))
            self.stats.lost_events += last - old.expected + 1
        out.append(SessionChanged(old.session, self.order.session))
        if self.opened:
            self._announce(out)
        self.order.start(1, now_ns, out)
        self._arm()

    def _on_reply(self, envelope: Envelope, reply: m.Reply, now_ns: int, out: list[Output]) -> None:
        if envelope.message_id == _OPEN_ID and reply.status != m.Status.REFUSED and self.refused_hello is None:
            if not self.opened:
                self.opened = True
                if self.old is None:
                    self._announce(out)
        elif envelope.message_id == _READ_ID and reply.status == m.Status.REFUSED:
            self._finish_old(now_ns, out)  # only a session that is over is ever refused
        self._on_answer_frame(envelope, reply, now_ns, out)

    def _announce(self, out: list[Output]) -> None:
        """Up, unless nobody said who this is: a recording that begins later."""
        if self.hello is not None and self.hello.session == self.session:
            out.append(Up(self.hello, self._resumed))
            self._resumed = True

    def _on_answer_frame(self, envelope: Envelope, message: m.Message, now_ns: int, out: list[Output]) -> None:
        if self._on_answer is not None:
            self._on_answer(envelope, now_ns, out)


_FROM_DEVICE: Final = frozenset({Kind.REPLY, Kind.PROGRESS, Kind.EVENT, Kind.NAK, Kind.LINK})
assert NOT_STARTED < 0, "event number 0 must not look like the expected one"


def class_text(number: int) -> str:
    """A device class for a sentence: `shuffler`, `table controller`, `device of class 9`."""
    try:
        return DeviceClass(number).name.lower().replace("_", " ")
    except ValueError:
        return f"device of class {number}"


def _when(timer: tuple[int, object]) -> int:
    return timer[0]


def _identity(hello: m.HelloReply) -> tuple[str, str, str]:
    return hello.maker, hello.model, hello.serial


def _unreadable(error: BadPayload, body: bytes) -> Envelope:
    """A frame whose payload does not fit its layout, as a frame of an unknown message."""
    version, flags, kind, sequence, request, message_id = struct.unpack_from("<BBBBHH", body)
    message = Unknown(kind, message_id, error.payload)
    return Envelope(flags, kind, sequence, request, message_id, message, (), version)


def _shown(message: Any) -> bytes:
    return message.payload if isinstance(message, Unknown) else b""


def _why_unusable(envelope: Envelope) -> str:
    name = f"kind {envelope.kind} message 0x{envelope.message_id:04X}"
    if envelope.version != VERSION:
        return f"{name} is of protocol version {envelope.version}; this side speaks {VERSION}"
    if envelope.flags & MUST_UNDERSTAND:
        return f"{name} has flags 0x{envelope.flags:02X} that must be understood"
    if envelope.kind not in _FROM_DEVICE or isinstance(envelope.message, m.Hello | m.Heartbeat):
        return f"{name} is what a host sends: an echo of the line"
    return f"{name} is unknown or does not fit its layout"
