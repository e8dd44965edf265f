"""Reading a journal: numbers, lines, tables, meters, each up to the requested record, and errors for rows that no
journal has."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dealwire.hub.lines import Topic
from dealwire.journal import Journal, JournalReader, SealingKey
from dealwire.journal.book_tables import BookTables
from dealwire.journal.contents import JournalLine, Segment, TableStart
from dealwire.journal.errors import JournalDamaged, JournalError, KeyUnknown
from dealwire.journal.passing import Passed
from dealwire.journal.records import GENESIS, Head, JournalRecord
from devices.clock import ManualClock
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_journal_chain import LINE, tamper
from tests.support.rigs.memory_folder import memory_folder

Fill = Callable[[Journal], None]


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is read, not when it is written."""
    with memory_folder(tmp_path) as folder:
        yield folder


def write(path: Path, *fill: Fill, key: SealingKey | None = None) -> Path:
    """A journal with an opening for each, which is its first record."""
    for each in fill:
        with Journal(path, key=key, clock=ManualClock(5)) as journal:
            each(journal)
    return path


def refused(use: Callable[[], object]) -> str:
    """Return the error's text, without the file's name."""
    with pytest.raises(JournalDamaged) as caught:
        use()
    return str(caught.value).partition(": ")[2]


def as_version_1(path: Path) -> None:
    """Rewrite the file as version 1 would have written these records."""
    with closing(sqlite3.connect(path)) as db, db:
        for table in ("anchor", "opening", "settled", "meter", "segment", "obligation", "leaf", "node"):
            db.execute(f"DROP TABLE {table}")
        db.execute("DROP INDEX mark")
        kinds = "kind IN ('opened', 'started', 'resumed', 'stopped', 'line')"
        db.execute(f"CREATE INDEX mark ON record (kind, tbl, sequence) WHERE {kinds}")
        db.execute("PRAGMA user_version = 1")


def as_version_2(path: Path) -> None:
    """Rewrite the file as version 2 would have written these records."""
    with closing(sqlite3.connect(path)) as db, db:
        for table in ("obligation", "leaf", "node"):
            db.execute(f"DROP TABLE {table}")
        db.execute("ALTER TABLE anchor DROP COLUMN whole")
        db.execute("DROP INDEX mark")
        kinds = (
            "opened",
            "started",
            "resumed",
            "stopped",
            "line",
            "snapshot",
            "settled",
            "day",
            "exported",
            "salvaged",
        )
        listed = ", ".join(f"'{kind}'" for kind in kinds)
        db.execute(f"CREATE INDEX mark ON record (kind, tbl, sequence) WHERE kind IN ({listed})")
        db.execute("PRAGMA user_version = 2")


# ------------------------------------------------------------------ what the first record follows


ANCHOR = "what its first record follows is not in it"


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DELETE FROM anchor", ANCHOR),
        ("INSERT INTO anchor SELECT * FROM anchor", ANCHOR),
        ("UPDATE anchor SET hash = zeroblob(31)", ANCHOR),
        ("UPDATE anchor SET file = zeroblob(15)", ANCHOR),
        ("UPDATE anchor SET file = zeroblob(17)", ANCHOR),
        ("UPDATE anchor SET sequence = 5", "record 6: the first record is missing"),
        ("DELETE FROM record", "record 1: the first record is missing"),
        ("DELETE FROM record WHERE sequence = 1", "record 1: the first record is missing"),
    ],
)
def test_a_file_that_does_not_say_where_it_begins_is_damaged(tmp_path: Path, sql: str, said: str) -> None:
    path = write(tmp_path / "j", lambda journal: journal.publish("t", "round", 1, "{}") and None)
    with JournalReader(path) as reader:
        assert (reader.anchor, reader.version) == (Head(0, GENESIS), 4)
        assert len(reader.identity) == 16
    tamper(path, sql)
    assert refused(lambda: JournalReader(path)) == said


def test_a_file_of_version_1_begins_with_its_opening(tmp_path: Path) -> None:
    path = write(tmp_path / "j", lambda _: None, lambda _: None)
    with JournalReader(path) as reader:
        identity = reader.identity
    as_version_1(path)
    with JournalReader(path) as reader:
        tables = BookTables(reader)
        assert (reader.starts(), reader.lines(), reader.day()) == ({}, {}, None)
        assert (reader.version, reader.anchor, reader.identity) == (1, Head(0, GENESIS), identity)
        assert (reader.openings(), reader.segments(), reader.epoch_at(1)) == ([], [], "")
        assert (tables.own_meters("t"), tables.own_runners("t"), tables.newest_meters(["a"], 9)) == ({}, {}, {})
    tamper(path, "UPDATE record SET kind = 'round'")
    assert refused(lambda: JournalReader(path)) == "record 1: the first record is missing"


def test_a_head_is_the_newest_record_or_what_the_first_follows(tmp_path: Path) -> None:
    path = write(tmp_path / "j", lambda journal: journal.publish("t", "round", 1, "{}") and None)
    with JournalReader(path) as reader:
        assert reader.head == Head(2, list(reader.records())[-1].hash)
        assert reader.hash_at(2) == reader.head.hash
        assert [reader.hash_at(number) for number in (0, 3, -1, TOP, TOP + 1)] == [None] * 5
        tamper(path, "INSERT INTO record SELECT ?, at_ns, line, kind, tbl, payload, hash FROM record LIMIT 1", TOP)
        assert reader.hash_at(TOP) == reader.hash_at(1)
        tamper(path, "DELETE FROM record")
        assert reader.head == reader.anchor == Head(0, GENESIS)


def test_a_reader_sees_what_was_pruned_since(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        for number in range(4):
            journal.publish("t", "round", number, "{}")
        journal.commit()
        with JournalReader(tmp_path / "j") as reader:
            hashes = [reader.hash_at(number) for number in range(1, 6)]
            assert not reader.look_again()
            assert not journal.days.prune(Segment(1, 4, "2026-01-01", b"", "a file", "of it"), 3)
            journal.commit()
            assert reader.anchor == Head(0, GENESIS)
            assert reader.look_again()
            assert reader.anchor == Head(3, hashes[2])
            assert not reader.look_again()
            assert journal.days.prune(Segment(1, 4, "2026-01-01", b"", "a file", "of it"), 3)
            journal.commit()
            assert reader.look_again()
            assert [each.sequence for each in reader.records()] == [5, 6], "and a balance"


def test_a_reader_stands_still_while_the_file_goes_on(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal, JournalReader(tmp_path / "j") as reader:
        with reader.standing_still():
            assert reader.head.sequence == 1
            journal.publish("t", "round", 1, "{}")
            journal.commit()
            assert reader.head.sequence == 1
        assert reader.head.sequence == 2
        with pytest.raises(ZeroDivisionError), reader.standing_still():
            raise ZeroDivisionError
        with reader.standing_still():
            assert reader.head.sequence == 2, "it ended, whatever happened in it"


# ------------------------------------------------------------------ published lines


def some_lines(journal: Journal) -> None:
    """Records 2 to 6, of two tables."""
    for number, (table, topic) in enumerate([("a", "round"), ("b", "event"), ("a", "status"), ("b", "round")]):
        journal.publish(table, topic, 100 * number, f'{{"n":{number}}}')  # type: ignore[arg-type]
    journal.note(journal.line("a", "shoe", **LINE), 900, "no line that was made known")  # type: ignore[arg-type]


def test_what_was_made_known_after_a_number(tmp_path: Path) -> None:
    path = write(tmp_path / "j", some_lines)
    with JournalReader(path) as reader:

        def numbers(*given: Any, **named: Any) -> list[int]:
            return [item.sequence for item in reader.publications(*given, **named)]

        assert numbers() == [2, 3, 4, 5]
        assert [numbers(after) for after in (2, 3, 5, 9)] == [[3, 4, 5], [4, 5], [], []]
        assert [numbers(limit=most) for most in (0, 1, 3)] == [[], [2], [2, 3, 4]]
        assert [numbers(table=table) for table in ("a", "b", "")] == [[2, 4], [3, 5], []]
        assert numbers(2, 1, "b") == [3]
        known = {(after, up_to): reader.made_known("a", after, up_to) for after in range(1, 6) for up_to in range(1, 7)}
        assert {pair for pair, found in known.items() if found is True} == {
            pair for pair in known if pair[0] < 2 <= pair[1] or pair[0] < 4 <= pair[1]
        }
        assert reader.made_known("c", 0, 9) is False


def test_the_newest_line_up_to_a_number_and_before_a_time(tmp_path: Path) -> None:
    with JournalReader(write(tmp_path / "j", some_lines)) as reader:
        assert reader.newest() == (5, 300)
        assert [reader.newest(table) for table in ("a", "b", "c")] == [(4, 200), (5, 300), (0, 0)]
        assert [reader.newest(up_to=up_to) for up_to in (1, 2, 4)] == [(0, 0), (2, 0), (4, 200)]
        assert [reader.newest(before_ns=ns) for ns in (0, 1, 300, 301)] == [(0, 0), (2, 0), (4, 200), (5, 300)]
        assert reader.newest("b", up_to=4, before_ns=201) == (3, 100)


def test_the_newest_time_is_that_of_the_newest_opening(tmp_path: Path) -> None:
    """An opening with `--trust-clock` starts a new time after the clock was set back."""

    def late(journal: Journal) -> None:
        journal.publish("t", "round", 700, "{}")
        journal.publish("t", "round", 20, "{}")

    path = write(tmp_path / "j", late)
    with JournalReader(path) as reader:
        assert reader.newest_ns == 700
    with Journal(path, key=None, clock=ManualClock(30), set_back=True) as journal:
        assert journal.newest_ns == 30
    with JournalReader(path) as reader:
        assert reader.newest_ns == 30
    tamper(path, "DELETE FROM record WHERE sequence > 1")
    tamper(path, "UPDATE record SET at_ns = 9")
    with JournalReader(path) as reader:
        assert reader.newest_ns == 9


def test_each_line_has_the_epoch_of_the_opening_that_wrote_it(tmp_path: Path) -> None:
    path = write(tmp_path / "j", some_lines)
    with Journal(path, key=None, clock=ManualClock()) as journal, JournalReader(path) as reader:
        (first, one), (last, other) = reader.openings()
        assert (first, last, other) == (1, 8, journal.epoch)
        assert [reader.epoch_at(number) for number in (0, 1, 7, 8, 9)] == ["", one, one, other, other]
        assert {item.epoch for item in reader.publications()} == {one}
    with Journal(path, key=None, clock=ManualClock()) as journal, JournalReader(path) as reader:
        assert reader.epoch_at(8) == other
        journal.publish("t", "round", 1, "{}")
        journal.commit()
        assert [reader.epoch_at(number) for number in (8, 9, 10)] == [other, journal.epoch, journal.epoch]
    tamper(path, "DELETE FROM opening WHERE sequence = 1")
    with JournalReader(path) as reader:
        assert [reader.epoch_at(number) for number in (7, 8)] == ["", other]


def test_a_backlog_longer_than_a_page_is_read_whole(tmp_path: Path) -> None:
    def many(journal: Journal) -> None:
        for number in range(2100):
            journal.publish("t", "meter" if number < 2050 else "event", number, f'{{"meter":"m{number % 3}"}}')

    path = write(tmp_path / "j", many)
    with JournalReader(path) as reader:
        assert [each.sequence for each in reader.records()] == list(range(1, 2102))
        assert [each.sequence for each in reader.records(1999)] == list(range(2000, 2102))
        assert len(reader.publications()) == 2100
        tamper(path, "DELETE FROM meter")
        assert BookTables(reader).newest_meters(["m0", "m2", "none"], 2000) == {
            "m0": '{"meter":"m0"}',
            "m2": '{"meter":"m2"}',
        }


def test_a_tree_that_leads_back_is_damaged(tmp_path: Path) -> None:
    """SQLite walks a damaged tree as it finds it: a page may hold a number twice, or come again, for ever."""
    with JournalReader(write(tmp_path / "j", some_lines)) as reader:
        rows = reader.rows

        def twice(sql: str, *values: object) -> list[tuple[Any, ...]]:
            return [row for row in rows(sql, *values) for _ in range(2)]

        def from_the_beginning(sql: str, *values: object) -> list[tuple[Any, ...]]:
            return rows(sql, *values[:-2], 0, values[-1])

        reader.rows = twice  # type: ignore[method-assign]
        assert refused(lambda: list(reader.records())) == "record 1: comes after record 1"
        assert refused(reader.publications) == "record 2: comes after record 2"
        reader.rows = from_the_beginning  # type: ignore[method-assign]
        assert refused(lambda: list(reader.records())) == "record 1: comes after record 7"
        assert refused(lambda: list(reader.marked("line", "a", 0))) == "record 6: comes after record 6"
        assert refused(lambda: reader.publications(5)) == "record 2: comes after record 5"


# ------------------------------------------------------------------ rounds and meters


def settlement(journal: Journal, table: str, number: int, **more: object) -> None:
    line = {"session": "s", "round": number, **more}
    journal.publish(table, "settlement", number, json.dumps(line))
    journal.settled(table, number, SettledKey("d", "s", number))


def test_which_rounds_were_settled(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        for table, number in (("a", 1), ("b", 1), ("a", 2), ("a", 9)):
            settlement(journal, table, number)

    path = write(tmp_path / "j", fill)
    with JournalReader(path) as reader:
        tables = BookTables(reader)
        keys = [SettledKey("d", "s", number) for number in (1, 2, 9)]
        assert list(tables.settled(0, "a")) == keys
        assert [[key.round for key in tables.settled(after, "a")] for after in (3, 6, 7, 9)] == [
            [2, 9],
            [2, 9],
            [9],
            [],
        ]
        assert (list(tables.settled(0, "b")), list(tables.settled(0, "c"))) == ([keys[0]], [])
        known = {number: tables.was_settled("a", SettledKey("d", "s", number)) for number in range(11)}
        assert known == {number: number in (1, 2, 9) for number in range(11)}
        for other in (SettledKey("e", "s", 1), SettledKey("d", "x", 1)):
            assert not tables.was_settled("a", other)
        assert not tables.was_settled("b", keys[1])
        assert tables.rows_of("settled") == {("a", "d", "s", 1, 2), ("a", "d", "s", 9, 9), ("b", "d", "s", 1, 1)}
    tamper(path, "UPDATE settled SET device = '?' WHERE tbl = 'b'")
    with JournalReader(path) as reader:
        tables = BookTables(reader)
        assert tables.was_settled("b", SettledKey("whoever", "s", 1)), "no more than its session was written"
        assert list(tables.settled(0, "b")) == [keys[0], SettledKey("?", "s", 1)]
        assert list(tables.settled(0, "a")) == keys


def test_which_rounds_version_1_settled(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        settlement(journal, "a", 3)
        journal.publish("a", "settlement", 1, "no settlement at all")
        settlement(journal, "b", 4)

    path = write(tmp_path / "j", fill)
    as_version_1(path)
    with JournalReader(path) as reader:
        tables = BookTables(reader)
        assert list(tables.settled(0, "a")) == [SettledKey("?", "s", 3)]
        assert list(tables.settled(2, "a")) == []
        assert tables.was_settled("a", SettledKey("whoever", "s", 3))
        assert not tables.was_settled("a", SettledKey("whoever", "s", 4))


def test_where_a_tables_own_meters_and_runners_stand(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        settlement(
            journal,
            "a",
            1,
            meters=[{"name": "one", "after": 5}, {"name": "two"}, {"name": "pot", "after": 7, "rolled": {"r": 1}}],
            pool={"runners": [{"seat": 3, "after": 2}]},
        )
        settlement(journal, "b", 1, meters=[{"name": "one", "after": 6}])

    with JournalReader(write(tmp_path / "j", fill)) as reader:
        tables = BookTables(reader)
        assert tables.own_meters("a") == {"one": 5, "two": None, "pot": 7}
        assert tables.own_rolled("a") == {"pot": {"r": 1}}
        assert tables.own_runners("a") == {3: 2}
        assert (tables.own_meters("b"), tables.own_rolled("b"), tables.own_runners("b")) == ({"one": 6}, {}, {})
        assert (tables.own_meters("c"), tables.own_rolled("c"), tables.own_runners("c")) == ({}, {}, {})


def test_the_newest_step_of_a_shared_meter_before_a_record(tmp_path: Path) -> None:
    def step(journal: Journal, name: str, number: int) -> None:
        journal.publish("a", "meter", number, f'{{"meter":"{name}","number":{number}}}')

    def fill(journal: Journal) -> None:
        for number, name in enumerate(["m", "n", "m", "m", "n"]):
            step(journal, name, number)

    path = write(tmp_path / "j", fill)
    with JournalReader(path) as reader:

        def newest(names: list[str], before: int) -> dict[str, int]:
            found = BookTables(reader).newest_meters(names, before)
            return {name: json.loads(line)["number"] for name, line in found.items()}

        assert newest(["m", "n"], 99) == {"m": 3, "n": 4}
        assert newest(["m", "n"], 6) == {"m": 3, "n": 1}
        assert newest(["m", "n"], 5) == {"m": 2, "n": 1}
        assert newest(["m", "n"], 3) == {"m": 0}
        assert newest(["m", "n"], 2) == {}
        assert newest(["n"], 99) == {"n": 4}
        assert (newest([], 99), newest(["none"], 99)) == ({}, {})
        tamper(path, "DELETE FROM meter")
        assert newest(["m", "n"], 99) == {"m": 3, "n": 4}, "nothing is known of any: the lines are gone through"
        assert newest(["n", "none"], 6) == {"n": 1}


# ------------------------------------------------------------------ tables


def two_tables(journal: Journal) -> None:
    """Record `a`, which started twice and is running, and `b`, which ended."""
    journal.started("a", 10, "old", {"f": 0})
    journal.line("a", "shoe", **LINE)  # type: ignore[arg-type]
    journal.started("b", 20, "of b")
    journal.line("b", "shoe", **LINE)  # type: ignore[arg-type]
    journal.stopped("b", 30, "why")
    journal.started("a", 40, "new", {"f": 1})
    journal.line("a", "shoe", **{**LINE, "baud": 9600})  # type: ignore[arg-type]


def test_which_tables_began_last_and_go_on(tmp_path: Path) -> None:
    with JournalReader(write(tmp_path / "j", two_tables)) as reader:
        new, of_b = TableStart("a", 7, "new", {"f": 1}), TableStart("b", 4, "of b", {})
        assert reader.starts() == {"a": new}
        assert reader.starts(stopped=True) == {"a": new, "b": of_b}
        assert [(line.number, line.sequence, line.table, line.baud) for line in reader.lines().values()] == [
            (1, 3, "a", 115200),
            (2, 5, "b", 115200),
            (3, 8, "a", 9600),
        ]
        assert list(reader.lines()) == [1, 2, 3]


def test_a_line_that_is_registered_again_is_as_it_was_last(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        for address in ("/dev/one", "/dev/two"):
            assert journal.line("a", "shoe", **{**LINE, "address": address}) == 1  # type: ignore[arg-type]

    path = write(tmp_path / "j", fill)
    with JournalReader(path) as reader:
        fields = {"table": "a", "name": "shoe", **LINE, "address": "/dev/two"}
        assert reader.lines() == {1: JournalLine(number=1, sequence=3, **fields)}  # type: ignore[arg-type]
    tamper(path, "UPDATE record SET payload = CAST('[]' AS BLOB) WHERE sequence = 3")
    with JournalReader(path) as reader:
        assert refused(reader.lines) == "record 3: a record 'line' that cannot be read"


def with_snapshots(journal: Journal) -> None:
    """Records: 2 started, 3 line, 4 and 5 snapshots, 6 started, 7 snapshot."""
    start = TableStart("a", journal.started("a", 10, "c", {"f": 1}), "c", {"f": 1})
    journal.line("a", "shoe", **LINE)  # type: ignore[arg-type]
    assert (journal.snapshot(start, b"one"), journal.snapshot(start, b"two")) == (4, 5)
    again = TableStart("a", journal.started("a", 20, "d"), "d", {})
    assert journal.snapshot(again, b"three") == 7


def test_the_newest_snapshot_since_a_table_began(tmp_path: Path) -> None:
    path = write(tmp_path / "j", with_snapshots)
    with JournalReader(path) as reader:
        newest = {up_to: reader.snapshot("a", up_to=up_to) for up_to in range(1, 9)}
        assert {up_to: found and found.state for up_to, found in newest.items()} == {
            1: None,
            2: None,
            3: None,
            4: b"one",
            5: b"two",
            6: None,
            7: b"three",
            8: b"three",
        }
        found = newest[5]
        assert found is not None
        assert (found.sequence, found.at_ns, found.start) == (5, 10, TableStart("a", 2, "c", {"f": 1}))
        assert [line.name for line in found.lines] == ["shoe"]
        assert replace(found, state=b"") == reader.snapshot("a", state=False, up_to=5)
        oldest = reader.first_snapshot("a")
        assert oldest is not None
        assert (oldest.sequence, oldest.state) == (4, b"one")
        assert (reader.snapshot("b"), reader.first_snapshot("b")) == (None, None)
        assert reader.starts()["a"].sequence == 6
    tamper(path, "DELETE FROM record WHERE kind IN ('started', 'line')")
    with JournalReader(path) as reader:
        assert reader.starts() == {"a": TableStart("a", 6, "d", {})}, "a snapshot says how it began"
        assert {number: line.sequence for number, line in reader.lines().items()} == {1: 3}
        found = reader.snapshot("a", up_to=6)
        assert found is not None
        assert found.state == b"two"


SPOILT_SNAPSHOTS: list[tuple[Callable[[bytes], bytes], str]] = [
    (lambda head: len(head).to_bytes(4, "big") + head + b"\x00" + zlib.compress(b"s")[:-1], "snapshot"),
    (lambda head: len(head).to_bytes(4, "big") + head + b"\x00" + b"no", "snapshot"),
    (lambda head: (len(head) - 1).to_bytes(4, "big") + head + b"\x00" + zlib.compress(b"s"), "broken"),
    (lambda head: b"\x00\x00\x00\x02{}\x00" + zlib.compress(b"s"), "snapshot"),
    (lambda head: b"", "broken"),
]


@pytest.mark.parametrize(("spoil", "said"), SPOILT_SNAPSHOTS, ids=range(len(SPOILT_SNAPSHOTS)))
def test_a_snapshot_that_cannot_be_read(tmp_path: Path, spoil: Callable[[bytes], bytes], said: str) -> None:
    with JournalReader(write(tmp_path / "j", with_snapshots)) as reader:
        (record,) = [each for each in reader.records() if each.sequence == 5]
        head = record.payload[4 : 4 + int.from_bytes(record.payload[:4], "big")]
        assert json.loads(head)["started"] == 2
        found = refused(lambda: reader.snapshot_of(replace(record, payload=spoil(head))))
    assert (
        found
        == {
            "snapshot": "record 5: a record 'snapshot' that cannot be read",
            "broken": "record 5: the seal is broken: the bytes were altered or moved, or the key is another",
        }[said]
    )


# ------------------------------------------------------------------ raw bytes


def test_what_is_sealed_and_what_is_not(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        start = TableStart("a", journal.started("a", 10, "c"), "c", {})
        line = journal.line("a", "shoe", **LINE)  # type: ignore[arg-type]
        journal.chunk(line, 20, False, b"bytes")
        journal.snapshot(start, b"state")

    key = SealingKey.new(tmp_path / "key")
    for name, given in (("clear", None), ("sealed", key)):
        path = write(tmp_path / name, fill, key=given)
        with JournalReader(path, given) as reader:
            raw = [each for each in reader.records() if each.kind in ("passed", "snapshot")]
            assert [reader.is_sealed(each) for each in raw] == [given is not None] * 2
            assert reader.passed(raw[0]) == [Passed(1, 20, False, b"bytes")]
            # a head of 65,793 bytes: all four of its length count
            head = b"\x00\x01\x01\x01" + b"\x00" * 65793
            for first, sealed in ((b"\x00", False), (b"\x01", True), (b"", True)):
                assert reader.is_sealed(replace(raw[1], payload=head + first)) is sealed
    with JournalReader(tmp_path / "sealed") as reader:
        for each in raw:
            with pytest.raises(KeyUnknown) as caught:
                reader.snapshot_of(each) if each.kind == "snapshot" else reader.passed(each)
            assert (caught.value.sequence, caught.value.key_id) == (each.sequence, key.id)


def test_reads_and_writes_of_both_versions(tmp_path: Path) -> None:
    with JournalReader(write(tmp_path / "j", some_lines)) as reader:
        for kind, sent in (("received", False), ("sent", True)):
            record = JournalRecord(9, 77, 4, kind, "a", b"\x00bytes", b"")
            assert reader.passed(record) == [Passed(4, 77, sent, b"bytes")]
        spoilt = JournalRecord(9, 77, 0, "passed", "a", b"\x00\x00\x01", b"")
        assert refused(lambda: reader.passed(spoilt)) == "record 9: an entry is cut off"


# ------------------------------------------------------------------ days, size, exporters


def test_days_and_segments(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        assert journal.days.current is None
        for number, day in enumerate(("2026-01-01", "2026-01-02", "2026-01-03")):
            journal.begin_day(day, number)
            journal.publish("t", "round", number, "{}")
        assert journal.days.current == "2026-01-03"

    path = write(tmp_path / "j", lambda _: None)
    with JournalReader(path) as reader:
        assert (reader.day(), reader.segments()) == (None, [])
    path = write(path, fill, lambda journal: None)
    with JournalReader(path) as reader:
        hashes = {number: reader.hash_at(number) for number in (4, 6)}
        assert reader.day() == "2026-01-03"
        assert reader.segments() == [
            Segment(1, 4, "2026-01-01", hashes[4] or b""),
            Segment(5, 6, "2026-01-02", hashes[6] or b""),
        ]
        days = [json.loads(each.payload) for each in reader.records() if each.kind == "day"]
        [_, (opened, epoch), _] = reader.openings()
        under_way = {"file": reader.identity.hex(), "opened": opened, "epoch": epoch}
        assert days[0] == {**under_way, "day": "2026-01-01"}
        segment = {"day": "2026-01-02", "first": 5, "last": 6, "hash": (hashes[6] or b"").hex()}
        assert days[2] == {**under_way, "day": "2026-01-03", "segment": segment}
    tamper(path, "UPDATE record SET payload = CAST('{}' AS BLOB) WHERE kind = 'day'")
    with JournalReader(path) as reader:
        assert refused(reader.day) == "record 7: a record 'day' that cannot be read"


def test_the_size_is_what_is_in_use(tmp_path: Path) -> None:
    path = write(tmp_path / "j", some_lines)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE filled AS SELECT zeroblob(4096 * 20)")
    with JournalReader(path) as reader:
        assert reader.size() == path.stat().st_size
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DROP TABLE filled")
        free = db.execute("PRAGMA freelist_count").fetchone()[0]
    assert free >= 20
    with JournalReader(path) as reader:
        assert reader.size() == path.stat().st_size - free * 4096


def test_how_far_each_exporter_has_sent(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        journal.publish("t", "round", 1, "{}")
        journal.outboxes.mark_sent("mqtt", 2)
        journal.outboxes.mark_sent("sql", 1)

    with JournalReader(write(tmp_path / "j", fill)) as reader:
        assert reader.consumers() == {"mqtt": 2, "sql": 1}


def test_what_sqlite_complains_of(tmp_path: Path) -> None:
    path = write(tmp_path / "j", some_lines)
    with JournalReader(path) as reader:
        assert reader.complaints() == []
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("DELETE FROM sqlite_schema WHERE name = 'publication'")
    with JournalReader(path) as reader:
        found = reader.complaints()
    assert found
    assert all(line.startswith("Page ") and "never used" in line for line in found), found


# ------------------------------------------------------------------ what no journal holds


TOP = (1 << 63) - 1
FITS: list[tuple[Any, ...]] = [
    (1, 0, 0, "", "", b"", b""),
    (TOP, TOP, (1 << 32) - 1, "k" * 65535, "t" * 65535, b"p", b"h"),
    (1, 2, 3, "é" * 32767, "é" * 32767, b"p", b"h"),
]
NO_ROW = (5, 6, 7, "k", "t", b"p", b"h")
SPOILT_ROWS: list[tuple[int, Any, int | None]] = [
    (0, 0, 0),
    (0, -1, -1),
    (0, 1 << 63, 1 << 63),
    (0, "5", None),
    (0, 5.0, None),
    (0, None, None),
    (1, -1, 5),
    (1, 1 << 63, 5),
    (1, "6", 5),
    (2, -1, 5),
    (2, 1 << 32, 5),
    (2, None, 5),
    (3, b"k", 5),
    (3, "k" * 65536, 5),
    (3, "é" * 32768, 5),
    (4, b"t", 5),
    (4, "t" * 65536, 5),
    (4, "é" * 32768, 5),
    (5, "p", 5),
    (5, None, 5),
    (6, "h", 5),
]


def test_a_row_at_its_bounds_is_a_record(tmp_path: Path) -> None:
    with JournalReader(write(tmp_path / "j", some_lines)) as reader:
        for row in FITS:
            assert reader.record(row) == JournalRecord(*row)


@pytest.mark.parametrize(("column", "value", "sequence"), SPOILT_ROWS, ids=range(len(SPOILT_ROWS)))
def test_a_row_beyond_them_is_none(tmp_path: Path, column: int, value: object, sequence: int | None) -> None:
    row = (*NO_ROW[:column], value, *NO_ROW[column + 1 :])
    with JournalReader(write(tmp_path / "j", lambda _: None)) as reader, pytest.raises(JournalDamaged) as caught:
        reader.record(row)
    assert caught.value.sequence == sequence
    assert caught.value.why.endswith("holds what no journal holds")


def test_trouble_while_it_is_read_is_one_of_ours(tmp_path: Path) -> None:
    with JournalReader(write(tmp_path / "j", lambda _: None)) as reader:
        with pytest.raises(JournalError, match=r"/j: no such table: none$"):
            reader.rows("SELECT * FROM none")
        assert reader.head.sequence == 1


TOPICS: tuple[Topic, ...] = ("event", "incident", "round", "settlement", "meter", "award", "status")


@pytest.mark.parametrize("topic", TOPICS)
def test_each_topic_is_found_by_its_index(tmp_path: Path, topic: Topic) -> None:
    with JournalReader(write(tmp_path / "j", lambda journal: journal.publish("t", topic, 1, "{}") and None)) as reader:
        assert [item.topic for item in reader.publications()] == [topic]
