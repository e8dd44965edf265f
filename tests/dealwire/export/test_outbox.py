"""The journal as an outbox: one table's lines, the mark behind them, and nothing else that the journal holds."""

import ast
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dealwire.export.broker import FIRST_S, LONGEST_S, Retry
from dealwire.export.outbox import Outbox
from dealwire.journal import Journal, JournalReader
from devices.clock import ManualClock

EXPORT = Path(__file__).parents[3] / "dealwire" / "export"
SECOND_NS = 1_000_000_000


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal(tmp_path / "journal", key=None, clock=ManualClock()) as made:
        yield made


def put(journal: Journal, *tables: str, at_ns: int = SECOND_NS) -> list[int]:
    found = [journal.publish(table, "status", at_ns, f'{{"schema":"x","of":"{table}"}}') for table in tables]
    journal.commit()
    return found


def test_a_mark_is_one_tables_own_and_never_goes_back(journal: Journal) -> None:
    first, other, second = put(journal, "a", "b", "a")
    with Outbox(journal, "a", "mqtt/a") as outbox:
        assert outbox.mark() < first
        assert [item.sequence for item in outbox.after(outbox.mark(), 10)] == [first, second]
        outbox.move_mark(first)
        assert [item.sequence for item in outbox.after(outbox.mark(), 10)] == [second]
        outbox.move_mark(second)
        outbox.move_mark(first)
        assert outbox.after(outbox.mark(), 10) == []
        (third,) = put(journal, "a")
        assert [item.sequence for item in outbox.after(outbox.mark(), 10)] == [third]
    with Outbox(journal, "b", "mqtt/b") as outbox:
        assert [item.sequence for item in outbox.after(outbox.mark(), 10)] == [other]


def test_a_mark_outlives_the_journal_that_was_closed(journal: Journal, tmp_path: Path) -> None:
    first, second = put(journal, "a", "a")
    journal.outboxes.mark_sent("mqtt/a", first)
    journal.close()
    with Journal(tmp_path / "journal", key=None, clock=ManualClock()) as again, Outbox(again, "a", "mqtt/a") as outbox:
        assert [item.sequence for item in outbox.after(outbox.mark(), 10)] == [second]


@pytest.mark.parametrize("beyond", [1000, 2**63 - 1])
def test_a_mark_beyond_the_newest_record_is_none(journal: Journal, tmp_path: Path, beyond: int) -> None:
    """The lines are sent once more; and no day of them is taken off meanwhile."""
    sent = put(journal, "a", "a")
    journal.outboxes.mark_sent("mqtt/a", sent[-1])
    journal.close()
    with closing(sqlite3.connect(tmp_path / "journal")) as db, db:
        assert db.execute("UPDATE consumer SET sequence = ?", (beyond,)).rowcount == 1
    with Journal(tmp_path / "journal", key=None, clock=ManualClock()) as again, Outbox(again, "a", "mqtt/a") as outbox:
        with JournalReader(again.path) as reader:
            assert reader.consumers() == {}
        assert [item.sequence for item in outbox.after(outbox.mark(), 10)] == sent
        outbox.move_mark(sent[-1])
        put(again, "b")
        with JournalReader(again.path) as reader:
            assert reader.consumers() == {"mqtt/a": sent[-1]}, "it is written over"


def test_the_line_before_is_found_however_far_back(journal: Journal) -> None:
    (first,) = put(journal, "a")
    far = put(journal, *["b"] * 2000)[-1]
    (second,) = put(journal, "a")
    with Outbox(journal, "a", "mqtt/a") as outbox:
        assert [outbox.newest(at) for at in (0, first - 1, first, far, second, second + 5)] == [
            0,
            0,
            first,
            first,
            second,
            second,
        ]


def test_recent_lines_are_those_of_the_last_hours(journal: Journal) -> None:
    sequences = [put(journal, "a", "b", at_ns=second * SECOND_NS)[0] for second in range(100)]
    with Outbox(journal, "a", "mqtt/a") as outbox:
        for age in (0, 1, 50, 98, 99, 1000):
            found = [item.sequence for item in outbox.after(outbox.recent(age * SECOND_NS), 1000)]
            assert found == sequences[max(99 - age, 0) :]


def test_raw_bytes_never_come_out(journal: Journal) -> None:
    line = journal.line("a", "shuffler", device="shuffler", dialect="tdp", address="x", baud=1, procedure="y")
    journal.chunk(line, SECOND_NS, False, b"the ace of spades")
    journal.note(line, SECOND_NS, "the ace of spades")
    (told,) = put(journal, "a")
    with Outbox(journal, "a", "mqtt/a") as outbox:
        assert [item.sequence for item in outbox.after(0, 10)] == [told]


@pytest.mark.parametrize(
    "name",
    [
        "broker",
        "marks",
        "metrics",
        "mqtt",
        "ndjson",
        "outbox",
        "profile",
        "secrecy",
        "witness",
        "topics",
        "fleet/consumer",
    ],
)
def test_what_sends_sees_no_device_and_no_card(name: str) -> None:
    """Exports send only what was published before; nothing in these modules could read more than that."""
    tree = ast.parse((EXPORT / f"{name}.py").read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    found = [module for module in imported if module.startswith(("devices", "protocol.cards", "dealwire.table.table"))]
    assert set(found) <= {"devices.clock", "devices.files"}


def test_pauses_grow_to_a_limit_and_begin_anew() -> None:
    retry = Retry()
    pauses = [retry.next_s() for _ in range(20)]
    bounds = [min(FIRST_S * 2**number, LONGEST_S) for number in range(20)]
    assert all(bound / 2 <= found <= bound for found, bound in zip(pauses, bounds, strict=True))
    retry.reset()
    assert retry.next_s() <= FIRST_S
