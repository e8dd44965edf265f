"""The file under the service: deleted, moved, replaced, rolled back or locked by somebody else, it is noticed."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from dealwire.journal import Journal, Journaled, JournalReader
from dealwire.journal.check import verify
from dealwire.journal.database import is_locked_by_writer
from dealwire.journal.errors import JournalBusy, JournalUnfit
from dealwire.journal.record_writer import LOCKED_MOST_NS
from dealwire.journal.transport import Gate
from devices.clock import ManualClock
from devices.transport.memory import memory_pair
from tests.dealwire.test_journal_chain import LINE
from tests.support.broken.small_disk import database
from tests.support.rigs.serving import (
    Program,
    opened,
    published,
    rounds_in,
    run_until,
    simulators_here,
    write_configuration,
)

S = 1_000_000_000


def grow(journal: Journal, number: int) -> None:
    """A record of some size, on the disk."""
    journal.publish("t", "status", number, f'{{"n":{number},"text":"{"x" * 500}"}}')
    journal.commit()


def replaced(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    os.replace(copy, path)


def rolled_back(path: Path) -> None:
    """An older copy put over it, byte by byte, into the same file."""
    older = path.with_name("older")
    with open(path, "r+b") as file:
        file.write(older.read_bytes())
        file.truncate()
    path.with_name(f"{path.name}-wal").write_bytes(b"")


DONE: dict[str, tuple[Callable[[Path], object], str]] = {
    "deleted": (lambda path: path.unlink(), "was deleted or moved while in use"),
    "moved away": (lambda path: path.rename(path.with_name("elsewhere")), "was deleted or moved while in use"),
    "another put in its place": (replaced, "was replaced by another file"),
    "its log deleted": (lambda path: path.with_name("j-wal").unlink(), "j-wal was deleted or moved while in use"),
    "its lock deleted": (lambda path: path.with_name("j-lock").unlink(), "j-lock was deleted or moved while in use"),
    "an older copy put over it": (rolled_back, "it was altered while in use|an older or another copy"),
    "emptied": (lambda path: os.truncate(path, 0), "it was altered while in use|an older or another copy"),
}


@pytest.mark.parametrize("what", DONE)
def test_whatever_is_done_to_the_file_is_noticed_at_the_next_look(tmp_path: Path, what: str) -> None:
    do, why = DONE[what]
    clock = ManualClock()
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        grow(journal, 1)
    shutil.copyfile(tmp_path / "j", tmp_path / "older")
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        for number in range(5):
            grow(journal, number)
            journal.look(clock.now_ns())
        assert journal.failed is None
        do(tmp_path / "j")
        journal.look(clock.now_ns())
        assert journal.failed is not None
        assert re.search(why, journal.failed), journal.failed
        grow(journal, 9)
        assert journal.commit() == [], "nothing is made known that is nowhere"


def test_a_checkpoint_backup_or_reader_of_somebody_else_is_no_trouble(tmp_path: Path) -> None:
    clock = ManualClock()
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        grow(journal, 1)
        with closing(sqlite3.connect(tmp_path / "j")) as other, closing(sqlite3.connect(tmp_path / "backup")) as backup:
            other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
            other.backup(backup)
        os.utime(tmp_path / "j")
        journal.look(clock.now_ns())
        grow(journal, 2)
        journal.look(clock.now_ns())
        assert journal.failed is None
    with JournalReader(tmp_path / "backup") as reader:
        assert verify(reader).records == 2


def test_a_look_that_cannot_be_taken_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No descriptor is free: that says nothing of the file."""
    import resource

    clock = ManualClock()
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        grow(journal, 1)
        os.utime(tmp_path / "j")
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        used = max(map(int, os.listdir("/proc/self/fd")))
        held = [os.dup(0) for _ in range(4)]
        resource.setrlimit(resource.RLIMIT_NOFILE, (used + 1, hard))
        try:
            journal.look(clock.now_ns())
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for each in held:
                os.close(each)
        assert journal.failed is None
        journal.look(clock.now_ns())
        assert journal.failed is None


def test_a_log_that_somebody_cut_is_noticed(tmp_path: Path) -> None:
    clock = ManualClock()
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        for number in range(5):
            grow(journal, number)
        journal.look(clock.now_ns())
        os.truncate(tmp_path / "j-wal", 0)
        journal.look(clock.now_ns())
        assert journal.failed is not None
        assert journal.lost


def test_a_start_waits_for_a_lock_of_somebody_else(tmp_path: Path) -> None:
    import threading

    clock = ManualClock()
    Journal(tmp_path / "j", key=None, clock=clock).close()
    with closing(sqlite3.connect(tmp_path / "j", isolation_level=None, check_same_thread=False)) as stranger:
        stranger.execute("BEGIN IMMEDIATE")
        threading.Timer(0.5, lambda: stranger.execute("ROLLBACK")).start()
        with Journal(tmp_path / "j", key=None, clock=clock) as journal:
            assert journal.failed is None


def test_a_lock_of_somebody_else_is_waited_for_and_nobody_is_thanked(tmp_path: Path) -> None:
    clock = ManualClock()
    later: list[Callable[[], None]] = []
    with Journal(tmp_path / "j", key=None, clock=clock) as journal:
        gate, (host, device) = Gate(later.append), memory_pair(clock)
        line = Journaled(host, journal, journal.line("t", "shoe", **LINE), clock, gate)  # type: ignore[arg-type]
        journal.commit()
        with closing(sqlite3.connect(tmp_path / "j", isolation_level=None)) as stranger:
            stranger.execute("BEGIN IMMEDIATE")
            device.write(b"a card")
            assert line.read() == b"a card"
            journal.publish("t", "round", 1, '{"n":1}')
            line.write(b"got it")
            while later:
                later.pop()()
            assert (journal.commit(), journal.failed) == ([], None)
            assert device.read() == b"", "thanked for what is not on the disk"
            gate.try_again()
            while later:
                later.pop()()
            assert device.read() == b""
            stranger.execute("ROLLBACK")
        gate.try_again()
        while later:
            later.pop()()
        assert device.read() == b"got it"
        assert [item.line for item in journal.commit()] == ['{"n":1}']
        assert journal.locked_since_ns is None


def test_a_lock_that_stays_is_a_safe_stop_after_half_a_minute(tmp_path: Path) -> None:
    clock = ManualClock()
    with (
        Journal(tmp_path / "j", key=None, clock=clock) as journal,
        closing(sqlite3.connect(tmp_path / "j", isolation_level=None)) as stranger,
    ):
        stranger.execute("BEGIN IMMEDIATE")
        grow(journal, 1)
        clock.set(clock.now_ns() + LOCKED_MOST_NS)
        journal.look(clock.now_ns())
        assert journal.failed is None
        clock.set(clock.now_ns() + 1)
        journal.look(clock.now_ns())
        assert journal.failed == "another program has locked the file for 30 s"


@pytest.mark.more
def test_a_service_whose_table_plays_on_through_a_lock(tmp_path: Path) -> None:
    with simulators_here(speed=20) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
            with closing(sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)) as stranger:
                stranger.execute("BEGIN IMMEDIATE")
                run_until(service, lambda: service.journal.locked_since_ns is not None)
                known, heard = len(listener.of("event")), service.health.lines
                before = {line: frames for line, (frames, _) in heard.items()}
                run_until(service, lambda: all(frames > before[line] for line, (frames, _) in heard.items()))
                assert service.journal.locked_since_ns is not None, "all of that was heard under the lock"
                assert len(listener.of("event")) == known, "and nothing was made known that is not on the disk"
                waits_ms = database(service.journal).execute("PRAGMA busy_timeout").fetchone()
                assert waits_ms == (0,), "whoever waits for somebody else's lock hears nobody meanwhile"
                stranger.execute("ROLLBACK")
            before = len(listener.of("round"))
            run_until(service, lambda: len(listener.of("round")) >= before + 2)
            assert service.failed is None
    lines = [item.line for item in published(tmp_path, "round")]
    assert len(lines) == len(listener.of("round"))


@pytest.mark.more
@pytest.mark.parametrize("how", ["deleted", "replaced"])
def test_a_service_whose_file_is_gone_stops_with_one_line(tmp_path: Path, how: str) -> None:
    with simulators_here(speed=50) as addresses:
        file = write_configuration(tmp_path, addresses)
        with Program(file, "--no-console") as program:
            program.wait_for(lambda: rounds_in(tmp_path) >= 1)
            journal = tmp_path / "journal.sqlite"
            if how == "deleted":
                for name in ("", "-wal", "-shm", "-lock"):
                    Path(f"{journal}{name}").unlink()
            else:
                replaced(journal)
            code = program.process.wait(300)
            last = program.text.strip().splitlines()[-1]
    assert code == 6, program.text  # what a restart cannot cure: systemd lets it lie
    assert ("was deleted" if how == "deleted" else "was replaced by another file") in last


# ------------------------------------------------------------------ two names of one file


def at_a_link(folder: Path) -> Path:
    """A journal's path that is a link to a file in another folder."""
    (folder / "disk").mkdir()
    link = folder / "j"
    link.symlink_to(folder / "disk" / "real")
    return link


def test_a_journal_by_a_link_has_its_log_and_its_lock_beside_the_file(tmp_path: Path) -> None:
    """A second service that named the file itself wrote it, too; and the first ended after a second."""
    link = at_a_link(tmp_path)
    with Journal(link, key=None, clock=ManualClock()) as journal:
        journal.publish("t", "status", 1, "{}")
        journal.commit()
        assert journal.failed is None
        journal.look(2)
        assert journal.failed is None
        for name in (link, link.resolve()):
            with pytest.raises(JournalBusy):
                Journal(name, key=None, clock=ManualClock())
            assert is_locked_by_writer(name)
            with JournalReader(name, still=True) as reader:
                assert reader.head == journal.head
    assert [each.name for each in tmp_path.iterdir() if each.name != "disk"] == ["j"]
    assert stat.S_IMODE(link.stat().st_mode) == 0o600


def test_a_file_of_two_names_is_not_written(tmp_path: Path) -> None:
    """Each would have a log of its own, and the one program would write over what the other wrote."""
    path, other = tmp_path / "j", tmp_path / "other"
    with Journal(path, key=None, clock=ManualClock()) as journal:
        other.hardlink_to(path)
        with pytest.raises(JournalUnfit, match="it has 2 names \\(hard links\\)"):
            Journal(other, key=None, clock=ManualClock())
        journal.publish("t", "status", 1, "{}")
        journal.commit()
    with pytest.raises(JournalUnfit, match="leave it one name"):
        Journal(path, key=None, clock=ManualClock())
    other.unlink()
    Journal(path, key=None, clock=ManualClock()).close()
