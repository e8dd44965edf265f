"""What cards make of themselves: for every hand of so many cards from a deck or a shoe, the key that a pay table looks
up, with how many deals lead to it. Hands that differ in the order of their suits alone are looked at once.

Where suits matter only from `suited` cards of one suit on, and two suits cannot both reach that, hands fall in two:

- no suit reaches it: only the ranks count, so one hand speaks for every way to give suits to them;
- one suit does: its ranks, and all there is to the few other cards.

That leaves 290,000 hands to look at out of C(52,7) = 133,784,560. Otherwise every hand up to the order of suits is
looked at, or, where a row names a suit, every hand. Jokers are alike; what they stand for is the ranking's business.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb, factorial, prod
from typing import Final, NamedTuple

from protocol.cards import CARDS, Card
from rules.odds.question import Progress

Key = Callable[[tuple[Card, ...]], Hashable]

_SUITS: Final = 4
_RANKS: Final = range(1, 14)
_JOKER: Final = 0x51
_STEP: Final = 1 << 12
"""Hands between two words on how far it is."""


class CardDeck(NamedTuple):
    """What is dealt from: `decks` decks of 52 cards and `jokers` jokers each."""

    decks: int = 1
    jokers: int = 0

    @property
    def cards(self) -> int:
        """How many there are."""
        return self.decks * (52 + self.jokers)


class Holding(NamedTuple):
    """Cards of one suit by their ranks, in order, and how many ways there are to take them from the shoe."""

    ranks: tuple[int, ...]
    ways: int


Weighed = tuple[tuple[Card, ...], int]
"""A hand, and how many there are of which it is one."""


def count_dealt(
    key: Key,
    cards: int,
    shoe: CardDeck,
    *,
    suited: int | None,
    by_suit: bool = False,
    progress: Progress | None = None,
) -> Counter[Hashable]:
    """Key -> how many of the hands of `cards` cards have it; they add up to C(cards of the shoe, `cards`).

    `suited`: from how many cards of one suit on suits matter, a joker counted as one; None where they may always.
    `by_suit`: the key knows one suit from another.
    """
    found: Counter[Hashable] = Counter()
    number = 0
    for jokers in range(min(shoe.jokers * shoe.decks, cards) + 1):
        wild = tuple(CARDS[_JOKER + index % _SUITS] for index in range(jokers))
        ways = comb(shoe.jokers * shoe.decks, jokers)
        for hand, copies in _hands(cards - jokers, shoe.decks, suited and suited - jokers, by_suit):
            found[key(hand + wild)] += ways * copies
            number += 1
            if progress is not None and not number % _STEP:
                progress(found.total(), comb(shoe.cards, cards))
    if found.total() != comb(shoe.cards, cards):
        raise AssertionError(f"{found.total():,} of {comb(shoe.cards, cards):,} hands were counted")
    return found


def _hands(cards: int, decks: int, suited: int | None, by_suit: bool) -> Iterator[Weighed]:
    """Hands without a joker, each with how many it speaks for."""
    if by_suit:
        for sizes in product(range(cards + 1), repeat=_SUITS):
            if sum(sizes) == cards:
                for held in product(*(_holdings(size, decks) for size in sizes)):
                    yield _cards(range(_SUITS), held), prod(each.ways for each in held)
    elif suited is None or suited < 1 or 2 * suited <= cards or cards < suited:
        if suited is not None and 0 <= cards < suited:
            yield from _ranks_alone(cards, decks, cards + 1)
        else:
            yield from _up_to_suits(cards, decks, range(_SUITS))
    else:
        yield from _ranks_alone(cards, decks, suited)
        for size in range(suited, cards + 1):
            others = list(_up_to_suits(cards - size, decks, range(1, _SUITS)))
            for main in _holdings(size, decks):
                of_suit = _cards((0,), (main,))
                for rest, ways in others:
                    yield of_suit + rest, _SUITS * main.ways * ways


@cache
def _holdings(size: int, decks: int) -> tuple[Holding, ...]:
    """Every choice of `size` cards of one suit."""
    chosen = (
        (ranks, prod(comb(decks, times) for times in Counter(ranks).values()))
        for ranks in combinations_with_replacement(_RANKS, size)
    )
    return tuple(Holding(ranks, ways) for ranks, ways in chosen if ways)


def _cards(suits: Sequence[int], held: Sequence[Holding]) -> tuple[Card, ...]:
    return tuple(CARDS[suit + 1 << 4 | rank] for suit, each in zip(suits, held, strict=True) for rank in each.ranks)


def _up_to_suits(cards: int, decks: int, suits: Sequence[int]) -> Iterator[Weighed]:
    """Hands of these suits, of each order of suits one."""
    for sizes in _partitions(cards, len(suits), cards):
        groups = [(size, sizes.count(size)) for size in dict.fromkeys(sizes)]
        for chosen in product(*(_alike(size, number, decks) for size, number in groups)):
            held = [each for group, _ in chosen for each in group]
            orders = factorial(len(suits)) // prod(same for _, same in chosen)
            yield _cards(suits, held), orders * prod(each.ways for each in held)


@cache
def _alike(size: int, number: int, decks: int) -> tuple[tuple[tuple[Holding, ...], int], ...]:
    """`number` suits with `size` cards each, in one order, and how many orders are the same."""
    return tuple(
        (group, prod(factorial(times) for times in Counter(group).values()))
        for group in combinations_with_replacement(_holdings(size, decks), number)
    )


def _partitions(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """`total` as so many numbers, the greatest first."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), -1, -1):
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _ranks_alone(cards: int, decks: int, suited: int) -> Iterator[Weighed]:
    """Hands with fewer than `suited` cards of every suit, of each set of ranks one."""
    for ranks in combinations_with_replacement(_RANKS, cards):
        times = tuple(sorted(Counter(ranks).values()))
        ways = _ways_without(times, decks, suited)
        if ways:
            yield tuple(CARDS[(at % _SUITS) + 1 << 4 | rank] for at, rank in enumerate(ranks)), ways


@cache
def _ways_without(times: tuple[int, ...], decks: int, suited: int) -> int:
    """Ways to take ranks that are held so many times, fewer than `suited` of each suit; two suits cannot reach it."""
    of_suit = [1]  # index: cards of one given suit
    for number in times:
        grown = [0] * (len(of_suit) + number)
        for there, ways in enumerate(of_suit):
            for taken in range(number + 1):
                grown[there + taken] += ways * comb(decks, taken) * comb((_SUITS - 1) * decks, number - taken)
        of_suit = grown
    return sum(of_suit) - _SUITS * sum(of_suit[suited:])
