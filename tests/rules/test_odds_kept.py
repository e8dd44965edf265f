"""Cached odds: found complete, or counted from scratch."""

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import rules
from dealer_flow.games import files_of
from dealer_flow.procedure.load import whole_text
from rules.game.keep_rules import KEEPS
from rules.game.load import load_game
from rules.hands.poker import RANKINGS
from rules.odds import NotComputed, Question, odds
from rules.odds.kept import Found, KeptOdds, _imported, counting_data, counting_modules, key_of, remembered
from rules.odds.returns import BetOutcome, Odds
from tests.support.reading.game_files import flat_paytables

RULES = Path(rules.__file__).parent

FOUND: list[Found] = [
    Odds(
        "game",
        "bet",
        "TABLE",
        {"natural": "own-suit"},
        (
            BetOutcome("win", Fraction(1, 3), None, "flush", Fraction(2)),
            BetOutcome("no row", Fraction(2, 3), Fraction(0)),
        ),
        "ante",
        {"share": Fraction(1, 7), "played": {"4-1": [3, 4]}, "hands": 7, "whole": Fraction(2)},
        {"house_edge_pct": "3.45", "clause": "(13)"},
        "cannot be meant",
    ),
    NotComputed("game", "other", 10**20, "nobody counted"),
]


def test_what_is_kept_comes_back_as_it_was(tmp_path: Path) -> None:
    kept, key = KeptOdds(tmp_path / "deep" / "folder"), key_of("anything", 1)
    assert kept.get(key) is None
    kept.put(key, FOUND, 1.5)
    again, seconds = kept.get(key) or ([], 0)
    assert (again, seconds) == (FOUND, 1.5)
    assert [each.to_dict() for each in again] == [each.to_dict() for each in FOUND]
    assert kept.get(key_of("anything", 2)) is None
    assert [path.suffix for path in kept.folder.iterdir()] == [".json"]


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_torn_file_is_counted_anew(tmp_path: Path, part: float) -> None:
    kept = KeptOdds(tmp_path)
    kept.put("key", FOUND, 1.5)
    path = tmp_path / "key.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    assert kept.get("key") is None
    path.write_bytes(whole.replace(b"1/3", b"1/2"))
    assert kept.get("key") is None
    path.write_bytes(b"\xff\xfe\n{}")
    assert kept.get("key") is None
    assert list(remembered(kept, "key", iter(FOUND))) == FOUND
    assert (kept.get("key") or [None])[0] == FOUND


def test_another_procedure_beside_the_game_is_counted_anew(tmp_path: Path) -> None:
    """A game's procedure decides how it is dealt and decided, so odds counted with another one do not apply."""
    flat_paytables(tmp_path / "paytables")
    game, procedure = tmp_path / "three-card.co.toml", tmp_path / "my-three-card.toml"
    text = files_of("pays")["three-card.co"].read_text()
    game.write_text(text.replace('procedures = ["three-card.co"', 'procedures = ["my-three-card"'))
    whole = whole_text("three-card.co").replace('id = "three-card.co"', 'id = "my-three-card"')
    procedure.write_text(whole)
    before = Question(load_game(game)).key(["pair-plus"])
    assert Question(load_game(game)).key(["pair-plus"]) == before
    procedure.write_text(whole.replace("cards = 52", "cards = 53\njokers = 1", 1).replace("\njokers = 0", "", 1))
    assert Question(load_game(game)).key(["pair-plus"]) != before


def test_a_count_that_does_not_come_to_its_end_is_not_kept(tmp_path: Path) -> None:
    def breaks_off() -> Iterator[Found]:
        yield FOUND[0]
        raise KeyboardInterrupt

    kept = KeptOdds(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        list(remembered(kept, "key", breaks_off()))
    assert kept.get("key") is None


def test_a_folder_that_cannot_be_written_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert list(remembered(KeptOdds(tmp_path / "file"), "key", iter(FOUND))) == FOUND


def test_nothing_is_counted_twice_and_another_question_is(tmp_path: Path) -> None:
    question = Question(load_game("race-to-the-flush"), kept=KeptOdds(tmp_path))
    first = list(odds(question))
    counted: list[str] = []
    again = list(odds(replace(question, begin=counted.append)))
    assert (again, counted) == (first, [])
    list(odds(replace(question, begin=counted.append, decks=2), "red"))
    assert counted == ["red"]
    assert {json.loads(path.read_text().partition("\n")[2])["found"][0]["bet"] for path in tmp_path.iterdir()} == set(
        question.game.bets
    )


def test_what_counts_is_known_by_its_imports() -> None:
    """A change of any counting module, including those that settle endings, invalidates the cache; a change of modules
    that only deal does not."""
    counting = {path.relative_to(RULES.parent).as_posix() for path in counting_modules()}
    assert {path.relative_to(RULES.parent).as_posix() for path in RULES.glob("odds/*.py")} < counting
    assert {"rules/hands/__init__.py", "rules/hands/poker.py", "rules/paytables/hand_rows.py"} < counting
    assert {
        "rules/game/hand_input.py",
        "rules/game/keep_rules.py",
        "dealer_flow/procedure/plan.py",
        "protocol/cards.py",
    } < counting
    assert {path.relative_to(RULES.parent).as_posix() for path in RULES.glob("kinds/*.py")} < counting
    assert "rules/settle/rounds.py" in counting
    assert not {"rules/__init__.py", "dealer_flow/play/flow.py"} & counting


def test_rankings_and_keep_rules_are_part_of_what_counts() -> None:
    """Rankings are data that no import reaches; without them, a changed ranking would find the old odds."""
    assert counting_data() == {*RANKINGS.glob("*.toml"), *KEEPS.glob("*.toml")}
    assert len(counting_data()) > len([*KEEPS.glob("*.toml")]) > 0


def test_a_module_that_is_asked_of_its_package_is_no_reason_to_read_the_package(tmp_path: Path) -> None:
    file = tmp_path / "counts.py"
    file.write_text(
        "from rules.paytables import hand_rows\nfrom rules.hands import (\n    Ranked,\n)\nfrom json import loads\n"
    )
    found = {path.relative_to(RULES.parent).as_posix() for path in _imported([file]) - {file}}
    assert {"rules/paytables/hand_rows.py", "rules/hands/__init__.py", "rules/hands/five_card.py"} < found
    assert "rules/__init__.py" not in found
