"""What a journal's records say and is looked up by a key: which rounds were settled, and where meters stand.

Written with the records it follows from, in one transaction; a long life of a table makes these tables hardly longer.
Rounds are kept as runs: a device numbers the rounds of a session one after the other.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from dealwire.journal.records import JournalRecord
from rules.meters.settled_rounds import SettledKey

SHARED: Final = ""
"""Stands for the table of a meter that several tables share."""
RUNNERS: Final = "#runners"
"""Stands among the meters of a table for the runners before its seats, which no meter can be called."""


class _MeterOf(msgspec.Struct):
    name: str
    after: int | None = None
    rolled: dict[str, Any] | None = None

    @property
    def line(self) -> str:
        """As the row of a table has it: the cents, and behind them how a pot that rolls over stands."""
        cents = "" if self.after is None else str(self.after)
        return cents if self.rolled is None else f"{cents} {msgspec.json.encode(self.rolled).decode()}"


class _RunnersOf(msgspec.Struct):
    seat: int
    after: int = 0


class _PoolOf(msgspec.Struct):
    runners: list[_RunnersOf] = []

    @property
    def line(self) -> str:
        """As the row of a table has its runners."""
        return msgspec.json.encode({each.seat: each.after for each in self.runners if each.after}).decode()


class SettledLine(msgspec.Struct):
    """What a settlement says of its round, its meters and its pool."""

    session: str
    round: int
    meters: list[_MeterOf] = []
    pool: _PoolOf | None = None


class _Award(msgspec.Struct):
    kind: str
    meter: str | None = None


class _Moved(msgspec.Struct):
    meter: str


_SETTLEMENT: Final = msgspec.json.Decoder(SettledLine)
_AWARD: Final = msgspec.json.Decoder(_Award)
_RUNNERS_OF: Final = msgspec.json.Decoder(dict[int, int])
_ROLLED_OF: Final = msgspec.json.Decoder(dict[str, Any])
_METER: Final = msgspec.json.Decoder(_Moved)
_KEY: Final = msgspec.json.Decoder(SettledKey)

Row = tuple[str, tuple[object, ...]]
"""A statement, and what it is given."""

RUN_ON: Final = "UPDATE settled SET last = ?5 WHERE tbl = ?1 AND device = ?2 AND session = ?3 AND first = ?4"
BEGIN_RUN: Final = "INSERT INTO settled (tbl, device, session, first, last) VALUES (?, ?, ?, ?, ?)"
END_RUN: Final = "DELETE FROM settled WHERE tbl = ? AND device = ? AND session = ? AND first = ?"
HOLD: Final = f"INSERT INTO obligation VALUES ({', '.join('?' * 12)})"
LET_GO: Final = "DELETE FROM obligation WHERE entry = ?"
METER_NOW: Final = "INSERT OR REPLACE INTO meter (tbl, name, sequence, line) VALUES (?, ?, ?, ?)"
METERS_OF: Final = "SELECT tbl, name, sequence, line FROM meter WHERE tbl IN (?, ?)"
IS_SETTLED: Final = (
    "SELECT 1 FROM settled WHERE tbl = ?1 AND device IN (?2, ?5) AND session = ?3 AND first <= ?4 AND last >= ?4"
)
RUNS: Final = "SELECT first, last FROM settled WHERE tbl = ? AND device IN (?, ?) AND session = ?"
ELSEWHERE: Final = "SELECT tbl, first, last FROM settled WHERE tbl != ? AND device = ? AND session = ?"
NOBODY: Final = "?"
"""The device of a round of which nothing but session and number is known: settled by a version that wrote no more."""


KNOWS_OLDER: Final = f"SELECT 1 FROM settled WHERE tbl = ? AND device = '{NOBODY}' LIMIT 1"
"""Whether rounds are known that such a version settled."""


def key_of(record: JournalRecord) -> SettledKey | None:
    """The round that a `settled` record is about; None when it cannot be read."""
    try:
        return _KEY.decode(record.payload)
    except msgspec.DecodeError:
        return None


def older_key_of(text: str) -> SettledKey | None:
    """The round that a settlement's line is about, as far as it says; None when it cannot be read."""
    try:
        found = _SETTLEMENT.decode(text)
    except msgspec.DecodeError:
        return None
    return SettledKey(NOBODY, found.session, found.round)


def meter_of(text: str) -> str | None:
    """The meter whose step this line is; None when it is none."""
    try:
        return _METER.decode(text).meter
    except msgspec.DecodeError:
        return None


def runners_of(line: str) -> dict[int, int]:
    """Seat -> its runners, as the row of a table has them."""
    return _RUNNERS_OF.decode(line)


def cents_of(line: str) -> int | None:
    """Where a table's own meter stands, as its row has it; None where that is not known."""
    cents = line.partition(" ")[0]
    return int(cents) if cents else None


def rolled_of(line: str) -> dict[str, Any] | None:
    """How a pot that rolls over stands, as its row has it; None where it has not rolled over."""
    rolled = line.partition(" ")[2]
    return _ROLLED_OF.decode(rolled) if rolled else None


def meters_of(table: str, topic: str, text: str) -> Iterator[tuple[str, str, str]]:
    """What a line that is no settlement says of meters: table, name and line of each row. One that cannot be read says
    nothing: `verify` names it."""
    try:
        if topic == "award":
            award = _AWARD.decode(text)
            if award.kind == "closed" and award.meter is not None:
                yield table, award.meter, "0"
                yield table, RUNNERS, "{}"
        elif topic == "meter":
            yield SHARED, _METER.decode(text).meter, text
    except msgspec.DecodeError:
        return


def write(db: sqlite3.Connection, rows: Iterable[Row]) -> None:
    """Write rows, oldest first."""
    for statement, values in rows:
        db.execute(statement, values)
