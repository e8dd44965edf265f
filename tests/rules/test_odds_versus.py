"""Odds of one hand against the dealer's: compared with plain enumeration by an independent program, and with print."""

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pytest

from protocol.cards import Card
from rules.odds.against.choices import Option, Played, play
from rules.odds.against.versus import LOSE, NO_HAND, STATES, TIE, WIN, Cases, Contest, cases
from rules.odds.cards.placed_sets import Pack
from rules.odds.joint import Ending


class Hand(NamedTuple):
    strength: tuple[Any, ...]
    key: Hashable


ORDERS = {
    5: ("high", "pair", "two pair", "trips", "straight", "flush", "full house", "quads", "straight flush"),
    4: ("high", "pair", "two pair", "straight", "flush", "trips", "straight flush", "quads"),
    3: ("high", "pair", "flush", "straight", "trips", "straight flush"),
}
KINDS = {(4, 1): "quads", (4,): "quads", (3, 2): "full house", (3, 1, 1): "trips", (3, 1): "trips", (3,): "trips"}
KINDS |= {(2, 2, 1): "two pair", (2, 2): "two pair", (2, 1, 1, 1): "pair", (2, 1, 1): "pair", (2, 1): "pair"}


def plain(cards: Sequence[Card]) -> Hand:
    """Rank a hand of three, four or five cards; an ace is high or low."""
    ranks = sorted((14 if card.rank == 1 else card.rank or 0 for card in cards), reverse=True)
    number = Counter(ranks)
    ranks.sort(key=lambda rank: (-number[rank], -rank))
    kind = KINDS.get(tuple(sorted(number.values(), reverse=True)), "high")
    low = ranks == [14, *range(len(cards), 1, -1)]
    straight = kind == "high" and (low or ranks[0] - ranks[-1] == len(cards) - 1)
    flush = len({card.suit for card in cards}) == 1
    if straight or flush:
        kind = "straight flush" if straight and flush else "flush" if flush else "straight"
    if low and straight:
        ranks = [len(cards)]
    return Hand((ORDERS[len(cards)].index(kind), *ranks), kind)


def best_four(cards: Sequence[Card]) -> Hand:
    found = max((plain(four) for four in combinations(cards, 4)), key=lambda hand: hand.strength)
    return Hand(found.strength, "aces" if found.key == "quads" and found.strength[1] == 14 else found.key)


def at_least(*strength: int) -> Callable[[Hand], bool]:
    return lambda hand: hand.strength >= strength


def every_deal(contest: Contest) -> dict[tuple[int, ...], Counter[str]]:
    """Count the endings by the cards seen, the player's then the dealer's; every pair of hands is examined."""
    hands = list(combinations(range(contest.deck.size), contest.cards))
    ranked = [contest.rank(contest.deck.cards(hand)) for hand in hands]
    ladder = sorted({hand.strength for hand in ranked})
    strength = np.array([ladder.index(hand.strength) for hand in ranked])
    plays = np.array([contest.qualifies(hand) for hand in ranked])
    masks = np.array([sum(1 << card for card in hand) for hand in hands])
    found: dict[tuple[int, ...], Counter[str]] = {}
    for hand, mask, mine in zip(hands, masks, strength, strict=True):
        for up in combinations([card for card in range(contest.deck.size) if card not in hand], contest.up):
            shown = sum(1 << card for card in up)
            free = (masks & mask == 0) & (masks & shown == shown)
            ends = {NO_HAND: free & ~plays, LOSE: free & plays & (strength > mine)}
            ends |= {TIE: free & plays & (strength == mine), WIN: free & plays & (strength < mine)}
            counted = {state: int(which.sum()) for state, which in ends.items()}
            for seen in combinations(hand, contest.seen):
                found.setdefault((*seen, *up), Counter()).update(counted)
    return found


def by_situation(found: Cases) -> list[tuple[tuple[int, ...], int, list[int]]]:
    """Return the cards seen, the number of ways, and the deals by state."""
    deals = np.zeros((len(found.own), len(STATES)), np.int64)
    np.add.at(deals, found.of, found.deals)
    seen = np.hstack([found.own, found.up]).tolist()
    return list(zip(map(tuple, seen), found.copies.tolist(), deals.tolist(), strict=True))


ACE_TO_SIX = (2, 3, 4, 5, 6, 1)
ACE_TO_FIVE = (2, 3, 4, 5, 1)


@pytest.mark.every(14)
@pytest.mark.parametrize(
    "contest",
    [
        Contest(plain, at_least(0, 14, 5), up=1, deck=Pack(ACE_TO_FIVE, 3)),
        pytest.param(Contest(plain, at_least(1), up=1, deck=Pack((10, 11, 12, 13), 4)), marks=pytest.mark.slow),
        Contest(plain, at_least(1, 4), deck=Pack(ACE_TO_FIVE, 4)),
        Contest(plain, seen=3, deck=Pack(ACE_TO_SIX, 3)),
        Contest(plain, at_least(2), seen=2, deck=Pack(ACE_TO_FIVE, 3)),
        Contest(best_four, at_least(0, 14, 6), deck=Pack(ACE_TO_SIX, 3)),
        Contest(plain, at_least(0, 6), cards=3, seen=3, up=1, deck=Pack(ACE_TO_SIX, 4)),
        Contest(plain, at_least(99), cards=4, seen=1, deck=Pack(ACE_TO_FIVE, 3)),
    ],
    ids=["five-up", "few ranks", "five", "five-three seen", "five-two seen", "best four", "three-up", "never plays"],
)
def test_every_deal_of_a_small_deck(contest: Contest) -> None:
    expected = every_deal(contest)
    found = cases(contest)
    assert sum(copies for _, copies, _ in by_situation(found)) == len(expected)
    assert found.total == sum(ends.total() for ends in expected.values())
    for seen, copies, deals in by_situation(found):
        assert deals == [copies * expected[seen][state] for state in STATES]


def best_five(cards: Sequence[Card]) -> Hand:
    """Rank the best five of more cards; a joker is any card."""
    if any(card.is_joker for card in cards):
        rest = [card for card in cards if not card.is_joker]
        wild = {Card(suit << 4 | rank) for suit in range(1, 4) for rank in (*range(1, 3), *range(8, 12))}
        return max((best_five([*rest, card]) for card in wild), key=lambda hand: hand.strength)
    return max((plain(five) for five in combinations(cards, 5)), key=lambda hand: hand.strength)


KINDS |= {(5,): "five of a kind", (3, 2): "full house"}
ORDERS[5] = (*ORDERS[5], "five of a kind")


@pytest.mark.every(8)
@pytest.mark.parametrize(
    "contest",
    [
        Contest(best_five, at_least(1, 9), cards=6, seen=6, deck=Pack((8, 9, 10, 11, 1), 3)),
        Contest(best_five, at_least(2), cards=6, seen=2, deck=Pack((8, 9, 10, 11, 1), 3)),
        pytest.param(Contest(best_five, cards=7, seen=3, deck=Pack((8, 9, 10, 11, 1), 3)), marks=pytest.mark.slow),
        Contest(best_five, at_least(3), cards=6, seen=6, deck=Pack((8, 9, 10, 1), 3, jokers=1)),
        Contest(best_five, at_least(99), cards=6, seen=2, deck=Pack((8, 9, 10, 11), 3, jokers=1)),
    ],
    ids=["six", "six-two seen", "seven-three seen", "joker", "joker-two seen"],
)
def test_the_best_five_of_more_cards(contest: Contest) -> None:
    """A player sees some cards first, or all; the dealer's hand is compared with every one."""
    expected = every_deal(contest)
    of_five = replace(contest, uses=5)
    found = cases(of_five)
    assert found.total == sum(ends.total() for ends in expected.values())
    for seen, copies, deals in by_situation(found):
        assert deals == [copies * expected[seen][state] for state in STATES]
    assert set(found.kinds) <= set(ORDERS[5])
    named = cases(replace(of_five, name=lambda kind, cards: (kind, cards[0]), fine=frozenset({"two pair"})))
    begins = {cards for kind, cards in map(_pair, named.kinds) if kind == "two pair"}
    assert len(begins) > 1
    others = [str(kind) for kind, _ in map(_pair, named.kinds) if kind != "two pair"]
    assert sorted([*others, "two pair"]) == sorted(str(found.kinds[at]) for at in np.unique(found.kind))
    two_pair = [at for at, (kind, _) in enumerate(map(_pair, named.kinds)) if kind == "two pair"]
    deals = named.deals[np.isin(named.kind, two_pair)].sum()
    assert deals == found.deals[found.kind == found.kinds.index("two pair")].sum()


def _pair(kind: Hashable) -> tuple[str, Card]:
    assert isinstance(kind, tuple)
    return kind


@pytest.mark.more
def test_three_cards_of_the_whole_deck_against_every_dealer() -> None:
    hands = np.array(list(combinations(range(52), 3)))
    deck = Pack()
    order = {hand.strength: hand for hand in (plain(deck.cards(one)) for one in hands)}
    ladder = {strength: at for at, strength in enumerate(sorted(order))}
    strength = np.array([ladder[plain(deck.cards(one)).strength] for one in hands])
    queen = min(at for each, at in ladder.items() if each >= (0, 12))
    number = {tuple(hand): at for at, hand in enumerate(hands.tolist())}
    found = cases(Contest(plain, at_least(0, 12), cards=3, seen=3))
    for own, copies, deals in random.Random(24).sample(by_situation(found), 300):
        dealers = strength[~np.isin(hands, own).any(axis=1)]
        mine, playing = strength[number[own]], dealers[dealers >= queen]
        ends = [len(dealers) - len(playing), (playing > mine).sum(), (playing == mine).sum(), (playing < mine).sum()]
        assert deals == [copies * int(number) for number in ends]


# ------------------------------------------------------------------ the games


def fold(*stakes: int) -> Option:
    line = Ending(tuple(map(Fraction, stakes)), tuple(Fraction(-stake) for stake in stakes))
    return Option("fold", lambda kind, state: line)


def edge(found: Played) -> Fraction:
    """Return the player's average loss per unit of the first bet."""
    return -sum((sum(line.nets) * number for line, number in found.joint.items()), Fraction(0)) / sum(
        found.joint.values()
    )


def staked(found: Played) -> Fraction:
    return sum((sum(line.stakes) * number for line, number in found.joint.items()), Fraction(0)) / sum(
        found.joint.values()
    )


STUD = {"straight": 4, "flush": 5, "full house": 7, "quads": 20, "trips": 3, "two pair": 2}


def stud(cards: Sequence[Card]) -> Hand:
    hand = plain(cards)
    return Hand(hand.strength, "royal" if hand.key == "straight flush" and hand.strength[1] == 14 else hand.key)


def ante_and_bet(kind: Hashable, state: str) -> Ending:
    pays = {**STUD, "straight flush": 50, "royal": 100}.get(str(kind), 1)
    ante, bet = {NO_HAND: (1, 0), LOSE: (-1, -2), TIE: (0, 0), WIN: (1, 2 * pays)}[state]
    return Ending((Fraction(1), Fraction(2)), (Fraction(ante), Fraction(bet)))


def three(cards: Sequence[Card]) -> Hand:
    hand = plain(cards)
    return Hand(hand.strength, hand.strength)


def ante_and_play(bonus: dict[int, int]) -> Callable[[Hashable, str], Ending]:
    def settle(kind: Hashable, state: str) -> Ending:
        assert isinstance(kind, tuple)
        ante, against = {NO_HAND: (1, 0), LOSE: (-1, -1), TIE: (0, 0), WIN: (1, 1)}[state]
        return Ending((Fraction(1), Fraction(1)), (Fraction(ante + bonus.get(kind[0], 0)), Fraction(against)))

    return settle


@pytest.mark.parametrize(("bonus", "percent"), [({5: 5, 4: 4, 3: 1}, "3.3730"), ({5: 4, 4: 3, 3: 1}, "3.8255")])
def test_three_card_as_in_print(bonus: dict[int, int], percent: str) -> None:
    found = play(
        cases(Contest(three, at_least(0, 12), cards=3, seen=3)),
        [fold(1, 0), Option("play", ante_and_play(bonus))],
    )
    assert f"{float(edge(found) * 100):.4f}" == percent
    assert sum(found.joint.values()) == 407_170_400
    strongest, weakest = max(map(_strength, found.hands["fold"])), min(map(_strength, found.hands["play"]))
    assert (strongest, weakest) == ((0, 12, 6, 3), (0, 12, 6, 4))


def _strength(kind: Hashable) -> tuple[int, ...]:
    assert isinstance(kind, tuple)
    return kind


def test_a_choice_of_ones_own() -> None:
    """A player who plays every hand loses 7.65 % at three cards (in print)."""
    contest = Contest(three, at_least(0, 12), cards=3, seen=3)
    options = [fold(1, 0), Option("play", ante_and_play({5: 5, 4: 4, 3: 1}))]
    found = play(cases(contest), options, lambda all_cases, _: np.ones(len(all_cases.own), np.intp))
    assert f"{float(edge(found) * 100):.2f}" == "7.65"
    assert staked(found) == 2


def test_an_option_that_is_not_open_is_refused() -> None:
    contest = Contest(plain, cards=3, seen=3, deck=Pack(ACE_TO_SIX, 3))
    closed = Option("play", lambda kind, state: Ending((Fraction(1),), (Fraction(9),)), lambda kind: kind == "pair")
    found = play(cases(contest), [fold(1), closed])
    assert set(found.hands["play"]) == {"pair"}
    with pytest.raises(ValueError, match="not open"):
        play(cases(contest), [fold(1), closed], lambda all_cases, _: np.ones(len(all_cases.own), np.intp))


def test_who_qualifies_goes_by_strength() -> None:
    with pytest.raises(ValueError, match="above a qualifying one"):
        cases(Contest(plain, lambda hand: hand.key == "pair", cards=3, seen=3, deck=Pack(ACE_TO_FIVE, 3)))
    with pytest.raises(ValueError, match="perhaps one of the dealer's"):
        cases(Contest(plain, seen=3, up=1))


@pytest.mark.slow
def test_five_against_five_with_one_of_the_dealers_seen() -> None:
    found = play(cases(Contest(stud, at_least(0, 14, 13), up=1)), [fold(1, 0), Option("bet", ante_and_bet)])
    assert f"{float(edge(found) * 100):.4f}" == "5.2243"
    assert f"{float(edge(found) / staked(found) * 100):.2f}" == "2.56"
    assert sum(found.joint.values()) == 2_598_960 * 1_533_939 * 5


def four_and_bonus(times: int) -> Callable[[Hashable, str], Ending]:
    pays = {"aces": 200, "quads": 30, "straight flush": 15, "trips": 2, "flush": Fraction(3, 2), "straight": 1}

    def settle(kind: Hashable, state: str) -> Ending:
        assert isinstance(kind, tuple)
        ante, against = {NO_HAND: (0, 1), LOSE: (-1, -1), TIE: (0, 0), WIN: (1, 1)}[state]
        bonus = pays.get(kind[0], -1 if state == LOSE else 0)
        return Ending(
            (Fraction(1), Fraction(1), Fraction(times)), (Fraction(ante), Fraction(bonus), Fraction(against * times))
        )

    return settle


@pytest.mark.slow
def test_four_of_five_with_a_raise_for_aces() -> None:
    """3.42 % of the ante, 1.09 % of the amount staked: in print."""

    def keyed(cards: Sequence[Card]) -> Hand:
        hand = best_four(cards)
        return Hand(hand.strength, (hand.key, hand.strength))

    found = play(
        cases(Contest(keyed, at_least(0, 13))),
        [
            fold(1, 1, 0),
            Option("1x", four_and_bonus(1)),
            Option("3x", four_and_bonus(3), lambda kind: isinstance(kind, tuple) and kind[1] >= (1, 14)),
        ],
    )
    assert f"{float(edge(found) * 100):.2f}" == "3.42"
    assert f"{float(edge(found) / staked(found) * 100):.2f}" == "1.09"
    assert all(isinstance(kind, tuple) and kind[1] < (1, 14) for kind in found.hands["1x"])


@pytest.mark.slow
def test_even_hands_are_even_when_nobody_folds() -> None:
    """Both get three cards, then two: without a bonus no side has an edge, and folding a half stake gains nothing."""

    def settle(kind: Hashable, state: str) -> Ending:
        against = Fraction({LOSE: -1, TIE: 0, WIN: 1}.get(state, 0))
        return Ending((Fraction(1), Fraction(1)), (against, against))

    found = play(cases(Contest(plain, seen=3)), [fold(1, 0), Option("play", settle)])
    assert edge(found) == 0
    assert sum(found.joint.values()) == 2_598_960 * 1_533_939 * 10


@pytest.mark.slow
def test_seven_cards_against_seven() -> None:
    """No side has an edge without a bonus; the hands of seven cards are in print, out of 133,784,560."""

    def settle(kind: Hashable, state: str) -> Ending:
        against = Fraction({LOSE: -1, TIE: 0, WIN: 1}.get(state, 0))
        return Ending((Fraction(1), Fraction(1)), (against, against))

    counted = cases(Contest(stud, cards=7, seen=3, uses=5))
    found = play(counted, [fold(1, 0), Option("play", settle)])
    assert edge(found) == 0
    assert sum(found.joint.values()) == 22_100 * 211_876 * 45_379_620
    made = {kind: int(counted.deals[counted.kind == at].sum()) for at, kind in enumerate(counted.kinds)}
    assert {kind: Fraction(number, counted.total) * 133_784_560 for kind, number in made.items()} == {
        "royal": 4_324, "straight flush": 37_260, "quads": 224_848, "full house": 3_473_184, "flush": 4_047_644,
        "straight": 6_180_020, "trips": 6_461_620, "two pair": 31_433_400, "pair": 58_627_800, "high": 23_294_460,
    }  # fmt: skip
