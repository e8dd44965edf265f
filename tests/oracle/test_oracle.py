"""Two engines settle the same random rounds: `rules`, and one written independently from the regulation
(`tests.oracle`)."""

from collections import Counter

import pytest

from tests.oracle import hands
from tests.oracle.compare import GAMES, differences, differences_in_doubt
from tests.oracle.fold_doubts import BY_PLAYING


@pytest.mark.every(18)
@pytest.mark.parametrize("game", GAMES)
def test_both_engines_settle_alike(game: str) -> None:
    _alike(game, 200)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_both_engines_settle_100_000_rounds_alike(game: str) -> None:
    _alike(game, 100_000)


def _alike(game: str, rounds: int) -> None:
    tally: Counter[str] = Counter()
    found = next(differences(game, rounds, 1, tally), None)
    assert found is None, str(found)
    assert tally["rounds"] == rounds
    assert {"win", "lose", "returned", "held"} <= set(tally), "the rounds are too tame to tell the engines apart"


@pytest.mark.parametrize("game", BY_PLAYING)
def test_both_engines_hold_what_hangs_on_a_fold_in_doubt(game: str) -> None:
    tally: Counter[str] = Counter()
    found = next(differences_in_doubt(game, 150, 1, tally), None)
    assert found is None, str(found)
    assert tally["rounds"] > 50
    assert {"win", "lose", "held"} <= set(tally)


HANDS = (
    ("AS KS QS JS TS", "royal flush"),
    ("5S 4S 3S 2S AS", "straight flush"),
    ("5S 4D 3S 2S AS", "straight"),
    ("2S AD KS QS JS", "high card"),
    ("9S 9D 9H 9C 2S", "four of a kind"),
    ("9S 9D 9H 2C 2S", "full house"),
    ("9S 7S 5S 4S 2S", "flush"),
    ("9S 9D 9H 3C 2S", "three of a kind"),
    ("9S 9D 3H 3C 2S", "two pair"),
    ("9S 9D 4H 3C 2S", "pair"),
)


@pytest.mark.parametrize(("cards", "name"), HANDS)
def test_the_oracle_names_hands_as_47_1_1004(cards: str, name: str) -> None:
    assert hands.name(hands.poker(cards.split())) == name


def test_the_oracle_ranks_the_steel_wheel_lowest() -> None:
    assert hands.poker(["5S", "4S", "3S", "2S", "AS"]) < hands.poker(["6S", "5S", "4S", "3S", "2S"])
    assert hands.three_card(["3S", "2S", "AS"]) < hands.three_card(["4S", "3S", "2S"])
