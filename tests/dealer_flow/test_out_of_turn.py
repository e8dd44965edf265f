"""An action out of turn, as 47.1-1019, 1024 and 1027 have it or as houses post it; actions taken back by a ruling.

The button is at seat 4. Before the flop seat 3 is due with 200 to call, after it seat 1 with nothing to call.
"""

from typing import Final

import pytest

from dealer_flow.record.incidents import Incident
from rules import load_game, settle
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, refused

SEATS = "stakes 1: 20000, 2: 20000, 3: 20000, 4: 20000 / bets 1: small-blind 100 / bets 2: big-blind 200 / start at 4"
DEALT = f"{SEATS} / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D | seat 4 6S 7S"
FLOP = (
    f"{DEALT} / acts 3: call 200 / acts 4: call 200 / acts 1: call 200 / acts 2: check"
    " / burn-card 9S / draw community 9C TC JC"
)
STREETS: Final = {"pre-flop": DEALT, "flop": FLOP}
BACK, STANDS, BINDS = "taken-back", "stands", "binds"


def holdem(lines: str, reading: str = BACK) -> HandTable:
    return play("holdem.co", lines, out_of_turn=reading)


def turn(table: HandTable) -> list[int]:
    """Return the seats that may act, the one whose turn it is first."""
    now = round_of(table.flow)
    return now.betting.waiting(now.live)


def stands(table: HandTable) -> tuple[int, dict[int, int]]:
    """Return the bet to call, and what lies before each seat that has chips there."""
    betting = round_of(table.flow).betting
    return betting.high, {seat: cents for seat, cents in sorted(betting.put.items()) if cents}


def offered(table: HandTable, seat: int) -> list[str]:
    return [item.what for item in table.flow.legal() if item.event == "PlayerActed" and item.place == f"seat {seat}"]


def back(table: HandTable) -> list[tuple[str, int | None, str, int | None]]:
    """Return reason, seat, action and cents of every action that was taken back."""
    return [(each.reason, each.seat, each.how, each.cents) for each in taken(table)]


def taken(table: HandTable) -> list[Incident]:
    return [each for each in table.incidents if each.code == "action-taken-back"]


def record(table: HandTable) -> list[tuple[int, str, int]]:
    """Return the actions that count, of the last betting round."""
    betting = round_of(table.flow).betting
    return [(each.seat, each.action, each.cents) for each in betting.actions if each.step == betting.step]


# ------------------------------------------------------------------ each action, in the first and a later round

EARLY: Final = [
    # street, who acts before its turn and how; the seat that is due, and how it acts; what it then has to call
    ("pre-flop", "4: call 200", (4, "call", 200), "3: call 200", 3),
    ("pre-flop", "4: raise 900", (4, "raise", 900), "3: call 200", 3),
    ("pre-flop", "4: all-in 10200", (4, "all-in", 10200), "3: call 200", 3),
    ("flop", "2: check", (2, "check", 0), "1: check", 1),
    ("flop", "2: bet 500", (2, "bet", 500), "1: check", 1),
    ("flop", "2: all-in 9800", (2, "all-in", 9800), "1: check", 1),
]
"""A seat acts one place too early; the stake of an all-in is cut to what the limit of $100 lets in."""


def cut(street: str, early: str) -> str:
    """Return the lines up to there, with the short stake of a seat that goes all-in."""
    lines = STREETS[street]
    if "4: all-in" in early:
        return lines.replace("4: 20000", "4: 10200")
    return lines.replace("2: 20000", "2: 10000") if "2: all-in" in early else lines


@pytest.mark.parametrize(("street", "early", "done", "due", "first"), EARLY)
def test_it_is_taken_back_when_the_seat_that_was_due_acts(
    street: str, early: str, done: tuple[int, str, int], due: str, first: int
) -> None:
    """The seat finds the bets as they were, and who acted too early is free: here it folds."""
    table = holdem(f"{cut(street, early)} / acts {early}")
    assert (turn(table), table.codes) == ([first], ["acted-out-of-turn"])
    go_on(table, f"acts {due}")
    assert back(table) == [("free", *done)]
    assert turn(table) == [done[0]]
    assert stands(table) == ((200, {1: 100, 2: 200, 3: 200}) if street == "pre-flop" else (0, {}))
    go_on(table, f"acts {done[0]}: fold")
    assert table.codes == ["acted-out-of-turn", "action-taken-back"]


@pytest.mark.parametrize(("street", "early", "done", "due", "first"), EARLY)
def test_it_binds_while_the_bet_to_call_is_the_same(
    street: str, early: str, done: tuple[int, str, int], due: str, first: int
) -> None:
    table = holdem(f"{cut(street, early)} / acts {early} / acts {due}", BINDS)
    assert back(table) == [("apart", *done)]
    assert offered(table, done[0]) == [f"{done[1]} as it did out of turn", "take back the action out of turn"]
    go_on(table, f"acts {done[0]}: fold")
    assert refused(table)[-1] == ("action-refused", "keeps_word", False)
    go_on(table, f"acts {early}")
    assert record(table)[-1] == done
    assert turn(table) != [done[0]]


@pytest.mark.parametrize(
    ("street", "early", "done", "raised"),
    [
        ("pre-flop", "4: call 200", (4, "call", 200), "3: raise 600"),
        ("pre-flop", "4: raise 900", (4, "raise", 900), "3: raise 900"),
        ("flop", "2: check", (2, "check", 0), "1: bet 300"),
        ("flop", "2: bet 500", (2, "bet", 500), "1: bet 300"),
    ],
)
def test_who_is_raised_in_between_is_free(street: str, early: str, done: tuple[int, str, int], raised: str) -> None:
    table = holdem(f"{STREETS[street]} / acts {early} / acts {raised}", BINDS)
    assert back(table) == [("apart", *done), ("changed", *done)]
    assert taken(table)[-1].wanted == int(raised.split()[-1])
    assert "fold" in offered(table, done[0])
    assert go_on(table, f"acts {done[0]}: fold").codes[-1] == "action-taken-back"


@pytest.mark.parametrize(("street", "early", "done", "due", "first"), EARLY)
def test_it_stands_where_the_house_has_it_so(
    street: str, early: str, done: tuple[int, str, int], due: str, first: int
) -> None:
    """The seat that was passed by faces it, and may act until substantial action has taken place."""
    table = holdem(f"{cut(street, early)} / acts {early}", STANDS)
    assert turn(table) == [first]
    assert stands(table)[0] == done[2]
    assert not back(go_on(table, f"acts {first}: {'call' if done[2] else 'check'} {done[2]}"))
    assert record(table)[0] == done


def test_where_it_stands_the_turn_goes_around_from_the_first_seat_that_was_passed_by() -> None:
    """Seats 1 and 2 were passed by, and neither is late: their turns come one after the other (47.1-1019, 1024)."""
    table = holdem(f"{FLOP} / acts 3: bet 500", STANDS)
    assert (turn(table), offered(table, 4)) == ([1], [])
    go_on(table, "acts 1: call 500")
    assert (turn(table), round_of(table.flow).rulings) == ([2], [])
    go_on(table, "acts 2: raise 1500")
    assert (turn(table), offered(table, 3)[0]) == ([3], "call $10")
    go_on(table, "acts 3: call 1500 / acts 4: fold / acts 1: fold")
    assert (turn(table), table.codes) == ([], ["acted-out-of-turn"])
    assert record(table) == [
        *[(3, "bet", 500), (1, "call", 500), (2, "raise", 1500)],
        *[(3, "call", 1500), (4, "fold", 0), (1, "fold", 500)],
    ]


def test_where_it_stands_the_seat_behind_it_is_out_of_turn_before_the_one_that_was_passed_by() -> None:
    """Its call stands too, and is substantial action: a supervisor rules on the hand of seat 1 (47.1-1024)."""
    table = holdem(f"{FLOP} / acts 2: bet 500 / acts 3: call 500", STANDS)
    assert table.codes == ["acted-out-of-turn", "acted-out-of-turn", "hand-passed-by"]
    assert turn(table) == [4, 1]


def test_only_an_action_out_of_turn_is_listed_to_be_taken_back() -> None:
    table = holdem(f"{FLOP} / acts 3: bet 500", STANDS)
    assert offered(table, 3) == ["take back the action out of turn"]
    go_on(table, "acts 1: call 500")
    assert (turn(table), offered(table, 1)) == ([2], [])


@pytest.mark.parametrize("reading", [BACK, STANDS, BINDS])
def test_a_fold_out_of_turn_stays(reading: str) -> None:
    """Its cards are in the muck, 47.1-1032(3): nobody has them back, and nobody was passed by."""
    table = holdem(f"{FLOP} / acts 3: fold / acts 1: check / acts 2: check", reading)
    assert (turn(table), round_of(table.flow).live, back(table)) == ([4], [1, 2, 4], [])


# ------------------------------------------------------------------ two in a row, and others in between


def test_two_in_a_row_are_both_taken_back() -> None:
    """Only one of them has put chips in, which is no substantial action."""
    table = holdem(f"{FLOP} / acts 2: check / acts 3: bet 300")
    assert turn(table) == [1]
    go_on(table, "acts 1: bet 100")
    assert back(table) == [("free", 2, "check", 0), ("free", 3, "bet", 300)]
    assert (turn(table), stands(table)) == ([2], (100, {1: 100}))
    assert record(table) == [(1, "bet", 100)]


def test_two_in_a_row_bind_one_after_the_other() -> None:
    """Seat 3's bet was made on a check of seat 2; after that check it is due, after a bet of seat 2 it would not be."""
    table = holdem(f"{FLOP} / acts 2: check / acts 3: bet 300 / acts 1: check", BINDS)
    assert back(table) == [("apart", 2, "check", 0), ("apart", 3, "bet", 300)]
    go_on(table, "acts 2: check")
    assert offered(table, 3)[0] == "bet as it did out of turn"
    go_on(table, "acts 3: bet 300 / acts 4: fold / acts 1: fold / acts 2: call 300")
    assert record(table)[1:] == [(2, "check", 0), (3, "bet", 300), (4, "fold", 0), (1, "fold", 0), (2, "call", 300)]


def test_a_ruling_frees_who_is_bound() -> None:
    early = f"{FLOP} / acts 1: check / acts 3: bet 300 / acts 4: fold"
    table = holdem(f"{early} / acts 2: check / acts 3: withdraw", BINDS)
    assert back(table) == [("apart", 3, "bet", 300), ("ruled", 3, "bet", 300)]
    assert (turn(table), round_of(table.flow).live) == ([3], [1, 2, 3])
    go_on(table, "acts 3: check")
    assert turn(table) == []


def test_a_seat_that_was_passed_by_twice_acts_before_those_that_are_due_after_it() -> None:
    """Seats 1 and 2 are due; seat 4 bets, then seat 2 before seat 1: both find nothing to call."""
    table = holdem(f"{FLOP} / acts 4: bet 300")
    assert turn(table) == [1]
    go_on(table, "acts 2: check")
    assert back(table) == [("free", 4, "bet", 300)]
    assert turn(table) == [1]
    go_on(table, "acts 1: bet 700")
    assert back(table)[1:] == [("free", 2, "check", 0)]
    assert (turn(table), stands(table)) == ([2], (700, {1: 700}))


def test_a_check_that_is_taken_back_is_no_check_before_a_raise() -> None:
    """If the house has no check-and-raise, 47.1-1040(2)."""
    early = f"{FLOP} / acts 2: check / acts 1: bet 300 / acts 2: raise 900"
    assert play("holdem.co", early, check_and_raise="no").codes == ["acted-out-of-turn", "action-taken-back"]
    stood = play("holdem.co", early, check_and_raise="no", out_of_turn=STANDS)
    assert refused(stood)[-1] == ("action-refused", "may_check_raise", False)


def test_a_fold_on_a_bet_that_is_taken_back_stays() -> None:
    table = holdem(f"{FLOP} / acts 2: bet 300 / acts 3: fold / acts 1: check")
    assert (turn(table), round_of(table.flow).live) == ([2], [1, 2, 4])
    assert record(table) == [(1, "check", 0), (3, "fold", 0)]


@pytest.mark.parametrize("reading", [BACK, BINDS])
def test_after_substantial_action_what_was_done_stands(reading: str) -> None:
    """47.1-1024: two have put chips in, and seat 1 has not spoken. If a person lets it act, it faces the bet."""
    table = holdem(f"{FLOP} / acts 2: bet 300 / acts 3: call 300", reading)
    assert table.codes[-1] == "hand-passed-by"
    go_on(table, "acts 1: call 300")
    assert (back(table), stands(table), turn(table)) == ([], (300, {1: 300, 2: 300, 3: 300}), [4])
    forfeited = holdem(f"{FLOP} / acts 2: bet 300 / acts 3: call 300 / confirm", reading)
    assert (round_of(forfeited.flow).live, stands(forfeited)[0], turn(forfeited)) == ([2, 3, 4], 300, [4])


def test_the_chips_lie_before_the_seat_again() -> None:
    table = holdem(f"{FLOP} / acts 2: bet 300 / acts 1: check / acts 2: all-in 9800")
    assert refused(table)[-1][1] == "all_of_it"
    go_on(table, "acts 2: bet 10000 / acts 3: fold / acts 4: fold / acts 1: fold")
    result = table.end()
    assert {seat.seat: sum(seat.wagers.values()) for seat in result.seats} == {1: 200, 2: 10200, 3: 200, 4: 200}
    done = settle(result, load_game("holdem.co"))
    assert {seat.seat: seat.net for seat in done.seats} == {1: -200, 2: 600, 3: -200, 4: -200}
    assert [each.how for each in result.incidents if each.code == "action-taken-back"] == ["bet"]


def test_the_next_betting_round_and_the_next_hand_know_nothing_of_it() -> None:
    table = holdem(f"{DEALT} / acts 4: raise 900 / acts 3: call 200 / acts 4: raise 900", BINDS)
    go_on(table, "acts 1: call 900 / acts 2: fold / acts 3: call 900 / burn-card 9S / draw community 9C TC JC")
    assert (turn(table), round_of(table.flow).betting.apart) == ([1], {})
    go_on(table, "acts 4: bet 500 / acts 1: check / acts 3: check")
    assert offered(table, 4)[0] == "bet as it did out of turn"
    table.end()
    kept = table.flow.kept()
    assert kept is not None
    table.flow.restore(kept)
    assert round_of(table.flow).betting.apart == {}


def test_what_is_done_twice_is_on_record_twice() -> None:
    """Seat 2 checks before seat 1 on the flop and again on the turn."""
    checks = "acts 2: check / acts 1: check / acts 2: check / acts 3: check / acts 4: check"
    table = holdem(f"{FLOP} / {checks} / burn-card 8S / draw community 2D / {checks}")
    assert table.codes == ["acted-out-of-turn", "action-taken-back"] * 2


# ------------------------------------------------------------------ rulings of the floor

RULED: Final = [
    ("pre-flop", "4: call 200", (4, "call", 200)),
    ("pre-flop", "4: raise 900", (4, "raise", 900)),
    ("pre-flop", "4: fold", (4, "fold", 0)),
    ("pre-flop", "4: all-in 10200", (4, "all-in", 10200)),
    ("flop", "2: check", (2, "check", 0)),
    ("flop", "2: bet 500", (2, "bet", 500)),
    ("flop", "2: fold", (2, "fold", 0)),
    ("flop", "1: bet 500", (1, "bet", 500)),
]


@pytest.mark.parametrize("reading", [BACK, STANDS, BINDS])
@pytest.mark.parametrize(("street", "early", "done"), RULED)
def test_an_action_is_taken_back_by_a_ruling(street: str, early: str, done: tuple[int, str, int], reading: str) -> None:
    """As if it had never been made: the seat that was due acts, and nothing lies before the other."""
    lines = cut(street, early)
    before, table = holdem(lines, reading), holdem(f"{lines} / acts {early} / acts {done[0]}: withdraw", reading)
    assert back(table) == [("ruled", *done)]
    assert (turn(table), stands(table)) == (turn(before), stands(before))
    one, two = round_of(before.flow), round_of(table.flow)
    assert (one.wagers, one.live, one.betting.behind) == (two.wagers, two.live, two.betting.behind)
    assert "withdraw" not in [each.action for each in two.betting.actions]


def test_two_actions_are_taken_back_the_last_one_first() -> None:
    table = holdem(f"{FLOP} / acts 2: bet 300 / acts 3: call 300 / acts 2: withdraw", STANDS)
    assert refused(table)[-1] == ("action-refused", "action_to_withdraw", False)
    assert "hand-passed-by" in table.codes
    go_on(table, "acts 3: withdraw")
    assert (round_of(table.flow).rulings, stands(table)) == ([], (300, {2: 300}))
    go_on(table, "acts 2: withdraw")
    assert (turn(table), stands(table)) == ([1], (0, {}))
    assert back(table) == [("ruled", 3, "call", 300), ("ruled", 2, "bet", 300)]


def test_the_last_call_of_a_round_is_taken_back_before_the_next_card() -> None:
    table = holdem(f"{FLOP} / acts 1: bet 300 / acts 2: fold / acts 3: fold / acts 4: call 300")
    assert turn(table) == []
    assert turn(go_on(table, "acts 4: withdraw")) == [4]
    late = holdem(f"{FLOP} / acts 1: bet 300 / acts 2: fold / acts 3: fold / acts 4: call 300 / burn-card 2S")
    assert refused(go_on(late, "acts 4: withdraw"))[-1] == ("action-refused", "action_to_withdraw", False)


def test_where_nobody_has_acted_nothing_is_taken_back() -> None:
    assert refused(holdem(f"{DEALT} / acts 3: withdraw")) == [("action-refused", "action_to_withdraw", False)]
    assert refused(holdem("stakes 1: 500 / acts 1: withdraw")) == [("out-of-turn", "round_begun", False)]


def test_a_refusal_names_the_bet_that_the_seat_finds() -> None:
    """Seat 4 has raised to $9 before its turn; to seat 3, whose turn it is, $2 is to be called."""
    table = holdem(f"{DEALT} / acts 4: raise 900 / acts 3: check")
    assert [(each.reason, each.wanted) for each in table.incidents[1:]] == [("nothing_to_call", 200)]
