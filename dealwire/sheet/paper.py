"""Content of a printed sheet, independent of its format: headings, facts, tables, notes. Only `sections` turns facts
into text."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rules import settlement


class CardRow(NamedTuple):
    """Cards in text form, in order; each format draws them with its own signs."""

    cards: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.cards)


Cell = str | CardRow


@dataclass(frozen=True, slots=True)
class PaperHeading:
    """Heading of a part."""

    text: str


@dataclass(frozen=True, slots=True)
class PaperRemark:
    """A sentence; a `strong` one must not be overlooked."""

    text: str
    strong: bool = False

    @property
    def command(self) -> bool:
        """True if the text is a command to type, which must stay on one line."""
        return self.text.startswith("dealwire ")


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """Facts, a name and a value each."""

    rows: tuple[tuple[str, Cell], ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Rows under a head.

    - `right`: columns of numbers; `wide`: columns that share the remaining width.
    - `sums`: rows at the end that are totals; `marked`: rows that must not be overlooked.
    """

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: frozenset[int] = frozenset()
    wide: frozenset[int] = frozenset()
    sums: int = 0
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PaperBlanks:
    """Lines to fill in by hand."""

    labels: tuple[str, ...]


Block = PaperHeading | PaperRemark | PaperFacts | PaperTable | PaperBlanks


@dataclass(frozen=True, slots=True)
class Paper:
    """One or several pages; `running` is repeated at the head of each."""

    title: str
    subtitle: str
    running: str
    blocks: list[Block] = field(default_factory=list)
    foot: str = "dealwire dispute sheet"
    """Foot of each page, next to its number."""


def table(
    head: str, rows: Iterable[Sequence[Cell | int | None]], *, sums: int = 0, marked: Iterable[int] = ()
) -> PaperTable:
    """Return a table from a head with column names between bars: `>` marks a column of numbers, `*` a wide one. A cell
    of None is empty."""
    columns = head.split("|")
    return PaperTable(
        tuple(name.lstrip(">*") for name in columns),
        tuple(
            tuple("" if cell is None else str(cell) if isinstance(cell, int) else cell for cell in row) for row in rows
        ),
        right=frozenset(at for at, name in enumerate(columns) if name.startswith(">")),
        wide=frozenset(at for at, name in enumerate(columns) if name.startswith("*")),
        sums=sums,
        marked=frozenset(marked),
    )


def _cell(found: Cell | int | None) -> Cell:
    return "" if found is None else str(found) if isinstance(found, int) else found


def amount(cents: int | None, currency: str) -> str:
    """Return `$1,250.00`, `-$3.00`, `CHF 5.00`, or `not known`."""
    return settlement.amount(cents, currency) if cents is not None else "not known"
