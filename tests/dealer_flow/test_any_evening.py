"""Long evenings at any procedure: a dealer who does what is legal, and errs now and then, in an order Hypothesis draws.

What must hold after every report and of every round is the same as in `test_explore`; here rounds follow one another,
decks grow old, badges are swiped, lines fall silent, and what one round leaves behind meets the next.
"""

from __future__ import annotations

from typing import NamedTuple

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
from protocol.cards import UNREAD, parse_card
from protocol.places import DEALER
from protocol.places import seat as seat_at
from tests.support.dealing.chips import STAKE
from tests.support.dealing.flow_points import round_of
from tests.support.evenings.table_events import CONTROLLER, DEVICE, JAM, Report, possible_reports
from tests.support.oracles.round_checks import Before, check_end, check_finish, check_step
from tests.support.reading.each import of_each

OPTIONS = st.data()
SINCE_2021 = load_edition("colorado-2021-05-01")
"""By which nothing but the stake bounds a bet."""


class Evening:
    """One table and its rounds: every report is checked as it is taken, every round as it ends."""

    def __init__(self, flow: DealerFlow) -> None:
        self.flow = flow
        self.path: list[e.Body] = []
        self.reports, self.shoes, self.results = 0, 0, list[RoundResult]()
        self._fill()

    def _fill(self) -> None:
        plan = self.flow.plan
        if plan.from_shoe:
            self.shoes += 1
            self.see(Report(DEVICE, e.ShoeLoaded(self.shoes, plan.decks, plan.loaded), False, False))

    def see(self, report: Report) -> None:
        before = Before.of(self.flow)
        self.path.append(report.body)
        self.reports += 1
        out = self.flow.handle(e.Seen(report.device, 1, self.reports, self.reports * 10**9, report.body))
        check_step(before, self.flow, report, out)
        results = [item for item in out if isinstance(item, RoundResult)]
        for result in results:
            check_end(self.flow.procedure, result, self.path)
        if results:
            self.results += results
            self.path = []
            self._fill()

    def finish(self) -> None:
        self.results += check_finish(self.flow, self.path)


class AnyEvening(RuleBasedStateMachine):
    """One table, one procedure, many rounds."""

    @initialize(data=OPTIONS)
    def sit_down(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(known_procedures()))
        procedure = load_procedure(name)
        if data.draw(st.booleans()) and SINCE_2021.of(procedure.jurisdiction):
            procedure = load_procedure(name, SINCE_2021)
        readings = {option.name: data.draw(st.sampled_from(option.allowed)) for option in procedure.option}
        self.flow = DealerFlow(procedure, options=readings)
        self.evening = Evening(self.flow)
        self._see = self.evening.see

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
        """Take what is due, several times."""
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
        """Report END GAME, whether or not it is due: sessions continue."""
        number = round_of(self.flow).number
        self._see(Report(CONTROLLER, e.GameEnded(number), False, False))

    @invariant()
    def somebody_is_waited_for(self) -> None:
        assert self.flow.legal()
        assert self.flow.snapshot().state is self.flow.state

    def teardown(self) -> None:
        if hasattr(self, "evening"):
            self.evening.finish()


BOTH_BET = (e.WagerPlaced(1, 1, 500), e.WagerPlaced(2, 1, 500))
START = (*BOTH_BET, e.GameStarted(1))
ANOTHER_SHOE = e.ShoeLoaded(7, 1, 52)


def drawn(card: str) -> e.CardDrawn:
    return e.CardDrawn(None, parse_card(card), None)


def packet(number: int, cards: int = 3) -> e.PacketDispensed:
    return e.PacketDispensed(2, number, cards, cards, ())


class Found(NamedTuple):
    """An evening that was found by chance, as short as it can be."""

    procedure: str
    reports: tuple[e.Body, ...]
    outcome: str
    readings: tuple[tuple[str, str], ...] = ()


FOUND = {
    "a card drawn twice before START GAME, then another shoe": Found(
        "three-card.co-single",
        (drawn("KS"), drawn("KS"), ANOTHER_SHOE, *START, e.GameEnded(1)),
        "unreliable",
    ),
    "a shoe that says none came out of it, then another one": Found(
        "vegas-double-action.co-single",
        (drawn("KS"), e.ShoeEnded(1, 0), ANOTHER_SHOE, *START, e.GameEnded(1)),
        "unreliable",
    ),
    "a shoe of a card too few, then a whole one": Found(
        "three-card.co-single",
        (e.ShoeLoaded(7, 1, 51), ANOTHER_SHOE, *START, e.MisdealCalled(7, 0), e.GameEnded(1)),
        "misdeal",
    ),
    "a seat that bets and is not dealt in": Found(
        "let-it-ride.co-single",
        (e.WagerPlaced(1, 1, 700), e.WagerPlaced(3, 3, 500), e.GameStarted(1)),
        "unreliable",
    ),
    "a stack of a card too few, where the bets stand for the round that is played again": Found(
        "wild-six.co-single",
        (
            *START,
            *(drawn(card) for card in ("AC", "8C", "2D", "9D", "3H", "TH", "4S", "JS", "5C", "QC", "6D")),
            *(e.CardsCounted(seat_at(2), 3), e.GameEnded(1)),
        ),
        "misdeal",
        (("replayed-bets", "stand"),),
    ),
    "a joker at a hand whose cards were laid down": Found(
        "vegas-double-action.co-single",
        (
            *(*START, drawn("AC"), drawn("8C"), drawn("2D"), e.DecisionMade(1, 3)),
            e.CardMishandled(seat_at(1), e.Mishap.JOKER, UNREAD),
        ),
        "unreliable",
    ),
    "a card is laid down while the one that replaces a joker is still to come": Found(
        "pineapple.co",
        (
            *(e.StakeShown(1, 10_000), e.WagerPlaced(1, 2, 500), e.StakeShown(2, 10_000), e.WagerPlaced(2, 2, 500)),
            *(e.GameStarted(1), e.SpotSelected(2), drawn("AC")),
            *(e.CardMishandled(seat_at(1), e.Mishap.JOKER, UNREAD), e.EventsLost(4, 5), e.DecisionMade(1, 1)),
        ),
        "unreliable",
    ),
    "a card too many at a seat, which explains that three are left": Found(
        "emperors-challenge.co",
        (
            *(*BOTH_BET, e.SpotSelected(3), e.GameStarted(1)),
            *(each for number in range(1, 8) for each in (packet(number, 7), e.PacketLifted(number))),
            *(e.Confirmed(), e.CardsCounted(seat_at(2), 8), e.RemainderDumped(2, 3, 3)),
            *(e.HandRevealed(DEALER, (UNREAD,) * 7, True), e.GameEnded(1)),
        ),
        "complete",
        (("cards-left", "by-hands"), ("player-count", "dead-hand")),
    ),
    "END GAME set aside since a line is silent, and choices after it": Found(
        "colorado-holdem.co",
        (
            *(*BOTH_BET, e.LinkLost("silent"), e.GameStarted(1)),
            *(packet(1), e.PacketLifted(1), packet(2)),
            *(e.GameEnded(1), e.PacketLifted(2), packet(3), e.PacketLifted(3)),
            *(e.DecisionMade(1, 3), e.RemainderDumped(2, 43, 43)),
        ),
        "complete",
    ),
    "END GAME set aside behind a choice, and the red lamp lit": Found(
        "208.co",
        (
            *(*BOTH_BET, e.LinkLost("silent"), e.GameStarted(1), e.DecisionMade(1, 1)),
            *(e.RedLamp(True, JAM), e.GameEnded(1)),
        ),
        "misdeal",
    ),
}
CONTROLLERS = (
    *(e.StakeShown, e.WagerPlaced, e.SpotSelected, e.GameStarted, e.GameEnded, e.DecisionMade, e.Confirmed),
    *(e.CardsCounted, e.CardMishandled, e.HandRevealed, e.MisdealCalled),
)


@of_each("found", FOUND)
def test_an_evening_that_was_found_ends_so(found: str) -> None:
    name, bodies, outcome, readings = FOUND[found]
    evening = Evening(DealerFlow(load_procedure(name), options=dict(readings)))
    for body in bodies:
        evening.see(Report(CONTROLLER if isinstance(body, CONTROLLERS) else DEVICE, body, False, False))
    evening.finish()
    assert [result.outcome for result in evening.results] == [outcome]


def run(examples: int, steps: int) -> None:
    checks = list(HealthCheck)
    bounds = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=checks,
        database=None,
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
