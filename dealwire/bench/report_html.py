"""A report as one HTML file that needs nothing else: no script, no font, no network. It prints."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape as escaped
from typing import Final

from dealwire.bench.record import Actor, BenchOutcome, Measurement, Result, TimelineEntry
from dealwire.bench.report import Report
from protocol.printable import printable

WIDTH: Final = 900
"""Of a time line, in its own units."""
LEFT: Final = 66
"""Room for the lanes' names."""
LANES: Final = {Actor.HOST: 24, Actor.DEVICE: 58, Actor.HANDS: 92}
"""Height of each lane's line."""
HEIGHT: Final = 128
LISTED: Final = 60
"""Entries of a time line written out below it."""
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
  body { font-size: 9pt; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
.verdict { font-weight: 700; } .passed { color: var(--pass); } .failed { color: var(--fail); }
.not-run { color: var(--none); }
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
.axis { stroke: var(--line); stroke-width: 1; } .host { fill: var(--host); } .device { fill: var(--device); }
.hands { fill: var(--hands); } .bad { fill: var(--fail); }
ol { margin: .3rem 0; padding: 0; list-style: none; font: 12px/1.45 ui-monospace, monospace; }
li { display: grid; grid-template-columns: 6rem 4.2rem 1fr; gap: .5rem; }
li span { overflow-wrap: anywhere; min-width: 0; }
li span:first-child { text-align: right;
  color: var(--soft); } li.b { color: var(--fail); }
.wide { overflow-x: auto; }
p, dd, code { overflow-wrap: anywhere; }
@media (max-width: 40rem) { body { padding: .75rem; } .in { padding-left: 0; } summary { flex-wrap: wrap; }
  li { grid-template-columns: 3.5rem 3.2rem 1fr; } summary code { margin-left: 0; } dl { display: block; }
  dd { margin-bottom: .4rem; } }
.bar { min-width: 4rem; height: .6rem; background: var(--line); }
.bar i { display: block; height: 100%; background: var(--device); }
"""


def to_html(report: Report) -> str:
    """The whole document."""
    verdict = "passed" if report.passed else "failed"
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(report.title)}: {verdict}</title><style>{_STYLE}</style></head><body>",
        f"<h1>{_text(report.title)}</h1>",
        f'<p class="verdict {verdict}">{_verdict(report)}</p>',
        _facts(report),
        _areas(report),
        _list("Failed", report.of(BenchOutcome.FAILED), is_open=True),
        _list("Not run", report.of(BenchOutcome.NOT_RUN), is_open=True),
        _timing(report),
        _list("Passed", report.of(BenchOutcome.PASSED), is_open=False),
        "</body></html>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _verdict(report: Report) -> str:
    counts = report.counts()
    word = "Passed" if report.passed else "Failed"
    return f"{word}: {counts['passed']} passed, {counts['failed']} failed, {counts['not_run']} not run"


def _facts(report: Report) -> str:
    began = datetime.fromtimestamp(report.began_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    facts = {
        "Device": report.device,
        "Firmware digest": report.hello.digest.hex() if report.hello else "not known",
        "Line": report.address,
        "Plan": report.plan,
        "Began": began,
        "Took": f"{report.took_s:.1f} s",
        "Seed": str(report.seed),
        "Allowance": f"{report.allowance_ms} ms of this machine and the line on every limit",
        "Program": f"dealwire {report.version}",
    }
    return "<dl>" + "".join(f"<dt>{_text(k)}</dt><dd>{_text(v)}</dd>" for k, v in facts.items()) + "</dl>"


def _areas(report: Report) -> str:
    rows = []
    for area in dict.fromkeys(result.area for result in report.results):
        results = [result for result in report.results if result.area == area]
        cells = [sum(result.outcome is outcome for result in results) for outcome in BenchOutcome]
        rows.append(f"<tr><td>{area}</td>" + "".join(f'<td class="n">{cell}</td>' for cell in cells) + "</tr>")
    heads = "".join(f'<th class="n" scope="col">{outcome.value}</th>' for outcome in BenchOutcome)
    head = f'<thead><tr><th scope="col">area</th>{heads}</tr></thead>'
    return f'<h2>By area</h2><div class="wide"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'


def _timing(report: Report) -> str:
    rows = [_timing_row(result, measure) for result in report.results for measure in result.measures]
    if not rows:
        return ""
    heads = "".join(
        f'<th class="n" scope="col">{name}</th>' for name in ("count", "min", "median", "p99", "max", "limit")
    )
    return (
        '<h2>Times in milliseconds</h2><div class="wide"><table><thead><tr><th scope="col">what</th>'
        f'{heads}<th scope="col">longest, of the limit</th></tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
    )


def _timing_row(result: Result, measure: Measurement) -> str:
    figures = [f"{value:.1f}" for value in measure.figures]
    limit = "none" if measure.limit_ms is None else str(measure.limit_ms)
    share = min(1.0, max(measure.values_ms) / measure.limit_ms) if measure.limit_ms else 0.0
    bar = f'<div class="bar"><i style="width:{share * 100:.0f}%"></i></div>' if measure.limit_ms else ""
    cells = "".join(f'<td class="n">{cell}</td>' for cell in (str(len(measure.values_ms)), *figures, limit))
    return f"<tr><td>{_text(measure.name)}<br><small>{_text(result.id)}</small></td>{cells}<td>{bar}</td></tr>"


def _list(title: str, results: list[Result], *, is_open: bool) -> str:
    if not results:
        return ""
    return f"<h2>{title}</h2>" + "".join(_check(result, is_open) for result in results)


def _check(result: Result, is_open: bool) -> str:
    css = result.outcome.value.replace(" ", "-")
    section = f"docs/protocol.md#{result.section}"
    words = [f"<p>{_text(remark)}</p>" for remark in result.remarks]
    why = f'<p class="{css}">{_text(result.why)}</p>' if result.why else ""
    head = (
        f'<summary><span class="o {css}">{result.outcome.value}</span>'
        f"<span>{_text(result.title)}</span><code>{_text(result.id)}</code></summary>"
    )
    must = f'<p class="must">{_text(result.must)} ({_text(section)})</p>'
    return (
        f'<details{" open" if is_open else ""} id="{_text(result.id)}">{head}'
        f'<div class="in">{why}{must}{"".join(words)}{_timeline(result)}</div></details>'
    )


# ------------------------------------------------------------------ time lines


def _timeline(result: Result) -> str:
    if not result.timeline:
        return ""
    whole_ms = max(result.took_ns / 1e6, 1.0)
    scale = (WIDTH - LEFT - 20) / whole_ms
    marks = "".join(_mark(entry, LEFT + (entry.at_ns - result.began_ns) / 1e6 * scale) for entry in result.timeline)
    label = _text(f"Time line of {result.id}: {len(result.timeline)} entries in {whole_ms:.0f} ms")
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">{_axes(whole_ms, scale)}{marks}</svg>'
        f"{_entries(result)}"
    )


def _axes(whole_ms: float, scale: float) -> str:
    step = next((step for step in STEPS_MS if whole_ms / step <= 10), STEPS_MS[-1])
    out = [
        f'<line class="axis" x1="{LEFT}" y1="{y}" x2="{WIDTH - 10}" y2="{y}"/>'
        f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{lane.value}</text>'
        for lane, y in LANES.items()
    ]
    at = 0
    while at <= whole_ms:
        x = LEFT + at * scale
        words = f"{at} ms" if step < 1000 else f"{at // 1000} s"
        out.append(f'<line class="axis" x1="{x:.1f}" y1="8" x2="{x:.1f}" y2="{HEIGHT - 20}"/>')
        out.append(f'<text x="{x:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{words}</text>')
        at += step
    return "".join(out)


def _mark(entry: TimelineEntry, x: float) -> str:
    y = LANES[entry.lane]
    css = "bad" if entry.bad else entry.lane.value
    title = f"<title>{_text(entry.text)}</title>"
    if entry.bad:
        return f'<path class="{css}" d="M{x - 5:.1f} {y - 5}h10v10h-10z">{title}</path>'
    if entry.lane is Actor.HANDS:
        return f'<path class="{css}" d="M{x:.1f} {y - 6}l6 6l-6 6l-6 -6z">{title}</path>'
    return f'<circle class="{css}" cx="{x:.1f}" cy="{y}" r="4">{title}</circle>'


def _entries(result: Result) -> str:
    """The first entries in words; a heartbeat or a status that says nothing new is left to the picture."""
    items: list[str] = []
    last = ""
    for entry in result.timeline:
        plain = entry.text.startswith(("Heartbeat", "Ack ")) or (
            entry.text.split(" ", 2)[0].endswith("Status") and entry.text == last
        )
        last = entry.text if entry.text.split(" ", 2)[0].endswith("Status") else last
        if plain and not entry.bad:
            continue
        ms = (entry.at_ns - result.began_ns) / 1e6
        css = ' class="b"' if entry.bad else ""
        items.append(
            f"<li{css}><span>{ms:.1f}</span><span>{entry.lane.value}</span><span>{_text(entry.text)}</span></li>"
        )
    more = (
        f"<li><span></span><span></span><span>and {len(items) - LISTED} more</span></li>" if len(items) > LISTED else ""
    )
    return f"<ol>{''.join(items[:LISTED])}{more}</ol>"


def _text(text: str) -> str:
    """As it stands in a page: what a device says of itself is shown, and not obeyed."""
    return escaped(printable(text, None))
