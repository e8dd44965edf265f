"""Sphinx directive that shows the Mermaid charts of the pages without a script.

The states of a procedure become a picture, any other chart a table of its arrows. Only the notation that the pages use
is understood; any other line is an error.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

GROUP, REST = "round", "betting"
"""State that holds the steps, and the state in which every path ends."""

LEFT, WIDTH, HIGH, GAP, TOP = 70, 250, 34, 34, 12
SIDE, SIDE_WIDTH, SIDE_HIGH, SIDE_GAP = 510, 190, 46, 44
TOTAL = SIDE + SIDE_WIDTH + 110

IGNORED = re.compile(r"stateDiagram-v2|sequenceDiagram|\[\*\] --> \w+|state round \{|\}")
NODE = re.compile(r'state "(?P<label>[^"]+)" as (?P<name>\w+)|participant (?P<short>\w+) as (?P<who>\w+)')
WAY = re.compile(r"(?P<source>\w+?) ?--?>>? ?(?P<dest>\w+)(?:: (?P<by>.+))?")


@dataclass
class States:
    """Content of a chart: labels of steps or parties by name, in order, and arrows as (from, to, trigger)."""

    steps: dict[str, str] = field(default_factory=dict)
    ways: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def loose(self) -> list[str]:
        """Return the states outside the steps, in the order in which they are first named."""
        named = [name for way in self.ways for name in way[:2]]
        return [name for name in dict.fromkeys(named) if name not in self.steps and name not in (GROUP, REST)]


def parse(lines: list[str]) -> States:
    """Parse a diagram; raise ValueError for a line in unknown notation."""
    states = States()
    for line in map(str.strip, lines):
        if node := NODE.fullmatch(line):
            states.steps[node["name"] or node["short"]] = node["label"] or node["who"]
        elif way := WAY.fullmatch(line):
            states.ways.append((way["source"], way["dest"], way["by"] or ""))
        elif line and not IGNORED.fullmatch(line):
            raise ValueError(f"not understood: {line}")
    return states


def spoken(states: States) -> str:
    """Return the diagram as sentences, for screen readers."""
    label = {**states.steps, GROUP: "any step"}
    said = (f"{label.get(a, a)} to {label.get(b, b)}" + (f" by {by}" if by else "") for a, b, by in states.ways)
    return "; ".join(said) + "."


def tabled(states: States) -> str:
    """Return the chart's arrows as a table, one a row."""
    cells = ([states.steps.get(way[0], way[0]), states.steps.get(way[1], way[1]), way[2]] for way in states.ways)
    rows = ("".join(f"<td><p>{escape(cell)}</p></td>" for cell in row) for row in cells)
    head = "".join(f'<th class="head"><p>{word}</p></th>' for word in ("from", "to", "what"))
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<div class="table-wrapper"><table class="docutils"><thead><tr>{head}</tr></thead>{body}</table></div>'


def draw(states: States) -> str:
    """Draw the diagram as SVG, in the colors of the surrounding text."""
    count = len(states.steps)
    rows = {name: TOP + HIGH + 2 * GAP + number * (HIGH + GAP) for number, name in enumerate(states.steps)}
    frame_top, frame_end = TOP + HIGH + GAP, TOP + HIGH + GAP + count * (HIGH + GAP) + GAP
    side = {name: frame_top + number * (SIDE_HIGH + SIDE_GAP) for number, name in enumerate(states.loose)}
    high = max(frame_end, *(top + SIDE_HIGH for top in side.values())) + TOP
    parts = [
        _box(LEFT, TOP, WIDTH, HIGH, REST, "rest"),
        _box(LEFT - 46, frame_top, WIDTH + 110, frame_end - frame_top, "", "group"),
        *(_box(LEFT, rows[name], WIDTH, HIGH, label, "step") for name, label in states.steps.items()),
        *(_box(SIDE, top, SIDE_WIDTH, SIDE_HIGH, name, "side") for name, top in side.items()),
        *_ends(states, side, frame_end),
        *(part for way in states.ways if way[1] != REST for part in _way(way, rows, side)),
    ]
    head = (
        f'<svg role="img" width="{TOTAL}" height="{high}" viewBox="0 0 {TOTAL} {high}"><title>{escape(spoken(states))}'
    )
    return f'<div class="states" tabindex="0">{head}</title>{"".join(parts)}</svg></div>'


def _box(x: int, y: int, wide: int, high: int, label: str, kind: str) -> str:
    middle = y + (high / 2 + 5 if kind != "side" else 19)
    text = _text(x + wide / 2, middle, label, "middle") if label else ""
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{wide}" height="{high}" rx="6"/>{text}'


def _text(x: float, y: float, text: str, anchor: str = "start", kind: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" class="{kind}">{escape(text)}</text>'


def _ends(states: States, side: dict[str, int], frame_end: int) -> Iterator[str]:
    """Yield the arrows back to the start as text in their box, since lines would cross all others."""
    for source, dest, by in states.ways:
        if dest == REST and source == GROUP:
            yield _text(LEFT + WIDTH / 2, frame_end - 12, f"{by}: {REST}", "middle", "by")
        elif dest == REST:
            yield _text(SIDE + SIDE_WIDTH / 2, side[source] + 37, f"{by}: {REST}", "middle", "by")


def _way(way: tuple[str, str, str], rows: dict[str, int], side: dict[str, int]) -> Iterator[str]:
    source, dest, by = way
    if source == REST:
        yield from _down(TOP + HIGH, rows[dest], "", LEFT + WIDTH / 2)
        yield _text(LEFT + WIDTH / 2 + 8, TOP + HIGH + 20, by, kind="by")
    elif source in rows:
        yield from _between_steps(rows[source], rows[dest], by)
    elif source == GROUP:
        y = side[dest] + SIDE_HIGH / 2
        yield _line(f"M{LEFT + WIDTH + 64} {y}H{SIDE}") + _tip(SIDE, y, "right")
        yield _text((LEFT + WIDTH + 64 + SIDE) / 2, y - 7, by, "middle", "by")
    elif side[dest] - side[source] == SIDE_HIGH + SIDE_GAP:
        yield from _down(side[source] + SIDE_HIGH, side[dest], by, SIDE + 60)
    else:
        start, end, out = side[source] + SIDE_HIGH / 2, side[dest] + SIDE_HIGH / 2, SIDE + SIDE_WIDTH
        yield (
            _line(f"M{out} {start}h34V{end}h-34")
            + _tip(out, end, "left")
            + _text(out + 40, (start + end) / 2, by, kind="by")
        )


def _between_steps(start: int, end: int, by: str) -> Iterator[str]:
    """Draw an arrow to the next step, or around those in between: on the right going down, on the left going up."""
    if end - start == HIGH + GAP:
        yield from _down(start + HIGH, end, by, LEFT + WIDTH / 2)
        return
    here, there, down = start + HIGH / 2 + 4, end + HIGH / 2 - 4, end > start
    edge, out = (LEFT + WIDTH, 14 + (end - start) // (HIGH + GAP) * 6) if down else (LEFT, -18)
    yield _line(f"M{edge} {here}h{out}V{there}h{-out}") + _tip(edge, there, "left" if down else "right")
    yield _text(LEFT + WIDTH - 38 if down else LEFT - 14, start - 8 if down else end - 8, by, kind="by")


def _down(start: int, end: int, by: str, x: float) -> Iterator[str]:
    yield _line(f"M{x:g} {start}V{end}") + _tip(x, end, "down") + _text(x + 8, (start + end) / 2 + 4, by, kind="by")


def _line(path: str) -> str:
    return f'<path class="way" d="{path}"/>'


def _tip(x: float, y: float, way: str) -> str:
    corners = {"down": (-4, -8, 4, -8), "right": (-8, -4, -8, 4), "left": (8, -4, 8, 4)}[way]
    return f'<path class="tip" d="M{x:g} {y:g}l{corners[0]} {corners[1]}L{x + corners[2]:g} {y + corners[3]:g}z"/>'


class Chart(SphinxDirective):
    """Fence of Mermaid text."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the chart, or report an error at the fence."""
        self.env.note_dependency(__file__)
        try:
            states = parse(list(self.content))
        except ValueError as error:
            raise self.error(str(error)) from error
        shown = draw(states) if any(source == GROUP for source, _, _ in states.ways) else tabled(states)
        return [nodes.raw("", shown, format="html")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("mermaid", Chart)
    return {"parallel_read_safe": True}
