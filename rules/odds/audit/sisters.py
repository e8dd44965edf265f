"""Comparison of the pay tables of one bet: figures and rows that only one of them has or lacks.

A maker's tables for one bet differ slightly from each other. A figure that is more than twice the highest of all the
others, or less than half the lowest, is a slip; so is a missing last row where the others continue.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Final

from dealer_flow.english import dollars
from rules.odds.audit.findings import ExplainedFault
from rules.paytables.paytable import USUAL_ENVY_BASE_CENTS, Pay, PayRow, PayTable

FACTOR: Final = 2
"""Factor above the highest, or below the lowest, figure of the others that is out of line."""
_FEWEST: Final = 2
"""Minimum number of sisters for a comparison."""
_ANOTHER_MAKE: Final = 3
"""Number of rows far from the others' from which it is a different table and not a slip."""
_MOST_GO_ON: Final = Fraction(3, 4)
"""Minimum share of the other tables that must have a row below the last one of a table that stops early."""
_BY_PLACE: Final = re.compile(r"(left of|right of|above|below|beside) .+")


def are_sisters(table: PayTable, other: PayTable) -> bool:
    """Return True if two tables are of one make: they share more than half of all their rows."""
    own, others = ({row.when for row in each.rows} for each in (table, other))
    return table.id != other.id and 2 * len(own & others) > len(own | others)


def amount(row: PayRow) -> Fraction | None:
    """Return the pay of a row as a comparable number; None for a share of a meter or a push."""
    if row.pays.unit in ("percent", "push"):
        return None
    value = Fraction(row.pays.amount)
    return value / 100 if row.pays.unit in ("flat", "flat-to") else value


def text_of(table: PayTable, row: PayRow) -> str:
    """Return the pay as a table prints it; a bare number gets the unit of its table."""
    pays = row.pays
    return Pay(table.bare or "to", pays.amount).text if pays.unit == "bare" else str(pays.text)


def out_of_order(table: PayTable) -> Iterator[ExplainedFault]:
    """Yield rows that pay more, or have more envy, than the row above: rows are ordered from the best hand down."""
    for above, below in pairwise(table.rows):
        if below.group == above.group and below.pays.rank > above.pays.rank:
            why = f"{below.when!r} pays {text_of(table, below)}, more than {above.when!r} above it"
            yield ExplainedFault("row-out-of-order", why)
        if 0 < above.envy_cents < below.envy_cents:
            envy = f"the envy of {below.when!r}, {dollars(below.envy_cents)}"
            why = f"{envy}, is more than that of {above.when!r} above it"
            yield ExplainedFault("envy-out-of-order", why)


def out_of_line(table: PayTable, sisters: Sequence[PayTable]) -> Iterator[ExplainedFault]:
    """Yield pays and envy far from those of every sister, and missing rows that every sister has."""
    if len(sisters) < _FEWEST:
        return
    apart = [*_far_off(table, sisters)]
    if len(apart) < _ANOTHER_MAKE:
        yield from apart
    yield from _missing(table, sisters)


def _far_off(table: PayTable, sisters: Sequence[PayTable]) -> Iterator[ExplainedFault]:
    for row in table.rows:
        others = [(sister, each) for sister in sisters for each in sister.rows if each.when == row.when]
        if len(others) < _FEWEST:
            continue
        if (own := amount(row)) is not None:
            found = [value for _, each in others if (value := amount(each)) is not None]
            yield from _apart(f"{row.when!r} pays {text_of(table, row)}", own, found)
        if row.envy_cents:
            envies = [_envy(sister, each) for sister, each in others if each.envy_cents]
            yield from _apart(f"the envy of {row.when!r} is {dollars(row.envy_cents)}", _envy(table, row), envies)


def _envy(table: PayTable, row: PayRow) -> Fraction:
    """Return the envy in units of the wager it is printed for."""
    return Fraction(row.envy_cents, table.envy_base_cents or USUAL_ENVY_BASE_CENTS)


def _apart(what: str, own: Fraction, others: Sequence[Fraction]) -> Iterator[ExplainedFault]:
    if len(others) < _FEWEST:
        return
    if own > FACTOR * max(others) or own * FACTOR < min(others):
        yield ExplainedFault(
            "out-of-line", f"{what}, and {_number(min(others))} to {_number(max(others))} in the other tables"
        )


def _missing(table: PayTable, sisters: Sequence[PayTable]) -> Iterator[ExplainedFault]:
    """Yield the rows most sisters have below the table's last row (it stops early), and rows all have between its first
    and last (a row is lost)."""
    own = [row.when for row in table.rows]
    orders = [[row.when for row in sister.rows] for sister in sisters]
    rows = dict.fromkeys(row for order in orders for row in order)
    has = {row: sum(row in order for order in orders) for row in rows}
    lacks = [row for row in rows if row not in own]
    below = [
        row
        for row in lacks
        if has[row] >= _MOST_GO_ON * len(sisters) and all(last for _, last in _position_in_sisters(row, own, orders))
    ]
    if below:
        yield ExplainedFault(
            "table-stops", f"it stops after {own[-1]!r}; the other tables continue with {', '.join(map(repr, below))}"
        )
    if any(row not in rows for row in own):
        return  # it distinguishes hands that the others do not, so the rows do not correspond
    for row in lacks:
        within = row not in below and not any(first for first, _ in _position_in_sisters(row, own, orders))
        if within and has[row] == len(sisters):
            yield ExplainedFault("row-missing", f"it has no row {row!r}, as every other table has")


def _position_in_sisters(row: str, own: Sequence[str], orders: Iterable[Sequence[str]]) -> Iterator[tuple[bool, bool]]:
    """Yield for each sister with the row: is it above every row of `own`, and is it below."""
    for order in orders:
        if row in order:
            others = [order.index(each) - order.index(row) for each in own if each in order]
            yield all(each > 0 for each in others), all(each < 0 for each in others)


def same_pays(table: PayTable, other: PayTable) -> bool:
    """Return True if two tables pay the same, including the envy and its wager."""

    def pays(each: PayTable) -> object:
        base = each.envy_base_cents or USUAL_ENVY_BASE_CENTS
        rows = [(row.when, text_of(each, row), Fraction(row.envy_cents, base), row.group) for row in each.rows]
        return rows, any(row.envy_cents for row in each.rows) and base, wager_in(each.heading)

    return pays(table) == pays(other)


def number_lost(table: PayTable, sisters: Sequence[PayTable]) -> Iterator[ExplainedFault]:
    """Yield a fault for a table without a number among numbered ones, or one labeled by its position next to
    another."""
    named = [each for each in sisters if each.label]
    if len(named) < _FEWEST or len(named) < len(sisters):
        return
    if not table.label or _BY_PLACE.fullmatch(table.label):
        place = f", it is {table.label}" if table.label else ""
        yield ExplainedFault("no-number", f"its number is lost{place}; the other tables of the bet have one")


def _scaled_down(table: PayTable, sister: PayTable) -> Fraction | None:
    """Return the factor by which all pays of the sister exceed this table's; None if it is not one number above 1."""
    others = {row.when: amount(row) for row in sister.rows}
    pairs = [(own, others.get(row.when)) for row in table.rows if (own := amount(row))]
    ratios = {other / own for own, other in pairs if other}
    return ratios.pop() if len(ratios) == 1 and len(pairs) >= _ANOTHER_MAKE and min(ratios) > 1 else None


def not_scaled(table: PayTable, sisters: Iterable[PayTable]) -> Iterator[ExplainedFault]:
    """Yield a fault for a table headed for a different wager than a sister that pays the same dollars."""
    for sister in sisters:
        times = _scaled_down(table, sister)
        if times and table.envy_base_cents == times * (sister.envy_base_cents or USUAL_ENVY_BASE_CENTS):
            why = f"for {times} times the wager of {sister.id} it pays the same dollars, and {times} times the envy"
            yield ExplainedFault("not-scaled", why)
            return
        own, other = wager_in(table.heading), wager_in(sister.heading)
        if not own or not other or own <= other:
            continue
        flat = {row.when: row.pays for row in sister.rows if row.pays.unit in ("flat", "flat-to")}
        same = [row.when for row in table.rows if row.pays == flat.get(row.when)]
        if same:
            dollars = f"{', '.join(map(repr, same))} pay the dollars that {sister.id} pays for ${other}"
            yield ExplainedFault("not-scaled", f"headed for a wager of ${own}, and {dollars}")
            return


def wager_in(heading: str) -> int:
    """Return the dollars of a heading such as `$5 Pays`; 0 if there are none."""
    found = re.search(r"\$([0-9]+)", heading)
    return int(found[1]) if found else 0


def _number(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else str(value)
