"""Cases that are not settled: bets that break a rule and unseen cards are held by line, wrong requests are refused."""

import pytest
from msgspec.structs import replace

from rules import Game, Meter, SettlementRefused, load_game, settle
from rules.facts.terms import Terms, agree
from tests.support.dealing.flushes import GAME, co, deal, money, seat

COMMUNITY, DEALER, HAND = "KH 9H", "3C 4D 5S 6S 8C", "AH QH JH 7C 4S"
LIMIT = "47.1-1002(2)"
GROUP = ("ante", "blind", "play")


@pytest.mark.parametrize(
    ("wagers", "held", "clause", "why"),
    [
        ({"blind": 400}, GROUP, co("(3)"), "blind of $4 is not equal to the ante of $5"),
        ({"ante": 0, "blind": 500}, GROUP, co("(3)"), "blind of $5 without a bet on ante"),
        ({"play": 500}, GROUP, co("(7)(b)"), "play of $5 is not equal to 2 times the ante of $5"),
        ({"play": 0}, GROUP, co("(7)(b)"), "play of $0 is not equal to 2 times the ante of $5"),
        ({"ante": 6000}, GROUP, LIMIT, "play of $120 is over the limit of $100"),
        ({"flush_rush": 10025}, ("flush-rush",), LIMIT, "flush-rush of $100.25 is over the limit of $100"),
        (
            {"ante": 0, "flush_rush": 500},
            ("flush-rush",),
            co("(3)"),
            "flush-rush of $5 without a bet on ante",
        ),
        (
            {"ante": 0, "progressive": 100},
            ("progressive",),
            co("(3)"),
            "progressive of $1 without a bet on ante",
        ),
    ],
)
def test_a_wager_that_breaks_a_rule_is_held(
    wagers: dict[str, int], held: tuple[str, ...], clause: str, why: str
) -> None:
    others = seat(2, "8D TS 8S JS JD")
    settlement = settle(deal(COMMUNITY, DEALER, seat(1, HAND, **wagers), others), GAME)  # type: ignore[arg-type]
    lines = [line for line in settlement.lines if line.result == "held"]
    assert {line.seat for line in lines} == {1}
    assert {line.bet for line in lines} <= set(held)
    assert lines
    assert all((line.clause, line.why, line.net) == (clause, why, 0) for line in lines)
    assert settlement.status == "partly-held"
    assert money(settlement)[2, "ante"] != ("held", 0, clause)


def test_the_limit_itself_is_allowed() -> None:
    round_ = deal(COMMUNITY, DEALER, seat(1, HAND, ante=5000, flush_rush=10000))
    assert settle(round_, GAME).status == "settled"


def test_a_play_bet_on_a_folded_hand_is_held_with_its_ante_and_blind() -> None:
    found = money(settle(deal(COMMUNITY, DEALER, seat(1, HAND, status="folded", play=1000)), GAME))
    assert found == {(1, bet): ("held", 0, co("(7)")) for bet in GROUP}


@pytest.mark.parametrize(
    ("community", "dealer", "hand", "why"),
    [
        ("KH ??", DEALER, HAND, "the faces of the community are not all known (??)"),
        ("", DEALER, HAND, "0 of 2 cards of the community were seen"),
        (COMMUNITY, None, HAND, "the dealer's hand was not seen"),
        (COMMUNITY, "3C 4D ?? 6S 8C", HAND, "the faces of the dealer are not all known (??)"),
        (COMMUNITY, DEALER, "AH QH JH 7C ==", "the faces of seat 1 are not all known (==)"),
        (COMMUNITY, DEALER, "AH QH JH 7C X1", "the faces of seat 1 are not all known (X1)"),
        (COMMUNITY, DEALER, "AH QH JH 7C", "4 of 5 cards of seat 1 were seen"),
        (COMMUNITY, DEALER, "", "0 of 5 cards of seat 1 were seen"),
    ],
)
def test_nothing_is_guessed_about_cards_that_were_not_seen(
    community: str, dealer: str | None, hand: str, why: str
) -> None:
    settlement = settle(deal(community, dealer, seat(1, hand)), GAME)
    assert settlement.status == "held"
    assert {(line.result, line.why) for line in settlement.lines} == {("held", why)}
    assert settlement.totals.players == settlement.totals.house == 0


def test_a_live_hand_or_dealer_with_a_wrong_count_is_held() -> None:
    live = settle(deal(COMMUNITY, DEALER, seat(1, HAND, counted=6, progressive=100)), GAME)
    assert {line.why for line in live.lines} == {"seat 1 is live with 6 cards counted"}
    dealer = settle(deal(COMMUNITY, DEALER, seat(1, HAND), dealer_counted=4), GAME)
    assert {line.why for line in dealer.lines} == {"the dealer's hand was counted at 4 cards"}


def test_a_face_in_two_places_holds_the_whole_round() -> None:
    settlement = settle(deal(COMMUNITY, "3C 4D 5S 6S AH", seat(1, HAND)), GAME)
    assert settlement.status == "held"
    assert settlement.why == "the deck contradicts the round: AH is in two places"
    assert {line.clause for line in settlement.lines} == {"47.1-1036"}


def test_a_seat_that_stands_twice_holds_the_whole_round() -> None:
    settlement = settle(deal(COMMUNITY, DEALER, seat(1, HAND), seat(1, "8D TS 8S JS JD")), GAME)
    assert (settlement.status, settlement.why) == ("held", "a seat appears twice in the round")


def test_a_seat_without_wagers_has_no_line() -> None:
    settlement = settle(deal(COMMUNITY, DEALER, seat(1, HAND, ante=0)), GAME)
    assert (settlement.status, settlement.lines, settlement.seats) == ("settled", (), ())


class TestRefused:
    ROUND = deal(COMMUNITY, DEALER, seat(1, HAND))

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (
                {"readings": {"natural": "maybe"}},
                "not settled: reading natural 'maybe'; allowed: own-suit, no-deuce",
            ),
            (
                {"readings": {"weather": "fine"}},
                "not settled: reading 'weather'; allowed: "
                "natural, wild-kicker, jackpot-hand, envy-trigger, folded-envy, meter-order",
            ),
            (
                {"paytables": {"flush-rush": "FGW-05"}},
                "not settled: pay table of flush-rush 'FGW-05'; allowed: FGW-01, FGW-02, FGW-03, FGW-04",
            ),
            (
                {"paytables": {"ante": "FGW-01"}},
                "not settled: pay table for bet 'ante'; allowed: blind, flush-rush, progressive",
            ),
            ({"rounding": "up"}, "not settled: rounding 'up'; allowed: down-to-token, down-to-cent"),
            ({"token_cents": 0}, "not settled: token 0; allowed: 1 cent or more"),
            ({"meters": {"mega": 100}}, "not settled: meter 'mega'; allowed: meter"),
            ({"meters": {"meter": -1}}, "not settled: meter amount -1; allowed: 0 or more cents"),
        ],
    )
    def test_a_request_names_what_is_allowed(self, options: dict[str, object], sentence: str) -> None:
        with pytest.raises(SettlementRefused) as caught:
            settle(self.ROUND, GAME, **options)  # type: ignore[arg-type]
        assert str(caught.value) == sentence

    def test_another_games_round(self) -> None:
        other = replace(self.ROUND, procedure=replace(self.ROUND.procedure, id="race-to-the-flush"))
        with pytest.raises(SettlementRefused, match=r"'race-to-the-flush'; allowed: flushes-gone-wild\.co"):
            settle(other, GAME)

    def test_a_meter_with_a_negative_seed(self) -> None:
        with pytest.raises(SettlementRefused, match="meter amount -5"):
            Meter(100, seed_cents=-5)


def test_a_token_of_one_cent_is_one() -> None:
    round_ = deal(COMMUNITY, DEALER, seat(1, HAND))
    assert money(settle(round_, GAME, token_cents=1)) == money(settle(round_, GAME))
    with pytest.raises(SettlementRefused, match="token 0"):
        settle(round_, GAME, token_cents=0)


PAIRS = [
    ("three-card.co", "ante-bonus", "TC-AB-2", "pair-plus", "TC-PP-2", "TC-PP-3", "TC-AB-3", "47.1-1017.24(17)"),
    ("crazy-4.co", "super-bonus", "C4-SB-10", "queens-up", "C4-QU-10", "C4-QU-12", "C4-SB-12", "47.1-1017.44(15)"),
    (
        "ultimate-texas-holdem.co",
        *("blind", "UTH-BLIND-2", "trips", "UTH-TRIPS-2", "UTH-TRIPS-4", "UTH-BLIND-4", "47.1-1017.47(14)"),
    ),
]


@pytest.mark.parametrize(("game", "one", "table", "other", "its", "another", "fits", "clause"), PAIRS)
def test_schedules_that_are_printed_in_pairs_are_chosen_in_pairs(
    game: str, one: str, table: str, other: str, its: str, another: str, fits: str, clause: str
) -> None:
    rules = load_game(game)
    for named in ({one: table}, {other: its}, {one: table, other: its}):
        chosen = asked(rules, paytables=named).paytables
        assert (chosen[one], chosen[other]) == (table, its)
    with pytest.raises(SettlementRefused) as refused:
        asked(rules, paytables={one: table, other: another})
    assert str(refused.value) == (
        f"not settled: pay table of {one} with {another} of {other} ({clause}) {table!r}; allowed: {fits}"
    )


def asked(game: Game, *, paytables: dict[str, str]) -> Terms:
    """Return the terms that a house agrees on, with suspect tables allowed."""
    return agree(
        game,
        paytables=paytables,
        readings={},
        rounding="down-to-cent",
        token_cents=1,
        envy_base_cents=None,
        meters={},
        accept_suspect=True,
    )
