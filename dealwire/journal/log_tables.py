"""The tables of a file that hold its log, and their check against the records."""

import json
from collections.abc import Iterator
from typing import Any, Final

from dealwire.journal.balancing import MEND
from dealwire.journal.derived import Row
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.logbook import ADD_NODE, CLEARS, LEVELS, NO_TREE, Leaf, LogBook, LogState
from dealwire.journal.reader import JournalReader
from dealwire.journal.record_file import MANY
from dealwire.journal.records import BALANCE, CHECKPOINT, SALVAGED, JournalRecord
from dealwire.journal.tree import GrowingTree, node_hash, peaks_of, root_of_peaks

LeafRow = tuple[int, int, int, bytes]
"""A row of the table `leaf`: tree, number, sequence, hash."""
TREE_SINCE: Final = 4
"""First file version with a tree."""
_PAGE: Final = 1000
_BELOW: Final = "SELECT hash FROM leaf WHERE tree = ? AND number >= ? AND number < ? ORDER BY number"
_AFTER: Final = "SELECT tree, number, sequence, hash FROM leaf WHERE sequence > ? ORDER BY sequence LIMIT ?"


class LogTables:
    """The trees in a file, by the number of the record that began each."""

    def __init__(self, reader: JournalReader) -> None:
        self._reader = reader

    def state_before(self, sequence: int) -> LogState:
        """Return the tree before a record of the `CLEARS` kinds: each is a leaf while there is a tree."""
        found = self.leaf_of(sequence)
        return self.state_of(*found) if found is not None else NO_TREE

    def state_of(self, tree: int, size: int) -> LogState:
        """Return a tree at a size that it had."""
        return LogState(tree, size, [self.subtree(tree, *peak) for peak in peaks_of(size)])

    def subtree(self, tree: int, level: int, number: int) -> bytes:
        """Return the hash of a complete subtree. JournalDamaged if the tables do not have it."""
        rows = self._reader.rows(
            "SELECT hash FROM node WHERE tree = ? AND level = ? AND number = ?", tree, level, number
        )
        if rows:
            return _hash(self._reader, rows[0][0])
        begin, end = number << level, (number + 1) << level
        leaves = self._reader.rows(_BELOW, tree, begin, end) if level <= LEVELS[0] else []
        if len(leaves) == end - begin:
            grown = GrowingTree()
            for (found,) in leaves:
                grown.add(_hash(self._reader, found))
            return grown.peaks[0]
        if level:
            return node_hash(self.subtree(tree, level - 1, 2 * number), self.subtree(tree, level - 1, 2 * number + 1))
        why = f"the table 'leaf' lacks leaf {number} of the tree that record {tree} began; {MEND}"
        raise JournalDamaged(self._reader.path, None, why)

    def frontier(self, sequence: int) -> list[Row]:
        """Return the statements that give another file the tree before a record of the `CLEARS` kinds."""
        state = self.state_before(sequence)
        peaks = zip(peaks_of(state.size), state.peaks, strict=True)
        return [(ADD_NODE, (state.tree, level, number, found)) for (level, number), found in peaks]

    def size_of(self, tree: int) -> int:
        """Return the number of leaves of a tree."""
        rows = self._reader.rows("SELECT number FROM leaf WHERE tree = ? ORDER BY number DESC LIMIT 1", tree)
        return int(rows[0][0]) + 1 if rows else 0

    def root_of(self, tree: int, size: int) -> bytes:
        """Return the root that a tree had at this size."""
        return root_of_peaks(self.state_of(tree, size).peaks)

    def leaf_of(self, sequence: int) -> tuple[int, int] | None:
        """Return tree and number of a record's leaf; None if it has none."""
        if self._reader.version < TREE_SINCE:
            return None
        rows = self._reader.rows("SELECT tree, number FROM leaf WHERE sequence = ?", sequence)
        return (rows[0][0], rows[0][1]) if rows else None

    def rows_after(self, sequence: int, up_to: int = MANY) -> Iterator[LeafRow]:
        """Yield the rows of `leaf` after a record, oldest first."""
        while rows := self._reader.rows(_AFTER, sequence, _PAGE):
            for row in rows:
                if row[2] > up_to:
                    return
                yield row
            sequence = rows[-1][2]


def _hash(reader: JournalReader, found: Any) -> bytes:
    if type(found) is not bytes or len(found) != 32:
        raise JournalDamaged(reader.path, None, f"an invalid row in the tree; {MEND}")
    return found


class LogCheck:
    """Checks the tree against the records. Call `take` with records in order, then `finish`; `book` is led forward.

    It begins at the first opening, day or balance: from there the tree follows from the records and what came before.
    `old`: also check the subtrees of the leaves whose records were pruned. `believed`: compare with the tables only.
    """

    def __init__(self, reader: JournalReader, *, old: bool = False, believed: bool = False) -> None:
        self._reader, self._tables, self._old = reader, LogTables(reader), old
        self.book = LogBook()
        self._begun = False
        self._rows: Iterator[LeafRow] = iter(())
        self._newest = 0
        salvaged = None if believed else reader.newest_of(SALVAGED)
        self._believed = MANY if believed else salvaged.sequence if salvaged is not None else 0
        """Up to here, what the records say of the tree is of the file before it was salvaged."""

    def take(self, record: JournalRecord, before: bytes) -> None:
        """Take one record; `before` is the hash of the one before it."""
        if not self._begun:
            if record.kind not in CLEARS:
                return
            self._begin(record.sequence)
        if record.kind in (BALANCE, CHECKPOINT) and record.sequence > self._believed:
            self._compare(record)
        leaf = self.book.take(record, before)
        if leaf is not None:
            self._must_be_there(leaf)

    def finish(self) -> None:
        """Look for leaves that follow from no record."""
        if self._begun and (row := next(self._rows, None)) is not None:
            raise self._wrong(f"the table 'leaf' holds one of record {row[2]}, which follows from no record")
        if not self._reader.whole:
            return
        for level in LEVELS if self.book.tree else ():
            first = self.book.size >> level
            sql = "SELECT 1 FROM node WHERE tree = ? AND level = ? AND number >= ? LIMIT 1"
            if self._reader.rows(sql, self.book.tree, level, first):
                raise self._surplus(level)
        if self._old:
            self._check_nodes()

    def _check_nodes(self) -> None:
        """Look for subtrees of all trees that follow from no leaves."""
        after, sql = (-1, -1, -1), "SELECT tree, level, number FROM node WHERE (tree, level, number) > (?, ?, ?)"
        sizes: dict[int, int] = {}
        while rows := self._reader.rows(f"{sql} ORDER BY tree, level, number LIMIT ?", *after, _PAGE):
            for tree, level, number in rows:
                size = sizes.setdefault(tree, self._tables.size_of(tree))
                if level not in LEVELS or (number + 1) << level > size:
                    raise self._surplus(level)
            after = rows[-1]

    def _surplus(self, level: int) -> JournalDamaged:
        return self._wrong(f"the table 'node' holds a subtree of level {level} that follows from no record")

    def _begin(self, sequence: int) -> None:
        self._begun = True
        self.book = LogBook(self._tables.state_before(sequence))
        self._rows = self._tables.rows_after(sequence - 1)
        self._newest = sequence - 1
        if self._old and self._reader.whole:
            self._check_old(sequence - 1)

    def _check_old(self, up_to: int) -> None:
        """Check the kept subtrees of the leaves up to a record against these leaves."""
        tree, grown = 0, GrowingTree()
        for row in self._tables.rows_after(0, up_to):
            if row[1] == 0:
                tree, grown = row[0], GrowingTree()
            if (tree, grown.size) != row[:2]:
                raise self._wrong(f"the table 'leaf' lacks leaf {grown.size} of the tree that record {tree} began")
            for level, number, found in grown.add(_hash(self._reader, row[3])):
                if level in LEVELS and self._tables.subtree(tree, level, number) != found:
                    raise self._wrong(f"a subtree of level {level} does not match its leaves")

    def _compare(self, record: JournalRecord) -> None:
        try:
            noted = json.loads(record.payload)
            there = noted.get("log") if record.kind == BALANCE else noted
            found = (there["size"], there["root"]) if there is not None else None
            self.book.origin, self.book.key = (str(there[name]) for name in ("origin", "key")) if there else ("", "")
        except (ValueError, KeyError, TypeError, AttributeError):
            raise JournalDamaged(self._reader.path, record.sequence, f"a {record.kind} that cannot be read") from None
        now = (self.book.size, self.book.root().hex()) if self.book.tree else None
        if found != now:
            text = f"a row of 'leaf' or 'node' from before record {record.sequence} does not match its {record.kind}"
            raise self._wrong(text)

    def _must_be_there(self, leaf: Leaf) -> None:
        """Compare a leaf and the subtrees that it completes with their rows."""
        row = next(self._rows, None)
        if row is None or row != (leaf.tree, leaf.number, leaf.sequence, leaf.hash):
            raise self._wrong(
                f"the table 'leaf' does not hold the leaf of record {leaf.sequence} as it follows from it"
            )
        for level, number, found in leaf.nodes:
            sql = "SELECT hash FROM node WHERE tree = ? AND level = ? AND number = ?"
            if self._reader.rows(sql, leaf.tree, level, number) != [(found,)]:
                raise self._wrong(f"the table 'node' does not hold the subtree that record {leaf.sequence} completes")

    def _wrong(self, text: str) -> JournalDamaged:
        return JournalDamaged(self._reader.path, None, f"{text}; {MEND}")
