"""Both ends of the line, without I/O: bytes and times in, outputs out.

Theory of operation
-------------------
The shoe sends everything up to three times until a host acknowledges it; a host that only listens receives all three. A
report is a repeat if its sequence *and* its content equal those of one of the last few reports. The sequence alone is
not enough: after a restart of the shoe, cards would be lost. S empties that memory, and is itself a repeat only right
after itself.

There are no event numbers, so a lost report shows only in the sequence. The order of its characters is not published;
it is learned. A report follows the one before it if the step is natural (the next character, or A after 9) or was seen
before on a clean line. Any other report is preceded by `Missed`. A new step backwards counts as the wrap of the
sequence, unless bytes were corrupted since.

Corrupted bytes are forgiven if the next report is a repeat, or follows: they were one copy of three. The apparent
content of corrupted bytes is never used.

Delivery does not depend on what is sent. A session begins with the first report and with each S; its name is the
millisecond in which that report arrived.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from protocol.angel_eye import messages as m
from protocol.angel_eye.codec import decode, encode
from protocol.angel_eye.framing import Frame, Framer, NakReason, Noise, NoiseReason, Start
from protocol.angel_eye.heard import AngelEyeHeard
from protocol.errors import BadReport, NoAnswer, NotPermitted, NotUp, QueueFull
from protocol.link import Answered, Output, Send, Started, Unanswered, session_at
from protocol.message import message_name
from protocol.unnumbered import LinkState as LinkState
from protocol.unnumbered import UnnumberedLink

_MS: Final = 1_000_000
QUEUE_MAX: Final = 16
"""Maximum number of waiting commands. No table needs as many at once."""
REMEMBERED: Final = 3
"""Number of reports that a possible repeat is compared with: fewer than any sequence has characters."""
SENT_TIMES: Final = 3
"""Number of times that the shoe sends a report that no one acknowledges."""

Command = m.LockMessage | m.ClearErrorMessage | m.AskGameMessage
Answer = m.AcknowledgedMessage | m.RejectedMessage


@dataclass(frozen=True, slots=True)
class Timing:
    """Times in nanoseconds. No public program gives the maker's; these suit 4800 baud behind a serial server."""

    partial_ns: int = 500 * _MS
    """Silence after which an incomplete frame becomes noise."""
    answer_ns: int = 1000 * _MS
    """Time after which a command without ACK or NAK is sent again."""
    tries: int = 3
    """Number of times that a command is sent before the host gives up."""
    resend_ns: int = 200 * _MS
    """Time after which the simulated shoe repeats an unacknowledged report."""


@dataclass(slots=True)
class _Pending:
    request: int
    command: Command
    requested_ns: int
    due_ns: int = 0
    tries: int = 0


class _Sequence:
    """Order of the sequence characters as learned so far, and detection of gaps in it."""

    def __init__(self) -> None:
        self.spoiled = False
        """True if unexplained bytes follow the last report."""
        self._last: int | None = None
        self._following: dict[int, int] = {}

    def restart(self) -> None:
        """Start a new count. Earlier reports say nothing about the next one."""
        self._last = None

    def step(self, sequence: int) -> str | None:
        """Take the sequence of a new report. Return the reason if a report before it is missing, otherwise None."""
        last, spoiled = self._last, self.spoiled
        self._last, self.spoiled = sequence, False
        if last is None:
            return "corrupted bytes before the first report" if spoiled else None
        natural = sequence == last + 1 or (last, sequence) == (0x39, 0x41)
        learned = self._following.get(last)
        if not spoiled:
            self._following[last] = sequence
        if natural or learned == sequence or (learned is None and sequence < last and not spoiled):
            return None
        return f"sequence {chr(sequence)!r} after {chr(last)!r}"

    def heard(self) -> tuple[bool, int | None, tuple[tuple[int, int], ...]]:
        """Return the learned order, in the form that `recall` takes."""
        return self.spoiled, self._last, tuple(sorted(self._following.items()))

    def recall(self, spoiled: bool, last: int | None, following: tuple[tuple[int, int], ...]) -> None:
        """Restore the order that another instance learned."""
        self.spoiled, self._last, self._following = spoiled, last, dict(following)


class HostLink(UnnumberedLink[Frame]):
    """Host's link to one shoe, used once. It listens; with `operate` it also acknowledges and may send commands.

    `listen` is for a recording: the link then never sends, even with `operate`.
    """

    def __init__(self, *, operate: bool = False, listen: bool = False, timing: Timing | None = None) -> None:
        self._timing = timing or Timing()
        super().__init__(Framer(), self._timing.partial_ns)
        self._sends = operate and not listen
        self._memory: deque[bytes] = deque(maxlen=REMEMBERED)
        self._sequence = _Sequence()
        self._commands: deque[_Pending] = deque()
        self._requests = 0

    def heard(self) -> AngelEyeHeard | None:
        """Return the received state; None while a frame is incomplete."""
        if self.state is LinkState.CLOSED:
            return AngelEyeHeard()
        if self._framer.pending:
            return None
        return AngelEyeHeard(self.session, self._number, tuple(self._memory), *self._sequence.heard())

    def recall(self, heard: object) -> None:
        """Resume from the state that another link on this line exported. Raise ValueError for the state of another
        dialect."""
        if not isinstance(heard, AngelEyeHeard):
            raise ValueError(f"state of another dialect, not of an Angel Eye style shoe: {type(heard).__name__}")
        self._recall(heard.session, heard.number)
        self._memory.extend(heard.memory)
        self._sequence.recall(heard.spoiled, heard.last, heard.following)

    @property
    def next_deadline_ns(self) -> int | None:
        """Time at which to call `tick`; None if no timer is running."""
        due_ns = super().next_deadline_ns
        if not self._commands:
            return due_ns
        answer_ns = self._commands[0].due_ns
        return answer_ns if due_ns is None else min(due_ns, answer_ns)

    def tick(self, now_ns: int) -> list[Output]:
        """Run the timers that are due by `now_ns`."""
        out = super().tick(now_ns)
        if self._commands and now_ns >= self._commands[0].due_ns:
            if self._commands[0].tries < self._timing.tries:
                self._transmit(now_ns, out)
            else:
                self._abandon(now_ns, out)
                self._transmit_next(now_ns, out)
        return out

    def skip(self, now_ns: int) -> list[Output]:
        """Record that bytes are missing here, and drop the learned order: the sequence may have wrapped in them."""
        out = super().skip(now_ns)
        self._sequence = _Sequence()
        return out

    def request(self, command: Command, now_ns: int) -> tuple[int, list[Output]]:
        """Queue `command` and return its request id, which the answer carries.

        Raise NotUp, NotPermitted, QueueFull or CannotEncode if it cannot be sent.
        """
        out: list[Output] = []
        if self.state is not LinkState.UP:
            raise NotUp(self.state)
        if not self._sends:
            raise NotPermitted(message_name(command), "operate", "observe")
        if len(self._commands) >= QUEUE_MAX:
            raise QueueFull(QUEUE_MAX)
        encode(command)
        self._requests += 1
        self._commands.append(_Pending(self._requests, command, now_ns))
        if len(self._commands) == 1:
            self._transmit(now_ns, out)
        return self._requests, out

    # -------------------------------------------------------------- hearing

    def _end(self, now_ns: int, out: list[Output]) -> None:
        """Fail the waiting commands, and report `Missed` if the last bytes were corrupted and may have been a
        report."""
        if self._sequence.spoiled:
            self._miss("corrupted bytes after the last report", out)
        while self._commands:
            self._abandon(now_ns, out)

    def _take_noise(self, noise: Noise, out: list[Output]) -> None:
        self.stats.bad_checks += noise.reason is NoiseReason.CHECK
        self._sequence.spoiled = True
        super()._take_noise(noise, out)

    def _take(self, frame: Frame, now_ns: int, out: list[Output]) -> None:
        self.stats.frames += 1
        if frame.start is Start.REPORT:
            self._take_report(frame, now_ns, out)
            return
        try:
            message = decode(frame)
        except BadReport as error:
            self._discard(frame.body, error.why, out)
            return
        if isinstance(message, m.AcknowledgedMessage | m.RejectedMessage):
            self._settle(message, now_ns, out)
        elif isinstance(message, m.TextMessage):
            self._deliver(message, out)

    def _take_report(self, frame: Frame, now_ns: int, out: list[Output]) -> None:
        """Acknowledge a report, drop it if it is a repeat, otherwise deliver it."""
        if self._sends:
            out.append(Send(encode(m.AcknowledgedMessage())))
        is_start = frame.body[1:] == b"S"
        if frame.body in (list(self._memory)[-1:] if is_start else self._memory):
            self.stats.repeats += 1
            self._sequence.spoiled = False
            return
        if is_start:
            self._memory.clear()
            self._sequence.restart()
        why = self._sequence.step(frame.body[0])
        self._memory.append(frame.body)
        if is_start or not self.session:
            previous, self.session = self.session, session_at(now_ns)
            self._number = 0
            self.state = LinkState.UP
            out.append(Started(self.session, previous))
        if why:
            self._miss(why, out)
        try:
            self._deliver(decode(frame), out)
        except BadReport as error:
            self._discard(frame.body, error.why, out)
            self._miss(error.why, out)

    # -------------------------------------------------------------- asking

    def _settle(self, answer: Answer, now_ns: int, out: list[Output]) -> None:
        self.stats.naks += isinstance(answer, m.RejectedMessage)
        if self._commands:
            pending = self._commands.popleft()
            out.append(Answered(pending.request, pending.command, answer))
            self._transmit_next(now_ns, out)

    def _abandon(self, now_ns: int, out: list[Output]) -> None:
        pending = self._commands.popleft()
        error = NoAnswer(message_name(pending.command), pending.tries, (now_ns - pending.requested_ns) / 1e9)
        out.append(Unanswered(pending.request, pending.command, error))

    def _transmit_next(self, now_ns: int, out: list[Output]) -> None:
        if self._commands:
            self._transmit(now_ns, out)

    def _transmit(self, now_ns: int, out: list[Output]) -> None:
        pending = self._commands[0]
        pending.tries += 1
        pending.due_ns = now_ns + self._timing.answer_ns
        self.stats.commands += pending.tries == 1
        self.stats.retries += pending.tries > 1
        out.append(Send(encode(pending.command)))


class DeviceLink:
    """Shoe's end of the line. It sends each report until it is acknowledged, three times at most, one after the other.

    Nothing here contradicts public programs, but the order of the sequence (0-9, A-F) and the pause between repeats are
    this project's choice.
    """

    SEQUENCE: Final = b"0123456789ABCDEF"

    def __init__(self, timing: Timing | None = None) -> None:
        self.commands: deque[Command] = deque()
        """Commands received. The owner takes each one and sends its answer."""
        self._timing = timing or Timing()
        self._framer = Framer()
        self._reports: deque[bytes] = deque()
        self._sent = 0  # times the first report was sent
        self._due_ns = 0
        self._next = 0

    @property
    def next_deadline_ns(self) -> int | None:
        """Time of the next repeat; None if no report is waiting."""
        return self._due_ns if self._reports else None

    def report(self, message: m.Message, now_ns: int) -> list[bytes]:
        """Queue the report `message` and return the pieces to send now. Reports behind others wait their turn."""
        if isinstance(message, m.StartedMessage):
            self._next = 0
        self._reports.append(encode(message, self.SEQUENCE[self._next]))
        self._next = (self._next + 1) % len(self.SEQUENCE)
        return self._say(now_ns) if len(self._reports) == 1 else []

    def receive(self, data: bytes, now_ns: int) -> list[bytes]:
        """Process bytes from the host and return the pieces to send."""
        out: list[bytes] = []
        for piece in self._framer.feed(data):
            if isinstance(piece, Noise):
                continue
            try:
                message = decode(piece)
            except BadReport:
                out.append(encode(m.RejectedMessage(NakReason.BAD_COMMAND)))
                continue
            if isinstance(message, m.AcknowledgedMessage) and self._reports:
                out += self._next_report(now_ns)
            elif isinstance(message, m.LockMessage | m.ClearErrorMessage | m.AskGameMessage):
                self.commands.append(message)
        return out

    def tick(self, now_ns: int) -> list[bytes]:
        """Repeat the current report if it is due, or move on to the next one."""
        if not self._reports or now_ns < self._due_ns:
            return []
        return self._say(now_ns) if self._sent < SENT_TIMES else self._next_report(now_ns)

    def _next_report(self, now_ns: int) -> list[bytes]:
        self._reports.popleft()
        self._sent = 0
        return self._say(now_ns) if self._reports else []

    def _say(self, now_ns: int) -> list[bytes]:
        self._sent += 1
        self._due_ns = now_ns + self._timing.resend_ns
        return [self._reports[0]]
