"""Books of a table's progressive: bets taken at START GAME, and awards from the controller's reports.

The book moves the bank's meters when a card completes an award by the staff. The settlement decides what the cards pay;
`differences` compares the two at END GAME, and an operator backs out a wrong award.

CO 47.1-1017.60 progressive (7)(D)-(H); WA NC 6, 9(d)-(h), MGL 7, 10(d)-(h).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from msgspec import structs

import devices.events as e
from dealer_flow.english import dollars
from dealer_flow.record.incidents import EventRef
from devices.events import Seen
from rules.errors import SettlementRefused
from rules.game.load import Game
from rules.kinds.progressive import pays_from_right
from rules.meters.award_record import (
    AwardKind,
    AwardRecord,
    AwardRound,
    AwardState,
    differences,
    standing,
)
from rules.meters.award_steps import NEXT, AwardStage, allowed
from rules.meters.bank import MeterBank, MeterRecord, MeterRefused, RoundKey
from rules.meters.settled_rounds import SettledKey, SettledRounds
from rules.paytables.paytable import PayRow, PayTable
from rules.settlement import Settlement

# ------------------------------------------------------------------ the books

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(slots=True)
class _Open:
    """The award in progress."""

    seat: int = 0
    button: int = 0
    row: PayRow | None = None


Out = AwardRecord | MeterRecord


class AwardBook:
    """Award book of one table: give it every report, and it returns records.

    `spot` is the number of the progressive among the layout's bets. Hand buttons count the rows of the pay table from
    1, as printed. Raises SettlementRefused if the game has no progressive, or the bank lacks a meter of its pay table.
    """

    def __init__(
        self,
        bank: MeterBank,
        game: Game,
        *,
        spot: int,
        paytable: str | None = None,
        readings: Mapping[str, str] = _NOTHING,
        table: str = "table-1",
    ) -> None:
        bet = game.progressive
        if bet is None:
            raise SettlementRefused("progressive of game", game.id, [])
        if paytable is not None and paytable not in bet.paytables:
            raise SettlementRefused(f"pay table of {bet.name}", paytable, bet.paytables)
        self.bank, self.table = bank, table
        self.paytable: PayTable = game.paytables[paytable or game.default_paytables(readings)[bet.name]]
        self.stage = AwardStage.BETS
        self.round: AwardRound | None = None
        """The round between START GAME and END GAME; None while bets are open."""
        self.last: AwardRound | None = None
        """The last round that END GAME closed."""
        self.settled: SettledRounds | None = None
        """Record of the rounds whose bets were taken; without it (None), every START GAME counts."""
        self._bet, self._spot = bet, spot
        self._right_first = pays_from_right(game.default_readings() | dict(readings))
        self._wagers: dict[int, int] = {}
        self._sensors: set[int] = set()
        self._open, self._awards = _Open(), list[AwardRecord]()
        for row in self.paytable.rows:
            if row.pays.meter and row.pays.meter not in bank.meters():
                raise SettlementRefused(f"meter that {self.paytable.id} pays from", row.pays.meter, bank.meters())

    def handle(self, seen: Seen) -> list[Out]:
        """Process one report and return the records it led to. A card swiped while no award is confirmed is ignored."""
        body = seen.body
        match body:
            case e.WagerPlaced(seat, bet, cents) if bet == self._spot and self.round is None:
                self._wagers[seat] = cents
            case e.SensorChanged(seat, on):  # also during a game, when the dealer collects the bets
                (self._sensors.add if on else self._sensors.discard)(seat)
            case e.GameStarted():
                cut = self._end(seen) if self.round is not None else []
                return [*cut, *self._start(seen, body)]
            case e.GameEnded() if self.round is not None:
                return self._end(seen)
            case e.SpotSelected(seat):
                return self._step("spot", seen, seat=seat)
            case e.HandButton(hand, on):
                return self._button(seen, hand, on)
            case e.Confirmed():
                return self._step("CONFIRM", seen)
            case e.BadgeSwiped() if self.stage is AwardStage.CONFIRMED:
                return self._swipe(seen, body)
        return []

    def back_out(self, award: AwardRecord, badge: int, why: str) -> list[Out]:
        """Undo a logged award of this round or the last, by hand; an amount paid from the tray is only recorded.

        Raises MeterRefused if there is no such award, or its meter cannot take it back.
        """
        book = self._awards if self.round is not None else list(self.last.awards if self.last else ())
        if award not in standing(book):
            raise MeterRefused(
                award.meter or "(tray)", "backing out", "there is no such award in this round or the last"
            )
        moved = [self.bank.back_out(award.record, badge, why)] if award.record is not None else []
        changed = {"kind": "backed-out", "badge": badge, "level": None, "why": why, "events": ()}
        undone = structs.replace(award, **changed, record=moved[0].number if moved else None)
        if self.round is not None:
            self._awards.append(undone)
        elif self.last is not None:
            self.last = structs.replace(self.last, awards=(*self.last.awards, undone))
        return [undone, *moved]

    def differences(self, settlement: Settlement) -> list[AwardRecord]:
        """Return the differences between the awards of the last closed round and `settlement`."""
        return differences(settlement, self.last, self._bet.name) if self.last is not None else []

    # ------------------------------------------------------------------ between rounds

    def state(self) -> AwardState | None:
        """Return all state that outlives a round; None during a round."""
        if self.round is not None or self.stage is not AwardStage.BETS:
            return None
        return AwardState(dict(sorted(self._wagers.items())), tuple(sorted(self._sensors)), self.last)

    def restore(self, state: AwardState) -> None:
        """Continue from a state; the bank must be as it was at that time."""
        self.stage, self.round, self.last = AwardStage.BETS, None, state.last
        self._wagers, self._sensors = dict(state.wagers), set(state.sensors)
        self._open, self._awards = _Open(), []

    # ------------------------------------------------------------------ the steps

    def _start(self, seen: Seen, body: e.GameStarted) -> list[Out]:
        bets: dict[int, int | None] = {seat: cents for seat, cents in self._wagers.items() if cents}
        for seat in sorted(self._sensors - bets.keys()):
            bets[seat] = self.bank.setup.sensor_cents
        at = RoundKey(self.table, f"{seen.session:08x}", body.round)
        again = self._taken_before(seen, at)
        if again:  # the bets were taken before: take nothing, and allow no award
            bets = {}
        taken, before = sum(cents or 0 for cents in bets.values()), self.bank.meters()
        records = self.bank.contribute(at, taken)
        self.round = AwardRound(at, bets, before, tuple(records), self.bank.meters())
        self._open, self._awards = _Open(), []
        self._wagers.clear()
        self.stage = NEXT[AwardStage.BETS, "START GAME"]
        if again:
            why = f"round {at.round} of session {at.session} was repeated; its bets were taken before"
            return [self._refuse(seen, why)]
        unknown = [str(seat) for seat, cents in bets.items() if cents is None]
        why = f"progressive bets of {len(bets)} seats are taken"
        why += f"; the wagers on the sensors of seats {', '.join(unknown)} are not known" if unknown else ""
        return [self._say("bets-taken", seen, why, cents=taken, clause=self._bet.clauses.win), *records]

    def _taken_before(self, seen: Seen, at: RoundKey) -> bool:
        """Return True if the bets of this round were taken before: the round is repeated. Marks it as taken."""
        if self.settled is None:
            return False
        key = SettledKey(f"bets at {seen.device}", at.session, at.round)
        known = self.settled.known(key)
        if not known:
            self.settled.add(key)
        return known

    def _end(self, seen: Seen) -> list[Out]:
        out: list[Out] = []
        if self.stage in (AwardStage.HAND, AwardStage.CONFIRMED):
            what = f"the {self._hand} of seat {self._open.seat} was not awarded"
            out.append(self._say("unfinished", seen, what, **self._subject()))
        if self.round is not None:
            self.last = structs.replace(self.round, awards=tuple(self._awards))
        self.round, self._open, self.stage = None, _Open(), NEXT[self.stage, "END GAME"]
        return out

    def _step(self, trigger: str, seen: Seen, *, seat: int = 0) -> list[Out]:
        dest = NEXT.get((self.stage, trigger))
        if dest is None:
            allows = ", ".join(allowed(self.stage))
            return [self._refuse(seen, f"{trigger} while {self.stage.value}; allowed: {allows}")]
        if trigger == "spot":
            if self.round is None or seat not in self.round.bets:
                return [self._refuse(seen, f"seat {seat} has no progressive bet in this round", seat=seat)]
            self._open.seat = seat
            self.stage = dest
            return [self._say("spot", seen, f"seat {seat} is selected", seat=seat)]
        self.stage = dest
        why = f"the {self._hand} of seat {self._open.seat} is confirmed"
        return [self._say("confirmed", seen, why, **self._subject())]

    def _button(self, seen: Seen, hand: int, on: bool) -> list[Out]:
        if not on and self.stage not in (AwardStage.HAND, AwardStage.CONFIRMED):
            return []  # the lamp goes out after an award, or at END GAME
        dest = NEXT.get((self.stage, f"hand button {'on' if on else 'off'}"))
        rows = self.paytable.rows
        if dest is None:
            allows = ", ".join(allowed(self.stage))
            return [self._refuse(seen, f"hand button {hand} while {self.stage.value}; allowed: {allows}")]
        if not on and hand != self._open.button:
            return [self._refuse(seen, f"hand button {hand} went off, and {self._open.button} is on")]
        if not 1 <= hand <= len(rows):
            return [self._refuse(seen, f"hand button {hand}; {self.paytable.id} has hands 1 to {len(rows)}")]
        row, seat = rows[hand - 1], self._open.seat
        if on and any(each.seat == seat and each.kind == "awarded" for each in standing(self._awards)):
            return [self._refuse(seen, f"seat {seat} has its award already; back it out first", seat=seat)]
        self._open.button, self._open.row, self.stage = hand, row, dest
        why = f"{row.when} of seat {seat}" + ("" if on else ": pressed again, it is off")
        out = self._say("hand-on" if on else "hand-off", seen, why, **self._subject())
        if not on:
            self._open.button, self._open.row = 0, None
        return [out]

    def _swipe(self, seen: Seen, body: e.BadgeSwiped) -> list[Out]:
        row, seat, now = self._open.row, self._open.seat, self.round
        assert row is not None, "a confirmed award has its row"
        assert now is not None, "and a round"
        if body.refused:
            why = f"badge {body.badge} does not count: {body.refused}"
            return [self._refuse(seen, why, badge=body.badge, level=body.level)]
        prize = self._prize(row, now.bets.get(seat))
        if prize is None:
            return [self._refuse(seen, f"the wager on the sensor of seat {seat} is not known; adjust by hand")]
        if row.pays.meter and prize > (shows := self.bank.meters()[row.pays.meter].cents):
            return [self._refuse(seen, f"the meter shows {dollars(shows)} and not {dollars(prize)}; adjust by hand")]
        needs = self._needs(prize)
        if body.level != e.Level.EXECUTIVE and body.level != needs:
            why = f"an award of {dollars(prize)} needs the card of the {needs}, not of the {body.level}"
            return [self._refuse(seen, why, badge=body.badge, level=body.level)]
        moved = self._off_meter(row, now.at, seat, prize)
        why = f"{row.when} of seat {seat} is awarded {dollars(prize)}{self._out_of_order(row, seat)}"
        known = self._subject() | {
            "cents": prize,
            "record": moved[0].number if moved else None,
            "badge": body.badge,
            "level": body.level,
            "clause": row.clause,
        }
        award = self._say("awarded", seen, why, **known)
        self._awards.append(award)
        self._open.button, self._open.row, self.stage = 0, None, NEXT[self.stage, "card"]
        return [award, *moved]

    # ------------------------------------------------------------------ facts of a step

    def _off_meter(self, row: PayRow, at: RoundKey, seat: int, prize: int) -> list[MeterRecord]:
        if not row.pays.meter:
            return []
        if row.pays.unit == "percent":
            return self.bank.pay(at, seat, row.pays.meter, row.pays.amount)
        return self.bank.pay_fixed(at, seat, row.pays.meter, prize)

    def _prize(self, row: PayRow, bet: int | None) -> int | None:
        """Return the prize in cents: a share of the meter's present amount, or a multiple of the bet; None if the bet
        is unknown."""
        amount: Fraction = row.pays.amount
        if row.pays.unit in ("flat", "flat-to"):
            return int(amount)
        if row.pays.unit == "percent":
            return self.bank.meters()[row.pays.meter].cents * amount.numerator // amount.denominator
        return None if bet is None else bet * amount.numerator // amount.denominator

    def _needs(self, prize: int) -> str:
        return e.Level.EXECUTIVE if prize >= self.bank.setup.executive_from_cents else e.Level.SUPERVISOR

    def _out_of_order(self, row: PayRow, seat: int) -> str:
        """Describe a pay out of the printed order. Two pays of one meter go from the dealer's right, but the house may
        have another order, so it is only noted."""
        before = [
            each.seat for each in standing(self._awards) if each.meter == row.pays.meter and each.seat is not None
        ]
        wrong = [other for other in before if (other < seat) == self._right_first]
        return f", after seat {wrong[0]}, which comes later in the printed order" if row.pays.meter and wrong else ""

    @property
    def _hand(self) -> str:
        return self._open.row.when if self._open.row else "hand"

    def _subject(self) -> dict[str, Any]:
        row = self._open.row
        return {"seat": self._open.seat, "hand": row.when if row else None, "meter": row.pays.meter if row else None}

    def _refuse(self, seen: Seen, why: str, **fields: Any) -> AwardRecord:
        return self._say("refused", seen, why, **fields)

    def _say(self, kind: AwardKind, seen: Seen, why: str, **fields: Any) -> AwardRecord:
        number = self.round.at.round if self.round else self.last.at.round if self.last else 0
        events = (EventRef(device=seen.device, number=seen.number),)
        known = {"clause": self._bet.clauses.win} | fields
        return AwardRecord(kind=kind, table=self.table, round=number, why=why, events=events, **known)
