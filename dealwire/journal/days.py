"""The gaming days of a journal that is written: each that is over is a segment, and goes once it was copied.

Touches the rows of the table `segment`, the anchor, and the oldest records. The copies are `segments`' to make.
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
"""Records that are pruned in one turn: a few milliseconds."""
PAGES_AT_ONCE: Final = 256


class Days:
    """The days of what `writer` writes to `file`."""

    def __init__(self, writer: RecordWriter, file: database.WritableFile, standing: JournalStanding) -> None:
        self._writer, self._file = writer, file
        self.current = standing.day
        """The gaming day that began last; None before any did."""
        self._anchor, self._first = standing.anchor, standing.day_first

    def begin(self, day: str, at_ns: int) -> None:
        """A gaming day begins: what was written since the one before is a segment. The first day of a file takes what
        was written before it along."""
        writer = self._writer
        writer.add_all_passing()
        before, last = self.current, writer.head
        fields = {"file": writer.identity.hex(), "day": day, "opened": writer.opened, "epoch": writer.epoch}
        if before is not None:
            segment = {"day": before, "first": self._first, "last": last.sequence, "hash": last.hash.hex()}
            insert = "INSERT INTO segment (first, last, day, hash) VALUES (?, ?, ?, ?)"
            writer.rows.append((insert, (self._first, last.sequence, before, last.hash)))
            self._first = writer.add(at_ns, 0, DAY, "", encode({**fields, "segment": segment}))
        else:
            writer.add(at_ns, 0, DAY, "", encode(fields))
        self.current = day

    def exported(self, segment: Segment, file: str, sha256: str, at_ns: int) -> None:
        """A segment is in a file of its own and was checked there."""
        fields = {"first": segment.first, "last": segment.last, "hash": segment.hash.hex(), "day": segment.day}
        self._writer.add(at_ns, 0, EXPORTED, "", encode({**fields, "file": file, "sha256": sha256}))
        more = "exported = coalesce(exported || char(10), '') || ?, sha256 = coalesce(sha256 || char(10), '') || ?"
        self._writer.rows.append((f"UPDATE segment SET {more} WHERE first = ?", (file, sha256, segment.first)))

    def prune(self, segment: Segment, most: int = PRUNED_AT_ONCE) -> bool:
        """Take the oldest records off the file, with the next group: of this segment, which must be the oldest and
        exported. At most so many at once; True when none of it is left."""
        writer, last = self._writer, min(segment.last, self._anchor + most)
        row = self._file.db.execute("SELECT hash FROM record WHERE sequence = ?", (last,)).fetchone()
        if row is None or not writer.is_open() or segment.exported is None:
            return True
        if last >= writer.balanced:  # what is taken off has its place in one that stays
            writer.balance(writer.newest_ns)
        writer.rows.append(("DELETE FROM record WHERE sequence <= ?", (last,)))
        writer.rows.append(("UPDATE anchor SET sequence = ?, hash = ?", (last, row[0])))
        self._anchor = last
        return last == segment.last

    def give_back(self, pages: int = PAGES_AT_ONCE) -> None:
        """Give room that was pruned back to the disk, a little at a time."""
        if self._writer.is_open() and not self._file.db.in_transaction:
            with suppress(*database.TROUBLE):
                # a script, because `execute` takes one step of it, which is one page
                self._file.db.executescript(f"PRAGMA incremental_vacuum({pages})")
