"""Pots that readers of the regulation shared out on paper, settled: every seat has what the text gives it."""

from typing import Any

import pytest

from tests.support.paper_pots import cases, comes_to, games, seats_of, settled
from tests.support.pot_rounds import must_add_up

CASES = [pytest.param(game, case, id=f"{game}: {case['name']}") for game in games() for case in cases(game)]


@pytest.mark.parametrize(("game", "case"), CASES)
def test_every_seat_has_what_the_text_gives_it(game: str, case: dict[str, Any]) -> None:
    settlement = settled(game, case)
    for seat in case["seat"]:
        wanted = {"gets": 0} | seat["expect"]
        assert comes_to(settlement, seat["seat"]) == wanted, (
            f"seat {seat['seat']}: {seat.get('note', case.get('note'))}"
        )
    must_add_up(settlement, seats_of(case))


@pytest.mark.parametrize("game", games())
def test_at_least_twelve_hands_of_each_game(game: str) -> None:
    assert len({case["name"] for case in cases(game)}) == len(cases(game)) >= 12
    assert all(case["clause"] for case in cases(game))
