"""What stands on paper, whatever draws it: headings, facts, tables, remarks. Facts become words in `sections` alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rules import settlement


class CardRow(NamedTuple):
    """Cards by their text, in their order; each way of drawing has its own signs for them."""

    cards: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(self.cards)


Cell = str | CardRow


@dataclass(frozen=True, slots=True)
class PaperHeading:
    """Begins a part."""

    text: str


@dataclass(frozen=True, slots=True)
class PaperRemark:
    """A sentence; a `strong` one must not be overlooked."""

    text: str
    strong: bool = False

    @property
    def command(self) -> bool:
        """Somebody is to type it: it stands on one line."""
        return self.text.startswith("dealwire ")


@dataclass(frozen=True, slots=True)
class PaperFacts:
    """What is known, a name and a value each."""

    rows: tuple[tuple[str, Cell], ...]


@dataclass(frozen=True, slots=True)
class PaperTable:
    """Rows under a head. `right`: columns of numbers; `wide`: those that take the room that is left; `sums`: rows at
    the end that are totals; `marked`: rows that must not be overlooked."""

    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    right: frozenset[int] = frozenset()
    wide: frozenset[int] = frozenset()
    sums: int = 0
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class PaperBlanks:
    """Lines that a person fills in by hand."""

    labels: tuple[str, ...]


Block = PaperHeading | PaperRemark | PaperFacts | PaperTable | PaperBlanks


@dataclass(frozen=True, slots=True)
class Paper:
    """A sheet of paper, or several: `running` stands at the head of each."""

    title: str
    subtitle: str
    running: str
    blocks: list[Block] = field(default_factory=list)
    foot: str = "dealwire dispute sheet"
    """At the foot of each page, beside its number."""


def table(
    head: str, rows: Iterable[Sequence[Cell | int | None]], *, sums: int = 0, marked: Iterable[int] = ()
) -> PaperTable:
    """A table whose `head` names its columns with bars between them: `>` before one of numbers, `*` before one that
    takes the room that is left. A cell of None is empty."""
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
    """`$1,250.00`, `-$3.00`, `CHF 5.00`, or that it is not known."""
    return settlement.amount(cents, currency) if cents is not None else "not known"
