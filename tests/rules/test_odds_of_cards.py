"""Bets that the cards alone decide, from the games' own files: compared with published counts and counts by hand."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import comb

import pytest

from rules.game.load import load_game
from rules.hands import Made, ranking
from rules.odds import NotComputed, Odds, Question, odds
from rules.odds.cards.dealt import CardDeck
from rules.odds.cards.distribution import distribution

ONE_DECK = CardDeck()
FIVE = {
    "royal flush": 4, "straight flush": 36, "four of a kind": 624, "full house": 3_744, "flush": 5_108,
    "straight": 10_200, "three of a kind": 54_912, "two pair": 123_552, "pair": 1_098_240, "high card": 1_302_540,
}  # fmt: skip
SEVEN = {
    "royal flush": 4_324, "straight flush": 37_260, "four of a kind": 224_848, "full house": 3_473_184,
    "flush": 4_047_644, "straight": 6_180_020, "three of a kind": 6_461_620, "two pair": 31_433_400,
    "pair": 58_627_800, "high card": 23_294_460,
}  # fmt: skip
SIX = {
    "royal flush": 188, "straight flush": 1_656, "four of a kind": 14_664, "full house": 165_984, "flush": 205_792,
    "straight": 361_620, "three of a kind": 732_160, "two pair": 2_532_816, "pair": 9_730_740, "high card": 6_612_900,
}  # fmt: skip
THREE = {
    "royal flush": 4, "straight flush": 44, "three of a kind": 52, "straight": 720, "flush": 1_096, "pair": 3_744,
    "high card": 16_440,
}  # fmt: skip
FOUR = {
    "four of a kind": 13, "straight flush": 44, "three of a kind": 2_496, "flush": 2_816, "straight": 2_772,
    "two pair": 2_808, "pair": 82_368, "high card": 177_408,
}  # fmt: skip


def kinds(name: str, places: tuple[int, ...], shoe: CardDeck = ONE_DECK) -> dict[str, int]:
    found: Counter[str] = Counter()
    for key, hands in distribution(ranking(name), places, shoe, {}).items():
        assert isinstance(key, Made)
        found[key.kind] += hands
    return dict(found)


def test_three_four_five_and_six_cards_are_counted_as_in_print() -> None:
    assert kinds("poker", (5,)) == FIVE
    assert kinds("three-card", (3,)) == THREE
    assert kinds("four-card", (4,)) == FOUR
    assert kinds("poker", (2, 4)) == SIX


@pytest.mark.slow
def test_seven_cards_are_counted_as_in_print() -> None:
    assert kinds("poker", (2, 5)) == SEVEN


def test_five_cards_and_a_bug() -> None:
    """The joker is the missing card of a royal flush, or else an ace with aces."""
    found = kinds("poker-bug", (5,), CardDeck(1, 1))
    assert sum(found.values()) == comb(53, 5)
    assert found["five aces"] == 1
    assert found["royal flush"] == 4 * (1 + 5)
    assert found["four of a kind"] == 624 + comb(4, 3) * 48 + 12  # three aces and another; four of another rank
    assert found["full house"] == 3_744 + 6 * 12 * 6 + 12 * 4 * 4  # two aces and a pair; three of a rank and an ace
    assert found["three of a kind"] == 54_912 + 6 * comb(12, 2) * 16 + 12 * 4 * 44


def test_four_cards_of_six_decks() -> None:
    """Quick Draw: four of a kind of one suit are four of six identical cards."""
    found = kinds("quick-draw", (4,), CardDeck(6))
    assert found["four of a kind suited"] == 52 * comb(6, 4)
    assert found["four of a kind"] == 13 * comb(24, 4) - 52 * comb(6, 4)
    assert found["royal flush"] == 4 * 6**4


@pytest.mark.slow
def test_where_the_cards_of_a_royal_flush_lie() -> None:
    """A royal flush of seven cards is in the first five as often as five places are the first five."""
    counted = distribution(ranking("poker-in-order"), (2, 5), CardDeck(), {})
    hands = {name: Fraction(0) for name in ("royal flush in the first 5", "royal flush in the first 6")}
    community = Fraction(0)
    for key, number in counted.items():
        assert isinstance(key, Made)
        for name in hands:
            hands[name] += Fraction(number, counted.total()) * (name in key.also)
        community += Fraction(number, counted.total()) * ("community royal flush" in key.also)
    assert hands["royal flush in the first 5"] == community == Fraction(4, comb(52, 5))
    assert hands["royal flush in the first 6"] == Fraction(4 * 47, comb(52, 6))


@pytest.mark.parametrize(("table", "straight"), [("LIR-3CB-1", 6), ("LIR-3CB-2", 5)])
def test_a_bonus_of_three_cards_from_its_printed_pays(table: str, straight: int) -> None:
    """A royal flush counts as a straight flush here."""
    (found,) = odds(Question(load_game("let-it-ride.co"), paytable=table), "three-card-bonus")
    assert isinstance(found, Odds)
    counts = THREE | {"straight flush": 48}
    pays = {"straight flush": 40, "three of a kind": 30, "straight": straight, "flush": 4, "pair": 1}
    assert found.returned == Fraction(sum(counts[hand] * (pay + 1) for hand, pay in pays.items()), comb(52, 3))
    assert found.hit_frequency == Fraction(sum(counts[hand] for hand in pays), comb(52, 3))
    assert found.also["deals"] == comb(52, 3)


def test_what_hangs_on_a_choice_is_not_counted_as_if_there_were_none() -> None:
    game = load_game("let-it-ride.co")
    bare = replace(game, spec=game.spec.model_copy(update={"odds": None}))
    for name in ("bet-1", "bet-2", "tip-bet-1"):
        (found,) = odds(Question(bare), name)
        assert isinstance(found, NotComputed)
        assert (found.bet, found.deals) == (name, comb(52, 3) * comb(49, 2))
        assert "player's choices" in found.why
