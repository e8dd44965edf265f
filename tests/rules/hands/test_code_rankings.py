"""Rankings in code: points, low hands, hole cards, the longest flush."""

import random
from collections import Counter
from itertools import combinations

import pytest

from protocol.cards import DECK, Card, parse_cards
from rules.hands import ranking
from rules.hands.code import HoleCards, Low


@pytest.mark.parametrize(
    ("cards", "points"),
    [("AS 2D 3C", 6), ("KS QD JC", 30), ("TS 9D AC", 20), ("AS AS AS", 3)],  # 47.1-1017.22(1)
)
def test_points(cards: str, points: int) -> None:
    ranked = ranking("points").rank(parse_cards(cards), {})
    assert (ranked.key, ranked.text, ranked.strength) == (points, f"{points} points", (points,))


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("AS 2S 3S 4S 5S", "AD 2D 3C 4C 6H"),  # neither the straight nor the flush impairs it (47.1-1004(2))
        ("AS 2D 3C 4H 8S", "2S 3D 4C 5H 9S"),
        ("AS 2D 3C 7H 8S", "2D 4C 5C 7C 8C"),  # the highest alike, the next and the next; then the lower third
        ("9S TD JC QH KS", "AS AD 2C 3H 4S"),
        ("AS AD 3C 4H 5S", "2S 2D AC 3H 4S"),
        ("2S 2D 3C 4H 5S", "AS AD 2C 2H 3S"),
        ("KS KD QC QH JS", "AS AD AC 2H 3S"),
        ("AS AD AC KH QS", "AS AD AC 2H 2S"),
        ("AS AD AC 2H 2S", "AS AD AC AH 2S"),
    ],
)
def test_the_better_low(better: str, worse: str) -> None:
    low = ranking("low")
    assert low.rank(parse_cards(better), {}).strength > low.rank(parse_cards(worse), {}).strength


def test_the_best_low_of_seven_is_that_of_its_best_five() -> None:
    chance, low = random.Random(5), ranking("low")
    for size in (6, 7, 9):
        for _ in range(300):
            few = [card for card in DECK if (card.rank or 0) <= chance.randint(3, 13)]
            cards = chance.sample(few, size)
            best = max(low.rank(five, {}).strength for five in combinations(cards, 5))
            ranked = low.rank(cards, {})
            assert ranked.strength == best
            assert low.rank(ranked.cards, {}).strength == best


def test_lows_in_words() -> None:
    low = ranking("low")
    assert low.rank(parse_cards("AS 2D 3C 4H 8S"), {}).text == "eight low (8 4 3 2 A)"
    assert low.rank(parse_cards("AS AD 3C 4H 4S"), {}).text == "low with fours and aces"


def test_every_pair_of_hole_cards() -> None:
    rank = ranking("hole-cards").rank
    found = Counter(rank(two, {}).text for two in combinations(DECK, 2))
    assert len(found) == 169
    assert (found["A-A"], found["A-K suited"], found["A-K unsuited"], found["T-9 suited"]) == (6, 4, 12, 4)


@pytest.mark.parametrize("name", ["points", "low", "hole-cards"])
@pytest.mark.parametrize("cards", ["X1 AS 2S 3S 4S", "??", "AS 2S 3S 4S 5S 6S 7S 8S 9S TS"])
def test_cards_that_are_no_hand_are_refused(name: str, cards: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} ranks .* of the 52 cards, not "):
        ranking(name).rank(parse_cards(cards), {})


def test_three_hole_cards_are_nobodys() -> None:
    with pytest.raises(ValueError, match=r"^hole cards are the player's two, or those and the dealer's two$"):
        ranking("hole-cards").rank(parse_cards("AS KS QS"), {})


def test_the_cards_of_a_longest_flush_are_its_suit_and_the_deuces() -> None:
    cards: tuple[Card, ...] = parse_cards("AH KH 9H 2C 4D 5S 7H")
    ranked = ranking("longest-flush").rank(cards, {})
    assert ranked.cards == parse_cards("AH KH 9H 2C 7H")
    assert ranked.key == (4, 5)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("7S 5D 4C 3H 2S", "7S 6D 4C 3H 2S"),
        ("9S 5D 4C 3H 2S", "AS 5D 4C 3H 2S"),  # the ace is high, and A-5 is no straight
        ("AS 5D 4C 3H 2S", "2S 2D 3C 4H 5S"),
        ("AS KD QC JH 9S", "2S 2D 3C 4H 5S"),
        ("KS KD QC QH JS", "2S 2D 2C 3H 4S"),
        ("AS AD AC KH QS", "6S 5D 4C 3H 2S"),  # a straight is worse than three of a kind
        ("6S 5D 4C 3H 2S", "7S 5S 4S 3S 2S"),
        ("7S 5S 4S 3S 2S", "2S 2D 2C 3H 3S"),
        ("AS AD AC KH KS", "2S 2D 2C 2H 3S"),
        ("AS AD AC AH KS", "6S 5S 4S 3S 2S"),
    ],
)
def test_the_better_low_by_high_ranks(better: str, worse: str) -> None:
    low = ranking("deuce-to-seven")
    assert low.rank(parse_cards(better), {}).strength > low.rank(parse_cards(worse), {}).strength


def test_deuce_to_seven_is_the_poker_ranking_turned_round() -> None:
    """Deuce to seven reverses the poker ranking, except for the ace, which is never below the deuce: hands without an
    ace, or with a king too."""
    chance, low, high = random.Random(7), ranking("deuce-to-seven"), ranking("poker")
    hands = [tuple(chance.sample([card for card in DECK if card.rank != 1], 5)) for _ in range(500)]
    by_low = sorted(hands, key=lambda hand: low.rank(hand, {}).strength)
    strengths = [high.rank(hand, {}).strength for hand in by_low]
    assert strengths == sorted(strengths, reverse=True)
    for size in (6, 7):
        cards = chance.sample(DECK, size)
        best = max(low.rank(five, {}).strength for five in combinations(cards, 5))
        assert low.rank(cards, {}).strength == best


def test_straights_and_flushes_are_no_low_row() -> None:
    low = ranking("deuce-to-seven")
    for cards, at_best in (("8S 7D 6C 5H 3S", True), ("8S 7D 6C 5H 4S", False), ("8S 6S 5S 3S 2S", False)):
        key = low.rank(parse_cards(cards), {}).key
        assert isinstance(key, Low)
        assert key.is_at_best(8) == at_best
    assert low.rank(parse_cards("8S 7D 6C 5H 4S"), {}).text == "straight, eight low (8 7 6 5 4)"


@pytest.mark.parametrize(
    ("cards", "rank"), [("KS 2D AC", 14), ("AC KS 2D", 2), ("7H", 7), ("AC TD", 10), ("2C KD", 13)]
)
def test_the_card_that_came_last(cards: str, rank: int) -> None:
    found, last = ranking("last-card").rank(parse_cards(cards), {}), parse_cards(cards)[-1]
    assert (found.strength, found.key, found.text, tuple(found.cards)) == ((rank,), last, last.text, (last,))


@pytest.mark.parametrize(
    ("cards", "strength", "text", "dealer"),
    [
        ("AC AD", (True, 14, 14), "A-A", None),
        ("2C AC", (False, 14, 2), "A-2 suited", None),
        ("9D TC", (False, 10, 9), "T-9 unsuited", None),
        ("9D TC AC AD", (False, 10, 9), "T-9 unsuited", (14, 14)),
        ("KD KC 2C AD", (True, 13, 13), "K-K", (14, 2)),
    ],
)
def test_hole_cards_beside_the_dealers(
    cards: str, strength: tuple[bool, int, int], text: str, dealer: tuple[int, int] | None
) -> None:
    found = ranking("hole-cards").rank(parse_cards(cards), {})
    assert (found.strength, found.text) == (strength, text)
    assert isinstance(found.key, HoleCards)
    assert (found.key.high, found.key.low, found.key.suited) == (*strength[1:], " suited" in text)
    assert found.key[3] == dealer
    assert tuple(found.cards) == parse_cards(cards)[:2]
