"""The pool that is won by runners: cases worked out on paper from the text, and cases the text does not cover."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from rules import SettlementRefused
from rules.pots.pool_closing import shares_of
from rules.settlement import HouseRake, Settlement
from tests.support.dealing.written_rounds import ended_round, must_add_up, seat_of, settled

GAME, POOL = "home-run.co", "home-run"
PAPER = Path(__file__).parent / "paper" / "runners" / f"{GAME}.toml"
CASES = tomllib.loads(PAPER.read_text())["case"]
BOARD = "KS 9D 4C 7H 2S"
Case = dict[str, Any]


def played(case: Case) -> Settlement:
    """Settle a case of the paper."""
    seats = [seat_of(each["seat"], each["cards"], status=each["status"], **each["wagers"]) for each in case["seat"]]
    rake = HouseRake(percent=percent(case, "rake"), pool_percent=percent(case, "pool-rake"))
    terms = {
        "token_cents": case["token"],
        "meters": {POOL: case["pool"]},
        "runners": {each["seat"]: each["runners"] for each in case["seat"]},
        "rake": rake,
    }
    settlement = settled(GAME, seats, case["community"], button=case["button"], terms=terms)
    must_add_up(settlement, seats)
    return settlement


def percent(case: Case, key: str) -> str:
    return str(case.get(key, "0 %")).removesuffix(" %")


def of_pots(settlement: Settlement, seat: int) -> int:
    """Return a seat's winnings of the pots."""
    return sum(each.cents for pot in settlement.pots for each in pot.winners if each.seat == seat)


def given_back(settlement: Settlement, seat: int) -> int:
    """Return the chips that come back: uncalled, or its wager to the pool."""
    return sum(line.returned for line in settlement.lines if line.seat == seat and line.result == "returned")


def of_pool(settlement: Settlement, seat: int) -> int:
    """Return a seat's winnings of the pool."""
    return sum(line.pay for line in settlement.lines if line.seat == seat and line.meter == POOL)


@pytest.mark.parametrize("case", [case for case in CASES if not case.get("close")], ids=lambda case: case["name"])
def test_every_hand_ends_as_the_text_has_it(case: Case) -> None:
    settlement = played(case)
    assert settlement.status == "settled", settlement.why
    assert settlement.pool is not None
    runners = {each.seat: each for each in settlement.pool.runners}
    for each in case["seat"]:
        seat, wanted = each["seat"], each["expect"]
        assert of_pots(settlement, seat) == wanted["gets"], each
        assert given_back(settlement, seat) == wanted.get("returned", 0), each
        assert of_pool(settlement, seat) == wanted.get("pool", 0), each
        assert (runners[seat].awarded if seat in runners else 0) == wanted.get("runners", 0), each
    meter = next(each for each in settlement.meters if each.name == POOL)
    assert (meter.before, meter.after) == (case["pool"], case["expect-pool"])
    assert meter.before + meter.contributed - meter.paid == meter.after
    assert all(each.after <= 4 for each in settlement.pool.runners)
    if case.get("cleared"):
        assert not any(each.after for each in settlement.pool.runners)


@pytest.mark.parametrize("case", [case for case in CASES if case.get("close")], ids=lambda case: case["name"])
def test_a_pool_at_closing_is_shared_by_runners(case: Case) -> None:
    found = shares_of(case["pool"], {each["seat"]: each["runners"] for each in case["seat"]}, case["token"])
    wanted = {each["seat"]: each["expect"]["pool"] for each in case["seat"] if each["expect"].get("pool")}
    assert found == wanted


def test_at_least_twelve_hands_of_the_paper() -> None:
    assert len({case["name"] for case in CASES}) == len(CASES) >= 12
    assert all(case["clause"] for case in CASES)


@pytest.mark.parametrize(
    ("cents", "runners", "unit", "shares"),
    [
        (1000, {1: 1, 2: 1, 3: 1}, 25, {1: 350, 2: 325, 3: 325}),  # 40 tokens: 13 each, the odd one to the lowest seat
        (1000, {2: 3, 5: 1}, 100, {2: 800, 5: 200}),  # 7.5 and 2.5 tokens: equal parts lacking, the lower seat
        (1010, {2: 1, 5: 3}, 100, {2: 310, 5: 700}),  # 2.5 and 7.5; what is less than a token to the same
        (700, {}, 25, {}),
        (700, {4: 0}, 25, {}),
        (0, {4: 2}, 25, {4: 0}),
    ],
)
def test_what_is_left_over_of_a_shared_pool(
    cents: int, runners: dict[int, int], unit: int, shares: dict[int, int]
) -> None:
    assert shares_of(cents, runners, unit) == shares


def two_seats(**first: Any) -> list[Any]:
    return [
        seat_of(1, "KD 9H", **({"ante": 500, "strike_out": 500, "flop": 1000} | first)),
        seat_of(2, "AS KC", ante=500, strike_out=500, flop=1000),
    ]


def test_a_win_without_showdown_brings_a_runner_unless_it_is_read_otherwise() -> None:
    seats = [
        seat_of(1, "?? ??", ante=500, strike_out=500, flop=1000),
        seat_of(2, "?? ??", status="folded", ante=500, strike_out=500),
    ]
    for option, runners in (("counts", 1), ("none", 0)):
        terms = {"meters": {POOL: 0}, "readings": {"win-unshown": option}}
        settlement = settled(GAME, seats, "KS 9D 4C", terms=terms)
        assert settlement.pool is not None
        assert sum(each.awarded for each in settlement.pool.runners) == runners
        assert given_back(settlement, 1) == 1500, "1000 uncalled, and the winner's wager"


def test_without_a_meter_a_pool_that_is_won_is_held_and_the_runners_stay() -> None:
    settlement = settled(GAME, two_seats(), BOARD, terms={"runners": {1: 3, 2: 2}})
    assert settlement.status == "partly-held"
    assert settlement.pool is not None
    assert settlement.pool.winner == 1
    assert [each.after for each in settlement.pool.runners] == [4, 2]
    assert settlement.meters == ()
    must_add_up(settlement, two_seats())


def test_a_hidden_hand_holds_the_wagers_with_the_pot() -> None:
    seats = [*two_seats(), seat_of(3, "?? ??", ante=500, strike_out=500, flop=1000)]
    settlement = settled(GAME, seats, BOARD, terms={"meters": {POOL: 800}, "runners": {1: 3}})
    held = {(line.seat, line.bet) for line in settlement.lines if line.result == "held"}
    assert {(number, "strike-out") for number in (1, 2, 3)} < held
    assert settlement.pool is not None
    assert [(each.before, each.after) for each in settlement.pool.runners] == [(3, 3)]
    assert settlement.meters == ()


def test_an_award_that_stands_decides_who_has_the_runner() -> None:
    settlement = settled(GAME, two_seats(), BOARD, awards=[(1, 2, 3000)], terms={"meters": {POOL: 0}})
    assert settlement.pool is not None
    assert [(each.seat, each.awarded) for each in settlement.pool.runners] == [(2, 1)]
    assert given_back(settlement, 2) == 500


def test_of_a_misdeal_every_wager_goes_back_and_no_runner_moves() -> None:
    seats = [seat_of(number, returned={"ante": 500, "strike-out": 500}, ante=500, strike_out=500) for number in (1, 2)]
    terms = {"meters": {POOL: 800}, "runners": {1: 3}}
    settlement = settled(GAME, seats, outcome="misdeal", terms=terms)
    assert {line.result for line in settlement.lines} == {"returned"}
    assert settlement.pool is not None
    assert [(each.before, each.after) for each in settlement.pool.runners] == [(3, 3)]
    assert settlement.meters == ()


def test_a_dead_hand_has_back_what_the_round_says_and_the_rest_goes_into_the_pool() -> None:
    dead = seat_of(3, "QD QC", status="dead", ante=500, strike_out=500)
    settlement = settled(GAME, [*two_seats(), dead], BOARD, terms={"meters": {POOL: 0}})
    assert next(each for each in settlement.meters if each.name == POOL).contributed == 1000
    back = seat_of(3, "QD QC", status="dead", returned={"strike-out": 500, "ante": 500}, ante=500, strike_out=500)
    settlement = settled(GAME, [*two_seats(), back], BOARD, terms={"meters": {POOL: 0}})
    assert next(each for each in settlement.meters if each.name == POOL).contributed == 500
    assert given_back(settlement, 3) == 1000


def test_the_last_hand_wins_also_where_all_of_the_pot_went_back() -> None:
    back = seat_of(2, status="dead", returned={"strike-out": 500, "ante": 500}, ante=500, strike_out=500)
    settlement = settled(GAME, [seat_of(1, "?? ??", ante=500, strike_out=500), back], terms={"meters": {POOL: 0}})
    assert (settlement.status, settlement.pots) == ("settled", ())
    assert given_back(settlement, 1) == 1000
    assert settlement.pool is not None
    assert [(each.seat, each.awarded) for each in settlement.pool.runners] == [(1, 1)]
    nobody = [seat_of(1, status="dead", strike_out=500), back]
    assert [line.why for line in settled(GAME, nobody).lines if line.result == "held"] == ["no pot was won"] * 2


@pytest.mark.parametrize("outcome", ["complete", "misdeal", "unreliable"])
def test_who_has_left_the_game_has_given_the_runners_back(outcome: str) -> None:
    terms = {"meters": {POOL: 0}, "runners": {1: 3, 4: 2}}
    settlement = settled(GAME, two_seats(), BOARD, outcome=outcome, left=(1, 4), terms=terms)
    assert settlement.pool is not None
    wins = outcome == "complete"
    found = [(each.seat, each.before, each.awarded, each.collected, each.after) for each in settlement.pool.runners]
    assert found == [(1, 3, int(wins), 3, int(wins)), (4, 2, 0, 2, 0)], "somebody else sits at seat 1 now"


def test_who_has_enough_and_was_not_paid_wins_the_pool_by_the_next_hand() -> None:
    settlement = settled(GAME, two_seats(), BOARD, terms={"meters": {POOL: 2000}, "runners": {1: 4}})
    assert settlement.pool is not None
    assert (settlement.pool.winner, settlement.pool.cents) == (1, 2500)
    assert [(each.awarded, each.collected, each.after) for each in settlement.pool.runners] == [(0, 4, 0)]


@pytest.mark.parametrize("runners", [{1: 5}, {1: -1}, {0: 1}, {33: 1}])
def test_runners_that_nobody_can_have_are_refused(runners: dict[int, int]) -> None:
    with pytest.raises(SettlementRefused, match="0 to 4, of seats 1 to 32"):
        settled(GAME, two_seats(), BOARD, terms={"runners": runners})


def test_a_game_without_a_pool_has_no_runners_and_no_rake_of_it() -> None:
    for terms in ({"runners": {1: 1}}, {"rake": HouseRake(pool_percent="5")}):
        with pytest.raises(SettlementRefused):
            settled("holdem.co", [], terms=terms)
    assert settled("holdem.co", []).pool is None
    with pytest.raises(SettlementRefused, match="rake of the pool"):
        settled(GAME, two_seats(), BOARD, terms={"rake": HouseRake(pool_percent="10.5")})


def test_a_settlement_says_what_moved_in_words() -> None:
    result = ended_round(GAME, two_seats(), BOARD)
    assert result.to_json().count('"left"') == 0
    settlement = settled(GAME, two_seats(), BOARD, terms={"meters": {POOL: 2500}, "runners": {1: 3}})
    why = [line.why for line in settlement.lines if line.bet in ("strike-out", POOL)]
    assert why == [
        "wins the pot: strike-out comes back, and the hand earns a runner: 4 of 4",
        "strike-out goes into the home-run pool",
        "4 runners win the home-run pool of $30; all runners are collected",
    ]
