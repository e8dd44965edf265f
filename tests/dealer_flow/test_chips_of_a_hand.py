"""Chips in a betting round, action after action: what lies where, who has to act, who was passed by."""

import pytest

from dealer_flow.table.betting import Betting
from dealer_flow.table.boards import first_on_board, strength
from dealer_flow.table.pots import Uncalled, pots, uncalled
from devices.events import BettingAction
from protocol.cards import parse_cards

CHECK, BET, CALL, RAISE = BettingAction.CHECK, BettingAction.BET, BettingAction.CALL, BettingAction.RAISE
FOLD, ALL_IN, BRING_IN = BettingAction.FOLD, BettingAction.ALL_IN, BettingAction.BRING_IN
LIVE = [1, 2, 3]


def blinds(**behind: int) -> Betting:
    """Seat 1 has put up the small blind, seat 2 the big one; seat 3 acts first. `behind`: what is left of stakes."""
    betting = Betting(behind={int(name.removeprefix("seat_")): cents for name, cents in behind.items()})
    betting.open("first", {1: 100, 2: 200}, (3, 1, 2), bring_in=False)
    return betting


def nothing_bet(*turns: int, bring_in: bool = False) -> Betting:
    """Nothing lies there."""
    betting = Betting()
    betting.open("first", {}, turns, bring_in=bring_in)
    return betting


def acts(betting: Betting, seat: int, action: BettingAction, cents: int, live: list[int] = LIVE) -> None:
    betting.act(seat, action, cents, "", [each for each in live if each not in betting.folded])


# ------------------------------------------------------------------ what lies where


def test_what_lies_before_a_seat_and_what_it_has_to_call() -> None:
    betting = blinds(seat_1=9900, seat_3=150)
    assert (betting.high, betting.raises, betting.step, betting.turns) == (200, 0, "first", (3, 1, 2))
    assert [betting.lies(seat) for seat in LIVE] == [100, 200, 0]
    assert [betting.most(seat) for seat in LIVE] == [10000, None, 150]
    assert [betting.to_call(seat) for seat in LIVE] == [200, 200, 150]


def test_who_is_all_in() -> None:
    betting = blinds(seat_1=0, seat_3=1)
    assert [betting.is_all_in(seat) for seat in LIVE] == [True, False, False]


def test_a_betting_round_begins_with_nothing_of_the_last_one() -> None:
    betting = blinds(seat_1=9900)
    acts(betting, 3, RAISE, 600)
    acts(betting, 2, CALL, 600)
    assert (betting.passed, betting.last, betting.raises, len(betting.earlier)) == ({1: 1}, 2, 1, 2)
    betting.open("second", {}, [1, 2, 3], bring_in=True)
    round_ = (betting.step, betting.put, betting.high, betting.raises, betting.bring_in, betting.turns)
    assert round_ == ("second", {}, 0, 0, True, (1, 2, 3))
    seats = (betting.acted, betting.checked, betting.last, betting.passed, betting.earlier)
    assert seats == (set(), set(), None, {}, ())
    assert (betting.behind, len(betting.actions)) == ({1: 9900}, 2)


# ------------------------------------------------------------------ who has to act


def test_who_still_has_to_act() -> None:
    betting = blinds(seat_3=0)
    betting.acted = {1, 2}
    assert [betting.needs(seat, [1, 2, 3]) for seat in (1, 2, 3, 4)] == [True, False, False, False]
    assert not betting.needs(1, [2, 3])
    betting.acted = {1}
    assert betting.needs(2, LIVE)


@pytest.mark.parametrize(
    ("live", "behind", "put", "acted", "over"),
    [
        ([], {}, {}, set(), True),
        ([2], {}, {2: 200}, set(), True),
        ([1, 2], {}, {1: 200, 2: 200}, {1, 2}, True),
        ([1, 2], {}, {1: 200, 2: 200}, {1}, False),
        ([1, 2], {}, {1: 100, 2: 200}, {1, 2}, False),
        ([1, 2], {1: 0}, {1: 500, 2: 200}, {2}, False),  # one alone can act, and has more to call
        ([1, 2], {1: 0}, {1: 500, 2: 500}, set(), True),
        ([1, 2], {1: 0}, {1: 500, 2: 900}, set(), True),
        ([1, 2], {1: 0, 2: 0}, {1: 500, 2: 900}, set(), True),
        ([1, 2, 3], {1: 0, 2: 0}, {1: 500, 2: 900, 3: 800}, {3}, False),
        ([1, 2, 3], {1: 0, 2: 0}, {1: 500, 2: 900, 3: 900}, set(), True),
        ([1, 2], {1: 0}, {1: 300, 2: 300, 3: 900}, {2}, True),  # who bet 900 has folded
        ([1, 2, 3], {1: 0}, {1: 500, 2: 500, 3: 500}, {2}, False),
    ],
)
def test_when_every_bet_is_called(
    live: list[int], behind: dict[int, int], put: dict[int, int], acted: set[int], over: bool
) -> None:
    betting = Betting(behind=behind, put=put, high=max(put.values(), default=0), acted=acted)
    assert betting.over(live) is over


def test_whose_turn_it_is() -> None:
    betting = nothing_bet(3, 1, 2)
    turns = [betting.waiting(LIVE)]
    for seat in (3, 1, 2):
        acts(betting, seat, CHECK, 0)
        turns.append(betting.waiting(LIVE))
    assert turns == [[3], [1], [2], []]


def test_the_turn_goes_around_until_the_last_raise_is_called() -> None:
    betting = blinds()
    for seat, action, cents, following in (
        (3, CALL, 200, [1]),
        (1, CALL, 200, [2]),
        (2, RAISE, 600, [3]),
        (3, FOLD, 200, [1]),
        (1, CALL, 600, []),
    ):
        acts(betting, seat, action, cents)
        assert betting.waiting([each for each in LIVE if each not in betting.folded]) == following


def test_all_may_act_while_nobody_knows_who_is_first() -> None:
    betting = nothing_bet()
    assert betting.waiting(LIVE) == [1, 2, 3]
    acts(betting, 2, CHECK, 0)
    assert (betting.waiting(LIVE), betting.passed) == ([1, 3], {})


# ------------------------------------------------------------------ seats that were passed by


def test_the_first_seat_that_was_passed_by_has_the_turn() -> None:
    live = [1, 2, 3, 4]
    betting = nothing_bet(1, 2, 3, 4)
    acts(betting, 3, CHECK, 0, live)
    assert (betting.passed, betting.last, betting.waiting(live)) == ({1: 0, 2: 0}, 3, [1])
    acts(betting, 2, CHECK, 0, live)  # before its turn again, and nobody is passed by again
    assert (betting.passed, betting.last, betting.waiting(live)) == ({1: 0}, 2, [1])
    acts(betting, 4, CHECK, 0, live)
    assert (betting.passed, betting.waiting(live)) == ({1: 0}, [1])
    acts(betting, 1, CHECK, 0, live)
    assert (betting.passed, betting.waiting(live)) == ({}, [])


def test_the_next_seat_that_was_passed_by_is_not_late_once_the_first_has_acted() -> None:
    """The bet out of turn and the call behind it are two players with money in, and seat 2 had no turn yet."""
    live = [1, 2, 3, 4]
    betting = nothing_bet(1, 2, 3, 4)
    acts(betting, 3, BET, 500, live)
    acts(betting, 1, CALL, 500, live)
    assert (betting.too_late(), betting.waiting(live)) == ([], [2])
    acts(betting, 4, CALL, 500, live)
    assert (betting.too_late(), betting.waiting(live)) == ([], [2])
    acts(betting, 2, RAISE, 1500, live)
    assert (betting.passed, betting.waiting(live)) == ({}, [3])


def test_who_is_too_late_comes_after_the_seat_whose_turn_it_is() -> None:
    live = [1, 2, 3, 4, 5]
    betting = nothing_bet(1, 2, 3, 4, 5)
    acts(betting, 2, BET, 500, live)
    acts(betting, 3, CALL, 500, live)
    assert (betting.too_late(), betting.waiting(live)) == ([1], [4, 1])
    acts(betting, 5, CALL, 500, live)
    assert (betting.too_late(), betting.waiting(live)) == ([1], [4])


def test_who_is_passed_by_later_is_passed_by_since_then() -> None:
    live = [1, 2, 3, 4]
    betting = nothing_bet(1, 2, 3, 4)
    acts(betting, 1, CHECK, 0, live)
    acts(betting, 4, BET, 500, live)
    assert betting.passed == {2: 1, 3: 1}
    acts(betting, 1, CALL, 500, live)
    assert (betting.passed, betting.waiting(live)) == ({2: 1, 3: 1}, [2, 3])


def test_a_seat_that_need_not_act_is_not_passed_by() -> None:
    betting = nothing_bet(1, 2, 3, 4)
    betting.behind = {1: 0}
    acts(betting, 4, CHECK, 0, [1, 3, 4])
    assert betting.passed == {3: 0}


def test_a_fold_before_its_turn_passes_nobody_by() -> None:
    betting = nothing_bet(1, 2, 3)
    acts(betting, 3, FOLD, 0)
    assert (betting.folded, betting.passed, betting.last, betting.waiting([1, 2])) == ({3}, {}, None, [1])
    acts(betting, 1, FOLD, 0)
    assert (betting.folded, betting.last) == ({1, 3}, 1)


@pytest.mark.parametrize(
    ("since", "late"),
    [
        ([(3, BET)], []),
        ([(3, BET), (4, CALL)], [1]),
        ([(3, BET), (4, FOLD)], []),
        ([(3, BET), (4, FOLD), (5, FOLD)], [1]),
        ([(3, CHECK), (4, CHECK), (5, CHECK)], []),
        ([(3, BRING_IN), (4, ALL_IN)], [1]),
        ([(3, BET), (3, RAISE)], []),
        ([(3, FOLD), (4, FOLD)], []),
        ([(3, FOLD), (4, FOLD), (5, FOLD)], [1]),
        ([(3, BET), (3, FOLD), (4, FOLD)], []),
    ],
)
def test_a_seat_passed_by_is_too_late_after_substantial_action(
    since: list[tuple[int, BettingAction]], late: list[int]
) -> None:
    """Two players put money in the pot, or three put money in or folded."""
    betting = nothing_bet()
    acts(betting, 2, BET, 100)
    betting.passed = {1: 1}
    assert not betting.substantial
    for number, (seat, action) in enumerate(since):
        betting.turns = ()
        betting.act(seat, action, 0 if action in (CHECK, FOLD) else 100 * (number + 2), "", [3, 4, 5])
    assert betting.too_late() == late
    paid = {2, *(seat for seat, action in since if action not in (CHECK, FOLD))}
    folded = {seat for seat, action in since if action is FOLD}
    assert betting.substantial is (len(paid) > 1 or len(paid | folded) > 2)


# ------------------------------------------------------------------ what an action does


def test_what_each_action_puts_in_and_raises() -> None:
    betting = blinds(seat_1=9900, seat_2=9800, seat_3=500)
    acts(betting, 3, ALL_IN, 500)
    assert (betting.put[3], betting.behind[3], betting.high, betting.raises, betting.acted) == (500, 0, 500, 1, {3})
    acts(betting, 1, RAISE, 1200)
    assert (betting.put[1], betting.behind[1], betting.high, betting.raises, betting.acted) == (
        1200,
        8800,
        1200,
        2,
        {1},
    )
    acts(betting, 2, CALL, 1200)
    assert (betting.put[2], betting.behind[2], betting.high, betting.raises) == (1200, 8800, 1200, 2)
    assert (betting.acted, betting.checked, betting.waiting(LIVE)) == ({1, 2}, set(), [])
    told = [(each.step, each.seat, each.action, each.cents, each.manner) for each in betting.actions]
    assert told == [
        ("first", 3, "all-in", 500, ""),
        ("first", 1, "raise", 1200, ""),
        ("first", 2, "call", 1200, ""),
    ]


def test_an_all_in_for_less_raises_nothing() -> None:
    betting = blinds(seat_3=150)
    acts(betting, 3, ALL_IN, 150)
    assert (betting.high, betting.raises, betting.behind, betting.put[3]) == (200, 0, {3: 0}, 150)
    unknown = blinds()
    acts(unknown, 3, ALL_IN, 900)
    assert (unknown.behind, unknown.high) == ({3: 0}, 900)


def test_the_first_bet_is_no_raise() -> None:
    betting = nothing_bet(1, 2, 3)
    acts(betting, 1, CHECK, 0)
    acts(betting, 2, BET, 300)
    assert (betting.high, betting.raises, betting.checked, betting.acted) == (300, 0, {1}, {2})
    acts(betting, 3, RAISE, 600)
    assert (betting.high, betting.raises) == (600, 1)
    acts(betting, 1, FOLD, 0)
    assert (betting.high, betting.raises, betting.folded, betting.acted) == (600, 1, {1}, {1, 3})
    least = nothing_bet(1, 2, 3)
    acts(least, 1, BET, 1)
    acts(least, 2, RAISE, 2)
    assert least.raises == 1


def test_what_completes_a_forced_bet_is_no_raise() -> None:
    betting = nothing_bet(2, 3, 1, bring_in=True)
    acts(betting, 2, BRING_IN, 100)
    assert (betting.high, betting.raises, betting.bring_in) == (100, 0, True)
    acts(betting, 3, RAISE, 500)
    assert (betting.high, betting.raises, betting.bring_in) == (500, 0, False)
    acts(betting, 1, RAISE, 900)
    assert (betting.high, betting.raises) == (900, 1)


def test_a_hand_thrown_away_while_nobody_bets() -> None:
    betting = blinds()
    betting.muck(2, "showdown")
    assert (betting.folded, betting.mucked, betting.last, len(betting.earlier)) == ({2}, {2}, None, 1)
    (told,) = betting.actions
    assert (told.step, told.seat, told.action, told.cents, told.manner) == ("showdown", 2, "fold", 200, "")
    assert betting.earlier[0].folded == set()


def test_a_seat_that_plays_for_what_is_in_the_pot() -> None:
    betting = blinds(seat_1=9900)
    betting.declare(1, "late")
    assert (betting.behind, betting.last, betting.acted, betting.put[1]) == ({1: 0}, None, set(), 100)
    (told,) = betting.actions
    assert (told.step, told.seat, told.action, told.cents, told.manner) == ("first", 1, "all-in", 100, "late")
    assert betting.earlier[0].behind == {1: 9900}


# ------------------------------------------------------------------ where the betting stood


def test_where_the_betting_stood_before_the_last_action() -> None:
    betting = blinds()
    acts(betting, 3, RAISE, 600)
    assert (betting.standing(3).high, betting.standing(3).put) == (200, {1: 100, 2: 200})
    assert betting.standing(1) is betting
    acts(betting, 1, CALL, 600)
    assert betting.standing(3) is betting  # another has done more since than fold
    assert betting.standing(1).put == {1: 100, 2: 200, 3: 600}


def test_folds_since_do_not_count() -> None:
    betting = blinds()
    acts(betting, 3, RAISE, 600)
    acts(betting, 1, FOLD, 100)
    acts(betting, 2, FOLD, 200)
    assert betting.standing(3).high == 200
    assert betting.standing(1).folded == set()
    assert betting.standing(2).folded == {1}


def test_a_copy_stays_as_it_is() -> None:
    betting = blinds(seat_1=9900, seat_3=500)
    acts(betting, 3, CALL, 200)
    before, told = betting.copy(), betting.copy()
    assert before == betting
    for held in (betting.behind, betting.put, betting.passed):
        held[7] = 7
    for seats in (betting.folded, betting.mucked, betting.chopped, betting.acted, betting.checked):
        seats.add(7)
    betting.actions.append(betting.actions[0])
    assert before == told
    assert before != betting


# ------------------------------------------------------------------ which board is first


@pytest.mark.parametrize(
    ("cards", "ace_high", "ranked"),
    [
        ("", True, ((), ())),
        ("2C 3D", True, ((1, 1), (3, 2))),
        ("AS KD", True, ((1, 1), (14, 13))),
        ("AS KD", False, ((1, 1), (13, 1))),
        ("2C KD KH", True, ((2, 1), (13, 2))),
        ("AS AH 2C 2D", True, ((2, 2), (14, 2))),
        ("AS AH 2C 2D", False, ((2, 2), (2, 1))),
        ("9S 9H 9C 2D", True, ((3, 1), (9, 2))),
    ],
)
def test_open_cards_as_they_compare(cards: str, ace_high: bool, ranked: object) -> None:
    assert strength(parse_cards(cards), ace_high=ace_high) == ranked


@pytest.mark.parametrize(
    ("boards", "low", "ace_high", "first"),
    [
        ({}, False, True, None),
        ({1: "AS", 2: ""}, False, True, None),
        ({1: "KS", 2: "AS", 3: "2C"}, False, True, 2),
        ({1: "KS", 2: "AS", 3: "2C"}, True, True, 3),
        ({1: "KS", 2: "AS", 3: "2C"}, True, False, 2),
        ({1: "KS", 2: "AS", 3: "2C"}, False, False, 1),
        ({3: "KS QD", 1: "2C 2D"}, False, True, 1),
        ({3: "KS QD", 1: "QS KD", 2: "2C 3D"}, False, True, 3),
        ({3: "2S 3D", 1: "KS QD", 2: "3C 2D"}, True, True, 3),
        ({2: "3C 2D", 3: "2S 3D"}, True, True, 2),
    ],
)
def test_whose_open_cards_are_first(boards: dict[int, str], low: bool, ace_high: bool, first: int | None) -> None:
    """Of equal ones the first in the order of the turns."""
    shown = {seat: parse_cards(cards) for seat, cards in boards.items()}
    assert first_on_board(shown, low=low, ace_high=ace_high) == first


# ------------------------------------------------------------------ what nobody matched


@pytest.mark.parametrize(
    ("put", "over"),
    [
        ({}, None),
        ({1: 500}, Uncalled(1, 500)),
        ({1: 500, 2: 500}, None),
        ({1: 500, 2: 499}, Uncalled(1, 1)),
        ({1: 100, 2: 900, 3: 400}, Uncalled(2, 500)),
        ({1: 100, 2: 900, 3: 900}, None),
    ],
)
def test_the_part_of_a_bet_that_is_above_every_other(put: dict[int, int], over: Uncalled | None) -> None:
    assert uncalled(put) == over


def test_pots_as_they_are_cut_by_who_could_put_in_no_more() -> None:
    put = {1: 300, 2: 900, 3: 900, 4: 100}
    told = [(dict(pot.shares), pot.contenders, pot.cents) for pot in pots(put, {1, 2, 3})]
    assert told == [
        ({1: 300, 2: 300, 3: 300, 4: 100}, frozenset({1, 2, 3}), 1000),
        ({2: 600, 3: 600}, frozenset({2, 3}), 1200),
    ]
    folded = [(dict(pot.shares), pot.contenders) for pot in pots(put, {1, 4})]
    assert folded == [
        ({1: 100, 2: 100, 3: 100, 4: 100}, frozenset({1, 4})),
        ({1: 200, 2: 800, 3: 800}, frozenset({1})),
    ]
    assert pots({}, set()) == []
