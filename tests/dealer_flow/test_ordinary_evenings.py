"""The ordinary evening of each procedure: dealt in its text's order, with every bet, tip and declaration that may go
together, by the simulated people at the table. It ends complete, and nothing is found."""

from collections.abc import Iterator
from typing import Any

import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario import endless
from dealwire.rehearsal.scenario_file import clean_round, scenario_of
from dealwire.rehearsal.simulate import reports
from dealwire.rehearsal.step_dealer import StepDealer
from dealwire.table.replay import usual_table

STEPS = [name for name in known_procedures() if load_procedure(name).shoe is None]
SEATS = (1, 2, 3, 6)
"""Seats that bet. If bets exclude each other the seats take turns, and one of three tips the dealer on every bet."""


def evening(procedure: Procedure, rounds: int, seed: int = 1) -> list[RoundResult | Incident]:
    """Return what a table publishes of so many rounds in which every seat declares."""
    plan = clean_round(procedure, [number for number in SEATS if number <= procedure.seats.most])
    players: list[dict[str, Any]] = plan["players"]
    more = {"declares": True} if procedure.betting is None else {}  # between players there is nothing to declare
    scenario = scenario_of(procedure, [{**plan, "players": [each | more for each in players]}])
    return list(_played(procedure, endless(scenario, seed=seed), rounds))


def _played(procedure: Procedure, scenario: Any, rounds: int) -> Iterator[RoundResult | Incident]:
    table = usual_table(procedure.id, name="evening")
    for seen in reports(scenario):
        if sum(table.outcomes.values()) >= rounds:
            return
        for item in table.handle(seen):
            if isinstance(item, RoundResult | Incident):
                yield item


def _clean(out: list[RoundResult | Incident]) -> list[RoundResult]:
    assert [str(item) for item in out if isinstance(item, Incident)] == []
    results = [item for item in out if isinstance(item, RoundResult)]
    assert {result.outcome for result in results} == {"complete"}
    assert not any(seat.held or seat.returned for result in results for seat in result.seats)
    return results


def _last(self: StepDealer, offered: list[str], _: object) -> str:
    folds = [name for name in offered if name in self.procedure.plan.folds]
    return ([name for name in offered if name not in folds] or folds)[-1]


@pytest.mark.every(9)
@pytest.mark.parametrize("name", STEPS)
def test_everything_that_may_go_together(name: str) -> None:
    procedure = load_procedure(name)
    results = _clean(evening(procedure, 2))
    spots = [bet for bet in Plan(procedure, {}).bets.values() if bet.placed == "before-deal"]
    placed = {bet for result in results for seat in result.seats for bet in seat.wagers}
    part = procedure.betting  # rare: a third blind, a straddle, posts of a player who comes in
    rare = (*part.blinds[2:], *part.posts, *part.dead) if part is not None else ()
    assert {bet.name for bet in spots} - {*rare} <= placed
    shows = {step.name for step in Plan(procedure, {}).steps if step.do == "show" and step.optional}
    for result in results:
        made = {step for seat in result.seats for step in seat.choices}
        assert shows <= made


@pytest.mark.every(3)
@pytest.mark.parametrize("name", STEPS)
def test_with_the_last_choice_instead_of_the_first(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StepDealer, "_basic", _last)
    _clean(evening(load_procedure(name), 1, seed=2))


def test_a_bet_on_propositions_is_on_one() -> None:
    (result,) = _clean(evening(load_procedure("208.co"), 1))
    assert any(seat.propositions for seat in result.seats)
    assert all(sum(on.values()) == seat.wagers[bet] for seat in result.seats for bet, on in seat.propositions.items())
