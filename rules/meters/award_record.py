"""Records and state of an award book: its records, their round, and differences between staff and cards."""

from collections.abc import Iterable
from typing import ClassVar, Literal

from msgspec import Struct

from dealer_flow.english import dollars
from dealer_flow.record.base import LineRecord
from dealer_flow.record.incidents import EventRef
from rules.meters.bank import MeterRecord, RoundKey
from rules.settlement import Amount, Meter, Settlement, SettlementLine

AwardKind = Literal[
    "bets-taken",
    "spot",
    "hand-on",
    "hand-off",
    "confirmed",
    "awarded",
    "backed-out",
    "refused",
    "unfinished",
    "differs",
    "closed",
    "posted",
    "waits",
]
"""`refused`: nothing changed. `waits`: one person's card counted, and another person's must follow. `unfinished`: cut
off by END GAME, or not done in time. `differs`: needs the attention of staff. `closed`: a pool was shared because the
table closes, and all runners are collected. `posted`: the amounts of a jackpot's pools."""


class AwardRecord(LineRecord, frozen=True, kw_only=True):
    """One step of the award procedure at a table."""

    SCHEMA: ClassVar[str] = "dealwire.award/1"
    TYPE: ClassVar[str] = "award"

    kind: AwardKind
    table: str
    round: int
    seat: int | None = None
    hand: str | None = None
    """The row of the pay table for this button."""
    cents: Amount | None = None
    """The prize, or the bets that were taken."""
    meter: str | None = None
    """The meter that pays; null if the tray pays."""
    record: int | None = None
    """The bank's record that moved the meter."""
    badge: int | None = None
    level: str | None = None
    why: str
    clause: str
    events: tuple[EventRef, ...] = ()


class AwardRound(Struct, frozen=True):
    """One round of awards.

    `bets` by seat (None: amount unknown), the meters `before` them, the contributions of the bets (`taken`), the meters
    as then `shown`, and the `awards`.
    """

    at: RoundKey
    bets: dict[int, int | None]
    before: dict[str, Meter]
    taken: tuple[MeterRecord, ...]
    shown: dict[str, Meter]
    awards: tuple[AwardRecord, ...] = ()


class AwardState(Struct, frozen=True):
    """State that an award book keeps between rounds, as stored on disk. The meters are the bank's own."""

    wagers: dict[int, int]
    sensors: tuple[int, ...]
    last: AwardRound | None
    """The last round of awards that END GAME closed."""


def standing(awards: Iterable[AwardRecord]) -> list[AwardRecord]:
    """Return the awards that were logged and not backed out since."""
    found: list[AwardRecord] = []
    for each in awards:
        if each.kind == "awarded":
            found.append(each)
        else:
            found = [other for other in found if (other.seat, other.hand) != (each.seat, each.hand)]
    return found


def differences(settlement: Settlement, closed: AwardRound, bet: str) -> list[AwardRecord]:
    """Return the differences between the awards for `bet` and the pays by the cards, one record per seat.

    A held bet cannot differ yet and is skipped.
    """
    lines = {line.seat: line for line in settlement.lines if line.bet == bet and line.result in ("win", "held")}
    awards = {each.seat or 0: each for each in standing(closed.awards)}
    found = []
    for seat in sorted(lines.keys() | awards.keys(), reverse=True):
        line, award = lines.get(seat), awards.get(seat)
        if line is not None and line.result == "held":
            continue
        if (line and (line.row, line.pay)) != (award and (award.hand, award.cents)):
            found.append(_difference(seat, line, award, closed.at))
    return found


def _difference(seat: int, line: SettlementLine | None, award: AwardRecord | None, at: RoundKey) -> AwardRecord:
    cards = f"pay {line.row} {dollars(line.pay)}" if line else "pay nothing"
    people = f"awarded {award.hand} {dollars(award.cents or 0)}" if award else "awarded nothing"
    return AwardRecord(
        kind="differs",
        table=at.table,
        round=at.round,
        seat=seat,
        hand=line.row if line else None,
        cents=line.pay if line else 0,
        record=award.record if award else None,
        why=f"seat {seat}: the cards {cards}, the table {people}",
        clause=line.clause if line else award.clause if award else "procedure",
    )
