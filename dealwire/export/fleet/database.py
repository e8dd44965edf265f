"""Database of the fleet: its tables, and the insertion of batches."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Self

import psycopg

from dealwire.export.fleet.refusals import PAYLOAD_MAX, RefusalKind, RefusedMessage
from dealwire.export.fleet.refused_rows import RefusedRows
from dealwire.export.fleet.scripts import BASE, scripts
from dealwire.export.topics import MARK, Address, Received
from protocol.errors import DealwireError

CONNECT_S: Final = 10
LOCK: Final = 0x6465616C
"""Advisory lock that serializes migrations."""


class DatabaseUnusable(DealwireError):
    """Error: the database cannot be reached, refuses, or has other tables. `refused`: it answered and refused. `usage`:
    the user has to fix something."""

    def __init__(self, why: str, *, refused: bool = False, usage: bool = False) -> None:
        self.why, self.refused, self.usage = why, refused, usage
        super().__init__(f"PostgreSQL: {why}")


LineKey = tuple[str, str, str, int]
"""Site, table, journal and sequence: the permanent key of a line."""


class KeptOpening(NamedTuple):
    """Certificate of the key of an opening, as it is stored."""

    site: str
    table: str
    journal: str
    epoch: str
    label: str
    public: bytes
    note: str


class MissingLine(NamedTuple):
    """Place of a published line that the database does not have.

    `sequence` is the oldest missing number of the journal; `after` is the newest existing line before it, 0 if none.
    """

    site: str
    table: str
    journal: str
    sequence: int
    after: int


class BatchOutcome(NamedTuple):
    """Result of a batch: number of new gaps, and of refused messages by kind."""

    gaps: int
    refused: Counter[RefusalKind]


@dataclass
class Batch:
    """Messages that came in together: lines, announced places, and refused messages."""

    lines: list[Received] = field(default_factory=list)
    announced: list[tuple[str, str, str, int]] = field(default_factory=list)
    """Site, table, journal and sequence of lines that must exist."""
    refused: list[RefusedMessage] = field(default_factory=list)
    live: dict[tuple[Address, str], int] = field(default_factory=dict)
    """Newest line by table and journal as the table itself announces it now, rather than as the broker retained it."""


_KEY: Final = "site, table_name, journal, sequence"

_INSERT: Final = f"""
INSERT INTO dealwire.line ({_KEY}, previous, at_ns, schema, line, epoch, hash, type,
    signed)
SELECT * FROM unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[],
    %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
ON CONFLICT DO NOTHING"""

_CONTRADICT: Final = f"""
INSERT INTO dealwire.contradiction ({_KEY}, previous, at_ns, schema, line, epoch, hash, type,
    signed)
SELECT came.* FROM unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[], %s::text[],
    %s::text[], %s::text[], %s::text[], %s::text[], %s::text[])
    AS came (site, table_name, journal, sequence, previous, at_ns, schema, line, epoch, hash, type, signed)
JOIN dealwire.line USING ({_KEY})
WHERE came.line <> line.line OR (came.hash <> line.hash AND '' NOT IN (came.hash, line.hash))
ON CONFLICT DO NOTHING RETURNING site, table_name, journal, sequence, line"""
"""Insert lines whose number already has a different line, each once."""

_DISPUTED: Final = f"SELECT count(*) FROM (SELECT DISTINCT {_KEY} FROM dealwire.contradiction) AS number"

_STRANGERS: Final = """
SELECT site, table_name FROM unnest(%s::text[], %s::text[]) AS it (site, table_name) WHERE NOT EXISTS
    (SELECT FROM dealwire.line WHERE (line.site, line.table_name) = (it.site, it.table_name))"""
"""Select the tables without any line."""

_FORGET: Final = """
DELETE FROM dealwire.gap WHERE announced AND (site, table_name) = (%s, %s) AND (%s OR (journal = %s AND sequence > %s))
RETURNING journal, sequence"""

_MISSING: Final = f"""
INSERT INTO dealwire.gap ({_KEY}, announced)
SELECT DISTINCT due.*, %s::boolean FROM unnest(%s::text[], %s::text[], %s::text[], %s::bigint[]) AS due ({_KEY})
WHERE sequence > 0 AND NOT EXISTS (SELECT FROM dealwire.line WHERE ({_KEY}) = (due.site, due.table_name, due.journal,
    due.sequence))
ON CONFLICT ({_KEY}) DO UPDATE SET announced = false WHERE gap.announced AND NOT excluded.announced"""

_KEEP_OPENING: Final = """
INSERT INTO dealwire.opening_key (site, table_name, journal, epoch, id, public, note)
VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"""

_OPENINGS: Final = """
SELECT site, table_name, journal, epoch, id, public, note FROM dealwire.opening_key
JOIN unnest(%s::text[], %s::text[], %s::text[]) AS named (site, table_name, id) USING (site, table_name, id)"""

_ROLLED_BACK: Final = (
    "another line has this journal and sequence: the journal was restored from an older copy, or forged"
)

_NEVER_WAS: Final = "a mark of a table that never sent a line, although it was asked"
_OVERSTATES: Final = "a mark of a line that the table did not send and that its own marks do not reach"

_UNHOLDABLE: Final = (psycopg.DataError, psycopg.errors.ProgramLimitExceeded, psycopg.errors.StatementTooComplex)
"""Database errors for a line that can never be stored. All others are problems of the database itself."""

_NEVER: Final = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin")
"""Planner settings that are switched off. All queries are about a few keys; a planner without statistics would read the
whole table."""

_CLOSED: Final = """
DELETE FROM dealwire.gap USING unnest(%s::text[], %s::text[], %s::text[], %s::bigint[])
    AS came (site, table_name, journal, sequence)
WHERE (gap.site, gap.table_name, gap.journal, gap.sequence)
    = (came.site, came.table_name, came.journal, came.sequence)"""

_GAPS: Final = f"""
SELECT {_KEY}, coalesce((SELECT max(line.sequence) FROM dealwire.line WHERE (line.site, line.table_name, line.journal)
    = (gap.site, gap.table_name, gap.journal) AND line.sequence < gap.sequence), 0)
FROM (SELECT site, table_name, journal, min(sequence) AS sequence FROM dealwire.gap GROUP BY site, table_name, journal)
    AS gap"""


class Database:
    """Connection to the fleet's database, used once. Errors are raised as DatabaseUnusable."""

    def __init__(self, connection: psycopg.AsyncConnection[tuple[Any, ...]]) -> None:
        self._connection = connection
        self._refused = RefusedRows(connection)

    @classmethod
    async def connect(cls, dsn: str) -> Self:
        """Connect. The tables must exist in this program's version."""
        found = cls(await _connect(dsn))
        try:
            await found._check_version()
            for way in _NEVER:
                await found._connection.execute(f"SET {way} = off".encode())
            await found._refused.load()
        except psycopg.Error as error:
            await found.close()
            raise _as_ours(error) from error
        except BaseException:
            await found.close()
            raise
        return found

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection."""
        await self._connection.close()

    async def _check_version(self) -> None:
        has, needs = await _version(self._connection), scripts()[-1][0]
        if has < needs:
            raise DatabaseUnusable(
                f"its tables are of version {has}, {needs} is needed: dealwire fleet migrate", usage=True
            )
        if has > needs:
            raise DatabaseUnusable(
                f"its tables are of version {has}, this program supports {needs}: update dealwire", usage=True
            )

    async def store(self, batch: Batch, strangers: Collection[Address] = ()) -> BatchOutcome:
        """Store a batch in one transaction; existing lines are not changed. Marks of `strangers`, tables that never
        answered, are refused while they have no line."""
        try:
            try:
                return await self._store(batch, strangers)
            except _UNHOLDABLE:
                return await self._store(await self._sorted_out(batch), strangers)
        except psycopg.Error as error:
            raise _as_ours(error) from error

    async def gaps(self) -> list[MissingLine]:
        """Return the first missing line of each journal and table."""
        try:
            async with self._connection.transaction():
                return [MissingLine(*row) for row in await (await self._connection.execute(_GAPS)).fetchall()]
        except psycopg.Error as error:
            raise _as_ours(error) from error

    async def disputed(self) -> int:
        """Return the number of sequences with several different lines that are not resolved yet."""
        try:
            row = await (await self._connection.execute(_DISPUTED)).fetchone()
            return int(row[0]) if row else 0
        except psycopg.Error as error:
            raise _as_ours(error) from error

    async def keep_openings(self, came: Sequence[KeptOpening]) -> None:
        """Store certificates; existing ones are not changed."""
        try:
            async with self._connection.transaction():
                for each in came:
                    await self._connection.execute(_KEEP_OPENING, each)
        except psycopg.Error as error:
            raise _as_ours(error) from error

    async def openings(self, named: Sequence[tuple[Address, str]]) -> list[KeptOpening]:
        """Return the stored certificates of keys by table and label."""
        columns = [[at.site for at, _ in named], [at.table for at, _ in named], [label for _, label in named]]
        try:
            rows = await (await self._connection.execute(_OPENINGS, columns)).fetchall()
        except psycopg.Error as error:
            raise _as_ours(error) from error
        return [KeptOpening(*row) for row in rows]

    async def give_up(self, address: Address, journal: str, newest: int | None) -> tuple[int, bool]:
        """Give up what a mark announced and the table did not send. The mark is refused if the table has no line at
        all, or if its own marks now reach only to `newest`. Return the number of refused marks, and True if there is no
        such table."""
        try:
            async with self._connection.transaction():
                stranger = bool(await self._strangers([address]))
                if not stranger and newest is None:
                    return 0, False
                cursor = await self._connection.execute(_FORGET, [*address, stranger, journal, newest or 0])
                found = [(*address, *row) for row in await cursor.fetchall()]
                why = _NEVER_WAS if stranger else _OVERSTATES
                await self._refused.add(_refused_mark(key, why) for key in found)
                return len(found), stranger
        except psycopg.Error as error:
            raise _as_ours(error) from error

    async def _strangers(self, addresses: Collection[Address]) -> set[Address]:
        """Return the tables without any line."""
        if not addresses:
            return set()
        columns = [list(column) for column in zip(*addresses, strict=True)]
        return {Address(*row) for row in await (await self._connection.execute(_STRANGERS, columns)).fetchall()}

    async def _announced(
        self, marks: Sequence[LineKey], strangers: Collection[Address]
    ) -> tuple[int, list[RefusedMessage]]:
        """Return the number of new gaps from marks, and the refused marks."""
        unanswered = {Address(*mark[:2]) for mark in marks} & set(strangers)
        still = await self._strangers(unanswered)
        good = [mark for mark in marks if Address(*mark[:2]) not in still]
        refused = [_refused_mark(mark, _NEVER_WAS) for mark in marks if Address(*mark[:2]) in still]
        if not good:
            return 0, refused
        columns = [list(column) for column in zip(*good, strict=True)]
        return (await self._connection.execute(_MISSING, [True, *columns])).rowcount, refused

    async def _store(self, batch: Batch, strangers: Collection[Address]) -> BatchOutcome:
        lines = {_key(each): each for each in reversed(batch.lines)}
        columns = [list(column) for column in zip(*lines.values(), strict=True)] if lines else []
        due = [(each.site, each.table, each.journal, each.previous) for each in lines.values()]
        refused, found = list(batch.refused), 0
        async with self._connection.transaction():
            if columns:
                await self._connection.execute(_CLOSED, columns[:4])
                cursor = await self._connection.execute(_INSERT, columns)
                if cursor.rowcount < len(batch.lines):
                    refused += await self._contradictions(batch.lines)
            if due:
                columns = [list(column) for column in zip(*due, strict=True)]
                found = (await self._connection.execute(_MISSING, [False, *columns])).rowcount
            if batch.announced:
                more, wrong = await self._announced(batch.announced, strangers)
                found, refused = found + more, refused + wrong
            await self._refused.add(refused)
        return BatchOutcome(found, Counter(each.kind for each in refused))

    async def _contradictions(self, lines: Sequence[Received]) -> list[RefusedMessage]:
        """Store lines whose number has a different line separately, and return them as refused, each once."""
        columns = [list(column) for column in zip(*lines, strict=True)]
        cursor = await self._connection.execute(_CONTRADICT, columns)
        return [_contradicting(*row) for row in await cursor.fetchall()]

    async def _sorted_out(self, batch: Batch) -> Batch:
        """Return the batch without lines that the database cannot store; those are refused."""
        good = Batch([], batch.announced, list(batch.refused))
        for each in batch.lines:
            try:
                async with self._connection.transaction():
                    await self._connection.execute("SELECT %s::jsonb", [each.line])
            except _UNHOLDABLE as error:
                good.refused.append(RefusedMessage.of(_topic(*_key(each)), each.line.encode(), ValueError(str(error))))
            else:
                good.lines.append(each)
        return good


async def migrate(dsn: str) -> list[int]:
    """Create or migrate the tables, and return the added versions."""
    connection = await _connect(dsn)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
            has, added = await _version(connection), []
            await connection.execute(BASE)
            for version, text in scripts():
                if version > has:
                    await connection.execute(text.encode())
                    await connection.execute("INSERT INTO dealwire.version VALUES (%s)", [version])
                    added.append(version)
            return added
    except psycopg.Error as error:
        raise _as_ours(error) from error
    finally:
        await connection.close()


async def _connect(dsn: str) -> psycopg.AsyncConnection[tuple[Any, ...]]:
    try:
        return await psycopg.AsyncConnection.connect(
            dsn, autocommit=True, connect_timeout=CONNECT_S, application_name="dealwire"
        )
    except psycopg.Error as error:
        raise _as_ours(error) from error


async def _version(connection: psycopg.AsyncConnection[tuple[Any, ...]]) -> int:
    try:
        there = await (await connection.execute("SELECT to_regclass('dealwire.version')::text")).fetchone()
        if there is None or there[0] is None:
            return 0
        row = await (await connection.execute("SELECT coalesce(max(version), 0) FROM dealwire.version")).fetchone()
        return int(row[0]) if row else 0
    except psycopg.Error as error:
        raise _as_ours(error) from error


def _key(line: Received) -> LineKey:
    return line.site, line.table, line.journal, line.sequence


def _topic(site: str, table: str, journal: str, sequence: int) -> str:
    return f"{site}/{table} {journal} {sequence}"


def _contradicting(site: str, table: str, journal: str, sequence: int, line: str) -> RefusedMessage:
    """Return a refused line whose number has a different line."""
    topic = _topic(site, table, journal, sequence)
    return RefusedMessage(topic, line.encode()[:PAYLOAD_MAX], _ROLLED_BACK, "contradicting")


def _refused_mark(mark: Sequence[Any], why: str) -> RefusedMessage:
    """Return a refused mark, given its site, table, journal and sequence."""
    site, table, journal, sequence = mark
    return RefusedMessage(Address(site, table).topic(MARK), f"{journal} {sequence}".encode(), why)


def _as_ours(error: psycopg.Error) -> DatabaseUnusable:
    text = _first_line(error)
    refused = isinstance(error, psycopg.errors.InsufficientPrivilege) or "authentication failed" in text
    return DatabaseUnusable(text, refused=refused, usage=isinstance(error, psycopg.ProgrammingError) and not refused)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
