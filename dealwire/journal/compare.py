"""The lines that were made known beside those that the raw record gives: equal, or where they part."""

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from dealwire.hub.lines import Publication
from dealwire.journal.reader import JournalReader, publication_of
from dealwire.journal.rebuilding import Dealing, MakePublisher, T
from dealwire.journal.records import STARTED, JournalRecord

DERIVED: Final = frozenset({"incident", "round", "settlement", "meter", "award"})
"""Topics that follow from the raw record whatever else a service publishes."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first place where the two part. `stored` None: it was never made known; `rebuilt` None: the raw record does
    not give it."""

    table: str
    stored: Publication | None
    rebuilt: Publication | None

    def __str__(self) -> str:
        if self.stored is None:
            assert self.rebuilt is not None
            return f"the raw record up to {self.rebuilt.sequence} gives what was not made known: {self.rebuilt.line}"
        if self.rebuilt is None:
            return f"record {self.stored.sequence} does not follow from the raw record: {self.stored.line}"
        return (
            f"record {self.stored.sequence} differs from what the raw record up to {self.rebuilt.sequence} gives; "
            f"made known: {self.stored.line}; rebuilt: {self.rebuilt.line}"
        )


@dataclass(slots=True)
class Comparison:
    """How a journal's two sides compare. `pending` follows from the raw record and was not made known when the writer
    was broken off; whoever goes on with the journal makes it known. `given_up` was never, because the table began anew
    instead."""

    equal: int = 0
    difference: Difference | None = None
    pending: list[Publication] = field(default_factory=list)
    given_up: list[Publication] = field(default_factory=list)


class Matching:
    """Takes records in order and pairs, table by table, what was published with what is rebuilt."""

    def __init__(self, dealing: Dealing[T], topics: Collection[str] = DERIVED) -> None:
        self.result = Comparison()
        self._dealing, self._topics = dealing, topics
        self._stored: dict[str, deque[Publication]] = {}
        self._rebuilt: dict[str, deque[Publication]] = {}

    def take(self, record: JournalRecord) -> list[Publication]:
        """One record; what it rebuilt."""
        if record.kind == STARTED:
            self._begin_anew(record.table)
        found = self._dealing.take(record)
        for publication in found:
            if publication.topic in self._topics:
                self._rebuilt.setdefault(publication.table, deque()).append(publication)
                self._pair(publication.table)
        if record.kind in self._topics:
            self._stored.setdefault(record.table, deque()).append(publication_of(record))
            self._pair(record.table)
        return found

    def finish(self) -> Comparison:
        """The records are over."""
        for table, stored in self._stored.items():
            if stored:
                self._part(table, stored[0], None)
        self.result.pending = [item for waiting in self._rebuilt.values() for item in waiting]
        return self.result

    def _pair(self, table: str) -> None:
        stored, rebuilt = self._stored.get(table), self._rebuilt.get(table)
        while stored and rebuilt and self.result.difference is None:
            was, now = stored.popleft(), rebuilt.popleft()
            if (was.topic, was.line) == (now.topic, now.line):
                self.result.equal += 1
            else:
                self._part(table, was, now)

    def _begin_anew(self, table: str) -> None:
        stored, rebuilt = self._stored.pop(table, None), self._rebuilt.pop(table, None)
        if stored:
            self._part(table, stored[0], None)
        self.result.given_up += rebuilt or ()

    def _part(self, table: str, stored: Publication | None, rebuilt: Publication | None) -> None:
        if self.result.difference is None:
            self.result.difference = Difference(table, stored, rebuilt)


def compare(reader: JournalReader, make: MakePublisher[T], topics: Collection[str] = DERIVED) -> Comparison:
    """Deal the whole journal again and compare; stops at the first difference. Errors as `rebuild`."""
    matching = Matching(Dealing(reader, make), topics)
    for record in reader.records():
        if matching.result.difference is not None:
            break
        matching.take(record)
    return matching.finish()
