"""One low card and a high hand against the dealer's house way: every setting of every hand against every dealer's hand.

The file's bets are, in order: on the low card, on the high hand, and on all the cards. Hands with a `part` are compared
as set, and the dealer wins a tie unless the bet pushes because all cards are of one color.

Suits are not interchangeable here, because colors decide copies and a house way may name suits; three cards each are
few enough to examine every pair of hands. Only this module, used neither to deal nor to settle, imports NumPy.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from protocol.cards import Card
from rules.bets.bet import Bet
from rules.bets.outcome import ONE_COLOUR, BetFacts
from rules.game.house_ways import Rank, load_houseway
from rules.game.load import cards_of
from rules.kinds.against import AgainstBet
from rules.odds.cards.placed_sets import Ints, Pack, Sets
from rules.odds.joint import Ending, joint_odds
from rules.odds.question import Progress, Question
from rules.odds.returns import Odds, gain_of

WIN, PUSH, LOSE = range(3)
_GAIN: Final = {WIN: Fraction(1), PUSH: Fraction(0), LOSE: Fraction(-1)}
_LOW, _HIGH, _WHOLE = range(3)
_COLOUR: Final = 3
"""Columns of a set hand: three strengths, then the colors of the first two: 0 red, 1 black, 2 mixed."""
_RED: Final = "DH"
_AT_ONCE: Final = 500
_BEST: Final = "for the most"
_HOUSE: Final = "the house way"


@dataclass(frozen=True)
class SplitContest:
    """Three equal bets: on the low card, on the high hand of the others, and on all cards together.

    `low`, `high` and `whole` return comparable strengths. `foul` rejects a low card and a high hand that may not be
    set. `house` returns the index of the low card in a hand the dealer sets. The dealer wins equal low or high hands,
    except that they push if all cards compared are of one color and `colour_pushes`; he wins equal hands of all cards.
    """

    low: Callable[[Card], Any]
    high: Callable[[Sequence[Card]], Any]
    whole: Callable[[Sequence[Card]], Any]
    foul: Callable[[Card, Sequence[Card]], bool]
    house: Callable[[Sequence[Card]], int]
    colour_pushes: bool = True
    cards: int = 3
    deck: Pack = field(default_factory=Pack)


@dataclass(frozen=True)
class Splits:
    """Results of the three bets (low card, high hand, all the cards) for each way to split a hand.

    - `deals[hand, low card, low, high, whole]` counts the dealer's hands by the bets' results (`WIN`, `PUSH`, `LOSE`);
      -1 if the split is foul
    - `house[hand]` is the low card that the house way sets
    """

    hands: Sets
    deals: Ints
    house: Ints

    @property
    def best(self) -> Ints:
        """The low card of each hand that gains most; among equals the house way's, then the lowest."""
        worth = np.array([1, 0, -1])
        each = worth[:, None, None] + worth[:, None] + worth
        gains = (self.deals * each).sum(axis=(2, 3, 4))
        gains = np.where(self.deals[:, :, 0, 0, 0] < 0, np.iinfo(np.int64).min, gains)
        rows = np.arange(len(gains))
        return np.where(gains[rows, self.house] == gains.max(axis=1), self.house, gains.argmax(axis=1))

    def played(self, chosen: Ints) -> Counter[Ending]:
        """Return the outcome of all deals with this low card of each hand; raise ValueError for a foul split."""
        deals = self.deals[np.arange(len(self.hands)), chosen]
        if (deals < 0).any():
            raise ValueError("a foul split is chosen")
        joint: Counter[Ending] = Counter()
        for outcome, number in np.ndenumerate(deals.sum(axis=0)):
            if number:
                joint[Ending((Fraction(1),) * 3, tuple(_GAIN[each] for each in outcome))] += int(number)
        return joint


def splits(contest: SplitContest, progress: Progress | None = None) -> Splits:
    """Count every split of every hand against every hand the dealer can then hold."""
    hands = contest.deck.sets(contest.cards)
    ways, house, foul = _ways(contest, hands)
    held = (np.uint64(1) << hands.astype(np.uint64)).sum(axis=1)
    dealer, of = np.unique(ways[np.arange(len(hands)), house], axis=0, return_inverse=True)
    deals = np.full((len(hands), contest.cards, 3, 3, 3), -1, np.int64)
    for hand in range(len(hands)):
        if progress and hand % _AT_ONCE == 0:
            progress(hand, len(hands))
        met = np.bincount(of[held & held[hand] == 0], minlength=len(dealer))
        for low in np.flatnonzero(~foul[hand]):
            counted = np.zeros(27, np.int64)
            np.add.at(counted, _compare(ways[hand, low], dealer, colour_pushes=contest.colour_pushes), met)
            deals[hand, low] = counted.reshape(3, 3, 3)
    if progress:
        progress(len(hands), len(hands))
    return Splits(hands, deals, house)


def _ways(contest: SplitContest, hands: Sets) -> tuple[Ints, Ints, npt.NDArray[np.bool_]]:
    """Return the parts by [hand, low card, part], the low card of the dealer's way, and the foul splits."""
    house, foul, strengths, colours = [], [], [], []
    for hand in hands:
        cards = contest.deck.cards(hand)
        house.append(contest.house(cards))
        for low, card in enumerate(cards):
            others = cards[:low] + cards[low + 1 :]
            foul.append(contest.foul(card, others))
            strengths.append((contest.low(card), contest.high(others), contest.whole(cards)))
            colours.append((_colour([card]), _colour(others)))
    parts = np.column_stack([*map(_ladder, zip(*strengths, strict=True)), np.array(colours)])
    shape = len(hands), contest.cards
    return parts.reshape(*shape, parts.shape[1]), np.array(house), np.array(foul).reshape(shape)


def _colour(cards: Sequence[Card]) -> int:
    red = sum(card.suit in _RED for card in cards if card.suit)
    return 0 if red == len(cards) else 1 if not red else 2


def _ladder(strengths: Sequence[Any]) -> Ints:
    """Return strengths as integers from 0."""
    places = {strength: at for at, strength in enumerate(sorted(set(strengths)))}
    return np.array([places[strength] for strength in strengths], np.int64)


def _compare(mine: Ints, dealer: Ints, *, colour_pushes: bool) -> Ints:
    """Return the result of the three bets as one number, against each of the dealer's hands."""
    found = np.zeros(len(dealer), np.int64)
    for part in (_LOW, _HIGH):
        colour = mine[part + _COLOUR]
        alike = (dealer[:, part] == mine[part]) & (dealer[:, part + _COLOUR] == colour)
        pushes = alike & bool(colour < 2 and colour_pushes)
        found = found * 3 + np.where(mine[part] > dealer[:, part], WIN, np.where(pushes, PUSH, LOSE))
    return np.asarray(found * 3 + np.where(mine[_WHOLE] > dealer[:, _WHOLE], WIN, LOSE))


# ------------------------------------------------------------------ the bets of a game's file


def contest_of(question: Question, bets: Sequence[AgainstBet], readings: Mapping[str, str]) -> SplitContest:
    """Return the bets on the low card, the high hand and all the cards, under one choice of the readings."""
    game, way = question.game, load_houseway(question.game.spec.houseways[0])

    def ranked(bet: AgainstBet) -> Rank:
        """Return the cached ranker of a bet's hand; a deck has few hands of one or two cards."""
        found = game.ranking_of(bet.hand, readings)
        return cache(lambda cards: found.rank(cards, readings))

    low, high, whole = map(ranked, bets)

    def house(cards: Sequence[Card]) -> int:
        """Return the low card of the first of the settings of equal worth."""
        found = way.settings(cards, low, high)
        assert found is not None, "a house way speaks of every hand"
        return list(cards).index(found[1][0].low[0])

    return SplitContest(
        low=lambda card: low((card,)).strength,
        high=lambda cards: high(tuple(cards)).strength,
        whole=lambda cards: whole(tuple(cards)).strength,
        foul=lambda card, others: bool(low((card,)).strength > high(tuple(others)).strength),
        house=house,
        colour_pushes=_ends(bets[_LOW], 0, ONE_COLOUR) == "push",
        cards=cards_of(game.hand(bets[_WHOLE].hand))[1],
        deck=Pack(*question.one),
    )


def low_and_high(question: Question, bets: Sequence[Bet]) -> Iterator[Odds]:
    """Compare every hand with every dealer's hand, set for the most and set the house way, under each reading."""
    compared = [bet for bet in bets if isinstance(bet, AgainstBet)]
    open_to = {bet.doubt.reading: bet.doubt.is_ for bet in compared if bet.doubt is not None}
    for bet in compared:
        even = gain_of(bet.outcome(BetFacts(1))) == 1
        if not even or [_ends(bet, sign) for sign in (1, 0, -1)] != ["win", "lose", "lose"]:
            raise ValueError(f"{bet.name}: counted only at even money with ties won by the dealer")
    for chosen in question.choices(*open_to):
        if any(chosen[reading] == option for reading, option in open_to.items()):
            continue  # this option holds the bet where the others differ
        readings = question.game.default_readings() | dict(question.readings) | chosen
        counted = splits(contest_of(question, compared, readings), question.progress)
        for words, lows in ((_BEST, counted.best), (_HOUSE, counted.house)):
            joint, alike = counted.played(lows), int((lows == counted.house).sum())
            hands = {_HOUSE: alike, "otherwise": len(counted.hands) - alike}
            also = {"deals": joint.total(), "decisions": {"set": {name: n for name, n in hands.items() if n}}}
            yield from joint_odds(
                question, [bet.name for bet in bets], joint, readings={**chosen, "set": words}, also=also
            )


def _ends(bet: AgainstBet, sign: int, *also: str) -> str:
    outcome = bet.outcome(BetFacts(sign, also=frozenset(also)))
    return outcome.result if outcome is not None else ""
