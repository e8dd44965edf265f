"""The book of meters: the newest step of each, of a table's own meters and of shared ones.

It maintains the rows of the table `meter`, and checks whether a line may move a meter as it says.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, Final

import msgspec

from dealer_flow.english import dollars
from dealwire.journal import derived
from dealwire.journal.derived import Row
from dealwire.journal.digests import digest_of_row

Key = tuple[str, str]
"""Table and name of a meter; the table of a shared one is `derived.SHARED`."""
Step = tuple[int, str]
"""Record of a meter's newest step, and the row's text."""


class _Step(msgspec.Struct):
    """A step of a shared meter."""

    meter: str
    meter_cents: int
    to_meter: int = 0


class Moved(msgspec.Struct):
    """Movement of a meter by a line, in cents; `after` None: its amount is then unknown."""

    name: str
    before: int
    after: int | None = None

    @property
    def pays(self) -> bool:
        """True if money is paid from the meter."""
        return self.after is None or self.after < self.before


class _MetersOf(msgspec.Struct):
    meters: list[Moved] = msgspec.field(default_factory=list)


class _Closed(msgspec.Struct):
    kind: str
    meter: str = ""
    cents: int = 0


_STEP: Final = msgspec.json.Decoder(_Step)
_MOVED: Final = msgspec.json.Decoder(_MetersOf)
_CLOSED: Final = msgspec.json.Decoder(_Closed)


class MeterBook:
    """The amounts of meters. `rows` receives the statements that update the table of the file, unless it is None."""

    def __init__(self, rows: list[Row] | None = None) -> None:
        self.rows = rows
        self._newest: dict[Key, Step] = {}
        self._sum = 0
        self._moved: dict[Key, Step | None] = {}
        """Steps changed since the last digest, as they were then."""
        self.unwritten: dict[Key, Step | None] = {}
        """Steps in the file of meters with statements in `rows`; cleared by the writer of those."""

    # ------------------------------------------------------------------ what it says

    def shares(self, meter: str) -> bool:
        """True if tables share the meter, which then moves by steps of its own."""
        return (derived.SHARED, meter) in self._newest

    def steps(self, table: str, lines: Iterable[tuple[str, str]]) -> list[tuple[str, Moved]]:
        """Return the changes of meters in lines (topic, text) to be published, each with its table, empty for a shared
        meter. A line that cannot be read changes none."""
        found: list[tuple[str, Moved]] = []
        for topic, text in lines:
            with suppress(msgspec.DecodeError):
                if topic == "meter":
                    step = _STEP.decode(text)
                    moved = Moved(step.meter, step.meter_cents - step.to_meter, step.meter_cents)
                    found.append((derived.SHARED, moved))
                elif topic == "settlement":
                    own = _MOVED.decode(text).meters
                    found += [(table, each) for each in own if not self.shares(each.name)]
                elif topic == "award" and (award := _CLOSED.decode(text)).kind == "closed":
                    found.append((table, Moved(award.meter, award.cents, 0)))
        return found

    def unlike(self, moves: Iterable[tuple[str, Moved]]) -> str:
        """Return the first move that does not start at the amount of the newest record or the previous move, as text;
        empty if all do."""
        stood: dict[Key, int | None] = {}
        for where, move in moves:
            key = where, move.name
            if key in stood:
                if stood[key] != move.before:
                    here, there = dollars(move.before), _dollars(stood[key])
                    return f"meter {move.name} is at {here} here, but the step before left it at {there}"
            elif (why := self.stands(where, move.name, move.before)) is not None:
                return why
            stood[key] = move.after
        return ""

    def altered(self, table: str, rows: Iterable[tuple[str, str, int, str]]) -> str:
        """Return the differences between the file's rows and the written values as text, for the meters of `table` and
        the shared ones; empty if there are none."""
        there = {(where, name): (sequence, line) for where, name, sequence, line in rows}
        ours = {key for key in self._newest if key[0] in (table, derived.SHARED)}
        for key in sorted(ours | there.keys()):
            now = self._newest.get(key)
            if there.get(key) not in (now, self.unwritten.get(key, now)):
                says = [_cents_in(*key, found) for found in (there.get(key), self.unwritten.get(key, now))]
                return f"{_of_meter(*key)} was altered in the file: it holds {says[0]}, but {says[1]} was written"
        return ""

    def stands(self, table: str, name: str, cents: int | None) -> str | None:
        """Return why a meter cannot be at `cents`, as text; None if it can."""
        found = self._newest.get((table, name))
        if found is None:
            return None
        known = _STEP.decode(found[1]).meter_cents if table == derived.SHARED else derived.cents_of(found[1])
        if known == cents:
            return None
        here, there = _dollars(cents), _dollars(known)
        return f"meter {name} is at {here} here, but record {found[0]} of the journal says {there}"

    def digest(self) -> int:
        """Return the sum of its rows' digests. It costs as much as what changed since the last call."""
        for (table, name), was in self._moved.items():
            now = self._newest.get((table, name))
            if now != was:
                self._sum += _digest(table, name, now) - _digest(table, name, was)
        self._moved.clear()
        return self._sum

    def listed(self) -> list[list[Any]]:
        """Return every meter as in a `balance` record."""
        return [[table, name, *found] for (table, name), found in sorted(self._newest.items())]

    def table_rows(self) -> set[tuple[Any, ...]]:
        """Return the rows that the table of the file must have."""
        return {(table, name, *found) for (table, name), found in self._newest.items()}

    def statements(self) -> Iterator[Row]:
        """Yield the statements that fill the empty table."""
        for row in sorted(self.table_rows()):
            yield derived.METER_NOW, row

    # ------------------------------------------------------------------ what changes it

    def load(self, rows: Iterable[tuple[str, str, int, str]]) -> None:
        """Start with rows of the table; ValueError for one that no program wrote."""
        for row in rows:
            table, name, sequence, line = row
            if sequence < 0:
                raise ValueError(in_words(row))
            self._newest[table, name] = sequence, line
        self._moved.clear()
        self._sum = sum(_digest(table, name, found) for (table, name), found in self._newest.items())

    def move(self, table: str, name: str, sequence: int, line: str) -> None:
        """Record a step of a meter."""
        key = table, name
        before = self._newest.get(key)
        self._moved.setdefault(key, before)
        self._newest[key] = sequence, line
        if self.rows is not None:
            self.unwritten.setdefault(key, before)
            self.rows.append((derived.METER_NOW, (table, name, sequence, line)))

    def move_on(self, table: str, name: str, sequence: int, line: str) -> None:
        """Record a step of a meter unless it has a newer one."""
        if self._newest.get((table, name), (0, ""))[0] < sequence:
            self.move(table, name, sequence, line)

    def stand(self, meters: Iterable[tuple[str, str, int, str]]) -> None:
        """Set the meters to their amounts at the record to which the books are taken back."""
        for key, found in self._newest.items():
            self._moved.setdefault(key, found)
        self._newest = {(table, name): (sequence, line) for table, name, sequence, line in meters}
        for key in self._newest:
            self._moved.setdefault(key, None)


def in_words(row: tuple[str, str, int, str]) -> str:
    """Return a row as text."""
    table, name, sequence, line = row
    return f"{_of_meter(table, name)} at {line} (record {sequence})"


def _digest(table: str, name: str, found: Step | None) -> int:
    """Return the digest of a meter's newest step; 0 if there is none."""
    return digest_of_row("meter", table, name, *found) if found is not None else 0


def _dollars(cents: int | None) -> str:
    return dollars(cents) if cents is not None else "an unknown amount"


def _cents_in(table: str, name: str, found: Step | None) -> str:
    """Return the amount in a row as text."""
    if found is None:
        return "nothing"
    sequence, line = found
    try:
        cents = _STEP.decode(line).meter_cents if table == derived.SHARED else derived.cents_of(line)
        words = line if name == derived.RUNNERS or cents is None else dollars(cents)
    except ValueError:  # the altered text is not a meter's line
        words = line
    return f"{words[:40]} of record {sequence}"


def _of_meter(table: str, name: str) -> str:
    return f"meter {name!r} of table {table!r}" if table else f"meter {name!r}, which tables share,"
