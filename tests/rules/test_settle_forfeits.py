"""Chips that a supervisor ruled to stay in the pot: they are added to the main pot of the next round."""

from typing import Any

import pytest

from dealer_flow.record.result import Seat
from rules.settlement import HouseRake, Settlement
from tests.support.dealing.settling_table import SettlingTable
from tests.support.dealing.written_rounds import must_add_up, nets, seat_of, settled

BOARD = "KS 9D 4C 7H 2S"
METER = "forfeited"


def moved(settlement: Settlement) -> tuple[int, int, int, int | None]:
    """Return the amounts before, in, out and after."""
    (meter,) = (each for each in settlement.meters if each.name == METER)
    return meter.before, meter.contributed, meter.paid, meter.after


def void_seats(**first: Any) -> list[Seat]:
    """Return seats of which seat 1 bet knowing that the deck was defective."""
    return [
        seat_of(1, **({"status": "dead", "forfeited": {"ante": 500, "flop": 1000}, "ante": 500, "flop": 1000} | first)),
        seat_of(2, returned={"ante": 500, "flop": 1000}, ante=500, flop=1000),
    ]


def playing(flop: int = 1000) -> list[Seat]:
    return [seat_of(1, "AS KC", ante=500, flop=flop), seat_of(2, "KD 9H", ante=500, flop=1000)]


@pytest.mark.parametrize("outcome", ["defective-deck", "misdeal"])
def test_of_a_void_round_they_wait_for_the_next_one(outcome: str) -> None:
    settlement = settled("holdem.co", void_seats(), outcome=outcome, terms={"meters": {METER: 300}})
    must_add_up(settlement, void_seats())
    assert settlement.status == "settled"
    assert nets(settlement) == {1: -1500, 2: 0}
    assert moved(settlement) == (300, 1500, 0, 1800)
    assert {line.clause for line in settlement.lines if line.seat == 1} == {"47.1-1036"}
    assert settlement.totals.meters == 1500


def test_without_a_meter_nothing_lay_there() -> None:
    assert moved(settled("holdem.co", void_seats(), outcome="defective-deck")) == (0, 1500, 0, 1500)


def test_who_wins_the_next_main_pot_has_them_and_its_line_says_so() -> None:
    settlement = settled("holdem.co", playing(), BOARD, terms={"meters": {METER: 1500}})
    must_add_up(settlement, playing())
    assert nets(settlement) == {1: -1500, 2: 3000}
    assert moved(settlement) == (1500, 0, 1500, 0)
    assert settlement.totals.meters == -1500
    (pot,) = settlement.pots
    assert (pot.cents, pot.forfeited) == (4500, 1500)
    (won,) = (line for line in settlement.lines if line.result == "win")
    assert "$45 of the pot of $45 with $15 forfeited before" in won.why


def test_a_side_pot_has_none_of_them_and_the_rake_is_of_all() -> None:
    seats = [
        seat_of(1, "KD KH", ante=500, flop=500),
        seat_of(2, "9S 9H", ante=500, flop=1500),
        seat_of(3, "AS QC", ante=500, flop=1500),
    ]
    settlement = settled("holdem.co", seats, BOARD, terms={"meters": {METER: 1000}, "rake": HouseRake("10")})
    must_add_up(settlement, seats)
    assert [(pot.cents, pot.forfeited, pot.rake) for pot in settlement.pots] == [(4000, 1000, 400), (2000, 0, 200)]


def test_a_main_pot_that_is_held_leaves_them_where_they_are() -> None:
    seats = [*playing(), seat_of(3, "?? ??", ante=500, flop=1000)]
    settlement = settled("holdem.co", seats, BOARD, terms={"meters": {METER: 1500}})
    must_add_up(settlement, seats)
    assert settlement.status == "held"
    assert settlement.meters == ()


@pytest.mark.parametrize(
    "first",
    [
        {"forfeited": {"ante": 400, "flop": 1000}},
        {"returned": {"ante": 500}},
    ],
)
def test_what_the_round_contradicts_itself_in_is_held(first: dict[str, Any]) -> None:
    seats = void_seats(**first)
    settlement = settled("holdem.co", seats, outcome="defective-deck")
    assert [line.result for line in settlement.lines if (line.seat, line.bet) == (1, "ante")] == ["held"]
    assert moved(settlement) == (0, 1000, 0, 1000)
    must_add_up(settlement, seats)


def test_a_wager_to_the_pool_is_no_chip_of_the_pot() -> None:
    seats = [seat_of(1, status="dead", forfeited={"strike-out": 500}, strike_out=500)]
    settlement = settled("home-run.co", seats, outcome="defective-deck", terms={"meters": {"home-run": 0}})
    assert [line.result for line in settlement.lines] == ["held"]


# ------------------------------------------------------------------ at the table

ANTES = "".join(f"bets {seat}: ante 500, strike-out 500\n" for seat in (1, 2, 3))
STAKES = "stakes 1: 20000, 2: 20000, 3: 20000\n"
DEALT = f"{STAKES}{ANTES}start at 3\ndraw AS KC | KH 9H | QS 2D\ndraw 5D 6H JC\n"
BETS = "acts 1: bet 1000\nacts 2: call 1000\n"


def at_the_table() -> SettlingTable:
    return SettlingTable("home-run.co", {"token_cents": 100})


def test_at_the_table_a_person_says_so_also_when_the_round_is_void() -> None:
    hand = at_the_table().play(f"{DEALT}{BETS}draw AS\nacts 1: forfeit")
    result = hand.end()
    assert result.outcome == "defective-deck"
    first, second, _ = result.seats
    assert (first.forfeited, first.returned) == ({"ante": 500, "flop": 1000}, {"strike-out": 500})
    assert (second.forfeited, second.returned) == ({}, {"ante": 500, "flop": 1000, "strike-out": 500})
    assert hand.terms.meters == {"home-run": 0, METER: 1500}
    hand.play("device DeckRemoved: deck 0").fresh_deck()
    hand.play(f"{STAKES}{ANTES}start at 1\ndraw AS KC | KH 9H | QS 2D\ndraw 5D 6H JC\nacts 2: bet 1000")
    hand.play("acts 3: fold\nacts 1: fold").end()
    assert hand.terms.meters == {"home-run": 1000, METER: 0}
    assert hand.settlements[-1].totals.meters == 1000 - 1500


def test_before_the_round_is_void_the_hand_is_dead_and_its_chips_stay() -> None:
    hand = at_the_table().play(f"{DEALT}{BETS}acts 1: forfeit\nacts 3: fold")
    result = hand.end()
    assert result.outcome == "complete"
    assert [(seat.status, seat.returned, seat.forfeited) for seat in result.seats] == [
        ("dead", {}, {}),
        ("live", {}, {}),
        ("folded", {}, {}),
    ]
    assert hand.codes == []
    assert {line.seat: line.result for line in hand.settlements[-1].lines if line.bet == "pot"}[2] == "win"
    assert hand.terms.meters == {"home-run": 1000}


def test_a_forfeit_is_refused_where_no_hand_was_dealt() -> None:
    hand = at_the_table().play("acts 1: forfeit")
    assert hand.codes == ["out-of-turn"]
    hand = at_the_table().play(f"{DEALT}acts 5: forfeit")
    assert hand.codes == ["unknown-seat"]
    hand = SettlingTable("flushes-gone-wild.co").play("bets 1: ante 500, blind 500\nstart\nacts 1: forfeit")
    assert hand.codes == ["out-of-turn"]
