"""A house's own ranking: a file in `rankings/` next to its game."""

import re
from pathlib import Path

import pytest

from dealer_flow.games import files_of
from dealwire.cli.check import faults_of
from protocol.cards import parse_cards
from protocol.tomlfile import TomlFileError
from rules.game.load import load_game
from rules.hands.poker import RANKINGS
from tests.support.reading.game_files import flat_paytables

GAME = "let-it-ride.co.toml"
NAMED = 'ranking = "three-card"'


def beside(folder: Path, name: str) -> Path:
    """Write the game with its pay tables, its three-card hands ranked by `name`."""
    flat_paytables(folder / "paytables")
    text = files_of("pays")[GAME.removesuffix(".toml")].read_text()
    assert NAMED in text
    (folder / GAME).write_text(text.replace(NAMED, f'ranking = "{name}"'))
    return folder / GAME


def own(folder: Path, name: str, was: str = "", now: str = "") -> Path:
    (folder / "rankings").mkdir(exist_ok=True)
    text = (RANKINGS / "three-card.toml").read_text().replace('id = "three-card"', f'id = "{name}"')
    assert was in text
    file = folder / "rankings" / f"{name}.toml"
    file.write_text(text.replace(was, now) if was else text)
    return file


def ranked(game: Path, cards: str) -> tuple[str, str]:
    found = load_game(game)
    (each,) = (each for each in found.rankings.values() if each.sizes == (3, 3))
    return each.rank(parse_cards(cards), {}).text, found.sha256


def test_it_ranks_and_the_hash_covers_it(tmp_path: Path) -> None:
    game = beside(tmp_path, "ours")
    own(tmp_path, "ours")
    text, first = ranked(game, "AS 2D 3C")
    assert text == "straight, three high"
    own(tmp_path, "ours", "uses = 3", 'uses = 3\nace-low = "none"')
    text, second = ranked(game, "AS 2D 3C")
    assert text == "ace high"
    assert first != second


def test_it_has_a_name_of_its_own(tmp_path: Path) -> None:
    game = beside(tmp_path, "three-card")
    own(tmp_path, "three-card")
    with pytest.raises(TomlFileError, match="two rankings 'three-card', one of them in rankings/"):
        load_game(game)


def test_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    game = beside(tmp_path, "ours")
    with pytest.raises(
        TomlFileError, match=r"unknown ranking 'ours'; allowed: .*, or ours\.toml in rankings/$"
    ) as caught:
        load_game(game)
    assert caught.value.line is not None


def test_check_looks_at_the_file_alone(tmp_path: Path) -> None:
    assert list(faults_of(str(own(tmp_path, "ours")), {})) == [("ranking", [])]
    wrong = str(own(tmp_path, "ours", '"pair"', '"pear"'))
    ((kind, faults),) = faults_of(wrong, {})
    assert kind == "ranking"
    assert re.fullmatch(rf"{re.escape(wrong)}:\d+: order\[6\]: no category 'pear'; allowed: .*", faults[0])
