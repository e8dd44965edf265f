"""Strategy files in hold'em, evaluated on many boards at once: every hole with each of them, by the conditions of
`seen_hands`.

The best hand of five to seven cards is one number (`holdem.strength`), so a minimum hand is a comparison, and a row of
a pay table is looked up once for each of the 7,462 numbers.
"""

from functools import lru_cache, partial
from typing import Final

import numpy as np

from protocol.cards import parse_cards
from rules.errors import OddsRefused
from rules.odds.decide.holdem_terms import CallAndRaise, RaiseOnce
from rules.odds.holdem.count import BEST_PLAY, HoldemStrategy
from rules.odds.holdem.deck import Flags, HoldemDeck, Ints, Places
from rules.odds.holdem.showdowns import Boards
from rules.odds.holdem.strength import NO_HOLE, card_of, ladder, ranked, strengths, strengths_with_one
from rules.odds.question import Question
from rules.odds.strategy.file import Strategy
from rules.odds.strategy.seen_hands import Codes, RankedHands, SeenHands, first_rule, units_for
from rules.odds.strategy.words import RuleWhen, row_check

_AT_ONCE: Final = 64
_TURN: Final = 4

Rules = tuple[tuple[RuleWhen, bool], ...]
"""Rules of one decision in order: the condition, and whether to bet (at the end: to stay)."""


def holdem_strategy(question: Question, raises: RaiseOnce | CallAndRaise) -> HoldemStrategy:
    """Return the given strategy decision by decision; decisions it does not mention are played best. Raises OddsRefused
    for an impossible bet."""
    strategy = question.strategy
    if strategy is None:
        return BEST_PLAY
    once = isinstance(raises, RaiseOnce)
    sizes = raises.before if isinstance(raises, RaiseOnce) else (raises.call,)

    def before(deck: HoldemDeck) -> Ints:
        rules, units = units_for(strategy, 0, RankedHands(question.game, codes(deck)[deck.holes.T]))
        if wrong := {units[rule] for rule in np.unique(rules).tolist()} - {0, *sizes}:
            raise OddsRefused("units bet before the flop", str(min(wrong)), map(str, sizes))
        return np.array([int(each) for each in units], np.int64)[rules]

    flop, last = _rules(strategy, 1), _rules(strategy, 2)
    return HoldemStrategy(
        before if strategy.covers_decision(0) else None,
        partial(bets_by, flop) if flop else None,
        partial(bets_by, last) if last and not once else None,
        partial(stays_by, last) if last and once else None,
    )


def _rules(strategy: Strategy, number: int) -> Rules:
    """Return the rules of the decision with this number, from 0; none if it is left to the best play or does not
    exist."""
    if not strategy.covers_decision(number):
        return ()
    step = strategy.decisions[number].step
    for rule in strategy.spec.rule:
        if rule.step == step and rule.times != 1:
            raise OddsRefused(f"times at {step}", str(rule.times), ["1"])
    return tuple((when, units > 0) for when, units in strategy.rules(number))


def bets_by(rules: Rules, deck: HoldemDeck, cards: Places) -> Flags:
    """Return True where the rules bet, by set of three or four board cards (rows) and hole cards."""
    parts = (cards[start : start + _AT_ONCE] for start in range(0, len(cards), _AT_ONCE))
    return np.concatenate([_by_first(rules, SeenHoles(deck, part)) for part in parts])


def stays_by(rules: Rules, deck: HoldemDeck, boards: Boards) -> Flags:
    """Return True where the rules stay in with the complete board."""
    return _by_first(rules, SeenHoles(deck, boards.cards))


def _by_first(rules: Rules, seen: "SeenHoles") -> Flags:
    """Return the decision of the first rule that holds; no bet if none does, or for an impossible hole."""
    bets = np.array([*(bet for _, bet in rules), False])
    return np.asarray(bets[first_rule([when for when, _ in rules], seen)] & (seen.strength != NO_HOLE))


def codes(deck: HoldemDeck) -> Codes:
    """Return the code of each card of a deck by its number."""
    return np.array([card_of(suit, rank) for suit in range(deck.suits) for rank in deck.ranks], np.uint8)


class SeenHoles(SeenHands):
    """Sets of board cards, and every hole with each."""

    def __init__(self, deck: HoldemDeck, cards: Places) -> None:
        each = codes(deck)
        super().__init__(each[deck.holes.T][None], each[cards][:, None], np.zeros((1, 1, 0), np.uint8))
        self.deck, self.cards = deck, cards
        self.strength = strengths(deck, cards)

    def at_least(self, text: str) -> Flags:
        """Compare the number of the strength."""
        return np.asarray(self.strength >= _least(text))

    def makes(self, rows: tuple[str, ...]) -> Flags:
        """Look up the rows by the number of the strength."""
        return np.asarray(_paid(rows)[self.strength])

    def outs(self) -> Ints:
        """Return the number of outs. A card of the hole is not one: with the board alone it makes no more than the
        whole hand does."""
        if self.cards.shape[1] < _TURN:
            raise OddsRefused("outs-below with cards on the board", str(self.cards.shape[1]), ["4", "5"])
        with_one = np.sort(strengths_with_one(self.deck, self.cards), axis=1)
        both = zip(with_one, self.strength, strict=True)
        return np.array([self.deck.size - np.searchsorted(row, own, side="right") for row, own in both])


@lru_cache(maxsize=256)
def _least(text: str) -> int:
    return ladder().numbers[ranked(parse_cards(text)).strength]


@lru_cache(maxsize=64)
def _paid(rows: tuple[str, ...]) -> Flags:
    """Return, by number of a strength, whether a hand has one of the rows."""
    checks = [row_check(row) for row in rows]
    return np.array([False, *(any(check(hand.key) for check in checks) for hand in ladder().hands), False])
