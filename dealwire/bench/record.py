"""What happened on the line during a check, as it is kept for the report."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal, Self

from protocol.tdp.codec import Envelope
from protocol.tdp.messages import Event, Message
from protocol.tdp.outputs import SESSION_EXTENSION

TIMELINE_MAX: Final = 400
"""Entries of a time line; a check that fills it says so instead of growing."""

Area = Literal["conformance", "timing", "faults", "counts", "soak"]


class Actor(StrEnum):
    """Who did it."""

    HOST = "host"
    DEVICE = "device"
    HANDS = "hands"


class BenchOutcome(StrEnum):
    """What came of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


class NotRunCause(StrEnum):
    """Why a check was not run."""

    FILTERED = "filtered"
    LEFT_OUT = "left out of the plan"
    UNATTENDED = "needs a person"
    SKIPPED = "skipped by the person"
    CANNOT = "beyond the hands program"
    HANDS_FAILED = "the hands program failed"
    NOT_OFFERED = "not offered by the device"
    SHORTENED = "made in part"
    LINE_GONE = "line gone"
    NO_SESSION = "no session"
    LATE = "this machine too busy"
    UNSEEN = "nothing to judge"
    IMPOSSIBLE = "cannot be made here"


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One thing on the time line. It names no face of a card. `bad`: it broke a rule, or was damaged on purpose."""

    at_ns: int
    lane: Actor
    text: str
    bad: bool = False


@dataclass(frozen=True, slots=True)
class HeardFrame:
    """One whole frame of the device. `opened`: a delimiter stood in front of it."""

    at_ns: int
    envelope: Envelope
    opened: bool

    @property
    def message(self) -> Message:
        """What it says."""
        return self.envelope.message

    @property
    def is_old(self) -> bool:
        """Whether it is an event of the session before."""
        return any(kind == SESSION_EXTENSION for kind, _ in self.envelope.extensions)

    @property
    def event(self) -> Event | None:
        """The event of this session that it is, if it is one."""
        return self.message if isinstance(self.message, Event) and not self.is_old else None


@dataclass(frozen=True, slots=True)
class Measurement:
    """Times measured, in milliseconds, and the most they may be; None when the protocol sets no limit."""

    name: str
    values_ms: list[float]
    limit_ms: int | None

    def at(self, share: float) -> float:
        """The value that this share of all does not exceed: 0.5 is the median, 0.99 the p99."""
        ordered = sorted(self.values_ms)
        return ordered[max(0, min(len(ordered) - 1, -(-int(len(ordered) * share * 1000) // 1000) - 1))]

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """The shortest, the median, the p99 and the longest."""
        return min(self.values_ms), self.at(0.5), self.at(0.99), max(self.values_ms)


@dataclass(slots=True)
class Result:
    """One check: what it judged, what came of it, and what was seen on the way."""

    id: str
    title: str
    section: str
    area: Area
    must: str
    outcome: BenchOutcome = BenchOutcome.PASSED
    why: str = ""
    cause: NotRunCause | None = None
    """Why it was not run, for counting; `why` says it in full."""
    began_ns: int = 0
    ended_ns: int = 0
    measures: list[Measurement] = field(default_factory=list)
    timeline: list[TimelineEntry] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    late_ms: float = 0.0
    """How late this program itself came to its turn at worst, meanwhile."""

    @property
    def took_ns(self) -> int:
        """From its begin to its end."""
        return self.ended_ns - self.began_ns

    def not_run(self, cause: NotRunCause, why: str) -> Self:
        """The same check, which was not made or not to its end."""
        self.outcome, self.cause, self.why = BenchOutcome.NOT_RUN, cause, why
        return self


class Failed(Exception):
    """The device did not do what the check wants."""


class NotOpened(Failed):
    """The device does not open a session for its host: what any check begins with."""


class NotRun(Exception):
    """The check cannot be made here; the text says what it takes."""

    def __init__(self, why: str, cause: NotRunCause = NotRunCause.IMPOSSIBLE) -> None:
        self.cause = cause
        super().__init__(why)


class TimeLine:
    """Keeps what happens, up to a limit."""

    def __init__(self) -> None:
        self.entries: list[TimelineEntry] = []
        self.dropped = 0

    def add(self, at_ns: int, lane: Actor, text: str, bad: bool = False) -> None:
        """One more thing."""
        if len(self.entries) < TIMELINE_MAX:
            self.entries.append(TimelineEntry(at_ns, lane, text, bad))
        else:
            self.dropped += 1

    def take(self) -> list[TimelineEntry]:
        """Everything since the last `take`."""
        entries, self.entries = self.entries, []
        if self.dropped:
            last = entries[-1]
            entries.append(TimelineEntry(last.at_ns, last.lane, f"and {self.dropped} more, not kept"))
            self.dropped = 0
        return entries
