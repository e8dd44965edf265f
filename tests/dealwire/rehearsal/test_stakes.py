"""Simulated players' bets keep every rule of every procedure, for each choice."""

from itertools import product

import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.rehearsed import RehearsedProcedure
from dealwire.rehearsal.simulate import simulate
from dealwire.rehearsal.stakes import stakes_of

STEPS = [name for name in known_procedures() if load_procedure(name).step and not load_procedure(name).betting]
"""Procedures in which players bet against the house; among themselves they put up what `chips` says."""


@pytest.mark.parametrize("name", STEPS)
def test_stakes_keep_every_rule(name: str) -> None:
    """Before the deal, and with each choice."""
    procedure = load_procedure(name)
    options = [(option.name, option.allowed) for option in procedure.option if _of_bets(name, option.name)]
    for values in product(*(allowed for _, allowed in options)):
        chosen = {option: value for (option, _), value in zip(options, values, strict=True)}
        plan, rehearsed = Plan(procedure, chosen), RehearsedProcedure(procedure, chosen)
        for seat in range(1, 7):
            wagers = stakes_of(plan, seat)
            assert plan.entering & wagers.keys()
            assert [rule for rule in plan.rules if rule.choice is None and rule.breach(wagers)] == []
            for choice in plan.choices.values():
                late = {bet: rehearsed.cents(bet, wagers, choice.name) for bet in choice.stakes}
                if wagers.keys() >= set(choice.needs) and wagers.keys().isdisjoint(choice.unless):
                    there = {"", *wagers, *late}
                    rules = [rule for rule in plan.rules if rule.choice in (None, choice.name)]
                    rules = [rule for rule in rules if rule.amount is None or rule.amount.bet in there]
                    assert [rule for rule in rules if set(late) & rule.named and rule.breach(wagers | late)] == []


def _of_bets(name: str, option: str) -> bool:
    procedure = load_procedure(name)
    conditions = [must.when for bet in procedure.bet for must in bet.must]
    conditions += [when for bet in procedure.bet for when in (bet.when, bet.enters_when)]
    return any(when is not None and when.option == option for when in conditions)


def test_some_tip_and_seats_take_turns_with_bets_that_exclude_each_other() -> None:
    plan = Plan(load_procedure("prospector.co"), {})
    assert ["gold-high" in stakes_of(plan, seat) for seat in (1, 2)] == [True, False]
    three = Plan(load_procedure("three-card.co"), {})
    assert ["tip-ante" in stakes_of(three, seat) for seat in (1, 3)] == [False, True]


@pytest.mark.parametrize(
    "name", ["let-it-ride.co", "ultimate-texas-holdem.co", "western-stud.co", "bonus-6.co", "champion.co"]
)
def test_no_wager_of_a_simulated_evening_is_held(name: str) -> None:
    """The dealt round is the one that was planned."""
    rounds = [item for item in simulate(name, rounds=2, players=3) if isinstance(item, RoundResult)]
    assert [round_.outcome for round_ in rounds] == ["complete"] * 2
    assert {found.code for round_ in rounds for found in round_.incidents} == set()
    assert not any(seat.held for round_ in rounds for seat in round_.seats)
