"""Pots that readers of the regulation divided on paper, settled: every seat gets the amount that the text gives it."""

from typing import Any

import pytest

from tests.support.dealing.written_rounds import must_add_up
from tests.support.reading.each import of_each
from tests.support.reading.paper_pots import comes_to, posted_after, pot_cases, pot_games, seats_of, settled_on_paper

TOGETHER = ("joker.co",)
"""Games in which a winner's own wager never goes into the pot: the reader lists it as returned, the settlement in the
same line."""
ROLLING = ("joker.co", "trips.co", "longhorn.co")
"""Pots with money of other hands, or with a part for the house or a jackpot."""

CASES = [(game, case) for game in pot_games() for case in pot_cases(game)]


@of_each("game, case", CASES, ids=lambda case: f"{case[0]}: {case[1]['name']}")
def test_every_seat_has_what_the_text_gives_it(game: str, case: dict[str, Any]) -> None:
    settlement = settled_on_paper(game, case)
    for seat in case["seat"]:
        found, wanted = comes_to(settlement, seat["seat"], case["apart"]), {"gets": 0} | seat["expect"]
        if game in TOGETHER:
            found, wanted = {"all": sum(found.values())}, {"all": sum(wanted.values())}
        assert found == wanted, f"seat {seat['seat']}: {seat.get('note', case.get('note'))}"
    if "expect-pool" in case and "secondary" not in case and settlement.meters:
        assert settlement.meters[0].after == case["expect-pool"]
    if game not in ROLLING:
        must_add_up(settlement, seats_of(case))
    assert settlement.totals.players + settlement.totals.house + settlement.totals.meters == 0


@pytest.mark.parametrize(("game", "case"), [case for case in CASES if "secondary" in case[1]])
def test_a_jackpot_that_was_won_is_followed_by_the_secondary_one(game: str, case: dict[str, Any]) -> None:
    assert posted_after(game, case) == case["expect-pool"]


@pytest.mark.parametrize("game", pot_games())
def test_at_least_twelve_hands_of_each_game(game: str) -> None:
    assert len({case["name"] for case in pot_cases(game)}) == len(pot_cases(game)) >= 12
    assert all(case["clause"] for case in pot_cases(game))
