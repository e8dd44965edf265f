"""A big blind that is all-in for less, an all-in that is less than a full raise, and a tied bring-in: both readings."""

from __future__ import annotations

import pytest

from dealer_flow.procedure.load import Procedure, load_procedure
from rules import load_game, settle
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on, play, refused
from tests.support.dealing.settling_table import SettlingTable

SHORT = (
    "stakes 1: 20000, 2: 20000, 3: 120, 4: 20000 / bets 2: small-blind 100 / bets 3: big-blind 120 / start at 1"
    " / draw seat 2 8S 8D | seat 3 AC AH | seat 4 KS KD | seat 1 JC TC"
)
"""Blinds of $1 and $2, and seat 3 has $1.20."""
RAISED = "stakes 1: 20000, 2: 20000, 3: 1500, 4: 20000 / bets 2: small-blind 100 / bets 3: big-blind 200 / start at 1"
CARDS = "draw seat 2 8S 8D | seat 3 AC AH | seat 4 KS KD | seat 1 JC TC"
STREETS = (
    "burn-card 2D / draw community 2H 6C 9S",
    "burn-card 2S / draw community 3D",
    "burn-card 3H / draw community TD",
)


def first(table: HandTable) -> list[int]:
    """Return the seats that may act now."""
    return round_of(table.flow).betting.waiting(round_of(table.flow).live)


def may(table: HandTable) -> set[str]:
    """Return the first word of each thing that players may do now."""
    return {item.what.split()[0] for item in table.flow.legal() if item.event == "PlayerActed"}


def to_the_end(table: SettlingTable, checks: str, *shown: str) -> SettlingTable:
    for street in STREETS:
        go_on(table, street)
        for seat in checks.split():
            table.say(f"acts {seat}: check")
    table.say("show community: 2H 6C 9S 3D TD")
    for each in shown:
        table.say(f"show {each}")
    table.end()
    return table


def settling(lines: str, **options: str) -> SettlingTable:
    table = SettlingTable("holdem.co", {"token_cents": 1}, **options)
    go_on(table, lines)
    return table


def pots(table: SettlingTable) -> list[tuple[int, list[tuple[int, int]]]]:
    """Return of each pot its cents, and who won how much."""
    settled = table.settlements[-1].pots
    return [(pot.cents, [(winner.seat, winner.cents) for winner in pot.winners]) for pot in settled]


def net(table: SettlingTable) -> dict[int, int]:
    return {seat.seat: seat.net for seat in table.settlements[-1].seats}


# ------------------------------------------------------------------ the blind


def test_the_full_blind_is_called_and_what_exceeds_the_all_in_is_a_side_pot() -> None:
    """Seats 4 and 2 call $2: main pot 3 x $1.20 to the aces of seat 3, side pot 2 x $0.80 to the kings of seat 4."""
    table = settling(f"{SHORT} / acts 4: call 200 / acts 1: fold / acts 2: call 200")
    to_the_end(table, "2 4", "seat 2: 8S 8D", "seat 3: AC AH", "seat 4: KS KD")
    assert table.codes == []
    assert pots(table) == [(360, [(3, 360)]), (160, [(4, 160)])]
    assert net(table) == {2: -200, 3: 240, 4: -40}


def test_by_the_letter_a_call_is_what_lies_there() -> None:
    """47.1-1002(7): $1.20. What seat 4 puts in above it goes back (1030); seat 2 owes $0.20 more."""
    table = settling(f"{SHORT} / acts 4: call 200 / acts 1: fold / acts 2: call 120", short_blind="as-posted")
    to_the_end(table, "2 4", "seat 2: 8S 8D", "seat 3: AC AH", "seat 4: KS KD")
    assert table.codes == ["apparent-call"]
    assert pots(table) == [(360, [(3, 360)])]


def test_the_full_blind_is_no_raise() -> None:
    """With one raise a round, seat 1 may still raise after the call of seat 4, and the settlement holds nothing."""
    table = settling(f"{SHORT} / acts 4: call 200 / acts 1: raise 600 / acts 2: fold", raises_per_round="1")
    go_on(table, "acts 4: call 600")
    to_the_end(table, "4 1", "seat 3: AC AH", "seat 4: KS KD", "seat 1: JC TC")
    assert table.codes == []
    assert pots(table) == [(460, [(3, 460)]), (960, [(4, 960)])]
    assert {line.result for line in table.settlements[-1].lines} == {"win", "lose"}


def test_only_the_first_call_says_how_much_the_full_blind_is() -> None:
    table = play("holdem.co", f"{SHORT} / acts 4: call 200 / acts 1: call 500")
    assert table.codes == ["apparent-call"]
    assert round_of(table.flow).betting.high == 200
    assert "player at seat 4: call the full blind, with its amount" in map(str, play("holdem.co", SHORT).flow.legal())


def test_a_call_with_the_last_chips_does_not_say_how_much_the_full_blind_is() -> None:
    """Seat 4 calls with its last $1.50, seat 2 the full $2: main pot 3 x $1.20, then 2 x $0.30; $0.50 goes back."""
    table = settling(f"{SHORT.replace('4: 20000', '4: 150')} / acts 4: call 150 / acts 1: fold / acts 2: call 200")
    assert table.codes == []
    assert round_of(table.flow).betting.put == {1: 0, 2: 200, 3: 120, 4: 150}


def test_no_full_blind_where_the_blind_has_chips_left() -> None:
    """Seat 3 has $1.50 left: a call of more is an apparent call."""
    table = play("holdem.co", SHORT.replace("3: 120, ", "3: 270, ") + " / acts 4: call 200")
    assert table.codes == ["apparent-call"]


def test_no_full_blind_where_a_post_shows_it() -> None:
    """Seat 4 has posted $2: that is called, no more and no less."""
    table = play("holdem.co", SHORT.replace(" / start", " / bets 4: post 200 / start") + " / acts 4: check")
    assert table.codes == []
    assert round_of(table.flow).betting.high == 200
    assert go_on(table, "acts 1: call 300").codes == ["apparent-call"]


def test_a_small_blind_that_is_all_in_changes_no_call() -> None:
    lines = SHORT.replace("2: 20000, 3: 120", "2: 60, 3: 20000").replace("small-blind 100", "small-blind 60")
    table = play("holdem.co", lines.replace("big-blind 120", "big-blind 200") + " / acts 4: call 300")
    assert table.codes == ["apparent-call"]
    assert round_of(table.flow).betting.high == 200


def test_a_big_blind_that_is_all_in_with_its_ante_leaves_the_full_one_to_call() -> None:
    """Seat 3 had the ante of $0.50 and no more: seat 4 begins, and calls $2."""
    antes = " / ".join(f"bets {seat}: ante 50" for seat in (1, 2, 3, 4))
    lines = SHORT.replace("3: 120", "3: 50").replace("bets 3: big-blind 120", antes)
    table = play("holdem.co", f"{lines} / acts 4: call 200 / acts 1: fold / acts 2: call 200", ante="yes")
    assert table.codes == []
    assert "CardDrawn" in {item.event for item in table.flow.legal()}


def posted(cents: int) -> Procedure:
    """Return hold'em of a house that has posted its big blind."""
    procedure = load_procedure("holdem.co")
    assert procedure.betting is not None
    full = {"amount": f"${cents // 100}", "clause": "47.1-1040"}
    content = procedure.model_dump(by_alias=True, exclude_unset=True)
    content["betting"]["full-blind"] = full
    return Procedure.model_validate(content).standing_in(procedure.edition)


def test_a_house_that_has_posted_its_blind_needs_no_amount() -> None:
    """The call is $2, keyed without an amount; $1.20 is too little, and an all-in of $1.50 is no raise."""
    table = HandTable(posted(200))
    go_on(table, SHORT)
    assert "player at seat 4: call $2" in map(str, table.flow.legal())
    assert refused(go_on(table, "acts 4: call 120")) == [("action-refused", "call_is_whole", False)]
    go_on(table, "acts 4: call 0 / acts 1: fold / acts 2: call 0")
    assert round_of(table.flow).betting.put == {1: 0, 2: 200, 3: 120, 4: 200}
    low = HandTable(posted(200))
    go_on(low, SHORT.replace("4: 20000", "4: 150") + " / acts 4: all-in 150 / acts 1: fold")
    assert "player at seat 2: call $0.50" in map(str, low.flow.legal())  # nobody else can put in more than $1.50
    three = HandTable(posted(200))
    go_on(three, SHORT.replace("4: 20000", "4: 150") + " / acts 4: all-in 150")
    assert "player at seat 1: call $2" in map(str, three.flow.legal())


def test_an_all_in_below_the_full_blind_is_no_raise_in_the_settlement_either() -> None:
    """With one raise a round, seat 1 raises the $2 that seat 4 did not reach; the settlement holds none of it."""
    table = HandTable(posted(200), raises_per_round="1")
    go_on(table, SHORT.replace("4: 20000", "4: 150") + " / acts 4: all-in 150 / acts 1: raise 600 / acts 2: call 600")
    assert table.codes == []
    for street in (
        "burn-card 2C / draw community 3H 4D 7D",
        "burn-card 2D / draw community 9H",
        "burn-card 2H / draw TD",
    ):
        go_on(table, f"{street} / acts 2: check / acts 1: check")
    go_on(table, "show community: 3H 4D 7D 9H TD / show seat 1: JC TC / show seat 2: 8S 8D / show seat 3: AC AH")
    go_on(table, "show seat 4: KS KD")
    settlement = settle(table.end(), load_game("holdem.co"))
    assert {line.result for line in settlement.lines} == {"win", "lose"}


def test_all_fold_to_the_small_blind() -> None:
    """Seat 2 calls the $0.20 that the all-in exceeds its blind by: there is nobody else to bet against."""
    table = HandTable(posted(200))
    go_on(table, f"{SHORT} / acts 4: fold / acts 1: fold")
    assert "player at seat 2: call $0.20" in map(str, table.flow.legal())
    assert go_on(table, "acts 2: call 120").codes == []


# ------------------------------------------------------------------ less than a full raise


def short_raise(**options: str) -> HandTable:
    """Seat 4 raises $2 to $10, seats 1 and 2 call, and seat 3 is all-in with $15: $5 where $8 is a full raise."""
    acts = "acts 4: raise 1000 / acts 1: call 1000 / acts 2: call 1000 / acts 3: all-in 1500"
    return play("holdem.co", f"{RAISED} / {CARDS} / {acts}", **options)


def test_a_short_all_in_opens_the_betting_again_by_the_letter() -> None:
    """47.1-1002(27): a bet above the one before it is a raise, which counts."""
    table = short_raise()
    assert may(table) == {"call", "raise", "fold"}
    assert round_of(table.flow).betting.raises == 2


def test_a_short_all_in_lets_who_has_acted_only_call_or_fold() -> None:
    table = short_raise(short_all_in="full-raise-only")
    assert may(table) == {"call", "fold"}
    assert round_of(table.flow).betting.raises == 1
    assert refused(go_on(table, "acts 4: raise 4000")) == [("action-refused", "betting_reopened", False)]
    go_on(table, "acts 4: call 1500 / acts 1: call 1500 / acts 2: fold")
    assert "CardDrawn" in {item.event for item in table.flow.legal()}


def test_a_seat_that_has_not_acted_may_raise_after_it() -> None:
    """Seat 1 is all-in with $15 after the raise to $10: seats 2 and 3 have not acted, seat 4 has."""
    lines = RAISED.replace("1: 20000", "1: 1500").replace("3: 1500", "3: 20000")
    acts = "acts 4: raise 1000 / acts 1: all-in 1500"
    table = play("holdem.co", f"{lines} / {CARDS} / {acts}", short_all_in="full-raise-only")
    assert "raise" in may(table)
    go_on(table, "acts 2: fold / acts 3: raise 2300")  # $8 more: a full raise, which opens it for seat 4
    assert (first(table), table.codes) == ([4], [])
    assert "raise" in may(table)


def test_two_short_all_ins_that_add_up_to_a_full_raise_open_it() -> None:
    """$10, all-in $15, all-in $18.50: seat 4 faces $8.50 more, and the last full raise was $8."""
    lines = RAISED.replace("1: 20000, 2: 20000", "1: 1500, 2: 1850").replace("3: 1500", "3: 20000")
    acts = "acts 4: raise 1000 / acts 1: all-in 1500 / acts 2: all-in 1850 / acts 3: fold"
    table = play("holdem.co", f"{lines} / {CARDS} / {acts}", short_all_in="full-raise-only")
    assert "raise" in may(table)


@pytest.mark.parametrize(("way", "held"), [("reopens", True), ("full-raise-only", False)])
def test_the_line_of_such_a_hand_is_held_only_where_the_all_in_counts(way: str, held: bool) -> None:
    """Two raises are allowed: to $10, the all-in, and to $40 by seat 1, which had not acted."""
    lines = RAISED.replace("3: 1500", "3: 20000").replace("4: 20000", "4: 20000, 5: 1500")
    cards = CARDS.replace(" | seat 1", " | seat 5 5C 5D | seat 1")
    acts = "acts 4: raise 1000 / acts 5: all-in 1500 / acts 1: raise 4000"
    table = play("holdem.co", f"{lines} / {cards} / {acts}", short_all_in=way, raises_per_round="2")
    assert bool(table.codes) is held


# ------------------------------------------------------------------ the bring-in

STUD = "stakes 1: 9000, 2: 9000, 3: 9000 / start / draw seat 1 AH KH {} | seat 2 4C 3C {} | seat 3 4D 5D {}"


@pytest.mark.parametrize(
    ("game", "forced", "cards", "position", "suit"),
    [
        ("seven-card-stud.co", "low-card", ("2D", "7S", "2C"), 1, 3),
        ("seven-card-stud.co", "low-card", ("2H", "2D", "2S"), 1, 2),
        ("seven-card-stud.co", "low-card", ("9C", "2S", "2H"), 2, 3),
        ("seven-card-stud-hi-lo.co", "low-card", ("2D", "7S", "2C"), 1, 3),
        ("seven-card-stud-low.co", "high-card", ("KD", "7S", "KC"), 1, 1),
        ("seven-card-stud-low.co", "high-card", ("KC", "KS", "KD"), 1, 2),
        ("seven-card-stud-low.co", "high-card", ("AS", "QD", "QH"), 2, 3),
    ],
)
def test_a_bring_in_is_tied(game: str, forced: str, cards: tuple[str, str, str], position: int, suit: int) -> None:
    """Clubs are lowest, then diamonds, hearts, spades; where the highest card opens, the highest suit does. An ace is
    low in a game for the low hand."""
    lines = STUD.format(*cards)
    assert first(play(game, lines, bring_in=forced)) == [position]
    assert first(play(game, lines, bring_in=forced, bring_in_tie="suit")) == [suit]


def test_later_streets_know_no_suit() -> None:
    """Fourth street: pairs of nines; the first at the dealer's left begins, whatever the house has for the bring-in."""
    lines = STUD.format("9D", "2S", "9C") + " / acts 2: bring-in 100 / acts 3: call 100 / acts 1: call 100"
    table = play("seven-card-stud.co", lines, bring_in="low-card", bring_in_tie="suit")
    go_on(table, "burn-card JC / draw seat 1 QD | seat 2 JD | seat 3 QC")
    assert (first(table), table.codes) == ([1], [])


def test_five_card_stud_has_it_too() -> None:
    lines = "stakes 1: 9000, 2: 9000, 3: 9000 / start / draw seat 1 AH 2D | seat 2 4C 9C | seat 3 4D 2C"
    assert first(play("five-card-stud.co", lines, bring_in="low-card", bring_in_tie="suit")) == [3]
    assert first(play("five-card-stud.co", lines, bring_in="low-card")) == [1]
