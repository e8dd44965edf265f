"""A game walked through for one player: every card that may come, every choice that is open, every ending settled.

The walk follows the steps of the procedure. Cards that nobody has seen may be any that are left, so a card is dealt
when it is first seen, and what lies there is what the player knows. Where he may choose, he takes what gains most over
all that may follow; each ending is a round that the program settles as it settles any other. Nothing is counted
cleverly but that hands which differ by the names of suits are walked once: it is exact, and as slow as the deck is
large. The engines are held to it on small decks.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import comb, lcm
from types import MappingProxyType
from typing import Final, NamedTuple

from dealer_flow.procedure.must_draw import must_draw
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep
from protocol.cards import Card
from rules.game.hand_spec import OWN
from rules.odds.decisions import DecisionPoint, Decisions, OpenChoice
from rules.odds.joint import Ending
from rules.odds.played_round import DEALER, Cards, Group, Lying, Settler

_SEATS: Final = "seats"
_JOKERS: Final = 5
"""The suit that they have in their number."""
_BITS: Final = 5
"""Enough for how often a face can lie there."""
_NONE: Final[Mapping[str, int]] = MappingProxyType({})


class Ways(NamedTuple):
    """Of `total` equally likely deals, the number that end each way, by the number of the ending."""

    total: int
    counted: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Way:
    """One thing to do at a step: the `name` of the choice, and what lies there then."""

    name: str
    lying: Lying


def for_least(ways: Sequence[Way]) -> list[Way]:
    """Of ways that gain the same, one that gives nothing up, and of these the one that stakes least."""
    return sorted(ways, key=lambda way: (way.lying.folded, way.lying.given_up[0], sum(way.lying.wagers.values())))


Choose = Callable[[str, Lying, Sequence[Way]], Sequence[Way]]
"""Step, what lies there, the ways that are open -> those that may be taken."""


def any_way(_step: str, _lying: Lying, ways: Sequence[Way]) -> Sequence[Way]:
    """Leave every way open."""
    return ways


@dataclass(frozen=True, slots=True)
class _Place:
    """A point of the walk: the number of the step, and the cards that lie hidden at each place by then."""

    step: int
    hidden: Mapping[str, int]


@dataclass
class Walk:
    """`deck` is what the cards come from, `wagers` what lies there before the deal, in cents; `apart`: a place whose
    cards come from a deck of their own, and that deck. `house` sets the dealer's hand. `suits_alike`: no rule of the
    bets knows one suit from another. `prefer`: of ways that gain the same, the one that is first in this order."""

    decisions: Decisions
    settler: Settler
    deck: Sequence[Card]
    wagers: Mapping[str, int]
    choose: Choose = any_way
    house: Callable[[Cards], Cards] | None = None
    suits_alike: bool = True
    apart: Mapping[str, Sequence[Card]] = field(default_factory=dict)
    prefer: Callable[[Sequence[Way]], Sequence[Way]] = for_least
    _number: dict[Ending, int] = field(default_factory=dict)
    _nets: list[Fraction] = field(default_factory=list)
    _known: dict[object, Ways | None] = field(default_factory=dict)

    @property
    def plan(self) -> Plan:
        """The procedure that is followed."""
        return self.decisions.plan

    def run(self) -> Counter[Ending]:
        """Count the deals that end each way, under the best play. AssertionError where every way leads to a bet
        that is held."""
        found = self._from(_Place(0, _NONE), Lying(wagers=dict(self.wagers)))
        assert found is not None, "every way leads to a bet that is held"
        endings = list(self._number)
        return Counter({endings[end]: number for end, number in found.counted.items()})

    # -------------------------------------------------------------- the steps

    def _from(self, place: _Place, lying: Lying) -> Ways | None:
        """All that follows from here on; it is the same for cards of other suits."""
        key = place.step, self._alike(lying)
        if key not in self._known:
            self._known[key] = self._go_on(place, lying)
        return self._known[key]

    def _go_on(self, place: _Place, lying: Lying) -> Ways | None:
        if lying.folded and not self._stands:
            return self._settled(lying)
        if place.step == len(self.plan.steps):
            return self._shown(sorted(place.hidden.items()), lying)
        step = self.plan.steps[place.step]
        after = _Place(place.step + 1, place.hidden)
        point = self._points.get(step.name)
        if point is not None and not lying.folded and self._decides(step, point, lying):
            return self._best(after, lying, point)
        if isinstance(step, DealStep):
            return self._dealt(step, after, lying)
        if isinstance(step, ShowStep):
            return self._seen([(each, self._hides(step, each, place, lying)) for each in step.of], step, after, lying)
        if isinstance(step, BurnStep):
            return self._from(_with(after, step.of, -len(step.positions)), lying)
        if isinstance(step, ExchangeStep) and not lying.folded:
            drawn = self._draws(lying)
            return self._seen([(_SEATS, drawn)] if drawn else [], step, after, lying)
        if isinstance(step, RevealStep):
            return self._from(_Place(len(self.plan.steps), place.hidden), lying)
        return self._from(after, lying)

    def _dealt(self, step: DealStep, after: _Place, lying: Lying) -> Ways | None:
        """Cards that the player sees at once, and those that lie hidden."""
        seen = []
        for to in step.to:
            if to == _SEATS:
                seen += [(to, step.cards)] if step.seats != "live" or not lying.folded else []
            elif step.face == "up":
                seen.append((to, step.cards))
            else:
                after = _with(after, to, step.cards)
        return self._seen(seen, step, after, lying, turned=False)

    def _hides(self, step: ShowStep, place: str, at: _Place, lying: Lying) -> int:
        """The number of hidden cards that a step turns over at a place; none of a seat's, which its player has seen."""
        hidden = at.hidden.get(place, 0)
        if place == _SEATS or step.cards is None:
            return 0 if place == _SEATS else hidden
        return min(hidden, step.cards - len(lying.at(place)))

    def _seen(
        self, cards: Sequence[tuple[str, int]], step: AnyStep, after: _Place, lying: Lying, *, turned: bool = True
    ) -> Ways | None:
        """Cards of these places are seen, any that are left."""
        if not cards:
            return self._from(after, lying)
        (place, number), *others = cards
        at = OWN if place == _SEATS else place
        after = _with(after, at, -number) if turned and at != OWN else after

        def go_on(then: Lying) -> Ways | None:
            return self._seen(others, step, after, then, turned=turned)

        return self._any(at, number, lying, step.name, go_on)

    def _fills(self, place: str, number: int, lying: Lying) -> int:
        """The number of a place's cards that count, where they fill the hands up in their order; else all of them."""
        hands = [self.settler.terms.game.hand(name) for name in self.settler.hands]
        looking = [hand for hand in hands if place in hand.of]
        if place == OWN or not looking or any(hand.fill is None for hand in looking):
            return number
        kept = len(lying.at(OWN)) - len(lying.aside)
        return max(max(hand.fill or 0 for hand in looking) - kept, 0)

    def _any(self, at: str, number: int, lying: Lying, step: str, go_on: Callable[[Lying], Ways | None]) -> Ways | None:
        """Any of the cards that are left come to a place."""
        left = Counter(self.apart.get(at, self.deck))
        left -= Counter(
            card for each in lying.groups if (each.place in self.apart) == (at in self.apart) for card in each.cards
        )
        parts = []
        for cards, deals in _hands(tuple(left.items()), min(number, self._fills(at, number, lying))):
            ways = go_on(replace(lying, groups=(*lying.groups, Group(at, step, cards))))
            if ways is None:
                return None
            parts.append((deals, ways))
        return _summed(parts)

    def _shown(self, hidden: Sequence[tuple[str, int]], lying: Lying) -> Ways | None:
        """All that lies hidden is shown, and the bets are settled."""
        wanted = [(place, number) for place, number in hidden if number and place in self._looked_at]
        if not wanted:
            return self._settled(lying)
        (place, number), *others = wanted

        def go_on(then: Lying) -> Ways | None:
            key = "shown", len(others), self._alike(then)
            if key not in self._known:
                self._known[key] = self._shown(others, then)
            return self._known[key]

        return self._any(place, number, lying, "", go_on)

    def _settled(self, lying: Lying) -> Ways | None:
        if self.house is not None and lying.at(DEALER):
            lying = replace(lying, dealer_low=self.house(lying.at(DEALER)))
        end = self.settler.ending(lying)
        number = self._number.setdefault(end, len(self._number)) if end is not None else 0
        return None if end is None else Ways(1, {number: 1})

    # -------------------------------------------------------------- the choices

    def _best(self, after: _Place, lying: Lying, point: DecisionPoint) -> Ways | None:
        """Under the way that gains most, of equal ones the one that is preferred."""
        ways = self.choose(point.step, lying, list(self.ways(point, lying)))
        best: tuple[Fraction, Ways] | None = None
        for way in self.prefer(ways):
            found = self._from(after, way.lying)
            if found is not None:
                gain = self._gain(found)
                if best is None or gain > best[0]:
                    best = gain, found
        return best and best[1]

    def _gain(self, ways: Ways) -> Fraction:
        """The average gain of all the bets, in units."""
        if len(self._nets) < len(self._number):
            self._nets += [Fraction(sum(end.nets)) for end in list(self._number)[len(self._nets) :]]
        return sum((self._nets[end] * number for end, number in ways.counted.items()), Fraction(0)) / ways.total

    def ways(self, point: DecisionPoint, lying: Lying) -> Iterator[Way]:
        """Everything that the player may do at a step."""
        if point.sets:
            for low in combinations(lying.at(OWN), point.sets):
                yield Way("set", replace(lying, low=low))
        for choice in point.choices:
            lacks = not all(lying.wagers.get(bet) for bet in choice.needs)
            if lacks or any(lying.wagers.get(bet) for bet in choice.unless):
                continue
            if not self._may_draw(choice, point, lying) or self._stakes_without_bounds(choice):
                continue
            for then in self._choices(choice, lying):
                yield Way(choice.name, replace(then, choices=(*then.choices, (point.step, choice.name))))

    def _choices(self, choice: OpenChoice, lying: Lying) -> Iterator[Lying]:
        """Every stake and every card laid away that a choice leaves open."""
        if choice.folds:
            yield replace(lying, folded=True)
            return
        wagers = dict(lying.wagers)
        if choice.takes_back and not wagers.pop(choice.takes_back, 0):
            return
        given = lying.given_up
        if choice.gives_up:
            cents = wagers.pop(choice.gives_up)
            given = choice.gives_up, self._given_as(choice), cents
            wagers[given[1]] = int(cents * choice.share)
        unit = self.settler.unit
        for sizes in product(*(stake.sizes for stake in choice.stakes.values())):
            staked = wagers | {bet: int(size * unit) for bet, size in zip(choice.stakes, sizes, strict=True)}
            for aside in combinations(lying.at(OWN), choice.discards + choice.lays_aside):
                yield replace(lying, wagers=staked, given_up=given, aside=lying.aside + aside)

    def _stakes_without_bounds(self, choice: OpenChoice) -> bool:
        """True of a choice that stakes a bet which is not counted, where nothing says how much that may be."""
        unknown = {bet for bet, stake in choice.stakes.items() if stake.hangs_on or stake.most is None}
        return bool(unknown) and unknown.isdisjoint(bet.name for bet in self.settler.bets)

    def _may_draw(self, choice: OpenChoice, point: DecisionPoint, lying: Lying) -> bool:
        """False where a hand draws another number of cards in the next exchange, by what it holds."""
        step = next((each for each in self._after(point.step) if isinstance(each, ExchangeStep)), None)
        if not choice.draws or step is None or not step.must:
            return True
        must = must_draw(step.must, [card for place in (OWN, *step.counting) for card in lying.at(place)])
        return must is None or must.row.draws == choice.draws

    def _after(self, name: str) -> Sequence[AnyStep]:
        return self.plan.steps[[step.name for step in self.plan.steps].index(name) + 1 :]

    def _given_as(self, choice: OpenChoice) -> str:
        part = self.plan.choices[choice.name].gives_up
        assert part is not None, "it gives a bet up"
        return part.as_

    def _decides(self, step: AnyStep, point: DecisionPoint, lying: Lying) -> bool:
        """True when the player has a choice at a step."""
        made = self._chosen(lying)
        if isinstance(step, SetStep) and step.choices:
            return any(choice.name in step.choices for choice in made)
        return not any(choice.last for choice in made) and (not point.only or bool(lying.wagers.get(point.only)))

    def _draws(self, lying: Lying) -> int:
        """The number of cards that the last choice draws."""
        return next((choice.draws for choice in reversed(self._chosen(lying))), 0)

    def _chosen(self, lying: Lying) -> list[OpenChoice]:
        names = dict(lying.choices)
        return [each for step, point in self._points.items() for each in point.choices if names.get(step) == each.name]

    # -------------------------------------------------------------- what is looked at

    @cached_property
    def _points(self) -> Mapping[str, DecisionPoint]:
        return {point.step: point for point in self.decisions.points}

    @cached_property
    def _stands(self) -> bool:
        """True when the cards still decide a bet of a folded hand."""
        return any(bet.fold == "stands" for bet in self.settler.bets)

    @cached_property
    def _looked_at(self) -> frozenset[str]:
        """The places whose cards decide the bets."""
        settler = self.settler
        return frozenset(place for name in settler.hands for place in settler.terms.game.hand(name).of)

    def _alike(self, lying: Lying) -> object:
        """A key that is the same for cards of other suits."""
        rest = tuple(sorted(lying.wagers.items())), lying.choices, lying.folded, lying.given_up[0]
        piles = [*self._piles(lying), lying.aside, lying.low]
        if not self.suits_alike:
            return rest, tuple(tuple(sorted(pile)) for pile in piles)
        held = [[0] * (_JOKERS + 1) for _ in piles]
        for of_suit, pile in zip(held, piles, strict=True):
            for card in pile:
                of_suit[card >> 4] += 1 << _BITS * (card & 0x0F) if card < _JOKERS << 4 else 1
        _, *suits, jokers = zip(*held, strict=True)
        return rest, tuple(sorted(suits)), jokers

    def _piles(self, lying: Lying) -> list[Cards]:
        """The cards place by place; those of a step apart where a hand is what lay there when it was over."""
        found: dict[str, list[Cards]] = {}
        for group in lying.groups:
            piles = found.setdefault(group.place, [()])
            piles[-1] += group.cards
            if (group.step, group.place) in self.settler.watched:
                piles.append(())
        return [pile for place in sorted(found) for pile in found[place]]


def _summed(parts: Sequence[tuple[int, Ways]]) -> Ways:
    """All of several ways on, each in so many equally likely deals."""
    least = lcm(*(ways.total for _, ways in parts))
    counted: dict[int, int] = {}
    for deals, ways in parts:
        each = deals * (least // ways.total)
        for end, number in ways.counted.items():
            counted[end] = counted.get(end, 0) + each * number
    return Ways(least * sum(deals for deals, _ in parts), counted)


def _hands(left: Sequence[tuple[Card, int]], number: int) -> Iterator[tuple[Cards, int]]:
    """Every hand of so many cards, and how many there are with the same faces."""
    if all(times == 1 for _, times in left):
        yield from ((cards, 1) for cards in combinations([card for card, _ in left], number))
    elif not number:
        yield (), 1
    elif left:
        (card, times), others = left[0], left[1:]
        for taken in range(min(times, number) + 1):
            for cards, deals in _hands(others, number - taken):
                yield (card,) * taken + cards, comb(times, taken) * deals


def _with(place: _Place, at: str, more: int) -> _Place:
    """So many more hidden cards at a place."""
    return replace(place, hidden={**place.hidden, at: place.hidden.get(at, 0) + more})
