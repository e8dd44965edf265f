"""Number of hands of each category, over all hands, compared with combinatorics and published figures."""

from collections import Counter
from itertools import combinations
from math import comb

import pytest

from protocol.cards import DECK, Card, parse_cards
from rules.hands import ranking
from tests.support.oracles.suit_classes import hands_by_suit

JOKER = parse_cards("X1")[0]


def counted(name: str, cards: int) -> Counter[str]:
    found: Counter[str] = Counter()
    rank = ranking(name).rank
    for hand, ways in hands_by_suit(cards):
        found[rank(hand, {}).key.made] += ways  # type: ignore[attr-defined]
    assert found.total() == comb(52, cards)
    return found


@pytest.mark.more
@pytest.mark.parametrize(
    ("name", "cards", "expected"),
    [
        (
            "three-card",
            3,
            {
                "mini royal": 4,
                "straight flush": 12 * 4 - 4,
                "three of a kind": 13 * 4,
                "straight": 12 * (4**3 - 4),
                "flush": 4 * (comb(13, 3) - 12),
                "pair": 13 * comb(4, 2) * 48,
                "high card": 16_440,
            },
        ),
        (
            "four-card",
            4,
            {
                "four of a kind": 13,
                "straight flush": 11 * 4,
                "three of a kind": 13 * 4 * 48,
                "flush": 4 * (comb(13, 4) - 11),
                "straight": 11 * (4**4 - 4),
                "two pair": comb(13, 2) * 36,
                "pair": 13 * 6 * comb(12, 2) * 16,
                "high card": 177_408,
            },
        ),
        (
            "poker",
            5,
            {
                "royal flush": 4,
                "straight flush": 36,
                "four of a kind": 624,
                "full house": 3_744,
                "flush": 5_108,
                "straight": 10_200,
                "three of a kind": 54_912,
                "two pair": 123_552,
                "pair": 1_098_240,
                "high card": 1_302_540,
            },
        ),
        (
            "split-high",
            2,
            {
                "straight flush": 13 * 4,
                "pair": 13 * 6,
                "straight": 13 * 12,
                "flush": 4 * (comb(13, 2) - 13),
                "high card": (comb(13, 2) - 13) * 12,
            },
        ),
    ],
)
def test_every_hand_of_a_deck(name: str, cards: int, expected: dict[str, int]) -> None:
    assert counted(name, cards) == expected


@pytest.mark.slow
def test_every_best_five_of_seven() -> None:
    assert counted("poker", 7) == {
        "royal flush": 4_324,
        "straight flush": 37_260,
        "four of a kind": 224_848,
        "full house": 3_473_184,
        "flush": 4_047_644,
        "straight": 6_180_020,
        "three of a kind": 6_461_620,
        "two pair": 31_433_400,
        "pair": 58_627_800,
        "high card": 23_294_460,
    }


@pytest.mark.slow
def test_every_seven_cards_of_a_deck_with_a_semi_wild_joker() -> None:
    """As published for the Fortune bonus, which distinguishes only three pairs below the straight."""
    found = counted("fortune", 7)
    for six, ways in hands_by_suit(6):
        found[made("fortune", (*six, JOKER))] += ways
    assert found.total() == comb(53, 7) == 154_143_080
    printed = {
        "natural 7-card straight flush": 32,
        "royal flush and suited ace-king": 72,
        "7-card straight flush": 196,
        "five aces": 1_128,
        "royal flush": 26_020,
        "straight flush": 184_644,
        "four of a kind": 307_472,
        "full house": 4_188_528,
        "flush": 6_172_088,
        "three of a kind": 7_672_500,
        "straight": 11_034_204,
    }
    assert {name: found[name] for name in printed} == printed


def made(name: str, cards: tuple[Card, ...]) -> str:
    return ranking(name).rank(cards, {}).key.made  # type: ignore[attr-defined, no-any-return]


SPADES = [card for card in DECK if card.suit == "S"]
ROYAL = [card for card in SPADES if card.rank in (1, 10, 11, 12, 13)]


@pytest.mark.parametrize("name", ["fortune", "emperors-treasure"])
def test_the_rarest_of_seven_cards_and_a_joker(name: str) -> None:
    """Of the 154,143,080 hands, 32 are a natural straight flush of seven cards, 196 one with the joker, 72 a royal
    flush with a suited ace and king, and 1,128 five aces."""
    natural = Counter(made(name, hand) for hand in combinations(SPADES, 7))
    wild = Counter(made(name, (*hand, JOKER)) for hand in combinations(SPADES, 6))
    assert natural["natural 7-card straight flush"] * 4 == 32
    assert wild["7-card straight flush"] * 4 == 196
    others = [card for card in DECK if card not in ROYAL]
    royals = [made(name, (*ROYAL, *two)) for two in combinations(others, 2)]
    royals += [
        made(name, (*four, JOKER, *two))
        for four in combinations(ROYAL, 4)
        for two in combinations([card for card in others if card not in ROYAL], 2)
    ]
    assert royals.count("royal flush and suited ace-king") * 4 == 72
    aces = [card for card in DECK if card.rank == 1]
    five = [made(name, (*aces, JOKER, *two)) for two in combinations([card for card in DECK if card.rank != 1], 2)]
    assert five.count("five aces") == 1_128


def test_five_cards_with_a_joker_that_completes() -> None:
    """Hands of five cards with the joker, of 53 cards: 270,725. One is five aces, twenty are royal flushes."""
    found: Counter[str] = Counter()
    for four, ways in hands_by_suit(4):
        found[made("poker-bug", (*four, JOKER))] += ways
    assert found.total() == comb(52, 4)
    assert found["five aces"] == 1
    assert found["royal flush"] == 4 * 5
    assert found["straight flush"] == 4 * (len(_four_of_a_run()) - 5)
    assert found["four of a kind"] == 12 * 1 + 4 * 48  # four alike and the joker; three aces and the joker
    assert found["full house"] == 12 * (6 * 6 + 4 * 4)  # a pair beside two aces, three of a kind beside one


def test_a_joker_that_is_an_ace_makes_no_other_pair() -> None:
    assert made("poker-bug", (*parse_cards("KS KD 9C 4H"), JOKER)) == "pair"
    assert made("poker-wild", (*parse_cards("KS KD 9C 4H"), JOKER)) == "three of a kind"


def _four_of_a_run() -> set[frozenset[int]]:
    """Four ranks of a sequence of five, without duplicates."""
    runs = [frozenset((low + step - 1) % 13 + 1 for step in range(5)) for low in range(1, 11)]
    return {frozenset(four) for run in runs for four in combinations(run, 4)}
