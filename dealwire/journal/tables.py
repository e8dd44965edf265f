"""A table of the service: it settles each round once, shows what it saw, and lists what it settled for the journal.

It is given the rounds settled before, and knows nothing of the file behind them.
"""

from collections.abc import Iterable
from typing import Any

from dealer_flow.play.reports.sessions import RoundOrigin
from dealer_flow.record.result import RoundResult
from dealwire.journal.derived import SHARED
from dealwire.journal.journal import Journal
from dealwire.journal.known_rounds import JournaledRounds
from dealwire.journal.meter_book import MeterBook
from dealwire.table.redaction import PublishedLine, PublishedTable, Publisher, outcomes_of
from dealwire.table.state import PublisherState
from dealwire.table.table import TableOutcome, TableTerms
from dealwire.table.viewer import Viewer
from devices.events import Seen
from rules.meters.bank import BankState
from rules.meters.settled_rounds import SettledInMemory, SettledKey, SettledRounds


class JournaledTable(PublishedTable):
    """A table of the service. It settles each round once, over its whole life."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.newly_held: list[SettledKey] = []
        """Rounds held completely because their number was taken, for the writer."""
        self.remember(SettledInMemory())

    def remember(self, rounds: SettledRounds) -> None:
        """Use this store of settled rounds from now on; earlier content is not carried over."""
        self._once = rounds
        if self._awards is not None:
            self._awards.settled = rounds

    def _settle(self, result: RoundResult, terms: TableTerms) -> list[TableOutcome]:
        """Settle a round once, however often it is reported: a device may send it again on request, and old bytes may
        be played again."""
        origin = self.flow.origins.pop(0)
        own, unnamed = keys_of(origin)
        if any(found.code == "round-number-again" for found in result.incidents):
            self.newly_held.append(own)
            return super()._settle(
                result, terms
            )  # another round under the same number: it is held and does not count as the first
        known = self._once.known(own) or self._once.known(unnamed)
        elsewhere = "" if known or not _names_device(origin) else self._once.elsewhere(own)
        if known or elsewhere:
            repeated = result.repeated(elsewhere)
            self.incidents[repeated.code] += 1
            return [repeated]
        self._once.add(own)
        return super()._settle(result, terms)


def keys_of(origin: RoundOrigin) -> tuple[SettledKey, SettledKey]:
    """Return the round's key, and the key it would have if its devices had not identified themselves. Without a card
    dealt, and so without a session, the controller's session identifies it."""
    session = f"{origin.controller_session:08x}"
    dealing = f"{origin.session:08x}"
    own = f"{origin.dealing} {origin.controller} {session}"
    return SettledKey(own, dealing, origin.number), SettledKey(f"  {session}", dealing, origin.number)


def _names_device(origin: RoundOrigin) -> bool:
    """True if a round identifies its dealing device and session among all in the house."""
    return bool(origin.session and origin.dealing.rpartition("/")[2])


class JournaledPublisher(Publisher):
    """A table of the service with its view."""

    table: JournaledTable

    def __init__(
        self, table: JournaledTable, name: str, seats: int | None, rounds: JournaledRounds | None = None
    ) -> None:
        super().__init__(table)
        self.viewer = Viewer(table, name, seats=seats)
        self.rounds = rounds
        self.replaying = True
        """True while reports come from the record: then no one else updates the viewer."""

    def publish(self, seen: Seen) -> list[PublishedLine]:
        """Publish as the base class does; in a replay, also update the view."""
        lines = super().publish(seen)
        if self.replaying:
            self.viewer.update(seen, outcomes_of(lines))
        return lines

    def release(self, readings: Iterable[str]) -> frozenset[str]:
        """Release readings whose held money was settled by hand. Those that waited are allowed from the next snapshot
        on."""
        return self.table.terms.release(readings) if self.table.terms is not None else frozenset()

    def keep(self) -> None:
        """Record that the state was written: the released readings are allowed."""
        if (terms := self.table.terms) is not None and terms.released:
            terms.allow(terms.allowed | terms.released)

    def state(self) -> PublisherState | None:
        """Return table and view between two rounds; None during one."""
        table = self.table.state()
        return PublisherState(table, self.viewer.state()) if table is not None else None

    @property
    def bank_state(self) -> BankState | None:
        """State of the meters that it shares with other tables; None if it shares none."""
        bank = self.table.terms.shared if self.table.terms is not None else None
        return bank.state() if bank is not None else None

    def restore(self, state: PublisherState) -> None:
        """Restore a saved state. The publisher must be of the same start."""
        self.table.restore(state.table)
        self.viewer.restore(state.viewer)


def write_settled(journal: Journal, name: str, publisher: JournaledPublisher, at_ns: int) -> None:
    """Write the rounds that a table just settled."""
    if publisher.rounds is not None:
        for key in publisher.rounds.newly_settled:
            journal.settled(name, at_ns, key)
        publisher.rounds.newly_settled.clear()
        for key in publisher.table.newly_held:
            journal.holds(name, at_ns, key)
        publisher.table.newly_held.clear()


def meters_differ(book: MeterBook, publisher: JournaledPublisher, name: str) -> str | None:
    """Return the differences between a table's meters and the journal's newest records as text; None if they agree."""
    table = publisher.table
    shared = table.terms.shared.meters() if table.terms is not None and table.terms.shared is not None else {}
    found = (book.stands(SHARED if each in shared else name, each, cents) for each, cents in table.meters.items())
    return next((f"table {name}: {why}" for why in found if why is not None), None)
