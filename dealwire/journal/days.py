"""Gaming days of a journal in use: each finished one is a segment, and is pruned once it was copied.

It writes the rows of the table `segment`, the anchor, and deletes the oldest records. `segments` makes the copies.
"""

from contextlib import suppress
from typing import Final

from msgspec.json import encode

from dealwire.journal import database
from dealwire.journal.contents import Segment
from dealwire.journal.record_writer import RecordWriter
from dealwire.journal.records import DAY, EXPORTED
from dealwire.journal.standing import JournalStanding

PRUNED_AT_ONCE: Final = 2000
"""Records pruned in one turn: a few milliseconds."""
PAGES_AT_ONCE: Final = 256


class Days:
    """The days of the journal that `writer` writes to `file`."""

    def __init__(self, writer: RecordWriter, file: database.WritableFile, standing: JournalStanding) -> None:
        self._writer, self._file = writer, file
        self.current = standing.day
        """The current gaming day; None before the first."""
        self.first = standing.day_first
        """Number of the day's first record."""
        self._anchor = standing.anchor

    def begin(self, day: str, at_ns: int) -> None:
        """Begin a gaming day: the records since the previous one become a segment. The first day of a file includes
        what was written before it."""
        writer = self._writer
        writer.add_all_passing()
        before, last = self.current, writer.head
        fields = {"file": writer.identity.hex(), "day": day, "opened": writer.opened, "epoch": writer.epoch}
        if before is not None:
            segment = {"day": before, "first": self.first, "last": last.sequence, "hash": last.hash.hex()}
            insert = "INSERT INTO segment (first, last, day, hash) VALUES (?, ?, ?, ?)"
            writer.rows.append((insert, (self.first, last.sequence, before, last.hash)))
            self.first = writer.add(at_ns, 0, DAY, "", encode({**fields, "segment": segment}))
        else:
            writer.add(at_ns, 0, DAY, "", encode(fields))
        self.current = day

    def exported(self, segment: Segment, file: str, sha256: str, at_ns: int) -> None:
        """Record that a segment was copied to a file and verified there."""
        fields = {"first": segment.first, "last": segment.last, "hash": segment.hash.hex(), "day": segment.day}
        self._writer.add(at_ns, 0, EXPORTED, "", encode({**fields, "file": file, "sha256": sha256}))
        more = "exported = coalesce(exported || char(10), '') || ?, sha256 = coalesce(sha256 || char(10), '') || ?"
        self._writer.rows.append((f"UPDATE segment SET {more} WHERE first = ?", (file, sha256, segment.first)))

    def prune(self, segment: Segment, most: int = PRUNED_AT_ONCE) -> bool:
        """Delete the oldest records with the next group: of this segment, which must be the oldest and exported, at
        most `most` at once. True when none is left."""
        writer, last = self._writer, min(segment.last, self._anchor + most)
        row = self._file.db.execute("SELECT hash FROM record WHERE sequence = ?", (last,)).fetchone()
        if row is None or not writer.is_open() or segment.exported is None:
            return True
        if last >= writer.balanced:  # a balance that stays must cover the pruned records
            writer.balance(writer.newest_ns)
        writer.rows.append(("DELETE FROM record WHERE sequence <= ?", (last,)))
        writer.rows.append(("UPDATE anchor SET sequence = ?, hash = ?", (last, row[0])))
        self._anchor = last
        return last == segment.last

    def give_back(self, pages: int = PAGES_AT_ONCE) -> None:
        """Return pruned space to the disk, a few pages at a time."""
        if self._writer.is_open() and not self._file.db.in_transaction:
            with suppress(*database.TROUBLE):
                # executescript, because `execute` runs one step of the pragma, which frees one page
                self._file.db.executescript(f"PRAGMA incremental_vacuum({pages})")
