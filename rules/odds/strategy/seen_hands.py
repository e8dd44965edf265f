"""The cards that players see, for many hands at once, and the hands to which a rule of a strategy applies.

Cards are in arrays by their codes, with a hand's cards along the last axis. The axes before it broadcast, so boards
(rows) with holes (columns) are treated like single hands. Only this module, used neither to deal nor to settle, imports
NumPy.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from protocol.cards import ACE_HIGH, CARDS, DECK, RANKS_UP, Card, parse_cards
from rules.game.load import Game
from rules.odds.strategy.file import Strategy
from rules.odds.strategy.words import HighCards, RuleWhen, hole_class, key_of, row_check, strength_of

Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.uint8]
_SUITS: Final = range(1, 5)
_JOKERS: Final = 0x50
_DRAW: Final = 4
"""Number of cards of one suit that need a fifth for a flush."""


def codes_of(cards: Sequence[Card]) -> Codes:
    """Return one hand as an array with one row."""
    return np.array([cards], np.uint8).reshape(1, len(cards))


def ranks_of(cards: Codes) -> Ints:
    """Return the rank of each card, with an ace above the king; 0 for a joker."""
    ranks = (cards & 0x0F).astype(np.int64)
    return np.asarray(np.where(cards >= _JOKERS, 0, np.where(ranks == 1, ACE_HIGH, ranks)))


def _rank(letter: str) -> int:
    return RANKS_UP.index(letter) + 2


class SeenHands(ABC):
    """Hands to examine. `own`: the player's own cards; `board`: the common cards; `dealer`: the dealer's open cards."""

    def __init__(self, own: Codes, board: Codes, dealer: Codes) -> None:
        self.own, self.board, self.dealer = own, board, dealer

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of an array with one value per hand."""
        return np.broadcast_shapes(*(cards.shape[:-1] for cards in (self.own, self.board, self.dealer)))

    def number(self, test: Callable[[Codes], Flags]) -> Ints:
        """Return the number of a hand's cards, own and board, that satisfy `test`."""
        return np.asarray(test(self.own).sum(axis=-1) + test(self.board).sum(axis=-1))

    def times(self, rank: int | Ints) -> Ints:
        """Return, for each hand, the number of its cards of `rank`."""
        each = np.asarray(rank)[..., None]
        return self.number(lambda cards: np.asarray(ranks_of(cards) == each))

    @abstractmethod
    def at_least(self, text: str) -> Flags:
        """Return the hands that equal or beat this one."""

    @abstractmethod
    def makes(self, rows: tuple[str, ...]) -> Flags:
        """Return the hands that make one of these rows."""

    @abstractmethod
    def outs(self) -> Ints:
        """Return the number of unseen cards that make more with the board than the player has."""


class RankedHands(SeenHands):
    """Hands that the game's own ranking ranks one by one."""

    def __init__(self, game: Game, own: Codes, board: Codes | None = None, dealer: Codes | None = None) -> None:
        nothing = np.zeros((len(own), 0), np.uint8)
        super().__init__(own, nothing if board is None else board, nothing if dealer is None else dealer)
        self.game = game

    @cached_property
    def _hands(self) -> tuple[list[tuple[Card, ...]], Ints]:
        """Distinct hands, and the index of each hand among them."""
        cards = np.concatenate([self.own, self.board], axis=1)
        hands, of = np.unique(cards, axis=0, return_inverse=True)
        return [tuple(CARDS[code] for code in hand) for hand in hands.tolist()], of.ravel()

    def _each(self, look: Callable[[tuple[Card, ...]], Any]) -> npt.NDArray[Any]:
        hands, of = self._hands
        return np.array([look(hand) for hand in hands])[of]

    def at_least(self, text: str) -> Flags:
        """Compare by strength; raise OddsRefused for cards that the ranking does not take."""
        least = strength_of(self.game, parse_cards(text))
        return self._each(lambda hand: bool(strength_of(self.game, hand) >= least))

    def makes(self, rows: tuple[str, ...]) -> Flags:
        """Look up the rows by key."""
        checks, known = [row_check(row) for row in rows], dict[Hashable, bool]()

        def pays(hand: tuple[Card, ...]) -> bool:
            key = key_of(self.game, hand)
            if key not in known:
                known[key] = any(check(key) for check in checks)
            return known[key]

        return self._each(pays)

    def outs(self) -> Ints:
        """Count the outs card by card of the deck."""
        own = self.own.shape[1]

        def beaten_by(hand: tuple[Card, ...]) -> int:
            mine = strength_of(self.game, hand)
            return sum(strength_of(self.game, (*hand[own:], card)) > mine for card in DECK if card not in hand)

        return self._each(beaten_by)


def holds(when: RuleWhen, seen: SeenHands) -> Flags:
    """Return the hands that satisfy all conditions of `when`."""
    found = np.ones(seen.shape, np.bool_)
    for word, look in _WORDS.items():
        value = getattr(when, word)
        if (value or value is False) and found.any():  # `hidden-pair = false` is a condition too
            found = found & look(seen, value)
    if when.suited:
        found = found & _suited(seen, when.suited, when.spread)
    if when.without is not None:
        found = found & ~holds(when.without, seen)
    if when.any:
        found = found & np.logical_or.reduce([holds(each, seen) for each in when.any])
    return found


def first_rule(rules: Sequence[RuleWhen], seen: SeenHands) -> Ints:
    """Return the number of the first matching rule for each hand; the number of rules if none matches."""
    found = np.full(seen.shape, len(rules), np.int64)
    for at, when in enumerate(rules):
        left = found == len(rules)
        if not left.any():
            break
        found[left & holds(when, seen)] = at
    return found


def units_for(strategy: Strategy, number: int, seen: SeenHands) -> tuple[Ints, list[Fraction]]:
    """Return the bet at the decision, counted from 0: for each hand the number of the rule that decides, and by rule
    the units of the first bet; 0 for a fold, a check or a bet taken back."""
    rules = strategy.rules(number)
    return first_rule([when for when, _ in rules], seen), [units for _, units in rules]


# ------------------------------------------------------------------ the words


def _holds(seen: SeenHands, letters: str) -> Flags:
    wanted = {letter: letters.count(letter) for letter in letters}
    return np.asarray(np.logical_and.reduce([seen.times(_rank(each)) >= times for each, times in wanted.items()]))


def _high(seen: SeenHands, high: HighCards) -> Flags:
    return np.asarray(seen.number(lambda cards: np.asarray(ranks_of(cards) >= _rank(high.rank))) >= high.cards)


def of_class(seen: SeenHands, classes: tuple[str, ...]) -> Flags:
    """Return the hands whose first two own cards are of one of these classes."""
    if seen.own.shape[-1] < 2:
        return np.zeros(seen.shape, np.bool_)
    two = seen.own[..., :2]
    ranks = ranks_of(two)
    first, second, suited = ranks.max(axis=-1), ranks.min(axis=-1), two[..., 0] >> 4 == two[..., 1] >> 4
    found = np.zeros(seen.shape, np.bool_)
    for high, low, suits, more in filter(None, map(hole_class, classes)):
        if high == low:
            found = found | ((first == second) & ((first == high) | (first > high) & more))
        else:
            lower = (second == low) | (second > low) & more
            fits = suited == (suits == "s") if suits else np.ones_like(suited)
            found = found | (fits & (first == high) & (second < high) & lower)
    return np.asarray(found)


def _dealer(seen: SeenHands, letters: str) -> Flags:
    return np.asarray(np.isin(ranks_of(seen.dealer), [_rank(letter) for letter in letters]).any(axis=-1))


def _held(seen: SeenHands, cards: Codes, times: int) -> Flags:
    """Return the hands in which one of these cards is of a rank held this many times."""
    ranks = ranks_of(cards)
    found = [seen.times(ranks[..., at]) >= times for at in range(ranks.shape[-1])]
    return np.asarray(np.logical_or.reduce([np.zeros(seen.shape, np.bool_), *found]))


def _hidden_draw(seen: SeenHands, rank: str) -> Flags:
    high, found = ranks_of(seen.own) >= _rank(rank), np.zeros(seen.shape, np.bool_)
    for suit in _SUITS:
        mine = ((seen.own >> 4 == suit) & high).any(axis=-1)
        found = found | (_of_suit(seen, suit) >= _DRAW) & mine
    return np.asarray(found)


def _of_suit(seen: SeenHands, suit: int) -> Ints:
    return seen.number(lambda cards: np.asarray(cards >> 4 == suit))


def _suited(seen: SeenHands, number: int, spread: int) -> Flags:
    """Return the hands with this many cards of one suit, all of that suit within `spread` ranks, with the ace high or
    low."""
    found = np.zeros(seen.shape, np.bool_)
    for suit in _SUITS:
        hit = _of_suit(seen, suit) >= number
        if spread:
            hit = hit & ((_width(seen, suit, ACE_HIGH) < spread) | (_width(seen, suit, 1) < spread))
        found = found | hit
    return np.asarray(found)


def _width(seen: SeenHands, suit: int, ace: int) -> Ints:
    """Return the distance from the lowest to the highest card of a suit."""
    lowest, highest = ACE_HIGH + 1, 0
    for cards in (seen.own, seen.board):
        ranks, there = ranks_of(cards), cards >> 4 == suit
        ranks = np.where(ranks == ACE_HIGH, ace, ranks)
        lowest = np.minimum(lowest, np.where(there, ranks, ACE_HIGH + 1).min(axis=-1, initial=ACE_HIGH + 1))
        highest = np.maximum(highest, np.where(there, ranks, 0).max(axis=-1, initial=0))
    return np.asarray(highest - lowest)


_WORDS: Final[Mapping[str, Callable[[SeenHands, Any], Flags]]] = {
    "at_least": lambda seen, text: seen.at_least(text),
    "makes": lambda seen, rows: seen.makes(rows),
    "holds": _holds,
    "high": _high,
    "hole": of_class,
    "dealer": _dealer,
    "dealer_matches": lambda seen, matches: _held(seen, seen.dealer, 1) == matches,
    "hidden_pair": lambda seen, there: _held(seen, seen.own, 2) == there,
    "hidden_draw": _hidden_draw,
    "outs_below": lambda seen, number: seen.outs() < number,
}
