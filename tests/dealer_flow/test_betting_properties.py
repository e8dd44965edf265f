"""Betting under arbitrary actions: everything listed may be done and nothing else is taken, every betting round ends,
and no seat puts in more than its stake."""

from random import Random
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from dealer_flow.play.machine.states import State
from dealer_flow.play.seen.legal import Legal
from devices import events as e
from devices.events import BettingAction, Manner
from protocol.cards import DECK
from tests.support.dealing.chips import acted, acting_seat, action_of
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable

GAMES: Final = ("holdem.co", "five-card-stud.co", "seven-card-stud.co", "home-run.co", "draw.co", "omaha-hi-lo.co")
SEATS: Final = (1, 2, 4, 7)
MOST_ACTIONS: Final = 60
"""A betting round of four players with three raises is over after far fewer."""

stakes = st.lists(st.integers(min_value=100, max_value=60_000), min_size=2, max_size=4)
options = st.fixed_dictionaries(
    {
        "raises_per_round": st.sampled_from(["1", "3"]),
        "check_and_raise": st.sampled_from(["yes", "no"]),
        "bet_or_fold": st.sampled_from(["no", "yes"]),
        "out_of_turn": st.sampled_from(["taken-back", "stands", "binds"]),
    }
)


def ready(game: str, chips: list[int], posted: dict[str, str]) -> HandTable:
    """A hand with its first cards out."""
    table = HandTable(game, **posted)
    seats = SEATS[: len(chips)]
    table.say("stakes " + ", ".join(f"{seat}: {cents}" for seat, cents in zip(seats, chips, strict=True)))
    if game == "home-run.co":
        for seat in seats:
            table.say(f"bets {seat}: ante 25, strike-out 25")
    else:
        for seat, (bet, cents) in zip(seats, (("small-blind", 50), ("big-blind", 100)), strict=False):
            if bet in table.spots:
                table.say(f"bets {seat}: {bet} {cents}")
    table.say(f"start at {seats[-1]}" if table.flow.plan.selects_first else "start")
    return table


def deal_on(table: HandTable) -> None:
    """Cards and choices until somebody has to act, or the hands are shown."""
    for _ in range(200):
        now = round_of(table.flow)
        if table.flow.state is State.DECIDING:
            table.choose(now.undecided[0], min(table.flow.plan.decisions))
        elif now.next_due is not None and not now.won:
            table.draw_one(DECK[table.dealt % 52])
        else:
            return


def actions(table: HandTable) -> list[Legal]:
    """Return the actions that players may take now."""
    return [item for item in table.flow.legal() if item.event == "PlayerActed"]


def adds_up(table: HandTable) -> None:
    """The chips by bet are what was put in by every action, and what is left of the stake."""
    now = round_of(table.flow)
    for seat in now.active:
        stake, put = now.betting.stakes[seat], sum(now.wagers.get(seat, {}).values())
        assert put <= stake
        assert not now.betting.step or now.betting.behind[seat] == stake - put
        steps = {record.step: record.cents for record in now.betting.actions if record.seat == seat}
        early = sum(cents for bet, cents in now.wagers.get(seat, {}).items() if bet in ("ante", "strike-out"))
        blinds = sum(cents for bet, cents in now.wagers.get(seat, {}).items() if bet.endswith("blind"))
        first = next((step.name for step in now.plan.steps if step.do == "bet"), "")
        counted = sum(steps.values()) + (0 if first in steps else blinds)
        assert put - early == counted


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GAMES), stakes, options, st.randoms(use_true_random=False))
def test_what_is_listed_may_be_done_and_every_round_ends(
    game: str, chips: list[int], posted: dict[str, str], random: Random
) -> None:
    table = ready(game, chips, posted)
    deal_on(table)
    acts = 0
    while table.flow.state is State.ACTING:
        table.controller(acted(round_of(table.flow), random.choice(actions(table)), random))
        assert table.codes == []
        adds_up(table)
        deal_on(table)
        acts += 1
        assert acts < MOST_ACTIONS
    assert table.flow.state is State.REVEALING
    result = table.end()
    assert result.outcome == "complete"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from(GAMES),
    stakes,
    st.randoms(use_true_random=False),
    st.lists(
        st.tuples(
            st.sampled_from(SEATS),
            st.sampled_from([*BettingAction]),
            st.integers(min_value=0, max_value=30_000) | st.sampled_from([0, 50, 100, 200, 10_000]),
            st.sampled_from(["", "", "", *Manner]),
        ),
        min_size=1,
        max_size=12,
    ),
)
def test_what_is_not_listed_is_refused_or_said_and_changes_nothing_else(
    game: str, chips: list[int], random: Random, tries: list[tuple[int, BettingAction, int, str]]
) -> None:
    """An action that is refused leaves every chip where it was; one out of turn is said."""
    table = ready(game, chips, {"out_of_turn": random.choice(["taken-back", "stands", "binds"])})
    deal_on(table)
    for seat, action, cents, manner in tries:
        if table.flow.state is not State.ACTING:
            break
        now = round_of(table.flow)
        listed = {(acting_seat(item), action_of(item)) for item in actions(table)}
        before = (now.wagers.copy(), now.betting.copy(), len(table.incidents))
        before[0].update({number: dict(bets) for number, bets in now.wagers.items()})
        table.controller(e.PlayerActed(seat, action, cents, manner))
        new = table.incidents[before[2] :]
        if any(found.code == "action-refused" for found in new) or seat not in now.active:
            assert (now.wagers, now.betting) == before[:2]
        elif action is BettingAction.FORFEIT:  # has no turn, and is in no list
            assert new == []
        elif action is BettingAction.WITHDRAW:
            again = not new and (now.wagers, now.betting) == before[:2]
            assert again or new[0].code == "action-taken-back"
        elif not manner and (seat, action) not in listed:
            again = not new and (now.wagers, now.betting) == before[:2]  # refused as it was just before: said once
            assert again or new[0].code == "acted-out-of-turn"
        if not now.rulings:
            adds_up(table)
        deal_on(table)


def test_a_fold_that_stays_has_no_chips_of_the_call_that_was_taken_back() -> None:
    """Seat 7 calls before seat 4, and folds. Seat 4 acts: the call goes back, the fold stays (47.1-1032(3))."""
    table = ready("holdem.co", [10_000] * 4, {"out_of_turn": "taken-back"})
    deal_on(table)
    for seat, action, cents in ((7, BettingAction.CALL, 100), (7, BettingAction.FOLD, 0), (4, BettingAction.CALL, 100)):
        table.controller(e.PlayerActed(seat, action, cents))
    adds_up(table)
    now = round_of(table.flow)
    assert [(each.seat, each.action, each.cents) for each in now.betting.actions] == [(4, "call", 100), (7, "fold", 0)]
    assert now.betting.behind[7] == 10_000


def test_a_forfeit_that_stays_is_of_the_corrected_bet() -> None:
    """The bet was keyed as 200, the hand is forfeited, and the bet was 100: that lies there, and stays."""
    table = ready("five-card-stud.co", [1000, 1000, 1000], {"out_of_turn": "taken-back"})
    deal_on(table)
    table.controller(e.PlayerActed(1, BettingAction.BET, 200))
    table.controller(e.PlayerActed(1, BettingAction.FORFEIT, 0))
    table.controller(e.PlayerActed(1, BettingAction.BET, 100, Manner.CORRECTED))
    adds_up(table)
    actions = [(each.seat, each.action, each.cents) for each in round_of(table.flow).betting.actions]
    assert actions == [(1, "bet", 100), (1, "forfeit", 100)]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GAMES), stakes, st.randoms(use_true_random=False))
def test_a_corrected_hand_is_the_hand_keyed_right_at_once(game: str, chips: list[int], random: Random) -> None:
    """Every action is keyed wrong first, by another that was listed, and then corrected before anything else comes."""
    once, twice = ready(game, chips, {}), ready(game, chips, {})
    deal_on(once)
    deal_on(twice)
    while once.flow.state is State.ACTING:
        listed = actions(once)
        right = acted(round_of(once.flow), random.choice(listed), random)
        wrong = acted(round_of(once.flow), random.choice(listed), random)
        once.controller(right)
        twice.controller(wrong)
        twice.controller(e.PlayerActed(right.seat, right.action, right.cents, Manner.CORRECTED))
        assert twice.codes == []
        one, two = round_of(once.flow), round_of(twice.flow)
        assert (once.flow.state, one.at, one.wagers) == (twice.flow.state, two.at, two.wagers)
        assert (one.betting.behind, one.betting.folded) == (two.betting.behind, two.betting.folded)
        assert one.betting.waiting(one.live) == two.betting.waiting(two.live)
        deal_on(once)
        deal_on(twice)
    first, second = once.end(), twice.end()
    assert first.seats == second.seats
    assert [each.cents for each in first.actions] == [each.cents for each in second.actions]


def out_of_turn(table: HandTable, random: Random) -> int | None:
    """Report an action of a seat that is not due; return the seat if it was taken and is no fold."""
    now = round_of(table.flow)
    betting, live = now.betting, now.live
    due = betting.waiting(live)
    others = [seat for seat in live if seat not in due and betting.needs(seat, live)]
    if not others or betting.bring_in:
        return None
    seat = random.choice(others)
    action = random.choice([*BettingAction][:6])
    cents = {BettingAction.CALL: 0, BettingAction.CHECK: betting.lies(seat), BettingAction.ALL_IN: 0}
    before, more = len(betting.actions), betting.high + random.randint(1, 500)
    table.controller(e.PlayerActed(seat, action, cents.get(action, more)))
    now = round_of(table.flow)
    return seat if len(now.betting.actions) > before and seat in now.live else None


@pytest.mark.more
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(GAMES), stakes, st.randoms(use_true_random=False), st.sampled_from(["taken-back", "stands"]))
def test_a_hand_with_actions_taken_back_is_the_hand_without_them(
    game: str, chips: list[int], random: Random, reading: str
) -> None:
    """A seat acts before its turn, now and then; the seat that was due acts, or the floor takes it back first."""
    tidy, untidy = ready(game, chips, {"out_of_turn": reading}), ready(game, chips, {"out_of_turn": reading})
    for table in (tidy, untidy):
        deal_on(table)
    while tidy.flow.state is State.ACTING:
        right = acted(round_of(tidy.flow), random.choice(actions(tidy)), random)
        early = out_of_turn(untidy, random) if right.action != BettingAction.CHOP else None
        for gone in {*round_of(untidy.flow).betting.folded} - {*round_of(tidy.flow).betting.folded}:
            untidy.controller(e.PlayerActed(gone, BettingAction.WITHDRAW, 0))
        if early is not None and (reading == "stands" or random.random() < 0.5):
            untidy.controller(e.PlayerActed(early, BettingAction.WITHDRAW, 0))
        for table in (tidy, untidy):
            table.controller(right)
            adds_up(table)
        one, two = round_of(tidy.flow), round_of(untidy.flow)
        assert (one.wagers, one.live, one.betting.behind) == (two.wagers, two.live, two.betting.behind)
        assert one.betting.waiting(one.live) == two.betting.waiting(two.live)
        for table in (tidy, untidy):
            deal_on(table)
    first, second = tidy.end(), untidy.end()
    assert (first.seats, first.actions, first.outcome) == (second.seats, second.actions, second.outcome)


class Table(RuleBasedStateMachine):
    """A table where anybody acts, cards come, hands are found wrong and a supervisor rules, in any order."""

    table: HandTable

    @initialize(game=st.sampled_from(GAMES), chips=stakes, posted=options)
    def begin(self, game: str, chips: list[int], posted: dict[str, str]) -> None:
        self.table = ready(game, chips, posted)

    @rule()
    def deal(self) -> None:
        if not round_of(self.table.flow).rulings:
            deal_on(self.table)

    @precondition(lambda self: actions(self.table))
    @rule(random=st.randoms(use_true_random=False))
    def act(self, random: Random) -> None:
        """Take an action that is listed."""
        before = len(self.table.incidents)
        item = random.choice(actions(self.table))
        self.table.controller(acted(round_of(self.table.flow), item, random))
        codes = {found.code for found in self.table.incidents[before:]}
        assert not codes & {"action-refused", "out-of-turn", "acted-out-of-turn"}

    @rule(
        seat=st.sampled_from(SEATS),
        action=st.sampled_from([*BettingAction]),
        cents=st.integers(min_value=0, max_value=20_000),
        manner=st.sampled_from(["", *Manner]),
    )
    def anything(self, seat: int, action: BettingAction, cents: int, manner: str) -> None:
        self.table.controller(e.PlayerActed(seat, action, cents, manner))

    @rule(seat=st.sampled_from(SEATS), cards=st.integers(min_value=0, max_value=8))
    def count(self, seat: int, cards: int) -> None:
        self.table.count(f"seat {seat}", cards)

    @precondition(lambda self: round_of(self.table.flow).rulings)
    @rule()
    def goes_on(self) -> None:
        self.table.confirm()

    @rule()
    def misdeal(self) -> None:
        """Never taken once two have put money in."""
        now = round_of(self.table.flow)
        paid = {each.seat for each in now.betting.actions if each.action in ("bet", "raise", "call", "bring-in")}
        before, ruling = now.misdeal, bool(now.rulings)
        self.table.misdeal()
        assert before or ruling or not (now.misdeal and len(paid) >= 2)

    @invariant()
    def nobody_owes(self) -> None:
        if not hasattr(self, "table"):
            return
        now = round_of(self.table.flow)
        for seat in now.active:
            assert sum(now.wagers.get(seat, {}).values()) <= now.betting.stakes[seat]
            assert now.betting.behind.get(seat, 0) >= 0
        assert self.table.flow.legal()
        waiting = now.betting.waiting(now.live) if self.table.flow.state is State.ACTING else []
        assert self.table.flow.state is not State.ACTING or waiting or now.rulings


TestTable = Table.TestCase
TestTable.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
