"""Between the owner, which deals, and everything that looks on: the console, the exports, the metrics.

The owner publishes and never waits for a reader. A reader has its own bounded queue; one that falls behind is told so
and starts again from the journal or from the newest view. Readers ask the owner to act by putting a request; the owner
takes it in its own turn and answers.
"""

import logging
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Self

from dealwire.hub.lines import Publication
from dealwire.hub.view import TableView

_log = logging.getLogger(__name__)

QUEUE_MAX: Final = 4096
"""Publications that may wait for one reader."""
REQUESTS_MAX: Final = 256
"""Requests that may wait for the owner."""
GIVE_WAY_S: Final = 0.002
"""For so long at most a page that is made waits for a result: about as long as one takes to be worked out."""
FAREWELL_S: Final = 1.0
"""How long a reader that lingers may hold up the end."""


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody asks the owner to do something. `action` is a name of `dealwire.service.actions`, `who` the role or
    badge it is done as, `origin` where that came from, for the record; `answer` gets the result, or the DealwireError
    that says why not."""

    table: str
    action: str
    fields: Mapping[str, object]
    who: str
    origin: str = ""
    answer: Future[str] = field(default_factory=Future)


class Subscription:
    """One reader's queue of lines. `wake` is called from the owner's thread when one came; it must not wait."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.lagged = False
        """Publications were dropped since the last `take`."""
        self.dropped = 0
        """So many were dropped in all."""
        self._wake = wake
        self._lock = threading.Lock()
        self._items: deque[Publication] = deque()

    def put(self, item: Publication) -> None:
        """Called by the hub."""
        with self._lock:
            if len(self._items) >= QUEUE_MAX:
                self.dropped += len(self._items)
                self._items.clear()
                self.lagged = True
            self._items.append(item)
        self._wake()

    def take(self) -> tuple[list[Publication], bool]:
        """Everything that waits, oldest first, and whether some before it were dropped."""
        with self._lock:
            items, lagged = list(self._items), self.lagged
            self._items.clear()
            self.lagged = False
        return items, lagged


class Hub:
    """What is known outside the owner's thread. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._way, self._taken = threading.Lock(), False
        self._views: dict[str, TableView] = {}
        self._readers: tuple[Subscription, ...] = ()
        self._watchers: tuple[tuple[Callable[[str], None], Callable[[str], bool]], ...] = ()
        self._requests: deque[Request] = deque()
        self._faults: Counter[str] = Counter()
        self._wake_owner: Callable[[], None] = lambda: None
        self._refresh: Callable[[], None] = lambda: None

    # ------------------------------------------------------------------ the owner's side

    def on_request(self, wake: Callable[[], None]) -> None:
        """What wakes the owner when a request waits."""
        self._wake_owner = wake

    def on_look(self, refresh: Callable[[], None]) -> None:
        """Set what brings the views up to date that nobody watched. Called from any thread."""
        self._refresh = refresh

    def take_way(self) -> None:
        """The owner has something to work out: whoever makes pages should leave it the interpreter, of which each would
        get half."""
        if not self._taken:
            self._taken = self._way.acquire(blocking=False)

    def free_way(self) -> None:
        """The owner waits for a line or the disk, and needs the interpreter for nothing."""
        if self._taken:
            self._taken = False
            self._way.release()

    def is_watched(self, table: str) -> bool:
        """Somebody wants every view of this table."""
        return any(wants(table) for _, wants in self._watchers)

    def publish(self, item: Publication) -> None:
        """Give `item` to every reader."""
        for reader in self._readers:
            reader.put(item)

    def show(self, view: TableView) -> None:
        """The newest view of a table, for everybody who watches."""
        with self._lock:
            self._views[view.table] = view
        for wake, wants in self._watchers:
            if wants(view.table):
                wake(view.table)

    def requests(self) -> list[Request]:
        """Everything that was asked and not yet taken."""
        with self._lock:
            waiting, self._requests = list(self._requests), deque()
        return waiting

    # ------------------------------------------------------------------ a reader's side

    def faults(self) -> dict[str, int]:
        """How often a fault of this program kept a reader from what it was given, by the reader's name."""
        with self._lock:
            return dict(self._faults)

    def count_fault(self, reader: str, error: Exception) -> None:
        """One more; the first of each reader is logged. The message of such an error may hold anything, a line too; the
        place says as much."""
        with self._lock:
            self._faults[reader] += 1
            first = self._faults[reader] == 1
        if first:
            at = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} at {at.filename.rsplit('/', 1)[-1]}:{at.lineno}"
            _log.error("%s: a fault of this program: %s; its lines are left out, more are counted", reader, place)

    def give_way(self) -> None:
        """Let the owner go first, if it has something to work out; to be called between two parts of a longer work."""
        if self._way.acquire(timeout=GIVE_WAY_S):
            self._way.release()

    def views(self) -> dict[str, TableView]:
        """The newest view of each table, made now where nobody watches: the owner is waited for, a turn of it."""
        self._refresh()
        return self.shown()

    def shown(self) -> dict[str, TableView]:
        """The last view of each table that was made. A table that somebody watches has no newer one."""
        with self._lock:
            return dict(self._views)

    def watch(self, wake: Callable[[str], None], wants: Callable[[str], bool] = lambda _: True) -> None:
        """Call `wake` with the name of each table that has a new view. `wants` says of which tables views are wanted
        now: of one that nobody wants none is made. Both are called from the owner's thread and must not wait."""
        with self._lock:
            self._watchers = (*self._watchers, (wake, wants))

    def look_away(self, wake: Callable[[str], None]) -> None:
        """Call it no more."""
        with self._lock:
            self._watchers = tuple(one for one in self._watchers if one[0] is not wake)

    def subscribe(self, wake: Callable[[], None]) -> Subscription:
        """A new reader of lines."""
        reader = Subscription(wake)
        with self._lock:
            self._readers = (*self._readers, reader)
        return reader

    def leave(self, reader: Subscription) -> None:
        """The reader is gone."""
        with self._lock:
            self._readers = tuple(one for one in self._readers if one is not reader)

    def ask(self, request: Request) -> Future[str]:
        """Ask the owner; the future is cancelled at once when too many wait."""
        with self._lock:
            full = len(self._requests) >= REQUESTS_MAX
            if not full:
                self._requests.append(request)
        if full:
            request.answer.cancel()
        else:
            self._wake_owner()
        return request.answer


class HubReader:
    """Takes what the hub gives, in a thread of its own; the tables never wait for it. Use it as a context manager, or
    `start` and `stop` it; a subclass says what it does with what it takes."""

    beat_s: float | None = None
    """How long `take` waits at most for something new; None waits for ever."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub, self._name = hub, name
        self._news, self._stopped = threading.Event(), False
        self._thread = threading.Thread(target=self.run, name=name, daemon=True)
        self._reader = hub.subscribe(self.wake)

    def wake(self) -> None:
        """Something new waits. Called in the owner's thread; it must not wait."""
        self._news.set()

    def take(self, items: Sequence[Publication], missed: bool) -> None:
        """What was made known since the last call, oldest first, and whether some before it was dropped."""
        raise NotImplementedError

    def start(self) -> None:
        """Take from now on what was made known since this object was made."""
        self._thread.start()

    def stop(self) -> None:
        """Take what waits, for at most a second, and end."""
        self._stopped = True
        self._news.set()
        self._thread.join(FAREWELL_S)
        self.leave()

    def leave(self) -> None:
        """Get nothing more."""
        self._hub.leave(self._reader)

    def run(self) -> None:
        """What the thread does: take, until stopped and nothing waits."""
        while not self._stopped:
            self._news.wait(self.beat_s)
            self._news.clear()
            self._take()
        self._take()

    def _take(self) -> None:
        """A fault of this program costs what was taken, and is counted; the thread goes on."""
        try:
            self.take(*self._reader.take())
        except Exception as error:
            self._hub.count_fault(self._name, error)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
