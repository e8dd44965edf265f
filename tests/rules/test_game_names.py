"""Names in a game file that only its odds or a qualifier use: each error is found when the file is checked."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealer_flow.games import files_of, paytable_files
from dealwire.cli import main
from tests.support.reading.game_files import flat_paytables

FAULTS = [
    (
        'solver = "against-dealer"',
        'solver = "nobody"',
        "odds.solver: unknown solver 'nobody'; allowed: against-",
    ),
    ('bets = ["ante", "play", ', 'bets = ["aunt", "play", ', "odds.bets: unknown bet 'aunt'; allowed: play, "),
    ("beside =", "besides =", "odds.besides: unknown key; allowed: solver, bets, beside, stakes, fine, not-computed"),
    ('beside = ["pair-plus"]', "settings = { seen = 3 }", "odds.settings: unknown key; allowed: solver, "),
    ('beside = ["pair-plus"]', 'beside = ["pears"]', "odds.beside: unknown bet 'pears'; allowed: play, "),
    ('beside = ["pair-plus"]', "beside = 1", "odds.beside: must be a list, not 1"),
    ('beside = ["pair-plus"]', 'stakes = { pears = ["1"] }', "odds.stakes: unknown bet 'pears'; allowed: play, "),
    ('beside = ["pair-plus"]', "stakes = { play = [] }", "odds.stakes.play: needs at least 1"),
    ('beside = ["pair-plus"]', 'stakes = { play = ["1/0"] }', "odds.stakes.play[1]: "),
    (
        '"against-dealer"',
        '"surrender"',
        "procedures[1]: three-card.co: step 'choice' (47.1-1017.24(8)-(9)): on own 3: fold; bet play; "
        "the solver counts, on own 3: check; give up a part of ",
    ),
    (
        '"against-dealer"',
        '"points"',
        "procedures[1]: three-card.co: players decide at choice (47.1-1017.24); the solver counts 0 decisions",
    ),
    ('"QS 3D 2C"', '"QS 3D"', "qualifiers.dealer.at-least: three-card ranks 3 cards, "),
    ('"QS 3D 2C"', '"QS 3D 2X"', "qualifiers.dealer.at-least: not a card: '2X'; "),
    (
        '"QS 3D 2C"',
        '"QS QS 2C"',
        "qualifiers.dealer.at-least: a card appears twice in 'QS QS 2C', and there is",
    ),
    ('at-least = "QS', 'hand = "him"\nat-least = "QS', "qualifiers.dealer.hand: unknown hand 'him'; allowed: player, "),
    ('unqualified = "47.1-1017.24(7)"', "", "bets[1].clauses: unqualified: missing, and the bet checks whether "),
]


@pytest.mark.parametrize(("before", "after", "why"), FAULTS)
def test_a_name_that_stands_for_nothing_is_one_line_of_check_and_of_odds(
    before: str, after: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "paytables").mkdir()
    for table in paytable_files().values():
        shutil.copy(table, tmp_path / "paytables")
    text = files_of("pays")["three-card.co"].read_text()
    assert before in text
    path = tmp_path / "three-card.co.toml"
    path.write_text(text.replace(before, after, 1))
    checked = CliRunner().invoke(main, ["check", str(path)])
    assert (checked.exit_code, checked.stderr.count("\n")) == (2, 1)
    assert f": {why}" in checked.stderr
    counted = CliRunner().invoke(main, ["odds", str(path), "--bet", "pair-plus", "--no-cache"])
    assert (counted.exit_code, counted.stdout) == (2, "")
    assert f": {why}" in counted.stderr


def test_folding_that_loses_names_its_clause(tmp_path: Path) -> None:
    flat_paytables(tmp_path / "paytables")
    text = files_of("pays")["three-card.co"].read_text()
    at = text.index('fold = "47.1-1017.24(8)"', text.index('name = "pair-plus"'))
    path = tmp_path / "three-card.co.toml"
    path.write_text(text[:at] + text[at:].replace('fold = "47.1-1017.24(8)"\n', "", 1))
    done = CliRunner().invoke(main, ["check", str(path)])
    assert done.exit_code == 2
    assert "bets[4].clauses: fold: missing, and folding loses the bet" in done.stderr
