"""Builds the sheet of one round by its number."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any, Final, NamedTuple, TypeVar

import msgspec

from dealer_flow.record.base import LineRecord
from dealer_flow.record.details import DOLLAR
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.hub.lines import StatusLine
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.record_file import MANY
from dealwire.journal.records import OPENED, JournalRecord
from dealwire.journal.rounds import RoundPlace, RoundReader
from dealwire.sheet.clocks import WITHIN_NS, ClockReading, Times
from dealwire.sheet.faces import read_faces
from dealwire.sheet.model import (
    ChainPlace,
    OtherRound,
    RoundSheet,
    SheetClock,
    SheetIncident,
    SheetMoment,
    SheetState,
    SheetVersion,
)
from dealwire.sheet.names import edition_file, game_file, procedure_file, procedure_of
from dealwire.sheet.so_far import muck_of, so_far
from dealwire.sheet.surroundings import LOOK_AHEAD, devices_of, lines_of, notes_of, people_of, released_of
from dealwire.sheet.window import RoundWindow, fields_of, read_window
from dealwire.version import __version__
from protocol.errors import DealwireError
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterRecord
from rules.settlement import Settlement

LOOK_BACK: Final = 200_000
"""Records before the round in which clock steps are searched: two thousand rounds of a packet game."""


T = TypeVar("T", bound=LineRecord)


class RoundUnknown(DealwireError):
    """The journal does not hold this round.

    `numbers` are its oldest and newest round of the table, None if no round ended. `records` are the records of the
    rounds with that number, if another record was requested.
    """

    def __init__(
        self, where: str, table: str, number: int, numbers: tuple[int, int] | None, records: Sequence[int] = ()
    ) -> None:
        self.table, self.number, self.records = table, number, tuple(records)
        self.numbers = numbers
        if records:
            what = f"round {number} of table {table!r} is not at that record; it is at {', '.join(map(str, records))}"
        else:
            there = "no round has ended" if numbers is None else f"there are rounds {numbers[0]} to {numbers[1]}"
            what = f"round {number} of table {table!r} is not in this journal; {there}"
        super().__init__(f"{where}: {what}")


class TableUnknown(DealwireError):
    """The journal does not hold this table, or holds several and none was named."""

    def __init__(self, where: str, table: str | None, tables: list[str]) -> None:
        self.table, self.tables = table, tables
        what = (
            f"table {table!r} is not in this journal"
            if table is not None
            else "it holds several tables; name one with --table"
        )
        super().__init__(f"{where}: {what}; there are {', '.join(tables) or 'none'}")


class MadeWith(NamedTuple):
    """Time of the sheet, its zone (None: this machine's), and the program that makes it."""

    now_ns: int
    zone: tzinfo | None = None
    program: str = f"dealwire {__version__}"


def table_of(reader: RoundReader, table: str | None) -> str:
    """Return the table meant; TableUnknown if that is ambiguous."""
    tables = reader.tables()
    if table in tables:
        return str(table)
    if table is None and len(tables) == 1:
        return tables[0]
    raise TableUnknown(str(reader.path), table, tables)


def gather(
    reader: RoundReader, table: str, number: int, made: MadeWith, *, record: int | None = None, faces: bool = False
) -> RoundSheet:
    """Return the sheet of a round: of several rounds with that number the newest, or the one whose result (START GAME
    without a result) is `record`.

    `faces`: include the sealed faces, for which the reader needs the key. RoundUnknown if the round is missing,
    JournalDamaged if the chain is broken within the round, KeyUnknown if a seal does not open.
    """
    places = reader.places(table, number)
    chosen = next((each for each in places if record in (None, each.ends or each.begins)), None)
    if chosen is None:
        records = [each.ends or each.begins for each in places]
        raise RoundUnknown(str(reader.path), table, number, reader.numbers(table), records)
    window = read_window(reader, table, chosen, open_seals=faces)
    return _Gathering(reader, table, window, made).sheet([each for each in places if each != chosen], faces)


@dataclass
class _Gathering:
    reader: RoundReader
    table: str
    window: RoundWindow
    made: MadeWith

    def __post_init__(self) -> None:
        opened = self.reader.mark(OPENED, "", self.window.first)
        self.since = max(self.window.first - LOOK_BACK, opened.sequence if opened else self.reader.anchor.sequence)
        back = self.reader.lines_back(
            self.table, {"status": '"clock-step"'}, before=self.window.last + 1, after=self.since
        )
        self.steps = list(back)[::-1]
        openings = [*([opened] if opened is not None else []), *self.window.of(OPENED)]
        readings = [*map(_at_opening, openings), *map(self._at_step, self.steps)]
        known = sorted((each for each in readings if each is not None), key=lambda each: each.record)
        self.written_by = _program_in(openings[-1]) if openings else ""
        self.times = Times(known, self.made.zone)

    def sheet(self, others: list[RoundPlace], faces: bool) -> RoundSheet:
        """Return the whole sheet."""
        window, times, reader = self.window, self.times, self.reader
        versions = self._versions({each.ends for each in others})
        newest = versions[-1].result if versions else None
        counts = next((each for each in versions if each.settled), versions[-1] if versions else None)
        settlement = counts.settlement if counts is not None else None
        return RoundSheet(
            table=self.table,
            round=window.place.number,
            state=self._state(),
            currency=newest.currency if newest is not None else DOLLAR,
            outcome=counts.result.outcome if counts is not None else None,
            program=self.made.program,
            made_ns=self.made.now_ns,
            made=times.written(self.made.now_ns),
            journal=reader.path.name,
            file=reader.identity.hex(),
            written_by=self.written_by,
            **self._rules(newest, settlement),
            began=self._event("GameStarted"),
            over=self._event("GameEnded"),
            clock=self._clock(),
            versions=versions,
            so_far=so_far(window, procedure_of(reader, self.table, window.last)[1]) if not versions else None,
            muck=muck_of(window),
            meters=self._read(MeterRecord, "meter"),
            awards=self._read(AwardRecord, "award"),
            incidents=self._incidents(newest),
            people=people_of(window, times),
            lines=lines_of(window, times, reader.lines()),
            released=released_of(reader, self.table, window.place, times),
            devices=devices_of(reader, self.table, window, times),
            places=self._places(versions),
            checked=window.checked,
            before=str(window.before),
            others=tuple(self._other(each) for each in others),
            faces=read_faces(reader, self.table, window, times) if faces else None,
        )

    def _rules(self, newest: RoundResult | None, settlement: Settlement | None) -> dict[str, Any]:
        """Return the rule files that decided, as named on the sheet."""
        ref = newest.procedure if newest is not None else None
        procedure = procedure_file(self.reader, self.table, self.window.last, ref)
        edition = newest.edition if newest is not None else None
        return {
            "procedure": procedure,
            "game": game_file(settlement.game, procedure.section) if settlement is not None else None,
            "edition": edition_file(edition) if edition is not None else None,
            "house": newest.house if newest is not None else None,
        }

    def _state(self) -> SheetState:
        if self.window.place.ends:
            return "ended"
        live = self.reader.under_way(self.table) == self.window.place
        anew = self.reader.begun(self.table, MANY) > self.window.place.begins
        return "under-way" if live and not anew else "given-up"

    def _at_step(self, record: JournalRecord) -> ClockReading | None:
        """Return the readings of the host's clock and the journal's clock at a clock step; None if there are none.

        A step with no readings of its own was noted at a start, and the `opened` record of that start has them. Older
        programs wrote none there: the host's time is then None.
        """
        clock = _read(self.reader, StatusLine, record).clock
        if clock is not None:
            return ClockReading(record.sequence, clock.wall_ns, clock.carried_ns, clock.followed)
        opened = self.reader.mark(OPENED, "", record.sequence)
        since = opened.sequence if opened is not None else 0
        heard = next(self.reader.lines_back(self.table, {"event": ""}, before=record.sequence, after=since), None)
        return ClockReading(record.sequence, None, record.at_ns) if heard is not None else None

    def _event(self, name: str) -> SheetMoment | None:
        """Return when the last START GAME or END GAME of this round arrived."""
        events = [each for each in self.window.events_of(name) if each.fields.get("round") == self.window.place.number]
        return self.times.moment(events[-1].record) if events else None

    def _clock(self) -> SheetClock:
        at = self.window.ends[-1]
        reading = self.times.reading(at.sequence)
        wall_ns = self.times.wall_ns(at.sequence, at.at_ns)
        reading = reading if wall_ns is not None else None
        return SheetClock(
            zone=self.times.zone_at(at.at_ns),
            reading=reading.record if reading is not None else None,
            wall_ns=reading.wall_ns if reading is not None else None,
            carried_ns=reading.carried_ns if reading is not None else None,
            offset_ns=wall_ns - at.at_ns if wall_ns is not None else None,
            within_ns=WITHIN_NS if reading is not None else None,
            since=self.since,
            steps=notes_of(self.steps, self.times),
        )

    def _versions(self, others: set[int]) -> tuple[SheetVersion, ...]:
        """Return the results of the round, as often as it was written. `others` are rounds settled on their own:
        another controller counted them."""
        if not self.window.place.ends:
            return ()
        after, number = self.window.place.ends, self.window.place.number
        (first,) = [each for each in self.window.of("round") if each.sequence == after]
        result = _read(self.reader, RoundResult, first)
        ahead = self.reader.lines_back(
            self.table, {"round": f'"round":{number},'}, before=after + LOOK_AHEAD, after=after
        )
        later = [record for record in ahead if record.sequence not in others]
        again = [record for record in later if self._same(_read(self.reader, RoundResult, record), result)][::-1]
        settled = [each for each in self.window.of("settlement") if each.sequence > after]
        settlement = _read(self.reader, Settlement, settled[0]) if settled else None
        found = [
            SheetVersion(
                at=self.times.moment(first),
                newest=not again,
                settled=settlement is not None,
                result=result,
                settlement_record=settled[0].sequence if settled else None,
                settlement=settlement,
            )
        ]
        for record in again:
            moment, other = self.times.moment(record), _read(self.reader, RoundResult, record)
            found.append(SheetVersion(moment, record is again[-1], False, other, None, None))
        return tuple(found)

    def _same(self, other: RoundResult, result: RoundResult) -> bool:
        return (other.session, other.round) == (result.session, result.round)

    def _read(self, kind: type[T], topic: str) -> tuple[T, ...]:
        return tuple(_read(self.reader, kind, record) for record in self.window.of(topic))

    def _incidents(self, result: RoundResult | None) -> tuple[SheetIncident, ...]:
        """Return the incidents published during the round, and those in the result that were found before its first
        record."""
        found = [(record, _read(self.reader, Incident, record)) for record in self.window.of("incident")]
        known = [incident for _, incident in found]
        earlier = [each for each in (result.incidents if result is not None else ()) if each not in known]
        return tuple(_incident(each, None) for each in earlier) + tuple(
            _incident(incident, self.times.moment(record)) for record, incident in found
        )

    def _places(self, versions: tuple[SheetVersion, ...]) -> tuple[ChainPlace, ...]:
        wanted: list[tuple[str, int | None]] = [("first", self.window.first)]
        wanted += [("round", each.at.record) for each in versions]
        wanted += [("settlement", each.settlement_record) for each in versions] + [("last", self.window.last)]
        found = []
        for what, sequence in wanted:
            digest = self.reader.hash_at(sequence) if sequence is not None else None
            if sequence is not None and digest is not None:
                epoch = self.reader.epoch_at(sequence)
                found.append({"what": what, "record": sequence, "epoch": epoch, "hash": digest.hex()})
        return msgspec.convert(found, tuple[ChainPlace, ...])

    def _other(self, place: RoundPlace) -> OtherRound:
        record = next(self.reader.records((place.ends or place.begins) - 1))
        return OtherRound(record.sequence, record.at_ns, self.times.written(record.at_ns), bool(place.ends))


def _incident(incident: Incident, at: SheetMoment | None) -> SheetIncident:
    return SheetIncident(at, incident, incident.text, incident.cause.text if incident.cause is not None else "")


def _read(reader: RoundReader, kind: type[T], record: JournalRecord) -> T:
    """Return the value of a line; JournalDamaged if it is not of that kind."""
    try:
        return kind.from_json(record.payload)
    except (msgspec.DecodeError, ValueError) as error:
        raise JournalDamaged(reader.path, record.sequence, f"a line {record.kind!r} that cannot be read") from error


def _program_in(opened: JournalRecord) -> str:
    """Return the program of an opening, with its digest if it names one."""
    fields = fields_of(opened)
    digest = fields.get("digest")
    return f"{fields.get('program', '')}{f', digest {digest}' if digest else ''}"


def _at_opening(record: JournalRecord) -> ClockReading | None:
    clock = fields_of(record).get("clock")
    if not isinstance(clock, dict) or not all(type(clock.get(key)) is int for key in ("wall_ns", "carried_ns")):
        return None
    return ClockReading(record.sequence, clock["wall_ns"], clock["carried_ns"])
