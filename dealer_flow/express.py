"""Rounds without incident, judged whole: the flow's table flattened into one pattern of what may be reported in which
order, and the round's own figures compared with what the procedure says they must be.

It is no second flow. It knows one case, the round in which everything is as it should be, and refuses every other: then
the flow itself is given the reports, one by one, from the same place. A test holds the two equal on every recording and
on thousands of rounds, and this file says nothing about what anything wrong would mean.
"""

import re
from collections.abc import Callable
from typing import Any, Final

from dealer_flow.machine import DealerFlow
from dealer_flow.plan import Plan
from dealer_flow.reports import HANDLERS
from dealer_flow.result import Burn, Deck, Hand, Incident, Packet, Remainder, RoundResult, Seat
from dealer_flow.states import State
from devices import events as e
from devices.events_in_bulk import BulkRound
from protocol.cards import CARDS, UNREAD
from protocol.places import BURN, COMMUNITY, DEALER, PLACES, Place, seat

_ANY: Final = b"vs"
"""Reports that may come at any time: a deck was counted, a sensor changed."""
_OUT: Final = _ANY + b"nr"
"""And once every packet is out: hands counted, the remainder."""

_STAGES: Final = {
    State.DEALING: lambda packets, seats: b"(?:[%s]*d[%s]*l){%d}" % (_ANY, _ANY, packets),
    State.BURNING: lambda packets, seats: b"[%s]*b" % _OUT,
    State.DECIDING: lambda packets, seats: b"(?:[%sw]*c){%d}" % (_OUT, seats),
    State.REVEALING: lambda packets, seats: b"[%sw]*(?:h[%sh]*)?E" % (_OUT, _OUT),
}
"""What is reported in each stage of a round in which nothing goes wrong."""
_TEXT: Final = tuple(card.text for card in CARDS)


class Unmodelled(ValueError):
    """A procedure with something in it that this file does not know."""


def made(cls: type[Any], content: dict[str, Any]) -> Any:
    """A record of which every field is known to be right: nothing is checked again."""
    record = cls.__new__(cls)
    object.__setattr__(record, "__dict__", content)
    object.__setattr__(record, "__pydantic_fields_set__", set(content))
    object.__setattr__(record, "__pydantic_extra__", None)
    object.__setattr__(record, "__pydantic_private__", None)
    return record


class ExpressFlow:
    """A flow to which rounds may be given whole. `told` gets what comes out, in order."""

    def __init__(self, flow: DealerFlow, told: Callable[[RoundResult | Incident], None]) -> None:
        self.flow, self._told = flow, told
        self.taken = self.refused = 0
        """Rounds judged whole, and rounds that were not."""
        self._plan: Plan = flow.plan
        self._patterns: dict[int, re.Pattern[bytes]] = {}
        self._bets = {number: bet for number, bet in self._plan.bets.items()}
        self._whole = frozenset(int(card) for card in CARDS if card != UNREAD and self._plan.in_deck(card))

    def ignores(self, body: type[e.Body]) -> bool:
        """As `devices.express.Desk`."""
        return not self.flow.concerns(body)

    @property
    def at_rest(self) -> bool:
        """As `devices.express.Desk`."""
        return self.flow.at_rest

    def handle(self, seen: e.Seen) -> None:
        """As `devices.express.Desk`."""
        for item in self.flow.handle(seen):
            self._told(item)

    def take(self, bulk: BulkRound) -> bool:
        """As `devices.express.Desk`."""
        result = self._judge(bulk)
        if result is None:
            self.refused += 1
            return False
        self.taken += 1
        self._told(result)
        return True

    # ------------------------------------------------------------------ the judgement

    def _judge(self, bulk: BulkRound) -> RoundResult | None:
        plan = self._plan
        if len(bulk.started) != 1 or bulk.started != bulk.ended or len(bulk.dumped) != 1 or len(bulk.burns) != 1:
            return None
        before = bulk.order.count(b"w", 0, bulk.order.find(b"S"))
        wagers = self._wagers(bulk.wagers[:before])
        if wagers is None:
            return None
        active = tuple(sorted(wagers))
        pattern = self._patterns.get(len(active)) or self._pattern(len(active))
        if pattern.fullmatch(bulk.order) is None:
            return None
        decisions = self._choices(bulk, active, wagers, bulk.wagers[before:])
        if decisions is None:
            return None
        ...
        return None
