"""How far each exporter has sent what was made known: asked and moved from the exporters' own threads.

Touches no record: what was not sent is read off the disk, and the marks that moved are for the writer's next group.
"""

import threading
from collections.abc import Mapping
from pathlib import Path

from dealwire.hub.lines import Publication
from dealwire.journal.reader import JournalReader


class Outboxes:
    """The marks of a journal's consumers, by name, as the file at `path` has them. Of its methods `unsent` and
    `mark_sent` may be called from any thread."""

    def __init__(self, path: Path, sent: Mapping[str, int]) -> None:
        self.moved: dict[str, int] = {}
        """Marks that are not on the disk yet."""
        self._path, self._sent = path, dict(sent)
        self._lock = threading.Lock()
        self._closed = False
        self._reader: JournalReader | None = None

    def unsent(self, consumer: str, limit: int) -> list[Publication]:
        """What `consumer` has not marked as sent, oldest first, at most `limit`; only what is on the disk."""
        with self._lock:
            if self._closed:
                return []
            if self._reader is None:
                self._reader = JournalReader(self._path)
            return self._reader.publications(self._sent.get(consumer, 0), limit)

    def mark_sent(self, consumer: str, sequence: int) -> None:
        """`consumer` has everything up to `sequence`. Written with the next group: after a kill it may be asked to
        send some again, under their same sequence."""
        with self._lock:
            if sequence > self._sent.get(consumer, 0):
                self._sent[consumer] = self.moved[consumer] = sequence

    def take_moved(self) -> dict[str, int]:
        """The marks to be written now."""
        with self._lock:
            moved, self.moved = self.moved, {}
        return moved

    def close(self) -> None:
        """Nothing is unsent any more."""
        self._closed = True
        if self._reader is not None:
            self._reader.close()
