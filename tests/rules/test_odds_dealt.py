"""Every hand of this many cards, with suits folded: compared with print and plain enumeration, for one deck and
several."""

from collections import Counter
from collections.abc import Callable, Hashable
from itertools import combinations
from math import comb

import pytest

from protocol.cards import CARDS, DECK, Card
from rules.hands.five_card import five_card
from rules.odds.cards.dealt import CardDeck, count_dealt
from tests.support.oracles.hands_by_lookup import count_five_card_hands

JOKERS = [CARDS[0x51], CARDS[0x52]]


def shoe_cards(shoe: CardDeck) -> list[tuple[int, Card]]:
    """Return every card of the shoe as a distinct object."""
    return [(deck, card) for deck in range(shoe.decks) for card in (*DECK, *JOKERS[: shoe.jokers])]


def one_by_one(key: Callable[[tuple[Card, ...]], Hashable], cards: int, shoe: CardDeck) -> Counter[Hashable]:
    found: Counter[Hashable] = Counter()
    for chosen in combinations(shoe_cards(shoe), cards):
        found[key(tuple(card for _, card in chosen))] += 1
    return found


def shape(cards: tuple[Card, ...]) -> Hashable:
    """Return the part of a hand that does not depend on the names of suits."""
    held = Counter(card.suit for card in cards)
    ranks = sorted(tuple(sorted(card.rank or 0 for card in cards if card.suit == suit)) for suit in held)
    return tuple(ranks), sum(card.is_joker for card in cards)


def flush_or_ranks(number: int) -> Callable[[tuple[Card, ...]], Hashable]:
    """Return a key for which suits count from `number` cards of one suit on, jokers included."""

    def key(cards: tuple[Card, ...]) -> Hashable:
        jokers = sum(card.is_joker for card in cards)
        most = max(Counter(card.suit for card in cards if card.suit).values(), default=0)
        ranks = tuple(sorted(card.rank or 0 for card in cards))
        return ("suited", shape(cards)) if most + jokers >= number else ("mixed", ranks)

    return key


def test_the_hands_of_five_cards_are_those_in_print() -> None:
    assert count_dealt(five_card, 5, CardDeck(), suited=5) == count_five_card_hands()
    assert count_dealt(five_card, 5, CardDeck(), suited=None) == count_five_card_hands()


@pytest.mark.every(9)
@pytest.mark.parametrize("shoe", [CardDeck(), CardDeck(1, 1), CardDeck(1, 2), CardDeck(2), CardDeck(2, 1)])
@pytest.mark.parametrize("cards", [1, 2, 3])
def test_every_hand_is_counted_as_often_as_it_is_dealt(cards: int, shoe: CardDeck) -> None:
    assert count_dealt(shape, cards, shoe, suited=None) == one_by_one(shape, cards, shoe)


@pytest.mark.every(3)
@pytest.mark.parametrize(("cards", "number", "shoe"), [
    (2, 2, CardDeck()), (3, 3, CardDeck(1, 2)), (4, 3, CardDeck()),
    pytest.param(3, 2, CardDeck(2), marks=pytest.mark.slow),
    pytest.param(4, 4, CardDeck(1, 1), marks=pytest.mark.slow),
    pytest.param(3, 3, CardDeck(3), marks=pytest.mark.slow),
])  # fmt: skip
def test_suits_that_do_not_matter_are_left_out(cards: int, number: int, shoe: CardDeck) -> None:
    key = flush_or_ranks(number)
    assert count_dealt(key, cards, shoe, suited=number) == one_by_one(key, cards, shoe)


def test_a_suit_by_name() -> None:
    def spades(cards: tuple[Card, ...]) -> int:
        return sum(card.suit == "S" for card in cards)

    expected = {held: comb(13, held) * comb(39, 3 - held) for held in range(4)}
    assert count_dealt(spades, 3, CardDeck(), suited=3, by_suit=True) == expected


@pytest.mark.every(2)
@pytest.mark.parametrize(("cards", "shoe", "looked_at"), [
    (7, CardDeck(), 290_732), (7, CardDeck(1, 1), 448_409), (6, CardDeck(1, 2), 59_852), (6, CardDeck(8), 117_572),
])  # fmt: skip
def test_long_hands_add_up_and_few_are_looked_at(cards: int, shoe: CardDeck, looked_at: int) -> None:
    seen: list[int] = []
    steps: list[tuple[int, int]] = []
    counted = count_dealt(
        lambda hand: seen.append(len(hand)), cards, shoe, suited=5, progress=lambda *step: steps.append(step)
    )
    assert counted == {None: comb(shoe.cards, cards)}
    assert (len(seen), set(seen)) == (looked_at, {cards})
    assert steps == sorted(steps)
    assert {of for _, of in steps} == {comb(shoe.cards, cards)}
