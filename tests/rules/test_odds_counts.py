"""Counts by combinatorics, compared with enumeration, closed forms and published figures."""

from collections import Counter
from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from protocol.cards import CARDS, DECK
from rules.hands import ranking
from rules.hands.five_card import FIVE_CARD_HANDS, NOTHING, five_card
from rules.hands.longest_flush import longest_flush
from rules.odds.cards.counts import count_flush_lengths, finishing_card, race_ends
from rules.odds.cards.dealt import CardDeck
from rules.odds.cards.distribution import distribution
from tests.support.oracles.all_hands import every_hand
from tests.support.oracles.hands_by_lookup import class_names, count_five_card_hands, five_card_classes, flush_lengths

NATURAL = ["own-suit", "no-deuce"]
SEVEN = 133_784_560


@pytest.mark.parametrize("natural", NATURAL)
def test_every_hand_of_seven_is_counted_once(natural: str) -> None:
    assert comb(52, 7) == SEVEN == count_flush_lengths(natural).total()


def test_seven_natural_cards_are_counted_by_hand() -> None:
    """Seven of a suit's 13 cards, or of its 12 without the deuce, in each of four suits."""
    assert count_flush_lengths("own-suit")[7, 7] == 4 * comb(13, 7)
    assert count_flush_lengths("no-deuce")[7, 7] == 4 * comb(12, 7)


def test_how_long_a_flush_is_does_not_hang_on_what_is_natural() -> None:
    lengths = []
    for natural in NATURAL:
        found: Counter[int] = Counter()
        for (_, length), hands in count_flush_lengths(natural).items():
            found[length] += hands
        lengths.append(found)
    assert lengths[0] == lengths[1]


@pytest.mark.parametrize("natural", NATURAL)
@pytest.mark.parametrize(("cards", "ranks"), [(7, 3), (5, 5), (3, 8)])
def test_a_small_deck_is_counted_hand_by_hand(natural: str, cards: int, ranks: int) -> None:
    deck = [CARDS[suit << 4 | rank] for suit in (1, 2, 3, 4) for rank in range(2, ranks + 3)]
    found = Counter(longest_flush(hand, {"natural": natural}).key for hand in combinations(deck, cards))
    assert count_flush_lengths(natural, cards=cards, ranks=ranks) == found


@pytest.mark.slow
def test_all_133_784_560_hands_are_counted_one_by_one() -> None:
    found = {natural: Counter[tuple[int, int]]() for natural in NATURAL}
    for block in every_hand(7):
        for natural in NATURAL:
            real, longest = flush_lengths(block, {"natural": natural})
            pairs, hands = np.unique(real.astype(np.int64) * 8 + longest, return_counts=True)
            found[natural].update({divmod(int(pair), 8): int(n) for pair, n in zip(pairs, hands, strict=True)})
    for natural in NATURAL:
        assert found[natural] == count_flush_lengths(natural)


def count_best_hands(cards: int) -> Counter[Hashable]:
    return distribution(ranking("five-card"), (cards,), CardDeck(), {})


def test_best_hands_of_five_are_those_of_the_tables() -> None:
    assert count_best_hands(5) == count_five_card_hands()
    assert count_best_hands(5).total() == 2_598_960


@pytest.mark.more
def test_best_hands_of_seven_are_the_published_figures() -> None:
    published = (4_324, 37_260, 224_848, 3_473_184, 4_047_644, 6_180_020, 6_461_620)
    expected = Counter(dict(zip(FIVE_CARD_HANDS, published, strict=True)))
    expected[NOTHING] = SEVEN - sum(published)
    assert count_best_hands(7) == expected


@pytest.mark.slow
def test_best_hands_of_six_are_counted_one_by_one() -> None:
    found: Counter[str] = Counter()
    for block in every_hand(6):
        best = np.max([five_card_classes(five) for five in combinations(block, 5)], axis=0)
        for number, hands in enumerate(np.bincount(best).tolist()):
            found[class_names()[number]] += hands
    assert +found == count_best_hands(6)


def step_by_step(column: int, most: int) -> dict[int, Fraction]:
    """Play the race card by card: every state of four columns with its probability."""
    states, found = {(0, 0, 0, 0): Fraction(1)}, dict[int, Fraction]()
    for drawn in range(most):
        after: dict[tuple[int, ...], Fraction] = {}
        found[drawn + 1] = Fraction(0)
        for columns, chance in states.items():
            for suit, held in enumerate(columns):
                share = chance * Fraction(13 - held, 52 - drawn)
                if held + 1 == column:
                    found[drawn + 1] += share
                else:
                    grown = (*columns[:suit], held + 1, *columns[suit + 1 :])
                    after[grown] = after.get(grown, Fraction(0)) + share
        states = after
    found[0] = sum(states.values(), Fraction(0))
    return {cards: chance for cards, chance in found.items() if chance}


@pytest.mark.parametrize(("column", "most"), [(5, 16), (3, 8), (2, 3), (13, 49)])
def test_the_finishing_card_is_that_of_the_race_played_card_by_card(column: int, most: int) -> None:
    assert {cards: chance for cards, chance in finishing_card(column, most).items() if chance} == step_by_step(
        column, most
    )


def test_a_race_can_be_won_in_five_or_not_at_all() -> None:
    found = finishing_card()
    assert found[5] == Fraction(4 * comb(13, 5), comb(52, 5))
    assert found[0] == Fraction(comb(13, 4) ** 4, comb(52, 16))
    assert sum(found.values()) == 1


def flushes() -> Iterator[tuple[bool, str]]:
    """Yield every five hearts: True with the ace, and the hand's name."""
    for chosen in combinations([card for card in DECK if card.suit == "H"], 5):
        yield any(card.rank == 1 for card in chosen), five_card(chosen)


def test_the_ends_of_a_race_add_up_and_flushes_are_any_of_1287() -> None:
    ends, none = race_ends(5, 16, {}), finishing_card()[0]
    assert sum(ends.values()) == 1
    hands = Counter(flushes())
    assert hands.total() == 1287
    aces = sum(number for (ace, _), number in hands.items() if ace)
    straights = sum(number for (_, name), number in hands.items() if name != "flush")
    assert sum(chance for end, chance in ends.items() if end.ace) == (1 - none) * Fraction(aces, 1287)
    assert sum(chance for end, chance in ends.items() if end.straight) == (1 - none) * Fraction(straights, 1287)
    assert sum(chance for end, chance in ends.items() if end.royal) == (1 - none) * Fraction(1, 1287)
    assert {chance for end, chance in ends.items() if end.extra} == {none / 4}
