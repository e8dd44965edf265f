"""Verification of a report: signature, form, counts, plan, comparison."""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.bench.plan.plan import BenchPlan, packaged_plan, packaged_plans, plan_digest
from dealwire.bench.record import BenchOutcome, CheckRecord, NotRunCause
from dealwire.bench.report.about import plan_facts, program_facts
from dealwire.bench.report.comparing import compare_reports
from dealwire.bench.report.conformance import is_packaged, sentence_of, why_not
from dealwire.bench.report.report import PlanOrigin, Report, counts_of, summary_of, verdict_of
from dealwire.bench.report.signing import ReportSignature, beside
from dealwire.journal.errors import KeyProblem

SHOWN: Final = 3
"""Maximum number of differences listed in one line."""


class ReportFinding(NamedTuple):
    """Finding about a report. `holds` is None if there was nothing to compare with."""

    holds: bool | None
    what: str
    words: str


class Received(NamedTuple):
    """Report as received, with the trusted plan, earlier report and public key, if given."""

    path: Path
    report: Report
    data: bytes
    plan: BenchPlan | None = None
    before: tuple[Report, bytes] | None = None
    public: bytes | None = None


def verify_report(received: Received) -> list[ReportFinding]:
    """Check everything that can be checked."""
    report = received.report
    whole = report.to_bytes() == received.data
    form = ReportFinding(
        whole,
        "form",
        f"{len(received.data):,} bytes, SHA-256 {report.sha256}"
        if whole
        else "the bench would write other bytes for this content: a space, an order or a number was altered",
    )
    looked: list[Callable[[], Iterator[ReportFinding]]] = [
        lambda: _held("counts", wrong_counts(report), f"{report.counts.checks} checks; verdict and counts match"),
        lambda: _held("checks", _in_checks(report), "every check is consistent with its outcome"),
        lambda: _plan(report, received.plan),
        lambda: _conformance(report),
        lambda: _comparison(report, received.before),
        lambda: iter([_program(report)]),
    ]
    return [form, _signature(received), *(finding for look in looked for finding in look())]


def _signature(received: Received) -> ReportFinding:
    try:
        found = ReportSignature.of(received.path)
    except KeyProblem as error:
        return ReportFinding(False, "signature", f"{beside(received.path).name}: {error.why}")
    if found is None:
        missing = f"there is no {beside(received.path).name}; without it the file may be a consistent forgery"
        return ReportFinding(None if received.public is None else False, "signature", missing)
    if not found.fits(received.path, received.data):
        words = f"the report is not what was signed with key {found.key_id}"
        return ReportFinding(False, "signature", words)
    if received.public is None:
        words = f"of key {found.key_id}; use --key PUBLIC.key to check whose it is"
        return ReportFinding(None, "signature", words)
    if found.public != received.public:
        return ReportFinding(False, "signature", f"of key {found.key_id}, which is not the one of --key")
    return ReportFinding(True, "signature", f"of key {found.key_id}, the one of --key")


def _held(what: str, wrong: Iterator[str], good: str) -> Iterator[ReportFinding]:
    """Yield one finding: the differences, or `good` if there are none."""
    found = list(wrong)
    if not found:
        yield ReportFinding(True, what, good)
        return
    more = f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    yield ReportFinding(False, what, "; ".join(found[:SHOWN]) + more)


def wrong_counts(report: Report) -> Iterator[str]:
    """Yield differences between the head of a report and its checks."""
    counts = counts_of(report.checks)
    for name in ("checks", "run", "passed", "failed", "not_run", "causes"):
        says, is_ = getattr(report.counts, name), getattr(counts, name)
        if says != is_:
            yield f"{name.replace('_', ' ')}: the report says {_plain(says)}, its checks give {_plain(is_)}"
    if (verdict := verdict_of(counts)) is not report.verdict:
        yield f"the verdict is {report.verdict.value!r}, the checks give {verdict.value!r}"
    if report.summary != (summary := summary_of(counts, report.options)):
        yield f"the head says {report.summary!r}, the checks give {summary!r}"
    yield from _ended(report)


def _ended(report: Report) -> Iterator[str]:
    """Yield contradictions about an early end: the head must name it if and only if checks were not run for it."""
    partial = any(check.cause is NotRunCause.ENDED for check in report.checks)
    if partial and not report.ended_early:
        yield "checks were not run because the run was ended, but the head does not say so"
    elif report.ended_early and not partial:
        yield f"the head says that {report.ended_early} ended the run, but every check was run"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{number} {cause}" for cause, number in value.items()) or "none"
    return str(value)


def _in_checks(report: Report) -> Iterator[str]:
    for check in report.checks:
        yield from (f"{check.id} {why}" for why in _in_check(report, check))


def _in_check(report: Report, check: CheckRecord) -> Iterator[str]:
    only = report.options.only
    taken = not only or any(fnmatchcase(check.id, pattern) for pattern in only)
    filtered = check.cause is NotRunCause.FILTERED
    if (check.outcome is BenchOutcome.PASSED) is bool(check.why):
        yield "has passed, but with a reason for failing" if check.why else f"is {check.outcome.value} without a reason"
    if (check.outcome is BenchOutcome.NOT_RUN) is (check.cause is None):
        yield f"is {check.outcome.value}, its cause {check.cause.value if check.cause else 'missing'}"
    if filtered and taken:
        yield "is filtered, but the options select it"
    if not taken and not filtered and check.cause is not NotRunCause.LEFT_OUT:
        yield f"is {check.outcome.value}, but --only excludes it"
    for times in check.measures:
        ordered = times.min_ms <= times.median_ms <= times.p99_ms <= times.max_ms
        if not ordered or times.count < 1:
            yield f"has impossible times of {times.name}"


def _plan(report: Report, given: BenchPlan | None) -> Iterator[ReportFinding]:
    facts = report.plan
    if plan_digest(facts.files) != facts.sha256:
        yield ReportFinding(False, "plan", "its SHA-256 is not that of the files it names")
        return
    plan = given or (packaged_plan(facts.id) if facts.id in packaged_plans() else None)
    if facts.origin is PlanOrigin.OWN and given is None and plan is None:
        words = f"{facts.id!r} is a private plan, SHA-256 {facts.sha256}; name the plan to compare the report with it"
        yield ReportFinding(None, "plan", words)
        return
    if plan is None:
        yield ReportFinding(False, "plan", f"{facts.id!r} is not included in this program, but the report says so")
        return
    whose = "the given plan" if given else f"the plan {plan.id!r} of this program"
    if plan.sha256 != facts.sha256:
        if given is None and facts.origin is PlanOrigin.SAME_ID:
            words = f"not {whose}, and says so; name the plan to compare the report with it"
            found = {check.id for check in report.checks}
            missing = next((name for name in plan.ids if name not in found), None)
            trimmed = f"not {whose}, and its check {missing} is not even listed as left out"
            yield ReportFinding(None, "plan", words) if missing is None else ReportFinding(False, "plan", trimmed)
            return
        words = f"SHA-256 {facts.sha256} is not that of {whose}, {plan.sha256}"
        yield ReportFinding(False, "plan", words + _version(report))
        return
    yield from _held("plan", _against_plan(report, plan), f"{whose}, {facts.checks} checks, SHA-256 {facts.sha256}")


def _version(report: Report) -> str:
    mine = program_facts().version
    return f" (tested by dealwire {report.program.version}, this is {mine})" if report.program.version != mine else ""


def _against_plan(report: Report, plan: BenchPlan) -> Iterator[str]:
    facts = plan_facts(plan)
    for name in facts.__struct_fields__:
        if name not in ("files", "left_out", "altered") and getattr(facts, name) != getattr(report.plan, name):
            yield f"the plan's {name.replace('_', ' ')}: the report says {getattr(report.plan, name)}, \
the plan {getattr(facts, name)}"
    if (facts.left_out, facts.altered) != (report.plan.left_out, report.plan.altered):
        yield "the checks that it leaves out or alters are not those in the report"
    wanted = (*plan.ids, *facts.left_out)
    found = tuple(check.id for check in report.checks)
    yield from (f"{name} is missing" for name in wanted if name not in found)
    yield from (f"{name} is not in the plan" for name in found if name not in wanted)
    if set(found) == set(wanted) and found != wanted:
        yield "the checks are not in the order of the plan, or appear twice"
    entries = {entry.id: entry for entry in plan.entries}
    for check in report.checks:
        entry = entries.get(check.id)
        if entry is not None:
            for name in ("title", "area", "section", "must"):
                if getattr(entry, name) != getattr(check, name):
                    yield f"{check.id}: its {name} is not the plan's"


def _conformance(report: Report) -> Iterator[ReportFinding]:
    """Yield a finding about the statement of conformance, which must be present if and only if it is true."""
    claimed, true = report.conformance or "", sentence_of(report)
    if claimed and not is_packaged(report):
        words = f"{claimed!r} comes from a plan that this program has differently or not at all"
        yield ReportFinding(False if report.plan.origin is not PlanOrigin.PACKAGED else None, "conforms", words)
    elif claimed != true:
        words = (
            f"the report says {claimed!r}, but {why_not(report)}"
            if not true
            else f"it should say {true!r} but does not"
        )
        if true and claimed:
            words = f"the report says {claimed!r}, its checks give {true!r}"
        yield ReportFinding(False, "conforms", words)
    elif claimed:
        yield ReportFinding(True, "conforms", claimed)


def _comparison(report: Report, before: tuple[Report, bytes] | None) -> Iterator[ReportFinding]:
    if report.against is None:
        return
    if before is None:
        words = f"with a report of SHA-256 {report.against.sha256}; use --against FILE to check it"
        yield ReportFinding(None, "comparison", words)
        return
    right = compare_reports(report, *before) == report.against
    words = "with the report of --against" if right else "the report of --against gives a different comparison"
    yield ReportFinding(right, "comparison", words)


def _program(report: Report) -> ReportFinding:
    mine, theirs = program_facts(), report.program
    same = mine.sha256 == theirs.sha256
    words = f"{theirs.name} {theirs.version}, SHA-256 {theirs.sha256}"
    return ReportFinding(
        True if same else None, "program", words + ("" if same else "; this program is another version")
    )
