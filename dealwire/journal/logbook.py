"""The log of a journal: which records are leaves of its tree, and the tree at one record.

A leaf commits to its record and, through the chain, to every record before it. What it shows of the chain is a hash of
the previous hash, so that no one can try what the records beside it may hold. `docs/journal.md` states the bytes.

It is kept twice, as the books are: in memory, and in the tables `leaf` and `node` of the file, written with the records
they follow from. A tree begins with a record `log` and ends where a journal was salvaged.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from dealwire.journal.derived import Row
from dealwire.journal.records import BALANCE, DAY, LOG, NO_LEAF, OPENED, SALVAGED, JournalRecord, heading
from dealwire.journal.tree import GrowingTree, leaf_hash

LEVELS: Final = (8, 16, 24)
"""Levels of the complete subtrees that the file keeps, so that a proof reads few leaves."""
CLEARS: Final = (OPENED, DAY, BALANCE)
"""Kinds of records after which a settlement no longer goes with a round before: a check may begin at each."""

ADD_LEAF: Final = "INSERT INTO leaf (tree, number, sequence, hash) VALUES (?, ?, ?, ?)"
ADD_NODE: Final = "INSERT INTO node (tree, level, number, hash) VALUES (?, ?, ?, ?)"


class LogState(NamedTuple):
    """A tree at one record: the number of the record that began it, its size, and its complete subtrees, largest first.
    Tree 0: none has begun."""

    tree: int = 0
    size: int = 0
    peaks: Sequence[bytes] = ()


NO_TREE: Final = LogState()


class Leaf(NamedTuple):
    """A leaf: its place, its record, its hash, and the kept subtrees that it completes."""

    tree: int
    number: int
    sequence: int
    hash: bytes
    nodes: Sequence[tuple[int, int, bytes]]

    def statements(self) -> list[Row]:
        """Return the statements that write it."""
        rows: list[Row] = [(ADD_LEAF, (self.tree, self.number, self.sequence, self.hash))]
        return rows + [(ADD_NODE, (self.tree, *node)) for node in self.nodes]


def digest_of(head: bytes, payload: bytes) -> bytes:
    """Return the digest of a record: of its heading and its payload."""
    return hashlib.sha256(head + payload).digest()


def blind_of(before: bytes) -> bytes:
    """Return the part of a leaf that stands for everything before its record, whose hash in the chain is `before`."""
    return hashlib.sha256(b"dealwire leaf\0" + before).digest()


def origin_of(identity: bytes, epoch: str) -> str:
    """Return the name of the log that an opening begins."""
    return f"dealwire/{identity.hex()}/{epoch}"


def named_in(payload: bytes) -> tuple[str, str]:
    """Return origin and vkey in a record `log`; empty if it cannot be read."""
    try:
        fields = json.loads(payload)
        return str(fields["origin"]), str(fields["key"])
    except (ValueError, KeyError, TypeError, RecursionError):
        return "", ""


class LogBook:
    """The tree at one record. A writer calls `add` with each record, a reader `take`."""

    def __init__(self, state: LogState = NO_TREE) -> None:
        self.tree = state.tree
        """Number of the record that began it; 0 if there is none."""
        self.origin = self.key = ""
        """Name of the log and vkey of its signer; empty while no record that says so was met."""
        self._grown = GrowingTree(state.size, state.peaks)
        self._rounds: dict[str, bytes] = {}

    @property
    def size(self) -> int:
        """Number of leaves."""
        return self._grown.size

    def root(self) -> bytes:
        """Return the root of the tree."""
        return self._grown.root()

    def noted(self) -> dict[str, object] | None:
        """Return what a balance says of the tree; None if there is none."""
        if not self.tree:
            return None
        fields = {"tree": self.tree, "size": self.size, "root": self.root().hex()}
        return {**fields, "origin": self.origin, "key": self.key}

    def end(self) -> None:
        """End the tree: no leaf is added until another begins."""
        self.tree, self.origin, self.key = 0, "", ""

    def take(self, record: JournalRecord, before: bytes) -> Leaf | None:
        """Take one record, in order; `before` is the hash of the one before it. Return its leaf, None if it is none."""
        head = heading(record.sequence, record.at_ns, record.line, record.kind, record.table)
        return self.add(record.sequence, record.kind, record.table, head, record.payload, before)

    def add(self, sequence: int, kind: str, table: str, head: bytes, payload: bytes, before: bytes) -> Leaf | None:
        """Take one record with this heading. Return its leaf, None if it is none."""
        if kind == LOG:
            self.tree, self._grown = sequence, GrowingTree()
            self.origin, self.key = named_in(payload)
        elif kind == SALVAGED:
            self.end()
        if kind in CLEARS:
            self._rounds.clear()
        if not self.tree or kind in NO_LEAF:
            return None
        digest = digest_of(head, payload)
        entry = blind_of(before) + digest
        if kind == "round":
            self._rounds[table] = digest
        elif kind == "settlement":
            entry += self._rounds.pop(table, b"")
        return self._grow(sequence, leaf_hash(entry))

    def adopt(self, tree: int, number: int, sequence: int, hashed: bytes) -> Leaf | None:
        """Take a leaf whose record was pruned; None if it does not follow."""
        if number == 0:
            self.tree, self._grown = tree, GrowingTree()
        if (tree, number) != (self.tree, self.size):
            return None
        return self._grow(sequence, hashed)

    def _grow(self, sequence: int, hashed: bytes) -> Leaf:
        number = self._grown.size
        done = [each for each in self._grown.add(hashed) if each[0] in LEVELS]
        return Leaf(self.tree, number, sequence, hashed, done)
