"""Hands that take a fixed number of cards from each place: exactly two of four own cards."""

from collections.abc import Callable, Iterator
from itertools import chain, combinations, product
from typing import Final

from protocol.cards import Card
from protocol.tomlfile import Key
from rules.hands import Ranked, Ranking
from rules.hands.hand_spec import HandSpec

HAND: Final = 5
"""Number of cards of one hand, over all places."""


def best_allowed_hand(spec: HandSpec, cards: tuple[Card, ...], rank: Callable[[tuple[Card, ...]], Ranked]) -> Ranked:
    """Return the best hand that `spec.takes` allows from these cards, which are in the order of its places."""
    return max((rank(hand) for hand in _hands(spec, cards)), key=lambda hand: hand.strength)


def _hands(spec: HandSpec, cards: tuple[Card, ...]) -> Iterator[tuple[Card, ...]]:
    """Yield every choice of cards whose sizes make one hand."""
    places, begin = list[tuple[Card, ...]](), 0
    for number in spec.of.values():
        places.append(cards[begin : begin + number])
        begin += number
    for sizes in sizes_of(spec):
        for parts in product(*map(combinations, places, sizes)):
            yield tuple(chain.from_iterable(parts))


def sizes_of(spec: HandSpec) -> list[tuple[int, ...]]:
    """Return each possible number of cards from each place that makes a hand."""
    ranges = []
    for place, there in spec.of.items():
        least, most = _bounds(spec.takes.get(place, (0, there)))
        ranges.append(range(least, most + 1))
    return [sizes for sizes in product(*ranges) if sum(sizes) == HAND]


def _bounds(cards: int | tuple[int, int]) -> tuple[int, int]:
    return (cards, cards) if isinstance(cards, int) else cards


def takes_faults(name: str, spec: HandSpec, ranking: Ranking) -> Iterator[tuple[Key, str]]:
    """Yield errors for places that take more cards than they have, or from which no hand can be made."""
    if not spec.takes:
        return
    key = "hands", name, "takes"
    for place, wanted in spec.takes.items():
        there = spec.of.get(place, 0)
        if not isinstance(there, int) or _bounds(wanted)[1] > there:
            yield (*key, place), f"{_bounds(wanted)[1]} cards, and `of` has {there}; allowed: as many as `of` has"
            return
    if not all(isinstance(cards, int) for cards in spec.of.values()) or spec.fill or spec.pick:
        yield key, "allowed only for places with an exact number of cards, without `fill` or `pick`"
    elif ranking.uses != HAND or not sizes_of(spec):
        yield key, f"cannot make a hand of {HAND} cards; {spec.ranking} ranks {ranking.uses}"
