"""A game checked against the procedures that it names: each mismatch at its line of its file."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from dealer_flow.games import files_of
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealwire.cli import main
from dealwire.config.load import load_configuration
from protocol.tomlfile import TomlFileError
from rules.game.load import game_ids, load_game
from rules.game.pairing import differences, game_faults
from tests.support.reading.each import of_each
from tests.support.reading.game_files import flat_paytables

CONFIGURATION = Path(__file__).parents[2] / "docs" / "examples" / "table.toml"
COLORADO, RACE = "flushes-gone-wild.co", "race-to-the-flush"
SPOT = "progressive = true of this bet"


def pair(
    folder: Path, name: str = COLORADO, *, game: tuple[str, str] = ("", ""), deal: tuple[str, str] = ("", "")
) -> Path:
    """Write a game and its procedure as files of their own, with the id `mine`, each with one text replaced."""
    flat_paytables(folder / "paytables")
    settled = files_of("pays")[name].read_text().splitlines()
    named = [
        f'procedures = ["mine"{line[line.index("]") :]}' if line.startswith("procedures") else line for line in settled
    ]
    for file, text, (before, after) in (
        (folder / "game.toml", "\n".join(named) + "\n", game),
        (folder / "mine.toml", files_of("deal")[name].read_text().replace(f'id = "{name}"', 'id = "mine"'), deal),
    ):
        assert before in text
        file.write_text(text.replace(before, after) if before else text)
    return folder / "game.toml"


def faults(game: Path) -> list[str]:
    return [str(fault).replace(f"{game.parent}/", "") for fault in game_faults(load_game(game))]


def at(file: Path, text: str) -> int:
    """Return the line of a file that contains a text."""
    return next(number for number, line in enumerate(file.read_text().splitlines(), 1) if line.startswith(text))


@of_each("game", game_ids())
def test_what_comes_with_the_package_fits(game: str) -> None:
    assert [*game_faults(load_game(game))] == []


def test_a_procedure_of_ones_own_lies_beside_the_game(tmp_path: Path) -> None:
    assert faults(pair(tmp_path)) == []


def test_a_bet_misspelt_in_the_game(tmp_path: Path) -> None:
    game = pair(tmp_path, game=('"flush-rush"', '"flush-rushh"'))
    here, there = at(game, 'name = "flush-rushh"'), at(tmp_path / "mine.toml", 'name = "flush-rush"')
    assert faults(game) == [
        f"game.toml:{here}: bets[4].name: procedure mine has no bet 'flush-rushh';"
        " allowed: ante, blind, play, flush-rush, progressive",
        f"mine.toml:{there}: bet[4].name: game flushes-gone-wild.co has no bet 'flush-rush';"
        " allowed: ante, blind, play, flush-rushh, progressive",
    ]


def test_a_bet_misspelt_in_the_procedure(tmp_path: Path) -> None:
    game = pair(tmp_path, deal=('"flush-rush"', '"flush-rus"'))
    found = faults(game)
    assert [line.partition(":")[0] for line in found] == ["game.toml", "mine.toml"]
    assert "bet[4].name: game flushes-gone-wild.co has no bet 'flush-rus'" in found[1]


def test_a_bet_that_stands_in_a_file_below(tmp_path: Path) -> None:
    """The line is that of the base file that defines the bet."""
    game = pair(tmp_path, deal=('"flush-rush"', '"flush-rus"'))
    (tmp_path / "mine.toml").rename(tmp_path / "below.toml")
    (tmp_path / "mine.toml").write_text(
        'schema = "dealwire.procedure/2"\nbase = ["./below.toml"]\nid = "mine"\ntitle = "Mine"\n'
    )
    line = at(tmp_path / "below.toml", 'name = "flush-rus"')
    assert faults(game)[1].startswith(f"below.toml:{line}: bet[4].name: ")


@pytest.mark.parametrize(
    ("before", "after", "key", "why"),
    [
        ("own = 5,", "own = 4,", "hands.player.of.own", "4 cards of seats, and procedure "),
        ("dealer = 5", "dealer = 4", "hands.dealer.of.dealer", "4 cards of dealer, and procedure "),
        ("community = 2", "community = 1", "hands.player.of.community", "1 card of community, and procedure "),
    ],
)
def test_what_is_dealt_is_what_is_ranked(tmp_path: Path, before: str, after: str, key: str, why: str) -> None:
    game = pair(tmp_path, game=(before, after))
    assert any(f": {key}: " in line and why in line and "; allowed: " in line for line in faults(game)), faults(game)


def test_a_burned_card_more_is_one_fewer_to_rank(tmp_path: Path) -> None:
    game = pair(tmp_path, deal=("positions = [1, 2, 5]", "positions = [1, 5]"))
    lines = [number for number, line in enumerate(game.read_text().splitlines(), 1) if "community = 2" in line]
    why = "2 cards of community, and procedure mine leaves 3 there; allowed: 3"
    hands = ("player", "dealer")
    assert faults(game) == [
        f"game.toml:{line}: hands.{hand}.of.community: {why}" for hand, line in zip(hands, lines, strict=True)
    ]


def test_no_dealers_hand_to_beat() -> None:
    plan = Plan(load_procedure("let-it-ride.co"), {})
    found = {(each.of, each.key): each.why for each in differences(load_game(COLORADO).spec, plan)}
    why = "procedure let-it-ride.co deals nothing to dealer; allowed: own, community"
    assert found["game", ("hands", "dealer", "of", "dealer")] == why


def test_a_procedure_that_is_not_there(tmp_path: Path) -> None:
    game = pair(tmp_path)
    (tmp_path / "mine.toml").unlink()
    (only,) = faults(game)
    assert only.startswith(f"game.toml:{at(game, 'procedures')}: procedures[1]: no procedure 'mine'; allowed: 208.co, ")
    assert only.endswith(", or one in mine.toml beside this file")


def test_a_broken_procedure_is_named_itself(tmp_path: Path) -> None:
    game = pair(tmp_path, deal=('placed = "by-decision"', 'placed = "never"'))
    assert [line.partition(":")[0] for line in faults(game)] == ["mine.toml"]


def test_a_bet_misspelt_in_a_race(tmp_path: Path) -> None:
    game = pair(tmp_path, RACE, game=('"number-17"', '"number-18"'))
    assert "bets[13].name: procedure mine has no bet 'number-18'" in faults(game)[0]


# ------------------------------------------------------------------ what the procedure says for both


@pytest.mark.parametrize(
    ("name", "before", "after", "key", "where"),
    [
        ("three-card.co", 'name = "progressive"', 'kind = "progressive"', "bets[6].kind", SPOT),
        ("three-card.co", 'name = "progressive"', 'kind = "table"', "bets[6].kind", SPOT),
        ("three-card.co", 'name = "pair-plus"', 'kind = "progressive"', "bets[4].kind", SPOT),
        ("208.co", 'jurisdiction = "Colorado"', "decks = 4", "decks", "[deck] decks"),
        ("wild-six.co", 'jurisdiction = "Colorado"', "laid-aside = true", "laid-aside", "a choice that lays-aside"),
        (RACE, "[race]", "column = 5", "race.column", "[[shoe.end]]"),
        (RACE, "[race]", "most = 16", "race.most", "[[shoe.end]]"),
    ],
)  # fmt: skip
def test_a_game_does_not_say_it_again(tmp_path: Path, name: str, before: str, after: str, key: str, where: str) -> None:
    game = pair(tmp_path, name)
    lines = [line for line in game.read_text().splitlines() if not (before == 'name = "pair-plus"' and "pairs" in line)]
    at_line = lines.index(before) + 1
    if "kind" in after and before != 'name = "progressive"':
        lines[at_line] = after
    else:
        lines.insert(at_line, after)
    game.write_text("\n".join(lines) + "\n")
    with pytest.raises(TomlFileError) as caught:
        load_game(game)
    said = f"{game}:{at_line + 1}: {key}: a procedure defines it, by {where}; leave it out"
    assert str(caught.value) == said


def test_the_procedure_says_which_bet_is_played_for_the_progressive(tmp_path: Path) -> None:
    game = pair(tmp_path, deal=("progressive = true", "progressive = false"))
    with pytest.raises(TomlFileError, match=r"bets\[5\]\.kind: missing; allowed: "):
        load_game(game)


def test_two_procedures_of_one_game_say_the_same(tmp_path: Path) -> None:
    game = pair(tmp_path)
    other = (tmp_path / "mine.toml").read_text().replace('id = "mine"', 'id = "other"')
    (tmp_path / "other.toml").write_text(other.replace("progressive = true", "progressive = false"))
    game.write_text(game.read_text().replace('["mine"]', '["mine", "other"]'))
    (only,) = faults(game)
    assert only.endswith("].progressive: game flushes-gone-wild.co settles 'progressive' as progressive; allowed: true")


@pytest.mark.parametrize(("name", "decks"), [("208.co", 4), ("prospector.co", 8), ("three-card.co", 1), (RACE, 1)])
def test_how_often_a_face_may_be_seen_is_what_the_procedure_deals_from(name: str, decks: int) -> None:
    """208 Poker has three decks in the shoe and a fourth, with another back, dealt by hand: 47.1-1017.32(2)."""
    assert load_game(name).spec.decks == decks


def test_a_race_ends_where_the_drawing_does(tmp_path: Path) -> None:
    game = load_game(pair(tmp_path, RACE, deal=("cards = 16", "cards = 15")))
    assert (game.spec.race.column, game.spec.race.most) == (5, 15)  # type: ignore[union-attr]


def test_hands_are_no_columns(tmp_path: Path) -> None:
    race, hands = load_game(RACE).spec, load_game(COLORADO).spec
    drawn, dealt = Plan(load_procedure(RACE), {}), Plan(load_procedure(COLORADO), {})
    assert "deals hands, not columns; allowed: [hands.NAME]" in [each.why for each in differences(race, dealt)][-1]
    assert "deals columns, not hands; allowed: [race]" in [each.why for each in differences(hands, drawn)][-1]


# ------------------------------------------------------------------ where it is refused


def test_check_names_each_and_finds_the_procedure_among_its_files(tmp_path: Path) -> None:
    game = pair(tmp_path, game=('"flush-rush"', '"flush-rushh"'))
    elsewhere = tmp_path / "elsewhere.toml"
    (tmp_path / "mine.toml").rename(elsewhere)
    alone = CliRunner().invoke(main, ["check", str(game)])
    assert (alone.exit_code, len(alone.stderr.splitlines())) == (2, 1)
    assert "no procedure 'mine'" in alone.stderr
    both = CliRunner().invoke(main, ["check", str(game), str(elsewhere)])
    assert both.exit_code == 2
    assert [line.partition(":")[0] for line in both.stderr.splitlines()] == [str(game), str(elsewhere)]
    as_json = CliRunner().invoke(main, ["check", "--json", str(game), str(elsewhere)])
    assert [len(json.loads(line)["faults"]) for line in as_json.stdout.splitlines()] == [2, 0]


def test_settle_refuses_it_before_the_first_round(tmp_path: Path) -> None:
    game = pair(tmp_path, game=('"flush-rush"', '"flush-rushh"'))
    done = CliRunner().invoke(main, ["settle", "--game", str(game)], input="")
    fits = pair(tmp_path / "fits")
    assert CliRunner().invoke(main, ["settle", "--game", str(fits)], input="").exit_code == 0
    assert (done.exit_code, done.stdout) == (2, "")
    assert str(next(game_faults(load_game(game)))) in done.stderr


@pytest.mark.parametrize("misspelt", ["game", "deal"])
def test_the_service_does_not_start_with_it(tmp_path: Path, misspelt: str) -> None:
    """The configuration is refused with the line of `dealwire check`, in either of the two files."""
    shutil.copytree(CONFIGURATION.parent, tmp_path / "run")
    file, name = tmp_path / "run" / "table.toml", f'"{COLORADO}"'
    here = tmp_path / "files"
    game = pair(here)
    text = file.read_text().replace(f"procedure = {name}", f'procedure = "{here}/mine.toml"\ngame = "{game}"')
    file.write_text(text)
    load_configuration(file)
    wrong = game if misspelt == "game" else here / "mine.toml"
    wrong.write_text(wrong.read_text().replace('"flush-rush"', '"flush-rushh"'))
    line = str(next(game_faults(load_game(game))))
    assert f"{game}:" in line
    with pytest.raises(TomlFileError) as caught:
        load_configuration(file)
    assert line in str(caught.value)
    done = CliRunner().invoke(main, ["run", str(file)])
    assert done.exit_code == 2
    assert line in done.stderr
