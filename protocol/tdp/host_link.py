"""Host's end of a TDP link: the outputs of `Reception`, plus everything that a host sends.

    CLOSED --start--> HELLO --HELLO-REPLY--> OPENING --OPEN-SESSION granted--> UP
                        ^                       |                              |
                        +---no answer, refused--+------command unanswered,-----+
                        |                                session changed
                       LOST <---------------- nothing valid for lost_ns -------+

In HELLO and LOST the link sends HELLO until a device answers. Only silence is reported as Down. After a command without
an answer the link reopens the session without reporting it, because the output must not depend on what was sent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from protocol.errors import NoAnswer, NotPermitted, NotUp, RemoteError
from protocol.link import Resumable
from protocol.message import message_name
from protocol.tdp.attestation import Certificate, Statement
from protocol.tdp.codec import Envelope, encode
from protocol.tdp.commands import DATA_MESSAGES, CommandQueue, Pending, role_needed
from protocol.tdp.frame_reader import NEVER
from protocol.tdp.framing import encode_frame
from protocol.tdp.heard import TdpHeard
from protocol.tdp.messages import (
    AckMessage,
    DeviceClass,
    HeartbeatMessage,
    HelloMessage,
    HelloReplyMessage,
    MeasuredMessage,
    Message,
    MetersMessage,
    NakMessage,
    OpenSessionMessage,
    ProgressMessage,
    ReadEventsMessage,
    Reason,
    ReplyMessage,
    Role,
    Status,
)
from protocol.tdp.outputs import (
    Answered,
    Brought,
    LinkState,
    LinkStats,
    Output,
    Progressed,
    Send,
    Standing,
    Timing,
    Unanswered,
)
from protocol.tdp.packets import MINOR, VERSION
from protocol.tdp.reception import Reception

_CLOSED, _HELLO, _OPENING, _LOST, _UP = (  # read for every chunk; looking up an enum member costs more
    LinkState.CLOSED, LinkState.HELLO, LinkState.OPENING, LinkState.LOST, LinkState.UP
)  # fmt: skip
_CALLING: Final = (_HELLO, _LOST)
_REFUSED: Final = Status.REFUSED
_BROUGHT: Final = (MetersMessage, MeasuredMessage)
_AFTER_CLASH: Final = 4096
"""Number of request ids to skip if the device still remembers ours from the program that ran before."""


class HostLink(Resumable):
    """Host's link to one device, used once. Bytes and times go in, outputs come out; it never blocks.

    With `listen` the link sends nothing, refuses requests, and delivers what the live link delivered: pass the recorded
    times to `receive`. `close` returns everything held back. `suspend` is for a line that is lost: a link created with
    `resume=standing` then continues on the next line.
    """

    def __init__(
        self,
        *,
        expects: DeviceClass | None = None,
        role: Role = Role.OBSERVE,
        host: str = "dealwire",
        listen: bool = False,
        timing: Timing | None = None,
        resume: Standing | None = None,
    ) -> None:
        self.state = _CLOSED
        self.role = Role.OBSERVE
        """Role that the device granted."""
        self._timing = timing = timing or Timing()
        self._listen, self._expects = listen, expects
        self._wants = role
        self._asks = role
        self._hello = HelloMessage(VERSION, 0, VERSION, MINOR, host)
        self._in = Reception(
            expects=expects, timing=timing, on_answer=self._on_answer, resume=resume.heard if resume else None
        )
        self._commands = CommandQueue()
        self._goes_on = resume is not None and resume.request != 0  # 0 after a listener, which sent no requests
        if resume is not None:
            self._commands.resume_after(resume.request)
        self._sequence = 0
        self._sent_ns: int | None = None
        self._hello_ns = 0  # when the next HELLO is due
        self._opened = 0, 0  # the session we opened or are opening, and the restart count then
        self._requested = 0, 0  # the session whose events were last requested since opening, and when

    # -------------------------------------------------------------- the face

    @property
    def session(self) -> int | None:
        """The device's session as last received; None before any."""
        return self._in.session

    @property
    def stats(self) -> LinkStats:
        """Counters since the link was created."""
        return self._in.stats

    @property
    def hello(self) -> HelloReplyMessage | None:
        """The device's latest HELLO-REPLY; None before any."""
        return self._in.hello

    @property
    def certificate(self) -> Certificate | None:
        """Certificate in that HELLO-REPLY, unverified; None if it has none."""
        return self._in.certificate

    @property
    def alive(self) -> bool:
        """True if a valid frame arrived within `lost_ns`."""
        return self._in.alive

    @property
    def heard_ns(self) -> int:
        """Time of the last valid frame; 0 before any."""
        return self._in.heard_ns

    @property
    def complete(self) -> bool:
        """True if the session is up and every event that the device is known to have made was delivered."""
        return self.state is _UP and self._in.complete

    @property
    def problem(self) -> RemoteError | None:
        """Reason not to talk to the device that answers (its class, its version); None if there is none."""
        return self._in.problem

    @property
    def standing(self) -> Standing | None:
        """State from which the link on the next line resumes; None if no session was seen."""
        return None if self._in.session is None else Standing(self._in.left(), self._commands.last_request)

    def heard(self) -> TdpHeard | None:
        """Return the received state; None while a frame is incomplete or an event is held back.

        After the line is gone, this is the state from which a successor resumes.
        """
        return self._in.left() if self.state is _CLOSED else self._in.heard()

    def recall(self, heard: object) -> None:
        """Resume from the state that another link on this line exported. Raise ValueError for the state of another
        dialect."""
        if not isinstance(heard, TdpHeard):
            raise ValueError(f"state of another dialect, not TDP: {type(heard).__name__}")
        self._in.recall(heard)
        if self.state is not _CLOSED:
            self._follow()

    def successor(self, role: Role | None = None) -> HostLink:
        """Return a link for the next line that resumes from this one. With a `role` to request, it is not a
        listener."""
        return HostLink(
            expects=self._expects,
            role=self._wants if role is None else role,
            host=self._hello.host,
            listen=self._listen and role is None,
            timing=self._timing,
            resume=self.standing,
        )

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None if no timer is running."""
        if self.state is _CLOSED:
            return None
        heard = self._in
        due_ns = heard.due_ns() if heard.framer.held else heard.timer_ns
        if not self._listen:
            due_ns = min(due_ns, *self._deadlines())
        return due_ns if due_ns != NEVER else None

    def start(self, now_ns: int) -> list[Output]:
        """Start the link and send the first HELLO. A listener sends nothing."""
        out: list[Output] = []
        self.state = _HELLO
        if not self._listen:
            if not self._goes_on:
                self._commands.seed(now_ns)
            self._call(now_ns, out)
        return out

    def receive(self, data: bytes, now_ns: int) -> list[Output]:
        """Process the bytes that arrived at `now_ns`."""
        state, heard = self.state, self._in
        if state is _CLOSED:
            return []
        out = heard.receive(data, now_ns)
        if not self._listen:
            self._act(now_ns, out)
        elif (state is _UP) is not heard.opened:
            self._follow()
        return out

    def tick(self, now_ns: int) -> list[Output]:
        """Run the timers that are due by `now_ns`."""
        return self._after(self._in.tick, now_ns)

    def skip(self, now_ns: int) -> list[Output]:
        """Record that bytes are missing here. The device sends their events again, because no one acknowledges them."""
        return self._after(self._in.skip, now_ns)

    def _after(self, step: Callable[[int], list[Output]], now_ns: int) -> list[Output]:
        if self.state is _CLOSED:
            return []
        out = step(now_ns)
        if self._listen:
            self._follow()
        else:
            self._act(now_ns, out)
        return out

    def request(self, command: Message, now_ns: int) -> tuple[int, list[Output]]:
        """Queue `command` and return its request id, which the answer carries.

        Raise NotUp, NotPermitted, QueueFull or CannotEncode if it cannot be sent.
        """
        out: list[Output] = []
        if self._listen or self.state is not _UP:
            raise NotUp("listening only" if self._listen else self.state)
        needs = role_needed(type(command))
        if needs > self.role:
            raise NotPermitted(message_name(command), needs.name.lower(), self.role.name.lower())
        encode(command)
        pending = self._commands.add(command, now_ns)
        self._pump(now_ns, out)
        return pending.request, out

    def close(self, now_ns: int) -> list[Output]:
        """Close the link and return everything held back, with every waiting command as Unanswered."""
        if self.state is _CLOSED:
            return []
        return self._end(self._in.close(now_ns), now_ns)

    def suspend(self, now_ns: int) -> list[Output]:
        """Close the link because its line is gone. Unlike `close`, leave everything held back to the next link."""
        if self.state is _CLOSED:
            return []
        return self._end(self._in.suspend(now_ns), now_ns)

    def _end(self, out: list[Output], now_ns: int) -> list[Output]:
        self._give_up_commands(now_ns, out)
        self.state = _CLOSED
        return out

    # -------------------------------------------------------------- steering

    def _follow(self) -> None:
        """Set a listener's state from what it received."""
        heard = _HELLO if self._in.alive or self._in.session is None else _LOST
        self.state = _UP if self._in.opened else heard

    def _act(self, now_ns: int, out: list[Output]) -> None:
        """Send what the state and the time require. Runs after each received chunk and on every tick."""
        heard = self._in
        if self.state not in _CALLING:
            if not heard.alive:
                self._fall_back(_LOST, now_ns, out)
            elif heard.refused_hello is not None or heard.session != self._opened[0]:
                self._fall_back(_HELLO, now_ns, out)
            elif heard.restarts != self._opened[1]:
                self._fall_back(_HELLO, now_ns, out)
                self._hello_ns = (
                    now_ns + self._timing.hello_ns
                )  # a device that keeps contradicting itself must not cause a storm
        if self.state in _CALLING:
            if heard.greeted and heard.refused_hello is None:
                self._open(now_ns, out)
            elif now_ns >= self._hello_ns:
                self._call(now_ns, out)
        self._retry(now_ns, out)
        if self.state is _UP:
            self._keep_up(now_ns, out)

    def _keep_up(self, now_ns: int, out: list[Output]) -> None:
        heard = self._in
        if heard.ack_due:
            heard.ack_due = False
            if heard.order.started:
                self._send(AckMessage(self._opened[0], heard.order.expected - 1), now_ns, out)
        self._chase(now_ns, out)
        self._pump(now_ns, out)
        if now_ns >= self._beat_due_ns():
            self._send(HeartbeatMessage(self._opened[0]), now_ns, out)

    def _deadlines(self) -> list[int]:
        deadlines = [NEVER]
        pending = self._commands.outstanding
        if pending is not None:
            deadlines.append(pending.due_ns)
        if self.state in _CALLING:
            deadlines.append(self._hello_ns)
        if self.state is _UP:
            deadlines.append(self._beat_due_ns())
            chase_ns = self._chase_due_ns() if pending is None else None
            if chase_ns is not None:
                deadlines.append(chase_ns)
        return deadlines

    def _beat_due_ns(self) -> int:
        """Return the time of the next heartbeat. All links use the same moments, so that a program with many lines
        wakes once."""
        beat_ns = self._timing.heartbeat_ns
        return 0 if self._sent_ns is None else self._sent_ns - self._sent_ns % beat_ns + beat_ns

    # -------------------------------------------------------------- opening

    def _call(self, now_ns: int, out: list[Output]) -> None:
        self._hello_ns = now_ns + self._timing.hello_ns
        self._in.greeted = False
        self._send(self._hello, now_ns, out)

    def _open(self, now_ns: int, out: list[Output]) -> None:
        assert self._in.session is not None
        self._in.greeted = False
        self._opened = self._in.session, self._in.restarts
        self.state = _OPENING
        self._requested = 0, 0
        assert self._in.version is not None
        command = OpenSessionMessage(self._in.session, *self._in.version, self._asks)
        self._transmit(self._commands.start_own(command, now_ns), now_ns, out)

    def _on_open_reply(self, reply: ReplyMessage, now_ns: int, out: list[Output]) -> None:
        if reply.status != _REFUSED:
            self.state, self.role = _UP, Role(self._asks)
        elif reply.reason == Reason.NOT_PERMITTED and self._asks > Role.OBSERVE:
            self._asks = Role.OBSERVE
            self._open(now_ns, out)
        else:
            if reply.reason == Reason.REQUEST_ID_REUSED:
                self._commands.skip(_AFTER_CLASH)
            self.state = _HELLO
            self._hello_ns = now_ns + self._timing.hello_ns

    def _fall_back(self, state: LinkState, now_ns: int, out: list[Output]) -> None:
        """Give up the session: fail the waiting commands and send HELLO at once."""
        self._give_up_commands(now_ns, out)
        self.state, self.role, self._asks = state, Role.OBSERVE, self._wants
        if not self._in.greeted:
            self._hello_ns = now_ns

    # -------------------------------------------------------------- events

    def _chase_due_ns(self) -> int | None:
        """Return the time to request events again: at once after opening, then while some are known to be missing."""
        heard, timing = self._in, self._timing
        order = heard.wanted
        session, requested_ns = self._requested
        if session != order.session:
            return 0
        if heard.old is not None or order.held:
            return max(requested_ns, order.since_ns) + timing.reply_ns
        if order.last >= order.expected:
            return max(requested_ns, heard.event_ns) + timing.retry_ns
        return None

    def _chase(self, now_ns: int, out: list[Output]) -> None:
        due_ns = self._chase_due_ns()
        if due_ns is not None and now_ns >= due_ns and self._commands.outstanding is None:
            order = self._in.wanted
            self._requested = order.session, now_ns
            self._transmit(
                self._commands.start_own(ReadEventsMessage(order.session, order.expected), now_ns), now_ns, out
            )

    # -------------------------------------------------------------- commands

    def _pump(self, now_ns: int, out: list[Output]) -> None:
        pending = self._commands.next()
        if pending is not None:
            self._transmit(pending, now_ns, out)

    def _transmit(self, pending: Pending, now_ns: int, out: list[Output]) -> None:
        pending.tries += 1
        pending.due_ns = now_ns + self._timing.retry_ns
        self.stats.commands += pending.tries == 1
        self.stats.retries += pending.tries > 1
        self._send(pending.command, now_ns, out, pending.request)

    def _retry(self, now_ns: int, out: list[Output]) -> None:
        pending = self._commands.outstanding
        if pending is None or now_ns < pending.due_ns:
            return
        if pending.tries < self._timing.tries:
            self._transmit(pending, now_ns, out)
        else:
            self._fall_back(_HELLO, now_ns, out)
            self._call(now_ns, out)

    def _give_up_commands(self, now_ns: int, out: list[Output]) -> None:
        for pending in self._commands.drain():
            if not pending.own:
                error = NoAnswer(pending.name, pending.tries, (now_ns - pending.requested_ns) / 1e9)
                out.append(Unanswered(pending.request, pending.command, error))

    def _on_answer(self, envelope: Envelope, now_ns: int, out: list[Output]) -> None:
        """Handle a Reply, Progress or Nak, or the data that a command returns."""
        message, request = envelope.message, envelope.request
        pending = self._commands.outstanding
        if isinstance(message, ProgressMessage):
            command = self._commands.command_of(request)
            if command is not None:
                out.append(Progressed(request, command, message))
            return
        if isinstance(message, _BROUGHT):
            command = self._commands.command_of(request)
            if command is not None and DATA_MESSAGES.get(type(command)) is type(message):
                signed = Statement.read(envelope.extensions) if envelope.extensions else None
                out.append(Brought(request, command, message, signed))
            return
        if isinstance(message, NakMessage):
            self.stats.naks += 1
            reply = ReplyMessage(_REFUSED, message.reason, 0)
        else:
            assert isinstance(message, ReplyMessage)
            reply = message
        if pending is None or pending.request != request or pending.message_id != envelope.message_id:
            self.stats.late_replies += isinstance(message, ReplyMessage)
            return
        self.stats.late_replies += now_ns > pending.due_ns - self._timing.retry_ns + self._timing.reply_ns
        self._commands.finish(reply.status)
        if pending.own and isinstance(pending.command, OpenSessionMessage):
            self._on_open_reply(reply, now_ns, out)
            return
        if not pending.own:
            out.append(Answered(request, pending.command, reply))
        if reply.status == _REFUSED and reply.reason == Reason.NO_SESSION:
            self._fall_back(_HELLO, now_ns, out)

    def _send(self, message: Message, now_ns: int, out: list[Output], request: int = 0) -> None:
        silent = self._sent_ns is None or now_ns - self._sent_ns >= self._timing.partial_ns
        body = encode(message, link_sequence=self._sequence, request=request)
        self._sequence = self._sequence + 1 & 0xFF
        self._sent_ns = now_ns
        out.append(Send(encode_frame(body, after_silence=silent)))
