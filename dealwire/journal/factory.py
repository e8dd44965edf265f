"""Builds the tables of a service at a start, and again from a start or snapshot in the journal.

A journal keeps each table's settings, and whatever else decides its results: hashes of procedure and game, meters,
settled rounds. So a record of a year ago gives today the result it gave then, or an error names the file that changed.
The journal is only read here.
"""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from dealwire.config.build import Banks, build_table
from dealwire.config.table_parts import TablePart
from dealwire.journal.book_tables import BookTables
from dealwire.journal.books import ERA, era_of
from dealwire.journal.contents import TableSnapshot, TableStart
from dealwire.journal.known_rounds import AllRounds, JournaledRounds
from dealwire.journal.reader import JournalReader
from dealwire.journal.record_file import MANY
from dealwire.journal.records import OPENED, JournalRecord
from dealwire.journal.settings import SettingsChanged, files_of, named_edition
from dealwire.journal.snapshots import Kept
from dealwire.journal.tables import JournaledPublisher, JournaledTable
from dealwire.table.redaction import PublishedTable
from dealwire.table.state import PublisherState
from rules.meters.bank import BankState, MeterBank, MeterRecord
from rules.meters.jackpot_book import JackpotBook
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import load_setup
from rules.settlement import Rolled


class TableFactory:
    """Builds tables and keeps their shared meters.

    `journal` is where earlier state is looked up; `still` as for a `JournalReader`. Use it as a context manager, or
    `close` it when its tables are no longer in use.
    """

    def __init__(self, journal: Path, *, still: bool = False) -> None:
        self._journal, self._still = journal, still
        self._banks = Banks()
        self._restored: set[Path] = set()
        self._rounds: dict[str, JournaledRounds] = {}
        self._all = AllRounds()
        self._stack = ExitStack()
        self._open: JournalReader | None = None

    def close(self) -> None:
        """Close the journal."""
        self._stack.close()

    def __enter__(self) -> "TableFactory":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, start: TableStart) -> JournaledPublisher:
        """Return the table as it began. SettingsChanged if a file it depends on has changed."""
        part = TablePart.model_validate_json(start.configuration)
        self._restore(part, start.sequence)
        return self._make(start, part, start.sequence)

    def adopt(self, snapshot: TableSnapshot, kept: Kept) -> JournaledPublisher:
        """Return the table as of a snapshot. SettingsChanged as for a start."""
        part = TablePart.model_validate_json(snapshot.start.configuration)
        self._put_back(part, kept.bank)
        publisher = self._make(snapshot.start, part, snapshot.sequence)
        viewer = replace(kept.viewer, safe_stop=None) if kept.viewer is not None else publisher.viewer.state()
        publisher.restore(PublisherState(kept.table, viewer))
        return publisher

    def skipped(self, record: JournalRecord) -> None:
        """Take a record of a table that is adopted later or no longer runs: a step of a shared meter, or an opening."""
        if record.kind == OPENED:
            self._all.known = era_of(record) >= ERA
        if record.kind == "meter":
            step = MeterRecord.from_json(record.text)
            for bank in self._banks.all():
                if step.meter in bank.meters():
                    bank.follow(step)

    def facts(self, part: TablePart) -> dict[str, Any]:
        """Return the facts, besides the settings, that decide the results of a table that starts now."""
        self._restore(part, MANY)
        table = build_table(part, self._banks, JournaledTable)
        found: dict[str, Any] = {"files": files_of(table), "meters": {}}
        if part.progressive is None:
            found["meters"] = self._own_meters(part, table)
        if table.terms is not None and table.terms.game.spec.pool is not None:
            found["runners"] = {str(seat): number for seat, number in self._books.own_runners(part.name).items()}
        rolled = {name: each for name, each in self._books.own_rolled(part.name).items() if name in found["meters"]}
        return found | ({"rolled": rolled} if rolled else {})

    def _own_meters(self, part: TablePart, table: PublishedTable) -> dict[str, int]:
        """Return the amounts of a table's own meters, without those that it shared under earlier settings."""
        meters, terms = dict(part.meters), table.terms
        for name, cents in self._books.own_meters(part.name).items():
            if terms is not None and (
                name not in terms.game.meters() or (terms.jackpot and name in terms.jackpot.posted)
            ):
                continue
            if cents is None:  # paid out in full, and the seed is unknown
                meters.pop(name, None)
            else:
                meters[name] = cents
        return meters

    @property
    def _reader(self) -> JournalReader:
        if self._open is None:
            self._open = self._stack.enter_context(JournalReader(self._journal, still=self._still))
        return self._open

    @property
    def _books(self) -> BookTables:
        return BookTables(self._reader)

    def _make(self, start: TableStart, part: TablePart, since: int) -> JournaledPublisher:
        part = part.model_copy(update={"meters": start.facts.get("meters", {})})
        table = build_table(part, self._banks, JournaledTable, names_edition=named_edition(start))
        if table.terms is not None:
            runners = {int(seat): number for seat, number in start.facts.get("runners", {}).items()}
            table.terms.stand(table.terms.meters, runners)
            table.terms.rolled = msgspec.convert(start.facts.get("rolled", {}), dict[str, Rolled])
        self._all.known = self._reader.era_at(since) >= ERA
        if part.name not in self._rounds:
            self._rounds[part.name] = JournaledRounds(self._books, part.name, since, self._all)
        table.remember(self._rounds[part.name])
        for what, then in start.facts.get("files", {}).items():
            now = files_of(table).get(what, "")
            if now != then:
                raise SettingsChanged(part.name, what, then, now)
        return JournaledPublisher(table, part.name, part.seats, self._rounds[part.name])

    def _restore(self, part: TablePart, before: int) -> None:
        """Restore the meters and pools that a table shares, as of the records before number `before`, unless they are
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
        """Restore the meters or pools that a table shares from its snapshot, unless they are in use."""
        if state is None:
            return
        if part.progressive is not None and self._newly(part.progressive):
            bank = MeterBank(load_setup(part.progressive))
            bank.restore_state(state)
            self._banks.put(part.progressive, bank)
        if part.jackpot is not None and self._newly(part.jackpot):
            book = JackpotBook(load_jackpot(part.jackpot))
            book.bank.restore_state(state)
            self._banks.put_jackpot(part.jackpot, book)

    def _newly(self, setup: Path) -> bool:
        """Return True once per file, when its meters are first used."""
        new = setup.resolve() not in self._restored
        self._restored.add(setup.resolve())
        return new

    def _newest(self, names: list[str], before: int) -> dict[str, MeterRecord]:
        newest = self._books.newest_meters(names, before)
        return {name: MeterRecord.from_json(line) for name, line in newest.items()}
