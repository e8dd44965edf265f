"""Plain five-card poker: every hand of the deck is counted and compared with combinatorics."""

import re
from collections import Counter
from itertools import combinations
from math import comb

import pytest

from protocol.cards import DECK, parse_cards
from rules.hands.five_card import NOTHING, five_card


@pytest.mark.parametrize(
    ("cards", "hand"),
    [
        ("TS JS QS KS AS", "royal flush"),
        ("9S TS JS QS KS", "straight flush"),
        ("AH 2H 3H 4H 5H", "straight flush"),
        ("2C 2D 2H 2S 9C", "four of a kind"),
        ("2C 2D 2H 9S 9C", "full house"),
        ("2D 5D 9D JD KD", "flush"),
        ("AC 2D 3H 4S 5C", "straight"),
        ("TC JD QH KS AC", "straight"),
        ("2C 2D 2H 9S 8C", "three of a kind"),
        ("QC KD AH 2S 3C", NOTHING),  # no straight runs round the ace
        ("2C AD KH QS JC", NOTHING),  # the deuce is not wild
        ("9C 9D 8H 8S 2C", NOTHING),
    ],
)
def test_hands_on_paper(cards: str, hand: str) -> None:
    assert five_card(parse_cards(cards)) == hand


def test_every_hand_that_holds_the_ace_of_spades_is_counted() -> None:
    """Ranks are independent of suits, so hands with a given ace can be counted exactly by hand."""
    ace = parse_cards("AS")[0]
    found = Counter(five_card((ace, *rest)) for rest in combinations([card for card in DECK if card != ace], 4))
    straights_with_an_ace = 2 * 4**4  # ace high and ace low, any suits for the other four
    expected = {
        "royal flush": 1,
        "straight flush": 1,
        "four of a kind": 48 + 12,  # four aces and a kicker; ace kicker to another four
        "full house": comb(3, 2) * 12 * comb(4, 2) + comb(3, 1) * 12 * comb(4, 3),
        "flush": comb(12, 4) - 2,
        "straight": straights_with_an_ace - 2,
        "three of a kind": comb(3, 2) * comb(12, 2) * 16 + 12 * comb(4, 3) * 11 * 4,
    }
    assert {hand: count for hand, count in found.items() if hand != NOTHING} == expected
    assert found.total() == comb(51, 4)


@pytest.mark.parametrize("cards", ["AS KS QS JS", "AS KS QS JS TS 9S", "AS KS QS JS ??", "AS KS QS JS X1"])
def test_anything_but_five_playing_cards_is_refused(cards: str) -> None:
    with pytest.raises(ValueError, match=f"^a five-card hand is five of the 52 cards, not {re.escape(cards)}$"):
        five_card(parse_cards(cards))
