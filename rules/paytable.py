"""Pay tables as strict TOML files: a condition, a pay and a clause on every row."""

import re
from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field

from dealer_flow.procedure.tomlfile import TomlTable, load
from protocol.tomlfile import Key
from rules.amounts import MOST_TIMES, AmountField
from rules.conditions import CONDITIONS

Unit = Literal["to", "for", "percent", "push", "bare"]

_RATIO: Final = re.compile(r"(\d[\d,]{0,15}) (to|for) (\d{1,7})")
_PERCENT: Final = re.compile(r"(\d{1,3}) % of ([a-z][a-z-]*)")
_ALLOWED: Final = f"an integer, 'A to B', 'A for B', 'P % of METER', or 'push'; at most {MOST_TIMES:,} times"


@dataclass(frozen=True, slots=True)
class Pay:
    """What a row pays. `to`: times the stake, which comes back; `for`: times the stake, which does not;
    `percent`: of the meter named `meter`, the stake does not come back; `push`: the stake comes back."""

    unit: Unit
    amount: Fraction
    meter: str | None = None

    @property
    def text(self) -> str:
        """As a pay table prints it."""
        if self.unit == "push":
            return "push"
        if self.unit == "percent":
            return f"{self.amount * 100} % of {self.meter}"
        return f"{self.amount.numerator:,} {self.unit} {self.amount.denominator}"

    @property
    def rank(self) -> tuple[int, Fraction]:
        """Orders the pays of one table: a share of a meter is worth more than any fixed pay."""
        return int(self.unit == "percent"), self.amount


def parse_pay(value: object) -> Pay:
    """A pay as a file writes it: text, or an integer in the table's `bare` unit; ValueError says what is allowed."""
    if isinstance(value, Pay):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_TIMES:
        return Pay("bare", Fraction(value))
    if value == "push":
        return Pay("push", Fraction(0))
    if isinstance(value, str):
        if (found := _RATIO.fullmatch(value)) and int(found[3]):
            amount = Fraction(int(found[1].replace(",", "")), int(found[3]))
            if amount <= MOST_TIMES:
                return Pay("to" if found[2] == "to" else "for", amount)
        if (found := _PERCENT.fullmatch(value)) and 0 < int(found[1]) <= 100:
            return Pay("percent", Fraction(int(found[1]), 100), found[2])
    raise ValueError(f"not a pay; allowed: {_ALLOWED}")


PayField = Annotated[Any, BeforeValidator(parse_pay)]


class PayRow(TomlTable):
    """One row. `envy_cents` is what every other bettor gets for this hand at the base wager."""

    when: str
    pays: PayField
    clause: str
    envy_cents: AmountField = 0


class Note(TomlTable):
    """How an unclear print was read, and on what ground."""

    about: str
    reading: str
    because: str


class Printed(TomlTable):
    """A figure the source prints beside the table, with as many decimals as it prints."""

    house_edge_pct: Annotated[str, Field(pattern=r"^-?\d+(\.\d+)?$")]
    clause: str


class PayTable(TomlTable):
    """A pay table file. `bare` is the unit of a pay printed as a bare number. `suspect` says why the table cannot be
    meant as it is printed; with it, no real bet is settled unless the caller says so."""

    schema_: Literal["dealwire.paytable/1"] = Field(alias="schema")
    id: str
    title: str
    printed: Printed | None = None
    kind: Literal["longest-flush", "margin", "five-card", "race"]
    bare: Literal["to", "for"] | None = None
    rows: Annotated[tuple[PayRow, ...], Field(min_length=1)]
    notes: tuple[Note, ...] = ()
    suspect: str = ""


@dataclass(frozen=True, slots=True)
class PaidRow:
    """A row ready for use: its condition, pay, clause and envy at the base wager."""

    when: str
    pay: Pay
    clause: str
    envy_cents: int = 0


FlatTable = Mapping[Hashable, PaidRow | None]
"""A pay table flattened: the key of a hand -> the best row it qualifies for."""


def flatten(table: PayTable, only: Collection[str] = ()) -> FlatTable:
    """For every hand, the row that pays it most; of equal pays the one printed first. `only` leaves rows out."""
    conditions = CONDITIONS[table.kind]
    rows = [
        (PaidRow(row.when, _with_unit(row.pays, table.bare), row.clause, row.envy_cents), check)
        for row in table.rows
        if (not only or row.when in only) and (check := conditions.check(row.when)) is not None
    ]
    return {
        key: max((row for row, holds in rows if holds(key)), key=lambda row: row.pay.rank, default=None)
        for key in conditions.keys
    }


def load_paytable(path: Path) -> PayTable:
    """The pay table in the file at `path`; TomlFileError names file, line, key and what is allowed."""
    return load(path, PayTable, partial(_faults, path))


def _faults(path: Path, table: PayTable) -> Iterator[tuple[Key, str]]:
    """What one key cannot know of another."""
    conditions, seen = CONDITIONS[table.kind], set[str]()
    if table.id != path.stem:
        yield ("id",), f"is {table.id!r}; the file's name asks for {path.stem!r}"
    for index, row in enumerate(table.rows):
        if conditions.check(row.when) is None:
            yield (
                ("rows", index, "when"),
                f"{row.when!r} is not for a {table.kind} table; allowed: {conditions.allowed}",
            )
        if row.when in seen:
            yield ("rows", index, "when"), f"{row.when!r} stands twice"
        if row.pays.unit == "bare" and table.bare is None:
            yield ("rows", index, "pays"), "a bare number; say what it means: bare = 'to' or 'for'"
        seen.add(row.when)
    if table.kind == "margin":
        checks = [check for when in seen if (check := conditions.check(when)) is not None]
        for margin in conditions.keys:
            if not any(holds(margin) for holds in checks):
                yield ("rows",), f"no row for a win by {margin}; a margin table says what every win pays"


def _with_unit(pay: Pay, bare: Literal["to", "for"] | None) -> Pay:
    return Pay(bare, pay.amount) if pay.unit == "bare" and bare else pay
