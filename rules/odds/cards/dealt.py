"""Counts of all hands from a deck or a shoe, by the key that a pay table looks up. Hands that differ only in the order
of their suits are ranked once.

If suits matter only from `suited` cards of one suit on, and two suits cannot both have so many, hands are of two sorts:

- no suit has so many: only the ranks count, so one hand represents every assignment of suits;
- one suit has: its ranks count, together with everything about the few other cards.

That leaves 290,000 hands to rank out of C(52,7) = 133,784,560. Otherwise every hand up to the order of suits is ranked
or, if a row names a suit, every hand. Jokers are identical; the ranking decides what they stand for.
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

_JOKERS: Final = CARDS[0x51:0x55]
_DIGIT: Final = 128
"""Bits per digit of the number of ways by own cards: more than any count of hands needs."""
_STEP: Final = 1 << 12
"""Number of hands between two progress reports."""


class CardDeck(NamedTuple):
    """The cards that are dealt from: `decks` decks of all `ranks` in `suits` suits with `jokers` jokers each. `own`
    cards of a hand come from a separate deck without jokers."""

    decks: int = 1
    jokers: int = 0
    own: int = 0
    ranks: tuple[int, ...] = (*range(1, 14),)
    suits: int = 4

    @property
    def cards(self) -> int:
        """Number of cards, without the separate deck."""
        return self.decks * (len(self.ranks) * self.suits + self.jokers)

    def hands(self, cards: int) -> int:
        """Return the number of ways to deal this many cards."""
        return comb(len(self.ranks) * self.suits, self.own) * comb(self.cards, cards - self.own)

    def ways(self, times: int, of: int = 1) -> int:
        """Return the number of ways to hold a card, or one of several, this many times: one digit for each number of
        own cards."""
        return sum(
            comb(of, own) * comb(self.decks * of, times - own) << _DIGIT * own
            for own in range(min(self.own, times) + 1)
        )

    def dealt(self, ways: int) -> int:
        """Return the number of ways with exactly `own` cards from the separate deck."""
        return ways >> _DIGIT * self.own & (1 << _DIGIT) - 1


class SuitHolding(NamedTuple):
    """Cards of one suit by their ranks, in order, and the number of ways to take them from the shoe."""

    ranks: tuple[int, ...]
    ways: int


Weighed = tuple[tuple[Card, ...], int]
"""A hand, and the number of hands it represents, as in `CardDeck.ways`."""


def count_dealt(
    key: Key,
    cards: int,
    shoe: CardDeck,
    *,
    suited: int | None,
    by_suit: bool = False,
    flush_decides: bool = False,
    progress: Progress | None = None,
) -> Counter[Hashable]:
    """Count all hands of `cards` cards by key.

    - `suited`: the minimum number of cards of one suit, jokers included, for suits to matter; None if they may
      always matter.
    - `by_suit`: the key distinguishes suits by name.
    - `flush_decides`: a suit with so many cards outranks any hand with other cards, so only its cards are ranked.
    """
    found: Counter[Hashable] = Counter()
    number, of = 0, shoe.hands(cards)
    for jokers in range(min(shoe.jokers * shoe.decks, cards) + 1):
        wild = tuple(_JOKERS[index % len(_JOKERS)] for index in range(jokers))
        ways = comb(shoe.jokers * shoe.decks, jokers)
        for hand, copies in _hands(cards - jokers, shoe, suited and suited - jokers, by_suit, flush_decides):
            if dealt := shoe.dealt(copies):
                found[key(hand + wild)] += ways * dealt
                number += 1
                if progress is not None and not number % _STEP:
                    progress(found.total(), of)
    if found.total() != of:
        raise AssertionError(f"{found.total():,} of {of:,} hands were counted")
    return found


def _hands(cards: int, shoe: CardDeck, suited: int | None, by_suit: bool, flush_decides: bool) -> Iterator[Weighed]:
    """Yield the hands without a joker, each with the number of hands it represents."""
    suits = range(shoe.suits)
    if by_suit:
        for sizes in product(range(cards + 1), repeat=shoe.suits):
            if sum(sizes) == cards:
                for held in product(*(_holdings(size, shoe) for size in sizes)):
                    yield _cards(suits, held), prod(each.ways for each in held)
    elif suited is None or suited < 1 or 2 * suited <= cards or cards < suited:
        if suited is not None and 0 <= cards < suited:
            yield from _ranks_alone(cards, shoe, cards + 1)
        else:
            yield from _up_to_suits(cards, shoe, suits)
    else:
        yield from _ranks_alone(cards, shoe, suited)
        for size in range(suited, cards + 1):
            any_others = [((), shoe.ways(cards - size, len(shoe.ranks) * (shoe.suits - 1)))]
            others = any_others if flush_decides else list(_up_to_suits(cards - size, shoe, suits[1:]))
            for main in _holdings(size, shoe):
                of_suit = _cards((0,), (main,))
                for rest, ways in others:
                    yield of_suit + rest, shoe.suits * main.ways * ways


@cache
def _holdings(size: int, shoe: CardDeck) -> tuple[SuitHolding, ...]:
    """Return every choice of `size` cards of one suit."""
    chosen = (
        (ranks, prod(shoe.ways(times) for times in Counter(ranks).values()))
        for ranks in combinations_with_replacement(shoe.ranks, size)
    )
    return tuple(SuitHolding(ranks, ways) for ranks, ways in chosen if ways)


def _cards(suits: Sequence[int], held: Sequence[SuitHolding]) -> tuple[Card, ...]:
    return tuple(CARDS[suit + 1 << 4 | rank] for suit, each in zip(suits, held, strict=True) for rank in each.ranks)


def _up_to_suits(cards: int, shoe: CardDeck, suits: Sequence[int]) -> Iterator[Weighed]:
    """Yield hands of these suits, one for each order of suits."""
    for sizes in _partitions(cards, len(suits), cards):
        groups = [(size, sizes.count(size)) for size in dict.fromkeys(sizes)]
        for chosen in product(*(_alike(size, number, shoe) for size, number in groups)):
            held = [each for group, _ in chosen for each in group]
            orders = factorial(len(suits)) // prod(same for _, same in chosen)
            yield _cards(suits, held), orders * prod(each.ways for each in held)


@cache
def _alike(size: int, number: int, shoe: CardDeck) -> tuple[tuple[tuple[SuitHolding, ...], int], ...]:
    """Return the choices for `number` suits with `size` cards each, in one order, and the number of orders that are the
    same."""
    return tuple(
        (group, prod(factorial(times) for times in Counter(group).values()))
        for group in combinations_with_replacement(_holdings(size, shoe), number)
    )


def _partitions(total: int, parts: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield `total` as a sum of `parts` numbers, the greatest first."""
    if parts == 0:
        if total == 0:
            yield ()
        return
    for first in range(min(total, most), -1, -1):
        for rest in _partitions(total - first, parts - 1, first):
            yield (first, *rest)


def _ranks_alone(cards: int, shoe: CardDeck, suited: int) -> Iterator[Weighed]:
    """Yield one hand for each set of ranks with fewer than `suited` cards of every suit."""
    for ranks in combinations_with_replacement(shoe.ranks, cards):
        times = tuple(sorted(Counter(ranks).values()))
        ways = _ways_without(times, shoe, suited)
        if ways:
            yield tuple(CARDS[(at % shoe.suits) + 1 << 4 | rank] for at, rank in enumerate(ranks)), ways


@cache
def _ways_without(times: tuple[int, ...], shoe: CardDeck, suited: int) -> int:
    """Return the ways to take ranks held this many times with fewer than `suited` of each suit; two suits cannot both
    reach it."""
    of_suit = [1]  # ways by the number of cards of one given suit
    for number in times:
        grown = [0] * (len(of_suit) + number)
        for there, ways in enumerate(of_suit):
            for taken in range(number + 1):
                grown[there + taken] += ways * shoe.ways(taken) * shoe.ways(number - taken, shoe.suits - 1)
        of_suit = grown
    return sum(of_suit) - shoe.suits * sum(of_suit[suited:])
