"""The best five of five, six and seven cards, compared with an independent evaluator."""

import random
from itertools import pairwise

import pytest
from phevaluator import evaluate_cards

from protocol.cards import DECK, Card
from rules.hands import ranking

LAST = {  # the weakest hand of each category, as phevaluator numbers 7,462 of them from the best
    "royal flush": 1,
    "straight flush": 10,
    "four of a kind": 166,
    "full house": 322,
    "flush": 1599,
    "straight": 1609,
    "three of a kind": 2467,
    "two pair": 3325,
    "pair": 6185,
    "high card": 7462,
}


def other(cards: tuple[Card, ...]) -> int:
    return int(evaluate_cards(*(card.text[0] + card.text[1].lower() for card in cards)))


@pytest.mark.parametrize("size", [5, 6, 7])
def test_hands_stand_in_the_same_order(size: int) -> None:
    chance, rank = random.Random(size), ranking("poker").rank
    hands = [tuple(chance.sample(DECK, size)) for _ in range(4000)]
    few = [card for card in DECK if card.suit in ("S", "H") and card.rank in (1, 2, 3, 4, 5, 10, 11, 12, 13)]
    hands += [tuple(chance.sample(few, size)) for _ in range(4000)]
    both = sorted((other(hand), hand) for hand in hands)
    for number, hand in both:
        assert rank(hand, {}).key.made == next(name for name, last in LAST.items() if number <= last), hand  # type: ignore[attr-defined]
    for (number, hand), (next_number, next_hand) in pairwise(both):
        one, two = rank(hand, {}).strength, rank(next_hand, {}).strength
        assert (one == two) if number == next_number else (one > two), (hand, next_hand)
