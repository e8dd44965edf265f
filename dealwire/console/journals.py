"""A table's journal as a recording of the console: its newest rounds, dealt again from the sealed raw record.

The record is dealt by the same kind of table that dealt it live, made from the settings the journal holds. It begins
where a round ended, so that it stays short however long the table has run; what was under way there is not shown.
"""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.console.replays import Keep, ReplayUnusable, Source
from dealwire.hub.lines import Publication
from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.reader import TableStart
from dealwire.journal.rebuilding import Dealing
from dealwire.journal.tables import JournaledPublisher, TableFactory
from dealwire.table.redaction import PublishedLine
from dealwire.table.table import move_meters
from devices.events import Seen
from rules.settlement import Settlement

ROUNDS_SHOWN: Final = 20
"""Rounds that have ended, the newest; the one under way comes after them."""
WINDOW: Final = 4_096
"""Records looked at for them at first; four times as many as long as they are too few."""

LEAD: Final = 2_000
"""Records read before that, for the decoders alone: a listener learns from a device's status which session it hears,
and devices give it every second."""


def journal_sources(path: Path, key: SealingKey | None, tables: Iterable[str]) -> list[Source]:
    """One source a table of the journal at `path`, which may be written meanwhile. `key` opens its raw record."""
    return [_source(path, key, table) for table in tables]


def _source(path: Path, key: SealingKey | None, table: str) -> Source:
    name = f"journal of {table}"

    def deal(keep: Keep) -> str:
        with JournalReader(path, key) as reader:
            start = reader.starts().get(table)
            if start is None:
                raise ReplayUnusable(name, "the table was not started yet")
            begin = _begin(reader, start)
            _deal(reader, begin, keep)
            return begin.note

    return Source(name, f"Journal of {table}", table, deal)


class _Begin(NamedTuple):
    """The table as it was after record `start.sequence`, and the record after which the bytes are read: earlier, so
    that the lines are understood by then."""

    start: TableStart
    after: int
    note: str = ""


def _begin(reader: JournalReader, start: TableStart) -> _Begin:
    window, newest = WINDOW, reader.head.sequence
    while True:
        after = max(newest - window, start.sequence)
        published = reader.publications(after, table=start.table)
        ends = [item for item in published if item.topic == "round"]
        if len(ends) > ROUNDS_SHOWN:
            first = ends[-ROUNDS_SHOWN - 1]
            number = json.loads(first.line)["round"]
            facts = {**start.facts, "rounds": [], "meters": _meters(published, first, start.facts.get("meters", {}))}
            began = dataclasses.replace(start, sequence=_end_of(published, first), facts=facts)
            listen = max(began.sequence - LEAD, start.sequence)
            return _Begin(began, listen, f"begins after round {number}; the journal holds what was before")
        if after == start.sequence:
            return _Begin(start, start.sequence)
        window *= 4


def _end_of(published: list[Publication], first: Publication) -> int:
    """The last record that was written of the same report: a round is followed by its settlement."""
    return max(item.sequence for item in published if item.sequence >= first.sequence and item.at_ns == first.at_ns)


def _meters(published: list[Publication], first: Publication, otherwise: dict[str, int]) -> dict[str, int]:
    """Where the table's meters stood after the round `first`, if its settlement says so."""
    meters = dict(otherwise)
    for item in published:
        if item.topic == "settlement" and item.at_ns <= first.at_ns:
            move_meters(meters, Settlement.from_json(item.line))
    return meters


class _Watched:
    """A table that is dealt again, and seen after every report; while it is `deaf` it takes none."""

    def __init__(self, publisher: JournaledPublisher, keep: Keep, *, deaf: bool = False) -> None:
        self._publisher, self._keep = publisher, keep
        self._count = 0
        self.deaf = deaf

    def publish(self, seen: Seen) -> list[PublishedLine]:
        if self.deaf:
            return []
        lines = self._publisher.publish(seen)
        self._count += 1
        self._keep(seen, self._publisher.viewer.view(self._count, seen.at_ns))
        return lines

    def finish(self) -> list[PublishedLine]:
        return self._publisher.finish()


def _deal(reader: JournalReader, begin: _Begin, keep: Keep) -> None:
    maker, start = TableFactory(reader.path), begin.start
    dealing = Dealing(reader, lambda begun: _Watched(maker(begun), keep))
    dealing.publishers[start.table] = watched = _Watched(maker(start), keep, deaf=True)
    for record in reader.records(begin.after):
        watched.deaf = record.sequence <= start.sequence
        if record.table == start.table:
            dealing.take(record)
