"""The table of refused messages at a real PostgreSQL: bounded by kind, whatever anyone sends."""

import asyncio

import psycopg
import pytest

from dealwire.export.fleet.database import Batch, Database
from dealwire.export.fleet.refusals import RefusedMessage
from dealwire.export.fleet.refused_rows import BYTES_MOST, RefusedRows
from tests.dealwire.export.test_fleet import database, server
from tests.support.rigs.postgres import Postgres, needs_postgres

__all__ = ["database", "server"]
pytestmark = [needs_postgres, pytest.mark.more]
PAYLOAD = 1 << 16


def refused(number: int, kind: str = "unsigned") -> RefusedMessage:
    return RefusedMessage("dealwire/v1/s/t/round", bytes(PAYLOAD), f"number {number}", kind)  # type: ignore[arg-type]


def held(database: Postgres, kind: str) -> tuple[int, int]:
    sql = f"SELECT count(*), coalesce(sum(octet_length(payload)), 0) FROM dealwire.refused WHERE kind = '{kind}'"
    [(count, size)] = database.rows(sql)
    return int(count), int(size)


def test_refused_messages_are_bounded_by_kind_and_all_are_counted(database: Postgres) -> None:
    """Ten times what fits; another kind has its own room, and a restart forgets nothing."""
    number = 10 * BYTES_MOST // PAYLOAD

    async def flood(first: int) -> int:
        async with await Database.connect(database.dsn) as found:
            counted = 0
            for start in range(first, first + number, 64):
                batch = Batch(refused=[refused(each) for each in range(start, start + 64)])
                counted += (await found.store(batch)).refused.total()
            await found.store(Batch(refused=[refused(0, "contradicting")]))
            return counted

    assert asyncio.run(flood(0)) == number
    _, size = held(database, "unsigned")
    assert BYTES_MOST // 3 < size <= BYTES_MOST
    assert held(database, "contradicting") == (1, PAYLOAD)
    assert asyncio.run(flood(number)) == number
    _, size = held(database, "unsigned")
    assert size <= BYTES_MOST
    assert held(database, "contradicting") == (2, 2 * PAYLOAD)


def test_once_an_hour_the_older_half_makes_room(database: Postgres) -> None:
    now_s = [0.0]

    async def fill() -> None:
        async with await psycopg.AsyncConnection.connect(database.dsn, autocommit=True) as connection:
            rows = RefusedRows(connection, now_s=lambda: now_s[0])
            await rows.load()
            most = BYTES_MOST // PAYLOAD
            for hour in range(3):
                now_s[0] = hour * 3600.0
                await rows.add(refused(1000 * hour + each) for each in range(2 * most))

    asyncio.run(fill())
    whys = [int(why.rpartition(" ")[2]) for (why,) in database.rows("SELECT why FROM dealwire.refused ORDER BY id")]
    assert whys[-1] >= 2000, "the newest hour has room"
    assert whys == sorted(whys)
    assert len(whys) * PAYLOAD <= BYTES_MOST
