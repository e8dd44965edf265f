"""Random hands in which beaten hands are mucked, beside a dealer who pulls pots in; 20,000 a family with
`make test-mucked`."""

from collections import Counter

import pytest
from msgspec.structs import replace

from rules import load_game, settle
from tests.support.oracles.pots_by_pulling import Divided, House, Pulling, divide
from tests.support.programs import mucked_pots
from tests.support.programs.mucked_pots import FAMILIES, play


@pytest.mark.every(8)
@pytest.mark.parametrize("name", FAMILIES)
def test_pots_with_mucked_hands_are_cut_and_divided_as_a_dealer_pulls_them(name: str) -> None:
    found = Counter[str]()
    for seed in range(50):
        found.update(play(name, seed))
    assert found["side pots"] > 15
    assert found["all-in mucked"] > 5


def test_some_of_them_would_be_cut_otherwise_by_the_hands_that_are_left() -> None:
    """The way in which a line of an older version is settled, which has no pots."""
    game, others = load_game("holdem.co"), 0
    for seed in range(60):
        result = mucked_pots.deal("holdem", seed).result
        assert result is not None
        others += len(settle(result, game).pots) != len(settle(replace(result, pots=()), game).pots)
    assert others > 5


# ------------------------------------------------------------------ the splitter on paper


def pulled(*moves: tuple[int, int] | int, stakes: dict[int, int]) -> list[tuple[int, list[int]]]:
    """Return the pots: `moves` are a seat and the cents in front of it, a seat that folds, or 0: bets are pulled in."""
    pulling = Pulling(stakes)
    for move in moves:
        if isinstance(move, tuple):
            pulling.moves(*move)
        elif move:
            pulling.gives_up(move)
        else:
            pulling.pull()
    return [(pot.cents, sorted(pot.seats)) for pot in pulling.pots if pot.cents]


def test_the_dealer_closes_a_pot_at_each_all_in() -> None:
    stakes = {1: 30, 2: 50, 3: 90, 4: 90}
    all_call = ((1, 30), (2, 50), (3, 60), (4, 60), 0)
    three = [(120, [1, 2, 3, 4]), (60, [2, 3, 4]), (20, [3, 4])]
    assert pulled(*all_call, stakes=stakes) == three
    assert pulled(*all_call, 1, 2, stakes=stakes) == three, "they were all-in, and the bets were called"
    assert pulled((1, 30), (2, 50), (3, 60), 1, (4, 60), 0, stakes=stakes) == [(180, [2, 3, 4]), (20, [3, 4])]
    assert pulled(*all_call, (3, 20), 4, 0, stakes=stakes) == [(120, [1, 2, 3]), (60, [2, 3]), (20, [3])]


def test_it_divides_by_the_text() -> None:
    pulling = Pulling({1: 50, 2: 51, 3: 51})
    for seat in (1, 2, 3):
        pulling.moves(seat, 34)
    pulling.pull(last=True)
    high, low = {1: 1, 2: 1, 3: 2}, {1: None, 2: 5, 3: 5}
    assert divide(pulling, high, low, House(button=3)) == [Divided(102, 0, 0, {2: 25, 3: 77})]
    assert divide(pulling, high, low, House(button=3, odd_low_to_high=False)) == [Divided(102, 0, 0, {2: 26, 3: 76})]
    assert divide(pulling, {1: 1, 2: 2, 3: 2}, {}, House(token=10, percent="10", button=1)) == [
        Divided(102, 10, 0, {2: 52, 3: 40})
    ]
