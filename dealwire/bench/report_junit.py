"""A report as JUnit XML, as build servers and test laboratories read it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import groupby
from xml.etree import ElementTree as ET

from dealwire.bench.record import BenchOutcome, Result
from dealwire.bench.report import Report, measure_text


def to_junit(report: Report) -> str:
    """One `testsuite` for each area; a check that was not run is `skipped`, with its reason."""
    root = ET.Element("testsuites", {"name": report.title, **_counts(report.results), "time": _seconds(report.took_s)})
    ordered = sorted(report.results, key=lambda result: result.area)
    for area, results in groupby(ordered, key=lambda result: result.area):
        _suite(root, report, area, list(results))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(root: ET.Element, report: Report, area: str, results: list[Result]) -> None:
    began = datetime.fromtimestamp(report.began_ns / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    took_s = sum(_took_s(result) for result in results)
    suite = ET.SubElement(
        root, "testsuite", {"name": f"{report.plan}.{area}", **_counts(results), "time": _seconds(took_s)}
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
        case.set("time", _seconds(_took_s(result)))
        if result.outcome is BenchOutcome.FAILED:
            failure = ET.SubElement(case, "failure", message=_plain(result.why), type="failed")
            failure.text = _plain(f"{result.title}\n{result.must}\n(docs/protocol.md#{result.section})\n{result.why}")
        elif result.outcome is BenchOutcome.NOT_RUN:
            ET.SubElement(case, "skipped", message=_plain(result.why))
        words = [measure_text(measure.name, measure) for measure in result.measures] + result.notes
        if words:
            ET.SubElement(case, "system-out").text = _plain("\n".join(words))


def _counts(results: Iterable[Result]) -> dict[str, str]:
    outcomes = [result.outcome for result in results]
    return {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count(BenchOutcome.FAILED)),
        "errors": "0",
        "skipped": str(outcomes.count(BenchOutcome.NOT_RUN)),
    }


def _took_s(result: Result) -> float:
    return (result.ended_ns - result.began_ns) / 1e9


def _seconds(value: float) -> str:
    return f"{value:.3f}"


def _plain(text: str) -> str:
    """XML 1.0 knows no control characters but these; a device's name may hold others."""
    return "".join(char if char >= " " or char in "\n\t" else "?" for char in text)
