"""A wager that lies in a pot, where the round says that it was settled and no pot was taken in: nobody can say whose it
is, because a pot is settled as a whole (`rules.pot_kinds`)."""

from typing import Any

from dealer_flow.record.result import Seat
from rules.checks import Hold
from rules.lines import Staked
from rules.settlement import SettlementLine
from rules.view import View


def resolve(bet: Any, staked: Staked, _seat: Seat, view: View) -> SettlementLine:
    """The line of such a wager: held."""
    spec = view.terms.game.spec.pot
    clause = spec.clauses.taken if spec is not None else bet.clauses.lose
    return staked.held(Hold(f"the round says that {bet.name} was settled, and no pot was taken in", clause))
