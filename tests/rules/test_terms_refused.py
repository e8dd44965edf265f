"""Terms on which a game cannot be settled, and moves that a meter cannot make: each with its full sentence."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from rules import SettlementRefused, load_game, settle
from rules.facts.terms import agree
from rules.game.jackpot_spec import JackpotAward
from rules.meters.bank import MeterBank, MeterRecord, MeterRefused, RoundKey
from rules.meters.jackpot_setup import load_jackpot
from rules.meters.setup import ProgressiveSetup
from rules.settlement import HouseRake, MaximumPayout
from tests.rules.test_jackpots import EXAMPLE
from tests.support.dealing.written_rounds import ended_round, seat_of
from tests.support.reading.each import of_each

OWN = load_jackpot(EXAMPLE).award
assert OWN is not None


def award(**changes: Any) -> JackpotAward:
    assert OWN is not None
    return OWN.model_copy(update=changes)


RAKE = "47.1-1018(1), 47.1-1040(3)"
TERMS: list[tuple[str, dict[str, Any], str]] = [
    ("holdem.co", {"rounding": "up"}, "rounding 'up'; allowed: "),
    ("holdem.co", {"token_cents": 0}, "token 0; allowed: 1 cent or more"),
    ("flushes-gone-wild.co", {"envy_base_cents": 0}, "envy base wager 0; allowed: 1 cent or more"),
    ("caribbean-stud.co", {"limit_cents": 10_001}, "limit of each bet 10001; allowed: 1 to 10000 cents (47.1-1002(2))"),
    ("caribbean-stud.co", {"limit_cents": 0}, "limit of each bet 0; allowed: 1 to 10000 cents (47.1-1002(2))"),
    ("holdem.co", {"runners": {1: 1}}, "runners 1; allowed: none"),
    ("home-run.co", {"runners": {1: 5}}, "runners of seat 1 5; allowed: 0 to 4, of seats 1 to 32"),
    ("home-run.co", {"runners": {33: 1}}, "runners of seat 33 1; allowed: 0 to 4, of seats 1 to 32"),
    ("home-run.co", {"runners": {0: 1}}, "runners of seat 0 1; allowed: 0 to 4, of seats 1 to 32"),
    ("home-run.co", {"runners": {1: -1}}, "runners of seat 1 -1; allowed: 0 to 4, of seats 1 to 32"),
    ("longhorn.co", {"jackpot": OWN}, "jackpot award 'house rule 1'; allowed: none in this game"),
    ("caribbean-stud.co", {"jackpot": OWN}, "jackpot award 'house rule 1'; allowed: none in this game"),
    (
        "holdem.co",
        {"jackpot": award(beaten=OWN.earned_by.model_copy(update={"hand": "low"}))},
        "hand of the jackpot award 'low'; allowed: player",
    ),
    (
        "holdem.co",
        {"jackpot": award(stake="bad-beat")},
        "bet of the jackpot award 'bad-beat'; allowed: ante, small-blind, big-blind, third-blind, straddle, post, "
        "dead-post, pre-flop, flop, turn, river",
    ),
    ("caribbean-stud.co", {"house_way": "three-card-split"}, "house way 'three-card-split'; allowed: none"),
    ("holdem.co", {"rake": HouseRake("10.5")}, f"rake '10.5'; allowed: 0 to 10 percent ({RAKE})"),
    ("holdem.co", {"rake": HouseRake("ten")}, f"rake 'ten'; allowed: 0 to 10 percent ({RAKE})"),
    ("holdem.co", {"rake": HouseRake("-1")}, f"rake '-1'; allowed: 0 to 10 percent ({RAKE})"),
    ("caribbean-stud.co", {"rake": HouseRake("1")}, "rake '1'; allowed: 0"),
    ("holdem.co", {"rake": HouseRake("5", pool_percent="1")}, "rake of the pool '1'; allowed: 0"),
    (
        "home-run.co",
        {"rake": HouseRake("5", pool_percent="11")},
        "rake of the pool '11'; allowed: 0 to 10 percent (47.1-1017.30(10)(a), 47.1-1018(1))",
    ),
    ("holdem.co", {"rake": HouseRake("5", cap_cents=-1)}, "rake cap -1; allowed: 0 or more cents"),
    ("holdem.co", {"rake": HouseRake("5", step_cents=0)}, "rake step 0; allowed: 1 or more cents"),
    (
        "holdem.co",
        {"rake": HouseRake("5", jackpot_cents=201)},
        "rake for a jackpot 201; allowed: 0 to 200 cents (47.1-1018(2), 47.1-1002(19))",
    ),
    ("holdem.co", {"rake": HouseRake("5", jackpot_cents=-1)}, "rake for a jackpot -1; allowed: 0 to 200 cents ("),
    ("holdem.co", {"maximum": MaximumPayout(round_cents=1)}, "maximum payout 'holdem.co'; allowed: none in this game"),
    (
        "caribbean-draw.co",
        {"maximum": MaximumPayout(tip_cents=1)},
        "maximum tip payout '$0.01'; allowed: none in caribbean-draw.co",
    ),
    (
        "let-it-ride.co",
        {"maximum": MaximumPayout(round_cents=1)},
        "maximum payout 'without a minimum bet'; allowed: with the minimum bet at the table (--least-bet), on which "
        "47.1-1017.14(15), 47.1-1062 bases the lowest maximum",
    ),
    (
        "let-it-ride.co",
        {"maximum": MaximumPayout(round_cents=249_999, least_bet_cents=500)},
        "maximum payout of a round '$2,499.99'; allowed: $2,500 or more, the minimum bet times the highest odds "
        "(47.1-1017.14(15), 47.1-1062)",
    ),
    (
        "let-it-ride.co",
        {"maximum": MaximumPayout(player_cents=249_999, least_bet_cents=500)},
        "maximum payout of a player '$2,499.99'; allowed: $2,500 or more, the minimum bet times the highest odds "
        "(47.1-1017.14(15), 47.1-1062)",
    ),
]


@of_each("game, terms, sentence", TERMS)
def test_terms_that_are_refused(game: str, terms: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SettlementRefused) as told:
        agree(load_game(game), **terms)
    assert str(told.value).startswith(f"not settled: {sentence}")
    assert str(told.value) == f"not settled: {sentence}" or sentence.endswith(("allowed: ", "cents ("))


BOUNDS: list[tuple[str, dict[str, Any]]] = [
    ("caribbean-stud.co", {"limit_cents": 10_000}),
    ("caribbean-stud.co", {"limit_cents": 1}),
    ("home-run.co", {"runners": {32: 4, 1: 0}}),
    ("holdem.co", {"jackpot": OWN}),
    ("holdem.co", {"rake": HouseRake("10")}),
    ("holdem.co", {"rake": HouseRake("0.5", cap_cents=0, step_cents=1, jackpot_cents=200)}),
    ("let-it-ride.co", {"maximum": MaximumPayout(round_cents=250_000, player_cents=250_000, least_bet_cents=500)}),
    ("let-it-ride.co", {"maximum": MaximumPayout(tip_cents=1)}),
    ("holdem.co", {"token_cents": 1}),
]


@of_each("game, terms", BOUNDS)
def test_terms_at_their_bounds(game: str, terms: dict[str, Any]) -> None:
    assert agree(load_game(game), **terms).game.id == game


RAKES = [
    (HouseRake("10.00"), HouseRake("10")),
    (HouseRake("0.50"), HouseRake("0.5")),
    (HouseRake("05"), HouseRake("5")),
    (HouseRake("0"), None),
    (HouseRake("0", cap_cents=100), None),
    (HouseRake("0.0", jackpot_cents=1), HouseRake("0", jackpot_cents=1)),
]


@of_each("given, kept", RAKES)
def test_a_rake_is_written_in_the_shortest_way(given: HouseRake, kept: HouseRake | None) -> None:
    assert agree(load_game("holdem.co"), rake=given).rake == kept


def test_rounds_that_are_not_of_the_game() -> None:
    other = ended_round("omaha.co", [seat_of(2, "AS AD", river=100)])
    with pytest.raises(SettlementRefused) as told:
        settle(other, load_game("caribbean-stud.co"))
    assert str(told.value).startswith("not settled: round of procedure for caribbean-stud.co 'omaha.co'; allowed: ")


# ------------------------------------------------------------------ meters

AT = RoundKey("table-1", "00c0ffee", 7)


def bank(**meters: int) -> MeterBank:
    content = {
        "schema": "dealwire.progressive/1",
        "id": "test",
        "executive-from-cents": 100_000,
        "meters": tuple(
            {"name": name, "seed-cents": 500, "start-cents": cents, "contribution": "10 %", "reserve": "1 %"}
            for name, cents in (meters or {"meter": 1_000}).items()
        ),
    }
    return MeterBank(ProgressiveSetup.model_validate(content))


def newest(made: MeterBank, **changes: Any) -> MeterRecord:
    return replace(bank().contribute(AT, 100)[0], **changes)


SHARE = "a share is more than 0 and at most all"
MOVES: list[tuple[Callable[[MeterBank], object], MeterRefused]] = [
    (
        lambda b: b.pay(AT, 1, "meter", Fraction(0)),
        MeterRefused("meter", "a pay of 0 of it", SHARE),
    ),
    (
        lambda b: b.pay(AT, 1, "meter", Fraction(11, 10)),
        MeterRefused("meter", "a pay of 11/10 of it", SHARE),
    ),
    (lambda b: b.pay_fixed(AT, 1, "meter", 1_001), MeterRefused("meter", "a pay of $10.01", "it shows $10")),
    (lambda b: b.pay_fixed(AT, 1, "meter", 0), MeterRefused("meter", "a pay of $0", "it shows $10")),
    (lambda b: b.move(AT, "meter", "other", 1_001, "w"), MeterRefused("meter", "moving $10.01", "it shows $10")),
    (lambda b: b.move(AT, "meter", "other", 0, "w"), MeterRefused("meter", "moving $0", "it shows $10")),
    (lambda b: b.back_out(9, 7, "w"), MeterRefused("?", "backing out", "record 9 is not a pay, or is too old")),
    (lambda b: b.back_out(1, 7, "w"), MeterRefused("?", "backing out", "record 1 is not a pay, or is too old")),
    (
        lambda b: [b.back_out(b.pay_fixed(AT, 1, "meter", 5)[0].number, 7, "w"), b.back_out(2, 7, "w")],
        MeterRefused("meter", "backing out", "record 2 was backed out already"),
    ),
    (lambda b: b.follow(newest(b, number=3)), MeterRefused("meter", "restoring", "record 2 is missing")),
    (
        lambda b: b.follow(newest(b, to_house=-10)),
        MeterRefused("meter", "restoring", "record 2 creates or loses money"),
    ),
    (
        lambda b: b.follow(newest(b, meter_cents=999)),
        MeterRefused("meter", "restoring", "record 2 does not follow from those before"),
    ),
    (
        lambda b: b.follow(newest(b, reserve_cents=999)),
        MeterRefused("meter", "restoring", "record 2 does not follow from those before"),
    ),
    (
        lambda b: b.follow(newest(b, posted=1)),
        MeterRefused("meter", "restoring", "record 2 posts an amount that was not posted"),
    ),
]


@of_each("move, refusal", MOVES)
def test_moves_that_a_meter_cannot_make(move: Callable[[MeterBank], object], refusal: MeterRefused) -> None:
    with pytest.raises(MeterRefused) as told:
        move(bank())
    assert str(told.value) == str(refusal)


def test_what_a_bank_writes_of_each_move() -> None:
    made = bank(meter=1_000, other=200)
    written = [
        *made.contribute(AT, 1_000),
        *made.pay(AT, 2, "meter", Fraction(1, 10)),
        *made.pay(AT, 2, "meter", Fraction(1)),
        *made.pay_fixed(AT, 3, "other", 50),
        *made.move(AT, "other", "meter", 100, "because"),
    ]
    assert [
        (each.number, each.kind, each.meter, each.why, each.to_meter, each.to_players, each.to_house)
        for each in written
    ] == [
        (3, "contributed", "meter", "part of $10 of progressive bets", 100, 0, -110),
        (4, "contributed", "other", "part of $10 of progressive bets", 100, 0, -110),
        (5, "paid", "meter", "10 % of $11", -110, 110, 0),
        (6, "paid", "meter", "100 % of $9.90", -990, 990, 0),
        (7, "reseeded", "meter", "seed of $5 and reserve of $0.10", 510, 0, -500),
        (8, "paid", "other", "$0.50 of $3", -50, 50, 0),
        (9, "moved", "other", "because", -100, 0, 100),
        (10, "moved", "meter", "because", 100, 0, -100),
    ]
    assert [each.of for each in written if each.kind == "reseeded"] == [6]
    assert {name: meter.cents for name, meter in made.meters().items()} == {"meter": 610, "other": 150}
    following = bank(meter=1_000, other=200)
    for record in written:
        following.follow(record)
    assert following.meters() == made.meters()


def test_a_pay_is_backed_out_with_its_reseed() -> None:
    made = bank()
    paid, seeded = made.pay(AT, 2, "meter", Fraction(1))
    undone = made.back_out(paid.number, 7, "wrong hand")
    assert (undone.kind, undone.why, undone.badge, undone.seat, undone.of) == (
        "backed-out",
        "wrong hand",
        7,
        2,
        paid.number,
    )
    assert (undone.to_players, undone.to_meter, undone.to_house) == (-1_000, 500, 500)
    assert made.meters()["meter"].cents == 1_000
    made = bank()
    paid, seeded = made.pay(AT, 2, "meter", Fraction(1))
    made.pay_fixed(AT, 2, "meter", 500)
    made.back_out(paid.number, 7, "at its bound")
    assert (seeded.to_meter, made.meters()["meter"].cents) == (500, 500)
