"""What happened on the line during a check, as it is kept for the report."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal

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

    def __str__(self) -> str:
        limit = "no limit" if self.limit_ms is None else f"limit {self.limit_ms} ms"
        best, median, p99, worst = (f"{value:.1f}" for value in self.figures)
        times = f"min {best}, median {median}, p99 {p99}, max {worst} ms of {len(self.values_ms)}"
        return f"{self.name}: {times}; {limit}"


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

    @property
    def remarks(self) -> list[str]:
        """What was measured, and what there is to say."""
        return [*map(str, self.measures), *self.notes]


class Failed(Exception):
    """The device did not do what the check wants."""


class NotRun(Exception):
    """The check cannot be made here; the text says what it takes."""


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
