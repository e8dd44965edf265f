"""A journal checked record by record, and its file watched while it is written: what each says, and where it stops."""

from __future__ import annotations

import json
import os
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dealwire.journal import Journal, JournalReader, SealingKey, check
from dealwire.journal.balancing import BooksCheck
from dealwire.journal.check import JournalVerdict, check_tail, verify
from dealwire.journal.contents import Segment, TableStart
from dealwire.journal.errors import JournalBusy, JournalDamaged, KeyUnknown
from dealwire.journal.records import GENESIS, Head
from dealwire.journal.salvage import salvage
from dealwire.journal.watching import FileWatch
from devices.clock import ManualClock
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_journal_chain import LINE, rechained, tamper
from tests.dealwire.test_journal_reader import as_version_1, as_version_2, write
from tests.support.rigs.memory_folder import memory_folder


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is read, not when it is written."""
    with memory_folder(tmp_path) as folder:
        yield folder


def lines(journal: Journal, count: int = 4) -> None:
    for number in range(count):
        journal.publish("t", "status", 100 + number, "{}")


def said(use: Callable[[], object]) -> tuple[int | None, str]:
    """Return the number of the wrong record, and the error without the file's name."""
    with pytest.raises(JournalDamaged) as caught:
        use()
    return caught.value.sequence, str(caught.value).partition(": ")[2]


# ------------------------------------------------------------------ the chain


def test_what_a_check_found_in_order(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        start = TableStart("t", journal.started("t", 10, "c"), "c", {})
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        for number in range(2):
            journal.chunk(line, 30 - number, False, b"bytes")
            journal.publish("t", "status", 20, "{}")
        journal.snapshot(start, b"state")

    key = SealingKey.new(tmp_path / "key")
    kinds = Counter({"opened": 1, "started": 1, "line": 1, "passed": 2, "status": 2, "snapshot": 1})
    for name, given in (("clear", None), ("sealed", key)):
        path = write(tmp_path / name, fill, key=given)
        with JournalReader(path, given) as reader:
            for opens in (False, True):
                found = verify(reader, open_seals=opens)
                assert (found.head, found.anchor, found.kinds) == (reader.head, Head(0, GENESIS), kinds)
                assert (found.sealed, found.clear) == ((3, 0) if given else (0, 3))
                assert found.opened == (3 if given and opens else 0)
                assert (found.first_ns, found.last_ns, found.records) == (5, 30, 8)
    with JournalReader(tmp_path / "sealed") as reader:
        with pytest.raises(KeyUnknown) as caught:
            verify(reader, open_seals=True)
        assert caught.value.sequence == 4
    nothing = JournalVerdict()
    assert (nothing.head, nothing.anchor, nothing.records) == (Head(0, GENESIS), Head(0, GENESIS), 0)


BROKEN = "its hash does not match: this record or the one before it was altered"


def test_what_does_not_follow_is_named(tmp_path: Path) -> None:
    path = write(tmp_path / "j", lines)
    with JournalReader(path) as reader:
        tamper(path, "UPDATE record SET at_ns = 7 WHERE sequence = 3")
        assert said(lambda: verify(reader)) == (3, f"record 3: {BROKEN}")
        tamper(path, "DELETE FROM record WHERE sequence = 3")
        why = "record 4: follows record 2: the records between them are missing"
        assert said(lambda: verify(reader)) == (4, why)


@pytest.mark.parametrize(("back", "found"), [(998, True), (999, True), (1000, False)])
def test_the_newest_thousand_are_looked_at_when_it_is_opened(tmp_path: Path, back: int, found: bool) -> None:
    """The first of them is held to the hash of the one before."""
    path = write(tmp_path / "j", lambda journal: lines(journal, 1100))
    tamper(path, "UPDATE record SET at_ns = 7 WHERE sequence = 1101 - ?", back)
    with JournalReader(path) as reader:
        if found:
            number = 1101 - back
            assert said(lambda: check_tail(reader)) == (number, f"record {number}: {BROKEN}")
        else:
            assert check_tail(reader) == reader.head


@pytest.mark.parametrize("count", [1, 998, 999])
def test_a_short_journal_is_looked_at_from_its_first_record_on(tmp_path: Path, count: int) -> None:
    path = write(tmp_path / "j", lambda journal: lines(journal, count))
    with JournalReader(path) as reader:
        assert check_tail(reader) == reader.head == Head(count + 1, reader.hash_at(count + 1) or b"")
        tamper(path, "UPDATE record SET at_ns = 7 WHERE sequence = 1")
        assert said(lambda: check_tail(reader)) == (1, f"record 1: {BROKEN}")


def test_what_sqlite_says_comes_first(tmp_path: Path) -> None:
    path = write(tmp_path / "j", lines)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("PRAGMA writable_schema = ON")
        db.execute("DELETE FROM sqlite_schema WHERE name = 'publication'")
    with JournalReader(path) as reader:
        number, why = said(lambda: verify(reader))
    assert (number, why.startswith("SQLite: Page "), why.endswith("never used")) == (None, True, True)


# ------------------------------------------------------------------ a record noted elsewhere


def pruned(path: Path) -> tuple[Head, list[bytes | None]]:
    """Records 4 to 7 of seven, and a balance; what the first follows, and the hash of each."""
    with Journal(path, key=None, clock=ManualClock()) as journal:
        lines(journal, 6)
        journal.commit()
        with JournalReader(path) as reader:
            hashes = [reader.hash_at(number) for number in range(8)]
        journal.days.prune(Segment(1, 3, "2026-01-01", b"", "a file", "of it"))
        journal.commit()
    return Head(3, hashes[3] or b""), hashes


def test_a_noted_record_is_there_or_was_cut_off_or_written_anew(tmp_path: Path) -> None:
    anchor, hashes = pruned(path := tmp_path / "j")
    with JournalReader(path) as reader:
        for number in (3, 4, 7):
            found = verify(reader, expect=Head(number, hashes[number] or b""))
            assert (found.head.sequence, found.anchor, found.records) == (8, anchor, 5)
            noted = f"its hash is {(hashes[number] or b'').hex()}, not {'00' * 32} as noted: the journal was rewritten"
            other = Head(number, bytes(32))
            assert said(lambda other=other: verify(reader, expect=other)) == (number, f"record {number}: {noted}")  # type: ignore[misc]
        for number in (0, 2):
            other = Head(number, hashes[number] or b"")
            why = f"starts after record 3; record {number} is in a segment of its own"
            assert said(lambda other=other: verify(reader, expect=other)) == (None, why)  # type: ignore[misc]
        why = "ends at record 8; record 9 existed before: the end was cut off"
        assert said(lambda: verify(reader, expect=Head(9, bytes(32)))) == (None, why)


def test_a_journal_that_is_pruned_meanwhile_is_checked_from_its_new_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, walks = tmp_path / "j", []
    with Journal(path, key=None, clock=ManualClock()) as journal:
        lines(journal, 6)
        journal.commit()
        records = JournalReader.records

        def slowly(self: JournalReader, after: int = 0) -> Iterator[object]:
            walks.append(after)
            if len(walks) == 1:
                journal.days.prune(Segment(1, 3, "2026-01-01", b"", "a file", "of it"))
                journal.commit()
            return records(self, after)

        monkeypatch.setattr(JournalReader, "records", slowly)
        with JournalReader(path) as reader:
            found = verify(reader)
            assert (found.anchor.sequence, found.head.sequence, found.records) == (3, 8, 5)
            tamper(path, "UPDATE record SET at_ns = 7 WHERE sequence = 5")
            assert said(lambda: verify(reader)) == (5, f"record 5: {BROKEN}")


def test_what_is_written_while_it_is_checked_is_checked_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "j"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        lines(journal, 2)
        journal.commit()
        taken, take = [], check._Check._take

        def more(self: check._Check, record: object) -> None:
            taken.append(record)
            if len(taken) == 3:
                journal.publish("t", "settlement", 9, '{"session":"s","round":1,"meters":[{"name":"m","after":5}]}')
                journal.settled("t", 9, SettledKey("d", "s", 1))
                journal.commit()
            take(self, record)  # type: ignore[arg-type]

        monkeypatch.setattr(check._Check, "_take", more)
        with JournalReader(path) as reader:
            found = verify(reader)
    assert (found.head.sequence, found.records, found.kinds["settled"]) == (5, 5, 1)


# ------------------------------------------------------------------ what is looked up


def rounds(journal: Journal, first: int = 1, most: int = 3) -> None:
    for number in range(first, first + most):
        line = {"session": "s", "round": number, "meters": [{"name": "m", "after": number}]}
        journal.publish("t", "settlement", number, json.dumps(line))
        journal.settled("t", number, SettledKey("d", "s", number))
    journal.commit()


ALTERED: list[tuple[str, str, bool]] = [
    ("DELETE FROM settled", "settled", True),
    ("UPDATE settled SET last = last - 1", "settled", True),
    ("UPDATE settled SET first = first + 1", "settled", True),
    ("UPDATE settled SET device = 'e'", "settled", True),
    ("UPDATE settled SET session = 'x'", "settled", True),
    ("UPDATE settled SET tbl = 'x'", "settled", True),
    ("UPDATE settled SET last = last + 1", "settled", False),
    ("UPDATE settled SET first = first - 1", "settled", False),
    ("INSERT INTO settled VALUES ('x', 'd', 's', 1, 1)", "settled", False),
    ("DELETE FROM meter", "meter", True),
    ("UPDATE meter SET line = '9'", "meter", True),
    ("UPDATE meter SET sequence = sequence - 1", "meter", True),
    ("INSERT INTO meter VALUES ('t', 'n', 2, '5')", "meter", False),
]
"""Alteration, its table, and True if the table has less than the records."""


@pytest.mark.parametrize(("sql", "table", "less"), ALTERED, ids=range(len(ALTERED)))
def test_each_table_holds_what_the_records_say(tmp_path: Path, sql: str, table: str, less: bool) -> None:
    """No less and no more, and where its beginning was pruned too; `verify` and every start see it."""
    whole = write(tmp_path / "whole", rounds)
    with Journal(tmp_path / "pruned", key=None, clock=ManualClock()) as journal:
        rounds(journal)
        journal.days.prune(Segment(1, 7, "2026-01-01", b"", "a file", "of it"))
        journal.commit()
    for path in (whole, tmp_path / "pruned"):
        with JournalReader(path) as reader:
            verify(reader)
        Journal(path, key=None, clock=ManualClock()).close()
        tamper(path, sql)
        with JournalReader(path) as reader:
            number, why = said(lambda reader=reader: verify(reader))  # type: ignore[misc]
        assert number is None
        assert why.endswith("; `dealwire journal salvage` rebuilds the tables from the records")
        assert f"the table '{table}' " in why or why.startswith(f"a row of '{table}' from before record 8 ")
        with pytest.raises(JournalDamaged) as caught:
            Journal(path, key=None, clock=ManualClock())
        assert caught.value.why == why


@pytest.mark.parametrize("kind", ["received", "sent", "salvaged"])
def test_where_others_wrote_too_there_may_be_more(tmp_path: Path, kind: str) -> None:
    """In a file of version 2: version 1 wrote no marks; of a salvage even less may be left."""
    path = write(tmp_path / "j", rounds, lambda journal: journal.stopped("t", 1))
    as_version_2(path)
    rechained(path, lambda db: db.execute("UPDATE record SET kind = ? WHERE kind = 'stopped'", (kind,)) and None)
    tamper(path, "UPDATE settled SET last = last + 1")
    with JournalReader(path) as reader:
        verify(reader)
    tamper(path, "DELETE FROM settled")
    with JournalReader(path) as reader:
        if kind == "salvaged":
            verify(reader)
        else:
            assert said(lambda: verify(reader)) == (None, OLDER.format("settled"))
    tamper(path, "DELETE FROM meter")
    if kind == "salvaged":
        with JournalReader(path) as reader:
            verify(reader)


OLDER = "the table '{}' does not match the records"


@pytest.mark.parametrize("sql", [sql for sql, *_ in ALTERED])
def test_a_file_of_version_2_is_looked_through_once(tmp_path: Path, sql: str) -> None:
    """At the upgrade; afterwards it is handled like any other."""
    path = write(tmp_path / "j", rounds)
    as_version_2(path)
    tamper(path, sql)
    with pytest.raises(JournalDamaged, match="does not match the records"):
        Journal(path, key=None, clock=ManualClock())


def test_what_a_salvage_took_over_is_held_from_there_on(tmp_path: Path) -> None:
    path = write(tmp_path / "j", rounds, lambda journal: journal.salvaged(1, {}))
    with JournalReader(path) as reader:
        verify(reader)
    tamper(path, "UPDATE settled SET last = last + 1")
    with JournalReader(path) as reader:
        assert said(lambda: verify(reader))[1].startswith("a row of 'settled' from before record 10 ")


MEND = "`dealwire journal salvage` rebuilds the tables from the records"
UNKNOWN = f"record 6: an opening that is not in the table of openings; {MEND}"
STRANGE = f"the table of openings holds one of record 4, which no record confirms; {MEND}"


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("UPDATE opening SET epoch = 'x' WHERE sequence = 6", (6, UNKNOWN)),
        ("DELETE FROM opening WHERE sequence = 6", (6, UNKNOWN)),
        ("INSERT INTO opening VALUES (4, 'x')", (None, STRANGE)),
    ],
)
def test_a_table_of_openings_that_is_not_as_the_records_say_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sql: str, found: tuple[int | None, str]
) -> None:
    """By `verify` and by a start, also where it reads no record of then; and what `salvage` makes of it is right."""
    monkeypatch.setattr(check, "TAIL", 1)

    def balanced(journal: Journal) -> None:
        lines(journal)
        journal.balance(200)

    path = write(tmp_path / "j", lines, balanced)
    with JournalReader(path) as reader:
        assert check_tail(reader, BooksCheck(reader, newest=True)).sequence == 11
    tamper(path, sql)
    with JournalReader(path) as reader:
        assert said(lambda: verify(reader)) == found
    assert said(lambda: Journal(path, key=None, clock=ManualClock())) == found
    salvage(path, tmp_path / "new", ManualClock())
    with Journal(tmp_path / "new", key=None, clock=ManualClock()) as journal, JournalReader(journal.path) as reader:
        assert reader.epoch_at(journal.head.sequence) == journal.epoch
        verify(reader)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE opening SET epoch = 'x' WHERE sequence = 1",
        "DELETE FROM opening WHERE sequence = 1",
        "INSERT INTO opening VALUES (5, 'x')",
    ],
)
def test_an_opening_that_was_pruned_is_told_by_the_day_after(tmp_path: Path, sql: str) -> None:
    """The lines of that day were written in it."""

    def two_days(journal: Journal) -> None:
        for number in (1, 2):
            journal.begin_day(f"2026-01-0{number}", number)
            lines(journal)
        journal.commit()
        assert journal.days.prune(Segment(1, 6, "2026-01-01", b"", "a file", "of it"))

    path = write(tmp_path / "j", two_days)
    with JournalReader(path) as reader:
        assert (reader.anchor.sequence, verify(reader).records) == (6, 6)
        openings = reader.openings()
    tamper(path, sql)
    found = 7, f"record 7: a day that began in an opening that is not in the table of openings; {MEND}"
    with JournalReader(path) as reader:
        assert said(lambda: verify(reader)) == found
    assert said(lambda: Journal(path, key=None, clock=ManualClock())) == found
    salvage(path, tmp_path / "new", ManualClock())
    with JournalReader(tmp_path / "new") as reader:
        verify(reader)
        assert reader.openings()[:-1] == openings


def test_a_file_of_version_1_has_no_table_of_openings(tmp_path: Path) -> None:
    path = write(tmp_path / "j", lines, lines)
    as_version_1(path)
    with JournalReader(path) as reader:
        assert verify(reader).records == 10, "version 1 has no such table"


# ------------------------------------------------------------------ the file under a writer


def test_whatever_became_of_a_file_is_said_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        lines(journal)
        journal.commit()
        watch, head = FileWatch(path), journal.head
        assert watch.trouble(head) is None
        for end in ("", "-wal", "-lock"):
            file, away = Path(f"{path}{end}"), tmp_path / "away"
            file.rename(away)
            assert watch.trouble(head) == f"{file} was deleted or moved while in use"
            file.write_bytes(away.read_bytes())
            assert watch.trouble(head) == f"{file} was replaced by another file while in use"
            file.unlink()
            away.rename(file)
            assert watch.trouble(head) is None
        Path(f"{path}-shm").rename(tmp_path / "away")
        assert watch.trouble(head) is None, "SQLite makes that one again"
        (tmp_path / "away").rename(f"{path}-shm")


def touched(path: Path) -> None:
    """Look at it again: its time is another."""
    os.utime(path, ns=(1, os.stat(path).st_mtime_ns + 1))


def test_what_is_in_a_file_that_changed_is_looked_at(tmp_path: Path) -> None:
    path = write(tmp_path / "j", lines)
    with JournalReader(path) as reader:
        head = reader.head
    watch = FileWatch(path)
    gone = "it was overwritten by an older or different copy while in use: record 5 is gone"
    for number, digest in ((6, head.hash), (5, bytes(32))):
        other = Head(number, digest)
        assert watch.trouble(other) is None, "nothing changed: it is not read"
        touched(path)
        assert watch.trouble(other) == gone.replace("record 5", f"record {number}")
    touched(path)
    assert watch.trouble(head) is None
    with path.open("r+b") as file:
        file.write(b"no SQLite")
    assert watch.trouble(head) == "it was altered while in use: not a SQLite file"
    path.write_bytes(b"")
    assert watch.trouble(head) == "it was altered while in use: nothing was ever written to it"


def test_a_table_that_is_gone_is_an_alteration(tmp_path: Path) -> None:
    path = write(tmp_path / "j", lines)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE record SET line = 1")
        watch = FileWatch(path)
        db.execute("ALTER TABLE record RENAME TO other")
        db.execute("COMMIT")
        touched(path)
        found = watch.trouble(Head(5, bytes(32)))
    assert found == "it was altered while in use: no such table: record"


def test_a_log_that_became_shorter_is_looked_into(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        lines(journal)
        journal.commit()
        watch, head, log = FileWatch(path), journal.head, tmp_path / "j-wal"
        size = log.stat().st_size
        lines(journal)
        journal.commit()
        assert log.stat().st_size > size
        assert watch.trouble(head) is None, "longer: by our own writing"
        assert watch.trouble(Head(99, bytes(32))) is None
        size = log.stat().st_size
        os.truncate(log, size - 1)
        assert watch._most < size
        os.truncate(log, watch._most - 1)
        assert watch.trouble(Head(99, bytes(32))) is not None


@pytest.mark.parametrize("busy", [True, False])
def test_a_file_that_cannot_be_looked_at_now_is_no_trouble_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, busy: bool
) -> None:
    path = write(tmp_path / "j", lines)
    path.with_name("j-wal").touch()
    watch, other = FileWatch(path), Head(9, bytes(32))
    touched(path)

    def refuse(_: Path) -> sqlite3.Connection:
        if busy:
            raise JournalBusy(path)
        error = sqlite3.OperationalError("unable to open database file")
        error.sqlite_errorcode = sqlite3.SQLITE_CANTOPEN
        raise error

    with monkeypatch.context() as patch:
        patch.setattr("dealwire.journal.watching.open_reading", refuse)
        assert watch.trouble(other) is None
    why = (
        "another program is writing this journal; only one may"
        if busy
        else "the file cannot be opened (unable to open database file)"
    )
    assert [each.getMessage() for each in caplog.records] == [f"{path}: could not be checked: {why}"]
    assert watch.trouble(other) is not None, "at the next beat"
