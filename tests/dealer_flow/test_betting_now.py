"""Chips of a hand as an observer at the table sees them."""

from __future__ import annotations

import pytest

from dealer_flow.play.seen.betting import BettingNow
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.side_pot_hand import ALL_IN, BLINDS, CALLED, CARDS, FLOP, FLOP_CALLED, PRE_FLOP, TURN


def played(*parts: str, **options: str) -> HandTable:
    table = HandTable("holdem.co", **options)
    for part in parts:
        table.play(part)
    return table


def now(*parts: str, **options: str) -> BettingNow:
    found = played(*parts, **options).flow.snapshot().betting
    assert found is not None
    return found


def lying(found: BettingNow) -> dict[int, int]:
    return {seat: each.lies for seat, each in found.chips.items() if each.lies}


def pots(found: BettingNow) -> list[tuple[int, list[int]]]:
    return [(pot.cents, sorted(pot.contenders)) for pot in found.pots]


def put_in(table: HandTable) -> int:
    return sum(sum(seat.wagers.values()) for seat in table.flow.snapshot().seats)


def test_a_game_in_which_nobody_bets_against_each_other_has_none() -> None:
    assert HandTable().flow.snapshot().betting is None


def test_stakes_are_seen_before_the_hand_and_blinds_lie_before_their_seats() -> None:
    table = HandTable("holdem.co").play("stakes 1: 20000, 2: 15000\nbets 2: small-blind 100")
    snapshot = table.flow.snapshot()
    assert snapshot.betting is not None
    assert [seat.number for seat in snapshot.seats] == [1, 2], "a seat with a stake is seen before it bets"
    assert (snapshot.betting.button, snapshot.betting.step, snapshot.betting.pots) == (None, None, ())
    chips = snapshot.betting.chips
    assert (chips[1].stake, chips[1].behind, chips[1].lies) == (20000, 20000, 0)
    assert (chips[2].stake, chips[2].behind, chips[2].lies) == (15000, 14900, 100)


def test_bets_lie_before_seats_while_the_betting_round_goes_on() -> None:
    found = now(BLINDS, CARDS, PRE_FLOP)
    assert (found.button, found.step, found.high, found.turn) == (1, "pre-flop-betting", 600, (9,))
    assert lying(found) == {2: 100, 3: 200, 4: 600, 7: 600, 8: 600}
    assert (found.pots, found.total) == ((), 2100)
    assert [each.action for each in found.actions] == ["raise", "fold", "fold", "call", "call"]


def test_they_are_pulled_into_the_pot_when_every_bet_is_called() -> None:
    found = now(BLINDS, CARDS, PRE_FLOP, CALLED)
    assert (found.step, found.turn, lying(found)) == (None, (), {})
    assert pots(found) == [(2700, [1, 4, 7, 8])]


def test_whoever_is_all_in_makes_a_side_pot_once_the_bets_are_called() -> None:
    under_way = now(BLINDS, CARDS, PRE_FLOP, CALLED, FLOP, ALL_IN)
    assert pots(under_way) == [(2700, [1, 4, 7, 8])]
    assert lying(under_way) == {4: 1400, 7: 3900, 8: 6000}
    assert [seat for seat, each in under_way.chips.items() if each.all_in] == [4, 7]
    called = now(BLINDS, CARDS, PRE_FLOP, CALLED, FLOP, ALL_IN, FLOP_CALLED)
    assert pots(called) == [(8300, [1, 4, 7, 8]), (7500, [1, 7, 8]), (4200, [1, 8])]


def test_what_nobody_called_goes_back_and_is_in_no_pot() -> None:
    found = now(BLINDS, CARDS, PRE_FLOP, CALLED, FLOP, ALL_IN, "acts 1: fold 0")
    assert found.over is not None
    assert (found.over.seat, found.over.cents) == (8, 2100)
    assert pots(found) == [(6900, [4, 7, 8]), (5000, [7, 8])]


def test_a_player_who_was_passed_by_may_still_act() -> None:
    """Seat 4 is due; the raise lies there until it acts, and is not what it has to call."""
    found = now(BLINDS, CARDS, "acts 5: raise 600")
    assert (found.turn, found.passed, found.high, lying(found)[5]) == ((4,), frozenset(), 200, 600)


def test_a_player_who_was_passed_by_faces_what_stands() -> None:
    found = now(BLINDS, CARDS, "acts 5: raise 600", out_of_turn="stands")
    assert (found.turn, found.passed, found.high, lying(found)[5]) == ((4,), frozenset(), 600, 600)


def test_an_ante_is_in_the_pot_at_once() -> None:
    table = HandTable("holdem.co", ante="yes")
    table.play("stakes 1: 20000, 2: 20000\nbets 1: ante 50\nbets 2: ante 50, small-blind 100")
    found = table.flow.snapshot().betting
    assert found is not None
    assert (pots(found), lying(found)) == ([(100, [1, 2])], {2: 100})


@pytest.mark.parametrize("parts", range(1, 9))
def test_every_cent_that_was_put_in_is_seen_somewhere(parts: int) -> None:
    hand = (BLINDS, CARDS, PRE_FLOP, CALLED, FLOP, ALL_IN, FLOP_CALLED, TURN)[:parts]
    table = played(*hand)
    found = table.flow.snapshot().betting
    assert found is not None
    assert found.total + (found.over.cents if found.over else 0) == put_in(table)
    for each in found.chips.values():
        assert each.stake is not None
        assert each.behind is not None
    assert sum((each.stake or 0) - (each.behind or 0) for each in found.chips.values()) == put_in(table)


def test_what_goes_back_is_the_same_at_the_table_and_in_the_settlement() -> None:
    """Seat 1 mucks what no one could match, then seat 3, which had called with all it had: seat 2 is left."""
    table = HandTable("holdem.co").play("stakes 1: 20000, 2: 3000, 3: 5000\nstart at 3")
    table.play("draw seat 1 AC AD | seat 2 KC KD | seat 3 6C 6D")
    table.play("acts 1: bet 6000\nacts 2: all-in 3000\nacts 3: call 5000")
    for line in ("burn-card 8C", "draw community 2C 7D 9H", "burn-card 8D", "draw community JS", "burn-card 8H"):
        table.play(line)
    table.play("draw community QD\nacts 1: fold\nacts 3: fold")
    found = table.flow.snapshot().betting
    assert found is not None
    assert found.over is not None
    assert (found.over.seat, found.over.cents) == (1, 1000)
    assert pots(found) == [(9000, [2]), (4000, [3])]


def test_a_card_shown_unread_is_one_that_was_dealt_face_up() -> None:
    """It stood in the view twice: five are keyed of a hand of three, and the shoe has read two of them."""
    table = HandTable("five-card-stud.co").play("stakes 1: 9000, 2: 9000\nstart\ndraw seat 1 AC 2D | seat 2 8C 9D")
    table.play("acts 2: check\nacts 1: check\ndraw seat 1 3H | seat 2 TH\nacts 2: check\nacts 1: check\ndraw seat 1 4S")
    table.play("show seat 2: ?? ?? ?? ?? ??\ndraw seat 2 JS")
    hand = next(seat.hand for seat in table.flow.snapshot().seats if seat.number == 2)
    assert hand is not None
    assert len(hand.cards) == hand.counted == 6


def test_a_dead_post_lies_in_the_main_pot_before_any_bet_does() -> None:
    """Seat 4 has put up $2 that are called and $1 that is not: $1 is in the pot, and $2 lie before it."""
    posted = "stakes 1: 9000, 2: 9000, 3: 9000, 4: 9000\nbets 2: small-blind 100\nbets 3: big-blind 200"
    found = now(f"{posted}\nbets 4: post 200, dead-post 100\nstart at 1")
    assert pots(found) == [(100, [1, 2, 3, 4])]
    assert (lying(found), found.total) == ({2: 100, 3: 200, 4: 200}, 600)
    assert (found.chips[4].behind, found.over) == (8_700, None)


def test_the_stake_of_a_seat_that_sits_out_is_seen() -> None:
    found = now("stakes 1: 9000, 2: 9000, 3: 7000\nacts 3: sit-out\nbets 2: small-blind 100\nstart at 1")
    assert (found.chips[3].stake, found.chips[3].all_in, found.chips[3].lies) == (7_000, False, 0)
