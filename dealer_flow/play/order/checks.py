"""All checks on a single report, by the names that the rules in `order.py` use.

Each module of this folder has those of one kind of report; `guards.py` has the conditions on the round as a whole.
"""

from typing import Final

from dealer_flow.play.order.actions import CHECKS_OF_ACTIONS
from dealer_flow.play.order.bets import CHECKS_OF_BETS
from dealer_flow.play.order.choices import CHECKS_OF_CHOICES
from dealer_flow.play.order.hands import CHECKS_OF_HANDS
from dealer_flow.play.order.rounds import CHECKS_OF_ROUND, Check
from dealer_flow.play.order.shoe import CHECKS_OF_SHOE

CHECKS: Final[dict[str, Check]] = {
    **CHECKS_OF_ROUND,
    **CHECKS_OF_BETS,
    **CHECKS_OF_ACTIONS,
    **CHECKS_OF_CHOICES,
    **CHECKS_OF_HANDS,
    **CHECKS_OF_SHOE,
}
"""Checks on a report by name: true if the report is allowed. `incidents.toml` has the sentence for each that fails."""
