"""The longest flush with wild deuces, compared with hands worked out on paper and with a search of every assignment."""

from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.cards import DECK, UNREAD, Card, parse_cards
from rules.hands.longest_flush import longest_flush

DEUCES = tuple(card for card in DECK if card.rank == 2)
HANDS = st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True)
DEUCE_RICH = st.builds(
    lambda deuces, rest: [*deuces, *rest][:7],
    st.lists(st.sampled_from(DEUCES), min_size=1, max_size=4, unique=True),
    st.lists(st.sampled_from([card for card in DECK if card.rank != 2]), min_size=6, max_size=6, unique=True),
)


def value(card: Card) -> int:
    return 14 if card.rank == 1 else int(card.rank or 0)


def search(cards: list[Card]) -> tuple[int, tuple[int, ...]]:
    """Search the best flush over every suit, every choice of deuces that join it, and every different rank they can
    take."""
    naturals = [card for card in cards if card.rank != 2]
    deuces = len(cards) - len(naturals)
    best: tuple[int, tuple[int, ...]] = (0, ())
    for suit, joining in product("CDHS", range(deuces + 1)):
        held = [value(card) for card in naturals if card.suit == suit]
        absent = [rank for rank in range(2, 15) if rank not in held]
        for taken in combinations(absent, joining):
            ranks = tuple(sorted((*held, *taken), reverse=True))
            best = max(best, (len(ranks), ranks))
    return best


@pytest.mark.parametrize(
    ("cards", "length", "ranks", "natural"),
    [
        ("AC 7C 3C KD QD 8H 9S", 3, (14, 7, 3), 3),
        ("AH TH 7H KD QD 8C 9S", 3, (14, 10, 7), 3),
        ("AH KH QH JH TH 9H 8H", 7, (14, 13, 12, 11, 10, 9, 8), 7),
        ("2H KH QH JH TH 9H 8H", 7, (14, 13, 12, 11, 10, 9, 8), 7),  # stands in its own suit, ranks as the ace
        ("2C KH QH JH TH 9H 8H", 7, (14, 13, 12, 11, 10, 9, 8), 6),
        ("2C 2D 2H 2S 9H 8D 7C", 5, (14, 13, 12, 11, 9), 2),
        ("2C 2D AH KH 9H 8D 7C", 5, (14, 13, 12, 11, 9), 3),
        ("2H 9H 8H 7H AS KS QS", 4, (14, 13, 12, 11), 4),  # spades win the showdown, hearts stand natural
        ("3C 4D 5H 6S 8C KH 9S", 2, (13, 5), 2),
    ],
)
def test_hands_on_paper(cards: str, length: int, ranks: tuple[int, ...], natural: int) -> None:
    flush = longest_flush(parse_cards(cards))
    assert (flush.length, flush.ranks, flush.natural_length) == (length, ranks, natural)


@pytest.mark.parametrize(
    ("reading", "ranks"),
    [("highest-absent", (14, 13, 12, 9)), ("ace", (14, 14, 14, 9)), ("lowest", (14, 9, 2, 2))],
)
def test_what_a_deuce_ranks_as_is_a_reading(reading: str, ranks: tuple[int, ...]) -> None:
    assert longest_flush(parse_cards("AH 9H 2C 2D KS 8D 7C"), {"wild-kicker": reading}).ranks == ranks


@pytest.mark.parametrize(("reading", "natural"), [("own-suit", 5), ("no-deuce", 4)])
def test_whether_its_own_deuce_is_natural_is_a_reading(reading: str, natural: int) -> None:
    flush = longest_flush(parse_cards("AH 9H 8H 7H 2H KS QD"), {"natural": reading})
    assert (flush.length, flush.natural_length) == (5, natural)


def test_words() -> None:
    assert longest_flush(parse_cards("AH KH 9H 7H 2C 3S 4D")).text == "flush of 5 (hearts A K 9 7 + deuce)"
    assert longest_flush(parse_cards("TC 2C 2D 2H 2S 3D 4H")).text == "flush of 5 (clubs T + 4 deuces)"


def test_a_card_without_a_face_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not one of the 52 cards: \?\?"):
        longest_flush([*parse_cards("AH KH"), UNREAD])


@given(st.one_of(HANDS, DEUCE_RICH))
@settings(max_examples=250, deadline=None)
def test_equals_a_search_of_every_assignment(cards: list[Card]) -> None:
    flush = longest_flush(cards)
    assert flush.strength == search(cards)
    assert flush.natural_length == max(sum(card.suit == suit for card in cards) for suit in "CDHS")


@given(st.one_of(HANDS, DEUCE_RICH), st.permutations("CDHS"), st.randoms(use_true_random=False))
@settings(max_examples=150, deadline=None)
def test_neither_suits_nor_order_matter(cards: list[Card], suits: list[str], rng: object) -> None:
    swapped = parse_cards([card.text[0] + suits["CDHS".index(card.text[1])] for card in cards])
    shuffled = list(swapped)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]
    for readings in ({}, {"natural": "no-deuce"}, {"wild-kicker": "ace"}, {"wild-kicker": "lowest"}):
        one, other = longest_flush(cards, readings), longest_flush(shuffled, readings)
        assert (one.strength, one.key) == (other.strength, other.key)


@given(st.lists(st.sampled_from(DECK), min_size=6, max_size=6, unique=True), st.sampled_from(DEUCES))
@settings(max_examples=150, deadline=None)
def test_another_deuce_makes_every_flush_one_longer(cards: list[Card], deuce: Card) -> None:
    if deuce not in cards:
        before, after = longest_flush(cards), longest_flush([*cards, deuce])
        assert after.length == before.length + 1
        assert after.natural_length >= before.natural_length


def by_hand_of_decks(cards: list[Card], kicker: str) -> tuple[int, tuple[int, ...]]:
    """Return the best of four suits where a card may occur twice: every deuce joins and takes the rank of the
    reading."""
    deuces = sum(card.rank == 2 for card in cards)
    best: tuple[int, tuple[int, ...]] = (0, ())
    for suit in "CDHS":
        ranks = [value(card) for card in cards if card.suit == suit and card.rank != 2]
        for _ in range(deuces):
            highest = next(rank for rank in range(14, 1, -1) if rank not in ranks)
            ranks.append({"highest-absent": highest, "ace": 14, "lowest": 2}[kicker])
        best = max(best, (len(ranks), tuple(sorted(ranks, reverse=True))))
    return best


@pytest.mark.parametrize("natural", ["own-suit", "no-deuce"])
@pytest.mark.parametrize("kicker", ["highest-absent", "ace", "lowest"])
def test_cards_of_several_decks_are_counted_one_by_one(natural: str, kicker: str) -> None:
    """A second deuce of a suit is wild there, regardless of the reading of the first."""
    dealt = Random(f"{natural} {kicker}")
    few = [card for card in DECK if card.rank in (1, 2, 5, 9, 13)]
    for _ in range(200):
        cards = [*dealt.choices(few, k=6), dealt.choice(DECK)]
        flush = longest_flush(cards, {"natural": natural, "wild-kicker": kicker})
        assert flush.strength == by_hand_of_decks(cards, kicker), cards
        plain = {suit: sum(card.suit == suit and card.rank != 2 for card in cards) for suit in "CDHS"}
        own = {card.suit for card in cards if card.rank == 2} if natural == "own-suit" else set[str | None]()
        lengths = {suit: number + (suit in own) for suit, number in plain.items()}
        assert (flush.natural_length, flush.length) == (max(lengths.values()), flush.strength[0])
        assert flush.key == (flush.natural_length, flush.length)
        assert plain[flush.suit] == max(plain.values())


@pytest.mark.parametrize(
    ("cards", "text", "natural"),
    [
        ("AH AH KH 9H 2C 3S 4D", "flush of 5 (hearts A A K 9 + deuce)", 4),
        ("AH AH 2H 2H 3S 4D 5C", "flush of 4 (hearts A A + 2 deuces)", 3),
        ("9C 9C 9D 9D 3S 4H 5H", "flush of 2 (diamonds 9 9)", 2),
        ("2C 2C 2D 3H", "flush of 4 (hearts 3 + 3 deuces)", 1),
        ("2C 2C 2C", "flush of 3 (clubs 3 deuces)", 1),
        ("2C 2D 2H 2S 2S 2S", "flush of 6 (spades 6 deuces)", 1),
    ],
)
def test_words_of_several_decks(cards: str, text: str, natural: int) -> None:
    flush = longest_flush(parse_cards(cards))
    assert (flush.text, flush.natural_length) == (text, natural)


@pytest.mark.parametrize(
    ("cards", "suit", "natural"),
    [
        ("AC KC AD KD 2C 7H 8S", "C", 3),  # alike but for the deuce of clubs, which stands in its own suit
        ("AC KC AD KD 2D 7H 8S", "D", 3),
        ("AC KC AD KD 2H 7H 8S", "D", 2),
        ("AC KC AD KD 9H 7H 8S", "D", 2),
        ("AC QC AD KD 2C 7H 8S", "C", 3),  # with the deuce a king; the other is as high
        ("AC JC AD KD 2C 7H 8S", "D", 3),
        ("AH KH 2H 9S 8D 7C", "H", 3),
        ("AH KH 2S 9S 8D 7C", "H", 2),
    ],
)
def test_of_flushes_as_long_and_as_high_which_is_named(cards: str, suit: str, natural: int) -> None:
    flush = longest_flush(parse_cards(cards))
    assert (flush.suit, flush.natural_length) == (suit, natural)


def test_two_flushes_are_the_same_by_what_they_make() -> None:
    one, other = (longest_flush(parse_cards(cards)) for cards in ("AH KH 9H 2C 3S", "2D 4S 9H KH AH"))
    assert one == other
    assert one != longest_flush(parse_cards("AH KH 8H 2C 3S"))
    assert one != "flush of 4 (hearts A K 9 + deuce)"
    natural = longest_flush(parse_cards("AH KH 9H 2H 3S"))
    assert (natural.strength, natural.text) == (one.strength, one.text)
    assert one != natural  # it pays otherwise
    assert {card.text for card in natural.cards} == {"AH", "KH", "9H", "2H"}
