"""Pots cut in the play (47.1-1023(2)): a hand that ends after the bets are called moves no chip of another.

The amounts are worked out on paper from the text: a pot is split in whole dollars, with an odd one to the left of the
button (1035), and raked by itself (1018(1)).
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dealer_flow.record.result import RoundResult
from rules import Settlement, load_game, settle
from rules.settlement import HouseRake
from tests.support.dealing.hand_table import HandTable

BOARD = "AH KH 8C 6S 3D"
PLAY = """
stakes 1: 60000, 2: 60000, 3: 60000, 4: 1500
bets 4: small-blind 100
bets 1: big-blind 200
start at 3
draw seat 4 QC JD | seat 1 AS KD | seat 2 AD KS | seat 3 2C 7D
acts 2: raise 1500
acts 3: fold
acts 4: all-in 1500
acts 1: call 1500
burn-card 2H
draw community AH KH 8C
acts 1: bet 2050
acts 2: call 2050
burn-card 3H
draw community 6S
acts 1: check
acts 2: check
burn-card 4H
draw community 3D
acts 1: check
acts 2: check
show community: AH KH 8C 6S 3D
"""
"""Seat 4 is all-in with $15; seats 1 and 2 tie for the main pot of $45 and the side pot of $41. The button is at 3."""
SHOWN = "show seat 1: AS KD\nshow seat 2: AD KS\n"
SHOWS, MUCKS = "show seat 4: QC JD\n", "acts 4: fold\n"


def dealt(*parts: str, game: str = "holdem.co", **options: str) -> RoundResult:
    table = HandTable(game, **options)
    for part in parts:
        table.play(part)
    return table.end()


def settled(result: RoundResult, rake: str = "", token: int = 100, **readings: str) -> Settlement:
    game = load_game(result.procedure.id)
    return settle(result, game, token_cents=token, rake=HouseRake(rake) if rake else None, readings=readings)


def pots(result: RoundResult) -> list[tuple[int, int, dict[int, int], list[int]]]:
    """Number, cents, shares and seats of each pot on record."""
    return [
        (pot.number, pot.cents, {each.seat: each.cents for each in pot.shares}, [*pot.seats]) for pot in result.pots
    ]


def won(done: Settlement) -> list[dict[int, int]]:
    """Return the winners of each pot."""
    return [{each.seat: each.cents for each in pot.winners} for pot in done.pots]


def nets(done: Settlement) -> dict[int, int]:
    return {seat.seat: seat.net for seat in done.seats}


TWO_POTS = [(1, 4500, {1: 1500, 2: 1500, 4: 1500}, [1, 2, 4]), (2, 4100, {1: 2050, 2: 2050}, [1, 2])]


@pytest.mark.parametrize("last", [SHOWS, MUCKS])
def test_a_beaten_all_in_hand_moves_no_chip_whether_it_is_shown_or_mucked(last: str) -> None:
    result = dealt(PLAY, SHOWN, last)
    assert pots(result) == TWO_POTS
    assert won(settled(result)) == [{1: 2300, 2: 2200}, {1: 2100, 2: 2000}]
    raked = settled(result, rake="10")
    assert [pot.rake for pot in raked.pots] == [400, 400]
    assert won(raked) == [{1: 2100, 2: 2000}, {1: 1900, 2: 1800}]


@pytest.mark.parametrize("last", [SHOWS, MUCKS])
def test_awards_that_are_reported_by_pot_are_settled(last: str) -> None:
    result = dealt(PLAY, SHOWN, "takes 1: 2100 of 2\ntakes 2: 2000 of 2\n", last, "takes 1: 2300\ntakes 2: 2200\n")
    done = settled(result)
    assert (done.status, won(done)) == ("settled", [{1: 2300, 2: 2200}, {1: 2100, 2: 2000}])


def test_an_award_against_the_cards_stands_in_its_own_pot() -> None:
    result = dealt(PLAY, SHOWN, "takes 2: 4100 of 2\n", MUCKS)
    assert won(settled(result)) == [{1: 2300, 2: 2200}, {2: 4100}]


def test_pots_that_were_pushed_as_one_are_settled_if_everybody_has_what_it_won() -> None:
    result = dealt(PLAY, SHOWN, MUCKS, "takes 1: 4400\ntakes 2: 4200\n")
    assert won(settled(result)) == [{1: 2300, 2: 2200}, {1: 2100, 2: 2000}]
    other = settled(dealt(PLAY, SHOWN, MUCKS, "takes 1: 4300\ntakes 2: 4300\n"))
    assert other.status != "settled"
    assert [bool(pot.held) for pot in other.pots] == [True, False]


def test_the_console_shows_the_pots_that_are_settled() -> None:
    table = HandTable("holdem.co").play(PLAY).play(SHOWN)
    for line, contenders in (("", [[1, 2, 4], [1, 2]]), (MUCKS, [[1, 2], [1, 2]])):
        now = table.play(line).flow.snapshot().betting
        assert now is not None
        assert [pot.cents for pot in now.pots] == [4500, 4100]
        assert [sorted(pot.contenders) for pot in now.pots] == contenders


def test_a_hand_found_dead_after_the_betting_leaves_the_pots_as_they_are() -> None:
    result = dealt(PLAY, SHOWN, "mishap seat 4: fouled-by-player\n")
    assert [seat.status for seat in result.seats if seat.seat == 4] == ["dead"]
    assert pots(result) == TWO_POTS
    assert won(settled(result)) == [{1: 2300, 2: 2200}, {1: 2100, 2: 2000}]


def test_chips_that_go_back_leave_the_other_pot_as_it_is() -> None:
    """A hand that was fouled without its player's fault has its chips back (47.1-1020): $15 of the main pot."""
    result = dealt(PLAY, SHOWN, "mishap seat 4: fouled-by-others\n")
    assert pots(result) == [(1, 3000, {1: 1500, 2: 1500}, [1, 2]), (2, 4100, {1: 2050, 2: 2050}, [1, 2])]
    done = settled(result)
    assert won(done) == [{1: 1500, 2: 1500}, {1: 2100, 2: 2000}]
    assert nets(done) == {1: 50, 2: -50, 4: 0}


THREE = """
stakes 1: 60000, 2: 60000, 3: 1500
start at 3
draw seat 1 AS KD | seat 2 AD KS | seat 3 QC JD
"""
STREETS = [("2H", "AH KH 8C"), ("3H", "6S"), ("4H", "3D")]


def run_out(*acts: str) -> str:
    lines = []
    for (burn, cards), after in zip(STREETS, (*acts, "", "", ""), strict=False):
        lines.append(f"burn-card {burn}\ndraw community {cards}\n{after}")
    return "".join(lines) + f"show community: {BOARD}\n"


def test_who_folds_in_the_betting_in_which_it_went_all_in_makes_no_side_pot() -> None:
    """Seat 3 throws its hand away while seat 1 has still to call: when the bets are called, one pot is pulled in."""
    acts = "acts 1: bet 1000\nacts 2: raise 3000\nacts 3: all-in 1500\nacts 3: fold\nacts 1: call 3000\n"
    checks = "acts 1: check\nacts 2: check\n"
    result = dealt(THREE, acts, run_out(checks, checks, checks), SHOWN)
    assert pots(result) == [(1, 7500, {1: 3000, 2: 3000, 3: 1500}, [1, 2])]


def test_who_is_all_in_and_throws_its_hand_away_on_a_later_street_leaves_the_pots() -> None:
    acts = "acts 1: bet 1000\nacts 2: raise 3000\nacts 3: all-in 1500\nacts 1: call 3000\n"
    checks = "acts 1: check\nacts 2: check\n"
    for thrown in (f"acts 3: fold\n{checks}", "acts 1: check\nacts 3: fold\nacts 2: check\n"):
        result = dealt(THREE, acts, run_out(thrown, checks, checks), SHOWN)
        assert pots(result) == [
            (1, 4500, {1: 1500, 2: 1500, 3: 1500}, [1, 2, 3]),
            (2, 3000, {1: 1500, 2: 1500}, [1, 2]),
        ]
        assert won(settled(result)) == [{1: 2300, 2: 2200}, {1: 1500, 2: 1500}]


def test_a_fold_in_the_betting_of_a_player_with_chips_leaves_one_pot() -> None:
    acts = "acts 1: bet 1000\nacts 2: call 1000\nacts 3: call 1000\n"
    later = "acts 1: bet 500\nacts 2: call 500\nacts 3: fold\n"
    checks = "acts 1: check\nacts 2: check\n"
    result = dealt(THREE, acts, run_out(later, checks, checks), SHOWN)
    assert pots(result) == [(1, 4000, {1: 1500, 2: 1500, 3: 1000}, [1, 2])]


def test_a_side_pot_is_theirs_who_were_in_it_though_all_of_them_muck() -> None:
    """Nobody is left to bet from the flop on. Seat 1 mucks, then seat 2, which had bet $10 more than it was called."""
    acts = "acts 1: bet 2000\nacts 2: raise 4000\nacts 3: all-in 1500\nacts 1: all-in 3000\n"
    stakes = THREE.replace("1: 60000", "1: 3000")
    result = dealt(stakes, acts, run_out(), "acts 1: fold\nacts 2: fold\nshow seat 3: QC JD\n")
    assert pots(result) == [(1, 4500, {1: 1500, 2: 1500, 3: 1500}, [1, 2, 3]), (2, 3000, {1: 1500, 2: 1500}, [1, 2])]
    done = settled(result)
    assert won(done) == [{3: 4500}, {2: 3000}]
    assert [(line.seat, line.stake) for line in done.lines if line.bet == "uncalled"] == [(2, 1000)]
    held = settled(result, **{"given-up-side-pot": "held"})
    assert [bool(pot.held) for pot in held.pots] == [False, True]


def test_four_levels_stay_four_pots_whoever_mucks() -> None:
    """Each of three is all-in for more than the one before; only the worst hand is shown."""
    begins = """
    stakes 1: 1000, 2: 2000, 3: 3000, 4: 9000
    start at 4
    draw seat 1 AS KD | seat 2 AD KS | seat 3 QC JD | seat 4 2C 7D
    acts 1: all-in 1000
    acts 2: all-in 2000
    acts 3: all-in 3000
    acts 4: call 3000
    """
    result = dealt(begins, run_out(), "acts 1: fold\nacts 3: fold\nacts 2: fold\nshow seat 4: 2C 7D\n")
    assert [(number, cents, seats) for number, cents, _, seats in pots(result)] == [
        (1, 4000, [1, 2, 3, 4]),
        (2, 3000, [2, 3, 4]),
        (3, 2000, [3, 4]),
    ]
    assert won(settled(result)) == [{4: 4000}, {4: 3000}, {4: 2000}]


def test_a_walk_and_a_chop_and_a_misdeal_have_no_pot() -> None:
    blinds = "stakes 1: 9000, 2: 9000, 3: 9000\nbets 1: small-blind 100\nbets 2: big-blind 200\nstart at 3\n"
    cards = "draw seat 1 AS KD | seat 2 AD KS | seat 3 QC JD\n"
    walk = dealt(blinds, cards, "acts 3: fold\nacts 1: fold\n")
    assert pots(walk) == [(1, 200, {1: 100, 2: 100}, [2])]
    chop = dealt(blinds, cards, "acts 3: fold\nacts 1: chop 100\nacts 2: chop 200\n", chop_blinds="yes")
    assert (chop.outcome, pots(chop)) == ("complete", [])
    assert nets(settled(chop)) == {1: 0, 2: 0}
    misdeal = dealt(blinds, cards, "misdeal")
    assert (misdeal.outcome, pots(misdeal)) == ("misdeal", [])


def test_an_all_in_ante_and_a_short_blind_cut_pots_as_well() -> None:
    """Seat 1 has its ante of 50, seat 2 the ante and 60 of the big blind; seats 3 and 4 go on to 200."""
    begins = """
    stakes 1: 50, 2: 110, 3: 9000, 4: 9000
    bets 1: ante 50
    bets 2: ante 50, big-blind 60
    bets 3: ante 50
    bets 4: ante 50
    start at 4
    draw seat 1 AS KD | seat 2 AD KS | seat 3 QC JD | seat 4 2C 7D
    acts 3: raise 200
    acts 4: call 200
    """
    checks = "acts 3: check\nacts 4: check\n"
    result = dealt(
        begins, run_out(checks, checks, checks), "acts 1: fold\nacts 2: fold\nshow seat 3: QC JD\n", ante="yes"
    )
    assert [(number, cents, seats) for number, cents, _, seats in pots(result)] == [
        (1, 200, [1, 2, 3, 4]),
        (2, 180, [2, 3, 4]),
        (3, 280, [3, 4]),
    ]


def test_what_a_fouled_bet_is_forfeited_for_lies_in_the_pot() -> None:
    """Seat 1 knew that its hand was fouled (47.1-1031(3)): its bet is in the pot, though uncalled."""
    begins = THREE.replace("3: 1500", "3: 60000") + "acts 1: bet 1000\nacts 2: call 1000\nacts 3: call 1000\n"
    bets = "acts 1: bet 2000\nmishap seat 1: fouled-by-player\n"
    checks = "acts 2: check\nacts 3: check\n"
    for ruling, pot in (("", 3000), ("acts 1: forfeit\n", 5000)):
        result = dealt(
            begins, run_out(bets + ruling + checks, checks, checks), "show seat 2: AD KS\nshow seat 3: QC JD\n"
        )
        assert [(number, cents, seats) for number, cents, _, seats in pots(result)] == [(1, pot, [2, 3])]
        assert won(settled(result)) == [{2: pot}]


def test_an_unreliable_round_says_nothing_of_its_pots() -> None:
    result = dealt(PLAY.partition("burn-card 4H")[0])
    assert (result.outcome, pots(result)) == ("unreliable", [])


def test_pots_that_were_taken_in_before_a_defect_was_found_stay_with_their_numbers() -> None:
    """47.1-1036: a player who won a pot keeps it."""
    taken = "takes 1: 2100 of 2\ntakes 2: 2000 of 2\ntakes 1: 2300\ntakes 2: 2200\n"
    result = dealt(PLAY, MUCKS, SHOWN, taken, "count shoe: 20\n")
    assert result.outcome == "defective-deck"
    assert pots(result) == TWO_POTS
    done = settled(result)
    assert (done.status, won(done)) == ("settled", [{1: 2300, 2: 2200}, {1: 2100, 2: 2000}])
    without = dealt(PLAY, MUCKS, SHOWN, "count shoe: 20\n")
    assert (without.outcome, pots(without)) == ("defective-deck", [])


def test_the_strike_out_of_home_run_is_in_no_pot() -> None:
    table = HandTable("home-run.co")
    table.play(
        "stakes 1: 60000, 2: 60000\nbets 1: ante 500, strike-out 1000\nbets 2: ante 500, strike-out 1000\nstart at 2"
    )
    table.play("draw seat 1 AS KD | seat 2 AD KS")
    now = table.flow.snapshot().betting
    assert now is not None
    assert [(pot.cents, sorted(pot.contenders)) for pot in now.pots] == [(1000, [1, 2])]


def changed(result: RoundResult, **more: Any) -> RoundResult:
    """Return the round with other fields of its first pot."""
    first, *rest = result.pots
    return msgspec.structs.replace(result, pots=(msgspec.structs.replace(first, **more), *rest))


def test_pots_that_are_not_what_was_put_in_are_held() -> None:
    result = dealt(PLAY, SHOWN, MUCKS)
    first, *others = result.pots[0].shares
    for wrong in (
        changed(result, cents=4400),
        changed(result, cents=5000, shares=(msgspec.structs.replace(first, cents=2000), *others)),
        changed(result, number=2),
        changed(result, seats=(1, 2, 7)),
        msgspec.structs.replace(result, pots=result.pots[:1]),
    ):
        done = settled(wrong)
        assert (done.status, [bool(pot.held) for pot in done.pots]) == ("held", [True])
        assert {line.why for line in done.lines} == {
            "the pots of the round and what went back do not add up to what the seats put in"
        }


def test_a_line_of_an_older_version_is_settled_by_the_hands_that_are_left() -> None:
    result = dealt(PLAY, SHOWN, MUCKS)
    older = RoundResult.from_json(msgspec.structs.replace(result, pots=()).to_json())
    assert '"pots"' not in older.to_json()
    done = settled(older)
    assert [(pot.name, pot.cents) for pot in done.pots] == [("pot", 8600)]
    assert won(done) == [{1: 4300, 2: 4300}]
    assert RoundResult.from_json(result.to_json()) == result
