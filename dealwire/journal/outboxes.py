"""Progress of the exporters: how far each has sent the published lines. Used from the exporters' own threads.

No record is written: unsent lines are read from the disk, and moved marks join the writer's next group.
"""

import threading
from collections.abc import Mapping
from pathlib import Path

from dealwire.hub.lines import Publication
from dealwire.journal.reader import JournalReader


class Outboxes:
    """Marks of a journal's consumers, by name, for the file at `path`. `unsent` and `mark_sent` may be called from any
    thread."""

    def __init__(self, path: Path, sent: Mapping[str, int]) -> None:
        self.moved: dict[str, int] = {}
        """Marks that are not on the disk yet."""
        self._path, self._sent = path, dict(sent)
        self._lock = threading.Lock()
        self._closed = False
        self._reader: JournalReader | None = None

    def unsent(self, consumer: str, limit: int) -> list[Publication]:
        """Return the lines that `consumer` has not marked as sent, oldest first, at most `limit`; only those on the
        disk."""
        with self._lock:
            if self._closed:
                return []
            if self._reader is None:
                self._reader = JournalReader(self._path)
            return self._reader.publications(self._sent.get(consumer, 0), limit)

    def mark_sent(self, consumer: str, sequence: int) -> None:
        """Mark everything up to `sequence` as sent. The mark is written with the next group: after a kill, lines may be
        sent again with the same sequence."""
        with self._lock:
            if sequence > self._sent.get(consumer, 0):
                self._sent[consumer] = self.moved[consumer] = sequence

    def take_moved(self) -> dict[str, int]:
        """Return and clear the marks to be written now."""
        with self._lock:
            moved, self.moved = self.moved, {}
        return moved

    def close(self) -> None:
        """Close: nothing is unsent from now on."""
        self._closed = True
        if self._reader is not None:
            self._reader.close()
