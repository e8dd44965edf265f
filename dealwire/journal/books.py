"""What follows from a journal's records and money goes by: which rounds were settled, where meters stand, what is held.

The books are derived from the records alone and kept twice: in memory, where whoever decides looks things up, and in
tables of the file, written with the records they follow from. A digest over each of the three tells whether the tables
are what the records say: `docs/journal.md` states its bytes. It costs as much as what changed since it was told last.
"""

import hashlib
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from sys import intern
from typing import Any, Final, NamedTuple

import msgspec

from dealer_flow.english import dollars
from dealer_flow.record.details import DOLLAR
from dealwire.journal import derived
from dealwire.journal.derived import Row
from dealwire.journal.records import BALANCE, HELD, OPENED, RELEASED, SETTLED, STARTED, JournalRecord
from dealwire.table.held import HeldBook, HeldEntry
from rules.meters.settled_rounds import SettledKey
from rules.settlement import amount

Run = tuple[int, int]
"""Numbers of rounds one after the other, the first and the last."""
BOOKS: Final = ("settled", "meter", "obligation")
"""The tables of the file that hold them."""
BOOKED: Final = ("settlement", "meter", "award", "status", SETTLED, HELD, RELEASED, STARTED, OPENED)
"""Kinds of records that the books follow from."""
ERA: Final = 3
"""Version of a file whose releases are records of their own; before, a line told of them."""
_MODULUS: Final = 1 << 256
_MANY: Final = 1 << 63
_WAITING_MAX: Final = 64
"""Settlements of a table that wait for the record that says which round they are of."""


class Released(msgspec.Struct, frozen=True):
    """A person said that what is held of a round was settled by hand: the payload of a `released` record. `entry` to
    `currency` say what; `row` is the digest of its row, hex."""

    entry: int
    of: SettledKey
    cents: int
    currency: str
    row: str
    who: str
    badge: int
    why: str
    readings: tuple[str, ...] = ()
    """Those that decided what was held: released, they are let pass from the table's next snapshot on."""


class _HeldOf(msgspec.Struct):
    held: int = 0


class _LineOf(msgspec.Struct):
    result: str = ""
    why: str = ""
    clause: str = ""
    reading: str | None = None


class _Settlement(derived.SettledLine):
    seats: list[_HeldOf] = msgspec.field(default_factory=list)
    lines: list[_LineOf] = msgspec.field(default_factory=list)
    currency: str = DOLLAR
    why: str | None = None
    again: bool = False


class _Step(msgspec.Struct):
    """A step of a shared meter."""

    meter: str
    meter_cents: int
    to_meter: int = 0


class Moved(msgspec.Struct):
    """How a line moves a meter, cents; `after` None: nobody knows where it stands then."""

    name: str
    before: int
    after: int | None = None

    @property
    def pays(self) -> bool:
        """Money goes off the meter."""
        return self.after is None or self.after < self.before


class _MetersOf(msgspec.Struct):
    meters: list[Moved] = msgspec.field(default_factory=list)


class _Closed(msgspec.Struct):
    kind: str
    meter: str = ""
    cents: int = 0


class _Status(msgspec.Struct):
    kind: str
    text: str
    round: int | None = None


class _Opened(msgspec.Struct):
    schema: str = ""


class _Waiting(NamedTuple):
    """A settlement with money held, until the record comes that says of which round it is."""

    sequence: int
    at_ns: int
    cents: int
    settlement: _Settlement


_SETTLEMENT: Final = msgspec.json.Decoder(_Settlement)
_STEP: Final = msgspec.json.Decoder(_Step)
_MOVED: Final = msgspec.json.Decoder(_MetersOf)
_CLOSED: Final = msgspec.json.Decoder(_Closed)
_STATUS: Final = msgspec.json.Decoder(_Status)
_RELEASED: Final = msgspec.json.Decoder(Released)
_OPENED: Final = msgspec.json.Decoder(_Opened)


class Books:
    """The books at one record. `take` leads them one record on; a writer calls `published`, `settle` and `release`
    itself. `rows` gets the statements that bring the tables of the file along, unless it is None. `era` is the version
    of the file: no record in it is of a newer one."""

    def __init__(self, rows: list[Row] | None = None, *, era: int = ERA) -> None:
        self.settled: dict[tuple[str, str], dict[str, list[Run]]] = {}
        """The rounds of each session of a device, (device, session), as runs by table."""
        self.meters: dict[tuple[str, str], tuple[int, str]] = {}
        """The newest step of each meter by (table, name): the record's number and its row's line."""
        self.rows, self._era, self._newest_era = rows, era, era
        self.moves: list[tuple[str, HeldEntry, bool]] | None = None
        """Gets what is opened (True) and released, with its table, unless it is None."""
        self._held: dict[str, HeldBook] = {}
        self._unknown: dict[int, int] = {}
        """Of entries that are known by what was released of them alone: the digests of their rows."""
        self._waiting: dict[str, deque[_Waiting]] = {}
        self._started: dict[str, int] = {}
        self._sums = dict.fromkeys(BOOKS, 0)
        self._touched: dict[tuple[str, str, str], tuple[Run, ...]] = {}
        self._moved: dict[tuple[str, str], tuple[int, str] | None] = {}
        """What changed since the digests were told last, as it stood then."""
        self.unwritten: dict[tuple[str, str], tuple[int, str] | None] = {}
        """Meters of which steps wait in `rows`, as the file has them: emptied by whoever writes those."""

    # ------------------------------------------------------------------ what they say

    def held(self, table: str) -> HeldBook:
        """What is held at a table, kept up to date here."""
        book = self._held.get(table)
        if book is None:
            book = self._held[table] = HeldBook()
        return book

    @property
    def tables(self) -> dict[str, HeldBook]:
        """What is held, by table; without those at which nothing is."""
        return {table: book for table, book in self._held.items() if len(book)}

    def shares(self, meter: str) -> bool:
        """Whether it is a meter that tables share, which moves by steps of its own."""
        return (derived.SHARED, meter) in self.meters

    @property
    def open(self) -> Iterator[tuple[str, HeldEntry]]:
        """Everything that is held, by table."""
        for table, book in self._held.items():
            for each in book:
                yield table, each

    def waits(self, after: int) -> bool:
        """Whether a settlement after record `after` waits for the record that says of which round it is."""
        return any(each and each[-1].sequence > after for each in self._waiting.values()) if self._waiting else False

    def tables_of(self, key: SettledKey) -> list[str]:
        """The tables at which a round was settled."""
        found = self.settled.get(key[:2], {})
        return [table for table, runs in found.items() if _at(runs, key.round) is not None]

    def runs(self, device: str, session: str, table: str) -> list[Run]:
        """The rounds of one session of a device that were settled at a table."""
        return self.settled.get((device, session), {}).get(table, [])

    def steps(self, table: str, lines: Iterable[tuple[str, str]]) -> list[tuple[str, Moved]]:
        """How lines that are to be made known, each its topic and text, move meters: each with its table, or with
        nothing where tables share it. A line that cannot be read moves none."""
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
        """Where one of them begins with a meter that does not stand where its newest record, or the one before, says,
        in words; empty where none does."""
        stood: dict[tuple[str, str], int | None] = {}
        for where, move in moves:
            key = where, move.name
            if key in stood:
                if stood[key] != move.before:
                    here, there = dollars(move.before), _dollars(stood[key])
                    return f"meter {move.name} stands at {here} here, and the step before says {there}"
            elif (why := self.stands(where, move.name, move.before)) is not None:
                return why
            stood[key] = move.after
        return ""

    def altered(self, table: str, rows: Iterable[tuple[str, str, int, str]]) -> str:
        """Where rows of the file, all those of the meters of `table` and of those that tables share, are not what was
        written last, in words; empty where they are."""
        there = {(where, name): (sequence, line) for where, name, sequence, line in rows}
        ours = {key for key in self.meters if key[0] in (table, derived.SHARED)}
        for key in sorted(ours | there.keys()):
            now = self.meters.get(key)
            if there.get(key) not in (now, self.unwritten.get(key, now)):
                says = [_cents_in(*key, found) for found in (there.get(key), self.unwritten.get(key, now))]
                return f"{_of_meter(*key)} was altered in the file: {says[0]} there, and {says[1]} was written"
        return ""

    def stands(self, table: str, name: str, cents: int | None) -> str | None:
        """Why a meter cannot stand at so many cents, in words; None where it can."""
        found = self.meters.get((table, name))
        if found is None:
            return None
        known = _STEP.decode(found[1]).meter_cents if table == derived.SHARED else derived.cents_of(found[1])
        if known == cents:
            return None
        here, there = _dollars(cents), _dollars(known)
        return f"meter {name} stands at {here} here, and record {found[0]} of the journal says {there}"

    # ------------------------------------------------------------------ one record further

    def take(self, record: JournalRecord) -> None:
        """One record, in order. One that cannot be read says nothing: `verify` names it."""
        kind = record.kind
        if kind in ("settlement", "meter", "award"):
            self.published(record.sequence, record.at_ns, record.table, kind, record.text)
            if self._era == 1 and kind == "settlement":
                self._settle_older(record)
        elif kind == SETTLED:
            if (key := derived.key_of(record)) is not None:
                self.settle(record.sequence, record.table, key, record.hash)
        elif kind == HELD:
            if (key := derived.key_of(record)) is not None:
                self.hold(record.sequence, record.table, key, record.hash)
        elif kind == RELEASED:
            if (released := released_of(record)) is not None:
                self.release(record.table, released)
        elif kind == "status" and self._era < ERA:
            self._release_older(record)
        elif kind == STARTED:
            self._started[record.table] = record.sequence
        elif kind == OPENED:
            self._era = min(era_of(record, self._era), self._newest_era)
        elif kind == BALANCE:
            self._waiting.clear()

    def published(self, sequence: int, at_ns: int, table: str, topic: str, text: str) -> None:
        """A line was made known."""
        if topic == "settlement":
            try:
                settlement = _SETTLEMENT.decode(text)
            except msgspec.DecodeError:
                return
            for meter in settlement.meters:
                self._move(table, meter.name, sequence, meter.line)
            if settlement.pool is not None:
                self._move(table, derived.RUNNERS, sequence, settlement.pool.line)
            cents = 0
            for seat in settlement.seats:
                cents += seat.held
            if cents and not settlement.again:
                waiting = self._waiting.setdefault(table, deque(maxlen=_WAITING_MAX))
                waiting.append(_Waiting(sequence, at_ns, cents, settlement))
        else:
            for where, name, line in derived.meters_of(table, topic, text):
                self._move(where, name, sequence, line)

    def settle(self, sequence: int, table: str, key: SettledKey, digest: bytes) -> bool:
        """The settlement of a round that was made known before is of this one. True when money of it is held."""
        self._add_round(table, key)
        return self.hold(sequence, table, key, digest)

    def hold(self, sequence: int, table: str, key: SettledKey, digest: bytes) -> bool:
        """What the settlement of a round that was made known before holds is open from here on. False where none did
        that holds anything."""
        found = self.awaits(table, key)
        if found is None:
            return False
        self._waiting[table].remove(found)
        self._hold(table, _entry_of(sequence, key, found, digest))
        return True

    def awaits(self, table: str, key: SettledKey) -> "_Waiting | None":
        """The settlement of a round of this number that holds money, and of which nothing says which round it is."""
        waiting = self._waiting.get(table)
        if not waiting:
            return None
        return next((w for w in waiting if (w.settlement.session, w.settlement.round) == key[1:]), None)

    def release(self, table: str, released: Released) -> HeldEntry | None:
        """What was held of a round was settled by hand; it, unless it was not open."""
        book, row = self.held(table), self._unknown.pop(released.entry, None)
        found = book.get(released.entry)
        if found is None:
            return None
        book.release(released.entry)
        self._sums["obligation"] -= row if row is not None else digest_of_held(table, found)
        if self.moves is not None:
            self.moves.append((table, found, False))
        if self.rows is not None:
            self.rows.append((derived.LET_GO, (released.entry,)))
        return found

    # ------------------------------------------------------------------ digests

    def balance(self) -> dict[str, Any]:
        """What a `balance` record says of the books as they stand. What waits then is waited for no more."""
        self._waiting.clear()
        held = {
            table: {"count": len(book), "cents": dict(sorted(book.cents.items()))}
            for table, book in sorted(self._held.items())
            if len(book)
        }
        meters = [[table, name, *found] for (table, name), found in sorted(self.meters.items())]
        return {"held": held, "meters": meters, "digests": self.digests()}

    def digests(self) -> dict[str, str]:
        """The digest of each book, hex."""
        for (device, session, table), before in self._touched.items():
            now = tuple(self.settled.get((device, session), {}).get(table, ()))
            if now != before:
                sums = digest_of_runs(table, device, session, now) - digest_of_runs(table, device, session, before)
                self._sums["settled"] += sums
        for (table, name), was in self._moved.items():
            is_ = self.meters.get((table, name))
            if is_ != was:
                self._sums["meter"] += (digest_of_meter(table, name, is_) if is_ else 0) - (
                    digest_of_meter(table, name, was) if was else 0
                )
        self._touched.clear()
        self._moved.clear()
        return {name: f"{total % _MODULUS:064x}" for name, total in self._sums.items()}

    # ------------------------------------------------------------------ made of what the tables hold

    def load(self, runs: Iterable[tuple[Any, ...]], meters: Iterable[tuple[Any, ...]], held: Iterable[Any]) -> None:
        """Begin with rows of the three tables, as they are, what is held in its order; ValueError for one that no
        program wrote, such as of runs that do not stand apart."""
        for table, device, session, first, last in sorted(runs):
            known = self.settled.setdefault((device, session), {}).setdefault(table, [])
            if not 0 <= first <= last or (known and first <= known[-1][1] + 1):
                raise ValueError(f"rounds {first} to {last} of session {session} at table {table!r}")
            known.append((first, last))
        for table, name, sequence, line in meters:
            if sequence < 0:
                raise ValueError(row_in_words("meter", (table, name, sequence, line)))
            self.meters[table, name] = sequence, line
        for row in held:
            table, entry = entry_in(row)
            self.held(table).add(entry)
        for (device, session), tables in self.settled.items():
            for table, runs in tables.items():
                self._sums["settled"] += digest_of_runs(table, device, session, runs)
        for (table, name), found in self.meters.items():
            self._sums["meter"] += digest_of_meter(table, name, found)
        for table, entry in self.open:
            row = self._unknown.get(entry.entry)
            self._sums["obligation"] += row if row is not None else digest_of_held(table, entry)

    def add_older(self, runs: Iterable[tuple[Any, ...]], meters: Iterable[tuple[Any, ...]]) -> None:
        """Take over what the tables of an older version hold besides: of what was pruned or salvaged."""
        for table, device, session, first, last in runs:
            for number in range(first, last + 1):
                self._add_round(table, SettledKey(device, session, number))
        for table, name, sequence, line in meters:
            if self.meters.get((table, name), (0, ""))[0] < sequence:
                self._move(table, name, sequence, line)

    def unsettle(self, table: str, key: SettledKey) -> bool:
        """Take a round back that was settled later than the record that these books are to stand at. False when it is
        not in them."""
        tables = self.settled.get(key[:2], {})
        runs = tables.get(table, [])
        at = _at(runs, key.round)
        if at is None:
            return False
        self._touched.setdefault((*key[:2], table), tuple(runs))
        first, last = runs.pop(at)
        rest = [(first, key.round - 1), (key.round + 1, last)]
        runs[at:at] = [run for run in rest if run[0] <= run[1]]
        if not runs:
            del tables[table]
        return True

    def unrelease(self, table: str, released: Released) -> None:
        """Put back what was released later than that record."""
        self._unknown[released.entry] = row = int(released.row, 16)
        self._sums["obligation"] += row
        self.held(table).add(HeldEntry(released.entry, *released.of, 0, released.cents, released.currency))

    def unhold(self, since: int) -> None:
        """Take back what is held of rounds that were settled after record `since`."""
        for table, book in self._held.items():
            for each in [each for each in book if each.entry > since]:
                book.release(each.entry)
                self._sums["obligation"] -= digest_of_held(table, each)

    def stand(self, meters: Iterable[tuple[str, str, int, str]]) -> None:
        """The meters stood so at that record."""
        for key, found in self.meters.items():
            self._moved.setdefault(key, found)
        self.meters = {(table, name): (sequence, line) for table, name, sequence, line in meters}
        for key in self.meters:
            self._moved.setdefault(key, None)

    # ------------------------------------------------------------------ rows

    def table_rows(self) -> dict[str, set[tuple[Any, ...]]]:
        """The rows that the tables of the file must have."""
        settled = {
            (table, device, session, first, last)
            for (device, session), tables in self.settled.items()
            for table, runs in tables.items()
            for first, last in runs
        }
        meters = {(table, name, *found) for (table, name), found in self.meters.items()}
        return {"settled": settled, "meter": meters, "obligation": {row_of_held(*each) for each in self.open}}

    def statements(self) -> Iterator[Row]:
        """What fills the tables, empty before."""
        rows = self.table_rows()
        for row in sorted(rows["settled"]):
            yield derived.BEGIN_RUN, row
        for row in sorted(rows["meter"]):
            yield derived.METER_NOW, row
        for row in sorted(rows["obligation"]):
            yield derived.HOLD, row

    # ------------------------------------------------------------------ inside

    def _move(self, table: str, name: str, sequence: int, line: str) -> None:
        key = table, name
        before = self.meters.get(key)
        self._moved.setdefault(key, before)
        self.meters[key] = sequence, line
        if self.rows is not None:
            self.unwritten.setdefault(key, before)
            self.rows.append((derived.METER_NOW, (table, name, sequence, line)))

    def _add_round(self, table: str, key: SettledKey) -> None:
        device, session, number = key
        tables = self.settled.setdefault((device, session), {})
        runs = tables.setdefault(table, [])
        at = bisect_right(runs, (number, _MANY))
        if at and number <= runs[at - 1][1]:
            return
        if (device, session, table) not in self._touched:
            self._touched[device, session, table] = tuple(runs)
        first = last = number
        if joins_left := at > 0 and runs[at - 1][1] == number - 1:
            at -= 1
            first = runs[at][0]
        joins_right = at + joins_left < len(runs) and runs[at + joins_left][0] == number + 1
        if joins_right:
            last = runs[at + joins_left][1]
        runs[at : at + joins_left + joins_right] = [(first, last)]
        if self.rows is not None:
            where = table, device, session
            if joins_right:
                self.rows.append((derived.END_RUN, (*where, number + 1)))
            self.rows.append((derived.RUN_ON if joins_left else derived.BEGIN_RUN, (*where, first, last)))

    def _hold(self, table: str, entry: HeldEntry) -> None:
        self.held(table).add(entry)
        self._sums["obligation"] += digest_of_held(table, entry)
        if self.moves is not None:
            self.moves.append((table, entry, True))
        if self.rows is not None:
            self.rows.append((derived.HOLD, row_of_held(table, entry)))

    def _settle_older(self, record: JournalRecord) -> None:
        """A version that wrote no more than a settlement's line settled a round."""
        key = derived.older_key_of(record.text)
        if key is not None:
            self.settle(record.sequence, record.table, key, record.hash)

    def _release_older(self, record: JournalRecord) -> None:
        """A version before released by the round's number alone: the oldest since the table began."""
        try:
            noted = _STATUS.decode(record.payload)
        except msgspec.DecodeError:
            return
        if noted.kind != "action" or noted.round is None:
            return
        since, book = self._started.get(record.table, 0), self.held(record.table)
        for each in list(book) if len(book) else ():
            words = f"the {amount(each.cents, each.currency)} held of round {each.round} was settled by hand"
            if each.round == noted.round and each.entry > since and words in noted.text:
                self.release(record.table, released(record.table, each, "", 0, ""))
                return


# ---------------------------------------------------------------------- rows and their digests


def digest_of_row(name: str, *values: int | str | bytes) -> int:
    """The number that a row adds to the digest of its book."""
    parts = [name.encode()]
    for value in values:
        if isinstance(value, int):
            parts.append(b"i" + value.to_bytes(8, "big"))
        else:
            data = value.encode() if isinstance(value, str) else value
            parts.append((b"t" if isinstance(value, str) else b"b") + len(data).to_bytes(4, "big") + data)
    return int.from_bytes(hashlib.sha256(b"".join(parts)).digest())


def digest_of_runs(table: str, device: str, session: str, runs: Iterable[Run]) -> int:
    """Of the rounds of one session of a device at a table: one number for all of its runs; 0 for none."""
    numbers = [number for run in runs for number in run]
    return digest_of_row("settled", table, device, session, *numbers) if numbers else 0


def digest_of_meter(table: str, name: str, found: tuple[int, str]) -> int:
    """Of a meter's newest step."""
    return digest_of_row("meter", table, name, *found)


def digest_of_held(table: str, entry: HeldEntry) -> int:
    """Of what is held of a round."""
    return digest_of_row("obligation", *row_of_held(table, entry))


def row_of_held(table: str, e: HeldEntry) -> tuple[Any, ...]:
    """Its row in the file."""
    readings = msgspec.json.encode(e.readings).decode()
    return (
        e.entry, table, e.device, e.session, e.round, e.at_ns, e.cents, e.currency, e.why, e.clause, readings, e.hash
    )  # fmt: skip


def entry_in(row: tuple[Any, ...]) -> tuple[str, HeldEntry]:
    """The table and what is held, of a row; ValueError for one that no program wrote."""
    entry, table, device, session, round_, at_ns, cents, currency, why, clause, readings, digest = row
    if min(entry, round_, at_ns, cents) < 0:
        raise ValueError(row_in_words("obligation", row))
    try:
        names = tuple(msgspec.json.decode(readings, type=list[str])) if readings != "[]" else ()
    except msgspec.DecodeError:
        raise ValueError(f"the readings of entry {entry}") from None
    device, session, currency, why, clause = map(intern, (device, session, currency, why, clause))  # of most the same
    return table, HeldEntry(entry, device, session, round_, at_ns, cents, currency, why, clause, names, digest)


def released(table: str, held: HeldEntry, who: str, badge: int, why: str) -> Released:
    """What is written when something is released."""
    key = SettledKey(held.device, held.session, held.round)
    row = f"{digest_of_held(table, held):064x}"
    return Released(held.entry, key, held.cents, held.currency, row, who, badge, why, held.readings)


def released_of(record: JournalRecord) -> Released | None:
    """What a `released` record says; None when it cannot be read."""
    try:
        return _RELEASED.decode(record.payload)
    except msgspec.DecodeError:
        return None


def era_of(record: JournalRecord, otherwise: int = ERA) -> int:
    """The version of the program's journal that an `opened` record names."""
    try:
        schema = _OPENED.decode(record.payload).schema
    except msgspec.DecodeError:
        return otherwise
    number = schema.rpartition("/")[2]
    return int(number) if number.isdecimal() else otherwise


def _entry_of(sequence: int, key: SettledKey, found: _Waiting, digest: bytes) -> HeldEntry:
    settlement, why, clause = found.settlement, None, ""
    readings: dict[str, None] = {}
    for line in settlement.lines:
        if line.result == "held":
            if why is None:
                why, clause = line.why, line.clause
            if line.reading:
                readings[line.reading] = None
    why = why if why is not None else settlement.why or ""
    currency = settlement.currency
    return HeldEntry(sequence, *key, found.at_ns, found.cents, currency, why, clause, tuple(readings), digest)


def _at(runs: list[Run], number: int) -> int | None:
    """Which of the runs has this number."""
    at = bisect_right(runs, (number, _MANY)) - 1
    return at if at >= 0 and number <= runs[at][1] else None


def rows_since(before: Mapping[str, set[tuple[Any, ...]]], now: Mapping[str, set[tuple[Any, ...]]]) -> Iterator[str]:
    """Where the tables of a file, `now`, are not as the records say, in words: table, row, what each says."""
    for name in BOOKS:
        noted, there = before[name], now[name]
        for row in sorted(noted - there, key=str):
            yield f"the table {name!r} does not hold {row_in_words(name, row)}, as the records say"
        for row in sorted(there - noted, key=str):
            yield f"the table {name!r} holds {row_in_words(name, row)}, and the records say nothing of it"


def row_in_words(name: str, row: tuple[Any, ...]) -> str:
    """A row for a person."""
    if name == "settled":
        table, device, session, first, last = row
        which = f"round {first}" if first == last else f"rounds {first} to {last}"
        return f"{which} of session {session} of {device or 'a device without a name'} at table {table!r}"
    if name == "meter":
        table, meter, sequence, line = row
        return f"{_of_meter(table, meter)} at {line} (record {sequence})"
    entry, table, _, session, number, _, cents, currency, *_ = row
    return f"entry {entry}, {amount(cents, currency)} held of round {number} of session {session} at table {table!r}"


def _dollars(cents: int | None) -> str:
    return dollars(cents) if cents is not None else "nobody knows what"


def _cents_in(table: str, name: str, found: tuple[int, str] | None) -> str:
    """Where a row says that a meter stands, for a person."""
    if found is None:
        return "nothing"
    sequence, line = found
    try:
        cents = _STEP.decode(line).meter_cents if table == derived.SHARED else derived.cents_of(line)
        words = line if name == derived.RUNNERS or cents is None else dollars(cents)
    except ValueError:  # whoever altered it wrote no line of a meter
        words = line
    return f"{words[:40]} of record {sequence}"


def _of_meter(table: str, name: str) -> str:
    return f"meter {name!r} of table {table!r}" if table else f"meter {name!r}, which tables share,"
