"""What happened on the line during a check, as it is kept for the report."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, Self

from msgspec.structs import replace

from dealer_flow.record.base import Record
from protocol.tdp.codec import Envelope
from protocol.tdp.messages import Event, Message
from protocol.tdp.outputs import SESSION_EXTENSION

MS: Final = 1_000_000
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
    NO_STATE = "not in the state it takes"
    ENDED = "the run was ended"
    UNSEEN = "nothing to judge"
    IMPOSSIBLE = "cannot be made here"


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


class TimesRecord(Record, frozen=True):
    """Times measured in a check, and the most they may be; null where the protocol sets no limit."""

    name: str
    count: int
    min_ms: float
    median_ms: float
    p99_ms: float
    max_ms: float
    limit_ms: int | None


class LineMoment(Record, frozen=True):
    """One thing on a check's time line. It names no face of a card. `bad`: it broke a rule, or was damaged on
    purpose."""

    ms: float
    by: Actor
    what: str
    bad: bool


class CheckRecord(Record, frozen=True):
    """One check, whether it was run or not."""

    id: str
    title: str
    area: Area
    section: str
    must: str
    outcome: BenchOutcome
    cause: NotRunCause | None
    why: str
    duration_ms: float
    late_ms: float
    measures: tuple[TimesRecord, ...]
    notes: tuple[str, ...]
    timeline: tuple[LineMoment, ...]

    def not_run(self, cause: NotRunCause, why: str) -> Self:
        """The same check, which was not made or not to its end."""
        return replace(self, outcome=BenchOutcome.NOT_RUN, cause=cause, why=why)


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

    @property
    def record(self) -> TimesRecord:
        """As a report has them."""
        best, median, p99, worst = (round(value, 3) for value in self.figures)
        return TimesRecord(self.name, len(self.values_ms), best, median, p99, worst, self.limit_ms)


class Failed(Exception):
    """The device did not do what the check wants."""


class RunEnded(Exception):
    """The run has come to its limit; the text says which."""


class NotOpened(Failed):
    """The device does not open a session for its host: what any check begins with."""


class NotRun(Exception):
    """The check cannot be made here; the text says what it takes."""

    def __init__(self, why: str, cause: NotRunCause = NotRunCause.IMPOSSIBLE) -> None:
        self.cause = cause
        super().__init__(why)


class TimeLine:
    """Keeps what happens, up to a limit, in milliseconds since it was taken last."""

    def __init__(self) -> None:
        self._moments: list[LineMoment] = []
        self._dropped = self._began_ns = 0

    def add(self, at_ns: int, by: Actor, what: str, bad: bool = False) -> None:
        """One more thing."""
        if len(self._moments) < TIMELINE_MAX:
            self._moments.append(LineMoment(round((at_ns - self._began_ns) / MS, 3), by, what, bad))
        else:
            self._dropped += 1

    def take(self, now_ns: int) -> tuple[LineMoment, ...]:
        """Everything since the last `take`."""
        moments, self._moments = self._moments, []
        if self._dropped:
            last = moments[-1]
            moments.append(LineMoment(last.ms, last.by, f"and {self._dropped} more, not kept", False))
        self._dropped, self._began_ns = 0, now_ns
        return tuple(moments)
