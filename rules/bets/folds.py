"""What folding does to a bet, as its file and the readings in use have it for a seat."""

from dealer_flow.record.result import Seat
from rules.bets.bet import Agreed, Bet
from rules.bets.hold import Hold


def fold_of(of: Agreed, seat: Seat) -> tuple[str, str]:
    """What folding does to the bet of this seat, and by which clause."""
    for row in of.beside_others:
        if row.fold is not None and seat.wagers.get(row.made):
            return row.fold, row.clause
    return of.fold, of.bet.clauses.fold


def left_to_a_person(bet: Bet, clause: str) -> Hold:
    """Why a bet waits whose hand folded, where nobody has said what a fold does to it."""
    return Hold(f"folded, and whether {bet.name} is still decided by its cards a person says", clause)
