"""Reading a journal by rounds: the newest first, or one by number, without reading what is between.

Every settled round has a mark, which an index finds, so a round of weeks ago costs the same as one of today. Without
settled rounds, as at a table without a game, the lines are scanned.
"""

from collections.abc import Iterator, Mapping
from heapq import merge
from operator import attrgetter, itemgetter
from typing import Final, NamedTuple

import msgspec

from dealwire.journal import database, derived
from dealwire.journal.book_tables import BookTables
from dealwire.journal.reader import JournalReader
from dealwire.journal.record_file import MANY, PAGE
from dealwire.journal.records import HELD, SETTLED, SNAPSHOT, STARTED, JournalRecord
from rules.meters.settled_rounds import SettledKey

LATE: Final = 2_000
"""Records between a round's line and the mark of its settlement: other tables' lines, and meters."""


class _Numbered(msgspec.Struct):
    round: int


class _Started(msgspec.Struct):
    event: str
    fields: _Numbered


_ROUND: Final = msgspec.json.Decoder(_Numbered)
_STARTED: Final = msgspec.json.Decoder(_Started)
_START_GAME: Final = "GameStarted"


class RoundPlace(NamedTuple):
    """Location of a round: its number, the records of START GAME (0: not searched) and of its result (0: it has not
    ended)."""

    number: int
    begins: int
    ends: int


class RoundReader(JournalReader):
    """A journal open for reading by rounds."""

    def tables(self) -> list[str]:
        """Return every table that ever started in it."""
        return sorted({*self._named(STARTED), *self._named(SNAPSHOT)})

    def begun(self, table: str, up_to: int) -> int:
        """Return the record of the last start of `table`, up to this one; 0 if it is not in the file."""
        found = self._newest_mark(STARTED, table, up_to)
        return found.sequence if found is not None else 0

    def mark(self, kind: str, table: str, up_to: int) -> JournalRecord | None:
        """Return the newest mark of a kind, up to this record; the journal's own marks have an empty table."""
        return self._newest_mark(kind, table, up_to)

    def lines_back(
        self, table: str, holding: Mapping[str, str], *, before: int = MANY, after: int = 0
    ) -> Iterator[JournalRecord]:
        """Yield published lines of `table`, newest first: of these topics, each with a text it must contain, which may
        be empty."""
        topics = " OR ".join(["(kind = ? AND (? = '' OR instr(payload, CAST(? AS BLOB))))"] * len(holding))
        where = f"{database.IS_PUBLICATION} AND tbl = ? AND sequence < ? AND sequence > ? AND ({topics})"
        sql = (
            f"SELECT {database.COLUMNS} FROM record INDEXED BY publication WHERE {where} ORDER BY sequence DESC LIMIT ?"
        )
        wanted = [part for topic, text in holding.items() for part in (topic, text, text)]
        limit = 16  # usually the first row is the one; then read by pages
        while found := list(map(self.record, self.rows(sql, table, before, after, *wanted, limit))):
            yield from found
            before, limit = found[-1].sequence, PAGE

    def newest_rounds(self, table: str, most: int) -> list[RoundPlace]:
        """Return the newest rounds that ended, newest first."""
        found: list[RoundPlace] = []
        for number, sequence in self._settled_back(table):
            if len(found) == most:
                return found
            if (line := self._line_of(table, number, sequence)) is not None:
                found.append(RoundPlace(number, 0, line))
        if not found:
            for record in self.lines_back(table, {"round": ""}):
                if len(found) == most:
                    break
                found.append(RoundPlace(_number(record), 0, record.sequence))
        return found

    def record_at(self, at_ns: int) -> int:
        """Return the first record at or after this time by binary search; one more than the newest if all are earlier.
        Where times are slightly out of order, so may be the result."""
        low, high = self.anchor.sequence + 1, self.head.sequence + 1
        while low < high:
            middle = (low + high) // 2
            rows = self.rows("SELECT at_ns FROM record WHERE sequence >= ? ORDER BY sequence LIMIT 1", middle)
            low, high = (low, middle) if not rows or rows[0][0] >= at_ns else (middle + 1, high)
        return low

    def next_round(self, table: str, after: int) -> int:
        """Return the first result of a round of `table` from this record on; the newest record if there is none."""
        where = f"{database.IS_PUBLICATION} AND kind = 'round' AND tbl = ? AND sequence >= ?"
        sql = f"SELECT sequence FROM record INDEXED BY publication WHERE {where} ORDER BY sequence LIMIT 1"
        rows = self.rows(sql, table, after)
        return int(rows[0][0]) if rows else self.head.sequence

    def rounds_within(self, table: str, after: int = 0, before: int = MANY) -> Iterator[RoundPlace]:
        """Yield every round of `table` with its result between these records, newest first, settled or not, including
        rounds that never ended, where they were given up, and the one under way."""
        unended = [*self._given_up(table)][::-1]
        live = self.under_way(table)
        if live is not None and live not in unended:
            unended.insert(0, live)
        for record in self.lines_back(table, {"round": ""}, before=before, after=after):
            while unended and unended[0].begins > record.sequence:
                yield unended.pop(0)
            yield RoundPlace(_number(record), 0, record.sequence)
        yield from unended

    def under_way(self, table: str, before: int = MANY) -> RoundPlace | None:
        """Return the round under way before this record; None between two rounds."""
        for record in self.lines_back(table, {"round": "", "event": f'"{_START_GAME}"'}, before=before):
            if record.kind == "round":
                return None
            if (number := _number(record)) >= 0:
                return RoundPlace(number, record.sequence, 0)
        return None

    def places(self, table: str, number: int) -> list[RoundPlace]:
        """Return every round of `table` with this number, newest first: a controller may restart at one."""
        live = self.under_way(table)
        found = [live] if live is not None and live.number == number else []
        settled = [*self._settled_places(table, number)]
        found += sorted({*settled, *self._unmarked(table, number, settled)}, key=attrgetter("ends"), reverse=True)
        if not found and next(self._keys_back(table, SETTLED), None) is None:
            lines = self.lines_back(table, {"round": f'"round":{number},'})
            found = [RoundPlace(number, 0, each.sequence) for each in lines if _number(each) == number]
        return found or [each for each in self._given_up(table) if each.number == number]

    def numbers(self, table: str) -> tuple[int, int] | None:
        """Return the numbers of the oldest and the newest round of `table` in the file; None if none ended."""
        newest = self.newest_rounds(table, 1)
        if not newest:
            return None
        oldest = next(self.marked(SETTLED, table, 0), None) if self.version > 1 else None
        key = derived.key_of(oldest) if oldest is not None else None
        if key is not None:
            return key.round, newest[0].number
        *_, record = self.lines_back(table, {"round": ""})
        return _number(record), newest[0].number

    # ------------------------------------------------------------------ inside

    def _settled_back(self, table: str) -> Iterator[tuple[int, int]]:
        return ((key.round, sequence) for key, sequence, _ in self._ended_back(table))

    def _ended_back(self, table: str) -> Iterator[tuple[SettledKey, int, str]]:
        """Yield the rounds of `table` that were settled, or held because their number was taken, newest first, with
        record and kind."""
        settled = ((key, sequence, SETTLED) for key, sequence in self._keys_back(table, SETTLED))
        held = ((key, sequence, HELD) for key, sequence in self._keys_back(table, HELD))
        return merge(settled, held, key=itemgetter(1), reverse=True)

    def _keys_back(self, table: str, kind: str) -> Iterator[tuple[SettledKey, int]]:
        """Yield the rounds of `table` with a record of this kind, newest first, each with that record."""
        where = f"{self._marks} AND kind = '{kind}' AND tbl = ? AND sequence < ?"
        sql = f"SELECT {database.COLUMNS} FROM record INDEXED BY mark WHERE {where} ORDER BY sequence DESC LIMIT ?"
        before = MANY if self.version > 1 else 0
        while found := list(map(self.record, self.rows(sql, table, before, PAGE))):
            for record in found:
                if (key := derived.key_of(record)) is not None:
                    yield key, record.sequence
            before = found[-1].sequence

    def _line_of(self, table: str, number: int, settled: int) -> int | None:
        """Return the record of the result that was settled there; None if it was pruned."""
        for record in self.lines_back(table, {"round": ""}, before=settled, after=settled - LATE):
            if _number(record) == number:
                return record.sequence
        return None

    def _settled_places(self, table: str, number: int) -> Iterator[RoundPlace]:
        """Yield the settled rounds with this number. Their count is looked up first, which bounds the search."""
        rows = BookTables(self).rows_of("settled") if self.version > 1 else ()
        runs = sum(row[0] == table and row[3] <= number <= row[4] for row in rows)
        met: set[object] = set()
        for key, sequence, kind in self._ended_back(table) if runs else ():
            if key.round != number:
                continue
            if (line := self._line_of(table, number, sequence)) is not None:
                yield RoundPlace(number, 0, line)
            if kind == SETTLED:  # a held round took the number after the settled one
                met.add(key)
            if len(met) == runs:
                return

    def _unmarked(self, table: str, number: int, settled: list[RoundPlace]) -> Iterator[RoundPlace]:
        """Yield rounds without a mark that repeat the number of a settled round shortly after it, with nothing held."""
        for place in settled:
            near = {"before": place.ends + LATE, "after": place.ends}
            for record in self.lines_back(table, {"round": '"round-number-again"'}, **near):
                if _number(record) == number:
                    yield RoundPlace(number, 0, record.sequence)

    def _given_up(self, table: str) -> Iterator[RoundPlace]:
        """Yield rounds that never ended because their table started over."""
        for started in self.marked(STARTED, table, 0):
            if (found := self.under_way(table, started.sequence)) is not None:
                yield found


def _number(record: JournalRecord) -> int:
    """Return the round of a line; -1 if it names none."""
    try:
        if record.kind == "round":
            return _ROUND.decode(record.payload).round
        found = _STARTED.decode(record.payload)
    except msgspec.DecodeError:
        return -1
    return found.fields.round if found.event == _START_GAME else -1
