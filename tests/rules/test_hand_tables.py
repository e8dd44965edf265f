"""Hand tables, hand by hand and in bulk: compared with combinatorics, two oracles, and the rankings that settle."""

import random
from collections import Counter
from functools import cache
from itertools import pairwise, permutations

import numpy as np
import numpy.typing as npt
import pytest
import treys
from phevaluator import evaluate_cards

from protocol.cards import DECK, Card
from rules.hands.five_card import NOTHING, five_card
from rules.hands.longest_flush import longest_flush
from rules.odds.against.showdown import FLUSH_RANKS, flush_strengths
from tests.support.oracles.all_hands import every_hand
from tests.support.oracles.hands_by_lookup import (
    CLASSES,
    FLUSH_WORDS,
    class_names,
    five_card_class,
    five_card_classes,
    five_card_tree,
    flush_lengths,
    flush_strength,
    flush_strength_of,
)

KNOWN = {  # hands of five cards, weakest first, and how many classes each has
    "high card": (1_302_540, 1277),
    "pair": (1_098_240, 2860),
    "two pair": (123_552, 858),
    "three of a kind": (54_912, 858),
    "straight": (10_200, 10),
    "flush": (5_108, 1277),
    "full house": (3_744, 156),
    "four of a kind": (624, 156),
    "straight flush": (36, 9),
    "royal flush": (4, 1),
}


@cache
def classes() -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]:
    """Every hand of five, and its class."""
    hands = np.concatenate([np.array(block) for block in every_hand(5)], axis=1)
    return hands, five_card_classes(list(hands))


@cache
def one_of_each() -> tuple[tuple[Card, ...], ...]:
    """Return a hand of each class, weakest first."""
    hands, ranked = classes()
    found, first = np.unique(ranked, return_index=True)
    assert found.tolist() == list(range(1, CLASSES + 1))
    return tuple(tuple(DECK[place] for place in hands[:, at]) for at in first)


def test_every_category_has_as_many_hands_as_combinatorics_says() -> None:
    _, ranked = classes()
    assert len(ranked) == 2_598_960
    sizes, below = np.bincount(ranked), 1
    for hands, number in KNOWN.values():
        assert sizes[below : below + number].sum() == hands
        below += number
    assert below == CLASSES + 1
    assert sizes[0] == 0


def test_names_are_those_of_the_ranking_that_settles() -> None:
    for number, hand in enumerate(one_of_each(), start=1):
        assert class_names()[number] == five_card(hand)
    expected = Counter({name: number for name, (_, number) in KNOWN.items()})
    for name in ("high card", "pair", "two pair"):
        expected[NOTHING] += expected.pop(name)
    assert Counter(class_names()[1:]) == expected


def test_every_class_is_where_phevaluator_has_it() -> None:
    for number, hand in enumerate(one_of_each(), start=1):
        assert evaluate_cards(*(card.text[0] + card.text[1].lower() for card in hand)) == CLASSES + 1 - number


def test_every_class_is_where_treys_has_it() -> None:
    evaluator = treys.Evaluator()
    for number, hand in enumerate(one_of_each(), start=1):
        cards = [treys.Card.new(card.text[0] + card.text[1].lower()) for card in hand]
        assert evaluator.evaluate(cards, []) == CLASSES + 1 - number


@pytest.mark.slow
def test_every_hand_is_where_phevaluator_has_it() -> None:
    texts = [card.text[0] + card.text[1].lower() for card in DECK]
    hands, ranked = classes()
    for at in range(len(ranked)):
        assert evaluate_cards(*(texts[place] for place in hands[:, at])) == CLASSES + 1 - int(ranked[at])


def test_one_hand_at_a_time_is_the_same_as_in_bulk_in_any_order() -> None:
    hands, ranked = classes()
    tree = five_card_tree()
    for at in random.Random(6).sample(range(len(ranked)), 5000):
        a, b, c, d, e = hands[:, at].tolist()
        assert tree[a][b][c][d][e] == ranked[at]
    for hand in one_of_each()[::500]:
        orders = np.array([[DECK.index(card) for card in order] for order in permutations(hand)], np.uint8).T
        assert len({five_card_class(order) for order in permutations(hand)}) == 1
        assert len(set(five_card_classes(list(orders)).tolist())) == 1


def some_hands(number: int, cards: int) -> npt.NDArray[np.uint8]:
    draw = random.Random(7)
    deuces = [1, 14, 27, 40]
    hands = [draw.sample(range(52), cards) for _ in range(number)]
    for hand in hands[::3]:  # two deuces at least
        rest = [place for place in hand if place not in deuces]
        hand[:] = ([*draw.sample(deuces, 2 + cards % 2), *rest])[:cards]
    return np.array([hand for hand in hands if len(hand) == len(set(hand)) == cards], np.uint8).T


@pytest.mark.parametrize("kicker", ["highest-absent", "ace", "lowest"])
@pytest.mark.parametrize("cards", [5, 7])
def test_flushes_compare_as_the_ranking_that_settles_has_them(kicker: str, cards: int) -> None:
    columns = some_hands(1500, cards)
    bulk = flush_strength_of(kicker, cards)(list(columns)).tolist()
    table = flush_strengths(FLUSH_RANKS, cards, kicker)
    hands = [[DECK[place] for place in columns[:, at]] for at in range(columns.shape[1])]
    settled = [longest_flush(hand, {"wild-kicker": kicker}) for hand in hands]
    for hand, flush, number in zip(hands, settled, bulk, strict=True):
        assert flush_strength(sum(FLUSH_WORDS[DECK.index(card)] for card in hand), table) == number
        assert number >> 4 * cards == flush.length
    order = sorted(range(len(hands)), key=lambda at: settled[at].strength)
    for lower, higher in pairwise(order):
        assert (settled[lower].strength == settled[higher].strength) == (bulk[lower] == bulk[higher])
        assert bulk[lower] <= bulk[higher]


@pytest.mark.parametrize("natural", ["own-suit", "no-deuce"])
def test_lengths_are_those_of_the_ranking_that_settles(natural: str) -> None:
    columns = some_hands(1500, 7)
    real, longest = flush_lengths(list(columns), {"natural": natural})
    for at in range(columns.shape[1]):
        key = longest_flush([DECK[place] for place in columns[:, at]], {"natural": natural}).key
        assert key == (real[at], longest[at])
