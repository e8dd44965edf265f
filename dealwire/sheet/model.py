"""A dispute sheet as a value. `docs/schema/sheet-1.json` is its JSON Schema."""

from typing import ClassVar, Final, Literal, cast

import msgspec
from msgspec.structs import replace

from dealer_flow.record.base import Cards, LineRecord, Record
from dealer_flow.record.details import DOLLAR, Currency
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import HouseRef, Outcome, Packet, RoundResult
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterRecord
from rules.settlement import Settlement, SettlementLine

SheetState = Literal["ended", "under-way", "given-up"]
"""`under-way`: the end is not in the journal yet. `given-up`: it never ended, because the table started over."""

CORRECTIONS: Final = (
    *("hand-corrected", "correction-refused", "ruled-on", "misdeal-called", "misdeal-refused", "round-repeated"),
)
"""Incidents by which a person or a repeating device put a round in question."""


class SheetMoment(Record, frozen=True):
    """Time at which record number `record` was written.

    Nanoseconds since 1970 by the journal's clock, and by the host's wall clock, to which a camera's is compared; null
    if the journal has no reading of it. `local` and `wall` are the same in the zone of the machine that made the sheet,
    to the millisecond.
    """

    record: int
    at_ns: int
    local: str
    wall_ns: int | None
    wall: str | None


class SheetNote(Record, frozen=True):
    """A journal entry outside the game: its kind, and one sentence. `who` is a role, badge or line; null if none is
    named."""

    at: SheetMoment
    kind: str
    who: str | None
    text: str


class SheetClock(Record, frozen=True):
    """The host's clock as known to the journal.

    It was read at record `reading`, when the clock showed `wall_ns` and the journal `carried_ns`. `offset_ns` is its
    lead at the round's last record, exact to `within_ns`: smaller changes are not recorded. Null without a reading.
    Clock steps were searched from record `since` on; `steps` are those around the round.
    """

    zone: str
    reading: int | None
    wall_ns: int | None
    carried_ns: int | None
    offset_ns: int | None
    within_ns: int | None
    since: int
    steps: tuple[SheetNote, ...]


class RulesFile(Record, frozen=True):
    """A procedure or game: id, title, section, and hash of the file that decided. `same`: this program has that very
    file; null if it has none of that id."""

    id: str
    title: str
    section: str
    sha256: str
    same: bool | None


class SheetVersion(Record, frozen=True):
    """One result of the round with its settlement. `newest`: no later result is in the journal. `settled`: money was
    settled by this one; a repeated round is not settled again."""

    at: SheetMoment
    newest: bool
    settled: bool
    result: RoundResult
    settlement_record: int | None
    settlement: Settlement | None


class HandSoFar(Record, frozen=True):
    """Published facts about a place: shown cards, counts by a person, choices and bets by name."""

    place: str
    cards: Cards
    counted: int | None
    choices: tuple[str, ...]
    wagers: dict[str, int]


class RoundSoFar(Record, frozen=True):
    """A round without a result, from the reports of its devices."""

    packets: tuple[Packet, ...]
    hands: tuple[HandSoFar, ...]


class SheetIncident(Record, frozen=True):
    """An incident, when it was found (null if its line is not in the file), and its sentences."""

    at: SheetMoment | None
    incident: Incident
    text: str
    cause: str


class SheetDevice(Record, frozen=True):
    """A device as it last identified itself before the end of the round; `at` is null without such a report."""

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
    """A record's place in the journal's chain. `epoch` names the opening that wrote it."""

    what: Literal["first", "round", "settlement", "last"]
    record: int
    epoch: str
    hash: str


class ChainChecked(Record, frozen=True):
    """The verified records of the round, of all tables between its first and last: an unbroken chain. `sealed` and
    `clear` are raw records and snapshots among them; `opened` are those opened with a key."""

    records: int
    sealed: int
    clear: int
    opened: int


class OtherRound(Record, frozen=True):
    """Another round of the table with the same number, and the record of its result (of its start without a result)."""

    record: int
    at_ns: int
    local: str
    ended: bool


class FacesRead(Record, frozen=True):
    """Faces that a device read or a person keyed, from the sealed record."""

    at_ns: int
    local: str
    device: str
    report: str
    what: str
    cards: Cards


class RoundSheet(LineRecord, frozen=True, kw_only=True, omit_defaults=True):
    """Everything about one round; see `docs/dispute-sheet.md`. It contains no face that was not shown, unless it was
    made with the key: then `faces` is present."""

    SCHEMA: ClassVar[str] = "dealwire.sheet/1"
    TYPE: ClassVar[str] = "sheet"

    table: str
    round: int
    state: SheetState
    currency: Currency = DOLLAR
    """Currency of every amount, which is in its hundredths. Absent for US dollars."""
    outcome: Outcome | None
    """Outcome of the settled version; null if the round has not ended."""
    program: str
    """The program that made the sheet, with its version."""
    made_ns: int
    made: str
    """Time of the sheet, by the clock of the machine that made it."""
    journal: str
    """File name of the journal."""
    file: str
    """Number of the journal's file, hex; its copies have the same."""
    written_by: str
    """The program that wrote the journal at that time, with its digest if the opening names one."""
    procedure: RulesFile
    game: RulesFile | None
    """Null if no game settled the round."""
    edition: RulesFile | None = None
    """The edition of the regulation, with the days it is in force as its section. Absent if the round names none."""
    house: HouseRef | None = None
    """The posted rules of the house. Absent if the round names none."""
    began: SheetMoment | None
    """START GAME; null if it is not in the file."""
    over: SheetMoment | None
    """END GAME; null if the round was broken off or is not over."""
    clock: SheetClock
    versions: tuple[SheetVersion, ...]
    """Oldest first."""
    so_far: RoundSoFar | None
    """For a round that has not ended."""
    muck: HandSoFar | None
    """Cards shown or counted in the muck; null if there were none."""
    meters: tuple[MeterRecord, ...]
    awards: tuple[AwardRecord, ...]
    incidents: tuple[SheetIncident, ...]
    people: tuple[SheetNote, ...]
    """Actions of people outside the game: at the console, access, badges."""
    lines: tuple[SheetNote, ...]
    """Events of lines, program and table during the round."""
    released: tuple[SheetNote, ...]
    """Later reports that the held money was settled by hand."""
    devices: tuple[SheetDevice, ...]
    places: tuple[ChainPlace, ...]
    checked: ChainChecked
    before: str
    """The record before the round's first, as `SEQ:HASH`; all zeros if there is none."""
    others: tuple[OtherRound, ...]
    faces: tuple[FacesRead, ...] | None = None
    """Absent unless the sheet was made with the key."""

    def body_json(self) -> str:
        """Return the sheet as JSON, each result with the sentences of its incidents."""
        whole = (
            replace(each, result=cast("RoundResult", msgspec.Raw(each.result.body_json().encode())))
            for each in self.versions
        )
        return msgspec.json.encode(replace(self, versions=tuple(whole))).decode()

    @property
    def counts(self) -> SheetVersion | None:
        """The version that was settled, or the newest if none was; None without a version."""
        return next((each for each in self.versions if each.settled), self.versions[-1] if self.versions else None)

    @property
    def corrections(self) -> list[SheetIncident]:
        """Incidents that put the round in question or corrected it."""
        return [each for each in self.incidents if each.incident.code in CORRECTIONS]

    @property
    def held(self) -> list[SettlementLine]:
        """Bets that are still held."""
        settlement = self.counts.settlement if self.counts is not None else None
        return [line for line in settlement.lines if line.result == "held"] if settlement is not None else []

    def place(self, what: str) -> ChainPlace | None:
        """Return the chain place of one of its records."""
        return next((each for each in self.places if each.what == what), None)
