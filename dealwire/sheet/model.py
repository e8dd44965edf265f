"""Everything about one round, as a value. Published as JSON Schema in `docs/schema/sheet-1.json`."""

from typing import ClassVar, Final, Literal, cast

import msgspec
from msgspec.structs import replace

from dealer_flow.record.base import Cards, LineRecord, Record
from dealer_flow.record.details import DOLLAR, Currency
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import Outcome, Packet, RoundResult
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterRecord
from rules.settlement import Settlement, SettlementLine

SheetState = Literal["ended", "under-way", "given-up"]
"""`under-way`: the journal does not hold its end yet. `given-up`: it never ended, because the table began anew."""

CORRECTIONS: Final = (
    *("hand-corrected", "correction-refused", "ruled-on", "misdeal-called", "misdeal-refused", "round-repeated"),
)
"""Incidents by which a person, or a device that said it again, put a round in question."""


class SheetMoment(Record, frozen=True):
    """When record number `record` was written: nanoseconds since 1970 by the journal's clock, and by the host's wall
    clock, which a camera's is compared with; null where the journal does not say how that stood. `local` and `wall`
    are the same in the zone of the machine that made the sheet, to the millisecond."""

    record: int
    at_ns: int
    local: str
    wall_ns: int | None
    wall: str | None


class SheetNote(Record, frozen=True):
    """Something that the journal holds beside the game: what kind, and one sentence; `who` is a role, a badge or a
    line, null when nobody is named."""

    at: SheetMoment
    kind: str
    who: str | None
    text: str


class SheetClock(Record, frozen=True):
    """What the journal knows of the host's clock: read at record `reading`, when the clock said `wall_ns` and the
    journal `carried_ns`. `offset_ns` is by how much the clock was ahead at the round's last record, and `within_ns` how
    exact that is: less is not noted. Null where there is no reading. `since` is the record from which on steps of the
    clock were looked for; `steps` are those around the round."""

    zone: str
    reading: int | None
    wall_ns: int | None
    carried_ns: int | None
    offset_ns: int | None
    within_ns: int | None
    since: int
    steps: tuple[SheetNote, ...]


class RulesFile(Record, frozen=True):
    """A procedure or a game: its id, its title and section, and the hash of what decided. `same`: the file that this
    program has is that very one; null when it has none."""

    id: str
    title: str
    section: str
    sha256: str
    same: bool | None


class SheetVersion(Record, frozen=True):
    """One result of the round as it was written down, with its settlement. `newest`: no later one is in the journal.
    `settled`: money went by this one; a round that comes again is not settled again."""

    at: SheetMoment
    newest: bool
    settled: bool
    result: RoundResult
    settlement_record: int | None
    settlement: Settlement | None


class HandSoFar(Record, frozen=True):
    """What was made known of a place: cards that were shown, what a person counted, choices and bets by their names."""

    place: str
    cards: Cards
    counted: int | None
    choices: tuple[str, ...]
    wagers: dict[str, int]


class RoundSoFar(Record, frozen=True):
    """A round without a result: what the reports of its devices said."""

    packets: tuple[Packet, ...]
    hands: tuple[HandSoFar, ...]


class SheetIncident(Record, frozen=True):
    """An incident, when it was found (null: its line is not in the file), and its sentences."""

    at: SheetMoment | None
    incident: Incident
    text: str
    cause: str


class SheetDevice(Record, frozen=True):
    """A device as it last said who it is before the round was over; `at` null when no such report was found."""

    name: str
    kind: str
    maker: str
    model: str
    serial: str
    firmware: str
    firmware_digest: str
    recognises_cards: bool | None
    dialect: str
    at: SheetMoment | None


class ChainPlace(Record, frozen=True):
    """Where a record stands in the journal's chain. `epoch` names the opening that wrote it."""

    what: Literal["first", "round", "settlement", "last"]
    record: int
    epoch: str
    hash: str


class ChainChecked(Record, frozen=True):
    """The records of the round, of all tables between its first and last, each of which follows from the one before.
    `sealed` and `clear` are raw records and snapshots among them; `opened` those whose seal was opened with a key."""

    records: int
    sealed: int
    clear: int
    opened: int


class OtherRound(Record, frozen=True):
    """Another round of the table with the same number, and its result's record (its start's when it has none)."""

    record: int
    at_ns: int
    local: str
    ended: bool


class FacesRead(Record, frozen=True):
    """Faces that a device read or a person keyed, as they lie under the seal."""

    at_ns: int
    local: str
    device: str
    report: str
    what: str
    cards: Cards


class RoundSheet(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """Everything about one round. `docs/dispute-sheet.md` explains it. It holds no face that nobody has shown, unless
    it was made with the key: then `faces` is there."""

    SCHEMA: ClassVar[str] = "dealwire.sheet/1"
    TYPE: ClassVar[str] = "sheet"

    table: str
    round: int
    state: SheetState
    currency: Currency = DOLLAR
    """Of every amount, in its hundredths. Absent when it is the dollar of the United States."""
    outcome: Outcome | None
    """Of the version that was settled; null when the round has not ended."""
    program: str
    """The program that made the sheet, and its version."""
    made_ns: int
    made: str
    """When the sheet was made, by the clock of the machine that made it."""
    journal: str
    """The journal's file, by name."""
    file: str
    """The number of the journal's file, hex: a copy of it has the same."""
    written_by: str
    """The program that wrote the journal then."""
    procedure: RulesFile
    game: RulesFile | None
    """Null when no game settled the round."""
    edition: RulesFile | None = None
    """The edition of the law by which it was dealt, its section the days on which that holds. Absent of a round that
    names none."""
    began: SheetMoment | None
    """START GAME; null when it is not in the file."""
    over: SheetMoment | None
    """END GAME; null when the round was broken off, or is not over."""
    clock: SheetClock
    versions: tuple[SheetVersion, ...]
    """Oldest first."""
    so_far: RoundSoFar | None
    """Of a round that has not ended."""
    muck: HandSoFar | None
    """Cards that were shown or counted in the muck; null when none were."""
    meters: tuple[MeterRecord, ...]
    awards: tuple[AwardRecord, ...]
    incidents: tuple[SheetIncident, ...]
    people: tuple[SheetNote, ...]
    """What people did beside the game: actions at the console, access, badges."""
    lines: tuple[SheetNote, ...]
    """What became of lines, of the program and of the table meanwhile."""
    released: tuple[SheetNote, ...]
    """That somebody said, afterwards, that what was held of it was settled by hand."""
    devices: tuple[SheetDevice, ...]
    places: tuple[ChainPlace, ...]
    checked: ChainChecked
    before: str
    """The record before the round's first, as `SEQ:HASH`; all zeros when there is none."""
    others: tuple[OtherRound, ...]
    faces: tuple[FacesRead, ...] | None = None
    """Absent unless the sheet was made with the key."""

    def body_json(self) -> str:
        """The sheet, each result with the sentences of its incidents."""
        whole = (
            replace(each, result=cast("RoundResult", msgspec.Raw(each.result.body_json().encode())))
            for each in self.versions
        )
        return msgspec.json.encode(replace(self, versions=tuple(whole))).decode()

    @property
    def counts(self) -> SheetVersion | None:
        """The version that money goes by: the settled one, or the newest where none was; None when there is none."""
        return next((each for each in self.versions if each.settled), self.versions[-1] if self.versions else None)

    @property
    def corrections(self) -> list[SheetIncident]:
        """What put the round in question, or right."""
        return [each for each in self.incidents if each.incident.code in CORRECTIONS]

    @property
    def held(self) -> list[SettlementLine]:
        """The bets that nobody has decided yet."""
        settlement = self.counts.settlement if self.counts is not None else None
        return [line for line in settlement.lines if line.result == "held"] if settlement is not None else []

    def place(self, what: str) -> ChainPlace | None:
        """Where one of its records stands in the chain."""
        return next((each for each in self.places if each.what == what), None)
