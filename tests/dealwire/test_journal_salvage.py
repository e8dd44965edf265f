"""A damaged journal: what can be read is saved, and what it says was paid is not paid again."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealwire.cli import main
from dealwire.journal import Journal, JournalReader
from dealwire.journal.book_tables import BookTables
from dealwire.journal.check import verify
from dealwire.journal.errors import JournalError, JournalInaccessible
from dealwire.journal.passing import DEFLATED, NotPassed, Passed, packed, unpacked
from dealwire.journal.salvage import _size_in_header, salvage
from devices.clock import ManualClock, SystemClock
from rules.meters.settled_rounds import SettledKey
from tests.support.rigs.serving import opened, published, rounds_in, run_until, simulators_here, write_configuration


def filled(path: Path, rounds: int = 200) -> None:
    with Journal(path, key=None, clock=ManualClock()) as journal:
        journal.started("t", 1, "{}", {})
        for number in range(rounds):
            line = {"session": "0000abcd", "round": number + 1, "text": "x" * 900}
            journal.publish("t", "meter", number, json.dumps({"meter": "mega", "number": number}))
            line["meters"] = [{"name": "major", "after": 5000 + number}]
            journal.publish("t", "settlement", number, json.dumps(line))
            journal.settled("t", number, SettledKey("d", "0000abcd", number + 1))
            journal.publish("t", "round", number, json.dumps({"n": number, "text": "y" * 900}))
        journal.commit()


def test_what_is_before_the_damage_is_kept_and_what_is_beyond_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "j"
    filled(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE record SET payload = CAST('altered' AS BLOB) WHERE sequence = 100")
    found = salvage(path, tmp_path / "new", ManualClock())
    assert found.kept.sequence == 99
    assert found.lost == [(100, 100)]
    assert found.beyond == 703
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o600
    with JournalReader(tmp_path / "new") as reader:
        tables = BookTables(reader)
        verdict = verify(reader)
        assert verdict.records == 99 + 4, "an opening, what was found, a balance, and the end of the table"
        assert reader.starts() == {}
        assert all(
            tables.was_settled("t", SettledKey("d", "0000abcd", number + 1)) for number in range(200) if number != 32
        )
        assert tables.own_meters("t") == {"major": 5199}, "a meter stands where the damaged file left it"
        last = list(reader.records(99))
    assert [record.kind for record in last] == ["opened", "salvaged", "balance", "stopped"]
    assert json.loads(last[1].payload)["lost"] == [[100, 100]]
    with JournalReader(path) as reader:
        assert reader.head.sequence == 802, "what is damaged stays as it is"


@pytest.mark.parametrize("seed", range(12))
def test_pages_overwritten_at_random_never_hang_or_end_in_a_traceback(tmp_path: Path, seed: int) -> None:
    path, chance = tmp_path / "j", random.Random(seed)
    filled(path, 60)
    content = bytearray(path.read_bytes())
    for _ in range(chance.choice((1, 3, 8))):
        place = chance.randrange(1, len(content) // 4096) * 4096
        length = chance.choice((16, 512, 4096))
        content[place : place + length] = chance.choice((bytes(length), chance.randbytes(length)))
    path.write_bytes(content)
    result = CliRunner().invoke(main, ["journal", "salvage", str(path), str(tmp_path / "new")])
    assert result.exit_code in (0, 6), result.output
    if result.exit_code == 0:
        with JournalReader(tmp_path / "new") as reader:
            verify(reader)
    for command in ("show", "export", "verify"):
        result = CliRunner().invoke(main, ["journal", command, str(path)])
        assert result.exit_code in (0, 6), result.output
        assert len(result.output) < 3 * len(content), "it goes round in circles"


@pytest.mark.parametrize("missing", [1, 4096, 5 * 4096, 40 * 4096 + 77])
def test_a_file_that_lost_its_end_gives_what_is_before_it(tmp_path: Path, missing: int) -> None:
    path = tmp_path / "j"
    filled(path)
    with JournalReader(path) as reader:
        before = list(reader.records())
    size = path.stat().st_size
    os.truncate(path, size - missing)
    cut = path.read_bytes()
    found = salvage(path, tmp_path / "new", ManualClock())
    assert path.read_bytes() == cut, "the damaged file stays as it is"
    assert not list(tmp_path.glob(".new*")), "its copy is gone"
    assert found.kept.sequence > len(before) * (size - missing) // size * 3 // 4
    with JournalReader(tmp_path / "new") as reader:
        verify(reader)
        assert list(reader.records())[: found.kept.sequence] == before[: found.kept.sequence]


def test_a_number_altered_to_be_far_away_costs_no_walk_to_it(tmp_path: Path) -> None:
    path = tmp_path / "j"
    filled(path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE record SET sequence = ? WHERE sequence = 400", (1 << 62,))
    found = salvage(path, tmp_path / "new", ManualClock())
    assert (found.kept.sequence, found.beyond) == (399, 403)


@pytest.mark.more
def test_an_output_that_cannot_be_written_is_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "j"
    filled(path)
    command = [sys.executable, "-m", "dealwire", "journal", "salvage", str(path)]
    done = subprocess.run([*command, str(tmp_path / "none" / "new")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    full = ["bash", "-c", 'ulimit -f 100; exec "$@"', "-", *command, str(tmp_path / "new")]
    done = subprocess.run(full, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "nothing can be written" in done.stderr
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith("new")] == []


def test_what_is_no_journal_or_already_there_is_refused(tmp_path: Path) -> None:
    filled(tmp_path / "j", 1)
    with pytest.raises(JournalInaccessible, match="already exists"):
        salvage(tmp_path / "j", tmp_path / "j", ManualClock())
    (tmp_path / "text").write_text("hello" * 1000)
    for name in ("text", "nowhere"):
        with pytest.raises(JournalError):
            salvage(tmp_path / name, tmp_path / "new", ManualClock())
        assert not (tmp_path / "new").exists()


def test_a_table_begins_anew_with_what_was_salvaged_and_settles_nothing_twice(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 6)
        before = [json.loads(item.line) for item in published(tmp_path, "settlement")]
        journal = tmp_path / "journal.sqlite"
        with closing(sqlite3.connect(journal)) as db, db:
            third = next(iter(published(tmp_path, "round")[2:3]))
            db.execute("UPDATE record SET hash = zeroblob(32) WHERE sequence = ?", (third.sequence,))
        shutil.move(journal, tmp_path / "damaged.sqlite")
        salvage(tmp_path / "damaged.sqlite", journal, SystemClock())
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 3)
    assert rounds_in(tmp_path) > 3
    after = [json.loads(item.line) for item in published(tmp_path, "settlement")][2:]
    times = Counter((line["session"], line["round"]) for line in [*before, *after])
    assert max(times.values()) == 1


# ------------------------------------------------------------------ what passed


def test_reads_and_writes_come_back_as_they_went_in() -> None:
    chance = random.Random(1)
    for _ in range(200):
        at_ns = chance.randrange(1 << 62)
        entries = [
            Passed(
                chance.randrange(1, 1 << 32),
                at_ns - chance.randrange(min(at_ns, 1 << 40) + 1),
                chance.random() < 0.5,
                chance.randbytes(chance.choice((0, 1, 60, 3000))),
            )
            for _ in range(chance.randrange(5))
        ]
        for deflate in (False, True):
            assert unpacked(packed(entries, at_ns, deflate=deflate), at_ns) == entries


def test_bytes_worked_out_by_hand() -> None:
    body = packed([Passed(2, 90, True, b"\xab\xcd")], 100)
    assert body.hex() == "00" + "00000002" + "000000000000000a" + "01" + "00000002" + "abcd"


def test_damaged_bytes_are_refused_and_a_bomb_is_not_unpacked() -> None:
    body = packed([Passed(1, 5, False, b"abc"), Passed(2, 7, True, b"d")], 9)
    for length in range(len(body)):
        cut = body[:length]
        with suppress(NotPassed):
            assert unpacked(cut, 9) != unpacked(body, 9)
    for bad in (
        b"",
        b"\x07",
        DEFLATED + b"nonsense",
        DEFLATED + zlib.compress(bytes(1 << 26)),
        body[:14] + b"\x02" + body[15:],
    ):
        with pytest.raises(NotPassed):
            unpacked(bad, 9)


@pytest.mark.parametrize("page", [512, 4096, 65_536])
def test_a_first_page_says_how_long_its_file_is(tmp_path: Path, page: int) -> None:
    """SQLite writes the largest page as 1, since its number does not fit."""
    path = tmp_path / "any"
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA page_size = {page}")
        with db:
            db.execute("CREATE TABLE any (bytes BLOB)")
            db.execute("INSERT INTO any VALUES (zeroblob(200000))")
    header = path.read_bytes()[:100]
    assert _size_in_header(header) == path.stat().st_size
    assert _size_in_header(header[:99]) == 0
