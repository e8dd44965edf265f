"""A hand at a whole table: `HandTable` with the settlements, awards and views that result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from dealwire.hub.view import TableView
from dealwire.table.table import Table, TableOutcome, TableTerms
from dealwire.table.viewer import Viewer
from devices.events import LinkUp, Seen
from rules.game.load import load_game_of
from rules.meters.award_record import AwardRecord
from rules.settlement import Settlement
from tests.support.dealing.hand_table import HandTable


class SettlingTable(HandTable):
    """A table of a game whose procedure has the same id, on `terms`, under a viewer. `outcomes` are all results of the
    reports; `keep` gets every report with the view after it. Devices that are `linked` identify themselves first."""

    def __init__(
        self,
        procedure: str,
        terms: dict[str, Any] | None = None,
        *,
        name: str = "table-1",
        seats: int | None = None,
        linked: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__(procedure, filled=False, **options)
        self.options = dict(self.flow.plan.options)
        self.given = terms or {}
        self.table = self.made()
        self.flow = self.table.flow
        self.viewer = Viewer(self.table, name, seats=seats)
        self.outcomes: list[TableOutcome] = []
        self.keep: Callable[[Seen, TableView], None] | None = None
        for number, device in enumerate(linked, 1):
            self.see(device, LinkUp(number, device, "maker", "model", "1", "1.0", False, False), numbered=False)
        self.fresh_deck(self.deck)

    def made(self) -> Table:
        """Return another table with the same settings."""
        game = load_game_of(self.procedure.id, self.options)
        given = {name: dict(each) if isinstance(each, dict) else each for name, each in self.given.items()}
        return Table(self.procedure, TableTerms(game, **given), options=self.options)

    def hear(self, seen: Seen) -> Sequence[object]:
        """Return the table's answers to a report."""
        found = self.table.handle(seen)
        self.viewer.update(seen, found)
        self.outcomes += found
        if self.keep is not None:
            self.keep(seen, self.view)
        return found

    @property
    def terms(self) -> TableTerms:
        """Terms of the table, with its meters and runners as they are now."""
        assert self.table.terms is not None
        return self.table.terms

    @property
    def settlements(self) -> list[Settlement]:
        """Return the settlement of each round so far."""
        return [item for item in self.outcomes if isinstance(item, Settlement)]

    @property
    def awards(self) -> list[AwardRecord]:
        """Return the results of progressive awards and jackpots so far."""
        return [item for item in self.outcomes if isinstance(item, AwardRecord)]

    @property
    def view(self) -> TableView:
        """Return the view that a person has now."""
        return self.viewer.view(self.now_ns // 1_000_000_000 % 1_000_000, self.now_ns)
