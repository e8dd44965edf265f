"""A sheet as plain text, for a terminal."""

import textwrap
from collections.abc import Iterator
from typing import Final

from dealwire.sheet.paper import Block, Paper, PaperBlanks, PaperFacts, PaperHeading, PaperRemark, PaperTable

LEAST: Final = 20
"""Characters that the widest column has at least, however narrow the terminal."""
MARGIN: Final = "  "
GAP: Final = "  "


def text_of(paper: Paper, width: int = 120) -> Iterator[str]:
    """The lines of a sheet, at most `width` characters where words allow it."""
    yield f"{paper.title}: {paper.subtitle}"
    for block in paper.blocks:
        yield from _block(block, width)


def _block(block: Block, width: int) -> Iterator[str]:
    if isinstance(block, PaperHeading):
        yield ""
        yield block.text
    elif isinstance(block, PaperRemark):
        mark = "! " if block.strong else ""
        if block.command:
            yield f"{MARGIN}{block.text}"
            return
        yield from _wrapped(f"{mark}{block.text}", width - len(MARGIN), MARGIN)
    elif isinstance(block, PaperFacts):
        name = max(len(row[0]) for row in block.rows)
        for label, value in block.rows:
            yield from _hanging(f"{MARGIN}{label.ljust(name)}{GAP}", str(value), width)
    elif isinstance(block, PaperBlanks):
        for label in block.labels:
            yield f"{MARGIN}{label}: {'_' * 40}"
    else:
        yield from _table(block, width)


def _wrapped(text: str, width: int, margin: str) -> Iterator[str]:
    for line in textwrap.wrap(text, max(width, LEAST), break_long_words=False, break_on_hyphens=False) or [""]:
        yield f"{margin}{line}"


def _hanging(head: str, text: str, width: int) -> Iterator[str]:
    lines = list(_wrapped(text, width - len(head), ""))
    yield f"{head}{lines[0]}".rstrip()
    for line in lines[1:]:
        yield " " * len(head) + line


def _table(table: PaperTable, width: int) -> Iterator[str]:
    rows = [table.head, *(tuple(map(str, row)) for row in table.rows)]
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(table.head))]
    wide = sorted(table.wide) or [len(table.head) - 1]
    over = len(MARGIN) + sum(widths) + len(GAP) * (len(widths) - 1) - width
    for column in sorted(wide, key=lambda each: -widths[each]):
        if over > 0:
            less = min(over, max(widths[column] - LEAST, 0))
            widths[column], over = widths[column] - less, over - less
    for at, row in enumerate(rows):
        yield from _row(tuple(map(str, row)), widths, table.right)
        if at == 0 or at == len(rows) - 1 - table.sums < len(rows) - 1:
            yield MARGIN + GAP.join("-" * each for each in widths)


def _row(row: tuple[str, ...], widths: list[int], right: frozenset[int]) -> Iterator[str]:
    cells = [
        textwrap.wrap(text, max(size, 1), break_long_words=False, break_on_hyphens=False) or [""]
        for text, size in zip(row, widths, strict=True)
    ]
    for at in range(max(map(len, cells))):
        parts = [lines[at] if at < len(lines) else "" for lines in cells]
        aligned = [
            text.rjust(size) if column in right else text.ljust(size)
            for column, (text, size) in enumerate(zip(parts, widths, strict=True))
        ]
        yield (MARGIN + GAP.join(aligned)).rstrip()
