"""Holds for hands that may have folded: every bet that depends on the fold is held."""

from collections.abc import Mapping, Set

from dealer_flow.procedure.law import Law
from dealer_flow.record.result import Seat
from rules.bets.bet import Bet
from rules.bets.hold import Hold
from rules.facts.held import fold_doubt
from rules.facts.terms import Terms


def in_doubt(seat: Seat, terms: Terms, holds: Mapping[str, Hold], folds: Set[str], law: Law | None) -> dict[str, Hold]:
    """Return the `holds` of a seat and those that an uncertain fold adds, in a round whose choices were made.

    `folds` are the choices that give up a hand. The doubt counts in addition to any other hold. It does not affect a
    bet that stands regardless of its player's choice, nor the tip with such a bet.
    """
    game, found = terms.game, dict(holds)
    doubt = fold_doubt(seat, game, law) or _chose_to_fold(seat, terms, folds)
    if doubt is None:
        return found
    for bet in game.bets.values():
        if goes_by_fold(bet) and seat.wagers.get(bet.name):
            found[bet.name] = found[bet.name].joined(doubt) if bet.name in found else doubt
    for bet in game.bets.values():
        if bet.tip_for in found and seat.wagers.get(bet.name):
            found.setdefault(bet.name, found[bet.tip_for])
    return found


def goes_by_fold(bet: Bet) -> bool:
    """True if a fold affects this bet; a pot goes to the hands that did not fold."""
    open_row = any(row.fold not in (None, "stands") for row in bet.other_bet_rows)
    return bet.fold != "stands" or open_row or bet.kind == "to-pot"


def _chose_to_fold(seat: Seat, terms: Terms, folds: Set[str]) -> Hold | None:
    """Return the hold of a hand that plays although its player chose to fold."""
    if seat.status != "live" or seat.decision not in folds:
        return None
    clause = next((bet.clauses.fold for bet in terms.game.bets.values() if bet.fold == "lose"), None)
    if clause is None:
        return None
    return Hold(f"seat {seat.seat} chose {seat.decision} and is live", clause, fold_in_doubt=True)
