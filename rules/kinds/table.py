"""Bets that a table pays by one hand, whatever any other hand is."""

from dataclasses import replace

from dealer_flow.record.result import Seat
from protocol.cards import spell_cards
from rules.facts.held import Hold
from rules.facts.line import Staked
from rules.facts.seen import View
from rules.game.bet_terms import Doubled
from rules.game.paytable import PaidRow
from rules.game.schema import BaseBet, TableBet
from rules.settlement import SettlementLine


def resolve(bet: BaseBet, staked: Staked, seat: Seat, view: View) -> SettlementLine | None:
    """Paid by the best row the hand qualifies for; a pay on another bet's stake has no line when there is none."""
    name = staked.of.hand
    hand = view.hand(name, seat)
    if isinstance(hand, str):
        return staked.held(Hold(hand, bet.clauses.win))
    rows, paytable = staked.of.rows, staked.of.paytable
    assert rows is not None, "a bet of this kind has a table"
    row = rows[hand.key]
    if row is not None and isinstance(bet, TableBet) and bet.doubled and paytable in bet.doubled.tables:
        changed = _doubled(bet.doubled, row, seat, view)
        if isinstance(changed, Hold):
            return staked.held(changed)
        row = changed
    if row is not None:
        cards = " ".join(spell_cards(known)) if not isinstance(known := view.cards(name, seat), str) else known
        return staked.won(f"{row.when} in {cards}", row, paytable)
    if not staked.of.own:
        return None
    of_dealer = "the dealer's " if view.terms.hands[name].of_dealer else ""
    return staked.lose(f"{of_dealer}{hand.text} has no row in {paytable}", staked.of.lost, paytable)


def _doubled(note: Doubled, row: PaidRow, seat: Seat, view: View) -> PaidRow | Hold:
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
