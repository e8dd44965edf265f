"""Fees: collected whatever the hand is, unless what they are for was not given."""

from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, RoundFacts, Staked
from rules.hands.poker import MOST_CARDS
from rules.settlement import SettlementLine, make_line


class FeeBet(Bet):
    """A fee: collected whatever the hand is, unless the round gives it back. `for_card`: it is for this card of the
    seat, and pushed back where that was not dealt (`clauses.tie`). `to_jackpot`: what is collected is the jackpot's and
    not the house's."""

    kind: Literal["fee"]
    for_card: Annotated[int, Field(ge=0, le=MOST_CARDS)] = 0
    to_jackpot: bool = False

    def line(self, staked: Staked, seat: Seat, _view: RoundFacts) -> SettlementLine:
        """A fee that the round does not give back is the house's, unless it is for a card that was not dealt."""
        if self.for_card and len(seat.cards) < self.for_card:
            why = f"no card was dealt for it: {self.name} is pushed back"
            return make_line(seat.seat, self.name, staked.cents, "returned", why, self.clauses.tie)
        why = f"{self.name} is collected for the jackpot" if self.to_jackpot else "the fee is collected"
        return staked.lose(why, self.clauses.lose)
