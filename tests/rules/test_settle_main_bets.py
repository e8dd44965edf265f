"""Colorado's Flushes Gone Wild, settled on paper first: ante, blind, play and Flush Rush, each with its clause."""

import pytest

from dealer_flow.record.result import RoundResult
from rules import settle
from tests.support.dealing.flushes import GAME, co, deal, money, seat
from tests.support.reading.each import of_each

# The community holds two hearts, so the dealer's best is always K 9 of hearts: a flush of 2.
COMMUNITY, DEALER = "KH 9H", "3C 4D 5S 6S 8C"
SEVEN_NATURAL = "AH QH JH TH 7H"
SEVEN_WILD = "AH QH JH TH 2C"
SIX_NATURAL = "AH QH JH TH 7C"
SIX_WILD = "AH QH JH 7C 2C"
FIVE_NATURAL = "AH QH JH 7C 4S"
FIVE_WILD = "AH QH 2C 7D 4S"
FOUR_NATURAL = "AH QH 7C 4S TD"
FOUR_WILD = "AH 2C 7D 4S TS"
THREE = "AH 7C 4S TD 6D"

WIN, LOSE, TIE, FOLD = co("(10)"), co("(11)"), co("(12)"), co("(7)(A)")


@pytest.mark.parametrize(
    ("cards", "result", "net"),
    [
        (SEVEN_NATURAL, "win", 100_000),  # by 5: 200 to 1
        (SEVEN_WILD, "win", 100_000),
        (SIX_NATURAL, "win", 12_500),  # by 4: 25 to 1
        (SIX_WILD, "win", 12_500),
        (FIVE_NATURAL, "win", 2_500),  # by 3: 5 to 1
        (FIVE_WILD, "win", 2_500),
        (FOUR_NATURAL, "win", 1_500),  # by 2: 3 to 1
        (FOUR_WILD, "win", 1_500),
        (THREE, "push", 0),  # by 1
    ],
)
def test_a_win_pays_ante_and_play_even_and_the_blind_by_its_margin(cards: str, result: str, net: int) -> None:
    assert money(settle(deal(COMMUNITY, DEALER, seat(1, cards)), GAME)) == {
        (1, "ante"): ("win", 500, WIN),
        (1, "blind"): (result, net, WIN),
        (1, "play"): ("win", 1000, WIN),
    }


# As 47.1-1017.60 (13) prints it, columns FGW-01 to FGW-04.
FLUSH_RUSH = {
    SEVEN_NATURAL: (250, 200, 250, 250),
    SEVEN_WILD: (100, 75, 100, 100),
    SIX_NATURAL: (50, 50, 50, 60),
    SIX_WILD: (10, 10, 10, 10),
    FIVE_NATURAL: (6, 6, 5, 5),
    FIVE_WILD: (3, 3, 3, 4),
    FOUR_NATURAL: (1, 1, 1, 1),
    FOUR_WILD: (-1, -1, -1, -1),
    THREE: (-1, -1, -1, -1),
}


@of_each(
    "cards, table, pays",
    [(cards, f"FGW-0{n}", pays) for cards, row in FLUSH_RUSH.items() for n, pays in enumerate(row, 1)],
)
def test_every_row_of_every_flush_rush_table(cards: str, table: str, pays: int) -> None:
    settlement = settle(deal(COMMUNITY, DEALER, seat(1, cards, flush_rush=300)), GAME, paytables={"flush-rush": table})
    assert money(settlement)[1, "flush-rush"] == ("win" if pays > 0 else "lose", 300 * pays, co("(13)"))
    assert settlement.paytables["flush-rush"] == table


A_7_3 = "AC 7C 3C 8D JS"
A_10_7 = "AH TH 7H 9D QS"


def test_the_printed_example_ace_seven_three_loses_to_ace_ten_seven() -> None:
    settlement = settle(deal("4D 6S", A_10_7, seat(1, A_7_3)), GAME)
    assert money(settlement) == {
        (1, "ante"): ("lose", -500, LOSE),
        (1, "blind"): ("lose", -500, LOSE),
        (1, "play"): ("lose", -1000, LOSE),
    }
    assert settlement.lines[0].why == (
        "flush of 3 (clubs A 7 3) loses to dealer's flush of 3 (hearts A T 7) on the kickers: ante loses"
    )


def test_a_win_on_the_kickers_is_by_no_card_and_the_blind_pushes() -> None:
    assert money(settle(deal("4D 6S", A_7_3, seat(1, A_10_7)), GAME)) == {
        (1, "ante"): ("win", 500, WIN),
        (1, "blind"): ("push", 0, WIN),
        (1, "play"): ("win", 1000, WIN),
    }


def test_equal_flushes_of_two_suits_push_all_three_bets() -> None:
    assert money(settle(deal("4D 6S", "AC TC 7C 8D JS", seat(1, A_10_7)), GAME)) == {
        (1, "ante"): ("push", 0, TIE),
        (1, "blind"): ("push", 0, TIE),
        (1, "play"): ("push", 0, TIE),
    }


def test_the_community_alone_can_tie() -> None:
    assert money(settle(deal(COMMUNITY, DEALER, seat(1, "7C 4S TD 6D QS")), GAME))[1, "play"] == ("push", 0, TIE)


def test_a_natural_flush_does_not_beat_a_wild_one_of_the_same_ranks() -> None:
    round_ = deal("4D 6S", "AC TC 2H 8D JS", seat(1, "AH KH TH 9D QS"))  # the dealer's deuce ranks as the king
    assert money(settle(round_, GAME))[1, "ante"] == ("push", 0, TIE)


def test_a_longer_flush_of_low_cards_beats_a_shorter_one_of_aces() -> None:
    round_ = deal("4D 6S", "AC KC QC 9D JS", seat(1, "3D 5D 7D 8S TH"))
    assert money(settle(round_, GAME))[1, "blind"] == ("push", 0, WIN)  # 4 diamonds against 3 clubs


def test_the_dealers_longer_flush_takes_all_three_but_flush_rush_is_paid() -> None:
    round_ = deal(COMMUNITY, "AH QH JH TH 3C", seat(1, "8H 7H 3D 5S 6C", flush_rush=500))
    assert money(settle(round_, GAME)) == {
        (1, "ante"): ("lose", -500, LOSE),
        (1, "blind"): ("lose", -500, LOSE),
        (1, "play"): ("lose", -1000, LOSE),
        (1, "flush-rush"): ("win", 500, co("(13)")),  # K 9 8 7 of hearts, 4-card natural
    }


def test_flush_rush_is_paid_by_the_natural_suit_when_the_showdown_is_won_by_another() -> None:
    round_ = deal("9H AS", "3C 4D 5S 6C 8C", seat(1, "2H 8H 7H KS QS", flush_rush=500))
    settlement = settle(round_, GAME)
    assert money(settlement)[1, "flush-rush"] == ("win", 500, co("(13)"))
    assert "spades A K Q + deuce" in settlement.lines[0].why


class TestFolding:
    def test_takes_ante_and_blind(self) -> None:
        assert money(settle(deal(COMMUNITY, DEALER, seat(1, SEVEN_NATURAL, status="folded")), GAME)) == {
            (1, "ante"): ("lose", -500, FOLD),
            (1, "blind"): ("lose", -500, FOLD),
        }

    @pytest.mark.parametrize(("cards", "result", "net"), [(FIVE_NATURAL, "win", 3000), (FOUR_WILD, "lose", -500)])
    def test_leaves_flush_rush_in_action(self, cards: str, result: str, net: int) -> None:
        settlement = settle(deal(COMMUNITY, DEALER, seat(1, cards, flush_rush=500, status="folded")), GAME)
        assert money(settlement)[1, "flush-rush"] == (result, net, co("(13)"))

    def test_takes_the_progressive(self) -> None:
        folded = seat(1, "AH QH JH TH 7H", progressive=100, status="folded")
        found = money(settle(deal(COMMUNITY, DEALER, folded), GAME))
        assert found[1, "progressive"] == ("lose", -100, co("progressive (6)"))

    def test_needs_no_faces_for_ante_and_blind(self) -> None:
        settlement = settle(deal(COMMUNITY, DEALER, seat(1, "?? ?? ?? ?? ??", status="folded")), GAME)
        assert (settlement.status, settlement.totals.house) == ("settled", 1000)

    def test_needs_the_faces_for_flush_rush(self) -> None:
        hidden = seat(1, "?? ?? ?? ?? ??", flush_rush=500, status="folded")
        settlement = settle(deal(COMMUNITY, DEALER, hidden), GAME)
        assert settlement.status == "partly-held"
        assert money(settlement)[1, "flush-rush"] == ("held", 0, co("(13)"))
        assert settlement.why == ("seat 1 flush-rush: the faces of seat 1 are not all known (?? ?? ?? ?? ??)")

    def test_needs_no_dealer_for_flush_rush(self) -> None:
        folded = seat(1, FIVE_NATURAL, flush_rush=500, status="folded")
        assert settle(deal(COMMUNITY, None, folded), GAME).status == "settled"


DEAD = co("progressive (7)(I)")
ALL = {"flush_rush": 500, "progressive": 100}


def returned(number: int, clause: str, *, play: bool = True) -> dict[tuple[int, str], tuple[str, int, str]]:
    bets = ["ante", "blind", *(["play"] if play else []), "flush-rush", "progressive"]
    return {(number, bet): ("returned", 0, clause) for bet in bets}


def test_a_dead_hand_keeps_its_bets_and_the_table_plays_on() -> None:
    dead = seat(2, "AH QH JH TH", status="dead", counted=4, flush_rush=500, progressive=100)
    found = money(settle(deal(COMMUNITY, DEALER, seat(1, "7C 4S TD 6D QD", flush_rush=500), dead), GAME))
    assert {key: line for key, line in found.items() if key[0] == 2} == returned(2, DEAD, play=False)
    assert found[1, "ante"] == ("win", 500, WIN)  # Q T 6 of diamonds
    assert found[1, "flush-rush"] == ("lose", -500, co("(13)"))


def test_a_misdeal_returns_every_bet_of_live_dead_and_folded_hands() -> None:
    seats = (
        seat(1, "", **ALL),
        seat(2, "", status="folded", **ALL),
        seat(3, "", status="dead", **ALL),
    )
    settlement = settle(deal("", None, *seats, outcome="misdeal"), GAME)
    assert money(settlement) == (returned(1, DEAD) | returned(2, DEAD, play=False) | returned(3, DEAD, play=False))
    assert settlement.status == "settled"


def test_a_defective_deck_returns_every_bet_even_of_the_best_hand() -> None:
    settlement = settle(deal(COMMUNITY, DEALER, seat(1, SEVEN_NATURAL, **ALL), outcome="defective-deck"), GAME)
    assert money(settlement) == returned(1, "47.1-1036")


def test_an_unreliable_round_is_held_whole() -> None:
    settlement = settle(deal(COMMUNITY, DEALER, seat(1, SEVEN_NATURAL, **ALL), outcome="unreliable"), GAME)
    assert settlement.status == "held"
    assert {line.result for line in settlement.lines} == {"held"}
    assert (settlement.totals.players, settlement.totals.house, settlement.seats[0].held) == (0, 0, 2600)


class TestReadings:
    """Another reading changes only the lines it applies to, and appears in the output."""

    @staticmethod
    def changed(round_: RoundResult, **reading: str) -> dict[str, tuple[int, int]]:
        readings = {name.replace("_", "-"): option for name, option in reading.items()}
        plain, other = settle(round_, GAME), settle(round_, GAME, readings=readings)
        assert other.readings == plain.readings | readings
        one, two = money(plain), money(other)
        return {bet: (one[1, bet][1], two[1, bet][1]) for _, bet in one if one[1, bet] != two[1, bet]}

    def test_natural_touches_flush_rush_alone(self) -> None:
        round_ = deal(COMMUNITY, DEALER, seat(1, "AH QH JH 2H 7C", flush_rush=500))
        assert self.changed(round_, natural="no-deuce") == {"flush-rush": (25_000, 5_000)}

    def test_natural_four_with_its_deuce_is_no_row_when_it_counts_as_wild(self) -> None:
        round_ = deal(COMMUNITY, DEALER, seat(1, "AH 2H 7C 4S TD", flush_rush=500))
        assert self.changed(round_, natural="no-deuce") == {"flush-rush": (500, -500)}

    def test_lowest_kicker_turns_a_win_on_the_kickers(self) -> None:
        round_ = deal("4D 6C", "AS QS JS 7D 5C", seat(1, "AH 9H 2S JD TC", flush_rush=500))
        assert self.changed(round_, wild_kicker="lowest") == {
            "ante": (500, -500),
            "blind": (0, -500),
            "play": (1000, -1000),
        }

    def test_a_second_ace_beats_ace_king_queen(self) -> None:
        round_ = deal("4D 6C", "AS KS QS 7D 5C", seat(1, "AH 9H 2S JD TC"))
        assert self.changed(round_, wild_kicker="ace") == {
            "ante": (-500, 500),
            "blind": (-500, 0),
            "play": (-1000, 1000),
        }

    def test_without_deuces_no_reading_of_them_changes_anything(self) -> None:
        round_ = deal(COMMUNITY, DEALER, seat(1, FIVE_NATURAL, flush_rush=500))
        assert self.changed(round_, natural="no-deuce", wild_kicker="lowest") == {}


class TestRounding:
    def test_pays_round_down_to_the_token_and_the_rest_is_shown(self) -> None:
        line = settle(deal(COMMUNITY, DEALER, seat(1, THREE, ante=110)), GAME).lines[0]
        assert (line.stake, line.pay, line.returned, line.net, line.rest) == (110, 100, 110, 100, "10")

    def test_to_the_cent_nothing_is_kept(self) -> None:
        settlement = settle(deal(COMMUNITY, DEALER, seat(1, THREE, ante=110)), GAME, rounding="down-to-cent")
        assert (settlement.lines[0].pay, settlement.lines[0].rest) == (110, "0")
        assert (settlement.rounding.name, settlement.rounding.unit_cents) == ("down-to-cent", 1)


def test_the_dealer_settles_from_his_right_and_each_seat_in_the_order_of_its_bets() -> None:
    seats = (seat(1, FIVE_NATURAL, flush_rush=500), seat(3, "7D TC 6D QS QD"), seat(2, "8D TS 8S JS JD"))
    lines = settle(deal(COMMUNITY, DEALER, *seats), GAME).lines
    assert [line.seat for line in lines] == [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
    assert [line.bet for line in lines if line.seat == 1] == ["ante", "blind", "play", "flush-rush"]


def test_a_win_by_length_says_by_how_many_cards() -> None:
    lines = settle(deal("KH 9H", "3C 4D 5S 6S 8C", seat(1, "AH QH JH 7C 4S")), GAME).lines
    assert lines[0].why.endswith("beats dealer's flush of 2 (hearts K 9) by 3: ante pays 1 to 1")
