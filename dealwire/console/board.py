"""Live lines: what changed goes to every page that looks, as soon as it is known.

Nothing queues up: a page that is slow gets the newest of each section once it is ready for more, so it can lag but
never wait behind what is over. All of this runs in the console's own thread.
"""

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from dealwire.console.rendering import BUILD, OVERVIEW, PageSections, WallSections
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
What comes after a longer silence goes at once."""
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
    """One page that looks: at `table`, or at all of them (None, WALL); `code` is why it must go, else 0."""

    table: str | None
    session: SignedIn | None
    news: asyncio.Event = field(default_factory=asyncio.Event)
    code: int = 0

    def let_go(self, code: int) -> None:
        """Nothing more is sent to it."""
        self.code = self.code or code
        self.news.set()


class Board:
    """The hub's newest views, rendered, and the pages that look at them. `start` and `stop` in the server's loop.
    `is_open` says whether a session still is one; `actions` are what may be asked of each table; `now_ns`
    is the tables' time."""

    def __init__(
        self,
        hub: Hub,
        is_open: Callable[[SignedIn], bool] = lambda _: True,
        actions: Mapping[str, Sequence[Action]] | None = None,
        now_ns: Callable[[], int] = lambda: 0,
    ) -> None:
        self._now_ns = now_ns
        self._hub, self._is_open, self._actions = hub, is_open, actions or {}
        self._views: dict[str, TableView] = {}
        self._pages: dict[str | None, PageSections] = {None: PageSections(OVERVIEW)}
        self._wall = WallSections()
        self._watchers: dict[_Watcher, None] = {}
        self._stopping = False

    def start(self) -> None:
        """Begin to watch the hub."""
        loop = asyncio.get_running_loop()

        def wake(table: str) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody watches any more
                loop.call_soon_threadsafe(self._take, table)

        self._wake = wake
        self._hub.watch(wake)
        self._views = self._hub.views()

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
        return {name: self._views[name] for name in sorted(self._views, key=natural)}

    def sections(self, table: str | None) -> dict[str, str]:
        """Every section of a table's page, of the overview or of the wall, by name."""
        return self._page(table).html

    async def serve(self, line: WebSocket, table: str | None, session: SignedIn | None = None) -> None:
        """One page's line, until either end closes it or the session is over; table None for the overview,
        WALL for the wall."""
        await line.accept()
        if table not in (None, WALL) and table not in self._views:
            await line.close(UNKNOWN_TABLE)
        elif self._stopping:
            await line.close(RESTARTING)
        elif len(self._watchers) >= WATCHERS_MAX and not self._make_room(session):
            await line.close(FULL)
        else:
            await self._watch(line, _Watcher(table, session))

    # ------------------------------------------------------------------ inside

    def _take(self, table: str) -> None:
        """There is a new view of `table`: for the pages that show it, and for the overview."""
        self._views = self._hub.views()
        for watcher in self._watchers:
            if watcher.table in (table, None, WALL):
                watcher.news.set()

    def _make_room(self, session: SignedIn | None) -> bool:
        """Whoever is signed in may look in the place of somebody who is not, the longest there."""
        nobodys = next((each for each in self._watchers if each.session is None), None)
        if session is None or nobodys is None:
            return False
        nobodys.let_go(FULL)
        self._watchers.pop(nobodys)
        return True

    def _check(self, watcher: _Watcher) -> int:
        if watcher.session is not None and not self._is_open(watcher.session):
            watcher.let_go(SIGNED_OUT)
        return watcher.code

    def _page(self, table: str | None) -> PageSections | WallSections:
        if table == WALL:
            self._wall.show(self.views)
            return self._wall
        if table not in self._pages:
            self._pages[table] = PageSections(actions=self._actions.get(table or "", ()))
        page = self._pages[table]
        page.show(self.views if table is None else self._views[table])
        return page

    async def _watch(self, line: WebSocket, watcher: _Watcher) -> None:
        self._watchers[watcher] = None
        ears = asyncio.create_task(_hear(line))
        voice = asyncio.create_task(self._send_news(line, watcher))
        try:
            await asyncio.wait({ears, voice}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._watchers.pop(watcher, None)
            for task in (ears, voice):
                task.cancel()
            await asyncio.gather(ears, voice, return_exceptions=True)
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await line.close(watcher.code or 1008)

    async def _send_news(self, line: WebSocket, watcher: _Watcher) -> None:
        sent: dict[str, int] = {}
        while not self._check(watcher):
            await asyncio.wait_for(line.send_text(self._message(watcher.table, sent)), SEND_S)
            await asyncio.sleep(GAP_S)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(watcher.news.wait(), BEAT_S)
            watcher.news.clear()

    def _message(self, table: str | None, sent: dict[str, int]) -> str:
        """What the page has not, as JSON; without sections it is a mere sign of life."""
        changed = self._page(table).changes(sent)
        sequence = max((view.sequence for name, view in self._views.items() if table in (None, WALL, name)), default=0)
        sent |= {name: version for name, (version, _) in changed.items()}
        sections = {name: html for name, (_, html) in changed.items()}
        return json.dumps(
            {"build": BUILD, "sequence": sequence, "clock": clock(self._now_ns()), "sections": sections},
            ensure_ascii=False,
        )


async def _hear(line: WebSocket) -> None:
    """Returns when the page has left, or has said something: it has nothing to say."""
    with contextlib.suppress(WebSocketDisconnect):
        await line.receive_text()
