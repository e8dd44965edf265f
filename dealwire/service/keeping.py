"""When tables whose rounds ended are written down as they stand: soon, one at a time, and in nobody's way."""

from typing import Final

from dealwire.service.table_session import TableSession
from dealwire.service.timer import Timer
from devices.clock import Clock
from devices.line.loop import Owner

KEEP_AFTER_NS: Final = 20_000_000
"""From the end of a round to the snapshot of its table, and `KEEP_APART_NS` between two: a snapshot takes a
millisecond, in which other tables' rounds would wait that end at about the same time."""
KEEP_APART_NS: Final = 5_000_000


class Keeping:
    """Takes snapshots in the turns of `owner`, of which `timer` is to be a member. Each is on the disk with the next
    group."""

    def __init__(self, owner: Owner, clock: Clock) -> None:
        self._owner, self._clock = owner, clock
        self.timer = Timer(self._on_due)
        self.owed: dict[TableSession, None] = {}
        """Tables whose snapshot is to be taken, as their rounds ended."""

    def owe(self, session: TableSession) -> None:
        """A round of a table ended."""
        self.owed[session] = None
        if self.timer.due_ns is None:
            self._be_due_in(KEEP_AFTER_NS)

    def finish(self) -> None:
        """Take those that are owed now: there is no later."""
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
