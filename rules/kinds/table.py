"""Bets that a table pays by one hand, regardless of any other hand."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar, Literal

from dealer_flow.record.result import Seat
from protocol.tomlfile import Key
from rules.bets.bet import Holds, Line, Played, RoundFacts, Staked, TabledBet, TableResult
from rules.bets.bet_keys import SpecFacts, unknown
from rules.bets.bet_terms import DoublingNote, EnvyRule
from rules.bets.envy import Envious, envy_of, hits, once
from rules.bets.hold import Hold
from rules.bets.outcome import Outcome, paid
from rules.paytables.paytable import PaidRow


class TableBet(TabledBet):
    """A bet paid by the best row of a table that the hand makes, regardless of any other hand."""

    kind: Literal["table"]
    by_cards: ClassVar[bool] = True
    envy: EnvyRule | None = None
    doubled: DoublingNote | None = None

    @property
    def envy_rule(self) -> EnvyRule | None:
        """Conditions for its envy; None for a tip, which belongs to the dealer and earns no envy."""
        return self.envy if not self.tip_for else None

    @property
    def for_table(self) -> bool:
        """True if it has envy, which is computed for all seats at once."""
        return self.envy_rule is not None

    def settle_table(self, seats: Sequence[Seat], holds: Holds, played: Played, view: RoundFacts) -> TableResult:
        """Return its envy lines."""
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
        return TableResult(envy=tuple(found))

    @property
    def settled_by(self) -> Line:
        """Function that makes its line: by the best row that the hand makes."""
        return self.by_table

    def with_note(self, outcome: Outcome, staked: Staked, seat: Seat, view: RoundFacts) -> Outcome | Hold:
        """Return the outcome after applying the note under its table."""
        note = self.note(staked.of.paytable)
        if note is None or outcome.row is None:
            return outcome
        row = _doubled(note, outcome.row, seat, view)
        return row if isinstance(row, Hold) else paid(row, by_table=True)

    def note(self, paytable: str | None) -> DoublingNote | None:
        """Return the note under one of its tables, if there is one."""
        return self.doubled if self.doubled is not None and paytable in self.doubled.tables else None

    def faults(self, spec: SpecFacts, bets: Collection[str]) -> Iterator[tuple[Key, str]]:
        """Yield errors for unknown names in a note."""
        if self.doubled:
            yield from unknown(("doubled",), "reading", (self.doubled.reading,), spec.readings)
            yield from unknown(("doubled",), "qualifier", (self.doubled.qualifier,), spec.qualifiers)
            yield from unknown(("doubled",), "pay table", self.doubled.tables, self.paytables)


def _doubled(note: DoublingNote, row: PaidRow, seat: Seat, view: RoundFacts) -> PaidRow | Hold:
    """Return the row after applying the note under its table, or the reason that it is uncertain."""
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
    return Hold(f"{facts}, and whether {row.when} is then paid double is undecided", note.clause)
