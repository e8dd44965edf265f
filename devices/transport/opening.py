"""Opening a line that may keep its opener waiting: a name to look up, a server that does not answer."""

import threading
from collections.abc import Callable
from typing import Final

from devices.transport.base import Transport


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
            if self._failure is not None:
                raise self._failure
            return self._transport

    def cancel(self) -> None:
        """Nobody wants the line any more: whatever comes of it is closed."""
        with self._lock:
            self._cancelled = True
            if self._transport is not None:
                self._transport.close()
        self._thread.join(self.JOIN_S)

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
