"""Checks of a journal: chain, numbering, seals. The chain needs no key."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from dealwire.journal.balancing import MEND, BooksCheck, OlderCheck
from dealwire.journal.books import Books
from dealwire.journal.contents import epoch_of
from dealwire.journal.errors import JournalDamaged, JournalUnfit
from dealwire.journal.log_check import LogCheck
from dealwire.journal.log_tables import TREE_SINCE, TreeEnd
from dealwire.journal.logbook import LogBook
from dealwire.journal.reader import JournalReader
from dealwire.journal.records import (
    DAY,
    GENESIS,
    OPENED,
    PASSED,
    SEALED_KINDS,
    SNAPSHOT,
    Head,
    JournalRecord,
    chained,
    heading,
)

TAIL: Final = 1000
"""Newest records that are checked at every opening for writing."""


@dataclass(slots=True)
class JournalVerdict:
    """Result of a successful check."""

    head: Head = field(default_factory=lambda: Head(0, GENESIS))
    anchor: Head = field(default_factory=lambda: Head(0, GENESIS))
    """The record before the first one: the last that was pruned."""
    kinds: Counter[str] = field(default_factory=Counter)
    sealed: int = 0
    """Sealed raw records and snapshots."""
    clear: int = 0
    """Unsealed ones: anyone who can write the file can have made them."""
    opened: int = 0
    """Seals opened with the key."""
    first_ns: int = 0
    last_ns: int = 0
    tree_before: TreeEnd = field(default_factory=TreeEnd)
    """The tree before the first record, as the file says."""
    tree: TreeEnd = field(default_factory=TreeEnd)
    """The tree after the newest record."""
    unchecked: bool = False
    """True if no signature of a checkpoint was checked: the library is not installed."""

    @property
    def records(self) -> int:
        """Number of records."""
        return self.kinds.total()


def follow(reader: JournalReader, before: Head, record: JournalRecord) -> Head:
    """Return the chain one record further; JournalDamaged if the record does not follow `before`."""
    if record.sequence != before.sequence + 1:
        why = f"follows record {before.sequence}: the records between them are missing"
        raise JournalDamaged(reader.path, record.sequence, why)
    head = heading(record.sequence, record.at_ns, record.line, record.kind, record.table)
    if chained(before.hash, head, record.payload) != record.hash:
        why = "its hash does not match: this record or the one before it was altered"
        raise JournalDamaged(reader.path, record.sequence, why)
    return Head(record.sequence, record.hash)


def check_start(reader: JournalReader) -> tuple[Head, Books | None, LogBook]:
    """Check what a start depends on: the chain of the newest records since the newest balance, the tables against them
    (a file of version 2 completely), and the table of openings.

    Return the newest record, the books (None for a file of version 1), and the tree. JournalDamaged names what is
    wrong. No one may write meanwhile. JournalUnfit for the copy of a day, whose tables do not cover the days before.
    """
    if not reader.whole:
        why = "it is the copy of a day: earlier rounds and held money are in the journal itself; serve that"
        raise JournalUnfit(reader.path, why)
    _no_strangers(reader)
    if reader.version == 1:
        return check_tail(reader), None, LogBook()
    openings = _Openings(reader)
    for kind in (OPENED, DAY):  # few and indexed: one per start and day
        for record in reader.all_of(kind):
            openings.take(record)
    openings.finish()
    check = OlderCheck(reader) if reader.version == 2 else BooksCheck(reader, newest=True)
    log = LogCheck(reader) if reader.version >= TREE_SINCE else None
    return check_tail(reader, check, log), check.books, log.book if log is not None else LogBook()


def check_tail(
    reader: JournalReader, check: BooksCheck | OlderCheck | None = None, log: LogCheck | None = None
) -> Head:
    """Check the newest records and those that `check` needs, and with `log` the tree; return the newest. JournalDamaged
    names the first that is wrong."""
    after = max(reader.head.sequence - TAIL, reader.anchor.sequence)
    if isinstance(check, BooksCheck):
        after = min(after, check.after)
    elif check is not None:
        after = reader.anchor.sequence
    before = reader.anchor.hash if after == reader.anchor.sequence else reader.hash_at(after)
    head: Head | None = Head(after, before) if before is not None else None
    for record in reader.records(after):
        previous = head
        head = Head(record.sequence, record.hash) if head is None else follow(reader, head, record)
        if check is not None:
            check.take(record)
        if log is not None and previous is not None:
            log.take(record, previous.hash)
    if check is not None:
        check.finish()
    if log is not None:
        log.finish()
    assert head is not None
    return head


def verify(reader: JournalReader, *, open_seals: bool = False, expect: Head | None = None) -> JournalVerdict:
    """Check every record, and with `open_seals` every seal. JournalDamaged names the first that is wrong. The journal
    may be written and pruned meanwhile.

    `expect` is a record noted elsewhere: it exposes a file whose end was cut off or that was rewritten.
    """
    for complaint in reader.complaints():
        raise JournalDamaged(reader.path, None, f"SQLite: {complaint}")
    _no_strangers(reader)
    while True:
        try:
            return _Check(reader, open_seals, expect).whole()
        except JournalDamaged:
            if not reader.look_again():
                raise


class _Check:
    """One pass through a journal."""

    def __init__(self, reader: JournalReader, open_seals: bool, expect: Head | None) -> None:
        self._reader, self._open_seals, self._expect = reader, open_seals, expect
        self._found = JournalVerdict(head=reader.anchor, anchor=reader.anchor)
        self._lookups = lookups(reader)
        self._log = LogCheck(reader, old=True) if reader.version >= TREE_SINCE else None

    def whole(self) -> JournalVerdict:
        """Check from the first record to the newest."""
        reader, found, expect = self._reader, self._found, self._expect
        if expect is not None and expect.sequence < found.anchor.sequence:
            why = f"starts after record {found.anchor.sequence}; record {expect.sequence} is in a segment of its own"
            raise JournalDamaged(reader.path, None, why)
        if expect is not None and expect.sequence == found.anchor.sequence:
            self._must_be(found.anchor, expect)
        for record in reader.records():
            self._take(record)
        with reader.standing_still():
            for record in reader.records(
                found.head.sequence
            ):  # records written since, and then the tables, in one read transaction
                self._take(record)
            for each in self._lookups:
                each.finish()
            if self._log is not None:
                self._log.finish()
                found.tree_before, found.tree, found.unchecked = self._log.began, self._log.end, self._log.unchecked
        if expect is not None and expect.sequence > found.head.sequence:
            there = found.head.sequence
            why = f"ends at record {there}; record {expect.sequence} existed before: the end was cut off"
            raise JournalDamaged(reader.path, None, why)
        return found

    def _take(self, record: JournalRecord) -> None:
        reader, found, expect = self._reader, self._found, self._expect
        before, found.head = found.head, follow(reader, found.head, record)
        for each in self._lookups:
            each.take(record)
        if self._log is not None:
            self._log.take(record, before.hash)
        found.kinds[record.kind] += 1
        found.first_ns, found.last_ns = found.first_ns or record.at_ns, max(found.last_ns, record.at_ns)
        if record.kind in SEALED_KINDS:
            sealed = reader.is_sealed(record)
            found.sealed += sealed
            found.clear += not sealed
            if self._open_seals:
                open_seal(reader, record)
                found.opened += sealed
        if expect is not None and record.sequence == expect.sequence:
            self._must_be(found.head, expect)

    def _must_be(self, there: Head, noted: Head) -> None:
        if there.hash != noted.hash:
            why = f"its hash is {there.hash.hex()}, not {noted.hash.hex()} as noted: the journal was rewritten"
            raise JournalDamaged(self._reader.path, there.sequence, why)


def _no_strangers(reader: JournalReader) -> None:
    """JournalDamaged for what no journal of this version has: other objects, and records that nobody would read."""
    for stranger in reader.strangers():
        raise JournalDamaged(reader.path, None, f"it has a {stranger}, which no journal has: another program made it")
    for (sequence,) in reader.rows("SELECT sequence FROM record WHERE sequence <= ? LIMIT 1", reader.anchor.sequence):
        why = f"comes before the first record, which follows record {reader.anchor.sequence}"
        raise JournalDamaged(reader.path, sequence, why)


def open_seal(reader: JournalReader, record: JournalRecord) -> None:
    """JournalDamaged or KeyUnknown if the sealed content of a record cannot be read."""
    if record.kind == SNAPSHOT:
        reader.snapshot_of(record)
    elif record.kind == PASSED:
        reader.passed(record)
    else:
        reader.raw(record)


class _Openings:
    """Checks the table of openings against the records.

    Of pruned openings the last one counts, in which the first lines of the file were written: the `day` record that
    began then names it.
    """

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader
        self._met: set[int] = set()

    def take(self, record: JournalRecord) -> None:
        """Take one record, in order."""
        if record.kind == OPENED:
            self._met.add(record.sequence)
            self._look_up(record, "an opening that is not in the table of openings")
        elif record.kind == DAY and epoch_of(record):
            self._look_up(record, "a day that began in an opening that is not in the table of openings")

    def finish(self) -> None:
        """Check for surplus entries at the end."""
        for sequence, _ in self._reader.openings():
            if sequence > self._reader.anchor.sequence and sequence not in self._met:
                why = f"the table of openings holds one of record {sequence}, which no record confirms; {MEND}"
                raise JournalDamaged(self._reader.path, None, why)

    def _look_up(self, record: JournalRecord, why: str) -> None:
        if self._reader.epoch_at(record.sequence) != epoch_of(record):
            raise JournalDamaged(self._reader.path, record.sequence, f"{why}; {MEND}")


def lookups(reader: JournalReader) -> list[BooksCheck | OlderCheck | _Openings]:
    """Return the checks of the file's tables against their records."""
    if reader.version == 1:
        return []
    return [_Openings(reader), OlderCheck(reader) if reader.version == 2 else BooksCheck(reader)]
