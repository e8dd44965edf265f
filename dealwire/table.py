"""One table: what its devices report goes in, incidents, rounds and settlements come out.

The same object serves an attached device and a recording, so the two cannot drift apart.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from dealer_flow.machine import DealerFlow
from dealer_flow.procedure import Procedure
from dealer_flow.result import Incident, RoundResult
from devices.events import Seen
from rules.game import Game
from rules.settle import settle
from rules.settlement import Settlement

Outcome = Incident | RoundResult | Settlement


@dataclass
class Terms:
    """How a table settles: the game's file, a pay table by bet, a reading by name, and where its meters stand.

    `meters` are the progressive meters in cents, by name; each settlement moves them on.
    """

    game: Game
    paytables: Mapping[str, str] = field(default_factory=dict)
    readings: Mapping[str, str] = field(default_factory=dict)
    meters: dict[str, int] = field(default_factory=dict)
    token_cents: int = 25
    envy_base_cents: int = 100

    def settle(self, result: RoundResult) -> Settlement:
        """Settle one round; SettlementRefused when the terms do not fit the game."""
        settlement = settle(
            result,
            self.game,
            paytables=self.paytables,
            readings=self.readings,
            token_cents=self.token_cents,
            envy_base_cents=self.envy_base_cents,
            meters=self.meters,
        )
        for meter in settlement.meters:
            if meter.after is None:  # paid out in full and the seed is not known: nor is the meter from here on
                self.meters.pop(meter.name, None)
            else:
                self.meters[meter.name] = meter.after
        return settlement


class Table:
    """Deals and settles. `terms` None deals without settling; `outcomes` and `incidents` count what came out."""

    def __init__(self, procedure: Procedure, terms: Terms | None, *, name: str = "table-1") -> None:
        self.flow = DealerFlow(procedure, table=name)
        self._terms = terms
        self.outcomes: Counter[str] = Counter()
        self.incidents: Counter[str] = Counter()

    def handle(self, seen: Seen) -> list[Outcome]:
        """Take one report; return what it led to, in order: a round is followed by its settlement."""
        found = self.flow.handle(seen)
        return self._settled(found) if found else []

    def finish(self) -> list[Outcome]:
        """End of input: a round that was under way comes out as unreliable. Another input may follow."""
        return self._settled(self.flow.finish())

    def _settled(self, found: list[RoundResult | Incident] | list[RoundResult]) -> list[Outcome]:
        out: list[Outcome] = []
        for item in found:
            out.append(item)
            if isinstance(item, Incident):
                self.incidents[item.code] += 1
                continue
            self.outcomes[item.outcome] += 1
            if self._terms is not None:
                out.append(self._terms.settle(item))
        return out
