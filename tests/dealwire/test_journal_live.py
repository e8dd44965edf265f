"""A journal is read and checked while its service writes, settles and prunes: what is in order is said to be."""

from __future__ import annotations

import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dealwire.journal import Journal, JournalReader
from dealwire.journal.check import verify
from dealwire.journal.contents import Segment
from dealwire.journal.errors import JournalDamaged
from devices.clock import ManualClock
from tests.dealwire.test_journal_segments import NOON_NS, fill

OPENED, VERIFIED = 60, 6
"""Repetitions while the other process writes."""
PATIENCE_S = 300.0
"""After which a machine under load has done so little that something else is wrong."""


@contextmanager
def served(path: Path, *, prunes: bool) -> Iterator[threading.Event]:
    """A thread that writes as fast as it can, and takes the oldest records off when it prunes."""
    begun, over, failed = threading.Event(), threading.Event(), list[str]()

    def serve() -> None:
        with Journal(path, key=None, clock=ManualClock(NOON_NS)) as journal:
            day = 0
            while not over.is_set():
                fill(journal, NOON_NS + day, 20)
                day += 20
                begun.set()
                if prunes and day > 200:
                    journal.days.prune(Segment(1, 10**9, "2027-01-15", b"", "a file", "of it"), 20)
                    journal.commit()
            failed.extend([journal.failed] if journal.failed else [])

    thread = threading.Thread(target=serve)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(0.0001)
    thread.start()
    try:
        assert begun.wait(300)
        yield over
    finally:
        over.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert not failed


@pytest.mark.parametrize("prunes", [False, True])
def test_a_journal_can_be_opened_and_verified_while_it_is_written(tmp_path: Path, *, prunes: bool) -> None:
    opened = verified = 0
    pruned = False
    with served(tmp_path / "j", prunes=prunes):
        end = time.monotonic() + PATIENCE_S
        while (opened < OPENED or verified < VERIFIED or pruned != prunes) and time.monotonic() < end:
            with JournalReader(tmp_path / "j") as reader:
                opened += 1
                pruned = reader.anchor.sequence > 0
                if opened % 10 == 0:
                    found = verify(reader)
                    verified += 1
                    assert found.head.sequence == found.anchor.sequence + found.records
    assert opened >= OPENED
    assert verified >= VERIFIED
    assert pruned == prunes


def test_a_table_that_says_more_than_the_records_is_found_while_it_is_written(tmp_path: Path) -> None:

    with served(tmp_path / "j", prunes=False):
        db = sqlite3.connect(tmp_path / "j", timeout=PATIENCE_S)
        with db:
            db.execute("INSERT INTO settled VALUES ('t', 'd', 'beef', 1, 1)")
        db.close()
        with JournalReader(tmp_path / "j") as reader, pytest.raises(JournalDamaged, match="'settled'"):
            verify(reader)
