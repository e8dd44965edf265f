"""Rounds that were already settled, as seen by a table that settles the next one.

In a replay the tables of the file answer, without what comes later in the record; live, the book does. Nothing is
written here: `newly_settled` is for the writer.
"""

from dealwire.journal.book_tables import BookTables
from dealwire.journal.derived import NOBODY
from dealwire.journal.settled_runs import SettledRuns
from rules.meters.settled_rounds import RoundRuns, SettledKey


class AllRounds:
    """Rounds settled since by all tables in one replay, by (device, session) and table. `known`: the record is of a
    version by which no round is settled at two tables."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], dict[str, RoundRuns]] = {}
        self.known = True


class JournaledRounds:
    """The settled rounds of a table, in a replay or live: those in the tables of the file, without those after the
    replay's start, plus those settled since. `others` has those of all tables in the replay: no round is settled twice.
    """

    def __init__(self, tables: BookTables, table: str, since: int, others: AllRounds) -> None:
        self._tables, self._table, self._others = tables, table, others
        self._book: SettledRuns | None = None
        self._elsewhere: dict[tuple[str, str], list[tuple[str, int, int]]] = {}
        self._later, self._added = RoundRuns(), RoundRuns()
        self._before: dict[tuple[str, str], list[tuple[int, int]]] = {}
        """Cached runs by device and session, so that no result waits for a look-up."""
        self.newly_settled: list[SettledKey] = []
        """Rounds added since this list was last emptied, for the writer."""
        for key in tables.settled(since, table):
            self._later.add(key)

    def use_book(self, book: SettledRuns) -> None:
        """Use this book of settled rounds from now on. The file, which others can write, is not queried again."""
        self._book = book
        self._before.clear()
        self._elsewhere.clear()

    def known(self, key: SettledKey) -> bool:
        """True if this round was settled."""
        if key in self._added:
            return True
        if key in self._later or key._replace(device=NOBODY) in self._later:
            return False
        runs = self._before.get(key[:2])
        if runs is None:
            runs = self._before[key[:2]] = self._runs(key)
        return any(first <= key.round <= last for first, last in runs)

    def elsewhere(self, key: SettledKey) -> str:
        """Return the other table at which this round was settled; empty if there is none, and for a journal of an older
        version."""
        if not self._others.known:
            return ""
        dealt = self._others.tables.get(key[:2], {})
        for table, runs in dealt.items():
            if table != self._table and key in runs:
                return table
        rows = self._elsewhere.get(key[:2])
        if rows is None:
            rows = self._elsewhere[key[:2]] = self._runs_elsewhere(key)
        return next((table for table, first, last in rows if first <= key.round <= last), "")

    def _runs(self, key: SettledKey) -> list[tuple[int, int]]:
        if self._book is None:
            return self._tables.runs_settled(self._table, key.device, key.session)
        return [run for device in (key.device, NOBODY) for run in self._book.runs(device, key.session, self._table)]

    def _runs_elsewhere(self, key: SettledKey) -> list[tuple[str, int, int]]:
        if self._book is None:
            return self._tables.runs_elsewhere(self._table, key.device, key.session)
        return self._book.elsewhere(key.device, key.session, self._table)

    def add(self, key: SettledKey) -> None:
        """Add a settled round."""
        self._added.add(key)
        self._others.tables.setdefault(key[:2], {}).setdefault(self._table, RoundRuns()).add(key)
        self.newly_settled.append(key)
