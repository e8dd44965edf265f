"""Plain five-card poker for progressive bets: no card is wild (CO 47.1-1017.60 progressive (2))."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from types import MappingProxyType
from typing import Final

from protocol.cards import DECK, Card
from rules.hands.ranked import RankedHand

NOTHING: Final = "less than three of a kind"
_PLAYING: Final = frozenset(DECK)
_BROADWAY: Final = frozenset({1, 10, 11, 12, 13})
_CONTAINS: Final[dict[str, tuple[str, ...]]] = {
    "royal flush": ("royal flush", "straight flush", "flush", "straight"),
    "straight flush": ("straight flush", "flush", "straight"),
    "four of a kind": ("four of a kind", "three of a kind"),
    "full house": ("full house", "three of a kind"),
    "flush": ("flush",),
    "straight": ("straight",),
    "three of a kind": ("three of a kind",),
    NOTHING: (),
}

FIVE_CARD_HANDS: Final = tuple(name for name in _CONTAINS if name != NOTHING)
"""Hands with a name, best first."""


def five_card(cards: Sequence[Card]) -> str:
    """Return the name of the hand that five different playing cards make; NOTHING below three of a kind. An ace is high
    or low."""
    if len(cards) != 5 or not _PLAYING.issuperset(cards):
        raise ValueError(f"a five-card hand is five of the 52 cards, not {' '.join(map(str, cards))}")
    ranks = [card & 0x0F for card in cards]
    kinds = frozenset(ranks)
    if len(kinds) == 5:
        return _unpaired(kinds, one_suit=len({card >> 4 for card in cards}) == 1)
    most = max(map(ranks.count, kinds))
    if most == 4:
        return "four of a kind"
    if most == 3:
        return "full house" if len(kinds) == 2 else "three of a kind"
    return NOTHING


def best_five(cards: Sequence[Card]) -> str:
    """Return the name of the best hand that any five of these cards make."""
    if len(cards) == 5:
        return five_card(cards)
    found = {five_card(five) for five in combinations(cards, 5)}
    return next((name for name in FIVE_CARD_HANDS if name in found), NOTHING)


_SUITS_AT: Final = 52
_ONE_SUIT: Final = frozenset(5 << _SUITS_AT + shift for shift in (0, 4, 8, 12))
_COUNTS: Final = {card: 1 << 4 * ((card & 0x0F) - 1) | 1 << _SUITS_AT + 4 * ((card >> 4) - 1) for card in DECK}
"""Counters of one card: four bits for each rank, starting with the aces, and from `_SUITS_AT` on four bits for each
suit."""
_MET: Final[dict[int, str]] = {}
"""Cached names of hands by their ranks, with one more bit if they are of one suit: 7,462 at most."""


def _five_card_cached(cards: tuple[Card, ...]) -> str:
    """Return `five_card` of five cards from a cache: their ranks, and being of one suit, decide the name."""
    try:
        counted = sum(itemgetter(*cards)(_COUNTS))
    except KeyError:  # not a playing card: `five_card` raises the error
        return five_card(cards)
    ranks, suits = counted & _RANKS, counted & ~_RANKS
    key = ranks | _FLUSH if suits in _ONE_SUIT else ranks
    name = _MET.get(key)
    if name is None:
        name = _MET[key] = five_card(cards)
    return name


_RANKS: Final = (1 << _SUITS_AT) - 1
_FLUSH: Final = 1 << _SUITS_AT


def _unpaired(kinds: frozenset[int], *, one_suit: bool) -> str:
    straight = max(kinds) - min(kinds) == 4 or kinds == _BROADWAY
    if one_suit and kinds == _BROADWAY:
        return "royal flush"
    if one_suit:
        return "straight flush" if straight else "flush"
    return "straight" if straight else NOTHING


def contains(hand: str, row: str) -> bool:
    """Return True if a hand named `hand` is also a hand named `row`: a royal flush is also a straight."""
    return row in _CONTAINS.get(hand, ())


@dataclass(frozen=True, slots=True)
class FiveCard:
    """Ranking by name alone, for tables that pay from three of a kind up; it does not compare two hands."""

    id: str = "five-card"
    vocabulary: str = "five-card"
    sizes: tuple[int, int] = (5, 7)
    uses: int | None = 5
    jokers: int = 0

    def rank(self, cards: Iterable[Card], _readings: Mapping[str, str] = MappingProxyType({})) -> RankedHand:
        """Return the best hand these cards make."""
        cards = tuple(cards)
        name = _five_card_cached(cards) if len(cards) == 5 else best_five(cards)
        return RankedHand((), name, name, cards)

    def ranker(self, _readings: Mapping[str, str]) -> Callable[[tuple[Card, ...]], RankedHand]:
        """Return the function that ranks cards, regardless of the readings."""
        return self.rank
