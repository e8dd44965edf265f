"""A hand at a table that settles: what `HandTable` plays, with the settlements, awards and states that come of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dealer_flow.play.flow import DealerFlow
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.table.table import Table, TableTerms
from devices.events import Seen
from rules.award_record import AwardRecord
from rules.game import load_game_of
from rules.settlement import Settlement
from tests.support.dealing.hand_table import HandTable


class SettlingFlow:
    """Stands where a hand's flow stands, and gives every report to the table."""

    def __init__(self, table: Table, seen: Callable[[Seen], None]) -> None:
        self.table, self._seen = table, seen
        self.settlements: list[Settlement] = []
        self.awards: list[AwardRecord] = []

    def handle(self, seen: Seen) -> list[RoundResult | Incident]:
        """What the table's flow makes of a report; the rest is kept."""
        found = self.table.handle(seen)
        self._seen(seen)
        self.settlements += [item for item in found if isinstance(item, Settlement)]
        self.awards += [item for item in found if isinstance(item, AwardRecord)]
        return [item for item in found if isinstance(item, RoundResult | Incident)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table.flow, name)


class TableHand(HandTable):
    """A table of a game whose procedure has the same id; `seen` are its reports so far."""

    def __init__(self, procedure: str, terms: dict[str, Any] | None = None, **options: Any) -> None:
        super().__init__(procedure, filled=False, **options)
        self.options = dict(self.flow.plan.options)
        self.given = terms or {}
        self.seen: list[Seen] = []
        self.at = SettlingFlow(self.made(), self.seen.append)
        self.flow: DealerFlow = self.at  # type: ignore[assignment]
        self.fresh_deck(self.deck)

    def made(self) -> Table:
        """A table of the same settings."""
        game = load_game_of(self.procedure.id, self.options)
        given = {name: dict(each) if isinstance(each, dict) else each for name, each in self.given.items()}
        return Table(self.procedure, TableTerms(game, **given), options=self.options)

    @property
    def terms(self) -> TableTerms:
        """Where meters and runners stand."""
        assert self.at.table.terms is not None
        return self.at.table.terms
