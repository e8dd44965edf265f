"""Opening a line, again and again, and without keeping the owner waiting where a network has to answer first."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from devices.transport.base import Transport


@dataclass(frozen=True, slots=True)
class Opener:
    """How to get a line: `open` is called for every attempt. `may_wait` says that it waits for a network, so that an
    owner had better call it from an `Opening`. `final`: a line that ended does not come back, such as a recording."""

    open: Callable[[], Transport]
    may_wait: bool = False
    final: bool = False

    def wrapped(self, wrap: Callable[[Transport], Transport]) -> "Opener":
        """The same, each of its lines in a wrapper, such as one that records."""
        return replace(self, open=lambda: wrap(self.open()))


class Opening:
    """One attempt, in a thread that does nothing else. `done` is called from it when there is a result."""

    JOIN_S: Final = 6.0
    """The most that `cancel` waits; every line gives up opening sooner by itself."""

    def __init__(self, open_line: Callable[[], Transport], done: Callable[[], None]) -> None:
        self._open_line, self._done = open_line, done
        self._lock = threading.Lock()
        self._cancelled = False
        self._transport: Transport | None = None
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="opening a line", daemon=True)
        self._thread.start()

    def result(self) -> Transport | None:
        """The open line, None while it is not decided; raises what the attempt raised."""
        with self._lock:
            transport, failure = self._transport, self._failure
        if transport is not None or failure is not None:
            self._thread.join(self.JOIN_S)  # it has only `done` left to call
        if failure is not None:
            raise failure
        return transport

    def cancel(self, wait_s: float = JOIN_S) -> None:
        """Nobody wants the line any more: whatever comes of it is closed. Waits at most `wait_s` for the attempt."""
        with self._lock:
            self._cancelled = True
            if self._transport is not None:
                self._transport.close()
        self._thread.join(wait_s)

    def _run(self) -> None:
        transport, failure = None, None
        try:
            transport = self._open_line()
        except Exception as error:  # the owner's thread decides what it means
            failure = error
        with self._lock:
            self._transport, self._failure = transport, failure
            if self._cancelled and transport is not None:
                transport.close()
        self._done()
