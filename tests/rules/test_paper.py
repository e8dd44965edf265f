"""What readers of the regulation worked out on paper, played: every bet of every seat ends as the text has it."""

from collections.abc import Iterator
from typing import Any

import pytest

from rules import game_ids
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper, PaperCase, expected, outcomes, paper_cases, paper_games


def worked() -> Iterator[tuple[str, PaperCase]]:
    return ((game, case) for game in paper_games() if game in game_ids() for case in paper_cases(game))


@of_each("game, case", worked, ids=lambda case: f"{case[0]}: {case[1]['name']}", shares=6)
def test_every_bet_ends_as_the_text_has_it(game: str, case: dict[str, Any]) -> None:
    settlement = Paper(game, case).settle()
    for seat in case["seat"]:
        assert outcomes(settlement, seat["seat"]) == expected(seat), f"seat {seat['seat']}: {seat.get('note', '')}"
    assert settlement.totals.players + settlement.totals.house + settlement.totals.meters == 0


@pytest.mark.parametrize("game", [game for game in paper_games() if game in game_ids()])
def test_at_least_twelve_settlements_of_each_game(game: str) -> None:
    cases = paper_cases(game)
    assert len({case["name"] for case in cases}) == len(cases) >= 12
    assert all(case["clause"] for case in cases)
