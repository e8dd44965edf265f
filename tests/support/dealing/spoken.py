"""The ids of a procedure that no reader should see."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from dealwire.table.replay import usual_table
from dealwire.table.table import Table

ENGLISH: Final = {"pre-flop"}
"""Ids that are English as they stand."""


@cache
def table_of(procedure: str) -> Table:
    return usual_table(procedure)


def ids_of(procedure: str) -> set[str]:
    """Return every id of a procedure that is not an English word."""
    plan = table_of(procedure).flow.plan
    bets = [*plan.bets.values()]
    found = {bet.name for bet in bets} | {each.name for bet in bets for each in bet.propositions}
    found |= {*plan.choices} | {step.name for step in plan.steps} | {*plan.hands}
    return {name for name in found if re.search(r"[-\d]", name)} - ENGLISH


def ids_in(text: str, procedure: str) -> list[str]:
    """Return the ids of a procedure that occur in a text."""
    ids = "|".join(sorted(map(re.escape, ids_of(procedure)), key=len, reverse=True))
    return re.findall(rf"(?<![\w.-])(?:{ids})(?![\w-])", text) if ids else []
