"""Rows derived from the records for look-ups: settled rounds and meters.

They are written in one transaction with the records they follow from. Rounds are stored as runs, because a device
numbers the rounds of a session consecutively; so the tables hardly grow over a table's life.
"""

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from dealwire.journal.records import JournalRecord
from rules.meters.settled_rounds import SettledKey

SHARED: Final = ""
"""Table name of meters that several tables share."""
RUNNERS: Final = "#runners"
"""Name of the row with a table's runners among its meters; no meter can have it."""


class _MeterOf(msgspec.Struct):
    name: str
    after: int | None = None
    rolled: dict[str, Any] | None = None

    @property
    def line(self) -> str:
        """The row's text: cents, followed by the state of a pot that rolls over."""
        cents = "" if self.after is None else str(self.after)
        return cents if self.rolled is None else f"{cents} {msgspec.json.encode(self.rolled).decode()}"


class _RunnersOf(msgspec.Struct):
    seat: int
    after: int = 0


class _PoolOf(msgspec.Struct):
    runners: list[_RunnersOf] = []

    @property
    def line(self) -> str:
        """The row's text for runners."""
        return msgspec.json.encode({each.seat: each.after for each in self.runners if each.after}).decode()


class SettledLine(msgspec.Struct):
    """The round, meters and pool in a settlement."""

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
"""A statement and its values."""

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
"""Device of a round that was settled by a version that wrote only session and number."""


KNOWS_OLDER: Final = f"SELECT 1 FROM settled WHERE tbl = ? AND device = '{NOBODY}' LIMIT 1"
"""Statement that tells whether such rounds exist."""


def key_of(record: JournalRecord) -> SettledKey | None:
    """Return the round of a `settled` record; None if it cannot be read."""
    try:
        return _KEY.decode(record.payload)
    except msgspec.DecodeError:
        return None


def older_key_of(text: str) -> SettledKey | None:
    """Return the round of a settlement's line, as far as it is known; None if it cannot be read."""
    try:
        found = _SETTLEMENT.decode(text)
    except msgspec.DecodeError:
        return None
    return SettledKey(NOBODY, found.session, found.round)


def meter_of(text: str) -> str | None:
    """Return the meter of a step's line; None if it is not a step."""
    try:
        return _METER.decode(text).meter
    except msgspec.DecodeError:
        return None


def runners_of(line: str) -> dict[int, int]:
    """Return the runners in a row, by seat."""
    return _RUNNERS_OF.decode(line)


def cents_of(line: str) -> int | None:
    """Return the cents in the row of a table's own meter; None if unknown."""
    cents = line.partition(" ")[0]
    return int(cents) if cents else None


def rolled_of(line: str) -> dict[str, Any] | None:
    """Return the state of a rolled-over pot in its row; None if it has not rolled over."""
    rolled = line.partition(" ")[2]
    return _ROLLED_OF.decode(rolled) if rolled else None


def meters_of(table: str, topic: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield table, name and text of each meter row in a line that is not a settlement. One that cannot be read is
    ignored: `verify` names it."""
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
    """Execute rows, oldest first."""
    for statement, values in rows:
        db.execute(statement, values)
