"""Lines of four simulated tables at two sites, the same each time: the data for the fleet's sample queries."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final, NamedTuple

import psycopg

from dealer_flow.procedure.load import load_procedure
from dealwire.export.fleet.database import Batch, Database
from dealwire.export.fleet.scripts import all_sql
from dealwire.export.topics import Received
from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import clean_scenario
from dealwire.rehearsal.simulate import hosted
from dealwire.rehearsal.tables import set_up
from dealwire.table.event_line import event_line
from dealwire.table.redaction import PublishedTable, topic_of
from dealwire.table.table import TableTerms
from devices.events import Seen
from rules.game.load import load_game
from rules.meters.bank import MeterBank
from rules.meters.setup import ProgressiveSetup

START: Final = datetime(2026, 11, 28, 19, 0, tzinfo=UTC)
SECOND_NS: Final = 1_000_000_000


class FleetTable(NamedTuple):
    """One table: its site, its game, its rate of faults, its start and its duration."""

    site: str
    name: str
    procedure: str
    seed: int
    faults: float
    begins_s: int
    rounds: int
    events: bool = False
    """True if its lines have the devices' reports, too; they are most of the lines."""


FLEET: Final = (
    FleetTable("north", "fgw-1", "flushes-gone-wild.co", 1, 0.3, 0, 24, events=True),
    FleetTable("north", "three-1", "three-card.co", 2, 0.0, 120, 30),
    FleetTable("south", "uth-1", "ultimate-texas-holdem.co", 3, 0.3, 60, 20),
    FleetTable("south", "holdem-1", "holdem.co", 4, 0.0, 30, 12),
)
SPEED: Final = 1.0
"""People and machines take their real time."""
LOST: Final = ("north", "three-1", 40)
"""A line that never arrived: the database knows that it must exist."""


def lines_of(table: FleetTable) -> Iterator[Received]:
    """Yield the lines of one table, in order, numbered as its journal would."""
    procedure = load_procedure(table.procedure)
    game = load_game(table.procedure)
    bank = MeterBank(_setup(game.meters())) if game.progressive is not None else None
    meters = {} if bank is not None else dict.fromkeys(game.meters(), 0)
    made = PublishedTable(procedure, TableTerms(game, meters=meters, bank=bank), name=table.name)
    scenario = endless(clean_scenario(procedure, range(1, 4)), faults=table.faults, seed=table.seed)
    heard: list[Seen] = []
    start_ns = int(START.timestamp()) * SECOND_NS + table.begins_s * SECOND_NS
    sequence = 0
    for _ in hosted(set_up(scenario, speed=SPEED), start_ns, heard.append):
        for seen in heard:
            items = made.handle(seen)
            report = made.report
            told = [("event", event_line(report))] if report is not None and table.events else []
            for kind, line in [*told, *((topic_of(item), item.to_json()) for item in items)]:
                sequence += 1
                schema = json.loads(line)["schema"]
                journal = f"{table.seed:032x}"
                yield Received(
                    table.site, table.name, journal, sequence, sequence - 1, seen.at_ns, schema, line, type=kind
                )
        heard.clear()
        if sum(made.outcomes.values()) >= table.rounds:
            return


def _setup(meters: list[str]) -> ProgressiveSetup:
    """Return the house's rates, as in a file."""
    head = {"schema": "dealwire.progressive/1", "id": "house", "executive-from-cents": 100_000, "sensor-cents": 100}
    parts = tuple({"name": name, "seed-cents": 1_000_000, "contribution": "20 %"} for name in meters)
    return ProgressiveSetup.model_validate({**head, "meters": parts})


def fill_database(dsn: str) -> None:
    """Recreate the tables of the database, and store every line in it as the consumer does."""
    with psycopg.connect(dsn) as connection:
        connection.execute("DROP SCHEMA IF EXISTS dealwire CASCADE")
        connection.execute(all_sql().encode())
    lines = [line for table in FLEET for line in lines_of(table)]
    store(dsn, [line for line in lines if (line.site, line.table, line.sequence) != LOST])


def store(dsn: str, lines: list[Received]) -> None:
    """Store lines as the consumer does."""

    async def stored() -> None:
        async with await Database.connect(dsn) as database:
            for at in range(0, len(lines), 500):
                await database.store(Batch(lines=lines[at : at + 500]))

    asyncio.run(stored())


def answered(dsn: str, query: str) -> str:
    """Return the answer of a query as a table, numbers flush right."""
    with psycopg.connect(dsn) as connection:
        connection.execute("SET TIME ZONE 'UTC'")
        cursor = connection.execute(query.encode())
        head = [column.name for column in cursor.description or ()]
        rows = [["" if value is None else str(value) for value in row] for row in cursor.fetchall()]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    numbers = [all(_is_number(row[at]) for row in rows) for at in range(len(head))]
    lines = []
    for row in (head, ["-" * width for width in widths], *rows):
        cells = [_set(cell, width, right) for cell, width, right in zip(row, widths, numbers, strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"


def _set(cell: str, width: int, right: bool) -> str:
    return cell.rjust(width) if right else cell.ljust(width)


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).lstrip("-").isdecimal() or not text
