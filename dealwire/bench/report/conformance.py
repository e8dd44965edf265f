"""What a device must have passed for a report to say that it conforms: data, in `conformance.toml` beside this file.

The sentence stands in a report when it is true and not otherwise, and whoever verifies the report finds it again.
"""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from dealer_flow.tomlfile import load
from dealwire.bench.plan.plan import Check, known_plans, packaged_plan
from dealwire.bench.record import BenchOutcome, CheckRecord, NotRunCause
from dealwire.bench.report.report import PlanOrigin, Report
from dealwire.bench.verbs.step import Strict

FILE: Final = Path(__file__).parent / "conformance.toml"


class Conformance(Strict):
    """What a device must pass to conform, as one plan judges it."""

    plan: str
    """The packaged plan, all of whose checks it must pass, but for those that the other keys let go."""
    versions: tuple[str, ...]
    """The protocol's, oldest first: each asks the same of a device as far as the plan goes, and the sentence names the
    one that it speaks."""
    judges: tuple[str, ...]
    """The plans that the sentence names: that one and those it includes."""
    may_lack: tuple[str, ...] = ()
    """Capabilities without which a device conforms as well; their checks are then not run."""
    beside: tuple[str, ...] = ()
    """Patterns of checks that need not be run; one that fails counts all the same."""

    def spares(self, check: CheckRecord, capabilities: tuple[str, ...]) -> bool:
        """Whether a check that was not run is not needed of a device with these capabilities."""
        if any(fnmatchcase(check.id, pattern) for pattern in self.beside):
            return True
        lacks = set(_needs(self.plan).get(check.id, ())) - set(capabilities)
        return check.cause is NotRunCause.NOT_OFFERED and bool(lacks) and lacks <= set(self.may_lack)


class ConformanceFile(Strict):
    """The whole file."""

    schema_: Literal["dealwire.conformance/1"] = Field(alias="schema")
    conformance: tuple[Conformance, ...]


@cache
def conformances() -> dict[str, Conformance]:
    """By plan."""
    return {each.plan: each for each in load(FILE, ConformanceFile).conformance}


@cache
def _needs(plan: str) -> dict[str, tuple[str, ...]]:
    return {entry.id: entry.needs for entry in packaged_plan(plan).entries if isinstance(entry, Check)}


def is_packaged(report: Report) -> bool:
    """Whether it was judged by a plan that comes with this very program."""
    plan = report.plan
    packaged = plan.origin is PlanOrigin.PACKAGED and plan.id in known_plans()
    return packaged and packaged_plan(plan.id).sha256 == plan.sha256


def why_not(report: Report) -> str:
    """What keeps the device of this report from conforming, in a few words; nothing when it conforms."""
    wanted = conformances().get(report.plan.id)
    if wanted is None or not is_packaged(report):
        return "the plan is not one by which conformance is judged"
    if report.protocol.common not in wanted.versions:
        return f"the device does not speak {' or '.join(wanted.versions)}"
    if report.allowance_ms > report.plan.allowance_ms:
        return f"the line was allowed {report.allowance_ms} ms, more than the plan's {report.plan.allowance_ms}"
    if report.options.only:
        return "checks were filtered"
    if report.ended_early:
        return "the run was ended early"
    if {check.id for check in report.checks} != set(packaged_plan(wanted.plan).ids):
        return "the checks are not those of the plan"
    failed = [check.id for check in report.of(BenchOutcome.FAILED)]
    if failed:
        return f"{failed[0]} failed"
    not_run = report.of(BenchOutcome.NOT_RUN)
    missing = [check.id for check in not_run if not wanted.spares(check, report.device.capabilities)]
    return f"{missing[0]} was not run" if missing else ""


def in_a_row(names: Sequence[str]) -> str:
    """`HandSet, StakeShown and PotTaken`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def sentence_of(report: Report) -> str:
    """`passed link 1.3, shuffler 1.3, plan digest 2553…`; nothing when that is not true."""
    if why_not(report):
        return ""
    wanted = conformances()[report.plan.id]
    lacking = [name for name in wanted.may_lack if name not in report.device.capabilities]
    without = f", without {' and '.join(lacking)}" if lacking else ""
    measured = report.image or "VERIFY" not in report.device.capabilities
    unjudged = "" if measured else ", the digest of VERIFY not judged"
    unseen = f", {in_a_row(report.unseen)} not seen" if report.unseen else ""
    named = ", ".join(f"{plan} {report.protocol.common}" for plan in wanted.judges)
    return f"passed {named}{without}{unjudged}{unseen}, plan digest {report.plan.sha256}"
