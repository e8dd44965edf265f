"""Comparison of a report with an earlier one."""

import hashlib
from collections.abc import Iterator
from typing import Final

from dealwire.bench.record import BenchOutcome, CheckRecord
from dealwire.bench.report.report import FactChange, Report, ReportComparison, TimesChange
from dealwire.bench.report.words import facts

NOTABLE: Final = 4
"""Denominator of a notable change: a maximum is listed if it moved by more than limit / NOTABLE."""
COMPARED: Final = frozenset(
    ["device", "firmware-digest", "image", "capabilities", "line", "hands", "plan", "plan-sha256", "plan-checks",
     "protocol", "program", "program-sha256", "options", "allowance"]
)  # fmt: skip
"""Facts of the head that a result depends on. The others differ each time."""


def compare_reports(now: Report, before: Report, before_bytes: bytes) -> ReportComparison:
    """Return the differences; `before_bytes` is the earlier report's file."""
    old = {check.id: check for check in before.checks}
    failing = [check.id for check in now.of(BenchOutcome.FAILED)]
    then = {name: check.outcome for name, check in old.items()}
    return ReportComparison(
        sha256=hashlib.sha256(before_bytes).hexdigest(),
        began=before.began,
        summary=before.summary,
        newly_failing=tuple(name for name in failing if then.get(name) is not BenchOutcome.FAILED),
        still_failing=tuple(name for name in failing if then.get(name) is BenchOutcome.FAILED),
        newly_passing=tuple(
            check.id for check in now.of(BenchOutcome.PASSED) if then.get(check.id) is not BenchOutcome.PASSED
        ),
        newly_not_run=tuple(
            check.id
            for check in now.of(BenchOutcome.NOT_RUN)
            if then.get(check.id) in (BenchOutcome.PASSED, BenchOutcome.FAILED)
        ),
        gone=tuple(name for name in old if name not in {check.id for check in now.checks}),
        times=tuple(change for check in now.checks if check.id in old for change in _times(check, old[check.id])),
        differences=tuple(_differences(now, before)),
    )


def _times(now: CheckRecord, before: CheckRecord) -> Iterator[TimesChange]:
    """Yield times that crossed their limit, either way, or moved by a notable part of it."""
    old = {times.name: times for times in before.measures}
    for times in now.measures:
        was, limit = old.get(times.name), times.limit_ms
        if was is None or limit is None:
            continue
        crossed = (was.max_ms > limit) is not (times.max_ms > limit)
        if crossed or abs(times.max_ms - was.max_ms) * NOTABLE > limit:
            yield TimesChange(now.id, times.name, was.max_ms, times.max_ms, limit)


def _differences(now: Report, before: Report) -> Iterator[FactChange]:
    then = {fact.key: fact.text for fact in facts(before)}
    for fact in facts(now):
        if fact.key in COMPARED and then[fact.key] != fact.text:
            yield FactChange(fact.label, then[fact.key], fact.text)
