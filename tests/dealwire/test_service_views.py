"""A view is made for somebody who looks, from what is on the disk; a table's snapshot keeps no result waiting."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from websockets.sync import client as websockets

from dealwire.console import board
from dealwire.hub.hub import Hub
from dealwire.hub.lines import Publication
from dealwire.hub.view import OutcomeView, TableView
from dealwire.journal.contents import TableStart
from dealwire.journal.journal import Journal
from dealwire.service.service import Service
from tests.support.evenings.watched_table import WatchedTable
from tests.support.rigs.consoles import origin, running
from tests.support.rigs.patience import PATIENCE_S
from tests.support.rigs.serving import opened, run_until, simulators_here, write_configuration

NAME = "table-1"


def views_made(service: Service, monkeypatch: pytest.MonkeyPatch) -> list[TableView]:
    """Return a list that fills with every view made of its only table."""
    [session] = service.tables.values()
    made: list[TableView] = []
    make = session.view

    def noted(at_ns: int) -> TableView:
        made.append(make(at_ns))
        return made[-1]

    monkeypatch.setattr(session, "view", noted)
    return made


def test_nobody_looks_and_no_view_is_made_until_somebody_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            made = views_made(service, monkeypatch)
            run_until(service, lambda: len(listener.of("settlement")) >= 2)
            assert made == []
            assert service.hub.shown()[NAME].round == 0
            assert service.hub.views()[NAME].round == 2
            assert len(made) == 1
            service.hub.views()
            assert len(made) == 1, "nothing moved since"


def test_another_thread_that_looks_sees_the_table_as_it_is_and_only_what_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            made = views_made(service, monkeypatch)
            on_disk: list[int] = []
            show = service.hub.show
            monkeypatch.setattr(
                service.hub,
                "show",
                lambda view: (on_disk.append(service.journal._on_disk.sequence - view.sequence), show(view)),
            )
            looked: list[int] = []
            over = threading.Event()

            def look() -> None:
                while not over.wait(0.002):
                    looked.append(service.hub.views()[NAME].sequence)

            reader = threading.Thread(target=look)
            reader.start()
            run_until(service, lambda: len(listener.of("settlement")) >= 3)
            over.set()
            reader.join()
    assert looked == sorted(looked)
    assert looked[-1] > looked[0]
    assert 10 < len(made) <= len(looked) + 1, "no more often than somebody looked"
    assert min(on_disk) >= 0, "a view showed what a power cut could have taken back"


def test_who_watches_one_table_has_every_view_of_it_and_none_is_made_of_another(tmp_path: Path) -> None:
    with simulators_here(2) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            shown: list[str] = []
            service.hub.watch(shown.append, lambda table: table == "table-2")
            run_until(service, lambda: {line["table"] for line in listener.of("settlement")} >= {NAME, "table-2"})
            assert set(shown) == {"table-2"}
            views = service.hub.shown()
            assert views["table-2"].round >= 1
            assert views[NAME].round == 0


def test_a_result_is_told_before_the_table_is_written_down_as_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    kept: list[tuple[int, int]] = []
    shown: list[int] = []
    publish, snapshot, show = Hub.publish, Journal.snapshot, Hub.show

    def noted(hub: Hub, item: Publication) -> None:
        told.append(item.topic)
        publish(hub, item)

    def noted_view(hub: Hub, view: TableView) -> None:
        shown.append(len(view.outcomes))
        show(hub, view)

    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        service.hub.watch(lambda _: None)
        with service:

            def kept_now(journal: Journal, start: TableStart, state: bytes) -> int | None:
                kept.append((service.tables[start.table].rounds, told.count("settlement")))
                assert max(shown, default=0) >= service.tables[start.table].rounds, "shown before"
                return snapshot(journal, start, state)

            monkeypatch.setattr(Hub, "publish", noted)
            monkeypatch.setattr(Hub, "show", noted_view)
            monkeypatch.setattr(Journal, "snapshot", kept_now)
            run_until(service, lambda: len(listener.of("settlement")) >= 5)
    assert len(kept) >= 3
    assert all(ended == settled for ended, settled in kept), kept


def test_a_table_whose_round_just_ended_is_written_down_when_the_service_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[int] = []
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: bool(listener.of("settlement")) and bool(service._keeping.owed))
            [session] = service._keeping.owed
            monkeypatch.setattr(session, "keep", lambda _: kept.append(session.rounds))
        assert kept == [session.rounds]


def test_who_makes_pages_waits_for_a_result_and_no_longer_than_it_has_to() -> None:
    hub = Hub()
    hub.yield_to_owner()
    hub.claim_interpreter()
    hub.claim_interpreter()
    passed = threading.Event()
    waiting = threading.Thread(target=lambda: (hub.yield_to_owner(), passed.set()))
    waiting.start()
    assert passed.wait(PATIENCE_S), "a result that takes long keeps nobody for ever"
    waiting.join()
    hub.release_interpreter()
    hub.release_interpreter()
    assert hub._way.acquire(blocking=False)
    hub.claim_interpreter()
    hub.release_interpreter()
    assert hub._way.locked(), "whoever could not take the way does not free it"


def test_the_way_is_taken_while_a_report_is_worked_out_and_free_while_the_disk_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            [session] = service.tables.values()
            journal, way, found = service.journal, service.hub._way, []
            publish, before_sync = session.publisher.publish, journal.before_sync
            monkeypatch.setattr(
                session.publisher, "publish", lambda seen: (found.append(("deals", way.locked())), publish(seen))[1]
            )
            monkeypatch.setattr(
                journal, "before_sync", lambda: (before_sync(), found.append(("syncs", way.locked())))[0]
            )
            run_until(service, lambda: bool(listener.of("settlement")))
            assert not way.locked()
    assert set(found) == {("deals", True), ("syncs", False)}


def test_how_a_round_ended_goes_to_a_page_without_the_gap_between_two_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "GAP_S", 3600.0)  # so that it would never come
    monkeypatch.setattr(board, "BEAT_S", 3600.0)
    hub = Hub()
    with (
        WatchedTable(hub, "player-short"),
        running(hub) as shown,
        websockets.connect(f"ws{origin(shown)[4:]}/live/pit-1", origin=origin(shown)) as page,
    ):
        assert page.recv(timeout=30)
        view = hub.views()["pit-1"]
        hub.show(view.model_copy(update={"shuffler": "jammed", "sequence": view.sequence + 1}))
        with pytest.raises(TimeoutError):
            page.recv(timeout=0.3)
        ended = OutcomeView(round=99, at_ns=view.at_ns, outcome="complete")
        hub.show(view.model_copy(update={"outcomes": (*view.outcomes, ended), "sequence": view.sequence + 2}))
        assert "99" in page.recv(timeout=30)
