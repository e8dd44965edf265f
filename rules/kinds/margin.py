"""Bets on one hand against another that pay by how much longer the flush is."""

from typing import Literal

from dealer_flow.record.result import Seat
from rules.bets.bet import RoundFacts, Staked, TabledBet
from rules.bets.compared import compared
from rules.bets.hold import Hold
from rules.settlement import SettlementLine


class MarginBet(TabledBet):
    """Two hands compared: a win pays by how many cards longer the flush is."""

    kind: Literal["margin"]
    against: str = "dealer"
    """The hand that it is compared with."""

    @property
    def compared_with(self) -> str:
        """The other hand."""
        return self.against

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine:
        """A win is paid by how many cards longer the winning hand is."""
        of = staked.of
        found = view.compared.get((self.hand, of.against, seat.seat)) or compared(of, self.hand, seat, view)
        if isinstance(found, str):
            return staked.held(Hold(found, self.clauses.win))
        sign, facts, margin = found
        if sign < 0:
            return staked.lose(facts, of.lost)
        if sign == 0:
            return staked.push(facts, self.clauses.tie)
        row = of.rows[margin] if of.rows is not None else None
        assert row is not None, "a margin table says what every win pays"
        return staked.won(facts, row, of.paytable)
