"""A table's journal as a recording: its newest rounds, replayed from the sealed raw record.

The record is replayed by the same kind of table as live, built from the settings in the journal. The replay starts at
the end of a round, so that it stays short however long the table has run. A round under way at that point is not shown.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from dealwire.console.replays import Keep, ReplayUnusable, Source
from dealwire.journal import JournalReader, SealingKey
from dealwire.journal.contents import TableSnapshot, TableStart
from dealwire.journal.factory import TableFactory
from dealwire.journal.rebuilding import Dealing
from dealwire.journal.records import JournalRecord
from dealwire.journal.snapshots import Kept
from dealwire.journal.tables import JournaledPublisher
from dealwire.table.redaction import PublishedLine
from devices.events import Seen

ROUNDS_SHOWN: Final = 20
"""Finished rounds shown, the newest; the round under way follows them."""
WINDOW: Final = 4_096
"""Records searched for them at first, then four times as many until there are enough."""


def journal_sources(path: Path, key: SealingKey | None, tables: Iterable[str]) -> list[Source]:
    """Return one source per table of the journal at `path`, which may be in use. `key` opens its raw record."""
    return [_source(path, key, table) for table in tables]


def _source(path: Path, key: SealingKey | None, table: str) -> Source:
    name = f"journal of {table}"

    def deal(keep: Keep) -> str:
        with JournalReader(path, key) as reader:
            start = reader.starts().get(table)
            if start is None:
                raise ReplayUnusable(name, "the table has not started yet")
            begin = _begin(reader, start)
            _deal(reader, start, begin, keep)
            return "" if begin is None else f"starts after round {_round_of(begin)}; earlier rounds are in the journal"

    return Source(name, f"Journal of {table}", table, deal)


def _begin(reader: JournalReader, start: TableStart) -> TableSnapshot | None:
    """Return the snapshot before the rounds shown; None if the table is shown from its start."""
    window, newest, first = WINDOW, reader.head.sequence, max(start.sequence, reader.anchor.sequence)
    while True:
        after = max(newest - window, first)
        ends = [item for item in reader.publications(after, table=start.table) if item.topic == "round"]
        if len(ends) > ROUNDS_SHOWN:
            return reader.snapshot(start.table, up_to=ends[-ROUNDS_SHOWN].sequence)
        if after == first:
            return reader.first_snapshot(start.table) if reader.anchor.sequence >= start.sequence else None
        window *= 4


class _Watched:
    """A replayed table that passes on its view after every report."""

    def __init__(self, publisher: JournaledPublisher, keep: Keep) -> None:
        self._publisher, self._keep = publisher, keep
        self._count = 0

    def publish(self, seen: Seen) -> list[PublishedLine]:
        lines = self._publisher.publish(seen)
        self._count += 1
        self._keep(seen, self._publisher.viewer.view(self._count, seen.at_ns))
        return lines

    def finish(self) -> list[PublishedLine]:
        return self._publisher.finish()


class _Maker:
    """Makes replayed tables that pass on their views."""

    def __init__(self, maker: TableFactory, keep: Keep) -> None:
        self._maker, self._keep = maker, keep

    def __call__(self, start: TableStart) -> _Watched:
        return _Watched(self._maker(start), self._keep)

    def adopt(self, snapshot: TableSnapshot, kept: Kept) -> _Watched:
        return _Watched(self._maker.adopt(snapshot, kept), self._keep)

    def skipped(self, record: JournalRecord) -> None:
        self._maker.skipped(record)


def _deal(reader: JournalReader, start: TableStart, begin: TableSnapshot | None, keep: Keep) -> None:
    with TableFactory(reader.path) as maker:
        dealing = Dealing(reader, _Maker(maker, keep))
        if begin is not None:
            dealing.adopt(begin)
        for record in reader.records(start.sequence - 1 if begin is None else begin.sequence):
            if record.table == start.table:
                dealing.take(record)
            else:
                maker.skipped(record)


def _round_of(snapshot: TableSnapshot) -> int:
    """Return the last round in a table's snapshot."""
    return int(json.loads(snapshot.state)["viewer"]["round"])
