"""The sentences of a report, for each of its forms."""

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
    "person": "a person, asked step by step",
    "program": "a program, given by --hands",
    "nobody": "nobody: what needs hands was not run",
}

DECISION: Final = "passed when each step is as its section has it; a time is exceeded beyond limit and allowance"

ORIGINS: Final = {
    PlanOrigin.PACKAGED: "the one that comes with this program",
    PlanOrigin.SAME_ID: "NOT the one of this id that comes with this program",
    PlanOrigin.OWN: "not one that comes with this program",
}

LISTED_TOGETHER: Final = frozenset({NotRunCause.FILTERED, NotRunCause.LEFT_OUT, NotRunCause.ENDED})
"""Many checks are not run for these, all for the same reason."""


class ReportFact(NamedTuple):
    """One line of a report's head: a name for programs, one for people, and what it says."""

    key: str
    label: str
    text: str


def facts(report: Report) -> list[ReportFact]:
    """The head of every form."""
    plan, program, device = report.plan, report.program, report.device
    commit = f", commit {program.commit}" if program.commit else ", commit not known"
    conforms = [ReportFact("conformance", "Conformance", report.conformance)] if report.conformance else []
    return [
        *conforms,
        *_conditions(report),
        ReportFact("device", "Device", device_words(report)),
        ReportFact("firmware-digest", "Firmware digest", device.digest or "not attested by the device"),
        ReportFact("image", "Firmware image", image_words(report)),
        ReportFact("capabilities", "It offers", ", ".join(device.capabilities) or "no capability"),
        *_unseen(report),
        ReportFact("power-ups", "Power-ups", str(device.boots)),
        ReportFact("line", "Line", report.line),
        ReportFact("hands", "Hands", HANDS[report.hands]),
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
    """Who judged, where and with what: what stands first on the first page."""
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
    """The events of its class of which nothing was judged."""
    if report.unseen is msgspec.UNSET:
        return []
    words = ", ".join(report.unseen) or "none: it said every event of its class"
    return [ReportFact("unseen", "Events not seen", words)]


def clock_words(report: Report) -> str:
    """What the times were taken with."""
    if not report.by_clock:
        return "the simulated device's own: nothing is late, and every run is the same"
    return f"{report.host}'s own, whose calibration the instruments name; a time is taken when this program hears of it"


def image_words(report: Report) -> str:
    """What *Verify* was held against."""
    given = f"SHA-256 {report.image}" if report.image else "not given"
    if "VERIFY" not in report.device.capabilities:
        return f"{given}; the device has no VERIFY"
    return given if report.image else f"{given} (--image): the digest of VERIFY was not judged"


def allowance_words(report: Report) -> str:
    """What the line and this machine may add, and that the plan has it otherwise where it does."""
    words = f"{report.allowance_ms} ms of this machine and the line on every limit"
    planned = report.plan.allowance_ms
    chosen = report.by_clock and report.allowance_ms != planned
    return f"{words}, chosen by --allowance; the plan has {planned} ms" if chosen else words


def device_words(report: Report) -> str:
    """Who was judged, in the device's own words."""
    device = report.device
    if report.protocol.dialect != "tdp":
        return f"{device.kind}; the dialect has no word for who it is"
    names = (printable(each) for each in (device.maker, device.model, device.serial, device.firmware))
    return "{} {} {}, serial {}, firmware {}".format(device.kind, *names)


def page_of(report: Report) -> str:
    """The page that a check's section stands on."""
    dialect = report.protocol.dialect
    return "docs/protocol-reference.md" if dialect == "tdp" else f"docs/dialects/{dialect}.md"


def protocol_words(report: Report) -> str:
    """The protocol's version here and at the device."""
    spoken = report.protocol
    if spoken.dialect != "tdp":
        return f"{spoken.dialect} style, as {page_of(report)} has it"
    theirs = " to ".join(dict.fromkeys((spoken.device_from, spoken.device_to)))
    common = f"{spoken.common} in common" if spoken.common else "none in common"
    return f"Table Device Protocol ({spoken.dialect}) {spoken.version}; the device speaks {theirs}, {common}"


def options_words(options: RunOptions) -> str:
    """As they would be typed."""
    words = [only_words(options.only)] if options.only else []
    words += [f"--rounds {options.rounds}"] if options.rounds is not None else []
    words += [f"--seed {options.seed}", f"--speed {options.speed:g}"]
    flags = {"unattended": options.unattended, "real-time": options.real_time, "strict": options.strict}
    return " ".join([*words, *(f"--{name}" for name, given in flags.items() if given)])


def warnings(report: Report) -> list[str]:
    """What must not be overlooked, whatever the verdict."""
    plan, found = report.plan, []
    if plan.origin is PlanOrigin.SAME_ID:
        found.append(
            f"This is not the plan {plan.id!r} that comes with the program, though it has its id: "
            f"{len(plan.left_out)} of that plan's checks are left out, {len(plan.altered)} stand otherwise"
        )
    if report.ended_early:
        not_made = report.counts.causes.get(NotRunCause.ENDED, 0)
        found.append(f"Partial: the run was ended by {report.ended_early}, and {not_made} checks were not made")
    if report.hands == "simulated":
        found.append("The device was simulated: this says nothing about a real one")
    return found


def remarks(check: CheckRecord) -> list[str]:
    """What was measured in a check, and what there is to say."""
    return [*map(times_words, check.measures), *check.notes]


def times_words(times: TimesRecord) -> str:
    """The figures of one kind of times beside their limit."""
    limit = "no limit" if times.limit_ms is None else f"limit {times.limit_ms} ms"
    figures = f"min {times.min_ms:.1f}, median {times.median_ms:.1f}, p99 {times.p99_ms:.1f}, max {times.max_ms:.1f} ms"
    return f"{times.name}: {figures} of {times.count}; {limit}"


def together(checks: list[CheckRecord]) -> dict[str, list[CheckRecord]]:
    """By their common reason, the checks that were not run for one that is not their own."""
    found: dict[str, list[CheckRecord]] = {}
    for check in checks:
        if check.cause in LISTED_TOGETHER:
            found.setdefault(check.why, []).append(check)
    return found


def comparison_rows(against: ReportComparison) -> Iterator[tuple[str, list[str]]]:
    """What changed since an earlier report: a heading, and each that belongs under it; headings without any are left
    out."""
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
        "Otherwise than then": [
            f"{change.what}: {change.before or 'nothing'}, now {change.now or 'nothing'}"
            for change in against.differences
        ],
    }
    return ((heading, found) for heading, found in rows.items() if found)


def comparison_head(against: ReportComparison) -> str:
    """Which report it is compared with."""
    return f"Against the report of {against.began} ({against.summary}), SHA-256 {against.sha256}"
