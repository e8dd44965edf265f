"""Text of a report, for each of its forms."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec

from dealwire.bench.record import CheckRecord, NotRunCause, TimesRecord
from dealwire.bench.report.report import (
    PlanOrigin,
    Report,
    ReportComparison,
    RunConditions,
    RunOptions,
    only_words,
)
from protocol.printable import printable

HANDS: Final = {
    "simulated": "simulated, as the device is",
    "person": "a person, prompted for each step",
    "program": "a program, given by --operator-program",
    "nobody": "nobody: manual steps were not run",
}

DECISION: Final = "a check passes if every step meets its section; a time fails if it exceeds limit plus allowance"

ORIGINS: Final = {
    PlanOrigin.PACKAGED: "the one included in this program",
    PlanOrigin.SAME_ID: "NOT the one with this id that is included in this program",
    PlanOrigin.OWN: "not one included in this program",
}

LISTED_TOGETHER: Final = frozenset({NotRunCause.FILTERED, NotRunCause.LEFT_OUT, NotRunCause.ENDED})
"""Causes that many checks share, with one common reason."""


class ReportFact(NamedTuple):
    """Line of a report's head: key for programs, label for people, and text."""

    key: str
    label: str
    text: str


def facts(report: Report) -> list[ReportFact]:
    """Return the head of every form."""
    plan, program, device = report.plan, report.program, report.device
    commit = f", commit {program.commit}" if program.commit else ", commit unknown"
    conforms = [ReportFact("conformance", "Conformance", report.conformance)] if report.conformance else []
    return [
        *conforms,
        *_conditions(report),
        ReportFact("device", "Device", device_words(report)),
        ReportFact("firmware-digest", "Firmware digest", device.digest or "not attested by the device"),
        ReportFact("image", "Firmware image", image_words(report)),
        ReportFact("capabilities", "Capabilities", ", ".join(device.capabilities) or "none"),
        *_unseen(report),
        ReportFact("power-ups", "Power-ups", str(device.boots)),
        ReportFact("line", "Line", report.line),
        ReportFact("hands", "Manual steps", HANDS[report.hands]),
        ReportFact("plan", "Plan", f"{plan.id}, {ORIGINS[plan.origin]}"),
        ReportFact("plan-sha256", "Plan SHA-256", plan.sha256),
        ReportFact("plan-files", "Plan files", ", ".join(f"{file.name} {file.sha256}" for file in plan.files)),
        ReportFact("plan-checks", "Checks of the plan", str(plan.checks)),
        ReportFact("protocol", "Protocol", protocol_words(report)),
        ReportFact("program", "Program", f"{program.name} {program.version}{commit}"),
        ReportFact("program-sha256", "Program SHA-256", program.sha256),
        ReportFact("options", "Options", options_words(report.options)),
        ReportFact("allowance", "Allowance", allowance_words(report)),
        ReportFact("decision", "Decision rule", DECISION),
        ReportFact("clock", "Clock", clock_words(report)),
        ReportFact("began", "Began", f"{report.began} {report.zone}"),
        ReportFact("ended", "Ended", f"{report.ended} {report.zone}, after {report.took_s:.1f} s"),
        ReportFact("host", "Host", f"{report.host}, {report.system}"),
    ]


def _conditions(report: Report) -> list[ReportFact]:
    """Return the tester, the place and the equipment: the first entries of the first page."""
    given = report.conditions or RunConditions("", "", "", ())
    rows = [
        ("number", "Report number", given.number),
        ("laboratory", "Laboratory", report.laboratory),
        ("operator", "Operator", report.operator),
        ("ticket", "Ticket", report.ticket),
        ("sample", "Sample", given.sample),
        ("environment", "Environment", given.environment),
        ("instruments", "Instruments", "; ".join(given.instruments)),
    ]
    return [ReportFact(key, label, printable(text, None) or "not given") for key, label, text in rows]


def _unseen(report: Report) -> list[ReportFact]:
    """Return the events of the device's class that were not tested."""
    if report.unseen is msgspec.UNSET:
        return []
    words = ", ".join(report.unseen) or "none: the device sent every event of its class"
    return [ReportFact("unseen", "Events not seen", words)]


def clock_words(report: Report) -> str:
    """Describe the clock that the times were taken with."""
    if not report.by_clock:
        return "simulated: nothing is late, and every run is the same"
    return (
        f"clock of {report.host}, calibrated as the instruments say; a time is taken when this program reads the event"
    )


def image_words(report: Report) -> str:
    """Describe the image that *Verify* was compared with."""
    given = f"SHA-256 {report.image}" if report.image else "not given"
    if "VERIFY" not in report.device.capabilities:
        return f"{given}; the device has no VERIFY"
    return given if report.image else f"{given} (--image): the digest of VERIFY was not compared"


def allowance_words(report: Report) -> str:
    """Describe the allowance of line and machine, and the plan's if it differs."""
    words = f"{report.allowance_ms} ms added to every limit, for this machine and the line"
    planned = report.plan.allowance_ms
    chosen = report.by_clock and report.allowance_ms != planned
    return f"{words}, set by --allowance; the plan has {planned} ms" if chosen else words


def device_words(report: Report) -> str:
    """Return the device's own description."""
    device = report.device
    if report.protocol.dialect != "tdp":
        return f"{device.kind}; the dialect does not identify it"
    names = (printable(each) for each in (device.maker, device.model, device.serial, device.firmware))
    return "{} {} {}, serial {}, firmware {}".format(device.kind, *names)


def page_of(report: Report) -> str:
    """Return the page that contains the sections of the checks."""
    dialect = report.protocol.dialect
    return "docs/protocol-reference.md" if dialect == "tdp" else f"docs/dialects/{dialect}.md"


def protocol_words(report: Report) -> str:
    """Return the protocol versions of the bench and the device."""
    spoken = report.protocol
    if spoken.dialect != "tdp":
        return f"{spoken.dialect} style, as in {page_of(report)}"
    theirs = " to ".join(dict.fromkeys((spoken.device_from, spoken.device_to)))
    common = f"{spoken.common} in common" if spoken.common else "none in common"
    return f"Table Device Protocol ({spoken.dialect}) {spoken.version}; the device supports {theirs}, {common}"


def options_words(options: RunOptions) -> str:
    """Return the options as typed."""
    words = [only_words(options.only)] if options.only else []
    words += [f"--rounds {options.rounds}"] if options.rounds is not None else []
    words += [f"--seed {options.seed}", f"--speed {options.speed:g}"]
    flags = {"unattended": options.unattended, "real-time": options.real_time, "strict": options.strict}
    return " ".join([*words, *(f"--{name}" for name, given in flags.items() if given)])


def warnings(report: Report) -> list[str]:
    """Return warnings that matter whatever the verdict."""
    plan, found = report.plan, []
    if plan.origin is PlanOrigin.SAME_ID:
        found.append(
            f"This is not the included plan {plan.id!r}, although it has the same id: "
            f"{len(plan.left_out)} of that plan's checks are left out, {len(plan.altered)} are altered"
        )
    if report.ended_early:
        not_made = report.counts.causes.get(NotRunCause.ENDED, 0)
        found.append(f"Partial: the run was ended by {report.ended_early}, and {not_made} checks were not run")
    if report.hands == "simulated":
        found.append("The device was simulated: this report says nothing about a real device")
    return found


def remarks(check: CheckRecord) -> list[str]:
    """Return the measured times and the notes of a check."""
    return [*map(times_words, check.measures), *check.notes]


def times_words(times: TimesRecord) -> str:
    """Format one kind of measured time with its limit."""
    limit = "no limit" if times.limit_ms is None else f"limit {times.limit_ms} ms"
    figures = f"min {times.min_ms:.1f}, median {times.median_ms:.1f}, p99 {times.p99_ms:.1f}, max {times.max_ms:.1f} ms"
    return f"{times.name}: {figures} of {times.count}; {limit}"


def together(checks: list[CheckRecord]) -> dict[str, list[CheckRecord]]:
    """Group checks that were not run for a shared cause, by their reason."""
    found: dict[str, list[CheckRecord]] = {}
    for check in checks:
        if check.cause in LISTED_TOGETHER:
            found.setdefault(check.why, []).append(check)
    return found


def comparison_rows(against: ReportComparison) -> Iterator[tuple[str, list[str]]]:
    """Yield the changes since an earlier report: a heading and its entries; headings without entries are left out."""
    rows = {
        "Newly failing": list(against.newly_failing),
        "Still failing": list(against.still_failing),
        "Newly passing": list(against.newly_passing),
        "Newly not run": list(against.newly_not_run),
        "No longer in the plan": list(against.gone),
        "Times": [
            f"{change.check}, {change.name}: longest {change.before_ms:.1f} ms, now {change.now_ms:.1f} ms; "
            f"limit {change.limit_ms} ms"
            for change in against.times
        ],
        "Different facts": [
            f"{change.what}: {change.before or 'nothing'}, now {change.now or 'nothing'}"
            for change in against.differences
        ],
    }
    return ((heading, found) for heading, found in rows.items() if found)


def comparison_head(against: ReportComparison) -> str:
    """Return the line that names the earlier report."""
    return f"Compared with the report of {against.began} ({against.summary}), SHA-256 {against.sha256}"
