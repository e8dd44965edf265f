"""Players' choices in a game, read from the steps of its procedure: when, at which stake, and with which cards seen.

This is the only source of choices for the odds: a solver derives its settings from it, so a change of the procedure
changes the odds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dealer_flow.procedure.bet_rules import BetRule
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.procedure.steps.views import CardsSoFar
from dealer_flow.procedure.tables import DecisionPart
from rules.game.load import Game
from rules.game.pairing import procedure_source
from rules.hands.hand_spec import OWN

_SEATS: Final = "seats"
_NO_FILES: Final[Mapping[str, Path]] = MappingProxyType({})


class DifferentDecisions(Exception):
    """The procedure offers players other choices, at this step and by this clause, than the solver counts."""


class NoProcedure(DifferentDecisions):
    """No procedure is available to define the choices."""


@dataclass(frozen=True, slots=True)
class StakeRange:
    """Possible amounts of a bet, in units of another.

    From `least` to `most` (None: no maximum) in steps of `step`, 0 for any amount between. `clauses` are the sources.
    `hangs_on` is a bet of unknown size of which it is a multiple.
    """

    least: Fraction = Fraction(0)
    most: Fraction | None = None
    step: Fraction = Fraction(0)
    clauses: tuple[str, ...] = ()
    hangs_on: str = ""

    @property
    def sizes(self) -> tuple[Fraction, ...]:
        """The stakes that can be best, the lowest first: every step, or the two ends of a range without steps, because
        a bet that gains by a higher stake gains most at the maximum.

        Raises DifferentDecisions if there is no minimum or maximum, or no stake is allowed.
        """
        clauses = ", ".join(self.clauses) or "no rule"
        if self.hangs_on:
            raise DifferentDecisions(f"{clauses}: a stake depends on {self.hangs_on}, which may have several sizes")
        if self.most is None or not (self.least or self.step):
            raise DifferentDecisions(f"{clauses}: a stake has no {'minimum' if self.most else 'maximum'}")
        if self.step:
            steps = range(max(ceil(self.least / self.step), 1), floor(self.most / self.step) + 1)
            found = tuple(number * self.step for number in steps)
        else:
            found = tuple(sorted({size for size in (self.least, self.most) if size > 0 and self.least <= self.most}))
        if not found:
            raise DifferentDecisions(f"{clauses}: no stake is allowed")
        return found


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """A choice that is open at a point: its `[[decision]]` row, and the possible stakes of each bet made by it, in
    units. `rest` is the result of the remainder of a bet of which a share is given up, one of `RESTS`."""

    part: DecisionPart
    stakes: Mapping[str, StakeRange]
    rest: str = ""

    @property
    def words(self) -> str:
        """The action in words, without stakes: `fold`, `check`, `bet play`, `bet card, draw 1, with insurance`."""
        part = self.part
        done = ["fold" + " and keep the wagers" * part.keeps] if part.folds else []
        done += [f"bet {bet}" for bet in self.stakes]
        done += [f"take back {part.takes_back}"] if part.takes_back else []
        done += [f"give up a part of {part.gives_up.bet}"] if part.gives_up else []
        cards = {"draw": part.draws, "lay down": part.discards, "lay aside": part.lays_aside}
        done += [f"{what} {number}" for what, number in cards.items() if number]
        return ", ".join([*(done or ["check"]), *(f"with {bet}" for bet in part.needs)])


@dataclass(frozen=True, slots=True)
class DecisionPoint:
    """A step at which a player decides.

    - `seen`: the number of cards of each place that the player has seen, `own` for the player's own.
    - `choices`: the choices of the step; none where the player arranges the hand, with `sets` cards in front.
    - `only`: the bet that a seat must have made to decide.
    """

    step: str
    clause: str
    seen: Mapping[str, int]
    choices: tuple[OpenChoice, ...] = ()
    only: str = ""
    sets: int = 0

    @property
    def own(self) -> int:
        """Number of the player's own cards."""
        return self.seen.get(OWN, 0)

    @property
    def words(self) -> str:
        """The decision in words: `on own 2, community 1: fold; bet play`."""
        cards = ", ".join(f"{place} {number}" for place, number in self.seen.items())
        done = dict.fromkeys(choice.words for choice in self.choices) or [f"set {self.sets} in front"]
        return f"on {cards}: {'; '.join(done)}"

    def sizes(self, bet: str) -> tuple[Fraction, ...]:
        """Return each stake of a bet that can be best here, in the order of the choices that make it."""
        stakes = (choice.stakes[bet] for choice in self.choices if bet in choice.stakes)
        return tuple(dict.fromkeys(size for stake in stakes for size in stake.sizes))


@dataclass(frozen=True)
class Decisions:
    """All choices of a player in a game, with stakes in units of the bet `unit`."""

    game: Game
    plan: Plan
    unit: str

    def under(self, options: Mapping[str, str]) -> "Decisions":
        """Return the choices under these additional options."""
        return replace(self, plan=Plan(self.plan.procedure, self.plan.options | dict(options)))

    @cached_property
    def points(self) -> tuple[DecisionPoint, ...]:
        """Steps at which a player decides, in order."""
        return tuple(self._points())

    @cached_property
    def stakes(self) -> Mapping[str, Fraction]:
        """Stakes, by bet, of every bet that is always a fixed multiple of the unit."""
        found = {self.unit: Fraction(1)}
        while more := dict(self._equals(found)):
            found |= more
        return found

    @cached_property
    def optional(self) -> frozenset[str]:
        """Bets before the deal that may be omitted, other than the unit."""
        needed, waiting = set[str](), [self.unit]
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += [other for rule in self._rules(name) for other in _required_bets(rule)]
        return self.plan.before_deal - needed - self.plan.tips.keys()

    def stake(self, bet: str, choice: str = "") -> StakeRange:
        """Return the possible amounts of a bet made by this choice; from nothing to no limit if no rule applies.

        Raises DifferentDecisions if it must be a multiple of two things.
        """
        rules = [rule for rule in self._rules(bet, choice) if rule.amount is not None and rule.amount.bet]
        found = StakeRange(clauses=tuple(dict.fromkeys(rule.clause for rule in rules)))
        if bet in self.stakes:
            return replace(found, least=self.stakes[bet], most=self.stakes[bet])
        for rule in rules:
            assert rule.amount is not None, "those with an amount were taken"
            if rule.amount.bet not in self.stakes:
                return replace(found, hangs_on=rule.amount.bet)
            units = self.stakes[rule.amount.bet] * rule.amount.times
            if rule.kind in ("equal", "at-least"):
                found = replace(found, least=max(found.least, units))
            if rule.kind in ("equal", "at-most"):
                found = replace(found, most=units if found.most is None else min(found.most, units))
            if rule.kind == "multiple-of" and found.step not in (0, units):
                raise DifferentDecisions(f"{rule.clause}: {bet} is a multiple of two amounts")
            if rule.kind == "multiple-of":
                found = replace(found, step=units)
        return found

    def _points(self) -> Iterator[DecisionPoint]:
        so_far = CardsSoFar()
        for step in self.plan.steps:
            step.happen(so_far)
            if isinstance(step, DecideStep):
                choices = tuple(self._open(self.plan.choices[name]) for name in step.choices)
                yield DecisionPoint(step.name, step.clause, _face_up_counts(so_far), choices, step.only or "")
            elif isinstance(step, SetStep) and _SEATS in step.of:
                yield DecisionPoint(step.name, step.clause, _face_up_counts(so_far), sets=step.low)

    def _open(self, part: DecisionPart) -> OpenChoice:
        stakes = {bet: self.stake(bet, part.name) for bet in part.stakes}
        return OpenChoice(
            part, MappingProxyType(stakes), self.plan.options[part.gives_up.rest] if part.gives_up else ""
        )

    def _rules(self, bet: str, choice: str = "") -> Iterator[BetRule]:
        """Yield the rules of a bet that always apply, and those of this choice."""
        return (rule for rule in self.plan.rules if rule.bets == (bet,) and rule.choice in (None, choice))

    def _equals(self, known: Mapping[str, Fraction]) -> Iterator[tuple[str, Fraction]]:
        """Yield further bets that a known bet makes a multiple of the unit, or that make it one."""
        for rule in self.plan.rules:
            if (
                rule.kind != "equal"
                or rule.amount is None
                or rule.choice is not None
                or rule.amount.bet in self.plan.tips
            ):
                continue
            (bet,), other, times = rule.bets, rule.amount.bet, Fraction(rule.amount.times)
            if other in known and bet not in known:
                yield bet, known[other] * times
            elif bet in known and other not in known:
                yield other, known[bet] / times


def decisions(game: Game, number: int = 0, files: Mapping[str, Path] = _NO_FILES) -> Decisions:
    """Return the choices under the game's options by its procedure of this number, looked up in `files` by its id
    first.

    The unit is the first bet that the game's odds name. Raises NoProcedure if the procedure is not available.
    """
    name = game.spec.procedures[number]
    source = files.get(name) or procedure_source(game, name)
    if source is None:
        raise NoProcedure(f"procedure {name!r}, which defines the players' choices, is not available")
    ours = {option: allowed[0] for option, allowed in game.spec.options.items()}
    return Decisions(game, Plan(load_procedure(source), ours), _unit(game))


def _unit(game: Game) -> str:
    """Return the first bet that the odds name, else the first one against a hand."""
    if game.spec.odds is not None and game.spec.odds.bets:
        return game.spec.odds.bets[0]
    own = [bet for bet in game.bets.values() if not bet.tip_for]
    return next((bet.name for bet in own if bet.compared_with), own[0].name)


def _face_up_counts(so_far: CardsSoFar) -> Mapping[str, int]:
    """Return the number of face-up cards of each place, and of the player's own."""
    found = {to: so_far.held(to) if cards is None else cards for to, cards in so_far.open.items() if to != _SEATS}
    return MappingProxyType({OWN: so_far.held(_SEATS)} | {to: cards for to, cards in found.items() if cards})


def _required_bets(rule: BetRule) -> tuple[str, ...]:
    """Return the bets that a bet with this rule requires."""
    if rule.kind == "needs":
        return rule.others
    return (rule.amount.bet,) if rule.kind in ("equal", "at-most") and rule.amount and rule.amount.bet else ()
