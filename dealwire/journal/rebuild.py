"""A journal dealt again: its raw record through the same decoders, flow and rules gives the same lines, byte for byte.

Live and rebuilt cannot drift apart, because the same `Table` and the same `Tell` serve both. Time comes from the
records alone: at each of them every deadline that has passed is met first, as the owner does in its turn.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from dealwire.journal.errors import JournalDamaged
from dealwire.journal.reader import JournalLine, JournalReader, Start, line_of, start_of
from dealwire.journal.records import LINE, NOTE, RECEIVED, SENT, STARTED, STOPPED, Record
from dealwire.journal.sealing import SealingKey
from dealwire.service.publication import Publication, Topic
from dealwire.table import Outcome, Table
from devices.capture import Chunk, Interface
from devices.events import Seen
from devices.replay import Player, PlayStats
from devices.session import Feed
from devices.transport.address import short_name

MakeTable = Callable[[Start], Table]
"""The table that a start describes, as the service made it."""
Tell = Callable[[Seen | None, list[Outcome]], list[tuple[Topic, str]]]
"""What is published of one report and of what the table made of it; `None` for the report when the table ended."""


def tell_outcomes(_: Seen | None, outcomes: list[Outcome]) -> list[tuple[Topic, str]]:
    """Every incident, round, settlement, meter and award as its own line of JSON; the reports are left out."""
    return [(cast(Topic, getattr(outcome, "type", "incident")), outcome.to_json()) for outcome in outcomes]


class Dealing:
    """Tables dealt from a journal's records, one record after the other.

    `tables` are those that run, by name. A publication's sequence is that of the record it was found at.
    """

    def __init__(self, reader: JournalReader, make_table: MakeTable, tell: Tell = tell_outcomes) -> None:
        self.tables: dict[str, Table] = {}
        self._reader, self._make_table, self._tell = reader, make_table, tell
        self._lines = reader.lines()
        self._player = Player(_Lines(reader.path, self._lines), self._hears, None, PlayStats())
        self._sequence = 0
        self._found: list[Publication] = []

    def take(self, record: Record) -> list[Publication]:
        """What one record leads to."""
        self._sequence = record.sequence
        if record.kind in (RECEIVED, SENT, NOTE):
            self._take_raw(record)
        elif record.kind == STARTED:
            self._forget(record.table)
            self._player.advance(record.at_ns)
            self.tables[record.table] = self._make_table(start_of(self._reader.path, record))
        elif record.kind == STOPPED:
            self._player.advance(record.at_ns)
            table = self.tables.pop(record.table, None)
            if table is not None:
                self._publish(record.table, record.at_ns, None, table.finish())
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

    def _take_raw(self, record: Record) -> None:
        if record.table not in self.tables:
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
            self._publish(name, seen.at_ns, seen, self.tables[name].handle(seen))

        return hear

    def _publish(self, table: str, at_ns: int, seen: Seen | None, outcomes: list[Outcome]) -> None:
        told = self._tell(seen, outcomes)
        self._found += [Publication(self._sequence, table, at_ns, topic, text) for topic, text in told]

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


def rebuild(
    path: str | Path, key: SealingKey | None, make_table: MakeTable, tell: Tell = tell_outcomes
) -> Iterator[Publication]:
    """What the raw record of a journal gives, in the order of each table, from the bytes alone: nothing that was
    published is looked at but its time. A publication's `sequence` is that of the record that led to it.

    KeyUnknown when a key is missing, JournalDamaged or CaptureUnplayable when the record cannot be dealt.
    """
    with JournalReader(path, key) as reader:
        dealing = Dealing(reader, make_table, tell)
        for record in reader.records():
            yield from dealing.take(record)
