"""Chips of a void round that stay in the pot by a supervisor's decision and are added to the next main pot.

A player who knew that the deck was defective and tried to win the pot by a bet is not entitled to his chips, which are
forfeited to the pot of the next game (47.1-1036).
"""

from collections.abc import Iterable, Iterator

from dealer_flow.english import dollars
from dealer_flow.record.result import RoundResult, Seat
from rules.bets.bet import Bet, held
from rules.bets.hold import Hold
from rules.facts.terms import Terms
from rules.facts.void import why_void
from rules.game.load import Game
from rules.game.pot_spec import Forfeits
from rules.settlement import MeterTotal, SettlementLine, make_line


def forfeits_of(game: Game) -> Forfeits | None:
    """Return the rule for forfeited chips; None if the game's text has none."""
    return game.spec.pot.forfeits if game.spec.pot is not None else None


def forfeited_line(result: RoundResult, seat: Seat, bet: Bet, game: Game) -> SettlementLine | None:
    """Return the line of a bet that stays in the pot; None for any other."""
    cents = seat.forfeited.get(bet.name, 0)
    if not cents:
        return None
    stake = seat.wagers[bet.name]
    rule, (why, clause) = forfeits_of(game), why_void(result, seat, game.spec.returns)
    if rule is None or bet.kind != "to-pot" or cents != stake or bet.name in seat.returned:
        hold = Hold(f"{why}: the round has {dollars(cents)} of {dollars(stake)} forfeited to the pot", clause)
        return held(bet, seat.seat, stake, hold)
    what = (
        f"{why}: {bet.name} is forfeited, for a bet made knowing of the defect, and goes into the pot of the next round"
    )
    return make_line(seat.seat, bet.name, stake, "lose", what, rule.clause)


def forfeited_cents(result: RoundResult, seats: Iterable[Seat], lines: Iterable[SettlementLine]) -> int:
    """Return the sum of the lines that stay in the pot."""
    if result.outcome == "complete":
        return 0
    gone = {(seat.seat, bet) for seat in seats for bet in seat.forfeited}
    return sum(line.stake for line in lines if line.result == "lose" and (line.seat, line.bet) in gone)


def waiting_cents(terms: Terms) -> int:
    """Return the cents that wait for the next main pot."""
    rule = forfeits_of(terms.game)
    return terms.meters[rule.meter].cents if rule is not None and rule.meter in terms.meters else 0


def forfeit_meter(terms: Terms, into: int, out: int) -> Iterator[MeterTotal]:
    """Yield the meter of forfeited chips, if it moved."""
    rule, before = forfeits_of(terms.game), waiting_cents(terms)
    if rule is not None and (into or out):
        yield MeterTotal(rule.meter, before, out, 0, before + into - out, contributed=into)
