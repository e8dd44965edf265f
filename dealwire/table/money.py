"""Settlements for display: the newest in full, the last rounds' results, and the held money. Amounts are in cents."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Final

from dealer_flow.record.details import DOLLAR
from dealer_flow.record.result import RoundResult
from dealwire.hub.view import (
    BetLineView,
    HeldView,
    OutcomeView,
    PotWinnerView,
    SeatMoneyView,
    SettledPotView,
    SettlementView,
    Shown,
)
from dealwire.table.held import HeldBook, HeldEntry
from dealwire.table.pots_won import ShownHands, between_players, hand_of, pots_won
from rules.settlement import PotTotal, SeatTotal, Settlement, SettlementLine, amount

OUTCOMES_MAX: Final = 10


class KeptMoney(Shown):
    """The money that a view shows again after a restart."""

    moved: dict[str, int]
    settlement: SettlementView | None
    outcomes: tuple[OutcomeView, ...]
    held: tuple[HeldView, ...] = ()
    """Only in states written by an older version; held money is in the journal's books since."""
    currency: str = DOLLAR


class Money:
    """The money of one table. `meters` are the progressive meters by name; `say` replaces ids in a sentence."""

    def __init__(self, meters: Mapping[str, int], say: Callable[[str], str] = str) -> None:
        self._say = say
        self.meters = dict(meters)
        self.moved: dict[str, int] = {}
        """Change of each meter at its last movement."""
        self.currency = DOLLAR
        """Currency of the newest round."""
        self.settlement: SettlementView | None = None
        self.outcomes: deque[OutcomeView] = deque(maxlen=OUTCOMES_MAX)
        self.held = HeldBook()
        """Held money: the table's own book until `hold` replaces it by the journal's."""
        self.held.speak(say)
        self._own = 0
        """Number of entries in the table's own book of held money; -1 once the journal keeps the book."""

    def hold(self, book: HeldBook) -> None:
        """Use the journal's book of held money from now on."""
        self.held, self._own = book, -1
        book.speak(self._say)

    def ended(self, result: RoundResult, at_ns: int) -> None:
        """Add a finished round to the outcomes that a view shows, and take over its currency."""
        self.currency = result.currency
        finish = result.draw.finish if result.draw is not None else None
        won = finish.column if finish is not None else None
        self.outcomes.append(
            OutcomeView(
                round=result.round, at_ns=at_ns, outcome=result.outcome, incidents=len(result.incidents), won=won
            )
        )

    def repeated(self) -> None:
        """Mark the last round as a repetition: it was settled before and is not settled again."""
        if self.outcomes:
            self.outcomes.append(self.outcomes.pop().model_copy(update={"repeated": True}))

    def settled(self, item: Settlement, at_ns: int, hands: ShownHands | None = None) -> SettlementView:
        """Record the settlement of a round and return it for display. `hands` names the shown hands in a game between
        players."""
        lines = tuple(_line(each, self._say) for each in item.lines)
        held = sum(seat.held for seat in item.seats)
        self.settlement = shown = SettlementView(
            round=item.round,
            at_ns=at_ns,
            status=item.status,
            why=self._say(item.why) if item.why else item.why,
            currency=item.currency,
            game=item.game.id,
            again=item.again,
            readings=item.readings,
            lines=lines,
            seats=tuple(_seat(each) for each in item.seats),
            players=item.totals.players,
            house=item.totals.house,
            meters=item.totals.meters,
            held=held,
            pots=tuple(_pot(each, hands or {}) for each in item.pots),
        )
        if self.outcomes and self.outcomes[-1].round == item.round:
            last = self.outcomes.pop()
            update = {"players": item.totals.players, "held": held}
            pots = pots_won(shown) if hands is not None else None
            self.outcomes.append(last.model_copy(update=update | {"pots": pots}))
        if held and not item.again and self._own >= 0:
            self._own += 1
            self.held.add(_entry(self._own, item, held, at_ns))
        return shown

    def stand(self, meters: Mapping[str, int]) -> None:
        """Set the meters to their new amounts."""
        for name, cents in meters.items():
            if cents != (before := self.meters.get(name, cents)):
                self.moved[name] = cents - before
        self.meters = dict(meters)

    def state(self) -> str:
        """Return the state to show after a restart, without meters and held money."""
        kept = KeptMoney(
            moved=self.moved,
            settlement=self.settlement,
            outcomes=tuple(self.outcomes),
            currency=self.currency,
        )
        return kept.model_dump_json()

    def restore(self, state: str, meters: Mapping[str, int]) -> None:
        """Restore a state; an empty one restores nothing."""
        self.meters = dict(meters)
        if not state:
            return
        kept = KeptMoney.model_validate_json(state)
        self.moved, self.settlement, self.currency = dict(kept.moved), kept.settlement, kept.currency
        self.outcomes.extend(kept.outcomes)


def _entry(number: int, item: Settlement, cents: int, at_ns: int) -> HeldEntry:
    """Return the entry for money held from a round, for a book without a journal."""
    lines = [line for line in item.lines if line.result == "held"]
    why, clause = (lines[0].why, lines[0].clause) if lines else (item.why or "", "")
    readings = tuple(dict.fromkeys(line.reading for line in lines if line.reading))
    return HeldEntry(number, "", item.session, item.round, at_ns, cents, item.currency, why, clause, readings)


def _seat(seat: SeatTotal) -> SeatMoneyView:
    return SeatMoneyView(
        seat=seat.seat,
        staked=seat.staked,
        pay=seat.pay,
        returned=seat.returned,
        net=seat.net,
        held=seat.held,
    )


def _line(line: SettlementLine, say: Callable[[str], str]) -> BetLineView:
    return BetLineView(
        seat=line.seat,
        bet=line.bet,
        stake=line.stake,
        result=line.result,
        pay=line.pay,
        returned=line.returned,
        net=line.net,
        why=say(line.why),
        clause=line.clause,
        paytable=line.paytable,
        row=line.row,
        meter=line.meter,
        proposition=line.proposition,
        commission=line.commission,
    )


def _pot(pot: PotTotal, hands: ShownHands) -> SettledPotView:
    winners = (
        PotWinnerView(
            seat=each.seat,
            cents=each.cents,
            won_with=each.won_with,
            clause=each.clause,
            hand=hand_of(each, hands.get(each.seat, {})),
        )
        for each in pot.winners
    )
    return SettledPotView(
        name=pot.name,
        cents=pot.cents,
        contenders=pot.contenders,
        rake=pot.rake,
        jackpot_rake=pot.jackpot_rake,
        winners=tuple(winners),
        held=pot.held,
    )


def summary(shown: SettlementView, *, of_players: bool = False) -> str:
    """Return a settlement as one line: `round 12: players win $35.00; $10.00 held: ...`; in a game between players, the
    pots' winners."""
    if shown.status == "held":
        came = "nothing is settled"
    elif of_players:
        came = between_players(shown)
    elif shown.players == 0:
        came = "players and house break even"
    else:
        came = f"players {'win' if shown.players > 0 else 'lose'} {amount(abs(shown.players), shown.currency)}"
    held = f"; {amount(shown.held, shown.currency)} held" if shown.held else ""
    return f"round {shown.round}: {came}{held}" + (f": {shown.why}" if shown.why else "")
