"""Records of a check: events on the line, measured times, outcome."""

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
"""Maximum number of entries on a timeline. A check that exceeds it says so instead of growing."""

Area = Literal["conformance", "timing", "faults", "counts", "soak"]


class Actor(StrEnum):
    """Party that caused an event."""

    HOST = "host"
    DEVICE = "device"
    HANDS = "hands"


class BenchOutcome(StrEnum):
    """Outcome of a check."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not run"


class NotRunCause(StrEnum):
    """Reason that a check was not run."""

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
    """Whole frame from the device. `opened` is True if a delimiter preceded it."""

    at_ns: int
    envelope: Envelope
    opened: bool

    @property
    def message(self) -> Message:
        """The decoded message."""
        return self.envelope.message

    @property
    def is_old(self) -> bool:
        """True for an event from the previous session."""
        return any(kind == SESSION_EXTENSION for kind, _ in self.envelope.extensions)

    @property
    def event(self) -> Event | None:
        """The message if it is an event of this session, else None."""
        return self.message if isinstance(self.message, Event) and not self.is_old else None


class TimesRecord(Record, frozen=True):
    """Times measured in a check and their limit, in milliseconds. The limit is null if the protocol sets none."""

    name: str
    count: int
    min_ms: float
    median_ms: float
    p99_ms: float
    max_ms: float
    limit_ms: int | None


class LineMoment(Record, frozen=True):
    """Entry of a check's timeline. It never contains the face of a card. `bad` marks a broken rule or deliberate
    damage."""

    ms: float
    by: Actor
    what: str
    bad: bool


class CheckRecord(Record, frozen=True):
    """Result of one check, run or not."""

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
        """Return this check as not run, or not run to its end."""
        return replace(self, outcome=BenchOutcome.NOT_RUN, cause=cause, why=why)


@dataclass(frozen=True, slots=True)
class Measurement:
    """Measured times and their limit, in milliseconds. The limit is None if the protocol sets none."""

    name: str
    values_ms: list[float]
    limit_ms: int | None

    def at(self, share: float) -> float:
        """Return the percentile for a share from 0 to 1: 0.5 is the median, 0.99 the 99th percentile."""
        ordered = sorted(self.values_ms)
        return ordered[max(0, min(len(ordered) - 1, -(-int(len(ordered) * share * 1000) // 1000) - 1))]

    @property
    def figures(self) -> tuple[float, float, float, float]:
        """Minimum, median, 99th percentile and maximum."""
        return min(self.values_ms), self.at(0.5), self.at(0.99), max(self.values_ms)

    @property
    def record(self) -> TimesRecord:
        """The measurement as a report holds it, rounded to microseconds."""
        best, median, p99, worst = (round(value, 3) for value in self.figures)
        return TimesRecord(self.name, len(self.values_ms), best, median, p99, worst, self.limit_ms)


class Failed(Exception):
    """Failure: the device did not do what the check requires."""


class RunEnded(Exception):
    """End of the run at a limit. The text names the limit."""


class NotOpened(Failed):
    """Failure: the device does not open a session, which every check needs first."""


class NotRun(Exception):
    """The check cannot be run here. The text says what it needs."""

    def __init__(self, why: str, cause: NotRunCause = NotRunCause.IMPOSSIBLE) -> None:
        self.cause = cause
        super().__init__(why)


class TimeLine:
    """Timeline of a check, up to a maximum length. Times are in milliseconds since the last `take`."""

    def __init__(self) -> None:
        self._moments: list[LineMoment] = []
        self._dropped = self._began_ns = 0

    def add(self, at_ns: int, by: Actor, what: str, bad: bool = False) -> None:
        """Add an entry."""
        if len(self._moments) < TIMELINE_MAX:
            self._moments.append(LineMoment(round((at_ns - self._began_ns) / MS, 3), by, what, bad))
        else:
            self._dropped += 1

    def take(self, now_ns: int) -> tuple[LineMoment, ...]:
        """Return the entries since the last call, and start over."""
        moments, self._moments = self._moments, []
        if self._dropped:
            last = moments[-1]
            moments.append(LineMoment(last.ms, last.by, f"and {self._dropped} more, not kept", False))
        self._dropped, self._began_ns = 0, now_ns
        return tuple(moments)
