"""A table's journal replayed in the console: a real service on simulated devices, its sealed journal, and the views."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dealwire.console import journals
from dealwire.console.journals import journal_sources
from dealwire.console.replays import Replay, ReplayUnusable, deal_again
from dealwire.console.server import Console
from dealwire.hub.view import TableView
from dealwire.journal import SealingKey
from tests.support.rigs.consoles import client
from tests.support.rigs.serving import opened, run_until, simulators_here, write_configuration

ROUNDS = 6


def as_seen(view: TableView) -> TableView:
    """A view without what only whoever runs the lines knows, and without journal numbers."""
    log = tuple(line.model_copy(update={"sequence": 0}) for line in view.log if line.clause or line.code == "round")
    return view.model_copy(update={"sequence": 0, "at_ns": 0, "devices": (), "log": log})


def dealt(folder: Path, table: str = "table-1") -> Replay:
    (source,) = journal_sources(folder / "journal.sqlite", SealingKey.load(folder / "journal.key"), [table])
    return deal_again(source)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, TableView, str]:
    """A folder with the journal of some rounds at two tables, the last view, and a page of the console meanwhile."""
    folder = tmp_path_factory.mktemp("evening")
    with simulators_here(2, scenario="demo") as addresses:
        service, _ = opened(write_configuration(folder, addresses))
        with service:
            run_until(service, lambda: service.tables["table-1"].rounds >= ROUNDS)
            key = SealingKey.load(folder / "journal.key")
            console = Console(service.hub, sources=journal_sources(service.journal.path, key, service.tables))
            console.start()
            try:
                with client(console) as browser:
                    page = (
                        browser.get("/table/table-1/replay").text + browser.get("/replay/journal%20of%20table-1").text
                    )
            finally:
                console.stop()
            view = service.tables["table-1"].view(service.clock.now_ns())
    return folder, view, page


@pytest.mark.more
def test_a_journal_gives_the_views_that_were_seen_live(evening: tuple[Path, TableView, str]) -> None:
    folder, live, _ = evening
    replay = dealt(folder)
    assert not replay.note
    assert as_seen(live) in [as_seen(step.view) for step in replay.steps[-5:]]
    assert sum(line.code == "round" for line in replay.steps[-1].view.log) >= ROUNDS
    assert len(replay.index["rounds"]) >= ROUNDS


def test_the_newest_rounds_alone_are_dealt_alike(
    evening: tuple[Path, TableView, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _, _ = evening
    whole = dealt(folder)
    monkeypatch.setattr(journals, "ROUNDS_SHOWN", 2)
    monkeypatch.setattr(journals, "WINDOW", 8)
    part = dealt(folder)
    before = re.match(r"starts after round (\d+);", part.note)
    assert before is not None
    assert len(part.steps) < len(whole.steps)
    last, other = part.steps[-1].view, whole.steps[-1].view
    assert len(part.index["rounds"]) == len(whole.index["rounds"]) - int(before[1])
    assert len(part.index["rounds"]) >= 2  # more where a round began before the last one's snapshot was made
    assert (last.round, last.state, last.seats, last.meters) == (other.round, other.state, other.seats, other.meters)
    tail = [line.text for line in last.log if line.clause or line.code == "round"]
    assert [line.text for line in other.log if line.clause or line.code == "round"][-len(tail) :] == tail


def test_the_console_lists_a_tables_journal_while_it_is_written(evening: tuple[Path, TableView, str]) -> None:
    _, _, page = evening
    assert "Journal of table-1" in page
    assert "Journal of table-2" not in page
    assert 'id="player"' in page


def test_without_the_key_or_a_start_it_is_said(evening: tuple[Path, TableView, str]) -> None:
    folder, _, _ = evening
    path = folder / "journal.sqlite"
    with pytest.raises(ReplayUnusable, match="key"):
        deal_again(journal_sources(path, None, ["table-1"])[0])
    with pytest.raises(ReplayUnusable, match="not started"):
        deal_again(journal_sources(path, None, ["nobody"])[0])
