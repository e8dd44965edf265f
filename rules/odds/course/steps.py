"""Course of a game for one player, step by step of its procedure: cards, choices and endings.

Unseen cards may be any that are left, so a card is dealt when it is first seen, and the state is what the player knows.
Subclasses decide what the cards stand for: each card separately (`rules.odds.course.walk`), or every hand at once
(`rules.odds.course.growing`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from types import MappingProxyType
from typing import Final, Generic, TypeVar

from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.burn import BurnStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.show import ShowStep
from rules.hands.hand_spec import OWN
from rules.odds.course.played_round import OnePlayerState, Settler
from rules.odds.decide.decisions import DecisionPoint, Decisions, OpenChoice

V = TypeVar("V")
"""Value of the future from a state."""
GoOn = Callable[[OnePlayerState], V]
_SEATS: Final = "seats"
_NONE: Final[Mapping[str, int]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Way:
    """One way to act at a step: the choice, and the state after it. `draw` is the next exchange, if it prescribes the
    number of cards by the hand."""

    choice: OpenChoice | None
    lying: OnePlayerState
    draw: ExchangeStep | None = None


def for_least(ways: Sequence[Way]) -> list[Way]:
    """Order ways so that, of equal gains, those that give nothing up come first, then the lowest stake."""
    return sorted(ways, key=lambda way: (way.lying.folded, way.lying.given_up[0], sum(way.lying.wagers.values())))


def by_stake(ways: Sequence[Way]) -> list[Way]:
    """Order a fold first, then by stake; omit a fold where playing on costs nothing more."""
    stay = [way.lying.wagers for way in ways if not way.lying.folded and not (way.choice and way.choice.part.last)]
    able = (way for way in ways if not way.lying.folded or way.lying.wagers not in stay)
    return sorted(able, key=lambda way: (not way.lying.folded, sum(way.lying.wagers.values())))


@dataclass(frozen=True, slots=True)
class _Place:
    """A point of the course: the number of the step, and the cards face down at each place."""

    step: int
    hidden: Mapping[str, int]


@dataclass
class GameCourse(ABC, Generic[V]):
    """A walk over the steps. `wagers` are those before the deal, in cents."""

    decisions: Decisions
    settler: Settler
    wagers: Mapping[str, int]
    _known: dict[Hashable, V] = field(default_factory=dict, init=False)

    @property
    def plan(self) -> Plan:
        """The procedure that is followed."""
        return self.decisions.plan

    def from_the_deal(self) -> V:
        """Return the value of the whole round."""
        return self._from(_Place(0, _NONE), OnePlayerState(wagers=dict(self.wagers)))

    @abstractmethod
    def seen(self, at: str, number: int, lying: OnePlayerState, step: str, go_on: GoOn[V]) -> V:
        """Return the value over all cards that are left, `number` of which come to a place."""

    @abstractmethod
    def best(self, ways: Sequence[Way], lying: OnePlayerState, step: str, go_on: GoOn[V]) -> V:
        """Return the value of the way that gains most."""

    @abstractmethod
    def settled(self, lying: OnePlayerState) -> V:
        """Return the value of the settled bets."""

    @abstractmethod
    def alike(self, lying: OnePlayerState) -> Hashable:
        """Return a key that is equal for equivalent states."""

    # -------------------------------------------------------------- the steps

    def _from(self, place: _Place, lying: OnePlayerState) -> V:
        """Return the value from this point; cached, because it is the same for cards of other suits."""
        key = place.step, self.alike(lying)
        if key not in self._known:
            self._known[key] = self._go_on(place, lying)
        return self._known[key]

    def _go_on(self, place: _Place, lying: OnePlayerState) -> V:
        if lying.folded and not self._stands:
            return self.settled(lying)
        if place.step == len(self.plan.steps):
            return self._shown(sorted(place.hidden.items()), lying)
        step = self.plan.steps[place.step]
        after = _Place(place.step + 1, place.hidden)
        point = self._points.get(step.name)
        if point is not None and not lying.folded and self._decides(step, point, lying):
            return self.best(list(self.ways(point, lying)), lying, step.name, lambda then: self._from(after, then))
        if isinstance(step, DealStep):
            return self._dealt(step, after, lying)
        if isinstance(step, ShowStep):
            return self._seen(
                [(each, self._turned_over(step, each, place, lying)) for each in step.of], step, after, lying
            )
        if isinstance(step, BurnStep):
            return self._from(_with(after, step.of, -len(step.positions)), lying)
        if isinstance(step, ExchangeStep) and not lying.folded:
            drawn = self._draws(lying)
            return self._seen([(_SEATS, drawn)] if drawn else [], step, after, lying)
        if isinstance(step, RevealStep):
            return self._from(_Place(len(self.plan.steps), place.hidden), lying)
        return self._from(after, lying)

    def _dealt(self, step: DealStep, after: _Place, lying: OnePlayerState) -> V:
        """Deal cards, some seen by the player at once and some face down."""
        seen = []
        for to in step.to:
            if to == _SEATS:
                seen += [(to, step.cards)] if step.seats != "live" or not lying.folded else []
            elif step.face == "up":
                seen.append((to, step.cards))
            else:
                after = _with(after, to, step.cards)
        return self._seen(seen, step, after, lying, turned=False)

    def _turned_over(self, step: ShowStep, place: str, at: _Place, lying: OnePlayerState) -> int:
        """Return the number of cards that a step turns over at a place; 0 for a seat's own, which its player has
        seen."""
        hidden = at.hidden.get(place, 0)
        if place == _SEATS or step.cards is None:
            return 0 if place == _SEATS else hidden
        return min(hidden, step.cards - len(lying.at(place)))

    def _seen(
        self,
        cards: Sequence[tuple[str, int]],
        step: AnyStep,
        after: _Place,
        lying: OnePlayerState,
        *,
        turned: bool = True,
    ) -> V:
        """Show cards at these places, any that are left."""
        if not cards:
            return self._from(after, lying)
        (place, number), *others = cards
        at = OWN if place == _SEATS else place
        if at not in self._deciding_places and not any(
            each.name in self._points for each in self.plan.steps[after.step :]
        ):
            return self._seen(others, step, after, lying, turned=turned)  # nothing later depends on them
        after = _with(after, at, -number) if turned and at != OWN else after

        def go_on(then: OnePlayerState) -> V:
            return self._seen(others, step, after, then, turned=turned)

        return self.seen(at, min(number, self._fills(at, number, lying)), lying, step.name, go_on)

    def _fills(self, place: str, number: int, lying: OnePlayerState) -> int:
        """Return the number of a place's cards that count, if they fill hands up in order; otherwise all of them."""
        hands = [self.settler.terms.game.hand(name) for name in self.settler.hands]
        looking = [hand for hand in hands if place in hand.of]
        if place == OWN or not looking or any(hand.fill is None for hand in looking):
            return number
        kept = len(lying.at(OWN)) - len(lying.aside)
        return max(max(hand.fill or 0 for hand in looking) - kept, 0)

    def _shown(self, hidden: Sequence[tuple[str, int]], lying: OnePlayerState) -> V:
        """Show everything face down, and settle the bets."""
        wanted = [(place, number) for place, number in hidden if number and place in self._deciding_places]
        if not wanted:
            return self.settled(lying)
        (place, number), *others = wanted

        def go_on(then: OnePlayerState) -> V:
            key = "shown", len(others), self.alike(then)
            if key not in self._known:
                self._known[key] = self._shown(others, then)
            return self._known[key]

        return self.seen(place, min(number, self._fills(place, number, lying)), lying, "", go_on)

    # -------------------------------------------------------------- the choices

    def ways(self, point: DecisionPoint, lying: OnePlayerState) -> Iterator[Way]:
        """Yield everything that the player may do at a step."""
        if point.sets:
            for low in combinations(lying.at(OWN), point.sets):
                yield Way(None, replace(lying, low=low))
        for choice in point.choices:
            lacks = not all(lying.wagers.get(bet) for bet in choice.part.needs)
            if lacks or any(lying.wagers.get(bet) for bet in choice.part.unless):
                continue
            if self._stakes_without_bounds(choice):
                continue
            draw = next((each for each in self._after(point.step) if isinstance(each, ExchangeStep)), None)
            for then in self._choices(choice, lying):
                made = replace(then, choices=(*then.choices, (point.step, choice.part.name)))
                yield Way(choice, made, draw if choice.part.draws and draw is not None and draw.must else None)

    def _choices(self, choice: OpenChoice, lying: OnePlayerState) -> Iterator[OnePlayerState]:
        """Yield the state for every stake and discard that a choice allows."""
        if choice.part.folds:
            yield replace(lying, folded=True)
            return
        wagers = dict(lying.wagers)
        if choice.part.takes_back and not wagers.pop(choice.part.takes_back, 0):
            return
        given, share = lying.given_up, choice.part.gives_up
        if share is not None:
            cents = wagers.pop(share.bet)
            given = share.bet, share.as_, cents
            wagers[share.as_] = int(cents * Fraction(share.share))
        unit = self.settler.unit
        for sizes in product(*(stake.sizes for stake in choice.stakes.values())):
            staked = wagers | {bet: int(size * unit) for bet, size in zip(choice.stakes, sizes, strict=True)}
            for aside in combinations(lying.at(OWN), choice.part.discards + choice.part.lays_aside):
                yield replace(lying, wagers=staked, given_up=given, aside=lying.aside + aside)

    def _stakes_without_bounds(self, choice: OpenChoice) -> bool:
        """True for a choice with a bet that is not counted and whose amount has no limit."""
        unknown = {bet for bet, stake in choice.stakes.items() if stake.hangs_on or stake.most is None}
        return bool(unknown) and unknown.isdisjoint(bet.name for bet in self.settler.bets)

    def _after(self, name: str) -> Sequence[AnyStep]:
        return self.plan.steps[[step.name for step in self.plan.steps].index(name) + 1 :]

    def _decides(self, step: AnyStep, point: DecisionPoint, lying: OnePlayerState) -> bool:
        """True if the player has a choice at a step."""
        made = self._chosen(lying)
        if isinstance(step, SetStep) and step.choices:
            return any(choice.part.name in step.choices for choice in made)
        return not any(choice.part.last for choice in made) and (not point.only or bool(lying.wagers.get(point.only)))

    def _draws(self, lying: OnePlayerState) -> int:
        """Return the number of cards that the last choice draws."""
        return next((choice.part.draws for choice in reversed(self._chosen(lying))), 0)

    def _chosen(self, lying: OnePlayerState) -> list[OpenChoice]:
        names = dict(lying.choices)
        return [
            each for step, point in self._points.items() for each in point.choices if names.get(step) == each.part.name
        ]

    # -------------------------------------------------------------- places and points

    @cached_property
    def _points(self) -> Mapping[str, DecisionPoint]:
        return {point.step: point for point in self.decisions.points}

    @cached_property
    def _stands(self) -> bool:
        """True if the cards still decide a bet of a folded hand."""
        return any(bet.fold == "stands" for bet in self.settler.bets)

    @cached_property
    def _deciding_places(self) -> frozenset[str]:
        """Places whose cards decide the bets."""
        settler = self.settler
        return frozenset(place for name in settler.hands for place in settler.terms.game.hand(name).of)


def _with(place: _Place, at: str, more: int) -> _Place:
    """Return the point with `more` additional cards face down at a place."""
    return replace(place, hidden={**place.hidden, at: place.hidden.get(at, 0) + more})
