"""A few cards split into one low card and the others, against the dealer's who splits his by a house way: every way
for the player to split every hand, against every hand of the dealer.

Suits are not interchangeable here, since colours decide copies and a house way may name suits; three cards each are few
enough to look at every pair of hands.

NumPy is imported by this module and by nothing that deals or settles.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from protocol.cards import Card
from rules.odds.card_sets import CardSets
from rules.odds.joint import Ending
from rules.odds.placed_sets import Ints, Sets

WIN, PUSH, LOSE = range(3)
_GAIN: Final = {WIN: Fraction(1), PUSH: Fraction(0), LOSE: Fraction(-1)}
_RED: Final = "DH"
_AT_ONCE: Final = 500


@dataclass(frozen=True)
class SplitContest:
    """Three equal bets: on the low card, on the high hand of the others, and on all cards together.

    `low`, `high` and `whole` give strengths that can be ordered. `foul`: a low card and a high hand that may not be set
    so. `house`: the place of the low card in a hand the dealer sets. Equal low or high hands are the dealer's, but push
    where all cards compared are of one colour and `colour_pushes`; equal hands of all cards are the dealer's.
    """

    low: Callable[[Card], Any]
    high: Callable[[Sequence[Card]], Any]
    whole: Callable[[Sequence[Card]], Any]
    foul: Callable[[Card, Sequence[Card]], bool]
    house: Callable[[Sequence[Card]], int]
    colour_pushes: bool = True
    cards: int = 3
    deck: CardSets = field(default_factory=CardSets)


@dataclass(frozen=True)
class Splits:
    """`deals[hand, low card, low, high, whole]` counts the dealer's hands by what becomes of the three bets (`WIN`,
    `PUSH`, `LOSE`); -1 where the split is foul. `house[hand]` is the low card of the house way."""

    deck: CardSets
    hands: Sets
    deals: Ints
    house: Ints


@dataclass(frozen=True)
class SplitPlay:
    """`joint` counts equally likely deals; `chosen` is the place of the low card, hand by hand."""

    joint: Mapping[Ending, int]
    chosen: Ints


@dataclass(frozen=True)
class _Set:
    """Hands set in one way: strengths as numbers, and colours (0 red, 1 black, otherwise mixed)."""

    low: Ints
    high: Ints
    low_colour: Ints
    high_colour: Ints
    whole: Ints


_PARTS: Final = ("low", "high", "low_colour", "high_colour")


def splits(contest: SplitContest, progress: Callable[[int, int], None] | None = None) -> Splits:
    """Every split of every hand against every hand the dealer can then hold."""
    hands = contest.deck.every(contest.cards)
    whole = _ladder([contest.whole(contest.deck.cards(hand)) for hand in hands])
    ways, house, foul = _ways(contest, hands, whole)
    held = (np.uint64(1) << hands.astype(np.uint64)).sum(axis=1)
    dealer, of = _alike(ways, house, whole)
    deals = np.full((len(hands), contest.cards, 3, 3, 3), -1, np.int64)
    for hand in range(len(hands)):
        if progress and hand % _AT_ONCE == 0:
            progress(hand, len(hands))
        met = np.bincount(of[held & held[hand] == 0], minlength=len(dealer.whole))
        third = np.where(dealer.whole < whole[hand], WIN, LOSE)
        for low, way in enumerate(ways):
            if not foul[hand, low]:
                outcome = _compare(way, hand, dealer, colour_pushes=contest.colour_pushes) * 3 + third
                counted = np.zeros(27, np.int64)
                np.add.at(counted, outcome, met)
                deals[hand, low] = counted.reshape(3, 3, 3)
    if progress:
        progress(len(hands), len(hands))
    return Splits(contest.deck, hands, deals, house)


def _alike(ways: Sequence[_Set], house: Ints, whole: Ints) -> tuple[_Set, Ints]:
    """The dealer's hands, set his way, one of each kind that differs in a comparison; and the kind of each hand."""
    parts = [np.choose(house, [getattr(way, part) for way in ways]) for part in _PARTS]
    kinds, of = np.unique(np.stack([*parts, whole], axis=1), axis=0, return_inverse=True)
    return _Set(*kinds.T), of


def _ways(contest: SplitContest, hands: Sets, whole: Ints) -> tuple[list[_Set], Ints, npt.NDArray[np.bool_]]:
    """Each way to set the hands, by the place of the low card; the dealer's way; and which are foul."""
    lows, highs, colours = [], [], []
    house, foul = np.zeros(len(hands), np.int64), np.zeros((len(hands), contest.cards), bool)
    for at, hand in enumerate(hands):
        cards = contest.deck.cards(hand)
        house[at] = contest.house(cards)
        for low, card in enumerate(cards):
            others = cards[:low] + cards[low + 1 :]
            foul[at, low] = contest.foul(card, others)
            lows.append(contest.low(card))
            highs.append(contest.high(others))
            colours.append((_colour([card]), _colour(others)))
    shape = (len(hands), contest.cards)
    low_ladder, high_ladder = _ladder(lows).reshape(shape), _ladder(highs).reshape(shape)
    colour = np.array(colours).reshape(*shape, 2)
    return (
        [
            _Set(low_ladder[:, place], high_ladder[:, place], colour[:, place, 0], colour[:, place, 1], whole)
            for place in range(contest.cards)
        ],
        house,
        foul,
    )


def _colour(cards: Sequence[Card]) -> int:
    red = sum(card.suit in _RED for card in cards if card.suit)
    return 0 if red == len(cards) else 1 if not red else 2


def _ladder(strengths: Sequence[Any]) -> Ints:
    """Strengths as numbers from 0."""
    places = {strength: at for at, strength in enumerate(sorted(set(strengths)))}
    return np.array([places[strength] for strength in strengths], np.int64)


def _compare(way: _Set, hand: int, dealer: _Set, *, colour_pushes: bool) -> Ints:
    """The outcome of the low bet and of the high one, against each of the dealer's hands."""
    found = np.zeros(len(dealer.low), np.int64)
    for mine, theirs, my_colour, their_colour in (
        (way.low[hand], dealer.low, way.low_colour[hand], dealer.low_colour),
        (way.high[hand], dealer.high, way.high_colour[hand], dealer.high_colour),
    ):
        pushes = (mine == theirs) & (my_colour == their_colour) & (my_colour < 2 and colour_pushes)
        found = found * 3 + np.where(mine > theirs, WIN, np.where(pushes, PUSH, LOSE))
    return found


def play_splits(found: Splits, choose: Callable[[Splits], Ints] | None = None) -> SplitPlay:
    """The outcome of all deals when each hand is set for the most, or as `choose` says (place of the low card).

    Of splits that gain the same, the house way's is taken, then the lowest card's. ValueError for a foul one.
    """
    chosen = choose(found) if choose else _best(found)
    deals = found.deals[np.arange(len(found.hands)), chosen]
    if (deals < 0).any():
        raise ValueError("a foul split is chosen")
    joint: Counter[Ending] = Counter()
    for outcome, number in np.ndenumerate(deals.sum(axis=0)):
        if number:
            joint[Ending((Fraction(1),) * 3, tuple(_GAIN[each] for each in outcome))] += int(number)
    return SplitPlay(joint, chosen)


def _best(found: Splits) -> Ints:
    worth = np.array([1, 0, -1])
    each = worth[:, None, None] + worth[:, None] + worth
    gains = np.where(found.deals[:, :, 0, 0, 0] < 0, np.iinfo(np.int64).min, (found.deals * each).sum(axis=(2, 3, 4)))
    rows = np.arange(len(gains))
    return np.where(gains[rows, found.house] == gains.max(axis=1), found.house, gains.argmax(axis=1))
