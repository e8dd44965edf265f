"""Salvage of a damaged journal, record by record: kept, lost, and remembered records."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from dealwire.journal import Journal, JournalReader
from dealwire.journal import salvage as salvaging
from dealwire.journal.book_tables import BookTables
from dealwire.journal.check import verify
from dealwire.journal.contents import Segment
from dealwire.journal.errors import JournalDamaged, JournalError, JournalForeign, JournalInaccessible, JournalUnwritable
from dealwire.journal.records import JournalRecord
from dealwire.journal.salvage import Salvaged, salvage
from devices.clock import ManualClock
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_journal_chain import tamper
from tests.dealwire.test_journal_reader import as_version_1
from tests.support.evenings.journal_evening import copy_as_killed
from tests.support.rigs.memory_folder import memory_folder


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is written, not when."""
    with memory_folder(tmp_path) as folder:
        yield folder


def fill(journal: Journal, rounds: int, first: int = 1) -> None:
    """Two records each round: its settlement, with a meter, and the mark of it."""
    for number in range(first, first + rounds):
        line = {"session": "s", "round": number, "meters": [{"name": "m", "after": number}], "text": "x" * 700}
        journal.publish("t", "settlement", number, json.dumps(line))
        journal.settled("t", number, SettledKey("d", "s", number))
    journal.commit()


def filled(path: Path, rounds: int = 10) -> Path:
    """Record 2 begins the table; round N is in records 2N + 1 and 2N + 2."""
    with Journal(path, key=None, clock=ManualClock(5)) as journal:
        journal.started("t", 1, "{}", {})
        fill(journal, rounds)
    return path


def refused(use: object, *given: object) -> str:
    with pytest.raises(JournalError) as caught:
        use(*given, ManualClock())  # type: ignore[operator]
    return str(caught.value)


LOST: list[tuple[str, int, list[tuple[int, int]], int]] = [
    ("DELETE FROM record WHERE sequence = 5", 4, [(5, 5)], 17),
    ("DELETE FROM record WHERE sequence BETWEEN 5 AND 9", 4, [(5, 9)], 13),
    ("DELETE FROM record WHERE sequence > 20", 20, [], 0),
    ("DELETE FROM record WHERE sequence IN (5, 8, 9, 21)", 4, [(5, 5), (8, 9), (21, 21)], 14),
    ("UPDATE record SET hash = zeroblob(32) WHERE sequence = 5", 4, [(5, 5)], 18),
    ("UPDATE record SET hash = zeroblob(32) WHERE sequence IN (5, 9)", 4, [(5, 5)], 18),
    ("UPDATE record SET at_ns = at_ns + 1 WHERE sequence = 22", 21, [(22, 22)], 1),
    ("UPDATE record SET line = -1 WHERE sequence = 7", 6, [(7, 7)], 15),
    ("UPDATE record SET sequence = 30 WHERE sequence = 22", 21, [(22, 29)], 1),
]


@pytest.mark.parametrize(("sql", "kept", "lost", "beyond"), LOST, ids=range(len(LOST)))
def test_what_is_kept_and_what_is_lost(
    tmp_path: Path, sql: str, kept: int, lost: list[tuple[int, int]], beyond: int
) -> None:
    path, new = filled(tmp_path / "j"), tmp_path / "new"
    with JournalReader(path) as reader:
        head, before, openings = reader.hash_at(kept), list(reader.records())[:kept], reader.openings()
    tamper(path, sql)
    found = salvage(path, new, ManualClock(9))
    assert (found.kept.sequence, found.kept.hash, found.lost, found.beyond) == (kept, head, lost, beyond)
    with JournalReader(new) as reader:
        assert verify(reader).records == kept + 4
        kept_records, more = list(reader.records())[:kept], list(reader.records(kept))
        assert kept_records == before
        assert [each.kind for each in more] == ["opened", "salvaged", "balance", "stopped"]
        assert [each.table for each in more] == ["", "", "", "t"]
        said = json.loads(more[1].payload)
        assert said == {"kept": str(found.kept), "beyond": beyond, "lost": [list(each) for each in lost], "from": "j"}
        assert json.loads(more[3].payload) == {"why": "the journal was salvaged"}
        assert len({each.at_ns for each in more}) == 1
        assert more[0].at_ns == max(9, *(each.at_ns for each in before))
        assert reader.openings() == [*openings, (kept + 1, reader.epoch_at(kept + 1))]
        gone = {(each - 1) // 2 for first, last in lost for each in range(first, last + 1) if each % 2 == 0}
        if "DELETE" in sql and "> 20" not in sql:
            settled = {n for n in range(1, 12) if BookTables(reader).was_settled("t", SettledKey("d", "s", n))}
            assert settled == set(range(1, 11)) - gone, "those beyond are remembered"


def test_a_journal_that_is_whole_is_kept_whole(tmp_path: Path) -> None:
    path = filled(tmp_path / "j")
    with JournalReader(path) as reader:
        head = reader.head
    assert salvage(path, tmp_path / "new", ManualClock()) == Salvaged(head)
    assert {each.name for each in tmp_path.iterdir() if "new" in each.name} == {"new", "new-lock"}
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600


def test_no_more_than_a_hundred_losses_are_written_down(tmp_path: Path) -> None:
    path = filled(tmp_path / "j", 110)
    tamper(path, "DELETE FROM record WHERE sequence % 2 = 0")
    found = salvage(path, tmp_path / "new", ManualClock())
    assert found.lost == [(number, number) for number in range(2, 222, 2)]
    with JournalReader(tmp_path / "new") as reader:
        said = next(json.loads(each.payload) for each in reader.records() if each.kind == "salvaged")
    assert said["lost"] == [[number, number] for number in range(2, 202, 2)]


def test_nothing_that_can_be_read_is_an_error(tmp_path: Path) -> None:
    path, new = filled(tmp_path / "j"), tmp_path / "new"
    tamper(path, "UPDATE record SET hash = zeroblob(32) WHERE sequence = 1")
    assert refused(salvage, path, new) == f"{path}: record 1: not even the first record can be read"
    tamper(path, "DELETE FROM anchor")
    why = "what its first record follows cannot be read: what its first record follows is not in it"
    assert refused(salvage, path, new) == f"{path}: {why}"
    tamper(path, "INSERT INTO anchor VALUES (0, zeroblob(31), zeroblob(16), 1)")
    assert refused(salvage, path, new) == f"{path}: {why}"
    tamper(path, "UPDATE anchor SET hash = zeroblob(32), file = zeroblob(17)")
    assert refused(salvage, path, new) == f"{path}: {why}"
    assert not new.exists()


def test_what_is_no_journal_is_named(tmp_path: Path) -> None:
    path, new = filled(tmp_path / "j"), tmp_path / "new"
    assert refused(salvage, tmp_path / "none", new) == f"{tmp_path}/none: No such file or directory"
    assert refused(salvage, tmp_path, new) == f"{tmp_path}: Is a directory"
    assert refused(salvage, path, path) == f"{path}: already exists"
    with pytest.raises(JournalInaccessible) as caught:
        salvage(path, tmp_path / "none" / "new", ManualClock())
    assert (str(caught.value), caught.value.number) == (
        f"{tmp_path}/none/new: No such file or directory",
        errno.ENOENT,
    )
    text = tmp_path / "text"
    text.write_text("hello, world\n" * 100)
    assert refused(salvage, text, new) == f"{text}: not a journal: not a SQLite file"
    tamper(path, "PRAGMA application_id = 7")
    with pytest.raises(JournalForeign, match=r": not a journal: its first page does not say that it is one$"):
        salvage(path, new, ManualClock())
    assert not new.exists()


def test_an_output_that_takes_nothing_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, new = filled(tmp_path / "j"), tmp_path / "new"

    def full(output: Path, *_: object, **__: object) -> None:
        for end in ("", "-journal", "-wal", "-shm", "-lock"):
            Path(f"{output}{end}").write_bytes(b"half")
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    monkeypatch.setattr(salvaging, "write_file", full)
    with pytest.raises(JournalUnwritable) as caught:
        salvage(path, new, ManualClock())
    why = "nothing can be written: the disk is full (database or disk is full)"
    assert str(caught.value) == f"{new}: {why}"
    assert not list(tmp_path.glob("new*"))

    def broken(output: Path, *_: object, **__: object) -> None:
        output.write_bytes(b"half")
        raise ZeroDivisionError

    monkeypatch.setattr(salvaging, "write_file", broken)
    with pytest.raises(ZeroDivisionError):
        salvage(path, new, ManualClock())
    assert not new.exists(), "whatever went wrong"


def test_a_journal_of_which_the_beginning_was_pruned(tmp_path: Path) -> None:
    path = filled(tmp_path / "j")
    with Journal(path, key=None, clock=ManualClock()) as journal:
        fill(journal, 3, 11)
        journal.days.prune(Segment(1, 12, "2026-01-01", b"", "a file", "of it"))
        journal.commit()
    with JournalReader(path) as reader:
        openings, anchor, identity = reader.openings(), reader.anchor, reader.identity
    assert (anchor.sequence, [each[0] for each in openings]) == (12, [1, 23])
    tamper(path, "UPDATE record SET hash = zeroblob(32) WHERE sequence = 26")
    found = salvage(path, tmp_path / "new", ManualClock())
    assert (found.kept.sequence, found.lost, found.beyond) == (25, [(26, 26)], 5)
    with JournalReader(tmp_path / "new") as reader:
        assert (reader.anchor, reader.identity) == (anchor, identity)
        assert reader.openings()[:2] == openings
        assert verify(reader).records == 25 - 12 + 3, "no table runs of which nothing is here"
    tamper(path, "UPDATE opening SET epoch = '' WHERE sequence = 1")
    tamper(path, "UPDATE record SET payload = CAST('{}' AS BLOB) WHERE sequence = 13")
    assert refused(salvage, path, tmp_path / "other") == f"{path}: record 13: not even the first record can be read"


def test_a_file_of_version_1_is_salvaged_with_the_rounds_that_it_settled(tmp_path: Path) -> None:
    path = filled(tmp_path / "j")
    as_version_1(path)
    tamper(path, "UPDATE record SET hash = zeroblob(32) WHERE sequence = 9")
    found = salvage(path, tmp_path / "new", ManualClock())
    assert (found.kept.sequence, found.lost, found.beyond) == (8, [(9, 9)], 14)
    with JournalReader(tmp_path / "new") as reader:
        assert reader.version == 4
        settled = {n for n in range(1, 12) if BookTables(reader).was_settled("t", SettledKey("whoever", "s", n))}
        assert settled == set(range(1, 11)), "by session and number, which is all that it says"


# ------------------------------------------------------------------ pages that cannot be read


def readable(path: Path, last: int) -> list[int]:
    """Return the numbers under which SQLite finds a record, each queried separately."""
    found = []
    with closing(sqlite3.connect(path)) as db:
        db.text_factory = bytes
        for number in range(1, last + 1):
            try:
                found += db.execute("SELECT * FROM record WHERE sequence = ?", (number,)).fetchall()
            except sqlite3.Error:
                continue
    return [row[0] for row in found]


def pages_of(path: Path, first: int, last: int) -> list[int]:
    """Offsets of the pages on which the payloads of these records lie, by what is in them."""
    content = path.read_bytes()
    found = []
    for number in range(first, last + 1):
        place = content.index(f'"round": {number}, "meters"'.encode())
        found.append(place // 4096 * 4096)
    return sorted(set(found))


@pytest.mark.parametrize(("first", "last"), [(20, 20), (20, 26), (58, 60), (40, 60)])
def test_a_page_that_is_gone_takes_its_own_records_and_no_other(tmp_path: Path, first: int, last: int) -> None:
    path = filled(tmp_path / "j", 60)
    content = bytearray(path.read_bytes())
    for place in pages_of(path, first, last):
        content[place : place + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    there = readable(path, 122)
    assert 30 < len(there) < 122, "or this shows nothing"
    missing = sorted(set(range(1, max(there) + 1)) - set(there))
    found = salvage(path, tmp_path / "new", ManualClock())
    lost = [number for low, high in found.lost for number in range(low, high + 1)]
    assert lost == missing
    assert found.kept.sequence == (min(missing) - 1 if missing else max(there))
    assert found.kept.sequence + found.beyond == len(there)
    with JournalReader(tmp_path / "new") as reader:
        verify(reader)


def test_a_log_that_a_kill_left_is_read_with_a_file_that_was_cut(tmp_path: Path) -> None:
    path = filled(tmp_path / "j", 20)
    with Journal(path, key=None, clock=ManualClock()) as journal:
        fill(journal, 5, 21)
        killed = copy_as_killed(path, tmp_path / "killed")
        head = journal.head
    assert killed.with_name("j-wal").stat().st_size
    whole = salvage(killed, tmp_path / "whole", ManualClock())
    assert whole == Salvaged(head)
    with killed.open("ab") as file:
        os.truncate(file.fileno(), killed.stat().st_size - 4096)
    size = killed.stat().st_size
    found = salvage(killed, tmp_path / "new", ManualClock())
    assert found.kept.sequence + found.beyond + sum(last - first + 1 for first, last in found.lost) == head.sequence
    assert found.beyond + found.kept.sequence > 40, "what is in the log is there"
    assert (killed.stat().st_size, sorted(each.name for each in tmp_path.glob(".*"))) == (size, [])


def test_records_that_lie_far_apart_are_found_all(tmp_path: Path) -> None:
    """Numbers altered on the disk: no walk through what is between, and none is passed over."""
    path = filled(tmp_path / "j")
    for number, far in ((19, 5000), (20, 5001), (21, 99_999), (22, (1 << 63) - 1)):
        tamper(path, "UPDATE record SET sequence = ? WHERE sequence = ?", far, number)
    found = salvage(path, tmp_path / "new", ManualClock())
    assert (found.kept.sequence, found.beyond) == (18, 4)
    assert found.lost == [(19, 4999), (5002, 99_998), (100_000, (1 << 63) - 2)]


class Torn(sqlite3.Connection):
    """A file whose order SQLite cannot follow: a record is found by its number alone."""

    def execute(self, sql: str, *given: object) -> sqlite3.Cursor:  # type: ignore[override]
        if "ORDER BY sequence DESC" in sql or "min(sequence)" in sql:
            raise sqlite3.DatabaseError("database disk image is malformed")
        return super().execute(sql, *given)  # type: ignore[arg-type]


@pytest.mark.parametrize(("far", "reached"), [(2, True), (3, False), (1 << 14, True), (1 << 24, False)])
def test_an_end_that_cannot_be_read_is_looked_for_in_longer_and_longer_steps(
    tmp_path: Path, far: int, reached: bool
) -> None:
    path = filled(tmp_path / "j", 5)
    tamper(path, "UPDATE record SET sequence = ? WHERE sequence = 12", 11 + far)
    with closing(sqlite3.connect(path, factory=Torn)) as db:
        source = salvaging._Source(path, path, db)
        assert source._last() == (11 + far if reached else 11)
        numbers = [record.sequence for record in source.records()]
    assert numbers == [*range(1, 12), *([11 + far] if reached else [])]


def test_rows_that_come_in_another_order_or_from_elsewhere_are_put_right(tmp_path: Path) -> None:
    """As a damaged tree may give them."""
    path = filled(tmp_path / "j", 3)
    with closing(sqlite3.connect(path)) as db:
        source = salvaging._Source(path, path, db)
        rows = source._try("SELECT sequence, at_ns, line, kind, tbl, payload, hash FROM record") or []
        stray = [(99, *rows[0][1:]), (0, *rows[0][1:])]
        whole = source._try

        def shuffled(sql: str, *given: object) -> list[tuple[object, ...]] | None:
            if "FROM opening" in sql:
                return [(None, "x"), (0, None), (0, b"x"), (0, "before")]
            return [*reversed(rows), *stray] if "BETWEEN" in sql else whole(sql, *given)

        source._try = shuffled  # type: ignore[method-assign]
        found = list(source.records())
        openings = source.openings(8)
    assert openings[0] == (0, "before"), "what is no opening is none"
    assert [number for number, _ in openings] == [0, 1]
    assert [record.sequence for record in found] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert found[0] == JournalRecord(*rows[0])


def test_a_writer_that_fails_at_the_last_word_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, new = filled(tmp_path / "j"), tmp_path / "new"
    secure = Journal.secure

    def fails(self: Journal) -> bool:
        self.failed = "the disk is full"
        return secure(self)

    monkeypatch.setattr(Journal, "secure", fails)
    assert refused(salvage, path, new) == f"{new}: nothing can be written: the disk is full"
    assert not list(tmp_path.glob("new*"))


def test_a_damaged_file_is_named_and_not_its_copy(tmp_path: Path) -> None:
    path = filled(tmp_path / "j")
    tamper(path, "DELETE FROM anchor")
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(JournalDamaged) as caught:
        salvage(path, tmp_path / "new", ManualClock())
    assert caught.value.path == path
