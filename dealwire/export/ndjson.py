"""Every line on standard output as it is made known, for whatever reads the other end of the pipe."""

import threading
from types import TracebackType
from typing import Final, Self, TextIO

from dealwire.hub.hub import Hub
from dealwire.hub.lines import GapLine

FAREWELL_S: Final = 1.0
"""How long a reader that lingers may hold up the end."""


class NdjsonSink:
    """Writes what the hub gives to `stream`, one line each, from a thread of its own; the tables never wait for it.

    When the other end reads too slowly, lines are left out and a line of type `gap` says so. `failed` says why
    nothing more is written: the other end has gone.
    """

    def __init__(self, hub: Hub, stream: TextIO) -> None:
        self.failed: str | None = None
        self._hub, self._stream = hub, stream
        self._news, self._stop = threading.Event(), False
        self._last = 0
        self._thread = threading.Thread(target=self._run, name="ndjson", daemon=True)
        self._reader = hub.subscribe(self._news.set)

    def start(self) -> None:
        """Write from now on what was made known since this object was made."""
        self._thread.start()

    def stop(self) -> None:
        """Write what waits, for at most a second, and end."""
        self._stop = True
        self._news.set()
        self._thread.join(FAREWELL_S)
        self._hub.leave(self._reader)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        try:
            while not self._stop:
                self._news.wait()
                self._news.clear()
                self._write()
            self._write()
        except (OSError, ValueError) as error:  # ValueError: the stream was closed under us
            self.failed = str(error)
            self._hub.leave(self._reader)

    def _write(self) -> None:
        items, lagged = self._reader.take()
        if lagged and items:
            self._stream.write(GapLine(after=self._last, before=items[0].sequence).to_json() + "\n")
        for item in items:
            self._stream.write(item.line + "\n")
            self._last = item.sequence
        self._stream.flush()
