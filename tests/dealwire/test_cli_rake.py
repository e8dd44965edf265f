"""The rake that a house takes from pots, on the command line, in a configuration and on the sheet of a round."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealer_flow.procedure.load import load_procedure
from dealwire.cli import main
from dealwire.config.build import Banks, build_terms
from dealwire.config.load import load_configuration
from protocol.tomlfile import TomlFileError
from rules.settlement import HouseRake
from tests.support.dealing.written_rounds import ended_round, seat_of
from tests.support.reading.paper import Paper

CONFIGURATION = Path(__file__).parents[2] / "docs" / "examples" / "table.toml"
SEATS = [seat_of(1, "AS AH", river=1000), seat_of(2, "KS KH", river=1000)]
ROUND = ended_round("holdem.co", SEATS, "2C 5D 7H 9S JC")


def settle(*options: str, rounds: str = ROUND.to_json() + "\n") -> Result:
    return CliRunner().invoke(main, ["settle", *options], input=rounds)


def test_a_rake_and_what_is_for_a_jackpot() -> None:
    options = (
        "--rake",
        "10",
        "--rake-cap",
        "150",
        "--rake-step",
        "100",
        "--jackpot-rake",
        "50",
        "--meter",
        "jackpot=900",
    )
    done = settle(*options)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["rake"] == {"percent": "10", "cap_cents": 150, "step_cents": 100, "jackpot_cents": 50}
    assert found["totals"] == {"players": -200, "house": 150, "meters": 50}
    assert found["pots"] == [
        {
            "name": "pot",
            "cents": 2000,
            "contenders": [1, 2],
            "rake": 150,
            "jackpot_rake": 50,
            "winners": [{"seat": 1, "cents": 1800, "won_with": "high", "clause": "47.1-1012(5)(a)"}],
        }
    ]
    assert [meter["after"] for meter in found["meters"]] == [950]
    assert (
        "$18 of the pot of $20, less a rake of $1.50 and $0.50 for the jackpot"
        in settle(*options, "--text", "-v").stdout
    )


@pytest.mark.parametrize("options", [("--rake", "11"), ("--rake", "ten"), ("--jackpot-rake", "201")])
@pytest.mark.parametrize("game", [(), ("--game", "holdem.co")])
def test_a_figure_over_the_law_is_a_usage_error(options: tuple[str, str], game: tuple[str, ...]) -> None:
    done = settle(*game, *options)
    assert done.exit_code == 2
    assert "rake" in done.stderr
    assert "Traceback" not in done.output


@pytest.mark.parametrize(("option", "value"), [("--rake", "5"), ("--jackpot-rake", "100")])
def test_a_rake_of_a_game_without_a_pot_is_named(option: str, value: str) -> None:
    seat = {"seat": 1, "cards": "AS KS QS JS TS", "choices": ["bet"], "bets": {"ante": 1000, "bet": 2000}}
    stud = Paper("caribbean-stud.co", {"seat": [seat], "dealer": "2C 2D 4C 8S 9S"}).round().to_json() + "\n"
    meter = ("--meter", "jackpot=0") if option == "--jackpot-rake" else ()
    done = settle(option, value, rounds=stud)
    assert (done.exit_code, done.stderr) == (2, f"dealwire: {option}: not used, no round was of a game that has it\n")
    both = settle(option, value, *meter, rounds=stud + ROUND.to_json().replace('"round":1,', '"round":2,') + "\n")
    assert both.exit_code == 0, both.output
    without, raked = map(json.loads, both.stdout.splitlines())
    assert "rake" not in without
    assert "pots" not in without
    assert "rake" in raked


TABLE = """
[[table]]
name = "poker"
procedure = "holdem.co"
meters = {{ jackpot = 0 }}

[table.rake]
percent = "{percent}"
cap-cents = 500
step-cents = 50
jackpot-cents = 100

[[table.device]]
name = "shoe"
kind = "shoe"
address = "tcp://127.0.0.1:1"

[[table.device]]
name = "controller"
kind = "table-controller"
address = "tcp://127.0.0.1:2"
"""


def test_a_configuration_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    head = CONFIGURATION.read_text().split("[[table]]")[0]
    file.write_text(head + TABLE.format(percent="7.5"))
    (part,) = load_configuration(file).table
    terms = build_terms(part, load_procedure(part.procedure), Banks())
    assert terms is not None
    assert terms.rake == HouseRake("7.5", 500, 50, 100)
    assert terms.settle(ROUND).totals.house == 150
    file.write_text(head + TABLE.format(percent="10.5"))
    with pytest.raises(TomlFileError, match=r"table\.toml:\d+: table\[1\]\.rake: .*0 to 10 percent"):
        load_configuration(file)
