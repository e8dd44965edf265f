"""Host's end of the line, as the bench plays it: right or deliberately wrong, frame by frame.

This is not a link: only what a plan asks for is sent, except for two things that a plan can switch off, the ACK of
received events and the HEARTBEAT that keeps a session alive. Everything received goes to the rules, the timeline, and
the list that a check's steps search.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from dealwire.bench.record import Actor, Failed, HeardFrame, NotOpened, RunEnded, TimeLine
from dealwire.bench.rules.rule import NOT_KNOWN, BenchRule, Known
from dealwire.bench.values import PATIENCE, STATES, spell
from dealwire.bench.verbs.wire import Wire
from protocol.errors import BadPayload, LineGarbled, NoAnswer, naming_line
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.codec import Envelope, Unknown, decode, encode
from protocol.tdp.framing import Frame, Framer, Noise, NoiseReason, encode_frame
from protocol.tdp.messages import Message, Reason, Role, Status
from protocol.tdp.misframed import LOOKED_AT, examine
from protocol.tdp.outputs import MESSAGE_IDS, DeviceStatus, Timing
from protocol.tdp.packets import MINOR, VERSION

MS: Final = 1_000_000
TIMES: Final = Timing()
BEAT_NS: Final = TIMES.heartbeat_ns // 2
"""Interval of heartbeats, in nanoseconds: half of the required one, so that a late turn loses no device."""
GARBLED_BYTES: Final = 32
"""Number of bytes that is more than plugging in a cable causes."""
FIRST_CONTACT_NS: Final = 5_000 * MS
"""Nanoseconds for the answer to the very first HELLO."""
START_NS: Final = PATIENCE["patience"] * MS
"""Nanoseconds for the answer of a device that was just switched on. The protocol sets no limit."""

T = TypeVar("T")


class Listener(ABC):
    """Host's end of a line in any dialect. It listens, passes everything to `rules`, and keeps it for the check's
    steps. If `acks` is True, received events are acknowledged, where the dialect has acknowledgments."""

    def __init__(self, wire: Wire, rules: Mapping[str, BenchRule]) -> None:
        self.wire, self.rules = wire, rules
        self.timeline = TimeLine()
        self.contact_ns = FIRST_CONTACT_NS
        self.acks = True
        self.heard: list[Any] = []
        """Everything received since the check began."""
        self.mark = 0
        """Index in `heard` where answers to the last action begin."""
        self.limit_ns: int | None = None
        """Time at which the check has taken too long; None for no limit."""
        self.ended: Callable[[], str] = lambda: ""
        """Function that returns the reason that the run is over, empty while it is not."""

    def run(self, until_ns: int, done: Callable[[], bool] = lambda: False) -> bool:
        """Listen until `done()` (return True) or the time (return False). Raise Failed if the check reaches its limit,
        RunEnded if the run does."""
        while not done():
            now_ns = self.wire.now_ns()
            if now_ns >= until_ns:
                return False
            if self.limit_ns is not None and now_ns >= self.limit_ns:
                self.limit_ns = None
                raise Failed("the check came to no end within the time that it may take")
            if why := self.ended():
                raise RunEnded(why)
            self._turn(until_ns)
        return True

    def put(self, data: bytes, text: str, *, bad: bool = False) -> None:
        """Write bytes, and describe them on the timeline."""
        self.timeline.add(self.wire.now_ns(), Actor.HOST, text, bad)
        self.look_from_here()
        self.wire.send(data)

    def look_from_here(self) -> None:
        """Exclude everything received so far from the answers to what follows."""
        self.mark = len(self.heard)

    def begin_check(self) -> None:
        """Start a check: forget what was received, and behave as a correct host."""
        self.heard.clear()
        self.mark = 0
        self.acks = True

    @abstractmethod
    def started_over(self, *, off: bool = True) -> None:
        """Forget the device's numbers. If `off`, the device was switched off and restarts them; otherwise the line was
        away and their state is unknown."""

    def _turn(self, until_ns: int) -> None:
        """Listen once, until this time at most."""
        self._take(self.wire.wait(until_ns))

    @abstractmethod
    def _take(self, data: bytes) -> None: ...


class Probe(Listener):
    """Line of a TDP device. `allowance_ms` is the time that the measuring side may add to every limit."""

    heard: list[HeardFrame]

    def __init__(self, wire: Wire, rules: Mapping[str, BenchRule] = {}, *, allowance_ms: int = 0, role: Role) -> None:
        super().__init__(wire, rules)
        self.known = Known(allowance_ms=allowance_ms, acked=NOT_KNOWN)
        self.known.exact, self.known.sealed = wire.exact, wire.sealed
        self.role = role
        self.beats = True
        self.status: DeviceStatus | None = None
        self.last_event = 0
        """Newest event before which none is missing."""
        self.seen: set[str] = set()
        """Names of all messages ever received."""
        self.barren: bytearray | None = bytearray()
        """Beginning of the input, until a frame is found; None afterwards."""
        self._ahead: set[int] = set()
        self.request = 0
        self.sent_ns = wire.now_ns()
        self.silent_ns = 0
        """Time of the last frame sent, for the delimiter after silence."""
        self._framer = Framer()
        self._stream, self._stream_start = bytearray(), 0
        self._sequence = 0
        self._starting = False
        """True from switching the device off until its next answer."""
        self._next_request = wire.now_ns() // MS % 0xFFFF
        self._sent_at: dict[int, int] = {}
        """Time at which each request was first sent."""

    # ------------------------------------------------------------------ sending

    def new_request(self) -> int:
        """Return the next request id, which is never 0."""
        self._next_request = self._next_request % 0xFFFF + 1
        return self._next_request

    def body(self, message: Message, request: int = 0, **header: Any) -> bytes:
        """Return header and payload of a message, with the next sequence number."""
        if request:
            self._sent_at.setdefault(request, self.wire.now_ns())
        body = encode(message, link_sequence=self._sequence, request=request, **header)
        self._sequence = self._sequence + 1 & 0xFF
        return body

    def put(self, data: bytes, text: str, *, bad: bool = False) -> None:
        """Write bytes, and restart the measurement of silence."""
        self.sent_ns = self.silent_ns = self.wire.now_ns()
        super().put(data, text, bad=bad)

    def frame(self, body: bytes) -> bytes:
        """Return a frame, with the delimiter if there was silence."""
        silent = self.wire.now_ns() - self.silent_ns >= TIMES.partial_ns
        return encode_frame(body, after_silence=silent)

    def send(self, message: Message, request: int = 0) -> None:
        """Send one correct message."""
        body = self.body(message, request)
        self.put(self.frame(body), spell(message))
        self.note_sent(message)

    def note_sent(self, message: Message) -> None:
        """Note what the device may rely on: which events it has to send again, and which never more."""
        if isinstance(message, m.ReadEventsMessage) and message.session == self.known.session:
            self._read_from(message.first)
        if isinstance(message, m.AckMessage) and message.session == self.known.session:
            self.known.acked = max(self.known.acked, message.up_to)

    def _read_from(self, first: int) -> None:
        """Note a READ-EVENTS: from 0 means from 1, and beyond the next number means from the next number."""
        newest = max(self.last_event, self.status.last_event if self.status is not None else 0)
        self.known.read_from = min(max(first, 1), newest + 1)
        self.known.acked = self.known.read_from - 1

    # ------------------------------------------------------------------ listening

    def until(self, find: Callable[[HeardFrame], T | None], limit_ms: int) -> tuple[HeardFrame, T] | None:
        """Return the first frame since the mark for which `find` returns something, with that; None after the limit,
        which starts when the line has carried all that was sent."""
        found: list[tuple[HeardFrame, T]] = []
        place = self.mark

        def looked() -> bool:
            nonlocal place
            while not found and place < len(self.heard):
                heard = self.heard[place]
                place += 1
                what = find(heard)
                if what is not None:
                    found.append((heard, what))
            return bool(found)

        self.run(self.wire.carried_ns() + limit_ms * MS, looked)
        return found[0] if found else None

    def events(self) -> list[m.Event]:
        """Return the events of this session received since the check began, each once, by number."""
        found = {event.number: event for heard in self.heard if (event := heard.event)}
        return [found[number] for number in sorted(found)]

    def begin_check(self) -> None:
        """Start a check, with heartbeats."""
        super().begin_check()
        self.beats = True

    def started_over(self, *, off: bool = True) -> None:
        """Forget session, events and status. Rules do not compare with what was before."""
        self.known.session, self.last_event, self.status = 0, 0, None
        self.known.acked = 0 if off else NOT_KNOWN
        self.known.answered_ns = 0
        self._starting = self._starting or off
        self._ahead.clear()
        for noise in self._framer.flush():
            self._note_noise(noise)
        for rule in self.rules.values():
            rule.over()

    # ------------------------------------------------------------------ the usual opening

    def meet(self, limit_ns: int | None = None) -> m.HelloReplyMessage:
        """Send HELLO until it is answered. Raise NoAnswer without an answer, LineGarbled if bytes came but never a
        frame."""
        began_ns, tries = self.wire.now_ns(), 0
        usual_ns = max(self.contact_ns, START_NS) if self._starting else self.contact_ns
        while self.wire.now_ns() - began_ns < (limit_ns or usual_ns):
            tries += 1
            self.send(m.HelloMessage(VERSION, 0, VERSION, MINOR, "dealwire bench"))
            found = self.until(lambda h: _as(h, m.HelloReplyMessage), TIMES.hello_ns // MS)
            if found:
                hello: m.HelloReplyMessage = found[1]
                self.known.hello, self.known.session = hello, hello.session
                self._starting = False
                return hello
        if self.barren is not None and len(self.barren) >= GARBLED_BYTES:
            raise LineGarbled(self.wire.name, len(self.barren), examine(bytes(self.barren)).mistake)
        with naming_line(self.wire.name):
            raise NoAnswer("Hello", tries, (self.wire.now_ns() - began_ns) / 1e9)

    def open(self, role: Role | None = None) -> None:
        """Send HELLO and OPEN-SESSION, and take existing events as read. Raise Failed if the session is not granted."""
        hello = self.meet()
        wanted = self.role if role is None else role
        reply = self.ask(m.OpenSessionMessage(hello.session, *self.known.version, wanted))
        if reply.status == Status.REFUSED and reply.reason == Reason.NOT_PERMITTED and wanted > Role.OBSERVE:
            raise NotOpened(f"the device does not grant the role {wanted.name}")
        if reply.status == Status.REFUSED:
            known = reply.reason in Reason._value2member_map_
            why = Reason(reply.reason).name if known else f"reason {reply.reason}"
            raise NotOpened(f"the session was not opened: refused, {why}{self._other_session(hello.session)}")
        self.send(m.ReportStatusMessage(), self.new_request())
        found = self.until(lambda h: _as(h, DeviceStatus), TIMES.status_ns // MS + self.known.allowance_ms)
        if found is None:
            raise Failed("no status within a second of opening the session")
        self.last_event = found[1].last_event
        self._ahead.clear()
        self.known.acked = self.last_event
        self.ask(m.ReadEventsMessage(hello.session, self.last_event + 1))

    def ask(self, command: Message) -> m.ReplyMessage:
        """Send a command, repeated like a host, and return its reply. Raise Failed without one."""
        self.request = self.new_request()
        for _ in range(TIMES.tries):
            self.send(command, self.request)
            found = self.until(lambda h: self.answer_to(h, self.request, command), TIMES.retry_ns // MS)
            if found:
                return found[1]
        raise Failed(f"{message_name(command)}: no reply after {TIMES.tries} tries")

    def answer_to(self, heard: HeardFrame, request: int, command: Message) -> m.ReplyMessage | None:
        """Return the frame's message if it is the reply to this request. Raise Failed if its header names another
        message."""
        message = heard.message
        if not isinstance(message, m.ReplyMessage) or heard.envelope.request != request:
            return None
        wanted = MESSAGE_IDS[type(command)]
        if heard.envelope.message_id != wanted:
            raise Failed(f"the reply to {message_name(command)} names message {heard.envelope.message_id:04X}h")
        return message

    # ------------------------------------------------------------------ inside

    def _other_session(self, given: int) -> str:
        """Return a hint if the device's STATUS names another session than its HELLO-REPLY, which is the most likely
        cause."""
        own = self.status.session if self.status is not None else given
        return f"; HELLO-REPLY gives session {given:08X}h, the STATUS {own:08X}h" if own != given else ""

    def _beating(self) -> bool:
        return self.beats and self.known.session != 0

    def _say_quietly(self, message: Message) -> None:
        """Send a message that keeps the session alive, without moving the mark."""
        mark = self.mark
        self.send(message)
        self.mark = mark

    def _turn(self, until_ns: int) -> None:
        """Listen once, and send a heartbeat in time."""
        beat_ns = self.sent_ns + BEAT_NS if self._beating() else until_ns
        self._take(self.wire.wait(max(self.wire.now_ns(), min(until_ns, beat_ns))))
        if self._beating() and self.wire.now_ns() >= self.sent_ns + BEAT_NS:
            self._say_quietly(m.HeartbeatMessage(self.known.session))

    def _take(self, data: bytes) -> None:
        self._stream += data
        if self.barren is not None:
            self.barren += data[: LOOKED_AT - len(self.barren)]
        due: list[HeardFrame] = []
        for piece in self._framer.feed(data):
            if isinstance(piece, Noise):
                self._note_noise(piece)
                continue
            due.append(self._hear(piece))
        keep = len(self._stream) - self._framer.pending
        del self._stream[:keep]
        self._stream_start += keep
        # before a session is open it is unknown which events the device still holds, and which an ACK may name
        if self.acks and self.known.acked != NOT_KNOWN and any(heard.event for heard in due):
            self.known.acked = self.last_event
            self._say_quietly(m.AckMessage(self.known.session, self.last_event))

    def _hear(self, frame: Frame) -> HeardFrame:
        self.barren = None
        opened = self._stream[frame.offset - self._stream_start] == 0
        heard = HeardFrame(self.wire.now_ns(), _read(frame.body), opened)
        message = heard.message
        self.seen.add(message_name(message))
        if isinstance(message, m.ReplyMessage) and heard.envelope.request in self._sent_at:
            self.known.answered_ns = max(self.known.answered_ns, self._sent_at[heard.envelope.request])
        for rule in self.rules.values():
            rule.on_frame(heard, self.known)
        self.timeline.add(heard.at_ns, Actor.DEVICE, self._say(heard.envelope), isinstance(message, Unknown))
        self.heard.append(heard)
        if isinstance(message, DeviceStatus):
            self.status = message
        if heard.event:
            self._ahead.add(heard.event.number)
            while self.last_event + 1 in self._ahead:
                self.last_event += 1
                self._ahead.discard(self.last_event)
        if isinstance(message, m.GapMessage) and message.session == self.known.session:
            self.last_event = max(self.last_event, message.first_kept - 1)
        return heard

    def _say(self, envelope: Envelope) -> str:
        message = envelope.message
        if isinstance(message, Unknown):
            return f"message {message.message_id:04X}h that cannot be read"
        hello = self.known.hello
        words = spell(message, STATES.get(hello.device_class) if hello else None)
        return f"{message.number} {words}" if isinstance(message, m.Event) else words

    def _note_noise(self, noise: Noise) -> None:
        if noise.reason is NoiseReason.IDLE:
            return
        at_ns = self.wire.now_ns()
        self.timeline.add(at_ns, Actor.DEVICE, f"{noise.length} bytes, {noise.reason}", True)
        for rule in self.rules.values():
            rule.noise(at_ns, noise.reason, noise.data)


def _read(body: bytes) -> Envelope:
    try:
        return decode(body)
    except BadPayload as error:
        return Envelope(Unknown(error.kind, error.message_id, error.payload), (), body)


def _as(heard: HeardFrame, kind: Any) -> Any:
    return heard.message if isinstance(heard.message, kind) else None
