"""The journal as an exporter sees it: one table's lines in their order, and a mark of how far they were sent."""

from typing import Final, Self

from dealwire.hub.lines import Publication
from dealwire.journal import Journal, JournalReader

PAGE: Final = 1000
"""Lines read at once, and records in which the line before another is looked for first."""


class Outbox:
    """Lines of `table`, and the mark that `consumer` has put behind those it sent. Of one thread; a JournalError says
    why the journal cannot be read. Use it as a context manager."""

    def __init__(self, journal: Journal, table: str, consumer: str) -> None:
        self._journal, self._table, self._consumer = journal, table, consumer
        self._reader = JournalReader(journal.path)
        self.journal = self._reader.identity.hex()
        """The journal's own number: sequences count within it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def mark(self) -> int:
        """A number up to which everything was sent, and after which nothing was, as far as it was noted."""
        head = self._reader.head.sequence  # first: a line that comes in between must not be skipped
        waiting = self._journal.unsent(self._consumer, 1)
        return waiting[0].sequence - 1 if waiting else head

    def move_mark(self, sequence: int) -> None:
        """Everything up to `sequence` was sent. A mark never goes back."""
        self._journal.mark_sent(self._consumer, sequence)

    def after(self, sequence: int, limit: int) -> list[Publication]:
        """The table's lines after `sequence`, oldest first, at most `limit`."""
        return self._reader.publications(sequence, limit, self._table)

    def newest(self, sequence: int) -> int:
        """The table's newest line up to `sequence`; 0 when there is none."""
        back = PAGE
        while True:
            start = max(sequence - back, 0)
            found = self._newest_between(start, sequence)
            if found or not start:
                return found
            back *= 2

    def recent(self, age_ns: int) -> int:
        """A number after which lie the lines of the last `age_ns` before the newest line made known."""
        since_ns = self._reader.newest_published_ns - age_ns
        low, high = 0, self._reader.head.sequence
        while low < high:
            middle = (low + high) // 2
            following = self.after(middle, 1)
            if following and following[0].at_ns < since_ns:
                low = following[0].sequence
            else:
                high = middle
        return low

    def _newest_between(self, start: int, end: int) -> int:
        newest = 0
        while page := [item.sequence for item in self.after(newest or start, PAGE) if item.sequence <= end]:
            newest = page[-1]
        return newest
