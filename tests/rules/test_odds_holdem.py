"""Hold'em against the dealer: every deal of small decks, single boards of the whole deck, and published figures."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest

from rules.odds.decide.holdem_terms import (
    CallAndRaise,
    FirstBet,
    HoldemCount,
    HoldemEnding,
    HoldemTerms,
    Net,
    RaiseOnce,
)
from rules.odds.holdem.count import HoldemStrategy, count_holdem
from rules.odds.holdem.deck import (
    Flags,
    HoldemDeck,
    Ints,
    Places,
    board_cards,
    folded_sets,
    inside,
    summed_over_alike,
)
from rules.odds.holdem.showdowns import Boards, rivals, some_boards
from rules.odds.holdem.strength import CATEGORIES, NO_HOLE, ladder
from tests.support.oracles.holdem_by_hand import LIMITS, ORDER, ByHand, Cards, category, rank
from tests.support.oracles.odds_summed import deals, joint

HIGH = Fraction(3, 2)
BLIND = {
    "royal flush": Fraction(500),
    "straight flush": Fraction(50),
    "four of a kind": Fraction(10),
    "full house": Fraction(3),
    "flush": HIGH,
    "straight": Fraction(1),
}
"""47.1-1017.47 (14)."""
BONUS = {name: Fraction(pay) for name, pay in zip(BLIND, (25, 10, 4, 1), strict=False)}
"""47.1-1017.40 (7), the ante bonus."""
EVEN = {"win": Fraction(1), "tie": Fraction(0), "lose": Fraction(-1)}


def paid(win: Mapping[str, Fraction] | None = None, *, pushes: bool = False, bonus: Mapping[str, Fraction] = {}) -> Net:
    """Return a bet at even money, or at `win`, with a push for other wins; it gains nothing if the dealer does not
    qualify and it `pushes`."""

    def net(ending: HoldemEnding) -> Fraction:
        if ending.folded:
            return Fraction(-1)
        if pushes and not ending.qualified:
            return Fraction(0)
        gain = EVEN[ending.outcome]
        if win is not None and ending.outcome == "win":
            gain = win.get(ending.category, Fraction(0))
        return gain + bonus.get(ending.category, 0)

    return net


STRAIGHTS = dict.fromkeys(BLIND, Fraction(1))
ULTIMATE = HoldemTerms(
    (FirstBet("ante", paid(pushes=True)), FirstBet("blind", paid(BLIND))), RaiseOnce((4, 3), 2, 1), paid(), "pair"
)
BONUS_POKER = HoldemTerms((FirstBet("ante", paid(STRAIGHTS)),), CallAndRaise(2, 1, 1), paid())
CHAMPION_FIVE = HoldemTerms((FirstBet("ante-blind", paid(bonus=BONUS)),), CallAndRaise(1, 1, 0), paid())
CHAMPION_SEVEN = HoldemTerms((FirstBet("ante-blind", paid()),), CallAndRaise(1, 1, 0), paid())
DEAR = HoldemTerms((FirstBet("ante", lambda ending: paid()(ending) / 3),), CallAndRaise(3, 2, 1), paid(), "two pair")

SUITS = "CDHS"
WHOLE = HoldemDeck()


def deck_of(ranks: str, suits: int) -> HoldemDeck:
    return HoldemDeck(tuple(ORDER.index(rank) + 2 for rank in ranks), suits)


def names(deck: HoldemDeck, cards: Places) -> Cards:
    each = len(deck.ranks)
    return frozenset(ORDER[deck.ranks[card % each] - 2] + SUITS[card // each] for card in cards.tolist())


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("terms", "ranks", "suits"),
    [
        (ULTIMATE, "2345A", 2),
        (BONUS_POKER, "TJQKA", 2),
        (CHAMPION_FIVE, "45678", 2),
        (DEAR, "26TQA", 2),
        pytest.param(CHAMPION_SEVEN, "23456A", 2, marks=pytest.mark.more),
        pytest.param(DEAR, "26QA", 3, marks=pytest.mark.more),
        pytest.param(ULTIMATE, "27JA", 3, marks=pytest.mark.slow),
        pytest.param(BONUS_POKER, "3478", 3, marks=pytest.mark.slow),
        pytest.param(CHAMPION_FIVE, "2QA", 4, marks=pytest.mark.slow),
        pytest.param(DEAR, "26TK", 3, marks=pytest.mark.slow),
        pytest.param(ULTIMATE, "9KA", 4, marks=pytest.mark.slow),
        pytest.param(BONUS_POKER, "5TA", 4, marks=pytest.mark.slow),
        pytest.param(ULTIMATE, "89TJQK", 2, marks=pytest.mark.slow),
        pytest.param(ULTIMATE, "TJQKA", 3, marks=pytest.mark.slow),
        pytest.param(ULTIMATE, "27JA", 4, marks=pytest.mark.slow),
        pytest.param(ULTIMATE, "2678TJA", 2, marks=pytest.mark.slow),
        pytest.param(BONUS_POKER, "23456", 3, marks=pytest.mark.slow),
        pytest.param(BONUS_POKER, "39QA", 4, marks=pytest.mark.slow),
        pytest.param(CHAMPION_FIVE, "6789T", 3, marks=pytest.mark.slow),
    ],
)
def test_every_deal_of_a_small_deck(terms: HoldemTerms, ranks: str, suits: int) -> None:
    deck = deck_of(ranks, suits)
    found = count_holdem(terms, deck=deck)
    before, ways = ByHand(terms, ranks, SUITS[:suits]).count()
    assert found.before == before
    assert found.ways == ways
    orders = 20 if isinstance(terms.raises, CallAndRaise) and terms.raises.turn else 10
    assert deals(found) == orders * deck.deals


def test_any_number_of_processes_counts_the_same_and_tells_how_far_it_is() -> None:
    deck, steps = deck_of("27JA", 3), []
    found = count_holdem(ULTIMATE, deck=deck, workers=2, progress=lambda done, of: steps.append((done, of)))
    assert found.ways == count_holdem(ULTIMATE, deck=deck).ways
    assert steps == [(step, len(steps)) for step in range(1, len(steps) + 1)]


def all_spread(deck: HoldemDeck, flops: Places) -> Flags:
    """Bet on every flop with three different ranks."""
    ranks = np.sort(flops % len(deck.ranks), axis=1)
    spread = (np.diff(ranks, axis=1) != 0).all(axis=1)
    return np.repeat(spread[:, None], deck.holes.shape[1], axis=1)


def with_an_ace(deck: HoldemDeck, boards: Boards) -> Flags:
    """Stay if board or hole has an ace, the deck's last rank."""
    last, (low, high) = len(deck.ranks) - 1, deck.holes % len(deck.ranks)
    return np.asarray(((low == last) | (high == last)) | (boards.cards % len(deck.ranks) == last).any(axis=1)[:, None])


def low_pairs_only(deck: HoldemDeck) -> Ints:
    low, high = deck.holes % len(deck.ranks)
    return np.where((low == high) & (low < 2), 3, 0)


@pytest.mark.more
@pytest.mark.parametrize(
    "whole", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["best before the flop", "all chosen"]
)
def test_another_way_to_play_is_counted_where_one_is_given(whole: bool) -> None:
    strategy = HoldemStrategy(flop=all_spread, stays=with_an_ace)
    if whole:
        strategy = HoldemStrategy(before=low_pairs_only, flop=all_spread, stays=with_an_ace)
    deck = deck_of("27JA", 3)
    found = count_holdem(ULTIMATE, deck=deck, strategy=strategy)
    by_hand = ByHand(
        ULTIMATE,
        "27JA",
        SUITS[:3],
        flop=lambda hole, flop: len({card[0] for card in flop}) == 3,
        stays=lambda hole, board: "A" in {card[0] for card in hole | board},
    )
    before, ways = by_hand.count()
    if whole:
        assert found.before == {name: 3 if name in ("22", "77") else 0 for name in before}
        assert deals(found) == 10 * deck.deals
        assert found.ways != ways
    else:
        assert (found.before, found.ways) == (before, ways)


def test_a_bet_that_no_decision_touches_rides_along() -> None:
    trips = FirstBet("trips", lambda ending: Fraction(3) if ending.category == "three of a kind" else Fraction(-1))
    found = count_holdem(ULTIMATE, deck=deck_of("27JA", 3))
    together = joint(found, (trips,))
    assert {len(stakes) for stakes, _ in together} == {len(nets) for _, nets in together} == {4}
    won = sum(number for (_, nets), number in together.items() if nets[3] == 3)
    assert won == sum(number for (_, end), number in found.ways.items() if end.category == "three of a kind")
    assert together.total() == deals(found)


# ------------------------------------------------------------------ the whole deck


def test_sets_of_the_whole_deck_are_folded() -> None:
    for cards, known in ((3, 1755), (4, 16_432), (5, 134_459)):
        sets = folded_sets(WHOLE, cards)
        assert sets.count == known
        assert sets.weights.sum() == comb(52, cards)
        assert (np.diff(sets.masks, axis=1) <= 0).all()


def test_every_flop_stands_in_as_many_boards() -> None:
    boards, flops = folded_sets(WHOLE, 5), folded_sets(WHOLE, 3)
    found = inside(WHOLE, board_cards(WHOLE, boards.masks), 3)
    seen = np.zeros(flops.count, dtype=np.int64)
    np.add.at(seen, found.sets.ravel(), np.repeat(boards.weights, 10))
    assert (seen == flops.weights * comb(49, 2)).all()


def test_holes_that_suits_tell_apart_are_summed() -> None:
    deck = deck_of("9A", 3)
    sums = np.arange(folded_sets(deck, 3).count * deck.holes.shape[1], dtype=np.int64).reshape(-1, deck.holes.shape[1])
    whole = summed_over_alike(deck, 3, sums)
    ace_each = int(np.flatnonzero((folded_sets(deck, 3).masks == 1 << 12).all(axis=1))[0])
    by_hole = {names(deck, hole): int(value) for hole, value in zip(deck.holes.T, whole[ace_each], strict=True)}
    assert by_hole[frozenset({"9C", "9D"})] == by_hole[frozenset({"9D", "9H"})] == by_hole[frozenset({"9C", "9H"})]
    assert len(set(by_hole.values())) > 1


@pytest.mark.parametrize("qualifier", ["pair", "high card"])
def test_single_boards_against_every_hand(qualifier: str) -> None:
    sets = folded_sets(WHOLE, 5)
    wheel = [1 << 12 | 0b11, 1 << 6 | 1 << 3, 0, 0]  # A-2-3 of a suit, 8-5 of another
    royal = [0b11111 << 8, 0, 0, 0]
    picked = [int(np.flatnonzero((sets.masks == board).all(axis=1)).item()) for board in (wheel, royal)]
    picked += range(7, sets.count, 52_361)
    for at in picked:
        some = some_boards(WHOLE, sets, slice(at, at + 1))
        found = [count[0].tolist() for _, _, count in rivals(WHOLE, some, qualifier).every()]
        board = names(WHOLE, some.cards[0])
        holes = [names(WHOLE, hole) for hole in WHOLE.holes.T]
        numbers = {hole: rank(hole | board) for hole in holes if not hole & board}
        least = next(limit for limit, name in LIMITS if name == qualifier)
        for place in range(0, len(holes), 23):
            hole = holes[place]
            seen = [column[place] for column in found]
            if hole & board:
                assert not any(seen)
                continue
            mine, against = numbers[hole], Counter[tuple[bool, int]]()
            for other, theirs in numbers.items():
                if not other & hole:
                    against[theirs > least, (mine > theirs) - (mine < theirs)] += 1
            assert seen == [against[other, side] for other in (False, True) for side in (-1, 0, 1)]
            assert CATEGORIES[ladder().category[some.strength[0, place]]] == category(mine)


def test_strengths_are_in_the_order_of_another_library() -> None:
    sets = folded_sets(WHOLE, 5)
    numbers: dict[int, set[int]] = {}
    for at in range(11, sets.count, 4999):
        some = some_boards(WHOLE, sets, slice(at, at + 1))
        board = names(WHOLE, some.cards[0])
        for place in range(at % 13, WHOLE.holes.shape[1], 13):
            if (mine := int(some.strength[0, place])) < NO_HOLE:
                numbers.setdefault(mine, set()).add(rank(names(WHOLE, WHOLE.holes[:, place]) | board))
    assert all(len(found) == 1 for found in numbers.values())
    in_order = [next(iter(numbers[mine])) for mine in sorted(numbers)]
    assert in_order == sorted(in_order, reverse=True)


def edge(found: HoldemCount) -> Fraction:
    return -sum((sum(nets) * number for (_, nets), number in joint(found).items()), Fraction(0)) / deals(found)


@pytest.mark.slow
def test_ultimate_texas_holdem_is_as_in_print() -> None:
    """Shackleford, wizardofodds.com: 2.185 percent of the ante, 0.526 of the amount staked, 4.94 standard deviation,
    27,813,810,024,000 combinations; 37.7 percent of holes raise."""
    found = count_holdem(ULTIMATE, workers=2)
    assert deals(found) == 27_813_810_024_000
    assert f"{float(100 * edge(found)):.3f}" == "2.185"
    staked = sum((sum(stakes) * number for (stakes, _), number in joint(found).items()), Fraction(0)) / deals(found)
    assert f"{float(100 * edge(found) / staked):.3f}" == "0.526"
    squares = sum((sum(nets) ** 2 * number for (_, nets), number in joint(found).items()), Fraction(0)) / deals(found)
    assert f"{float(squares - edge(found) ** 2) ** 0.5:.2f}" == "4.94"
    assert set(found.before.values()) == {0, 4}  # three units never gain most
    raised = {name for name, units in found.before.items() if units}
    assert {name for name in raised if name[0] == "J"} == {"J8s", "J9s", "JTs", "JTo", "JJ"}
    assert {name for name in raised if name[0] == name[1]} == {2 * rank for rank in "3456789TJQKA"}


@pytest.mark.slow
def test_texas_holdem_bonus_is_as_in_print() -> None:
    """Shackleford, wizardofodds.com: 2.04 percent where the ante is paid from a straight up; offsuit 2-3 to 2-7
    fold."""
    found = count_holdem(BONUS_POKER, workers=2)
    assert f"{float(100 * edge(found)):.2f}" == "2.04"
    assert {name for name, units in found.before.items() if not units} == {"32o", "42o", "52o", "62o", "72o"}


@pytest.mark.slow
def test_champion_is_never_folded_and_gains_by_its_bonus() -> None:
    plain, bonus = (count_holdem(terms, workers=2) for terms in (CHAMPION_SEVEN, CHAMPION_FIVE))
    assert set(plain.before.values()) == set(bonus.before.values()) == {1}
    seven = {"royal flush": 4324, "straight flush": 37_260, "four of a kind": 224_848, "full house": 3_473_184}
    paid_out = sum((BONUS[name] * number for name, number in seven.items()), Fraction(0)) / comb(52, 7)
    assert edge(plain) - edge(bonus) == paid_out


def test_holes_are_all_pairs() -> None:
    assert [tuple(hole) for hole in WHOLE.holes.T.tolist()] == list(combinations(range(52), 2))
