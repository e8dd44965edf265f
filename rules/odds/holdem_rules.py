"""The words of a strategy file on many boards of hold'em at once: what `strategy_words` asks of one hand, of all holes.

A best hand of five to seven cards is one number (`holdem_strength`), so a hand to reach is a comparison, and a row of a
pay table is looked up once for each of the 7,462 numbers. Words of ranks and suits are counted on the board and in the
hole apart.
"""

from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache, partial
from typing import Any, Final

import numpy as np

from protocol.cards import ACE_HIGH, CARDS, RANKS_UP, SUITS, Card, high_rank, parse_cards
from rules.errors import OddsRefused
from rules.hands import ranking
from rules.odds.holdem import BEST_PLAY, WHOLE_DECK, HoldemStrategy
from rules.odds.holdem_deck import Flags, HoldemDeck, Ints, Places
from rules.odds.holdem_showdowns import Boards
from rules.odds.holdem_strength import (
    five_cards_of,
    strength_alone,
    strength_numbers,
    strengths_beside,
    strengths_with_one,
)
from rules.odds.holdem_terms import CallAndRaise, RaiseOnce
from rules.odds.question import Question
from rules.odds.strategy import Strategy
from rules.odds.strategy_words import HighCards, RuleWhen, fits_hole
from rules.paytables.conditions import CONDITIONS

_AT_ONCE: Final = 64
_DRAW: Final = 4
_TURN: Final = 4

Rules = tuple[tuple[RuleWhen, bool], ...]
"""Rules of one decision, first to last: where the words hold, whether to bet (at the end: to stay)."""


def holdem_strategy(question: Question, raises: RaiseOnce | CallAndRaise) -> HoldemStrategy:
    """How hold'em is played by the strategy that was given, decision by decision; what it does not speak of is played
    best. OddsRefused for a bet that cannot be made."""
    strategy = question.strategy
    if strategy is None:
        return BEST_PLAY
    once = isinstance(raises, RaiseOnce)
    sizes = raises.before if isinstance(raises, RaiseOnce) else (raises.call,)

    def before(deck: HoldemDeck) -> Ints:
        holes = [(card_of(deck, low), card_of(deck, high)) for low, high in deck.holes.T.tolist()]
        units = [strategy.units(0, hole) for hole in holes]
        if wrong := set(units) - {0, *sizes}:
            raise OddsRefused("units bet before the flop", str(min(wrong)), map(str, sizes))
        return np.array([int(each) for each in units], np.int64)

    flop, last = _rules(strategy, 1), _rules(strategy, 2)
    return HoldemStrategy(
        before if strategy.speaks_of(0) else None,
        partial(bets_by, flop) if flop else None,
        partial(bets_by, last) if last and not once else None,
        partial(stays_by, last) if last and once else None,
    )


def _rules(strategy: Strategy, number: int) -> Rules:
    """Of the decision of this number, from 0; none where it is left to the best play or does not exist."""
    if not strategy.speaks_of(number):
        return ()
    decision, spec = strategy.decisions[number], strategy.spec
    for rule in spec.rule:
        if rule.step == decision.step and rule.times != 1:
            raise OddsRefused(f"times at {decision.step}", str(rule.times), ["1"])
    rules = [(rule.when, decision.units[rule.choose] > 0) for rule in spec.rule if rule.step == decision.step]
    if decision.step in spec.otherwise:
        rules.append((RuleWhen(), decision.units[spec.otherwise[decision.step]] > 0))
    return tuple(rules)


def bets_by(rules: Rules, deck: HoldemDeck, cards: Places) -> Flags:
    """For sets of three or four cards on the board (row) and each hole, whether the rules bet."""
    parts = (cards[start : start + _AT_ONCE] for start in range(0, len(cards), _AT_ONCE))
    return np.concatenate([_by_first(rules, SeenHoles(deck, part)) for part in parts])


def stays_by(rules: Rules, deck: HoldemDeck, boards: Boards) -> Flags:
    """The same with the board complete."""
    return _by_first(rules, SeenHoles(deck, boards.cards))


def card_of(deck: HoldemDeck, number: int) -> Card:
    """A card of the deck by its number."""
    suit, rank = divmod(number, len(deck.ranks))
    return CARDS[(suit + 1 << 4) | (1 if deck.ranks[rank] == ACE_HIGH else deck.ranks[rank])]


def _by_first(rules: Rules, seen: "SeenHoles") -> Flags:
    """By the first rule that holds; without a bet where none does."""
    left = seen.strength > 0
    bets = np.zeros_like(left)
    for when, bet in rules:
        hit = left & hold(when, seen)
        if bet:
            bets |= hit
        left &= ~hit
    return bets


class SeenHoles:
    """Some sets of cards on the board, and every hole beside each."""

    def __init__(self, deck: HoldemDeck, cards: Places) -> None:
        self.deck, self.cards = deck, cards
        self.strength = strengths_beside(deck, cards)
        self.own_ranks = np.array(deck.ranks)[deck.holes % len(deck.ranks)]
        self.own_suits = deck.suit_of[deck.holes]

    @cached_property
    def on_board(self) -> Ints:
        """How often each rank, from 0 (column), lies on each board (row)."""
        ranks = np.array(self.deck.ranks)[self.cards % len(self.deck.ranks)]
        return np.asarray((ranks[:, :, None] == np.arange(ACE_HIGH + 1)).sum(axis=1))

    def of_suit(self, suit: int) -> tuple[Ints, Ints]:
        """How many cards of a suit lie on each board, and are in each hole."""
        return (self.deck.suit_of[self.cards] == suit).sum(axis=1), (self.own_suits == suit).sum(axis=0)


def hold(when: RuleWhen, seen: SeenHoles) -> Flags:
    """Where everything that `when` names holds."""
    found = np.ones(seen.strength.shape, dtype=np.bool_)
    for word, look in _WORDS.items():
        if value := getattr(when, word):
            found &= look(seen, value)
    if when.suited:
        found &= _suited(seen, when.suited, when.spread)
    if when.hidden_pair is not None:
        found &= _hidden_pair(seen) == when.hidden_pair
    if when.dealer or when.dealer_matches:  # no card of the dealer's lies open
        found[:] = False
    if when.without is not None:
        found &= ~hold(when.without, seen)
    if when.any:
        found &= np.logical_or.reduce([hold(each, seen) for each in when.any])
    return found


def _at_least(seen: SeenHoles, text: str) -> Flags:
    return np.asarray(seen.strength >= _least(text))


@lru_cache(maxsize=256)
def _least(text: str) -> int:
    ranks = [(high_rank(card) - 2, SUITS.index(card.suit or "")) for card in parse_cards(text)]
    cards = np.array([[suit * len(RANKS_UP) + rank for rank, suit in ranks]], dtype=np.intp)
    return int(strength_alone(WHOLE_DECK, cards)[0])


def _makes(seen: SeenHoles, rows: tuple[str, ...]) -> Flags:
    numbers, paid = _paid(rows)
    return np.asarray(paid[np.searchsorted(numbers, seen.strength)])


@lru_cache(maxsize=64)
def _paid(rows: tuple[str, ...]) -> tuple[Ints, Flags]:
    """Every strength, and whether a hand of it has one of the rows; first that of no hand."""
    numbers, rank = strength_numbers(WHOLE_DECK), ranking("poker").rank
    checks = [check for row in rows if (check := CONDITIONS["poker"].check(row)) is not None]
    cards = ([card_of(WHOLE_DECK, card) for card in five_cards_of(number)] for number in numbers.tolist())
    paid = [False, *(any(check(rank(hand, {}).key) for check in checks) for hand in cards)]
    return np.append(0, numbers), np.array(paid)


def _holds(seen: SeenHoles, letters: str) -> Flags:
    found = np.ones(seen.strength.shape, dtype=np.bool_)
    for letter in set(letters):
        rank = RANKS_UP.index(letter) + 2
        times = seen.on_board[:, rank, None] + (seen.own_ranks == rank).sum(axis=0)
        found &= times >= letters.count(letter)
    return found


def _high(seen: SeenHoles, high: HighCards) -> Flags:
    least = RANKS_UP.index(high.rank) + 2
    cards = seen.on_board[:, least:].sum(axis=1)[:, None] + (seen.own_ranks >= least).sum(axis=0)
    return np.asarray(cards >= high.cards)


def _hole(seen: SeenHoles, classes: tuple[str, ...]) -> Flags:
    return np.broadcast_to(_of_class(seen.deck, classes), seen.strength.shape)


@lru_cache(maxsize=64)
def _of_class(deck: HoldemDeck, classes: tuple[str, ...]) -> Flags:
    holes = [(card_of(deck, low), card_of(deck, high)) for low, high in deck.holes.T.tolist()]
    return np.array([any(fits_hole(each, hole) for each in classes) for hole in holes])


def _hidden_pair(seen: SeenHoles) -> Flags:
    low, high = seen.own_ranks
    return np.asarray((seen.on_board[:, low] > 0) | (seen.on_board[:, high] > 0) | (low == high))


def _hidden_draw(seen: SeenHoles, rank: str) -> Flags:
    found = np.zeros(seen.strength.shape, dtype=np.bool_)
    for suit in range(seen.deck.suits):
        board, own = seen.of_suit(suit)
        highest = np.where(seen.own_suits == suit, seen.own_ranks, 0).max(axis=0)
        found |= (board[:, None] + own >= _DRAW) & (highest >= RANKS_UP.index(rank) + 2)
    return found


def _suited(seen: SeenHoles, number: int, spread: int) -> Flags:
    """Cards of one suit, so many; all of that suit within `spread` ranks, the ace high or low."""
    found = np.zeros(seen.strength.shape, dtype=np.bool_)
    ranks = np.array(seen.deck.ranks)[seen.cards % len(seen.deck.ranks)]
    for suit in range(seen.deck.suits):
        board, own = seen.of_suit(suit)
        hit = board[:, None] + own >= number
        if spread:
            on_suit, own_suit = seen.deck.suit_of[seen.cards] == suit, seen.own_suits == suit
            hit &= np.logical_or.reduce(
                [_width(low(ranks), on_suit, low(seen.own_ranks), own_suit) < spread for low in (_as_it_is, _ace_low)]
            )
        found |= hit
    return found


def _as_it_is(ranks: Ints) -> Ints:
    return ranks


def _ace_low(ranks: Ints) -> Ints:
    return np.where(ranks == ACE_HIGH, 1, ranks)


def _width(ranks: Ints, on_board: Flags, own_ranks: Ints, own: Flags) -> Ints:
    """From the lowest to the highest of the cards that are marked, for each board and hole."""
    low = np.where(on_board, ranks, ACE_HIGH + 1).min(axis=1), np.where(own, own_ranks, ACE_HIGH + 1).min(axis=0)
    high = np.where(on_board, ranks, 0).max(axis=1), np.where(own, own_ranks, 0).max(axis=0)
    return np.asarray(np.maximum(high[0][:, None], high[1]) - np.minimum(low[0][:, None], low[1]))


def _outs_below(seen: SeenHoles, number: int) -> Flags:
    """A card of the hole is none: with the board alone it makes no more than the whole hand does."""
    if seen.cards.shape[1] < _TURN:
        raise OddsRefused("outs-below with cards on the board", str(seen.cards.shape[1]), ["4", "5"])
    with_one = np.sort(strengths_with_one(seen.deck, seen.cards), axis=1)
    both = zip(with_one, seen.strength, strict=True)
    return np.array([seen.deck.size - np.searchsorted(row, own, side="right") < number for row, own in both])


_WORDS: Final[Mapping[str, Callable[[SeenHoles, Any], Flags]]] = {
    "at_least": _at_least,
    "makes": _makes,
    "holds": _holds,
    "high": _high,
    "hole": _hole,
    "hidden_draw": _hidden_draw,
    "outs_below": _outs_below,
}
