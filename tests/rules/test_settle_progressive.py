"""The progressive of Flushes Gone Wild: own five cards, deuces not wild, meter, envy, rounds played only for it."""

import pytest

from rules import Meter, Settlement, settle
from tests.support.dealing.flushes import GAME, co, deal, money, seat

COMMUNITY, DEALER = "KD 9D", "3C 4D 5S 6S 8C"
PAYS, NO_PAY, FOLDED, ENVY = (
    co("progressive (9)"),
    co("progressive (6)"),
    co("progressive (6)"),
    co("progressive (8)(A)"),
)
MISDEAL = co("progressive (7)(I)")
ROYAL, STRAIGHT_FLUSH, QUADS, NOTHING = "AH KH QH JH TH", "5H 6H 7H 8H 9H", "7C 7D 7H 7S JS", "2C 2D 4C JC TS"


def envy(settlement: Settlement) -> list[tuple[int, int]]:
    """Return the seat and cents of every envy line, in order."""
    assert all(line.clause == ENVY and line.stake == 0 for line in settlement.lines if line.bet == "envy")
    return [(line.seat, line.pay) for line in settlement.lines if line.bet == "envy"]


def balanced(settlement: Settlement) -> bool:
    totals = settlement.totals
    return totals.players + totals.house + totals.meters == 0


@pytest.mark.parametrize("table", ["FGWP-01", "FGWP-02"])
@pytest.mark.parametrize(
    ("cards", "for_one"),
    [
        (QUADS, 300),
        ("7C 7D 7H JS JH", 50),
        ("2H 5H 7H JH QH", 40),
        ("AC 2D 3H 4S 5C", 30),
        ("7C 7D 7H JS 2H", 9),
        ("7C 7D JH JS 2H", 0),  # were the deuce wild, a full house
        ("AH KH QH JH 2C", 0),  # were it wild, a royal flush
    ],
)
def test_fixed_pays_are_for_one_and_come_from_the_tray(table: str, cards: str, for_one: int) -> None:
    round_ = deal("KD 9D", "3C 4C 5S 6S 8D", seat(1, cards, progressive=500))
    settlement = settle(round_, GAME, paytables={"progressive": table})
    expected = ("win", 500 * for_one - 500, PAYS) if for_one else ("lose", -500, NO_PAY)
    assert money(settlement)[1, "progressive"] == expected
    assert settlement.totals.meters == 0
    assert balanced(settlement)


def test_a_royal_flush_takes_the_meter_which_falls_back_to_its_seed() -> None:
    round_ = deal(COMMUNITY, DEALER, seat(1, ROYAL, progressive=100))
    settlement = settle(round_, GAME, meters={"meter": Meter(1_234_567, seed_cents=1_000_000)})
    assert money(settlement)[1, "progressive"] == ("win", 1_234_567 - 100, PAYS)
    (meter,) = settlement.meters
    assert (meter.before, meter.paid, meter.reseeded, meter.after) == (1_234_567, 1_234_567, 1_000_000, 1_000_000)
    assert settlement.totals.meters == -1_234_567
    assert balanced(settlement)


def test_a_straight_flush_takes_a_tenth_to_the_cent_and_the_rest_stays_on_the_meter() -> None:
    settlement = settle(
        deal(COMMUNITY, DEALER, seat(1, STRAIGHT_FLUSH, progressive=100)), GAME, meters={"meter": 1_234_567}
    )
    line = next(line for line in settlement.lines if line.bet == "progressive")
    assert (line.pay, line.rest, line.meter, line.returned) == (123_456, "7/10", "meter", 0)
    assert settlement.meters[0].after == 1_111_111


# Seat 2 is nearer the dealer's right than seat 1.
def two_meter_pays(**options: object) -> Settlement:
    round_ = deal(
        COMMUNITY, "3C 4D 5C 6C 8C", seat(1, ROYAL, progressive=100), seat(2, "5S 6S 7S 8S 9S", progressive=100)
    )
    return settle(round_, GAME, **options)  # type: ignore[arg-type]


def test_two_meter_pays_go_from_the_dealers_right_and_the_meter_moves_between() -> None:
    settlement = two_meter_pays(meters={"meter": Meter(1_000_000, 500_000)})
    found = money(settlement)
    assert found[2, "progressive"][1] == 100_000 - 100  # the tenth first
    assert found[1, "progressive"][1] == 900_000 - 100  # then all that is left
    assert settlement.meters[0].after == 500_000
    assert envy(settlement) == [(2, 100_000), (1, 30_000)]  # winners owe each other envy
    assert balanced(settlement)


def test_the_other_way_round_the_tenth_is_of_the_seed() -> None:
    settlement = two_meter_pays(
        meters={"meter": Meter(1_000_000, 500_000)}, readings={"meter-order": "dealers-left-first"}
    )
    found = money(settlement)
    assert found[1, "progressive"][1] == 1_000_000 - 100
    assert found[2, "progressive"][1] == 50_000 - 100
    assert settlement.meters[0].after == 450_000
    assert settlement.readings["meter-order"] == "dealers-left-first"


def test_without_the_seed_the_pay_after_a_royal_flush_is_held() -> None:
    settlement = two_meter_pays(meters={"meter": 1_000_000}, readings={"meter-order": "dealers-left-first"})
    assert money(settlement)[2, "progressive"] == ("held", 0, PAYS)
    assert settlement.status == "partly-held"
    assert (settlement.meters[0].after, settlement.meters[0].reseeded) == (None, None)


def test_without_a_meter_its_pays_are_held_and_envy_is_paid_all_the_same() -> None:
    settlement = two_meter_pays()
    assert {money(settlement)[number, "progressive"][0] for number in (1, 2)} == {"held"}
    assert "no amount was given for the meter" in (settlement.why or "")
    assert envy(settlement) == [(2, 100_000), (1, 30_000)]


def test_a_hand_not_known_holds_the_meter_pays_after_it() -> None:
    round_ = deal(
        COMMUNITY,
        DEALER,
        seat(1, ROYAL, progressive=100),
        seat(2, "5C 7H ?? QS JS", progressive=100),
        seat(3, "7S 8S 9S 4H TD", progressive=100),
    )
    settlement = settle(round_, GAME, meters={"meter": 1_000_000})
    assert money(settlement)[2, "progressive"][0] == "held"
    assert money(settlement)[1, "progressive"][0] == "held"
    assert "the bet of seat 2, which comes first, is held" in next(
        line.why for line in settlement.lines if line.seat == 1 and line.bet == "progressive"
    )


@pytest.mark.parametrize(
    ("cards", "meter_pay", "envious"),
    [("5S 6D 7S 8S TH", ("win", 999_900, PAYS), [2]), ("5H 6H 7H 8H 9H", ("held", 0, PAYS), [2, 1])],
)
def test_a_wager_that_breaks_a_rule_holds_meter_and_envy_only_if_it_could_win(
    cards: str, meter_pay: tuple[str, int, str], envious: list[int]
) -> None:
    round_ = deal(
        COMMUNITY, "3C 4D 5C 6C 8C", seat(1, "AS KS QS JS TS", progressive=100), seat(2, cards, progressive=10_100)
    )
    found = settle(round_, GAME, meters={"meter": 1_000_000})
    assert money(found)[2, "progressive"] == ("held", 0, "47.1-1002(2)")
    assert money(found)[1, "progressive"] == meter_pay
    lines = [line for line in found.lines if line.bet == "envy"]
    assert [line.seat for line in lines] == envious
    assert {(line.result, line.pay, line.clause) for line in lines} == {("held", 0, "47.1-1002(2)")}


class TestEnvy:
    def test_is_rounded_as_every_pay_of_the_house(self) -> None:
        round_ = deal(COMMUNITY, DEALER, seat(1, ROYAL, progressive=100), seat(2, NOTHING, progressive=100))
        settlement = settle(round_, GAME, envy_base_cents=300)
        assert (settlement.lines[-1].pay, settlement.lines[-1].rest) == (33_325, "25/3")

    def test_every_other_bettor_gets_it_by_his_own_wager_folded_ones_too_never_the_winner(self) -> None:
        round_ = deal(
            COMMUNITY,
            DEALER,
            seat(1, STRAIGHT_FLUSH, progressive=100),
            seat(2, NOTHING, progressive=500),
            seat(3, "?? ?? ?? ?? ??", progressive=100, status="folded"),
            seat(4, "3D 4H JD QC TD"),
            seat(5, "TC JH", progressive=100, status="dead", counted=2),
        )
        settlement = settle(round_, GAME, meters={"meter": 1_000_000})
        assert envy(settlement) == [(3, 30_000), (2, 150_000)]
        assert money(settlement)[3, "progressive"] == ("lose", -100, FOLDED)
        assert balanced(settlement)
        without = settle(round_, GAME, meters={"meter": 1_000_000}, readings={"folded-envy": "none"})
        assert envy(without) == [(2, 150_000)]

    def test_the_second_table_and_another_base_wager(self) -> None:
        round_ = deal(COMMUNITY, DEALER, seat(1, ROYAL, progressive=500), seat(2, NOTHING, progressive=500))
        tables = {"progressive": "FGWP-02"}
        found = settle(round_, GAME, paytables=tables)
        assert (envy(found), found.envy_base_cents) == ([(2, 500_000)], 500)
        assert envy(settle(round_, GAME, paytables=tables, envy_base_cents=100)) == [(2, 2_500_000)]
        assert settle(round_, GAME).envy_base_cents == 100

    def test_a_folded_royal_flush_brings_nobody_anything(self) -> None:
        round_ = deal(
            COMMUNITY, DEALER, seat(1, ROYAL, progressive=100, status="folded"), seat(2, NOTHING, progressive=100)
        )
        assert envy(settle(round_, GAME, meters={"meter": 1_000_000})) == []


class TestProgressiveOnly:
    """The dealer's packet was wrong: by (7)(I) the hands play only for the progressive jackpot."""

    def test_the_other_bets_come_back_and_the_hands_are_paid_or_lose(self) -> None:
        round_ = deal(
            "",
            "3C 4D 5S 6S 8C QD",
            seat(1, QUADS, flush_rush=500, progressive=100),
            seat(2, "2C 2D 4C JC TS", progressive=100),
            seat(3, "TC JH", progressive=100, status="dead", counted=2),
            outcome="progressive-only",
            dealer_counted=6,
        )
        settlement = settle(round_, GAME)
        found = money(settlement)
        assert {key for key, line in found.items() if line == ("returned", 0, MISDEAL)} == {
            (1, "ante"), (1, "blind"), (1, "play"), (1, "flush-rush"),
            (2, "ante"), (2, "blind"), (2, "play"),
            (3, "ante"), (3, "blind"), (3, "progressive"),
        }  # fmt: skip
        assert found[1, "progressive"] == ("win", 29_900, PAYS)
        assert found[2, "progressive"] == ("lose", -100, NO_PAY)
        assert len(found) == 12

    def test_without_a_jackpot_hand_the_progressive_comes_back_too(self) -> None:
        round_ = deal(
            "", None, seat(1, NOTHING, progressive=100), seat(2, "3D 4H JD QC TD", progressive=100),
            outcome="progressive-only",
        )  # fmt: skip
        settlement = settle(round_, GAME)
        assert {line[0] for line in money(settlement).values()} == {"returned"}
        assert settlement.totals.players == 0

    def test_whether_a_fixed_pay_is_a_jackpot_hand_is_a_reading(self) -> None:
        round_ = deal("", None, seat(1, QUADS, progressive=100), outcome="progressive-only")
        settlement = settle(round_, GAME, readings={"jackpot-hand": "meter-row"})
        assert money(settlement)[1, "progressive"] == ("returned", 0, MISDEAL)

    def test_an_unread_hand_might_be_one_so_nothing_is_returned(self) -> None:
        round_ = deal(
            "", None, seat(1, NOTHING, progressive=100), seat(2, "?? 4H JD QC TD", progressive=100),
            outcome="progressive-only",
        )  # fmt: skip
        settlement = settle(round_, GAME)
        assert {money(settlement)[number, "progressive"][0] for number in (1, 2)} == {"held"}
        assert money(settlement)[1, "ante"] == ("returned", 0, MISDEAL)

    def test_a_known_jackpot_hand_is_paid_beside_an_unread_one(self) -> None:
        round_ = deal(
            "", None, seat(1, QUADS, progressive=100), seat(2, "?? 4H JD QC TD", progressive=100),
            outcome="progressive-only",
        )  # fmt: skip
        found = money(settle(round_, GAME))
        assert found[1, "progressive"] == ("win", 29_900, PAYS)
        assert found[2, "progressive"][0] == "held"

    def test_a_wager_over_the_limit_is_held_here_too(self) -> None:
        round_ = deal(
            "", None, seat(1, QUADS, progressive=100), seat(2, NOTHING, progressive=10_100), outcome="progressive-only"
        )
        found = money(settle(round_, GAME))
        assert found[2, "progressive"] == ("held", 0, "47.1-1002(2)")
        assert found[1, "progressive"] == ("win", 29_900, PAYS)

    def test_a_face_in_two_hands_holds_the_round(self) -> None:
        round_ = deal(
            "", None, seat(1, QUADS, progressive=100), seat(2, QUADS, progressive=100), outcome="progressive-only"
        )
        assert settle(round_, GAME).status == "held"
