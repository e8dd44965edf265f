"""Long evenings at any procedure: a dealer who does what is legal, and errs now and then, in an order Hypothesis draws.

What must hold after every report and of every round is the same as in `test_explore`; here rounds follow one another,
decks grow old, badges are swiped, lines fall silent, and what one round leaves behind meets the next.
"""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from dealer_flow.editions import load_edition
from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.record.result import RoundResult
from devices import events as e
from tests.support.dealing.chips import STAKE
from tests.support.dealing.flow_points import round_of
from tests.support.evenings.table_events import CONTROLLER, DEVICE, Report, possible_reports
from tests.support.oracles.round_checks import Before, check_end, check_step

OPTIONS = st.data()
SINCE_2021 = load_edition("colorado-2021-05-01")
"""By which nothing but the stake bounds a bet."""


class AnyEvening(RuleBasedStateMachine):
    """One table, one procedure, many rounds."""

    @initialize(data=OPTIONS)
    def sit_down(self, data: st.DataObject) -> None:
        self.name = data.draw(st.sampled_from(known_procedures()))
        procedure = load_procedure(self.name)
        if data.draw(st.booleans()) and SINCE_2021.of(procedure.jurisdiction):
            procedure = load_procedure(self.name, SINCE_2021)
        readings = {option.name: data.draw(st.sampled_from(option.allowed)) for option in procedure.option}
        self.flow = DealerFlow(procedure, options=readings)
        self.path: list[e.Body] = []
        self.shoes, self.rounds = 0, 0
        self._fill()

    def _fill(self) -> None:
        plan = self.flow.plan
        if plan.from_shoe:
            self.shoes += 1
            self._see(Report(DEVICE, e.ShoeLoaded(self.shoes, plan.decks, plan.loaded), False, False))

    def _see(self, report: Report) -> None:
        before = Before.of(self.flow)
        self.path.append(report.body)
        out = self.flow.handle(e.Seen(report.device, 1, len(self.path), len(self.path) * 10**9, report.body))
        check_step(before, self.flow, report, out)
        results = [item for item in out if isinstance(item, RoundResult)]
        for result in results:
            check_end(self.flow.procedure, result, self.path)
        if results:
            self.rounds += 1
            self.path = []
            self._fill()

    @rule(seat=st.integers(1, 3), pick=st.integers(0, 9))
    def bet(self, seat: int, pick: int) -> None:
        if self.flow.state is not State.BETTING:
            return
        plan = self.flow.plan
        bets = [bet for bet in plan.bets.values() if bet.placed == "before-deal"]
        enters = next((bet for bet in bets if bet.enters), bets[pick % len(bets)] if bets else None)
        if plan.betting is not None:
            self._see(Report(CONTROLLER, e.StakeShown(seat, STAKE * (1 + pick)), False, True))
        if enters is None:
            return
        for bet in {enters.number, bets[pick % len(bets)].number} if seat <= plan.most_seats else ():
            self._see(Report(CONTROLLER, e.WagerPlaced(seat, bet, 500), False, True))

    @rule(picks=st.lists(st.integers(0, 99), min_size=3, max_size=12))
    def play_on(self, picks: list[int]) -> None:
        """What is due, several times."""
        for pick in picks:
            due = [report for report in possible_reports(self.flow) if report.due]
            if due:
                self._see(due[pick % len(due)])

    @rule(pick=st.integers(0, 999))
    def err(self, pick: int) -> None:
        every = list(possible_reports(self.flow))
        self._see(every[pick % len(every)])

    @rule()
    def count_and_swipe(self) -> None:
        self._see(Report(CONTROLLER, e.BadgeSwiped(7, "supervisor"), False, False))

    @rule()
    def end(self) -> None:
        """END GAME, whether or not it is due: evenings go on."""
        number = round_of(self.flow).number
        self._see(Report(CONTROLLER, e.GameEnded(number), False, False))

    @invariant()
    def somebody_is_waited_for(self) -> None:
        assert self.flow.legal()
        assert self.flow.snapshot().state is self.flow.state

    def teardown(self) -> None:
        for result in self.flow.finish() if hasattr(self, "flow") else ():
            assert result.outcome == "unreliable"
            assert all(not seat.returned for seat in result.seats)


def run(examples: int, steps: int) -> None:
    checks = list(HealthCheck)
    bounds = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=checks,
        database=None,
        derandomize=True,  # the same evenings each time: what longer searches find is on record, not met by chance
    )
    run_state_machine_as_test(AnyEvening, settings=bounds)  # type: ignore[no-untyped-call]


def test_what_must_hold_holds_for_a_while() -> None:
    run(examples=8, steps=40)


@pytest.mark.more
def test_what_must_hold_holds_all_evening() -> None:
    run(examples=25, steps=40)


@pytest.mark.slow
def test_what_must_hold_holds_for_ten_thousand_steps() -> None:
    run(examples=100, steps=100)
