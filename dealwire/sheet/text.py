"""A sheet as plain text for a terminal."""

import textwrap
from collections.abc import Iterator
from typing import Final

from dealwire.sheet.paper import Block, Paper, PaperBlanks, PaperFacts, PaperHeading, PaperRemark, PaperTable

LEAST: Final = 20
"""Minimum width of the widest column in characters, regardless of the terminal's."""
MARGIN: Final = "  "
GAP: Final = "  "
BELOW: Final = "    "
"""Indentation of text that does not fit next to its label."""


def text_of(paper: Paper, width: int = 120) -> Iterator[str]:
    """Yield the lines of a sheet, at most `width` characters where words allow it."""
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
    if len(head) + max(map(len, lines)) > width:  # a digest: it gets lines of its own
        yield head.rstrip()
        yield from _wrapped(text, width - len(BELOW), BELOW)
        return
    yield f"{head}{lines[0]}".rstrip()
    for line in lines[1:]:
        yield " " * len(head) + line


def _table(table: PaperTable, width: int) -> Iterator[str]:
    rows = [table.head, *(tuple(map(str, row)) for row in table.rows)]
    widths = [max(len(str(row[column])) for row in rows) for column in range(len(table.head))]
    wide = sorted(table.wide) or [len(table.head) - 1]
    words = [max(len(word) for row in rows for word in row[at].split() or [""]) for at in range(len(widths))]
    over = len(MARGIN) + sum(widths) + len(GAP) * (len(widths) - 1) - width
    for column in sorted(wide, key=lambda each: -widths[each]):
        if over > 0:
            less = min(over, max(widths[column] - max(LEAST, words[column]), 0))
            widths[column], over = widths[column] - less, over - less
    for column in sorted(range(len(widths)), key=lambda each: -widths[each]):
        if over > 0:  # too many columns: all of them give way, as far as their words allow
            less = min(over, max(widths[column] - words[column], 0))
            widths[column], over = widths[column] - less, over - less
    last = len(widths) - 1
    if over > 0 and words[last] == max(words):  # the last column holds digests: each goes below its row
        yield from _stacked(table, [row[:last] for row in rows], [row[last] for row in rows], widths[:last], width)
        return
    for at, row in enumerate(rows):
        yield from _row(row, widths, table.right)
        if at == 0 or at == len(rows) - 1 - table.sums < len(rows) - 1:
            yield MARGIN + GAP.join("-" * each for each in widths)


def _stacked(
    table: PaperTable, rows: list[tuple[str, ...]], cells: list[str], widths: list[int], width: int
) -> Iterator[str]:
    """Yield the rows of a table, each with the cell of its last column below it."""
    for at, (row, cell) in enumerate(zip(rows, cells, strict=True)):
        yield from _row(row, widths, table.right)
        yield from _wrapped(cell, width - len(BELOW), BELOW)
        if at == 0:
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
