"""Number of cards after which a race ends: exact probabilities by counting, and shuffled races dealt through flow and
rules.

The count shares nothing with the engine: it uses the hypergeometric distributions over four columns without five.
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import pytest

from dealer_flow.procedure.plan import Plan
from dealer_flow.record.result import RoundResult
from dealer_flow.table.columns import Draw
from protocol.cards import DECK, spell_cards
from rules import settle
from tests.support.dealing.races import GAME, PROCEDURE, race, race_table

# The 99 % point of chi-square with 12 degrees of freedom, from the tables.
POINT_12 = 26.217
STAKE = 400


def open_after(cards: int, decks: int) -> Fraction:
    """Return the probability that this many cards leave every column below five."""
    per_suit = 13 * decks
    ways = sum(
        comb(per_suit, a) * comb(per_suit, b) * comb(per_suit, c) * comb(per_suit, cards - a - b - c)
        for a, b, c in product(range(5), repeat=3)
        if 0 <= cards - a - b - c <= 4
    )
    return Fraction(ways, comb(4 * per_suit, cards))


def ends_at(decks: int = 1) -> dict[int, Fraction]:
    """Return the probability of each finishing card; 17 stands for no flush in 16."""
    chances = {cards: open_after(cards - 1, decks) - open_after(cards, decks) for cards in range(5, 17)}
    return chances | {17: open_after(16, decks)}


def chi_square(counted: Counter[int], chances: dict[int, Fraction]) -> float:
    total = sum(counted.values())
    return sum((counted[key] - total * float(chance)) ** 2 / (total * float(chance)) for key, chance in chances.items())


def test_the_exact_chances() -> None:
    """Two of them by hand: five of one suit at once, and four of each in sixteen."""
    exact = ends_at()
    assert sum(exact.values()) == 1
    assert exact[5] == Fraction(4 * comb(13, 5), comb(52, 5))
    assert exact[17] == Fraction(comb(13, 4) ** 4, comb(52, 16))


def raced(races: int, seed: int) -> Counter[int]:
    """Count finishing cards as the flow's own columns find them."""
    plan = Plan(PROCEDURE, {}).shoe
    assert plan is not None
    rng, counted = Random(seed), Counter[int]()
    for _ in range(races):
        end = Draw(plan, cards=rng.sample(DECK, 16)).end
        assert end is not None
        counted[end.cards if end.column else 17] += 1
    return counted


@pytest.fixture(scope="module")
def counted() -> Counter[int]:
    return raced(200_000, seed=2)


@pytest.mark.more
def test_200_000_races_match_the_exact_chances(counted: Counter[int]) -> None:
    assert chi_square(counted, ends_at()) < POINT_12


@pytest.mark.more
def test_a_wrong_game_would_be_found(counted: Counter[int]) -> None:
    """The same races do not fit the probabilities of two decks, so the test can fail."""
    assert chi_square(counted, ends_at(decks=2)) > 5 * POINT_12


def test_races_dealt_through_the_whole_flow_finish_where_the_cards_say() -> None:
    rng = Random(3)
    for _ in range(150):
        cards = rng.sample(DECK, 17)
        suits = [card.text[1] for card in cards]
        wanted = next((at for at in range(5, 17) if suits[:at].count(suits[at - 1]) == 5), 17)
        result = race(" ".join(spell_cards(cards[:wanted])), red=STAKE)
        assert result.outcome == "complete"
        assert result.draw is not None
        assert result.draw.finish is not None
        assert result.draw.finish.cards == wanted


PRINTED = {5: 400, 6: 100, 7: 40, 8: 20, 9: 12, 10: 9, 11: 7, 12: 5, 13: 5, 14: 5, 15: 7, 16: 12, 17: 35}


def test_no_inside_bet_returns_more_than_it_takes_with_one_deck_and_the_first_does_with_two() -> None:
    """The reason for the option decks-in-shoe."""
    one, two = ends_at(1), ends_at(2)
    returns = {number: (odds + 1) * one[number] for number, odds in PRINTED.items()}
    assert all(Fraction(1, 2) < value < 1 for value in returns.values())
    assert round(float(returns[5]), 3) == 0.794
    assert (PRINTED[5] + 1) * two[5] > 1


def test_a_switched_17_returns_what_the_paytable_implies() -> None:
    """Four of each suit are out, so each suit has nine of the 36 left: a switch returns 151/4 of its stake."""
    table = race_table().bet(1, number_17=STAKE).start()
    table.draw("2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S").bet(1, switch_spades=STAKE)
    left = [card for card in DECK if card.text not in table.flow.shoe.composition()]  # type: ignore[union-attr]
    assert Counter(card.text[1] for card in left) == dict.fromkeys("CDHS", 9)
    nets = [settle(_with(card.text), GAME).totals.players for card in left]
    assert Fraction(sum(nets), len(nets)) == STAKE * Fraction(151, 4) - STAKE


def _with(card: str) -> RoundResult:
    """Return the result if this were the 17th card."""
    again = race_table().bet(1, number_17=STAKE).start()
    again.draw("2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S").bet(1, switch_spades=STAKE)
    return again.draw(card).end()
