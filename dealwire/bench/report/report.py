"""The report on a device: one value, written as JSON. Every other form is made from it, and says no more than it does.
`docs/bench.md` explains it, `docs/schema/bench-2.json` is its schema."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from dealer_flow.record.base import LineRecord, Record
from dealwire.bench.hands.hands import HandsKind
from dealwire.bench.plan.plan import PlanFile
from dealwire.bench.record import BenchOutcome, CheckRecord, NotRunCause
from devices.files import read_file
from protocol.printable import printable_json

MOST_BYTES: Final = 64 << 20
"""The longest report that is read: a hundred times that of the longest plan."""


class BenchVerdict(StrEnum):
    """What a run comes to."""

    PASSED = "passed"
    INCOMPLETE = "incomplete"
    FAILED = "failed"
    NOTHING_RUN = "nothing run"


class PlanOrigin(StrEnum):
    """Where a plan comes from, found by its digest."""

    PACKAGED = "packaged"
    SAME_ID = "another with the id of a packaged plan"
    OWN = "own"


class CheckCounts(Record, frozen=True):
    """How many checks there are, and what came of them."""

    checks: int
    run: int
    passed: int
    failed: int
    not_run: int
    causes: dict[NotRunCause, int]


class PlanFacts(Record, frozen=True):
    """The plan: `sha256` is over its `files`; of another with the id of a packaged plan, what it leaves out of that one
    and has otherwise."""

    id: str
    title: str
    device: str
    role: str
    allowance_ms: int
    origin: PlanOrigin
    sha256: str
    files: tuple[PlanFile, ...]
    checks: int
    left_out: tuple[str, ...]
    altered: tuple[str, ...]


class ProtocolFacts(Record, frozen=True):
    """What was spoken: the bench's version, the least and the highest of the device, the highest of both or nothing."""

    dialect: str
    version: str
    device_from: str
    device_to: str
    common: str


class ProgramFacts(Record, frozen=True):
    """The program that judged: `sha256` is over its files; `commit` is empty where it is not known."""

    name: str
    version: str
    commit: str
    sha256: str


class DeviceFacts(Record, frozen=True):
    """Who was judged, in the device's own words; `digest` is the SHA-256 that it gives for its firmware, empty when it
    attests none."""

    kind: str
    maker: str
    model: str
    serial: str
    firmware: str
    digest: str
    capabilities: tuple[str, ...]
    boots: int
    event_depth: int
    max_frame: int


class RunOptions(Record, frozen=True):
    """Whatever was chosen that a result depends on."""

    only: tuple[str, ...]
    rounds: int | None
    seed: int
    unattended: bool
    real_time: bool
    speed: float
    strict: bool


class RunConditions(Record, frozen=True):
    """What people say of where and with what it was done; empty where nobody said."""

    number: str
    """The report's own, in the laboratory's books."""
    sample: str
    """The device that was judged as it lay there: hardware revision, seals, photographs."""
    environment: str
    """Temperature, humidity, supply."""
    instruments: tuple[str, ...]
    """What was measured with, each with its number and its last calibration."""


class TimesChange(Record, frozen=True):
    """The longest of a kind of times in a check, then and now."""

    check: str
    name: str
    before_ms: float
    now_ms: float
    limit_ms: int


class FactChange(Record, frozen=True):
    """Something about device, plan, program or choices that was otherwise then."""

    what: str
    before: str
    now: str


class ReportComparison(Record, frozen=True):
    """What is not as it was in an earlier report; checks are named by their ids."""

    sha256: str
    began: str
    summary: str
    newly_failing: tuple[str, ...]
    still_failing: tuple[str, ...]
    newly_passing: tuple[str, ...]
    newly_not_run: tuple[str, ...]
    gone: tuple[str, ...]
    times: tuple[TimesChange, ...]
    differences: tuple[FactChange, ...]


class Report(LineRecord, frozen=True):
    """What a run of an acceptance plan gave: every check of the plan, and all that the result depends on."""

    SCHEMA = "dealwire.bench/2"
    TYPE = "report"

    verdict: BenchVerdict
    """passed: every check was run and passed. incomplete: none failed, but some were not run."""
    summary: str
    """Verdict and counts in words, as they stand at the head of every form."""
    counts: CheckCounts
    plan: PlanFacts
    protocol: ProtocolFacts
    program: ProgramFacts
    device: DeviceFacts
    line: str
    """The device's address."""
    hands: HandsKind
    """Who did what only hands can do. simulated: the device was simulated too."""
    options: RunOptions
    allowance_ms: int
    """What was added to every limit for this machine and the line; 0 on a simulated clock."""
    laboratory: str
    operator: str
    ticket: str
    host: str
    """Name of the machine that judged."""
    system: str
    """Its operating system."""
    began: str
    """In local time, with its offset from UTC."""
    ended: str
    zone: str
    """The local zone's name."""
    took_s: float
    checks: tuple[CheckRecord, ...]
    """In the order of the plan; what stands only in the packaged plan of the same id comes last."""
    against: ReportComparison | None
    """What is not as it was in the report given by --against."""
    conformance: str | msgspec.UnsetType = msgspec.UNSET
    """What the device has passed, in one sentence; absent when it may not be said."""
    unseen: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Events of its class that the device did not say in the run, so that nothing of them was judged; absent where the
    plan is for any class of device."""
    conditions: RunConditions | msgspec.UnsetType = msgspec.UNSET
    """Absent when nobody said any."""
    ended_early: str | msgspec.UnsetType = msgspec.UNSET
    """What ended the run before its last check was made: the report is partial. Absent when nothing did."""
    image: str | msgspec.UnsetType = msgspec.UNSET
    """SHA-256 of the firmware's image against which *Verify* was held; absent when none was given."""

    def of(self, outcome: BenchOutcome) -> list[CheckRecord]:
        """The checks with this outcome."""
        return [check for check in self.checks if check.outcome is outcome]

    @property
    def by_clock(self) -> bool:
        """Whether the wall clock was gone by: on a simulated clock nothing is late."""
        return self.hands != "simulated" or self.options.real_time

    def to_bytes(self) -> bytes:
        """The one form that is signed: one line of JSON in UTF-8, keys in the order of the schema, no space between
        them, characters that a terminal would obey escaped; a line end."""
        return (printable_json(self.to_json()) + "\n").encode()

    @property
    def sha256(self) -> str:
        """Of `to_bytes`."""
        return hashlib.sha256(self.to_bytes()).hexdigest()


class NotAReport(ValueError):
    """Why some bytes are no report."""


def read_report(path: Path) -> tuple[Report, bytes]:
    """A report's file: what it says, and its bytes. OSError when it cannot be read, NotAReport when it is none."""
    data = read_file(path, MOST_BYTES)
    try:
        return Report.from_json(data), data
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotAReport(f"not a report {Report.SCHEMA}: {error}") from None


# ------------------------------------------------------------------ what follows from the checks


def counts_of(checks: Sequence[CheckRecord]) -> CheckCounts:
    """How many of each kind."""
    outcomes = Counter(check.outcome for check in checks)
    causes = Counter(check.cause for check in checks if check.cause is not None)
    passed, failed = outcomes[BenchOutcome.PASSED], outcomes[BenchOutcome.FAILED]
    named = {cause: causes[cause] for cause in NotRunCause if causes[cause]}
    return CheckCounts(len(checks), passed + failed, passed, failed, outcomes[BenchOutcome.NOT_RUN], named)


def verdict_of(counts: CheckCounts) -> BenchVerdict:
    """A check that was not run is no pass."""
    if counts.failed:
        return BenchVerdict.FAILED
    if not counts.run:
        return BenchVerdict.NOTHING_RUN
    return BenchVerdict.INCOMPLETE if counts.not_run else BenchVerdict.PASSED


def summary_of(counts: CheckCounts, options: RunOptions) -> str:
    """`Incomplete: 16 of 118 checks run, none failed; 102 not run (filtered by --only 'frame.*')`."""
    failed = f", {counts.failed or 'none'} failed" if counts.run else ""
    words = f"{verdict_of(counts).capitalize()}: {counts.run} of {counts.checks} checks run{failed}"
    if not counts.not_run:
        return words
    causes = [
        (f"filtered by {only_words(options.only)}" if cause is NotRunCause.FILTERED else cause.value, number)
        for cause, number in counts.causes.items()
    ]
    named = causes[0][0] if len(causes) == 1 else ", ".join(f"{number} {cause}" for cause, number in causes)
    return f"{words}; {counts.not_run} not run ({named})"


def only_words(only: Iterable[str]) -> str:
    """The option as it was typed."""
    return " ".join(f"--only '{pattern}'" for pattern in only)
