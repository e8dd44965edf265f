"""The sample queries of docs/fleet-queries.md, each asked of a real PostgreSQL with the lines of a simulated fleet."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.support.evenings.simulated_fleet import FLEET, answered, fill_database, lines_of, store
from tests.support.programs.print_fleet_queries import queries
from tests.support.rigs.postgres import needs_postgres, running_postgres

pytestmark = [needs_postgres, pytest.mark.more]
EMPTY = {"Money that does not add up", "Rounds without a settlement"}
"""Queries whose right answer at this fleet is no row, or nearly: they look for what must not be."""


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    with running_postgres() as server:
        fill_database(server.dsn)
        yield server.dsn
        server.forget()


def test_there_are_twenty_and_no_two_are_alike() -> None:
    assert len(queries()) >= 20
    assert len({query for _, query, _ in queries()}) == len(queries())


@pytest.mark.parametrize(("title", "query", "printed"), [pytest.param(*each, id=each[0]) for each in queries()])
def test_each_query_has_the_answer_that_is_printed(title: str, query: str, printed: str, database: str) -> None:
    answer = answered(database, query)
    assert answer == printed
    rows = len(answer.splitlines()) - 2
    assert rows > 0 or title.partition(". ")[2] in EMPTY


@pytest.mark.parametrize("title", ["12. Where each meter stands", "13. What went to and from each meter"])
def test_a_line_that_another_contradicts_is_not_counted(title: str, database: str) -> None:
    query = next(each for name, each, _ in queries() if name == title)
    newest = [line for line in lines_of(FLEET[0]) if line.type == "meter"][-1]
    before = answered(database, query)
    store(database, [newest._replace(line=newest.line.replace('"meter_cents":', '"meter_cents":9'))])
    with psycopg.connect(database) as connection:
        found = connection.execute("SELECT count(*) FROM dealwire.contradicted").fetchone()
        assert found == (2,)
        without = answered(database, query)
        connection.execute("DELETE FROM dealwire.contradiction")
    assert answered(database, query) == before
    assert without != before
    assert ("1006900" if title.startswith("12") else "6900") in without


def test_the_fleet_is_the_same_each_time() -> None:
    assert list(lines_of(FLEET[3])) == list(lines_of(FLEET[3]))
