"""Interpretation of the bytes that a host receives. It never sends: the live link and a listener share every line of
it.

Theory of operation
-------------------
The replay of a recording must yield exactly what the live link yielded, and a recording holds received bytes and their
times. So everything that is delivered is decided here, from those alone; `HostLink` adds the sending, and reads this
class's state. Timers fire at their own deadline, in order, however late `tick` is called, so a replay that jumps from
chunk to chunk and a live link that ticks every millisecond do the same.

*Session.* HELLO-REPLY and STATUS name the device's session. An id other than the known one means a restart. For
`lost_ns` after it the old session may still echo on the line. Until then, frames that name the old session are dropped,
and so are events, until the device's reply to OPEN-SESSION shows that it is in the new session with us (it sends
unacknowledged events again, so nothing is lost). The same gate closes after silence. Later both rules lapse, so that a
recording which lacks that reply still plays.

*Start of a session.* A session starts at event 1 once a HELLO-REPLY was received or the restart was observed. A late
listener holds the events it receives; without a HELLO-REPLY for `join_ns` it starts at the first event held and reports
those before it lost. Events received before any session id are of session 0.

*Restart in the middle of a round.* The device stores the last events of the previous session. They carry an extension
that names their session, and a GAP of that session says which is the last. They are delivered first, then
SessionRestarted, then Up and the events of the new session, which are held meanwhile. The old session ends when its
last event arrived, when the device refuses, or after `hole_ns`; events known to be missing by then are Lost.

*Lost line.* The reception of the next line starts from `standing`: it knows the session, and the gate is shut as after
silence. A device that still holds its events continues where it stopped; one with a new session is a restart.

*Restart under the same session id.* A device with a weak source of randomness may repeat the id. `freshness` detects
it. Then Lost without numbers comes, because the events before the restart are unknown, and SessionRestarted from the
session to itself. Its events are counted from 1 again, and an event is a repeat only if it equals the old one byte for
byte. If HELLO-REPLY or STATUS revealed the restart, the gate shuts.

*Holes* are filled when the device sends again. They end as Lost by GAP, by `hole_ns` without progress, or when no more
events can be held.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, ClassVar, Final

from msgspec.structs import replace

from protocol.errors import RemoteError, SealRequired
from protocol.tdp import messages as m
from protocol.tdp.attestation import Certificate
from protocol.tdp.codec import FAST_DECODERS, Envelope, Unknown
from protocol.tdp.derive import Values
from protocol.tdp.event_order import EventOrder
from protocol.tdp.frame_reader import Taker, Timer
from protocol.tdp.heard import TdpHeard
from protocol.tdp.messages import DeviceClass, Kind
from protocol.tdp.outputs import (
    MESSAGE_IDS,
    SESSION_EXTENSION,
    Delivered,
    Down,
    Output,
    StatusSeen,
    Timing,
    UnknownEvent,
)
from protocol.tdp.predecessor import SESSION_MARK, named_session
from protocol.tdp.session_keeper import SessionKeeper
from protocol.tdp.vetting import common_version, incompatibility, same_device

_EVENT_HEAD: Final = struct.Struct("<II")  # number, device_ms: the same in every protocol version
_EVENTS: Final[tuple[type[m.Message], ...]] = tuple(cls for cls in m.DECLARED if issubclass(cls, m.Event))
_STATUSES: Final[tuple[type[m.Message], ...]] = tuple(cls for cls in m.DECLARED if issubclass(cls, m.StatusMessage))
_REFUSED: Final = m.Status.REFUSED
_OPEN_ID: Final = MESSAGE_IDS[m.OpenSessionMessage]
_READ_ID: Final = MESSAGE_IDS[m.ReadEventsMessage]


def _usual(take_event: Taker, take_status: Taker) -> dict[int, tuple[bytes, Values, type[m.Message], Taker]]:
    """Return the fast handlers of what a device sends all the time. *Booted* is not one of them: it may begin another
    life, under any number."""
    takers = {**dict.fromkeys(_EVENTS, take_event), **dict.fromkeys(_STATUSES, take_status)}
    del takers[m.BootedMessage]
    return {number: (*fast, takers[fast[2]]) for number, fast in FAST_DECODERS.items() if fast[2] in takers}


AnswerHandler = Callable[[Envelope, int, list[Output]], None]
"""Function called for every Reply, Progress and Nak, and for the data of a command: envelope, time, outputs so far."""


class Reception(SessionKeeper):
    """Converter of received bytes to outputs. Times never run backwards.

    `expects` is the device class to insist on. `resume` is the state of the reception on the previous line.
    """

    def __init__(
        self,
        *,
        expects: DeviceClass | None = None,
        timing: Timing,
        on_answer: AnswerHandler | None = None,
        resume: TdpHeard | None = None,
    ) -> None:
        super().__init__(timing)
        self.greeted = False
        """Set by every HELLO-REPLY that fits. The code that waits for one clears it."""
        self.ack_due = False
        """Set by every event. The code that acknowledges clears it."""
        self.event_ns = 0
        self._needs_seal = False  # the device answered that it takes only sealed frames
        self._expects = expects
        self._on_answer = on_answer
        if resume is not None:
            self.recall(resume)

    # -------------------------------------------------------------- the face

    def close(self, now_ns: int) -> list[Output]:
        """Return everything held back, at the end of the line or the recording."""
        out: list[Output] = []
        self._expire(now_ns, out)
        self._drop_partial(now_ns, out)
        self._finish_old(now_ns, out)
        self.order.start_at_held(now_ns, out)
        self.order.give_up_all(now_ns, out)
        self.alive = self.opened = False
        self._arm()
        return out

    def suspend(self, now_ns: int) -> list[Output]:
        """Return the outputs due now that the line is gone. Everything held back is sent again, as after silence."""
        out: list[Output] = []
        self._expire(now_ns, out)
        self._drop_partial(now_ns, out)
        self._finish_old(now_ns, out)
        self.order.forget_held()
        self.alive = self.opened = False
        self._arm()
        return out

    @property
    def heard_ns(self) -> int:
        """Time of the last valid frame; 0 before any."""
        return self._valid_ns

    @property
    def problem(self) -> RemoteError | None:
        """Reason not to talk to the device that answers; None if there is none."""
        if self.refused_hello is not None:
            return incompatibility(self.refused_hello, self._expects)
        return SealRequired() if self._needs_seal else None

    @property
    def version(self) -> tuple[int, int] | None:
        """Protocol version to use with the device; None before its HELLO-REPLY."""
        return common_version(self.hello) if self.hello is not None else None

    # -------------------------------------------------------------- timers

    def _timers(self) -> list[Timer]:
        timing, order = self._timing, self.order
        timers: list[Timer] = [(self._valid_ns + timing.lost_ns, self._lose)] if self.alive else []
        if self.old is not None:
            timers.append((self.old.since_ns + timing.hole_ns, self._finish_old))
        elif order.held:
            if order.started:
                timers.append((order.since_ns + timing.hole_ns, order.give_up_hole))
            else:
                timers.append((order.since_ns + timing.join_ns, order.start_at_held))
        return timers

    def _lose(self, now_ns: int, out: list[Output]) -> None:
        """Report silence. Unacknowledged events come again when the session is reopened."""
        self._finish_old(now_ns, out)
        self.alive = self.opened = False
        if self.order.started:
            self.order.forget_held()
        if self.refused_hello is None:
            out.append(Down(f"nothing valid heard for {self._timing.lost_ns / 1e9:g} s"))

    # -------------------------------------------------------------- frames

    def _revive(self, now_ns: int) -> None:
        self.alive = True
        self._close_gate(now_ns)
        self._arm()

    def _on_unknown(self, envelope: Envelope, message: m.Message, now_ns: int, out: list[Output]) -> None:
        # a message of a handshake in clear is known, and none of this link's
        if not isinstance(message, Unknown) or message.kind != Kind.EVENT or len(message.payload) < _EVENT_HEAD.size:
            self._on_unusable(envelope, message, now_ns, out)
            return
        ended = SESSION_MARK + self._echo[0].to_bytes(4, "little")
        if message.payload.endswith(ended):  # in an unknown layout, extensions cannot be separated from fields
            envelope = replace(envelope, extensions=((SESSION_EXTENSION, ended[2:]),))
        number, device_ms = _EVENT_HEAD.unpack_from(message.payload)
        event = UnknownEvent(number, device_ms, message.message_id, message.payload[_EVENT_HEAD.size :])
        self._on_event(envelope, event, now_ns, out)

    # -------------------------------------------------------------- events

    def _take_event(self, event: m.Event, body: bytes, now_ns: int, out: list[Output]) -> bool:
        """Deliver an event of this session if it is the next, as nearly all are. Return False for any other."""
        order, number, device_ms = self.order, event.number, event.device_ms
        if (
            number != order.expected
            or device_ms < order.clock_ms
            or order.held
            or order.before.contents
            or self.refused_hello is not None
            or not (self.opened or now_ns >= self._gate_ns)
        ):
            return False
        self.ack_due = True
        self.event_ns = now_ns
        order.expected = number + 1  # the same steps as `EventOrder.give`, inlined for speed
        order.contents.append(body)
        order.clock_ms = device_ms
        self.stats.events += 1
        out.append(Delivered(order.session, body[4] | body[5] << 8, event))  # the header's request
        return True

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
        boots = event.boot_count if isinstance(event, m.BootedMessage) else None
        if boots is not None and self._is_of_a_life_before(event.number, boots):
            self.stats.repeats += 1
            self._life.stale_boots = boots
            self.restarts += 1  # makes HostLink reopen the session and read its events from there
            self._close_gate(now_ns)
            return
        if order.contradicts(event, envelope.body) or (boots is not None and self._counts_another(event, boots)):
            self._begin_new_life(now_ns, out, event.number if boots is not None else 1)
        if boots != self._life.boots and boots is not None:
            self._life.boots = None  # its count may never agree with HELLO-REPLY: take the next one
        self._accept(envelope, event, now_ns, out)

    def _is_of_a_life_before(self, number: int, boots: int) -> bool:
        """Return True for a *Booted* that would be new but counts fewer power-ups than this session's HELLO-REPLY: old
        bytes."""
        hello, life = self.hello, self._life
        if hello is None or hello.session != self.session or life.boots != hello.boot_count:
            return False
        return boots < hello.boot_count and boots != life.stale_boots and number >= self.order.expected

    def _counts_another(self, booted: m.Event, boots: int) -> bool:
        """Return True if a new *Booted* has another count of power-ups than the known one."""
        return booted.number >= self.order.expected and self._life.boots not in (None, boots)

    def _accept(self, envelope: Envelope, event: m.Event, now_ns: int, out: list[Output]) -> None:
        order = self.order
        if event.number == 0:
            self._on_unusable(envelope, event, now_ns, out)
            return
        order.accept(envelope.request, event, envelope.body, now_ns, out)
        if order.full and not order.started:
            self._finish_old(now_ns, out)
            order.start_at_held(now_ns, out)
        self._arm()

    def _is_of_old(self, envelope: Envelope, event: m.Event, now_ns: int, out: list[Output]) -> bool:
        """Handle an event that names a session. Return False if that is the current one."""
        session = named_session(envelope.extensions)
        if session is None or session == self.session:
            return False
        old = self.old
        if old is None or session != old.order.session:
            self.stats.repeats += 1
            return True
        self.event_ns = now_ns
        old.order.accept(envelope.request, event, 0, now_ns, out)
        if old.complete:
            self._finish_old(now_ns, out)
        return True

    def _on_gap(self, envelope: Envelope, gap: m.GapMessage, now_ns: int, out: list[Output]) -> None:
        if not gap.first_missing <= gap.first_kept <= gap.last + 1:
            self._on_unusable(envelope, gap, now_ns, out)
            return
        old = self.old
        if old is not None and gap.session == old.order.session:
            old.learn_end(gap)
            self._skip(old.order, gap, now_ns, out)
            if old.complete:
                self._finish_old(now_ns, out)
        elif gap.session == self.session and self.order.started and self.opened:
            self._skip(self.order, gap, now_ns, out)
            self.ack_due = True
            self._arm()

    def _skip(self, order: EventOrder, gap: m.GapMessage, now_ns: int, out: list[Output]) -> None:
        if gap.first_missing <= order.expected < gap.first_kept:
            self.stats.gaps += 1
            order.skip_to(gap.first_kept, now_ns, out)

    # -------------------------------------------------------------- sessions

    def _take_status(self, status: Any, _body: bytes, now_ns: int, out: list[Output]) -> bool:
        """Deliver a status that continues from the one before, as nearly all do. Return False for any other."""
        order, life, uptime_ms, last = self.order, self._life, status.uptime_ms, status.last_event
        if (
            status.session != self.session
            or uptime_ms < life.uptime_ms
            or last < order.last
            or last < order.expected - 1
            or self.refused_hello is not None
        ):
            return False
        order.last, life.uptime_ms, life.uptime_ns = last, uptime_ms, now_ns
        out.append(StatusSeen(status))
        return True

    def _on_status(self, envelope: Envelope, status: Any, now_ns: int, out: list[Output]) -> None:
        if self.refused_hello is not None or self._take_status(status, envelope.body, now_ns, out):
            return
        order, life, uptime_ms, last = self.order, self._life, status.uptime_ms, status.last_event
        if status.session != self.session:
            if self._is_echo(status.session, now_ns):
                return
            self._enter(status.session, now_ns, out)
        else:
            knows_all = last >= order.newest or uptime_ms <= order.clock_ms
            if life.is_denied_by_status(uptime_ms, knows_all=knows_all, now_ns=now_ns):
                self._begin_new_life(now_ns, out)
                self._close_gate(now_ns)
        self._life.learn_uptime(uptime_ms, now_ns)
        self.order.last = max(self.order.last, last)
        out.append(StatusSeen(status))

    def _on_hello_reply(self, envelope: Envelope, hello: m.HelloReplyMessage, now_ns: int, out: list[Output]) -> None:
        if self._is_echo(hello.session, now_ns):
            return
        error = incompatibility(hello, self._expects)
        if error is not None:
            self._refuse(hello, error, now_ns, out)
            return
        self.refused_hello = None
        if hello.session != self.session:
            self._enter(hello.session, now_ns, out)
        elif self._life.is_denied_by_hello(hello) or self._is_another(hello):
            self._begin_new_life(now_ns, out)
            self._close_gate(now_ns)
        self._life.boots = hello.boot_count
        self.order.forget_before(hello.boot_count)
        if self.old is not None and self.hello is not None and not same_device(hello, self.hello):
            self._finish_old(now_ns, out)  # another device does not have the old one's events
        self.hello, self.certificate = hello, Certificate.read(envelope.extensions) if envelope.extensions else None
        self.greeted = True
        if self.old is None:
            self.order.start(1, now_ns, out)
            self._arm()

    def _refuse(self, hello: m.HelloReplyMessage, error: RemoteError, now_ns: int, out: list[Output]) -> None:
        if self.refused_hello is None or self.refused_hello.session != hello.session:
            self._finish_old(now_ns, out)
            self.opened = False
            self.refused_hello = hello
            out.append(Down(str(error), error))

    def _on_reply(self, envelope: Envelope, reply: m.ReplyMessage, now_ns: int, out: list[Output]) -> None:
        if envelope.message_id == _OPEN_ID and reply.status != _REFUSED and self.refused_hello is None:
            if not self.opened:
                self.opened, self._needs_seal = True, False
                if self.old is None:
                    self._announce(out)
        elif envelope.message_id == _READ_ID and reply.status == _REFUSED:
            self._finish_old(now_ns, out)  # a device refuses this only for a session that is over
        self._on_answer_frame(envelope, reply, now_ns, out)

    def _on_nak(self, envelope: Envelope, nak: m.NakMessage, now_ns: int, out: list[Output]) -> None:
        if nak.reason == m.Reason.NOT_SEALED and not self.opened and not self._needs_seal:
            self._needs_seal = True
            error = SealRequired()
            out.append(Down(str(error), error))
        self._on_answer_frame(envelope, nak, now_ns, out)

    def _on_answer_frame(self, envelope: Envelope, message: m.Message, now_ns: int, out: list[Output]) -> None:
        if self._on_answer is not None:
            self._on_answer(envelope, now_ns, out)

    _handlers: ClassVar = {
        **dict.fromkeys(_EVENTS, _on_event),
        **dict.fromkeys(_STATUSES, _on_status),
        m.HelloReplyMessage: _on_hello_reply,
        m.GapMessage: _on_gap,
        m.ReplyMessage: _on_reply,
        m.ProgressMessage: _on_answer_frame,
        m.NakMessage: _on_nak,
        m.MetersMessage: _on_answer_frame,
        m.MeasuredMessage: _on_answer_frame,
    }
    _usual: ClassVar = _usual(_take_event, _take_status)
