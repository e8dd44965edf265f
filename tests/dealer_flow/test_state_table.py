"""The table of states is data that decides: triggers, guards, sources and destinations exist, and nothing can hang."""

import ast
import inspect
from itertools import product

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine import guards
from dealer_flow.play.machine.guards import GUARDS
from dealer_flow.play.machine.machine import Phase, table_machine
from dealer_flow.play.machine.states import COLUMNS, LOOSE, MEANING, STEP_STATES, STEPS, TRANSITIONS, WAITS, Row, State
from dealer_flow.play.order import order
from dealer_flow.play.order.checks import CHECKS
from dealer_flow.play.order.order import RULES
from dealer_flow.play.reports.shuffler import HANDLERS
from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.steps.kinds import STEPS as KINDS
from devices import events

TRIGGERS = tuple(dict.fromkeys(row.trigger for row in TRANSITIONS))


def phase_with(monkeypatch: pytest.MonkeyPatch, passing: set[str]) -> Phase:
    """Return a machine whose guards hold by name, independent of the round."""
    for name, guard in GUARDS.items():
        there = name in passing
        monkeypatch.setitem(GUARDS, name, guards.Guard(name, guard.words, lambda _, there=there: there, guard.of))
    return DealerFlow(load_procedure("three-card.co"))._phase


@pytest.mark.parametrize("row", TRANSITIONS, ids=str)
def test_every_row_does_what_it_says(monkeypatch: pytest.MonkeyPatch, row: Row) -> None:
    """With its own guards, and none of those it forbids, no row before it is taken but one that asks for no more."""
    phase = phase_with(monkeypatch, set(row.guards))
    for source in row.sources:
        phase.state = source
        assert getattr(phase, row.trigger)()
        assert phase.state in (row.dest or source, *_first_of(row, source)), (row, source)


def _first_of(row: Row, source: State) -> set[State]:
    """Return the destinations of earlier rows of the same trigger whose guards hold whenever this one's do."""
    before = TRANSITIONS[: TRANSITIONS.index(row)]
    return {
        each.dest or source
        for each in before
        if each.trigger == row.trigger and source in each.sources and set(each.guards) <= set(row.guards)
    }


def check_that_only_others_let_pass(monkeypatch: pytest.MonkeyPatch, row: Row, passing: set[str]) -> None:
    """With these guards the trigger of `row` has a way only if another of its rows has."""
    phase = phase_with(monkeypatch, passing)
    for source in row.sources:
        others = [
            each for each in TRANSITIONS if each.trigger == row.trigger and source in each.sources and each != row
        ]
        phase.state = source
        assert getattr(phase, row.trigger)() == any(
            set(each.guards) <= passing and not passing & set(each.unless) for each in others
        ), (row, passing, source)


@pytest.mark.parametrize("row", [row for row in TRANSITIONS if row.guards], ids=str)
def test_no_row_is_taken_without_each_of_its_guards(monkeypatch: pytest.MonkeyPatch, row: Row) -> None:
    for missing in row.guards:
        check_that_only_others_let_pass(monkeypatch, row, set(row.guards) - {missing})


@pytest.mark.parametrize("row", [row for row in TRANSITIONS if row.unless], ids=str)
def test_a_guard_that_forbids_a_row_keeps_it(monkeypatch: pytest.MonkeyPatch, row: Row) -> None:
    for forbidden in row.unless:
        check_that_only_others_let_pass(monkeypatch, row, {*row.guards, forbidden})


def test_every_name_in_a_row_exists_and_every_guard_is_in_a_row() -> None:
    named = {name for row in TRANSITIONS for name in (*row.guards, *row.unless)}
    assert named == set(GUARDS)
    declared = {name for name, item in vars(Phase).items() if inspect.isfunction(item) and not name.startswith("_")}
    assert declared == set(TRIGGERS)


def test_every_rule_names_a_guard_and_every_guard_of_a_report_is_in_a_rule() -> None:
    rules = [rule for report in RULES.values() for rule in report]
    named = {name for rule in rules for name in (rule.guard, rule.mild, *rule.nearer) if name}
    assert named - {"round_over"} == set(CHECKS)
    assert not set(CHECKS) & set(GUARDS)
    assert all(rule.states for rule in rules)


def test_the_code_asks_for_guards_that_exist() -> None:
    """`holds("...")` or `GUARDS["..."]` with an unknown name would otherwise be found only at the table."""
    from pathlib import Path

    asked = set()
    for path in Path(order.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) == "holds":
                asked |= {each.value for each in node.args if isinstance(each, ast.Constant)}
            if isinstance(node, ast.Subscript) and getattr(node.value, "id", "") == "GUARDS":
                asked |= {node.slice.value} if isinstance(node.slice, ast.Constant) else set()
    assert asked
    assert asked <= {*GUARDS, *CHECKS}


def test_a_misspelt_guard_is_found_when_the_flow_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {name: guard for name, guard in GUARDS.items() if name != "burn_confirmed"}
    monkeypatch.setattr("dealer_flow.play.machine.machine.GUARDS", there)  # their order is that of the printed pages
    table_machine.cache_clear()
    with pytest.raises(AssertionError, match="burn_confirmed"):
        DealerFlow(load_procedure("three-card.co"))


def test_every_guard_says_what_it_means_and_by_which_clause() -> None:
    for name, guard in GUARDS.items():
        assert guard.words, name
    plans = [DealerFlow(load_procedure(name)).plan for name in known_procedures()]
    for guard, plan in product(GUARDS.values(), plans):
        assert guard.clause(plan)


def test_every_state_is_reached_and_left() -> None:
    reached, frontier = {State.BETTING}, [State.BETTING]
    while frontier:
        here = frontier.pop()
        for row in TRANSITIONS:
            if here in row.sources and row.dest is not None and row.dest not in reached:
                reached.add(row.dest)
                frontier.append(row.dest)
    assert reached == set(State)
    ends = {source for row in TRANSITIONS if row.trigger == "end_game" for source in row.sources}
    assert ends == set(State) - {State.BETTING}


def test_stages_and_meanings_cover_the_states() -> None:
    assert set(MEANING) == set(State)
    assert set(STEP_STATES) == set(KINDS)
    assert {*STEPS, *COLUMNS} | LOOSE | {State.BETTING} == set(State)
    asked = {guard for row in TRANSITIONS if row.trigger == "end_step" for guard in row.guards}
    assert {guard for guard in asked if not guard.startswith("step_")} == {*WAITS.values(), "house_count_wrong"}
    assert set(WAITS) == set(STEPS) - {State.REVEALING}


def test_handlers_are_for_events_that_exist() -> None:
    bodies = {item for item in vars(events).values() if isinstance(item, type) and issubclass(item, events.Body)}
    assert set(HANDLERS) <= bodies
    assert set(RULES) <= set(HANDLERS)
