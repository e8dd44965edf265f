"""Small games of steps, written as files would be, and a table of one."""

from __future__ import annotations

from collections.abc import Mapping

from dealer_flow.procedure.load import Procedure, parse_procedure
from tests.support.dealing.hand_table import HandTable

HEAD = """schema = "dealwire.procedure/2"
id = "small"
title = "Small"
jurisdiction = "none"
clause = "S"
device = "packet-shuffler"
deck = { cards = 52, jokers = 0, clause = "S deck" }
seats = { most = 4, clause = "S seats" }
misdeal = { until = "first-decision", clause = "S misdeal" }
[face]
duplicate = { then = "defective-deck", clause = "S face" }
foreign = { then = "defective-deck", clause = "S face" }
[care]
deck = { then = "defective-deck", clause = "S care" }
[[bet]]
number = 1
name = "ante"
placed = "before-deal"
enters = true
clause = "S bet"
[[bet]]
number = 2
name = "side"
placed = "before-deal"
clause = "S bet"
[[bet]]
number = 3
name = "raise"
placed = "by-decision"
clause = "S bet"
[[bet]]
number = 4
name = "fee"
placed = "before-deal"
fee = true
clause = "S bet"
[[bet]]
number = 5
name = "progressive"
placed = "before-deal"
progressive = true
clause = "S bet"
[[option]]
name = "top"
default = "left"
allowed = ["left", "right"]
reason = "S"
"""
PACKETS = '[remainder]\nclause = "S rest"\n'


def rows(table: str, *items: str) -> str:
    """Return `[[table]]` with these lines, for each item; every one with a clause of its own."""
    return "".join(f'[[{table}]]\n{item}\nclause = "S {table} {n}"\n' for n, item in enumerate(items, 1))


def wrong(*places: str, then: str = "dead-hand") -> str:
    """Return a row for too few and too many cards at each place."""
    return rows("wrong", *(f'of = "{place}"\nhow = ["short", "long"]\nthen = "{then}"' for place in places))


def small(*parts: str, replaced: Mapping[str, str] | None = None, **changes: str) -> Procedure:
    """Return the game of `HEAD` with these parts; `replaced` lines stay as given, `changes` replace a value."""
    head = HEAD
    for line, other in (replaced or {}).items():
        head = head.replace(line, other, 1)
    for key, value in changes.items():
        line = next(line for line in head.splitlines() if line.startswith(f"{key} = "))
        head = head.replace(line, f"{key} = {value}", 1)
    return parse_procedure(head + "".join(parts), "small.toml")


def small_table(procedure: Procedure, seats: int = 0, *, start: bool = True, **options: str) -> HandTable:
    """Return a table of one of these games, not filled; seats 1 to `seats` bet the ante, START GAME was pressed."""
    table = HandTable(procedure, filled=False, **options)
    for number in range(1, seats + 1):
        table.bet(number, ante=500)
    return table.start() if seats and start else table
