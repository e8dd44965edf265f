"""When the views of tables are made and shown: at once what is urgent, the rest now and then, and when somebody looks.

Touches views and the hub alone. Nothing is shown that is not on the disk: a turn's tables may be shown once `sort` was
told that what came of them is.
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
"""A table is shown this often while devices report; at once when something comes of it."""
SHOWN_TOGETHER: Final = 16
"""With more tables than these it is rarer in proportion: a view costs more than what it shows, and nobody looks at
hundreds of tables fifty times a second."""
LOOK_S: Final = 0.5
"""For a turn of the tables. Whoever looks while they are busy for longer sees what was shown before."""


class Showing:
    """Shows so many `tables` to whom `hub` has, in the turns of `owner`. Only `look` may be called from other threads
    than the one that made it, or called `adopt`; `timer` is to be a member of the owner."""

    def __init__(self, hub: Hub, owner: Owner, clock: Clock, tables: int) -> None:
        self._hub, self._owner, self._clock = hub, owner, clock
        self.timer = Timer(self._on_due)
        self.moved: dict[TableSession, None] = {}
        """Tables of which there is something to see from this turn."""
        self._unshown: dict[TableSession, None] = {}
        """Tables of which there is something to see that was not shown yet, in their order."""
        self._unwatched: dict[TableSession, None] = {}
        """The same of those that nobody watches: they are shown when somebody looks."""
        self._apart_ns = VIEW_NS * max(1, tables // SHOWN_TOGETHER)
        self._shown_ns = 0
        self._lookers: deque[threading.Event] = deque()
        """Other threads that wait until those are shown."""
        self.adopt()

    def adopt(self) -> None:
        """From now on this is the thread whose turns they are."""
        self._thread = threading.get_ident()

    # ------------------------------------------------------------------ in the owner's turn

    def note(self, session: TableSession) -> None:
        """There is something to see of a table that was not shown yet."""
        self._hub.take_way()
        self.moved[session] = None

    def sort(self) -> None:
        """What moved in this turn is on the disk: it may be shown."""
        for session in self.moved:
            (self._unshown if self._hub.is_watched(session.name) else self._unwatched)[session] = None

    def turn(self, now_ns: int) -> None:
        """The turn ends: show what is due."""
        self.moved = {}
        if self._unshown:
            self._show_what_is_due(now_ns)
        if self._lookers:
            self.answer()

    def answer(self) -> None:
        """Show all that waits, and let go whoever waits for it."""
        self._show_what_waits()
        while self._lookers:
            self._lookers.popleft().set()

    def _show_what_is_due(self, now_ns: int) -> None:
        urgent = [session for session in self._unshown if session.urgent]
        due_ns = self._shown_ns + self._apart_ns
        if urgent:  # what can wait does not keep it
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
        """Every view is made before the first is shown: a reader that is woken takes the interpreter."""
        for session in sessions:
            self._unshown.pop(session, None)
            self._unwatched.pop(session, None)
        for view in [session.view(now_ns) for session in sessions]:
            self._hub.show(view)

    def _show_what_waits(self) -> None:
        """All of it but for what moved in a turn that is under way: that is not on the disk yet."""
        waiting = [session for session in {**self._unshown, **self._unwatched} if session not in self.moved]
        self._show_all(waiting, self._clock.now_ns())

    # ------------------------------------------------------------------ from any thread

    def look(self) -> None:
        """Somebody looks who does not watch: show what moved, from whatever thread, and wait until it is shown."""
        if not (self._unwatched or self._unshown):
            return
        if threading.get_ident() == self._thread:
            self._show_what_waits()
        else:
            done = threading.Event()
            self._lookers.append(done)
            self._owner.call_soon(lambda: None)  # at the end of the turn
            done.wait(LOOK_S)
