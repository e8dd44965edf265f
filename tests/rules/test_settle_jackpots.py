"""Amounts paid from a meter, and a jackpot that several hands divide: figures worked out from the texts."""

import pytest

from rules import Meter
from rules.meters.bank import MeterBank
from rules.meters.linked import settle_linked
from rules.meters.setup import ProgressiveSetup
from rules.settlement import Settlement
from tests.support.reading.paper import Paper, PaperCase

BONUS, DRAW = "texas-holdem-bonus.co", "caribbean-draw.co"
FULL_HOUSE = {"cards": "KH KC", "choices": ["flop-bet", "turn-check", "river-check"]}


def at_the_bonus_table(*wagers: int) -> PaperCase:
    """A full house on the flop at each of two seats, of which one folds, with progressive wagers of these cents."""
    hands = (FULL_HOUSE, {"cards": "KS 2H", "choices": ["fold"]})
    seats = [
        {"seat": number, **hand, "bets": {"ante": 500, "progressive": cents} | flop(hand)}
        for number, (hand, cents) in enumerate(zip(hands, wagers, strict=False), 1)
    ]
    return {"seat": seats, "community": "KD 2D 2C 5S 7S", "dealer": "3S 4C"}


def flop(hand: PaperCase) -> dict[str, int]:
    return {} if hand["choices"] == ["fold"] else {"flop": 1000}


def royals(**readings: str) -> PaperCase:
    """Two royal flushes declared on the first five cards, and nothing at a third seat."""
    hands = ("AS KS QS JS TS", "AC KC QC JC TC", "2H 3C 7H 9D JD")
    seats = [
        {"seat": number, "cards": cards, "first": cards, "declared": number < 3, "choices": ["call", "stand"]}
        | {"bets": {"ante": 500, "bet": 1000, "progressive": 100}}
        for number, cards in enumerate(hands, 1)
    ]
    return {"seat": seats, "dealer": "8S 8D 3D 4D 5H", "readings": readings}


def paid(settlement: Settlement) -> list[tuple[int, str, int]]:
    return [(line.seat, line.result, line.pay) for line in settlement.lines if line.bet == "progressive"]


def bank(cents: int, seed: int = 100_000) -> MeterBank:
    meter = {"name": "meter", "seed-cents": seed, "start-cents": cents, "contribution": "0 %"}
    content = {"schema": "dealwire.progressive/1", "id": "test", "executive-from-cents": 100_000, "meters": (meter,)}
    return MeterBank(ProgressiveSetup.model_validate(content))


def test_an_amount_comes_off_the_meter_and_grows_with_the_wager() -> None:
    """THBP-1 prints 100 "from meter" for a full house and a wager of a dollar."""
    settlement = Paper(BONUS, at_the_bonus_table(100, 200)).settle(meters={"meter": Meter(1_000_000)})
    assert paid(settlement) == [(2, "win", 20_000), (1, "win", 10_000)]
    (meter,) = settlement.meters
    assert (meter.before, meter.paid, meter.reseeded, meter.after) == (1_000_000, 30_000, 0, 970_000)
    assert settlement.totals.meters == -30_000


def test_a_meter_that_shows_less_waits_for_a_person() -> None:
    """The hand at the right is paid first; the remainder is not enough for the other."""
    settlement = Paper(BONUS, at_the_bonus_table(100, 100)).settle(meters={"meter": Meter(14_999)})
    assert paid(settlement) == [(2, "win", 10_000), (1, "held", 0)]
    assert settlement.meters[0].after == 4_999
    assert "it shows $49.99" in next(line.why for line in settlement.lines if line.result == "held")


def test_not_from_the_meter_needs_none() -> None:
    settlement = Paper(BONUS, at_the_bonus_table(100, 100)).settle(meters={}, paytables={"progressive": "THBP-09"})
    assert paid(settlement) == [(2, "win", 5_000), (1, "win", 5_000)]
    assert settlement.totals.meters == 0


def test_the_bank_writes_the_amount_down() -> None:
    meters, paper = bank(1_000_000), Paper(BONUS, at_the_bonus_table(100, 200))
    settlement, records = settle_linked(meters, paper.round(), paper.game)
    assert [(record.kind, record.to_players, record.to_meter) for record in records if record.kind == "paid"] == [
        ("paid", 20_000, -20_000),
        ("paid", 10_000, -10_000),
    ]
    assert meters.meters()["meter"].cents == settlement.meters[0].after == 970_000


@pytest.mark.parametrize("cents", [3_000_000, 3_000_001])
def test_two_royal_flushes_divide_the_meter(cents: int) -> None:
    """47.1-1017.12(3)(b): equally; an odd cent goes to the last, and the meter is reset once."""
    settlement = Paper(DRAW, royals()).settle(meters={"meter": Meter(cents, seed_cents=100_000)})
    half = cents // 2
    assert paid(settlement) == [(1, "win", half), (2, "win", cents - half), (3, "lose", 0)]
    (meter,) = settlement.meters
    assert (meter.paid, meter.reseeded, meter.after) == (cents, 100_000, 100_000)


def test_in_turn_the_second_wins_what_the_meter_starts_again_with() -> None:
    settlement = Paper(DRAW, royals(**{"jackpot-shared": "in-turn"})).settle(
        meters={"meter": Meter(3_000_000, seed_cents=100_000)}
    )
    assert paid(settlement) == [(1, "win", 3_000_000), (2, "win", 100_000), (3, "lose", 0)]


def test_the_bank_divides_it_too() -> None:
    meters, paper = bank(3_000_000), Paper(DRAW, royals())
    settlement, records = settle_linked(meters, paper.round(), paper.game)
    assert [record.to_players for record in records if record.kind == "paid"] == [1_500_000, 1_500_000]
    assert meters.meters()["meter"].cents == settlement.meters[0].after == 100_000


def test_a_hand_that_was_not_declared_wins_no_jackpot() -> None:
    case = royals()
    case["seat"][1]["declared"] = False
    settlement = Paper(DRAW, case).settle(meters={"meter": Meter(3_000_000, seed_cents=100_000)})
    assert paid(settlement) == [(1, "win", 3_000_000), (2, "lose", 0), (3, "lose", 0)]
    line = next(line for line in settlement.lines if (line.seat, line.bet) == (2, "progressive"))
    assert (line.why, line.clause) == ("the hand was not declared: progressive loses", "47.1-1017.12(9)")
