"""Maximum payouts: the values a house may set, and their cuts (47.1-1062, 47.1-1017.10(11), 47.1-1017.14(15))."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from rules import SettlementRefused, load_game, settle
from rules.facts.caps import cut
from rules.game.load import game_ids
from rules.settlement import MaximumPayout, Settlement, SettlementLine
from tests.support.reading.each import of_each
from tests.support.reading.paper import Paper

ROYAL, STRAIGHT_FLUSH = "AS KS QS JS TS", "9H 8H 7H 6H 5H"
FULL = "AD AC AH KD KC"


def caribbean(maximum: MaximumPayout | None, *hands: str, tip: bool = False) -> Settlement:
    """Settle these hands, each with 10 dollars on the ante, against a dealer's pair."""
    seats = [
        {
            "seat": number,
            "cards": cards,
            "choices": ["bet"],
            "bets": {"ante": 1000, "bet": 2000} | ({"tip-ante": 500} if tip else {}),
        }
        for number, cards in enumerate(hands, 1)
    ]
    return Paper("caribbean-stud.co", {"seat": seats, "dealer": "2C 2D 4C 8S 9S"}).settle(maximum=maximum)


def pays(settlement: Settlement, bet: str = "bet") -> list[tuple[int, int]]:
    """Return the pay and cut of each seat from 1."""
    lines = sorted((line for line in settlement.lines if line.bet == bet), key=lambda line: line.seat)
    return [(line.pay, line.cut) for line in lines]


def test_without_a_maximum_everything_is_paid() -> None:
    assert pays(caribbean(None, ROYAL, STRAIGHT_FLUSH)) == [(200_000, 0), (100_000, 0)]


def test_each_player_is_paid_so_much_at_most() -> None:
    found = caribbean(MaximumPayout(player_cents=150_000, least_bet_cents=500), ROYAL, STRAIGHT_FLUSH)
    assert pays(found) == [(150_000, 50_000), (100_000, 0)]
    (line,) = (line for line in found.lines if line.cut)
    assert line.why.endswith("; cut by $500 to the maximum payout of a player, $1,500")
    assert line.clause == "47.1-1017.10(10)(c), 47.1-1017.10(11), 47.1-1062"
    assert line.net == line.pay
    assert found.totals.players + found.totals.house + found.totals.meters == 0
    assert found.maximum == MaximumPayout(player_cents=150_000, least_bet_cents=500)


def test_a_round_is_shared_in_the_measure_of_the_pays() -> None:
    found = caribbean(MaximumPayout(round_cents=150_000, least_bet_cents=500), ROYAL, STRAIGHT_FLUSH)
    assert pays(found) == [(100_000, 100_000), (50_000, 50_000)]


def test_one_winner_alone_is_not_cut_by_the_rounds_aggregate() -> None:
    """(11): two or more players must have winning hands."""
    loser = "3C 5D 7C 9D JC"
    found = caribbean(MaximumPayout(round_cents=150_000, least_bet_cents=500), ROYAL, loser)
    assert pays(found) == [(200_000, 0), (0, 0)]
    alone = MaximumPayout(player_cents=150_000, least_bet_cents=500)
    assert pays(caribbean(alone, ROYAL, loser))[0] == (150_000, 50_000)


def test_what_pays_less_than_50_to_1_is_paid_in_full() -> None:
    """1062(2), (3): a full house at 7 to 1 with a royal flush, and the antes at even money."""
    found = caribbean(MaximumPayout(player_cents=50_000, round_cents=50_000, least_bet_cents=500), ROYAL, FULL)
    assert pays(found) == [(50_000, 150_000), (14_000, 0)]
    assert pays(found, "ante") == [(1000, 0), (1000, 0)]


def test_no_maximum_is_below_the_least_bet_times_the_highest_odds() -> None:
    """1062(1): 5 dollars at 100 to 1 are 500 dollars."""
    why = "not settled: maximum payout of a round '$499'; allowed: $500 or more, the minimum bet times the highest odds"
    with pytest.raises(SettlementRefused, match=re.escape(why)):
        caribbean(MaximumPayout(round_cents=49_900, least_bet_cents=500), ROYAL)
    with pytest.raises(SettlementRefused, match="without a minimum bet"):
        caribbean(MaximumPayout(round_cents=50_000), ROYAL)


def beside_a_held_bet(maximum: MaximumPayout, *, over: int = 2500, cards: str = STRAIGHT_FLUSH) -> Settlement:
    """Settle a royal flush of seat 1, with seat 2 held because its bet is not twice the ante."""
    seats = [
        {"seat": 1, "cards": ROYAL, "choices": ["bet"], "bets": {"ante": 1000, "bet": 2000}},
        {"seat": 2, "cards": cards, "choices": ["bet"], "bets": {"ante": 1000, "bet": over}},
    ]
    return Paper("caribbean-stud.co", {"seat": seats, "dealer": "2C 2D 4C 8S 9S"}).settle(maximum=maximum)


def test_what_hangs_on_a_held_bet_of_another_seat_waits() -> None:
    """2,000 dollars are certain; 2,500 more are possible at 100 to 1, with a second winner, which would make the cut
    apply."""
    found = beside_a_held_bet(MaximumPayout(round_cents=250_000, least_bet_cents=500))
    held = {(line.seat, line.bet): line.why for line in found.lines if line.result == "held"}
    assert set(held) == {(1, "bet"), (2, "ante"), (2, "bet")}
    assert held[1, "bet"].endswith(
        "the maximum payout of a round is $2,500, and the cut depends on ante of seat 2, which is held"
    )
    assert pays(found, "ante")[0] == (1000, 0)


def test_where_no_bet_can_reach_the_maximum_none_waits() -> None:
    found = beside_a_held_bet(MaximumPayout(round_cents=450_000, least_bet_cents=500))
    assert pays(found)[0] == (200_000, 0)


def test_the_maximum_of_a_player_hangs_on_no_other_seat() -> None:
    found = beside_a_held_bet(MaximumPayout(player_cents=150_000, least_bet_cents=500))
    assert pays(found)[0] == (150_000, 50_000)


def test_a_maximum_of_the_round_waits_for_a_player_whose_own_hangs_on_a_held_bet() -> None:
    """One of two bets of a seat is held."""
    lines = [
        SettlementLine(1, "bet", 2000, "win", 200_000, 2000, 200_000, "royal", "c", "CS-BET-1", "royal flush"),
        SettlementLine(1, "bet", 2000, "held", 0, 0, 0, "not known", "c"),
        SettlementLine(2, "bet", 1000, "win", 100_000, 1000, 100_000, "royal", "c", "CS-BET-1", "royal flush"),
    ]
    game = load_game("caribbean-stud.co")
    tables = {"bet": next(iter(game.bets["bet"].to_choose))}
    lines = [replace(line, paytable=tables["bet"] if line.paytable else None) for line in lines]
    both = MaximumPayout(player_cents=250_000, round_cents=250_000, least_bet_cents=500)
    assert [line.result for line in cut(lines, game, both, tables, 25)] == ["held"] * 3
    player = MaximumPayout(player_cents=250_000, least_bet_cents=500)
    assert [line.result for line in cut(lines, game, player, tables, 25)] == ["held", "held", "win"]


def test_a_progressive_is_never_cut() -> None:
    bets = {"ante": 1000, "bet": 2000, "progressive": 100}
    seats = [
        {"seat": number, "cards": cards, "choices": ["bet"], "bets": bets}
        for number, cards in enumerate((STRAIGHT_FLUSH, ROYAL), 1)
    ]
    case = {"seat": seats, "dealer": "2C 2D 4C 8S 9S", "meters": {"meter": 10_000_000}}
    maximum = MaximumPayout(round_cents=50_000, player_cents=50_000, least_bet_cents=500)
    paid = pays(Paper("caribbean-stud.co", case).settle(maximum=maximum), "progressive")
    assert [cut for _, cut in paid] == [0, 0]
    assert paid[1] == (10_000_000, 0)


def test_a_tips_pay_where_the_text_lets_it_be_bounded() -> None:
    case = {
        "seat": [
            {
                "seat": 1,
                "cards": "AS KS QS",
                "bets": {"bet-1": 500, "bet-2": 500, "bet-dollar": 500, "tip-bet-1": 500},
            }
        ],
        "community": "JS TS",
    }
    found = Paper("let-it-ride.co", case).settle(maximum=MaximumPayout(tip_cents=100_000))
    assert pays(found, "tip-bet-1") == [(100_000, 150_000)]
    assert pays(found, "bet-1") == [(250_000, 0)]
    with pytest.raises(SettlementRefused, match="maximum tip payout"):
        settle(Paper("mississippi-stud.co", MISSISSIPPI).round(), load_game("mississippi-stud.co"),
               maximum=MaximumPayout(tip_cents=100))  # fmt: skip


MISSISSIPPI = {"seat": [{"seat": 1, "cards": "AS KS", "bets": {"ante": 500}}], "community": "2C 3D 5H"}


def test_a_game_whose_text_has_no_maximum_refuses_one() -> None:
    with pytest.raises(SettlementRefused, match="none in this game"):
        settle(Paper("players-choice.co", CHOICE).round(), load_game("players-choice.co"),
               maximum=MaximumPayout(round_cents=1, least_bet_cents=1))  # fmt: skip


CHOICE = {"seat": [{"seat": 1, "bets": {"on-hand-1": 500}}], "hands": {"hand-1": "AS KD 2C"}}


@of_each("game", game_ids())
def test_no_progressive_and_no_bonus_is_named(game: str) -> None:
    loaded = load_game(game)
    rule = loaded.spec.maximum
    for name in rule.bets if rule else ():
        assert loaded.bets[name].kind not in ("progressive", "fee", "pot")
        assert "bonus" not in name or name == "super-bonus"
