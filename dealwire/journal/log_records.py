"""Contents of the records of a log, read strictly: whoever wrote the file wrote them too.

A record that is not as a journal writes it is JournalDamaged, never another error.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

from dealwire.journal.errors import JournalDamaged, NoteRefused
from dealwire.journal.records import BALANCE, JournalRecord
from dealwire.journal.signing import LOG_TYPE, BadVkey, NoteVerifier, SignatureLine, TreeHead, note_parts, parsed_line

T = TypeVar("T")
NOT_JSON: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)
"""Errors of a content that is not what is read from it."""
OTHER_TREE: Final = "its note is of another tree"


class NotedTree(NamedTuple):
    """The tree by a checkpoint or a balance; `note` is empty in a balance."""

    tree: int
    size: int
    root: bytes
    origin: str
    key: str
    note: str = ""

    @property
    def head(self) -> TreeHead:
        """The tree's name, size and root."""
        return TreeHead(self.origin, self.size, self.root)

    @property
    def is_of_note(self) -> bool:
        """True if the note of a checkpoint is of this tree; its signature is not looked at."""
        return self.note.startswith(f"{self.head.body}\n\u2014 {self.origin} ")


class NotedCosignature(NamedTuple):
    """A witness's signature by its record."""

    origin: str
    size: int
    line: SignatureLine


def read_from(path: Path, record: JournalRecord, read: Callable[[dict[str, Any]], T]) -> T:
    """Return what `read` makes of a record's JSON. JournalDamaged if it cannot."""
    try:
        return read(json.loads(record.payload))
    except (*NOT_JSON, NoteRefused):
        raise JournalDamaged(path, record.sequence, f"a {record.kind} record that cannot be read") from None


def whole_number(found: Any) -> int:
    """Return a number that SQLite can hold; ValueError for anything else."""
    if type(found) is not int or not 0 <= found < 1 << 63:
        raise ValueError(found)
    return found


def text_of(found: Any) -> str:
    """Return a text that can be encoded; ValueError or TypeError for anything else."""
    if type(found) is not str:
        raise TypeError(found)
    found.encode()
    return found


def noted_tree(path: Path, record: JournalRecord) -> NotedTree | None:
    """Return what a checkpoint or a balance says of the tree; None if a balance says that there is none."""

    def read(fields: dict[str, Any]) -> NotedTree | None:
        found: dict[str, Any] | None = fields.get("log") if record.kind == BALANCE else fields
        if found is None:
            if record.kind == BALANCE:
                return None
            raise TypeError(fields)
        tree, size, root = whole_number(found["tree"]), whole_number(found["size"]), bytes.fromhex(found["root"])
        if not tree or len(root) != 32:
            raise ValueError(found)
        origin, key = text_of(found["origin"]), text_of(found["key"])
        return NotedTree(tree, size, root, origin, key, "" if record.kind == BALANCE else text_of(found["note"]))

    return read_from(path, record, read)


def noted_cosignature(path: Path, record: JournalRecord) -> NotedCosignature:
    """Return what a record of a witness's signature says."""

    def read(fields: dict[str, Any]) -> NotedCosignature:
        origin, line = text_of(fields.get("origin", "")), parsed_line(text_of(fields["line"]))
        return NotedCosignature(origin, whole_number(fields["size"]), line)

    return read_from(path, record, read)


def fault_of_note(noted: NotedTree) -> str | None:
    """Return what is wrong with the note of a checkpoint: it must be of this tree, and signed with the key of its log.
    None if nothing is. SealingUnavailable without the library, when all but the signature is right."""
    try:
        (body, lines), key = note_parts(noted.note), NoteVerifier.parse(noted.key)
    except (NoteRefused, BadVkey) as error:
        return f"its note or key is none: {error}"
    if body != noted.head.body:
        return OTHER_TREE
    if (key.name, key.kind) != (noted.origin, LOG_TYPE):
        return "its key is not the key of its log"
    found = [each for each in lines if (each.name, each.key_id) == (key.name, key.key_id)]
    if not found or not all(key.fits(body.encode(), each.signature) for each in found):
        return "its note is not signed with the key of its log: the journal was rewritten"
    return None
