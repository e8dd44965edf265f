"""Pay tables as strict TOML files: each row has a condition, a pay and a clause."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from dealer_flow.tomlfile import TomlTable, load
from protocol.tomlfile import Key
from rules.paytables.amounts import MOST_TIMES, AmountField, WagerField
from rules.paytables.conditions import CONDITIONS

USUAL_ENVY_BASE_CENTS: Final = 100
"""Wager for which envy is printed, if neither the table's file nor the house names another."""

Unit = Literal["to", "for", "percent", "push", "bare", "flat", "flat-to"]

_RATIO: Final = re.compile(r"(\d[\d,]{0,15}) (?:(to|for) (\d{1,7})|for (\d{1,7}) from ([a-z][a-z-]*))")
_PERCENT: Final = re.compile(r"(\d{1,3}) % of ([a-z][a-z-]*)(?: and (\d[\d,]{0,15} (?:to|for) \d{1,7}))?")
_FLAT: Final = re.compile(r"\$(\d[\d,]{0,11})(?: from ([a-z][a-z-]*)| (and the stake))?")
_ALLOWED: Final = (
    f"an integer, 'A to B', 'A for B', 'A for B from METER', 'P % of METER', 'P % of METER and A to B', '$D', "
    f"'$D and the stake', '$D from METER', or 'push'; at most {MOST_TIMES:,} times"
)


@dataclass(frozen=True, slots=True)
class Pay:
    """The pay of a row.

    - `to`: multiple of the stake, which comes back.
    - `for`: multiple of the stake, which does not come back; from `meter` if one is named.
    - `percent`: share of the meter named `meter`; the stake does not come back.
    - `push`: the stake comes back.
    - `flat`: `amount` in cents regardless of the stake, from `meter` if one is named; `flat-to`: the stake comes
      back too.
    - `plus`: an additional pay.
    """

    unit: Unit
    amount: Fraction
    meter: str | None = None
    plus: "Pay | None" = None

    @property
    def keeps_stake(self) -> bool:
        """True if the stake comes back in addition."""
        return self.unit in ("to", "push", "flat-to")

    @property
    def text(self) -> str:
        """The pay as a pay table prints it."""
        if self.unit == "push":
            return "push"
        if self.unit == "percent":
            plus = f" and {self.plus.text}" if self.plus else ""
            return f"{self.amount * 100} % of {self.meter}{plus}"
        if self.unit in ("flat", "flat-to"):
            whence = f" from {self.meter}" if self.meter else " and the stake" if self.unit == "flat-to" else ""
            return f"${self.amount.numerator // 100:,}{whence}"
        whence = f" from {self.meter}" if self.meter else ""
        return f"{self.amount.numerator:,} {self.unit} {self.amount.denominator}{whence}"

    @property
    def rank(self) -> tuple[int, Fraction]:
        """Sort key of the pays of one table: a share of a meter is worth more than any fixed pay, and a dollar counts
        as one times the stake."""
        return int(self.unit == "percent"), self.amount / 100 if self.unit in ("flat", "flat-to") else self.amount


def parse_pay(value: object) -> Pay:
    """Parse a pay in a file: text, or an integer in the table's `bare` unit; ValueError names the allowed forms."""
    if isinstance(value, Pay):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_TIMES:
        return Pay("bare", Fraction(value))
    if value == "push":
        return Pay("push", Fraction(0))
    if isinstance(value, str):
        if (found := _RATIO.fullmatch(value)) and (unit := int(found[3] or found[4])):
            amount = Fraction(int(found[1].replace(",", "")), unit)
            if amount <= MOST_TIMES:
                return Pay("to" if found[2] == "to" else "for", amount, found[5])
        if (found := _PERCENT.fullmatch(value)) and 0 < int(found[1]) <= 100:
            return Pay("percent", Fraction(int(found[1]), 100), found[2], parse_pay(found[3]) if found[3] else None)
        if (found := _FLAT.fullmatch(value)) and 0 < (dollars := int(found[1].replace(",", ""))) <= MOST_TIMES:
            return Pay("flat-to" if found[3] else "flat", Fraction(dollars * 100), found[2])
    raise ValueError(f"not a pay; allowed: {_ALLOWED}")


PayField = Annotated[
    Any,
    BeforeValidator(parse_pay),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MOST_TIMES},
                {
                    "type": "string",
                    "pattern": f"^(push|{'|'.join(each.pattern for each in (_RATIO, _PERCENT, _FLAT))})$",
                },
            ]
        }
    ),
]


class PayRow(TomlTable):
    """One row. `envy_cents` is the pay to every other bettor for this hand at the base wager. Rows of one `group` pay
    separately from those of another: the best in each is paid (47.1-1017.32(17))."""

    when: str
    """Condition on the hand, in the words of the table's `kind`."""
    pays: PayField
    """The pay: `3 to 1`, `30 for 1`, `100 % of meter`, `$500`, `push`, or a whole number whose unit is `bare`."""
    clause: str
    envy_cents: AmountField = 0
    """Pay to every other bettor for this hand at the base wager."""
    group: str = ""
    """Group of the row. Groups pay separately: the best row in each is paid."""


class PrintNote(TomlTable):
    """Interpretation of an unclear print, with the reason."""

    about: str
    """The unclear part of the print."""
    reading: str
    """The interpretation used."""
    because: str
    """The reason for it."""


class PrintedFigure(TomlTable):
    """A figure the source prints with the table, with as many decimals as it prints."""

    house_edge_pct: Annotated[str, Field(pattern=r"^-?\d+(\.\d+)?$")]
    """House edge in percent, as printed."""
    return_pct: Annotated[str, Field(pattern=r"^\d+(\.\d+)?$")] | None = None
    """Return in percent, as printed."""
    clause: str


@dataclass(frozen=True)
class PaidRow:
    """A row ready for use: its condition, pay, clause and envy at the base wager."""

    when: str
    pay: Pay
    clause: str
    envy_cents: int = 0

    @cached_property
    def words(self) -> str:
        """The pay as a pay table prints it."""
        return self.pay.text

    @cached_property
    def keeps_stake(self) -> bool:
        """True if the stake comes back in addition."""
        return self.pay.keeps_stake

    @cached_property
    def flat(self) -> bool:
        """True if it pays the same regardless of the stake."""
        return self.pay.unit in ("flat", "flat-to")

    @cached_property
    def ratio(self) -> tuple[int, int]:
        """A and B of a pay that is a multiple of the stake."""
        return self.pay.amount.numerator, self.pay.amount.denominator


class PayTable(TomlTable):
    """A pay table file: one schedule of pays, row by row as it is printed."""

    schema_: Literal["dealwire.paytable/1"] = Field(alias="schema")
    id: str
    title: str
    printed: PrintedFigure | None = None
    kind: Literal[
        "longest-flush", "margin", "five-card", "race", "poker", "identical", "hole-cards", "points", "low", "card"
    ]
    """Kind that defines the allowed rows; for a table about hands, the vocabulary of its ranking."""
    label: str = ""
    """Printed number or name of the table."""
    heading: str = ""
    """Printed heading of its column."""
    bare: Literal["to", "for"] | None = None
    """Unit of a pay that is printed as a bare number."""
    rows: Annotated[tuple[PayRow, ...], Field(min_length=1)]
    notes: tuple[PrintNote, ...] = ()
    envy_base_cents: WagerField | None = None
    """Wager for which the envy of the table is printed."""
    readings: dict[str, str] = Field(default_factory=dict)
    """Options of readings under which the table is printed."""
    suspect: str = ""
    """Reason that the table appears to be a misprint. Such a table settles no real bet unless the caller explicitly
    accepts it."""

    @property
    def groups(self) -> tuple[str, ...]:
        """Pay groups of its rows; a single unnamed group if it has none."""
        return tuple(dict.fromkeys(row.group for row in self.rows))

    def paid(self, row: PayRow) -> PaidRow:
        """Return a row ready for use."""
        return PaidRow(row.when, _with_unit(row.pays, self.bare), row.clause, row.envy_cents)

    def row_of(self, when: str) -> PaidRow | None:
        """Return the row with these words, ready for use; None if there is none."""
        return next((self.paid(row) for row in self.rows if row.when == when), None)

    def content(self) -> dict[str, Any]:
        """Return the content that a game's hash covers; a key that was added later counts only if it is used."""
        content = self.model_dump(mode="json")
        found = {
            key: value
            for key, value in content.items()
            if value or key not in ("label", "heading", "envy_base_cents", "readings")
        }
        found["rows"] = [_row_content(row) for row in content["rows"]]
        return found


def _row_content(row: dict[str, Any]) -> dict[str, Any]:
    pays = {key: value for key, value in row["pays"].items() if value or key != "plus"}
    return {key: value for key, value in row.items() if value or key != "group"} | {"pays": pays}


class InlineTable(PayTable):
    """A pay table within the game file, under `[paytables.NAME]`: all keys of a pay table file, or the differences from
    the one that it extends."""

    schema_: Literal["dealwire.paytable/1"] = Field("dealwire.paytable/1", alias="schema")
    id: str = ""
    """Id of the pay table. If given, it must be the NAME of `[paytables.NAME]`."""
    title: str = ""
    base: str = ""
    """The pay table of the package, or the file, that it extends: rows are merged by their condition (`when`)."""
    without: tuple[str, ...] = ()
    """Rows and keys of that one which it does not have: `rows.pair`, `printed`."""


FlatTable = Mapping[Hashable, PaidRow | None]
"""A flattened pay table: the paying row by the key of a hand."""


class _Rows(dict[Hashable, PaidRow | None]):
    """A flattened table that computes the row of a missing key on first use."""

    def __init__(self, rows: Sequence[tuple[PaidRow, Callable[[Any], int]]], keys: Iterable[Hashable]) -> None:
        super().__init__()
        self._rows = rows
        self.update((key, self._best(key)) for key in keys)

    def __missing__(self, key: Hashable) -> PaidRow | None:
        # Poker keys are too many to enumerate, so rows are found on first use.
        row = self[key] = self._best(key)
        return row

    def _best(self, key: Hashable) -> PaidRow | None:
        fits = [(level, row) for row, check in self._rows if (level := check(key))]
        return max(fits, key=lambda fit: (fit[0], fit[1].pay.rank))[1] if fits else None


def flatten(table: PayTable, only: Collection[str] = (), group: str | None = None) -> FlatTable:
    """Flatten a table: for every hand, the row that names it, else the best-paying row it also satisfies; among equals
    the first printed.

    `only` restricts the rows, `group` the pay group.
    """
    conditions = CONDITIONS[table.kind]
    rows = [
        (table.paid(row), check)
        for row in table.rows
        if (not only or row.when in only)
        and group in (None, row.group)
        and (check := conditions.check(row.when)) is not None
    ]
    return _Rows(rows, conditions.keys)


def load_paytable(path: Path) -> PayTable:
    """Load the pay table in the file at `path`; TomlFileError names the file, line, key and allowed values."""
    return load(path, PayTable, partial(_file_faults, path))


def _file_faults(path: Path, table: PayTable) -> Iterator[tuple[Key, str]]:
    if table.id != path.stem:
        yield ("id",), f"is {table.id!r}; the file's name requires {path.stem!r}"
    yield from paytable_faults(table)


def paytable_faults(table: PayTable) -> Iterator[tuple[Key, str]]:
    """Yield the errors between keys of a table, each with its key."""
    conditions, seen = CONDITIONS[table.kind], set[str]()
    for index, row in enumerate(table.rows):
        if conditions.check(row.when) is None:
            yield (
                ("rows", index, "when"),
                f"{row.when!r} is not for a {table.kind} table; allowed: {conditions.allowed}",
            )
        if row.when in seen:
            yield ("rows", index, "when"), f"{row.when!r} appears twice"
        if row.pays.unit == "bare" and table.bare is None:
            yield ("rows", index, "pays"), "a bare number needs a unit: bare = 'to' or 'for'"
        seen.add(row.when)
    if table.kind == "margin":
        checks = [check for when in seen if (check := conditions.check(when)) is not None]
        for margin in conditions.keys:
            if not any(holds(margin) for holds in checks):
                yield ("rows",), f"no row for a win by {margin}; a margin table needs a row for every win"


def _with_unit(pay: Pay, bare: Literal["to", "for"] | None) -> Pay:
    return Pay(bare, pay.amount) if pay.unit == "bare" and bare else pay
