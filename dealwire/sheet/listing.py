"""The newest rounds of a table, a line each: how it ended, when, and the money."""

from typing import Final, NamedTuple

import msgspec

from dealer_flow.record.details import DOLLAR
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.rounds import RoundPlace, RoundReader
from dealwire.sheet.clocks import Times

AFTER: Final = 2
"""A result and what comes next, which is its settlement unless the round was settled before."""


class RoundEntry(NamedTuple):
    """A round in the list. Money in cents: what was bet, what went to the players, what is held; None where none was
    settled. `again`: a newer round has the same number."""

    number: int
    record: int
    outcome: str
    local: str
    currency: str
    staked: int | None
    out: int | None
    held: int | None
    again: bool


class _Seat(msgspec.Struct):
    staked: int
    pay: int
    returned: int
    held: int


class _Settled(msgspec.Struct):
    seats: list[_Seat]
    currency: str = DOLLAR


class _Round(msgspec.Struct):
    outcome: str
    currency: str = DOLLAR


_SETTLED: Final = msgspec.json.Decoder(_Settled)
_ROUND: Final = msgspec.json.Decoder(_Round)


def newest_rounds(reader: RoundReader, table: str, most: int, times: Times) -> list[RoundEntry]:
    """The newest rounds that ended, newest first. JournalDamaged when a line cannot be read."""
    met, found = set[int](), list[RoundEntry]()
    for place in reader.newest_rounds(table, most):
        try:
            found.append(_entry(reader, table, place, times, again=place.number in met))
        except msgspec.DecodeError as error:
            raise JournalDamaged(reader.path, place.ends, "a round that cannot be read") from error
        met.add(place.number)
    return found


def _entry(reader: RoundReader, table: str, place: RoundPlace, times: Times, *, again: bool) -> RoundEntry:
    line, *after = reader.publications(place.ends - 1, AFTER, table)
    result = _ROUND.decode(line.line)
    money = _money(next((item.line for item in after[:1] if item.topic == "settlement"), None))
    local = times.written(line.at_ns)
    return RoundEntry(place.number, place.ends, result.outcome, local, result.currency, *money, again)


def _money(line: str | None) -> tuple[int | None, int | None, int | None]:
    if line is None:
        return None, None, None
    seats = _SETTLED.decode(line).seats
    out = sum(seat.pay + seat.returned for seat in seats)
    return sum(seat.staked for seat in seats), out, sum(seat.held for seat in seats)
