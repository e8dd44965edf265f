"""What a run of a plan gave: every check with its outcome, and the counts. The renderings are modules of their own."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from dealwire.bench.record import BenchOutcome, Result
from protocol.tdp.messages import DeviceClass, HelloReplyMessage

SCHEMA: Final = "dealwire.bench/1"


@dataclass(slots=True)
class Report:
    """One run. `began_ns` and `took_s` are real time; the times of a check are those of its wire."""

    plan: str
    title: str
    address: str
    version: str
    """Of this program."""
    seed: int
    allowance_ms: int
    hello: HelloReplyMessage | None = None
    began_ns: int = 0
    took_s: float = 0.0
    results: list[Result] = field(default_factory=list)

    @property
    def device(self) -> str:
        """Who was judged, in the device's own words."""
        hello = self.hello
        if hello is None:
            return "a device that did not answer"
        try:
            what = DeviceClass(hello.device_class).name.lower().replace("_", " ")
        except ValueError:
            what = f"device of class {hello.device_class}"
        return f"{what} {hello.maker} {hello.model}, serial {hello.serial}, firmware {hello.firmware}"

    def of(self, outcome: BenchOutcome) -> list[Result]:
        """The checks with this outcome."""
        return [result for result in self.results if result.outcome is outcome]

    @property
    def passed(self) -> bool:
        """No check failed and at least one was made; a check that was not run is no pass."""
        return not self.of(BenchOutcome.FAILED) and bool(self.of(BenchOutcome.PASSED))

    def counts(self) -> dict[str, int]:
        """How many checks of each outcome."""
        return {outcome.value.replace(" ", "_"): len(self.of(outcome)) for outcome in BenchOutcome}


def to_json(report: Report) -> Iterable[str]:
    """One object a check, and one that closes."""
    for result in report.results:
        yield json.dumps({"schema": SCHEMA, "type": "check", **_check(result)})
    yield json.dumps(
        {
            "schema": SCHEMA,
            "type": "summary",
            "plan": report.plan,
            "address": report.address,
            "device": report.device,
            "program": report.version,
            "seed": report.seed,
            "allowance_ms": report.allowance_ms,
            "took_s": round(report.took_s, 3),
            **report.counts(),
            "verdict": "passed" if report.passed else "failed",
        }
    )


def _check(result: Result) -> dict[str, Any]:
    return {
        "id": result.id,
        "title": result.title,
        "area": result.area,
        "section": result.section,
        "must": result.must,
        "outcome": result.outcome.value,
        "why": result.why,
        "duration_ms": (result.ended_ns - result.began_ns) // 1_000_000,
        "measures": [
            {
                "name": measure.name,
                "count": len(measure.values_ms),
                "min_ms": round(min(measure.values_ms), 3),
                "median_ms": round(measure.at(0.5), 3),
                "p99_ms": round(measure.at(0.99), 3),
                "max_ms": round(measure.worst, 3),
                "limit_ms": measure.limit_ms,
            }
            for measure in result.measures
        ],
        "notes": result.notes,
        "timeline": [
            {"ms": (entry.at_ns - result.began_ns) // 1_000_000, "by": entry.lane.value, "what": entry.text}
            for entry in result.timeline
        ],
    }


def text_lines(report: Report) -> Iterable[str]:
    """For a terminal: one line a check, what failed in full, what was not run and why."""
    width = max((len(result.id) for result in report.results), default=0)
    for result in report.results:
        mark = {BenchOutcome.PASSED: "pass", BenchOutcome.FAILED: "FAIL", BenchOutcome.NOT_RUN: "----"}[result.outcome]
        yield f"{mark}  {result.id.ljust(width)}  {result.title}"
        if result.outcome is not BenchOutcome.PASSED:
            yield f"      {result.why}"
        for measure in result.measures:
            yield f"      {measure_text(measure.name, measure)}"
        for note in result.notes:
            yield f"      {note}"
    yield ""
    yield from summary_lines(report)


def summary_lines(report: Report) -> Iterable[str]:
    """Who was judged, and what came of it."""
    yield f"{report.title}: {report.device}, at {report.address}"
    if report.hello is not None:
        yield f"firmware digest {report.hello.digest.hex()}"
    counts = report.counts()
    yield (
        f"{counts['passed']} passed, {counts['failed']} failed, {counts['not_run']} not run, "
        f"in {report.took_s:.1f} s; seed {report.seed}, allowance {report.allowance_ms} ms"
    )


def measure_text(name: str, measure: Any) -> str:
    """One line of figures."""
    limit = "no limit" if measure.limit_ms is None else f"limit {measure.limit_ms} ms"
    return (
        f"{name}: min {min(measure.values_ms):.1f}, median {measure.at(0.5):.1f}, p99 {measure.at(0.99):.1f}, "
        f"max {measure.worst:.1f} ms of {len(measure.values_ms)}; {limit}"
    )
