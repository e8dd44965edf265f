"""The books: what follows from a journal's records and decides money. Settled rounds, meters, held money.

They are derived from the records alone and kept twice: in memory for look-ups, and in tables of the file, written with
the records they follow from. A digest of each shows whether the tables match the records (`docs/journal.md` states its
bytes); it costs as much as what changed since it was last computed.

This module passes each record to the books that it concerns; each book is a module of its own.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from dealwire.journal import derived, meter_book, obligations, settled_runs
from dealwire.journal.derived import Row
from dealwire.journal.digests import MODULUS
from dealwire.journal.meter_book import MeterBook
from dealwire.journal.obligations import BookedSettlement, Obligations, released, released_of
from dealwire.journal.records import BALANCE, HELD, OPENED, RELEASED, SETTLED, STARTED, JournalRecord
from dealwire.journal.settled_runs import SettledRuns
from rules.meters.settled_rounds import SettledKey
from rules.settlement import amount

BOOKS: Final = ("settled", "meter", "obligation")
"""Tables of the file with the books."""
BOOKED: Final = ("settlement", "meter", "award", "status", SETTLED, HELD, RELEASED, STARTED, OPENED)
"""Kinds of records from which the books follow."""
ERA: Final = 3
"""First file version in which releases are records of their own; before, a status line reported them."""


class _Status(msgspec.Struct):
    kind: str
    text: str
    round: int | None = None


class _Opened(msgspec.Struct):
    schema: str = ""


_SETTLEMENT: Final = msgspec.json.Decoder(BookedSettlement)
_STATUS: Final = msgspec.json.Decoder(_Status)
_OPENED: Final = msgspec.json.Decoder(_Opened)
_IN_WORDS: Final = {"settled": settled_runs.in_words, "meter": meter_book.in_words, "obligation": obligations.in_words}


class Books:
    """The books at one record. `take` leads them one record forward; a writer calls `published` and `settle` itself.

    `rows` receives the statements that update the tables of the file, unless it is None. `era` is the version of the
    file: no record in it is of a newer one.
    """

    def __init__(self, rows: list[Row] | None = None, *, era: int = ERA) -> None:
        self.settled, self.meters, self.obligations = SettledRuns(rows), MeterBook(rows), Obligations(rows)
        self._era, self._newest_era = era, era
        self._started: dict[str, int] = {}

    def write_to(self, rows: list[Row]) -> None:
        """Set the list that receives the statements."""
        self.settled.rows = self.meters.rows = self.obligations.rows = rows

    # ------------------------------------------------------------------ one record further

    def take(self, record: JournalRecord) -> None:
        """Take one record, in order. One that cannot be read is ignored: `verify` names it."""
        kind = record.kind
        if kind in ("settlement", "meter", "award"):
            self.published(record.sequence, record.at_ns, record.table, kind, record.text)
            if self._era == 1 and kind == "settlement":
                self._settle_older(record)
        elif kind == SETTLED:
            if (key := derived.key_of(record)) is not None:
                self.settle(record.sequence, record.table, key, record.hash)
        elif kind == HELD:
            if (key := derived.key_of(record)) is not None:
                self.obligations.hold(record.sequence, record.table, key, record.hash)
        elif kind == RELEASED:
            if (noted := released_of(record)) is not None:
                self.obligations.release(record.table, noted)
        elif kind == "status" and self._era < ERA:
            self._release_older(record)
        elif kind == STARTED:
            self._started[record.table] = record.sequence
        elif kind == OPENED:
            self._era = min(era_of(record, self._era), self._newest_era)
        elif kind == BALANCE:
            self.obligations.expect_nothing()

    def published(self, sequence: int, at_ns: int, table: str, topic: str, text: str) -> None:
        """Take a published line."""
        if topic == "settlement":
            try:
                settlement = _SETTLEMENT.decode(text)
            except msgspec.DecodeError:
                return
            for meter in settlement.meters:
                self.meters.move(table, meter.name, sequence, meter.line)
            if settlement.pool is not None:
                self.meters.move(table, derived.RUNNERS, sequence, settlement.pool.line)
            self.obligations.expect(sequence, at_ns, table, settlement)
        else:
            for where, name, line in derived.meters_of(table, topic, text):
                self.meters.move(where, name, sequence, line)

    def settle(self, sequence: int, table: str, key: SettledKey, digest: bytes) -> bool:
        """Note which round the settlement published before is of. True if it holds money."""
        self.settled.add(table, key)
        return self.obligations.hold(sequence, table, key, digest)

    # ------------------------------------------------------------------ all three

    def balance(self) -> dict[str, Any]:
        """Return the content of a `balance` record. Settlements still waiting for their round are dropped."""
        self.obligations.expect_nothing()
        return {"held": self.obligations.sums(), "meters": self.meters.listed(), "digests": self.digests()}

    def digests(self) -> dict[str, str]:
        """Return the digest of each book, hex."""
        sums = self.settled.digest(), self.meters.digest(), self.obligations.digest()
        return {name: f"{total % MODULUS:064x}" for name, total in zip(BOOKS, sums, strict=True)}

    def load(self, runs: Iterable[tuple[Any, ...]], meters: Iterable[tuple[Any, ...]], held: Iterable[Any]) -> None:
        """Start with rows of the three tables, held money in order; ValueError for a row that no program wrote, such as
        adjacent runs."""
        self.settled.load(runs)
        self.meters.load(meters)
        self.obligations.load(held)

    def add_older(self, runs: Iterable[tuple[Any, ...]], meters: Iterable[tuple[Any, ...]]) -> None:
        """Add what the tables of an older version hold in addition: from pruned or salvaged records."""
        for table, device, session, first, last in runs:
            for number in range(first, last + 1):
                self.settled.add(table, SettledKey(device, session, number))
        for row in meters:
            self.meters.move_on(*row)

    def table_rows(self) -> dict[str, set[tuple[Any, ...]]]:
        """Return the rows that the tables of the file must have."""
        rows = self.settled.table_rows(), self.meters.table_rows(), self.obligations.table_rows()
        return dict(zip(BOOKS, rows, strict=True))

    def statements(self) -> Iterator[Row]:
        """Yield the statements that fill the empty tables."""
        for book in (self.settled, self.meters, self.obligations):
            yield from book.statements()

    # ------------------------------------------------------------------ records of older versions

    def _settle_older(self, record: JournalRecord) -> None:
        """Settle the round of a settlement line by a version that wrote no more."""
        key = derived.older_key_of(record.text)
        if key is not None:
            self.settle(record.sequence, record.table, key, record.hash)

    def _release_older(self, record: JournalRecord) -> None:
        """Release money reported by an older version, which named the round only: the oldest entry since the table
        began."""
        try:
            noted = _STATUS.decode(record.payload)
        except msgspec.DecodeError:
            return
        if noted.kind != "action" or noted.round is None:
            return
        since, book = self._started.get(record.table, 0), self.obligations.held(record.table)
        for each in list(book) if len(book) else ():
            words = f"the {amount(each.cents, each.currency)} held of round {each.round} was settled by hand"
            if each.round == noted.round and each.entry > since and words in noted.text:
                self.obligations.release(record.table, released(record.table, each, "", 0, ""))
                return


def era_of(record: JournalRecord, otherwise: int = ERA) -> int:
    """Return the journal version of the program in an `opened` record."""
    try:
        schema = _OPENED.decode(record.payload).schema
    except msgspec.DecodeError:
        return otherwise
    number = schema.rpartition("/")[2]
    return int(number) if number.isdecimal() else otherwise


def rows_since(before: Mapping[str, set[tuple[Any, ...]]], now: Mapping[str, set[tuple[Any, ...]]]) -> Iterator[str]:
    """Yield the rows in which the tables of a file (`now`) differ from the records (`before`), as text."""
    for name in BOOKS:
        noted, there, say = before[name], now[name], _IN_WORDS[name]
        for row in sorted(noted - there, key=str):
            yield f"the table {name!r} lacks {say(row)}, which follows from the records"
        for row in sorted(there - noted, key=str):
            yield f"the table {name!r} holds {say(row)}, which follows from no record"
