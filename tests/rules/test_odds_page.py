"""docs/odds.md says what is computed."""

import re
from dataclasses import replace
from fractions import Fraction
from itertools import chain

import pytest

from docs._print import DOCS, MARK
from docs._print.odds import figures
from rules.game import game_ids, load_game
from rules.odds import Odds, Question, odds
from rules.odds.audit import PaytableFinding
from rules.odds.question import TOGETHER
from rules.odds.returns import BetOutcome

PROSE, _, WRITTEN = (DOCS / "odds.md").read_text(encoding="utf-8").partition(f"{MARK}\n")


def quick(game: str) -> list[Odds]:
    question = Question(load_game(game))
    bets = [bet.name for bet in question.game.spec.bets if bet.kind not in TOGETHER]
    return list(chain.from_iterable(odds(question, bet) for bet in bets))


@pytest.mark.parametrize("game", game_ids())
def test_every_quick_figure_is_on_the_page(game: str) -> None:
    assert f"\n## {game}\n" in WRITTEN, "run `make docs`"
    section = WRITTEN.partition(f"\n## {game}\n")[2].partition("\n## ")[0]
    for line in figures(quick(game)).splitlines():
        assert line in WRITTEN.splitlines(), "run `make docs`"
        if line.startswith("| "):
            assert line in section, "run `make docs`"


def test_how_many_hands_are_played_in_words() -> None:
    also = {"hands": 26_000, "hands_played": 17_500, "played_by_suits": {"4-3-0-0": [1_500, 2_000]}}
    outcome = BetOutcome("fold", Fraction(1), Fraction(0))
    lines = figures([Odds("game", "ante", None, {"wild-kicker": "ace"}, (outcome,), also=also)]).splitlines()
    assert lines[-5:] == [
        "",
        "| hand | wild-kicker: ace |",
        "| --- | --- |",
        "| 4-3-0-0 | 1,500 of 2,000 |",
        "| all | 17,500 of 26,000 |",
    ]


@pytest.mark.slow
def test_the_whole_page_is_what_is_computed() -> None:
    assert "".join(figures(list(odds(Question(load_game(game), workers=2)))) for game in game_ids()) == WRITTEN


def test_every_key_of_an_object_is_explained() -> None:
    explained = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", PROSE, re.MULTILINE))))
    given = {key for game in game_ids() for each in quick(game) for key in each.to_dict()}
    assert given - {"schema", "type"} <= explained


def test_a_finding_in_an_object_has_the_names_of_its_parts() -> None:
    finding = PaytableFinding("game", "ante", None, {"rank": "high"}, "over-100", "returns 101 % of the stake")
    plain = {
        "schema": "dealwire.finding/1",
        "type": "finding",
        "game": "game",
        "bet": "ante",
        "paytable": None,
        "reading": {"rank": "high"},
        "fault": "over-100",
        "why": "returns 101 % of the stake",
    }
    assert finding.to_dict() == plain
    assert replace(finding, suspect="a misprint").to_dict() == plain | {"suspect": "a misprint"}


def test_what_a_regulation_prints_stands_beside_what_is_computed() -> None:
    odds = Odds("game", "ante", None, {}, (), printed={"house-edge-pct": "3.45", "clause": "(13)"})
    assert odds.to_dict()["printed"] == {"house-edge-pct": "3.45", "clause": "(13)"}
    assert "printed" not in Odds("game", "ante", None, {}, ()).to_dict()
