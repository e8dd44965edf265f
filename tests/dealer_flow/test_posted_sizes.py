"""Sizes of bets and raises as a house has posted them (47.1-1040): fixed, spread, the pot, none; and the blinds."""

from __future__ import annotations

from typing import Any

import pytest

from dealer_flow.editions import load_edition
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.posted import BettingSpot, Bounds, PostedBets, PostedGame
from dealer_flow.record.result import HouseRef
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.plays import go_on

BLINDS = {"small-blind": 100, "big-blind": 200}
FIXED = PostedBets("fixed", BLINDS, sizes={"pre-flop": 200, "flop": 200, "turn": 400, "river": 400})
SPREAD = PostedBets("spread", BLINDS, least_bet=200, most_bet=1000)
POT = PostedBets("pot", BLINDS, least_bet=200)
NONE = PostedBets("none", BLINDS, least_bet=200)
STAKES = "stakes 1: 50000, 2: 50000, 3: 50000 / bets 1: small-blind 100 / bets 2: big-blind 200"
DEAL = "start at 3 / draw seat 1 AH KH | seat 2 2C 3C | seat 3 4D 5D"
LIMPED = "acts 3: call 200 / acts 1: call 200 / acts 2: check / burn-card 9S / draw community 9C TC JC"


def at(posted: PostedBets, lines: str, procedure: str = "holdem.co", **options: Any) -> HandTable:
    game = PostedGame(HouseRef("card-room", "0" * 64, "game"), "47.1-1040", posted)
    edition = load_edition("colorado-2021-05-01")  # which has no limit of a single bet of its own
    return go_on(HandTable(load_procedure(procedure, edition).at_house(game), **options), lines)


def reasons(table: HandTable) -> list[tuple[str, str, int | None]]:
    return [(each.code, each.reason, each.limit) for each in table.incidents]


def test_a_hand_as_posted_has_no_incident_and_names_the_house() -> None:
    table = at(FIXED, f"{STAKES} / {DEAL} / {LIMPED} / acts 1: bet 200 / acts 2: raise 400 / acts 3: raise 600")
    go_on(table, "acts 1: call 600 / acts 2: call 600 / burn-card 8S / draw community 2D / acts 1: bet 400")
    go_on(table, "acts 2: fold / acts 3: fold / end")
    assert reasons(table) == []
    (result,) = table.results
    assert result.house == HouseRef("card-room", "0" * 64, "game")
    assert '"house":{"id":"card-room","sha256":"' in result.to_json()


@pytest.mark.parametrize(
    ("posted", "act", "found"),
    [
        (FIXED, "bet 100", ("house_size", 200)),
        (FIXED, "bet 300", ("house_size", 200)),
        (SPREAD, "bet 199", ("house_least", 200)),
        (SPREAD, "bet 1001", ("house_most", 1000)),
        (POT, "bet 199", ("house_least", 200)),
        (POT, "bet 601", ("house_most", 600)),  # three calls of 200 lie in the pot
        (NONE, "bet 199", ("house_least", 200)),
    ],
)
def test_a_bet_of_another_size_is_refused(posted: PostedBets, act: str, found: tuple[str, int]) -> None:
    table = at(posted, f"{STAKES} / {DEAL} / {LIMPED} / acts 1: {act}")
    assert reasons(table) == [("action-refused", *found)]
    assert table.incidents[0].clause == "47.1-1040"
    go_on(table, f"acts 1: bet {found[1]}")  # the amount that the incident names
    assert len(table.incidents) == 1


@pytest.mark.parametrize("act", ["bet 200", "bet 600", "bet 49800"])
def test_without_a_limit_any_bet_from_the_least_counts(act: str) -> None:
    assert reasons(at(NONE, f"{STAKES} / {DEAL} / {LIMPED} / acts 1: {act}")) == []


@pytest.mark.parametrize(
    ("posted", "bet", "raised", "found"),
    [
        (FIXED, 200, 399, ("house_size", 400)),
        (SPREAD, 500, 999, ("house_least", 1000)),  # at least the bet before it
        (SPREAD, 500, 1501, ("house_most", 1500)),
        (POT, 600, 2401, ("house_most", 2400)),  # calls 600, and raises the pot of 600 + 600 + 600
        (NONE, 500, 999, ("house_least", 1000)),
    ],
)
def test_a_raise_of_another_size_is_refused(posted: PostedBets, bet: int, raised: int, found: tuple[str, int]) -> None:
    table = at(posted, f"{STAKES} / {DEAL} / {LIMPED} / acts 1: bet {bet} / acts 2: raise {raised}")
    assert reasons(table) == [("action-refused", *found)]
    go_on(table, f"acts 2: raise {found[1]}")
    assert len(table.incidents) == 1


def test_before_the_flop_the_blind_is_the_bet_to_raise() -> None:
    fixed = at(FIXED, f"{STAKES} / {DEAL} / acts 3: raise 500 / acts 3: raise 400")
    assert reasons(fixed) == [("action-refused", "house_size", 400)]
    pot = at(POT, f"{STAKES} / {DEAL} / acts 3: raise 701 / acts 3: raise 700")  # calls 200, pot 100 + 200 + 200
    assert reasons(pot) == [("action-refused", "house_most", 700)]


def test_a_raise_is_as_much_as_the_largest_of_the_round_unless_the_house_asks_less() -> None:
    raised = f"{STAKES} / {DEAL} / {LIMPED} / acts 1: bet 200 / acts 2: raise 1000 / acts 3: raise"
    table = at(NONE, f"{raised} 1799 / acts 3: raise 1800")
    assert reasons(table) == [("action-refused", "house_least", 1800)]
    least = PostedBets("none", BLINDS, least_bet=200, least_raise="least-bet")
    assert reasons(at(least, f"{raised} 1199 / acts 3: raise 1200")) == [("action-refused", "house_least", 1200)]


SHORT = STAKES.replace("2: 50000", "2: 350").replace("/ bets 2: big-blind 200", "/ bets 2: big-blind 200")


def test_a_player_may_be_all_in_for_less_and_a_raise_then_completes_the_bet_or_is_a_full_one() -> None:
    """Fixed, $2: a bet of $2 is all seat 1 makes; seat 2 has $1.50 after the blind and bets it all-in first."""
    hand = f"{SHORT} / {DEAL} / acts 3: call 200 / acts 1: call 200 / acts 2: check / burn-card 9S"
    hand = f"{hand} / draw community 9C TC JC / acts 1: check / acts 2: all-in 150"
    assert reasons(at(FIXED, f"{hand} / acts 3: raise 200")) == []  # completes it
    assert reasons(at(FIXED, f"{hand} / acts 3: raise 350")) == []  # a full bet above it
    assert reasons(at(FIXED, f"{hand} / acts 3: raise 300")) == [("action-refused", "house_size", 350)]
    assert reasons(at(SPREAD, hand)) == []


def test_an_all_in_over_the_most_is_refused() -> None:
    table = at(SPREAD, f"{STAKES} / {DEAL} / {LIMPED} / acts 1: all-in 49800")
    assert reasons(table) == [("action-refused", "house_most", 1000)]


def test_the_dealer_is_offered_only_what_is_posted() -> None:
    table = at(SPREAD, f"{STAKES} / {DEAL} / {LIMPED} / acts 1: bet 500")
    offered = {item.what.split()[0]: item.value for item in table.flow.legal() if item.event == "PlayerActed"}
    assert offered["raise"] == 1000
    assert "all-in" not in offered


STUD = "stakes 1: 9000, 2: 9000, 3: 9000 / start / draw seat 1 AH KH 2D | seat 2 2C 3C 7D | seat 3 4D 5D QS"


def test_a_bring_in_is_as_posted_and_completed_to_the_bet() -> None:
    sizes = {"third-street": 400, "fourth-street": 400, "fifth-street": 800, "sixth-street": 800, "river": 800}
    procedure = load_procedure("seven-card-stud.co")
    rounds = [bet.name for bet in procedure.bet if bet.placed == "by-action"]
    fixed = PostedBets("fixed", {}, bring_in=100, sizes=dict(zip(rounds, sizes.values(), strict=True)))
    table = at(
        fixed, f"{STUD} / acts 1: bring-in 200 / acts 1: bring-in 100", "seven-card-stud.co", bring_in="low-card"
    )
    assert reasons(table) == [("action-refused", "house_size", 100)]
    go_on(table, "acts 2: raise 500 / acts 2: raise 400")
    assert reasons(table)[1:] == [("action-refused", "house_size", 400)]


def test_blinds_and_antes_of_another_amount_are_recorded_and_count() -> None:
    wrong = STAKES.replace("small-blind 100", "small-blind 150")
    table = at(FIXED, f"{wrong} / {DEAL}")
    (found,) = table.incidents
    assert (found.code, found.seat, found.bet, found.cents, found.wanted) == (
        *("amount-not-posted", 1, "small-blind"),
        *(150, 100),
    )
    assert "has put up $1.50 as its small-blind; the house has posted $1" in found.text
    all_in = STAKES.replace("1: 50000", "1: 50").replace("small-blind 100", "small-blind 50")
    assert reasons(at(FIXED, f"{all_in} / {DEAL}")) == []


@pytest.mark.parametrize(("cents", "codes"), [(499, ["amount-not-posted"]), (500, []), (900, [])])
def test_against_the_house_a_bet_below_the_least_is_recorded(cents: int, codes: list[str]) -> None:
    game = PostedGame(HouseRef("card-room", "0" * 64, "game"), "47.1-1040", least=500)
    table = HandTable(load_procedure("three-card.co").at_house(game))
    assert go_on(table, f"bets 1: ante {cents} / start").codes == codes


def test_the_limit_of_the_text_comes_before_the_house() -> None:
    game = PostedGame(HouseRef("card-room", "0" * 64, "game"), "47.1-1040", NONE)
    table = go_on(HandTable(load_procedure("holdem.co").at_house(game)), f"{STAKES} / {DEAL} / {LIMPED}")
    go_on(table, "acts 1: bet 10001")
    assert [(each.reason, each.clause) for each in table.incidents] == [("bet_within_limit", "47.1-1002(2)")]


def test_bounds_of_the_pot_follow_the_usual_arithmetic() -> None:
    """A pot of $10, a bet of $5 to call: call 5, then raise the pot of 10 + 5 + 5, to $25 in all."""
    assert POT.bounds(BettingSpot("flop", 500, 0, 1500, 500, bring_in=False)) == Bounds(1000, 2500)


def test_what_is_posted_changes_no_hash_of_the_procedure() -> None:
    printed = load_procedure("holdem.co")
    game = PostedGame(HouseRef("card-room", "0" * 64, "game"), "47.1-1040", NONE)
    assert printed.at_house(game).ref() == printed.ref()
    assert printed.at_house(game).edition is printed.edition


@pytest.mark.parametrize(("reading", "calls", "raises"), [("full", 200, 400), ("as-posted", 120, 200)])
def test_the_posted_big_blind_is_the_full_one(reading: str, calls: int, raises: int) -> None:
    """Seat 2 is all-in with $1.20. A call is the $2 that the house has posted, or what lies there."""
    short = STAKES.replace("2: 50000", "2: 120").replace("big-blind 200", "big-blind 120")
    table = at(FIXED, f"{short} / {DEAL} / acts 3: call 0", short_blind=reading)
    assert round_of(table.flow).betting.put == {1: 100, 2: 120, 3: calls}
    assert reasons(go_on(table, f"acts 1: raise {raises}")) == []
