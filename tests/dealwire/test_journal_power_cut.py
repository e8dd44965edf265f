"""The power goes: what a disk may then hold of the last group, at every page of it; and what a journal makes of that.

SQLite's log starts with 32 bytes; each page in it is 24 bytes of heading, its number first, and the page.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from dealwire.journal import Journal, JournalReader, SealingKey
from dealwire.journal.check import verify
from devices.clock import ManualClock
from tests.support.oracles.journal_verifier import check
from tests.support.rigs.memory_folder import memory_folder

LOG_HEAD, PAGE_HEAD, PAGE = 32, 24, 4096


@dataclass
class Before:
    """A journal as it is on the disk when its last group was written, and what it held before and after."""

    folder: Path
    key: SealingKey
    log: bytes
    committed: int
    """Bytes of the log that the last group but one had synced."""
    head_before: str
    head_after: str
    told: list[str]
    told_last: list[str]

    def pages(self) -> Iterator[int]:
        """Yield the start of each page of the last group in the log, and the end of the last one."""
        yield from range(self.committed, len(self.log) + 1, PAGE_HEAD + PAGE)

    def laid_out(self, into: Path, log: bytes) -> Path:
        """Write a copy of the file, with this log as its WAL."""
        into.mkdir(exist_ok=True)
        shutil.copyfile(self.folder / "j", into / "j")
        (into / "j-wal").write_bytes(log)
        (into / "j-shm").unlink(missing_ok=True)
        return into / "j"


@pytest.fixture
def tmp_path(tmp_path: Path) -> Iterator[Path]:
    """In memory: what is tested here is what is written, not when."""
    with memory_folder(tmp_path) as folder:
        yield folder


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Before:
    folder = tmp_path_factory.mktemp("power")
    key = SealingKey.new(folder / "key")
    told: list[list[str]] = []
    with Journal(folder / "j", key=key, clock=ManualClock()) as journal:
        line = journal.line("t", "shoe", device="shoe", dialect="tdp", address="", baud=115200, procedure="p")
        for group in range(4):
            head_before, size = str(journal.head), log_size(folder)
            for number in range(90):
                journal.chunk(line, number, False, bytes(200))
                if number % 10 == 0:
                    journal.publish("t", "round", number, f'{{"group":{group},"n":{number}}}')
            told.append([item.line for item in journal.commit()])
        log = (folder / "j-wal").read_bytes()
        kept = tmp_path_factory.mktemp("kept")
        shutil.copyfile(folder / "j", kept / "j")
        head_after = str(journal.head)
    earlier = [line for group in told[:-1] for line in group]
    return Before(kept, key, log, size, head_before, head_after, earlier, told[-1])


def log_size(folder: Path) -> int:
    return (folder / "j-wal").stat().st_size


def stands(path: Path, before: Before, *, whole: bool) -> None:
    """Assert that the last group is there as a whole or not at all, with everything before it, and the journal
    continues."""
    assert check(str(path)) == (before.head_after if whole else before.head_before)
    with JournalReader(path, before.key) as reader:
        verify(reader, open_seals=True)
        assert [item.line for item in reader.publications()] == before.told + (before.told_last if whole else [])
    with Journal(path, key=before.key, clock=ManualClock()) as journal:
        head = journal.head
        assert journal.publish("t", "status", 1, "{}") == head.sequence + 1
        assert journal.commit()
    with JournalReader(path) as reader:
        assert verify(reader).records == head.sequence + 1


def test_the_last_group_is_many_pages(before: Before) -> None:
    boundaries = list(before.pages())
    assert len(boundaries) > 5
    assert boundaries[-1] == len(before.log)
    assert (before.committed - LOG_HEAD) % (PAGE_HEAD + PAGE) == 0


@pytest.mark.parametrize("inside", [0, 1, PAGE_HEAD, PAGE_HEAD + 512, PAGE_HEAD + PAGE - 1])
def test_a_log_cut_at_or_in_any_page_of_the_last_group(tmp_path: Path, before: Before, inside: int) -> None:
    for number, start in enumerate(before.pages()):
        length = start + inside
        if length <= len(before.log):
            path = before.laid_out(tmp_path / str(number), before.log[:length])
            stands(path, before, whole=length == len(before.log))


def test_any_page_of_the_last_group_that_never_reached_the_disk(tmp_path: Path, before: Before) -> None:
    """A disk writes in any order: a page is missing in the middle, and those after it are there."""
    for number, start in enumerate(list(before.pages())[:-1]):
        log = before.log[:start] + bytes(PAGE_HEAD + PAGE) + before.log[start + PAGE_HEAD + PAGE :]
        stands(before.laid_out(tmp_path / str(number), log), before, whole=False)


def test_a_page_torn_in_the_middle(tmp_path: Path, before: Before) -> None:
    for number, start in enumerate(list(before.pages())[:-1]):
        middle = start + PAGE_HEAD + PAGE // 2
        log = before.log[:middle] + bytes(PAGE // 2) + before.log[start + PAGE_HEAD + PAGE :]
        stands(before.laid_out(tmp_path / str(number), log), before, whole=log == before.log)


def test_a_power_cut_while_the_log_was_moved_into_the_file(tmp_path: Path, before: Before) -> None:
    """Every page that the log holds may be half written in the file then; the log is whole, and wins."""
    path = before.laid_out(tmp_path / "moved", before.log)
    content = bytearray(path.read_bytes())
    for start in range(LOG_HEAD, len(before.log), PAGE_HEAD + PAGE):
        at = (int.from_bytes(before.log[start : start + 4], "big") - 1) * PAGE
        if at:
            content[at : at + PAGE // 2] = b"\xa5" * (PAGE // 2)
    path.write_bytes(content)
    stands(path, before, whole=True)


def test_a_power_cut_while_the_journal_was_made(tmp_path: Path, before: Before) -> None:
    """Any part of the first group may be missing: then nothing was published, and the journal is created again."""
    with Journal(tmp_path / "j", key=None, clock=ManualClock()):
        log, file = (tmp_path / "j-wal").read_bytes(), (tmp_path / "j").read_bytes()
    for number, length in enumerate([0, LOG_HEAD, *range(LOG_HEAD + PAGE_HEAD + PAGE, len(log), PAGE_HEAD + PAGE)]):
        for rest in (file, b""):
            folder = tmp_path / f"{number}-{len(rest)}"
            folder.mkdir()
            (folder / "j").write_bytes(rest)
            if rest:
                (folder / "j-wal").write_bytes(log[:length])
            with Journal(folder / "j", key=None, clock=ManualClock()) as journal:
                assert journal.head.sequence == 1
            with JournalReader(folder / "j") as reader:
                assert verify(reader).records == 1
