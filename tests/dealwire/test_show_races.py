"""A race as a person reads it, and as a program does."""

import json

from click.testing import CliRunner

from dealer_flow.record.result import RoundResult
from dealwire.cli import main
from dealwire.cli.show import round_lines
from tests.support.dealing.races import AT_10, race, race_table


def test_a_race_is_shown_by_its_columns() -> None:
    lines = [line.strip() for line in round_lines(race(AT_10, red=500))]
    assert lines == [
        "clubs      2C 6C",
        "diamonds   3D 7D",
        "hearts     4H 8H 9H TH 3H",
        "spades     5S",
        "finish     hearts after 10 cards",
        "shoe 1     10 of 52 cards drawn, 42 left",
    ]


def test_what_went_wrong_is_shown() -> None:
    table = race_table().bet(1, red=500).start().draw("?? 2C").badge(77).name("3C").draw("4C 5C 6C 7C")
    text = "\n".join(round_lines(table.end()))
    assert "named      card 1 is 3C, by badge 77 supervisor" in text
    assert "overdrawn  7C" in text
    undecided = race_table().bet(1, red=500).start().draw("2C").end()
    assert "finish     not decided" in "\n".join(round_lines(undecided))


def test_a_race_is_settled_from_its_line() -> None:
    """A line that one program writes is settled by another: red loses nothing on hearts."""
    line = race(AT_10, red=500, even=500).to_json()
    assert RoundResult.from_json(line).to_json() == line
    done = CliRunner().invoke(main, ["settle", "--game", "race-to-the-flush"], input=line + "\n")
    assert done.exit_code == 0, done.output
    settlement = next(item for item in map(json.loads, done.stdout.splitlines()) if item["type"] == "settlement")
    assert [(row["bet"], row["net"]) for row in settlement["lines"]] == [("red", 500), ("even", 250)]
