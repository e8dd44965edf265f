"""Fees: collected whatever the hand is, unless what they are for was not given."""

from dealer_flow.record.result import Seat
from rules.facts.line import Staked
from rules.facts.seen import View
from rules.game.schema import FeeBet
from rules.settlement import SettlementLine, make_line


def resolve(bet: FeeBet, staked: Staked, seat: Seat, _view: View) -> SettlementLine:
    """A fee that the round does not give back is the house's, unless it is for a card that was not dealt."""
    if bet.for_card and len(seat.cards) < bet.for_card:
        why = f"no card was dealt for it: {bet.name} is pushed back"
        return make_line(seat.seat, bet.name, staked.cents, "returned", why, bet.clauses.tie)
    why = f"{bet.name} is collected for the jackpot" if bet.to_jackpot else "the fee is collected"
    return staked.lose(why, bet.clauses.lose)
