"""Every line on standard output as it is made known, for whatever reads the other end of the pipe."""

from collections.abc import Sequence
from typing import Final, TextIO

from dealwire.export.witness import witness
from dealwire.hub.hub import Hub, HubReader
from dealwire.hub.lines import GapLine, HeadLine, Publication
from devices.clock import Clock, SystemClock

HEAD_S: Final = 1.0
"""How often the journal's head is said while there are new lines."""


class NdjsonSink(HubReader):
    """Writes what the hub gives to `stream`, one line each.

    When the other end reads too slowly, lines are left out and a line of type `gap` says so. A line of type `head` says
    up to where the journal has come: a second after the first line that it had not said, and at the end. `failed` says
    why nothing more is written: the other end has gone.
    """

    beat_s = HEAD_S / 2

    def __init__(self, hub: Hub, stream: TextIO, clock: Clock | None = None) -> None:
        super().__init__(hub, "ndjson")
        self.failed: str | None = None
        self._stream, self._clock = stream, clock or SystemClock()
        self._last = 0
        self._unsaid: Publication | None = None
        self._due_ns = 0

    def run(self) -> None:
        """Write until stopped, or until the other end has gone."""
        try:
            super().run()
            self._put_head()
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
        if items and items[-1].hash:
            if self._unsaid is None:
                self._due_ns = self._clock.now_ns() + int(HEAD_S * 1e9)
            self._unsaid = items[-1]
        if self._unsaid is not None and self._clock.now_ns() >= self._due_ns:
            self._put_head()
        elif items:
            self._stream.flush()

    def _put_head(self) -> None:
        """Say up to where the journal has come, if that is not said yet."""
        if self._unsaid is None:
            return
        head, self._unsaid = self._unsaid, None
        line = HeadLine(epoch=head.epoch, sequence=head.sequence, hash=witness(head.hash))
        self._stream.write(line.to_json() + "\n")
        self._stream.flush()
