"""A journal dealt again: its raw record through the same decoders, flow and rules gives the same lines, byte for byte.

Live and rebuilt cannot drift apart, because the same kind of publisher serves both. Time comes from the records alone:
at each of a table's records every deadline of its lines that has passed is met first, as the owner does in its turn.
Each table has a time of its own: what passed on the lines of an idle one gets its record a minute later.
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
from dealwire.journal.snapshots import Adopts, Kept, LetsPass, decoded, kept_of
from dealwire.table.redaction import PublishedLine, published_lines
from dealwire.table.table import Table
from devices.drive.address import short_name
from devices.drive.replay import Player, PlayStats
from devices.events import Seen
from devices.line.session import Feed
from devices.record.capture import Chunk, Interface


class Publishes(Protocol):
    """A table whose reports go in and whose lines come out. What it gives may depend on nothing but its start and the
    reports."""

    def publish(self, seen: Seen) -> Sequence[PublishedLine]:
        """Take one report; what is to be published."""
        ...

    def finish(self) -> Sequence[PublishedLine]:
        """The table ends; what is to be published."""
        ...


T = TypeVar("T", bound=Publishes)

MakePublisher = Callable[[TableStart], T]
"""The table that a start describes, as it was made when it was dealt."""


class OutcomePublisher:
    """Publishes every incident, round, settlement, meter and award of `table`, and no report. Results name faces that
    were shown, or lie dead at the end of a round."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def publish(self, seen: Seen) -> list[PublishedLine]:
        """What one report led to."""
        return published_lines(self.table.handle(seen))

    def finish(self) -> list[PublishedLine]:
        """The round that was under way."""
        return published_lines(self.table.finish())


class Dealing(Generic[T]):
    """Tables dealt from a journal's records, one record after the other.

    `publishers` are those that run, by the table's name. A publication's sequence is that of the record it was found
    at. Where the beginning of a table was pruned, it is dealt from its first snapshot on.
    """

    def __init__(self, reader: JournalReader, make: MakePublisher[T]) -> None:
        self.publishers: dict[str, T] = {}
        self.begun: set[str] = set()
        """Tables of which a beginning was met, or a snapshot in its place."""
        self.make = make
        self._reader = reader
        self._lines = reader.lines()
        self._players: dict[str, Player] = {}
        self._sequence = 0
        self._found: list[Publication] = []

    def take(self, record: JournalRecord) -> list[Publication]:
        """What one record leads to."""
        self._sequence = record.sequence
        table = record.table
        if table and table not in self.publishers and record.kind not in (STARTED, LINE):
            self._take_unknown(record)
        elif record.kind in RAW or record.kind == NOTE:
            self._take_raw(record)
        elif record.kind == OPENED and isinstance(self.make, Adopts):
            self.make.passed_over(record)
        elif record.kind == STARTED:
            self._players.pop(table, None)  # its time begins anew, too: somebody may have set the clock right
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
        """Go on with a table from where a snapshot holds it. Its maker must be one that adopts."""
        table, kept = snapshot.start.table, decoded(self._reader.path, snapshot)
        assert isinstance(self.make, Adopts)
        self._forget(table)
        self.begun.add(table)
        self.publishers[table] = self.make.adopt(snapshot, kept)
        self._lines |= {line.number: line for line in snapshot.lines}
        player = self._player(table)
        player.advance(snapshot.at_ns)
        for number, standing in kept.lines.items():
            player.adopt(number - 1, standing)

    def kept(self, snapshot: TableSnapshot) -> Kept | None:
        """The table of a snapshot as it stands here now; None while it is not at rest."""
        player = self._player(snapshot.start.table)
        lines = {line.number: player.state(line.number - 1) for line in snapshot.lines}
        return kept_of(self.publishers.get(snapshot.start.table), lines)

    def lose(self, line: int, at_ns: int, note: str) -> list[Publication]:
        """As `take` of a note about a line that is not a record yet."""
        self._player(self._lines[line].table).take(Chunk(line - 1, at_ns, False, b"", note))
        return self._taken()

    @property
    def pruned(self) -> bool:
        """The journal's beginning is not in it any more."""
        return self._reader.anchor.sequence > 0

    def epoch_at(self, sequence: int) -> str:
        """The opening that wrote a record."""
        return self._reader.epoch_at(sequence)

    @property
    def open_lines(self) -> tuple[int, ...]:
        """Lines that have not ended."""
        return tuple(sorted(index + 1 for player in self._players.values() for index in player.open))

    @property
    def lost(self) -> dict[int, Feed]:
        """What the next line goes on from where the last one was lost, by line."""
        return {index + 1: feed for player in self._players.values() for index, feed in player.lost.items()}

    def _player(self, table: str) -> Player:
        if table not in self._players:
            self._players[table] = Player(_Lines(self._reader.path, self._lines), self._hears, PlayStats())
        return self._players[table]

    def _take_unknown(self, record: JournalRecord) -> None:
        """Something of a table whose beginning was not dealt."""
        pruned = self.pruned and record.table not in self.begun
        if pruned and record.kind == SNAPSHOT and isinstance(self.make, Adopts):
            self.adopt(self._reader.snapshot_of(record))
        elif record.kind in RAW and not pruned:
            why = f"bytes of table {record.table!r}, which was not started: there is nothing to deal them by"
            raise JournalDamaged(self._reader.path, record.sequence, why)
        elif isinstance(self.make, Adopts):
            self.make.passed_over(record)

    def _let_pass(self, publisher: object, record: JournalRecord) -> None:
        """A person released what readings held; from the snapshot after it on they are let pass."""
        if not isinstance(publisher, LetsPass):
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
        elif record.kind == SENT:  # what was sent decides nothing and stays sealed
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
        """Nothing goes on from the table's lines; its time does."""
        player = self._player(table)
        for line in self._lines.values():
            if line.table == table:
                player.forget(line.number - 1)


class _Lines:
    """A journal's lines, as a player wants them."""

    def __init__(self, path: Path, lines: dict[int, JournalLine]) -> None:
        self.path, self._lines = path, lines

    @property
    def interfaces(self) -> list[Interface]:
        """By number, less one; those between that nobody knows any more hold their places."""
        return [self._interface(number) for number in range(1, max(self._lines, default=0) + 1)]

    def _interface(self, number: int) -> Interface:
        line = self._lines.get(number)
        if line is None:
            return Interface("", "", "", "", 0, "")
        return Interface(line.name, line.device, line.dialect, short_name(line.address), line.baud, line.procedure)


def rebuild(path: str | Path, key: OpensWith | None, make: MakePublisher[T]) -> Iterator[Publication]:
    """What the raw record of a journal gives, in the order of each table, from the bytes alone: of what was published
    only the time is used. A publication's `sequence` is that of the record that led to it.

    KeyUnknown when a key is missing, JournalDamaged or CaptureUnplayable when the record cannot be dealt.
    """
    with JournalReader(path, key) as reader:
        dealing = Dealing(reader, make)
        for record in reader.records():
            yield from dealing.take(record)
