"""A day is taken off the journal when enough whole copies of it exist in that minute, not because they once did."""

from __future__ import annotations

import ast
import hashlib
import json
import logging
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from dealwire.config.load import load_configuration
from dealwire.config.schema import JournalPart
from dealwire.export.metrics import Metrics
from dealwire.hub.hub import Hub
from dealwire.journal import Journal, JournalReader
from dealwire.journal.segments import export_segment
from dealwire.own_program import own_program
from dealwire.service import archivist as archivist_module
from dealwire.service.archivist import Archivist
from dealwire.service.copies import SILENT, CopyWatch
from dealwire.service.service import Service
from dealwire.service.start_checks import disk_ahead
from devices.clock import ManualClock
from protocol.tomlfile import TomlFileError
from tests.dealwire.test_journal_segments import DAY_NS, NOON_NS, fill
from tests.support.rigs.serving import write_configuration

ROOT = Path(__file__).parents[2]
MINUTE_NS = 60 * 1_000_000_000
NOWHERE = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]


class Days:
    """A journal with one day that is over and as old as it must be to go, and its archivist; `pass_time` lets it have
    the beats it needs."""

    def __init__(self, journal: Journal, part: JournalPart, *, copied: bool) -> None:
        self.journal, self.archivist = journal, Archivist(journal, part)
        self.now_ns = NOON_NS
        self.journal.begin_day("2027-01-15", self.now_ns)
        fill(journal, self.now_ns, 20)
        self.now_ns += 3 * DAY_NS
        self.journal.begin_day("2027-01-18", self.now_ns)
        fill(journal, self.now_ns, 3)
        if copied:
            with JournalReader(journal.path) as reader:
                (day,) = reader.segments()
                made = [export_segment(reader, day, folder) for folder in part.archive]
            for file, sha256 in made:
                journal.days.exported(day, str(file), sha256, self.now_ns)
            journal.commit()

    def pass_time(self, looks: int = 3, step_ns: int = 2 * MINUTE_NS) -> None:
        for _ in range(looks):
            self.now_ns += step_ns
            end = time.monotonic() + 60
            while True:
                self.archivist.beat(self.now_ns)
                self.journal.commit()
                if not self.archivist.busy:
                    break
                if time.monotonic() > end:
                    pytest.fail("it never came to rest")
                time.sleep(0.005)

    def files(self) -> list[Path]:
        with JournalReader(self.journal.path) as reader:
            return [Path(path) for path in reader.segments()[0].copies]

    @property
    def pruned(self) -> int:
        with JournalReader(self.journal.path) as reader:
            return reader.anchor.sequence


@contextmanager
def days(folder: Path, *, copied: bool = True, **keys: object) -> Iterator[Days]:
    part = JournalPart.model_validate({"path": folder / "j", "keep-days": 2, **keys})
    with Journal(folder / "j", key=None, clock=ManualClock(NOON_NS)) as journal:
        found = Days(journal, part, copied=copied)
        try:
            yield found
        finally:
            found.archivist.close()


def altered(file: Path) -> Callable[[], object]:
    whole = file.read_bytes()
    file.write_bytes(whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:])
    return lambda: file.write_bytes(whole)


def altered_and_dated_back(file: Path) -> Callable[[], object]:
    """As somebody does it who does not want it to be seen: size and times are what they were."""
    was = file.stat()
    put_back = altered(file)
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    return put_back


def cut(file: Path) -> Callable[[], object]:
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    return lambda: file.write_bytes(whole)


def deleted(file: Path) -> Callable[[], object]:
    whole = file.read_bytes()
    file.unlink()
    return lambda: file.write_bytes(whole)


def not_mounted(file: Path) -> Callable[[], object]:
    """The folder is there, and empty: the disk is not."""
    folder = file.parent.rename(file.parent.with_name("elsewhere"))
    file.parent.mkdir()

    def mount() -> None:
        file.parent.rmdir()
        folder.rename(file.parent)

    return mount


def folder_gone(file: Path) -> Callable[[], object]:
    folder = file.parent.rename(file.parent.with_name("elsewhere"))
    return lambda: folder.rename(file.parent)


def a_pipe(file: Path) -> Callable[[], object]:
    """A named pipe, which blocks every reader for ever."""
    kept = file.rename(file.with_suffix(".kept"))
    os.mkfifo(file)
    return lambda: kept.rename(file)


WAYS = [altered, altered_and_dated_back, cut, deleted, not_mounted, folder_gone, a_pipe]


@pytest.mark.parametrize("way", WAYS, ids=[way.__name__ for way in WAYS])
def test_a_day_whose_copy_is_not_whole_stays_until_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, way: Callable[[Path], Callable[[], object]]
) -> None:
    with days(tmp_path, archive=tmp_path / "archive") as found:
        (file,) = found.files()
        put_back = way(file)
        found.pass_time()
        assert found.pruned == 0
        assert found.archivist.missing == 1
        assert str(file) in (found.archivist.problem or "")
        found.pass_time(8)
        lines = [each.getMessage() for each in caplog.records if each.levelno >= logging.WARNING]
        assert len(lines) == 1, lines
        assert lines[0].startswith(f"a day's copy is missing or altered: 2027-01-15 in {file}: ")
        put_back()
        found.pass_time()
        assert found.pruned > 0
        assert (found.archivist.missing, found.archivist.problem) == (0, None)
    assert caplog.messages[-1] == "the archive is complete again"


def test_a_copy_is_read_once_a_day_while_nothing_depends_on_it(tmp_path: Path) -> None:
    """So that somebody knows it while there is a month left, and not when the day is to go."""
    with days(tmp_path, archive=tmp_path / "archive") as found:
        found.archivist._part = found.archivist._part.model_copy(update={"keep_days": 30})
        found.pass_time()
        altered_and_dated_back(found.files()[0])
        found.pass_time()
        assert (found.archivist.missing, found.pruned) == (0, 0), "its time has not come"
        found.now_ns += 23 * 60 * MINUTE_NS  # the same day still
        found.archivist._read_ns.clear()
        found.pass_time()
        assert (found.archivist.missing, found.pruned) == (1, 0)


def test_all_folders_must_hold_a_day(tmp_path: Path) -> None:
    with days(tmp_path, archive=[tmp_path / "a", tmp_path / "b"]) as found:
        first, second = found.files()
        assert (first.parent, second.parent) == (tmp_path / "a", tmp_path / "b")
        second.unlink()
        found.pass_time()
        assert (found.pruned, found.archivist.missing) == (0, 1)
        assert "fewer than 2 archive folders" in (found.archivist.problem or "")
        second.write_bytes(first.read_bytes())
        found.pass_time()
        assert found.pruned > 0


def by_a_link(first: Path, second: Path) -> None:
    second.unlink()
    second.symlink_to(first)


def by_a_hard_link(first: Path, second: Path) -> None:
    second.unlink()
    second.hardlink_to(first)


def by_a_link_of_its_folder(first: Path, second: Path) -> None:
    second.unlink()
    second.parent.rmdir()
    second.parent.symlink_to(first.parent)


@pytest.mark.parametrize("way", [by_a_link, by_a_hard_link, by_a_link_of_its_folder])
def test_two_names_of_one_file_are_one_copy(tmp_path: Path, way: Callable[[Path, Path], None]) -> None:
    with days(tmp_path, archive=[tmp_path / "a", tmp_path / "b"]) as found:
        first, second = found.files()
        way(first, second)
        found.pass_time()
        assert (found.pruned, found.archivist.missing) == (0, 1)
        assert f"{second}: it is the same file as {first}" in (found.archivist.problem or "")
        if way is by_a_link_of_its_folder:
            second.parent.unlink()
            second.parent.mkdir()
        else:
            second.unlink()
        second.write_bytes(first.read_bytes())
        found.pass_time()
        assert found.pruned > 0


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE segment SET sha256 = :other",
        "UPDATE segment SET sha256 = :other, day = '2026-12-31'",
        "UPDATE segment SET sha256 = :other, exported = exported || 'x'",
        "UPDATE segment SET last = last - 5, hash = (SELECT hash FROM record WHERE sequence = last - 5)",
    ],
)
def test_a_day_goes_by_what_the_records_say_of_it(tmp_path: Path, caplog: pytest.LogCaptureFixture, sql: str) -> None:
    """Only records are evidence: an altered row must not let a day be removed without a true copy."""
    with days(tmp_path, archive=tmp_path / "archive") as found:
        (file,) = found.files()
        if ":other" in sql:
            file.write_bytes(b"no day")
        if "|| 'x'" in sql:
            file.rename(f"{file}x")
        with closing(sqlite3.connect(found.journal.path)) as db, db:
            assert db.execute(sql, {"other": hashlib.sha256(b"no day").hexdigest()}).rowcount == 1
        found.pass_time(8)
        assert (found.pruned, found.archivist.missing) == (0, 1)
        assert "does not have the day" in (found.archivist.problem or "")
    assert len([each for each in caplog.messages if "does not have the day" in each]) == 1


@pytest.mark.more
def test_each_folder_gets_each_day(tmp_path: Path) -> None:
    """By the program's own process."""
    with days(tmp_path, copied=False, archive=[tmp_path / "a", tmp_path / "b"]) as found:
        found.archivist._part = found.archivist._part.model_copy(update={"keep_days": 30})
        found.pass_time()
        first, second = found.files()
        assert first.read_bytes() == second.read_bytes()


@pytest.mark.more
def test_as_many_copies_as_copies_says_are_enough(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The second disk is dead from the start: the log says so, and the first has the one required copy."""
    (tmp_path / "b").write_text("no folder")
    with days(tmp_path, copied=False, archive=[tmp_path / "b", tmp_path / "a"], copies=1) as found:
        found.pass_time()
        assert found.pruned > 0
        assert found.archivist.missing == 0
    assert [each for each in caplog.messages if "is not archived" in each]


@pytest.mark.more
def test_a_folder_that_is_named_later_gets_what_is_still_in_the_journal(tmp_path: Path) -> None:
    with days(tmp_path, archive=tmp_path / "a") as found:
        pass
    part = JournalPart.model_validate({"path": tmp_path / "j", "keep-days": 2, "archive": [tmp_path / "b"]})
    (tmp_path / "a").rename(tmp_path / "old")
    with Journal(tmp_path / "j", key=None, clock=ManualClock(found.now_ns)) as journal:
        found.journal, found.archivist = journal, Archivist(journal, part)
        found.pass_time()
        assert found.pruned > 0, "what is not named any more is not waited for"
        found.archivist.close()
    assert len(list((tmp_path / "b").iterdir())) == 1


def test_nothing_is_written_where_a_disk_is_not_mounted(tmp_path: Path) -> None:
    """The next day waits for it: what was written below its place would be hidden as soon as it is there."""
    with days(tmp_path, archive=tmp_path / "archive") as found:
        put_back = not_mounted(found.files()[0])
        found.now_ns += DAY_NS
        found.pass_time()
        assert list((tmp_path / "archive").iterdir()) == []
        assert found.archivist._process is None
        put_back()


def test_a_disk_that_hangs_holds_up_nobody_and_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    goes_on, real = threading.Event(), CopyWatch._hash

    def hangs(self: CopyWatch, path: str) -> str:
        if "/b/" in path:
            goes_on.wait(60)
        return real(self, path)

    with days(tmp_path, archive=[tmp_path / "a", tmp_path / "b"]) as found:
        monkeypatch.setattr(CopyWatch, "_hash", hangs)
        for _ in range(6):
            found.now_ns += MINUTE_NS
            found.archivist.beat(found.now_ns)
            found.journal.commit()
        assert SILENT in (found.archivist.problem or "")
        assert (found.pruned, found.archivist.busy) == (0, True)
        goes_on.set()
        found.pass_time()
        assert found.pruned > 0


LIES = {
    "a file that is no journal": "open(path, 'w').write('{}')",
    "no file at all": "pass",
    "another file": "open(path[:-8] + '.other', 'w').write('x')",
}


@pytest.mark.parametrize("lie", LIES)
def test_nobody_believes_what_the_process_that_copies_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, lie: str
) -> None:
    """It says that all went well, and names a file and its hash."""

    def liar(*arguments: str) -> list[str]:
        folder, first = arguments[arguments.index("--to") + 1], arguments[arguments.index("--first") + 1]
        with JournalReader(tmp_path / "j") as reader:
            name = f"{reader.identity.hex()[:8]}-2027-01-15-{first}.journal"
        answer = json.dumps({"file": f"{folder}/{name}", "sha256": "0" * 64})
        program = f"import os; os.makedirs({folder!r}, exist_ok=True); path = {folder!r} + '/' + {name!r}; {LIES[lie]}"
        return [sys.executable, "-I", "-c", f"{program}; print({answer!r})"]

    monkeypatch.setattr(archivist_module, "own_program", liar)
    with days(tmp_path, copied=False, archive=tmp_path / "archive") as found:
        found.pass_time()
        assert found.files() == []
        assert (found.pruned, found.archivist.missing) == (0, 1)
    assert "the day 2027-01-15 is not archived: " in caplog.text


# ------------------------------------------------------------------ what the service shows


def test_a_service_shows_what_is_missing_at_each_table(tmp_path: Path) -> None:
    file = write_configuration(tmp_path, NOWHERE, top='archive = "archive"\n')
    with Service(load_configuration(file), Hub()) as service:
        assert not service.run(timeout_s=0.2)
        service.journal.begin_day("2031-01-02", service.clock.now_ns())
        service.journal.commit()
        with JournalReader(service.journal.path) as reader:
            (day,) = reader.segments()
        gone = str(tmp_path / "archive" / "gone.journal")
        service.journal.days.exported(day, gone, "0" * 64, service.clock.now_ns())
        service.journal.commit()
    hub = Hub()
    with Service(load_configuration(file), hub) as service:
        end = time.monotonic() + 30
        while not service.health.archive_missing and time.monotonic() < end:
            service.run(timeout_s=0.3)
        view = hub.views()["table-1"]
        trouble = next(each for each in view.trouble if each.kind == "archive")
        assert trouble.cause == (
            f"a day is intact in no archive folder; the oldest: {day.day} ({gone}: No such file or directory)"
        )
        assert trouble.since_ns is not None
        samples = {each.name: each for each in Metrics(hub, health=service.health).collect()}
        (missing,) = samples["dealwire_archive_missing"].samples
        assert missing.value == 1


def test_the_keys_are_checked_and_every_folder_is_tried(tmp_path: Path) -> None:
    def refused(keys: str) -> str:
        file = write_configuration(tmp_path, NOWHERE, top=keys)
        with pytest.raises(TomlFileError) as caught:
            load_configuration(file)
        return str(caught.value)

    assert "copies = 2 needs as many folders in archive, which names 1" in refused('archive = "a"\ncopies = 2\n')
    assert "copies = 1 needs as many folders in archive, which names 0" in refused("copies = 1\n")
    assert "a folder is listed twice" in refused('archive = ["a", "b/../a"]\n')
    assert "needs at least one" in refused("archive = []\n")
    assert "must be a string" in refused('archive = ["a", 5]\n')
    file = write_configuration(tmp_path, NOWHERE, top='archive = ["a", "b"]\ncopies = 1\n')
    part = load_configuration(file).journal
    assert (part.archive, part.copies) == ((tmp_path / "a", tmp_path / "b"), 1)
    (tmp_path / "b").write_text("no folder")
    said = [str(each) for each in disk_ahead(part)]
    assert any(f"{tmp_path}/a can be created" in each for each in said)
    assert any(f"{tmp_path}/b is not a folder" in each for each in said)


# ------------------------------------------------------------------ what the product starts


@pytest.mark.parametrize("name", ["dealwire", "click", "json", "devices", "sitecustomize"])
def test_nothing_of_the_working_folder_runs(tmp_path: Path, name: str) -> None:
    """Anyone who can write there would get the rights of the service."""
    (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    environment = {**os.environ, "PYTHONPATH": f":{os.environ.get('PYTHONPATH', '')}"}  # the empty part is the folder
    command = own_program("--version")
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout.startswith("dealwire"), done.stderr) == (0, True, "")
    assert not (tmp_path / "ran").exists()
    assert str(ROOT) in command[4].split(os.pathsep), "a checkout is found, as it is by this very process"


def test_a_checkout_in_the_working_folder_is_found_and_nothing_else_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, ""])
    monkeypatch.chdir(tmp_path)
    assert str(tmp_path) not in own_program()[4].split(os.pathsep)
    assert "" not in own_program()[4].split(os.pathsep)
    monkeypatch.chdir(ROOT)
    assert str(ROOT) in own_program()[4].split(os.pathsep)


def test_every_python_that_the_product_starts_is_isolated() -> None:
    """A list that begins with the interpreter says so in its second word."""
    wrong, right = list[str](), list[str]()
    for room in ("dealwire", "devices", "dealer_flow", "protocol", "rules"):
        for file in (ROOT / room).rglob("*.py"):
            if "sys.executable" not in (text := file.read_text(encoding="utf-8")):
                continue
            lists = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.List | ast.Tuple)]
            for node in lists:
                words = [ast.unparse(each) for each in node.elts]
                if words[:1] == ["sys.executable"]:
                    (right if words[1] in ("'-I'", "'-P'", "'-IS'") else wrong).append(f"{file}: {words[1]}")
    assert wrong == []
    assert len(right) >= 2
