"""What follows from a journal's records and money goes by: which rounds were settled, where meters stand, what is held.

The books are derived from the records alone and kept twice: in memory, where whoever decides looks things up, and in
tables of the file, written with the records they follow from. A digest over each of the three tells whether the tables
are what the records say: `docs/journal.md` states its bytes. It costs as much as what changed since it was told last.

Here each record is read and given to the books that it concerns; each of them is a module of its own.
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
"""The tables of the file that hold them."""
BOOKED: Final = ("settlement", "meter", "award", "status", SETTLED, HELD, RELEASED, STARTED, OPENED)
"""Kinds of records that the books follow from."""
ERA: Final = 3
"""Version of a file whose releases are records of their own; before, a line told of them."""


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
    """The books at one record. `take` leads them one record on; a writer calls `published` and `settle` itself. `rows`
    gets the statements that bring the tables of the file along, unless it is None. `era` is the version of the file: no
    record in it is of a newer one."""

    def __init__(self, rows: list[Row] | None = None, *, era: int = ERA) -> None:
        self.settled, self.meters, self.obligations = SettledRuns(rows), MeterBook(rows), Obligations(rows)
        self._era, self._newest_era = era, era
        self._started: dict[str, int] = {}

    def write_to(self, rows: list[Row]) -> None:
        """From now on `rows` gets the statements."""
        self.settled.rows = self.meters.rows = self.obligations.rows = rows

    # ------------------------------------------------------------------ one record further

    def take(self, record: JournalRecord) -> None:
        """One record, in order. One that cannot be read says nothing: `verify` names it."""
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
        """A line was made known."""
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
        """The settlement of a round that was made known before is of this one. True when money of it is held."""
        self.settled.add(table, key)
        return self.obligations.hold(sequence, table, key, digest)

    # ------------------------------------------------------------------ all three

    def balance(self) -> dict[str, Any]:
        """What a `balance` record says of the books as they stand. What waits then is waited for no more."""
        self.obligations.expect_nothing()
        return {"held": self.obligations.sums(), "meters": self.meters.listed(), "digests": self.digests()}

    def digests(self) -> dict[str, str]:
        """The digest of each book, hex."""
        sums = self.settled.digest(), self.meters.digest(), self.obligations.digest()
        return {name: f"{total % MODULUS:064x}" for name, total in zip(BOOKS, sums, strict=True)}

    def load(self, runs: Iterable[tuple[Any, ...]], meters: Iterable[tuple[Any, ...]], held: Iterable[Any]) -> None:
        """Begin with rows of the three tables, as they are, what is held in its order; ValueError for one that no
        program wrote, such as of runs that do not stand apart."""
        self.settled.load(runs)
        self.meters.load(meters)
        self.obligations.load(held)

    def add_older(self, runs: Iterable[tuple[Any, ...]], meters: Iterable[tuple[Any, ...]]) -> None:
        """Take over what the tables of an older version hold besides: of what was pruned or salvaged."""
        for table, device, session, first, last in runs:
            for number in range(first, last + 1):
                self.settled.add(table, SettledKey(device, session, number))
        for row in meters:
            self.meters.move_on(*row)

    def table_rows(self) -> dict[str, set[tuple[Any, ...]]]:
        """The rows that the tables of the file must have."""
        rows = self.settled.table_rows(), self.meters.table_rows(), self.obligations.table_rows()
        return dict(zip(BOOKS, rows, strict=True))

    def statements(self) -> Iterator[Row]:
        """What fills the tables, empty before."""
        for book in (self.settled, self.meters, self.obligations):
            yield from book.statements()

    # ------------------------------------------------------------------ records of older versions

    def _settle_older(self, record: JournalRecord) -> None:
        """A version that wrote no more than a settlement's line settled a round."""
        key = derived.older_key_of(record.text)
        if key is not None:
            self.settle(record.sequence, record.table, key, record.hash)

    def _release_older(self, record: JournalRecord) -> None:
        """A version before released by the round's number alone: the oldest since the table began."""
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
    """The version of the program's journal that an `opened` record names."""
    try:
        schema = _OPENED.decode(record.payload).schema
    except msgspec.DecodeError:
        return otherwise
    number = schema.rpartition("/")[2]
    return int(number) if number.isdecimal() else otherwise


def rows_since(before: Mapping[str, set[tuple[Any, ...]]], now: Mapping[str, set[tuple[Any, ...]]]) -> Iterator[str]:
    """Where the tables of a file, `now`, are not as the records say, in words: table, row, what each says."""
    for name in BOOKS:
        noted, there, say = before[name], now[name], _IN_WORDS[name]
        for row in sorted(noted - there, key=str):
            yield f"the table {name!r} does not hold {say(row)}, as the records say"
        for row in sorted(there - noted, key=str):
            yield f"the table {name!r} holds {say(row)}, and the records say nothing of it"
