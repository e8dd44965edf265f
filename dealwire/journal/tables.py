"""A table of the service: it settles a round once, shows what it saw, and has written down what it settled.

It is told which rounds were settled before, and knows neither the file that says so nor how it came to be.
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
    """A table of the service. It settles a round once, while it runs and before it began."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.newly_held: list[SettledKey] = []
        """Rounds of which all is held because another had their number, for whoever writes them down."""
        self.remember(SettledInMemory())

    def remember(self, rounds: SettledRounds) -> None:
        """Keep the settled rounds here from now on; what was kept is not carried over."""
        self._once = rounds
        if self._awards is not None:
            self._awards.settled = rounds

    def _settle(self, result: RoundResult, terms: TableTerms) -> list[TableOutcome]:
        """A round is settled once, however often it is heard: a device that was asked anew sends it again, or somebody
        plays old bytes again."""
        origin = self.flow.origins.pop(0)
        own, unnamed = keys_of(origin)
        if any(found.code == "round-number-again" for found in result.incidents):
            self.newly_held.append(own)
            return super()._settle(result, terms)  # another round under the same number: it is held, and not that one
        known = self._once.known(own) or self._once.known(unnamed)
        elsewhere = "" if known or not _names_device(origin) else self._once.elsewhere(own)
        if known or elsewhere:
            repeated = result.repeated(elsewhere)
            self.incidents[repeated.code] += 1
            return [repeated]
        self._once.add(own)
        return super()._settle(result, terms)


def keys_of(origin: RoundOrigin) -> tuple[SettledKey, SettledKey]:
    """The round as it is remembered, and as it would be if its devices had not said who they are. Where no card was
    dealt, and so no session is known, the controller's tells it."""
    session = f"{origin.controller_session:08x}"
    dealing = f"{origin.session:08x}"
    own = f"{origin.dealing} {origin.controller} {session}"
    return SettledKey(own, dealing, origin.number), SettledKey(f"  {session}", dealing, origin.number)


def _names_device(origin: RoundOrigin) -> bool:
    """Whether a round tells the device that dealt it, and its session, from all others in the house."""
    return bool(origin.session and origin.dealing.rpartition("/")[2])


class JournaledPublisher(Publisher):
    """A table of the service with what it shows."""

    table: JournaledTable

    def __init__(
        self, table: JournaledTable, name: str, seats: int | None, rounds: JournaledRounds | None = None
    ) -> None:
        super().__init__(table)
        self.viewer = Viewer(table, name, seats=seats)
        self.rounds = rounds
        self.dealt_again = True
        """True while reports come from the record: then nobody else informs the viewer."""

    def publish(self, seen: Seen) -> list[PublishedLine]:
        """As of any publisher; one that is dealt again shows what it saw itself."""
        lines = super().publish(seen)
        if self.dealt_again:
            self.viewer.saw(seen, outcomes_of(lines))
        return lines

    def release(self, readings: Iterable[str]) -> frozenset[str]:
        """What these readings decided was settled by hand; those of them that waited are let pass from the next
        snapshot on."""
        return self.table.terms.release(readings) if self.table.terms is not None else frozenset()

    def keep(self) -> None:
        """It was written down as it stands: what was released passes."""
        if (terms := self.table.terms) is not None and terms.released:
            terms.allow(terms.allowed | terms.released)

    def state(self) -> PublisherState | None:
        """Table and view between two rounds; None while one is under way."""
        table = self.table.state()
        return PublisherState(table, self.viewer.state()) if table is not None else None

    @property
    def bank_state(self) -> BankState | None:
        """Where the meters stand that it shares with other tables; None when it shares none."""
        bank = self.table.terms.shared if self.table.terms is not None else None
        return bank.state() if bank is not None else None

    def restore(self, state: PublisherState) -> None:
        """Go on as the publisher did that gave this state. It must be made of the same start."""
        self.table.restore(state.table)
        self.viewer.restore(state.viewer)


def write_settled(journal: Journal, name: str, publisher: JournaledPublisher, at_ns: int) -> None:
    """Write down which rounds a table settled just now."""
    if publisher.rounds is not None:
        for key in publisher.rounds.newly_settled:
            journal.settled(name, at_ns, key)
        publisher.rounds.newly_settled.clear()
        for key in publisher.table.newly_held:
            journal.holds(name, at_ns, key)
        publisher.table.newly_held.clear()


def meters_differ(book: MeterBook, publisher: JournaledPublisher, name: str) -> str | None:
    """Where a table's meters do not stand where the journal's newest records say, in words; None where they do."""
    table = publisher.table
    shared = table.terms.shared.meters() if table.terms is not None and table.terms.shared is not None else {}
    found = (book.stands(SHARED if each in shared else name, each, cents) for each, cents in table.meters.items())
    return next((f"table {name}: {why}" for why in found if why is not None), None)
