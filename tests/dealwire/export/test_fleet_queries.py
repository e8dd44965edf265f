"""The sample queries of docs/fleet-queries.md, each asked of a real PostgreSQL with the lines of a simulated fleet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.evenings.simulated_fleet import FLEET, answered, fill_database, lines_of
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


def test_the_fleet_is_the_same_each_time() -> None:
    assert list(lines_of(FLEET[3])) == list(lines_of(FLEET[3]))
