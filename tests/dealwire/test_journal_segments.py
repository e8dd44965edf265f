"""Days that are over lie in files of their own, checked; what is old is taken off; one chain goes through them all."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import time
from dataclasses import replace
from datetime import time as time_of_day
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.config.schema import JournalPart
from dealwire.journal import Journal, JournalReader, SealingKey, segments
from dealwire.journal.book_tables import BookTables
from dealwire.journal.check import verify
from dealwire.journal.errors import JournalDamaged, JournalInaccessible, JournalUnfit, JournalUnwritable
from dealwire.journal.segments import export_segment, file_name, gaming_day
from dealwire.service.archivist import Archivist
from devices.clock import ManualClock
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_journal_database import synced
from tests.support.oracles.journal_verifier import check
from tests.support.rigs.serving import (
    compared,
    journal_reader,
    opened,
    published,
    run_until,
    simulators_here,
    write_configuration,
)

DAY_NS = 86_400 * 1_000_000_000
NOON_NS = 1_800_014_400_000_000_000
copy = Archivist._copy


def test_a_gaming_day_begins_when_the_house_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/Denver")
    time.tzset()
    try:
        six = time_of_day(6, 0)
        at = 1_767_268_800_000_000_000  # 2026-01-01 12:00 UTC, 05:00 in Denver
        assert gaming_day(at, six) == "2025-12-31"
        assert gaming_day(at + 3_600_000_000_000, six) == "2026-01-01"
        assert gaming_day(at, time_of_day(0, 0)) == "2026-01-01"
    finally:
        monkeypatch.undo()
        time.tzset()


def fill(journal: Journal, at_ns: int, rounds: int) -> None:
    for number in range(rounds):
        line = {"session": f"{at_ns // DAY_NS:08x}", "round": number + 1, "meters": [], "text": "x" * 300}
        journal.publish("t", "settlement", at_ns + number, json.dumps(line))
        journal.settled("t", at_ns + number, SettledKey("d", f"{at_ns // DAY_NS:08x}", number + 1))
        journal.commit()


def beats(archivist: Archivist, journal: Journal, now_ns: int) -> None:
    """As many beats as what is due takes: the copy is another process's work."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        archivist.beat(now_ns)
        journal.commit()
        if not archivist.busy:
            return
        time.sleep(0.05)
    pytest.fail("it never came to rest")


@pytest.mark.slow
def test_years_of_days_stay_within_what_was_configured(tmp_path: Path) -> None:
    """Ten days, three of which stay: the file grows no more, and with the segments it is one chain."""
    path, archive, clock = tmp_path / "j", tmp_path / "archive", ManualClock(NOON_NS)
    part = JournalPart.model_validate({"path": path, "archive": archive, "keep-days": 3, "day-begins": "06:00"})
    sizes = []
    with Journal(path, key=None, clock=clock) as journal:
        archivist = Archivist(journal, part)
        for day in range(10):
            now_ns = NOON_NS + day * DAY_NS
            archivist.beat(now_ns)
            fill(journal, now_ns, 1500 if day == 2 else 100)
            for _ in range(6):
                now_ns += 600_000_000_000
                beats(archivist, journal, now_ns)
            with JournalReader(path) as reader:
                sizes.append(reader.size())
                assert len(reader.segments()) <= 3
        archivist.close()
    assert max(sizes[6:]) < min(sizes[6:]) * 1.2, sizes
    files = sorted(archive.iterdir(), key=lambda file: int(file.stem.rsplit("-", 1)[1]))
    assert len(files) == 9, "each day that is over"
    with JournalReader(path) as reader:
        tables = BookTables(reader)
        assert reader.anchor.sequence > 3000
        assert verify(reader).anchor == reader.anchor
        for day in range(10):
            session = f"{(NOON_NS + day * DAY_NS) // DAY_NS:08x}"
            assert tables.was_settled("t", SettledKey("d", session, 1)), "a round is remembered when its record is gone"
            assert not tables.was_settled("t", SettledKey("d", session, 1501))
        head, oldest = reader.head, reader.anchor.sequence + 1
    run = CliRunner().invoke(main, ["journal", "verify", *map(str, files), str(path), "--json"])
    assert run.exit_code == 6, "the newest segments are in the journal, too"
    gone = [file for file in files if int(file.stem.rsplit("-", 1)[1]) < oldest]
    run = CliRunner().invoke(main, ["journal", "verify", *map(str, gone), str(path), "--json"])
    found = json.loads(run.stdout)
    assert (found["head"], found["records"]) == (str(head), head.sequence)
    assert check(str(path)).startswith(f"{head.sequence}:")
    run = CliRunner().invoke(main, ["journal", "verify", *map(str, gone[:-1]), str(path)])
    assert run.exit_code == 6
    assert "and the file before it ends with" in run.output


def test_a_copy_has_its_name_for_good_once_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two_days(tmp_path / "j")
    with JournalReader(tmp_path / "j") as reader:
        (segment,) = reader.segments()
        name = file_name(reader, segment)
        assert name == f"{reader.identity.hex()[:8]}-2026-01-01-1.journal"
        (folder := tmp_path / "archive").mkdir()
        made = folder / name.replace(".journal", ".part")
        made.write_text("left by a kill")
        found = synced(monkeypatch)
        target, digest = export_segment(reader, segment, folder)
        monkeypatch.undo()
        assert (target, found, list(folder.iterdir())) == (folder / name, [folder], [target])
        assert digest == hashlib.sha256(target.read_bytes()).hexdigest()
        export_segment(reader, segment, tmp_path / "one" / "more")
        (tmp_path / "file").write_text("no folder")
        with pytest.raises(JournalInaccessible) as caught:
            export_segment(reader, segment, tmp_path / "file")
        assert str(caught.value) == f"{tmp_path}/file/{name}: File exists"

        def full(*_: object, **__: object) -> None:
            error = sqlite3.OperationalError("it went wrong")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error

        monkeypatch.setattr(segments, "write_file", full)
        with pytest.raises(JournalUnwritable) as unwritable:
            export_segment(reader, segment, tmp_path / "other")
        said = f"{tmp_path}/other/{name}: nothing can be written: the disk is full (it went wrong)"
        assert (str(unwritable.value), list((tmp_path / "other").iterdir())) == (said, [])


def test_a_segment_is_a_journal_of_its_own_for_its_owner_alone(tmp_path: Path) -> None:
    with Journal(tmp_path / "j", key=None, clock=ManualClock(NOON_NS)) as journal:
        journal.begin_day("2026-01-01", NOON_NS)
        fill(journal, NOON_NS, 3)
        journal.begin_day("2026-01-02", NOON_NS + DAY_NS)
        fill(journal, NOON_NS + DAY_NS, 2)
    with JournalReader(tmp_path / "j") as reader:
        (segment,) = reader.segments()
        target, sha256 = export_segment(reader, segment, tmp_path / "archive")
        head = reader.head
    assert target.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "archive").stat().st_mode & 0o777 == 0o700
    assert len(sha256) == 64
    with JournalReader(target) as copy:
        assert copy.head.sequence == segment.last
        assert len(copy.publications()) == 3
        assert copy.publications()[0].epoch
    result = CliRunner().invoke(main, ["journal", "archive", str(tmp_path / "j"), "--to", str(tmp_path / "again")])
    assert result.exit_code == 0
    assert sha256 in result.stdout or "SHA-256" in result.stdout
    assert head.sequence == 13


@pytest.mark.more
def test_nothing_is_pruned_that_an_exporter_has_not_sent(tmp_path: Path) -> None:
    path, clock = tmp_path / "j", ManualClock(NOON_NS)
    part = JournalPart.model_validate({"path": path, "archive": tmp_path / "archive", "keep-days": 1})
    with Journal(path, key=None, clock=clock) as journal:
        archivist = Archivist(journal, part, {"mqtt": "t", "mqtt of a quiet table": "quiet"})
        journal.outboxes.mark_sent("mqtt of a table that is no more", 1)
        for day in range(3):
            archivist.beat(NOON_NS + day * DAY_NS)
            fill(journal, NOON_NS + day * DAY_NS, 3)
            if day == 0:
                journal.outboxes.mark_sent("mqtt", journal.head.sequence - 3)
        for number in range(6):
            beats(archivist, journal, NOON_NS + 2 * DAY_NS + number * 600_000_000_000)
        with JournalReader(path) as reader:
            assert reader.anchor.sequence == 0
        journal.outboxes.mark_sent("mqtt", journal.head.sequence)
        fill(journal, NOON_NS + 3 * DAY_NS, 1)
        for number in range(6, 12):
            beats(archivist, journal, NOON_NS + 2 * DAY_NS + number * 600_000_000_000)
        with JournalReader(path) as reader:
            assert reader.anchor.sequence > 0
        archivist.close()


@pytest.mark.more
def test_each_day_is_copied_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second copy would race with the pruning of the day: the record that it begins with may be gone by then."""
    copied = []
    monkeypatch.setattr(Archivist, "_copy", lambda self, day: (copied.append(day.segment.first), copy(self, day)))
    path, clock = tmp_path / "j", ManualClock(NOON_NS)
    part = JournalPart.model_validate({"path": path, "archive": tmp_path / "archive", "keep-days": 1})
    with Journal(path, key=None, clock=clock) as journal:
        archivist = Archivist(journal, part)
        for day in range(3):
            archivist.beat(NOON_NS + day * DAY_NS)
            fill(journal, NOON_NS + day * DAY_NS, 3)
        for beat in range(4):
            beats(archivist, journal, NOON_NS + 3 * DAY_NS + beat * 600_000_000_000)
        archivist.close()
    assert len(copied) == len(set(copied)) == 3, copied


def two_days(path: Path) -> None:
    with Journal(path, key=None, clock=ManualClock(NOON_NS)) as journal:
        journal.begin_day("2026-01-01", NOON_NS)
        fill(journal, NOON_NS, 30)
        journal.begin_day("2026-01-02", NOON_NS + DAY_NS)
        fill(journal, NOON_NS + DAY_NS, 2)


def run(*arguments: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["journal", *map(str, arguments)])
    return done.exit_code, done.output


def test_another_day_that_lies_there_whole_is_not_written_over(tmp_path: Path) -> None:
    """Of another journal whose number begins alike, or of a copy of this one that somebody went on with. What is
    damaged is."""
    with Journal(tmp_path / "j", key=None, clock=ManualClock(NOON_NS)) as journal:
        journal.begin_day("2027-01-15", NOON_NS)
        fill(journal, NOON_NS, 20)
        shutil.copy(tmp_path / "j", tmp_path / "older")
        shutil.copy(tmp_path / "j-wal", tmp_path / "older-wal")
        journal.begin_day("2027-01-16", NOON_NS + DAY_NS)
        journal.commit()
        with JournalReader(tmp_path / "j") as reader:
            (day,) = reader.segments()
            file, sha256 = export_segment(reader, day, tmp_path / "archive")
    with Journal(tmp_path / "older", key=None, clock=ManualClock(NOON_NS)) as older:
        fill(older, NOON_NS, 1)
        older.begin_day("2027-01-16", NOON_NS + DAY_NS)
        older.commit()
        with JournalReader(tmp_path / "older") as reader:
            (other,) = reader.segments()
            assert file_name(reader, other) == file.name
            with pytest.raises(JournalUnfit, match="another intact day is there and is not overwritten"):
                export_segment(reader, other, tmp_path / "archive")
            assert hashlib.sha256(file.read_bytes()).hexdigest() == sha256
            file.write_bytes(file.read_bytes()[:5000])
            export_segment(reader, other, tmp_path / "archive")


def test_a_day_of_which_a_part_was_pruned_is_not_copied_over_the_whole_one(tmp_path: Path) -> None:
    path, archive = tmp_path / "j", tmp_path / "archive"
    two_days(path)
    with JournalReader(path) as reader:
        (segment,) = reader.segments()
        target, sha256 = export_segment(reader, segment, archive)
    before = target.read_bytes()
    with Journal(path, key=None, clock=ManualClock(NOON_NS + DAY_NS)) as journal:
        journal.days.exported(segment, str(target), sha256, NOON_NS + DAY_NS)
        journal.commit()
        with JournalReader(path) as reader:
            assert export_segment(reader, segment, archive) == (target, sha256), "the same, whoever opened it since"
            (segment,) = reader.segments()
        journal.days.prune(segment, 20)
        journal.commit()
    with JournalReader(path) as reader:
        assert reader.anchor.sequence == 20
        with pytest.raises(JournalDamaged, match="was pruned"):
            export_segment(reader, segment, archive)
    code, said = run("archive", path, "--to", archive)
    assert (code, "nothing to archive: " in said) == (0, True)
    assert target.read_bytes() == before
    code, said = run("archive", path, "--to", archive, "--first", "777")
    assert (code, "no day begins with record 777" in said) == (2, True)


def test_a_copy_that_is_not_the_day_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two_days(tmp_path / "j")
    with JournalReader(tmp_path / "j") as reader:
        (segment,) = reader.segments()
        with pytest.raises(JournalDamaged) as caught:
            export_segment(reader, replace(segment, hash=bytes(32)), tmp_path / "archive")
        copied = file_name(reader, segment).replace(".journal", ".part")
        head = f"{segment.last}:{segment.hash.hex()}"
        why = f"record {segment.last}: record {segment.last} of the copy is {head}, not as the day's record says"
        assert str(caught.value) == f"{tmp_path}/archive/{copied}: {why}"
        whole = segments.records
        monkeypatch.setattr(segments, "records", lambda *given: list(whole(*given))[:-1])
        with pytest.raises(JournalDamaged, match="not as the day's record says"):
            export_segment(reader, segment, tmp_path / "archive")
    assert list((tmp_path / "archive").iterdir()) == []


def test_a_noted_record_is_held_against_the_file_that_has_it(tmp_path: Path) -> None:
    """Or against what a file follows; never against nothing."""
    path = tmp_path / "j"
    two_days(path)
    with JournalReader(path) as reader:
        (segment,) = reader.segments()
        target, _ = export_segment(reader, segment, tmp_path / "archive")
        inside = reader.hash_at(segment.last - 5)
    assert inside is not None
    with Journal(path, key=None, clock=ManualClock(NOON_NS + DAY_NS)) as journal:
        journal.days.exported(segment, str(target), "", NOON_NS)
        journal.commit()
        with JournalReader(path) as reader:
            (segment,) = reader.segments()
        assert journal.days.prune(segment)
        journal.commit()
    anchor = f"{segment.last}:{segment.hash.hex()}"
    assert run("verify", path, "--expect", anchor)[0] == 0
    assert run("verify", path, "--expect", f"{segment.last}:{'0' * 64}")[0] == 6
    assert run("verify", target, path, "--expect", f"{segment.last - 5}:{inside.hex()}")[0] == 0
    assert run("verify", target, path, "--expect", f"{segment.last - 5}:{'0' * 64}")[0] == 6
    assert run("verify", target, path, "--expect", anchor)[0] == 0
    assert run("verify", path, path, "--expect", f"2:{'0' * 64}")[0] == 6, "it is in neither"
    code, said = run("rebuild", path, "--procedure", "flushes-gone-wild.co")
    assert (code, "no table option can be given" in said) == (2, True)


@pytest.mark.every(2)
@pytest.mark.parametrize(("days", "goes"), [(1, False), (2, True)])
def test_a_day_goes_when_it_is_as_old_as_was_configured(tmp_path: Path, days: int, goes: bool) -> None:
    path = tmp_path / "j"
    part = JournalPart.model_validate({"path": path, "archive": tmp_path / "archive", "keep-days": 2})
    with Journal(path, key=None, clock=ManualClock(NOON_NS)) as journal:
        archivist = Archivist(journal, part)
        archivist.beat(NOON_NS)
        fill(journal, NOON_NS, 3)
        for number in range(4):
            beats(archivist, journal, NOON_NS + days * DAY_NS + number * 600_000_000_000)
        archivist.close()
    with JournalReader(path) as reader:
        assert (reader.anchor.sequence > 0) == goes


def test_what_a_table_has_to_go_on_from_is_not_pruned(tmp_path: Path) -> None:
    path = tmp_path / "j"
    part = JournalPart.model_validate({"path": path, "archive": tmp_path / "archive", "keep-days": 1})
    with Journal(path, key=None, clock=ManualClock(NOON_NS)) as journal:
        archivist = Archivist(journal, part)
        archivist.beat(NOON_NS)
        journal.started("t", NOON_NS, "{}", {})
        fill(journal, NOON_NS, 3)
        for number in range(4):
            beats(archivist, journal, NOON_NS + 3 * DAY_NS + number * 600_000_000_000)
        with JournalReader(path) as reader:
            assert reader.anchor.sequence == 0, "it has no snapshot"
            start = reader.starts()["t"]
        journal.snapshot(start, b"{}")
        journal.commit()
        for number in range(4, 8):
            beats(archivist, journal, NOON_NS + 3 * DAY_NS + number * 600_000_000_000)
        archivist.close()
    with JournalReader(path) as reader:
        assert reader.anchor.sequence > 0


def test_a_folder_that_takes_nothing_is_told_and_nothing_is_pruned(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path, clock = tmp_path / "j", ManualClock(NOON_NS)
    (tmp_path / "archive").write_text("a file")
    part = JournalPart.model_validate({"path": path, "archive": tmp_path / "archive", "keep-days": 1})
    with Journal(path, key=None, clock=clock) as journal:
        archivist = Archivist(journal, part)
        for day in range(3):
            archivist.beat(NOON_NS + day * DAY_NS)
            fill(journal, NOON_NS + day * DAY_NS, 3)
        beats(archivist, journal, NOON_NS + 3 * DAY_NS)
        archivist.close()
    assert "is not archived: " in caplog.text
    with JournalReader(path) as reader:
        assert reader.anchor.sequence == 0
        verify(reader)


@pytest.mark.more
def test_a_table_goes_on_when_its_beginning_was_pruned(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        for day in range(4):
            service, listener = opened(write_configuration(tmp_path, addresses))
            with service:
                service.journal.begin_day(f"2031-01-0{day + 1}", service.clock.now_ns())
                run_until(service, lambda: len(listener.of("round")) >= 3)  # noqa: B023
        with journal_reader(tmp_path) as reader:
            segments, kept = reader.segments(), reader.snapshot("table-1")
            assert kept is not None
            old = [segment for segment in segments if segment.last < kept.sequence]
        assert len(old) >= 2
        with Journal(
            tmp_path / "journal.sqlite", key=SealingKey.load(tmp_path / "journal.key"), clock=ManualClock()
        ) as journal:
            for segment in old[:2]:
                with journal_reader(tmp_path) as reader:
                    file, sha256 = export_segment(reader, segment, tmp_path / "archive")
                journal.days.exported(segment, str(file), sha256, journal.newest_ns)
                journal.secure()
            with journal_reader(tmp_path) as reader:
                exported = reader.segments()
            for segment in exported[:2]:
                while not journal.days.prune(segment):
                    journal.secure()
                journal.secure()
        with journal_reader(tmp_path) as reader:
            assert reader.anchor.sequence == old[1].last
            assert reader.starts()["table-1"].sequence < reader.anchor.sequence, "its beginning is not here any more"
        rounds = len(published(tmp_path, "round"))
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 2)
    found = compared(tmp_path)
    assert found.difference is None
    assert found.snapshots > 2
    assert len(published(tmp_path, "round")) > rounds
    with journal_reader(tmp_path) as reader:
        verify(reader, open_seals=True)


def test_a_day_in_which_a_table_began_anew_is_exported_with_all_its_lines(tmp_path: Path) -> None:
    """Those of its first half were registered the day before."""
    with simulators_here() as addresses:
        for seats in (8, 7):
            file = write_configuration(tmp_path, addresses, more=f"seats = {seats}")
            service, listener = opened(file)
            with service:
                if seats == 8:
                    run_until(service, lambda: len(listener.of("round")) >= 1)  # noqa: B023
                    service.journal.begin_day("2031-01-02", service.clock.now_ns())
                run_until(service, lambda: len(listener.of("round")) >= 2)  # noqa: B023
        with journal_reader(tmp_path) as reader:
            path = reader.path
        with Journal(path, key=SealingKey.load(path.with_name("journal.key")), clock=ManualClock()) as journal:
            journal.begin_day("2031-01-03", journal.newest_ns)
        with JournalReader(path) as reader:
            day = reader.segments()[-1]
            target, _ = export_segment(reader, day, tmp_path / "archive")
    output = tmp_path / "out.pcapng"
    code, said = run("export", target, "--capture", output, "--key", path.with_name("journal.key"))
    assert code == 0, said
