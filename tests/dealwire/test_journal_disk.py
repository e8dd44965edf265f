"""Disks that are full, read-only or damaged, and files that are something else: one line, and never half a story."""

import contextlib
import errno
import re
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from dealwire.journal import Journal, Journaled, JournalError, JournalReader, SealingKey
from dealwire.journal.check import verify
from dealwire.journal.database import is_locked_by_writer
from dealwire.journal.errors import (
    JournalBusy,
    JournalEmpty,
    JournalForeign,
    JournalInaccessible,
    JournalNewer,
    JournalUnwritable,
    KeyProblem,
    KeyUnsafe,
    SealingUnavailable,
)
from devices.clock import ManualClock
from devices.extras import install_command
from devices.transport.base import LineClosed
from devices.transport.memory import memory_pair
from tests.support.broken.small_disk import SmallDisk, database, fill, small_disk
from tests.support.evenings.journal_evening import deal_journalled
from tests.support.oracles.journal_verifier import check
from tests.support.rigs.memory_folder import memory_folder

LINE = {"device": "shoe", "dialect": "tdp", "address": "", "baud": 115200, "procedure": "p"}


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", 512) as mounted:
        yield mounted


def fill_up(folder: Path) -> None:
    with (folder / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))


def full_disk(journal: Journal, folder: Path) -> None:
    """Fill what is left of a real disk."""
    fill_up(folder)


def full_file(journal: Journal, folder: Path) -> None:
    """Allow no more pages, where no disk can be mounted."""
    fill(journal)


@pytest.mark.parametrize("fill", [full_disk, full_file])
def test_a_full_disk_stops_the_journal_and_nothing_half_written_is_told(
    tmp_path: Path, fill: Callable[[Journal, Path], None], request: pytest.FixtureRequest
) -> None:
    folder = request.getfixturevalue("disk").folder if fill is full_disk else tmp_path
    clock = ManualClock()
    with Journal(folder / "j", key=None, clock=clock) as journal:
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        journal.publish("t", "round", 1, '{"before":1}')
        assert len(journal.commit()) == 1
        noted = journal.head
        fill(journal, folder)
        for number in range(600):
            journal.chunk(line, number, False, bytes(2000))
            journal.publish("t", "round", number, '{"after":1}')
        assert journal.commit() == []
        assert journal.failed is not None
        assert "full" in journal.failed
        journal.publish("t", "round", 9, '{"late":1}')
        assert (journal.commit(), journal.secure()) == ([], False)
    (folder / "ballast").unlink(missing_ok=True)
    with JournalReader(folder / "j") as reader:
        assert reader.publications(limit=1)[0].line == '{"before":1}'
        assert verify(reader, expect=noted).head == noted
    with Journal(folder / "j", key=None, clock=clock) as journal:  # and it goes on once there is room
        journal.publish("t", "round", 10, '{"again":1}')
        assert [item.line for item in journal.commit()] == ['{"again":1}']


def test_a_file_that_becomes_read_only_under_the_writer(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        database(journal).execute("PRAGMA query_only = ON")
        journal.publish("t", "round", 1, "{}")
        assert journal.commit() == []
        assert journal.failed is not None
        assert journal.failed.startswith("the disk or the file is read-only")
    with JournalReader(tmp_path / "j") as reader:
        assert verify(reader).records == 1


def test_a_failed_journal_closes_its_lines_before_anything_is_acknowledged(tmp_path: Path) -> None:
    clock = ManualClock()
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        number = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        journal.commit()
        host, device = memory_pair(clock)
        line = Journaled(host, journal, number, clock)
        device.write(b"event")
        assert line.read() == b"event"
        full_file(journal, tmp_path)
        journal.chunk(number, 1, False, bytes(100_000))
        with pytest.raises(LineClosed, match="the journal stopped: the disk is full"):
            line.write(b"ack")
        assert device.read() == b"", "an event was acknowledged that is not on the disk"
        device.write(b"more")
        with pytest.raises(LineClosed, match="the journal stopped"):
            line.read()
        line.close()
    assert journal.commit() == []


def test_a_table_whose_journal_fails_comes_to_a_stop_and_not_to_an_error(tmp_path: Path) -> None:
    def fill(journal: Journal) -> None:
        if journal.head.sequence > 40:
            full_file(journal, tmp_path)

    told = deal_journalled(tmp_path / "j", None, each_turn=fill)
    with JournalReader(tmp_path / "j") as reader:
        assert verify(reader).records > 40
        assert reader.publications() == told


def test_a_disk_that_becomes_read_only(disk: SmallDisk) -> None:
    with Journal(disk.folder / "j", key=None, clock=ManualClock()) as journal:
        journal.publish("t", "round", 1, "{}")
        journal.commit()
    disk.read_only()
    with pytest.raises(JournalInaccessible, match="Read-only") as caught:
        Journal(disk.folder / "j", key=None, clock=ManualClock())
    assert caught.value.number == errno.EROFS
    with JournalReader(disk.folder / "j") as reader:  # a copy on a medium that nobody can write is read all the same
        assert verify(reader).records == 2


def test_a_read_only_disk_with_an_unfinished_log_says_what_to_do(disk: SmallDisk, tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()):
        for name in ("j", "j-wal"):
            shutil.copyfile(tmp_path / name, disk.folder / name)
    disk.read_only()
    with pytest.raises(JournalInaccessible):
        JournalReader(disk.folder / "j")


def test_a_full_disk_makes_no_journal(disk: SmallDisk) -> None:
    fill_up(disk.folder)
    with pytest.raises((JournalUnwritable, JournalInaccessible)):
        Journal(disk.folder / "j", key=None, clock=ManualClock())


# ------------------------------------------------------------------ files that are something else


def test_a_second_writer_is_refused_and_readers_are_not(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        with pytest.raises(JournalBusy, match="another program is writing"):
            Journal(tmp_path / "j", key=None, clock=ManualClock())
        with JournalReader(tmp_path / "j") as reader:
            journal.publish("t", "round", 1, "{}")
            journal.commit()
            assert len(reader.publications()) == 1
    Journal(tmp_path / "j", key=None, clock=ManualClock()).close()


def newer(path: Path) -> None:
    Journal(path, key=None, clock=ManualClock()).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 5")
    db.close()


def of_no_version(path: Path) -> None:
    Journal(path, key=None, clock=ManualClock()).close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 0")
    db.close()


def another_program(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE t (a)")
    db.close()


def gutted(path: Path) -> None:
    Journal(path, key=None, clock=ManualClock()).close()
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM record")
    db.close()


def write(path: Path) -> None:
    Journal(path, key=None, clock=ManualClock()).close()


STRANGE: dict[str, tuple[Callable[[Path], object], type[JournalError], str]] = {
    "a text": (lambda path: path.write_bytes(b"hello, world\n" * 500), JournalForeign, "not a SQLite file"),
    "a capture": (lambda path: path.write_bytes(b"\x0a\x0d\x0d\x0a" * 500), JournalForeign, "not a SQLite file"),
    "another program's": (another_program, JournalForeign, "another program"),
    "a newer one": (newer, JournalNewer, "version 5 is newer than this program, which supports up to 4"),
    "one of no version": (of_no_version, JournalForeign, "not a journal: its version is 0"),
    "a folder": (lambda path: path.mkdir(), JournalInaccessible, "Is a directory"),
    "one without records": (gutted, JournalError, "first record is missing"),
}


@pytest.mark.parametrize("what", STRANGE)
def test_another_file_is_told_in_one_line_and_left_alone(tmp_path: Path, what: str) -> None:
    make, kind, why = STRANGE[what]
    make(tmp_path / "j")
    content = (tmp_path / "j").read_bytes() if (tmp_path / "j").is_file() else b""
    for attempt in (write, JournalReader):
        with pytest.raises(kind, match=why) as caught:
            attempt(tmp_path / "j")
        assert str(tmp_path / "j") in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not content or (tmp_path / "j").read_bytes() == content


def test_a_journal_is_locked_while_a_program_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "j"
    assert not is_locked_by_writer(path), "there is none"
    with Journal(path, key=None, clock=ManualClock()):
        assert is_locked_by_writer(path)
        assert is_locked_by_writer(path), "to ask does not take the lock"
    assert not is_locked_by_writer(path)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    for attempt in (write, JournalReader):
        with pytest.raises(JournalInaccessible) as caught:
            attempt(tmp_path / "no" / "j")
        assert caught.value.number == errno.ENOENT


def interrupted(path: Path) -> None:
    """Killed after SQLite made its file and before the first record was committed."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA journal_mode = WAL")


@pytest.mark.parametrize("make", [Path.touch, interrupted])
def test_a_file_to_which_nothing_was_ever_written_becomes_a_journal(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    make(tmp_path / "j")
    with pytest.raises(JournalEmpty, match="nothing was ever written to it"):
        JournalReader(tmp_path / "j")
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        assert journal.head.sequence == 1


def test_only_its_owner_may_read_what_is_made(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock()):
        for name in ("j", "j-wal", "j-shm", "j-lock"):
            assert (tmp_path / name).stat().st_mode & 0o777 == 0o600, name


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Path]:
    with memory_folder(tmp_path) as folder:
        yield folder


def unharmed(path: Path, head: str) -> None:
    with JournalReader(path) as reader:
        assert str(verify(reader).head) == head == check(str(path))
        assert len(reader.publications()) == 60


def complaint(use: Callable[[], None]) -> str:
    """Return the text of a JournalError, or nothing; any other error is a failure."""
    try:
        use()
    except JournalError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("seed", [*range(30), 70, 92, 467, 1200, 1889, 2009, 2596])
def test_flipped_bytes_are_found_or_touch_nothing(in_memory: Path, seed: int) -> None:
    """Anywhere in the file: an error of ours with one line, or every record is still what it was."""
    path, random = in_memory / "j", Random(seed)
    with Journal(path, key=None, clock=ManualClock()) as journal:
        line = journal.line("t", "shoe", **LINE)  # type: ignore[arg-type]
        for number in range(60):
            journal.chunk(line, number, False, random.randbytes(100))
            journal.publish("t", "round", number, f'{{"n":{number}}}')
        head = str(journal.head)
    content = bytearray(path.read_bytes())
    start = random.randrange(len(content)) if seed % 3 else len(content) - random.randrange(1, 4096)
    for position in range(start, min(start + random.choice((1, 16, 600)), len(content))):
        content[position] ^= random.randrange(1, 256)
    path.write_bytes(content)
    said = complaint(lambda: unharmed(path, head)) or str(path)
    assert str(path) in said
    assert "\n" not in said
    assert "\n" not in complaint(lambda: write(path))


# ------------------------------------------------------------------ keys


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o660])
def test_a_key_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    key = SealingKey.new(tmp_path / "key")
    assert key.path.stat().st_mode & 0o777 == 0o600
    key.path.chmod(mode)
    with pytest.raises(KeyUnsafe, match=rf"others may use it \(mode {mode:04o}\); allowed: 0600"):
        SealingKey.load(key.path)


def test_a_key_file_is_never_replaced(tmp_path: Path) -> None:
    key = SealingKey.new(tmp_path / "key")
    with pytest.raises(KeyProblem, match="already exists"):
        SealingKey.new(tmp_path / "key")
    assert SealingKey.load(tmp_path / "key") == key


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda text: "", "holds no key"),
        (lambda text: "hello\n", ":1: not a key; allowed: 'dealwire-journal-key ID KEY'"),
        (lambda text: text + text.replace("dealwire", "other"), ":2: not a key"),
        (lambda text: text[:-3] + "\n", ":1: not a key"),
        (lambda text: text[:-2] + ("0" if text[-2] != "0" else "1") + "\n", ":1: the key does not fit its id"),
    ],
)
def test_a_spoilt_key_file_is_told_with_its_line(tmp_path: Path, spoil: Callable[[str], str], why: str) -> None:
    key = SealingKey.new(tmp_path / "key")
    secret = key.keys[0][1].hex()
    key.path.write_text(spoil(key.path.read_text()))
    with pytest.raises(KeyProblem) as caught:
        SealingKey.load(key.path)
    assert why in str(caught.value)
    assert secret[:16] not in str(caught.value), "an error must not show a key"


def test_a_missing_key_file(tmp_path: Path) -> None:
    with pytest.raises(KeyProblem, match="cannot be read: No such file"):
        SealingKey.load(tmp_path / "key")


def test_without_its_library_nothing_is_sealed_or_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = SealingKey.new(tmp_path / "key")
    deal_journalled(tmp_path / "j", key)
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers.aead", None)
    with JournalReader(tmp_path / "j", key) as reader:
        verify(reader)  # the chain needs none
        with pytest.raises(SealingUnavailable, match=re.escape(install_command("journal"))):
            verify(reader, open_seals=True)
    with pytest.raises(SealingUnavailable):
        Journal(tmp_path / "other", key=key, clock=ManualClock())
    assert not (tmp_path / "other").exists(), "no journal is made that could not be sealed"
