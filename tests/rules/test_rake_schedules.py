"""Rake by the size of the pots, without a flop, and jackpot drops with a least pot and least players; on paper."""

import pytest

from dealer_flow.record.result import Seat
from docs._print import DOCS
from rules.errors import SettlementRefused
from rules.meters.jackpot_setup import load_jackpot
from rules.settlement import HouseRake, RakeStep, Settlement
from tests.support.dealing.written_rounds import must_add_up, nets, seat_of, settled

BOARD = "2C 5D 7H 9S JC"
STEPS = RakeStep(2000, 100), RakeStep(4000, 200), RakeStep(6000, 300)
LOW = HouseRake("10", steps=STEPS, no_flop_no_drop=True)


def two(each: int) -> list[Seat]:
    return [seat_of(1, "AS AH", pre_flop=each), seat_of(2, "KS KH", pre_flop=each)]


def of_pots(seats: list[Seat], rake: HouseRake, board: str = BOARD, token: int = 100) -> Settlement:
    done = settled("holdem.co", seats, board, terms={"rake": rake, "token_cents": token, "meters": {"jackpot": 0}})
    must_add_up(done, seats)
    return done


@pytest.mark.parametrize(
    ("each", "taken"),
    [(900, 0), (950, 0), (1000, 100), (1900, 100), (2000, 200), (2950, 200), (3000, 300), (50_000, 300)],
)
def test_a_rake_by_steps_is_that_of_the_highest_step_reached(each: int, taken: int) -> None:
    done = of_pots(two(each), LOW)
    assert done.totals.house == taken
    assert nets(done) == {1: each - taken, 2: -each}


def test_side_pots_count_towards_the_step_and_none_gives_more_than_ten_percent() -> None:
    """Pots of $15 and $50, $65 together: $3, of which the main pot gives $1 and the side pot the rest."""
    seats = [
        seat_of(1, "AS AH", river=500),
        seat_of(2, "KS KH", river=3000),
        seat_of(3, "QS QH", river=3000),
    ]
    done = of_pots(seats, LOW)
    assert [(pot.cents, pot.rake) for pot in done.pots] == [(1500, 100), (5000, 200)]
    assert nets(done) == {1: 900, 2: 1800, 3: -3000}


def test_the_uncalled_part_of_a_bet_does_not_count() -> None:
    seats = [seat_of(1, "AS AH", river=990), seat_of(2, "KS KH", river=5000)]
    assert of_pots(seats, LOW).totals.house == 0  # the pot holds $19.80


def test_no_flop_no_drop() -> None:
    """A walk of $2 and a hand that ends before the flop pay nothing, and nothing for a jackpot."""
    taking = HouseRake("10", no_flop_no_drop=True, jackpot_cents=200)
    seats = [seat_of(1, "AS AH", big_blind=3000), seat_of(2, "KS KH", status="folded", small_blind=3000)]
    assert nets(of_pots(seats, taking, board="")) == {1: 3000, 2: -3000}
    assert nets(of_pots(seats, taking)) == {1: 3000 - 600 - 200, 2: -3000}
    without = HouseRake("10", jackpot_cents=200)
    assert nets(of_pots(seats, without, board="")) == {1: 3000 - 600 - 200, 2: -3000}


@pytest.mark.parametrize(
    ("each", "least_pot", "least_players", "dropped"),
    [
        (1000, 2000, 0, 100),
        (999, 2000, 0, 0),
        (1000, 0, 2, 100),
        (1000, 0, 3, 0),
        (1000, 2000, 3, 0),
    ],
)
def test_a_drop_waits_for_its_least_pot_and_its_least_players(
    each: int, least_pot: int, least_players: int, dropped: int
) -> None:
    rake = HouseRake("0", jackpot_cents=100, jackpot_least_pot_cents=least_pot, jackpot_least_players=least_players)
    done = of_pots(two(each), rake, token=1)
    assert done.totals.meters == dropped
    assert nets(done) == {1: each - dropped, 2: -each}


def test_a_seat_that_sat_out_is_no_player_dealt_in() -> None:
    rake = HouseRake("0", jackpot_cents=100, jackpot_least_players=3)
    seats = [*two(1000), seat_of(3, "", status="out")]
    assert of_pots(seats, rake).totals.meters == 0
    folded = [*two(1000), seat_of(3, "2S 3H", status="folded")]
    assert of_pots(folded, rake).totals.meters == 100


@pytest.mark.parametrize(("least_pot", "least_players", "paid"), [(3000, 3, 5000), (3001, 3, 0), (3000, 4, 0)])
def test_an_award_is_paid_only_of_a_hand_that_has_what_the_house_asks(
    least_pot: int, least_players: int, paid: int
) -> None:
    """Aces full beaten by four kings: three players and a pot of $30."""
    won = [seat_of(1, "AS AH", river=1000), seat_of(2, "KS KC", river=1000), seat_of(3, "2S 3S", river=1000)]
    setup = load_jackpot(DOCS / "examples" / "jackpot-bad-beat.toml")
    rake = HouseRake(jackpot_cents=100, jackpot_least_pot_cents=least_pot, jackpot_least_players=least_players)
    terms = {"rake": rake, "jackpot": setup.award, "meters": {"posted": 5000, "jackpot": 0}}
    done = settled("holdem.co", won, "AC TD KH KD TC", terms=terms)
    assert sum(line.pay for line in done.lines if line.bet == "jackpot") == paid
    assert sum(pot.jackpot_rake for pot in done.pots) == (100 if paid else 0)


@pytest.mark.parametrize(
    ("game", "rake", "why"),
    [
        ("holdem.co", HouseRake("10", steps=(RakeStep(1000, 101),)), "'101 from 1000 cents'; allowed: 100 cents or"),
        ("holdem.co", HouseRake("5", steps=(RakeStep(1000, 100),)), "allowed: 50 cents or less, 5 percent of the pot"),
        ("holdem.co", HouseRake("10", steps=(RakeStep(2000, 100), RakeStep(1000, 50))), "allowed: steps that rise"),
        ("3-5-7.co", HouseRake("10", steps=(RakeStep(1000, 100),)), "allowed: no steps in 3-5-7.co, only a percentage"),
        ("holdem.co", HouseRake("10", jackpot_least_pot_cents=-1), "least pot -1; allowed: 0 or more"),
        (
            "seven-card-stud.co",
            HouseRake("10", no_flop_no_drop=True),
            "allowed: false, since seven-card-stud.co has no",
        ),
    ],
)
def test_a_schedule_that_is_not_allowed_is_refused(game: str, rake: HouseRake, why: str) -> None:
    with pytest.raises(SettlementRefused) as refused:
        settled(game, two(1000), BOARD, terms={"rake": rake})
    assert why in str(refused.value)


def test_conditions_of_a_drop_stay_where_a_jackpot_sets_its_amount() -> None:
    waiting = HouseRake(jackpot_least_pot_cents=2000)
    assert settled("holdem.co", two(1000), BOARD, terms={"rake": waiting}).rake == waiting
    assert settled("holdem.co", two(1000), BOARD, terms={"rake": HouseRake()}).rake is None
