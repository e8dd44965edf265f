"""Proposal of the nearest consistent table for one that appears to be a misprint, with as few changed figures as
possible.

The figures come from the table's sisters, which show what the maker pays for such a row. The candidates are, in this
order: one figure changed, or two; the pays moved one row up or down against the hands; the additional rows of the
sisters; and, without sisters, a narrower last row.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, product
from statistics import median
from typing import Final

from rules.odds.audit.findings import Proposal
from rules.odds.audit.sisters import out_of_line, out_of_order, same_pays, text_of
from rules.odds.returns import return_of_row
from rules.paytables.paytable import PayRow, PayTable, flatten, parse_pay

LEAST: Final = Fraction(1, 2)
"""Lowest plausible return of a table."""
_MOST_CHANGED: Final = 2
_NARROWER: Final = ("6s", "7s", "8s", "9s", "10s", "jacks", "queens", "kings", "aces")

Counts = Mapping[Hashable, int]
"""Number of deals by key of a hand."""


class PayReckoner:
    """Computes the return of a table with changed rows, for hands that are counted."""

    def __init__(self, counts: Counts | None, only: Sequence[str], wager_cents: int) -> None:
        self._counts, self._only, self._wager_cents = counts, only, wager_cents

    def returned(self, table: PayTable) -> Fraction | None:
        """Return the return per unit staked; None if hands are not counted or a meter pays."""
        if self._counts is None or any(row.pays.unit == "percent" for row in table.rows):
            return None
        rows, back = flatten(table, self._only), Fraction(0)
        for key, ways in self._counts.items():
            row = rows[key]
            if row is not None:
                back += ways * (return_of_row(row.pay, {}, self._wager_cents) or 0)
        return back / sum(self._counts.values())

    def is_kept(self, table: PayTable) -> bool:
        """Return True if the table's return is plausible, as far as it is known."""
        returned = self.returned(table)
        return returned is None or LEAST <= returned <= 1


def nearest(table: PayTable, sisters: Sequence[PayTable], reckoner: PayReckoner) -> Proposal | None:
    """Return the consistent table with the fewest changes; of several, the one nearest to the sisters' return or,
    without sisters, the highest return."""
    sound = [each for each in sisters if reckoner.is_kept(each) and not [*out_of_order(each)]]
    returns = [found for each in sound if (found := reckoner.returned(each)) is not None]
    aim = median(returns) if returns else Fraction(1)
    for tried, new in _candidates(table, sound):
        fine = [each for each in tried if _is_in_line(each, sound, reckoner, new)]
        if fine:
            best = min(fine, key=lambda each: (len(_changes(table, each)), abs((reckoner.returned(each) or aim) - aim)))
            return Proposal(_changes(table, best), reckoner.returned(best))
    return None


def _is_in_line(table: PayTable, sisters: Sequence[PayTable], reckoner: PayReckoner, new: bool) -> bool:
    if any(chain(out_of_order(table), out_of_line(table, sisters))):
        return False
    everywhere = [{row.when for row in each.rows} for each in sisters]
    if everywhere and not set.intersection(*everywhere) <= {row.when for row in table.rows}:
        return False
    if new and any(same_pays(table, each) for each in sisters):
        return False
    return reckoner.is_kept(table)


def _candidates(table: PayTable, sisters: Sequence[PayTable]) -> Iterator[tuple[Iterable[PayTable], bool]]:
    """Yield groups of tables with more and more changes, and whether a group must differ from every sister."""
    others = {row.when: _sister_row(table, row, sisters) for row in table.rows}
    for number in range(1, _MOST_CHANGED + 1):
        changed = (
            _with(table, dict(zip(whens, chosen, strict=True)))
            for whens in combinations(others, number)
            for chosen in product(*(others[when] for when in whens))
        )
        yield changed, True
    yield [*_shifted(table, sisters, 1), *_shifted(table, sisters, -1)], False
    yield [_filled(table, sister) for sister in sisters], True
    if not sisters:
        yield _narrower(table), True


def _sister_row(table: PayTable, row: PayRow, sisters: Sequence[PayTable]) -> list[PayRow]:
    """Return the row as sisters have it, without duplicates."""
    found: dict[tuple[str, int], PayRow] = {}
    for sister in sisters:
        for each in sister.rows:
            if each.when == row.when:
                found.setdefault((text_of(sister, each), each.envy_cents), each)
    found.pop((text_of(table, row), row.envy_cents), None)
    return [row.model_copy(update={"pays": each.pays, "envy_cents": each.envy_cents}) for each in found.values()]


def _with(table: PayTable, changed: Mapping[str, PayRow]) -> PayTable:
    return table.model_copy(update={"rows": tuple(changed.get(row.when, row) for row in table.rows)})


def _shifted(table: PayTable, sisters: Sequence[PayTable], step: int) -> Iterator[PayTable]:
    """Yield the table's pays moved along a sister's rows; the remaining rows are the sister's."""
    pays = [row.pays for row in table.rows]
    for sister in sisters:
        whens = [row.when for row in sister.rows]
        first = next((whens.index(row.when) for row in table.rows if row.when in whens), 0) - step
        if first >= 0 and first + len(pays) <= len(whens):
            rows = [
                row.model_copy(update={"pays": pays[at - first]}) if first <= at < first + len(pays) else row
                for at, row in enumerate(sister.rows)
            ]
            yield table.model_copy(update={"rows": tuple(rows)})


def _filled(table: PayTable, sister: PayTable) -> PayTable:
    """Return the sister's rows with this table's pays for the rows it has."""
    own = {row.when: row for row in table.rows}
    return table.model_copy(update={"rows": tuple(own.get(row.when, row) for row in sister.rows)})


def _narrower(table: PayTable) -> Iterator[PayTable]:
    """Yield the table with its last row for fewer hands, or paying a push."""
    *rows, last = table.rows
    if last.when == "pair":
        for ranks in _NARROWER:
            narrow = last.model_copy(update={"when": f"pair of {ranks} or better"})
            yield table.model_copy(update={"rows": (*rows, narrow)})
    elif rows:
        yield table.model_copy(update={"rows": (*rows, last.model_copy(update={"pays": parse_pay("push")}))})


def _changes(table: PayTable, other: PayTable) -> dict[str, str | None]:
    before = {row.when: (text_of(table, row), row.envy_cents) for row in table.rows}
    after = {row.when: (text_of(other, row), row.envy_cents) for row in other.rows}
    found: dict[str, str | None] = {}
    for when, (pays, envy) in after.items():
        if before.get(when) != (pays, envy):
            same_pay = when in before and before[when][0] == pays
            found[when] = f"envy ${envy // 100:,}" if same_pay else pays
    return found | {when: None for when in before if when not in after}
