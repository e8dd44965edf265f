"""Levels at which a row of a pay table fits a hand, and hands in words."""

from collections.abc import Sequence

import pytest

from protocol.cards import parse_cards
from rules.hands import Made
from rules.hands.categories import House, category
from rules.hands.counted import CardCount
from rules.hands.words import many, one, rank_of, spell_hand
from rules.paytables.conditions import CONDITIONS, RaceEnd
from rules.paytables.hand_rows import HOLDS, NAMES, NARROWER, NARROWEST
from tests.support.reading.each import of_each


def made(
    kind: str,
    *ranks: int,
    size: int = 5,
    uses: int = 5,
    natural: bool = True,
    also: str = "",
    same: tuple[int, ...] = (),
) -> Made:
    return Made(kind, kind, size, ranks or (9,), uses, natural, same, frozenset(filter(None, also.split("; "))))


ROYAL, STEEL, FLUSH, STRAIGHT = (
    made("royal flush", 14),
    made("straight flush", 9),
    made("flush", 14),
    made("straight", 9),
)
WILD_ROYAL = made("royal flush", 14, natural=False)
MINI = made("royal flush", 14, size=3, uses=3, also="mini royal in spades; royal flush in spades")
SEVEN = made("straight flush", 9, size=7)
QUADS, FULL, TRIPS, TWO_PAIR = (
    made("four of a kind", 4),
    made("full house", 14, 2),
    made("three of a kind", 7),
    made("two pair", 10, 4),
)
PAIR, HIGH = made("pair", 8), made("high card", 12)
FIVE_ACES, FIVE = made("five aces", 14), made("five of a kind", 9)
MATCH = made("royal flush and suited ace-king", 14, size=5, uses=7)

LEVELS: list[tuple[str, Made, int]] = [
    # what a hand makes, what it holds besides, and what it is not
    ("royal flush", ROYAL, NAMES),
    ("straight flush", ROYAL, HOLDS),
    ("flush", ROYAL, HOLDS),
    ("straight", ROYAL, HOLDS),
    ("pair", ROYAL, 0),
    ("royal flush", STEEL, 0),
    ("straight flush", STEEL, NAMES),
    ("flush", STEEL, HOLDS),
    ("straight", STEEL, HOLDS),
    ("flush", FLUSH, NAMES),
    ("straight", FLUSH, 0),
    ("straight", STRAIGHT, NAMES),
    ("flush", STRAIGHT, 0),
    ("four of a kind", QUADS, NAMES),
    ("three of a kind", QUADS, HOLDS),
    ("pair", QUADS, HOLDS),
    ("two pair", QUADS, 0),
    ("full house", QUADS, 0),
    ("full house", FULL, NAMES),
    ("three of a kind", FULL, HOLDS),
    ("two pair", FULL, HOLDS),
    ("pair", FULL, HOLDS),
    ("three of a kind", TRIPS, NAMES),
    ("pair", TRIPS, HOLDS),
    ("two pair", TRIPS, 0),
    ("two pair", TWO_PAIR, NAMES),
    ("pair", TWO_PAIR, HOLDS),
    ("pair", PAIR, NAMES),
    ("high card", PAIR, 0),
    ("high card", HIGH, NAMES),
    ("pair", HIGH, 0),
    ("two pair", made("three pairs", 9, 8, 7), HOLDS),
    ("three pairs", made("three pairs", 9, 8, 7), NAMES),
    ("five of a kind", made("six of a kind", 9), HOLDS),
    ("six of a kind", FIVE, 0),
    ("four of a kind", FIVE_ACES, HOLDS),
    ("five of a kind", FIVE_ACES, HOLDS),
    ("flush", MATCH, 0),
    ("straight flush", made("royal flush and suited ace-king", 14, size=7, uses=7), HOLDS),
    # sizes
    ("7-card straight flush", SEVEN, NAMES),
    ("straight flush", SEVEN, HOLDS),
    ("6-card straight flush", SEVEN, HOLDS),
    ("5-card straight flush", STEEL, NAMES),
    ("6-card straight flush", STEEL, 0),
    ("5-card flush", STEEL, HOLDS),
    ("straight flush", made("straight flush", 9, size=4, uses=5), 0),
    ("6-card flush", made("pair", 8, also="6-card flush"), HOLDS),
    ("5-card flush", made("pair", 8, also="6-card flush"), 0),
    ("flush", made("pair", 8, also="flush"), HOLDS),
    ("flush", made("pair", 8, also="natural flush"), HOLDS),
    # with a joker and without
    ("natural royal flush", ROYAL, NARROWER),
    ("natural royal flush", WILD_ROYAL, 0),
    ("wild royal flush", ROYAL, 0),
    ("wild royal flush", WILD_ROYAL, NARROWER),
    ("royal flush with joker", WILD_ROYAL, NARROWER),
    ("royal flush with joker", ROYAL, 0),
    ("natural straight flush", ROYAL, HOLDS),
    ("wild flush", WILD_ROYAL, HOLDS),
    ("wild flush", ROYAL, 0),
    # three cards
    ("mini royal", MINI, NAMES),
    ("mini royal", ROYAL, 0),
    ("mini royal in spades", MINI, NARROWER),
    ("mini royal in hearts", MINI, 0),
    ("mini royal in hearts, diamonds or spades", MINI, NARROWER),
    ("mini royal in hearts, diamonds or clubs", MINI, 0),
    ("royal flush in spades", MINI, NARROWER),
    ("royal flush in spades", STEEL, 0),
    ("mini royal in spades", STEEL, 0),
    ("three of a kind on the deal", made("three of a kind", 7, size=3, uses=3), NARROWEST),
    ("three of a kind on the deal", TRIPS, 0),
    ("three of a kind on the deal", MINI, 0),
    ("3-card straight flush on the deal", MINI, NARROWEST),
    ("3-card straight flush on the deal", made("straight flush", 9, size=3, uses=3), NARROWEST),
    ("3-card straight flush on the deal", made("three of a kind", 7, size=3, uses=3), 0),
    # ranks
    ("five aces", FIVE_ACES, NARROWER),
    ("five aces", made("five of a kind", 14), NARROWER),
    ("five aces", FIVE, 0),
    ("five aces", made("five of a kind suited", 14), NARROWER),
    ("five aces", made("four of a kind", 14), 0),
    ("four aces", made("four of a kind", 14), NARROWER),
    ("four aces", QUADS, 0),
    ("four aces", FIVE_ACES, HOLDS),
    ("four 2s to 4s", QUADS, NARROWER),
    ("four 2s to 4s", made("four of a kind", 2), NARROWER),
    ("four 2s to 4s", made("four of a kind", 5), 0),
    ("four 5s to kings", QUADS, 0),
    ("four 2s to 4s", FIVE_ACES, 0),
    ("four 10s to aces", FIVE_ACES, HOLDS),
    ("four fours", made("four of a kind suited", 4), NARROWER),
    ("pair of 6s to 10s", made("pair", 6), NARROWER),
    ("pair of 6s to 10s", made("pair", 10), NARROWER),
    ("pair of 6s to 10s", made("pair", 5), 0),
    ("pair of 6s to 10s", made("pair", 11), 0),
    ("pair of aces or kings", made("pair", 13), NARROWER),
    ("pair of aces or kings", made("pair", 14), NARROWER),
    ("pair of aces or kings", made("pair", 12), 0),
    ("pair of aces or kings", made("two pair", 14, 13), 0),
    ("pair of eights", PAIR, NARROWER),
    ("pair of nines", PAIR, 0),
    ("pair of eights", made("three of a kind", 8), 0),
    ("pair of eights or better", PAIR, NARROWER),
    ("pair of nines or better", PAIR, 0),
    ("pair of 7s or better", PAIR, NARROWER),
    ("pair of aces or better", TWO_PAIR, HOLDS),
    ("pair of aces or better", ROYAL, HOLDS),
    ("pair of aces or better", MATCH, HOLDS),
    ("pair of 2s or better", HIGH, 0),
    ("suited pair", made("pair", 8, same=(2,)), NARROWER),
    ("suited pair", PAIR, 0),
    ("suited pair", made("three of a kind", 8, same=(2,)), 0),
    ("two pair, tens or better", TWO_PAIR, NARROWER),
    ("two pair, jacks or better", TWO_PAIR, 0),
    ("two pair, jacks or better", TRIPS, HOLDS),
    ("two pair, jacks or better", made("three pairs", 9, 8, 7), 0),
    ("two pair, jacks or better", MATCH, HOLDS),
    ("two pair, 2s or better", PAIR, 0),
    ("full house, aces full", FULL, NARROWER),
    ("full house, kings full", FULL, 0),
    ("full house, aces full", FIVE_ACES, 0),
    ("queen high", HIGH, NARROWER),
    ("king high", HIGH, 0),
    ("queen high", made("straight", 12), 0),
    ("queen high or better", HIGH, NARROWER),
    ("jack high or better", HIGH, NARROWER),
    ("king high or better", HIGH, 0),
    ("ace high or better", PAIR, HOLDS),
    ("four of a kind suited", made("four of a kind suited", 4), NARROWER),
    ("four of a kind suited", QUADS, 0),
    ("four of a kind", made("four of a kind suited", 4), HOLDS),
    ("royal flush and suited ace-king", MATCH, NAMES),
    ("royal flush and royal match", MATCH, NAMES),
    ("royal flush and suited ace-king", ROYAL, 0),
    ("8 or better low", made("pair", 8, also="8 or better low"), HOLDS),
    ("7 or better low", made("pair", 8, also="8 or better low"), 0),
    # where the cards lie
    ("royal flush in the first 5", made("royal flush", 14, also="royal flush in the first 5"), NARROWER),
    ("royal flush in the first 6", made("royal flush", 14, also="royal flush in the first 5"), 0),
    ("community royal flush", made("royal flush", 14, also="community royal flush"), NARROWEST),
    ("community royal flush", ROYAL, 0),
    # one of two
    ("flush or straight", FLUSH, NAMES),
    ("flush or straight", ROYAL, HOLDS),
    ("pair or straight", FLUSH, 0),
    ("pair of 9s or flush", FLUSH, NAMES),
]


@of_each("row, hand, level", LEVELS)
def test_how_well_a_row_fits_a_hand(row: str, hand: Made, level: int) -> None:
    check = CONDITIONS["poker"].check(row)
    assert check is not None
    assert check(hand) == level


IDENTICAL: list[tuple[str, Made, int]] = [
    ("four identical", made("four of a kind", 4, same=(4,)), 1),
    ("four identical", made("four of a kind", 4, same=(3,)), 0),
    ("three identical", made("four of a kind", 4, same=(4,)), 1),
    ("three identical", made("three of a kind", 4, same=(3,)), 1),
    ("three identical", made("three of a kind", 4, same=(2,)), 0),
    ("two identical", made("pair", 4, same=(2,)), 1),
    ("two identical", PAIR, 0),
    ("two identical pairs", made("two pair", 9, 4, same=(2, 2)), 1),
    ("two identical pairs", made("two pair", 9, 4, same=(2,)), 0),
    ("two identical pairs", made("full house", 9, 4, same=(3,)), 0),
    ("full house identical", made("full house", 9, 4, same=(3, 2)), 1),
    ("full house identical", made("full house", 9, 4, same=(2, 2)), 0),
    ("full house identical", made("full house", 9, 4, same=(3,)), 0),
    ("five of a kind with four identical", made("five of a kind", 9, same=(4,)), 1),
    ("five of a kind with four identical", made("five of a kind", 9, same=(3, 2)), 0),
    ("five of a kind with four identical", made("five of a kind suited", 9, same=(5,)), 1),
    ("five of a kind with four identical", made("four of a kind", 9, same=(4,)), 0),
    ("ace-king-queen", made("straight", 14, also="ace-king-queen"), 1),
    ("ace-king-queen", made("straight", 14), 0),
    ("royal flush", ROYAL, 1),
    ("natural royal flush", ROYAL, 1),
    ("pair", HIGH, 0),
    ("pair", ROYAL, 0),
    ("flush", ROYAL, 1),
]


@of_each("row, hand, holds", IDENTICAL)
def test_every_row_of_a_hand_of_several_decks_is_as_good_as_any_other(row: str, hand: Made, holds: int) -> None:
    check = CONDITIONS["identical"].check(row)
    assert check is not None
    assert check(hand) == holds


NO_ROWS = (
    *("pairs", "1-card flush", "10-card flush", "four", "pair of", "pair of 1s", "two pair, tens", "high", ""),
    *("royal flush in swords", "flush or", "natural"),
)


@of_each("row", NO_ROWS)
def test_what_is_no_row(row: str) -> None:
    assert CONDITIONS["poker"].check(row) is None


WORDS = [
    ("royal flush", "royal flush", (14,), "royal flush"),
    ("five aces", "five aces", (14,), "five aces"),
    ("straight flush", "straight flush", (9,), "straight flush, nine high"),
    ("four of a kind", "four of a kind", (2,), "four of a kind, deuces"),
    ("full house", "full house", (13, 9), "full house, kings over nines"),
    ("flush", "flush", (14, 9, 8), "flush, ace high"),
    ("straight", "straight", (5,), "straight, five high"),
    ("three of a kind", "three of a kind", (6,), "three of a kind, sixes"),
    ("two pair", "two pair", (11, 10), "two pair, jacks and tens"),
    ("three pairs", "three pairs", (11, 10, 3), "three pairs, jacks, tens and threes"),
    ("pair", "pair", (12,), "pair of queens"),
    ("suited pair", "pair", (12,), "pair of queens"),
    ("high card", "high card", (7,), "seven high"),
    ("anything", "straight", (), "anything"),
]


@of_each("name, kind, ranks, words", WORDS)
def test_a_hand_in_words(name: str, kind: str, ranks: Sequence[int], words: str) -> None:
    assert spell_hand(name, kind, ranks) == words


def test_every_rank_by_all_its_names() -> None:
    words = ["deuce", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]
    assert [one(rank) for rank in range(2, 15)] == words
    assert [many(rank) for rank in range(2, 15)] == [f"{word}es" if word == "six" else f"{word}s" for word in words]
    named = {
        "two": 2,
        "twos": 2,
        "10": 10,
        "10s": 10,
        "9s": 9,
        "j": 11,
        "q": 12,
        "k": 13,
        "a": 14,
        "aces": 14,
        "ten": 10,
    }
    assert {word: rank_of(word) for word in named} == named
    with pytest.raises(KeyError):
        rank_of("11")


@of_each("name, cards", [("mini royal", "AKQ"), ("flush", "AK9"), ("straight flush", "987")])
def test_a_category_of_one_suit_is_held_in_that_suit_alone(name: str, cards: str) -> None:
    house = House(3, "none", "lowest")
    for suit in ("clubs", "diamonds", "hearts", "spades"):
        found = category(f"{name} in {suit}", house)
        assert found is not None
        held = {
            letter
            for letter in "CDHS"
            if found.find(CardCount(parse_cards([card + letter for card in cards]))) is not None
        }
        assert held == {suit[0].upper()}


@of_each(
    "row, cards",
    [("odd", (5, 7, 9, 11, 13, 15)), ("even", (6, 8, 10, 12, 14, 16)), ("even but 10", (6, 8, 12, 14, 16))],
)
def test_races_that_end_odd_or_even(row: str, cards: Sequence[int]) -> None:
    check = CONDITIONS["race"].check(row)
    assert check is not None
    assert [number for number in range(5, 17) if check(RaceEnd(number, "clubs"))] == [*cards]
