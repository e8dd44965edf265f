"""Queries on the tables of a file that hold its books, for replays and new tables.

Nothing here checks them against the records: `balancing` does. A file of version 1 has none, so its records are read.
"""

from collections.abc import Collection, Iterator
from typing import Any

from dealwire.journal import database, derived
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.record_file import MANY, PAGE, RecordFile
from dealwire.journal.records import SETTLED, JournalRecord
from rules.meters.settled_rounds import SettledKey


class BookTables:
    """The tables of `file`, which must stay open while they are queried."""

    def __init__(self, file: RecordFile) -> None:
        self._file = file

    def settled(self, after: int, table: str) -> Iterator[SettledKey]:
        """Yield the rounds of `table` settled after record `after`, oldest first."""
        if self._file.version > 1:
            yield from filter(None, map(derived.key_of, self._file.marked(SETTLED, table, after)))
        if self._file.version == 1 or self._file.rows(derived.KNOWS_OLDER, table):
            where = f"{database.IS_PUBLICATION} AND kind = 'settlement'"
            lines = (each.text for each in self._file.paged(after, where) if each.table == table)
            yield from filter(None, map(derived.older_key_of, lines))

    def was_settled(self, table: str, key: SettledKey) -> bool:
        """True if this round's settlement was ever written, even by a version that wrote its session only."""
        if self._file.version == 1:
            return key._replace(device=derived.NOBODY) in self.settled(0, table)
        return bool(self._file.rows(derived.IS_SETTLED, table, *key, derived.NOBODY))

    def runs_settled(self, table: str, device: str, session: str) -> list[tuple[int, int]]:
        """Return the settled rounds of a device's session as runs of first and last number, including those of a
        version that wrote the session only."""
        if self._file.version == 1:
            return [(key.round, key.round) for key in self.settled(0, table) if key.session == session]
        return [(first, last) for first, last in self._file.rows(derived.RUNS, table, device, derived.NOBODY, session)]

    def runs_elsewhere(self, table: str, device: str, session: str) -> list[tuple[str, int, int]]:
        """Return the rounds of a device's session settled at other tables: table, first and last number."""
        rows = self._file.rows(derived.ELSEWHERE, table, device, session) if self._file.version > 1 else []
        return [(name, first, last) for name, first, last in rows]

    def rows_of(self, table: str) -> set[tuple[Any, ...]]:
        """Return the rows of one of the derived tables."""
        return set(self._file.rows(f"SELECT * FROM {table}"))

    def obligations(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of held money by number, with no more than a page in memory."""
        begin, sql = -MANY - 1, "SELECT * FROM obligation WHERE entry >= ? ORDER BY entry LIMIT ?"
        while begin <= MANY and (rows := self._file.rows(sql, begin, PAGE)):
            yield from rows
            if rows[-1][0] < begin:  # a damaged tree may loop
                why = "rows of the table 'obligation' that are not in their order"
                raise JournalDamaged(self._file.path, None, why)
            begin = rows[-1][0] + 1

    def own_meters(self, table: str) -> dict[str, int | None]:
        """Return the amounts of `table`'s own meters, in cents by name; None if unknown."""
        return {name: derived.cents_of(line) for name, line in self._own_lines(table)}

    def own_rolled(self, table: str) -> dict[str, dict[str, Any]]:
        """Return the state of `table`'s pots that have rolled over, in addition to their cents, by meter."""
        found = {name: derived.rolled_of(line) for name, line in self._own_lines(table)}
        return {name: rolled for name, rolled in found.items() if rolled is not None}

    def own_runners(self, table: str) -> dict[int, int]:
        """Return the runners at `table`, by seat."""
        return next((derived.runners_of(line) for name, line in self._own(table) if name == derived.RUNNERS), {})

    def newest_meters(self, names: Collection[str], before: int) -> dict[str, str]:
        """Return the newest step of each of these shared meters before record `before`, by name; meters without a step
        are left out."""
        sql = "SELECT name, sequence, line FROM meter WHERE tbl = ?"
        rows = self._file.rows(sql, derived.SHARED) if self._file.version > 1 else []
        found = {name: line for name, sequence, line in rows if name in names and sequence < before}
        missing = {name for name, sequence, _ in rows if name in names} - found.keys() if rows else set(names)
        for record in self._meters_back(before) if missing else ():
            name = derived.meter_of(record.text)
            if name in missing:
                found[name] = record.text
                missing.remove(name)
            if not missing:
                break
        return found

    def _own_lines(self, table: str) -> list[tuple[str, str]]:
        return [(name, line) for name, line in self._own(table) if name != derived.RUNNERS]

    def _own(self, table: str) -> list[tuple[str, str]]:
        rows = self._file.rows("SELECT name, line FROM meter WHERE tbl = ?", table) if self._file.version > 1 else []
        return [(name, line) for name, line in rows]

    def _meters_back(self, before: int) -> Iterator[JournalRecord]:
        where = f"{database.IS_PUBLICATION} AND kind = 'meter' AND sequence < ?"
        sql = (
            f"SELECT {database.COLUMNS} FROM record INDEXED BY publication WHERE {where} ORDER BY sequence DESC LIMIT ?"
        )
        while found := list(map(self._file.record, self._file.rows(sql, before, PAGE))):
            yield from found
            before = found[-1].sequence
