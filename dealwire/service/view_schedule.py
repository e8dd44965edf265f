"""Schedule of views: urgent ones at once, others at intervals, and on request of an observer.

It uses views and the hub only. Nothing is shown that is not on the disk: tables of a turn may be shown once `sort` was
called after the commit.
"""

import threading
from collections import deque
from collections.abc import Sequence
from typing import Final

from dealwire.hub.hub import Hub
from dealwire.service.table_session import TableSession
from dealwire.service.timer import Timer
from devices.clock import Clock
from devices.line.loop import Owner

VIEW_NS: Final = 20_000_000
"""Interval of a table's views while devices report; a result is shown at once."""
SHOWN_TOGETHER: Final = 16
"""With more tables than these the interval grows in proportion: views are costly, and no one watches hundreds of tables
fifty times a second."""
LOOK_S: Final = 0.5
"""Longest wait for a turn of the tables. After that an observer sees the previous views."""


class ViewSchedule:
    """Shows `tables` tables to the hub's observers, in turns of `owner`, which must have `timer` as a member. Only
    `look` may be called from threads other than the one that created this object or called `adopt`."""

    def __init__(self, hub: Hub, owner: Owner, clock: Clock, tables: int) -> None:
        self._hub, self._owner, self._clock = hub, owner, clock
        self.timer = Timer(self._on_due)
        self.moved: dict[TableSession, None] = {}
        """Tables with something to show from this turn."""
        self._unshown: dict[TableSession, None] = {}
        """Tables with something to show from earlier turns, in order."""
        self._unwatched: dict[TableSession, None] = {}
        """The same for tables that no one watches: they are shown on request."""
        self._apart_ns = VIEW_NS * max(1, tables // SHOWN_TOGETHER)
        self._shown_ns = 0
        self._lookers: deque[threading.Event] = deque()
        """Threads that wait until those are shown."""
        self.adopt()

    def adopt(self) -> None:
        """Make the calling thread the owner's thread."""
        self._thread = threading.get_ident()

    # ------------------------------------------------------------------ in the owner's turn

    def note(self, session: TableSession) -> None:
        """Record that a table has something to show."""
        self._hub.claim_interpreter()
        self.moved[session] = None

    def sort(self) -> None:
        """Sort the tables of this turn for display, now that their results are on the disk."""
        for session in self.moved:
            (self._unshown if self._hub.is_watched(session.name) else self._unwatched)[session] = None

    def turn(self, now_ns: int) -> None:
        """End the turn: show what is due."""
        self.moved = {}
        if self._unshown:
            self._show_what_is_due(now_ns)
        if self._lookers:
            self.answer()

    def answer(self) -> None:
        """Show everything that waits, and release the threads that wait for it."""
        self._show_what_waits()
        while self._lookers:
            self._lookers.popleft().set()

    def _show_what_is_due(self, now_ns: int) -> None:
        urgent = [session for session in self._unshown if session.urgent]
        due_ns = self._shown_ns + self._apart_ns
        if urgent:  # urgent views do not wait for the others
            self._show_all(urgent, now_ns)
        elif now_ns >= due_ns:
            self._on_due(now_ns)
        if self._unshown and self.timer.due_ns is None:
            self.timer.due_ns = due_ns
            self._owner.changed(self.timer)

    def _on_due(self, now_ns: int) -> None:
        self._shown_ns = now_ns
        self._show_all(list(self._unshown), now_ns)

    def _show_all(self, sessions: Sequence[TableSession], now_ns: int) -> None:
        """Show tables. Make every view before showing the first, because a reader that wakes takes the interpreter."""
        for session in sessions:
            self._unshown.pop(session, None)
            self._unwatched.pop(session, None)
        for view in [session.view(now_ns) for session in sessions]:
            self._hub.show(view)

    def _show_what_waits(self) -> None:
        """Show everything except what moved in a turn under way, which is not on the disk yet."""
        waiting = [session for session in {**self._unshown, **self._unwatched} if session not in self.moved]
        self._show_all(waiting, self._clock.now_ns())

    # ------------------------------------------------------------------ from any thread

    def look(self) -> None:
        """Show what moved to an observer that does not watch, from any thread, and wait until it is shown."""
        if not (self._unwatched or self._unshown):
            return
        if threading.get_ident() == self._thread:
            self._show_what_waits()
        else:
            done = threading.Event()
            self._lookers.append(done)
            self._owner.call_soon(lambda: None)  # answered at the end of the turn
            done.wait(LOOK_S)
