"""Walk through a game card by card: every possible card, every open choice, every ending settled.

Where a player may choose, he takes what gains most over everything that can follow; each ending is a round that the
program settles like any other. The only shortcut is that hands which differ by the names of suits are walked once. The
walk is exact, and slow for large decks. The engines are checked against it on small decks.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations
from math import comb, lcm
from typing import Final, NamedTuple

from dealer_flow.procedure.must_draw import must_draw
from protocol.cards import Card
from rules.hands.hand_spec import OWN
from rules.odds.course.played_round import DEALER, Cards, Group, OnePlayerState
from rules.odds.course.steps import GameCourse, GoOn, Way, for_least
from rules.odds.joint import Ending

_JOKERS: Final = 5
"""Suit number of jokers."""
_BITS: Final = 5
"""Bits per counter of a face."""


class Ways(NamedTuple):
    """Number of deals by ending, by its number, out of `total` equally likely deals."""

    total: int
    counted: Mapping[int, int]


Choose = Callable[[str, OnePlayerState, Sequence[Way]], Sequence[Way]]
"""Function that returns the ways to continue that a walk follows, given the step, the state, and all open ways."""


def any_way(_step: str, _lying: OnePlayerState, ways: Sequence[Way]) -> Sequence[Way]:
    """Allow every way."""
    return ways


@dataclass
class Walk(GameCourse[Ways | None]):
    """Walk of single cards.

    `deck` is the deck of cards; `apart` has separate decks by place. `house` sets the dealer's hand. `suits_alike`: no
    rule of the bets distinguishes suits.
    """

    deck: Sequence[Card]
    choose: Choose = any_way
    house: Callable[[Cards], Cards] | None = None
    suits_alike: bool = True
    apart: Mapping[str, Sequence[Card]] = field(default_factory=dict)
    _number: dict[Ending, int] = field(default_factory=dict, init=False)
    _nets: list[Fraction] = field(default_factory=list, init=False)

    def run(self) -> Counter[Ending]:
        """Count the deals by ending under the best play. Raises AssertionError if every way leads to a held bet."""
        found = self.from_the_deal()
        assert found is not None, "every way leads to a bet that is held"
        endings = list(self._number)
        return Counter({endings[end]: number for end, number in found.counted.items()})

    def seen(self, at: str, number: int, lying: OnePlayerState, step: str, go_on: GoOn[Ways | None]) -> Ways | None:
        """Return the value over each hand of the cards that are left."""
        left = Counter(self.apart.get(at, self.deck))
        left -= Counter(
            card for each in lying.groups if (each.place in self.apart) == (at in self.apart) for card in each.cards
        )
        parts = []
        for cards, deals in _hands(tuple(left.items()), number):
            ways = go_on(replace(lying, groups=(*lying.groups, Group(at, step, cards))))
            if ways is None:
                return None
            parts.append((deals, ways))
        return _summed(parts)

    def best(self, ways: Sequence[Way], lying: OnePlayerState, step: str, go_on: GoOn[Ways | None]) -> Ways | None:
        """Return the value of the way that gains most with these cards; among equals, the lowest stake."""
        best: tuple[Fraction, Ways] | None = None
        for way in for_least(self.choose(step, lying, [each for each in ways if _may_draw(each, lying)])):
            found = go_on(way.lying)
            if found is not None:
                gain = self._gain(found)
                if best is None or gain > best[0]:
                    best = gain, found
        return best and best[1]

    def settled(self, lying: OnePlayerState) -> Ways | None:
        """Settle the round; return None if a bet is held."""
        if self.house is not None and lying.at(DEALER):
            lying = replace(lying, dealer_low=self.house(lying.at(DEALER)))
        end = self.settler.ending(lying)
        return None if end is None else Ways(1, {self._number.setdefault(end, len(self._number)): 1})

    def _gain(self, ways: Ways) -> Fraction:
        """Return the average gain of all the bets, in units."""
        if len(self._nets) < len(self._number):
            self._nets += [Fraction(sum(end.nets)) for end in list(self._number)[len(self._nets) :]]
        return sum((self._nets[end] * number for end, number in ways.counted.items()), Fraction(0)) / ways.total

    def alike(self, lying: OnePlayerState) -> Hashable:
        """Return a key that is equal for cards of other suits."""
        rest = tuple(sorted(lying.wagers.items())), lying.choices, lying.folded, lying.given_up[0]
        piles = [*self._cards_by_place(lying), lying.aside, lying.low]
        if not self.suits_alike:
            return rest, tuple(tuple(sorted(pile)) for pile in piles)
        held = [[0] * (_JOKERS + 1) for _ in piles]
        for of_suit, pile in zip(held, piles, strict=True):
            for card in pile:
                of_suit[card >> 4] += 1 << _BITS * (card & 0x0F) if card < _JOKERS << 4 else 1
        _, *suits, jokers = zip(*held, strict=True)
        return rest, tuple(sorted(suits)), jokers

    def _cards_by_place(self, lying: OnePlayerState) -> list[Cards]:
        """Return the cards place by place; those of a step are separate if a hand consists of the cards at its end."""
        found: dict[str, list[Cards]] = {}
        for group in lying.groups:
            piles = found.setdefault(group.place, [()])
            piles[-1] += group.cards
            if (group.step, group.place) in self.settler.watched:
                piles.append(())
        return [pile for place in sorted(found) for pile in found[place]]


def _may_draw(way: Way, lying: OnePlayerState) -> bool:
    """Return False if the hand must draw a different number of cards in the next exchange."""
    if way.draw is None or way.choice is None:
        return True
    must = must_draw(way.draw.must, [card for place in (OWN, *way.draw.counting) for card in lying.at(place)])
    return must is None or must.row.draws == way.choice.part.draws


def _summed(parts: Sequence[tuple[int, Ways]]) -> Ways:
    """Combine several continuations, each with its number of equally likely deals."""
    least = lcm(*(ways.total for _, ways in parts))
    counted: dict[int, int] = {}
    for deals, ways in parts:
        each = deals * (least // ways.total)
        for end, number in ways.counted.items():
            counted[end] = counted.get(end, 0) + each * number
    return Ways(least * sum(deals for deals, _ in parts), counted)


def _hands(left: Sequence[tuple[Card, int]], number: int) -> Iterator[tuple[Cards, int]]:
    """Yield every hand of this many cards, with the number of hands with the same faces."""
    if all(times == 1 for _, times in left):
        yield from ((cards, 1) for cards in combinations([card for card, _ in left], number))
    elif not number:
        yield (), 1
    elif left:
        (card, times), others = left[0], left[1:]
        for taken in range(min(times, number) + 1):
            for cards, deals in _hands(others, number - taken):
                yield (card,) * taken + cards, comb(times, taken) * deals
