"""The tables of a file that hold its log: `leaf` and `node`. `log_check` compares them with the records."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from dealwire.journal.balancing import MEND
from dealwire.journal.derived import Row
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.logbook import ADD_NODE, LEVELS, NO_TREE, LogState
from dealwire.journal.reader import JournalReader
from dealwire.journal.record_file import MANY
from dealwire.journal.records import CHECKPOINT
from dealwire.journal.tree import EMPTY_ROOT, GrowingTree, node_hash, peaks_of, root_of_peaks

LeafRow = tuple[int, int, int, bytes]
"""A row of the table `leaf`: tree, number, sequence, hash."""
TREE_SINCE: Final = 4
"""First file version with a tree."""
_PAGE: Final = 1000
_BELOW: Final = "SELECT hash FROM leaf WHERE tree = ? AND number >= ? AND number < ? ORDER BY number"
_AFTER: Final = "SELECT tree, number, sequence, hash FROM leaf WHERE sequence > ? ORDER BY sequence LIMIT ?"


class TreeEnd(NamedTuple):
    """A tree at one record; tree 0: there is none."""

    tree: int = 0
    size: int = 0
    root: bytes = EMPTY_ROOT


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
            return hash_in(self._reader, rows[0][0])
        begin, end = number << level, (number + 1) << level
        leaves = self._reader.rows(_BELOW, tree, begin, end) if level <= LEVELS[0] else []
        if len(leaves) == end - begin:
            grown = GrowingTree()
            for (found,) in leaves:
                grown.add(hash_in(self._reader, found))
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

    def begins_of(self, tree: int) -> int:
        """Return the number of a tree's first leaf in the file: above 0 in the copy of a day."""
        rows = self._reader.rows("SELECT number FROM leaf WHERE tree = ? ORDER BY number LIMIT 1", tree)
        return int(rows[0][0]) if rows else 0

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

    def is_checkpoint(self, tree: int, size: int) -> bool:
        """True if a checkpoint of this size of a tree is among the records: it is the leaf that comes next."""
        sql = "SELECT 1 FROM leaf JOIN record USING (sequence) WHERE tree = ? AND number = ? AND kind = ?"
        return bool(self._reader.rows(sql, tree, size, CHECKPOINT))

    def newest_between(self, after: int, up_to: int) -> tuple[int, TreeEnd] | None:
        """Return the newest leaf's record among those after one record up to another, and the tree that ends with it;
        None if none of them is a leaf."""
        sql = "SELECT sequence, tree, number FROM leaf WHERE sequence > ? AND sequence <= ? ORDER BY sequence DESC"
        rows = self._reader.rows(f"{sql} LIMIT 1", after, up_to) if self._reader.version >= TREE_SINCE else []
        for sequence, tree, number in rows:
            return sequence, TreeEnd(tree, number + 1, self.root_of(tree, number + 1))
        return None

    def trees(self, table: str) -> list[int]:
        """Return the trees of which the table `leaf` or `node` has rows."""
        found, sql = list[int](), f"SELECT tree FROM {table} WHERE tree > ? ORDER BY tree LIMIT 1"
        while rows := self._reader.rows(sql, found[-1] if found else -MANY - 1):
            found.append(rows[0][0])
        return found

    def rows_after(self, sequence: int, up_to: int = MANY) -> Iterator[LeafRow]:
        """Yield the rows of `leaf` after a record, oldest first."""
        while rows := self._reader.rows(_AFTER, sequence, _PAGE):
            for row in rows:
                if row[2] > up_to:
                    return
                yield row
            sequence = rows[-1][2]


def hash_in(reader: JournalReader, found: Any) -> bytes:
    """Return the hash in a row of the tree. JournalDamaged if there is none."""
    if type(found) is not bytes or len(found) != 32:
        raise JournalDamaged(reader.path, None, f"an invalid row in the tree; {MEND}")
    return found
