"""Sets of cards as numbers and the counts over them, compared with every set examined one by one."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from protocol.cards import Card
from rules.odds.against.unseen_draw import ImmediateWins, count_exchanges, unseen_draw
from rules.odds.cards.in_words import in_words
from rules.odds.cards.more_cards import MoreCards
from rules.odds.cards.placed_sets import Pack, RowFinder, all_sets, places
from rules.odds.cards.table_rows import RowPays

PACK = Pack((2, 9, 1), 3)

# ------------------------------------------------------------------ sets


def test_places_are_the_order_of_all_sets() -> None:
    for size in range(6):
        sets = all_sets(9, size)
        assert (places(sets) == np.arange(len(sets))).all()
        assert len({tuple(each) for each in sets.tolist()}) == len(sets)


def test_suits_are_read_in_one_suit_only() -> None:
    with pytest.raises(ValueError, match="two suits can have 2 of 4 cards"):
        RowFinder(PACK, lambda cards: 0, 2).rows(PACK.sets(4))


# ------------------------------------------------------------------ more cards


def ranks_and_suits(cards: Sequence[Card]) -> int:
    """Classify four of a suit, three of a rank, two, none."""
    ranks = max(Counter(card & 0x0F for card in cards).values())
    suits = max(Counter(card >> 4 for card in cards).values())
    return 0 if suits > 3 else 1 if ranks > 2 else 2 if ranks > 1 else 3


@pytest.mark.parametrize(
    ("pack", "known", "number"),
    [
        (Pack((2, 3, 4, 9, 1), 2), 3, 2),
        (Pack((2, 3, 9, 1), 3), 4, 1),
        (Pack((2, 9, 1), 2, decks=2), 3, 2),
        (Pack((2, 9), 2, decks=3), 2, 3),
        (Pack((2, 9, 1), 1, decks=5), 2, 3),
    ],
)
def test_more_cards_lead_to_rows_as_often_as_they_are_dealt(pack: Pack, known: int, number: int) -> None:
    """Each card of each deck is distinct: a shoe is a list of cards, some of them equal."""
    hands, shoe = pack.sets(known), [card for card in range(pack.size) for _ in range(pack.decks)]
    finder = RowFinder(pack, ranks_and_suits, 4)
    more = MoreCards(finder, known + number, number)
    counts = more.counts(hands, 4)
    for hand, counted in zip(hands.tolist(), counts.tolist(), strict=True):
        left = list(shoe)
        if max(Counter(hand).values()) > pack.decks:
            continue
        for card in hand:
            left.remove(card)
        rows = Counter(
            ranks_and_suits([pack.card(card) for card in (*hand, *cards)]) for cards in combinations(left, number)
        )
        assert [rows[row] for row in range(4)] == counted
        for row in rows:
            found = more.example(np.array(hand, np.uint8), row).tolist()
            assert not Counter(hand) - Counter(found)
            assert max(Counter(found).values()) <= pack.decks
            assert ranks_and_suits([pack.card(card) for card in found]) == row


@pytest.mark.parametrize("pack", [Pack((2, 9, 1), 3), Pack((2, 9, 1), 2, 2), Pack((2, 9), 2, decks=3)])
def test_sets_that_are_alike_are_as_many_as_are_dealt(pack: Pack) -> None:
    for size in range(5):
        alike = pack.alike(size)
        assert alike.copies.sum() == pack.ways(0, size)
        assert (pack.places(pack.sets(size)) == np.arange(len(alike.of))).all()
        assert (alike.of[pack.places(alike.sets)] == np.arange(len(alike.sets))).all()


# ------------------------------------------------------------------ one card exchanged unseen


def strengths(pack: Pack, size: int) -> list[tuple[int, bool, tuple[int, ...]]]:
    """An order of hands that uses jokers, suits and ranks: most alike, then of one suit, then high ranks."""
    found = []
    for hand in all_sets(pack.size, size).tolist():
        plain = [card for card in hand if card < len(pack.ranks) * pack.suits]
        ranks = sorted((card // pack.suits for card in plain), reverse=True)
        most = max(map(ranks.count, ranks), default=0) + size - len(plain)
        found.append((most, len({card % pack.suits for card in plain}) < 2, tuple(ranks)))
    return found


def exchanged(pack: Pack, level: dict[tuple[int, ...], int], at_once: int, size: int) -> Fraction:
    """Return the gain of the best play, with every deal played out."""
    gained, deals = Fraction(0), 0
    for first in combinations(range(pack.size), size):
        left = [card for card in range(pack.size) if card not in first]
        each = [(new, dealer) for new in left for dealer in combinations([x for x in left if x != new], size + 1)]
        deals += len(each)
        if level[first] >= at_once:
            gained += len(each) * Fraction(3, 2)
            continue
        wins = []
        for discard in first:
            signs = 0
            for new, dealer in each:
                mine = level[tuple(sorted({*first, new} - {discard}))]
                best = max(level[hand] for hand in combinations(dealer, size))
                signs += (mine > best) - (mine < best)
            wins.append(signs)
        gained += max(wins)
    return gained / deals


@pytest.mark.parametrize(
    ("pack", "size"), [(Pack((2, 3, 4, 5), 2, 1), 2), (Pack((2, 3, 4, 1), 2, 1), 3), (Pack((3, 5), 3, 2), 3)]
)
def test_a_card_is_exchanged_against_the_best_of_one_more(pack: Pack, size: int) -> None:
    found = strengths(pack, size)
    order = {strength: number for number, strength in enumerate(sorted(set(found)))}
    levels = np.array([order[strength] for strength in found], np.int64)
    level = {tuple(hand): int(each) for hand, each in zip(all_sets(pack.size, size).tolist(), levels, strict=True)}
    at_once = len(order) - 2
    of_class = levels[pack.places(pack.alike(size).sets)]
    wins = ImmediateWins((of_class < at_once).astype(np.int64), RowPays((Fraction(3, 2), Fraction(-1))))
    ways, decided = unseen_draw(count_exchanges(pack, of_class, size), at_once=wins)
    assert all(decided.values())
    gain = sum((Fraction(number) * sum(end.nets) for end, number in ways.items()), Fraction(0))
    assert gain / ways.total() == exchanged(pack, level, at_once, size)


# ------------------------------------------------------------------ in words


@pytest.mark.parametrize(
    ("size", "rule", "words"),
    [
        (2, lambda ranks, suits: ranks == {1} or (ranks == {2, 9} and suits == 2), "AA 92o"),
        (3, lambda ranks, suits: suits == 1, "A92s"),
        (3, lambda ranks, suits: ranks == {1, 9} or (ranks == {1, 9, 2} and suits == 1), "AA9 A99 A92s"),
        (3, lambda ranks, suits: ranks == {1, 9, 2} and suits == 2, "A92t"),
        (3, lambda ranks, suits: ranks == {1, 9, 2} and suits != 3, "A92st"),
    ],
)
def test_hands_of_an_option_in_words(size: int, rule: Callable[[set[int], int], bool], words: str) -> None:
    cards = [[PACK.card(card) for card in hand] for hand in all_sets(PACK.size, size).tolist()]
    taken = [int(rule({card.rank or 0 for card in hand}, len({card.suit for card in hand}))) for hand in cards]
    assert in_words(PACK, size, np.array(taken), ("no", "yes")) == {"yes": words}


def test_a_pair_with_any_card_is_one_word() -> None:
    taken = [int(sum(card // 3 == 2 for card in hand) == 2) for hand in all_sets(PACK.size, 3).tolist()]
    assert in_words(PACK, 3, np.array(taken), ("no", "yes")) == {"yes": "AAx"}
