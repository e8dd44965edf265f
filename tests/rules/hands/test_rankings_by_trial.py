"""Every ranking file, compared with a search of every subset and every meaning of a joker."""

import random
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import pytest

from protocol.cards import CARDS, DECK, Card, parse_cards
from rules.hands import ranking
from rules.hands.poker import PokerRanking, ranking_files
from tests.support.oracles.hands_by_trial import best_of

JOKERS = parse_cards("X1 X2")
DECKS = {"shootout": 6, "quick-draw": 6, "six-card": 8, "208": 3, "208-three": 3}
JOKERS_OF = {"wild-six": 2, "poker-wild": 2}
RANKINGS = ranking_files()


def deck_of(name: str) -> Sequence[Card]:
    found = ranking(name)
    jokers = JOKERS_OF.get(name, 1 if found.jokers else 0)
    return DECK * DECKS.get(name, 1) + JOKERS[:jokers]


def by_trial(name: str, cards: Sequence[Card]) -> tuple[str, tuple[Any, ...]]:
    """Return the category and an independently computed strength."""
    found = ranking(name)
    assert isinstance(found, PokerRanking)
    spec = found.spec
    for index, each in enumerate(found.order):
        held = [card for card in cards if not (each.natural and card.is_joker)]
        jokers = spec.jokers
        if each.kind.startswith("royal flush and"):
            best = (0,) if royal_match(held, jokers) else None
        else:
            best = best_of(held, each.kind, each.size, spec.uses, jokers, spec.ace_low)
        if best is not None:
            return each.name, (-index, *best)
    raise AssertionError(cards)


def royal_match(cards: Sequence[Card], jokers: str) -> bool:
    """Return True if five of the seven are a royal flush and the other two an ace and a king of one suit."""
    for two in combinations(cards, 2):
        if not any(card.is_joker for card in two) and {card.rank for card in two} == {1, 13}:
            rest = [card for card in cards if card not in two]
            if two[0].suit == two[1].suit and best_of(rest, "royal flush", 5, 5, jokers, "none"):
                return True
    return False


def hands(name: str, number: int) -> list[tuple[Card, ...]]:
    """Return random hands, half of them from few ranks and suits, which make rare categories likely."""
    chance = random.Random(name)
    least, most = ranking(name).sizes
    most = min(most, 7 if ranking(name).jokers else 9)  # a joker tries every card of the deck
    deck = deck_of(name)
    found = []
    for turn in range(number):
        size = chance.randint(least, most)
        if turn % 2:
            suits, ranks = chance.sample("CDHS", 2), set(chance.sample(range(1, 14), 5)) | {1, 13}
            few = [card for card in deck if card.is_joker or (card.suit in suits and card.rank in ranks)]
            found.append(tuple(chance.sample(few * (1 if len(few) >= size else 2), size)))
        else:
            found.append(tuple(chance.sample(deck, size)))
    return found


@pytest.mark.every(12)
@pytest.mark.parametrize("name", RANKINGS)
def test_counting_finds_what_trying_everything_finds(name: str) -> None:
    number = 30 if JOKERS_OF.get(name) else 80 if ranking(name).jokers else 200
    strengths = []
    for cards in hands(name, number):
        ranked = ranking(name).rank(cards, {})
        made, slow = by_trial(name, cards)
        assert ranked.key.made == made, cards  # type: ignore[attr-defined]
        strengths.append((slow, ranked.strength, cards))
    strengths.sort(key=lambda each: each[0])
    for (slow, fast, one), (slower, faster, other) in pairwise(strengths):
        assert (slow == slower) == (fast == faster), (one, other)
        assert fast <= faster, (one, other)


@pytest.mark.parametrize("name", RANKINGS)
def test_the_cards_that_make_it_make_it(name: str) -> None:
    """The cards reported are cards of the hand, without repeats, and have the same strength alone."""
    least, _ = ranking(name).sizes
    for cards in hands(name, 200):
        ranked = ranking(name).rank(cards, {})
        left = list(cards)
        for card in ranked.cards:
            left.remove(card)
        if len(ranked.cards) >= least:
            assert ranking(name).rank(ranked.cards, {}).strength == ranked.strength


@pytest.mark.parametrize("name", RANKINGS)
def test_neither_suits_nor_the_order_of_cards_matter(name: str) -> None:
    """If a file uses places, the order of the cards changes the key, never the strength (47.1-1006)."""
    chance = random.Random(f"{name} again")
    for cards in hands(name, 100):
        suits = chance.sample(range(1, 5), 4)
        other = [card if card.is_joker else CARDS[suits[(card >> 4) - 1] << 4 | card & 0x0F] for card in cards]
        chance.shuffle(other)
        assert ranking(name).rank(other, {}).strength == ranking(name).rank(cards, {}).strength
