"""Washington and South Dakota from the simulated devices to the money, awards at the controller included."""

import json
from pathlib import Path

from click.testing import CliRunner
from msgspec.structs import replace

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.cli import main
from dealwire.table.table import Table, TableOutcome, TableTerms
from devices.dialects.shuffler import ShufflerDriver
from devices.dialects.table_controller import TableControllerDriver
from devices.events import Seen
from protocol.tdp import Delivered
from rules import Settlement, load_game
from rules.meters.award import AwardBook
from rules.meters.award_record import AwardRecord
from rules.meters.bank import MeterBank, MeterRecord
from rules.meters.setup import load_setup
from tests.support.evenings.simulated_table import CONTROLLER, SHUFFLER, Evening

SETUP = Path(__file__).parents[2] / "docs" / "examples" / "progressive-ml03.toml"
ML03 = {"progressive": "WA-ML03"}


def deal(scenario: str, table: Table) -> list[TableOutcome]:
    evening = Evening(scenario)
    evening.run()
    drivers = {SHUFFLER: ShufflerDriver(), CONTROLLER: TableControllerDriver()}
    out: list[TableOutcome] = []
    for at_ns, (device, output) in enumerate(evening.seen):
        body = drivers[device].translate(output)
        if body is not None:
            number = output.message.number if isinstance(output, Delivered) else 0
            out += table.handle(Seen(device, 1, number, at_ns, body))
    return [*out, *table.finish()]


def test_washington_plays_cards_two_and_three_of_the_first_packet() -> None:
    evening = Evening("wa-clean")
    evening.run()
    found = deal(
        "wa-clean", Table(load_procedure("flushes-gone-wild.wa"), TableTerms(load_game("flushes-gone-wild.wa")))
    )
    (round_,) = (item for item in found if isinstance(item, RoundResult))
    (settlement,) = (item for item in found if isinstance(item, Settlement))
    assert (round_.outcome, round_.incidents) == ("complete", ())
    assert round_.burn is not None
    assert round_.burn.positions == (1, 4, 5)
    assert len(round_.community) == 2
    assert (settlement.status, settlement.game.id) == ("settled", "flushes-gone-wild.wa")
    assert {line.clause for line in settlement.lines} <= {
        "WA FGW 7(b)",
        "WA FGW 10",
        "WA FGW 11",
        "WA FGW 13",
        "WA NC 8",
    }
    lines = {(line.seat, line.bet): line.result for line in settlement.lines}
    assert lines[3, "ante"] == lines[3, "progressive"] == "lose"  # it folded
    assert lines[3, "flush-rush"] in ("win", "lose")  # always in action


def test_south_dakota_settles_the_dealers_tips_as_the_players_own_bets() -> None:
    found = deal(
        "sd-clean", Table(load_procedure("flushes-gone-wild.sd"), TableTerms(load_game("flushes-gone-wild.sd")))
    )
    (settlement,) = (item for item in found if isinstance(item, Settlement))
    lines = {(line.seat, line.bet): line for line in settlement.lines}
    assert settlement.status == "settled"
    assert lines[1, "tip-ante"].result == lines[1, "ante"].result
    assert lines[1, "tip-flush-rush"].result == lines[1, "flush-rush"].result
    assert "progressive" not in settlement.paytables


def test_an_award_at_the_controller_moves_the_minor_meter_as_the_cards_say() -> None:
    """WA MGL 10(d)-(h), paytable ML03: four of a kind is all of the minor, which falls back to its seed."""
    game, procedure = load_game("flushes-gone-wild.wa-link"), load_procedure("flushes-gone-wild.wa")
    bank = MeterBank(load_setup(SETUP))
    terms = TableTerms(game, paytables=ML03, bank=bank)
    book = AwardBook(bank, game, spot=5, paytable="WA-ML03")
    found = deal("wa-award", Table(procedure, terms, awards=book))
    awards = [item for item in found if isinstance(item, AwardRecord)]
    assert [each.kind for each in awards] == [
        "bets-taken", "spot", "hand-on", "hand-off", "hand-on", "confirmed", "awarded",
    ]  # fmt: skip
    # 4 dollars were bet, 6.25 % of them go onto the minor: 123456 + 25.
    assert (awards[-1].seat, awards[-1].hand, awards[-1].cents, awards[-1].level) == (
        1, "four of a kind", 123_481, "executive",
    )  # fmt: skip
    (settlement,) = (item for item in found if isinstance(item, Settlement))
    (line,) = (line for line in settlement.lines if line.bet == "progressive" and line.seat == 1)
    assert (line.pay, line.meter, line.row) == (123_481, "minor", "four of a kind")
    moved = [item for item in found if isinstance(item, MeterRecord) and item.meter == "minor"]
    assert [(each.kind, each.to_meter, each.meter_cents) for each in moved] == [
        ("contributed", 25, 123_481),
        ("paid", -123_481, 0),
        ("reseeded", 50_000, 50_000),
    ]
    assert found.index(awards[-1]) < found.index(settlement)


def test_without_the_award_book_the_settlement_moves_the_same_meters() -> None:
    game, procedure = load_game("flushes-gone-wild.wa-link"), load_procedure("flushes-gone-wild.wa")
    banks = [MeterBank(load_setup(SETUP)) for _ in range(2)]
    plain = deal("wa-award", Table(procedure, TableTerms(game, paytables=ML03, bank=banks[0])))
    book = AwardBook(banks[1], game, spot=5, paytable="WA-ML03")
    awarded = deal("wa-award", Table(procedure, TableTerms(game, paytables=ML03, bank=banks[1]), awards=book))
    assert banks[0].meters() == banks[1].meters()
    settlements = [[item for item in found if isinstance(item, Settlement)] for found in (plain, awarded)]
    assert settlements[0] == settlements[1]
    assert len(settlements[0]) == 1


def test_a_line_of_json_is_settled_on_meters_that_go_on_from_round_to_round() -> None:
    procedure = load_procedure("flushes-gone-wild.wa")
    (round_,) = (item for item in deal("wa-award", Table(procedure, None)) if isinstance(item, RoundResult))
    lines = f"{round_.to_json()}\n{replace(round_, round=2).to_json()}\n"
    arguments = [
        "--game",
        "flushes-gone-wild.wa-link",
        "--paytable",
        "progressive=WA-ML03",
        "--progressive",
        str(SETUP),
    ]
    done = CliRunner().invoke(main, ["settle", *arguments], input=lines)
    assert done.exit_code == 0, done.output
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [item["type"] for item in found] == [*["meter"] * 3, *["settlement", *["meter"] * 5] * 2]
    assert [item["meter_cents"] for item in found[:3]] == [10_000_000, 500_000, 123_456]
    pays = [
        line["pay"]
        for item in found
        if item["type"] == "settlement"
        for line in item["lines"]
        if line["meter"] == "minor"
    ]
    assert pays == [123_481, 50_025]  # the second is of the seed and this round's 6.25 % of 4 dollars
    for item in found:
        if item["type"] == "settlement":
            assert sum(item["totals"].values()) == 0
            for meter in item["meters"]:
                assert meter["before"] + meter["contributed"] - meter["paid"] + meter["reseeded"] == meter["after"]


def a_round() -> str:
    found = deal("wa-clean", Table(load_procedure("flushes-gone-wild.wa"), None))
    return next(item for item in found if isinstance(item, RoundResult)).to_json() + "\n"


def test_the_tables_limit_holds_what_is_over_it() -> None:
    done = CliRunner().invoke(main, ["settle", "--limit", "2000"], input=a_round())
    settlement = Settlement.from_json(done.stdout)
    assert settlement.limit_cents == 2000
    assert {line.seat for line in settlement.lines if line.result == "held"} == {5}


def test_a_suspect_reading_is_settled_when_told() -> None:
    arguments = ["settle", "--reading", "progressive-hand=best-of-seven"]
    refused = CliRunner().invoke(main, arguments, input=a_round())
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "line 1: not settled: suspect reading progressive-hand" in refused.stderr
    told = CliRunner().invoke(main, [*arguments, "--accept-suspect"], input=a_round())
    assert Settlement.from_json(told.stdout).readings["progressive-hand"] == "best-of-seven"


def test_awards_need_a_setup_and_meters_are_given_once() -> None:
    recording = str(Path(__file__).parents[2] / "captures" / "clean-1.pcapng")
    alone = CliRunner().invoke(main, ["replay", recording, "--awards"])
    assert alone.exit_code == 2
    assert "--awards needs --progressive" in alone.stderr
    twice = CliRunner().invoke(
        main, ["settle", "--game", "flushes-gone-wild.wa", "--progressive", str(SETUP), "--meter", "meter=5"]
    )
    assert twice.exit_code == 2
    assert "exclude each other" in twice.stderr
