"""A sheet as HTML: a self-contained page, or its body for a page with its own style."""

from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Final

from dealwire.sheet.paper import (
    Block,
    CardRow,
    Cell,
    Paper,
    PaperBlanks,
    PaperFacts,
    PaperHeading,
    PaperRemark,
    PaperTable,
)

STYLE: Final = (Path(__file__).parent / "sheet.css").read_text()
"""Style sheet for screen and paper."""

SUITS: Final = {"C": "♣", "D": "♦", "H": "♥", "S": "♠"}


def html_of(paper: Paper) -> str:
    """Return a whole page with its style."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(paper.running)}</title>\n<style>\n{STYLE}</style>\n</head>\n"
        f'<body class="sheet">\n<main>\n{body_of(paper)}</main>\n</body>\n</html>\n'
    )


def body_of(paper: Paper) -> str:
    """Return the body of the page. A table around it makes browsers repeat its head on every printed page."""
    blocks = "\n".join(line for block in paper.blocks for line in _block(block))
    return (
        '<table class="pages" role="presentation">\n'
        f'<thead><tr><td><p class="running">{escape(paper.running)}</p></td></tr></thead>\n'
        f"<tbody><tr><td>\n<h1>{escape(paper.title)}</h1>\n"
        f'<p class="outcome">{escape(paper.subtitle)}</p>\n{blocks}\n</td></tr></tbody>\n</table>\n'
    )


def _block(block: Block) -> Iterator[str]:
    if isinstance(block, PaperHeading):
        yield f"<h2>{escape(block.text)}</h2>"
    elif isinstance(block, PaperRemark):
        text = f"<code>{escape(block.text)}</code>" if block.command else escape(block.text)
        yield f'<p class="strong">{text}</p>' if block.strong else f"<p>{text}</p>"
    elif isinstance(block, PaperFacts):
        yield "<dl>"
        for label, value in block.rows:
            yield f"<div><dt>{escape(label)}</dt><dd>{_cell(value)}</dd></div>"
        yield "</dl>"
    elif isinstance(block, PaperBlanks):
        yield '<dl class="blanks">'
        for label in block.labels:
            yield f"<div><dt>{escape(label)}</dt><dd></dd></div>"
        yield "</dl>"
    else:
        yield from _table(block)


def _table(table: PaperTable) -> Iterator[str]:
    title = ", ".join(text.lower() for text in table.head if text)
    yield f'<div class="rows" role="region" aria-label="{escape(title)}" tabindex="0"><table>'
    heads = (_head(text, _side(table, at)) for at, text in enumerate(table.head))
    yield f"<thead><tr>{''.join(heads)}</tr></thead>"
    yield "<tbody>"
    for at, row in enumerate(table.rows):
        kind = "sum" if at >= len(table.rows) - table.sums else "marked" if at in table.marked else ""
        cells = (f"<td{_side(table, column)}>{_cell(cell)}</td>" for column, cell in enumerate(row))
        yield f"<tr{f' class={chr(34)}{kind}{chr(34)}' if kind else ''}>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def _head(text: str, side: str) -> str:
    """Return the head of a column; an empty one is not a heading."""
    return f'<th scope="col"{side}>{escape(text)}</th>' if text else f"<td{side}></td>"


def _side(table: PaperTable, column: int) -> str:
    if column in table.right:
        return ' class="number"'
    return ' class="wide"' if column in table.wide else ""


def _cell(cell: Cell) -> str:
    if not isinstance(cell, CardRow):
        return escape(cell)
    return f'<span class="cards">{" ".join(map(_card, cell.cards))}</span>'


def _card(text: str) -> str:
    """Return a card with its suit sign, red suits in red."""
    if len(text) != 2 or text[1] not in SUITS or text[0] == "?":
        return f'<span class="card odd">{escape(text)}</span>'
    rank = "10" if text[0] == "T" else text[0]
    return f'<span class="card{" red" if text[1] in "DH" else ""}">{escape(rank)}{SUITS[text[1]]}</span>'
