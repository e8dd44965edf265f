"""Device's end of a TDP link. It answers what every device answers alike and hands all other commands to the model.

Events go out in a window: at most `WINDOW` of them are unacknowledged at a time. An acknowledgement from the host lets
the next ones out, and after `resend_ns` without one the device sends the whole window again. READ-EVENTS from n
confirms everything before n and moves the window back to n. If the window would start at an event that is no longer
stored, a GAP goes out first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from protocol.errors import BadPayload
from protocol.tdp import messages as m
from protocol.tdp.codec import as_unknown, decode, encode
from protocol.tdp.commands import DATA_MESSAGES
from protocol.tdp.derive import HEADER_SIZE
from protocol.tdp.event_store import EventStore
from protocol.tdp.framing import Frame, Framer, encode_frame
from protocol.tdp.instruments import Instruments
from protocol.tdp.messages import Event, Kind, Message, ProgressMessage, Reason, ReplyMessage, Role, Status
from protocol.tdp.outputs import (
    MESSAGE_IDS,
    SESSION_EXTENSION,
    Commanded,
    Discarded,
    HostBack,
    HostLost,
    LinkStats,
    Opened,
    Output,
    Send,
    Timing,
)
from protocol.tdp.refusals import Situation, why_refused
from protocol.tdp.reply_cache import ReplyCache, Verdict
from protocol.tdp.vetting import count_noise, is_from_host, problem_with, why_unusable

WINDOW: Final = 16
"""Maximum number of unacknowledged events: about 40 ms of a line at 115200 baud."""

ReportStatus = Callable[[int, int, int], Message]
"""Function of session, last event number and uptime in milliseconds that builds the status message, which has a
`state`."""


class DeviceLink:
    """Link of one device, from power-up to power-off.

    `hello` identifies the device and names the session; `granted` is the highest role a host may have. A command that
    the link does not answer itself comes out as Commanded once, and the model answers it with `reply`. `instruments`
    provides the data for *ReadMeters* and *Verify*.

    `on_host_back` is called with the time when a lost host returns, before its frame is answered, so that the answer
    already comes from a device that has its host.
    """

    def __init__(
        self,
        hello: m.HelloReplyMessage,
        *,
        report: ReportStatus,
        store: EventStore | None = None,
        granted: Role = Role.OPERATE,
        timing: Timing | None = None,
        instruments: Instruments | None = None,
        on_host_back: Callable[[int], None] = lambda _now_ns: None,
    ) -> None:
        self.hello = hello
        self.session = hello.session
        self.role: Role | None = None
        """Role of the host that opened the session; None before one did."""
        self.host_lost = False
        self.refused = 0
        """Number of commands refused. A repeated command counts once."""
        self.stats = LinkStats()
        self.store = store or EventStore()
        self._report = report
        self._granted = self._allowed = granted
        self._instruments = instruments or Instruments()
        self._on_host_back = on_host_back
        self._data_message: Message | None = None  # the message that follows the current reply
        self._timing = timing or Timing()
        self._framer = Framer()
        self._cache = ReplyCache()
        self._sequence = 0
        self._started_ns = self._heard_ns = self._byte_ns = self._status_ns = self._resend_ns = 0
        self._sent_ns: int | None = None
        self._sent = 0  # the newest event sent since the window was last moved back
        self.store.begin(self.session)

    # -------------------------------------------------------------- the face

    def greeting(self) -> bytes:
        """Return the payload of HELLO-REPLY as this device sends it."""
        return encode(self.hello, extensions=self._instruments.greeting)[HEADER_SIZE:]

    def limit(self, role: Role) -> None:
        """Grant a host no more than this role from now on, in a session that is open too, and no more than the device
        itself grants."""
        self._allowed = min(self._granted, role)

    def start(self, now_ns: int, **booted: Any) -> list[Output]:
        """Start the device's clock, store *Booted* with the given fields if there are any, and report the status."""
        self._started_ns = self._heard_ns = self._byte_ns = now_ns
        if booted:
            self.emit(m.BootedMessage, now_ns, **booted)
        return self.status_changed(now_ns)

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Process the bytes that arrived at `now_ns`."""
        out = self.tick(now_ns)
        self._byte_ns = now_ns
        for piece in self._framer.feed(data):
            if isinstance(piece, Frame):
                self._take(piece.body, now_ns, out)
            else:
                count_noise(piece, self.stats, out)
        return out

    def tick(self, now_ns: int) -> list[Output]:
        """Run the timers that are due by `now_ns`."""
        out: list[Output] = []
        timing = self._timing
        if not self._framer.idle and now_ns - self._byte_ns >= timing.partial_ns:
            for noise in self._framer.flush():
                count_noise(noise, self.stats, out)
        lost = self.watch(now_ns)
        if lost:
            # HostLost goes first. Everything else that is due comes with the next tick, which is due at once.
            return out + lost
        if self._unacknowledged and now_ns >= self._resend_ns:
            self._pump(now_ns, out)
        if now_ns >= self._status_ns:
            out += self.status_changed(now_ns)
        return out

    def watch(self, now_ns: int) -> list[Output]:
        """Check whether the host is lost by `now_ns`. `tick` does this too."""
        if self.role is None or self.host_lost or now_ns - self._heard_ns < self._timing.lost_ns:
            return []
        self.host_lost = True
        return [HostLost()]

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`."""
        due = self._status_ns
        if not self._framer.idle:
            due = min(due, self._byte_ns + self._timing.partial_ns)
        if self.role is not None and not self.host_lost:
            due = min(due, self._heard_ns + self._timing.lost_ns)
        return min(due, self._resend_ns) if self._unacknowledged else due

    def emit(self, event: type[Event], now_ns: int, *, request: int = 0, **fields: Any) -> list[Output]:
        """Number, stamp and store an event, and send it if a session is open. Raise CannotEncode if it does not fit.

        Numbers do not wrap: 32 bits last thirteen years at ten events a second.
        """
        out: list[Output] = []
        made = event(number=self.store.last + 1, device_ms=self._uptime_ms(now_ns), **fields)
        encode(
            made, request=request, extensions=_naming(self.session)
        )  # with the session extension, so that it also fits after a power cut
        self.store.append(request, made)
        self.stats.events += 1
        if self.role is not None:
            self._pump(now_ns, out)
        return out

    def reply(self, request: int, reply: ReplyMessage, now_ns: int) -> list[Output]:
        """Answer a Commanded request. The link sends the same answer to repeats of it.

        Raise ValueError if `request` does not wait for a reply.
        """
        entry = self._cache.get(request)
        if entry is None or entry.reply is not None:
            raise ValueError(f"request {request} does not wait for a reply")
        out: list[Output] = []
        entry.reply = reply
        self.refused += reply.status == Status.REFUSED
        self._answer(request, entry.command, reply, now_ns, out)
        return out

    def progress(self, request: int, progress: ProgressMessage, now_ns: int) -> list[Output]:
        """Report the progress of an accepted command."""
        out: list[Output] = []
        entry = self._cache.get(request)
        if entry is not None:
            self._answer(request, entry.command, progress, now_ns, out)
        return out

    def status_changed(self, now_ns: int) -> list[Output]:
        """Report the status now, and schedule the next report in `status_ns`."""
        out: list[Output] = []
        self._status_ns = now_ns + self._timing.status_ns
        self._send(self._status(now_ns), now_ns, out)
        return out

    # -------------------------------------------------------------- frames

    def _take(self, body: bytes, now_ns: int, out: list[Output]) -> None:
        try:
            envelope = decode(body)
            problem = problem_with(envelope)
        except BadPayload as error:
            envelope = as_unknown(error, body)
            flagged = problem_with(envelope) is Reason.UNKNOWN_FLAG
            problem = Reason.UNKNOWN_FLAG if flagged else Reason.BAD_PAYLOAD
        message = envelope.message
        if not is_from_host(envelope):
            self.stats.unusable += 1
            out.append(Discarded(body, why_unusable(envelope)))
            return
        self.stats.frames += 1
        if envelope.kind == Kind.NAK:  # both ends send it, so it is no sign of life; and it is never answered
            self.stats.naks += 1
            return
        self._hear(now_ns, out)
        if problem is not None:
            self.stats.unusable += 1
            self._send(m.NakMessage(problem), now_ns, out, envelope.request, message_id=envelope.message_id)
        elif envelope.kind == Kind.COMMAND:
            self._take_command(envelope.request, message, now_ns, out)
        elif isinstance(message, m.HelloMessage):
            self._send(self.hello, now_ns, out, extensions=self._instruments.greeting)
        elif isinstance(message, m.AckMessage):
            self._take_ack(message, now_ns, out)

    def _hear(self, now_ns: int, out: list[Output]) -> None:
        self._heard_ns = now_ns
        if self.host_lost:
            self.host_lost = False
            self._on_host_back(now_ns)
            out.append(HostBack())

    # -------------------------------------------------------------- commands

    def _take_command(self, request: int, command: Message, now_ns: int, out: list[Output]) -> None:
        if request == 0:  # without an id it cannot be remembered
            reply = self._own_reply(request, command, now_ns, out)
            assert reply is not None
            self._answer(request, command, reply, now_ns, out)
            return
        verdict, entry = self._cache.judge(request, command, now_ns)
        if verdict is Verdict.WORKING:
            return
        if verdict is Verdict.REUSED:
            self._answer(request, command, self._refusal(Reason.REQUEST_ID_REUSED, now_ns), now_ns, out)
            return
        if verdict is Verdict.NEW:
            self.stats.commands += 1
            entry.reply = self._own_reply(request, command, now_ns, out)
        else:
            self.stats.retries += 1
        if entry.reply is None:
            out.append(Commanded(request, command))
            return
        self._answer(request, command, entry.reply, now_ns, out)
        if verdict is Verdict.NEW and entry.reply.status != Status.REFUSED:
            self._follow_up(request, command, now_ns, out)

    def _own_reply(self, request: int, command: Message, now_ns: int, out: list[Output]) -> ReplyMessage | None:
        """Return the reply that the link gives itself; None if the model has to answer."""
        # The host may be another one than that which opened the session, and may be granted less.
        role = None if self.role is None else min(self.role, self._allowed)
        case = Situation(request, command, self.session, self.store.previous_session, self._allowed, role)
        reason = why_refused(case)
        if reason is not None:
            return self._refusal(reason, now_ns)
        if isinstance(command, m.OpenSessionMessage):
            return self._open(command, now_ns, out)
        if type(command) in DATA_MESSAGES:
            data_message = self._instruments.answer(command, self.session, now_ns)
            if isinstance(data_message, Reason):
                return self._refusal(data_message, now_ns)
            self._data_message = data_message
            return self._done(now_ns)
        own = isinstance(command, m.ReadEventsMessage | m.ReportStatusMessage)
        return self._done(now_ns) if own else None

    def _open(self, command: m.OpenSessionMessage, now_ns: int, out: list[Output]) -> ReplyMessage:
        self.role = Role(command.role)
        self._resend_ns = now_ns + self._timing.resend_ns
        out.append(Opened(self.role))
        return self._done(now_ns)

    def _follow_up(self, request: int, command: Message, now_ns: int, out: list[Output]) -> None:
        """Send the messages that follow the reply to a command that the link answered itself."""
        if isinstance(command, m.ReportStatusMessage):
            # The next tick, due at once, sends it: the events that the status includes must go out before it.
            self._status_ns = now_ns
        elif self._data_message is not None:
            data_message, self._data_message = self._data_message, None
            self._send(data_message, now_ns, out, request, extensions=self._instruments.statement(data_message))
        elif isinstance(command, m.ReadEventsMessage):
            if command.session == self.session:
                self._sent = self.store.acknowledged = min(max(command.first, 1) - 1, self.store.last)
                self._pump(now_ns, out)
            else:
                self._send_previous(max(command.first, 1), now_ns, out)

    def _done(self, now_ns: int) -> ReplyMessage:
        return ReplyMessage(Status.DONE, Reason.NONE, self._state(now_ns))

    def _refusal(self, reason: Reason, now_ns: int) -> ReplyMessage:
        self.refused += 1
        return ReplyMessage(Status.REFUSED, reason, self._state(now_ns))

    def _answer(self, request: int, command: Message, answer: Message, now_ns: int, out: list[Output]) -> None:
        self._send(answer, now_ns, out, request, message_id=MESSAGE_IDS[type(command)])

    # -------------------------------------------------------------- events

    @property
    def _unacknowledged(self) -> bool:
        return self.role is not None and self.store.acknowledged < self.store.last

    def _take_ack(self, ack: m.AckMessage, now_ns: int, out: list[Output]) -> None:
        store = self.store
        if ack.session == self.session and store.acknowledged < ack.up_to <= store.last:
            store.acknowledged = ack.up_to
            self._resend_ns = now_ns + self._timing.resend_ns
            if self.role is not None:
                self._pump(now_ns, out)

    def _pump(self, now_ns: int, out: list[Output]) -> None:
        """Send the events that the window allows."""
        store = self.store
        if store.acknowledged + 1 < store.oldest:
            self.stats.gaps += 1
            self._send(m.GapMessage(self.session, store.acknowledged + 1, store.oldest, store.last), now_ns, out)
            store.acknowledged = store.oldest - 1
        due_again = now_ns >= self._resend_ns
        self._sent = store.acknowledged if due_again else max(self._sent, store.acknowledged)
        end = min(store.last, store.acknowledged + WINDOW)
        if self._sent == store.acknowledged:
            self._resend_ns = now_ns + self._timing.resend_ns
        while self._sent < end:
            self._sent += 1
            stored = store.get(self._sent)
            self._send(stored.event, now_ns, out, stored.request)

    def _send_previous(self, first: int, now_ns: int, out: list[Output]) -> None:
        """Send every stored event of the previous session from `first` on. The GAP names its last event, even with no
        gap."""
        store = self.store
        first = min(first, store.previous_last + 1)
        kept = max(first, store.previous_oldest)
        self._send(m.GapMessage(store.previous_session, first, kept, store.previous_last), now_ns, out)
        for stored in store.previous_from(kept):
            extensions = _naming(store.previous_session)
            self._send(stored.event, now_ns, out, stored.request, extensions=extensions)

    # -------------------------------------------------------------- sending

    def _uptime_ms(self, now_ns: int) -> int:
        return (now_ns - self._started_ns) // 1_000_000 & 0xFFFF_FFFF

    def _status(self, now_ns: int) -> Message:
        return self._report(self.session, self.store.last, self._uptime_ms(now_ns))

    def _state(self, now_ns: int) -> int:
        return int(getattr(self._status(now_ns), "state", 0))

    def _send(
        self,
        message: Message,
        now_ns: int,
        out: list[Output],
        request: int = 0,
        *,
        message_id: int | None = None,
        extensions: tuple[tuple[int, bytes], ...] = (),
    ) -> None:
        silent = self._sent_ns is None or now_ns - self._sent_ns >= self._timing.partial_ns
        body = encode(
            message, link_sequence=self._sequence, request=request, message_id=message_id, extensions=extensions
        )
        self._sequence = self._sequence + 1 & 0xFF
        self._sent_ns = now_ns
        out.append(Send(encode_frame(body, after_silence=silent)))


def _naming(session: int) -> tuple[tuple[int, bytes], ...]:
    """Return the extension that names the session of an event."""
    return ((SESSION_EXTENSION, session.to_bytes(4, "little")),)
