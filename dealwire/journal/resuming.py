"""Resuming interrupted tables, as if their lines had only been lost for a while.

After a kill the journal has every acknowledged byte. Replayed from the newest snapshot, it gives each table with its
round under way and its meters, and the position of every device's events. The device repeats on the next connection
what we did not acknowledge.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final, Generic

from dealwire.hub.lines import Publication
from dealwire.journal.book_tables import BookTables
from dealwire.journal.compare import DERIVED, Comparison, Matching
from dealwire.journal.errors import JournalDiffers
from dealwire.journal.journal import Journal
from dealwire.journal.reader import JournalReader
from dealwire.journal.rebuilding import Dealing, MakePublisher, T
from dealwire.journal.sealing import OpensWith
from dealwire.journal.snapshots import Adopts
from dealwire.journal.tables import JournaledPublisher, write_settled
from devices.line.session import Feed
from devices.record.recording import LINE_LOST
from protocol.link import Link, Resumable
from protocol.tdp.messages import Role

WHY: Final = "the program that had it ended"
PROGRESS_EACH: Final = 1000
"""Records between two calls of `progress`."""


@dataclass(slots=True)
class Resumed(Generic[T]):
    """Resumed tables by name, the feed from which each line's next session continues (`after` of a `Supervisor`), and
    what is to be published."""

    publishers: dict[str, T] = field(default_factory=dict)
    feeds: dict[int, Feed] = field(default_factory=dict)
    unpublished: list[Publication] = field(default_factory=list)

    def link_maker(self, line: int, make_link: Callable[[], Link], role: Role) -> Callable[[], Link]:
        """Return the maker of the first link of `line`: one that continues, if its device keeps sessions, else
        `make_link`."""
        feed = self.feeds.get(line)
        link = feed.link if feed is not None else None
        if not isinstance(link, Resumable):
            return make_link
        return lambda: link.successor(role)


def resume(
    journal: Journal,
    key: OpensWith | None,
    make: MakePublisher[T],
    now_ns: int,
    topics: Collection[str] = DERIVED,
    *,
    progress: Callable[[], None] = lambda: None,
) -> Resumed[T]:
    """Resume every table of `journal` that was started and not stopped. Call it before anything else is written.

    Each open line ends as lost; the results are published and committed. Afterwards the owner's clock must not be
    before `journal.newest_ns` (`SystemClock(not_before_ns)`). JournalDiffers if the raw record does not yield what was
    published: the record would then contain two versions of events. Other errors as `rebuild`. `progress` is called
    from time to time.
    """
    now_ns = max(now_ns, journal.newest_ns)
    with JournalReader(journal.path, key) as reader:
        starts = reader.starts()
        if not starts:
            return Resumed()
        dealing, pending = replay_tables(reader, make, topics, progress=progress)
        for table in starts:
            journal.resumed(table, now_ns)
        _go_on(journal, dealing, pending, reader, now_ns)
    return Resumed(dict(dealing.publishers), dealing.lost, journal.commit())


def replay_tables(
    reader: JournalReader,
    make: MakePublisher[T],
    topics: Collection[str] = DERIVED,
    *,
    progress: Callable[[], None] = lambda: None,
) -> tuple[Dealing[T], list[Publication]]:
    """Return every running table as of the end of the record, and the lines that follow from the record but were not
    published. Nothing is written. Errors as of `resume`."""
    dealing = Dealing(reader, make)
    found = _deal_since(reader, dealing, Matching(dealing, topics), progress)
    if found.difference is not None:
        raise JournalDiffers(reader.path, str(found.difference))
    return dealing, found.pending


def _go_on(
    journal: Journal, dealing: Dealing[T], pending: list[Publication], written: JournalReader, now_ns: int
) -> None:
    """End the open lines; publish what follows from that, and what follows from the record and was not published."""
    for line in dealing.open_lines:
        journal.note(line, now_ns, LINE_LOST + WHY)
        pending += dealing.lose(line, now_ns, LINE_LOST + WHY)
    for item in pending:
        journal.publish(item.table, item.topic, item.at_ns, item.line)
    for name, publisher in dealing.publishers.items():
        if isinstance(publisher, JournaledPublisher) and publisher.rounds is not None:
            rounds, tables = publisher.rounds, BookTables(written)
            rounds.newly_settled = [key for key in rounds.newly_settled if not tables.was_settled(name, key)]
            write_settled(journal, name, publisher, now_ns)


def _deal_since(
    reader: JournalReader, dealing: Dealing[T], matching: Matching, progress: Callable[[], None]
) -> Comparison:
    """Replay each running table from its newest snapshot, or from its start if there is none."""
    make = dealing.make
    adopts = isinstance(make, Adopts)
    snapshots = {table: reader.snapshot(table) if adopts else None for table in reader.starts()}
    begins = {
        table: start.sequence - 1 if (kept := snapshots[table]) is None else kept.sequence
        for table, start in reader.starts().items()
    }
    waiting = sorted((kept for kept in snapshots.values() if kept is not None), key=lambda kept: kept.sequence)
    for count, record in enumerate(reader.records(min(begins.values(), default=reader.head.sequence))):
        while waiting and waiting[0].sequence < record.sequence:
            dealing.adopt(waiting.pop(0))
        if record.sequence > begins.get(record.table, record.sequence):
            matching.take(record)
        elif isinstance(make, Adopts):
            make.skipped(record)
        if count % PROGRESS_EACH == 0:
            progress()
    for kept in waiting:
        dealing.adopt(kept)
    return matching.finish()
