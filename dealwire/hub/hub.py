"""The hub between the owner, which deals, and its readers: console, exports, metrics.

The owner publishes and never waits for a reader. Each reader has its own bounded queue. A reader that falls behind is
notified and restarts from the journal or the newest view. Readers put requests to the owner, which handles them in its
own turn and answers.
"""

import logging
import threading
import traceback
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Final, Self

from dealwire.hub.lines import Assertion, Publication
from dealwire.hub.log_view import LogView
from dealwire.hub.view import TableView

_log = logging.getLogger(__name__)

QUEUE_MAX: Final = 4096
"""Maximum number of publications that wait for one reader."""
REQUESTS_MAX: Final = 256
"""Maximum number of requests that wait for the owner."""
YIELD_S: Final = 0.002
"""Longest time a page being rendered waits for a result: about the time that one takes to compute."""
FAREWELL_S: Final = 1.0
"""Longest time a slow reader may delay the end."""


@dataclass(frozen=True, slots=True)
class Request:
    """Somebody asks the owner to do something. `action` is a name of `dealwire.service.actions`, `who` the role or
    badge it is done as, `origin` where that came from, for the record; `answer` gets the result, or the DealwireError
    that says why not.

    `user` is the person or program, empty for a role's token. The person proved who it is at `proven_ns`, with
    `proven_by`; `proof` is the answer of a passkey to the request that is approved. `second` is the person who approved
    it, set by the owner alone.
    """

    table: str
    action: str
    fields: Mapping[str, object]
    who: str
    origin: str = ""
    answer: Future[str] = field(default_factory=Future)
    user: str = ""
    proven_ns: int = 0
    proven_by: str = ""
    second: str = ""
    proof: Assertion | None = None


class Subscription:
    """A reader's queue of lines. `wake` is called from the owner's thread when a line arrives; it must not wait."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.lagged = False
        """True if publications were dropped since the last `take`."""
        self.dropped = 0
        """Publications dropped in all."""
        self._wake = wake
        self._lock = threading.Lock()
        self._items: deque[Publication] = deque()

    def put(self, item: Publication) -> None:
        """Add a publication. Called by the hub."""
        with self._lock:
            if len(self._items) >= QUEUE_MAX:
                self.dropped += len(self._items)
                self._items.clear()
                self.lagged = True
            self._items.append(item)
        self._wake()

    def take(self) -> tuple[list[Publication], bool]:
        """Return everything that waits, oldest first, and whether earlier publications were dropped."""
        with self._lock:
            items, lagged = list(self._items), self.lagged
            self._items.clear()
            self.lagged = False
        return items, lagged


class Hub:
    """Publications, views and requests shared between threads. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._way, self._taken = threading.Lock(), False
        self._views: dict[str, TableView] = {}
        self._readers: tuple[Subscription, ...] = ()
        self._watchers: tuple[tuple[Callable[[str], None], Callable[[str], bool]], ...] = ()
        self._requests: deque[Request] = deque()
        self._faults: Counter[str] = Counter()
        self.log: LogView | None = None
        """Newest state of the journal's log; None if no checkpoints are signed."""
        self._wake_owner: Callable[[], None] = lambda: None
        self._refresh: Callable[[], None] = lambda: None

    # ------------------------------------------------------------------ the owner's side

    def on_request(self, wake: Callable[[], None]) -> None:
        """Set the function that wakes the owner when a request waits."""
        self._wake_owner = wake

    def on_look(self, refresh: Callable[[], None]) -> None:
        """Set the function that refreshes views that no one watched. It is called from any thread."""
        self._refresh = refresh

    def claim_interpreter(self) -> None:
        """Claim the interpreter for the owner. Pages should pause: each competing thread would take half of it."""
        if not self._taken:
            self._taken = self._way.acquire(blocking=False)

    def release_interpreter(self) -> None:
        """The owner waits for a line or the disk, and needs the interpreter for nothing."""
        if self._taken:
            self._taken = False
            self._way.release()

    def is_watched(self, table: str) -> bool:
        """True if someone wants every view of this table."""
        return any(wants(table) for _, wants in self._watchers)

    def publish(self, item: Publication) -> None:
        """Give `item` to every reader."""
        for reader in self._readers:
            reader.put(item)

    def show(self, view: TableView) -> None:
        """Set the newest view of a table and wake those who watch it."""
        with self._lock:
            self._views[view.table] = view
        for wake, wants in self._watchers:
            if wants(view.table):
                wake(view.table)

    def show_log(self, log: LogView) -> None:
        """Set the newest state of the journal's log. Pages take it with their next message."""
        self.log = log

    def requests(self) -> list[Request]:
        """Return and clear the waiting requests."""
        with self._lock:
            waiting, self._requests = list(self._requests), deque()
        return waiting

    # ------------------------------------------------------------------ a reader's side

    def faults(self) -> dict[str, int]:
        """Return the number of internal errors that cost a reader its input, by reader."""
        with self._lock:
            return dict(self._faults)

    def count_fault(self, reader: str, error: Exception) -> None:
        """Count an internal error; log the first one of each reader. Its message may contain anything, even a line, so
        only its place is logged."""
        with self._lock:
            self._faults[reader] += 1
            first = self._faults[reader] == 1
        if first:
            at = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{type(error).__name__} at {at.filename.rsplit('/', 1)[-1]}:{at.lineno}"
            _log.error("%s: internal error: %s; its lines are skipped, further errors are counted", reader, place)

    def yield_to_owner(self) -> None:
        """Let the owner go first if it has claimed the interpreter. Call it between parts of longer work."""
        if self._way.acquire(timeout=YIELD_S):
            self._way.release()

    def views(self) -> dict[str, TableView]:
        """Return the newest view of each table. Views of unwatched tables are made in the next turn of the owner."""
        self._refresh()
        return self.shown()

    def shown(self) -> dict[str, TableView]:
        """Return the last view made of each table. A watched table has no newer one."""
        with self._lock:
            return dict(self._views)

    def watch(self, wake: Callable[[str], None], wants: Callable[[str], bool] = lambda _: True) -> None:
        """Call `wake` with the name of each table that has a new view.

        `wants` selects the tables whose views are wanted now; no view is made of a table that no one wants. Both are
        called from the owner's thread and must not wait.
        """
        with self._lock:
            self._watchers = (*self._watchers, (wake, wants))

    def unwatch(self, wake: Callable[[str], None]) -> None:
        """Stop calling it."""
        with self._lock:
            self._watchers = tuple(one for one in self._watchers if one[0] is not wake)

    def subscribe(self, wake: Callable[[], None]) -> Subscription:
        """Add a reader of lines."""
        reader = Subscription(wake)
        with self._lock:
            self._readers = (*self._readers, reader)
        return reader

    def leave(self, reader: Subscription) -> None:
        """Remove a reader."""
        with self._lock:
            self._readers = tuple(one for one in self._readers if one is not reader)

    def ask(self, request: Request) -> Future[str]:
        """Send a request to the owner. If too many wait, the future is canceled at once."""
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
    """Reads the hub in a thread of its own, so that tables never wait for it. Use it as a context manager, or call
    `start` and `stop`. A subclass implements `take`."""

    beat_s: float | None = None
    """Longest wait for something new between calls of `take`; None waits forever."""

    def __init__(self, hub: Hub, name: str) -> None:
        self._hub, self._name = hub, name
        self._news, self._stopped = threading.Event(), False
        self._thread = threading.Thread(target=self.run, name=name, daemon=True)
        self._reader = hub.subscribe(self.wake)

    def wake(self) -> None:
        """Record that something new waits. Called in the owner's thread; it must not wait."""
        self._news.set()

    def take(self, items: Sequence[Publication], missed: bool) -> None:
        """Handle the publications since the last call, oldest first; `missed`: earlier ones were dropped."""
        raise NotImplementedError

    def start(self) -> None:
        """Start taking everything published since this object was created."""
        self._thread.start()

    def stop(self) -> None:
        """Take what waits, for at most a second, and end."""
        self._stopped = True
        self._news.set()
        self._thread.join(FAREWELL_S)
        self.leave()

    def leave(self) -> None:
        """Unsubscribe."""
        self._hub.leave(self._reader)

    def run(self) -> None:
        """Take until stopped and nothing waits. Runs in the thread."""
        while not self._stopped:
            self._news.wait(self.beat_s)
            self._news.clear()
            self._take()
        self._take()

    def _take(self) -> None:
        """Take once. An internal error loses what was taken and is counted; the thread continues."""
        try:
            self.take(*self._reader.take())
        except Exception as error:
            self._hub.count_fault(self._name, error)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
