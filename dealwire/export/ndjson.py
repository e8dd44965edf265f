"""Every line on standard output as it is made known, for whatever reads the other end of the pipe."""

from collections.abc import Callable, Sequence
from typing import Final, TextIO

from dealwire.export.witness import witness
from dealwire.hub.health import NdjsonProgress
from dealwire.hub.hub import Hub, HubReader
from dealwire.hub.lines import GapLine, HeadLine, Publication
from devices.clock import Clock, SystemClock
from protocol.errors import DealwireError

HEAD_S: Final = 1.0
"""How often the journal's head is said while there are new lines."""
WHERE: Final = "lines on standard output"
GONE: Final = "their reader has gone"


class NdjsonSink(HubReader):
    """Writes what the hub gives to `stream`, one line each.

    When the other end reads too slowly, lines are left out and a line of type `gap` says so. A line of type `head` says
    up to where the journal has come: a second after the first line that it had not said, and at the end. When nothing
    can be written any more, because a disk is full or the other end has gone, lines are counted as lost in `progress`.
    Both are said with `report`, in a sentence for a person; it must not wait, and may be called from any thread.
    """

    beat_s = HEAD_S / 2

    def __init__(
        self, hub: Hub, stream: TextIO, clock: Clock | None = None, report: Callable[[str], None] = lambda _: None
    ) -> None:
        self.progress = NdjsonProgress()
        self._stream, self._clock, self._report = stream, clock or SystemClock(), report
        self._last = self._unwritten = self._noticed = 0
        self._unsaid: Publication | None = None
        self._due_ns = 0
        super().__init__(hub, "ndjson")

    def wake(self) -> None:
        """Also while the thread waits for a reader that does not read: that lines are left out is known here alone."""
        super().wake()
        dropped = self._reader.dropped
        if dropped == self._noticed:
            return
        if not self._noticed and self.progress.failed is None:
            self._report(f"{WHERE}: their reader is too slow, and some were left out; the journal has them")
        self._noticed = dropped
        self._count()

    def run(self) -> None:
        """Write until stopped."""
        super().run()
        self._write(self._put_head)

    def take(self, items: Sequence[Publication], missed: bool) -> None:
        """Write them."""
        before = self.progress.written
        self._write(lambda: self._put(items, missed))
        self._unwritten += before + len(items) - self.progress.written
        self._count()

    def _write(self, put: Callable[[], None]) -> None:
        """What keeps a line from being written keeps all that follow: nobody knows how much of it is there."""
        if self.progress.failed is not None:
            return
        try:
            put()
        except (OSError, ValueError, DealwireError) as error:  # ValueError: the stream was closed under us
            cause = error.__cause__ or error  # a disk that is full has its own words
            why = GONE if isinstance(cause, BrokenPipeError) else getattr(cause, "strerror", None) or str(error)
            self.progress.failed = why
            self._report(f"{WHERE}: {why}; no more are written there, the journal has them all")

    def _count(self) -> None:
        self.progress.lost = self._unwritten + self._reader.dropped

    def _put(self, items: Sequence[Publication], missed: bool) -> None:
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
        self.progress.written += len(items)

    def _put_head(self) -> None:
        """Say up to where the journal has come, if that is not said yet."""
        if self._unsaid is None:
            return
        head, self._unsaid = self._unsaid, None
        line = HeadLine(epoch=head.epoch, sequence=head.sequence, hash=witness(head.hash))
        self._stream.write(line.to_json() + "\n")
        self._stream.flush()
