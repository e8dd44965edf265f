"""Live connections: send each page the sections that changed, as soon as they change.

Nothing queues up. A slow page gets the newest state of each section when it is ready for more, so it may lag but never
waits behind outdated updates. Everything here runs in the console's own thread.
"""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from dealwire.console.rendering import BUILD, ENDING, LogShown, PageSections, WallSections
from dealwire.console.sessions import SignedIn
from dealwire.console.words import clock, natural
from dealwire.hub.actions import Action
from dealwire.hub.hub import Hub
from dealwire.hub.log_view import LogView
from dealwire.hub.view import TableView

WATCHERS_MAX: Final = 64
"""Maximum number of pages connected at once."""
BEAT_S: Final = 4.0
"""Longest time between two messages to a page, so that the page notices a connection that was cut silently."""
GAP_S: Final = 0.015
"""Shortest time between two messages to a page. A higher rate is invisible, and a fast table must not flood the
connection. An update after a longer pause is sent at once, and so is the end of a round."""
SEND_S: Final = 10.0
"""A page that takes longer to accept one message is disconnected."""
MESSAGE_MAX: Final = 1024
"""Maximum size of a message from a page in bytes; pages have nothing to send."""

UNKNOWN_TABLE: Final = 4404
FULL: Final = 1013
RESTARTING: Final = 1012
SIGNED_OUT: Final = 4403
"""Close code of a live connection whose session is over. The page says so and is live again after a reload."""


WALL: Final = "\0wall"
"""Stands for all tables (the wall) in place of a table's name. No table can have this name."""


@dataclass(eq=False, slots=True)
class _Watcher:
    """One connected page, for `table` or for the wall (WALL). `code` is the close code once it must go, else 0."""

    table: str
    session: SignedIn | None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the news must not wait for the gap between two messages."""
    code: int = 0

    def let_go(self, code: int) -> None:
        """Disconnect the page: send it nothing more."""
        self.code = self.code or code
        self.news.set()
        self.at_once.set()


class Board:
    """The newest views of the hub, rendered, and the pages that display them.

    `start` and `stop` run in the server's loop. `is_open` tells whether a session is still valid, `may_watch` the same
    for the wall; `actions` are the actions of each table; `now_ns` is the tables' time.
    """

    def __init__(
        self,
        hub: Hub,
        is_open: Callable[[SignedIn], bool] = lambda _: True,
        actions: Mapping[str, Sequence[Action]] | None = None,
        now_ns: Callable[[], int] = lambda: 0,
        may_watch: Callable[[SignedIn], bool] | None = None,
    ) -> None:
        self._now_ns = now_ns
        self._hub, self._is_open, self._actions = hub, is_open, actions or {}
        self._may_watch = may_watch or is_open
        self._views: dict[str, TableView] = {}
        self._pages: dict[str, PageSections] = {}
        self._wall = WallSections(hub.yield_to_owner)
        self._watchers: dict[_Watcher, None] = {}
        self._watched: frozenset[str] = frozenset()
        """Tables that some page displays. The owner's thread reads it, so it is replaced as a whole and never changed.
        """
        self._moved: deque[str] = deque()  # tables with new views, appended by the owner's thread
        self._called = False  # a call of `_take` is pending
        self._stopping = False

    def start(self) -> None:
        """Start watching the hub."""
        loop = asyncio.get_running_loop()

        def wake(table: str) -> None:
            self._moved.append(table)
            if self._called:  # one pending call covers all changes: each call costs the tables' thread a wait
                return
            self._called = True
            with contextlib.suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._take)

        self._wake = wake
        self._hub.watch(wake, self._wants)
        self._look()

    def stop(self) -> None:
        """Tell every page to reconnect later, and stop watching the hub."""
        self._stopping = True
        self._hub.unwatch(self._wake)
        for watcher in self._watchers:
            watcher.let_go(RESTARTING)

    def look_again(self) -> None:
        """Disconnect the pages whose session is over."""
        for watcher in self._watchers:
            self._check(watcher)

    @property
    def views(self) -> dict[str, TableView]:
        """The newest view of each table, sorted by name."""
        self._look()
        return self._in_order()

    def _in_order(self) -> dict[str, TableView]:
        return {name: self._views[name] for name in sorted(self._views, key=natural)}

    def sections(self, table: str) -> dict[str, str]:
        """Return every section of a table's page, or of the wall (WALL), by name."""
        self._look()
        return self._page(table).html

    @property
    def log(self) -> LogView | None:
        """The newest state of the journal's log; None if it signs no checkpoints."""
        return self._hub.log

    async def serve(self, line: WebSocket, table: str, session: SignedIn | None = None) -> None:
        """Serve one page's live connection until either end closes it or the session is over; WALL for all tables."""
        await line.accept()
        if table not in self._views:
            self._look()
        if table != WALL and table not in self._views:
            await line.close(UNKNOWN_TABLE)
        elif self._stopping:
            await line.close(RESTARTING)
        elif len(self._watchers) >= WATCHERS_MAX and not self._make_room(session):
            await line.close(FULL)
        else:
            await self._watch(line, _Watcher(table, session))

    # ------------------------------------------------------------------ inside

    def _take(self) -> None:
        """Take the new views and wake the pages that show them, and every wall."""
        self._called = False  # before reading: later changes must call again
        moved = {WALL}
        while self._moved:
            moved.add(self._moved.popleft())
        before, self._views = self._views, self._hub.shown()
        for watcher in self._watchers:
            if watcher.table in moved:
                watcher.news.set()
                if watcher.table in self._views and _ended(before.get(watcher.table), self._views[watcher.table]):
                    watcher.at_once.set()

    def _look(self) -> None:
        """Refresh the views of all tables, also those that no page displays."""
        self._views = self._hub.views()

    def _wants(self, table: str) -> bool:
        """True if a page displays the table. Called from the owner's thread."""
        return not self._watched.isdisjoint((table, WALL))

    def _note_watched(self) -> None:
        self._watched = frozenset(watcher.table for watcher in self._watchers)

    def _make_room(self, session: SignedIn | None) -> bool:
        """Make room for a signed-in user by disconnecting the oldest page without a session. False if there is none."""
        nobodys = next((each for each in self._watchers if each.session is None), None)
        if session is None or nobodys is None:
            return False
        nobodys.let_go(FULL)
        self._watchers.pop(nobodys)
        self._note_watched()
        return True

    def _check(self, watcher: _Watcher) -> int:
        may_look = self._may_watch if watcher.table == WALL else self._is_open
        if watcher.session is not None and not may_look(watcher.session):
            watcher.let_go(SIGNED_OUT)
        return watcher.code

    def _page(self, table: str, only: Collection[str] = ()) -> PageSections | WallSections:
        if table == WALL:
            self._wall.show(self._in_order(), LogShown(self._hub.log, self._now_ns()))
            return self._wall
        if table not in self._pages:
            self._pages[table] = PageSections(
                actions=self._actions.get(table, ()), yield_to_owner=self._hub.yield_to_owner
            )
        page = self._pages[table]
        page.show(self._views[table], only)
        return page

    async def _watch(self, line: WebSocket, watcher: _Watcher) -> None:
        self._watchers[watcher] = None
        self._note_watched()
        self._look()
        listening = asyncio.create_task(_wait_until_closed(line))
        sending = asyncio.create_task(self._send_news(line, watcher))
        try:
            await asyncio.wait({listening, sending}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._watchers.pop(watcher, None)
            self._note_watched()
            for task in (listening, sending):
                task.cancel()
            await asyncio.gather(listening, sending, return_exceptions=True)
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await line.close(watcher.code or 1008)

    async def _send_news(self, line: WebSocket, watcher: _Watcher) -> None:
        sent: dict[str, int] = {}
        ended = False
        while not self._check(watcher):
            if ended and watcher.table in self._views:
                await _send(line, self._ending(watcher.table, sent))
                await asyncio.sleep(0)  # let the ends of other tables' rounds go before the rest of this page
            await _send(line, self._message(watcher.table, sent))
            await _set_within(watcher.at_once, GAP_S)
            await _set_within(watcher.news, BEAT_S)
            ended = watcher.at_once.is_set()
            watcher.news.clear()
            watcher.at_once.clear()

    def _ending(self, table: str, sent: dict[str, int]) -> str:
        """Return the end of a round as JSON. The rest of the view follows in the next message, with its sequence
        number."""
        view, page = self._views[table], self._page(table, ENDING)
        return self._json(page.changes(sent), sent, ending=view.sequence)

    def _message(self, table: str, sent: dict[str, int]) -> str:
        """Return the sections that the page lacks, as JSON; without sections the message is only a heartbeat."""
        changed = self._page(table).changes(sent)
        sequence = max((view.sequence for name, view in self._views.items() if table in (WALL, name)), default=0)
        return self._json(changed, sent, sequence=sequence)

    def _json(self, changed: Mapping[str, tuple[int, str]], sent: dict[str, int], **known: int) -> str:
        sent |= {name: version for name, (version, _) in changed.items()}
        sections = {name: html for name, (_, html) in changed.items()}
        return json.dumps(
            {"build": BUILD, **known, "clock": clock(self._now_ns()), "sections": sections}, ensure_ascii=False
        )


async def _send(line: WebSocket, text: str) -> None:
    """Send a message. TimeoutError if the page does not accept it within `SEND_S`."""
    async with asyncio.timeout(SEND_S):  # a separate task would wait for other pages to render
        await line.send_text(text)


async def _set_within(event: asyncio.Event, seconds: float) -> None:
    """Wait until the event is set or the time is up."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _ended(before: TableView | None, now: TableView) -> bool:
    """True if a round ended or was settled between two views."""
    return before is None or (before.settlement, before.outcomes) != (now.settlement, now.outcomes)


async def _wait_until_closed(line: WebSocket) -> None:
    """Return when the page has disconnected or sent anything: it has nothing to send."""
    with contextlib.suppress(WebSocketDisconnect):
        await line.receive_text()
