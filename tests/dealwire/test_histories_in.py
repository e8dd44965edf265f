"""Hand histories of other programs: read, played through flow and settlement, compared with what they record.

Every hand here was written for these tests; pots and winnings are from paper.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dealwire.cli import main
from dealwire.histories import phh, pokerstars, reading
from dealwire.histories.history import History, HistoryError
from dealwire.histories.verdict import Comparison, Table

TABLE = Table()
RAKED = ("--rake", "5", "--meter", "jackpot=100")

NO_LIMIT = """
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [10000, 10000, 10000]
actions = [
  "d dh p1 ????", "d dh p2 7c7d", "d dh p3 AsAd # the button",
  "p3 cbr 300", "p1 f", "p2 cc",
  "d db 7s2h9c", "p2 cc", "p3 cbr 9700", "p2 cc",
  "d db Kd", "d db 3c",
  "p2 sm 7c7d", "p3 sm AsAd",
]
finishing_stacks = [9950, 20050, 0]
"""
THREE_ALL_IN = """
variant = "NT"
antes = [10, 10, 10]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [500, 1010, 300]
actions = [
  "d dh p1 QsQd", "d dh p2 QcQh", "d dh p3 KsJd",
  "p3 cbr 290", "p1 cbr 490", "p2 cbr 1000",
  "d db Kd8s4c", "d db 2h", "d db 9s",
  "p3 sm KsJd", "p1 sm QsQd", "p2 sm QcQh",
]
finishing_stacks = [200, 710, 900]
"""
"""Main pot 3 x 300 to the kings of p3; side pot 2 x 200 tied by queens; 510 of p2 uncalled."""

HEADS_UP = """
variant = "NT"
antes = [0, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [1000, 1000]
actions = ["d dh p1 ????", "d dh p2 ????", "p2 cc", "p1 cbr 30", "p2 f"]
finishing_stacks = [1010, 990]
"""

STUD = """
variant = "F7S"
antes = [1, 1, 1]
bring_in = 2
small_bet = 10
big_bet = 20
starting_stacks = [200, 200, 200]
actions = [
  "d dh p1 ????Kh", "d dh p2 ????2c", "d dh p3 4s4dQd",
  "p2 pb", "p3 cbr 10", "p1 cc", "p2 f",
  "d dh p1 7d", "d dh p3 Qs", "p3 cbr 20", "p1 cc",
  "d dh p1 8d", "d dh p3 9h", "p3 cc", "p1 cc",
  "d dh p1 9d", "d dh p3 Tc", "p3 cc", "p1 cc",
  "d dh p1 ??", "d dh p3 Jh", "p3 cbr 20", "p1 cc",
  "p3 sm 4s4dQdQs9hTcJh", "p1 sm ????",
]
finishing_stacks = [149, 197, 254]
"""
"""Antes 3, third street 2 + 10 + 10, fourth 40, seventh 40: 105; two pair is shown, the other hand thrown away."""

EIGHT_OR_BETTER = """
variant = "FO/8"
antes = [0, 0]
blinds_or_straddles = [5, 10]
small_bet = 10
big_bet = 20
starting_stacks = [100, 100]
actions = [
  "d dh p1 Ah2hKsKd", "d dh p2 JcJdTsTd", "p2 cc", "p1 cc",
  "d db 3c5sJh", "p1 cc", "p2 cbr 10", "p1 cc",
  "d db 8d", "p1 cc", "p2 cc", "d db Qc", "p1 cc", "p2 cc",
  "p1 sm Ah2hKsKd", "p2 sm JcJdTsTd",
]
finishing_stacks = [100, 100]
"""
"""Three jacks for high, 8-5-3-2-A for low: half each of 40."""

SINGLE_DRAW = """
variant = "N2L1D"
antes = [0, 0]
blinds_or_straddles = [5, 10]
min_bet = 10
starting_stacks = [100, 100]
actions = [
  "d dh p1 2c3c4c5d8h", "d dh p2 2d3d4d7h9s", "p2 cc", "p1 cc",
  "p1 sd 8h", "d dh p1 9h", "p2 sd",
  "p1 cbr 20", "p2 cc", "p1 sm 2c3c4c5d9h", "p2 sm 2d3d4d7h9s",
]
finishing_stacks = [130, 70]
"""
"""9-5-4-3-2 is lower than 9-7-4-3-2."""


def of(text: str) -> History | HistoryError:
    return next(phh.hands_of(text, "hand.phh"))


def played(text: str) -> Comparison:
    found = of(text)
    assert isinstance(found, History), found
    return TABLE.plays(found)


@pytest.mark.parametrize("text", [NO_LIMIT, THREE_ALL_IN, HEADS_UP, STUD, EIGHT_OR_BETTER, SINGLE_DRAW])
def test_the_same_end(text: str) -> None:
    verdict = played(text)
    assert (verdict.kind, verdict.why) == ("same", "")


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ("[200, 710, 900]", "[900, 710, 200]", "recorded are chips of 900 for seat 1, came 200"),
        ("[200, 710, 900]", "[200, 711, 899]", "recorded are chips of 711 for seat 2, came 710"),
        ("[200, 710, 900]", "[200, 710, 600]", "the winnings leave 300 of pots of 1300, and the record names no rake"),
        ("[200, 710, 900]", "[300, 710, 900]", "recorded are winnings of 1400, the pots are 1300"),
    ],
)
def test_another_end_is_different(was: str, now: str, why: str) -> None:
    verdict = played(THREE_ALL_IN.replace(was, now))
    assert (verdict.kind, verdict.why) == ("different", why)


def test_a_rake_that_the_record_does_not_name() -> None:
    assert played(THREE_ALL_IN.replace("[200, 710, 900]", "[195, 705, 850]")).kind == "same-but-the-rake"
    won = THREE_ALL_IN.replace("finishing_stacks = [200, 710, 900]", "winnings = [200, 200, 900]")
    assert played(won).kind == "same"
    assert played(won.replace("[200, 200, 900]", "[200, 200, 850]")).kind == "same-but-the-rake"


def test_the_odd_chip_is_left_of_the_button() -> None:
    odd = THREE_ALL_IN.replace("[500, 1010, 300]", "[500, 1010, 301]").replace("cbr 290", "cbr 291")
    assert played(odd.replace("[200, 710, 900]", "[199, 709, 903]")).kind == "same"
    more = odd.replace('"p3 cbr 291", "p1 cbr 490"', '"p3 cbr 290", "p1 cbr 489"').replace("[500,", "[499,")
    assert played(more.replace("[200, 710, 900]", "[199, 711, 900]")).kind == "different"


TIE = """
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [25, 50, 0]
min_bet = 50
starting_stacks = [1000, 1000, 1000]
actions = [
  "d dh p1 ????", "d dh p2 AsKd", "d dh p3 AdKs", "p3 cbr 1000", "p1 f", "p2 cc",
  "d db 2c3c7d", "d db 8h", "d db Jh", "p2 sm AsKd", "p3 sm AdKs",
]
finishing_stacks = [975, 1013, 1012]
"""
"""A pot of 2025 that two hands tie for; the button is p3, so that the odd chip is p2's."""
HALVES = TIE.replace("NT", "FO/8").replace("AsKd", "AsKd4h5h").replace("AdKs", "JcJs9c9d")
"""The same pot, in halves: three jacks are high, and 7-5-4-3-2 or better is low: the odd chip is p3's."""


def test_the_same_but_the_odd_chip() -> None:
    assert played(TIE).kind == "same"
    found = played(TIE.replace("[975, 1013, 1012]", "[975, 1012, 1013]"))
    assert (found.kind, found.why) == (
        "same-but-the-odd-chip",
        "by 47.1-1035 it is seat 2's; the record gives it to seat 3",
    )
    by_winnings = TIE.replace("finishing_stacks = [975, 1013, 1012]", "winnings = [0, 1012, 1013]")
    assert played(by_winnings).kind == "same-but-the-odd-chip"
    halves = HALVES.replace("[975, 1013, 1012]", "[975, 1012, 1013]")
    assert played(halves).kind == "same"
    assert played(HALVES).why == "by 47.1-1035 it is seat 3's; the record gives it to seat 2"


def test_the_odd_chip_of_larger_chips() -> None:
    assert played(TIE.replace("[975, 1013, 1012]", "[975, 1015, 1010]")).kind == "same"
    assert played(TIE.replace("[975, 1013, 1012]", "[975, 1010, 1015]")).kind == "same-but-the-odd-chip"


@pytest.mark.parametrize(
    "end",
    [
        "[975, 2025, 0]",  # another winner
        "[975, 1014, 1011]",  # two chips off
        "[975, 1005, 1020]",  # two chips of five off
        "[976, 1012, 1012]",  # a chip for a seat that folded
        "[975, 1013, 1013]",  # more than is in the pot
    ],
)
def test_more_than_the_odd_chip_is_different(end: str) -> None:
    assert played(TIE.replace("[975, 1013, 1012]", end)).kind == "different"


def test_no_odd_chip_where_a_pot_comes_out_even() -> None:
    even = TIE.replace("[25, 50, 0]", "[26, 50, 0]")
    assert played(even.replace("[975, 1013, 1012]", "[974, 1013, 1013]")).kind == "same"
    assert played(even.replace("[975, 1013, 1012]", "[974, 1012, 1014]")).kind == "different"


def test_half_chips_are_split_as_recorded() -> None:
    tie = HEADS_UP.replace('"p2 cc", "p1 cbr 30", "p2 f"', '"p2 cbr 15", "p1 cc"').replace("????", "AsKd", 1)
    tie = tie.replace("????", "AdKs").replace('"p1 cc"', '"p1 cc", "d db 2c3c4d", "p1 cbr 0.50", "p2 f"')
    verdict = played(tie.replace("[1010, 990]", "[1015, 985]"))
    assert verdict.kind == "same"
    assert verdict.settlement is not None
    assert verdict.settlement.pots[0].cents == 3000


def test_games_that_are_none_here() -> None:
    for code, name in (("NS", "short-deck hold'em"), ("F2L3D", "2-7 triple draw"), ("FB", "badugi"), ("XX", "'XX'")):
        verdict = played(HEADS_UP.replace('"NT"', f'"{code}"'))
        assert (verdict.kind, verdict.why) == ("not-expressible", f"{name} is no game here")


def test_nothing_to_compare_with() -> None:
    assert played(HEADS_UP.replace("finishing_stacks", "_finishing_stacks")).kind == "nothing-recorded"
    hidden = STUD.replace('"p3 sm 4s4dQdQs9hTcJh", ', "").replace("4s4dQd", "????Qd")
    assert played(hidden.replace(' "p1 sm ????",', "")).kind == "not-expressible"


@pytest.mark.parametrize(
    ("was", "now", "error"),
    [
        ('"NT"', "NT", "hand.phh: not TOML: Invalid value (at line 2, column 11)"),
        ("starting_stacks", "stacks", "hand.phh: starting_stacks is missing"),
        ('"p2 f"', '"p2 jumps"', "hand.phh: 'p2 jumps' is no action of the standard"),
        ('"p2 f"', '"p7 f"', "hand.phh: 'p7' is no player of this hand"),
        ('"p2 f"', '"p2"', "hand.phh: 'p2' is no action of the standard"),
        ("p1 ????", "p1 ??Zz", "hand.phh: not a card: 'ZZ'; a card is"),
        ("[1000, 1000]", "[1000, 'x']", "hand.phh: starting_stacks is not a list of numbers"),
        ('"p2 f"', "7", "hand.phh: actions is not a list of texts"),
        ("cbr 30", "cbr many", "is no action of the standard"),
    ],
)
def test_a_wrong_file_is_one_line(was: str, now: str, error: str) -> None:
    found = of(HEADS_UP.replace(was, now, 1))
    assert isinstance(found, HistoryError)
    assert error in str(found)
    assert "\n" not in str(found)


@pytest.mark.parametrize(
    ("was", "now", "error"),
    [
        ("min_bet = 10", f"min_bet = {'1' * 5000}", "not TOML: a number is too long"),
        ("min_bet = 10", f"min_bet = {'[' * 3000}", "not TOML: a number is too long, or a list too deep"),
        ("[1000, 1000]", "[1e999999, 1000]", "starting_stacks has 1E+999999, which is no amount of chips"),
        ("[1000, 1000]", "[1e-99999, 1000]", "starting_stacks has 1E-99999, which is no amount of chips"),
        ("[1000, 1000]", "[-1000, 1000]", "starting_stacks has -1000, which is no amount of chips"),
        ("[0, 0]", "[nan, 0]", "antes has NaN, which is no amount of chips"),
        ("[0, 0]", "[-1, -1]", "antes has -1, which is no amount of chips"),
        ("[5, 10]", "[5, 10, 20]", "blinds_or_straddles has 3 amounts for 2 players"),
        ("[1010, 990]", "[1010]", "finishing_stacks has 1 amounts for 2 players"),
        ("cbr 30", "cbr nan", "'p1 cbr nan' is no action of the standard"),
        ("cbr 30", "cbr 3.0.0", "'p1 cbr 3.0.0' is no action of the standard"),
        ("cbr 30", "cbr 1e400", "'p1 cbr 1e400' is no action of the standard"),
    ],
)
def test_an_amount_that_no_chips_can_be_is_one_line(was: str, now: str, error: str) -> None:
    found = of(HEADS_UP.replace(was, now, 1))
    assert isinstance(found, HistoryError)
    assert error in str(found)


def test_a_variant_that_is_no_text_is_none_here() -> None:
    assert played(HEADS_UP.replace('"NT"', "[]")).kind == "not-expressible"


def test_a_draw_of_more_cards_than_a_hand_has_is_named() -> None:
    verdict = played(SINGLE_DRAW.replace("p1 sd 8h", "p1 sd 2c3c4c5d8h2c"))
    assert (verdict.kind, verdict.why) == ("not-expressible", "a draw of 6 cards; draw-low.co has none")


def test_a_card_drawn_twice_is_different_though_the_last_seat_left_had_no_turn() -> None:
    walk = HEADS_UP.replace('"p2 cc", "p1 cbr 30", "p2 f"', '"p2 f"').replace("[1010, 990]", "[1005, 995]")
    assert played(walk).kind == "same"
    twice = played(walk.replace("p1 ????", "p1 AhKh").replace("p2 ????", "p2 AhKd"))
    assert twice.kind == "different"
    assert "AH" in twice.why


def test_a_wrong_hand_does_not_spoil_the_others() -> None:
    text = f"[1]\n{HEADS_UP}\n[2]\n{HEADS_UP.replace('[5, 10]', '[5,')}\n[3]\n{STUD}"
    found = [*phh.hands_of(text, "many.phhs")]
    assert [isinstance(each, History) for each in found] == [True, False, True]
    assert str(found[1]).startswith("many.phhs: hand 2: not TOML")


# ---------------------------------------------------------------- PokerStars text

CASH = """\
PokerStars Hand #77: Hold'em No Limit ($0.50/$1 USD) - 2020/01/02 10:00:00 ET
Table 'Example' 6-max Seat #4 is the button
Seat 1: anna ($100 in chips)
Seat 2: ben: the 2nd ($1,060.25 in chips)
Seat 4: Clara K ($40 in chips)
Seat 5: dora ($10 in chips) is sitting out
ben: the 2nd joins the talk
anna: posts small blind $0.50
ben: the 2nd: posts big blind $1
*** HOLE CARDS ***
Dealt to anna [Ah Kh]
Clara K: raises $2 to $3
anna: raises $9 to $12
anna said, "ben: the 2nd: folds"
ben: the 2nd: calls $11
Clara K: raises $28 to $40 and is all-in
anna: calls $28
ben: the 2nd: calls $28
*** FLOP *** [Kd 7s 2c]
anna: bets $20
ben: the 2nd: calls $20
*** TURN *** [Kd 7s 2c] [3c]
anna: checks
ben: the 2nd: bets $1,000.25 and is all-in
anna: folds
Uncalled bet ($1,000.25) returned to ben: the 2nd
*** RIVER *** [Kd 7s 2c 3c] [9h]
*** SHOW DOWN ***
ben: the 2nd: shows [Qd Qs] (a pair of Queens)
ben: the 2nd collected $39.50 from side pot
Clara K: shows [7d 7c] (three of a kind, Sevens)
Clara K collected $118.50 from main pot
*** SUMMARY ***
Total pot $160 Main pot $118.50. Side pot $39.50. | Rake $2
Board [Kd 7s 2c 3c 9h]
Seat 1: anna (small blind) folded on the Turn
Seat 2: ben: the 2nd (big blind) showed [Qd Qs] and won ($39.50) with a pair of Queens
Seat 4: Clara K (button) showed [7d 7c] and won ($118.50) with three of a kind, Sevens
"""

TOURNAMENT = """\
PokerStars Game #78: Tournament #5, $1+$0.10 USD Hold'em No Limit - Level V (75/150) - 2020/01/02 10:00:00 ET
Table '5 1' 9-max Seat #2 is the button
Seat 1: a (1500 in chips, $1 bounty)
Seat 2: b (3000 in chips)
a: posts the ante 15
b: posts the ante 15
b: posts small blind 75
a: posts big blind 150
*** HOLE CARDS ***
b: raises 2835 to 2985 and is all-in
a: calls 1335 and is all-in
Uncalled bet (1500) returned to b
*** FLOP *** [2c 3d 4h]
*** TURN *** [2c 3d 4h] [9c]
*** RIVER *** [2c 3d 4h 9c] [Ts]
*** SHOW DOWN ***
a: shows [Ac Kc] (high card Ace)
b: shows [As Kd] (high card Ace)
a collected 1500 from pot
b collected 1500 from pot
*** SUMMARY ***
Total pot 3000 | Rake 0
Board [2c 3d 4h 9c Ts]
"""

STARS_STUD = """\
PokerStars Game #79:  7 Card Stud Hi/Lo Limit ($0.04/$0.08 USD) - 2020/01/02 10:00:00 ET
Table 'S' 8-max
Seat 1: a ($1 in chips)
Seat 3: b ($1 in chips)
Seat 8: c ($1 in chips)
a: posts the ante $0.01
b: posts the ante $0.01
c: posts the ante $0.01
*** 3rd STREET ***
Dealt to a [2h]
Dealt to b [Ks Kd 3s]
Dealt to c [9d]
a: brings in for $0.02
b: raises $0.02 to $0.04
c: folds
a: calls $0.02
*** 4th STREET ***
Dealt to a [2h] [4h]
Dealt to b [Ks Kd 3s] [Jd]
b: bets $0.04
a: calls $0.04
*** 5th STREET ***
Dealt to a [2h 4h] [8c]
Dealt to b [Ks Kd 3s Jd] [Jh]
b: checks
a: checks
*** 6th STREET ***
Dealt to a [2h 4h 8c] [Qd]
Dealt to b [Ks Kd 3s Jd Jh] [9s]
b: checks
a: checks
*** RIVER ***
Dealt to b [Ks Kd 3s Jd Jh 9s] [2c]
b: checks
a: bets $0.08
b: calls $0.08
*** SHOW DOWN ***
a: shows [Ac 6d 2h 4h 8c Qd Qs] (HI: a pair of Queens; LO: 8,6,4,2,A)
b: shows [Ks Kd 3s Jd Jh 9s 2c] (HI: two pair, Kings and Jacks)
b collected $0.17 from pot
a collected $0.17 from pot
*** SUMMARY ***
Total pot $0.35 | Rake $0.01
Seat 1: a showed
"""

DRAW = """\
PokerStars Game #80:  5 Card Draw Limit (10/20) - 2020/01/02 10:00:00 ET
Table 'D' 6-max (Play Money) Seat #1 is the button
Seat 1: a (200 in chips)
Seat 2: b (200 in chips)
Seat 3: c (15 in chips)
b: posts small blind 5
c: posts big blind 10
*** DEALING HANDS ***
Dealt to a [Qd Qh 6c 7h Th]
a: raises 10 to 20
b: calls 15
c: calls 5 and is all-in
b: discards 2 cards
c: stands pat
a: discards 3 cards [6c 7h Th]
Dealt to a [Qd Qh] [4h Td 2s]
b: checks
a: bets 20
b: calls 20
*** SHOW DOWN ***
a: shows [Qd Qh 4h Td 2s] (a pair of Queens)
b: mucks hand
a collected 50 from side pot
c: shows [2h 3h 5d 6d 7c] (high card Seven)
a collected 45 from main pot
*** SUMMARY ***
Total pot 95 Main pot 45. Side pot 50. | Rake 0
Seat 2: b mucked [9h 9s Kd 3c 4c]
"""


def hands(text: str) -> list[History]:
    found = [*pokerstars.hands_of(text, "x.txt")]
    return [each for each in found if isinstance(each, History)]


def read(text: str) -> Comparison:
    found = next(pokerstars.hands_of(text, "hands.txt"))
    assert isinstance(found, History), found
    return TABLE.plays(found)


@pytest.mark.parametrize(
    ("text", "kind"),
    [(CASH, "same-but-the-rake"), (TOURNAMENT, "same"), (STARS_STUD, "same-but-the-rake"), (DRAW, "same")],
)
def test_hands_as_pokerstars_writes_them(text: str, kind: str) -> None:
    verdict = read(text)
    assert (verdict.kind, verdict.why) == (kind, "")


@pytest.mark.parametrize(
    ("text", "was", "now", "why"),
    [
        (CASH, "Total pot $160", "Total pot $161", "recorded are pots of 16100, came 16000"),
        (CASH, "Rake $2", "Rake $1", "recorded is a rake of 100, the winnings leave 200"),
        (CASH, "bet ($1,000.25)", "bet ($1,000)", "recorded is 100000 back to seat 2, came 100025"),
        (TOURNAMENT, "b collected 1500", "a collected 1500", "recorded are winnings of 3000 for seat 1, came 1500"),
        (
            DRAW,
            "a collected 50 from side",
            "b collected 50 from side",
            "recorded are winnings of 45 for seat 1, came 95",
        ),
    ],
)
def test_what_differs_is_named(text: str, was: str, now: str, why: str) -> None:
    verdict = read(text.replace(was, now))
    assert (verdict.kind, verdict.why) == ("different", why)


@pytest.mark.parametrize(
    ("was", "now", "why"),
    [
        ("Hold'em No Limit ($", "Badugi Limit ($", "badugi is no game here"),
        ("Hold'em No Limit ($", "5 Card Omaha Pot Limit ($", "omaha of more than four cards is no game here"),
        ("Hold'em No Limit ($", "Old Maid ($", "the header names no known game"),
        ("*** TURN ***", "*** FIRST TURN ***", "the board was run more than once"),
        ("*** SUMMARY ***\n", "", "the record breaks off before the summary"),
        ("*** SHOW DOWN ***", "Hand cancelled", "the hand was cancelled"),
        ("posts big blind", "posts a mortgage", "a bet 'a mortgage' before the first card"),
    ],
)
def test_what_is_not_expressible_is_named(was: str, now: str, why: str) -> None:
    verdict = read(CASH.replace(was, now))
    assert (verdict.kind, verdict.why) == ("not-expressible", why)


POSTS = """\
PokerStars Hand #81: Hold'em No Limit ($1/$2 USD) - 2020/01/02 10:00:00 ET
Table 'P' 6-max Seat #1 is the button
Seat 1: a ($100 in chips)
Seat 2: b ($100 in chips)
Seat 3: c ($1.50 in chips)
Seat 4: d ($100 in chips)
Seat 5: e ($100 in chips)
b: posts small blind $1
c: posts big blind $1.50 and is all-in
e: posts big blind $2
d: posts small & big blinds $3
*** HOLE CARDS ***
d: checks
e: checks
a: calls $2
b: calls $1
*** FLOP *** [2c 7d 9h]
b: checks
d: bets $4
e: folds
a: folds
b: folds
Uncalled bet ($4) returned to d
*** TURN *** [2c 7d 9h] [Ts]
*** RIVER *** [2c 7d 9h Ts] [3s]
*** SHOW DOWN ***
d: shows [Ah Kh] (high card Ace)
d collected $2 from side pot
c: shows [5d 5s] (a pair of Fives)
c collected $8.50 from main pot
*** SUMMARY ***
Total pot $10.50 Main pot $8.50. Side pot $2. | Rake $0
Board [2c 7d 9h Ts 3s]
"""
"""A short big blind, a player who posts in, and one who posts both blinds: five times 1.50 and the dead dollar are in
the main pot, four times half a dollar in the side pot."""


def test_posts_and_a_short_blind() -> None:
    verdict = read(POSTS)
    assert (verdict.kind, verdict.why) == ("same", "")
    assert verdict.settlement is not None
    assert [pot.cents for pot in verdict.settlement.pots] == [850, 200]


WALK = """\
PokerStars Hand #82: Hold'em No Limit ($1/$2 USD) - 2020/01/02 10:00:00 ET
Table 'P' 6-max Seat #1 is the button
Seat 1: a ($100 in chips)
Seat 2: b ($100 in chips)
Seat 3: c ($100 in chips)
b: posts small blind $1
c: posts big blind $2
*** HOLE CARDS ***
a: folds
b: folds
Uncalled bet ($1) returned to c
c collected $2 from pot
*** SUMMARY ***
Total pot $2 | Rake $0
Seat 3: c (big blind) collected ($2)
"""
COMES_IN = """\
PokerStars Hand #83: Hold'em No Limit ($1/$2 USD) - 2020/01/02 10:00:00 ET
Table 'P' 6-max Seat #1 is the button
Seat 1: a ($100 in chips)
Seat 2: b ($100 in chips)
Seat 3: c ($100 in chips)
Seat 4: d ($100 in chips)
b: posts small blind $1
c: posts big blind $2
d: posts small blind $1
*** HOLE CARDS ***
d: calls $2
a: folds
b: folds
c: checks
*** FLOP *** [2c 7d 9h]
c: bets $4
d: folds
Uncalled bet ($4) returned to c
c collected $6 from pot
*** SUMMARY ***
Total pot $6 | Rake $0
"""
"""The small blind of the player who comes in is dead: 1 + 2 + 1 + 2."""
CASHED_OUT = """\
PokerStars Hand #84: Hold'em No Limit ($1/$2 USD) - 2020/01/02 10:00:00 ET
Table 'P' 2-max Seat #1 is the button
Seat 1: a ($4 in chips)
Seat 2: b ($4 in chips)
a: posts small blind $1
b: posts big blind $2
*** HOLE CARDS ***
a: raises $2 to $4 and is all-in
b: calls $2 and is all-in
*** FLOP *** [2c 7d 9h]
*** TURN *** [2c 7d 9h] [Ts]
*** RIVER *** [2c 7d 9h Ts] [3s]
*** SHOW DOWN ***
a: shows [Ah As] (a pair of Aces)
b: shows [Kh Ks] (a pair of Kings)
a cashed out the hand for $6.50 | Cash Out Fee $0.06
*** SUMMARY ***
Total pot $8 | Rake $0
Seat 1: a (button) showed [Ah As] and won ($8) with a pair of Aces (cashed out)
Seat 2: b (big blind) showed [Kh Ks] and lost with a pair of Kings
"""


@pytest.mark.parametrize(
    "first",
    [
        "POKERSTARS GAME #82",
        "PokerStars Zoom Hand #82",
        "Full Tilt Hand #82",
        "Poker Hand #HD82",
        "\N{BOM}PokerStars Hand #82",
    ],
)
def test_first_lines_of_hands(first: str) -> None:
    text = WALK.replace("PokerStars Hand #82", first)
    assert [TABLE.plays(each).kind for each in hands(f"{CASH}\n\n{text}\n{WALK}")] == [
        "same-but-the-rake",
        "same",
        "same",
    ]
    assert read(text.replace("\n", "\r\n").replace("Table 'P'", "Table ID '7'")).kind == "same"


def test_a_hand_in_another_language_is_named() -> None:
    french = "Main PokerStars n\N{DEGREE SIGN}123456789 : Hold'em No Limit (1/2) - 2020/01/02 10:00:00 CET\nTable 'P'\n"
    found = hands(f"{WALK}\n{french}\n{WALK}")
    assert [each.not_expressible for each in found] == ["", "the record is not in English", ""]


def test_a_bet_that_is_not_called_is_cut_otherwise() -> None:
    assert read(WALK).kind == "same"
    without = WALK.replace("Uncalled bet ($1) returned to c\n", "")
    assert read(without.replace("$2 from pot", "$3 from pot").replace("pot $2 |", "pot $3 |")).kind == "same"
    whole = WALK.replace("bet ($1)", "bet ($2)").replace("$2 from pot", "$1 from pot").replace("pot $2 |", "pot $1 |")
    assert read(whole).kind == "same"
    assert read(whole.replace("c collected", "b collected")).kind == "different"
    alone = WALK.replace("b: posts small blind $1\n", "")
    assert read(alone.replace("$2 from pot", "$1 from pot").replace("pot $2 |", "pot $1 |")).kind == "same"


def test_a_small_blind_of_a_player_who_comes_in() -> None:
    assert read(COMES_IN).kind == "same"
    live = (
        COMES_IN.replace("d: calls $2", "d: calls $1").replace("$6 from pot", "$5 from pot").replace("pot $6", "pot $5")
    )
    assert read(live).kind == "same"
    assert read(live.replace("d: calls $1", "d: calls $2")).kind == "different"
    whole = live.replace("posts small blind $1\n***", "posts $2\n***").replace("d: calls $1", "d: checks")
    assert read(whole).kind == "same"


THREE_TIE = """\
PokerStars Hand #85: Tournament #9, $1+$0.10 USD Hold'em No Limit - Level I (5/10) - 2020/01/02 10:00:00 ET
Table 'P' 6-max Seat #1 is the button
Seat 1: a (25 in chips)
Seat 2: b (50 in chips)
Seat 3: c (50 in chips)
Seat 4: d (90 in chips)
b: posts small blind 5
c: posts big blind 10
*** HOLE CARDS ***
d: calls 10
a: raises 15 to 25 and is all-in
b: raises 25 to 50 and is all-in
c: calls 40 and is all-in
d: folds
*** FLOP *** [2c 3c 7d]
*** TURN *** [2c 3c 7d] [8h]
*** RIVER *** [2c 3c 7d 8h] [Jh]
*** SHOW DOWN ***
b: shows [As Kd] (high card Ace)
c: shows [Ad Kh] (high card Ace)
a: shows [Ah Ks] (high card Ace)
b collected 25 from side pot
c collected 25 from side pot
b collected 29 from main pot
c collected 28 from main pot
a collected 28 from main pot
*** SUMMARY ***
Total pot 135 Main pot 85. Side pot 50. | Rake 0
"""
"""The main pot is 3 x 25 and 10 of d, 28 each and one more for b, the first left of the button."""


def test_the_odd_chip_of_one_of_two_pots() -> None:
    assert read(THREE_TIE).kind == "same"
    other = THREE_TIE.replace("b collected 29", "b collected 28").replace("a collected 28", "a collected 29")
    assert read(other).why == "by 47.1-1035 it is seat 2's; the record gives it to seat 1"
    both = (
        THREE_TIE.replace("85.", "86.")
        .replace("135 Main", "136 Main")
        .replace("posts big blind 10", "posts big blind 11")
    )
    both = both.replace("d: calls 10", "d: calls 11").replace("calls 40", "calls 39")
    assert read(both.replace("c collected 28", "c collected 29")).kind == "same"
    assert read(both.replace("b collected 29", "b collected 30")).why.startswith("by 47.1-1035 it is seat 3's")
    assert read(both.replace("b collected 29", "b collected 31").replace("a collected 28", "a collected 27")).kind == (
        "different"
    )
    side = other.replace("a collected 29 from main", "a collected 29 from side").replace("25 from side", "25 from main")
    assert read(side).kind == "different"


def test_a_winner_who_cashed_out() -> None:
    assert read(CASHED_OUT).kind == "same"
    assert read(CASHED_OUT.replace("a: shows", "a shows").replace("b: shows", "b shows")).kind == "same"
    assert (
        read(CASHED_OUT.replace("and won ($8)", "and lost").replace("and lost with", "and won ($8) with")).kind
        == "different"
    )


def test_money_of_the_house_in_the_pot() -> None:
    added = read(WALK.replace("a: folds", "STP added: $5\na: folds"))
    assert (added.kind, added.why) == ("not-expressible", "the house adds money to the pot")


def test_a_record_without_an_action() -> None:
    missing = NO_LIMIT.replace('"p1 f", ', "")
    assert played(missing).why == "the record has no action of seat 1"
    assert played(missing).kind == "not-expressible"


def test_a_hand_that_won_and_was_not_shown() -> None:
    both = NO_LIMIT.replace("AsAd", "????").replace("7c7d", "????")
    assert (played(both).kind, played(both).why) == ("not-expressible", "a hand that was never shown could win the pot")
    other = NO_LIMIT.replace("AsAd", "????").replace("[9950, 20050, 0]", "[9950, 0, 20050]")
    assert played(other.replace(', "p3 sm ????"', "")).why == "a hand that was never shown could win the pot"
    assert played(other).kind == "different"  # it was thrown away
    seen = NO_LIMIT.replace("[9950, 20050, 0]", "[9950, 0, 20050]")
    assert played(seen).kind == "different"


def test_a_hand_that_is_shown_as_it_was_dealt() -> None:
    assert played(NO_LIMIT.replace("p3 sm AsAd", "p3 sm -")).kind == "same"


def test_more_players_than_places() -> None:
    many = 23
    cards = ", ".join(f'"d dh p{number} ????"' for number in range(1, many + 1))
    folds = ", ".join(f'"p{number} f"' for number in [*range(3, many + 1), 1])
    text = f"""
variant = "NT"
antes = {[0] * many}
blinds_or_straddles = {[5, 10] + [0] * (many - 2)}
min_bet = 10
starting_stacks = {[100] * many}
actions = [{cards}, {folds}]
finishing_stacks = {[95, 105] + [100] * (many - 2)}
"""
    assert played(text).why == "a seat above 22, the most that the game is dealt to"


BIG_BLIND_ANTE = """
variant = "NT"
ante_trimming_status = true
antes = [0, 100, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 1000, 1000]
actions = ["d dh p1 ????", "d dh p2 ????", "d dh p3 ????", "p3 cbr 300", "p1 f", "p2 f"]
finishing_stacks = [950, 800, 1250]
"""


def test_an_ante_of_the_big_blind_is_dead() -> None:
    assert played(BIG_BLIND_ANTE).kind == "same"


SHORT = """
variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [1000, 60, 1000]
actions = [
  "d dh p1 2s7c", "d dh p2 AsAd", "d dh p3 KsKd", "p3 cc", "p1 cc", "d db 3c8d9h", "p1 cc", "p3 cc", "d db Tc",
  "p1 cc", "p3 cc", "d db Jc", "p1 cc", "p3 cc", "p1 sm", "p3 sm KsKd", "p2 sm AsAd",
]
finishing_stacks = [900, 180, 980]
"""
"""The call is the full blind: 3 x 60 for the aces, 2 x 40 for the kings."""


def test_a_short_blind_is_called_in_full_or_as_it_lies_there() -> None:
    assert played(SHORT).kind == "same"
    lower = played(SHORT.replace("[900, 180, 980]", "[940, 180, 940]"))
    assert (lower.kind, lower.options["short-blind"]) == ("same", "as-posted")
    assert played(SHORT.replace("[900, 180, 980]", "[920, 180, 960]")).kind == "different"


NO_LOW_BESIDE = """
variant = "FO/8"
antes = [0, 0, 0]
blinds_or_straddles = [5, 10, 0]
small_bet = 10
big_bet = 20
starting_stacks = [20, 100, 100]
actions = [
  "d dh p1 Ah2h9s9d", "d dh p2 JcJdTsTd", "d dh p3 KsKdQhTh", "p3 cbr 20", "p1 cc", "p2 cc",
  "d db 3c5sJh", "p2 cbr 10", "p3 cc", "d db 8d", "p2 cc", "p3 cc", "d db Qc", "p2 cc", "p3 cc",
  "p1 sm Ah2h9s9d", "p2 sm JcJdTsTd", "p3 sm KsKdQhTh",
]
finishing_stacks = [30, 120, 70]
"""
"""Three jacks have half of the main pot of 60 and all of the side pot of 20, in which no hand has a low; 8-5-3-2-A has
the other half of the main pot."""


def test_a_side_pot_without_a_low_hand_goes_to_the_high_hand() -> None:
    assert played(NO_LOW_BESIDE).kind == "same"
    halved = played(NO_LOW_BESIDE.replace("[30, 120, 70]", "[30, 115, 75]"))
    assert (halved.kind, halved.why) == ("different", "recorded are chips of 115 for seat 2, came 120")


def test_a_raise_over_a_short_blind_alone_is_compared_by_what_lies_there() -> None:
    raised = SHORT.replace('"p3 cc", "p1 cc", "d db 3c', '"p3 cc", "p1 cbr 98", "p3 cc", "d db 3c', 1)
    assert played(raised.replace("[900, 180, 980]", "[902, 180, 978]")).options["short-blind"] == "as-posted"
    other = played(raised.replace("[900, 180, 980]", "[903, 180, 977]"))
    assert (other.kind, other.why) == ("different", "recorded are chips of 903 for seat 1, came 902")


def test_a_hand_of_which_one_card_was_shown() -> None:
    alone = POSTS.partition("Uncalled bet")[0].replace(
        "c: posts big blind $1.50 and is all-in", "c: posts big blind $2"
    )
    more = "c: folds\nUncalled bet ($4) returned to d\n*** SHOW DOWN ***\nd: shows [XX Kh] ()\n"
    text = f"{alone}{more}d collected $10.50 from pot\n*** SUMMARY ***\nTotal pot $10.50 | Rake $0.50\n"
    text = text.replace("Seat 3: c ($1.50", "Seat 3: c ($90").replace("b: calls $1\n", "b: calls $1\nc: checks\n")
    text = text.replace("b: checks\nd: bets", "b: checks\nc: checks\nd: bets")
    assert read(text).kind == "same-but-the-rake"


def test_a_line_that_is_not_understood() -> None:
    found = next(pokerstars.hands_of("\n\n" + CASH.replace("bets $20", "bets all"), "x.txt"))
    assert str(found) == "x.txt:3: hand 77: line 20 of the hand is not understood: 'anna: bets all'"


def test_a_line_without_end_is_not_searched() -> None:
    found = next(
        pokerstars.hands_of(CASH.replace("posts big blind $1", f"posts big blind {'9' * 200_000} x y"), "x.txt")
    )
    assert isinstance(found, HistoryError)
    assert len(str(found)) < 200


def test_a_file_that_is_none_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "pipe.phh")
    assert "not a file" in run("histories", str(tmp_path / "pipe.phh")).stdout
    os.mkfifo(tmp_path / "pipe.txt")
    assert "not a hand history" in run("settle", str(tmp_path / "pipe.txt")).stderr
    assert "not a file" in run("replay", str(tmp_path / "pipe.txt")).stderr
    (tmp_path / "long.phh").write_text(HEADS_UP)
    monkeypatch.setattr(reading, "MOST_BYTES", 20)
    assert "longer than 20 bytes, the maximum" in run("histories", str(tmp_path / "long.phh")).stdout


@pytest.mark.more
def test_a_table_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "a.phhs").write_text(f"[1]\n{STUD}\n[2]\n{HEADS_UP.replace('NT', 'NS')}")
    (tmp_path / "b.txt").write_text(f"{CASH}\n\n{TOURNAMENT}")
    (tmp_path / "notes.txt").write_text("PokerStars is a site")
    (tmp_path / "c.phh").write_text(THREE_ALL_IN.replace("[200, 710, 900]", "[900, 710, 200]"))
    done = run("histories", str(tmp_path))
    assert done.exit_code == 1
    assert f"different: {tmp_path}/c.phh: recorded are chips of 900 for seat 1, came 200" in done.stdout
    assert [line.split(None, 1) for line in done.stdout.splitlines()[1:-1]] == [
        ["hands", "verdict"],
        ["2", "same"],
        ["1", "same but the rake"],
        ["1", "not expressible"],
        ["1", "short-deck hold'em is no game here"],
        ["1", "different"],
        ["1", "other winnings"],
    ]
    (tmp_path / "odd.phh").write_text(TIE.replace("[975, 1013, 1012]", "[975, 1012, 1013]"))
    alone = run("histories", str(tmp_path / "odd.phh"))
    assert (alone.exit_code, "same but the odd chip" in alone.stdout) == (0, True)
    assert "100.00 % of those played are the same" in alone.stdout
    (tmp_path / "odd.phh").unlink()
    assert "5 hands in 4 files" in done.stdout.splitlines()[-1]
    words = [sys.executable, "-m", "dealwire", "histories", str(tmp_path), "--jobs", "2"]
    assert subprocess.run(words, capture_output=True, text=True, check=False).stdout == done.stdout
    lines = [json.loads(line) for line in run("histories", str(tmp_path), "--json").stdout.splitlines()]
    assert [line["type"] for line in lines] == [*["history"] * 5, "histories"]
    assert lines[-1]["verdicts"] == {"same": 2, "same-but-the-rake": 1, "not-expressible": 1, "different": 1}


def test_a_hand_is_replayed_and_settled(tmp_path: Path) -> None:
    path = tmp_path / "hand.phh"
    path.write_text(THREE_ALL_IN)
    assert run("histories", str(path)).exit_code == 0
    replayed = run("replay", str(path))
    assert replayed.exit_code == 0, replayed.output
    assert "seat 1     QS QD" in replayed.stdout
    assert replayed.stdout.splitlines()[-1] == "  same"
    kinds = [json.loads(line)["type"] for line in run("replay", str(path), "--json").stdout.splitlines()]
    assert kinds[-3:] == ["round", "settlement", "history"]
    settled = [json.loads(line) for line in run("settle", str(path)).stdout.splitlines()]
    assert [line["type"] for line in settled] == ["settlement", "history"]
    assert [seat["net"] for seat in settled[0]["seats"]] == [-300, -300, 600]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="not here: a file that opens and cannot be read")
def test_a_text_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "hand.txt").symlink_to("/proc/self/mem")
    done = run("settle", str(tmp_path / "hand.txt"))
    assert (done.exit_code, done.stderr) == (1, f"dealwire: {tmp_path / 'hand.txt'}: Input/output error\n")


def test_wrong_uses_are_one_line(tmp_path: Path) -> None:
    (tmp_path / "rounds.ndjson").write_text("{}\n")
    (tmp_path / "hand.phh").write_text(HEADS_UP)
    assert "not a hand history" in run("settle", str(tmp_path / "rounds.ndjson")).stderr
    assert (
        "a hand history names its own game" in run("replay", str(tmp_path / "hand.phh"), "--game", "holdem.co").stderr
    )
    settled = run("settle", str(tmp_path / "hand.phh"), "--rake", "5", "--verbose", "--text")
    assert (settled.exit_code, settled.stdout) == (2, "")
    assert "a hand history names its own game and stakes; leave out --rake" in settled.stderr
    assert "leave out --meter, --rake" in run("replay", str(tmp_path / "hand.phh"), *RAKED).stderr
    (tmp_path / "hand.phh").unlink()
    none = run("histories", str(tmp_path))
    assert none.exit_code == 2
    assert "no hand histories; expected *.phh, *.phhs" in none.stderr
    gone = run("histories", str(tmp_path / "gone.phh"))
    assert gone.exit_code == 1
    assert "No such file" in gone.stdout


def run(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])
