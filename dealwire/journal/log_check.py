"""The check of a file's log: its tree against the records, its checkpoints against the tree, and no row beside them."""

from collections.abc import Iterator
from typing import Final

from dealwire.journal.balancing import MEND
from dealwire.journal.errors import JournalDamaged, SealingUnavailable
from dealwire.journal.log_records import OTHER_TREE, fault_of_note, noted_cosignature, noted_tree, read_from, text_of
from dealwire.journal.log_tables import LeafRow, LogTables, TreeEnd, hash_in
from dealwire.journal.logbook import CLEARS, LEVELS, Leaf, LogBook, named_in, origin_of
from dealwire.journal.reader import JournalReader
from dealwire.journal.record_file import MANY
from dealwire.journal.records import BALANCE, CHECKPOINT, COSIGNED, LOG, SALVAGED, JournalRecord
from dealwire.journal.tree import GrowingTree, peaks_of

_NODES: Final = "SELECT tree, level, number FROM node WHERE (tree, level, number) > (?, ?, ?)"
_NO_RECORD: Final = "SELECT 1 FROM leaf WHERE sequence < 1 OR sequence > ? LIMIT 1"
_PAGE: Final = 1000
_SAYS: Final = frozenset((BALANCE, CHECKPOINT, LOG, COSIGNED))


class LogCheck:
    """Checks the tree against the records. Call `take` with records in order, then `finish`; `book` is led forward.

    It begins at the first opening, day or balance: from there the tree follows from the records and what came before.
    `old`: also check the leaves whose records were pruned. `believed`: compare with the tables only.
    """

    def __init__(self, reader: JournalReader, *, old: bool = False, believed: bool = False) -> None:
        self._reader, self._tables, self._old = reader, LogTables(reader), old
        self.book = LogBook()
        self.began = TreeEnd()
        """The tree with which it began."""
        self.unchecked = False
        """True if no signature was checked: the library is not installed."""
        self._signed: JournalRecord | None = None
        """The newest checkpoint of the tree: its signature covers those before, which are leaves below its root."""
        self._begun = False
        self._rows: Iterator[LeafRow] = iter(())
        self._trees: set[int] = set()
        salvaged = None if believed else reader.newest_of(SALVAGED)
        self._believed = MANY if believed else salvaged.sequence if salvaged is not None else 0
        """Up to here, what the records say of the tree is of the file before it was salvaged."""

    @property
    def end(self) -> TreeEnd:
        """The tree after the newest record taken."""
        return TreeEnd(self.book.tree, self.book.size, self.book.root()) if self.book.tree else TreeEnd()

    def take(self, record: JournalRecord, before: bytes) -> None:
        """Take one record; `before` is the hash of the one before it."""
        if not self._begun:
            if record.kind not in CLEARS:
                return
            self._begin(record.sequence)
        if record.kind in _SAYS and record.sequence > self._believed:
            self._compare(record)
        leaf = self.book.take(record, before)
        if leaf is not None:
            self._must_be_there(leaf)

    def finish(self) -> None:
        """Look for rows that follow from no record."""
        if self._begun and (row := next(self._rows, None)) is not None:
            raise self._wrong(f"the table 'leaf' holds one of record {row[2]}, which follows from no record")
        self._check_trees()
        self._check_nodes()
        if self._believed != MANY:
            self._check_newest()

    # ------------------------------------------------------------------ rows that follow from nothing

    def _check_trees(self) -> None:
        """Look for trees and leaves that no record began."""
        tables, pruned = self._tables, self._reader.anchor.sequence
        if self._reader.rows(_NO_RECORD, self._reader.head.sequence):
            raise self._wrong("the table 'leaf' holds one of a record that no journal has")
        begun = {record.sequence: named_in(record.payload)[0] for record in self._reader.all_of(LOG)}
        if len(set(begun.values())) < len(begun):
            raise self._wrong("two trees have one name: two roots of one size would be signed")
        for table in ("leaf", "node"):
            for tree in tables.trees(table):
                if not (tree in begun or 0 < tree <= pruned):
                    raise self._wrong(f"the table '{table}' holds a tree {tree}, which no record began")
        for tree in tables.trees("leaf") if self._reader.whole else ():
            if tables.leaf_of(tree) != (tree, 0) or tables.begins_of(tree):
                raise self._wrong(f"the first leaf of the tree that record {tree} began is not of that record")

    def _check_nodes(self) -> None:
        """Look for subtrees that follow from no leaves. The copy of a day has those before its first leaf."""
        after, sizes = (-MANY - 1, 0, 0), dict[int, int]()
        given = set() if self._reader.whole else {(self.began.tree, *each) for each in peaks_of(self.began.size)}
        while rows := self._reader.rows(f"{_NODES} ORDER BY tree, level, number LIMIT ?", *after, _PAGE):
            for tree, level, number in rows:
                if tree not in sizes:
                    sizes[tree] = self._tables.size_of(tree)
                if (tree, level, number) in given:
                    continue
                if level not in LEVELS or number < 0 or (number + 1) << level > sizes[tree]:
                    raise self._wrong(f"the table 'node' holds a subtree of level {level} that follows from no record")
            after = rows[-1]

    # ------------------------------------------------------------------ what came before

    def _begin(self, sequence: int) -> None:
        self._begun = True
        self.book = LogBook(self._tables.state_before(sequence))
        self.began = self.end
        self._rows = self._tables.rows_after(sequence - 1)
        if not self._reader.whole:
            for row in self._tables.rows_after(0, sequence - 1):
                raise self._wrong(f"the table 'leaf' holds one of record {row[2]}, which is not in this copy of a day")
        elif self._old:
            self._check_old(sequence - 1)

    def _check_old(self, up_to: int) -> None:
        """Check the kept leaves up to a record, one by one, and the kept subtrees against them."""
        tree, grown = 0, GrowingTree()
        for row in self._tables.rows_after(0, up_to):
            if row[1] == 0 and row[0] == row[2]:
                tree, grown = row[0], GrowingTree()
            if (tree, grown.size) != row[:2]:
                raise self._wrong(f"the table 'leaf' lacks leaf {grown.size} of the tree that record {tree} began")
            for level, number, found in grown.add(hash_in(self._reader, row[3])):
                if level in LEVELS and self._tables.subtree(tree, level, number) != found:
                    raise self._wrong(f"a subtree of level {level} does not match its leaves")
        if self.book.tree and (tree, grown.size, grown.root()) != self.began:
            raise self._wrong(f"the leaves up to record {up_to} do not lead to the tree that goes on there")

    # ------------------------------------------------------------------ what records say of the tree

    def _compare(self, record: JournalRecord) -> None:
        if record.table:
            raise self._damaged(record, f"a {record.kind} of table {record.table!r}; it is of the whole journal")
        if record.kind == LOG:
            if self._signed is not None:
                self._check_note(self._signed)
            self._signed = None
            self._compare_log(record)
            return
        if record.kind == COSIGNED:
            noted_cosignature(self._reader.path, record)
            return
        noted = noted_tree(self._reader.path, record)
        if (TreeEnd(noted.tree, noted.size, noted.root) if noted is not None else TreeEnd()) != self.end:
            text = f"a row of 'leaf' or 'node' from before record {record.sequence} does not match its {record.kind}"
            raise self._wrong(text)
        if noted is None:
            return
        if self.book.origin not in ("", noted.origin) or self.book.key not in ("", noted.key):
            raise self._damaged(record, f"a {record.kind} of another log, or with another key, than its tree")
        self.book.origin, self.book.key = noted.origin, noted.key
        if record.kind == CHECKPOINT:
            if not noted.is_of_note:
                raise self._damaged(record, f"a checkpoint that nobody signed: {OTHER_TREE}")
            self._signed = record

    def _compare_log(self, record: JournalRecord) -> None:
        reader = self._reader
        origin, key = read_from(reader.path, record, lambda fields: (text_of(fields["origin"]), text_of(fields["key"])))
        if origin != origin_of(reader.identity, reader.epoch_at(record.sequence)) or not key.startswith(f"{origin}+"):
            raise self._damaged(record, "it begins a log that is not named for its journal and opening")

    def _check_note(self, record: JournalRecord) -> None:
        noted = noted_tree(self._reader.path, record)
        assert noted is not None
        try:
            fault = fault_of_note(noted)
        except SealingUnavailable:
            self.unchecked = True
            return
        if fault is not None:
            raise self._damaged(record, f"a checkpoint that nobody signed: {fault}")

    def _check_newest(self) -> None:
        """Check the newest checkpoint of the tree, even if it came before the records taken: a start signs what follows
        it under the same name."""
        record = self._reader.newest_of(CHECKPOINT)
        if record is None or not self.book.tree or record.sequence < self._believed:
            return
        noted = noted_tree(self._reader.path, record)
        assert noted is not None
        if record.sequence < self.book.tree and noted.origin != self.book.origin:
            return
        if (noted.tree, noted.origin, noted.key) != (self.book.tree, self.book.origin, self.book.key):
            raise self._damaged(record, "a checkpoint of another tree, log or key than what follows it")
        if noted.size > self.book.size or self._tables.root_of(noted.tree, noted.size) != noted.root:
            raise self._wrong(f"a row of 'leaf' or 'node' does not match the checkpoint of record {record.sequence}")
        self._check_note(record)

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

    def _damaged(self, record: JournalRecord, text: str) -> JournalDamaged:
        return JournalDamaged(self._reader.path, record.sequence, text)

    def _wrong(self, text: str) -> JournalDamaged:
        return JournalDamaged(self._reader.path, None, f"{text}; {MEND}")
