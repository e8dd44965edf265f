"""The book of obligations: what is held of settled rounds and still open, and what opens and releases it.

It touches the rows of the table `obligation`. What is held follows from two records, the settlement that was made known
and the one that says which round it is of; until the second comes, the first waits.
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
"""Settlements of a table that wait for the record that says which round they are of."""


class Released(msgspec.Struct, frozen=True):
    """A person said that what is held of a round was settled by hand: the payload of a `released` record. `entry` to
    `currency` say what; `row` is the digest of its row, hex."""

    entry: int
    of: SettledKey
    cents: int
    currency: str
    row: str
    who: str
    badge: int
    why: str
    readings: tuple[str, ...] = ()
    """Those that decided what was held: released, they are let pass from the table's next snapshot on."""


class _HeldOf(msgspec.Struct):
    held: int = 0


class _LineOf(msgspec.Struct):
    result: str = ""
    why: str = ""
    clause: str = ""
    reading: str | None = None


class BookedSettlement(derived.SettledLine):
    """What a settlement says of its round, its meters and its pool, and what of it may be held."""

    seats: list[_HeldOf] = msgspec.field(default_factory=list)
    lines: list[_LineOf] = msgspec.field(default_factory=list)
    currency: str = DOLLAR
    why: str | None = None
    again: bool = False


class _Waiting(NamedTuple):
    """A settlement with money held, until the record comes that says of which round it is."""

    sequence: int
    at_ns: int
    cents: int
    settlement: BookedSettlement


_RELEASED: Final = msgspec.json.Decoder(Released)


class Obligations:
    """What is held, by table. `rows` gets the statements that bring the table of the file along, unless it is None."""

    def __init__(self, rows: list[Row] | None = None) -> None:
        self.rows = rows
        self.moves: list[tuple[str, HeldEntry, bool]] | None = None
        """Gets what is opened (True) and released, with its table, unless it is None."""
        self._held: dict[str, HeldBook] = {}
        self._sum = 0
        self._unknown: dict[int, int] = {}
        """Of entries that are known by what was released of them alone: the digests of their rows."""
        self._waiting: dict[str, deque[_Waiting]] = {}

    # ------------------------------------------------------------------ what it says

    def held(self, table: str) -> HeldBook:
        """What is held at a table, kept up to date here."""
        book = self._held.get(table)
        if book is None:
            book = self._held[table] = HeldBook()
        return book

    @property
    def tables(self) -> dict[str, HeldBook]:
        """What is held, by table; without those at which nothing is."""
        return {table: book for table, book in self._held.items() if len(book)}

    @property
    def open(self) -> Iterator[tuple[str, HeldEntry]]:
        """Everything that is held, by table."""
        for table, book in self._held.items():
            for each in book:
                yield table, each

    def waits(self, after: int) -> bool:
        """Whether a settlement after record `after` waits for the record that says of which round it is."""
        return any(each and each[-1].sequence > after for each in self._waiting.values()) if self._waiting else False

    def awaits(self, table: str, key: SettledKey) -> _Waiting | None:
        """The settlement of a round of this number that holds money, and of which nothing says which round it is."""
        waiting = self._waiting.get(table)
        if not waiting:
            return None
        return next((w for w in waiting if (w.settlement.session, w.settlement.round) == key[1:]), None)

    def digest(self) -> int:
        """The sum of its rows' digests."""
        return self._sum

    def sums(self) -> dict[str, dict[str, Any]]:
        """What is held at each table, as a `balance` record has it."""
        return {
            table: {"count": len(book), "cents": dict(sorted(book.cents.items()))}
            for table, book in sorted(self._held.items())
            if len(book)
        }

    def table_rows(self) -> set[tuple[Any, ...]]:
        """The rows that the table of the file must have."""
        return {row_of(*each) for each in self.open}

    def statements(self) -> Iterator[Row]:
        """What fills the table, empty before."""
        for row in sorted(self.table_rows()):
            yield derived.HOLD, row

    # ------------------------------------------------------------------ what changes it

    def load(self, rows: Iterable[tuple[Any, ...]]) -> None:
        """Begin with rows of the table, as they are, in their order; ValueError for one that no program wrote."""
        for row in rows:
            table, entry = entry_in(row)
            self.held(table).add(entry)
        self._sum = 0
        for table, entry in self.open:
            known = self._unknown.get(entry.entry)
            self._sum += known if known is not None else _digest(table, entry)

    def expect(self, sequence: int, at_ns: int, table: str, settlement: BookedSettlement) -> None:
        """A settlement was made known: what it holds waits for the record that says of which round it is."""
        cents = 0
        for seat in settlement.seats:
            cents += seat.held
        if cents and not settlement.again:
            waiting = self._waiting.setdefault(table, deque(maxlen=_WAITING_MAX))
            waiting.append(_Waiting(sequence, at_ns, cents, settlement))

    def expect_nothing(self) -> None:
        """What waits is waited for no more."""
        self._waiting.clear()

    def hold(self, sequence: int, table: str, key: SettledKey, digest: bytes) -> bool:
        """What the settlement of a round that was made known before holds is open from here on. False where none did
        that holds anything."""
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
        """What was held of a round was settled by hand; it, unless it was not open."""
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
        """Put back what was released later than the record that the books are to stand at."""
        self._unknown[released.entry] = row = int(released.row, 16)
        self._sum += row
        self.held(table).add(HeldEntry(released.entry, *released.of, 0, released.cents, released.currency))

    def unhold(self, since: int) -> None:
        """Take back what is held of rounds that were settled after record `since`."""
        for table, book in self._held.items():
            for each in [each for each in book if each.entry > since]:
                book.release(each.entry)
                self._sum -= _digest(table, each)


# ---------------------------------------------------------------------- rows and records


def row_of(table: str, e: HeldEntry) -> tuple[Any, ...]:
    """The row of what is held of a round."""
    readings = msgspec.json.encode(e.readings).decode()
    return (
        e.entry, table, e.device, e.session, e.round, e.at_ns, e.cents, e.currency, e.why, e.clause, readings, e.hash
    )  # fmt: skip


def entry_in(row: tuple[Any, ...]) -> tuple[str, HeldEntry]:
    """The table and what is held, of a row; ValueError for one that no program wrote."""
    entry, table, device, session, round_, at_ns, cents, currency, why, clause, readings, digest = row
    if min(entry, round_, at_ns, cents) < 0:
        raise ValueError(in_words(row))
    try:
        names = tuple(msgspec.json.decode(readings, type=list[str])) if readings != "[]" else ()
    except msgspec.DecodeError:
        raise ValueError(f"the readings of entry {entry}") from None
    device, session, currency, why, clause = map(intern, (device, session, currency, why, clause))  # of most the same
    return table, HeldEntry(entry, device, session, round_, at_ns, cents, currency, why, clause, names, digest)


def in_words(row: tuple[Any, ...]) -> str:
    """A row for a person."""
    entry, table, _, session, number, _, cents, currency, *_ = row
    return f"entry {entry}, {amount(cents, currency)} held of round {number} of session {session} at table {table!r}"


def released(table: str, held: HeldEntry, who: str, badge: int, why: str) -> Released:
    """What is written when something is released."""
    key = SettledKey(held.device, held.session, held.round)
    row = f"{_digest(table, held):064x}"
    return Released(held.entry, key, held.cents, held.currency, row, who, badge, why, held.readings)


def released_of(record: JournalRecord) -> Released | None:
    """What a `released` record says; None when it cannot be read."""
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
