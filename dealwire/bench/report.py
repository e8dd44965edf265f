"""What a run of a plan gave: every check with its outcome, and the counts; as JSON, as text and as JUnit XML."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Final
from xml.etree import ElementTree as ET

from dealwire.bench.record import BenchOutcome, Result
from protocol.printable import printable
from protocol.tdp.messages import DeviceClass, HelloReplyMessage

SCHEMA: Final = "dealwire.bench/1"
FIGURES: Final = ("min_ms", "median_ms", "p99_ms", "max_ms")


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
        names = (printable(each) for each in (hello.maker, hello.model, hello.serial, hello.firmware))
        return "{} {} {}, serial {}, firmware {}".format(what, *names)

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
        "duration_ms": result.took_ns // 1_000_000,
        "measures": [
            {
                "name": measure.name,
                "count": len(measure.values_ms),
                **dict(zip(FIGURES, (round(value, 3) for value in measure.figures), strict=True)),
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
        for remark in result.remarks:
            yield f"      {remark}"
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


# ------------------------------------------------------------------ for build servers


def to_junit(report: Report) -> str:
    """One `testsuite` for each area; a check that was not run is `skipped`, with its reason."""
    root = ET.Element("testsuites", {"name": report.title, **_counts(report.results), "time": f"{report.took_s:.3f}"})
    ordered = sorted(report.results, key=lambda result: result.area)
    for area, results in groupby(ordered, key=lambda result: result.area):
        _suite(root, report, area, list(results))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, report: Report, area: str, results: list[Result]) -> None:
    began = datetime.fromtimestamp(report.began_ns / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    took_s = sum(result.took_ns for result in results) / 1e9
    suite = ET.SubElement(
        root, "testsuite", {"name": f"{report.plan}.{area}", **_counts(results), "time": f"{took_s:.3f}"}
    )
    suite.set("timestamp", began)
    suite.set("hostname", "bench")
    properties = ET.SubElement(suite, "properties")
    facts = {"device": report.device, "address": report.address, "program": report.version, "seed": str(report.seed)}
    facts["allowance_ms"] = str(report.allowance_ms)
    for name, value in facts.items():
        ET.SubElement(properties, "property", name=name, value=_plain(value))
    for result in results:
        case = ET.SubElement(suite, "testcase", classname=f"{report.plan}.{area}", name=result.id)
        case.set("time", f"{result.took_ns / 1e9:.3f}")
        if result.outcome is BenchOutcome.FAILED:
            failure = ET.SubElement(case, "failure", message=_plain(result.why), type="failed")
            failure.text = _plain(f"{result.title}\n{result.must}\n(docs/protocol.md#{result.section})\n{result.why}")
        elif result.outcome is BenchOutcome.NOT_RUN:
            ET.SubElement(case, "skipped", message=_plain(result.why))
        if result.remarks:
            ET.SubElement(case, "system-out").text = _plain("\n".join(result.remarks))


def _counts(results: Iterable[Result]) -> dict[str, str]:
    outcomes = [result.outcome for result in results]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count(BenchOutcome.FAILED)),
        "errors": "0",
        "skipped": str(outcomes.count(BenchOutcome.NOT_RUN)),
    }


def _plain(text: str) -> str:
    """XML 1.0 knows no control characters but these; a device's name may hold others."""
    return "".join(char if char >= " " or char in "\n\t" else "?" for char in text)
