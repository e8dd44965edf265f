"""Hands and points of several decks, compared with plain counting and binomials worked on paper."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from protocol.cards import CARDS, Card
from rules.odds.cards.dealt import CardDeck, count_dealt
from rules.odds.unseen import count_points

DECK = [CARDS[suit << 4 | rank] for suit in range(1, 5) for rank in range(1, 14)]


def shape(cards: tuple[Card, ...]) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """Return the ranks, the multiplicities of cards, and True if all are of one suit."""
    same = tuple(sorted(times for times in Counter(cards).values() if times > 1))
    return tuple(sorted(card & 15 for card in cards)), same, len({card.suit for card in cards}) == 1


@pytest.mark.every(3)
@pytest.mark.parametrize(("own", "decks"), [(1, 1), (1, 2), (2, 3)])
def test_every_deal_of_a_deck_and_a_shoe(own: int, decks: int) -> None:
    community = 3 - own
    plain: Counter[object] = Counter()
    shoe = DECK * decks
    for shared in combinations(range(len(shoe)), community):
        cards = tuple(shoe[place] for place in shared)
        for mine in combinations(DECK, own):
            plain[shape(mine + cards)] += 1
    assert count_dealt(shape, 3, CardDeck(decks, own=own), suited=None) == plain


@pytest.mark.slow
def test_hands_of_two_own_cards_and_three_of_three_decks() -> None:
    counted = count_dealt(shape, 5, CardDeck(3, own=2), suited=None)
    assert counted.total() == comb(52, 2) * comb(156, 3)
    royal = {ways for (ranks, _, suited), ways in counted.items() if suited and ranks == (1, 10, 11, 12, 13)}
    assert royal == {4 * 10 * 27}  # a suit, which two of the five are own, and a deck for each of the others
    four_same = Counter({len(set(ranks)): ways for (ranks, same, _), ways in counted.items() if same == (4,)})
    assert four_same.keys() == {1, 2}
    fives = sum(ways for (ranks, same, _), ways in counted.items() if len(set(ranks)) == 1 and same == (4,))
    assert fives == 52 * 3  # three of a card in the shoe, the same in the deck and another of its rank


def test_points_of_a_small_shoe() -> None:
    shoe = {1: 2, 4: 3, 10: 3}
    cards = [points for points, there in shoe.items() for _ in range(there)]
    plain: Counter[tuple[int, int]] = Counter()
    for mine in combinations(range(len(cards)), 2):
        for other in combinations(set(range(len(cards))) - set(mine), 2):
            plain[sum(cards[place] for place in mine), sum(cards[place] for place in other)] += 1
    assert count_points(shoe, 2) == plain


def test_points_of_eight_decks_are_as_likely_for_the_player_as_for_the_dealer() -> None:
    counted = count_points({**dict.fromkeys(range(1, 10), 32), 10: 128})
    assert counted.total() == comb(416, 3) * comb(413, 3)
    assert all(counted[other, mine] == ways for (mine, other), ways in counted.items())
