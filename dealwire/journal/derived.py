"""What a journal's records say and is looked up by a key: which rounds were settled, and where meters stand.

Written with the records it follows from, in one transaction; a long life of a table makes these tables hardly longer.
Rounds are kept as runs: a device numbers the rounds of a session one after the other.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from dealwire.journal.records import JournalRecord

OWN: Final = ""
"""Stands for the table of a meter that several tables share."""


class _MeterOf(msgspec.Struct):
    name: str
    after: int | None = None


class _Settled(msgspec.Struct):
    session: str
    round: int
    meters: list[_MeterOf] = []


class _Moved(msgspec.Struct):
    meter: str


_SETTLEMENT: Final = msgspec.json.Decoder(_Settled)
_METER: Final = msgspec.json.Decoder(_Moved)

Row = tuple[str, tuple[object, ...]]
"""A statement, and what it is given."""

_RUN_ON: Final = "UPDATE settled SET last = ?3 WHERE tbl = ?1 AND session = ?2 AND last = ?3 - 1"
BEGIN_RUN: Final = (
    "INSERT OR IGNORE INTO settled (tbl, session, first, last) SELECT ?1, ?2, ?3, ?3 "
    "WHERE NOT EXISTS (SELECT 1 FROM settled WHERE tbl = ?1 AND session = ?2 AND first <= ?3 AND last >= ?3)"
)
_METER_NOW: Final = "INSERT OR REPLACE INTO meter (tbl, name, sequence, line) VALUES (?, ?, ?, ?)"
IS_SETTLED: Final = "SELECT 1 FROM settled WHERE tbl = ? AND session = ? AND first <= ? AND last >= ?"


def round_of(text: str) -> tuple[str, int] | None:
    """Session and round of a settlement's line; None when it is none."""
    try:
        found = _SETTLEMENT.decode(text)
    except msgspec.DecodeError:
        return None
    return found.session, found.round


def meter_of(text: str) -> str | None:
    """The meter whose step this line is; None when it is none."""
    try:
        return _METER.decode(text).meter
    except msgspec.DecodeError:
        return None


def rows_of(sequence: int, table: str, topic: str, text: str) -> Iterator[Row]:
    """What a publication changes in the derived tables. One that cannot be read changes nothing: `verify` names it."""
    try:
        if topic == "settlement":
            found = _SETTLEMENT.decode(text)
            yield _RUN_ON, (table, found.session, found.round)
            yield BEGIN_RUN, (table, found.session, found.round)
            for meter in found.meters:
                yield _METER_NOW, (table, meter.name, sequence, "" if meter.after is None else str(meter.after))
        elif topic == "meter":
            yield _METER_NOW, (OWN, _METER.decode(text).meter, sequence, text)
    except msgspec.DecodeError:
        return


def write(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Write rows, oldest first."""
    for statement, values in rows:
        db.execute(statement, values)


def derive(db: sqlite3.Connection, records: Iterable[JournalRecord]) -> None:
    """Write what follows from these records, oldest first."""
    for record in records:
        if record.kind in ("settlement", "meter"):
            write(db, rows_of(record.sequence, record.table, record.kind, record.payload.decode("utf-8", "replace")))


class RoundRuns:
    """Rounds by session, as runs of numbers: a day's rounds take no more room than one."""

    def __init__(self) -> None:
        self._runs: dict[str, list[list[int]]] = {}

    def add(self, session: str, number: int) -> None:
        """Remember a round."""
        if (session, number) in self:
            return
        runs = self._runs.setdefault(session, [])
        for run in runs:
            if run[1] == number - 1:
                run[1] = number
                return
        runs.append([number, number])

    def __contains__(self, key: tuple[str, int]) -> bool:
        session, number = key
        return any(first <= number <= last for first, last in self._runs.get(session, ()))
