"""Report on a device: one value, written as JSON. All other forms are made from it and say no more than it does.

See `docs/bench.md`; the schema is `docs/schema/bench-2.json`.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from dealer_flow.record.base import LineRecord, Record
from dealwire.bench.hands.operator import HandsKind
from dealwire.bench.plan.plan import PlanFile
from dealwire.bench.record import BenchOutcome, CheckRecord, NotRunCause
from devices.files import read_file
from protocol.printable import printable_json

MOST_BYTES: Final = 64 << 20
"""Maximum size of a report that is read, in bytes: a hundred times that of the longest plan."""


class BenchVerdict(StrEnum):
    """Verdict of a run."""

    PASSED = "passed"
    INCOMPLETE = "incomplete"
    FAILED = "failed"
    NOTHING_RUN = "nothing run"


class PlanOrigin(StrEnum):
    """Origin of a plan, determined by its digest."""

    PACKAGED = "packaged"
    SAME_ID = "another with the id of a packaged plan"
    OWN = "own"


class CheckCounts(Record, frozen=True):
    """Number of checks, by outcome and by cause."""

    checks: int
    run: int
    passed: int
    failed: int
    not_run: int
    causes: dict[NotRunCause, int]


class PlanFacts(Record, frozen=True):
    """Facts about the plan. `sha256` covers its `files`. A plan with the id of an included plan also lists the checks
    that it leaves out or alters."""

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
    """Protocol versions: the bench's, the device's lowest and highest, and the highest common one or an empty
    string."""

    dialect: str
    version: str
    device_from: str
    device_to: str
    common: str


class ProgramFacts(Record, frozen=True):
    """Program that ran the test. `sha256` covers its files; `commit` is empty if unknown."""

    name: str
    version: str
    commit: str
    sha256: str


class DeviceFacts(Record, frozen=True):
    """Device under test, in its own words. `digest` is the SHA-256 of its firmware, empty if it attests none."""

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
    """Options that a result depends on."""

    only: tuple[str, ...]
    rounds: int | None
    seed: int
    unattended: bool
    real_time: bool
    speed: float
    strict: bool


class RunConditions(Record, frozen=True):
    """Conditions of the test as given by people; empty if not given."""

    number: str
    """Report number of the laboratory."""
    sample: str
    """Description of the sample: hardware revision, seals, photographs."""
    environment: str
    """Temperature, humidity, supply voltage."""
    instruments: tuple[str, ...]
    """Measuring instruments, each with its number and last calibration."""


class TimesChange(Record, frozen=True):
    """Maximum of a measured time in a check, before and now."""

    check: str
    name: str
    before_ms: float
    now_ms: float
    limit_ms: int


class FactChange(Record, frozen=True):
    """Fact about device, plan, program or options that differs."""

    what: str
    before: str
    now: str


class ReportComparison(Record, frozen=True):
    """Differences from an earlier report. Checks are named by their ids."""

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
    """Result of an acceptance plan: every check, and everything that the result depends on."""

    SCHEMA = "dealwire.bench/2"
    TYPE = "report"

    verdict: BenchVerdict
    """passed: every check was run and passed. incomplete: none failed, but some were not run."""
    summary: str
    """Verdict and counts as text, for the head of every form."""
    counts: CheckCounts
    plan: PlanFacts
    protocol: ProtocolFacts
    program: ProgramFacts
    device: DeviceFacts
    line: str
    """Address of the device."""
    hands: HandsKind
    """Operator of the manual steps. simulated: the device was simulated too."""
    options: RunOptions
    allowance_ms: int
    """Milliseconds added to every limit for this machine and the line; 0 on a simulated clock."""
    laboratory: str
    operator: str
    ticket: str
    host: str
    """Name of the machine that ran the test."""
    system: str
    """Operating system of that machine."""
    began: str
    """Local time with its offset from UTC."""
    ended: str
    zone: str
    """Name of the local time zone."""
    took_s: float
    checks: tuple[CheckRecord, ...]
    """Checks in the order of the plan. Those that are only in the included plan of the same id come last."""
    against: ReportComparison | None
    """Differences from the report given by --against."""
    conformance: str | msgspec.UnsetType = msgspec.UNSET
    """Statement of conformance in one sentence; absent if it is not true."""
    unseen: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    """Events of the device's class that it never sent in the run and that were therefore not tested; absent if the plan
    is for any class of device."""
    conditions: RunConditions | msgspec.UnsetType = msgspec.UNSET
    """Conditions of the test; absent if none were given."""
    ended_early: str | msgspec.UnsetType = msgspec.UNSET
    """Reason that the run ended before its last check, so that the report is partial; absent if it did not."""
    image: str | msgspec.UnsetType = msgspec.UNSET
    """SHA-256 of the firmware image that *Verify* was compared with; absent if none was given."""

    def of(self, outcome: BenchOutcome) -> list[CheckRecord]:
        """Return the checks with this outcome."""
        return [check for check in self.checks if check.outcome is outcome]

    @property
    def by_clock(self) -> bool:
        """True if times are from the wall clock. On a simulated clock nothing is late."""
        return self.hands != "simulated" or self.options.real_time

    def to_bytes(self) -> bytes:
        """Return the signed form: one line of JSON in UTF-8, keys in the order of the schema, no spaces, control
        characters escaped, and a line feed."""
        return (printable_json(self.to_json()) + "\n").encode()

    @property
    def sha256(self) -> str:
        """SHA-256 of `to_bytes`."""
        return hashlib.sha256(self.to_bytes()).hexdigest()


class NotAReport(ValueError):
    """Error: the bytes are not a report. The text is the reason."""


def read_report(path: Path) -> tuple[Report, bytes]:
    """Read a report's file, and return the report and its bytes. Raise OSError if it cannot be read, NotAReport if it
    is not a report."""
    data = read_file(path, MOST_BYTES)
    try:
        return Report.from_json(data), data
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotAReport(f"not a report {Report.SCHEMA}: {error}") from None


# ------------------------------------------------------------------ what follows from the checks


def counts_of(checks: Sequence[CheckRecord]) -> CheckCounts:
    """Count the checks by outcome and cause."""
    outcomes = Counter(check.outcome for check in checks)
    causes = Counter(check.cause for check in checks if check.cause is not None)
    passed, failed = outcomes[BenchOutcome.PASSED], outcomes[BenchOutcome.FAILED]
    named = {cause: causes[cause] for cause in NotRunCause if causes[cause]}
    return CheckCounts(len(checks), passed + failed, passed, failed, outcomes[BenchOutcome.NOT_RUN], named)


def verdict_of(counts: CheckCounts) -> BenchVerdict:
    """Return the verdict. A check that was not run does not count as passed."""
    if counts.failed:
        return BenchVerdict.FAILED
    if not counts.run:
        return BenchVerdict.NOTHING_RUN
    return BenchVerdict.INCOMPLETE if counts.not_run else BenchVerdict.PASSED


def summary_of(counts: CheckCounts, options: RunOptions) -> str:
    """Return the summary, such as `Incomplete: 16 of 118 checks run, none failed; 102 not run (filtered by --only
    'frame.*')`."""
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
    """Return the --only options as typed."""
    return " ".join(f"--only '{pattern}'" for pattern in only)
