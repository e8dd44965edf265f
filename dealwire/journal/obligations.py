"""The book of obligations: money held from settled rounds that is still open, and its opening and release.

It maintains the rows of the table `obligation`. Held money follows from two records: the published settlement, and the
record that names its round; until the second arrives, the first waits.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from sys import intern
from typing import Any, Final, NamedTuple

import msgspec

from dealer_flow.record.details import DOLLAR
from dealwire.journal import derived
from dealwire.journal.derived import Row
from dealwire.journal.digests import digest_of_row
from dealwire.journal.records import JournalRecord
from dealwire.table.held import HeldBook, HeldEntry
from rules.meters.settled_rounds import SettledKey
from rules.settlement import amount

_WAITING_MAX: Final = 64
"""Most settlements of a table that wait for the record of their round."""


class Released(msgspec.Struct, frozen=True):
    """Payload of a `released` record: a supervisor settled held money by hand. `entry` to `currency` identify it; `row`
    is the digest of its row, hex."""

    entry: int
    of: SettledKey
    cents: int
    currency: str
    row: str
    who: str
    badge: int
    why: str
    readings: tuple[str, ...] = ()
    """Readings that decided what was held; from the table's next snapshot on they are allowed."""


class _HeldOf(msgspec.Struct):
    held: int = 0


class _LineOf(msgspec.Struct):
    result: str = ""
    why: str = ""
    clause: str = ""
    reading: str | None = None


class BookedSettlement(derived.SettledLine):
    """The round, meters and pool in a settlement, and what of it may be held."""

    seats: list[_HeldOf] = msgspec.field(default_factory=list)
    lines: list[_LineOf] = msgspec.field(default_factory=list)
    currency: str = DOLLAR
    why: str | None = None
    again: bool = False


class _Waiting(NamedTuple):
    """A settlement with held money that waits for the record of its round."""

    sequence: int
    at_ns: int
    cents: int
    settlement: BookedSettlement


_RELEASED: Final = msgspec.json.Decoder(Released)


class Obligations:
    """Held money by table. `rows` receives the statements that update the table of the file, unless it is None."""

    def __init__(self, rows: list[Row] | None = None) -> None:
        self.rows = rows
        self.moves: list[tuple[str, HeldEntry, bool]] | None = None
        """Receives what is opened (True) and released, with its table, unless it is None."""
        self._held: dict[str, HeldBook] = {}
        self._sum = 0
        self._unknown: dict[int, int] = {}
        """Digests of entries known only from their release."""
        self._waiting: dict[str, deque[_Waiting]] = {}

    # ------------------------------------------------------------------ what it says

    def held(self, table: str) -> HeldBook:
        """Return the held money of a table, kept up to date here."""
        book = self._held.get(table)
        if book is None:
            book = self._held[table] = HeldBook()
        return book

    @property
    def tables(self) -> dict[str, HeldBook]:
        """Held money by table, without tables that have none."""
        return {table: book for table, book in self._held.items() if len(book)}

    @property
    def open(self) -> Iterator[tuple[str, HeldEntry]]:
        """Everything that is held, with its table."""
        for table, book in self._held.items():
            for each in book:
                yield table, each

    def waits(self, after: int) -> bool:
        """True if a settlement after record `after` waits for the record of its round."""
        return any(each and each[-1].sequence > after for each in self._waiting.values()) if self._waiting else False

    def awaits(self, table: str, key: SettledKey) -> _Waiting | None:
        """Return the waiting settlement with held money for a round of this number; None if there is none."""
        waiting = self._waiting.get(table)
        if not waiting:
            return None
        return next((w for w in waiting if (w.settlement.session, w.settlement.round) == key[1:]), None)

    def digest(self) -> int:
        """The sum of its rows' digests."""
        return self._sum

    def sums(self) -> dict[str, dict[str, Any]]:
        """Return the held money of each table as in a `balance` record."""
        return {
            table: {"count": len(book), "cents": dict(sorted(book.cents.items()))}
            for table, book in sorted(self._held.items())
            if len(book)
        }

    def table_rows(self) -> set[tuple[Any, ...]]:
        """Return the rows that the table of the file must have."""
        return {row_of(*each) for each in self.open}

    def statements(self) -> Iterator[Row]:
        """Yield the statements that fill the empty table."""
        for row in sorted(self.table_rows()):
            yield derived.HOLD, row

    # ------------------------------------------------------------------ what changes it

    def load(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Start with rows of the table, in order; ValueError for one that no program wrote."""
        for row in rows:
            table, entry = entry_in(row)
            self.held(table).add(entry)
        self._sum = 0
        for table, entry in self.open:
            known = self._unknown.get(entry.entry)
            self._sum += known if known is not None else _digest(table, entry)

    def expect(self, sequence: int, at_ns: int, table: str, settlement: BookedSettlement) -> None:
        """Take a published settlement: its held money waits for the record of its round."""
        cents = 0
        for seat in settlement.seats:
            cents += seat.held
        if cents and not settlement.again:
            waiting = self._waiting.setdefault(table, deque(maxlen=_WAITING_MAX))
            waiting.append(_Waiting(sequence, at_ns, cents, settlement))

    def expect_nothing(self) -> None:
        """Drop the settlements that wait."""
        self._waiting.clear()

    def hold(self, sequence: int, table: str, key: SettledKey, digest: bytes) -> bool:
        """Open the held money of the waiting settlement of a round. False if there is none."""
        found = self.awaits(table, key)
        if found is None:
            return False
        self._waiting[table].remove(found)
        entry = _entry_of(sequence, key, found, digest)
        self.held(table).add(entry)
        self._sum += _digest(table, entry)
        if self.moves is not None:
            self.moves.append((table, entry, True))
        if self.rows is not None:
            self.rows.append((derived.HOLD, row_of(table, entry)))
        return True

    def release(self, table: str, released: Released) -> HeldEntry | None:
        """Close held money that was settled by hand and return it; None if it was not open."""
        book, row = self.held(table), self._unknown.pop(released.entry, None)
        found = book.get(released.entry)
        if found is None:
            return None
        book.release(released.entry)
        self._sum -= row if row is not None else _digest(table, found)
        if self.moves is not None:
            self.moves.append((table, found, False))
        if self.rows is not None:
            self.rows.append((derived.LET_GO, (released.entry,)))
        return found

    def unrelease(self, table: str, released: Released) -> None:
        """Undo a release that came later than the record to which the books are taken back."""
        self._unknown[released.entry] = row = int(released.row, 16)
        self._sum += row
        self.held(table).add(HeldEntry(released.entry, *released.of, 0, released.cents, released.currency))

    def unhold(self, since: int) -> None:
        """Undo the opening of held money after record `since`."""
        for table, book in self._held.items():
            for each in [each for each in book if each.entry > since]:
                book.release(each.entry)
                self._sum -= _digest(table, each)


# ---------------------------------------------------------------------- rows and records


def row_of(table: str, e: HeldEntry) -> tuple[Any, ...]:
    """Return the row of held money."""
    readings = msgspec.json.encode(e.readings).decode()
    return (
        e.entry, table, e.device, e.session, e.round, e.at_ns, e.cents, e.currency, e.why, e.clause, readings, e.hash
    )  # fmt: skip


def entry_in(row: tuple[Any, ...]) -> tuple[str, HeldEntry]:
    """Return the table and held money of a row; ValueError for one that no program wrote."""
    entry, table, device, session, round_, at_ns, cents, currency, why, clause, readings, digest = row
    if min(entry, round_, at_ns, cents) < 0:
        raise ValueError(in_words(row))
    try:
        names = tuple(msgspec.json.decode(readings, type=list[str])) if readings != "[]" else ()
    except msgspec.DecodeError:
        raise ValueError(f"the readings of entry {entry}") from None
    device, session, currency, why, clause = map(
        intern, (device, session, currency, why, clause)
    )  # most rows share these texts
    return table, HeldEntry(entry, device, session, round_, at_ns, cents, currency, why, clause, names, digest)


def in_words(row: tuple[Any, ...]) -> str:
    """Return a row as text."""
    entry, table, _, session, number, _, cents, currency, *_ = row
    return f"entry {entry}, {amount(cents, currency)} held of round {number} of session {session} at table {table!r}"


def released(table: str, held: HeldEntry, who: str, badge: int, why: str) -> Released:
    """Return the payload of a release."""
    key = SettledKey(held.device, held.session, held.round)
    row = f"{_digest(table, held):064x}"
    return Released(held.entry, key, held.cents, held.currency, row, who, badge, why, held.readings)


def released_of(record: JournalRecord) -> Released | None:
    """Return the content of a `released` record; None if it cannot be read."""
    try:
        return _RELEASED.decode(record.payload)
    except msgspec.DecodeError:
        return None


def _digest(table: str, entry: HeldEntry) -> int:
    return digest_of_row("obligation", *row_of(table, entry))


def _entry_of(sequence: int, key: SettledKey, found: _Waiting, digest: bytes) -> HeldEntry:
    settlement, why, clause = found.settlement, None, ""
    readings: dict[str, None] = {}
    for line in settlement.lines:
        if line.result == "held":
            if why is None:
                why, clause = line.why, line.clause
            if line.reading:
                readings[line.reading] = None
    why = why if why is not None else settlement.why or ""
    currency = settlement.currency
    return HeldEntry(sequence, *key, found.at_ns, found.cents, currency, why, clause, tuple(readings), digest)
