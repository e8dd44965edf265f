"""Fees: collected regardless of the hand, unless the thing they pay for was not provided."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from dealer_flow.record.result import Seat
from rules.bets.bet import Bet, RoundFacts, Staked
from rules.bets.outcome import NO_CARD, BetFacts, Outcome
from rules.hands.poker import MOST_CARDS
from rules.settlement import SettlementLine


class FeeBet(Bet):
    """A fee, collected regardless of the hand unless the round gives it back.

    `for_card`: it pays for this card of the seat, and is pushed back if that card was not dealt (`clauses.tie`).

    `to_jackpot`: the amount collected goes to the jackpot, not to the house.
    """

    kind: Literal["fee"]
    by_hand: ClassVar[bool] = False
    for_card: Annotated[int, Field(ge=0, le=MOST_CARDS)] = 0
    to_jackpot: bool = False

    @property
    def for_jackpot(self) -> bool:
        """True if the amount collected goes to a jackpot."""
        return self.to_jackpot

    def outcome(self, facts: BetFacts) -> Outcome:
        """Return the outcome: collected, unless it is for a card that was not dealt. A fold does not change it."""
        return Outcome("returned", self.clauses.tie) if NO_CARD in facts.also else Outcome("lose", self.clauses.lose)

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Return the line of a fee that the round does not give back: collected, unless it is for a card that was not
        dealt."""
        if self.for_card and len(seat.cards) < self.for_card:
            return staked.ended(self.outcome(BetFacts(also=frozenset({NO_CARD}))), "no card was dealt for it")
        outcome = self.outcome(BetFacts())
        why = f"{self.name} is collected for the jackpot" if self.to_jackpot else "the fee is collected"
        return staked.ended(outcome, why)
