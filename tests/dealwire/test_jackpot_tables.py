"""Tables with a jackpot: its file in a configuration and on the command line, its pools over kills, its posting."""

from __future__ import annotations

import html
import json
import re
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.config.build import Banks, build_table
from dealwire.config.load import examined, load_configuration
from dealwire.config.table_parts import TablePart
from dealwire.console.rendering import render_sections
from dealwire.journal import SealingKey
from dealwire.journal.entries import LedgerReader
from dealwire.journal.factory import TableFactory
from dealwire.journal.journal import Journal
from dealwire.journal.reader import JournalReader
from dealwire.journal.settings import configuration_of
from dealwire.journal.tables import JournaledPublisher, JournaledTable
from dealwire.service.simulated import simulator
from dealwire.table.state import TableState
from dealwire.table.table import Table, TableTerms
from dealwire.table.viewer import Viewer
from devices.clock import ManualClock
from protocol.tomlfile import TomlFileError
from rules import load_game
from rules.meters.bank import MeterBank, MeterRecord
from rules.meters.jackpot_book import JackpotBook, PoolBank, posting
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.settled_rounds import SettledKey
from rules.settlement import Rolled
from tests.support.dealing.settling_table import SettlingTable
from tests.support.dealing.written_rounds import ended_round, seat_of
from tests.support.evenings.between_rounds import check_every_rest
from tests.support.rigs.serving import Program, compared, opened, published, rounds_in, run_until

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "jackpot-bad-beat.toml"
PLAIN = seat_of(1, "9S 8H", river=1000), seat_of(2, "7S 6H", river=1000)
WON = seat_of(1, "AS AH", river=1000), seat_of(2, "KS KC", river=1000), seat_of(3, "2S 3S", river=1000)
AN_EVENING = [ended_round("holdem.co", PLAIN, "AC TD KH 4D 2C"), ended_round("holdem.co", WON, "AC TD KH KD TC")]
LINES = "".join(
    msgspec.structs.replace(AN_EVENING[number == 3], round=number).to_json() + "\n" for number in range(1, 6)
)
TABLE = """
[[table]]
name = "{name}"
procedure = "{procedure}"
{more}
[[table.device]]
name = "shoe"
kind = "shoe"
address = "{shoe}"

[[table.device]]
name = "controller"
kind = "table-controller"
address = "{controller}"
"""
HEAD = 'schema = "dealwire.table/1"\n[journal]\npath = "journal.sqlite"\n'
MINE = 'jackpot = "mine.toml"'


def configuration(folder: Path, *tables: dict[str, str]) -> Path:
    """Return a configuration of such tables, with the jackpot's file next to it."""
    (folder / "mine.toml").write_text(EXAMPLE.read_text(encoding="utf-8"), encoding="utf-8")
    text = HEAD
    for number, table in enumerate(tables, 1):
        given = {"name": f"pit-{number}", "procedure": "holdem.co", "more": MINE, "shoe": f"tcp://127.0.0.1:{number}"}
        text += TABLE.format(**given | {"controller": f"tcp://127.0.0.2:{number}"} | table)
    (file := folder / "table.toml").write_text(text, encoding="utf-8")
    return file


# ------------------------------------------------------------------ a configuration


@pytest.mark.parametrize(
    ("table", "key", "said"),
    [
        ({"procedure": "omaha.co"}, "table[1].jackpot", "game of jackpot bad-beat 'omaha.co'; allowed: holdem.co"),
        ({"more": 'jackpot = "no.toml"'}, "table[1].jackpot", "no.toml"),
        ({"more": f"{MINE}\nsettle = false"}, "table[1].jackpot", "a jackpot needs a table that settles"),
        (
            {"more": f'{MINE}\nprogressive = "x.toml"'},
            "table[1].jackpot",
            "progressive and jackpot belong to different games; give only one",
        ),
        (
            {"more": f"{MINE}\nrake = {{ jackpot-cents = 100 }}"},
            "table[1].rake.jackpot-cents",
            "jackpot and jackpot-cents both set what is taken; give only one",
        ),
        (
            {"more": f"{MINE}\nmeters = {{ primary = 5 }}"},
            "table[1].meters.primary",
            "meter 'primary'; allowed: ",
        ),
        ({"more": f'{MINE}\nrake = {{ percent = "11" }}'}, "table[1].rake", "rake '11'; allowed: 0 to 10 percent"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, table: dict[str, str], key: str, said: str) -> None:
    _, faults = examined(configuration(tmp_path, table))
    (fault,) = faults
    assert fault.key == key, fault
    assert said in str(fault)
    assert "\n" not in str(fault)


def test_a_fault_in_the_jackpot_file_names_that_file(tmp_path: Path) -> None:
    file = configuration(tmp_path, {})
    mine = tmp_path / "mine.toml"
    mine.write_text(mine.read_text().replace("percent = 50", "percent = 60"))
    with pytest.raises(TomlFileError) as caught:
        load_configuration(file)
    assert f"table[1].jackpot: {mine}:" in str(caught.value)
    assert "they add up to 110 percent; allowed: 100 at most" in str(caught.value)


def test_a_jackpot_rake_that_the_game_does_not_have_is_the_file_s(tmp_path: Path) -> None:
    """Longhorn's own bet builds its pools."""
    file = configuration(tmp_path, {"procedure": "longhorn.co"})
    mine = tmp_path / "mine.toml"
    mine.write_text(mine.read_text().replace('"holdem.co"', '"longhorn.co"'))
    _, faults = examined(file)
    assert [fault.key for fault in faults] == ["table[1].jackpot"]


def test_two_files_with_one_pool_are_refused(tmp_path: Path) -> None:
    file = configuration(tmp_path, {}, {"more": 'jackpot = "other.toml"'}, {"more": 'jackpot = "./mine.toml"'})
    (tmp_path / "other.toml").write_text(EXAMPLE.read_text())
    _, faults = examined(file)
    found = [(fault.key, fault.why) for fault in faults]
    assert {key for key, _ in found} == {"table[2].jackpot"}
    assert found[0][1] == f"meter 'primary' is also defined in {tmp_path}/mine.toml"


def test_two_tables_share_a_jackpot(tmp_path: Path) -> None:
    parts, banks = load_configuration(configuration(tmp_path, {}, {})).table, Banks()
    one, two = (build_table(part, banks, Table) for part in parts)
    assert one.terms is not None
    assert two.terms is not None
    assert one.terms.jackpot is two.terms.jackpot is not None
    one.terms.settle_all(AN_EVENING[0])
    two.terms.settle_all(AN_EVENING[0])
    assert one.meters == two.meters == {"primary": 500_120, "secondary": 60, "tertiary": 20}
    settlement, *records = two.terms.settle_all(AN_EVENING[1])
    assert sum(line.pay for line in settlement.lines if line.bet == "jackpot") == 500_000
    assert [record.kind for record in records if isinstance(record, MeterRecord)].count("paid") == 3
    assert one.meters["primary"] == 180, "what was collected since the posting stays"


# ------------------------------------------------------------------ the command line


def settle(*options: str, lines: str = LINES) -> Result:
    return CliRunner().invoke(main, ["settle", *options], input=lines)


def test_rounds_settled_with_a_jackpot_file() -> None:
    done = settle("--jackpot", str(EXAMPLE))
    assert done.exit_code == 0, done.output
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    steps = [line for line in lines if line["type"] == "meter"]
    assert [step["number"] for step in steps] == list(range(1, len(steps) + 1))
    assert all(step["to_players"] + step["to_house"] + step["to_meter"] == 0 for step in steps)
    paid = {line["seat"]: line["pay"] for each in lines for line in each.get("lines", ()) if line["bet"] == "jackpot"}
    assert paid == {1: 250_000, 2: 125_000, 3: 125_000}
    last = {step["meter"]: (step["meter_cents"], step["posted"]) for step in steps}
    assert last == {"primary": (300, 0), "secondary": (150, 0), "tertiary": (50, 0)}
    said = settle("--jackpot", str(EXAMPLE), "--text").stdout
    assert "pool primary: posted at $0, shows $1.80  the award was won" in said


def test_a_second_run_goes_on_from_the_first(tmp_path: Path) -> None:
    lines = LINES.splitlines(keepends=True)
    whole = settle("--jackpot", str(EXAMPLE)).stdout.splitlines()
    (first := tmp_path / "first").write_text(settle("--jackpot", str(EXAMPLE), lines="".join(lines[:3])).stdout)
    rest = settle("--jackpot", str(EXAMPLE), "--resume", str(first), lines="".join(lines[3:])).stdout.splitlines()
    assert rest[3:] == whole[len(first.read_text().splitlines()) :]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--jackpot", "no.toml"), "no.toml"),
        (("--jackpot", str(EXAMPLE), "--jackpot-rake", "50"), "both set the jackpot drop"),
        (("--jackpot", str(EXAMPLE), "--progressive", "x.toml"), "exclude each other"),
        (("--jackpot", str(EXAMPLE), "--game", "omaha.co"), "game of jackpot bad-beat 'omaha.co'; allowed: holdem.co"),
        (("--resume", "x"), "--progressive or --jackpot"),
    ],
)
def test_a_wrong_option_is_one_line(options: tuple[str, ...], said: str) -> None:
    done = settle(*options)
    assert done.exit_code == 2 or "no.toml" in options
    assert done.exit_code != 0
    assert said in done.stderr
    assert "Traceback" not in done.output


def test_a_jackpot_that_no_round_is_of_is_named() -> None:
    omaha = ended_round("omaha.co", [seat_of(1, "AS AH 2C 3D", river=100)], "2S 5D 7H 9S JC").to_json() + "\n"
    done = settle("--jackpot", str(EXAMPLE), lines=omaha)
    assert "dealwire: --jackpot: not used, no round was of a game that has it" in done.stderr


# ------------------------------------------------------------------ posting

POSTING = "controller HandButton: hand 2; on true"


def table_of(book: JackpotBook) -> SettlingTable:
    return SettlingTable("holdem.co", {"jackpot": book})


def kinds(hand: SettlingTable) -> list[str]:
    return [each.kind for each in hand.awards]


def test_a_person_posts_the_amounts_at_the_controller() -> None:
    book = JackpotBook(load_jackpot(EXAMPLE))
    hand = table_of(book)
    hand.terms.settle_all(AN_EVENING[0])
    viewer = Viewer(hand.table, "table-1")
    assert book.award_cents == 500_000
    hand.play(POSTING)
    assert hand.table.state() is None, "a posting is asked for"
    hand.confirm().badge(77, "supervisor")
    assert kinds(hand) == ["hand-on", "confirmed", "posted"]
    last = hand.awards[-1]
    assert (last.cents, last.badge, last.clause) == (500_060, 77, "47.1-1060(2)")
    assert last.why == "the award is posted at $5,000.60; it was $5,000"
    posted = book.bank.records[-3:]
    assert [(each.kind, each.badge, each.posted) for each in posted] == [
        ("posted", 77, 500_060),
        ("posted", 77, 30),
        ("posted", 77, 10),
    ]
    assert last.record == posted[0].number
    view = viewer.view(1, 1)
    assert view.posting[0] == "The award is $5,000.60."
    shown = " ".join(re.sub(r"<[^>]*>", " ", render_sections(view)["meters"]).split())
    assert all(line in html.unescape(shown) for line in posting(book)), "amount, conditions, division, what is taken"
    assert "secondary $0.30" in shown
    state = hand.table.state()
    assert state is not None
    assert msgspec.json.decode(msgspec.json.encode(state), type=TableState) == state


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ("controller HandButton: hand 1; on true", ["refused"]),
        (f"{POSTING}\ncontroller HandButton: hand 2; on false", ["hand-on", "hand-off"]),
        (f"{POSTING}\nconfirm\ncontroller BadgeSwiped: badge 7; level dealer", ["hand-on", "confirmed", "refused"]),
        ("confirm\ncontroller BadgeSwiped: badge 77; level supervisor", []),
    ],
)
def test_what_is_no_posting_posts_nothing(lines: str, found: list[str]) -> None:
    book = JackpotBook(load_jackpot(EXAMPLE))
    hand = table_of(book)
    hand.terms.settle_all(AN_EVENING[0])
    hand.play(lines)
    assert kinds(hand) == found
    assert book.award_cents == 500_000


def test_a_table_goes_on_from_every_moment_around_a_posting() -> None:
    hand = table_of(JackpotBook(load_jackpot(EXAMPLE)))
    for _ in range(2):
        hand.play("stakes 1: 20000, 2: 20000").play(POSTING)
        hand.confirm().badge(77, "executive")

    def make(bank: MeterBank | None) -> JournaledPublisher:
        banks = Banks()
        if isinstance(bank, PoolBank):
            banks.put_jackpot(EXAMPLE, JackpotBook(load_jackpot(EXAMPLE), bank))
        table = build_table(part_of("table-1", procedure="holdem.co", jackpot=EXAMPLE), banks, JournaledTable)
        return JournaledPublisher(table, "table-1", 3)

    assert check_every_rest(make, hand.seen) >= 1


def test_where_there_is_a_pool_too_one_thing_is_asked_for_at_a_time(tmp_path: Path) -> None:
    (file := tmp_path / "mine.toml").write_text(EXAMPLE.read_text().replace('"holdem.co"', '"home-run.co"'))
    book = JackpotBook(load_jackpot(file))
    hand = SettlingTable("home-run.co", {"jackpot": book, "meters": {"home-run": 9000}, "runners": {1: 1}})
    hand.play("controller HandButton: hand 1; on true").play(POSTING)
    hand.confirm().badge(77, "supervisor")
    assert kinds(hand) == ["hand-on", "hand-off", "hand-on", "confirmed", "posted"]
    assert hand.terms.meters["home-run"] == 9000


# ------------------------------------------------------------------ the journal


def part_of(name: str, **settings: Any) -> TablePart:
    device = {"name": "shoe", "kind": "shoe", "address": "tcp:host:1"}
    return TablePart.model_validate({"name": name, "device": (device,)} | settings)


def test_a_table_that_begins_anew_has_the_pools_of_the_journal(tmp_path: Path) -> None:
    book = JackpotBook(load_jackpot(EXAMPLE))
    hand = table_of(book)
    part = part_of("table-1", procedure="holdem.co", jackpot=EXAMPLE)
    with Journal(tmp_path / "journal.sqlite", key=None, clock=ManualClock()) as journal:
        journal.started("table-1", 1, "old = 1\n")
        for result in (*AN_EVENING, AN_EVENING[0]):
            settlement, *records = hand.terms.settle_all(result)
            journal.publish("table-1", "settlement", 1, settlement.to_json())
            for record in records:
                journal.publish("table-1", "meter", 1, record.to_json())
        for record in book.post(77):
            journal.publish("table-1", "meter", 1, record.to_json())
        journal.secure()
        with TableFactory(journal.path) as maker:
            facts = maker.facts(part)
            assert facts["meters"] == {}, "pools are no meters of the table"
            assert set(facts["files"]) == {"procedure", "game", "jackpot", "edition"}
            journal.started("table-1", 2, configuration_of(part), facts)
            journal.secure()
        with JournalReader(journal.path) as reader, TableFactory(journal.path) as maker:
            terms = maker(reader.starts()["table-1"]).table.terms
            assert terms is not None
            assert terms.jackpot is not None
            assert (terms.jackpot.shown(), terms.jackpot.posted) == (book.shown(), book.posted)
            assert terms.jackpot.bank.carries() == book.bank.carries()
            without = part_of("table-1", procedure="holdem.co")
            assert "jackpot" not in configuration_of(without), "a table goes on that was set up before there was one"
            assert maker.facts(without)["meters"] == {}


def test_a_pot_that_rolls_over_goes_on_after_a_restart(tmp_path: Path) -> None:
    part = part_of("table-1", procedure="trips.co", meters={"pot": 0}, readings={"high-hand-share": "50"})
    table = build_table(part, Banks(), JournaledTable)
    assert table.terms is not None
    bets: dict[str, Any] = {"initial": 100, "bet_1": 100, "bet_2": 100, "bet_3": 100}
    seats = [seat_of(1, "QS QD 7H 5C 2H", **bets), seat_of(2, "KS KD 8H 8C 3C", **bets)]
    settlement = table.terms.settle(ended_round("trips.co", seats))
    assert table.terms.rolled, settlement
    with Journal(tmp_path / "journal.sqlite", key=None, clock=ManualClock()) as journal:
        journal.started("table-1", 1, "old = 1\n")
        journal.publish("table-1", "settlement", 1, settlement.to_json())
        journal.secure()
        with TableFactory(journal.path) as maker:
            facts = maker.facts(part)
            journal.started("table-1", 2, configuration_of(part), facts)
            journal.secure()
        with JournalReader(journal.path) as reader, TableFactory(journal.path) as maker:
            terms = maker(reader.starts()["table-1"]).table.terms
            assert terms is not None
            assert (terms.meters, terms.rolled) == (table.terms.meters, table.terms.rolled)
            assert all(isinstance(each, Rolled) for each in terms.rolled.values())


def bad_beats(path: Path) -> Counter[str]:
    """Check that each bad-beat wager of a journal is on the pools, or in the money that is held of its round, and
    neither twice nor in both; return the cents by result."""
    with JournalReader(path) as reader:
        items, ledger = reader.publications(), LedgerReader(reader)
        assert list(ledger.entries())
    held = {(table, each.session, each.round): each.cents for table, each in ledger.books.obligations.open}
    on_pools, found = Counter[tuple[str | None, str | None, int | None]](), Counter[str]()
    for step in (MeterRecord.from_json(item.line) for item in items if item.topic == "meter"):
        if step.kind == "contributed":
            on_pools[step.table, step.session, step.round] += step.to_meter
    for each in (json.loads(item.line) for item in items if item.topic == "settlement"):
        of, mine = (each["table"], each["session"], each["round"]), Counter[str]()
        for line in each["lines"]:
            mine[line["result"]] += line["stake"] if line["bet"] == "bad-beat" else 0
        # An unreliable round takes nothing: a supervisor decides about its wagers, the bad-beat among them.
        waits = sum(line["stake"] for line in each["lines"] if line["result"] == "held")
        assert (mine["lose"], waits) == (on_pools.pop(of, 0), held.pop(of, 0)), of
        assert mine["lose"] + mine["held"] == mine.total(), of
        found += mine
    assert not on_pools, "a contribution of a round that was not settled"
    assert not held, "money held of a round that was not settled"
    return found


def longhorns(file: Path) -> None:
    """The file of a jackpot at Longhorn, whose own text has the award and whose own bet builds the pools."""
    text = file.read_text().replace('"holdem.co"', '"longhorn.co"').replace("rake-cents = 100", "rake-cents = 0")
    file.write_text(text[: text.index("[award]")] + text[text.index("[posted]") :])


def test_a_bad_beat_wager_of_an_unreliable_round_is_held_and_on_no_pool(tmp_path: Path) -> None:
    """Shoe and controller may be heard in another order after the program was away: such a round is held."""
    (mine := tmp_path / "mine.toml").write_text(EXAMPLE.read_text())
    longhorns(mine)
    terms = TableTerms(load_game("longhorn.co"), jackpot=(book := JackpotBook(load_jackpot(mine))))
    bets = {"bonus": 100, "bad-beat": 500, "pot-1": 500, "pot-2": 500, "pot-3": 500}
    seats = [
        msgspec.structs.replace(seat_of(number, cards), wagers=bets)
        for number, cards in enumerate(("9S 8H", "7S 6H", "5S 4H"), 1)
    ]
    dealt = ended_round("longhorn.co", seats, "AC TD KH 4D 2C", table="pit-1")
    with Journal(path := tmp_path / "journal.sqlite", key=None, clock=ManualClock()) as journal:
        for number, outcome in enumerate(("complete", "unreliable", "complete"), 1):
            settlement, *steps = terms.settle_all(msgspec.structs.replace(dealt, round=number, outcome=outcome))
            journal.publish("pit-1", "settlement", 1, settlement.to_json())
            for step in steps:
                journal.publish("pit-1", "meter", 1, step.to_json())
            journal.settled("pit-1", 1, SettledKey("", dealt.session, number))
        assert journal.books.obligations.held("pit-1").cents == {"USD": 3 * sum(bets.values())}
    assert bad_beats(path) == {"lose": 3000, "held": 1500}
    assert book.shown() == {"primary": 501_800, "secondary": 900, "tertiary": 300}


@contextmanager
def poker_tables(count: int) -> Iterator[list[dict[str, str]]]:
    """Simulated tables at which Longhorn Hold'em is dealt without an end; their addresses by device."""
    with ExitStack() as stack:
        given = ["--procedure", "longhorn.co", "--seats", "3", "--endless", "--speed", "200"]
        yield [stack.enter_context(simulator([*given, "--seed", str(seed)])) for seed in range(1, count + 1)]


@pytest.mark.more
def test_pools_of_two_tables_over_kills(tmp_path: Path) -> None:
    """Killed as it settles, the service resumes with every cent of both tables where the records say."""
    with poker_tables(2) as addresses:
        tables = [{"shoe": at["shoe"], "controller": at["table-controller"]} for at in addresses]
        file = configuration(tmp_path, *({"procedure": "longhorn.co"} | table for table in tables))
        longhorns(mine := tmp_path / "mine.toml")
        SealingKey.new(tmp_path / "journal.key")
        file.write_text(file.read_text().replace("[journal]\n", '[journal]\nkey-file = "journal.key"\n'))
        for number in range(3):
            with Program(file) as program:
                program.wait_for(lambda: rounds_in(tmp_path) >= 6 * (number + 1))  # noqa: B023
                program.end(signal.SIGKILL)
        service, listener = opened(file)
        with service:
            run_until(service, lambda: len(listener.of("settlement")) >= 4)
            shown = [served.table.meters for served in service.tables.values()]
    assert shown[0] == shown[1]
    steps = [MeterRecord.from_json(item.line) for item in published(tmp_path, "meter")]
    book = JackpotBook(load_jackpot(mine))
    again = JackpotBook.go_on(book.setup, [*book.bank.records, *steps])
    assert again.shown() == shown[0]
    assert {step.table for step in steps} == {"pit-1", "pit-2"}
    assert bad_beats(tmp_path / "journal.sqlite")["lose"] > 0
    assert compared(tmp_path).difference is None
