"""The book of settled rounds, by device session and table, as runs of numbers.

It maintains the rows of the table `settled` and knows nothing of money.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any, Final

from dealwire.journal import derived
from dealwire.journal.derived import Row
from dealwire.journal.digests import digest_of_row
from rules.meters.settled_rounds import SettledKey

Run = tuple[int, int]
"""Consecutive rounds: first and last number."""
_MANY: Final = 1 << 63


class SettledRuns:
    """The settled rounds. `rows` receives the statements that update the table of the file, unless it is None."""

    def __init__(self, rows: list[Row] | None = None) -> None:
        self.rows = rows
        self._runs: dict[tuple[str, str], dict[str, list[Run]]] = {}
        """Runs by (device, session) and table."""
        self._sum = 0
        self._touched: dict[tuple[str, str, str], tuple[Run, ...]] = {}
        """Runs changed since the last digest, as they were then."""

    # ------------------------------------------------------------------ what it says

    def tables_of(self, key: SettledKey) -> list[str]:
        """Return the tables at which the round of `key` was settled."""
        found = self._runs.get(key[:2], {})
        return [table for table, runs in found.items() if _at(runs, key.round) is not None]

    def runs(self, device: str, session: str, table: str) -> list[Run]:
        """Return the rounds of a device's session that were settled at a table."""
        return self._runs.get((device, session), {}).get(table, [])

    def elsewhere(self, device: str, session: str, table: str) -> list[tuple[str, int, int]]:
        """Return the rounds of a device's session that were settled at other tables: table, first and last number."""
        found = self._runs.get((device, session), {})
        return [(other, *run) for other in sorted(found.keys() - {table}) for run in found[other]]

    def digest(self) -> int:
        """Return the sum of its rows' digests. It costs as much as what changed since the last call."""
        for (device, session, table), before in self._touched.items():
            now = tuple(self.runs(device, session, table))
            if now != before:
                self._sum += _digest(table, device, session, now) - _digest(table, device, session, before)
        self._touched.clear()
        return self._sum

    def table_rows(self) -> set[tuple[Any, ...]]:
        """Return the rows that the table of the file must have."""
        return {
            (table, device, session, first, last)
            for (device, session), tables in self._runs.items()
            for table, runs in tables.items()
            for first, last in runs
        }

    def statements(self) -> Iterator[Row]:
        """Yield the statements that fill the empty table."""
        for row in sorted(self.table_rows()):
            yield derived.BEGIN_RUN, row

    # ------------------------------------------------------------------ what changes it

    def load(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Start with rows of the table; ValueError for runs that are not separate."""
        for table, device, session, first, last in sorted(rows):
            known = self._runs.setdefault((device, session), {}).setdefault(table, [])
            if not 0 <= first <= last or (known and first <= known[-1][1] + 1):
                raise ValueError(f"rounds {first} to {last} of session {session} at table {table!r}")
            known.append((first, last))
        self._touched.clear()
        self._sum = sum(
            _digest(table, device, session, runs)
            for (device, session), tables in self._runs.items()
            for table, runs in tables.items()
        )

    def add(self, table: str, key: SettledKey) -> None:
        """Add a settled round."""
        device, session, number = key
        tables = self._runs.setdefault((device, session), {})
        runs = tables.setdefault(table, [])
        at = bisect_right(runs, (number, _MANY))
        if at and number <= runs[at - 1][1]:
            return
        if (device, session, table) not in self._touched:
            self._touched[device, session, table] = tuple(runs)
        first = last = number
        if joins_left := at > 0 and runs[at - 1][1] == number - 1:
            at -= 1
            first = runs[at][0]
        joins_right = at + joins_left < len(runs) and runs[at + joins_left][0] == number + 1
        if joins_right:
            last = runs[at + joins_left][1]
        runs[at : at + joins_left + joins_right] = [(first, last)]
        if self.rows is not None:
            where = table, device, session
            if joins_right:
                self.rows.append((derived.END_RUN, (*where, number + 1)))
            self.rows.append((derived.RUN_ON if joins_left else derived.BEGIN_RUN, (*where, first, last)))

    def take_back(self, table: str, key: SettledKey) -> bool:
        """Remove a round that was settled later than the record to which the books are taken back. False if it is not
        there."""
        tables = self._runs.get(key[:2], {})
        runs = tables.get(table, [])
        at = _at(runs, key.round)
        if at is None:
            return False
        self._touched.setdefault((*key[:2], table), tuple(runs))
        first, last = runs.pop(at)
        rest = [(first, key.round - 1), (key.round + 1, last)]
        runs[at:at] = [run for run in rest if run[0] <= run[1]]
        if not runs:
            del tables[table]
        return True


def in_words(row: tuple[Any, ...]) -> str:
    """Return a row as text."""
    table, device, session, first, last = row
    which = f"round {first}" if first == last else f"rounds {first} to {last}"
    return f"{which} of session {session} of {device or 'a device without a name'} at table {table!r}"


def _digest(table: str, device: str, session: str, runs: Iterable[Run]) -> int:
    """Return one digest for all runs of a device's session at a table; 0 without runs."""
    numbers = [number for run in runs for number in run]
    return digest_of_row("settled", table, device, session, *numbers) if numbers else 0


def _at(runs: list[Run], number: int) -> int | None:
    """Return the index of the run with this number."""
    at = bisect_right(runs, (number, _MANY)) - 1
    return at if at >= 0 and number <= runs[at][1] else None
