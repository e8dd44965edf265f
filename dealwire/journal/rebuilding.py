"""Replay of a journal: its raw record through the same decoders, flow and rules yields the same lines, byte for byte.

The same kind of publisher works live and in the replay, so the two cannot drift apart. Time comes from the records
alone: at each record of a table, the passed deadlines of its lines are met first, as the owner does in its turn. Each
table has its own time, because bytes of an idle one reach the record a minute late.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from dealwire.hub.lines import Publication
from dealwire.journal.contents import JournalLine, TableSnapshot, TableStart, line_of, start_of
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.obligations import released_of
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import LINE, NOTE, OPENED, RAW, RELEASED, SENT, SNAPSHOT, STARTED, STOPPED, JournalRecord
from dealwire.journal.sealing import OpensWith
from dealwire.journal.snapshots import Adopts, Kept, ReleasesReadings, decoded, kept_of
from dealwire.table.redaction import PublishedLine, published_lines
from dealwire.table.table import Table
from devices.drive.address import short_name
from devices.drive.replay import Player, PlayStats
from devices.events import Seen
from devices.line.session import Feed
from devices.record.capture import Chunk, Interface


class Publishes(Protocol):
    """A table with reports as input and lines as output. Its output may depend on its start and the reports only."""

    def publish(self, seen: Seen) -> Sequence[PublishedLine]:
        """Take one report; return what is to be published."""
        ...

    def finish(self) -> Sequence[PublishedLine]:
        """End the table; return what is to be published."""
        ...


T = TypeVar("T", bound=Publishes)

MakePublisher = Callable[[TableStart], T]
"""Makes the table of a start, as it was when it dealt."""


class OutcomePublisher:
    """Publishes the incidents, rounds, settlements, meters and awards of `table`, and no reports. Results name faces
    that were shown, or whose cards are dead at the end of a round."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def publish(self, seen: Seen) -> list[PublishedLine]:
        """Return the lines of one report."""
        return published_lines(self.table.handle(seen))

    def finish(self) -> list[PublishedLine]:
        """Return the lines of the round under way."""
        return published_lines(self.table.finish())


class Dealing(Generic[T]):
    """Tables replayed from a journal's records, one record after the other.

    `publishers` are the running tables by name. A publication's sequence is that of the record that led to it. A table
    whose start was pruned is replayed from its first snapshot.
    """

    def __init__(self, reader: JournalReader, make: MakePublisher[T]) -> None:
        self.publishers: dict[str, T] = {}
        self.begun: set[str] = set()
        """Tables whose start, or a snapshot in its place, was found."""
        self.make = make
        self._reader = reader
        self._lines = reader.lines()
        self._players: dict[str, Player] = {}
        self._sequence = 0
        self._found: list[Publication] = []

    def take(self, record: JournalRecord) -> list[Publication]:
        """Take one record; return what it leads to."""
        self._sequence = record.sequence
        table = record.table
        if table and table not in self.publishers and record.kind not in (STARTED, LINE):
            self._take_unknown(record)
        elif record.kind in RAW or record.kind == NOTE:
            self._take_raw(record)
        elif record.kind == OPENED and isinstance(self.make, Adopts):
            self.make.skipped(record)
        elif record.kind == STARTED:
            self._players.pop(table, None)  # its time restarts too: the clock may have been corrected
            self.begun.add(table)
            self.publishers[table] = self.make(start_of(self._reader.path, record))
        elif record.kind == STOPPED:
            self._player(table).advance(record.at_ns)
            self._publish(table, record.at_ns, self.publishers.pop(table).finish())
            self._forget(table)
        elif table:
            self._player(table).advance(record.at_ns)
            if record.kind == LINE:
                self._lines[record.line] = line_of(self._reader.path, record)
            elif record.kind in (RELEASED, SNAPSHOT):
                self._let_pass(self.publishers[table], record)
        return self._taken()

    def adopt(self, snapshot: TableSnapshot) -> None:
        """Continue a table from a snapshot. The maker must support it (`Adopts`)."""
        table, kept = snapshot.start.table, decoded(self._reader.path, snapshot)
        assert isinstance(self.make, Adopts)
        self._forget(table)
        self.begun.add(table)
        self.publishers[table] = self.make.adopt(snapshot, kept)
        self._lines |= {line.number: line for line in snapshot.lines}
        player = self._player(table)
        player.advance(snapshot.at_ns)
        for number, standing in kept.lines.items():
            player.resume(number - 1, standing)

    def kept(self, snapshot: TableSnapshot) -> Kept | None:
        """Return the state of a snapshot's table now; None if it is not at rest."""
        player = self._player(snapshot.start.table)
        lines = {line.number: player.state(line.number - 1) for line in snapshot.lines}
        return kept_of(self.publishers.get(snapshot.start.table), lines)

    def lose(self, line: int, at_ns: int, note: str) -> list[Publication]:
        """Take the loss of a line that is not a record yet."""
        self._player(self._lines[line].table).take(Chunk(line - 1, at_ns, False, b"", note))
        return self._taken()

    @property
    def pruned(self) -> bool:
        """True if the start of the journal was pruned."""
        return self._reader.anchor.sequence > 0

    def epoch_at(self, sequence: int) -> str:
        """Return the opening that wrote a record."""
        return self._reader.epoch_at(sequence)

    @property
    def open_lines(self) -> tuple[int, ...]:
        """Lines that have not ended."""
        return tuple(sorted(index + 1 for player in self._players.values() for index in player.open))

    @property
    def lost(self) -> dict[int, Feed]:
        """Feeds from which the next session of each lost line continues, by line."""
        return {index + 1: feed for player in self._players.values() for index, feed in player.lost.items()}

    def _player(self, table: str) -> Player:
        if table not in self._players:
            self._players[table] = Player(_Lines(self._reader.path, self._lines), self._hears, PlayStats())
        return self._players[table]

    def _take_unknown(self, record: JournalRecord) -> None:
        """Take a record of a table whose start was not replayed."""
        pruned = self.pruned and record.table not in self.begun
        if pruned and record.kind == SNAPSHOT and isinstance(self.make, Adopts):
            self.adopt(self._reader.snapshot_of(record))
        elif record.kind in RAW and not pruned:
            why = f"bytes of table {record.table!r}, which was not started: there is nothing to deal them by"
            raise JournalDamaged(self._reader.path, record.sequence, why)
        elif isinstance(self.make, Adopts):
            self.make.skipped(record)

    def _let_pass(self, publisher: object, record: JournalRecord) -> None:
        """Take a release, or the snapshot after it, from which on the released readings are allowed."""
        if not isinstance(publisher, ReleasesReadings):
            return
        if record.kind == SNAPSHOT:
            publisher.keep()
        elif (released := released_of(record)) is not None:
            publisher.release(released.readings)

    def _take_raw(self, record: JournalRecord) -> None:
        player = self._player(record.table)
        if record.kind == NOTE:
            comment = record.text
            player.take(Chunk(record.line - 1, record.at_ns, False, b"", comment))
        elif record.kind == SENT:  # output decides nothing, so its seal stays closed
            player.take(Chunk(record.line - 1, record.at_ns, True, b"", ""))
        else:
            for each in self._reader.passed(record):
                player.take(Chunk(each.line - 1, each.at_ns, each.sent, each.data, ""))

    def _hears(self, index: int) -> Callable[[Seen], None]:
        name = self._lines[index + 1].table

        def hear(seen: Seen) -> None:
            self._publish(name, seen.at_ns, self.publishers[name].publish(seen))

        return hear

    def _publish(self, table: str, at_ns: int, lines: Sequence[PublishedLine]) -> None:
        self._found += [Publication(self._sequence, table, at_ns, item.topic, item.line) for item in lines]

    def _taken(self) -> list[Publication]:
        found, self._found = self._found, []
        return found

    def _forget(self, table: str) -> None:
        """Forget the lines of a table; its time remains."""
        player = self._player(table)
        for line in self._lines.values():
            if line.table == table:
                player.drop(line.number - 1)


class _Lines:
    """The journal's lines in the form that a player expects."""

    def __init__(self, path: Path, lines: dict[int, JournalLine]) -> None:
        self.path, self._lines = path, lines

    @property
    def interfaces(self) -> list[Interface]:
        """Lines by number minus one; unknown numbers in between have placeholders."""
        return [self._interface(number) for number in range(1, max(self._lines, default=0) + 1)]

    def _interface(self, number: int) -> Interface:
        line = self._lines.get(number)
        if line is None:
            return Interface("", "", "", "", 0, "")
        return Interface(line.name, line.device, line.dialect, short_name(line.address), line.baud, line.procedure)


def rebuild(path: str | Path, key: OpensWith | None, make: MakePublisher[T]) -> Iterator[Publication]:
    """Replay a journal and yield its lines, in the order of each table, from the bytes alone: of the published lines
    only the time is used. A publication's `sequence` is that of the record that led to it.

    KeyUnknown if a key is missing, JournalDamaged or CaptureUnplayable if the record cannot be replayed.
    """
    with JournalReader(path, key) as reader:
        dealing = Dealing(reader, make)
        for record in reader.records():
            yield from dealing.take(record)
