"""Report as text for a terminal, and as JUnit XML for build servers."""

import textwrap
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Final
from xml.etree import ElementTree as ET

from dealwire.bench.record import BenchOutcome, CheckRecord
from dealwire.bench.report.report import Report
from dealwire.bench.report.signing import ReportSignature
from dealwire.bench.report.words import (
    LISTED_TOGETHER,
    comparison_head,
    comparison_rows,
    facts,
    page_of,
    remarks,
    together,
    warnings,
)

MARKS: Final = {BenchOutcome.PASSED: "pass", BenchOutcome.FAILED: "FAIL", BenchOutcome.NOT_RUN: "----"}
WIDTH: Final = 110
"""Width of a block of names."""


def text_lines(report: Report) -> Iterable[str]:
    """Yield one line per check, details of failures, and reasons of checks that were not run; then the head and the
    verdict."""
    width = max((len(check.id) for check in report.checks), default=0)
    for check in report.checks:
        if check.cause in LISTED_TOGETHER:
            continue
        yield f"{MARKS[check.outcome]}  {check.id.ljust(width)}  {check.title}"
        if check.outcome is not BenchOutcome.PASSED:
            yield f"      {check.why}"
        yield from (f"      {remark}" for remark in remarks(check))
    for why, checks in together(list(report.checks)).items():
        yield f"----  {len(checks)} not run: {why}"
        yield from _side_by_side([check.id for check in checks])
    yield ""
    yield from summary_lines(report)


def _side_by_side(names: list[str]) -> list[str]:
    indent = " " * 6
    return textwrap.wrap(
        ", ".join(names), WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def summary_lines(report: Report) -> Iterator[str]:
    """Yield the head, the comparison, the warnings and the summary."""
    yield report.plan.title
    known = facts(report)
    width = max(len(fact.label) for fact in known)
    yield from (f"  {fact.label.ljust(width)}  {fact.text}" for fact in known)
    yield from comparison_lines(report)
    yield from (f"NOTE: {warning}" for warning in warnings(report))
    yield report.summary


def comparison_lines(report: Report) -> Iterator[str]:
    """Yield the differences from the report given by --against; nothing without one."""
    if report.against is None:
        return
    yield comparison_head(report.against)
    rows = list(comparison_rows(report.against))
    for heading, found in rows:
        yield f"  {heading.lower()} ({len(found)}):"
        if any(" " in each for each in found):
            yield from (f"      {each}" for each in found)
        else:
            yield from _side_by_side(found)
    if not rows:
        yield "  no changes"


# ------------------------------------------------------------------ for build servers


def to_junit(report: Report, signature: ReportSignature | None = None) -> str:
    """Return JUnit XML with one `testsuite` per area. A check that was not run is `skipped`, with its reason. Every
    suite has the head as its properties, since JUnit has no other place for them."""
    root = ET.Element(
        "testsuites", {"name": report.plan.title, **_counts(report.checks), "time": _seconds(report.checks)}
    )
    ordered = sorted(report.checks, key=lambda check: check.area)
    properties = _properties(report, signature)
    for area, checks in groupby(ordered, key=lambda check: check.area):
        _suite(root, report, area, list(checks), properties)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _properties(report: Report, signature: ReportSignature | None) -> dict[str, str]:
    counts = report.counts
    found = {"verdict": report.verdict.value, "summary": report.summary}
    found |= {"checks": str(counts.checks), "run": str(counts.run), "not-run": str(counts.not_run)}
    found |= {fact.key: fact.text for fact in facts(report)}
    found |= {"note": " / ".join(noted)} if (noted := warnings(report)) else {}
    if report.against is not None:
        found["against"] = comparison_head(report.against)
        found |= {
            f"against-{heading.lower().replace(' ', '-')}": "; ".join(rows)
            for heading, rows in comparison_rows(report.against)
        }
    found["report-sha256"] = report.sha256
    return found | ({"signed-by": signature.key_id, "signature": signature.hex} if signature else {})


def _suite(root: ET.Element, report: Report, area: str, checks: list[CheckRecord], properties: dict[str, str]) -> None:
    began = datetime.fromisoformat(report.began).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
    name = f"{report.plan.id}.{area}"
    suite = ET.SubElement(root, "testsuite", {"name": name, **_counts(checks), "time": _seconds(checks)})
    suite.set("timestamp", began)
    suite.set("hostname", _plain(report.host) or "unknown")
    block = ET.SubElement(suite, "properties")
    for key, value in properties.items():
        ET.SubElement(block, "property", name=key, value=_plain(value))
    for check in checks:
        case = ET.SubElement(suite, "testcase", classname=name, name=check.id)
        case.set("time", _seconds([check]))
        if check.outcome is BenchOutcome.FAILED:
            failure = ET.SubElement(case, "failure", message=_plain(check.why), type="failed")
            failure.text = _plain(f"{check.title}\n{check.must}\n({page_of(report)}#{check.section})\n{check.why}")
        elif check.outcome is BenchOutcome.NOT_RUN:
            ET.SubElement(case, "skipped", message=_plain(check.why))
        if spoken := remarks(check):
            ET.SubElement(case, "system-out").text = _plain("\n".join(spoken))


def _seconds(checks: Iterable[CheckRecord]) -> str:
    """Return the duration of these checks by the clock of the device's line. Each is rounded to milliseconds, so that
    sums are exact. The wall clock time of the run is among the properties."""
    whole_ms = sum(round(check.duration_ms) for check in checks)
    return f"{whole_ms // 1000}.{whole_ms % 1000:03}"


def _counts(checks: Iterable[CheckRecord]) -> dict[str, str]:
    outcomes = [check.outcome for check in checks]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count(BenchOutcome.FAILED)),
        "errors": "0",
        "skipped": str(outcomes.count(BenchOutcome.NOT_RUN)),
    }


def _plain(text: str) -> str:
    """Replace control characters that XML 1.0 does not allow; a device's name may contain them."""
    return "".join(char if char >= " " or char in "\n\t" else "?" for char in text)
