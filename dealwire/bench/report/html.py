"""Report as one self-contained HTML file: no scripts, fonts or network. It can be printed."""

import re
from collections.abc import Iterable
from html import escape as escaped
from typing import Final

from dealwire.bench.record import Actor, BenchOutcome, CheckRecord, LineMoment, TimesRecord
from dealwire.bench.report.report import Report, ReportComparison
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
from protocol.printable import printable

WIDTH: Final = 900
"""Width of a timeline, in its own units."""
LEFT: Final = 66
"""Space for the names of the lanes."""
LANES: Final = {Actor.HOST: 24, Actor.DEVICE: 58, Actor.HANDS: 92}
"""Vertical position of each lane."""
HEIGHT: Final = 128
MOST_BYTES: Final = 400_000
"""Maximum size of a page in bytes, so that it can be mailed and opens at once. The JSON report has every entry."""
LISTED: Final = ((60, 16), (60, 8), (40, 4), (20, 0), (10, 0), (0, 0), (-1, -1))
"""Limits of timeline entries as text, for failed and other checks (-1: not even the drawing). The first pair that keeps
the page small enough is used."""
TICKS: Final = 6
"""Maximum number of ticks on the axis."""
_FIELD: Final = re.compile(r"(\w+)=(\[[^\]]*\]|\S+)")
STEPS_MS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000, 120_000, 300_000)

_STYLE: Final = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d0d7de;
  --pass: #116329; --fail: #b3261e; --none: #7a5901; --host: #0550ae; --device: #116329; --hands: #8250df;
  --tint: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9aa4af; --paper: #0d1117; --line: #343b44;
  --pass: #56d364; --fail: #ff7b72; --none: #e3b341; --host: #79c0ff; --device: #56d364; --hands: #d2a8ff;
  --tint: #161b22; } }
@media print { :root { --ink: #000; --soft: #333; --paper: #fff; --line: #999; --pass: #060; --fail: #a00;
  --none: #640; --host: #036; --device: #060; --hands: #506; --tint: #fff; } details { break-inside: avoid; }
  body { font-size: 9pt; max-width: none; padding: 0; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
.verdict { font-weight: 700; font-size: 1.15rem; border-left: .35rem solid currentColor; padding: .5rem .75rem;
  background: var(--tint); }
.passed { color: var(--pass); } .failed, .nothing-run { color: var(--fail); }
.not-run, .incomplete { color: var(--none); }
.note { border: 1px solid var(--none); padding: .4rem .75rem; }
ul { margin: 0; padding: 0 0 0 1.2rem; columns: 24rem; }
ul li { break-inside: avoid; } ul code { color: var(--soft); font-size: .85em; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { color: var(--soft); }
dd { margin: 0;
  overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .6rem .25rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
details { border-bottom: 1px solid var(--line); } summary { cursor: pointer; padding: .35rem 0;
  display: flex; gap: .75rem;
  align-items: baseline; } summary code { color: var(--soft); margin-left: auto; }
summary .o { flex: 0 0 4.2rem; font-weight: 600; }
.in { padding: 0 0 1rem 4.95rem; } .in p { margin: .2rem 0; } .must { color: var(--soft); }
svg { display: block; width: 100%; height: auto; background: var(--tint); margin: .5rem 0; }
svg text { font: 11px system-ui, sans-serif; fill: var(--soft); }
svg text[y="122"] { text-anchor: middle; } svg.shared { height: 0; margin: 0; }
#lanes { font: 11px system-ui, sans-serif; fill: var(--soft); }
.axis { stroke: var(--line); stroke-width: 1; } .hands { fill: var(--hands); } .bad { fill: var(--fail); }
path.host, path.device { stroke-width: 8; stroke-linecap: round; } path.host { stroke: var(--host); }
path.device { stroke: var(--device); }
pre { margin: .3rem 0; font: 12px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
pre b { color: var(--fail); }
.wide { overflow-x: auto; }
a { color: inherit; } p, dd, code, td { overflow-wrap: anywhere; }
@media (max-width: 40rem) { body { padding: .75rem; } .in { padding-left: 0; } summary { flex-wrap: wrap; }
  summary code { margin-left: 0; } dl { display: block; }
  dd { margin-bottom: .4rem; } }
.bar { min-width: 4rem; height: .6rem; background: var(--line); }
.bar i { display: block; height: 100%; background: var(--device); }
"""


def to_html(report: Report, signature: ReportSignature | None = None) -> str:
    """Return the HTML document. `signature` is that of the JSON report; it is shown, but the page itself is not
    signed."""
    pages = (_page(report, signature, listed) for listed in LISTED)
    return next((page for page in pages if len(page.encode()) <= MOST_BYTES), "") or _page(
        report, signature, LISTED[-1]
    )


def _page(report: Report, signature: ReportSignature | None, listed: tuple[int, int]) -> str:
    against = report.against
    title = f"{report.plan.title}: {report.verdict.value}"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(report.plan.title)}</h1>",
        f'<p class="verdict {_css(report.verdict)}">{_text(report.summary)}</p>',
        f'<p class="verdict passed">Conformance: {_text(report.conformance)}</p>' if report.conformance else "",
        *(f'<p class="note">{_text(warning)}</p>' for warning in warnings(report)),
        _lanes(),
        _facts(report),
        _areas(report),
        _against(against) if against else "",
        _list("Failed", report.of(BenchOutcome.FAILED), listed[0], is_open=True),
        _not_run(report.of(BenchOutcome.NOT_RUN), listed[1]),
        _timing(report),
        _list("Passed", report.of(BenchOutcome.PASSED), listed[1], is_open=False),
        _requirements(report),
        _evidence(report, signature),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _css(word: str) -> str:
    return word.replace(" ", "-")


def _facts(report: Report) -> str:
    """Return the head, without the statement of conformance, which is above it."""
    return _pairs((fact.label, fact.text) for fact in facts(report) if fact.key != "conformance")


def _pairs(rows: Iterable[tuple[str, str]]) -> str:
    return "<dl>" + "".join(f"<dt>{_text(label)}</dt><dd>{_text(text)}</dd>" for label, text in rows) + "</dl>"


def _evidence(report: Report, signature: ReportSignature | None) -> str:
    """Return the link between the page and the JSON report that can be verified."""
    rows = [("Report SHA-256", report.sha256)]
    if signature is None:
        rows.append(("Signature", "none"))
    else:
        rows += [("Signed with key", signature.key_id), ("Public key", signature.public.hex())]
        rows.append(("Signature (Ed25519)", signature.hex))
    words = "This page was made from the JSON report; only the JSON report is evidence: dealwire bench --verify FILE"
    return f"<h2>Evidence</h2><p>{words}</p>{_pairs(rows)}"


def _areas(report: Report) -> str:
    rows: list[tuple[str, list[int]]] = []
    outcomes = list(BenchOutcome)
    for area in dict.fromkeys(check.area for check in report.checks):
        checks = [check for check in report.checks if check.area == area]
        rows.append((area, [sum(check.outcome is outcome for check in checks) for outcome in outcomes]))
    rows.append(("all", [len(report.of(outcome)) for outcome in outcomes]))
    body = "".join(
        f"<tr><td>{name}</td>" + "".join(f'<td class="n">{cell}</td>' for cell in (*cells, sum(cells))) + "</tr>"
        for name, cells in rows
    )
    heads = "".join(f'<th class="n" scope="col">{name}</th>' for name in (*(one.value for one in outcomes), "checks"))
    head = f'<thead><tr><th scope="col">area</th>{heads}</tr></thead>'
    return f'<h2>By area</h2><div class="wide"><table>{head}<tbody>{body}</tbody></table></div>'


def _against(against: ReportComparison) -> str:
    """Return the changes since an earlier report."""
    rows = [
        f"<dt>{_text(heading)} ({len(found)})</dt><dd>{'<br>'.join(map(_text, found))}</dd>"
        for heading, found in comparison_rows(against)
    ]
    body = f"<dl>{''.join(rows)}</dl>" if rows else "<p>Nothing has changed.</p>"
    return f"<h2>Compared with an earlier report</h2><p>{_text(comparison_head(against))}</p>{body}"


def _not_run(checks: list[CheckRecord], listed: int) -> str:
    """Return checks that were not run: first those with their own reason, then groups with a common one."""
    if not checks:
        return ""
    own = [check for check in checks if check.cause not in LISTED_TOGETHER]
    groups = [
        f'<h3 class="not-run">{len(found)}: {_text(why)}</h3><ul>'
        + "".join(
            f'<li id="{_text(check.id)}"><code>{_text(check.id)}</code> {_text(check.title)}</li>' for check in found
        )
        + "</ul>"
        for why, found in together(checks).items()
    ]
    return f"<h2>Not run</h2>{''.join(_check(check, listed, True) for check in own)}{''.join(groups)}"


def _timing(report: Report) -> str:
    rows = [_timing_row(check, times) for check in report.checks for times in check.measures]
    if not rows:
        return ""
    heads = "".join(
        f'<th class="n" scope="col">{name}</th>' for name in ("count", "min", "median", "p99", "max", "limit")
    )
    return (
        '<h2>Times in milliseconds</h2><div class="wide"><table><thead><tr><th scope="col">what</th>'
        f'{heads}<th scope="col">maximum / limit</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _timing_row(check: CheckRecord, times: TimesRecord) -> str:
    figures = [f"{value:.1f}" for value in (times.min_ms, times.median_ms, times.p99_ms, times.max_ms)]
    limit = "none" if times.limit_ms is None else str(times.limit_ms)
    share = min(1.0, times.max_ms / times.limit_ms) if times.limit_ms else 0.0
    bar = f'<div class="bar"><i style="width:{share * 100:.0f}%"></i></div>' if times.limit_ms else ""
    cells = "".join(f'<td class="n">{cell}</td>' for cell in (str(times.count), *figures, limit))
    return f"<tr><td>{_text(times.name)}<br><small>{_text(check.id)}</small></td>{cells}<td>{bar}</td></tr>"


def _requirements(report: Report) -> str:
    """Return the sections of the specification, each with its checks and their outcomes."""
    by_section: dict[str, list[CheckRecord]] = {}
    for check in report.checks:
        by_section.setdefault(check.section, []).append(check)
    rows = "".join(
        f'<tr id="section-{_text(section)}"><td>{_text(section)}</td><td class="n">{len(checks)}</td><td>'
        + ", ".join(f'<a class="{_css(it.outcome)}" href="#{_text(it.id)}">{_text(it.id)}</a>' for it in checks)
        + "</td></tr>"
        for section, checks in by_section.items()
    )
    heads = '<th scope="col">section</th><th class="n" scope="col">checks</th><th scope="col">ids</th>'
    head = f"<thead><tr>{heads}</tr></thead>"
    words = f"Sections of {page_of(report)} with the checks that verify them; the color of a check is its outcome."
    return f"<h2>Requirements</h2><p>{_text(words)}</p><table>{head}<tbody>{rows}</tbody></table>"


def _list(title: str, checks: list[CheckRecord], listed: int, *, is_open: bool) -> str:
    if not checks:
        return ""
    return f"<h2>{title}</h2>" + "".join(_check(check, listed, is_open) for check in checks)


def _check(check: CheckRecord, listed: int, is_open: bool) -> str:
    css = _css(check.outcome)
    words = [f"<p>{_text(remark)}</p>" for remark in remarks(check)]
    why = f'<p class="{css}">{_text(check.why)}</p>' if check.why else ""
    head = (
        f'<summary><span class="o {css}">{check.outcome.value}</span>'
        f"<span>{_text(check.title)}</span><code>{_text(check.id)}</code></summary>"
    )
    section = _text(check.section)
    must = f'<p class="must">{_text(check.must)} (<a href="#section-{section}">{section}</a>)</p>'
    return (
        f'<details{" open" if is_open else ""} id="{_text(check.id)}">{head}'
        f'<div class="in">{why}{must}{"".join(words)}{_timeline(check, listed)}</div></details>'
    )


# ------------------------------------------------------------------ time lines


def _timeline(check: CheckRecord, listed: int) -> str:
    if not check.timeline or listed < 0:
        return ""
    whole_ms = max(check.duration_ms, 1.0)
    scale = (WIDTH - LEFT - 20) / whole_ms
    label = _text(f"Timeline of {check.id}: {len(check.timeline)} entries in {whole_ms:.0f} ms")
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}"><use href="#lanes"/>'
        f"{_axis(whole_ms, scale)}{_marks(check.timeline, scale)}</svg>{_entries(check, listed)}"
    )


def _lanes() -> str:
    """Return the lanes that all timelines share, defined once per page."""
    lanes = "".join(
        f'<path class="axis" d="M{LEFT} {y}H{WIDTH - 10}"/>'
        f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{lane.value}</text>'
        for lane, y in LANES.items()
    )
    return f'<svg class="shared" aria-hidden="true"><defs><g id="lanes">{lanes}</g></defs></svg>'


def _axis(whole_ms: float, scale: float) -> str:
    step = next((step for step in STEPS_MS if whole_ms / step <= TICKS), STEPS_MS[-1])
    ticks = range(0, int(whole_ms) + 1, step)
    lines = "".join(f"M{LEFT + at * scale:.0f} 8V{HEIGHT - 20}" for at in ticks)
    words = "".join(
        f'<text x="{LEFT + at * scale:.0f}" y="{HEIGHT - 6}">{f"{at} ms" if step < 1000 else f"{at // 1000} s"}</text>'
        for at in ticks
    )
    return f'<path class="axis" d="{lines}"/>{words}'


def _marks(moments: Iterable[LineMoment], scale: float) -> str:
    """Return one path per kind of mark. Marks at the same position are drawn once; the entries are listed below."""
    drawn: dict[str, dict[str, None]] = {}
    for moment in moments:
        x, y = round(LEFT + moment.ms * scale), LANES[moment.by]
        if moment.bad:
            drawn.setdefault("bad", {})[f"M{x - 5} {y - 5}h10v10h-10z"] = None
        elif moment.by is Actor.HANDS:
            drawn.setdefault("hands", {})[f"M{x} {y - 6}l6 6l-6 6l-6 -6z"] = None
        else:
            drawn.setdefault(moment.by.value, {})[f"M{x} {y}h0"] = None
    return "".join(f'<path class="{css}" d="{"".join(marks)}"/>' for css, marks in drawn.items())


def _entries(check: CheckRecord, listed: int) -> str:
    """Return the first entries as text. Heartbeats and unchanged statuses are left to the drawing; another status is
    reduced to its changes."""
    if not listed:
        return ""
    lines: list[str] = []
    last: dict[str, str] = {}
    for moment in check.timeline:
        name, _, _rest = moment.what.partition(" ")
        words = moment.what
        if name.endswith("Status"):
            words, last = _news(moment.what, last), dict(_parts(moment.what))
        if ((words == name and name.endswith("Status")) or words.startswith(("Heartbeat", "Ack "))) and not moment.bad:
            continue
        line = f"{moment.ms:9.1f} {moment.by.value:6} {_text(words)}"
        lines.append(f"<b>{line}</b>" if moment.bad else line)
    more = [f"{'':16} and {len(lines) - listed} more in the JSON report"] if len(lines) > listed else []
    return "<pre>" + "\n".join([*lines[:listed], *more]) + "</pre>"


def _parts(words: str) -> Iterable[tuple[str, str]]:
    """Yield the fields of a message's description."""
    return (found.groups() for found in _FIELD.finditer(words))  # type: ignore[misc]


def _news(words: str, before: dict[str, str]) -> str:
    """Return a status without its unchanged fields."""
    name = words.partition(" ")[0]
    if not before:
        return words
    return " ".join([name, *(f"{key}={value}" for key, value in _parts(words) if before.get(key) != value)])


def _text(text: str) -> str:
    """Escape text for HTML. Control characters from a device are shown, not interpreted."""
    return escaped(printable(text, None))
