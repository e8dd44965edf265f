"""Actions of simulated players in a betting round, figure by figure, and the chips that result."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest

from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.procedure.posted import PostedBets
from dealwire.rehearsal.acting import BettingRound, Figures, Move
from dealwire.rehearsal.bettors import STYLES, acts, chooses, mucks
from dealwire.rehearsal.chips import Chips, due_of, in_turn, least_of
from devices.events import BettingAction

USUAL = Figures(10_000, 10_000, 3, check_and_raise=True, bet_or_fold=False)


def betting(*, forced: bool = False, lies: dict[int, int] | None = None, **figures: Any) -> BettingRound:
    """Three players with 20,000 each, seat 1 first."""
    behind = dict.fromkeys((1, 2, 3), 20_000)
    return BettingRound(replace(USUAL, **figures), (1, 2, 3), dict(lies or {}), behind, forced)


def may(round_: BettingRound, seat: int) -> dict[BettingAction, Move]:
    return {move.action: move for move in round_.moves(seat)}


def test_the_figures_are_the_procedures() -> None:
    assert Figures.of(Plan(load_procedure("holdem.co"), {})) == USUAL
    wanted = {"raises-per-round": "unlimited", "check-and-raise": "no", "bet-or-fold": "yes"}
    assert Figures.of(Plan(load_procedure("holdem.co"), wanted)) == Figures(10_000, 10_000, None, False, True)


def test_a_bet_and_a_raise_are_at_most_a_hundred_dollars() -> None:
    round_ = betting()
    assert may(round_, 1)[BettingAction.BET].most == 10_000
    round_.act(1, BettingAction.BET, 10_000)
    assert may(round_, 2)[BettingAction.RAISE].most == 20_000
    round_.behind[2] = 15_000
    assert may(round_, 2)[BettingAction.ALL_IN] == Move(BettingAction.ALL_IN, 15_000, 15_000)
    round_.behind[2] = 20_001
    assert BettingAction.ALL_IN not in may(round_, 2)


def test_so_many_raises_and_no_more() -> None:
    round_ = betting(raises=1)
    round_.act(1, BettingAction.BET, 200)
    round_.act(2, BettingAction.RAISE, 400)
    assert may(round_, 3).keys() == {BettingAction.FOLD, BettingAction.CALL}
    round_.behind[3] = 300
    assert may(round_, 3)[BettingAction.ALL_IN].most == 300  # less than a call is no raise


def test_who_checked_may_not_raise_where_the_house_says_so() -> None:
    round_ = betting(check_and_raise=False)
    round_.act(1, BettingAction.CHECK, 0)
    round_.act(2, BettingAction.BET, 200)
    round_.act(3, BettingAction.CALL, 200)
    assert may(round_, 1).keys() == {BettingAction.FOLD, BettingAction.CALL}


def test_nobody_checks_where_one_must_bet_or_fold() -> None:
    assert BettingAction.CHECK not in may(betting(bet_or_fold=True), 1)
    round_ = betting(bet_or_fold=True, lies={1: 100, 2: 200})
    round_.act(3, BettingAction.CALL, 200)
    round_.act(1, BettingAction.CALL, 200)
    assert BettingAction.CHECK in may(round_, 2)  # who has put up the bet that everybody called


def test_an_open_card_brings_in_and_what_completes_it_is_no_raise() -> None:
    round_ = betting(forced=True, raises=1)
    assert may(round_, 1).keys() == {BettingAction.BRING_IN}
    round_.act(1, BettingAction.BRING_IN, 100)
    round_.act(2, BettingAction.RAISE, 400)
    round_.act(3, BettingAction.RAISE, 800)
    assert BettingAction.RAISE not in may(round_, 1)


def test_it_goes_around_until_every_bet_is_called() -> None:
    round_, live = betting(), [1, 2, 3]
    for seat, action, cents in (
        (1, BettingAction.CHECK, 0),
        (2, BettingAction.BET, 200),
        (3, BettingAction.CALL, 200),
        (1, BettingAction.CALL, 200),
    ):
        assert round_.turn(live) == seat
        round_.act(seat, action, cents)
    assert round_.turn(live) is None
    assert round_.shows_first == 2


def test_nobody_acts_who_has_no_chips_or_nobody_to_bet_against() -> None:
    round_ = betting()
    round_.act(1, BettingAction.BET, 500)
    round_.behind[2] = 300
    round_.act(2, BettingAction.ALL_IN, 300)
    assert round_.turn([1, 2]) is None
    assert round_.turn([1, 2, 3]) == 3
    assert round_.after(3, [1, 2, 3]) is None
    assert round_.turn([3]) is None


@pytest.mark.parametrize("style", STYLES.values())
def test_a_style_does_what_may_be_done(style: Any) -> None:
    random = Random(3)
    for _ in range(300):
        round_ = betting(lies={2: 100, 3: 200}, raises=random.choice((1, None)))
        round_.behind[1] = random.choice((150, 900, 20_000))
        moves = round_.moves(1)
        action, cents = acts(style, moves, random)
        move = next(each for each in moves if each.action is action)
        assert move.least <= cents <= move.most


def test_who_has_no_style_plays_on() -> None:
    random = Random(1)
    assert {acts(STYLES[""], betting().moves(1), random)[0] for _ in range(50)} == {BettingAction.CHECK}
    assert {chooses(STYLES[""], ["fold", "play"], {"fold"}, random) for _ in range(50)} == {"play"}
    assert not any(mucks(STYLES[""], random) for _ in range(50))
    assert chooses(STYLES["tight"], ["fold"], {"fold"}, random) == "fold"


def test_chips_are_bought_put_up_and_won() -> None:
    chips = Chips()
    chips.buy_in(1, 300)
    assert chips.put_up(1, 500) == 300
    chips.win(1, 100)
    chips.buy_in(1, 300)
    assert (chips.behind, chips.bought) == ({1: 100}, {1: 300})
    chips.buy_in(1, 300, 450)
    assert (chips.behind, chips.bought) == ({1: 700}, {1: 900})


def test_blinds_go_around_from_the_left_of_the_button() -> None:
    plan, house = Plan(load_procedure("holdem.co"), {"ante": "yes"}), {"ante": 5, "small-blind": 10, "big-blind": 20}
    assert in_turn([1, 4, 7], 4) == [7, 1, 4]
    assert due_of(plan, [1, 4, 7], 4, Random(1), house) == {"ante": [7, 1, 4], "small-blind": [7], "big-blind": [1]}
    straddles = [due_of(plan, [1, 4, 7], 1, Random(seed), house | {"straddle": 40}) for seed in range(60)]
    assert {tuple(due["straddle"]) for due in straddles if "straddle" in due} == {(1,)}
    assert 0 < sum("straddle" in due for due in straddles) < 30
    assert not any("straddle" in due_of(plan, [1, 4], 1, Random(seed), house | {"straddle": 40}) for seed in range(60))


def test_where_bets_are_compared_a_seat_has_all_of_them() -> None:
    house = {"ante": 50, "strike-out": 200}
    home_run = Plan(load_procedure("home-run.co"), {"form": "ante"})
    assert least_of(home_run, {"ante": [1], "strike-out": [1]}, 1, house) == 250
    assert least_of(Plan(load_procedure("holdem.co"), {"ante": "yes"}), {"ante": [1]}, 1, house) == 1


def test_the_first_to_call_calls_the_full_blind() -> None:
    """The blind of $2 is all-in for $1.20; the first call is $2, and then that is the bet."""
    behind = {1: 20_000, 2: 20_000, 3: 0}
    round_ = BettingRound(USUAL, (1, 2, 3), {2: 100, 3: 120}, behind, full=200)
    assert may(round_, 1)[BettingAction.CALL] == Move(BettingAction.CALL, 200, 200)
    round_.act(1, BettingAction.CALL, 200)
    assert (round_.high, round_.raises, round_.full) == (200, 0, 0)
    assert may(round_, 2)[BettingAction.CALL].most == 200


def test_after_a_raise_nobody_calls_the_blind() -> None:
    round_ = BettingRound(USUAL, (1, 2, 3), {2: 100, 3: 120}, {1: 20_000, 2: 20_000, 3: 0}, full=200)
    round_.act(1, BettingAction.RAISE, 150)
    assert may(round_, 2)[BettingAction.CALL].most == 150


def test_less_than_a_full_raise_does_not_open_the_betting_again() -> None:
    round_ = betting(full_only=True)
    round_.act(1, BettingAction.BET, 1_000)
    round_.behind[2] = 1_500
    round_.act(2, BettingAction.ALL_IN, 1_500)
    assert BettingAction.RAISE in may(round_, 3)  # it has not acted
    round_.act(3, BettingAction.CALL, 1_500)
    assert may(round_, 1).keys() == {BettingAction.FOLD, BettingAction.CALL}
    assert round_.raises == 0


@pytest.mark.parametrize(("way", "small"), [("left-of-button", 5), ("button-small", 2)])
def test_of_two_players_the_house_says_who_has_the_small_blind(way: str, small: int) -> None:
    plan = Plan(load_procedure("holdem.co"), {"heads-up-blinds": way})
    house = {"small-blind": 100, "big-blind": 200}
    due = due_of(plan, (2, 5), 2, Random(1), house)
    assert due == {"small-blind": [small], "big-blind": [7 - small]}
    assert due_of(plan, (2, 5, 7), 2, Random(1), house) == {"small-blind": [5], "big-blind": [7]}


def test_a_player_comes_in_who_is_not_in_the_blinds() -> None:
    plan = Plan(load_procedure("holdem.co"), {})
    house = {"small-blind": 100, "big-blind": 200, "post": 200, "dead-post": 100}
    found = [due_of(plan, (1, 2, 3, 4), 4, Random(seed), house) for seed in range(40)]
    some = [due["post"] for due in found if "post" in due]
    assert {seat for (seat,) in some} == {3, 4}
    assert all(due.get("dead-post") == due.get("post") for due in found)
    assert 4 < len(some) < 20


# ------------------------------------------------------------------ posted sizes

FIXED = PostedBets("fixed", sizes={"flop": 400, "turn": 800})
SPREAD = PostedBets("spread", least_bet=200, most_bet=1000)
POT = PostedBets("pot", least_bet=500)


@pytest.mark.parametrize(
    ("posted", "lies", "pot", "least", "most"),
    [
        (FIXED, {}, 0, 400, 400),  # a bet of $4
        (FIXED, {2: 400}, 0, 800, 800),  # a raise of one size more
        (SPREAD, {}, 0, 200, 1000),
        (SPREAD, {2: 600}, 0, 1200, 1600),  # at least the $6 before it, at most $10 more
        (SPREAD, {2: 200}, 0, 400, 1200),
        (POT, {}, 3000, 500, 3000),  # a pot of $30
        (POT, {2: 1000}, 3000, 2000, 6000),  # called, the pot of $30 and $10 holds $50, and so much more may be raised
    ],
)
def test_a_bet_has_a_posted_size(posted: PostedBets, lies: dict[int, int], pot: int, least: int, most: int) -> None:
    behind = {1: 20_000, 2: 20_000, 3: 20_000}
    figures = replace(USUAL, most_bet=None, most_raise=None)
    round_ = BettingRound(figures, (1, 2, 3), dict(lies), behind, posted=posted, bet="flop", pot=pot)
    name = BettingAction.RAISE if lies else BettingAction.BET
    assert Move(name, least, most) in round_.moves(1)


def test_who_brings_in_puts_up_what_is_posted() -> None:
    posted = PostedBets("spread", bring_in=300, least_bet=500, most_bet=1000)
    round_ = BettingRound(USUAL, (1, 2, 3), {}, {1: 20_000, 2: 20_000, 3: 20_000}, True, posted=posted, bet="third")
    assert round_.moves(1) == [Move(BettingAction.BRING_IN, 300, 300)]
    round_.act(1, BettingAction.BRING_IN, 300)
    assert Move(BettingAction.RAISE, 500, 1300) in round_.moves(2)  # a full bet, to $10 above the bring-in
