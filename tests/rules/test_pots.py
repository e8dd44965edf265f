"""Pots case by case: the regulation on hands, halves, odd chips, all-in, dead hands and awards, with the clauses."""

from typing import Any

import pytest

from rules import SettlementRefused
from rules.settlement import HouseRake, Settlement
from tests.support.dealing.written_rounds import must_add_up, nets, seat_of, settled

EIGHT = {"readings": {"low-qualifier": "eight-or-better"}}


def winners(done: Settlement, pot: int = 0) -> dict[int, tuple[int, str]]:
    return {each.seat: (each.cents, each.won_with) for each in done.pots[pot].winners}


def clause_of(done: Settlement, seat: int, bet: str = "pot") -> str:
    (clause,) = {line.clause for line in done.lines if (line.seat, line.bet) == (seat, bet)}
    return clause


# ------------------------------------------------------------------ which hand


def test_none_one_or_two_of_the_own_cards_count() -> None:
    seats = [seat_of(1, "2C 3D", river=100), seat_of(2, "4H 7C", river=100), seat_of(3, "2H 8H", river=100)]
    done = settled("holdem.co", seats, "TS JS QS KS AS")  # the royal flush lies on the board
    assert nets(done) == {1: 0, 2: 0, 3: 0}
    assert clause_of(done, 1) == "47.1-1012(5)(a), 47.1-1006"
    assert [line.result for line in done.lines] == ["push"] * 3
    done = settled("holdem.co", [seat_of(1, "9S 2D", river=100), seat_of(2, "AH AC", river=100)], "TS JS QS KS 2C")
    assert winners(done) == {1: (200, "high")}


def test_omaha_takes_exactly_two_own_cards_and_three_of_the_board() -> None:
    one_spade = seat_of(1, "AS KH QH JD", river=100)
    two_spades = seat_of(2, "2S 3S 9C 9D", river=100)
    done = settled("omaha.co", [one_spade, two_spades], "4S 7S 8S TS KC")
    assert winners(done) == {2: (200, "high")}
    assert done.lines[0].why == "pair of kings: the pot of $2 goes to seat 2"
    quads = settled(
        "omaha.co", [seat_of(1, "AS AH AC AD", river=100), seat_of(2, "KS KH 2C 2D", river=100)], "KC 7D 8H 9S 4C"
    )
    assert winners(quads) == {2: (200, "high")}  # two of four aces are a pair
    lows = [seat_of(1, "AS 2H KC QD", river=100), seat_of(2, "KS KH JC JD", river=100)]
    low = settled("omaha-hi-lo.co", lows, "3C 4D KD 9S 8H", terms=EIGHT)
    assert winners(low) == {1: (100, "low"), 2: (100, "high")}  # A-2 of the hand for low, K-K for high
    none = settled("omaha-hi-lo.co", lows, "3C JH KD 9S 8H", terms=EIGHT)
    assert winners(none) == {2: (200, "high")}  # three low cards of the board are wanted, and two lie there
    assert clause_of(none, 2) == "47.1-1017(4)(b), 47.1-1017(4)(b)(i)"


def test_an_ace_is_high_and_low_and_a_straight_does_not_impair_a_low_hand() -> None:
    seats = [seat_of(1, "AS 2S", river=100), seat_of(2, "KH KD", river=100)]
    done = settled("holdem-hi-lo.co", seats, "3H 4D 5C KS 9H", terms=EIGHT)
    assert winners(done) == {1: (200, "both")}
    assert clause_of(done, 1) == "47.1-1012(5)(b), 47.1-1012(5)(b)(iii)"


def test_the_licensee_says_what_the_best_low_hand_is() -> None:
    seats = [seat_of(1, "AS 2S 3H 4D 5C", after_draw=100), seat_of(2, "7H 5D 4C 3S 2D", after_draw=100)]
    assert winners(settled("draw-low.co", seats)) == {1: (200, "low")}
    by_seven = {"readings": {"low-hand": "deuce-to-seven"}}
    done = settled("draw-low.co", seats, terms=by_seven)
    assert winners(done) == {2: (200, "low")}
    assert done.lines[0].why.startswith("ace low (A 5 4 3 2): ")  # no straight: the ace is high only
    straight = [seat_of(1, "2S 3S 4H 5D 6C", after_draw=100), seat_of(2, "KH QD JC TS 8D", after_draw=100)]
    done = settled("draw-low.co", straight, terms=by_seven)
    assert winners(done) == {2: (200, "low")}
    assert done.lines[0].why.startswith("straight, six low (6 5 4 3 2): ")


def test_a_qualifier_of_the_house_restricts_high_and_low() -> None:
    seats = [seat_of(1, "TS TH 4D 3C 2S", after_draw=100), seat_of(2, "JS JH 5D 3D 2C", after_draw=100)]
    jacks = {"readings": {"high-qualifier": "jacks-or-better"}}
    assert winners(settled("draw.co", seats, terms=jacks)) == {2: (200, "high")}
    lower = [seat_of(1, "TS TH 4D 3C 2S", after_draw=100), seat_of(2, "9S 9H 5D 3D 2C", after_draw=100)]
    done = settled("draw.co", lower, terms=jacks)
    assert (done.status, done.pots[0].held) == (
        "held",
        "no hand qualifies, and the regulation does not say what happens to the pot",
    )
    assert nets(done) == {1: 0, 2: 0}
    low = {"readings": {"low-qualifier": "eight-or-better", "low-hand": "deuce-to-seven"}}
    eights = [seat_of(1, "8S 7H 6D 5C 4S", after_draw=100), seat_of(2, "8H 7D 6C 5S 3S", after_draw=100)]
    assert winners(settled("draw-low.co", eights, terms=low)) == {2: (200, "low")}


def test_in_stud_the_last_card_may_be_one_for_all() -> None:
    """47.1-1009(2): there are not enough cards to go around."""
    seats = [seat_of(1, "AS AH 2C 3D 9H TC", seventh=100), seat_of(2, "KS KH 2D 4D 8H JC", seventh=100)]
    assert winners(settled("seven-card-stud.co", seats, "KC", button=None)) == {2: (200, "high")}
    dealt = [seat_of(1, "AS AH 2C 3D 9H TC 5C", seventh=100), seat_of(2, "KS KH 2D 4D 8H JC 6C", seventh=100)]
    assert winners(settled("seven-card-stud.co", dealt, button=None)) == {1: (200, "high")}


# ------------------------------------------------------------------ halves, quarters, odd chips


def test_who_wins_one_way_and_ties_the_other_has_three_quarters() -> None:
    seats = [seat_of(1, "AS 2S", river=200), seat_of(2, "AD 2D", river=200)]
    done = settled("holdem-hi-lo.co", seats, "3H 4S 8S KS 9H", terms=EIGHT)  # one has a flush, both the same low
    assert winners(done) == {1: (300, "both"), 2: (100, "low")}
    assert clause_of(done, 1) == "47.1-1012(5)(b), 47.1-1006, 47.1-1012(5)(b)(ii)"
    assert nets(done) == {1: 100, 2: -100}


@pytest.mark.parametrize(("option", "parts"), [("halves", (800, 200, 200)), ("three-quarters", (900, 150, 150))])
def test_where_three_tie_a_reading_says_whether_it_is_three_quarters(option: str, parts: tuple[int, ...]) -> None:
    seats = [seat_of(1, "AS 2S", river=400), seat_of(2, "AD 2D", river=400), seat_of(3, "AC 2C", river=400)]
    terms = {"readings": {"low-qualifier": "eight-or-better", "hi-lo-ties": option}}
    done = settled("holdem-hi-lo.co", seats, "3H 4S 8S KS 9H", terms=terms)
    assert [each.cents for each in done.pots[0].winners] == [*parts]
    must_add_up(done, seats)


@pytest.mark.parametrize(("button", "odd"), [(1, 2), (2, 1), (None, None)])
def test_an_odd_chip_goes_to_the_left_of_the_button(button: int | None, odd: int | None) -> None:
    seats = [seat_of(1, "AS KC", river=125), seat_of(2, "AD KH", river=125), seat_of(3, "2C 3C", river=125)]
    done = settled("holdem.co", seats, "AH KD 7S 8S 9C", button=button, terms={"token_cents": 25})
    if odd is None:
        assert (
            done.pots[0].held
            == "an odd chip goes to the left of the button, and the position of the button is not known"
        )
        assert done.status == "held"
    else:
        assert winners(done) == {odd: (200, "high"), 3 - odd: (175, "high")}
        assert clause_of(done, odd) == "47.1-1012(5)(a), 47.1-1006, 47.1-1035"
    even = settled(
        "holdem.co", seats, "AH KD 7S 8S 9C", button=button, terms={"token_cents": 1, "rake": HouseRake("10", 1)}
    )
    assert even.status == "settled"


def test_in_stud_it_goes_to_the_left_of_the_dealer() -> None:
    seats = [
        seat_of(2, "AS KC QH JS 9D", fifth=125),
        seat_of(5, "AD KH QC JD 9S", fifth=125),
        seat_of(6, "2C 3C 4C 5C 7D", fifth=125),
    ]
    done = settled("five-card-stud.co", seats, button=5, terms={"token_cents": 25})
    assert winners(done) == {2: (200, "high"), 5: (175, "high")}


def test_the_odd_chip_of_two_halves_is_the_high_hands() -> None:
    seats = [seat_of(1, "KS KH", river=125), seat_of(2, "AD 2H", river=125), seat_of(3, "QS JS", river=125)]
    done = settled("holdem-hi-lo.co", seats, "3H 4S 8C KD 9H", terms=EIGHT | {"token_cents": 25})
    assert winners(done) == {1: (200, "high"), 2: (175, "low")}
    assert clause_of(done, 1).endswith("47.1-1035")


# ------------------------------------------------------------------ all-in, dead hands, hidden hands


def test_each_side_pot_is_won_by_itself_high_and_low() -> None:
    seats = [
        seat_of(1, "AS 2S", river=100),  # the best low, all in
        seat_of(2, "KH KD", river=300),
        seat_of(3, "AD 6D", river=600),  # the second low
        seat_of(4, "QH QD", river=700),
    ]
    done = settled("holdem-hi-lo.co", seats, "3H 4C 8S KS 9H", terms=EIGHT)
    assert [(pot.name, pot.cents, pot.contenders) for pot in done.pots] == [
        ("pot", 400, (1, 2, 3, 4)),
        ("side-pot-1", 600, (2, 3, 4)),
        ("side-pot-2", 600, (3, 4)),
    ]
    assert winners(done, 0) == {1: (200, "low"), 2: (200, "high")}
    assert winners(done, 1) == {2: (300, "high"), 3: (300, "low")}
    assert winners(done, 2) == {3: (300, "low"), 4: (300, "high")}
    (back,) = [line for line in done.lines if line.bet == "uncalled"]
    assert (back.seat, back.stake, back.returned, back.clause) == (4, 100, 100, "47.1-1023(2)")
    must_add_up(done, seats)


def test_the_last_hand_takes_the_pot_without_showing_and_no_rake_is_of_what_goes_back() -> None:
    seats = [seat_of(1, "?? ??", small_blind=100, pre_flop=400), seat_of(2, "?? ??", status="folded", big_blind=200)]
    done = settled("holdem.co", seats, terms={"rake": HouseRake("10")})
    assert winners(done) == {1: (360, "last-hand")}
    assert (done.pots[0].cents, done.pots[0].rake, done.totals.house) == (400, 40, 40)
    assert nets(done) == {1: 160, 2: -200}
    assert clause_of(done, 2) == "47.1-1002(16)"


def test_the_chips_of_a_dead_hand_stay_unless_the_round_gives_them_back() -> None:
    others = [seat_of(1, "AS AH", river=300), seat_of(2, "KS KH", river=300)]
    board = "2C 5D 7H 9S JC"
    stays = [*others, seat_of(3, "QS QH QD", status="dead", river=500)]
    done = settled("holdem.co", stays, board)
    assert nets(done) == {1: 800, 2: -300, 3: -500}  # what nobody matched of it, too
    assert clause_of(done, 3).startswith("47.1-1031(1)-(2)")
    back = [*others, seat_of(3, "QS QH QD", status="dead", returned={"river": 200}, flop=100, river=200)]
    done = settled("holdem.co", back, board)
    assert nets(done) == {1: 400, 2: -300, 3: -100}
    assert clause_of(done, 3, "river") == "47.1-1010, 47.1-1020, 47.1-1031(2)"
    must_add_up(done, back)


def test_a_hidden_hand_holds_the_pots_that_it_could_win_and_no_other() -> None:
    seats = [seat_of(1, "?? ??", river=100), seat_of(2, "KS KH", river=300), seat_of(3, "QS QH", river=300)]
    done = settled("holdem.co", seats, "2C 5D 7H 9S JC", terms={"rake": HouseRake("10", 40, 1, 100)})
    assert done.status == "partly-held"
    assert "seat 1 could win it" in done.pots[0].held
    assert winners(done, 1) == {2: (260, "high")}
    assert (done.pots[0].rake, done.pots[1].rake, done.pots[1].jackpot_rake) == (0, 40, 100)
    assert nets(done) == {1: 0, 2: 60, 3: -200}
    must_add_up(done, seats)


def test_nobody_left_holds_the_pot() -> None:
    seats = [seat_of(1, "AS AH", status="dead", river=100), seat_of(2, "KS KH", status="folded", river=100)]
    done = settled("holdem.co", seats, "2C 5D 7H 9S JC")
    assert (done.status, done.pots[0].held) == ("held", "no hand is left that could win the pot")


# ------------------------------------------------------------------ void rounds, wagers that break a rule


@pytest.mark.parametrize(("outcome", "clause"), [("misdeal", "47.1-1022"), ("defective-deck", "47.1-1036")])
def test_a_void_round_gives_every_wager_back(outcome: str, clause: str) -> None:
    put: Any = {"small_blind": 100, "pre_flop": 300}
    seats = [seat_of(1, "AS AH", returned=put, **put), seat_of(2, "KS KH", returned={"big_blind": 200}, big_blind=200)]
    done = settled("holdem.co", seats, outcome=outcome)
    assert {(line.bet, line.result, line.clause) for line in done.lines} == {
        ("small-blind", "returned", clause),
        ("pre-flop", "returned", clause),
        ("big-blind", "returned", clause),
    }
    assert nets(done) == {1: 0, 2: 0}
    assert done.pots == ()


def test_a_pot_taken_in_stays_though_the_deck_is_found_defective() -> None:
    seats = [seat_of(1, "AS AH", river=100), seat_of(2, "KS KH", river=100)]
    done = settled("holdem.co", seats, "2C 5D 7H 9S JC", outcome="defective-deck", awards=[(1, 2, 200)])
    assert nets(done) == {1: -100, 2: 100}
    assert clause_of(done, 2) == "47.1-1034, 47.1-1036"


def test_a_wager_over_the_limit_holds_all_and_a_round_of_raises_does_not() -> None:
    raised = [seat_of(1, "AS AH", river=30_000), seat_of(2, "KS KH", river=30_000)]
    assert settled("holdem.co", raised, "2C 5D 7H 9S JC").status == "settled"
    over = [seat_of(1, "AS AH", big_blind=10_001, river=100), seat_of(2, "KS KH", river=10_101)]
    done = settled("holdem.co", over, "2C 5D 7H 9S JC")
    assert done.status == "held"
    assert {line.clause for line in done.lines} == {"47.1-1002(2)"}
    must_add_up(done, over)


# ------------------------------------------------------------------ awards


SHOWN = [seat_of(1, "AS AH", river=100), seat_of(2, "KS KH", river=100)]
BOARD = "2C 5D 7H 9S JC"


def test_an_award_stands_whatever_the_cards_say() -> None:
    done = settled("holdem.co", SHOWN, BOARD, awards=[(1, 2, 200)])
    assert winners(done) == {2: (200, "award")}
    assert nets(done) == {1: -100, 2: 100}
    assert clause_of(done, 2) == "47.1-1034"
    won = next(line for line in done.lines if line.seat == 2)
    assert won.why == (
        "awarded and taken in, which stands; by the cards it was $2 to seat 1 (pair of aces): $2 of the pot of $2"
    )


def test_an_award_as_the_cards_have_it_changes_nothing() -> None:
    assert settled("holdem.co", SHOWN, BOARD, awards=[(1, 1, 200)]) == settled("holdem.co", SHOWN, BOARD)


def test_an_award_decides_where_a_hand_was_not_shown() -> None:
    seats = [seat_of(1, "?? ??", river=100), seat_of(2, "KS KH", river=100)]
    done = settled("holdem.co", seats, BOARD, awards=[(1, 2, 200)])
    assert (done.status, winners(done)) == ("settled", {2: (200, "award")})
    assert "by the cards it was undecided: seat 1 could win it" in done.lines[1].why


@pytest.mark.parametrize(
    ("awards", "why"),
    [
        ([(1, 2, 150)], "seat 2 took in $1.50, and $2 is to be won"),
        ([(1, 2, 250)], "seat 2 took in $2.50, and $2 is to be won"),
        ([(1, 7, 200)], "seat 7 took in $2, and seat 7 has nothing in this round"),
    ],
)
def test_an_award_that_cannot_be_holds_the_pot(awards: list[tuple[int, int, int]], why: str) -> None:
    done = settled("holdem.co", SHOWN, BOARD, awards=awards)
    assert (done.status, done.pots[0].held) == ("held", why)


# ------------------------------------------------------------------ rake


@pytest.mark.parametrize(
    ("rake", "taken"),
    [
        (HouseRake("10"), 75),  # 83.5 down to the token
        (HouseRake("10", step_cents=1), 83),
        (HouseRake("5.5", step_cents=1), 45),
        (HouseRake("10", cap_cents=50), 50),
        (HouseRake("10", step_cents=100), 0),
        (HouseRake(), 0),
    ],
)
def test_a_rake_is_rounded_down_and_capped(rake: HouseRake, taken: int) -> None:
    seats = [
        seat_of(1, "AS AH", river=417),
        seat_of(2, "KS KH", river=418),
        seat_of(3, "?? ??", status="folded", ante=1),
    ]
    done = settled("holdem.co", seats, BOARD, terms={"rake": rake, "token_cents": 25})
    assert (done.totals.house, done.pots[0].cents) == (taken, 835)
    must_add_up(done, seats)


def test_what_is_for_a_jackpot_goes_to_its_meter() -> None:
    terms: dict[str, Any] = {"rake": HouseRake("0", jackpot_cents=150), "meters": {"jackpot": 10_000}}
    done = settled("holdem.co", SHOWN, BOARD, terms=terms)
    assert (done.totals.players, done.totals.house, done.totals.meters) == (-150, 0, 150)
    (meter,) = done.meters
    assert (meter.name, meter.before, meter.contributed, meter.after) == ("jackpot", 10_000, 150, 10_150)
    assert settled("holdem.co", SHOWN, BOARD, terms={"rake": HouseRake(jackpot_cents=150)}).meters == ()


@pytest.mark.parametrize(
    ("game", "rake", "what"),
    [
        ("holdem.co", HouseRake("10.1"), r"rake '10.1'; allowed: 0 to 10 percent \(47.1-1018\(1\), 47.1-1040\(3\)\)"),
        ("holdem.co", HouseRake("ten"), "rake 'ten'"),
        ("holdem.co", HouseRake("5", cap_cents=-1), "rake cap -1"),
        ("holdem.co", HouseRake("5", step_cents=0), "rake step 0"),
        (
            "holdem.co",
            HouseRake(jackpot_cents=201),
            r"rake for a jackpot 201; allowed: 0 to 200 cents \(47.1-1018\(2\)",
        ),
    ],
)
def test_a_rake_over_what_the_text_allows_is_refused(game: str, rake: HouseRake, what: str) -> None:
    with pytest.raises(SettlementRefused, match=what):
        settled(game, SHOWN, BOARD, terms={"rake": rake})
