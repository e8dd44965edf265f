"""Rules about statements that a device makes twice or in two places: bits of session ids, replies to one request, times
of events, content of a GAP."""

from collections import deque
from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.rule import BenchRule, Known
from dealwire.bench.rules.truth import is_after
from protocol.message import message_name
from protocol.tdp import messages as m
from protocol.tdp.messages import Reason
from protocol.tdp.outputs import SESSION_EXTENSION, DeviceStatus

HEADER: Final = 8
"""Bytes of a frame before its payload."""
DRAWN_MIN: Final = 4
"""Minimum number of session ids whose bits are compared."""
NONE_SAME: Final = 22
"""Number of ids from which on no bit may be the same in all. One run in 65,000 of a device with random ids fails by
mistake."""
SAME_BITS: Final = 64
"""Number that is divided by the number of ids, to get the maximum of equal bits out of 32. Of a million runs with
random ids, fewer than one has more: four ids agree in 17 bits once in four million."""
REPLIES_KEPT: Final = 32
"""Minimum number of requests that a device remembers."""
KEPT_NS: Final = 9_900_000_000
"""Nanoseconds for which it remembers them, less the delay of a reply on the line."""
_BITS: Final = 0xFFFF_FFFF
EVENTS_KEPT: Final = 256
"""Events of a session that a device keeps through a power cut."""
SESSIONS_KEPT: Final = 2
MINUTE_NS: Final = 60_000_000_000
ACCURACY: Final = 0.01
"""Maximum relative error of a clock over a minute."""
ROUNDED_MS: Final = 2
"""Rounding of two readings in whole milliseconds."""
NEAR_NS: Final = 500_000_000
"""Maximum uncertainty of a reading that starts a minute, and minimum time between such readings, in nanoseconds."""


@dataclass
class _SessionBits(BenchRule, name="session-bits", kept=("drawn",)):
    """Every bit of a session id is random: over several power-ups few bits are always the same."""

    drawn: list[int] = field(default_factory=list)

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        session = heard.message.session if isinstance(heard.message, m.HelloReplyMessage) else 0
        if not session or session in self.drawn:
            return
        self.drawn.append(session)
        ids = len(self.drawn)
        same = (reduce(and_, self.drawn) | ~reduce(or_, self.drawn) & _BITS).bit_count()
        words = f"{same} of the 32 bits are the same in all {ids} ids, of which {session:08X}h is the last"
        most = SAME_BITS // ids if ids < NONE_SAME else 0
        self.judge(ids < DRAWN_MIN or same <= most, f"{words}: they are not drawn by chance")


@dataclass
class _SameReply(BenchRule, name="same-reply"):
    """A repeated request gets the same reply, including the state."""

    replies: dict[tuple[int, int], tuple[int, m.ReplyMessage]] = field(default_factory=dict)

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        reply, request = heard.message, heard.envelope.request
        if not isinstance(reply, m.ReplyMessage) or not request or reply.reason == Reason.REQUEST_ID_REUSED:
            return
        key = request, heard.envelope.message_id
        at_ns, before = self.replies.get(key, (heard.at_ns, reply))
        if heard.at_ns - at_ns > KEPT_NS:
            at_ns, before = heard.at_ns, reply
        self.replies[key] = at_ns, before
        while len(self.replies) > REPLIES_KEPT:
            del self.replies[next(iter(self.replies))]
        words = f"request {request} was answered by {_spelled(before)}, and by {_spelled(reply)} when it came again"
        self.judge(reply == before, words)


def _spelled(reply: m.ReplyMessage) -> str:
    return f"status {reply.status}, reason {reply.reason}, state {reply.state}"


@dataclass
class _EventMoment(BenchRule, name="event-moment"):
    """An event that a STATUS counted happened before that STATUS, however late it is sent."""

    counted: list[tuple[int, int]] = field(default_factory=list)
    """Last event and clock of each STATUS that first counted an event, until the event arrives."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if status.last_event > max([self.newest, *dict(self.counted)]):
            self.counted.append((status.last_event, status.uptime_ms))

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        known_ms = next((uptime_ms for last, uptime_ms in self.counted if last >= event.number), event.device_ms)
        self.counted = [each for each in self.counted if each[0] > event.number]
        words = f"event {event.number} says it is of {event.device_ms} ms; a STATUS of {known_ms} ms had counted it"
        self.judge(not is_after(event.device_ms, known_ms), words)


@dataclass
class _Before(BenchRule, name="session-before", kept=("sessions",)):
    """An event of the previous session has the same payload as in its own session."""

    sessions: dict[int, dict[int, bytes]] = field(default_factory=dict)
    """Payloads of the newest events, by session and event number."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        event = heard.message
        if not isinstance(event, m.Event):
            return
        payload = _payload(heard)
        if not heard.is_old:
            if known.session:
                events = self.sessions.setdefault(known.session, {})
                events[event.number] = payload
                events.pop(event.number - EVENTS_KEPT, None)
                while len(self.sessions) > SESSIONS_KEPT:
                    del self.sessions[next(iter(self.sessions))]
            return
        named = next((data for kind, data in heard.envelope.extensions if kind == SESSION_EXTENSION), b"")
        session = int.from_bytes(named, "little")
        before = self.sessions.get(session, {}).get(event.number, payload)
        words = f"event {event.number} of session {session:08X}h is another than it was in that session"
        self.judge(before == payload, words)


def _payload(heard: HeardFrame) -> bytes:
    """Return the fields of an event, without its extensions."""
    behind = sum(2 + len(data) for _, data in heard.envelope.extensions)
    body = heard.envelope.body[HEADER:]
    return body[: len(body) - behind]


@dataclass
class _NothingAfter(BenchRule, name="progress"):
    """No PROGRESS of a command comes after the event that ends it."""

    ended: dict[int, str] = field(default_factory=dict)
    """Event that ended a request, by request id."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        super().on_frame(heard, known)
        request = heard.envelope.request
        if isinstance(heard.message, m.ReplyMessage):
            self.ended.pop(request, None)  # ten seconds later an id may be new again
            self.judge(True, "")
        elif isinstance(heard.message, m.ProgressMessage):
            event = self.ended.get(request)
            self.judge(event is None, f"PROGRESS of request {request} came behind {event}, which had ended it")

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        if isinstance(event, _ENDING) and heard.envelope.request:
            self.ended[heard.envelope.request] = f"{message_name(event)}, event {event.number}"


_ENDING: Final = (m.PacketDispensedMessage, m.RemainderDumpedMessage)
"""Events that report the result of a long command."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """Reading of the device's clock at some moment between two times of ours."""

    from_ns: int
    to_ns: int
    ms: int


@dataclass
class _Pace(BenchRule, name="clock-pace"):
    """The device's clock is accurate to 1 % over a minute.

    A STATUS was made after the command was sent whose reply preceded it, and before it arrived. Delays of the line or
    the machine make this rule milder, never wrong.
    """

    readings: deque[_Reading] = field(default_factory=deque)
    session: int = 0

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if status.session != self.session:
            self.session = status.session
            self.readings.clear()
        if not known.answered_ns:
            return
        now = _Reading(known.answered_ns, heard.at_ns, status.uptime_ms)
        while len(self.readings) > 1 and self.readings[1].to_ns <= now.from_ns - MINUTE_NS:
            self.readings.popleft()
        if self.readings:
            self._compare(self.readings[0], now)
        last = self.readings[-1] if self.readings else None
        if now.to_ns - now.from_ns <= NEAR_NS and (last is None or now.to_ns - last.to_ns >= NEAR_NS):
            self.readings.append(now)

    def _compare(self, then: _Reading, now: _Reading) -> None:
        went = (now.ms - then.ms) % (1 << 32)
        least, most = (now.from_ns - then.to_ns) / 1e6, (now.to_ns - then.from_ns) / 1e6
        wrong = [max(span, MINUTE_NS / 1e6) * ACCURACY + ROUNDED_MS for span in (least, most)]
        fine = least - wrong[0] <= went <= most + wrong[1]
        self.judge(fine, f"its clock went on by {went} ms in {least:.0f} to {most:.0f} ms")


class _Gaps(BenchRule, name="gaps"):
    """A GAP of this session names missing events and the newest event. A GAP of the previous session, which always
    comes, begins and ends within that session."""

    def on_frame(self, heard: HeardFrame, known: Known) -> None:
        super().on_frame(heard, known)
        gap = heard.message
        if isinstance(gap, DeviceStatus):
            self.newest = max(self.newest, gap.last_event)
        if not isinstance(gap, m.GapMessage):
            return
        first, kept = gap.first_missing, gap.first_kept
        words = f"GAP with first_missing {first}, first_kept {kept}, last {gap.last}"
        if gap.session != known.session:
            self.judge(first <= kept <= gap.last + 1, f"{words}: the session before ends with event {gap.last}")
            return
        self.judge(first < kept, f"{words}: nothing is missing, so none was due")
        self.judge(gap.last >= self.newest, f"{words}; event {self.newest} is the newest there is")
