"""Held money, settled rounds and meters outlive a round, by the chain and not by the tables of the file alone."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.calls import Job, calls_of, whole
from dealwire.cli import main
from dealwire.cli.exits import Exit
from dealwire.hub.hub import Request
from dealwire.hub.view import TableView
from dealwire.journal import Journal, JournalReader
from dealwire.journal.book_tables import BookTables
from dealwire.journal.check import verify
from dealwire.journal.contents import Segment, TableStart
from dealwire.journal.errors import JournalDamaged, JournalError, JournalUnfit
from dealwire.journal.meter_book import MeterBook
from dealwire.journal.passing import INFLATED_MAX
from dealwire.journal.segments import export_segment
from dealwire.service.actions import ActionRefused
from dealwire.service.service import Service
from devices.clock import ManualClock, SystemClock
from devices.drive.replay import play
from devices.record.capture import Capture
from rules.meters.settled_rounds import SettledKey
from tests.dealwire.test_journal_chain import rechained
from tests.dealwire.test_journal_reader import as_version_2
from tests.support.oracles.books_verifier import check_books
from tests.support.rigs.held_rounds import DEVICE, settlement, write_held
from tests.support.rigs.serving import Program, compared, opened, run_until, simulators_here, write_configuration

NAME = "table-1"
ABSENT = [{"shuffler": "tcp://127.0.0.1:1", "table-controller": "tcp://127.0.0.1:2"}]


def journal_at(folder: Path) -> Journal:
    return Journal(folder / "journal.sqlite", key=None, clock=SystemClock())


def view(service: Service) -> TableView:
    return service.hub.views()[NAME]


def first_view(service: Service) -> TableView:
    """Return the first view of its table after the start."""
    with service:
        run_until(service, lambda: NAME in service.hub.views())
        return view(service)


def released(service: Service, entry: int, session: str, number: int) -> Future[str]:
    """Mark the entry as settled by hand, as a supervisor does; return the future of the answer."""
    fields = {"entry": entry, "session": session, "round": number, "badge": 7, "why": "paid at the cage"}
    answer = service.hub.ask(Request(NAME, "release-held", fields, "supervisor", "127.0.0.1"))
    run_until(service, answer.done)
    return answer


def alter(path: Path, sql: str) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        assert db.execute(sql).rowcount


# ------------------------------------------------------------------ nothing is forgotten


@pytest.mark.more
def test_what_is_held_stays_whatever_begins_anew(tmp_path: Path) -> None:
    with simulators_here(faults=1.0, seed=5) as addresses:
        file = write_configuration(tmp_path, addresses)
        service, _ = opened(file)
        with service:
            run_until(service, lambda: len(view(service).held) >= 2)
        before = view(service)
    for more, anew in (("limit-cents = 10000\nseats = 5", False), ("limit-cents = 10000", True)):
        service, _ = opened(write_configuration(tmp_path, addresses, more=more), anew=anew)
        now = first_view(service)
        assert now.held[: len(before.held)] == before.held
        assert now.held_cents["USD"] >= before.held_cents["USD"] > 0
        assert [each.kind for each in now.trouble].count("held") == len(now.held)


def test_a_release_is_of_one_round_of_one_session_and_once(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", 1, 4600), ("0000000b", 1, 13800)])
    service, _ = opened(write_configuration(tmp_path, ABSENT))
    with service:
        run_until(service, lambda: NAME in service.hub.views())
        first, second = view(service).held
        assert (first.session, second.session, view(service).held_cents) == ("0000000a", "0000000b", {"USD": 18400})
        with pytest.raises(
            ActionRefused, match="belongs to round 1 of session 0000000a, not to round 1 of session 0000000b"
        ):
            released(service, first.entry, "0000000b", 1).result()
        words = released(service, first.entry, "0000000a", 1).result()
        assert "$46.00 held from round 1 was settled by hand: paid at the cage (session 0000000a" in words
        with pytest.raises(ActionRefused, match=r"of session 0000000a was already released at 20.* by supervisor"):
            released(service, first.entry, "0000000a", 1).result()
        assert [each.entry for each in view(service).held] == [second.entry]
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        (record,) = [each for each in reader.records() if each.kind == "released"]
        verify(reader)
    noted = json.loads(record.payload)
    assert (noted["entry"], noted["of"], noted["cents"]) == (first.entry, [DEVICE, "0000000a", 1], 4600)
    assert (noted["who"], noted["badge"], noted["why"]) == ("supervisor, 127.0.0.1", 7, "paid at the cage")
    service, _ = opened(tmp_path / "table.toml")
    with service:
        run_until(service, lambda: NAME in service.hub.views())
        assert [each.entry for each in view(service).held] == [second.entry], "also after a restart"


def test_of_presses_at_once_one_releases(tmp_path: Path) -> None:
    """A double press, a form sent again, two supervisors in one instant: all of it waits in one turn."""
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", 1, 4600), ("0000000a", 2, 4600)])
    service, _ = opened(write_configuration(tmp_path, ABSENT))
    with service:
        run_until(service, lambda: NAME in service.hub.views())
        first, second = view(service).held
        fields = {"entry": first.entry, "session": "0000000a", "round": 1, "badge": 7, "why": "paid at the cage"}
        whose = ("127.0.0.1", "127.0.0.1", "10.0.0.7")
        answers = [service.hub.ask(Request(NAME, "release-held", fields, "supervisor", each)) for each in whose]
        run_until(service, lambda: all(each.done() for each in answers))
        refused = [each.exception() for each in answers if each.exception() is not None]
        assert [type(each) for each in refused] == [ActionRefused, ActionRefused]
        assert ["was already released" in str(each) for each in refused] == [True, True], refused
        assert [each.entry for each in view(service).held] == [second.entry]
    assert held_in(tmp_path / "journal.sqlite") == 1
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        assert [each.kind for each in reader.records()].count("released") == 1
        verify(reader)


def test_a_release_is_answered_once_the_disk_has_it(tmp_path: Path) -> None:
    """A person who gets the confirmation pays, so it must not be lost in a kill."""
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", 1, 4600)])
    service, _ = opened(write_configuration(tmp_path, ABSENT))
    with service, closing(sqlite3.connect(tmp_path / "journal.sqlite", isolation_level=None)) as stranger:
        run_until(service, lambda: NAME in service.hub.views())
        (held,) = view(service).held
        stranger.execute("BEGIN IMMEDIATE")
        fields = {"entry": held.entry, "session": "0000000a", "round": 1, "badge": 7, "why": "paid at the cage"}
        answer = service.hub.ask(Request(NAME, "release-held", fields, "supervisor", "127.0.0.1"))
        run_until(service, lambda: service.journal.locked_since_ns is not None)
        assert not answer.done()
        stranger.execute("ROLLBACK")
        run_until(service, answer.done)
        assert "$46.00 held from round 1 was settled by hand" in answer.result()
        assert stranger.execute("SELECT count(*) FROM record WHERE kind = 'released'").fetchone() == (1,)


RECORDED = Path(__file__).parents[2] / "captures" / "clean-1.pcapng"
PLAYED = {"shuffler": f"replay:{RECORDED}#shuffler", "table-controller": f"replay:{RECORDED}#controller"}


@pytest.mark.more
def test_a_table_that_is_renamed_finds_what_it_settled(tmp_path: Path) -> None:
    """And a journal that is dealt again says the same."""
    file = write_configuration(tmp_path, [PLAYED])
    service, listener = opened(file)
    with service:
        run_until(service, lambda: len(listener.of("settlement")) == 1)
    file.write_text(file.read_text().replace(NAME, "pit-9"))
    service, listener = opened(file)
    with service:
        run_until(service, lambda: "round-repeated" in [each["code"] for each in listener.of("incident")])
        run_until(service, lambda: len(listener.of("round")) == 1)
        (incident,) = [each for each in listener.of("incident") if each["code"] == "round-repeated"]
        assert "it was settled before at table table-1 and is not paid again" in incident["text"]
        assert not listener.of("settlement")
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def test_one_device_at_two_tables_at_once_is_an_incident_at_both_and_held(tmp_path: Path) -> None:
    shutil.copy(RECORDED, copy := tmp_path / "copy.pcapng")
    copied = {"shuffler": f"replay:{copy}#shuffler", "table-controller": f"replay:{copy}#controller"}
    service, listener = opened(write_configuration(tmp_path, [PLAYED, copied]))
    with service:
        run_until(service, lambda: len(listener.of("round")) == 2)
        run_until(service, lambda: len(listener.of("settlement")) == 1)
        found = [each for each in listener.of("incident") if each["code"] == "device-elsewhere"]
        texts = {each["text"].partition(" reports in the same session at ")[2] for each in found}
        for table in ("table-1", "table-2"):
            assert f"table {table}, shuffler, too: one of the two is not the device" in texts
        assert {each["outcome"] for each in listener.of("round")} == {"unreliable"}
        (settlement,) = listener.of("settlement")
        assert settlement["status"] == "held", "nothing is paid, and what is held is held once"
        codes = [each["code"] for each in listener.of("incident")]
        assert codes.count("round-repeated") == 1
        held = [each.held_count for each in service.hub.views().values()]
        assert sum(held) <= 1
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


# ------------------------------------------------------------------ nothing is believed


def meter(journal: Journal, cents: int) -> None:
    journal.publish(
        NAME,
        "settlement",
        journal.newest_ns + 1,
        settlement("0000000a", 9, 0, meters=[{"name": "meter", "after": cents}]),
    )
    journal.commit()


ALTERED = [
    "UPDATE meter SET line = '999999999'",
    "DELETE FROM settled",
    "UPDATE settled SET last = last - 1",
    "DELETE FROM obligation",
    "UPDATE obligation SET cents = 1",
    "UPDATE obligation SET session = 'ffffffff' WHERE entry = (SELECT max(entry) FROM obligation)",
]


@pytest.mark.every(9)
@pytest.mark.parametrize("long_ago", [False, True])
@pytest.mark.parametrize("sql", ALTERED)
def test_a_table_that_was_altered_is_found_before_money_goes_by_it(tmp_path: Path, sql: str, long_ago: bool) -> None:
    """Also where the records that say so are older than those that a start reads, or were pruned."""
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", number, 500) for number in (1, 2, 3)])
        meter(journal, 1_000_000)
        last = journal.head.sequence
        for _ in range(1200 if long_ago else 1):
            journal.publish(NAME, "status", journal.newest_ns + 1, "{}")
        journal.commit()
        if long_ago:
            journal.days.prune(Segment(1, last, "2026-01-01", b"", "a file", "of it"))
            journal.commit()
    file = write_configuration(tmp_path, ABSENT, more="limit-cents = 10000\n[table.meters]\nmeter = 1")
    assert CliRunner().invoke(main, ["run", "--check", str(file)]).exit_code == 0
    alter(path, sql)
    done = CliRunner().invoke(main, ["run", "--check", str(file)])
    assert done.exit_code == Exit.PROTOCOL, done.output
    assert "`dealwire journal salvage` rebuilds the tables from the records" in done.output
    for anew in (False, True):
        service, _ = opened(file, anew=anew)
        with pytest.raises(JournalDamaged) as caught, service:
            pytest.fail("it was served")
        assert str(caught.value) in done.output
    if sql == ALTERED[0]:
        with Program(file, "--start-over") as program:
            assert program.process.wait(60) == Exit.PROTOCOL
            assert str(caught.value) in program.text
            assert "Traceback" not in program.text


WRITTEN_BY_NO_PROGRAM = [
    ("UPDATE meter SET sequence = -1", "meter 'meter' of table 'table-1' at 1000000 (record -1)"),
    ("UPDATE settled SET first = -3", "rounds -3 to 2 of session 0000000a at table 'table-1'"),
    ("UPDATE obligation SET cents = -1", "-$0.01 held of round 1 of session 0000000a at table 'table-1'"),
    ("UPDATE obligation SET round = -1", "entry 3, $5.00 held of round -1 of session 0000000a at table 'table-1'"),
    ("UPDATE obligation SET entry = -9223372036854775808 WHERE round = 1", "entry -9223372036854775808, $5.00 held"),
    ("UPDATE obligation SET entry = 9223372036854775807 WHERE round = 1", "'obligation' lacks entry 3, $5.00"),
    ("UPDATE obligation SET readings = '[1]'", "the readings of entry 3"),
]


@pytest.mark.parametrize(("sql", "words"), WRITTEN_BY_NO_PROGRAM)
def test_a_row_that_no_program_wrote_is_one_line(tmp_path: Path, sql: str, words: str) -> None:
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", number, 500) for number in (1, 2)])
        meter(journal, 1_000_000)
    alter(tmp_path / "journal.sqlite", sql)
    for command in ("verify", "obligations"):
        done = CliRunner().invoke(main, ["journal", command, str(tmp_path / "journal.sqlite")])
        assert (done.exit_code, len(done.stderr.splitlines())) == (Exit.PROTOCOL, 1), done.output
        assert words in done.stderr
    service, _ = opened(write_configuration(tmp_path, ABSENT))
    with pytest.raises(JournalDamaged, match="`dealwire journal salvage` rebuilds the tables"), service:
        pytest.fail("it was served")


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER other AFTER INSERT ON record BEGIN DELETE FROM obligation; END",
        "ALTER TABLE settled RENAME TO kept; CREATE VIEW settled AS SELECT * FROM kept",
    ],
)
def test_a_file_that_acts_by_itself_is_not_served(tmp_path: Path, sql: str) -> None:
    """Triggers and views in the file could write to, or replace, a table that money depends on."""
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", 1, 500)])
    with closing(sqlite3.connect(path)) as db:
        db.executescript(sql)
    done = CliRunner().invoke(main, ["run", "--check", str(write_configuration(tmp_path, ABSENT))])
    assert (done.exit_code, "which no journal has: another program made it" in done.output) == (Exit.PROTOCOL, True)
    with pytest.raises(JournalDamaged, match="which no journal has"):
        Journal(path, key=None, clock=SystemClock())
    with JournalReader(path) as reader, pytest.raises(JournalDamaged, match="which no journal has"):
        verify(reader)


MADE_OTHERWISE = {
    "CREATE UNIQUE INDEX other ON settled (tbl)": "index 'other'",
    "CREATE INDEX other ON record (kind)": "index 'other'",
    "ALTER TABLE meter RENAME TO kept; CREATE TABLE meter AS SELECT * FROM kept; DROP TABLE kept": "table 'meter' of",
    "ALTER TABLE obligation ADD COLUMN more TEXT": "table 'obligation' of another form",
    "ALTER TABLE record ADD COLUMN more TEXT": "table 'record' of another form",
}
"""A unique index takes a row away when another is written; a table without its key keeps both."""


@pytest.mark.parametrize("sql", MADE_OTHERWISE)
def test_a_table_of_another_form_is_not_served(tmp_path: Path, sql: str) -> None:
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", 1, 500)])
    with closing(sqlite3.connect(path)) as db:
        db.executescript(sql)
    with pytest.raises(JournalDamaged, match=f"it has a {MADE_OTHERWISE[sql]}"):
        Journal(path, key=None, clock=SystemClock())


def test_what_touches_no_table_of_a_journal_may_stand_beside_them(tmp_path: Path) -> None:
    """As of a program that makes copies; and what SQLite itself counts for its plans."""
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", 1, 500)])
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as db:
        db.executescript("CREATE TABLE _copies (id INTEGER); CREATE INDEX _at ON _copies (id); ANALYZE")
    with journal_at(tmp_path) as journal:
        assert journal.books.obligations.held(NAME)


@pytest.mark.parametrize("altered", [False, True])
def test_a_copy_of_a_day_is_not_served(tmp_path: Path, altered: bool) -> None:
    """Its tables know nothing of the days before: what they had settled would be settled again. One word in the file
    made a journal whose beginning was pruned such a copy."""
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", number, 500) for number in (1, 2, 3)])
        journal.begin_day("2031-01-02", journal.newest_ns + 1)
        write_held(journal, NAME, [("0000000b", 1, 900)])
        journal.begin_day("2031-01-03", journal.newest_ns + 1)
        journal.commit()
        if altered:
            journal.days.prune(Segment(1, 7, "2031-01-01", b"", "a file", "of it"))
            journal.commit()
    if altered:
        alter(path, "UPDATE anchor SET whole = 0")
        alter(path, "DELETE FROM settled WHERE session = '0000000a'")
        alter(path, "DELETE FROM obligation WHERE session = '0000000a'")
    else:
        with JournalReader(path) as reader:
            copy, _ = export_segment(reader, reader.segments()[-1], tmp_path / "archive")
        path.unlink()
        copy.rename(path)
    file = write_configuration(tmp_path, ABSENT)
    done = CliRunner().invoke(main, ["run", "--check", str(file)])
    assert done.exit_code == Exit.PROTOCOL, done.output
    assert f"{path}: it is the copy of a day" in done.output
    service, _ = opened(file)
    with pytest.raises(JournalUnfit, match="it is the copy of a day"), service:
        pytest.fail("it was served")


def test_a_salvage_makes_the_tables_as_the_records_say(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", number, 500) for number in (1, 2, 3)])
        meter(journal, 1_000_000)
    with JournalReader(path) as reader:
        rows = [BookTables(reader).rows_of(name) for name in ("settled", "meter", "obligation")]
    for sql in (ALTERED[0], ALTERED[1], ALTERED[4], ALTERED[5], ALTERED[3]):
        alter(path, sql)
    done = CliRunner().invoke(main, ["journal", "salvage", str(path), str(tmp_path / "new")])
    assert done.exit_code == 0, done.output
    with JournalReader(tmp_path / "new") as reader:
        verify(reader)
        assert [BookTables(reader).rows_of(name) for name in ("settled", "meter", "obligation")] == rows


# ------------------------------------------------------------------ nothing grows


def filled(folder: Path, count: int) -> Path:
    with journal_at(folder) as journal:
        write_held(journal, NAME, [("0000000a", number, 500) for number in range(1, count + 1)])
    return write_configuration(folder, ABSENT)


@pytest.mark.more
def test_ninety_thousand_held_rounds_are_a_number_and_a_sum(tmp_path: Path) -> None:
    file = filled(tmp_path, 90_000)
    service, _ = opened(file)
    with service:
        run_until(service, lambda: NAME in service.hub.views())
        seen = view(service)
        assert (seen.held_count, seen.held_cents) == (90_000, {"USD": 90_000 * 500})
        assert [each.round for each in seen.held] == list(range(89_951, 90_001))
        assert len(seen.model_dump_json()) < 64_000
        state = service.tables[NAME].viewer.state()
        assert len(state.money) < 1_000
        entry = min(
            row[0] for row in sqlite3.connect(tmp_path / "journal.sqlite").execute("SELECT entry FROM obligation")
        )
        released(service, entry, "0000000a", 1).result()
        assert view(service).held_count == 89_999
    service, _ = opened(file)
    with service:
        run_until(service, lambda: NAME in service.hub.views())
        assert view(service).held_count == 89_999


@pytest.mark.more
def test_held_rounds_add_nothing_to_the_work_of_a_table(tmp_path: Path) -> None:
    """A view and a snapshot take as many calls with five thousand as with fifty."""
    found = []
    for count in (50, 5000):
        (folder := tmp_path / str(count)).mkdir()
        found.append(calls_of_a_view(filled(folder, count)))
    assert found[0] == found[1]


def calls_of_a_view(file: Path) -> float:
    service, _ = opened(file)
    with service:
        run_until(service, lambda: NAME in service.hub.views())
        session = service.tables[NAME]

        def work() -> None:
            session.view(7)
            session.viewer.state()

        return calls_of(Job(1, whole(work)))


def test_a_snapshot_that_could_not_be_read_back_is_not_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    start = TableStart("t", 2, "c", {})
    with Journal(tmp_path / "j", key=None, clock=ManualClock()) as journal:
        journal.started("t", 1, "c")
        kept = journal.snapshot(start, b"0" * INFLATED_MAX)
        assert kept is not None
        for _ in range(3):
            assert journal.snapshot(start, b"0" * (INFLATED_MAX + 1)) is None
        assert journal.stopped_why is None
    (line,) = [each.getMessage() for each in caplog.records if "snapshot" in each.getMessage()]
    assert line.endswith("its state is 16,777,217 bytes, at most 16,777,216 are read; the one before stays")
    with JournalReader(tmp_path / "j") as reader:
        found = reader.snapshot("t")
        assert found is not None
        assert found.sequence == kept


# ------------------------------------------------------------------ journals of before


def test_a_journal_of_version_2_has_what_it_held_and_nobody_released(tmp_path: Path) -> None:
    """By number, as its program released: the oldest since the table began last."""
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        journal.started(NAME, 1, "c")
        write_held(journal, NAME, [("0000000a", 1, 500), ("0000000b", 1, 700), ("0000000b", 2, 900)])
        journal.started(NAME, 1, "c")  # it forgot what was held then
        write_held(journal, NAME, [("0000000c", 1, 500), ("0000000d", 1, 500)])
        text = "supervisor, badge 7: the $5.00 held of round 1 was settled by hand"
        line = {"type": "status", "table": NAME, "kind": "action", "device": None, "text": text, "round": 1}
        journal.publish(NAME, "status", 9, json.dumps(line))
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(
            "UPDATE record SET payload = CAST(replace(payload, 'journal/4', 'journal/2') AS BLOB) WHERE kind = 'opened'"
        )
    rechained(path, lambda _: None)
    as_version_2(path)
    with JournalReader(path) as reader:
        verify(reader)
    with journal_at(tmp_path) as journal:
        found = [(each.session, each.round, each.cents) for each in journal.books.obligations.held(NAME)]
        assert not journal.taken_up
    left = [("0000000a", 1, 500), ("0000000b", 1, 700), ("0000000b", 2, 900), ("0000000d", 1, 500)]
    assert found == left
    with JournalReader(path) as reader:
        assert reader.version == 4
        verify(reader)
    with journal_at(tmp_path) as journal:
        assert [(each.session, each.round, each.cents) for each in journal.books.obligations.held(NAME)] == left


# ------------------------------------------------------------------ the ledger


def some_books(folder: Path) -> Path:
    """Three rounds held of two sessions, one of them twice, meters, and one released; balances between."""
    with journal_at(folder) as journal:
        write_held(journal, NAME, [("0000000a", 1, 500), ("0000000a", 3, 700), ("0000000b", 1, 900)])
        journal.publish(NAME, "settlement", journal.newest_ns + 1, settlement("0000000a", 1, 300))
        journal.holds(NAME, journal.newest_ns, SettledKey(DEVICE, "0000000a", 1))
        meter(journal, 1_000_000)
        step = {"meter": "mega", "number": 1, "kind": "contributed", "to_meter": 5, "to_house": -5, "meter_cents": 5}
        journal.publish(NAME, "meter", journal.newest_ns + 1, json.dumps(step))
        journal.release(NAME, 3, journal.newest_ns, "supervisor", 7, "paid")
        for _ in range(2100):
            journal.publish(NAME, "status", journal.newest_ns + 1, "{}")
            journal.commit()
    return folder / "journal.sqlite"


@pytest.mark.more
def test_a_program_of_its_own_finds_each_balance_right(tmp_path: Path) -> None:
    path = some_books(tmp_path)
    assert check_books(str(path)) == "2 balances are right"
    alter(path, "UPDATE record SET payload = CAST(replace(payload, '\"cents\":500', '\"cents\":501') AS BLOB)")
    alter(path, "UPDATE record SET payload = CAST(replace(payload, '700', '701') AS BLOB) WHERE kind = 'settlement'")
    assert check_books(str(path)).endswith("is wrong")


def obligations(path: Path, *options: str) -> list[dict[str, object]]:
    done = CliRunner().invoke(main, ["journal", "obligations", str(path), "--json", *options])
    assert done.exit_code == 0, done.output
    return [json.loads(line) for line in done.output.splitlines()]


@pytest.mark.more
def test_the_ledger_has_each_entry_once_and_its_accounts_come_to_nothing(tmp_path: Path) -> None:
    path = some_books(tmp_path)
    lines = obligations(path)
    entries = [line for line in lines if line["type"] == "entry"]
    assert len({line["id"] for line in entries}) == len(entries)
    ways = [(line["id"], line["debit"], line["credit"], line["cents"], line["clause"]) for line in entries]
    assert [way for way in ways if str(way[0]).startswith(("held", "released", "contributed"))] == [
        ("held:3", "players:table-1", "held:table-1", 500, "procedure"),
        ("held:5", "players:table-1", "held:table-1", 700, "procedure"),
        ("held:7", "players:table-1", "held:table-1", 900, "procedure"),
        ("held:9", "players:table-1", "held:table-1", 300, "procedure"),
        ("contributed:mega:1", "house", "meter:mega", 5, ""),
        ("released:3", "held:table-1", "hand:table-1", 500, ""),
    ]
    (released_,) = [line for line in entries if line["id"] == "released:3"]
    assert released_["cause"] == "round 1 of session 0000000a: paid; supervisor, badge 7"
    accounts = {line["account"]: line["cents"] for line in lines if line["type"] == "account"}
    assert sum(accounts.values()) == 0  # type: ignore[arg-type]
    assert (accounts["held:table-1"], accounts["hand:table-1"]) == (1900, 500)
    shown = [(line["entry"], line["round"], line["cents"]) for line in obligations(path, "--open") if "entry" in line]
    assert shown == [(5, 3, 700), (7, 1, 900), (9, 1, 300)]
    assert obligations(path, "--table", "another") == []
    text = CliRunner().invoke(main, ["journal", "obligations", str(path), "--open"]).output
    assert text.splitlines()[-1] == "held:table-1: $19.00"
    alter(path, "DELETE FROM obligation WHERE entry = 5")
    done = CliRunner().invoke(main, ["journal", "obligations", str(path)])
    assert done.exit_code == Exit.PROTOCOL
    assert "the table 'obligation' lacks entry 5, $7.00 held of round 3" in done.output


def test_a_table_s_step_and_a_shared_one_of_that_number_are_two_entries(tmp_path: Path) -> None:
    moved = [{"name": "mega", "before": 500, "contributed": 5, "after": 505}]
    step = {"meter": "mega", "kind": "contributed", "to_meter": 5, "to_house": -5, "meter_cents": 5}
    with journal_at(tmp_path) as journal:
        journal.publish(NAME, "settlement", 1, settlement("0000000a", 1, 0, meters=moved))
        for number in range(1, 9):
            journal.publish(NAME, "meter", 1, json.dumps(step | {"number": number, "meter_cents": 5 * number}))
    ids = [line["id"] for line in obligations(tmp_path / "journal.sqlite") if line["type"] == "entry"]
    assert len({*ids}) == len(ids) == 10


def test_what_a_settlement_says_of_a_shared_meter_is_one_entry(tmp_path: Path) -> None:
    step = {"meter": "mega", "number": 1, "kind": "contributed", "to_meter": 5, "to_house": -5, "meter_cents": 505}
    moved = [{"name": name, "before": 505, "contributed": 5, "after": 510} for name in ("mega", "own")]
    with journal_at(tmp_path) as journal:
        journal.publish(NAME, "meter", 1, json.dumps(step))
        journal.publish(NAME, "settlement", 2, settlement("0000000a", 1, 0, meters=moved))
        journal.publish(NAME, "meter", 2, json.dumps(step | {"number": 2, "meter_cents": 510}))
    accounts = {
        line["account"]: line["cents"] for line in obligations(tmp_path / "journal.sqlite") if "account" in line
    }
    assert accounts == {
        "house": -10,
        "meter:mega": 10,
        "house:table-1": -5,
        "meter:table-1/own": 5,
        "players:table-1": 0,
    }


def test_the_ledger_of_a_pruned_journal_begins_with_what_was_open(tmp_path: Path) -> None:
    path = some_books(tmp_path)
    with journal_at(tmp_path) as journal:
        journal.days.prune(Segment(1, 1500, "2026-01-01", b"", "a file", "of it"))
        journal.release(NAME, 7, journal.newest_ns, "supervisor", 7, "paid")
        journal.commit()
    lines = obligations(path)
    assert [(line["id"], line["cents"]) for line in lines if line["type"] == "entry"] == [
        ("carried:table-1:USD", 1900),
        ("released:7", 900),
    ]
    with JournalReader(path) as reader:
        verify(reader)


# ------------------------------------------------------------------ what a meter pays


def test_a_meter_that_is_not_as_it_was_written_down_pays_nothing(tmp_path: Path) -> None:
    with journal_at(tmp_path) as journal:
        meters = journal.books.meters
        step = {"meter": "mega", "number": 1, "kind": "contributed", "to_meter": 5, "to_house": -5, "meter_cents": 505}
        assert unlike(meters, "meter", json.dumps(step)) == "", "nothing is known of it yet"
        journal.publish(NAME, "meter", 1, json.dumps(step))
        paid = {
            **step,
            "kind": "paid",
            "number": 2,
            "to_meter": -505,
            "to_house": 0,
            "to_players": 505,
            "meter_cents": 0,
        }
        assert unlike(meters, "meter", json.dumps(paid)) == ""
        why = unlike(meters, "meter", json.dumps(paid | {"to_meter": -9_000}))
        assert why == "meter mega is at $90 here, but record 2 of the journal says $5.05"
        meter(journal, 700)
        own = settlement("0000000a", 2, 0, meters=[{"name": "meter", "before": 700, "after": 0}])
        assert unlike(meters, "settlement", own) == ""
        closed = json.dumps({"kind": "closed", "meter": "meter", "cents": 701})
        assert "meter meter is at $7.01 here" in unlike(meters, "award", closed)
        two = [("meter", json.dumps(paid)), ("meter", json.dumps(paid | {"to_meter": -1, "meter_cents": 3}))]
        assert (
            meters.unlike(meters.steps(NAME, two)) == "meter mega is at $0.04 here, but the step before left it at $0"
        )


def unlike(book: MeterBook, topic: str, text: str) -> str:
    return book.unlike(book.steps(NAME, [(topic, text)]))


WON = Path(__file__).parents[2] / "captures" / "texas-holdem-bonus.co-single.pcapng"


def where_a_meter_pays(folder: Path) -> Path:
    """A table whose first round takes $250.00 off its meter, which the journal has at $10,000.00."""
    with journal_at(folder) as journal:
        meter(journal, 1_000_000)
    file = write_configuration(folder, ABSENT, more="", role="observe", procedure="texas-holdem-bonus.co-single")
    file.write_text(file.read_text().replace('"shuffler"', '"shoe"'))
    return file


def deal(service: Service) -> None:
    """Deal the reports of its devices, at the program's pace."""
    play(Capture.read(WON), service.tables[NAME].deliver)
    run_until(service, lambda: bool(view(service).safe_stop or view(service).settlement))


def test_a_meter_pays_what_the_journal_has_of_it(tmp_path: Path) -> None:
    service, listener = opened(where_a_meter_pays(tmp_path))
    with service:
        deal(service)
        (moved,) = listener.of("settlement")[0]["meters"]
        assert (moved["before"], moved["paid"], moved["after"]) == (1_000_000, 25_000, 975_000)
        assert service.tables[NAME].stopped is None


@pytest.mark.parametrize(
    ("sql", "there"),
    [
        ("UPDATE meter SET line = '999999999'", "$9,999,999.99 of record"),
        ("UPDATE meter SET sequence = 1", "it holds $10,000 of record 1"),
        ("UPDATE meter SET name = 'other'", "it holds nothing"),
        ("INSERT INTO meter VALUES ('', 'mega', 3, 'nonsense')", "'mega', which tables share, was altered in the file"),
    ],
)
def test_a_meter_altered_in_the_file_of_a_running_table_is_found_before_it_pays(
    tmp_path: Path, sql: str, there: str
) -> None:
    file = where_a_meter_pays(tmp_path)
    service, listener = opened(file)
    with service:
        alter(tmp_path / "journal.sqlite", sql)
        deal(service)
        why = str(view(service).safe_stop)
        assert why.startswith("a meter does not match the journal, so nothing is paid: meter '")
        assert there in why
        assert not listener.of("settlement")
        assert "safe-stop" in [each.kind for each in view(service).trouble]
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        texts = [json.loads(record.payload)["text"] for record in reader.records() if record.kind == "status"]
        assert why in texts


@pytest.mark.more
@pytest.mark.parametrize("name", [NAME, "pit-9"])
def test_rounds_taken_out_of_the_file_of_a_running_table_are_not_settled_again(tmp_path: Path, name: str) -> None:
    """Neither at the table that settled them nor at one of another name."""
    file = write_configuration(tmp_path, [PLAYED])
    service, listener = opened(file)
    with service:
        run_until(service, lambda: len(listener.of("settlement")) == 1)
    file.write_text(file.read_text().replace(NAME, name))
    service, heard = opened(file, anew=True)
    with service:
        alter(tmp_path / "journal.sqlite", "DELETE FROM settled")
        run_until(service, lambda: len(heard.of("round")) == 1)
        assert "round-repeated" in [each["code"] for each in heard.of("incident")]
        assert not heard.of("settlement")


# ------------------------------------------------------------------ a table that is served no more


def test_what_a_renamed_table_leaves_behind_is_named_with_what_clears_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = write_configuration(tmp_path, ABSENT)
    with journal_at(tmp_path) as journal:
        write_held(journal, NAME, [("0000000a", 1, 500)])
    service, _ = opened(file)
    with service:
        pass
    mqtt = '[exports.mqtt]\nurl = "mqtt://pit@127.0.0.1:1884"\nsite = "sim"\n'
    text = file.read_text().replace(f'name = "{NAME}"', 'name = "pit-9"')
    file.write_text(text + mqtt)
    held = f"dealwire journal obligations {tmp_path / 'journal.sqlite'} --table table-1 --open"
    clears = "for t in status standing sent; do mosquitto_pub -h 127.0.0.1 -p 1884 -u pit -q 1 -r -n -t "
    clears += '"dealwire/v1/sim/table-1/$t"; done'
    said = CliRunner().invoke(main, ["run", "--check", str(file)]).output
    assert f"$5.00 is still held there: {held}" in said
    assert clears in said
    service, _ = opened(file)
    with service:
        pass
    lines = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("table table-1 is no longer served: ") and clears in line for line in lines)
    caplog.clear()
    service, _ = opened(file)
    with service:
        pass
    lines = [record.getMessage() for record in caplog.records]
    assert [held in line for line in lines if "table-1" in line] == [True], "what is held is named at every start"


def release(path: Path, entry: int, session: str, number: int, *more: str) -> Result:
    given = ["journal", "release", str(path), str(entry), "--session", session, "--round", str(number)]
    by = ["--who", "A. Smith", "--badge", "7", "--why", "paid at the cage"]
    return CliRunner().invoke(main, [*given, *by, *more])


def test_what_is_held_at_a_table_that_nobody_serves_is_released_by_command(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        write_held(journal, "old", [("0000000a", 1, 4600), ("0000000b", 1, 13800)])
    first, second = (line for line in obligations(path, "--open") if line["type"] == "open")
    entry = int(str(first["entry"]))
    for wrong in ((entry, "0000000b", 1), (entry, "0000000a", 2), (entry + 1, "0000000a", 1)):
        done = release(path, *wrong)
        assert (done.exit_code, done.output.count("\n")) == (Exit.CHECK_FAILED, 1), done.output
        assert done.output.endswith("; nothing was released\n")
    assert len(obligations(path, "--open")) == 3
    done = release(path, entry, "0000000a", 1)
    assert done.exit_code == 0, done.output
    noted = f"the $46.00 held from round 1 was settled by hand: paid at the cage (session 0000000a, entry {entry})"
    assert done.output == f"table old: {noted}; noted by A. Smith, badge 7\n"
    again = release(path, entry, "0000000a", 1)
    assert again.exit_code == Exit.CHECK_FAILED
    assert "of session 0000000a was already released at 20" in again.output
    assert "by A. Smith, dealwire journal release, badge 7; nothing was released" in again.output
    assert [line.get("entry") for line in obligations(path, "--open")] == [second["entry"], None]
    (entered,) = [line for line in obligations(path) if line.get("id") == f"released:{entry}"]
    assert (entered["debit"], entered["credit"], entered["cents"]) == ("held:old", "hand:old", 4600)
    with JournalReader(path) as reader:
        verify(reader)
        (line,) = [json.loads(item.line) for item in reader.publications()[-1:]]
    assert (line["table"], line["kind"], line["round"]) == ("old", "action", 1)
    assert line["text"] == f"A. Smith, dealwire journal release, badge 7: {noted}"
    assert check_books(str(path)).endswith("are right")
    done = CliRunner().invoke(main, ["run", "--check", str(write_configuration(tmp_path, ABSENT))])
    assert "$138.00 is still held there" in done.output
    assert "or with `dealwire journal release` while no service has the journal open" in done.output


def test_a_journal_that_a_service_has_open_is_released_there(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with journal_at(tmp_path) as journal:
        write_held(journal, "old", [("0000000a", 1, 4600)])
        before = journal.head
        done = release(path, before.sequence, "0000000a", 1)
        assert (done.exit_code, done.output.count("\n")) == (Exit.BUSY, 1)
        assert "on the table's page in the console, or stop the service first" in done.output
        assert journal.head == before


REFUSED = {
    "no journal": ((), {}, Exit.USAGE, "No such file"),
    "a badge that is none": (("--badge", "0"), {}, Exit.USAGE, "badge: must be a whole number from 1 to 4294967295"),
    "nobody": (("--who", " "), {}, Exit.USAGE, "--who: 1 to 200 printable characters"),
    "no reason": (("--why", "x" * 201), {}, Exit.USAGE, "why: must be 1 to 200 printable characters"),
    "a row that was altered": ((), {"sql": "UPDATE obligation SET cents = 1"}, Exit.PROTOCOL, "salvage"),
    "a day's copy": ((), {"sql": "UPDATE anchor SET whole = 0"}, Exit.CHECK_FAILED, "is the copy of a day"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_release_by_command_that_cannot_be_is_one_line(tmp_path: Path, case: str) -> None:
    more, altered, code, words = REFUSED[case]
    path = tmp_path / "journal.sqlite"
    if case != "no journal":
        with journal_at(tmp_path) as journal:
            write_held(journal, "old", [("0000000a", 1, 4600)])
    if altered:
        alter(path, altered["sql"])
    done = release(path, 3, "0000000a", 1, *more)
    assert (done.exit_code, done.output.count("\n")) == (code, 1), done.output
    assert words in done.output


def test_a_release_by_command_asks_whether_the_clock_is_right(tmp_path: Path) -> None:
    with Journal(tmp_path / "journal.sqlite", key=None, clock=ManualClock(10**18)) as journal:
        write_held(journal, "old", [("0000000a", 1, 4600)])
    done = release(tmp_path / "journal.sqlite", 3, "0000000a", 1)
    assert done.exit_code == Exit.CHECK_FAILED
    assert "set the clock, or accept it with --trust-clock" in done.output
    assert release(tmp_path / "journal.sqlite", 3, "0000000a", 1, "--trust-clock").exit_code == 0


@pytest.mark.more
def test_a_table_goes_on_after_a_release_by_command_as_if_there_had_been_none(tmp_path: Path) -> None:
    """It was killed in the middle of a round: what was released stays so, and its record gives the same again."""
    with simulators_here(faults=1.0, seed=5) as addresses:
        file = write_configuration(tmp_path, addresses)
        with Program(file) as program:
            program.wait_for(lambda: held_in(tmp_path / "journal.sqlite") > 1)
            program.end(signal.SIGKILL)
        first, *rest = [line for line in obligations(tmp_path / "journal.sqlite", "--open") if line["type"] == "open"]
        given = int(str(first["entry"])), str(first["session"]), int(str(first["round"]))
        assert release(tmp_path / "journal.sqlite", *given).exit_code == 0
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("round")) > 1)
            entries = [each.entry for each in service.journal.books.obligations.held(NAME)]
            assert given[0] not in entries
            assert {line["entry"] for line in rest} <= set(entries)
    comparison = compared(tmp_path)
    assert (comparison.difference, comparison.pending) == (None, [])


def held_in(path: Path) -> int:
    """Return the number of open entries in a journal that may still be written."""
    try:
        with JournalReader(path) as reader:
            return len(BookTables(reader).rows_of("obligation"))
    except JournalError:
        return 0
