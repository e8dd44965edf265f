"""Search for rounds by the details of a complaint: time, seat, amount, outcome.

Times are the journal's, which follow the host's clock unless that was set back; the sheet of a round shows both. A
search within a time span costs what the span holds, however long the journal is.
"""

from collections.abc import Iterator, Sequence
from heapq import merge
from itertools import islice
from typing import Final, NamedTuple, get_args

import msgspec

from dealer_flow.record.details import DOLLAR
from dealer_flow.record.result import Outcome
from dealwire.hub.lines import Publication
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.record_file import MANY
from dealwire.journal.rounds import RoundPlace, RoundReader
from dealwire.journal.times import SECOND_NS
from rules.settlement import LineResult

OUTCOMES: Final[tuple[str, ...]] = get_args(Outcome)
RESULTS: Final[tuple[str, ...]] = get_args(LineResult)
ANY: Final = "any"
"""In place of an incident's code: any."""

_DISORDER_NS: Final = 600 * SECOND_NS
"""Largest disorder of record times: some records wait for the disk, others do not."""


class RoundQuery(NamedTuple):
    """Criteria for rounds; None, empty or False matches everything.

    A round matches if it was under way at some time from `begin_ns` to `end_ns` (nanoseconds since 1970) at one of
    `tables`, with this seat in it. `cents` is an amount in it: a bet, its pay or return, a seat's sum, a pot; only
    those of `seat` if that is given. One bet must match both `bet` and `result`. `incident` is a code, or ANY.
    """

    tables: Sequence[str] = ()
    begin_ns: int | None = None
    end_ns: int | None = None
    seat: int | None = None
    cents: int | None = None
    bet: str | None = None
    outcome: str | None = None
    result: str | None = None
    held: bool = False
    incident: str | None = None


class SeatMoney(NamedTuple):
    """A seat's money in a round, in cents: staked, received, held."""

    seat: int
    staked: int
    out: int
    held: int


class FoundRound(NamedTuple):
    """A round found. `record` is the record of its result, or of START GAME if it has not ended.

    `begin_ns` is None if START GAME was not seen, `end_ns` and `outcome` if it has not ended. If nothing was settled,
    `seats` is empty and `settled` False. `repeated`: it repeats a round that was already settled.
    """

    table: str
    number: int
    record: int
    begin_ns: int | None
    end_ns: int | None
    outcome: str | None
    currency: str
    settled: bool
    repeated: bool
    seats: tuple[SeatMoney, ...]
    incidents: tuple[str, ...]

    @property
    def staked(self) -> int:
        """All bets, in cents."""
        return sum(each.staked for each in self.seats)

    @property
    def out(self) -> int:
        """Paid and returned to players, in cents."""
        return sum(each.out for each in self.seats)

    @property
    def held(self) -> int:
        """Held, in cents."""
        return sum(each.held for each in self.seats)


def find_rounds(reader: RoundReader, query: RoundQuery, most: int) -> list[FoundRound]:
    """Return the matching rounds, newest first, at most `most`. JournalDamaged if a line cannot be read."""
    tables = query.tables or reader.tables()
    found = merge(*(_found(reader, table, query) for table in tables), key=lambda each: each.record, reverse=True)
    return list(islice(found, most))


def _found(reader: RoundReader, table: str, query: RoundQuery) -> Iterator[FoundRound]:
    for place in reader.rounds_within(table, *_records_of(reader, table, query)):
        try:
            each = _judged(reader, table, place, query)
        except msgspec.DecodeError as error:
            raise JournalDamaged(reader.path, place.ends or place.begins, "a round that cannot be read") from error
        if each is not None:
            yield each


def _records_of(reader: RoundReader, table: str, query: RoundQuery) -> tuple[int, int]:
    """Return the records between which the results of matching rounds are."""
    after = reader.record_at(query.begin_ns - _DISORDER_NS) - 1 if query.begin_ns is not None else 0
    if query.end_ns is None:
        return after, MANY
    end = reader.record_at(query.end_ns + _DISORDER_NS)
    return after, reader.next_round(table, end) + 1


# ------------------------------------------------------------------ one round


class _Wagers(msgspec.Struct):
    seat: int
    wagers: dict[str, int] = {}
    stake: int | None = None


class _Coded(msgspec.Struct):
    code: str


class _Paid(msgspec.Struct):
    seat: int
    cents: int


class _Action(msgspec.Struct):
    seat: int
    cents: int | None = None


class _Round(msgspec.Struct):
    outcome: str
    currency: str = DOLLAR
    seats: list[_Wagers] = []
    incidents: list[_Coded] = []
    actions: list[_Action] = []
    awards: list[_Paid] = []


class _Line(msgspec.Struct):
    seat: int
    bet: str
    stake: int
    result: str
    pay: int
    returned: int
    net: int


class _SeatTotal(msgspec.Struct):
    seat: int
    staked: int
    pay: int
    returned: int
    net: int
    held: int


class _Pot(msgspec.Struct):
    cents: int
    winners: list[_Paid] = []


class _Settled(msgspec.Struct):
    seats: list[_SeatTotal]
    lines: list[_Line] = []
    pots: list[_Pot] = []


_ROUND: Final = msgspec.json.Decoder(_Round)
_SETTLED: Final = msgspec.json.Decoder(_Settled)
_INCIDENT: Final = msgspec.json.Decoder(_Coded)


def _judged(reader: RoundReader, table: str, place: RoundPlace, query: RoundQuery) -> FoundRound | None:
    """Return the round at a place; None if it does not match."""
    if not place.ends:
        return _unended(reader, table, place, query)
    line, *after = reader.publications(place.ends - 1, 2, table)
    began = reader.under_way(table, place.ends)
    begin_ns = reader.publications(began.begins - 1, 1, table)[0].at_ns if began is not None else None
    if not _within(query, begin_ns, line.at_ns):
        return None
    result, settled = _ROUND.decode(line.line), _settled(after)
    incidents = tuple(each.code for each in result.incidents)
    if not (_fits(query, result, settled) and _had(query, incidents)):
        return None
    seats = tuple(
        SeatMoney(each.seat, each.staked, each.pay + each.returned, each.held)
        for each in (settled.seats if settled is not None else ())
    )
    repeated = any(each.topic == "incident" and _INCIDENT.decode(each.line).code == "round-repeated" for each in after)
    return FoundRound(
        table=table,
        number=place.number,
        record=place.ends,
        begin_ns=begin_ns,
        end_ns=line.at_ns,
        outcome=result.outcome,
        currency=result.currency,
        settled=settled is not None,
        repeated=repeated,
        seats=seats,
        incidents=incidents,
    )


def _settled(after: Sequence[Publication]) -> _Settled | None:
    return next((_SETTLED.decode(each.line) for each in after if each.topic == "settlement"), None)


def _unended(reader: RoundReader, table: str, place: RoundPlace, query: RoundQuery) -> FoundRound | None:
    """Return a round of which only the start is known; it matches if nothing else is requested."""
    wanted = (query.seat, query.cents, query.bet, query.outcome, query.result, query.incident)
    begin_ns = reader.publications(place.begins - 1, 1, table)[0].at_ns
    if query.held or any(each is not None for each in wanted) or not _within(query, begin_ns, None):
        return None
    return FoundRound(table, place.number, place.begins, begin_ns, None, None, DOLLAR, False, False, (), ())


def _within(query: RoundQuery, begin_ns: int | None, end_ns: int | None) -> bool:
    """True if a round was under way in the span; one without a start counts as its end alone."""
    begin_ns = end_ns if begin_ns is None else begin_ns
    if query.begin_ns is not None and end_ns is not None and end_ns < query.begin_ns:
        return False
    return query.end_ns is None or begin_ns is None or begin_ns <= query.end_ns


def _had(query: RoundQuery, incidents: Sequence[str]) -> bool:
    return query.incident is None or (bool(incidents) if query.incident == ANY else query.incident in incidents)


def _fits(query: RoundQuery, result: _Round, settled: _Settled | None) -> bool:
    seat = query.seat
    if query.outcome not in (None, result.outcome):
        return False
    lines = [each for each in (settled.lines if settled is not None else ()) if seat in (None, each.seat)]
    totals = [each for each in (settled.seats if settled is not None else ()) if seat in (None, each.seat)]
    wagered = [each for each in result.seats if seat in (None, each.seat)]
    if seat is not None and not (totals or wagered):
        return False
    if query.held and not any(each.held for each in totals):
        return False
    if query.result is not None or query.bet is not None:
        lines = [each for each in lines if query.result in (None, each.result) and query.bet in (None, each.bet)]
        if not lines:
            return False
        if query.cents is not None:
            return any(query.cents in _amounts_of(each) for each in lines)
    return query.cents is None or query.cents in {
        *(cents for each in lines for cents in _amounts_of(each)),
        *(
            cents
            for each in totals
            for cents in (each.staked, each.pay, each.pay + each.returned, abs(each.net), each.held)
        ),
        *_of_the_table(result, settled, wagered, seat),
    }


def _amounts_of(line: _Line) -> tuple[int, ...]:
    return line.stake, line.pay, line.returned, line.pay + line.returned, abs(line.net)


def _of_the_table(
    result: _Round, settled: _Settled | None, wagered: Sequence[_Wagers], seat: int | None
) -> Iterator[int]:
    """Yield the amounts bet, raised, in a pot or taken, settled or not."""
    for each in wagered:
        yield from each.wagers.values()
        yield each.stake or 0
    yield from (each.cents or 0 for each in result.actions if seat in (None, each.seat))
    yield from (each.cents for each in result.awards if seat in (None, each.seat))
    for pot in settled.pots if settled is not None else ():
        if seat is None:
            yield pot.cents
        yield from (each.cents for each in pot.winners if seat in (None, each.seat))
