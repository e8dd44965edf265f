"""Poker hands ranked the slow way: every choice of cards, every meaning of a joker, tuples compared.

A card is its text: rank, then suit (`TD`). `X1` and `X2` are jokers, `??` is an unread card. A rank is a tuple that
starts with the number of the kind; its other elements decide among equals, and the greater wins.

Source: Colorado Rule 10, 47.1-1004 to 47.1-1006, and the game's own paragraph if it ranks other hands.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations, combinations_with_replacement

RANKS = "23456789TJQKA"
SUITS = "CDHS"
DECK = tuple(rank + suit for suit in SUITS for rank in RANKS)
UNREAD = "??"

Rank = tuple[int, ...]

HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH, FIVE_KIND, FIVE_ACES = range(11)
"""Kinds of a five-card hand, 47.1-1004(1), weakest first."""

NAMES = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush", "full house", "four of a kind"),
    *("straight flush", "five of a kind", "five aces"),
)


class Unseen(Exception):
    """A card that decides the bet was not read."""


def known(cards: Sequence[str]) -> tuple[str, ...]:
    """Return the cards; raise Unseen if one of them is `??`."""
    if UNREAD in cards:
        raise Unseen
    return tuple(cards)


_VALUES = {rank: number for number, rank in enumerate(RANKS, 2)}


def value(card: str) -> int:
    """Return 2 to 14, with the ace high."""
    return _VALUES[card[0]]


def jokers(cards: Sequence[str]) -> int:
    return sum(card[0] == "X" for card in cards)


def run_top(values: Sequence[int]) -> int:
    """Return the top of a run of different ranks, 5 to 14; the ace may be low, but only below the deuce. 0 for no
    run."""
    ranks = sorted(values)
    if len(set(ranks)) != len(ranks):
        return 0
    if ranks[-1] - ranks[0] == len(ranks) - 1:
        return ranks[-1]
    low = sorted(1 if rank == 14 else rank for rank in ranks)
    return low[-1] if low[0] == 1 and low[-1] == len(low) else 0


def grouped(values: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the counts of ranks, most first, and the ranks in that order."""
    pairs = sorted(((count, rank) for rank, count in Counter(values).items()), reverse=True)
    return tuple(count for count, _ in pairs), tuple(rank for _, rank in pairs)


@lru_cache(maxsize=400_000)
def five(cards: tuple[str, ...]) -> Rank:
    """Rank five cards without a joker, 47.1-1004(1)."""
    values = sorted([_VALUES[card[0]] for card in cards], reverse=True)
    if len(set(values)) == 5:  # most hands, and those that a joker makes: they are worth a shorter way
        return _different(values, cards)
    shape, ranks = grouped(values)
    if shape[0] == 5:
        return (FIVE_ACES if ranks[0] == 14 else FIVE_KIND, *ranks)
    if shape[0] == 4:
        return QUADS, *ranks
    if shape == (3, 2):
        return FULL_HOUSE, *ranks
    if len({card[1] for card in cards}) == 1:
        return FLUSH, *values
    return {(3, 1, 1): TRIPS, (2, 2, 1): TWO_PAIR, (2, 1, 1, 1): PAIR}[shape], *ranks


def _different(values: list[int], cards: tuple[str, ...]) -> Rank:
    """Rank five different ranks, highest first."""
    top = values[0] if values[0] - values[4] == 4 else 5 if values == [14, 5, 4, 3, 2] else 0
    if len({card[1] for card in cards}) == 1:
        return (STRAIGHT_FLUSH, top) if top else (FLUSH, *values)
    return (STRAIGHT, top) if top else (HIGH, *values)


@lru_cache(maxsize=200_000)
def best_five(cards: frozenset[str]) -> Rank:
    """Rank the best five of five, six or seven cards of one deck without a joker."""
    return max(five(each) for each in combinations(sorted(cards), 5))


def poker(cards: Sequence[str]) -> Rank:
    """Rank the best five of the cards; raise Unseen if one was not read."""
    return best_five(frozenset(known(cards)))


def name(rank: Rank) -> str:
    """Return the name of a five-card hand in a pay table, with the royal flush separate from other straight flushes."""
    return "royal flush" if rank[:2] == (STRAIGHT_FLUSH, 14) else NAMES[rank[0]]


def with_jokers(cards: Sequence[str], score: Callable[[tuple[str, ...]], Rank]) -> Rank:
    """Return the best rank that wild jokers give five cards. Each stands for a rank in no suit or, if the others are of
    one suit, for a card of that suit that is not in the hand."""
    plain = tuple(card for card in known(cards) if card[0] != "X")
    suits = {card[1] for card in plain}
    free = [rank + "*" for rank in RANKS]
    free += [card for card in DECK if suits == {card[1]} and card not in plain]
    stands = combinations_with_replacement(free, jokers(cards))
    return max(score(plain + each) for each in stands if len({c for c in each if c[1] != "*"}) == _suited(each))


def _suited(cards: Sequence[str]) -> int:
    return sum(card[1] != "*" for card in cards)


@lru_cache(maxsize=400_000)
def three(cards: tuple[str, ...]) -> Rank:
    """Rank three cards: straight flush, three of a kind, straight, flush, pair, high card; 47.1-1017.24(1)."""
    values = [value(card) for card in cards]
    shape, ranks = grouped(values)
    top = run_top(values)
    suited = len({card[1] for card in cards}) == 1
    if suited and top:
        return 5, top
    if shape == (3,):
        return 4, *ranks
    if top:
        return 3, top
    if suited:
        return 2, *ranks
    return (1 if shape[0] == 2 else 0), *ranks


THREE = ("high card", "pair", "flush", "straight", "three of a kind", "straight flush")


def three_card(cards: Sequence[str]) -> Rank:
    return three(tuple(sorted(known(cards))))


def three_name(rank: Rank) -> str:
    """Return the name of a three-card hand, with ace, king and queen of a suit separate."""
    return "mini royal" if rank == (5, 14) else THREE[rank[0]]


FOUR = ("high card", "pair", "two pair", "straight", "flush", "three of a kind", "straight flush", "four of a kind")


@lru_cache(maxsize=400_000)
def four(cards: tuple[str, ...]) -> Rank:
    """Rank four cards as Crazy 4 does, 47.1-1017.44(1)."""
    values = [value(card) for card in cards]
    shape, ranks = grouped(values)
    top = run_top(values)
    suited = len({card[1] for card in cards}) == 1
    if shape == (4,):
        return 7, *ranks
    if suited and top:
        return 6, top
    if shape[0] == 3:
        return 5, *ranks
    if suited:
        return 4, *ranks
    if top:
        return 3, top
    if shape == (2, 2):
        return 2, *ranks
    return (1 if shape[0] == 2 else 0), *ranks


def best_four(cards: Sequence[str]) -> Rank:
    return max(four(each) for each in combinations(sorted(known(cards)), 4))
