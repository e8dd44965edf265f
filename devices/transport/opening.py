"""Opening of a line, repeatedly, and without blocking the owner if a network has to answer first."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from devices.transport.base import Transport


@dataclass(frozen=True, slots=True)
class Opener:
    """Source of a line: `open` is called for every attempt.

    `may_wait` means that it waits for a network, so an owner should call it from an `Opening`. `final` means that a
    line which ended does not come back, such as a recording.
    """

    open: Callable[[], Transport]
    may_wait: bool = False
    final: bool = False

    def wrapped(self, wrap: Callable[[Transport], Transport]) -> "Opener":
        """Return an opener that puts each line in a wrapper, such as one that records."""
        return replace(self, open=lambda: wrap(self.open()))


class Opening:
    """One attempt in its own thread, which calls `done` when there is a result."""

    JOIN_S: Final = 6.0
    """Maximum wait of `cancel`. Every line gives up opening sooner than this."""

    def __init__(self, open_line: Callable[[], Transport], done: Callable[[], None]) -> None:
        self._open_line, self._done = open_line, done
        self._lock = threading.Lock()
        self._cancelled = False
        self._transport: Transport | None = None
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="opening a line", daemon=True)
        self._thread.start()

    def result(self) -> Transport | None:
        """Return the open line, or None while it is undecided. Raise the exception of the attempt."""
        with self._lock:
            transport, failure = self._transport, self._failure
        if transport is not None or failure is not None:
            self._thread.join(self.JOIN_S)  # the thread has only `done` left to call
        if failure is not None:
            raise failure
        return transport

    def cancel(self, wait_s: float = JOIN_S) -> None:
        """Discard the line: if the attempt succeeds, its line is closed. Wait at most `wait_s` for the attempt."""
        with self._lock:
            self._cancelled = True
            if self._transport is not None:
                self._transport.close()
        self._thread.join(wait_s)

    def _run(self) -> None:
        transport, failure = None, None
        try:
            transport = self._open_line()
        except Exception as error:  # raised by `result`, in the owner's thread
            failure = error
        with self._lock:
            self._transport, self._failure = transport, failure
            if self._cancelled and transport is not None:
                transport.close()
        self._done()
