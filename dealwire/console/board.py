"""Live lines: what changed goes to every page that looks, as soon as it is known.

Nothing queues up: a page that is slow gets the newest of each section once it is ready for more, so it can lag but
never wait behind what is over. All of this runs in the console's own thread.
"""

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from dealwire.console.rendering import BUILD, ENDING, PageSections, WallSections
from dealwire.console.sessions import SignedIn
from dealwire.console.words import clock, natural
from dealwire.hub.actions import Action
from dealwire.hub.hub import Hub
from dealwire.hub.view import TableView

WATCHERS_MAX: Final = 64
"""Pages that may look at once."""
BEAT_S: Final = 4.0
"""Something is sent at least this often, so that a page whose line is cut without a word notices."""
GAP_S: Final = 0.015
"""At least this long between two messages to one page: a person sees no more, and a fast table must not fill the line.
What comes after a longer silence goes at once, and so does how a round ended: that is once a round, and waited for."""
SEND_S: Final = 10.0
"""A page that takes longer for one message is let go."""
MESSAGE_MAX: Final = 1024
"""Bytes a page may send; it has nothing to say."""

UNKNOWN_TABLE: Final = 4404
FULL: Final = 1013
RESTARTING: Final = 1012
SIGNED_OUT: Final = 4403
"""Close code of a live line whose session is over; the page says so, and is live again once it is loaded anew."""


WALL: Final = "\0wall"
"""In place of a table's name: all of them, on a pit's wall. No table has this name."""


@dataclass(eq=False, slots=True)
class _Watcher:
    """One page that looks: at `table`, or at all of them (WALL); `code` is why it must go, else 0."""

    table: str
    session: SignedIn | None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    at_once: asyncio.Event = field(default_factory=asyncio.Event)
    """The news cannot wait for the gap between two messages."""
    code: int = 0

    def let_go(self, code: int) -> None:
        """Nothing more is sent to it."""
        self.code = self.code or code
        self.news.set()
        self.at_once.set()


class Board:
    """The hub's newest views, rendered, and the pages that look at them. `start` and `stop` in the server's loop.
    `is_open` says whether a session still is one, `may_watch` the same for a wall; `actions` are what may be asked of
    each table; `now_ns` is the tables' time."""

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
        self._wall = WallSections(hub.give_way)
        self._watchers: dict[_Watcher, None] = {}
        self._watched: frozenset[str] = frozenset()
        """Tables that pages watch. Read in the owner's thread, so it is replaced and never changed."""
        self._moved: deque[str] = deque()  # tables of which there are new views, from the owner's thread
        self._called = False  # this thread knows that there are
        self._stopping = False

    def start(self) -> None:
        """Begin to watch the hub."""
        loop = asyncio.get_running_loop()

        def wake(table: str) -> None:
            self._moved.append(table)
            if self._called:  # once for all that moves until it is taken: each call costs the tables' thread a wait
                return
            self._called = True
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody watches any more
                loop.call_soon_threadsafe(self._take)

        self._wake = wake
        self._hub.watch(wake, self._wants)
        self._look()

    def stop(self) -> None:
        """Tell every page to come back later, and watch no more."""
        self._stopping = True
        self._hub.look_away(self._wake)
        for watcher in self._watchers:
            watcher.let_go(RESTARTING)

    def look_again(self) -> None:
        """A session may be over: the pages of it are let go."""
        for watcher in self._watchers:
            self._check(watcher)

    @property
    def views(self) -> dict[str, TableView]:
        """The newest view of each table, by name, in order of names."""
        self._look()
        return self._in_order()

    def _in_order(self) -> dict[str, TableView]:
        return {name: self._views[name] for name in sorted(self._views, key=natural)}

    def sections(self, table: str) -> dict[str, str]:
        """Every section of a table's page, or of all tables (WALL), by name."""
        self._look()
        return self._page(table).html

    async def serve(self, line: WebSocket, table: str, session: SignedIn | None = None) -> None:
        """One page's line, until either end closes it or the session is over; WALL for all tables."""
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
        """There are new views: for the pages that show them, and for those of all tables."""
        self._called = False  # before they are looked at: what moves from here on calls again
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
        """See what the tables show now, those too that no page watches."""
        self._views = self._hub.views()

    def _wants(self, table: str) -> bool:
        """A page watches the table. Called from the owner's thread."""
        return not self._watched.isdisjoint((table, WALL))

    def _note_watched(self) -> None:
        self._watched = frozenset(watcher.table for watcher in self._watchers)

    def _make_room(self, session: SignedIn | None) -> bool:
        """Whoever is signed in may look in the place of somebody who is not, the longest there."""
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
            self._wall.show(self._in_order())
            return self._wall
        if table not in self._pages:
            self._pages[table] = PageSections(actions=self._actions.get(table, ()), give_way=self._hub.give_way)
        page = self._pages[table]
        page.show(self._views[table], only)
        return page

    async def _watch(self, line: WebSocket, watcher: _Watcher) -> None:
        self._watchers[watcher] = None
        self._note_watched()
        self._look()
        ears = asyncio.create_task(_hear(line))
        voice = asyncio.create_task(self._send_news(line, watcher))
        try:
            await asyncio.wait({ears, voice}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._watchers.pop(watcher, None)
            self._note_watched()
            for task in (ears, voice):
                task.cancel()
            await asyncio.gather(ears, voice, return_exceptions=True)
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await line.close(watcher.code or 1008)

    async def _send_news(self, line: WebSocket, watcher: _Watcher) -> None:
        sent: dict[str, int] = {}
        ended = False
        while not self._check(watcher):
            if ended and watcher.table in self._views:
                await _say(line, self._ending(watcher.table, sent))
                await asyncio.sleep(0)  # how other tables' rounds ended comes before the rest of this page
            await _say(line, self._message(watcher.table, sent))
            await _set_within(watcher.at_once, GAP_S)
            await _set_within(watcher.news, BEAT_S)
            ended = watcher.at_once.is_set()
            watcher.news.clear()
            watcher.at_once.clear()

    def _ending(self, table: str, sent: dict[str, int]) -> str:
        """How the round ended, as JSON. The page shows the rest, and so this view whole, with the next message."""
        view, page = self._views[table], self._page(table, ENDING)
        return self._json(page.changes(sent), sent, ending=view.sequence)

    def _message(self, table: str, sent: dict[str, int]) -> str:
        """What the page has not, as JSON; without sections it is a mere sign of life."""
        changed = self._page(table).changes(sent)
        sequence = max((view.sequence for name, view in self._views.items() if table in (WALL, name)), default=0)
        return self._json(changed, sent, sequence=sequence)

    def _json(self, changed: Mapping[str, tuple[int, str]], sent: dict[str, int], **known: int) -> str:
        sent |= {name: version for name, (version, _) in changed.items()}
        sections = {name: html for name, (_, html) in changed.items()}
        return json.dumps(
            {"build": BUILD, **known, "clock": clock(self._now_ns()), "sections": sections}, ensure_ascii=False
        )


async def _say(line: WebSocket, text: str) -> None:
    """Send a message. TimeoutError when the page does not take it within `SEND_S`."""
    async with asyncio.timeout(SEND_S):  # a task of its own would wait until other pages are made
        await line.send_text(text)


async def _set_within(event: asyncio.Event, seconds: float) -> None:
    """Returns when it is set, or the time is up."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


def _ended(before: TableView | None, now: TableView) -> bool:
    """A round ended, or was settled, between two views."""
    return before is None or (before.settlement, before.outcomes) != (now.settlement, now.outcomes)


async def _hear(line: WebSocket) -> None:
    """Returns when the page has left, or has said something: it has nothing to say."""
    with contextlib.suppress(WebSocketDisconnect):
        await line.receive_text()
