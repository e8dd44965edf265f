"""The engines for games without a dealer's hand, beside a slow program that plays every deal of small packs."""

from collections import Counter
from collections.abc import Callable, Generator, Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from rules.odds.best_play import PlayedOut, RowPays
from rules.odds.community_draw import community_draw
from rules.odds.discard_one import DiscardShape, HandPays, discard_one
from rules.odds.in_words import in_words
from rules.odds.kept_pair import kept_pair
from rules.odds.placed_sets import Ints, Pack, RowFinder, all_sets, places
from rules.odds.unseen_draw import AtOnce, count_exchanges, unseen_draw
from tests.support.oracles.odds_summed import gain, row_pays
from tests.support.oracles.slow_play import LOST, End, Game, best_gain, in_parts, outcome_of

PACK = Pack((2, 9, 1), 3)
PAYS = row_pays([20, 1, 0, -1, -1])
NUMBERS = {PACK.card(number): number for number in range(PACK.size)}


def rows(size: int, pack: Pack = PACK) -> Ints:
    return np.array([outcome_of(pack, hand, size) for hand in all_sets(pack.size, size).tolist()], np.int64)


def agree(found: PlayedOut, game: Game, deals: Sequence[Any]) -> None:
    assert found.ways.total() == len(deals)
    assert gain(found) * len(deals) == best_gain(game, deals)


def mixed(found: PlayedOut) -> list[int]:
    """How many options each decision takes somewhere: a decision that is always the same would prove little."""
    return [sum(map(bool, options.values())) for options in found.decided.values()]


Play = Generator[tuple[Hashable, int], int, End]


# ------------------------------------------------------------------ one card laid aside

DECLARED = row_pays([-1, 3, 1, -1, -1, 1, 2])
BONUS = row_pays([20, 8, 1, -1, -1, 3, 0])


def declared(own: tuple[int, ...]) -> int:
    return {0: 5, 1: 6}.get(outcome_of(PACK, own, 2), -1)


def laying_aside(folds: bool, bonus: Fraction) -> Game:
    def play(deal: Sequence[tuple[int, ...]]) -> Play:
        own, flop = deal
        shown = declared(own)
        options = len(own) + (shown >= 0) + (1 if folds else len(own))
        option = yield own, options
        if option >= len(own) and shown < 0:
            option += 1  # nothing to show
        bet = Fraction(option < len(own))
        stakes = Fraction(1), bet, bonus
        if option == len(own):
            return (Fraction(1), Fraction(0), bonus), (DECLARED.nets[shown], Fraction(0), bonus * BONUS.nets[shown])
        if folds and option > len(own):
            return stakes, (LOST, Fraction(0), -bonus)
        kept = tuple(card for card in own if card != own[option if bet else option - len(own) - 1])
        row = outcome_of(PACK, kept + flop, 3)
        return stakes, (DECLARED.nets[row], bet * DECLARED.nets[row], bonus * BONUS.nets[row])

    return play


@pytest.mark.parametrize("folds", [False, True])
@pytest.mark.parametrize("bonus", [Fraction(0), Fraction(1, 2)])
def test_one_card_is_laid_aside_or_the_hand_shown(folds: bool, bonus: Fraction) -> None:
    deals = list(in_parts(PACK, 2, 2))
    shows = np.array([declared(tuple(own)) for own in all_sets(PACK.size, 2).tolist()], np.int64)
    main, other = HandPays(rows(3), shows, DECLARED), HandPays(rows(3), shows, BONUS)
    found = discard_one(PACK, main, other, DiscardShape(own=2, size=3, folds=folds, bonus=bonus))
    assert mixed(found) in ([2], [3])
    agree(found, laying_aside(folds, bonus), deals)


# ------------------------------------------------------------------ community cards fill the hand


def filling(deal: tuple[tuple[int, ...], ...]) -> Play:
    own, *community = deal
    keeps = yield own, 8
    kept = tuple(card for place, card in enumerate(own) if keeps >> place & 1)
    drawn = tuple(card for (card,) in community[: 3 - len(kept)])
    return (Fraction(1),), (PAYS.nets[outcome_of(PACK, kept + drawn, 3)],)


def test_any_cards_are_kept_and_the_community_fills_the_hand() -> None:
    deals = list(in_parts(PACK, 3, 1, 1, 1))
    best = community_draw(PACK, rows(3), PAYS, size=3, discards=range(4))
    assert mixed(best)[0] > 2
    agree(best, filling, deals)


# ------------------------------------------------------------------ sets


def test_places_are_the_order_of_all_sets() -> None:
    for size in range(6):
        sets = all_sets(9, size)
        assert (places(sets) == np.arange(len(sets))).all()
        assert len({tuple(each) for each in sets.tolist()}) == len(sets)


def test_suits_are_read_in_one_suit_only() -> None:
    with pytest.raises(ValueError, match="two suits can have 2 of 4 cards"):
        RowFinder(PACK, lambda cards: 0, 2).all_rows(4)


# ------------------------------------------------------------------ one card exchanged unseen


def strengths(pack: Pack, size: int) -> list[tuple[int, bool, tuple[int, ...]]]:
    """An order of hands that knows jokers, suits and ranks: most alike, then of one suit, then high ranks."""
    found = []
    for hand in all_sets(pack.size, size).tolist():
        plain = [card for card in hand if card < len(pack.ranks) * pack.suits]
        ranks = sorted((card // pack.suits for card in plain), reverse=True)
        most = max(map(ranks.count, ranks), default=0) + size - len(plain)
        found.append((most, len({card % pack.suits for card in plain}) < 2, tuple(ranks)))
    return found


def exchanging(pack: Pack, level: dict[tuple[int, ...], int], at_once: int) -> Game:
    def play(deal: tuple[tuple[int, ...], ...]) -> Play:
        first, new, dealer = deal
        if level[first] >= at_once:
            return (Fraction(1),), (Fraction(3, 2),)
        discard = yield first, len(first)
        kept = (card for place, card in enumerate(first) if place != discard)
        mine = level[tuple(sorted((*kept, *new)))]
        best = max(level[hand] for hand in combinations(dealer, len(first)))
        return (Fraction(1),), (Fraction((mine > best) - (mine < best)),)

    return play


@pytest.mark.parametrize(
    ("pack", "size"), [(Pack((2, 3, 4, 5), 2, 1), 2), (Pack((2, 3, 4, 1), 2, 1), 3), (Pack((3, 5), 3, 2), 3)]
)
def test_a_card_is_exchanged_against_the_best_of_one_more(pack: Pack, size: int) -> None:
    found = strengths(pack, size)
    order = {strength: number for number, strength in enumerate(sorted(set(found)))}
    levels = np.array([order[strength] for strength in found], np.int16)
    level = {tuple(hand): int(each) for hand, each in zip(all_sets(pack.size, size).tolist(), levels, strict=True)}
    deals = list(in_parts(pack, size, 1, size + 1))
    at_once = len(order) - 2
    wins = AtOnce((levels < at_once).astype(np.int64), row_pays(["3/2", -1]))
    played = unseen_draw(count_exchanges(pack, levels, size), at_once=wins)
    assert all(played.decided["hand"].values())
    agree(played, exchanging(pack, level, at_once), deals)


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


# ------------------------------------------------------------------ two of four cards of a shoe


@pytest.mark.parametrize(
    ("pack", "decks", "pays"),
    [
        (Pack((2, 9), 1), 5, row_pays([7, 2, "1/2", -1])),
        (Pack((2,), 2), 5, row_pays([3, -1, "1/2", 0])),
        (Pack((2, 9, 1), 1), 3, row_pays([3, 3, 1, -1])),
        pytest.param(Pack((2, 9), 2), 3, row_pays([7, 2, "1/2", -1]), marks=pytest.mark.more),
        pytest.param(Pack((2, 9), 2), 3, row_pays([-1, -1, 3, 0]), marks=pytest.mark.slow),
    ],
)
def test_two_of_four_are_kept_before_the_board(pack: Pack, decks: int, pays: RowPays) -> None:
    def row(cards: Sequence[int]) -> int:
        """Six of a suit, five, five of a rank, none; of one suit only ranks are told apart."""
        ranks = max(Counter(card // pack.suits for card in cards).values())
        suits = max(Counter(card % pack.suits for card in cards).values()) if pack.suits > 1 else ranks - (ranks < 6)
        return 0 if suits > 5 else 1 if suits > 4 else 2 if ranks > 4 else 3

    def keeping(deal: tuple[tuple[int, ...], ...]) -> Play:
        own, board = deal
        kept = yield tuple(card // decks for card in own), 6
        pair = list(combinations(own, 2))[kept]
        return (Fraction(1),), (pays.nets[row([card // decks for card in (*pair, *board)])],)

    cards = {pack.card(number): number for number in range(pack.size)}
    steps: list[tuple[int, int]] = []
    found = kept_pair(
        pack, decks, lambda hand: row([cards[card] for card in hand]), pays, progress=lambda *step: steps.append(step)
    )
    # A shoe is a pack of as many cards, each of a suit and rank of its own to the program that deals it.
    agree(found, keeping, list(in_parts(Pack(tuple(range(2, 2 + pack.size)), decks), 4, 5)))
    assert sorted(steps) == steps
    assert all(0 <= done <= of for done, of in steps)
