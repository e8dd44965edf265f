"""A rate of faults is what it says: that share of rounds has one thing go wrong, and all others are healthy."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario import AnyScenario, RoundPlan, endless
from dealwire.rehearsal.scenario_file import clean_scenario, find_scenario
from dealwire.rehearsal.simulate import reports
from dealwire.rehearsal.trouble import LINE, What
from dealwire.table.replay import usual_table
from dealwire.table.table import Table

SEEN_BY_NOBODY = (*LINE, What.REJECTED, What.JAM, What.DECK)
"""Faults that a line or the device recovers from without an incident."""


def plans(scenario: AnyScenario, rate: float | None, seed: int, count: int) -> list[RoundPlan]:
    return [*islice(endless(scenario, faults=rate, seed=seed).plans(), count)]


def troubled(scenario: AnyScenario, rate: float, seeds: int, count: int) -> int:
    found = [len(plan.troubles) for seed in range(seeds) for plan in plans(scenario, rate, seed, count)]
    assert max(found, default=0) <= 1, "one thing at most goes wrong in a round"
    return sum(found)


@pytest.mark.parametrize("source", ["demo", "evening", "races"])
@pytest.mark.parametrize("rate", [0.05, 0.1, 0.5])
def test_the_share_of_rounds_with_a_fault_is_the_rate_whatever_the_scenario_tells(source: str, rate: float) -> None:
    rounds = 40 * 100
    found = troubled(find_scenario(source), rate, 40, 100)
    spread = 5 * (rounds * rate * (1 - rate)) ** 0.5  # of a binomial: one run in two million is beyond
    assert abs(found - rate * rounds) < spread


def test_none_and_all() -> None:
    demo = find_scenario("demo")
    assert troubled(demo, 0.0, 3, 100) == 0
    assert troubled(demo, 1.0, 3, 100) == 300
    assert [len(plan.troubles) for plan in plans(demo, None, 1, 6)] == [0, 1, 1, 0, 1, 1], "the story, as it is told"


def dealt(scenario: AnyScenario, table: Table, count: int) -> Iterator[tuple[RoundResult, list[Incident]]]:
    incidents: list[Incident] = []
    for seen in reports(scenario):
        for item in table.handle(seen):
            if isinstance(item, Incident):
                incidents.append(item)
            elif isinstance(item, RoundResult):
                yield item, incidents
                incidents, count = [], count - 1
        if not count:
            return


@pytest.mark.every(4)
@pytest.mark.parametrize("procedure", ["flushes-gone-wild.co", "bonus-6.co", "pai-gow.co-hand", "race-to-the-flush"])
def test_a_round_goes_wrong_when_a_fault_was_planned_and_never_else(procedure: str) -> None:
    """A fault ends with its round: the deck is exchanged if one of its cards is astray."""
    scenario = endless(clean_scenario(load_procedure(procedure), range(1, 4)), faults=0.4, seed=8)
    kinds = Counter[str]()
    for plan, (result, incidents) in zip(scenario.plans(), dealt(scenario, usual_table(procedure), 80), strict=False):
        what = plan.troubles[0].what if plan.troubles else None
        kinds["fault" if what else "none"] += 1
        if what is None:
            assert (result.outcome, incidents) == ("complete", []), f"round {result.round}"
        elif what not in SEEN_BY_NOBODY:
            assert incidents, f"round {result.round}: {what} left no trace"
    assert min(kinds.values()) > 15
