"""Conversion of a run to its report."""

import hashlib
import platform
from dataclasses import dataclass

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from dealwire.bench.report.about import device_facts, local_time, program_facts, protocol_facts, system_words
from dealwire.bench.report.comparing import compare_reports
from dealwire.bench.report.conformance import sentence_of
from dealwire.bench.report.report import Report, RunConditions, counts_of, summary_of, verdict_of
from dealwire.bench.run.runner import BenchRun


@dataclass(frozen=True, slots=True)
class ReportHead:
    """Entries of a report's head that people give: laboratory, purpose, place, equipment."""

    laboratory: str = ""
    operator: str = ""
    ticket: str = ""
    number: str = ""
    sample: str = ""
    environment: str = ""
    instruments: tuple[str, ...] = ()

    @property
    def conditions(self) -> RunConditions | UnsetType:
        """Conditions as a report holds them."""
        given = self.number, self.sample, self.environment, self.instruments
        return RunConditions(*given) if any(given) else UNSET


def report_of(run: BenchRun, head: ReportHead = ReportHead(), before: tuple[Report, bytes] | None = None) -> Report:
    """Return the report on a finished run. `before` is an earlier report, with the bytes of its file, to compare
    with."""
    options = run.choices.as_options
    checks = tuple(run.results)
    counts = counts_of(checks)
    began, ended = local_time(run.began_ns), local_time(run.ended_ns)
    report = Report(
        verdict=verdict_of(counts),
        summary=summary_of(counts, options),
        counts=counts,
        plan=run.plan,
        protocol=protocol_facts(run.hello, run.plan.id),
        program=program_facts(),
        device=device_facts(run.hello, run.plan.device),
        line=run.address,
        hands=run.hands.whose,
        options=options,
        allowance_ms=run.allowance_ms,
        laboratory=head.laboratory,
        operator=head.operator,
        ticket=head.ticket,
        host=platform.node(),
        system=system_words(),
        began=began.isoformat(timespec="milliseconds"),
        ended=ended.isoformat(timespec="milliseconds"),
        zone=ended.tzname() or "",
        took_s=round((run.ended_ns - run.began_ns) / 1e9, 3),
        checks=checks,
        against=None,
        unseen=UNSET if run.unseen is None else run.unseen,
        conditions=head.conditions,
        ended_early=run.ended_early or UNSET,
        image=UNSET if run.choices.image is None else hashlib.sha256(run.choices.image).hexdigest(),
    )
    report = replace(report, conformance=sentence_of(report) or UNSET)
    return report if before is None else replace(report, against=compare_reports(report, *before))
