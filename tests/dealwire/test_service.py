"""The service on simulated devices in processes of their own, behind real pseudo-terminals, with a real journal."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import sqlite3
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from dealer_flow.procedure.load import whole_text
from dealwire.hub.hub import Hub, Request
from dealwire.hub.view import TableView
from dealwire.journal.book_tables import BookTables
from dealwire.rehearsal.scenario_file import load_scenario
from dealwire.rehearsal.tables import CONTROLLER, SHUFFLER, SimulatedTable
from dealwire.service.actions import faults
from dealwire.service.service import Service
from dealwire.service.simulated import simulated_table
from dealwire.service.table_session import TableSession
from devices.simulator.host import SimulatorHost
from tests.support.broken.small_disk import database, fill
from tests.support.programs.soak import soak
from tests.support.rigs.serving import (
    Listener,
    compared,
    journal_reader,
    opened,
    published,
    run_until,
    simulators_here,
    write_configuration,
)

FACE = re.compile(r"(?<!\w)[A2-9TJQK][CDHS](?!\w)")


def rounds_of(listener: Listener, table: str = "table-1") -> list[int]:
    return [line["round"] for line in listener.of("round") if line["table"] == table]


def test_a_table_is_served_and_everything_made_known_is_in_the_journal_in_order(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: len(rounds_of(listener)) >= 3)
            view = service.hub.views()["table-1"]
    told = listener.take()
    assert [item.sequence for item in told] == sorted({item.sequence for item in told})
    assert [(item.sequence, item.line) for item in published(tmp_path)] == [(item.sequence, item.line) for item in told]
    assert [line["outcome"] for line in listener.of("round")][:3] == ["complete", "complete", "misdeal"]
    assert len(listener.of("settlement")) == len(listener.of("round"))
    assert {device.link for device in view.devices} == {"up"}
    assert view.round >= 3
    found = compared(tmp_path)
    assert found.difference is None
    assert not found.pending


def test_a_service_killed_before_its_first_record_begins_its_journal_anew(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        with contextlib.closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db:
            db.execute("PRAGMA journal_mode = WAL")  # the last thing it did
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(rounds_of(listener)) >= 1)
    assert compared(tmp_path).difference is None


def test_a_service_that_ended_in_the_middle_of_a_round_goes_on_there(tmp_path: Path) -> None:
    with simulators_here(speed=100) as addresses:
        file = write_configuration(tmp_path, addresses)
        states = []
        for _ in range(3):
            service, _ = opened(file)
            with service:
                table = service.tables["table-1"].table
                before = service.tables["table-1"].rounds
                run_until(
                    service,
                    lambda: service.tables["table-1"].rounds > before and table.flow.state.value == "deciding",  # noqa: B023
                )
                states.append(table.flow.state.value)
    lines = [json.loads(item.line) for item in published(tmp_path, "round")]
    assert states == ["deciding"] * 3
    assert [line["round"] for line in lines] == list(range(1, len(lines) + 1)), "none is missing, none came twice"
    assert not any(line["outcome"] == "unreliable" for line in lines), "the round went on over the restart"
    assert compared(tmp_path).difference is None


@pytest.mark.more
def test_tables_at_rest_wait_for_no_disk(tmp_path: Path) -> None:
    with ExitStack() as stack:
        benches = [
            SimulatorHost(
                SimulatedTable(load_scenario("clean-1"), speed=1000), dict.fromkeys((SHUFFLER, CONTROLLER), "pty")
            )
            for _ in range(3)
        ]
        for bench in benches:
            stack.callback(bench.close)
        service, listener = opened(write_configuration(tmp_path, [bench.addresses for bench in benches]))
        stack.enter_context(service)
        for number, bench in enumerate(benches, 1):
            service.simulate(f"table-{number}", bench)
        run_until(service, lambda: len(listener.of("round")) == 3)
        service.run(1.5)  # what the last reports led to is done
        begins, commits = service.journal.head.sequence, 0

        def counts(sql: str) -> None:
            nonlocal commits
            commits += sql == "COMMIT"

        database(service.journal).set_trace_callback(counts)
        before = {line: frames for line, (frames, _) in service.health.lines.items()}
        run_until(service, lambda: all(now > before[line] + 5 for line, (now, _) in service.health.lines.items()))
        assert (service.journal.head.sequence, commits) == (begins, 0), "of what leads to nothing nobody is told"
    with journal_reader(tmp_path) as reader:
        quiet = [record for record in reader.records(begins) if record.kind == "passed"]
        passed = [each for record in quiet for each in reader.passed(record)]
    assert len([each for each in passed if each.sent]) >= 5 * len(benches), "every line is told that we are there"
    assert len([each for each in passed if not each.sent]) >= 5 * len(benches)
    heard = service.health.lines
    assert heard.keys() == {
        (f"table-{number}", device) for number in (1, 2, 3) for device in ("shuffler", "controller")
    }
    assert all(frames > 5 for frames, _ in heard.values())
    assert service.health.lag_ns > 0


def test_several_tables_share_one_loop_and_a_fault_at_one_stops_that_one(tmp_path: Path) -> None:
    with simulators_here(2) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: bool(rounds_of(listener)) and bool(rounds_of(listener, "table-2")))
            first = service.tables["table-1"]

            def broken(seen: object) -> None:
                raise KeyError("AS KD: a message that may hold anything")

            first.publisher.publish = broken  # type: ignore[method-assign, assignment]
            dealt = len(rounds_of(listener, "table-2"))
            run_until(service, lambda: first.stopped is not None and len(rounds_of(listener, "table-2")) > dealt + 1)
            assert service.failed is None
            assert first.stopped is not None
            assert "KeyError at test_service.py" in first.stopped
            view = service.hub.views()["table-1"]
    assert view.safe_stop == first.stopped
    stops = [line for line in listener.of("status") if line["kind"] == "safe-stop"]
    assert [line["table"] for line in stops] == ["table-1"]
    assert not FACE.search(stops[0]["text"])


def test_a_journal_that_takes_nothing_more_stops_every_table_and_nothing_is_told(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: bool(rounds_of(listener)))
            fill(service.journal, pages=2)  # the disk is full
            run_until(service, lambda: service.failed is not None)
            told = len(listener.take())
            service.owner.run(timeout_s=0.3)
            assert len(listener.take()) == told
            view = service.hub.views()["table-1"]
            assert service.failed is not None
            assert "the disk is full" in service.failed
    assert view.safe_stop is not None
    assert "the disk is full" in view.safe_stop
    assert view.next == ()
    assert [item.line for item in published(tmp_path)] == [item.line for item in listener.take()]


def test_what_was_not_told_of_because_the_disk_was_full_comes_again(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: bool(rounds_of(listener)))
            fill(service.journal, pages=2)
            run_until(service, lambda: service.failed is not None)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(rounds_of(listener)) >= 2)
    numbers = [json.loads(item.line)["round"] for item in published(tmp_path, "round")]
    assert numbers == list(range(1, len(numbers) + 1))
    assert compared(tmp_path).difference is None


def test_changed_settings_end_the_table_and_no_round_is_paid_twice(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses, more="[table.meters]\nmeter = 777700")
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(rounds_of(listener)) >= 2)
        write_configuration(tmp_path, addresses, more="token-cents = 100\n[table.meters]\nmeter = 5")
        service, listener = opened(file)
        with service:
            assert service.tables["table-1"].table.meters == {"meter": 777700}, "the meter is where it stood"
            run_until(service, lambda: len(rounds_of(listener)) >= 3)
    settled = [json.loads(item.line) for item in published(tmp_path, "settlement")]
    twice = [key for key, count in Counter((line["session"], line["round"]) for line in settled).items() if count > 1]
    assert not twice
    assert compared(tmp_path).difference is None


LINK = Path(__file__).parents[2] / "docs" / "examples" / "progressive-ml03.toml"
LINKED = f"""game = "flushes-gone-wild.wa-link"
progressive = "{LINK.name}"
awards = true
token-cents = {{token}}
[table.paytables]
progressive = "WA-ML03"
"""


@pytest.mark.more
def test_linked_meters_go_on_over_restarts_and_changes_to_the_cent(tmp_path: Path) -> None:
    """Two tables share a link: what both put onto its meters is there after a restart, and after new settings."""
    shutil.copy(LINK, tmp_path)
    with simulators_here(2, scenario="wa-clean") as addresses:
        shown = []
        for token in (25, 25, 50):
            more = LINKED.format(token=token)
            file = write_configuration(tmp_path, addresses, more=more, procedure="flushes-gone-wild.wa")
            service, listener = opened(file)
            with service:
                tables = [served.table for served in service.tables.values()]
                assert tables[0].meters == tables[1].meters
                if shown:
                    assert tables[0].meters == shown[-1]
                # Devices that hold events send rounds again to a table that starts a new record: none is settled again.
                run_until(service, lambda: len(listener.of("settlement")) >= 4)  # noqa: B023
                shown.append(tables[0].meters)
    assert shown[0] != shown[1] != shown[2], "nobody bet on the progressive, so nothing was shown"
    steps = [json.loads(item.line)["number"] for item in published(tmp_path, "meter")]
    assert steps == list(range(steps[0], steps[0] + len(steps))), "every cent is in one unbroken book"
    assert compared(tmp_path).difference is None


def test_a_table_may_begin_anew_and_remembers_what_it_settled(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        file = write_configuration(tmp_path, addresses)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(rounds_of(listener)) >= 2)
            settled = [(line["session"], line["round"]) for line in listener.of("settlement")]
        service, listener = opened(file, anew=True)
        with service:
            with journal_reader(tmp_path) as reader:
                known = {(key.session, key.round) for key in BookTables(reader).settled(0, "table-1")}
            assert known == set(settled)
            run_until(service, lambda: len(rounds_of(listener)) >= 2)
    lines = [json.loads(item.line) for item in published(tmp_path, "settlement")]
    assert max(Counter((line["session"], line["round"]) for line in lines).values()) == 1
    assert compared(tmp_path).difference is None


def test_a_supervisor_calls_a_misdeal_and_the_journal_says_who(tmp_path: Path) -> None:
    with simulators_here(speed=20) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: service.tables["table-1"].table.flow.state.value == "dealing")
            request = Request("table-1", "call-misdeal", {"device": "shuffler"}, "supervisor")
            answer = service.hub.ask(request)
            run_until(service, answer.done)
            assert answer.result() == "shuffler accepted it."
            run_until(service, lambda: service.hub.views()["table-1"].red_lamp == 505)
    said = [line for line in listener.of("status") if line["kind"] == "action"]
    words = "supervisor, at shuffler: light the red lamp, stop dealing"
    assert [(line["device"], line["text"]) for line in said] == [("shuffler", words)]


REFUSED = [
    ("call-misdeal", {"device": "shuffler"}, "dealer", "a dealer may not do this; allowed: supervisor"),
    ("call-misdeal", {"device": "controller"}, "supervisor", "a table-controller has no such action"),
    ("call-misdeal", {"device": "shredder"}, "supervisor", "name one of these devices: shuffler, controller"),
    ("show-text", {"device": "controller", "text": "hello"}, "supervisor", "controller is only observed"),
    ("clear-misdeal", {"device": "shuffler", "badge": 0}, "supervisor", "badge"),
    ("open-the-safe", {"device": "shuffler"}, "technician", "a shuffler has no such action"),
]


def test_what_may_not_be_done_is_refused_in_one_line_and_not_sent(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        with service:
            run_until(service, lambda: len(listener.of("status")) >= 3)
            for action, fields, who, said in REFUSED:
                answer = service.hub.ask(Request("table-1", action, fields, who))
                run_until(service, answer.done)
                error = answer.exception()
                assert error is not None
                assert said in str(error)
                assert "\n" not in str(error)
            answer = service.hub.ask(Request("table-9", "refresh", {}, "dealer"))
            run_until(service, answer.done)
            assert "there is no table 'table-9'; there are table-1" in str(answer.exception())
    assert not [line for line in listener.of("status") if line["kind"] == "action"]


@pytest.mark.parametrize("seed", [3])
def test_no_face_leaves_before_its_reveal(tmp_path: Path, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    """A shuffler that reads faces, with faults by chance: every publication, every view and the log are searched."""
    caplog.set_level("DEBUG")
    with simulators_here(scenario="recognition", faults=0.4, seed=seed) as addresses:
        service, listener = opened(write_configuration(tmp_path, addresses))
        views: list[TableView] = []
        show = service.hub.show
        service.hub.show = lambda view: (views.append(view), show(view))[1]  # type: ignore[method-assign, assignment, func-returns-value]
        service.hub.watch(lambda _: None)  # of a table that nobody watches no view is made
        with service:
            run_until(service, lambda: len(rounds_of(listener)) >= 6)
    assert len(views) > 50
    shown: set[str] = set()
    hidden = 0
    at_view = iter(sorted(views, key=lambda view: view.sequence))
    view = next(at_view, None)
    for item in listener.take():
        line = json.loads(item.line)
        if line.get("event") == "GameStarted":
            shown = set()
        if line.get("event") == "HandRevealed":
            shown |= set(line["fields"]["cards"])
        if line.get("event") == "PacketDispensed":
            hidden += line["fields"]["cards"].count("??")
        if item.topic not in ("round", "settlement", "meter", "award"):
            assert set(FACE.findall(item.line)) <= shown, item.line
        while view is not None and view.sequence <= item.sequence:
            if view.sequence == item.sequence:
                unsettled = view.model_copy(update={"settlement": None})  # it names what the round showed
                assert set(FACE.findall(unsettled.model_dump_json())) <= shown
            view = next(at_view, None)
    assert hidden > 50, "the shuffler read no faces, so nothing was hunted"
    assert "is connected" in caplog.text
    assert not FACE.search(caplog.text)
    assert len(views) > 20
    assert compared(tmp_path).difference is None


def test_a_fault_is_injected_by_button_at_a_simulated_table(tmp_path: Path) -> None:
    with simulated_table("clean-1", 0.0, 100.0) as simulated:
        hub = Hub()
        listener = Listener(hub)
        with Service(simulated.configuration, hub) as service:
            service.simulate("simulated", simulated.bench)
            run_until(service, lambda: len(listener.of("round")) >= 1)
            button = next(each for each in faults() if each.id == "inject.jam")
            fields = button.read({"packet": "0", "tries": "4"})
            answer = hub.ask(Request("simulated", button.does, fields, "supervisor"))
            run_until(service, answer.done)
            assert "a supervisor may not" in str(answer.exception())
            answer = hub.ask(Request("simulated", button.does, fields, "technician"))
            run_until(service, answer.done)
            assert re.fullmatch(r"At packet \d, in (this|the next) round\.", answer.result())
            run_until(service, lambda: any(line["code"] == "jam" for line in listener.of("incident")))
            run_until(service, lambda: len(listener.of("round")) >= 3)
    said = [line["text"] for line in listener.of("status") if line["kind"] == "action"]
    assert len(said) == 1
    assert said[0].startswith("technician, scheduled: Jam a packet")


def test_a_simulated_table_is_dealt_and_settled_as_its_scenario_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    text = (
        'title = "t"\nseed = 1\nprocedure = "{}"\n[[rounds]]\n[[rounds.players]]\nseat = 1\nwagers = {{ {} = 5{} }}\n'
    )
    house = tmp_path / "house.toml"
    house.write_text(whole_text("caribbean-stud.co").replace('id = "caribbean-stud.co"', 'id = "house"'))
    file.write_text(text.format(house, "ante", ""))
    with simulated_table(str(file), 0.0, 100.0) as simulated:
        assert (simulated.configuration.table[0].settle, simulated.configuration.table[0].meters) == (False, {})
        with Service(simulated.configuration, Hub()) as service:
            service.simulate("simulated", simulated.bench)
            run_until(service, lambda: service.tables["simulated"].rounds >= 1)
    options = 'options = { community-count = "misdeal" }\n[[rounds]]'
    file.write_text(text.format("flushes-gone-wild.co", "ante", ", blind = 5").replace("[[rounds]]", options))
    with simulated_table(str(file), 0.0, 100.0) as simulated:
        part = simulated.configuration.table[0]
        assert (part.settle, part.options["community-count"]) == (True, "misdeal")


def test_a_simulated_table_settles_as_the_house_of_its_scenario_has_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    head = 'title = "t"\nseed = 1\nprocedure = "holdem.co"\n[house]\ntoken = 5\nrake = "10"\nrake_cap = 300\n'
    file.write_text(f"{head}[[rounds]]\nnumber = 1\n" + "".join(f"[[rounds.players]]\nseat = {n}\n" for n in (1, 2, 3)))
    hub = Hub()
    listener = Listener(hub)
    with simulated_table(str(file), 0.0, 100.0) as simulated, Service(simulated.configuration, hub) as service:
        service.simulate("simulated", simulated.bench)
        run_until(service, lambda: len(listener.of("settlement")) >= 3)
    pots = [pot for settlement in listener.of("settlement") for pot in settlement["pots"]]
    assert pots
    assert all(pot["rake"] == min(pot["cents"] // 10, 300) > 0 for pot in pots)
    assert not any(line["result"] == "held" for each in listener.of("settlement") for line in each["lines"])


def test_a_service_that_cannot_open_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    addresses = {"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}
    service, _ = opened(write_configuration(tmp_path, [addresses]))
    monkeypatch.setattr(TableSession, "connect", lambda *_: 1 / 0)
    before = len(os.listdir("/proc/self/fd"))
    with pytest.raises(ZeroDivisionError), service:
        pass
    assert len(os.listdir("/proc/self/fd")) == before


def test_nothing_is_injected_at_real_devices(tmp_path: Path) -> None:
    with simulators_here() as addresses:
        service, _ = opened(write_configuration(tmp_path, addresses))
        with service:
            answer = service.hub.ask(Request("table-1", "inject", {"fault": "jam"}, "technician"))
            run_until(service, answer.done)
            assert "not simulated" in str(answer.exception())


@pytest.mark.slow
def test_a_minute_of_faults_loses_no_round_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """The hour is `python -m tests.support.programs.soak`."""
    found = soak(tmp_path, minutes=1, speed=50, tables=2, faults=0.4, seed=7)
    assert found.faults() == []
    assert found.ended.total() > 20
    assert len(found.outcomes) > 2, "no fault led to anything"
