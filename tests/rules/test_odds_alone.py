"""The engines for games without a dealer's hand, beside a slow program that plays every deal of small packs."""

from collections import Counter
from collections.abc import Callable, Generator, Hashable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from protocol.cards import Card
from rules.odds.best_play import PlayedOut, RowPays
from rules.odds.bonus_card import BonusShape, bonus_card
from rules.odds.community_draw import community_draw
from rules.odds.discard_one import DiscardShape, HandPays, discard_one
from rules.odds.in_words import in_words
from rules.odds.kept_pair import kept_pair
from rules.odds.placed_sets import Ints, Pack, RowFinder, all_sets, places
from rules.odds.streets import StreetShape, streets
from rules.odds.surrender import GrowingHand, count_last, surrender
from rules.odds.take_back import take_back
from rules.odds.unseen_draw import AtOnce, count_exchanges, unseen_draw
from tests.support.oracles.odds_summed import gain, row_pays
from tests.support.oracles.slow_play import LOST, End, Game, best_gain, endings, in_parts, outcome_of

PACK = Pack((2, 9, 1), 3)
PAYS = row_pays([20, 1, 0, -1, -1])
NUMBERS = {PACK.card(number): number for number in range(PACK.size)}


def rows(size: int, pack: Pack = PACK) -> Ints:
    return np.array([outcome_of(pack, hand, size) for hand in all_sets(pack.size, size).tolist()], np.int64)


def finder(size: int) -> RowFinder:
    """Of the best `size` cards; suits matter where so many are of one."""
    return RowFinder(PACK, lambda cards: outcome_of(PACK, [NUMBERS[card] for card in cards], size), size)


def by_rule(decision: int, cards: Sequence[int], options: int) -> int:
    """A silly rule that knows no suits, so that cards alike for the engine are alike for it."""
    return (sum(card // PACK.suits for card in cards) + decision) % options


def agree(found: PlayedOut, game: Game, deals: Sequence[Any]) -> None:
    assert found.ways.total() == len(deals)
    assert gain(found) * len(deals) == best_gain(game, deals)


def mixed(found: PlayedOut) -> list[int]:
    """How many options each decision takes somewhere: a decision that is always the same would prove little."""
    return [sum(map(bool, options.values())) for options in found.decided.values()]


def ends(found: PlayedOut) -> Counter[End]:
    counted: Counter[End] = Counter()
    for end, ways in found.ways.items():
        counted[end.stakes, end.nets] += ways
    return counted


def same_ends(found: PlayedOut, game: Game, deals: Sequence[Any], choose: Callable[[int, Any, int], int]) -> None:
    assert ends(found) == endings(game, deals, choose)


def numbers(cards: Sequence[Card]) -> list[int]:
    return sorted(NUMBERS[card] for card in cards)


# ------------------------------------------------------------------ bets that may be taken back

Play = Generator[tuple[Hashable, int], int, End]


def taking_back(deal: Sequence[tuple[int, ...]]) -> Play:
    own, first, last = deal
    one = yield own, 2
    two = yield tuple(sorted(own + first)), 2
    net = PAYS.nets[outcome_of(PACK, own + first + last, 3)]
    stakes = Fraction(one), Fraction(two), Fraction(1)
    return stakes, tuple(net * stake for stake in stakes)


def test_bets_are_taken_back_where_they_lose_on_average() -> None:
    deals = list(in_parts(PACK, 1, 1, 1))
    found = take_back(PACK, rows(3), PAYS, own=1, size=3)
    assert mixed(found) == [2, 2]
    agree(found, taking_back, deals)
    by_strategy = take_back(PACK, rows(3), PAYS, own=1, size=3, choose=lambda n, cards: by_rule(n, numbers(cards), 2))
    same_ends(by_strategy, taking_back, deals, by_rule)


# ------------------------------------------------------------------ a bet a street


def betting_on(deal: Sequence[tuple[int, ...]]) -> Play:
    own, first, last = deal
    seen, stakes = own, [1]
    for more in (first, last):
        option = yield (tuple(sorted(seen)), tuple(stakes)), 3
        if not option:
            made = tuple(map(Fraction, (*stakes, *[0] * (3 - len(stakes)))))
            return made, tuple(-stake for stake in made)
        stakes.append(((1, 3), (2, 3))[len(stakes) - 1][option - 1])
        seen += more
    net = PAYS.nets[outcome_of(PACK, seen, 3)]
    return tuple(map(Fraction, stakes)), tuple(net * stake for stake in stakes)


@pytest.mark.parametrize(
    ("pays", "options"),
    [
        (row_pays([20, 3, 0, -1, -1]), [2, 3]),
        (row_pays([99, 2, 1, "1/3", -1]), [1, 2]),
        (row_pays([6, 1, 0, -1, -1]), [2, 2]),
    ],
)
def test_a_street_is_folded_or_bet_by_what_was_bet_before(
    pays: RowPays, options: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "PAYS", pays)
    deals = list(in_parts(PACK, 1, 1, 1))
    shape = StreetShape(own=1, size=3, raises=((1, 3), (2, 3)))
    found = streets(PACK, rows(3), pays, shape)
    assert mixed(found) == options
    agree(found, betting_on, deals)
    by_strategy = streets(PACK, rows(3), pays, shape, choose=lambda n, cards: by_rule(n, numbers(cards), 3))
    same_ends(by_strategy, betting_on, deals, lambda n, known, options: by_rule(n, known[0], options))


@pytest.mark.parametrize("decision", [0, 1])
def test_what_a_strategy_leaves_open_is_played_best_beside_it(decision: int) -> None:
    deals = list(in_parts(PACK, 1, 1, 1))
    shape = StreetShape(own=1, size=3, raises=((1, 3), (2, 3)))

    def by_cards(number: int, cards: Sequence[Card]) -> int | None:
        return by_rule(number, numbers(cards), 3) if number == decision else None

    def by_known(number: int, known: tuple[Sequence[int], object], options: int) -> int | None:
        return by_rule(number, known[0], options) if number == decision else None

    found = streets(PACK, rows(3), PAYS, shape, choose=by_cards)
    assert gain(found) * len(deals) == best_gain(betting_on, deals, choose=by_known)


# ------------------------------------------------------------------ a last card for a fee


def buying(insured: bool) -> Game:
    def play(deal: Sequence[tuple[int, ...]]) -> Play:
        own, community, one, two, last = deal
        fees = [Fraction(insured, 2), Fraction(0)]

        def end(bets: int, net: Fraction) -> End:
            stakes = tuple(Fraction(bet < bets) for bet in range(3))
            return (*stakes, *fees), (*(stake * net for stake in stakes), *(-fee for fee in fees))

        # The community is seen with the first card, and which of them it is makes no difference to any hand.
        seen = own + community
        for bets, more in enumerate((one, two), start=1):
            if not (yield tuple(sorted(seen)), 2):
                return end(bets, LOST)
            seen += more
        net = BONUS_PAYS.nets[outcome_of(PACK, seen, 3)]
        if net == LOST and insured and (yield tuple(sorted(seen)), 2):
            fees[1] = Fraction(1)
            net = BONUS_PAYS.nets[outcome_of(PACK, seen + last, 3)]
        return end(3, net)

    return play


BONUS_PAYS = row_pays([0, -1, 0, -1, -1])


@pytest.mark.more
@pytest.mark.parametrize(
    ("insured", "options"), [(False, [2, 2, 2]), pytest.param(True, [2, 2, 3], marks=pytest.mark.slow)]
)
def test_a_last_card_is_bought_where_it_costs_less_than_the_hand(insured: bool, options: list[int]) -> None:
    deals = list(in_parts(PACK, 1, 1, 1, 1, 1))
    shape = BonusShape(own=1, community=1, size=4, insurance=Fraction(1, 2), fee=Fraction(1))
    best_of_three = finder(3)
    best = bonus_card(best_of_three, BONUS_PAYS, insured=insured, shape=shape)
    assert mixed(best) == options
    agree(best, buying(insured), deals)
    found = bonus_card(
        best_of_three,
        BONUS_PAYS,
        insured=insured,
        shape=shape,
        choose=lambda n, cards: by_rule(n, numbers(cards), 2),
    )
    same_ends(found, buying(insured), deals, by_rule)


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


# ------------------------------------------------------------------ half the last bet given up


def giving_up(deal: tuple[tuple[int, ...], ...]) -> Play:
    own, flop, rest = deal
    gives_up = yield own, 2
    nets = [
        GROWING[0].nets[outcome_of(PACK, own, 1)],
        GROWING[1].nets[outcome_of(PACK, own + flop, 3)],
        GROWING[2].nets[outcome_of(PACK, own + flop + rest, 3)],
    ]
    if gives_up:
        nets[2] = -SHARE
    return (Fraction(1),) * 3, tuple(nets)


SHARE = Fraction(1, 2)
GROWING = row_pays([1] * 5), PAYS, row_pays([-1, 0, -1, 1, -1])


@pytest.mark.parametrize(
    ("last_pays", "share", "options"),
    [
        (row_pays([-1, 0, -1, 1, -1]), Fraction(1, 2), [2]),
        (row_pays([3, 0, -1, 1, -1]), Fraction(1, 2), [1]),
        (row_pays([-1, 0, -1, 1, -1]), Fraction(1, 4), [1]),
    ],
)
def test_a_share_of_the_last_bet_is_given_up_where_more_than_that_is_lost(
    last_pays: RowPays, share: Fraction, options: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "SHARE", share)
    monkeypatch.setitem(globals(), "GROWING", (*GROWING[:2], last_pays))
    deals = list(in_parts(PACK, 1, 2, 2))
    last = count_last(finder(3), GROWING[2], 3)
    hand = GrowingHand(np.zeros(PACK.size, np.int64), rows(3), GROWING[0], GROWING[1], last, own=1)
    best = surrender(hand, share)
    assert mixed(best) == options
    agree(best, giving_up, deals)
    assert surrender(hand, share, may=False).decided == {"hand": {"keep": PACK.size, "surrender": 0}}


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
