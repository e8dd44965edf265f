"""Checks of a journal's books against its records: from the newest balance at every start, from the first in `verify`.

The tables of the file are taken back to a record by undoing the records since. Led forward from there, they must match
each balance, and in the end the tables. So an altered row is found even if the records behind it were pruned long ago.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from dealwire.journal.book_tables import BookTables
from dealwire.journal.books import BOOKS, ERA, Books, era_of, rows_since
from dealwire.journal.derived import key_of
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.obligations import Released, released_of
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import BALANCE, OPENED, RELEASED, SALVAGED, SETTLED, JournalRecord
from rules.settlement import amount

Rows = dict[str, set[tuple[Any, ...]]]
MEND: Final = "`dealwire journal salvage` rebuilds the tables from the records"


class _Balance(msgspec.Struct):
    """The payload of a `balance` record."""

    held: dict[str, Any]
    meters: list[tuple[str, str, int, str]]
    digests: dict[str, str]


_BALANCE: Final = msgspec.json.Decoder(_Balance)


class BooksCheck:
    """Checks the books. Call `take` with every record after number `after`, in order, then `finish`.

    JournalDamaged names table and row where tables and records disagree. `books` are led forward on the way. `newest`:
    start at the newest balance instead of the first record from which the books can be led.
    """

    def __init__(self, reader: JournalReader, *, newest: bool = False) -> None:
        self._reader = reader
        self.books = Books()
        self._balanced = reader.whole
        """Balances describe this file's tables. In a day's copy they describe those of the journal it was copied from.
        """
        self._now: dict[str, str] | None = None
        """The digests of the tables, if no one else writes them meanwhile."""
        begins = self._begins(newest) if reader.whole else None
        self.after = begins - 1 if begins is not None else reader.anchor.sequence
        if begins is not None:
            with reader.standing_still():
                self._open(begins)
        if newest and self._now is None:
            self._now = loaded(reader).digests()

    def take(self, record: JournalRecord) -> None:
        """Take one record, in order; those up to `after` are ignored."""
        if record.sequence <= self.after:
            return
        self.books.take(record)
        if record.kind == BALANCE and self._balanced:
            self._compare(record)

    def finish(self) -> None:
        """Compare with the tables at the end. No one may write them before this is done."""
        now = self._now if self._now is not None else loaded(self._reader).digests()
        if now != self.books.digests():
            raise self._differs(self.books)

    def _begins(self, newest: bool) -> int | None:
        """Return the record to start with: a balance, or None for the first record of a complete file."""
        reader = self._reader
        salvaged = reader.newest_of(SALVAGED)
        since = salvaged.sequence if salvaged is not None else 0
        if not newest and reader.anchor.sequence == 0 and not since and self._born():
            return None
        found = reader.newest_of(BALANCE) if newest else reader.first_of(BALANCE, since)
        if found is not None and found.sequence > since:
            return found.sequence
        if reader.anchor.sequence == 0 and not since and self._born():
            return None
        raise JournalDamaged(reader.path, None, "holds no balance to compare its tables with")

    def _born(self) -> bool:
        """True if the file's first record is of a version that kept books."""
        first = self._reader.first_of(OPENED)
        return first is not None and first.sequence == 1 and era_of(first) >= ERA

    def _open(self, begins: int) -> None:
        """Take the books back to a balance: the tables as they are, without what came since."""
        reader = self._reader
        self.books = books = loaded(reader)
        self._now = books.digests()
        record = next(reader.records(begins - 1))
        for table, settled in reader.marks_since(SETTLED, begins):
            key = key_of(settled)
            if key is not None and not books.settled.take_back(table, key):
                why = f"the table 'settled' does not hold round {key.round} of session {key.session} at table {table!r}"
                raise JournalDamaged(reader.path, settled.sequence, f"{why}, which this record settles; {MEND}")
        since: dict[int, tuple[str, Released]] = {}
        for table, mark in reader.marks_since(RELEASED, begins):
            if (noted := released_of(mark)) is not None and noted.entry < begins:
                since[noted.entry] = table, noted
        books.obligations.unhold(begins)
        for table, noted in since.values():
            books.obligations.unrelease(table, noted)
        books.meters.stand(self._noted(record).meters)

    def _noted(self, record: JournalRecord) -> _Balance:
        try:
            return _BALANCE.decode(record.payload)
        except msgspec.DecodeError:
            raise JournalDamaged(self._reader.path, record.sequence, "a balance that cannot be read") from None

    def _compare(self, record: JournalRecord) -> None:
        noted, now = self._noted(record), self.books.balance()
        if msgspec.to_builtins(noted) == msgspec.to_builtins(_BALANCE.decode(msgspec.json.encode(now))):
            return
        wrong = [name for name in BOOKS if noted.digests.get(name) != now["digests"][name]]
        exact = Books()
        if self._reader.anchor.sequence == 0 and self._born() and self._reader.newest_of(SALVAGED) is None:
            for each in self._reader.records():  # only all records together tell which row is wrong
                exact.take(each)
            for text in rows_since(exact.table_rows(), rows_of(self._reader)):
                raise JournalDamaged(self._reader.path, None, f"{text}; {MEND}")
        for table in sorted(noted.held.keys() | now["held"].keys()):
            if (was := noted.held.get(table)) != (found := now["held"].get(table)):
                text = f"what is held at table {table!r} was {_sum(was)} at record {record.sequence}, and the table"
                raise JournalDamaged(self._reader.path, None, f"{text} 'obligation' gives {_sum(found)}; {MEND}")
        tables = " and ".join(repr(name) for name in wrong) or "'meter'"
        text = f"a row of {tables} from before record {record.sequence} does not match its balance"
        raise JournalDamaged(self._reader.path, None, f"{text}; {MEND}")

    def _differs(self, books: Books) -> JournalDamaged:
        text = next(rows_since(books.table_rows(), rows_of(self._reader)), "the tables do not match the records")
        return JournalDamaged(self._reader.path, None, f"{text}; {MEND}")


class OlderCheck:
    """Checks a file of version 2, which has no balances: its tables may hold more than the records, from pruned, older
    or salvaged records."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._whole = reader.anchor.sequence == 0
        self._salvaged = False
        self.books = Books(era=2)

    def take(self, record: JournalRecord) -> None:
        """Take one record, in order."""
        self._salvaged |= record.kind == SALVAGED
        self._whole &= record.kind not in (SALVAGED, "received", "sent")  # version 1 wrote the last two
        self.books.take(record)

    def finish(self) -> None:
        """Compare with the tables at the end."""
        made, tables = self.books.table_rows(), BookTables(self._reader)
        kept = {name: tables.rows_of(name) for name in ("settled", "meter")}
        kept["settled"] = set(joined(kept["settled"]))
        for name in ("settled", "meter"):
            if made[name] == kept[name] or (not self._whole and (self._salvaged or _covered(name, made, kept))):
                continue
            why = f"the table {name!r} does not match the records"
            raise JournalDamaged(self._reader.path, None, why)


def loaded(reader: JournalReader) -> Books:
    """Return books with the content of a file's tables; JournalDamaged if no program wrote them so."""
    books, tables = Books(), BookTables(reader)
    try:
        books.load(tables.rows_of("settled"), tables.rows_of("meter"), tables.obligations())
    except ValueError as error:
        raise JournalDamaged(reader.path, None, f"an invalid row in the books: {error}; {MEND}") from None
    return books


def rows_of(reader: JournalReader) -> Rows:
    """Return the rows of the tables with the books."""
    return {name: BookTables(reader).rows_of(name) for name in BOOKS}


def joined(rows: set[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield rows of `settled` with adjacent runs joined."""
    before: tuple[Any, ...] | None = None
    for row in sorted(rows):
        if before is not None and row[:3] == before[:3] and row[3] <= before[4] + 1:
            before = (*before[:4], max(before[4], row[4]))
            continue
        if before is not None:
            yield before
        before = row
    if before is not None:
        yield before


def _covered(name: str, made: Rows, kept: Rows) -> bool:
    """True if the file's table has everything that follows from the remaining records."""
    if name == "meter":
        return made[name] <= kept[name]
    rows = kept[name]
    return all(any(row[:3] == run[:3] and row[3] <= run[3] and run[4] <= row[4] for row in rows) for run in made[name])


def _sum(held: dict[str, Any] | None) -> str:
    if not held:
        return "nothing"
    sums = ", ".join(amount(cents, currency) for currency, cents in held["cents"].items())
    return f"{sums} of {held['count']} rounds"
