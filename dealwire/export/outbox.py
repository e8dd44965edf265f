"""Journal as an outbox: one table's lines, and the mark after those that were sent."""

from typing import Self

from dealwire.export.marks import conflict, given_up
from dealwire.export.profile import Profile, outgoing
from dealwire.export.topics import Mark
from dealwire.export.witness import witness
from dealwire.hub.lines import Publication
from dealwire.journal import Journal, JournalReader


class Outbox:
    """Lines of `table`, and the mark of `consumer` after those it sent. Use it in one thread, as a context manager.
    Raise JournalError if the journal cannot be read."""

    def __init__(self, journal: Journal, table: str, consumer: str, profile: Profile = "full") -> None:
        self._outboxes, self._table, self._consumer, self._profile = journal.outboxes, table, consumer, profile
        self._reader = JournalReader(journal.path)
        self.journal = self._reader.identity.hex()
        """Identity of the journal; sequences count within it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._reader.close()

    def mark(self) -> int:
        """Return a sequence up to which everything was sent and after which, as far as noted, nothing was."""
        head = self._reader.head.sequence  # first: a line that comes in between must not be skipped
        waiting = self._outboxes.unsent(self._consumer, 1)
        return waiting[0].sequence - 1 if waiting else head

    def move_mark(self, sequence: int) -> None:
        """Record that everything up to `sequence` was sent. A mark never moves back."""
        self._outboxes.mark_sent(self._consumer, sequence)

    def after(self, sequence: int, limit: int) -> list[Publication]:
        """Return at most `limit` of the table's lines after `sequence`, oldest first."""
        return self._reader.publications(sequence, limit, self._table)

    def outgoing(self, sequence: int, limit: int) -> tuple[list[Publication], int]:
        """Return at most `limit` of the table's lines after `sequence` in their exported form, and the sequence up to
        which lines were examined. The list is empty only if no line is left."""
        found: list[Publication] = []
        while not found and (items := self.after(sequence, limit)):
            found = [line for item in items if (line := outgoing(item, self._profile)) is not None]
            sequence = items[-1].sequence
        return found, sequence

    def newest(self, sequence: int) -> int:
        """Return the table's newest exported line up to `sequence`, 0 if there is none."""
        while True:
            sequence = self._reader.newest(self._table, up_to=sequence)[0]
            if self._profile == "full" or not sequence:
                return sequence
            if outgoing(self.after(sequence - 1, 1)[0], self._profile) is not None:
                return sequence
            sequence -= 1

    def recent(self, age_ns: int) -> int:
        """Return a sequence after which all lines of the last `age_ns` before the newest published line are."""
        return self._reader.newest(self._table, before_ns=self._reader.newest()[1] - age_ns)[0]

    def place(self, sequence: int) -> Mark:
        """Return the mark of the table's line `sequence`."""
        line = next(iter(self._reader.publications(sequence - 1, 1, self._table)), None)
        if line is None or line.sequence != sequence:
            return Mark(self.journal, sequence)
        return Mark(self.journal, sequence, line.epoch, witness(line.hash))

    def given_up(self) -> set[str]:
        """Return the logs that this journal's records give up."""
        return given_up(self._reader)

    def conflict(self, mark: Mark) -> str | None:
        """Return the reason that a mark cannot come from this journal; None if it can."""
        return conflict(self._reader, mark)
