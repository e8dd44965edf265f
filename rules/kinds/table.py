"""Bets that a table pays by one hand, whatever any other hand is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from dealer_flow.record.result import Seat
from rules.bets.bet import Holds, OfTable, Played, RoundFacts, Staked, TabledBet
from rules.bets.bet_terms import Doubled, EnvyRule
from rules.bets.envy import Envious, envy_of, hits, once
from rules.bets.hold import Hold
from rules.paytables.paytable import PaidRow
from rules.settlement import SettlementLine


class TableBet(TabledBet):
    """Paid by the best row of a table that the hand holds, whatever any other hand is."""

    kind: Literal["table"]
    envy: EnvyRule | None = None
    doubled: Doubled | None = None

    @property
    def envy_rule(self) -> EnvyRule | None:
        """What its envy asks; a tip is the dealer's and brings nobody any."""
        return self.envy if not self.tip_for else None

    @property
    def for_table(self) -> bool:
        """Its envy is found for all seats at once."""
        return self.envy_rule is not None

    def settle_table(self, seats: Sequence[Seat], holds: Holds, played: Played, view: RoundFacts) -> OfTable:
        """Its envy."""
        assert self.envy is not None, "that is why it is asked"
        alive = [seat for seat in seats if self.name in played[seat.seat]]
        envious = [
            Envious(seat.seat, seat.wagers[self.name], holds.get(seat.seat, {}).get(self.name))
            for seat in alive
            if seat.wagers[self.name] >= self.envy.least_cents
        ]
        found = envy_of(self, envious, hits(self, alive, seats, view, holds), view.terms)
        if view.terms.readings.get("envy-tied") == "once":
            found = once(found)
        return OfTable(envy=tuple(found))

    def line(self, staked: Staked, seat: Seat, view: RoundFacts) -> SettlementLine | None:
        """By the best row that the hand holds."""
        return self.by_table(staked, seat, view)

    def noted(self, row: PaidRow, staked: Staked, seat: Seat, view: RoundFacts) -> PaidRow | Hold:
        """The row as a note under its table has it."""
        if self.doubled is None or staked.of.paytable not in self.doubled.tables:
            return row
        return _doubled(self.doubled, row, seat, view)


def _doubled(note: Doubled, row: PaidRow, seat: Seat, view: RoundFacts) -> PaidRow | Hold:
    """The row as the note under its table has it, or why that is open."""
    option = view.terms.readings.get(note.reading)
    if option == "plain" or row.pay.unit == "push":
        return row
    qualifier = view.terms.game.spec.qualifiers[note.qualifier]
    met = view.qualifies(note.qualifier, seat)
    if isinstance(met, str):
        return Hold(met, note.clause)
    if met:
        return row
    facts = f"the dealer has less than {qualifier.words}"
    if option == "doubles":
        return replace(row, pay=replace(row.pay, amount=row.pay.amount * 2), clause=f"{row.clause}, {note.clause}")
    return Hold(f"{facts}, and whether {row.when} is paid double then is open", note.clause)
