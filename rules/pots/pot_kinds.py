"""Choice of the rule for a game's pot: divided into side pots, matched to the winner's bet, or rolling over."""

from collections.abc import Sequence

from dealer_flow.record.result import Seat
from rules.facts.seen import View
from rules.pots.main import Holds, TablePots, kept_when_defective, table_pots
from rules.pots.matched import matched_pot
from rules.pots.rolling import rolling_pot


def any_pots(view: View, seats: Sequence[Seat], holds: Holds) -> TablePots | None:
    """Return the pots of a round that was played out, or whose pots were taken in before its deck was found defective.
    None if the game has no pot or the round is void."""
    spec = view.terms.game.spec.pot
    if spec is None or not (view.result.outcome == "complete" or kept_when_defective(view.result)):
        return None
    if spec.rolls is not None:
        return rolling_pot(view, seats, holds, spec, spec.rolls)
    if spec.matched is not None:
        return matched_pot(view, seats, holds, spec, spec.matched)
    return table_pots(view, seats, holds, spec)
