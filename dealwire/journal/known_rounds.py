"""The rounds that were settled before, asked of a table's record by whoever settles the next one.

While a table is dealt again the tables of the file are asked, without what comes later in the record; once it is live,
the book of them. Nothing is written here: `newly_settled` is for whoever does.
"""

from dealwire.journal.book_tables import BookTables
from dealwire.journal.derived import NOBODY
from dealwire.journal.settled_runs import SettledRuns
from rules.meters.settled_rounds import RoundRuns, SettledKey


class AllRounds:
    """What all tables that are dealt together have settled since, by (device, session) and table. `known`: the record
    is of a version by which no round is settled at two tables."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], dict[str, RoundRuns]] = {}
        self.known = True


class JournaledRounds:
    """Which rounds of a table were settled by now, while it is dealt from the journal or live: those that its tables
    hold, without those that come later in the record than where the dealing began, and those settled since. `others`
    are those of all tables that are dealt beside it: what one has settled no other settles."""

    def __init__(self, tables: BookTables, table: str, since: int, others: AllRounds) -> None:
        self._tables, self._table, self._others = tables, table, others
        self._book: SettledRuns | None = None
        self._elsewhere: dict[tuple[str, str], list[tuple[str, int, int]]] = {}
        self._later, self._added = RoundRuns(), RoundRuns()
        self._before: dict[tuple[str, str], list[tuple[int, int]]] = {}
        """Of each device and session that was asked for, what its tables held then: a result waits for no look-up."""
        self.newly_settled: list[SettledKey] = []
        """Those added since this was emptied last, for whoever writes them down."""
        for key in tables.settled(since, table):
            self._later.add(key)

    def go_by(self, book: SettledRuns) -> None:
        """What was settled stands in this book from now on: the file, which others can write, is not asked again."""
        self._book = book
        self._before.clear()
        self._elsewhere.clear()

    def known(self, key: SettledKey) -> bool:
        """Whether this round was settled."""
        if key in self._added:
            return True
        if key in self._later or key._replace(device=NOBODY) in self._later:
            return False
        runs = self._before.get(key[:2])
        if runs is None:
            runs = self._before[key[:2]] = self._runs(key)
        return any(first <= key.round <= last for first, last in runs)

    def elsewhere(self, key: SettledKey) -> str:
        """The other table at which this round was settled; empty where none did. A journal that an older version wrote
        knows of none."""
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
        """It is settled now."""
        self._added.add(key)
        self._others.tables.setdefault(key[:2], {}).setdefault(self._table, RoundRuns()).add(key)
        self.newly_settled.append(key)
