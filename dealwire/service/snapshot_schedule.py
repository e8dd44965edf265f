"""Schedule of snapshots after rounds: soon, one at a time, without delaying other tables."""

from typing import Final

from dealwire.service.table_session import TableSession
from dealwire.service.timer import Timer
from devices.clock import Clock
from devices.line.loop import Owner

KEEP_AFTER_NS: Final = 20_000_000
"""Delay from the end of a round to the snapshot of its table; `KEEP_APART_NS` is the gap between two. A snapshot takes
a millisecond, for which rounds of other tables that end at about the same time would wait."""
KEEP_APART_NS: Final = 5_000_000


class SnapshotSchedule:
    """Takes snapshots in turns of `owner`, which must have `timer` as a member. Each reaches the disk with the next
    group."""

    def __init__(self, owner: Owner, clock: Clock) -> None:
        self._owner, self._clock = owner, clock
        self.timer = Timer(self._on_due)
        self.owed: dict[TableSession, None] = {}
        """Tables that need a snapshot, in the order in which their rounds ended."""

    def owe(self, session: TableSession) -> None:
        """Schedule a snapshot of a table whose round ended."""
        self.owed[session] = None
        if self.timer.due_ns is None:
            self._be_due_in(KEEP_AFTER_NS)

    def finish(self) -> None:
        """Take the outstanding snapshots now, because the service ends."""
        for session in self.owed:
            session.keep(self._clock.now_ns())

    def _on_due(self, now_ns: int) -> None:
        session = next(iter(self.owed))
        del self.owed[session]
        session.keep(now_ns)
        if self.owed:
            self._be_due_in(KEEP_APART_NS)

    def _be_due_in(self, wait_ns: int) -> None:
        self.timer.due_ns = self._clock.now_ns() + wait_ns
        self._owner.changed(self.timer)
