"""Look once a second at the host of the tables: its clock, its disk, and the time stamps and witnesses of the log.

A problem is a warning at every table, and none stops for it.
"""

import logging
from collections.abc import Callable, Mapping

from dealwire.config.schema import JournalPart
from dealwire.hub.health import Health
from dealwire.hub.lines import ClockSet
from dealwire.hub.log_view import LogView
from dealwire.journal import Journal
from dealwire.service.day_stamps import DayStamps
from dealwire.service.disk import DiskWatch
from dealwire.service.log_watch import LogWatch
from dealwire.service.table_session import TableSession
from dealwire.service.timekeeping import follows, sentence_of
from devices.clock import SystemClock

_log = logging.getLogger(__name__)


class HostWatch:
    """Looks at the host of `tables`, which may grow. `show_log` gets the state of the log when it changed."""

    def __init__(
        self,
        journal: Journal,
        part: JournalPart,
        clock: SystemClock,
        health: Health,
        tables: Mapping[str, TableSession],
        show_log: Callable[[LogView], None],
    ) -> None:
        self._journal, self._clock, self._health, self._tables = journal, clock, health, tables
        self._stamps = DayStamps(journal, part)
        self._log = LogWatch(journal, part, health.log, self._stamps, show_log, clock.now_ns())
        self._disk = DiskWatch(journal.path.parent)
        self.clock_jumps = False
        """True once the host's clock was set forward, until the tables have followed it."""

    @property
    def log_problem(self) -> str | None:
        """The needed witnesses that have not cosigned for too long, as a sentence; None if there are none."""
        return self._log.problem

    def look_at_log(self, now_ns: int) -> None:
        """Have the log stamped when it is due, and warn if a witness does not sign."""
        self._warn(self._stamps.beat(now_ns), now_ns)
        self._warn(self._log.beat(now_ns), now_ns)

    def look(self, now_ns: int) -> None:
        """Look at disk and clock."""
        warning = self._disk.look(now_ns)
        self._health.disk_free, self._health.disk_size = self._disk.free, self._disk.size
        self._warn(warning, now_ns)
        self._look_at_clock(now_ns)

    def _warn(self, warning: str | None, now_ns: int) -> None:
        if warning is not None:
            _log.warning("%s: %s", self._journal.path, warning)
            for session in self._tables.values():
                session.status("warning", warning, now_ns)

    def _look_at_clock(self, now_ns: int) -> None:
        step = self._clock.look()
        self._health.clock_offset_ns = self._clock.offset_ns
        if step is None:
            return
        _log.warning("%s", sentence_of(step))
        simulated = any(session.bench is not None for session in self._tables.values())
        self.clock_jumps = follows(step) and not simulated
        facts = ClockSet(step.by_ns, step.wall_ns, step.carried_ns, self.clock_jumps)
        for session in self._tables.values():
            session.status("clock-step", sentence_of(step), now_ns, clock=facts)
