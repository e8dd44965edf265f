"""Report as PDF for a laboratory's files: number, conditions, each requirement with its result, room for signatures.
Timelines are only in the JSON report."""

from collections.abc import Iterable

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
from dealwire.sheet.paper import Block, Paper, PaperBlanks, PaperFacts, PaperHeading, PaperRemark, table
from dealwire.sheet.pdf import pdf_of
from protocol.printable import printable


def to_pdf(report: Report, signature: ReportSignature | None = None) -> bytes:
    """Return the PDF. Raise ExtraMissing if its library is not installed."""
    return pdf_of(paper_of(report, signature))


def paper_of(report: Report, signature: ReportSignature | None = None) -> Paper:
    """Return the content of the PDF. `signature` is that of the JSON report."""
    number = report.conditions.number if report.conditions else ""
    named = f"report {number}" if number else f"report of SHA-256 {report.sha256[:16]}"
    running = f"{report.plan.title}, {named}"
    blocks: list[Block] = [
        *(PaperRemark(f"Conformance: {each}", strong=True) for each in [report.conformance] if each),
        *(PaperRemark(warning, strong=True) for warning in warnings(report)),
        PaperFacts(tuple((it.label, it.text) for it in facts(report) if it.key != "conformance")),
        *_areas(report),
        *_against(report),
        *_failed(report.of(BenchOutcome.FAILED)),
        *_not_run(report.of(BenchOutcome.NOT_RUN)),
        *_times(report.checks),
        *_requirements(report),
        *_evidence(report, signature),
    ]
    return Paper(report.plan.title, report.summary, printable(running, None), blocks, foot="dealwire bench report")


def _areas(report: Report) -> Iterable[Block]:
    rows: list[tuple[str | int, ...]] = []
    for area in dict.fromkeys(check.area for check in report.checks):
        outcomes = [check.outcome for check in report.checks if check.area == area]
        rows.append((area, *(outcomes.count(one) for one in BenchOutcome), len(outcomes)))
    sums: tuple[str | int, ...] = ("all", *(len(report.of(one)) for one in BenchOutcome), len(report.checks))
    yield PaperHeading("By area")
    yield table("area|>passed|>failed|>not run|>checks", [*rows, sums], sums=1)


def _against(report: Report) -> Iterable[Block]:
    if report.against is None:
        return
    yield PaperHeading("Compared with an earlier report")
    yield PaperRemark(printable(comparison_head(report.against), None))
    rows = [(heading, printable("; ".join(found), None)) for heading, found in comparison_rows(report.against)]
    yield table("what|*which", rows) if rows else PaperRemark("Nothing has changed.")


def _failed(checks: list[CheckRecord]) -> Iterable[Block]:
    if checks:
        yield PaperHeading("Failed")
        rows = [(check.id, check.must, printable("; ".join([check.why, *remarks(check)]), None)) for check in checks]
        yield table("check|*requirement|*result", rows)


def _not_run(checks: list[CheckRecord]) -> Iterable[Block]:
    if not checks:
        return
    rows = [(why, ", ".join(check.id for check in found)) for why, found in together(checks).items()]
    rows += [(check.why, check.id) for check in checks if check.cause not in LISTED_TOGETHER]
    yield PaperHeading("Not run")
    yield table("*why|*which", [(printable(why, None), which) for why, which in rows])


def _times(checks: Iterable[CheckRecord]) -> Iterable[Block]:
    rows: list[tuple[str | int, ...]] = []
    for check, times in [(each, times) for each in checks for times in each.measures]:
        figures = [f"{value:.1f}" for value in (times.min_ms, times.median_ms, times.p99_ms, times.max_ms)]
        limit = "none" if times.limit_ms is None else times.limit_ms
        rows.append((times.name, check.id, times.count, *figures, limit))
    if rows:
        yield PaperHeading("Times in milliseconds")
        yield table("*what|check|>count|>min|>median|>p99|>max|>limit", rows)


def _requirements(report: Report) -> Iterable[Block]:
    """Yield each check with the section that it verifies."""
    yield PaperHeading("Requirements and results")
    yield PaperRemark(f"Sections refer to {page_of(report)}.")
    by_section: dict[str, list[CheckRecord]] = {}
    for check in report.checks:
        by_section.setdefault(check.section, []).append(check)
    rows = [(it.section, it.id, it.title, it.outcome.value) for found in by_section.values() for it in found]
    marked = [at for at, row in enumerate(rows) if row[3] == BenchOutcome.FAILED]
    yield table("section|check|*what|result", rows, marked=marked)


def _evidence(report: Report, signature: ReportSignature | None) -> Iterable[Block]:
    yield PaperHeading("Evidence")
    words = (
        "This file was made from the JSON report; only the JSON report can be verified: dealwire bench --verify FILE"
    )
    yield PaperRemark(words)
    rows = [("Report SHA-256", report.sha256)]
    rows += [("Signed with key", signature.key_id), ("Signature", signature.hex)] if signature else []
    yield PaperFacts(tuple(rows))
    yield PaperHeading("Signatures")
    yield PaperBlanks(("Tested by", "Date", "Approved by", "Date"))
