"""Journals with held money, written by the journal itself, without a deal."""

from __future__ import annotations

import json
from collections.abc import Iterable

from dealwire.journal import Journal
from rules.meters.settled_rounds import SettledKey

DEVICE = "maker/shuffler/1 maker/controller/2 0000beef"


def settlement(session: str, number: int, cents: int, **more: object) -> str:
    """Return a settlement's line with the fields that matter to held money."""
    held = {"seat": 1, "bet": "ante", "result": "held", "why": "the round is unreliable", "clause": "procedure"}
    seats = [{"seat": 1, "held": cents}] if cents else []
    fields = {"session": session, "round": number, "currency": "USD", "seats": seats, "lines": [held], "again": False}
    return json.dumps({**fields, **more})


def write_held(journal: Journal, table: str, rounds: Iterable[tuple[str, int, int]], device: str = DEVICE) -> None:
    """Settle rounds, each a session, a number and the cents that are held of it."""
    for session, number, cents in rounds:
        at_ns = journal.newest_ns + 1
        journal.publish(table, "settlement", at_ns, settlement(session, number, cents))
        journal.settled(table, at_ns, SettledKey(device, session, number))
        if journal.head.sequence % 512 < 2:
            journal.commit()
    journal.commit()
