"""Every line on standard output as it is made known, for whatever reads the other end of the pipe."""

from collections.abc import Sequence
from typing import TextIO

from dealwire.hub.hub import Hub, HubReader
from dealwire.hub.lines import GapLine, Publication


class NdjsonSink(HubReader):
    """Writes what the hub gives to `stream`, one line each.

    When the other end reads too slowly, lines are left out and a line of type `gap` says so. `failed` says why
    nothing more is written: the other end has gone.
    """

    def __init__(self, hub: Hub, stream: TextIO) -> None:
        super().__init__(hub, "ndjson")
        self.failed: str | None = None
        self._stream = stream
        self._last = 0

    def run(self) -> None:
        """Write until stopped, or until the other end has gone."""
        try:
            super().run()
        except (OSError, ValueError) as error:  # ValueError: the stream was closed under us
            self.failed = str(error)
            self.leave()

    def take(self, items: Sequence[Publication], missed: bool) -> None:
        """Write them."""
        if missed and items:
            self._stream.write(GapLine(after=self._last, before=items[0].sequence).to_json() + "\n")
        for item in items:
            self._stream.write(item.line + "\n")
            self._last = item.sequence
        self._stream.flush()
