"""The tables of a service, made from their settings: at the start, and again from what the journal says of a start.

A journal holds each table's settings as they were, and what decides its results and stands elsewhere: the hashes of
procedure and game, where the meters stood, the rounds before. So the record of a year ago gives today what it gave
then, or says which file has changed since.
"""

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from dealer_flow.record.result import RoundResult
from dealwire.config.build import Banks, build_table
from dealwire.config.schema import TablePart
from dealwire.hub.lines import Publication
from dealwire.journal.reader import JournalReader, TableStart
from dealwire.table.redaction import PublishedLine, PublishedTable, Publisher, outcomes_of
from dealwire.table.table import TableOutcome, TableTerms, move_meters
from dealwire.table.viewer import Viewer
from devices.events import Seen
from protocol.errors import DealwireError
from rules.meter_setup import load_setup
from rules.meters import MeterBank, MeterRecord
from rules.settlement import Settlement

ROUNDS_KEPT: Final = 256
"""Rounds that a table which begins anew remembers as settled: more than any device holds to send again."""

RoundId = tuple[str, int]
"""The dealing device's session, eight hex digits, and the round's number."""


class SettingsChanged(DealwireError):
    """A file that a table's record rests on is not what it was."""

    def __init__(self, table: str, what: str, then: str, now: str) -> None:
        self.table, self.what, self.then, self.now = table, what, then, now
        super().__init__(
            f"table {table}: the {what} is not the one it began with ({then[:12]}, now {now[:12]}); "
            "put the file back, or let the table begin anew with --anew"
        )


class JournaledTable(PublishedTable):
    """A table of the service. It settles no round again that was settled before it began."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.settled_before: frozenset[RoundId] = frozenset()
        self.refused: list[RoundId] = []
        """Rounds that came once more and were not settled again, newest last."""

    def _settle(self, result: RoundResult, terms: TableTerms) -> list[TableOutcome]:
        """A round is settled once, however often a device that was asked anew tells of it."""
        known = (result.session, result.round)
        if known in self.settled_before:
            self.refused.append(known)
            return []
        return super()._settle(result, terms)


class JournaledPublisher(Publisher):
    """A table of the service with what it shows."""

    table: JournaledTable

    def __init__(self, table: JournaledTable, name: str, seats: int | None) -> None:
        super().__init__(table)
        self.viewer = Viewer(table, name, seats=seats)
        self.dealt_again = True
        """True while reports come from the record: then nobody else informs the viewer."""

    def publish(self, seen: Seen) -> list[PublishedLine]:
        """As of any publisher; one that is dealt again shows what it saw itself."""
        lines = super().publish(seen)
        if self.dealt_again:
            self.viewer.saw(seen, outcomes_of(lines))
        return lines


class TableFactory:
    """Makes tables, and keeps the meters that several share. `journal` is where those of before are looked up."""

    def __init__(self, journal: Path) -> None:
        self._journal = journal
        self._banks = Banks()
        self._restored: set[Path] = set()

    def __call__(self, start: TableStart) -> JournaledPublisher:
        """The table as it began. SettingsChanged when a file it rests on is another now."""
        part = TablePart.model_validate_json(start.configuration)
        if part.progressive is not None:
            self._restore(part.progressive, start.sequence)
        part = part.model_copy(update={"meters": start.facts.get("meters", {})})
        table = build_table(part, self._banks, JournaledTable)
        table.settled_before = frozenset((session, number) for session, number in start.facts.get("rounds", ()))
        for what, then in start.facts.get("files", {}).items():
            now = files_of(table).get(what, "")
            if now != then:
                raise SettingsChanged(part.name, what, then, now)
        return JournaledPublisher(table, part.name, part.seats)

    def facts(self, part: TablePart, before: int) -> dict[str, Any]:
        """What decides the results of a table that begins now, after record `before`, besides its settings."""
        if part.progressive is not None:
            self._restore(part.progressive, before + 1)
        known = self._publications(before + 1, part.name)
        settlements = [Settlement.from_json(item.line) for item in known if item.topic == "settlement"]
        meters = dict(part.meters) if part.progressive is None else {}
        for settlement in settlements if part.progressive is None else ():
            move_meters(meters, settlement)
        table = build_table(part.model_copy(update={"meters": meters}), self._banks, JournaledTable)
        rounds = [[item.session, item.round] for item in settlements][-ROUNDS_KEPT:]
        return {"files": files_of(table), "meters": meters, "rounds": rounds}

    def _restore(self, setup: Path, before: int) -> None:
        """The meters of a setup as the records before number `before` left them; as they are, when in use."""
        setup = setup.resolve()
        if setup in self._restored:
            return
        self._restored.add(setup)
        records = [MeterRecord.from_json(item.line) for item in self._publications(before) if item.topic == "meter"]
        loaded = load_setup(setup)
        opened = MeterBank(loaded)
        names = {meter.name for meter in loaded.meters}
        mine = [record for record in records if record.meter in names]
        self._banks.put(setup, MeterBank.restore(loaded, [*opened.records, *mine]))

    def _publications(self, before: int, table: str | None = None) -> Sequence[Publication]:
        with JournalReader(self._journal) as reader:
            return [item for item in reader.publications(0, None, table) if item.sequence < before]


def configuration_of(part: TablePart) -> str:
    """A table's settings as the journal keeps them: those that decide what comes of it."""
    kept = part.model_dump(mode="json", by_alias=True, exclude={"device": {"__all__": {"max_bytes_per_s"}}})
    return json.dumps(kept, sort_keys=True)


def files_of(table: PublishedTable) -> dict[str, str]:
    """What a table's results rest on, by name -> SHA-256."""
    found = {"procedure": table.flow.procedure.ref().sha256}
    if table.terms is not None:
        found["game"] = table.terms.game.sha256
        if table.terms.bank is not None:
            found["progressive"] = hashlib.sha256(repr(table.terms.bank.setup).encode()).hexdigest()
    return found
