"""Every condition of a single report, by the name that the rules of `order.py` give it.

Each module beside this one has those of one kind of report; `guards.py` asks what the round as a whole waits for.
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
"""Checks of a report by their name: true when it may be. `incidents.toml` has the words of each that does not hold."""
