"""Both ends of the line, without I/O: bytes and times in, outputs out.

Theory of operation
-------------------
The shoe says everything up to three times until a host acknowledges it; a host that only listens hears all three. A
report is a repeat when its sequence *and* its content are those of one of the last few: by the sequence alone a
restarted shoe would lose cards. S empties that memory, and is itself a repeat only right after itself.

There are no event numbers, so a lost report shows only in the sequence. The order of its characters is not published;
it is learned. A report that does not follow the one before it, as far as the order is natural (the next character, or
A after 9) or was heard before on a clean line, is preceded by `Missed`. A step never heard before that goes back is
taken for the turn of the count, unless bytes were spoiled since. What was spoiled is forgiven when the next report is
a repeat, or follows: then it was one copy of three. What spoiled bytes seem to say is never believed.

What is delivered does not depend on what is sent. A session begins with the first report and with each S; the
millisecond that came in is its name.
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
"""Commands that may wait: more than a table ever asks for at once."""
REMEMBERED: Final = 3
"""Reports a repeat is compared with: fewer than any count of the sequence can have."""
SENT_TIMES: Final = 3
"""How often the shoe says what nobody acknowledges."""

Command = m.LockMessage | m.ClearErrorMessage | m.AskGameMessage
Answer = m.AcknowledgedMessage | m.RejectedMessage


@dataclass(frozen=True, slots=True)
class Timing:
    """Times in nanoseconds. No public program gives the maker's; these suit 4800 baud behind a serial server."""

    partial_ns: int = 500 * _MS
    """A frame cut off by this much silence is given up as noise."""
    answer_ns: int = 1000 * _MS
    """A command without ACK or NAK is sent again after this."""
    tries: int = 3
    """Times a command is sent before the host gives up."""
    resend_ns: int = 200 * _MS
    """The simulated shoe repeats what is not acknowledged after this."""


@dataclass(slots=True)
class _Pending:
    request: int
    command: Command
    requested_ns: int
    due_ns: int = 0
    tries: int = 0


class _Sequence:
    """What is known of the order of sequence characters, and whether something is missing from it."""

    def __init__(self) -> None:
        self.spoiled = False
        """Something unexplained lies behind the last report."""
        self._last: int | None = None
        self._following: dict[int, int] = {}

    def restart(self) -> None:
        """The count begins anew: what came before says nothing of what follows."""
        self._last = None

    def step(self, sequence: int) -> str | None:
        """A new report has this sequence; why something before it is missing, None when nothing is."""
        last, spoiled = self._last, self.spoiled
        self._last, self.spoiled = sequence, False
        if last is None:
            return "spoiled bytes before the first report" if spoiled else None
        natural = sequence == last + 1 or (last, sequence) == (0x39, 0x41)
        learned = self._following.get(last)
        if not spoiled:
            self._following[last] = sequence
        if natural or learned == sequence or (learned is None and sequence < last and not spoiled):
            return None
        return f"sequence {chr(sequence)!r} after {chr(last)!r}"

    def heard(self) -> tuple[bool, int | None, tuple[tuple[int, int], ...]]:
        """All that is known, as it is recalled."""
        return self.spoiled, self._last, tuple(sorted(self._following.items()))

    def recall(self, spoiled: bool, last: int | None, following: tuple[tuple[int, int], ...]) -> None:
        """Know what another knew."""
        self.spoiled, self._last, self._following = spoiled, last, dict(following)


class HostLink(UnnumberedLink[Frame]):
    """One host's link to one shoe, used once. It listens; with `operate` it also acknowledges and may command.

    `listen` is for a recording: nothing is ever sent, whatever `operate` says.
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
        """None while a frame is half heard."""
        if self.state is LinkState.CLOSED:
            return AngelEyeHeard()
        if self._framer.pending:
            return None
        return AngelEyeHeard(self.session, self._number, tuple(self._memory), *self._sequence.heard())

    def recall(self, heard: object) -> None:
        """Go on from what a link on this line heard. ValueError when that is of another dialect."""
        if not isinstance(heard, AngelEyeHeard):
            raise ValueError(f"not of an Angel Eye style shoe: {type(heard).__name__}")
        self._recall(heard.session, heard.number)
        self._memory.extend(heard.memory)
        self._sequence.recall(heard.spoiled, heard.last, heard.following)

    @property
    def next_deadline_ns(self) -> int | None:
        """When `tick` is due; None while nothing is."""
        due_ns = super().next_deadline_ns
        if not self._commands:
            return due_ns
        answer_ns = self._commands[0].due_ns
        return answer_ns if due_ns is None else min(due_ns, answer_ns)

    def tick(self, now_ns: int) -> list[Output]:
        """Do what is due by `now_ns`."""
        out = super().tick(now_ns)
        if self._commands and now_ns >= self._commands[0].due_ns:
            if self._commands[0].tries < self._timing.tries:
                self._transmit(now_ns, out)
            else:
                self._abandon(now_ns, out)
                self._transmit_next(now_ns, out)
        return out

    def skip(self, now_ns: int) -> list[Output]:
        """Bytes that came here will never be seen: the sequence may have gone all round in them."""
        out = super().skip(now_ns)
        self._sequence = _Sequence()
        return out

    def request(self, command: Command, now_ns: int) -> tuple[int, list[Output]]:
        """Queue `command`; its id comes back with the answer. NotUp, NotPermitted, QueueFull, CannotEncode."""
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
        """What waits is unanswered, and what was spoiled last may have been a report."""
        if self._sequence.spoiled:
            self._miss("spoiled bytes after the last report", out)
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
        """Acknowledge, drop a repeat, deliver the rest."""
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
    """The shoe's end: says each report until it is acknowledged, three times at most, one after the other.

    Public programs disagree with nothing here, but the count of the sequence (0-9, A-F) and the pause between
    repeats are this project's choice.
    """

    SEQUENCE: Final = b"0123456789ABCDEF"

    def __init__(self, timing: Timing | None = None) -> None:
        self.commands: deque[Command] = deque()
        """Commands heard; the owner takes each and sends its answer."""
        self._timing = timing or Timing()
        self._framer = Framer()
        self._reports: deque[bytes] = deque()
        self._sent = 0  # times the first report was sent
        self._due_ns = 0
        self._next = 0

    @property
    def next_deadline_ns(self) -> int | None:
        """When a repeat is due."""
        return self._due_ns if self._reports else None

    def report(self, message: m.Message, now_ns: int) -> list[bytes]:
        """Say `message`; the pieces to send. Reports that wait for their turn are kept."""
        if isinstance(message, m.StartedMessage):
            self._next = 0
        self._reports.append(encode(message, self.SEQUENCE[self._next]))
        self._next = (self._next + 1) % len(self.SEQUENCE)
        return self._say(now_ns) if len(self._reports) == 1 else []

    def receive(self, data: bytes, now_ns: int) -> list[bytes]:
        """Bytes from the host; the pieces to send."""
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
        """Repeat what is due, or go on to the next report."""
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
