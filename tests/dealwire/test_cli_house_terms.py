"""Terms that a house sets, on the command line and in a configuration: maximum payouts, commission, house way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealer_flow.procedure.load import load_procedure
from dealwire.cli import main
from dealwire.config.build import Banks, build_terms
from dealwire.config.load import load_configuration
from rules.settlement import MaximumPayout
from tests.support.reading.paper import Paper

CONFIGURATION = Path(__file__).parents[2] / "docs" / "examples" / "table.toml"


def settle(*options: str, rounds: str) -> Result:
    return CliRunner().invoke(main, ["settle", *options], input=rounds)


def royal() -> str:
    seat = {"seat": 1, "cards": "AS KS QS JS TS", "choices": ["bet"], "bets": {"ante": 1000, "bet": 2000}}
    return Paper("caribbean-stud.co", {"seat": [seat], "dealer": "2C 2D 4C 8S 9S"}).round().to_json() + "\n"


def pai_gow() -> str:
    seat = {"seat": 1, "cards": "AS AD KC KD 9H 7H 2H", "low": "KC KD", "bets": {"wager": 1000}}
    case = {"seat": [seat], "dealer": "QS JD 9C 8D 6S 4H 2S", "dealer_low": "JD 9C"}
    return Paper("pai-gow.co", case).round().to_json() + "\n"


def test_a_maximum_cuts_and_says_so() -> None:
    done = settle("--max-player", "150000", "--least-bet", "500", "--text", "-v", rounds=royal())
    assert done.exit_code == 0, done.output
    assert "cut by $500 to the maximum payout of a player, $1,500" in done.stdout
    assert "47.1-1062" in done.stdout


def test_a_maximum_below_what_the_text_allows_is_one_usage_error() -> None:
    done = settle("--max-player", "100", "--least-bet", "500", rounds=royal() * 3)
    assert done.exit_code == 2
    assert done.stderr.count("maximum payout of a player") == 1
    assert "Traceback" not in done.output


@pytest.mark.parametrize(("option", "value"), [("--commission", "5"), ("--house-way", "nowhere"), ("--max-tip", "100")])
def test_an_option_that_no_game_of_the_file_has_is_named(option: str, value: str) -> None:
    """Five percent of a game without a commission would pass for five percent taken."""
    bets = {"ante": 1000, "blind": 1000, "play": 2000}
    seat = {"seat": 1, "cards": "AS KS QS JS TS", "choices": ["play"], "bets": bets}
    case = {"seat": [seat], "dealer": "2C 3D 4C 8S 9S", "community": "5D 6C"}
    done = settle(option, value, rounds=Paper("flushes-gone-wild.co", case).round().to_json() + "\n")
    assert (done.exit_code, done.stderr) == (2, f"dealwire: {option}: not used, no round was of a game that has it\n")


def test_in_a_file_of_several_games_each_option_is_for_those_that_have_it() -> None:
    both = royal() + pai_gow().replace('"round":1,', '"round":2,')
    done = settle("--commission", "5", "--max-player", "150000", "--least-bet", "500", rounds=both)
    assert done.exit_code == 0, done.output
    stud, tiles = map(json.loads, done.stdout.splitlines())
    assert stud["maximum"] == {"player_cents": 150000, "least_bet_cents": 500}
    assert "maximum" not in tiles
    (line,) = tiles["lines"]
    assert (line["result"], line["pay"], line["commission"], line["net"]) == ("win", 1000, 50, 950)


@pytest.mark.parametrize("percent", ["6", "-1", "five", "5.00000", "1e0"])
def test_a_commission_that_cannot_be_is_named(percent: str) -> None:
    done = settle("--game", "pai-gow.co", "--commission", percent, rounds=pai_gow())
    assert done.exit_code == 2
    assert "commission" in done.stderr
    assert done.stderr.count("\n") <= 3


def test_a_house_way_that_is_not_there_is_named() -> None:
    done = settle("--game", "pai-gow.co", "--house-way", "nobodys", rounds=pai_gow())
    assert done.exit_code == 2
    assert "no such house way" in done.stderr


def test_the_configuration_of_a_table_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    text = CONFIGURATION.read_text().split("[[table]]")[0]
    file.write_text(
        text
        + """
[[table]]
name = "stud"
procedure = "caribbean-stud.co"

[table.maximum]
player-cents = 150000
least-bet-cents = 500

[[table.device]]
name = "shuffler"
kind = "shuffler"
address = "tcp://127.0.0.1:1"

[[table.device]]
name = "controller"
kind = "table-controller"
address = "tcp://127.0.0.1:2"
"""
    )
    (part,) = load_configuration(file).table
    terms = build_terms(part, load_procedure(part.procedure), Banks())
    assert terms is not None
    assert terms.maximum == MaximumPayout(player_cents=150_000, least_bet_cents=500)
    assert terms.settle(Paper("caribbean-stud.co", STUD).round()).maximum == terms.maximum


STUD = {
    "seat": [{"seat": 1, "cards": "AS KS QS JS TS", "choices": ["bet"], "bets": {"ante": 1000, "bet": 2000}}],
    "dealer": "2C 2D 4C 8S 9S",
}
