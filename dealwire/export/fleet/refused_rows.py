"""Rows of the table `refused`: bounded by kind, since whoever may publish can fill it.

When a kind is full, its older half goes, at most once an hour: the newest stays to be read, and the database has the
time to use the room again. In between, messages of that kind are only counted.
"""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Final

import psycopg

from dealwire.export.fleet.refusals import RefusalKind, RefusedMessage

ROWS_MOST: Final = 10_000
"""Most rows of a kind."""
BYTES_MOST: Final = 8 << 20
"""Most bytes of their topics, payloads and reasons."""
TRIM_S: Final = 3600.0
"""Minimum seconds between two removals of the older half of a kind."""

_REFUSE: Final = "INSERT INTO dealwire.refused (topic, payload, why, kind) VALUES (%s, %s, %s, %s)"
_BYTES: Final = "octet_length(payload) + octet_length(topic) + octet_length(why)"
_HELD: Final = f"SELECT kind, count(*), sum({_BYTES}) FROM dealwire.refused GROUP BY kind"
_TRIM: Final = f"""
DELETE FROM dealwire.refused WHERE kind = %s AND id <= (
    SELECT max(id) FROM (
        SELECT id, sum({_BYTES}) OVER newer AS bytes, count(*) OVER newer AS rows
        FROM dealwire.refused WHERE kind = %s WINDOW newer AS (ORDER BY id DESC)) AS each
    WHERE bytes > %s OR rows > %s)"""

_Connection = psycopg.AsyncConnection[tuple[Any, ...]]


class RefusedRows:
    """Refused messages of a database, as far as they are stored. Call `load` before the others."""

    def __init__(self, connection: _Connection, now_s: Callable[[], float] | None = None) -> None:
        self._connection, self._now_s = connection, now_s or asyncio.get_running_loop().time
        self._held: dict[str, tuple[int, int]] = {}
        """Rows and bytes by kind."""
        self._trimmed_s: dict[str, float] = {}

    async def load(self) -> None:
        """Count what is stored."""
        rows = await (await self._connection.execute(_HELD)).fetchall()
        self._held = {kind: (int(count), int(size)) for kind, count, size in rows}

    async def add(self, refused: Iterable[RefusedMessage]) -> None:
        """Store messages, as far as there is room."""
        for each in refused:
            size = len(each.payload) + len(each.topic.encode()) + len(each.why.encode())
            if self._is_full(each.kind, size):
                await self._trim(each.kind)
            if self._is_full(each.kind, size):
                continue
            await self._connection.execute(_REFUSE, each)
            count, held = self._held.get(each.kind, (0, 0))
            self._held[each.kind] = count + 1, held + size

    def _is_full(self, kind: RefusalKind, size: int) -> bool:
        count, held = self._held.get(kind, (0, 0))
        return count >= ROWS_MOST or held + size > BYTES_MOST

    async def _trim(self, kind: RefusalKind) -> None:
        """Remove the older half of a kind, if that is due."""
        now_s = self._now_s()
        if now_s < self._trimmed_s.get(kind, float("-inf")) + TRIM_S:
            return
        self._trimmed_s[kind] = now_s
        await self._connection.execute(_TRIM, (kind, kind, BYTES_MOST // 2, ROWS_MOST // 2))
        await self.load()
