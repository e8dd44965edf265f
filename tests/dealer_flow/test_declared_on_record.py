"""Declared, laid-aside and split cards are read from the round's line, and again from the line parsed back."""

import json
from typing import Any

import pytest

from dealer_flow.record.result import RoundResult
from protocol.cards import parse_cards
from tests.dealer_flow.test_games_played import played, said
from tests.support.reading.dealt_hands import Case, cases, clean

KEYS = ("declared", "discards", "split", "blind", "stages")


def noted() -> list[Case]:
    """The dealt hands whose file says something of declarations, discards, splits or stages."""
    games = ("boston-5.co", "boston-7.co", "caribbean-draw.co", "wild-six.co", "texas-shootout.co", "high-five.co")
    every = [case for game in games for case in (clean(game), *cases(game))]
    return [case for case in every if any(key in path for path in case.record for key in KEYS)]


@pytest.mark.parametrize("case", noted(), ids=str)
def test_it_stands_in_the_line_and_survives_it(case: Case) -> None:
    _, result = played(case)
    line = result.to_json()
    again = RoundResult.from_json(line)
    assert (again, again.to_json()) == (result, line)
    read: dict[str, Any] = json.loads(again.to_json())
    assert {path: said(read, path) for path in case.record} == case.record


def test_every_game_that_declares_has_such_a_hand() -> None:
    assert {case.game for case in noted()} == {
        "boston-5.co",
        "boston-7.co",
        "caribbean-draw.co",
        "wild-six.co",
        "texas-shootout.co",
        "high-five.co",
    }


def test_faces_of_a_declared_hand_are_veiled_with_the_others() -> None:
    _, result = played(clean("wild-six.co"))
    (first,) = (stage for stage in result.stages if stage.step == "declared")
    hidden = result.redact(set(parse_cards(" ".join(first.cards))))
    assert [set(stage.cards) for stage in hidden.stages if stage.step == "declared"] == [{"??"}]
