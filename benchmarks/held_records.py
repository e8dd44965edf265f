"""Journals with held money, written by the journal's own code, with every real hash, row and balance."""

import json
from pathlib import Path
from typing import Final

from dealwire.journal import Journal
from devices.clock import SystemClock
from rules.meters.settled_rounds import SettledKey

DEVICE: Final = "maker/shuffler/1 maker/controller/2 0000beef"
GROUP: Final = 500
SESSION_ROUNDS: Final = 1_000
CENTS: Final = 500


def write_held(path: Path, table: str, count: int) -> None:
    """Settle `count` rounds of `table` with five dollars of each held, in the journal at `path`."""
    with Journal(path, key=None, clock=SystemClock()) as journal:
        journal._file.db.execute("PRAGMA synchronous = OFF")
        for number in range(count):
            session, round_ = f"{number // SESSION_ROUNDS + 1:08x}", number % SESSION_ROUNDS + 1
            at_ns = journal.newest_ns + 1
            journal.publish(table, "settlement", at_ns, _line(session, round_))
            journal.settled(table, at_ns, SettledKey(DEVICE, session, round_))
            if number % GROUP == 0:
                journal.commit()
        journal.commit()
        if journal.failed is not None:
            raise RuntimeError(journal.failed)


def _line(session: str, number: int) -> str:
    """Return a settlement's line with the keys that the books read."""
    why = "the round is unreliable: cards that the shuffler dealt were not accounted for"
    held = {"seat": 1, "bet": "ante", "result": "held", "why": why, "clause": "procedure"}
    seats = [{"seat": 1, "held": CENTS}]
    fields = {"session": session, "round": number, "currency": "USD", "seats": seats, "lines": [held], "again": False}
    return json.dumps(fields)
