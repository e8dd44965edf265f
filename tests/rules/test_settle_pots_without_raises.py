"""Hold'em Eighty-eight, Joker Poker and Trips Poker: pots without raises, worked out on paper."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from dealer_flow.record.details import Split
from dealer_flow.record.result import Seat
from rules import Meter, Settlement, load_game
from rules.settlement import HouseRake, Rolled
from tests.support.dealing.written_rounds import nets, seat_of, settled

EIGHTY_EIGHT, JOKER, TRIPS = "eighty-eight.co", "joker.co", "trips.co"


def adds_up(settlement: Settlement) -> None:
    """Check that every cent is accounted for, and the pot went to seats, to the house, or rolls over."""
    sides = settlement.totals
    assert sides.players + sides.house + sides.meters == 0
    for pot in settlement.pots:
        if not pot.held:
            shares = sum(each.cents for each in pot.winners)
            assert shares + pot.rake + pot.jackpot_rake + pot.rolls_over + pot.to_house == pot.cents
    assert all(line.clause for line in settlement.lines)


# ------------------------------------------------------------------ Hold'em Eighty-eight


def eighty_eight(*seats: Seat, board: str = "KS 9D 4C 7H", **terms: Any) -> Settlement:
    found = settled(EIGHTY_EIGHT, seats, board, terms=terms)
    adds_up(found)
    return found


def test_a_hand_is_one_own_card_with_four_or_both_with_three() -> None:
    """(7): the board's four to a flush and one own card are a flush; four of the board and no own card are not."""
    found = eighty_eight(
        seat_of(1, "AS 2D", initial=500, final=500),
        seat_of(2, "KD KH", initial=500, final=500),
        board="KS 9S 4S 7S",
    )
    assert nets(found) == {1: 1000, 2: -1000}
    assert found.lines[0].clause == "47.1-1017.6(7)"


def test_a_fold_leaves_the_initial_wager_in_the_pot() -> None:
    found = eighty_eight(
        seat_of(1, "KD QH", initial=500, final=1000),
        seat_of(2, "9S 2C", initial=500, final=1000),
        seat_of(3, (), status="folded", initial=500),
    )
    assert nets(found) == {1: 2000, 2: -1500, 3: -500}
    assert [line.clause for line in found.lines if line.seat == 3] == ["47.1-1017.6(5)"]


def test_where_all_others_folded_nobody_matched_the_final_wager() -> None:
    found = eighty_eight(
        seat_of(1, "?? ??", initial=500, final=1000),
        seat_of(2, (), status="folded", initial=500),
        seat_of(3, (), status="folded", initial=500),
    )
    assert nets(found) == {1: 1000, 2: -500, 3: -500}
    assert (found.lines[0].bet, found.lines[0].returned) == ("uncalled", 1000)


def test_ties_split_and_the_odd_chip_goes_left_of_the_button() -> None:
    """4,025 cents in chips of 25 are 161: eighty each, and one more for the first from the button's left."""
    seats = [
        seat_of(1, "KD QH", initial=675, final=1000),
        seat_of(2, "KH QC", initial=675, final=1000),
        seat_of(3, (), status="folded", initial=675),
    ]
    found = eighty_eight(*seats, board="KS 9D 4C 7H", token_cents=25)
    assert nets(found) == {1: 350, 2: 325, 3: -675}
    assert "47.1-1006" in found.lines[0].clause
    assert "47.1-1035" in found.lines[0].clause


def test_the_rake_is_taken_of_the_pot() -> None:
    rake = HouseRake("10", cap_cents=300, jackpot_cents=100)
    seats = [seat_of(1, "KD QH", initial=500, final=1500), seat_of(2, "9S 2C", initial=500, final=1500)]
    found = eighty_eight(*seats, rake=rake)
    assert nets(found) == {1: 1600, 2: -2000}
    assert (found.totals.house, found.totals.meters) == (300, 100)


# ------------------------------------------------------------------ Joker Poker


def joker_seat(number: int, cards: str, wild: str, wager: int, **more: Any) -> Seat:
    low = (wild,) if wild else ()
    rest = tuple(card for card in cards.split() if card != wild)
    split = Split(low=low, rest=rest, by="player", foul=False) if wild else None
    return replace(seat_of(number, cards, wager=wager, **more), split=split)


def joker(*seats: Seat, **terms: Any) -> Settlement:
    found = settled(JOKER, seats, terms=terms)
    adds_up(found)
    return found


QUADS = "AS AD AH 9C 2C"  # with the deuce wild four aces
BOAT = "KS KD 8H 8C 3C"  # with the trey wild kings full
PAIR = "QS JD 7H 5C 2H"  # with the deuce wild a pair of queens


def test_the_card_in_the_front_box_is_any_card_of_its_owner_alone() -> None:
    found = joker(joker_seat(1, QUADS, "2C", 500), joker_seat(2, BOAT, "3C", 500))
    assert nets(found) == {1: 500, 2: -500}
    assert "four of a kind" in found.lines[0].why
    assert "full house" in found.lines[1].why


def test_the_wild_card_is_what_its_player_chose_not_the_best() -> None:
    found = joker(joker_seat(1, QUADS, "AS", 500), joker_seat(2, BOAT, "3C", 500))
    assert nets(found) == {1: -500, 2: 500}, "two aces and a wild card are three of a kind"


def test_losers_pay_no_more_than_the_winner_bet() -> None:
    """(6): seat 1 bet 500, so seat 2 pays 500 of its 2,000 and seat 3 all of its 300. The winner's own bet is in no
    pot."""
    found = joker(joker_seat(1, QUADS, "2C", 500), joker_seat(2, BOAT, "3C", 2000), joker_seat(3, PAIR, "2H", 300))
    assert nets(found) == {1: 800, 2: -500, 3: -300}
    assert [(line.bet, line.result, line.stake) for line in found.lines if line.seat == 2] == [
        ("pot", "lose", 500),
        ("uncalled", "returned", 1500),
    ]
    assert found.pots[0].cents == 800


def test_the_rake_is_of_what_was_collected() -> None:
    found = joker(joker_seat(1, QUADS, "2C", 5000), joker_seat(2, BOAT, "3C", 1000), rake=HouseRake("10"))
    assert nets(found) == {1: 900, 2: -1000}


TWIN = "AC KC KH 9D 2D"  # with the deuce wild three kings
OTHER = "AH KS KD 9S 3D"  # the same


def test_equal_hands_with_equal_bets_split() -> None:
    found = joker(joker_seat(1, TWIN, "2D", 500), joker_seat(2, OTHER, "3D", 500), joker_seat(3, PAIR, "2H", 400))
    assert nets(found) == {1: 200, 2: 200, 3: -400}


def test_all_tie_and_nobody_pays() -> None:
    found = joker(joker_seat(1, TWIN, "2D", 500), joker_seat(2, OTHER, "3D", 800))
    assert nets(found) == {1: 0, 2: 0}
    assert {line.result for line in found.lines} == {"push"}


@pytest.mark.parametrize(
    ("reading", "expect"),
    [
        ("held", None),
        ("least", {1: 250, 2: 250, 3: -500}),  # 500 of the loser, shared
        ("layers", {1: 250, 2: 750, 3: -1000}),  # 500 shared, the next 500 the second's
    ],
)
def test_winners_who_bet_unlike_amounts(reading: str, expect: Mapping[int, int] | None) -> None:
    found = joker(
        joker_seat(1, TWIN, "2D", 500),
        joker_seat(2, OTHER, "3D", 1000),
        joker_seat(3, PAIR, "2H", 1200),
        readings={"unequal-winners": reading},
    )
    assert found.status == ("held" if expect is None else "settled")
    assert expect is None or nets(found) == expect


def test_a_loser_who_bet_no_more_than_the_least_winner_leaves_no_doubt() -> None:
    found = joker(joker_seat(1, TWIN, "2D", 500), joker_seat(2, OTHER, "3D", 1000), joker_seat(3, PAIR, "2H", 400))
    assert nets(found) == {1: 200, 2: 200, 3: -400}


@pytest.mark.parametrize("wild", ["", "7S"])
def test_a_wild_card_that_is_not_known_holds_everything(wild: str) -> None:
    found = joker(joker_seat(1, QUADS, wild, 500), joker_seat(2, BOAT, "3C", 500))
    assert found.status == "held"
    assert found.lines[0].clause == "47.1-1017.8(8)"


def test_what_was_taken_in_otherwise_is_for_a_person() -> None:
    seats = joker_seat(1, QUADS, "2C", 500), joker_seat(2, BOAT, "3C", 500)
    assert settled(JOKER, seats, awards=[(1, 1, 500)]).status == "settled"
    found = settled(JOKER, seats, awards=[(1, 2, 500)])
    assert (found.status, found.lines[0].clause) == ("held", "47.1-1034")


def test_a_dead_hand_that_gets_nothing_back_is_collected() -> None:
    found = joker(joker_seat(1, QUADS, "2C", 500), joker_seat(2, BOAT, "", 800, status="dead"))
    assert nets(found) == {1: 500, 2: -500}


# ------------------------------------------------------------------ Trips Poker


def bets(hand: str, **more: Any) -> dict[str, Any]:
    return {"cards": hand, "initial": 100, "bet_1": 100, "bet_2": 100, "bet_3": 100, **more}


def trips(*seats: Seat, pot: Meter | int | None = 0, share: str = "50", **terms: Any) -> Settlement:
    readings = {"high-hand-share": share} | terms.pop("readings", {})
    meters = {} if pot is None else {"pot": pot}
    found = settled(TRIPS, seats, terms={"readings": readings, "meters": meters} | terms)
    adds_up(found)
    return found


THREE, TWO_PAIR, ONE_PAIR = "7S 7D X1 9C 2C", "KS KD 8H 8C 3C", "QS QD 7H 5C 2H"


def test_three_of_a_kind_takes_the_pot_and_what_rolled_over() -> None:
    rolled = Meter(1500, rolled=Rolled(2, (1, 2)))
    found = trips(seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR)), pot=rolled)
    assert nets(found) == {1: 1900, 2: -400}
    assert (found.totals.house, found.totals.meters) == (0, -1500)
    assert found.lines[0].clause == "47.1-1017.38(11)"
    meter = found.meters[0]
    assert (meter.before, meter.paid, meter.after, meter.rolled) == (1500, 1500, 0, None)


def test_less_than_that_has_a_part_and_the_rest_rolls_over() -> None:
    """(10): of 800 and the 600 from before, 35 % is 490, or 475 in chips of 25."""
    rolled = Meter(600, rolled=Rolled(1, (1, 2, 3)))
    seats = seat_of(1, **bets(ONE_PAIR)), seat_of(2, **bets(TWO_PAIR))
    found = trips(*seats, pot=rolled, share="35", token_cents=25)
    assert nets(found) == {1: -400, 2: 75}
    assert found.lines[1].clause == "47.1-1017.38(10)"
    assert found.pots[0].rolls_over == 925
    meter = found.meters[0]
    assert (meter.contributed, meter.after, meter.rolled) == (325, 925, Rolled(2, (1, 2)))


def test_the_part_of_equal_hands_is_divided_evenly() -> None:
    found = trips(seat_of(1, **bets("KS KD 8H 8C 3C")), seat_of(2, **bets("KC KH 8S 8D 3D")))
    assert nets(found) == {1: -200, 2: -200}
    assert found.pots[0].rolls_over == 400


def test_everybody_folds_and_the_pot_rolls_over_less_the_rake() -> None:
    seats = [seat_of(number, (), status="folded", initial=100, bet_1=100) for number in (1, 2, 3)]
    found = trips(*seats, pot=500, rake=HouseRake("10"))
    assert (found.totals.players, found.totals.house, found.totals.meters) == (-600, 60, 540)
    assert found.meters[0].after == 1040


def test_the_rake_of_all_that_lies_there_is_another_reading() -> None:
    seats = seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR))
    assert trips(*seats, pot=1000, rake=HouseRake("10")).totals.house == 80
    assert trips(*seats, pot=1000, rake=HouseRake("10"), readings={"rake-of": "pot"}).totals.house == 180


def test_in_the_fifth_hand_the_best_one_has_all_where_the_house_ends_it() -> None:
    seats = seat_of(1, **bets(ONE_PAIR)), seat_of(2, **bets(TWO_PAIR))
    last = {"last-hand": "fifth"}
    fourth = trips(*seats, pot=Meter(1000, rolled=Rolled(3, (1, 2))), readings=last)
    assert fourth.meters[0].rolled == Rolled(4, (1, 2))
    fifth = trips(*seats, pot=Meter(1000, rolled=Rolled(4, (1, 2))), readings=last)
    assert nets(fifth) == {1: -400, 2: 1400}
    assert fifth.lines[1].clause == "47.1-1017.38(13)"
    assert fifth.meters[0].after == 0


def test_a_figure_that_the_house_has_not_set_holds_the_pot_and_only_where_it_matters() -> None:
    assert trips(seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR)), share="not-set").status == "settled"
    found = trips(seat_of(1, **bets(ONE_PAIR)), seat_of(2, **bets(TWO_PAIR)), share="not-set")
    assert found.status == "held"
    assert found.lines[0].clause == "47.1-1017.38(10)"
    assert found.meters[0].after is None, "what rolls over is not known until a person decides"


def test_who_sat_a_hand_out_may_not_bet_again() -> None:
    rolled = Meter(600, rolled=Rolled(1, (1, 2)))
    found = trips(seat_of(1, **bets(THREE)), seat_of(3, **bets(TWO_PAIR)), pot=rolled)
    assert (found.status, found.lines[0].clause) == ("held", "47.1-1017.38(9)")
    once_more = trips(seat_of(1, "2S 3D", status="folded", initial=100), seat_of(2, **bets(TWO_PAIR)), pot=rolled)
    assert once_more.status == "settled", "who folded may re-enter, (8)"


def test_bets_that_are_not_alike_hold_the_pot() -> None:
    found = trips(seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR, initial=200, bet_1=200, bet_2=200, bet_3=200)))
    assert (found.status, found.lines[0].clause) == ("held", "47.1-1017.38(3), (15)")


def test_wagers_that_the_dealer_folded_by_mistake_come_back() -> None:
    dead = seat_of(2, "AS AD", status="dead", returned={"initial": 100, "bet_1": 100}, initial=100, bet_1=100)
    found = trips(seat_of(1, **bets(THREE)), dead, seat_of(3, **bets(TWO_PAIR)))
    assert nets(found) == {1: 400, 2: 0, 3: -400}
    assert "47.1-1017.38(16)" in next(line.clause for line in found.lines if line.seat == 2)


def test_without_the_amount_of_the_pot_nothing_is_settled() -> None:
    assert trips(seat_of(1, **bets(THREE)), seat_of(2, **bets(TWO_PAIR)), pot=None).status == "held"


def test_the_games_declare_their_meters() -> None:
    assert load_game(TRIPS).meters() == ["jackpot", "pot"]


# ------------------------------------------------------------------ wagers that are alike


@pytest.mark.parametrize(
    ("wagers", "why"),
    [
        ([(500, 1000), (500, 2000), (500, 2000)], "final is $10 at seat 1 and $20 at seat 2"),
        ([(500, 1000), (500, 600), (500, 1000)], "final is $10 at seat 1 and $6 at seat 2"),
        ([(500, 1000), (400, 1000), (500, 1000)], "initial is $5 at seat 1 and $4 at seat 2"),
    ],
)
def test_nobody_raises_the_final_wager(wagers: list[tuple[int, int]], why: str) -> None:
    """(5): fixed, or as the player left of the button has it; (2): the initial one is as the house specifies."""
    seats = [
        seat_of(number, cards, initial=initial, final=final)
        for number, cards, (initial, final) in zip((1, 2, 3), ("KD QH", "9S 2C", "3S 3D"), wagers, strict=True)
    ]
    found = eighty_eight(*seats)
    assert (found.status, found.pots[0].held) == ("held", why)
    assert {line.clause for line in found.lines} == {"47.1-1017.6(2), (5)"}


def test_a_player_who_has_no_more_is_all_in_for_less() -> None:
    """47.1-1023(2). Seat 2 has 9 dollars and the best hand: 9 of each; the rest is between the others."""
    seats = [
        seat_of(1, "KD QH", initial=500, final=1000),
        replace(seat_of(2, "9S 9C", initial=500, final=400), stake=900),
        seat_of(3, "3S 3D", initial=500, final=1000),
    ]
    found = eighty_eight(*seats)
    assert nets(found) == {1: -900 + 600, 2: 1800, 3: -1500}
    assert found.status == "settled"
    has_more = eighty_eight(seats[0], replace(seats[1], stake=901), seats[2])
    assert has_more.status == "held"


def test_who_is_all_in_sets_no_final_wager_for_the_others() -> None:
    """Seat 1 is all in with 5; the others differ, and one of them has raised."""
    all_in = replace(seat_of(1, "KD QH", initial=500, final=500), stake=1000)
    alike = [seat_of(2, "9S 9C", initial=500, final=1000), seat_of(3, "3S 3D", initial=500, final=1000)]
    assert eighty_eight(all_in, *alike).status == "settled"
    raised = eighty_eight(all_in, alike[0], seat_of(3, "3S 3D", initial=500, final=2000))
    assert raised.pots[0].held == "final is $10 at seat 2 and $20 at seat 3"
