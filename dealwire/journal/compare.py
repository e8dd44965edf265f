"""Comparison of the published lines with those that the raw record yields."""

import json
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, Final

from dealwire.hub.lines import Publication
from dealwire.journal.contents import publication_of
from dealwire.journal.reader import JournalReader
from dealwire.journal.rebuilding import Dealing, MakePublisher, T
from dealwire.journal.records import SNAPSHOT, STARTED, JournalRecord
from dealwire.journal.snapshots import decoded, provable

DERIVED: Final = frozenset({"incident", "round", "settlement", "meter", "award"})
"""Topics that follow from the raw record, whatever else a service publishes."""


@dataclass(frozen=True, slots=True)
class LineDifference:
    """The first difference. `stored` None: the line was not published; `rebuilt` None: the raw record does not yield
    it."""

    table: str
    stored: Publication | None
    rebuilt: Publication | None

    def __str__(self) -> str:
        if self.stored is None:
            assert self.rebuilt is not None
            return (
                f"the raw record up to {self.rebuilt.sequence} gives a line that was not published: {self.rebuilt.line}"
            )
        if self.rebuilt is None:
            return f"record {self.stored.sequence} does not follow from the raw record: {self.stored.line}"
        return (
            f"record {self.stored.sequence} differs from what the raw record up to {self.rebuilt.sequence} gives; "
            f"published: {self.stored.line}; rebuilt: {self.rebuilt.line}"
        )


@dataclass(frozen=True, slots=True)
class SnapshotDifference:
    """A snapshot that does not match the table in the replay; `stored` and `rebuilt` start at the difference, as JSON.
    `rebuilt` is None if the table is not at rest there."""

    table: str
    sequence: int
    stored: str
    rebuilt: str | None

    def __str__(self) -> str:
        rebuilt = "a table or a line that is not at rest" if self.rebuilt is None else f"...{self.rebuilt}"
        what = f"record {self.sequence}: the snapshot does not match the raw record"
        return f"{what}; snapshot: ...{self.stored}; rebuilt: {rebuilt}"


@dataclass(slots=True)
class Comparison:
    """Result of a comparison.

    `pending` follows from the raw record and was not published when the writer was interrupted; a resuming writer
    publishes it. `given_up` never was, because the table started over.
    """

    equal: int = 0
    reworded: int = 0
    """Lines among the equal ones that state the same facts in other sentences, as another version wrote them."""
    snapshots: int = 0
    """Snapshots that match the replayed table byte for byte; none is checked unless requested."""
    difference: LineDifference | SnapshotDifference | None = None
    pending: list[Publication] = field(default_factory=list)
    given_up: list[Publication] = field(default_factory=list)


_SENTENCES: Final = frozenset({"text", "why", "held"})
"""Fields of a published line that hold a sentence for a person. A later version may word it differently."""


_GAINED: Final = frozenset({"pots"})
"""Fields that the line of a round has gained: a line of an older version lacks them."""


def says_the_same(was: Publication, now: Publication) -> bool:
    """Return True if two lines state the same facts and differ in the wording of their sentences at most.

    A sentence follows from facts that stand in other fields of the line, so an update that rewords it neither changes
    a result nor keeps a table from resuming. A round of an older version lacks the fields that its line has gained
    since.
    """
    if was.topic != now.topic:
        return False
    try:
        old, new = json.loads(was.line), json.loads(now.line)
    except ValueError:  # another program's table may publish lines that are not JSON
        return False
    if was.topic == "round" and isinstance(new, dict) and isinstance(old, dict):
        new = {key: each for key, each in new.items() if key in old or key not in _GAINED}
    return bool(_facts(old) == _facts(new))


def _facts(value: Any) -> Any:
    """Return a line without its sentences; in their place, whether there is one."""
    if isinstance(value, dict):
        return {
            key: bool(each) if key in _SENTENCES and isinstance(each, str | None) else _facts(each)
            for key, each in value.items()
        }
    return [_facts(each) for each in value] if isinstance(value, list) else value


def by_another_game_file(was: Publication, now: Publication) -> bool:
    """True if two settlements, made with two states of a game's file, decide the same, line by line and to the cent.
    Sentences and fields that the file gained since are not compared."""
    if not was.topic == now.topic == "settlement":
        return False
    old, new = json.loads(was.line), json.loads(now.line)
    if old["game"]["id"] != new["game"]["id"] or old["game"]["sha256"] == new["game"]["sha256"]:
        return False
    return _decided(old) == _decided(new)


def _decided(settlement: dict[str, Any]) -> list[Any]:
    """Return the facts of a settlement that a rebuild must match."""
    keys = ("table", "session", "round", "procedure", "outcome", "paytables", "status", "seats", "totals", "meters")
    lines = [{key: value for key, value in line.items() if key != "why"} for line in settlement["lines"]]
    return [[settlement.get(key) for key in keys], lines]


class Matching:
    """Takes records in order and pairs, by table, published lines with rebuilt ones. With a reader, snapshots are
    compared too."""

    def __init__(
        self, dealing: Dealing[T], topics: Collection[str] = DERIVED, snapshots_of: JournalReader | None = None
    ) -> None:
        self.result = Comparison()
        self._dealing, self._topics, self._reader = dealing, topics, snapshots_of
        self._stored: dict[str, deque[Publication]] = {}
        self._rebuilt: dict[str, deque[Publication]] = {}

    def take(self, record: JournalRecord) -> list[Publication]:
        """Take one record; return what it rebuilt."""
        if record.kind == STARTED:
            self._begin_anew(record.table)
        found = self._dealing.take(record)
        for publication in found:
            if publication.topic in self._topics:
                self._rebuilt.setdefault(publication.table, deque()).append(publication)
                self._pair(publication.table)
        if record.kind in self._topics and (record.table in self._dealing.begun or not self._dealing.pruned):
            stored = publication_of(record, self._dealing.epoch_at(record.sequence))
            self._stored.setdefault(record.table, deque()).append(stored)
            self._pair(record.table)
        if record.kind == SNAPSHOT and self._reader is not None:
            self._compare_snapshot(self._reader, record)
        return found

    def _compare_snapshot(self, reader: JournalReader, record: JournalRecord) -> None:
        snapshot = reader.snapshot_of(record)
        stored, kept = provable(decoded(reader.path, snapshot)).decode(), self._dealing.kept(snapshot)
        rebuilt = provable(kept).decode() if kept is not None else None
        if stored == rebuilt:
            self.result.snapshots += 1
        elif self.result.difference is None:
            place = next(
                (i for i, pair in enumerate(zip(stored, rebuilt or "", strict=False)) if pair[0] != pair[1]), 0
            )
            parts = [text and text[max(place - 60, 0) : place + 60] for text in (stored, rebuilt)]
            self.result.difference = SnapshotDifference(record.table, record.sequence, parts[0] or "", parts[1])

    def finish(self) -> Comparison:
        """Finish at the end of the records."""
        for table, stored in self._stored.items():
            if stored:
                self._part(table, stored[0], None)
        self.result.pending = [item for waiting in self._rebuilt.values() for item in waiting]
        return self.result

    def _pair(self, table: str) -> None:
        stored, rebuilt = self._stored.get(table), self._rebuilt.get(table)
        while stored and rebuilt and self.result.difference is None:
            was, now = stored.popleft(), rebuilt.popleft()
            if (was.topic, was.line) == (now.topic, now.line) or by_another_game_file(was, now):
                self.result.equal += 1
            elif says_the_same(was, now):
                self.result.equal += 1
                self.result.reworded += 1
            else:
                self._part(table, was, now)

    def _begin_anew(self, table: str) -> None:
        stored, rebuilt = self._stored.pop(table, None), self._rebuilt.pop(table, None)
        if stored:
            self._part(table, stored[0], None)
        self.result.given_up += rebuilt or ()

    def _part(self, table: str, stored: Publication | None, rebuilt: Publication | None) -> None:
        if self.result.difference is None:
            self.result.difference = LineDifference(table, stored, rebuilt)


def compare(
    reader: JournalReader,
    make: MakePublisher[T],
    topics: Collection[str] = DERIVED,
    *,
    check_snapshots: bool = False,
) -> Comparison:
    """Replay the whole journal and compare; stop at the first difference. Errors as `rebuild`."""
    matching = Matching(Dealing(reader, make), topics, reader if check_snapshots else None)
    for record in reader.records():
        if matching.result.difference is not None:
            break
        matching.take(record)
    return matching.finish()
