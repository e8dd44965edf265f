"""The tables of a service, made from their settings: at the start, and again from what the journal says of a start.

A journal holds each table's settings as they were, and what decides its results and stands elsewhere: the hashes of
procedure and game, where the meters stood, which rounds were settled. So the record of a year ago gives today what it
gave then, or says which file has changed since.
"""

import hashlib
import json
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from dealer_flow.play.reports.sessions import RoundOrigin
from dealer_flow.record.result import RoundResult
from dealwire.config.build import Banks, build_table
from dealwire.config.schema import RakePart, TablePart
from dealwire.journal.books import ERA, Books, era_of
from dealwire.journal.contents import TableSnapshot, TableStart
from dealwire.journal.derived import NOBODY, SHARED
from dealwire.journal.journal import Journal
from dealwire.journal.reader import MANY, JournalReader
from dealwire.journal.records import OPENED, JournalRecord
from dealwire.journal.snapshots import Kept
from dealwire.table.redaction import PublishedLine, PublishedTable, Publisher, outcomes_of
from dealwire.table.state import PublisherState
from dealwire.table.table import TableOutcome, TableTerms
from dealwire.table.viewer import Viewer
from devices.events import Seen
from protocol.errors import DealwireError
from rules.meters.bank import BankState, MeterBank, MeterRecord
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.settled_rounds import RoundRuns, SettledInMemory, SettledKey, SettledRounds
from rules.meters.setup import load_setup
from rules.settlement import Rolled


class SettingsChanged(DealwireError):
    """A file that a table's record rests on is not what it was."""

    def __init__(self, table: str, what: str, then: str, now: str) -> None:
        self.table, self.what, self.then, self.now = table, what, then, now
        super().__init__(
            f"table {table}: the {what} is not the one it began with ({then[:12]}, now {now[:12]}); "
            "put the file back, or let the table begin anew with --anew"
        )


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
        self, table: JournaledTable, name: str, seats: int | None, rounds: "JournaledRounds | None" = None
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


class AllRounds:
    """What all tables that are dealt together have settled since, by (device, session) and table. `known`: the record
    is of a version by which no round is settled at two tables."""

    def __init__(self) -> None:
        self.tables: dict[tuple[str, str], dict[str, RoundRuns]] = {}
        self.known = True


class JournaledRounds:
    """Which rounds of a table were settled by now, while it is dealt from the journal or live: those that its tables
    hold, without those that come later in the record than where the dealing began, and those settled since. `others`
    are those of all tables that are dealt beside it: what one has settled no other settles."""

    def __init__(self, reader: JournalReader, table: str, since: int, others: "AllRounds") -> None:
        self._reader, self._table, self._others = reader, table, others
        self._books: Books | None = None
        self._elsewhere: dict[tuple[str, str], list[tuple[str, int, int]]] = {}
        self._later, self._added = RoundRuns(), RoundRuns()
        self._before: dict[tuple[str, str], list[tuple[int, int]]] = {}
        """Of each device and session that was asked for, what its tables held then: a result waits for no look-up."""
        self.newly_settled: list[SettledKey] = []
        """Those added since this was emptied last, for whoever writes them down."""
        for key in reader.settled(since, table):
            self._later.add(key)

    def go_by(self, books: Books) -> None:
        """What was settled stands in these books from now on: the file, which others can write, is not asked again."""
        self._books = books
        self._before.clear()
        self._elsewhere.clear()

    def known(self, key: SettledKey) -> bool:
        """Whether this round was settled."""
        if key in self._added:
            return True
        if key in self._later or key._replace(device=NOBODY) in self._later:
            return False
        runs = self._before.get(key[:2])
        if runs is None:
            runs = self._before[key[:2]] = self._runs(key)
        return any(first <= key.round <= last for first, last in runs)

    def elsewhere(self, key: SettledKey) -> str:
        """The other table at which this round was settled; empty where none did. A journal that an older version wrote
        knows of none."""
        if not self._others.known:
            return ""
        dealt = self._others.tables.get(key[:2], {})
        for table, runs in dealt.items():
            if table != self._table and key in runs:
                return table
        rows = self._elsewhere.get(key[:2])
        if rows is None:
            rows = self._elsewhere[key[:2]] = self._runs_elsewhere(key)
        return next((table for table, first, last in rows if first <= key.round <= last), "")

    def _runs(self, key: SettledKey) -> list[tuple[int, int]]:
        if self._books is None:
            return self._reader.runs_settled(self._table, key.device, key.session)
        return [run for device in (key.device, NOBODY) for run in self._books.runs(device, key.session, self._table)]

    def _runs_elsewhere(self, key: SettledKey) -> list[tuple[str, int, int]]:
        if self._books is None:
            return self._reader.runs_elsewhere(self._table, key.device, key.session)
        others = self._books.settled.get(key[:2], {}).keys() - {self._table}
        return [(table, *run) for table in sorted(others) for run in self._books.runs(*key[:2], table)]

    def add(self, key: SettledKey) -> None:
        """It is settled now."""
        self._added.add(key)
        self._others.tables.setdefault(key[:2], {}).setdefault(self._table, RoundRuns()).add(key)
        self.newly_settled.append(key)


class TableFactory:
    """Makes tables, and keeps the meters that several share. `journal` is where those of before are looked up; `still`
    as for a `JournalReader`. Use it as a context manager, or `close` it when the tables it made are dealt no more."""

    def __init__(self, journal: Path, *, still: bool = False) -> None:
        self._journal, self._still = journal, still
        self._banks = Banks()
        self._restored: set[Path] = set()
        self._rounds: dict[str, JournaledRounds] = {}
        self._all = AllRounds()
        self._stack = ExitStack()
        self._open: JournalReader | None = None

    def close(self) -> None:
        """Give the journal back."""
        self._stack.close()

    def __enter__(self) -> "TableFactory":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, start: TableStart) -> JournaledPublisher:
        """The table as it began. SettingsChanged when a file it rests on is another now."""
        part = TablePart.model_validate_json(start.configuration)
        self._restore(part, start.sequence)
        return self._make(start, part, start.sequence)

    def adopt(self, snapshot: TableSnapshot, kept: Kept) -> JournaledPublisher:
        """The table as it stood. SettingsChanged as when it begins."""
        part = TablePart.model_validate_json(snapshot.start.configuration)
        self._put_back(part, kept.bank)
        publisher = self._make(snapshot.start, part, snapshot.sequence)
        viewer = replace(kept.viewer, safe_stop=None) if kept.viewer is not None else publisher.viewer.state()
        publisher.restore(PublisherState(kept.table, viewer))
        return publisher

    def passed_over(self, record: JournalRecord) -> None:
        """A step of a meter that a table made which is adopted further on, or which runs no more; or an opening."""
        if record.kind == OPENED:
            self._all.known = era_of(record) >= ERA
        if record.kind == "meter":
            step = MeterRecord.from_json(record.text)
            for bank in self._banks.all():
                if step.meter in bank.meters():
                    bank.follow(step)

    def facts(self, part: TablePart) -> dict[str, Any]:
        """What decides the results of a table that begins now, besides its settings."""
        self._restore(part, MANY)
        table = build_table(part, self._banks, JournaledTable)
        found: dict[str, Any] = {"files": files_of(table), "meters": {}}
        if part.progressive is None:
            found["meters"] = self._own_meters(part, table)
        if table.terms is not None and table.terms.game.spec.pool is not None:
            found["runners"] = {str(seat): number for seat, number in self._reader.own_runners(part.name).items()}
        rolled = {name: each for name, each in self._reader.own_rolled(part.name).items() if name in found["meters"]}
        return found | ({"rolled": rolled} if rolled else {})

    def _own_meters(self, part: TablePart, table: PublishedTable) -> dict[str, int]:
        """Where a table's own meters stand; what it shared with others under its settings of before is not among
        them."""
        meters, terms = dict(part.meters), table.terms
        for name, cents in self._reader.own_meters(part.name).items():
            if terms is not None and (
                name not in terms.game.meters() or (terms.jackpot and name in terms.jackpot.posted)
            ):
                continue
            if cents is None:  # paid out in full and the seed is not known
                meters.pop(name, None)
            else:
                meters[name] = cents
        return meters

    @property
    def _reader(self) -> JournalReader:
        if self._open is None:
            self._open = self._stack.enter_context(JournalReader(self._journal, still=self._still))
        return self._open

    def _make(self, start: TableStart, part: TablePart, since: int) -> JournaledPublisher:
        part = part.model_copy(update={"meters": start.facts.get("meters", {})})
        table = build_table(part, self._banks, JournaledTable, names_edition=named_edition(start))
        if table.terms is not None:
            runners = {int(seat): number for seat, number in start.facts.get("runners", {}).items()}
            table.terms.stand(table.terms.meters, runners)
            table.terms.rolled = msgspec.convert(start.facts.get("rolled", {}), dict[str, Rolled])
        self._all.known = self._reader.era_at(since) >= ERA
        if part.name not in self._rounds:
            self._rounds[part.name] = JournaledRounds(self._reader, part.name, since, self._all)
        table.remember(self._rounds[part.name])
        for what, then in start.facts.get("files", {}).items():
            now = files_of(table).get(what, "")
            if now != then:
                raise SettingsChanged(part.name, what, then, now)
        return JournaledPublisher(table, part.name, part.seats, self._rounds[part.name])

    def _restore(self, part: TablePart, before: int) -> None:
        """The meters and pools that a table shares, as the records before number `before` left them; as they are, when
        in use."""
        if part.progressive is not None and self._newly(part.progressive):
            loaded = load_setup(part.progressive)
            newest = self._newest([meter.name for meter in loaded.meters], before)
            self._banks.put(part.progressive, MeterBank.resume(loaded, newest))
        if part.jackpot is not None and self._newly(part.jackpot):
            jackpot = load_jackpot(part.jackpot)
            newest = self._newest([pool.name for pool in jackpot.pools], before)
            self._banks.put_jackpot(part.jackpot, JackpotBook.resume(jackpot, newest))

    def _put_back(self, part: TablePart, state: BankState | None) -> None:
        """The meters or pools that a table shares, where its snapshot has them; as they are, when in use."""
        if state is None:
            return
        if part.progressive is not None and self._newly(part.progressive):
            bank = MeterBank(load_setup(part.progressive))
            bank.put_back(state)
            self._banks.put(part.progressive, bank)
        if part.jackpot is not None and self._newly(part.jackpot):
            book = JackpotBook(load_jackpot(part.jackpot))
            book.bank.put_back(state)
            self._banks.put_jackpot(part.jackpot, book)

    def _newly(self, setup: Path) -> bool:
        """Whether the meters of a file are not in use yet; they are from here on."""
        new = setup.resolve() not in self._restored
        self._restored.add(setup.resolve())
        return new

    def _newest(self, names: list[str], before: int) -> dict[str, MeterRecord]:
        newest = self._reader.newest_meters(names, before)
        return {name: MeterRecord.from_json(line) for name, line in newest.items()}


def configuration_of(part: TablePart) -> str:
    """A table's settings as the journal keeps them: those that decide what comes of it."""
    content = part.model_dump(mode="json", by_alias=True)
    for device in content["device"]:
        del device["max-bytes-per-s"]
        if device["pin"] is None:  # as it stood before a line could be pinned: a table without pins goes on
            del device["pin"]
    if part.rake == RakePart():  # likewise before a house could take one
        del content["rake"]
    for name in ("jackpot", "edition"):  # likewise before they could be named
        if content[name] is None:
            del content[name]
    return json.dumps(content, sort_keys=True)


def named_edition(start: TableStart) -> bool:
    """Whether the rounds of a table name the edition of the law: those of one that began before editions had files do
    not."""
    return "edition" in start.facts.get("files", {})


def edition_in(start: TableStart) -> str | None:
    """The edition of the law that a table's settings named; None where they named none."""
    try:
        named = json.loads(start.configuration).get("edition")
    except (ValueError, AttributeError):  # another program's table has settings of its own
        return None
    return named if isinstance(named, str) else None


def meters_differ(books: Books, publisher: JournaledPublisher, name: str) -> str | None:
    """Where a table's meters do not stand where the journal's newest records say, in words; None where they do."""
    table = publisher.table
    shared = table.terms.shared.meters() if table.terms is not None and table.terms.shared is not None else {}
    found = (books.stands(SHARED if each in shared else name, each, cents) for each, cents in table.meters.items())
    return next((f"table {name}: {why}" for why in found if why is not None), None)


def files_of(table: PublishedTable) -> dict[str, str]:
    """What a table's results rest on, by name -> SHA-256."""
    found = {"procedure": table.flow.procedure.ref().sha256}
    if table.flow.plan.edition is not None:
        found["edition"] = table.flow.plan.edition.sha256
    if table.terms is not None:
        found["game"] = table.terms.game.sha256
        if table.terms.bank is not None:
            found["progressive"] = hashlib.sha256(repr(table.terms.bank.setup).encode()).hexdigest()
        if table.terms.jackpot is not None:
            found["jackpot"] = hashlib.sha256(repr(table.terms.jackpot.setup).encode()).hexdigest()
    return found


def write_settled(journal: Journal, name: str, publisher: JournaledPublisher, at_ns: int) -> None:
    """Write down which rounds a table settled just now."""
    if publisher.rounds is not None:
        for key in publisher.rounds.newly_settled:
            journal.settled(name, at_ns, key)
        publisher.rounds.newly_settled.clear()
        for key in publisher.table.newly_held:
            journal.holds(name, at_ns, key)
        publisher.table.newly_held.clear()
