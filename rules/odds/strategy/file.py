"""A strategy as a strict TOML file: rules for the choice at each step; the first that matches decides.

A step that the file does not mention is played best. A step that it mentions needs a rule for every hand: a last rule
without a condition, or `[otherwise]`. The conditions are in `rules.odds.strategy.words`.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from dealer_flow.tomlfile import TomlTable, load
from protocol.tomlfile import Key
from rules.game.load import Game
from rules.odds.decide.decisions import DecisionPoint, NoProcedure, OpenChoice, decisions
from rules.odds.strategy.words import RuleWhen, faults_of, first_own_condition


class StrategyRule(TomlTable):
    """The choice at this step with such a hand."""

    step: str
    """The step of the decision, as the procedure has it."""
    when: RuleWhen = RuleWhen()
    choose: str
    """The choice that is made."""
    times: Annotated[int, Field(ge=1, le=100)] = 1
    """Multiple of the lowest bet, where more may be bet."""


class StrategyFile(TomlTable):
    """A strategy file. `otherwise`: the choice by step if no rule matches the hand."""

    schema_: Literal["dealwire.strategy/1"] = Field(alias="schema")
    title: str
    game: str = ""
    """Id of the game that it is for; without it, any game that has its steps."""
    rule: tuple[StrategyRule, ...] = ()
    otherwise: dict[str, str] = Field(default_factory=dict)


class ChosenBy:
    """A step at which a player decides, with the minimum bet of each choice in units of the first bet."""

    def __init__(self, point: DecisionPoint) -> None:
        self.step = point.step
        staked = any(choice.stakes for choice in point.choices)
        self.units = {choice.part.name: _units(choice, staked) for choice in point.choices}


def _units(choice: OpenChoice, staked: bool) -> Fraction:
    """Return 0 for a fold, a bet taken back, and a check as an alternative to a bet; 1 for a bet that stays."""
    if choice.part.folds or choice.part.takes_back or (staked and not choice.stakes):
        return Fraction(0)
    return max((stake.least for stake in choice.stakes.values()), default=Fraction(0)) or Fraction(1)


@dataclass(frozen=True)
class Strategy:
    """A strategy for one game, ready for use."""

    spec: StrategyFile
    game: Game

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of the content of the file."""
        return hashlib.sha256(self.spec.model_dump_json(by_alias=True).encode()).hexdigest()

    @cached_property
    def decisions(self) -> tuple[ChosenBy, ...]:
        """Steps at which a player decides, in order."""
        return _decisions(self.game)

    def covers_decision(self, number: int) -> bool:
        """Return True if the file covers the decision, counted from 0; otherwise it is played best. A decision that the
        procedure does not have is never covered."""
        if number >= len(self.decisions):
            return False
        step = self.decisions[number].step
        return step in self.spec.otherwise or any(rule.step == step for rule in self.spec.rule)

    def asks_of_own(self, number: int) -> str:
        """Return the first condition of the decision's rules that depends on which cards are the player's own; empty if
        there is none."""
        step = self.decisions[number].step
        return next(filter(None, (first_own_condition(rule.when) for rule in self.spec.rule if rule.step == step)), "")

    def rules(self, number: int) -> list[tuple[RuleWhen, Fraction]]:
        """Return the bet at the decision, counted from 0, by its rules in order: 0 for a fold, a check or a bet taken
        back, else units of the first bet."""
        decision, spec = self.decisions[number], self.spec
        found = [
            (rule.when, decision.units[rule.choose] * rule.times) for rule in spec.rule if rule.step == decision.step
        ]
        others = spec.otherwise.get(decision.step)
        return found if others is None else [*found, (RuleWhen(), decision.units[others])]


def load_strategy(path: Path, game: Game) -> Strategy:
    """Load the strategy in a file for this game; TomlFileError names the file, line, key and allowed values."""
    return Strategy(load(path, StrategyFile, lambda spec: _faults(spec, game)), game)


def _decisions(game: Game) -> tuple[ChosenBy, ...]:
    try:
        return tuple(ChosenBy(point) for point in decisions(game).points if point.choices)
    except NoProcedure:
        return ()


def _faults(spec: StrategyFile, game: Game) -> Iterator[tuple[Key, str]]:
    """Yield the errors between keys, and with the game."""
    decisions = {each.step: each for each in _decisions(game)}
    if spec.game and spec.game != game.id:
        yield ("game",), f"is for {spec.game}, not for {game.id}"
    closed = set(spec.otherwise)
    for number, rule in enumerate(spec.rule):
        decision = decisions.get(rule.step)
        if decision is None:
            yield ("rule", number, "step"), f"no decision {rule.step!r}; allowed: {', '.join(decisions) or 'none'}"
            continue
        if rule.choose not in decision.units:
            yield ("rule", number, "choose"), f"no choice {rule.choose!r}; allowed: {', '.join(decision.units)}"
        for key, why in faults_of(rule.when, game):
            yield ("rule", number, "when", *key), why
        if (
            rule.step in closed
            and rule.when == RuleWhen()
            and any(each.step == rule.step for each in spec.rule[:number])
        ):
            continue
        closed |= {rule.step} if rule.when == RuleWhen() else set()
    for step, choice in spec.otherwise.items():
        if step not in decisions:
            yield ("otherwise", step), f"no decision {step!r}; allowed: {', '.join(decisions) or 'none'}"
        elif choice not in decisions[step].units:
            yield ("otherwise", step), f"no choice {choice!r}; allowed: {', '.join(decisions[step].units)}"
    for number, rule in enumerate(spec.rule):
        if rule.step in decisions and rule.step not in closed:
            yield ("rule", number, "step"), f"{rule.step!r} has no rule for other hands; give one under [otherwise]"
            return
