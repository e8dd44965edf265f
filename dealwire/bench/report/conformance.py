"""Requirements for a statement of conformance. The data is in `conformance.toml` in this folder.

A report contains the statement if and only if it is true, and verification recomputes it.
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
from protocol.tdp.messages import Capability
from protocol.tdp.since import value_since

FILE: Final = Path(__file__).parent / "conformance.toml"


class Conformance(Strict):
    """Requirements of one plan for conformance."""

    plan: str
    """Included plan. The device must pass all its checks, except those that the other keys exempt."""
    versions: tuple[str, ...]
    """Versions of the protocol, oldest first. Each requires the same as far as the plan goes; the statement names the
    one that the device uses."""
    judges: tuple[str, ...]
    """Plans named in the statement: the plan and its includes."""
    may_lack: tuple[str, ...] = ()
    """Optional capabilities. Without them a device conforms too, and their checks are not run."""
    beside: tuple[str, ...] = ()
    """Patterns of optional checks. One that fails still counts."""

    def spares(self, check: CheckRecord, capabilities: tuple[str, ...]) -> bool:
        """Return True if a check that was not run is not required of a device with these capabilities."""
        if any(fnmatchcase(check.id, pattern) for pattern in self.beside):
            return True
        lacks = set(_needs(self.plan).get(check.id, ())) - set(capabilities)
        return check.cause is NotRunCause.NOT_OFFERED and bool(lacks) and lacks <= set(self.may_lack)


class ConformanceFile(Strict):
    """Requirements file."""

    schema_: Literal["dealwire.conformance/1"] = Field(alias="schema")
    conformance: tuple[Conformance, ...]


@cache
def conformances() -> dict[str, Conformance]:
    """Return the requirements that the protocol places on a device, by id of the plan that tests them."""
    return {each.plan: each for each in load(FILE, ConformanceFile).conformance}


@cache
def _needs(plan: str) -> dict[str, tuple[str, ...]]:
    return {entry.id: entry.needs for entry in packaged_plan(plan).entries if isinstance(entry, Check)}


def is_packaged(report: Report) -> bool:
    """Return True if the report's plan is the one included in this program."""
    plan = report.plan
    packaged = plan.origin is PlanOrigin.PACKAGED and plan.id in known_plans()
    return packaged and packaged_plan(plan.id).sha256 == plan.sha256


def why_not(report: Report) -> str:
    """Return the reason that the device does not conform, in a few words; empty if it conforms."""
    wanted = conformances().get(report.plan.id)
    if wanted is None or not is_packaged(report):
        return "the plan is not one for conformance"
    if report.protocol.common not in wanted.versions:
        return f"the device does not support protocol version {' or '.join(wanted.versions)}"
    if report.allowance_ms > report.plan.allowance_ms:
        return f"the allowance was {report.allowance_ms} ms, more than the plan's {report.plan.allowance_ms}"
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
    """Join names, such as `HandSet, StakeShown and PotTaken`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _is_in(capability: str, report: Report) -> bool:
    """Return True if the version that the device was tested in has that capability."""
    since, common = value_since(Capability[capability]), report.protocol.common
    return tuple(map(int, since.split("."))) <= tuple(map(int, common.split(".")))


def sentence_of(report: Report) -> str:
    """Return the statement, such as `passed link 1.3, shuffler 1.3, plan digest 2553…`; empty if it is not true."""
    if why_not(report):
        return ""
    wanted = conformances()[report.plan.id]
    lacking = [name for name in wanted.may_lack if name not in report.device.capabilities and _is_in(name, report)]
    without = f", without {in_a_row(lacking)}" if lacking else ""
    measured = report.image or "VERIFY" not in report.device.capabilities
    unjudged = "" if measured else ", the digest of VERIFY not judged"
    unseen = f", {in_a_row(report.unseen)} not seen" if report.unseen else ""
    named = ", ".join(f"{plan} {report.protocol.common}" for plan in wanted.judges)
    return f"passed {named}{without}{unjudged}{unseen}, plan digest {report.plan.sha256}"
