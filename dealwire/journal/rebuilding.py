"""A journal dealt again: its raw record through the same decoders, flow and rules gives the same lines, byte for byte.

Live and rebuilt cannot drift apart, because the same kind of publisher serves both. Time comes from the records alone:
at each of them every deadline that has passed is met first, as the owner does in its turn.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from dealwire.hub.lines import Publication
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.reader import JournalLine, JournalReader, TableStart, line_of, start_of
from dealwire.journal.records import LINE, NOTE, RECEIVED, SENT, STARTED, STOPPED, JournalRecord
from dealwire.journal.sealing import OpensWith
from dealwire.table.redaction import PublishedLine, published_lines
from dealwire.table.table import Table
from devices.address import short_name
from devices.capture import Chunk, Interface
from devices.events import Seen
from devices.replay import Player, PlayStats
from devices.session import Feed


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
    at.
    """

    def __init__(self, reader: JournalReader, make: MakePublisher[T]) -> None:
        self.publishers: dict[str, T] = {}
        self._reader, self._make = reader, make
        self._lines = reader.lines()
        self._player = Player(_Lines(reader.path, self._lines), self._hears, PlayStats())
        self._sequence = 0
        self._found: list[Publication] = []

    def take(self, record: JournalRecord) -> list[Publication]:
        """What one record leads to."""
        self._sequence = record.sequence
        if record.kind in (RECEIVED, SENT, NOTE):
            self._take_raw(record)
        elif record.kind == STARTED:
            self._forget(record.table)
            self._player.advance(record.at_ns)
            self.publishers[record.table] = self._make(start_of(self._reader.path, record))
        elif record.kind == STOPPED:
            self._player.advance(record.at_ns)
            publisher = self.publishers.pop(record.table, None)
            if publisher is not None:
                self._publish(record.table, record.at_ns, publisher.finish())
            self._forget(record.table)
        else:
            self._player.advance(record.at_ns)
            if record.kind == LINE:
                self._lines[record.line] = line_of(self._reader.path, record)
        return self._taken()

    def lose(self, line: int, at_ns: int, note: str) -> list[Publication]:
        """As `take` of a note about a line that is not a record yet."""
        self._player.take(Chunk(line - 1, at_ns, False, b"", note))
        return self._taken()

    @property
    def open_lines(self) -> tuple[int, ...]:
        """Lines that have not ended."""
        return tuple(index + 1 for index in self._player.open)

    @property
    def lost(self) -> dict[int, Feed]:
        """What the next line goes on from where the last one was lost, by line."""
        return {index + 1: feed for index, feed in self._player.lost.items()}

    def _take_raw(self, record: JournalRecord) -> None:
        if record.table not in self.publishers:
            why = f"bytes of table {record.table!r}, which was not started: there is nothing to deal them by"
            raise JournalDamaged(self._reader.path, record.sequence, why)
        data, comment = b"", ""
        if record.kind == NOTE:
            comment = record.payload.decode("utf-8", "replace")
        elif record.kind == RECEIVED:
            data = self._reader.raw(record)  # what was sent decides nothing and stays sealed
        self._player.take(Chunk(record.line - 1, record.at_ns, record.kind == SENT, data, comment))

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
        for line in self._lines.values():
            if line.table == table:
                self._player.forget(line.number - 1)


class _Lines:
    """A journal's lines, as a player wants them."""

    def __init__(self, path: Path, lines: dict[int, JournalLine]) -> None:
        self.path, self._lines = path, lines

    @property
    def interfaces(self) -> list[Interface]:
        """By number, less one."""
        return [
            Interface(line.name, line.device, line.dialect, short_name(line.address), line.baud, line.procedure)
            for _, line in sorted(self._lines.items())
        ]


def rebuild(path: str | Path, key: OpensWith | None, make: MakePublisher[T]) -> Iterator[Publication]:
    """What the raw record of a journal gives, in the order of each table, from the bytes alone: of what was published
    only the time is used. A publication's `sequence` is that of the record that led to it.

    KeyUnknown when a key is missing, JournalDamaged or CaptureUnplayable when the record cannot be dealt.
    """
    with JournalReader(path, key) as reader:
        dealing = Dealing(reader, make)
        for record in reader.records():
            yield from dealing.take(record)
