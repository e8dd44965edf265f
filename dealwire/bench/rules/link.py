"""Rules that look at what a device says twice, or in two places, of its link: the bits of its sessions, the replies of
one request, the moment of an event, what a GAP names."""

from dataclasses import dataclass, field
from functools import reduce
from operator import and_, or_
from typing import Final

from dealwire.bench.record import HeardFrame
from dealwire.bench.rules.rule import BenchRule, Known
from dealwire.bench.rules.truth import is_after
from protocol.tdp import messages as m
from protocol.tdp.messages import Reason
from protocol.tdp.outputs import DeviceStatus

DRAWN_MIN: Final = 4
"""Session ids of which the bits are compared; of fewer nothing can be said."""
SAME_BITS: Final = 64
"""Divided by the number of ids: how many of their 32 bits may be the same in all. Of a million runs of a device that
draws by chance fewer than one has more: four ids are alike in 17 bits once in four million."""
REPLIES_KEPT: Final = 32
"""Requests that a device remembers at least."""
KEPT_NS: Final = 9_900_000_000
"""For how long, less what the line may have held a reply back."""
_BITS: Final = 0xFFFF_FFFF


@dataclass
class _SessionBits(BenchRule, name="session-bits", kept=("drawn",)):
    """Every bit of a session id is drawn by chance: over several power-ups few of them are always the same."""

    drawn: list[int] = field(default_factory=list)

    def hear(self, heard: HeardFrame, known: Known) -> None:
        session = heard.message.session if isinstance(heard.message, m.HelloReplyMessage) else 0
        if not session or session in self.drawn:
            return
        self.drawn.append(session)
        ids = len(self.drawn)
        same = (reduce(and_, self.drawn) | ~reduce(or_, self.drawn) & _BITS).bit_count()
        words = f"{same} of the 32 bits are the same in all {ids} ids, of which {session:08X}h is the last"
        self.judge(ids < DRAWN_MIN or same <= SAME_BITS // ids, f"{words}: they are not drawn by chance")


@dataclass
class _SameReply(BenchRule, name="same-reply"):
    """The same request gets the same reply again, its state included."""

    replies: dict[tuple[int, int], tuple[int, m.ReplyMessage]] = field(default_factory=dict)

    def hear(self, heard: HeardFrame, known: Known) -> None:
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
    """An event that a STATUS has counted happened before that STATUS, however late it is sent."""

    counted: list[tuple[int, int]] = field(default_factory=list)
    """Last event and clock of each STATUS that was the first to know that event, while it is awaited."""

    def status(self, status: DeviceStatus, heard: HeardFrame, known: Known) -> None:
        if status.last_event > max([self.newest, *dict(self.counted)]):
            self.counted.append((status.last_event, status.uptime_ms))

    def event(self, event: m.Event, heard: HeardFrame, known: Known) -> None:
        known_ms = next((uptime_ms for last, uptime_ms in self.counted if last >= event.number), event.device_ms)
        self.counted = [each for each in self.counted if each[0] > event.number]
        words = f"event {event.number} says it is of {event.device_ms} ms; a STATUS of {known_ms} ms had counted it"
        self.judge(not is_after(event.device_ms, known_ms), words)


class _Gaps(BenchRule, name="gaps"):
    """A GAP of this session names what is missing, and the newest event there is; one of the session before, which
    always comes, begins and ends within that session."""

    def hear(self, heard: HeardFrame, known: Known) -> None:
        super().hear(heard, known)
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
