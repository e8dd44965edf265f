"""The file under a journal as it is opened: by one writer and any readers, of each version, and where nothing may be
written; and every sentence that says what is wrong with it."""

from __future__ import annotations

import errno
import os
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from dealwire.journal import Journal, JournalReader, errors
from dealwire.journal.database import (
    WritableFile,
    as_ours,
    beside,
    check_version,
    in_words,
    is_locked,
    is_locked_by_writer,
    open_reading,
)
from devices.clock import ManualClock
from devices.extras import install_command
from tests.support.evenings.journal_evening import copy_as_killed
from tests.support.rigs.memory_folder import MEMORY, memory_folder

PATH = Path("/pit/j")
NOBODY = 65534


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is opened, not when it is written."""
    with memory_folder(tmp_path) as folder:
        yield folder


def make(path: Path) -> Path:
    """A journal of one record."""
    Journal(path, key=None, clock=ManualClock()).close()
    return path


def held_open(folder: Path) -> list[str]:
    """Files of a folder that this process has open; `.` is the folder."""
    found = []
    for descriptor in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        except FileNotFoundError:  # that of the listing itself
            continue
    return sorted(str(Path(each).relative_to(folder)) for each in found if Path(each).is_relative_to(folder))


@contextmanager
def unprivileged(folder: Path) -> Iterator[None]:
    """A user who may look into a folder and write nothing there: root is somebody else meanwhile."""
    if not folder.is_relative_to(MEMORY):
        pytest.skip("not here: no folder in memory, which another user may come to")
    root = os.geteuid() == 0
    folder.chmod(0o555)
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o755)


# ------------------------------------------------------------------ what SQLite says


def trouble(code: int, words: str = "it went wrong") -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error


SPOILT_TEXT = UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")
IN_WORDS: list[tuple[Exception, str]] = [
    (trouble(13), "the disk is full (it went wrong)"),
    (trouble(8), "the disk or the file is read-only (it went wrong)"),
    (trouble(10), "the disk failed (it went wrong)"),
    (trouble(10 | 3 << 8), "the disk failed (it went wrong)"),
    (trouble(14), "the file cannot be opened (it went wrong)"),
    (trouble(11), "the file is damaged (it went wrong)"),
    (trouble(1), "it went wrong"),
    (trouble(13, " of\n two\t lines "), "the disk is full (of two lines)"),
    (trouble(1, "x" * 201), "x" * 200),
    (sqlite3.ProgrammingError("no code at all"), "no code at all"),
    (SPOILT_TEXT, "the file is damaged"),
]


@pytest.mark.parametrize(("error", "words"), IN_WORDS, ids=range(len(IN_WORDS)))
def test_what_is_wrong_with_the_disk_in_words(error: Exception, words: str) -> None:
    assert in_words(error) == words


@pytest.mark.parametrize(
    ("code", "locked"), [(5, True), (6, True), (5 | 2 << 8, True), (6 | 1 << 8, True), (4, False), (7, False)]
)
def test_a_lock_of_somebody_else_is_told_from_other_trouble(code: int, locked: bool) -> None:
    assert is_locked(trouble(code)) is locked
    assert not is_locked(sqlite3.ProgrammingError("no code at all"))


AS_OURS: list[tuple[Exception, type[errors.JournalError], str]] = [
    (trouble(26), errors.JournalForeign, "not a journal: not a SQLite file"),
    (trouble(5), errors.JournalBusy, "another program is writing this journal; only one may"),
    (trouble(6 | 1 << 8), errors.JournalBusy, "another program is writing this journal; only one may"),
    (trouble(13), errors.JournalUnwritable, "nothing can be written: the disk is full (it went wrong)"),
    (trouble(10 | 2 << 8), errors.JournalUnwritable, "nothing can be written: the disk failed (it went wrong)"),
    (trouble(8), errors.JournalInaccessible, "the disk or the file is read-only (it went wrong)"),
    (trouble(3), errors.JournalInaccessible, "it went wrong"),
    (trouble(14), errors.JournalInaccessible, "the file cannot be opened (it went wrong)"),
    (trouble(11), errors.JournalDamaged, "the file is damaged (it went wrong)"),
    (trouble(1), errors.JournalDamaged, "it went wrong"),
    (SPOILT_TEXT, errors.JournalDamaged, "the file is damaged"),
]


@pytest.mark.parametrize(("error", "kind", "words"), AS_OURS, ids=range(len(AS_OURS)))
def test_an_error_of_sqlites_is_one_of_ours(error: Exception, kind: type[Exception], words: str) -> None:
    found = as_ours(PATH, error)
    assert (type(found), str(found)) == (kind, f"/pit/j: {words}")
    assert getattr(found, "sequence", None) is None


def test_a_refusal_says_by_its_number_whether_the_file_is_there(tmp_path: Path) -> None:
    there = make(tmp_path / "j")
    numbers = {
        (path.name, code): as_ours(path, trouble(code)).number  # type: ignore[attr-defined]
        for path in (there, tmp_path / "none")
        for code in (8, 3, 14)
    }
    assert numbers == {
        ("j", 8): errno.EACCES,
        ("j", 3): errno.EACCES,
        ("j", 14): errno.EACCES,
        ("none", 8): errno.EACCES,
        ("none", 3): errno.EACCES,
        ("none", 14): errno.ENOENT,
    }


SENTENCES: list[tuple[Callable[[], Exception], str]] = [
    (lambda: errors.JournalInaccessible(PATH, "no", 5), "/pit/j: no"),
    (lambda: errors.JournalInaccessible.of(PATH, OSError(5, "no")), "/pit/j: no"),
    (lambda: errors.JournalInaccessible.of(PATH, OSError("no more")), "/pit/j: no more"),
    (lambda: errors.JournalBusy(PATH), "/pit/j: another program is writing this journal; only one may"),
    (lambda: errors.JournalUnwritable(PATH, "no"), "/pit/j: nothing can be written: no"),
    (lambda: errors.JournalForeign(PATH, "no"), "/pit/j: not a journal: no"),
    (lambda: errors.JournalEmpty(PATH), "/pit/j: not a journal: nothing was ever written to it"),
    (
        lambda: errors.JournalNewer(PATH, 9, 2),
        "/pit/j: journal version 9 is newer than this program, which supports up to 2",
    ),
    (lambda: errors.JournalDamaged(PATH, 4, "no"), "/pit/j: record 4: no"),
    (lambda: errors.JournalDamaged(PATH, 0, "no"), "/pit/j: record 0: no"),
    (lambda: errors.JournalDamaged(PATH, None, "no"), "/pit/j: no"),
    (lambda: errors.JournalDiffers(PATH, "no"), "/pit/j: no"),
    (lambda: errors.KeyProblem(PATH, "no"), "/pit/j: no"),
    (lambda: errors.KeyProblem(PATH, "no", 3), "/pit/j:3: no"),
    (lambda: errors.KeyUnsafe(PATH, "no"), "/pit/j: no"),
    (
        lambda: errors.KeyUnknown(PATH, 7, "00ff"),
        "/pit/j: record 7 is sealed with key 00ff; give the key file that holds it",
    ),
    (
        lambda: errors.KeyUnknown(PATH, 7, "00ff", beside=Path("/pit/j-key")),
        "/pit/j: record 7 is sealed with key 00ff; give the key file that holds it",
    ),
    (
        lambda: errors.KeyUnknown(PATH, 7, "00ff", audited=True),
        "/pit/j: record 7 is sealed to an auditor (root 00ff); only the auditor's private key opens it",
    ),
    (
        lambda: errors.KeyUnknown(PATH, 7, "00ff", audited=True, beside=Path("/pit/j-key")),
        "/pit/j: record 7 is sealed to an auditor (root 00ff); only the auditor's private key opens it, /pit/j-key "
        "does not open it; a service starts over without it with --start-over",
    ),
]
"""Created again in each test."""


@pytest.mark.parametrize(("make_error", "said"), SENTENCES, ids=range(len(SENTENCES)))
def test_each_error_is_this_one_line(make_error: Callable[[], Exception], said: str) -> None:
    assert str(make_error()) == said


def test_an_error_holds_its_parts_for_a_program() -> None:
    newer, unknown = errors.JournalNewer(PATH, 9, 2), errors.KeyUnknown(PATH, 7, "00ff")
    assert (newer.path, newer.version, newer.ours) == (PATH, 9, 2)
    assert (unknown.path, unknown.sequence, unknown.key_id) == (PATH, 7, "00ff")
    damaged, problem = errors.JournalDamaged(PATH, 4, "no"), errors.KeyProblem(PATH, "no", 3)
    assert (damaged.sequence, damaged.why) == (4, "record 4: no")
    assert (problem.path, problem.why, problem.line) == (PATH, "no", 3)
    assert (errors.JournalInaccessible(PATH, "no").number, errors.JournalInaccessible(PATH, "no", 5).number) == (0, 5)
    inaccessible = [errors.JournalInaccessible.of(PATH, error) for error in (OSError(5, "no"), OSError("no"))]
    assert [each.number for each in inaccessible] == [5, 0]
    said = str(errors.SealingUnavailable(PATH))
    assert said == f"/pit/j: cryptography is not installed: {install_command('journal')}"


# ------------------------------------------------------------------ the writer


def test_a_file_that_is_made_is_new_private_and_gives_room_back(tmp_path: Path) -> None:
    file = WritableFile(tmp_path / "j")
    assert (file.new, file.version, file.path) == (True, 4, tmp_path / "j")
    assert {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()} == dict.fromkeys(
        ("j", "j-lock", "j-shm", "j-wal"), 0o600
    )
    asked = ("auto_vacuum", "journal_mode", "synchronous", "application_id", "user_version")
    settings = [file.db.execute(f"PRAGMA {name}").fetchone()[0] for name in asked]
    assert settings == [2, "wal", 2, 1685539377, 4], "as docs/journal.md says"
    assert file.db.in_transaction, "which the first record commits"
    file.db.execute("COMMIT")
    file.close()
    assert held_open(tmp_path) == []
    with pytest.raises(sqlite3.ProgrammingError):
        file.db.execute("SELECT 1")


def synced(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Collect the paths that are synced from now on."""
    found, sync = list[Path](), os.fsync

    def note(descriptor: int) -> None:
        found.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    return found


def test_a_file_that_was_made_is_in_its_folder_after_a_power_cut(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = synced(monkeypatch)
    make(tmp_path / "j")
    assert found == [tmp_path]
    make(tmp_path / "j")
    assert found == [tmp_path], "it was there"


def test_a_text_that_is_none_keeps_no_writer_out(tmp_path: Path) -> None:
    with closing(sqlite3.connect(make(tmp_path / "j"))) as db, db:
        db.execute("INSERT INTO consumer VALUES (CAST(x'ff41' AS TEXT), 1)")
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        journal.publish("t", "round", 1, "{}")
        assert len(journal.commit()) == 1
        assert len(journal.outboxes.unsent("\ufffdA", 9)) == 1


def test_a_file_that_is_opened_again_is_synced_as_it_was(tmp_path: Path) -> None:
    file = WritableFile(make(tmp_path / "j"))
    assert (file.new, file.version, file.db.in_transaction) == (False, 4, False)
    assert [file.db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")] == ["wal", 2]
    assert is_locked_by_writer(tmp_path / "j")
    file.close()
    assert not is_locked_by_writer(tmp_path / "j")


def spoilt(path: Path, kind: str) -> None:
    """A file that no writer can use."""
    if kind == "a text":
        path.write_text("hello, world\n" * 100)
    elif kind == "another program's":
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("CREATE TABLE t (a)")
    else:
        with closing(sqlite3.connect(make(path))) as db, db:
            db.execute("PRAGMA user_version = 5")


REFUSED = {
    "a text": "not a journal: not a SQLite file",
    "another program's": "not a journal: a SQLite file of another program",
    "a newer one": "journal version 5 is newer than this program, which supports up to 4",
}


@pytest.mark.parametrize("kind", REFUSED)
def test_a_file_that_is_refused_is_given_back_at_once(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "j"
    spoilt(path, kind)
    for attempt in (WritableFile, open_reading):
        with pytest.raises(errors.JournalError) as caught:
            attempt(path)
        assert str(caught.value) == f"{path}: {REFUSED[kind]}"
        assert held_open(tmp_path) == [], "neither the file nor its lock is kept, while the error is"


def test_a_second_writer_keeps_nothing_of_what_it_was_refused(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()):
        before = held_open(tmp_path)
        with pytest.raises(errors.JournalBusy) as caught:
            WritableFile(tmp_path / "j")
        assert held_open(tmp_path) == before
    assert str(caught.value) == f"{tmp_path}/j: another program is writing this journal; only one may"


@pytest.mark.parametrize("kind", ["a folder", "a pipe", "a socket"])
def test_what_is_no_file_is_refused_before_sqlite_waits_for_it(tmp_path: Path, kind: str) -> None:
    path, number, why = tmp_path / "j", errno.EINVAL, f"{kind}, not a file"
    if kind == "a folder":
        path.mkdir()
        number, why = errno.EISDIR, "Is a directory"
    elif kind == "a pipe":
        os.mkfifo(path)
    else:
        with socket.socket(socket.AF_UNIX) as listening:
            listening.bind(str(path))
    for attempt in (WritableFile, open_reading):
        with pytest.raises(errors.JournalInaccessible) as caught:
            attempt(path)
        assert (str(caught.value), caught.value.number) == (f"{path}: {why}", number)
    assert [each.name for each in tmp_path.iterdir()] == ["j"], "nothing is put beside it"


def test_a_link_that_leads_nowhere_makes_no_file(tmp_path: Path) -> None:
    (tmp_path / "j").symlink_to(tmp_path / "none" / "j")
    with pytest.raises(errors.JournalInaccessible) as caught:
        WritableFile(tmp_path / "j")
    assert str(caught.value) == f"{tmp_path}/j: No such file or directory"
    assert caught.value.number == errno.ENOENT
    assert not is_locked_by_writer(tmp_path / "j")
    assert [each.name for each in tmp_path.iterdir()] == ["j"], "nothing is put beside the link"


def test_a_file_that_cannot_be_made_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lock could be: the disk has room for one file more."""
    opened = os.open

    def refuse(path: str | Path, flags: int, *more: int) -> int:
        if str(path).endswith("/j"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return opened(path, flags, *more)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(errors.JournalInaccessible) as caught:
        WritableFile(tmp_path / "j")
    assert (str(caught.value), caught.value.number) == (f"{tmp_path}/j: No space left on device", errno.ENOSPC)
    assert held_open(tmp_path) == []


def test_a_folder_that_takes_nothing_is_told_by_its_lock(tmp_path: Path) -> None:
    with unprivileged(tmp_path), pytest.raises(errors.JournalInaccessible) as caught:
        WritableFile(tmp_path / "j")
    assert (str(caught.value), caught.value.number) == (f"{tmp_path}/j: Permission denied", errno.EACCES)


# ------------------------------------------------------------------ versions


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_version_that_is_known_is_given(version: int) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("PRAGMA application_id = 1685539377")
        db.execute(f"PRAGMA user_version = {version}")
        assert check_version(PATH, db) == version


@pytest.mark.parametrize(
    ("application", "version", "said"),
    [
        (1685539377, 5, "journal version 5 is newer than this program, which supports up to 4"),
        (1685539377, 0, "not a journal: its version is 0"),
        (1685539377, -1, "not a journal: its version is -1"),
        (1685539376, 2, "not a journal: a SQLite file of another program"),
        (1685539378, 2, "not a journal: a SQLite file of another program"),
    ],
)
def test_a_version_that_is_not_is_refused(application: int, version: int, said: str) -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(f"PRAGMA application_id = {application}")
        db.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(errors.JournalError) as caught:
            check_version(PATH, db)
    assert str(caught.value) == f"/pit/j: {said}"


# ------------------------------------------------------------------ readers


def test_a_file_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(errors.JournalInaccessible) as caught:
        open_reading(tmp_path / "j")
    assert (str(caught.value), caught.value.number) == (f"{tmp_path}/j: No such file or directory", errno.ENOENT)
    assert list(tmp_path.iterdir()) == []


def count(db: sqlite3.Connection) -> int:
    with closing(db):
        return int(db.execute("SELECT count(*) FROM record").fetchone()[0])


@pytest.mark.parametrize(("still", "beside_it"), [(True, set()), (False, {"j-shm", "j-wal"})])
def test_a_file_that_nobody_writes_needs_nothing_beside_it(tmp_path: Path, still: bool, beside_it: set[str]) -> None:
    with closing(open_reading(make(tmp_path / "j"), still=still)) as db:
        assert db.execute("SELECT count(*) FROM record").fetchone() == (1,)
        assert {each.name for each in tmp_path.iterdir()} == {"j", "j-lock"} | beside_it


def test_a_log_that_a_kill_left_is_read_though_nobody_writes(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        journal.publish("t", "round", 1, "{}")
        journal.commit()
        killed = copy_as_killed(tmp_path / "j", tmp_path / "killed")
    assert killed.with_name("j-wal").stat().st_size
    assert count(open_reading(killed, still=True)) == 2


def test_an_empty_log_is_none(tmp_path: Path) -> None:
    path = make(tmp_path / "j")
    path.with_name("j-wal").touch()
    with closing(open_reading(path, still=True)):
        assert not path.with_name("j-shm").exists()


def test_where_nothing_may_be_written_a_whole_file_is_read(tmp_path: Path) -> None:
    path = make(tmp_path / "j")
    path.chmod(0o444)
    with unprivileged(tmp_path):
        assert count(open_reading(path)) == 1
    path.with_name("j-wal").write_bytes(b"not read by anybody")
    with unprivileged(tmp_path), pytest.raises(errors.JournalInaccessible) as caught:
        open_reading(path)
    assert caught.value.number == errno.EACCES, "what is in its log would be left out"


def test_a_file_that_may_not_be_read_is_inaccessible(tmp_path: Path) -> None:
    path = make(tmp_path / "j")
    path.chmod(0o000)
    with unprivileged(tmp_path), pytest.raises(errors.JournalInaccessible) as caught:
        open_reading(path)
    assert caught.value.number == errno.EACCES


def test_a_reader_is_used_by_any_thread(tmp_path: Path) -> None:
    found: list[int] = []
    with JournalReader(make(tmp_path / "j")) as reader:
        thread = threading.Thread(target=lambda: found.append(reader.head.sequence))
        thread.start()
        thread.join()
    assert found == [1]
    assert held_open(tmp_path) == []


def test_a_text_that_is_none_is_read_as_another(tmp_path: Path) -> None:
    """Of a damaged file: the chain tells, and nothing ends in a traceback."""
    with closing(sqlite3.connect(make(tmp_path / "j"))) as db, db:
        db.execute("UPDATE record SET tbl = CAST(x'ff41' AS TEXT)")
    with JournalReader(tmp_path / "j") as reader:
        assert [record.table for record in reader.records()] == ["\ufffdA"]


# ------------------------------------------------------------------ beside it


def test_the_files_of_a_journal_are_these() -> None:
    assert beside(PATH) == [Path("/pit/j"), Path("/pit/j-lock"), Path("/pit/j-wal"), Path("/pit/j-shm")]


def test_who_asks_for_a_writer_makes_nothing_and_keeps_nobody_out(tmp_path: Path) -> None:
    path = tmp_path / "j"
    assert is_locked_by_writer(path) is False
    assert list(tmp_path.iterdir()) == []
    with Journal(path, key=None, clock=ManualClock()):
        before = held_open(tmp_path)
        assert is_locked_by_writer(path) is True
        assert held_open(tmp_path) == before
    assert is_locked_by_writer(path) is False
    assert held_open(tmp_path) == []
    make(path)
