"""The check of a journal with the copies of its days: chain and tree go on from file to file, and a witness's line is
compared with each."""

from collections.abc import Sequence
from typing import NamedTuple

from dealwire.journal.check import JournalVerdict
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.log_tables import LogTables, TreeEnd
from dealwire.journal.reader import JournalReader
from dealwire.journal.signing import TreeHead
from dealwire.journal.witnessing import check_against


class _Taken(NamedTuple):
    name: str
    found: JournalVerdict
    newest: tuple[int, TreeEnd] | None
    """Its newest leaf's record, and the tree that ends with it."""


class ContinuedCheck:
    """Checks files of one journal against one another. Call `take` with each once it is verified, oldest first.

    `seen` are a witness's lines, from the file `where`; `compared` counts those that a file could be compared with.
    """

    def __init__(self, seen: Sequence[TreeHead] = (), where: str = "") -> None:
        self.whole: list[JournalVerdict] = []
        self.compared = 0
        self._seen, self._where = seen, where
        self._taken: list[_Taken] = []

    def take(self, reader: JournalReader, found: JournalVerdict) -> None:
        """Take a verified file. JournalDamaged if it does not continue the one before."""
        before = self._taken[-1] if self._taken else None
        if before is not None and before.found.head != found.anchor:
            why = f"it continues record {found.anchor}, but the file before it ends with {before.found.head}"
            raise JournalDamaged(reader.path, None, why)
        if before is not None and not reader.whole and before.found.tree != found.tree_before:
            raise JournalDamaged(reader.path, None, f"its tree does not continue the one of {before.name}")
        tables = LogTables(reader)
        for each in self._taken if reader.whole else ():
            _compare_kept(reader, tables, each)
        self.compared += check_against(reader, self._seen, self._where)
        newest = tables.newest_between(found.anchor.sequence, found.head.sequence)
        self._taken.append(_Taken(str(reader.path), found, newest))
        self.whole.append(found)


def _compare_kept(reader: JournalReader, tables: LogTables, copy: _Taken) -> None:
    """Compare the leaves that a journal kept of a pruned day with the copy of that day. A journal that was salvaged may
    have none."""
    kept = tables.newest_between(copy.found.anchor.sequence, copy.found.head.sequence)
    if kept is not None and kept != copy.newest:
        why = f"the leaves that it kept of the records in {copy.name} are not theirs: one of the two was rewritten"
        raise JournalDamaged(reader.path, None, why)
