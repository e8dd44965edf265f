"""Rounds without incident, judged whole: the flow's table flattened into one pattern of what may be reported in which
order, and the round's figures compared with what the procedure says they must be.

It is no second flow. It knows one case, the round in which everything is as it should be, and refuses every other: then
the flow itself is given the reports, one by one, from the same place. Nothing here says what anything wrong would mean.
A test holds the two equal on every recording and on thousands of rounds.
"""

from collections.abc import Callable

import devices.events as e
from dealer_flow.express_layout import Unmodelled
from dealer_flow.express_round import WholeRounds
from dealer_flow.machine import DealerFlow
from dealer_flow.result import Incident, RoundResult
from devices.events_in_bulk import BulkRound

__all__ = ["ExpressFlow", "Unmodelled"]


class ExpressFlow:
    """A flow to which rounds may be given whole; `told` gets what comes out, in order. It is a `devices.express.Desk`.

    Unmodelled when the procedure has a step that is not known here.
    """

    def __init__(self, flow: DealerFlow, told: Callable[[RoundResult | Incident], None]) -> None:
        self.taken = self.refused = 0
        """Rounds judged whole, and rounds that were not."""
        self._flow, self._told = flow, told
        self._rounds = WholeRounds(flow.plan, flow.table)

    def ignores(self, body: type[e.Body]) -> bool:
        """Reports of this class change nothing."""
        return not self._flow.concerns(body)

    @property
    def at_rest(self) -> bool:
        """Nothing is known of a round."""
        return self._flow.at_rest

    def handle(self, seen: e.Seen) -> None:
        """One report, the ordinary way."""
        for item in self._flow.handle(seen):
            self._told(item)

    def take(self, bulk: BulkRound) -> bool:
        """A whole round; False when the flow must be given its reports one by one."""
        result = self._rounds.judge(bulk, self._flow.decks)
        if result is None:
            self.refused += 1
            return False
        self.taken += 1
        self._told(result)
        return True
