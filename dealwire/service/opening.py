"""Start of a service: its clock, the tables that resume from the journal, and those that start over.

It uses the journal and the tables built from it; no line, no loop, no observer.
"""

import logging
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from dealwire.config.schema import Configuration
from dealwire.config.table_parts import TablePart
from dealwire.journal import Journal, JournalReader, resume
from dealwire.journal.compare import DERIVED
from dealwire.journal.contents import TableStart
from dealwire.journal.errors import JournalDamaged, JournalEmpty
from dealwire.journal.factory import TableFactory
from dealwire.journal.resuming import Resumed
from dealwire.journal.sealing import SealsWith
from dealwire.journal.settings import configuration_of
from dealwire.journal.tables import JournaledPublisher, meters_differ, write_settled
from dealwire.service.removed_tables import left_behind
from dealwire.service.timekeeping import ClockDoubtful, behind, doubtful, goes_back, written
from devices.clock import SystemClock

_log = logging.getLogger(__name__)

DERIVED_AND_EVENTS: Final = DERIVED | {"event"}
"""Topics that follow from the raw record: a resuming service checks them and publishes those that are missing."""
NOT_IN_FILE: Final = "it is no longer served"
"""Reason for ending the record of a table that is in the journal but not in the file."""


class StartClock(NamedTuple):
    """The clock with which a journal continues, and notes for the record. `set_back`: journal time restarts with the
    clock."""

    clock: SystemClock
    set_back: bool = False
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, path: Path, host: SystemClock, make_clock: Callable[[int], SystemClock], *, is_right: bool
    ) -> "StartClock":
        """Return the clock for the journal at `path`, if it exists; `host` is the host's clock. ClockDoubtful unless
        the operator confirmed it."""
        if not path.exists():
            return cls(host)
        newest_ns = 0
        with suppress(JournalEmpty), JournalReader(path) as reader:
            newest_ns = reader.newest_ns
        wall_ns, remarks = host.now_ns(), list[str]()
        if doubtful(wall_ns, newest_ns):
            if not is_right:
                raise ClockDoubtful(path, wall_ns, newest_ns)
            text = f"the operator confirmed the host clock: it shows {written(wall_ns)}"
            remarks.append(f"{text}, the newest record is from {written(newest_ns)}")
        if (slow := behind(wall_ns, newest_ns)) is not None:
            remarks.append(slow)
        set_back = goes_back(wall_ns, newest_ns)
        return cls(make_clock(0 if set_back else newest_ns), set_back, tuple(remarks))


class TablesOpening:
    """The tables of a starting service. Call `resume_tables` or `start_over`, then `table` for each one."""

    def __init__(self, configuration: Configuration, journal: Journal, maker: TableFactory, clock: SystemClock) -> None:
        self._configuration, self._journal, self._maker, self._clock = configuration, journal, maker, clock
        with JournalReader(journal.path) as reader:
            self._before = reader.starts()
        self._ended = self._before.keys() - {part.name for part in configuration.table}
        """Tables of the journal that are not in the file."""
        self._went_on: Resumed[JournaledPublisher] = Resumed()

    def resume_tables(self, key: SealsWith | None, progress: Callable[[], None]) -> Resumed[JournaledPublisher]:
        """Resume every unchanged table, and end the others; `progress` is called from time to time. Errors as of
        `resume`."""
        self._went_on = resume(
            self._journal, key, self._maker, self._clock.now_ns(), DERIVED_AND_EVENTS, progress=progress
        )
        self._warn_of_the_ended()
        publishers = self._went_on.publishers
        for name, why in not_as_before(self._configuration.table, publishers.keys(), self._before).items():
            self._end(publishers.pop(name), name, why)
        return self._went_on

    def start_over(self) -> Resumed[JournaledPublisher]:
        """Resume no table."""
        for name in self._ended:
            self._journal.stopped(name, self._clock.now_ns(), NOT_IN_FILE)
        self._warn_of_the_ended()
        return self._went_on

    def table(self, part: TablePart) -> tuple[TableStart, JournaledPublisher]:
        """Open a table of the configuration. Return how it started, and the table, resumed or new.

        Raise JournalDamaged if its meters disagree with the journal.
        """
        publisher = self._went_on.publishers.get(part.name)
        if publisher is not None:
            start = self._before[part.name]
        else:
            configuration, facts = configuration_of(part), self._maker.facts(part)
            number = self._journal.started(part.name, self._clock.now_ns(), configuration, facts)
            self._journal.secure()
            start = TableStart(part.name, number, configuration, facts)
            publisher = self._maker(start)
        if (why := meters_differ(self._journal.books.meters, publisher, part.name)) is not None:
            raise JournalDamaged(self._journal.path, None, why)
        publisher.replaying = False
        if publisher.rounds is not None:
            publisher.rounds.use_book(self._journal.books.settled)
        publisher.viewer.hold(self._journal.books.obligations.held(part.name))
        return start, publisher

    def _warn_of_the_ended(self) -> None:
        held, path = self._journal.books.obligations.tables, self._journal.path
        for name, text in left_behind(self._configuration, self._ended, held, path):
            _log.warning("table %s %s: %s", name, NOT_IN_FILE.removeprefix("it "), text)

    def _end(self, publisher: JournaledPublisher, name: str, why: str) -> None:
        now_ns = self._clock.now_ns()
        for each in publisher.finish():
            self._journal.publish(name, each.topic, now_ns, each.line)
        write_settled(self._journal, name, publisher, now_ns)
        self._journal.stopped(name, now_ns, why)


def not_as_before(parts: Sequence[TablePart], running: Set[str], before: Mapping[str, TableStart]) -> dict[str, str]:
    """Return which tables `running` in a journal cannot resume, and why: changed settings, or meters shared with a
    table that starts over."""
    wanted = {part.name: configuration_of(part) for part in parts}
    changed = {
        name: "its settings changed" if name in wanted else NOT_IN_FILE
        for name in sorted(running)
        if wanted.get(name) != before[name].configuration
    }
    shared = {part.name: {file.resolve() for file in (part.progressive, part.jackpot) if file} for part in parts}
    for setup in set().union(*shared.values()):
        together = {name for name, files in shared.items() if setup in files}
        if together & changed.keys() or together - running:
            for name in sorted(together & running):
                changed.setdefault(name, "it shares its meters with a table that starts over")
    return changed
