"""A restart deals what came since the last snapshot and nothing before; a snapshot is what the raw record gives."""

from __future__ import annotations

import shutil
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from dealwire.journal import JournalReader
from dealwire.journal.book_tables import BookTables
from dealwire.journal.check import verify
from dealwire.journal.compare import compare
from dealwire.journal.errors import JournalDamaged
from dealwire.journal.factory import TableFactory
from dealwire.journal.rebuilding import Dealing
from dealwire.journal.records import SNAPSHOT
from dealwire.journal.snapshots import decoded, encoded
from dealwire.service.opening import DERIVED_AND_EVENTS
from tests.dealwire.test_journal_chain import rechained
from tests.support.rigs.serving import (
    compared,
    journal_reader,
    opened,
    published,
    run_until,
    simulators_here,
    write_configuration,
)

LINKED = 'game = "flushes-gone-wild.wa-link"\nprogressive = "{file}"\npaytables = {{ progressive = "WA-ML03" }}\n'
SETUP = Path(__file__).parents[2] / "docs" / "examples" / "progressive-ml03.toml"


def play(folder: Path, addresses: list[dict[str, str]], rounds: int, **options: str) -> None:
    """Serve until the journal holds so many rounds more."""
    service, listener = opened(write_configuration(folder, addresses, **options))
    with service:
        run_until(service, lambda: len(listener.of("round")) >= rounds)


def test_each_round_leaves_a_snapshot_that_dealing_again_gives(tmp_path: Path) -> None:
    with simulators_here(faults=0.3) as addresses:
        for _ in range(3):
            play(tmp_path, addresses, 5)
    found = compared(tmp_path)
    assert found.difference is None
    rounds = len(published(tmp_path, "round"))
    assert found.snapshots >= rounds // 3, "unless a fast table began the next round first, each leaves one"


def test_a_restart_reads_no_more_than_came_since(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dealt: list[int] = []
    take = Dealing.take

    def counted(self: Dealing[object], record: object) -> object:
        dealt.append(record.sequence)  # type: ignore[attr-defined]
        return take(self, record)  # type: ignore[arg-type]

    with simulators_here() as addresses:
        play(tmp_path, addresses, 12)
        with journal_reader(tmp_path) as reader:
            kept, head = reader.snapshot("table-1"), reader.head.sequence
        assert kept is not None
        assert kept.sequence > head / 2
        monkeypatch.setattr(Dealing, "take", counted)
        play(tmp_path, addresses, 1)
    monkeypatch.undo()
    assert min(dealt) > kept.sequence
    assert compared(tmp_path).difference is None


@pytest.mark.more
def test_tables_that_share_meters_go_on_from_snapshots_of_their_own(tmp_path: Path) -> None:
    more = LINKED.format(file=shutil.copy(SETUP, tmp_path))
    with simulators_here(2) as addresses:
        for _ in range(3):
            play(tmp_path, addresses, 6, more=more, procedure="flushes-gone-wild.wa")
    found = compared(tmp_path)
    assert found.difference is None
    assert found.snapshots > 6
    steps = [msgspec.json.decode(item.line)["number"] for item in published(tmp_path, "meter")]
    assert steps == list(range(steps[0], steps[0] + len(steps)))


def altered(folder: Path) -> int:
    """Change one snapshot's count of rounds and compute the chain again; return the record's number."""
    with JournalReader(folder / "journal.sqlite") as reader:
        records = [record for record in reader.records() if record.kind == SNAPSHOT]
        record = records[len(records) // 2]
        snapshot = reader.snapshot_of(record)
        kept = decoded(reader.path, snapshot)
        state = encoded(msgspec.structs.replace(kept, table=msgspec.structs.replace(kept.table, outcomes=())))
    length = int.from_bytes(record.payload[:4], "big")
    payload = record.payload[: 4 + length] + b"\x00" + zlib.compress(state)
    sql = "UPDATE record SET payload = ? WHERE sequence = ?"
    rechained(folder / "journal.sqlite", lambda db: db.execute(sql, (payload, record.sequence)) and None)
    return record.sequence


def test_a_snapshot_that_says_something_else_is_a_difference(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        file.write_text(file.read_text().replace('key-file = "journal.key"\n', ""))
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 4)
    number = altered(tmp_path)
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        with TableFactory(reader.path) as make:
            found = compare(reader, make, DERIVED_AND_EVENTS, check_snapshots=True)
        assert found.difference is not None
        assert f"record {number}: the snapshot does not match the raw record" in str(found.difference)
        with TableFactory(reader.path) as make:
            assert compare(reader, make, DERIVED_AND_EVENTS).difference is None


ALTERED = {
    "no round is known": "DELETE FROM settled",
    "one round more": "UPDATE settled SET last = last + 1",
    "no meter is known": "DELETE FROM meter",
    "a meter stands elsewhere": "UPDATE meter SET line = '1'",
}


def test_what_is_looked_up_is_held_against_the_records(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        play(tmp_path, addresses, 3, more="limit-cents = 10000\n[table.meters]\nmeter = 777700")
    with journal_reader(tmp_path) as reader:
        tables = BookTables(reader)
        verify(reader, open_seals=True)
        assert len(list(tables.settled(0, "table-1"))) >= 3
        assert tables.own_meters("table-1") == {"meter": 777700}
    for number, sql in enumerate(ALTERED.values()):
        copy = tmp_path / f"copy-{number}"
        copy.write_bytes((tmp_path / "journal.sqlite").read_bytes())
        with closing(sqlite3.connect(copy)) as db, db:
            db.execute(sql)
        with (
            JournalReader(copy) as reader,
            pytest.raises(JournalDamaged, match=r"the table .* (lacks|holds) .*follows from"),
        ):
            verify(reader)
