"""A table with a pool: pool and runners continue from round to round, across a restart, until the table closes."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

import devices.events as e
from dealwire.cli import main
from dealwire.config.build import Banks, build_table
from dealwire.config.table_parts import TablePart
from dealwire.journal.book_tables import BookTables
from dealwire.journal.factory import TableFactory
from dealwire.journal.journal import Journal
from dealwire.journal.reader import JournalReader
from dealwire.journal.settings import configuration_of
from dealwire.journal.tables import JournaledPublisher, JournaledTable
from dealwire.sheet.money import _pool
from dealwire.sheet.paper import PaperRemark, PaperTable
from dealwire.table.id_words import Speech
from dealwire.table.state import TableState
from devices.clock import ManualClock
from rules.meters.bank import MeterBank
from tests.support.dealing.settling_table import SettlingTable
from tests.support.evenings.between_rounds import check_every_rest

GAME, POOL = "home-run.co", "home-run"
ANTES = "".join(f"bets {seat}: ante 500, strike-out 500\n" for seat in (1, 2, 3))
FOLDED = """
start at 3
draw AS KC | KH 9H | QS 2D
draw 5D 6H JC
acts 1: bet 1000
acts 2: fold
acts 3: fold
"""
CLOSING = "controller HandButton: hand 1; on true"


def table_of(runners: dict[int, int] | None = None, pool: int = 0) -> SettlingTable:
    hand = SettlingTable(GAME, {"token_cents": 100, "runners": runners or {}, "meters": {POOL: pool}})
    return hand.play("stakes 1: 20000, 2: 20000, 3: 20000")


def close(hand: SettlingTable, level: str = "supervisor") -> None:
    hand.play(CLOSING)
    hand.confirm().badge(77, level)


def won_by_seat_1(hand: SettlingTable) -> None:
    hand.play("stakes 1: 20000, 2: 20000, 3: 20000").play(ANTES).play(FOLDED).end()


def kinds(hand: SettlingTable) -> list[str]:
    return [each.kind for each in hand.awards]


def test_the_fourth_hand_won_wins_what_three_hands_and_itself_put_into_the_pool() -> None:
    hand = table_of()
    for number in range(1, 5):
        won_by_seat_1(hand)
        pool = hand.settlements[-1].pool
        assert pool is not None
        assert pool.winner == (1 if number == 4 else None)
        assert hand.terms.meters[POOL] == number % 4 * 1000
        assert hand.terms.runners == ({1: number} if number < 4 else {})
    paid = [line.pay for each in hand.settlements for line in each.lines if line.meter]
    assert paid == [4000]


def test_at_the_closing_the_pool_is_shared_by_runners() -> None:
    hand = table_of({1: 1, 2: 2, 3: 3}, 12000)
    close(hand)
    assert kinds(hand) == ["hand-on", "confirmed", "awarded", "awarded", "awarded", "closed"]
    assert [(each.seat, each.cents) for each in hand.awards[2:5]] == [(1, 2000), (2, 4000), (3, 6000)]
    assert {each.clause for each in hand.awards} == {"47.1-1017.30(12)"}
    assert (hand.terms.meters[POOL], hand.terms.runners) == (0, {})


def test_who_has_left_has_none_of_it() -> None:
    hand = table_of({1: 1, 2: 2, 3: 3}, 9000).play("stakes 2: 0")
    close(hand)
    assert [(each.seat, each.cents) for each in hand.awards if each.kind == "awarded"] == [(1, 2300), (3, 6700)]


def test_who_buys_chips_again_has_not_left() -> None:
    hand = table_of({1: 1, 2: 1}, 9000).play("stakes 2: 0").play("stakes 2: 5000")
    close(hand)
    assert [(each.seat, each.cents) for each in hand.awards if each.kind == "awarded"] == [(1, 4500), (2, 4500)]


def test_the_round_says_who_has_left_and_the_runners_are_collected() -> None:
    hand = (
        table_of({2: 3, 3: 2}, 9000).play("stakes 2: 0").play(ANTES.replace("bets 2: ante 500, strike-out 500\n", ""))
    )
    hand.play("start at 3\ndraw AS KC | QS 2D\ndraw 5D 6H JC\nacts 1: bet 1000\nacts 3: fold").end()
    assert hand.results[-1].left == (2,)
    assert hand.terms.runners == {1: 1, 3: 2}


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (CLOSING, ["hand-on"]),
        (f"{CLOSING}\ncontroller HandButton: hand 1; on false", ["hand-on", "hand-off"]),
        ("controller HandButton: hand 2; on true", ["refused"]),
        ("controller HandButton: hand 1; on false", []),
        ("confirm\ncontroller BadgeSwiped: badge 77; level supervisor", []),
        (f"{CLOSING}\ncontroller BadgeSwiped: badge 77; level supervisor", ["hand-on"]),
        (f"{CLOSING}\n{ANTES}start at 3", ["hand-on", "unfinished"]),
        (f"{ANTES}start at 3\n{CLOSING}", ["refused"]),
        (
            f"{CLOSING}\nconfirm\ncontroller BadgeSwiped: badge 7; level dealer",
            ["hand-on", "confirmed", "refused"],
        ),
    ],
)
def test_what_is_no_closing_shares_nothing(lines: str, found: list[str]) -> None:
    hand = table_of({1: 2}, 9000).play(lines)
    assert kinds(hand) == found
    assert (hand.terms.meters[POOL], hand.terms.runners) == (9000, {1: 2})


def test_without_a_runner_on_the_table_the_pool_stays() -> None:
    hand = table_of({}, 9000)
    close(hand, "executive")
    assert kinds(hand)[-1] == "refused"
    assert "no seat has a runner: $90 stays in it" in hand.awards[-1].why
    assert hand.terms.meters[POOL] == 9000


def test_a_table_put_back_from_its_state_goes_on_alike() -> None:
    hand = SettlingTable(GAME, {"token_cents": 100})
    for _ in range(3):
        won_by_seat_1(hand)
        state = hand.table.state()
        assert state is not None
        assert state.pool is not None
        again = hand.made()
        again.restore(msgspec.json.decode(msgspec.json.encode(state), type=TableState))
        assert again.state() == state
    hand.play(CLOSING)
    assert hand.table.state() is None, "a closing is asked for"
    before = len(hand.seen) - 1
    hand.confirm().badge(77)
    outcomes = [item for seen in hand.seen[before:] for item in again.handle(seen)]
    assert outcomes == hand.awards


@pytest.mark.more
def test_an_evening_goes_on_from_every_moment_between_its_rounds() -> None:
    hand = SettlingTable(GAME, {"token_cents": 100})
    for _ in range(5):
        won_by_seat_1(hand)
    hand.play("stakes 1: 0, 2: 20000, 3: 20000").play(ANTES.removeprefix("bets 1: ante 500, strike-out 500\n"))
    hand.play("start at 1\ndraw AS KC | QS 2D\ndraw 5D 6H JC\nacts 2: bet 1000\nacts 3: fold").end()
    close(hand)
    won_by_seat_1(hand)

    def make(_: MeterBank | None) -> JournaledPublisher:
        return JournaledPublisher(build_table(part_of(), Banks(), JournaledTable), "table-1", 3)

    assert check_every_rest(make, hand.seen) >= 7


def part_of() -> TablePart:
    device = {"name": "shoe", "kind": "shoe", "address": "tcp:host:1"}
    rows = {"name": "table-1", "procedure": GAME, "token-cents": 100, "device": (device,)}
    return TablePart.model_validate(rows)


def test_a_table_that_begins_anew_has_the_pool_and_the_runners_of_the_journal(tmp_path: Path) -> None:
    hand = SettlingTable(GAME, {"token_cents": 100})
    won_by_seat_1(hand)
    with Journal(tmp_path / "journal.sqlite", key=None, clock=ManualClock()) as journal:
        journal.started("table-1", 1, "old = 1\n")
        journal.publish("table-1", "settlement", 1, hand.settlements[-1].to_json())
        journal.secure()
        with JournalReader(journal.path) as reader:
            tables = BookTables(reader)
            assert (tables.own_meters("table-1"), tables.own_runners("table-1")) == ({POOL: 1000}, {1: 1})
        with TableFactory(journal.path) as maker:
            facts = maker.facts(part_of())
            assert "rake" not in configuration_of(part_of()), "a table goes on that was set up before there was one"
            assert (facts["meters"], facts["runners"]) == ({POOL: 1000}, {"1": 1})
            number = journal.started("table-1", 2, configuration_of(part_of()), facts)
            journal.secure()
        with JournalReader(journal.path) as reader, TableFactory(journal.path) as maker:
            start = reader.starts()["table-1"]
            assert start.sequence == number
            terms = maker(start).table.terms
            assert terms is not None
            assert (terms.meters, terms.runners) == ({POOL: 1000}, {1: 1})
        close(hand)
        for each in hand.awards:
            journal.publish("table-1", "award", 3, each.to_json())
        journal.secure()
        with JournalReader(journal.path) as reader:
            tables = BookTables(reader)
            assert (tables.own_meters("table-1"), tables.own_runners("table-1")) == ({POOL: 0}, {})


def test_rounds_settled_on_the_command_line_go_on_with_the_pool(tmp_path: Path) -> None:
    hand = SettlingTable(GAME, {"token_cents": 100})
    for _ in range(2):
        won_by_seat_1(hand)
    rounds = "".join(each.to_json() + "\n" for each in hand.results)
    given = ["settle", "--token", "100", "--meter", "home-run=5000", "--runners", "1=2", "--pool-rake", "10"]
    done = CliRunner().invoke(main, given, input=rounds)
    assert done.exit_code == 0, done.output
    pools = [msgspec.json.decode(line)["pool"] for line in done.output.splitlines()]
    assert pools[0]["runners"] == [{"seat": 1, "before": 2, "awarded": 1, "after": 3}]
    assert (pools[1]["winner"], pools[1]["cents"], pools[1]["rake"]) == (1, 7000, 700)
    for option in (["--runners", "1=5"], ["--runners", "one=1"], ["--pool-rake", "11"]):
        assert CliRunner().invoke(main, ["settle", *option], input=rounds).exit_code == 2


def test_the_dispute_sheet_has_the_runners_and_who_won_the_pool() -> None:
    hand = table_of({1: 3, 2: 2}, 9000)
    hand.play(ANTES).play(FOLDED).end()
    table, remark = _pool(hand.settlements[-1], Speech(()))
    assert isinstance(table, PaperTable)
    assert table.rows == (("1", "3", "1", "4", "0"), ("2", "2", "0", "2", "0"))
    assert remark == PaperRemark("Seat 1 wins the home run pool: $100.00 in it, $0.00 of it taken first.")


def test_a_controller_without_the_game_has_no_closing() -> None:
    hand = SettlingTable("holdem.co")
    hand.controller(e.HandButton(1, True))
    assert hand.awards == []
