"""A journal that version 1 wrote (`older/journal-1.sqlite.gz`: three rounds and what passed, not sealed): it is read,
checked and dealt again; whoever writes to it takes it up, and settles nothing of it again."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealer_flow.record import incidents
from dealwire.cli import main
from dealwire.journal import Journal, JournalReader
from dealwire.journal.book_tables import BookTables
from dealwire.journal.check import verify
from dealwire.journal.compare import by_another_game_file
from dealwire.journal.derived import NOBODY
from devices.clock import ManualClock
from rules.meters.settled_rounds import SettledKey
from tests.support.oracles.journal_verifier import check
from tests.support.rigs.serving import opened, published, run_until, simulators_here, write_configuration

WRITTEN = Path(__file__).parent / "older" / "journal-1.sqlite.gz"
DEALT_BY = WRITTEN.with_name("flushes-gone-wild.co.toml")
"""The procedure as it was then: rounds are dealt again by what they were dealt by, not by what the file says today."""
HEAD = "489:8cdfef6fa0c0570290e3d6a854c6161388bd8ba7968e60dd1a0acf46981ef7bf"


@pytest.fixture
def older(tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(gzip.decompress(WRITTEN.read_bytes()))
    path.chmod(0o600)
    return path


def test_it_is_read_checked_and_dealt_again(older: Path) -> None:
    for command in ("verify", "show", "export", "rebuild"):
        more = ["--procedure", str(DEALT_BY)] if command == "rebuild" else []
        result = CliRunner().invoke(main, ["journal", command, str(older), *more])
        assert result.exit_code == 0, result.output
    assert check(str(older)) == HEAD
    with JournalReader(older) as reader:
        assert str(verify(reader).head) == HEAD
        assert [key.round for key in BookTables(reader).settled(0, "table-1")] == [1, 2, 3]
        assert {item.epoch for item in reader.publications()} == {""}


def test_its_rounds_are_the_same_where_incidents_are_worded_in_another_way(
    older: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incidents, "sentence", lambda code, *_: f"{code}, in the words of a later version")
    result = CliRunner().invoke(main, ["journal", "rebuild", str(older), "--procedure", str(DEALT_BY)])
    assert result.exit_code == 0, result.output
    assert "of them state the same facts in the sentences of another version" in result.output
    found = CliRunner().invoke(main, ["journal", "rebuild", str(older), "--procedure", str(DEALT_BY), "--json"])
    assert json.loads(found.stdout)["reworded"] > 0


def test_a_writer_takes_it_up_and_nothing_of_it_changes(older: Path) -> None:
    with JournalReader(older) as reader:
        before = list(reader.records())
    with Journal(older, key=None, clock=ManualClock()) as journal:
        assert journal.taken_up
    with Journal(older, key=None, clock=ManualClock()) as journal:
        assert not journal.taken_up
    with JournalReader(older) as reader:
        tables = BookTables(reader)
        assert list(reader.records())[: len(before)] == before
        assert verify(reader).records == len(before) + 4, "two openings, the table's end, and a balance"
        assert tables.own_meters("table-1") == {"meter": 777700}
        session = next(tables.settled(0, "table-1")).session
        assert tables.was_settled("table-1", SettledKey("whoever", session, 2))
        assert not tables.was_settled("table-1", SettledKey("whoever", session, 4))
    assert CliRunner().invoke(main, ["journal", "verify", str(older), "--expect", HEAD]).exit_code == 0


def test_taken_up_or_not_at_all_no_table_is_dealt_on_from_what_is_over(older: Path) -> None:
    """As after a kill right behind the opening: the tables were ended with it."""
    Journal(older, key=None, clock=ManualClock()).close()
    with JournalReader(older) as reader:
        assert reader.starts() == {}
        assert reader.starts(stopped=True).keys() == {"table-1"}


def test_a_service_goes_on_with_it_and_pays_nothing_twice(older: Path) -> None:
    folder = older.parent
    with simulators_here() as addresses:
        file = write_configuration(folder, addresses, more="limit-cents = 10000\n[table.meters]\nmeter = 5")
        service, listener = opened(file)
        with service:
            assert service.tables["table-1"].table.meters == {"meter": 777700}, "the meter is where it stood"
            run_until(service, lambda: len(listener.of("settlement")) >= 1)
            repeated = [line for line in listener.of("incident") if line["code"] == "round-repeated"]
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) >= 1)
    settled = [json.loads(item.line) for item in published(folder, "settlement")]
    assert max(Counter((line["session"], line["round"]) for line in settled).values()) == 1
    assert {line["number"] for line in repeated} == {1, 2, 3}, "its devices dealt those before"
    with JournalReader(older) as reader:
        assert any(key.device != NOBODY for key in BookTables(reader).settled(0, "table-1"))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ('"why":"flush', '"why":"a flush', True),
        ('"pay":500', '"pay":501', False),
        ('"net":-2500', '"net":-2400', False),
        ('"result":"lose"', '"result":"push"', False),
        ('"clause":"47.1-1017.60(11)"', '"clause":"47.1-1017.60(12)"', False),
        ('"outcome":"complete"', '"outcome":"misdeal"', False),
    ],
)
def test_a_settlement_by_another_state_of_the_game_file_decides_the_same(
    older: Path, before: str, after: str, same: bool
) -> None:
    with JournalReader(older) as reader:
        was = next(item for item in reader.publications() if item.topic == "settlement")
    now = replace(was, line=was.line.replace('"sha256":"fc59', '"sha256":"0000').replace(before, after, 1))
    assert now.line != was.line
    assert by_another_game_file(was, now) is same
    assert not by_another_game_file(was, replace(was, line=was.line.replace(before, after, 1)))
