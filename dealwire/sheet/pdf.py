"""A sheet as PDF, drawn by ReportLab: pure Python on Pillow, without programs or fonts of the system. The same sheet
gives the same bytes.

Its fonts are built into every PDF reader and cover the letters of Western Europe. Any other letter is written as its
code, so that no name is lost.
"""

import importlib.util
import io
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from xml.sax.saxutils import escape

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
from rules.errors import ExtraMissing

if TYPE_CHECKING:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.platypus import Flowable

MM: Final = 72 / 25.4
MARGINS: Final = (16 * MM, 20 * MM)
"""Margins at the sides, and above and below, which hold head and foot."""
FRAME: Final = 6.0
"""Padding that ReportLab leaves inside its margins."""
SMALL: Final = 8.0


class PageStyle(NamedTuple):
    """A page in millimetres, the size of its text in points, and the width of names in a list of facts, bold or not."""

    width: float
    height: float
    text: float
    names: float
    bold: bool = False


SHEET: Final = PageStyle(210, 11 * 25.4, SMALL, 34)
"""Page of a sheet that lies on a desk: A4's width and Letter's height print on either paper without scaling."""
DINGBATS: Final = {"C": "\u2663", "D": "\u2666", "H": "\u2665", "S": "\u2660"}


def can_draw() -> bool:
    """True if ReportLab is installed."""
    return importlib.util.find_spec("reportlab") is not None


def pdf_of(paper: Paper, page: PageStyle = SHEET) -> bytes:
    """Return the sheet as a PDF file. ExtraMissing if ReportLab is not installed."""
    if not can_draw():
        raise ExtraMissing("reportlab", "sheet")
    from reportlab.platypus import SimpleDocTemplate

    draw, out = _Drawing(page), io.BytesIO()
    side, above = MARGINS
    document = SimpleDocTemplate(
        out,
        pagesize=(page.width * MM, page.height * MM),
        leftMargin=side - FRAME,
        rightMargin=side - FRAME,
        topMargin=above,
        bottomMargin=above,
        title=written(paper.running),
        author="dealwire",
        invariant=1,
        allowSplitting=1,
    )
    blocks = [flowable for block in paper.blocks for flowable in draw.block(block)]
    document.build([*draw.title(paper), *blocks], canvasmaker=_canvas_of(paper, page))
    return out.getvalue()


def written(text: str) -> str:
    """Return the text in letters that the fonts have."""
    return text.encode("cp1252", "backslashreplace").decode("cp1252")


def _canvas_of(paper: Paper, page: PageStyle) -> Callable[..., Any]:
    """Return a canvas class that knows the page count when it writes heads and feet."""
    from reportlab.pdfgen.canvas import Canvas

    class Numbered(Canvas):  # type: ignore[misc, unused-ignore]
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self._pages: list[dict[str, Any]] = []

        def showPage(self) -> None:  # noqa: N802
            self._pages.append(dict(self.__dict__))
            self._startPage()  # type: ignore[attr-defined]

        def save(self) -> None:
            for number, kept in enumerate(self._pages, 1):
                self.__dict__.update(kept)
                _head_and_foot(self, paper, page, number, len(self._pages))
                Canvas.showPage(self)
            Canvas.save(self)

    return Numbered


def _head_and_foot(canvas: Any, paper: Paper, page: PageStyle, number: int, of: int) -> None:
    side, above = MARGINS
    width, height = page.width * MM, page.height * MM
    canvas.setFont("Helvetica", SMALL)
    canvas.drawString(side, height - above + 5 * MM, written(paper.running))
    canvas.drawRightString(width - side, above - 8 * MM, f"page {number} of {of}")
    canvas.drawString(side, above - 8 * MM, written(paper.foot))
    canvas.setLineWidth(0.4)
    canvas.line(side, height - above + 3.5 * MM, width - side, height - above + 3.5 * MM)


class _Drawing:
    """Makes the flowables of the pages."""

    def __init__(self, page: PageStyle) -> None:
        from reportlab.lib.enums import TA_RIGHT
        from reportlab.lib.styles import ParagraphStyle

        size, self._size = page.text, page.text
        style = partial(ParagraphStyle, fontName="Helvetica", fontSize=size, leading=size * 1.25)
        self._text = style("text", spaceBefore=2, spaceAfter=2)
        self._cell = style("cell", splitLongWords=1)
        self._number = style("number", alignment=TA_RIGHT)
        self._strong = style("strong", fontName="Helvetica-Bold", spaceBefore=3, spaceAfter=3, leftIndent=6)
        self._code = style("code", fontName="Courier", fontSize=size * 0.875, leading=size * 1.125, spaceAfter=3)
        self._head = style("head", fontName="Helvetica-Bold")
        self._head_of_numbers = style("number-head", fontName="Helvetica-Bold", alignment=TA_RIGHT)
        self._part = style(
            "part", fontName="Helvetica-Bold", fontSize=size * 1.375, leading=size * 1.75, spaceBefore=9, spaceAfter=3
        )
        self._title = style("title", fontName="Helvetica-Bold", fontSize=size * 2, leading=size * 2.5)
        self._width = page.width * MM - 2 * MARGINS[0]
        self._names = page.names * MM
        self._name = self._head if page.bold else self._cell

    def title(self, paper: Paper) -> list["Flowable"]:
        """Return the title and the outcome."""
        outcome = self._paragraph(paper.subtitle, self._part)
        return [self._paragraph(paper.title, self._title), outcome]

    def block(self, block: Block) -> list["Flowable"]:
        """Return the flowables of one block."""
        if isinstance(block, PaperHeading):
            from reportlab.platypus import CondPageBreak

            return [CondPageBreak(4 * MM * self._size), self._paragraph(block.text, self._part)]
        if isinstance(block, PaperRemark):
            style = self._strong if block.strong else self._text
            return [self._paragraph(block.text, self._code if block.command else style)]
        if isinstance(block, PaperFacts):
            return [self._facts(block)]
        if isinstance(block, PaperBlanks):
            return [self._blanks(block)]
        return [self._table(block)]

    def _paragraph(self, text: str, style: "ParagraphStyle") -> "Flowable":
        from reportlab.platypus import Paragraph

        return Paragraph(escape(written(text)), style)

    def _cells(self, cell: Cell, style: "ParagraphStyle") -> "Flowable":
        from reportlab.platypus import Paragraph

        if not isinstance(cell, CardRow):
            return self._paragraph(cell, style)
        return Paragraph("&nbsp; ".join(map(_card, cell.cards)), style)

    def _facts(self, facts: PaperFacts) -> "Flowable":
        rows = [[self._paragraph(label, self._name), self._cells(value, self._cell)] for label, value in facts.rows]
        return self._grid(rows, [self._names, self._width - self._names], [], 0)

    def _blanks(self, blanks: PaperBlanks) -> "Flowable":
        rows = [[self._paragraph(label, self._name), self._paragraph("", self._cell)] for label in blanks.labels]
        under: list[Any] = [
            ("LINEBELOW", (1, 0), (1, -1), 0.5, _grey(0)),
            ("TOPPADDING", (0, 0), (-1, -1), 1.75 * self._size),
        ]
        return self._grid(rows, [self._names, self._width - self._names], under, 0)

    def _table(self, table: PaperTable) -> "Flowable":
        right = [self._number if at in table.right else self._cell for at in range(len(table.head))]
        heads = [self._head_of_numbers if at in table.right else self._head for at in range(len(table.head))]
        rows = [[self._paragraph(text, heads[at]) for at, text in enumerate(table.head)]]
        rows += [[self._cells(cell, right[at]) for at, cell in enumerate(row)] for row in table.rows]
        style: list[Any] = [
            ("LINEBELOW", (0, 0), (-1, 0), 0.8, _grey(0)),
            ("LINEBELOW", (0, 1), (-1, -1), 0.3, _grey(0.75)),
        ]
        if table.sums:
            style.append(("LINEABOVE", (0, -table.sums), (-1, -table.sums), 0.8, _grey(0)))
        style += [("LINEBEFORE", (0, at + 1), (0, at + 1), 2.5, _grey(0)) for at in table.marked]
        return self._grid(rows, self._widths(table), style, 1)

    def _widths(self, table: PaperTable) -> list[float]:
        """Return the column widths: as narrow as the content allows; wide columns share the rest by their content."""
        from reportlab.pdfbase.pdfmetrics import stringWidth

        def width(cell: Cell, font: str) -> float:
            # Signs are wider than letters.
            room = 1.6 * self._size * len(cell.cards) if isinstance(cell, CardRow) else 0
            return float(stringWidth(written(str(cell)), font, self._size)) + room / 2 + 9

        columns = range(len(table.head))
        needed = [max(width(row[at], "Helvetica") for row in [table.head, *table.rows]) for at in columns]
        needed = [max(size, width(table.head[at], "Helvetica-Bold")) for at, size in enumerate(needed)]
        wide = [at for at in columns if at in table.wide]
        if not wide and sum(needed) <= self._width:
            return needed
        wide = wide or [len(table.head) - 1]
        left = self._width - sum(size for at, size in enumerate(needed) if at not in wide)
        if left < 30 * MM * len(wide):  # too wide for the page: shrink all columns
            part = self._width / sum(needed)
            return [size * part for size in needed]
        shares = {at: min(needed[at], left) for at in wide}  # cap long columns so that the others keep room
        whole = sum(shares.values())
        return [left * shares[at] / whole if at in wide else needed[at] for at in columns]

    def _grid(self, rows: list[list["Flowable"]], widths: list[float], style: list[Any], heads: int) -> "Flowable":
        from reportlab.platypus import Table, TableStyle

        usual = [
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            *((f"{side}PADDING", (0, 0), (-1, -1), 3) for side in ("LEFT", "RIGHT")),
            *((f"{side}PADDING", (0, 0), (-1, -1), 1.5) for side in ("TOP", "BOTTOM")),
        ]
        return Table(
            rows, colWidths=widths, repeatRows=heads, style=TableStyle([*usual, *style]), hAlign="LEFT", spaceAfter=5
        )


def _grey(part: float) -> Any:
    from reportlab.lib.colors import Color

    return Color(part, part, part)


def _card(text: str) -> str:
    """Return a card with its suit sign."""
    if len(text) != 2 or text[1] not in DINGBATS or text[0] == "?":
        return escape(text)
    rank = "10" if text[0] == "T" else text[0]
    return f'{rank}<font name="ZapfDingbats">{DINGBATS[text[1]]}</font>'
