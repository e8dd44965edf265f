"""Bets on one hand against another that pay by the difference in flush length."""

from functools import cached_property
from typing import ClassVar, Literal

from dealer_flow.record.result import Seat
from rules.bets.bet import RoundFacts, Staked, TabledBet
from rules.bets.compared import compared
from rules.bets.hold import Hold
from rules.bets.outcome import BetFacts, Outcome
from rules.settlement import SettlementLine


class MarginBet(TabledBet):
    """Two hands are compared; a win pays by the number of cards by which the flush is longer."""

    kind: Literal["margin"]
    table_kind: ClassVar[str] = "margin"
    against: str = "dealer"
    """The hand that it is compared with."""

    @property
    def compared_with(self) -> str:
        """The other hand."""
        return self.against

    def outcome(self, facts: BetFacts) -> Outcome | None:
        """Return the outcome of the hands; a win pays the row of its margin."""
        if facts.folded and self.fold != "stands":
            return self.folded
        if facts.sign is None:
            return None
        if facts.sign == 0:
            return Outcome("push", self.clauses.tie)
        return self.by_row(facts.row) if facts.sign > 0 else Outcome("lose", self.clauses.lose)

    @cached_property
    def not_won(self) -> tuple[Outcome | None, ...]:
        """Outcomes of a tie and of a loss."""
        return tuple(self.outcome(BetFacts(sign)) for sign in (0, -1))

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """Return the line; a win is paid by the number of cards by which the winning flush is longer."""
        of = staked.of
        found = view.compared.get((self.hand, of.against, seat.seat)) or compared(of, self.hand, seat, view)
        if isinstance(found, str):
            return staked.held(Hold(found, self.clauses.win))
        sign, words, margin = found
        outcome = of.by_row[margin] if sign > 0 else self.not_won[sign]
        assert outcome is not None, "a margin table needs a row for every win"
        return staked.ended(outcome, words)
