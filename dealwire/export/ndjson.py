"""Export of every published line to standard output, for the reader of a pipe."""

from collections.abc import Callable, Sequence
from typing import Final, TextIO

from dealwire.export.witness import witness
from dealwire.hub.health import NdjsonProgress
from dealwire.hub.hub import Hub, HubReader
from dealwire.hub.lines import GapLine, HeadLine, Publication
from devices.clock import Clock, SystemClock
from protocol.errors import DealwireError

HEAD_S: Final = 1.0
"""Seconds between two head lines while there are new lines."""
WHERE: Final = "lines on standard output"
GONE: Final = "the reader has left"


class NdjsonSink(HubReader):
    """Writer of published lines to `stream`.

    If the reader is too slow, lines are dropped and a line of type `gap` says so. A line of type `head` gives the
    newest record of the journal: a second after the first line that it does not cover yet, and at the end. If writing
    fails, because a disk is full or the reader has left, lines are counted as lost in `progress`. Both are reported
    with `report`, in a sentence for a person; it must not block, and may be called from any thread.
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
        """Notice dropped lines even while the writing thread is blocked, since only this method can."""
        super().wake()
        dropped = self._reader.dropped
        if dropped == self._noticed:
            return
        if not self._noticed and self.progress.failed is None:
            self._report(f"{WHERE}: the reader is too slow, some lines were dropped; the journal has them")
        self._noticed = dropped
        self._count()

    def run(self) -> None:
        """Write until stopped."""
        super().run()
        self._write(self._put_head)

    def take(self, items: Sequence[Publication], missed: bool) -> None:
        """Write these lines."""
        before = self.progress.written
        self._write(lambda: self._put(items, missed))
        self._unwritten += before + len(items) - self.progress.written
        self._count()

    def _write(self, put: Callable[[], None]) -> None:
        """Write, unless writing has failed before. After a failed write it is unknown how much of it arrived, so
        nothing follows."""
        if self.progress.failed is not None:
            return
        try:
            put()
        except (OSError, ValueError, DealwireError) as error:  # ValueError: the stream was closed under us
            cause = error.__cause__ or error  # a disk that is full has its own words
            why = GONE if isinstance(cause, BrokenPipeError) else getattr(cause, "strerror", None) or str(error)
            self.progress.failed = why
            self._report(f"{WHERE}: {why}; no more are written, the journal has all of them")

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
        """Write the head of the journal if it is not written yet."""
        if self._unsaid is None:
            return
        head, self._unsaid = self._unsaid, None
        line = HeadLine(epoch=head.epoch, sequence=head.sequence, hash=witness(head.hash))
        self._stream.write(line.to_json() + "\n")
        self._stream.flush()
