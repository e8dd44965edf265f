"""Names in a game file that nothing but its odds or its qualifier looks at: each is found when the file is checked."""

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
    ("{ beside =", "{ besides =", "odds.settings.besides: unknown key; allowed: seen, dealer-up, "),
    ('beside = ["pair-plus"]', 'beside = ["pears"]', "odds.settings.beside: unknown bet 'pears'; allowed: play, "),
    ('beside = ["pair-plus"]', "beside = 1", "odds.settings.beside: must be a list, not 1"),
    ('beside = ["pair-plus"]', 'seen = "3"', "odds.settings.seen: must be a whole number, not '3'"),
    ('beside = ["pair-plus"]', "seen = 4", "odds.settings.seen: 4 cards of 3; allowed: 1 to 3"),
    (
        'beside = ["pair-plus"]',
        "seen = 2, dealer-up = 1",
        "odds.settings.dealer-up: beside 2 of 3 own cards; allowed: 0",
    ),
    ('beside = ["pair-plus"]', "dealer-up = 2", "odds.settings.dealer-up: must be less than or equal to 1, not 2"),
    ('beside = ["pair-plus"]', 'ways = ["ante"]', "odds.settings.ways[1]: must be a table, not 'ante'"),
    (
        'beside = ["pair-plus"]',
        'ways = [{ stakes = { play = "1/0" } }]',
        "odds.settings.ways[1].stakes.play: not a part of the first bet; allowed: 'A' or 'A/B'",
    ),
    (
        'beside = ["pair-plus"]',
        'ways = [{ as = { pears = "none" } }]',
        "odds.settings.ways[1].as: unknown bet 'pears'; allowed: play, ",
    ),
    (
        '"against-dealer"\nbets = ["ante", "play", "ante-bonus"]\nsettings = { beside = ["pair-plus"] }',
        '"streets"',
        "odds.settings.raises: missing",
    ),
    (
        '"against-dealer"',
        '"surrender"',
        "odds.settings.beside: unknown key; allowed: none; surrender reads no settings",
    ),
    ('"QS 3D 2C"', '"QS 3D"', "qualifiers.dealer.at-least: three-card ranks 3 cards, "),
    ('"QS 3D 2C"', '"QS 3D 2X"', "qualifiers.dealer.at-least: not a card: '2X'; "),
    (
        '"QS 3D 2C"',
        '"QS QS 2C"',
        "qualifiers.dealer.at-least: a card stands twice in 'QS QS 2C', and there is",
    ),
    ('at-least = "QS', 'hand = "him"\nat-least = "QS', "qualifiers.dealer.hand: unknown hand 'him'; allowed: player, "),
    ('unqualified = "47.1-1017.24(7)"', "", "bets[1].clauses: unqualified: missing, and the bet looks whether "),
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
