"""Bets that the game does not have: held by seat and name, with the pot they may be part of; the rest is settled."""

from msgspec.structs import replace

from dealer_flow.record.result import RoundResult
from rules import Settlement, load_game, settle
from tests.support.dealing.written_rounds import ended_round, seat_of
from tests.support.reading.paper import Paper

THREE_CARD = {
    "dealer": "QS 7D 2C",
    "seat": [
        {"seat": 1, "cards": "AS AD 9H", "choices": ["play"], "bets": {"ante": 500, "play": 500, "lucky-7": 300}},
        {"seat": 2, "cards": "KS KD 9C", "choices": ["play"], "bets": {"ante": 500, "play": 500}},
    ],
}
WHY = "seat 1 has $3 on lucky-7, which is not a bet of three-card.co"


def dealt(*, known: bool = False) -> RoundResult:
    result = Paper("three-card.co", THREE_CARD).round()
    seats = [
        replace(each, wagers={bet: of for bet, of in each.wagers.items() if bet != "lucky-7"}) for each in result.seats
    ]
    return replace(result, seats=tuple(seats)) if known else result


def settled(result: RoundResult) -> Settlement:
    return settle(result, load_game("three-card.co"), token_cents=25, accept_suspect=True)


def test_it_is_held_and_every_other_bet_is_settled_as_without_it() -> None:
    found, without = settled(dealt()), settled(dealt(known=True))
    (held,) = [line for line in found.lines if line.result == "held"]
    assert (held.seat, held.bet, held.stake, held.why) == (1, "lucky-7", 300, WHY)
    assert [line for line in found.lines if line is not held] == list(without.lines)
    assert (found.status, found.why) == ("partly-held", f"seat 1 lucky-7: {WHY}")
    assert found.totals == without.totals
    (one,) = [each for each in found.seats if each.seat == 1]
    assert (one.staked, one.held) == (1300, 300)


def test_of_a_dead_hand_and_of_a_seat_with_nothing_else_it_is_held_too() -> None:
    result = dealt()
    dead = replace(result.seats[0], status="dead", returned={"ante": 500, "play": 500})
    alone = replace(result.seats[1], wagers={"lucky-7": 300})
    found = settled(replace(result, seats=(dead, alone)))
    assert {(line.seat, line.bet) for line in found.lines if line.result == "held"} == {(1, "lucky-7"), (2, "lucky-7")}


def test_of_a_void_round_it_goes_back_where_the_round_gave_it_back() -> None:
    result = dealt()
    whole = tuple(replace(each, returned=dict(each.wagers)) for each in result.seats)
    found = settled(replace(result, outcome="misdeal", seats=whole))
    assert {line.result for line in found.lines} == {"returned"}
    part = replace(whole[0], returned={"ante": 500, "play": 500})
    found = settled(replace(result, outcome="misdeal", seats=(part, whole[1])))
    assert [(line.bet, line.why) for line in found.lines if line.result == "held"] == [("lucky-7", WHY)]


def test_of_an_unreliable_round_it_waits_with_all_others() -> None:
    found = settled(replace(dealt(), outcome="unreliable"))
    assert {(line.seat, line.bet, line.result) for line in found.lines} >= {(1, "lucky-7", "held"), (2, "ante", "held")}


def test_a_pot_that_it_may_be_part_of_waits() -> None:
    """For example, a river bet under another name."""
    seats = [seat_of(1, "KD KH", river=1000), seat_of(2, "AH 2D", river=1000, side=500)]
    found = settle(ended_round("holdem.co", seats, "KS 8D 4C 3H QS"), load_game("holdem.co"))
    assert {line.result for line in found.lines} == {"held"}
    assert sum(line.stake for line in found.lines) == 2500
    assert {line.why for line in found.lines} == {"seat 2 has $5 on side, which is not a bet of holdem.co"}


def test_one_over_the_limit_of_the_table_is_held_as_what_it_is() -> None:
    seat = replace(dealt().seats[0], wagers={"ante": 500, "play": 500, "lucky-7": 30_000})
    found = settle(replace(dealt(), seats=(seat,)), load_game("three-card.co"), limit_cents=5_000, accept_suspect=True)
    assert [line.bet for line in found.lines if line.result == "held"] == ["lucky-7"]


def test_a_bet_of_nothing_is_none() -> None:
    seat = replace(dealt().seats[0], wagers={"ante": 500, "play": 500, "lucky-7": 0})
    assert settled(replace(dealt(), seats=(seat,))).status == "settled"
