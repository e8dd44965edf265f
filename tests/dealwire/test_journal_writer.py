"""Exact records of a writer and their times: each kind, the records that wait and for how long, and the end."""

from __future__ import annotations

import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from dealwire.journal import Journal, JournalReader
from dealwire.journal.check import verify
from dealwire.journal.contents import Segment, TableStart
from dealwire.journal.passing import Passed
from dealwire.journal.records import GENESIS, Head, JournalRecord
from dealwire.journal.transport import Gate, Journaled
from dealwire.journal.watching import FileWatch
from dealwire.version import __version__
from devices.clock import ManualClock
from devices.transport.base import LineClosed
from devices.transport.memory import memory_pair
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_journal_chain import LINE, tamper
from tests.support.broken.small_disk import database, fill
from tests.support.rigs.memory_folder import memory_folder

MINUTE = 60_000_000_000


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is written, not how long it takes."""
    with memory_folder(tmp_path) as folder:
        yield folder


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1000)


@pytest.fixture
def journal(tmp_path: Path, clock: ManualClock) -> Iterator[Journal]:
    with Journal(tmp_path / "j", key=None, clock=clock) as found:
        yield found


def written(journal: Journal, after: int = 0) -> list[JournalRecord]:
    """Return the records that are in the file; this does not write those that wait."""
    with JournalReader(journal.path) as reader:
        return list(reader.records(after))


def facts(record: JournalRecord) -> tuple[int, int, int, str, str]:
    return record.sequence, record.at_ns, record.line, record.kind, record.table


def line_of(journal: Journal, table: str = "t", name: str = "shoe", **more: Any) -> int:
    return journal.line(table, name, **{**LINE, **more})  # type: ignore[arg-type]


def passed(journal: Journal, record: JournalRecord) -> list[Passed]:
    with JournalReader(journal.path) as reader:
        return reader.passed(record)


# ------------------------------------------------------------------ each kind of record


def test_an_opening_says_who_wrote_what(tmp_path: Path, clock: ManualClock) -> None:
    about = {"clock": {"wall_ns": 5}}
    with Journal(tmp_path / "j", key=None, clock=clock, about=about) as journal:
        (record,) = written(journal)
        assert (journal.identity, journal.sealed, journal.taken_up, journal.lost) == (
            bytes.fromhex(json.loads(record.payload)["file"]),
            False,
            False,
            False,
        )
        assert (journal.head, journal.newest_ns, journal.written_ns) == (Head(1, record.hash), 1000, 1000)
        assert (journal.stopped_why, journal.must_commit, journal.days.current) == (None, False, None)
        opening = {"schema": "dealwire.journal/4", "file": journal.identity.hex(), "epoch": journal.epoch}
        assert json.loads(record.payload) == {**opening, "program": f"dealwire {__version__}", **about}
    assert (len(journal.identity), len(journal.epoch)) == (16, 16)
    assert facts(record) == (1, 1000, 0, "opened", "")
    with closing(sqlite3.connect(tmp_path / "j")) as db:
        assert db.execute("SELECT * FROM anchor").fetchall() == [(0, GENESIS, journal.identity, 1)]
        assert db.execute("SELECT * FROM opening").fetchall() == [(1, journal.epoch)]


def test_each_record_word_for_word(journal: Journal) -> None:
    clear = b"\x00"
    assert journal.started("t", 10, "c = 1", {"m": 1}) == 2
    assert line_of(journal) == 1
    journal.resumed("t", 11)
    journal.note(1, 12, "line lost: x")
    assert journal.publish("t", "round", 13, '{"n":1}') == 6
    journal.settled("t", 14, SettledKey("d", "s", 3))
    assert journal.snapshot(TableStart("t", 2, "c = 1", {}), b"state") == 8
    journal.stopped("t", 15, "why")
    journal.salvaged(16, {"kept": "x"})
    segment = Segment(2, 5, "2026-01-01", b"\x07" * 32)
    journal.days.exported(segment, "/away/x", "5e", 17)
    assert journal.started("u", 18, "d") == 13
    journal.stopped("u", 19)
    told = journal.commit()
    assert [(item.sequence, item.table, item.at_ns, item.topic, item.line) for item in told] == [
        (6, "t", 13, "round", '{"n":1}')
    ]
    assert (told[0].epoch, told[0].hash) == (journal.epoch, written(journal)[5].hash.hex())
    found = written(journal, 1)
    assert [facts(record) for record in found] == [
        (2, 10, 0, "started", "t"),
        (3, 1000, 1, "line", "t"),
        (4, 11, 0, "resumed", "t"),
        (5, 12, 1, "note", "t"),
        (6, 13, 0, "round", "t"),
        (7, 14, 0, "settled", "t"),
        (8, 1000, 0, "snapshot", "t"),
        (9, 15, 0, "stopped", "t"),
        (10, 16, 0, "salvaged", ""),
        (11, 16, 0, "balance", ""),
        (12, 17, 0, "exported", ""),
        (13, 18, 0, "started", "u"),
        (14, 19, 0, "stopped", "u"),
    ]
    program = f"dealwire {__version__}"
    exported = {"first": 2, "last": 5, "hash": "07" * 32, "day": "2026-01-01", "file": "/away/x", "sha256": "5e"}
    said = [{"configuration": "c = 1", "facts": {"m": 1}}, {"name": "shoe", **LINE}, {"program": program}]
    assert [json.loads(record.payload) for record in found[:3]] == said
    assert [record.payload for record in found[3:5]] == [b"line lost: x", b'{"n":1}']
    assert json.loads(found[5].payload) == ["d", "s", 3]
    balance = json.loads(found[9].payload)
    assert (balance["held"], balance["meters"]) == ({}, [])
    said = [{"why": "why"}, {"kept": "x"}, balance, exported, {"configuration": "d", "facts": {}}, {"why": ""}]
    assert [json.loads(record.payload) for record in found[7:]] == said
    assert found[6].payload[4 + int.from_bytes(found[6].payload[:4], "big") :][:1] == clear


def test_a_topic_that_is_none_names_those_there_are(journal: Journal) -> None:
    with pytest.raises(ValueError, match="no topic") as caught:
        journal.publish("t", "sent", 1, "{}")  # type: ignore[arg-type]
    said = "no topic 'sent'; there are event, incident, round, settlement, meter, award, status"
    assert str(caught.value) == said
    assert journal.head.sequence == 1


def test_a_line_keeps_its_number_until_its_table_begins_anew(journal: Journal) -> None:
    assert [line_of(journal, name=name) for name in ("shoe", "controller", "shoe")] == [1, 2, 1]
    assert line_of(journal, address="elsewhere", baud=9600) == 1
    assert line_of(journal, "u") == 3, "of another table"
    assert line_of(journal, device="shuffler") == 4, "another device is another line"
    assert line_of(journal, dialect="angel-eye") == 5
    assert line_of(journal, dialect="angel-eye") == 5
    journal.stopped("u", 1)
    assert (line_of(journal, name="controller"), line_of(journal, "u")) == (2, 6)
    journal.started("t", 2, "c")
    assert (line_of(journal, name="controller"), line_of(journal, "u")) == (7, 6)


def test_lines_go_on_after_a_restart_where_their_table_does(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        journal.started("old", 1, "c")
        line_of(journal, "old")
        journal.stopped("old", 2)
        line_of(journal, "t")  # of a table that never began
        journal.started("t", 3, "c")
        line_of(journal, "t", "controller")
        line_of(journal, "t", "controller", address="elsewhere")
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        assert line_of(journal, "t", "controller") == 3
        assert [line_of(journal, "t", "shoe"), line_of(journal, "old", "shoe")] == [4, 5]
        journal.note(1, 9, "of a table that is over")
        journal.commit()
        assert facts(written(journal)[-1])[2:] == (1, "note", "old")


# ------------------------------------------------------------------ times


def test_a_clock_that_was_set_back_begins_anew_only_where_that_is_asked_for(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock(50)) as journal:
        journal.begin_day("2026-01-01", 60)
        journal.started("t", 70, "c")
    with Journal(tmp_path / "j", key=None, clock=ManualClock(20)) as journal:
        assert (journal.newest_ns, journal.days.current, journal.head.sequence) == (70, "2026-01-01", 4)
        assert line_of(journal) == 1
    with Journal(tmp_path / "j", key=None, clock=ManualClock(20), set_back=True) as journal:
        assert (journal.newest_ns, journal.days.current) == (20, None)
        last = written(journal)[-2:]
        assert [facts(record) for record in last] == [(6, 20, 0, "opened", ""), (7, 20, 0, "stopped", "t")]
        assert json.loads(last[1].payload) == {"why": "its record cannot be resumed"}
        assert line_of(journal) == 2, "and nothing of its lines"


def test_a_snapshot_has_the_time_of_its_tables_newest_record(journal: Journal) -> None:
    start = TableStart("t", journal.started("t", 50, "c"), "c", {})
    journal.publish("t", "round", 40, "{}")
    journal.publish("u", "round", 5000, "{}")
    journal.snapshot(start, b"state")
    journal.snapshot(TableStart("never", 1, "c", {}), b"state")
    journal.commit()
    assert [facts(record)[1] for record in written(journal)[-2:]] == [50, 5000]


def test_a_snapshot_holds_the_lines_of_its_table(journal: Journal) -> None:
    start = TableStart("t", journal.started("t", 50, "c"), "c", {})
    line_of(journal, "u")
    number = line_of(journal)
    journal.chunk(number, 1060, False, b"read before")
    sequence = journal.snapshot(start, b"state")
    journal.commit()
    with JournalReader(journal.path) as reader:
        found = reader.snapshot("t")
    assert found is not None
    assert (found.sequence, found.at_ns, found.state) == (sequence, 1060, b"state")
    assert [(line.number, line.table, line.name) for line in found.lines] == [(number, "t", "shoe")]
    assert [record.kind for record in written(journal)[-2:]] == ["passed", "snapshot"]


# ------------------------------------------------------------------ what waits


def test_what_leads_to_nothing_waits_for_a_minute(journal: Journal) -> None:
    number = line_of(journal)
    journal.commit()
    journal.chunk(number, 100, False, b"one")
    journal.chunk(number, 100 + MINUTE - 1, True, b"two")
    assert (journal.commit(), len(written(journal))) == ([], 2)
    journal.chunk(number, 100 + MINUTE, False, b"three")
    journal.commit()
    (record,) = written(journal, 2)
    assert facts(record) == (3, 100 + MINUTE - 1, 0, "passed", "t")
    assert passed(journal, record) == [Passed(1, 100, False, b"one"), Passed(1, 100 + MINUTE - 1, True, b"two")]
    assert record.payload[:2] == b"\x00\x01", "nothing came of it: compressed"
    journal.note(number, 99, "x")
    journal.commit()
    record, note = written(journal, 3)
    assert (passed(journal, record), note.kind) == ([Passed(1, 100 + MINUTE, False, b"three")], "note")
    assert record.payload[:2] == b"\x00\x00", "something came of it: plain"


def test_what_leads_to_nothing_waits_for_64_kib(journal: Journal) -> None:
    number = line_of(journal)
    journal.chunk(number, 1, False, bytes(40_000))
    journal.note(number, 2, "it is written, and the count begins anew")
    journal.chunk(number, 3, False, bytes(65_535))
    journal.commit()
    assert len(written(journal)) == 4
    journal.chunk(number, 4, False, b"x")
    journal.commit()
    (record,) = written(journal, 4)
    assert [len(each.data) for each in passed(journal, record)] == [65_535, 1]
    assert record.payload[:2] == b"\x00\x00"
    journal.chunk(number, 5, False, bytes(65_535))
    journal.commit()
    assert len(written(journal)) == 5


def test_tables_wait_each_for_itself(journal: Journal) -> None:
    one, other = line_of(journal, "t"), line_of(journal, "u")
    journal.chunk(one, 10, False, b"t")
    journal.chunk(other, 20, False, b"u")
    journal.publish("u", "round", 30, "{}")
    journal.commit()
    assert [record.table for record in written(journal, 3)] == ["u", "u"]
    journal.look(10 + MINUTE - 1)
    journal.commit()
    assert len(written(journal)) == 5
    journal.look(10 + MINUTE)
    journal.commit()
    (record,) = written(journal, 5)
    assert (facts(record), record.payload[:2]) == ((6, 10, 0, "passed", "t"), b"\x00\x01")
    journal.look(10 + 2 * MINUTE)
    journal.commit()
    assert len(written(journal)) == 6


def test_a_device_is_thanked_for_what_came_and_not_for_what_went(journal: Journal) -> None:
    one, other = line_of(journal, "t"), line_of(journal, "u")
    journal.commit()
    journal.chunk(one, 10, True, b"sent")
    journal.prepare_output(one)
    journal.prepare_output(other)
    assert (journal.must_commit, journal.head.sequence) == (False, 3)
    journal.chunk(one, 20, False, b"came")
    journal.prepare_output(other)
    assert (journal.must_commit, journal.head.sequence) == (False, 3), "that is another table's"
    journal.prepare_output(one)
    assert (journal.must_commit, journal.head.sequence) == (True, 4)
    assert journal.secure()
    assert not journal.must_commit
    journal.chunk(one, 30, True, b"sent")
    journal.chunk(one, 40, False, b"came")
    journal.note(other, 50, "x")
    assert journal.must_commit
    journal.secure()
    journal.prepare_output(one)
    assert journal.must_commit


OWES: dict[str, tuple[Callable[[Journal], object], bool]] = {
    "a result": (lambda journal: journal.publish("t", "round", 1, "{}"), True),
    "a note": (lambda journal: journal.note(1, 1, "x"), True),
    "a read": (lambda journal: journal.chunk(1, 1, False, bytes(65_536)), False),
    "a snapshot": (lambda journal: journal.snapshot(TableStart("t", 1, "c", {}), b"state"), False),
}


@pytest.mark.parametrize("what", OWES)
def test_what_has_to_be_on_the_disk_before_anything_goes_out(journal: Journal, what: str) -> None:
    do, owes = OWES[what]
    line_of(journal)
    assert journal.must_commit
    journal.commit()
    assert not journal.must_commit
    do(journal)
    assert journal.must_commit is owes
    if what == "a snapshot":
        journal.prepare_output(1)
        assert not journal.must_commit, "nothing came"
    if what == "a read":
        journal.prepare_output(1)
        assert journal.must_commit


@pytest.mark.parametrize("count", [31, 32, 33, 65])
def test_rows_of_a_group_are_written_together(journal: Journal, count: int) -> None:
    asked: list[str] = []
    database(journal).set_trace_callback(asked.append)
    for number in range(count):
        journal.publish("t", "status", number, f"{number}")
    assert [item.line for item in journal.commit()] == [str(number) for number in range(count)]
    database(journal).set_trace_callback(None)
    inserts = [sql for sql in asked if sql.startswith("INSERT INTO record")]
    assert len(inserts) == (count + 31) // 32
    with JournalReader(journal.path) as reader:
        assert verify(reader).records == count + 1


def test_reads_without_an_end_are_written_by_the_thousand(journal: Journal) -> None:
    """And what is no read does not begin that: it may stand between a settlement and whose round it is."""
    number = line_of(journal)
    journal.commit()
    for at_ns in range(1100):
        journal.publish("t", "status", at_ns, "{}")
    assert journal.head.sequence == 1102
    assert len(written(journal)) == 2

    def read() -> None:
        journal.chunk(number, 2000, False, b"read")
        journal.prepare_output(number)

    read()
    assert len(written(journal)) == 1104, "and a balance"
    for _ in range(1023):
        read()
    assert len(written(journal)) == 1104
    read()
    assert len(written(journal)) == 1104 + 1024 + 1


# ------------------------------------------------------------------ days


def test_days_go_on_after_a_restart(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "j"
    with Journal(path, key=None, clock=clock) as journal:
        number = line_of(journal)
        journal.chunk(number, 5, False, b"of the day before")
        journal.begin_day("2026-01-01", 10)
        assert journal.days.current == "2026-01-01"
    with Journal(path, key=None, clock=clock) as journal:
        journal.begin_day("2026-01-02", 20)
    with Journal(path, key=None, clock=clock) as journal:
        journal.begin_day("2026-01-03", 30)
        journal.commit()
        with JournalReader(path) as reader:
            days = [(each.first, each.last, each.day) for each in reader.segments()]
            segment = reader.segments()[0]
        assert days == [(1, 5, "2026-01-01"), (6, 7, "2026-01-02")]
        kinds = ["opened", "line", "passed", "day", "opened", "day", "opened", "day"]
        assert [record.kind for record in written(journal)] == kinds
        assert [facts(record) for record in written(journal) if record.kind == "day"] == [
            (4, 10, 0, "day", ""),
            (6, 20, 0, "day", ""),
            (8, 30, 0, "day", ""),
        ]
        journal.days.exported(segment, "/away/x", "5e", 40)
        journal.commit()
        with JournalReader(path) as reader:
            exported = [(each.exported, each.sha256) for each in reader.segments()]
            segment = reader.segments()[0]
        assert exported == [("/away/x", "5e"), (None, None)]
        assert not journal.days.prune(segment, 4)
        journal.commit()
        assert [record.sequence for record in written(journal)] == [5, 6, 7, 8, 9, 10]
        assert written(journal)[-1].kind == "balance", "what is taken off has its place in one that stays"
        assert journal.days.prune(segment, 4)
        journal.commit()
        assert journal.days.prune(segment), "none of it is left"
    with Journal(path, key=None, clock=clock) as journal:
        with JournalReader(path) as reader:
            assert [(each.first, each.last) for each in reader.segments()] == [(6, 7)]
        journal.begin_day("2026-01-04", 50)
        journal.commit()
        with JournalReader(path) as reader:
            assert [(each.first, each.last) for each in reader.segments()] == [(6, 7), (8, 11)]


def test_a_segment_begins_behind_what_was_pruned(tmp_path: Path, clock: ManualClock) -> None:
    path = tmp_path / "j"
    with Journal(path, key=None, clock=clock) as journal:
        for number in range(4):
            journal.publish("t", "round", number, "{}")
        journal.begin_day("2026-01-01", 10)
        journal.commit()
        journal.days.prune(Segment(1, 3, "", b"", "a file", "of it"))
        journal.commit()
    with Journal(path, key=None, clock=clock) as journal:
        journal.begin_day("2026-01-02", 10)
        journal.commit()
        with JournalReader(path) as reader:
            assert [(each.first, each.last) for each in reader.segments()] == [(4, 8)]


def test_what_is_not_exported_is_not_pruned(journal: Journal) -> None:
    journal.publish("t", "round", 1, "{}")
    journal.commit()
    assert journal.days.prune(Segment(1, 1, "", b""))
    assert journal.days.prune(Segment(1, 99, "", b"", "a file", "of it")), "it is not on the disk"
    journal.commit()
    assert len(written(journal)) == 2


def test_room_that_was_pruned_is_given_back_a_little_at_a_time(journal: Journal) -> None:
    for number in range(400):
        journal.publish("t", "status", number, "x" * 4000)
    journal.commit()
    journal.days.prune(Segment(1, 390, "", b"", "a file", "of it"))
    journal.commit()

    def free() -> int:
        return int(database(journal).execute("PRAGMA freelist_count").fetchone()[0])

    before = free()
    assert before > 300
    journal.days.give_back(10)
    assert free() == before - 10
    journal.days.give_back()
    assert free() == before - 266
    journal.failed = "x"
    journal.days.give_back()
    assert free() == before - 266
    journal.failed = None
    database(journal).execute("BEGIN")
    journal.days.give_back()
    database(journal).execute("ROLLBACK")
    assert free() == before - 266


# ------------------------------------------------------------------ how it ends


def test_what_waits_is_written_at_the_end(tmp_path: Path, clock: ManualClock) -> None:
    journal = Journal(tmp_path / "j", key=None, clock=clock)
    number = line_of(journal)
    journal.chunk(number, 5, False, b"read")
    journal.outboxes.mark_sent("mqtt", 2)
    journal.close()
    journal.close()
    assert journal.stopped_why == "it was closed"
    record = written(journal)[-1]
    assert (passed(journal, record), record.payload[:2]) == ([Passed(1, 5, False, b"read")], b"\x00\x01")
    with JournalReader(journal.path) as reader:
        assert reader.consumers() == {"mqtt": 2}
    journal.chunk(number, 6, False, b"late")
    journal.note(number, 6, "late")
    journal.look(MINUTE * 9)
    assert journal.snapshot(TableStart("t", 1, "c", {}), b"") is None
    assert (journal.publish("t", "round", 6, "{}"), journal.secure(), journal.commit()) == (3, True, [])
    assert (journal.outboxes.unsent("mqtt", 9), len(written(journal))) == ([], 3)


def test_a_mark_alone_is_written_at_the_end(tmp_path: Path, clock: ManualClock) -> None:
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        journal.publish("t", "round", 1, "{}")
        journal.commit()
        journal.outboxes.mark_sent("mqtt", 2)
        journal.outboxes.mark_sent("mqtt", 2)
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        assert journal.outboxes.unsent("mqtt", 9) == []
        assert [item.sequence for item in journal.outboxes.unsent("sql", 9)] == [2]


def test_a_lock_at_the_end_is_said(tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dealwire.journal.record_writer.LAST_WAIT_MS", 1)
    journal = Journal(tmp_path / "j", key=None, clock=clock)
    journal.publish("t", "round", 1, "{}")
    with closing(sqlite3.connect(tmp_path / "j", isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        journal.close()
    assert journal.failed == journal.stopped_why == "another program has locked the file"
    assert len(written(journal)) == 1


def test_a_lock_is_told_once_and_waited_for(
    journal: Journal, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        journal.publish("t", "round", 1, "{}")
        assert (journal.secure(), journal.locked_since_ns) == (False, 1000)
        clock.advance(7)
        assert (journal.secure(), journal.locked_since_ns) == (False, 1000)
        locked = f"{journal.path}: another program has locked the file; writes are waiting"
        assert [record.getMessage() for record in caplog.records] == [locked]
        stranger.execute("ROLLBACK")
    clock.advance(5)
    assert (journal.secure(), journal.locked_since_ns, journal.written_ns) == (True, None, 1012)
    assert len(journal.commit()) == 1


def test_a_disk_that_takes_nothing_more_is_the_end(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    number = line_of(journal)
    journal.commit()
    fill(journal)
    journal.chunk(number, 5, False, b"waits")
    journal.publish("u", "status", 5, "x" * 100_000)
    with caplog.at_level(logging.DEBUG):
        assert (journal.commit(), journal.secure()) == ([], False)
    why = "the disk is full (database or disk is full)"
    assert journal.failed == journal.stopped_why == why
    assert [record.getMessage() for record in caplog.records] == [f"{journal.path}: the journal stopped: {why}"]
    assert not database(journal).in_transaction
    journal.chunk(number, 6, False, b"late")
    journal.note(number, 7, "late")
    assert journal.publish("t", "round", 8, "{}") == journal.head.sequence
    assert journal.snapshot(TableStart("t", 1, "c", {}), b"") is None
    assert (journal.commit(), len(written(journal))) == ([], 2)


def test_a_file_that_cannot_even_be_rolled_back_is_the_end(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    why = "Cannot operate on a closed database."
    with caplog.at_level(logging.DEBUG, logger="dealwire.journal.record_writer"):
        database(journal).close()
        journal.publish("t", "round", 1, "{}")
        assert not journal.secure()
    assert journal.failed == why
    assert [record.getMessage() for record in caplog.records] == [
        f"{journal.path}: the journal stopped: {why}",
        f"{journal.path}: after the failure: {why}",
    ]


def test_a_file_that_is_gone_is_the_end(journal: Journal, clock: ManualClock) -> None:
    journal.look(clock.now_ns())
    assert (journal.failed, journal.lost) == (None, False)
    journal.path.rename(journal.path.with_name("away"))
    journal.look(clock.now_ns())
    assert (journal.failed, journal.lost) == (f"{journal.path} was deleted or moved while in use", True)


def test_a_look_asks_for_the_newest_record_on_the_disk(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older copy that replaced the file has the older records too."""
    asked: list[Head] = []
    monkeypatch.setattr(FileWatch, "trouble", lambda self, head: asked.append(head))
    first = journal.head
    journal.publish("t", "round", 1, "{}")
    journal.look(1)
    journal.commit()
    journal.look(2)
    assert asked == [first, journal.head]
    assert journal.head.sequence == 2


def test_a_mark_beyond_the_file_is_none_and_what_is_marked_is_not_given_out(tmp_path: Path, clock: ManualClock) -> None:
    """Somebody else wrote it: what was never sent would be pruned by it."""
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        journal.publish("t", "round", 1, "{}")
    tamper(tmp_path / "j", "INSERT INTO consumer VALUES ('mqtt', 99)")
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        journal.publish("t", "round", 1, "{}")
        journal.commit()
        unsent = journal.outboxes.unsent("mqtt", 9)
        assert len(unsent) == 2
        journal.outboxes.mark_sent("mqtt", unsent[-1].sequence)
        assert journal.outboxes.unsent("mqtt", 9) == []


# ------------------------------------------------------------------ a line's bytes


def gated(
    journal: Journal, clock: ManualClock, **options: Any
) -> tuple[Journaled, Any, list[Callable[[], None]], Gate]:
    later: list[Callable[[], None]] = []
    gate, (host, device) = Gate(later.append), memory_pair(clock)
    return Journaled(host, journal, line_of(journal), clock, gate, **options), device, later, gate


def open_gate(later: list[Callable[[], None]]) -> int:
    """Do what was put off to the end of the turn; how much that was."""
    count = len(later)
    for each in later:
        each()
    later.clear()
    return count


def test_a_patient_line_lets_out_what_owes_nothing_at_once(journal: Journal, clock: ManualClock) -> None:
    """Its device gets acknowledgments only for published results; bytes without a result wait for their record."""
    line, device, later, _ = gated(journal, clock, patient=True)
    journal.commit()
    device.write(b"a status")
    assert line.read() == b"a status"
    line.write(b"and mine")
    assert open_gate(later) == 1
    assert (device.read(), len(written(journal))) == (b"and mine", 2)
    device.write(b"a card")
    assert line.read() == b"a card"
    journal.publish("t", "round", 1, "{}")
    line.write(b"thanks")
    open_gate(later)
    assert device.read() == b"thanks"
    assert [record.kind for record in written(journal, 2)] == ["passed", "round"]


def test_an_impatient_line_has_all_that_came_on_the_disk_first(journal: Journal, clock: ManualClock) -> None:
    line, device, later, _ = gated(journal, clock)
    journal.commit()
    device.write(b"a status")
    line.read()
    line.write(b"thanks")
    open_gate(later)
    assert (device.read(), [record.kind for record in written(journal, 2)]) == (b"thanks", ["passed"])


def test_what_waits_for_a_lock_is_tried_again(journal: Journal, clock: ManualClock) -> None:
    line, device, later, gate = gated(journal, clock)
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        line.write(b"one ")
        open_gate(later)
        assert (device.read(), line.write(b"two")) == (b"", 3)
        assert open_gate(later) == 0, "it waits already"
        gate.try_again()
        assert open_gate(later) == 1
        assert device.read() == b""
        stranger.execute("ROLLBACK")
    gate.try_again()
    open_gate(later)
    assert device.read() == b"one two"
    gate.try_again()
    assert open_gate(later) == 0


def test_a_line_wakes_its_reader(journal: Journal, clock: ManualClock) -> None:
    line, device, _, _ = gated(journal, clock)
    woken: list[int] = []
    line.on_ready(lambda: woken.append(1))
    device.write(b"a card")
    assert woken == [1]


def test_a_line_of_a_journal_that_stopped_is_closed_by_its_name(journal: Journal, clock: ManualClock) -> None:
    line, device, _, _ = gated(journal, clock)
    device.write(b"a card")
    journal.failed = "the disk is full"
    with pytest.raises(LineClosed) as caught:
        line.read()
    assert str(caught.value) == "memory: line closed: the journal stopped: the disk is full"
    journal.failed = None


def test_a_line_that_ended_lets_out_nothing(journal: Journal, clock: ManualClock) -> None:
    line, device, later, _ = gated(journal, clock)
    line.write(b"goodbye")
    line.abandon("nothing valid heard")
    assert line.let_out()
    open_gate(later)
    with pytest.raises(LineClosed, match="the other end closed"):
        device.read()  # nothing came: the line is no longer trusted
