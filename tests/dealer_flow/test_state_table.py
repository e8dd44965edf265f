"""The state table is data: every trigger, source and destination exists, and nothing can hang."""

import pytest

from dealer_flow.play.handle_shuffler import HANDLERS
from dealer_flow.play.machine import Phase
from dealer_flow.play.order import _CHECKS
from dealer_flow.play.states import BEGIN, DRAW_STAGES, LOOSE, MEANING, STEP_STATES, TRANSITIONS, State
from dealer_flow.procedure.steps import STEPS
from devices import events


def test_every_row_does_what_it_says() -> None:
    for row in TRANSITIONS:
        for source in row.sources:
            phase = Phase()
            phase.state = source
            getattr(phase, row.trigger)()
            assert phase.state is row.dest, (row.trigger, source)


def test_every_trigger_is_declared_and_every_declared_trigger_is_in_the_table() -> None:
    declared = {name for name in vars(Phase) if not name.startswith("_") and name != "state"}
    assert declared == {row.trigger for row in TRANSITIONS}
    assert len({row.trigger for row in TRANSITIONS}) == len(TRANSITIONS)


def test_a_trigger_from_another_state_is_refused() -> None:
    for row in TRANSITIONS:
        for state in set(State) - set(row.sources):
            phase = Phase()
            phase.state = state
            with pytest.raises(Exception, match="Can't trigger event"):
                getattr(phase, row.trigger)()
            assert phase.state is state


def test_every_state_is_reached_and_left() -> None:
    reached, frontier = {State.BETTING}, [State.BETTING]
    while frontier:
        here = frontier.pop()
        for row in TRANSITIONS:
            if here in row.sources and row.dest not in reached:
                reached.add(row.dest)
                frontier.append(row.dest)
    assert reached == set(State)
    for state in State:
        assert any(state in row.sources for row in TRANSITIONS)
    ends = next(row for row in TRANSITIONS if row.trigger == "end_game")
    assert set(ends.sources) == set(State) - {State.BETTING}


def test_stages_and_meanings_cover_the_states() -> None:
    assert set(MEANING) == set(State)
    assert set(STEP_STATES) == set(STEPS)
    assert {*STEP_STATES.values(), *DRAW_STAGES} | LOOSE | {State.BETTING, State.NAMING} == set(State)
    for state, trigger in BEGIN.items():
        assert next(row for row in TRANSITIONS if row.trigger == trigger).dest is state


def test_handlers_are_for_events_that_exist() -> None:
    bodies = {item for item in vars(events).values() if isinstance(item, type) and issubclass(item, events.Body)}
    assert set(HANDLERS) <= bodies
    assert set(_CHECKS) <= set(HANDLERS)
