"""Hands that are handed out by a number after the deal, and hands that players arrange."""

import pytest

import devices.events as e
from dealer_flow.play.machine.states import State
from dealer_flow.procedure.schema import Procedure
from protocol.places import parse_place
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.hand_table import HandTable
from tests.support.dealing.number_games import AFTER, DICE, SET
from tests.support.dealing.step_games import small_table


def piles(procedure: Procedure, *cards: int) -> HandTable:
    """Four seats and the dealer; five hands lie in front of the tray."""
    table = small_table(procedure, 2)
    return table.deal(*["?? " * count for count in (cards or (8, 8, 8, 8, 8))])


def test_the_hands_lie_in_front_of_the_tray_until_the_number_is_drawn() -> None:
    table = piles(DICE)
    assert table.flow.state is State.ASSIGNING
    assert [place.text for place in round_of(table.flow).ledger.hands] == [f"pile {number}" for number in range(1, 6)]
    table.play(["number 3", "dump"])
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", [])
    # counted counter-clockwise with the dealer as one: 2 is seat 4, 3 is seat 3
    assert [packet.to for packet in result.packets] == ["seat 3", "seat 2", "seat 1", "dealer", "seat 4"]


@pytest.mark.parametrize(
    ("drawn", "first"), [(1, "dealer"), (2, "seat 4"), (5, "seat 1"), (6, "dealer"), (18, "seat 3")]
)
def test_the_dealer_counts_as_one(drawn: int, first: str) -> None:
    table = piles(DICE).play([f"number {drawn}", "dump"])
    assert table.end().packets[0].to == first
    assert table.codes == []


def test_the_place_may_be_selected_instead() -> None:
    table = piles(DICE).play(["controller SpotSelected: seat 3", "dump"])
    assert table.end().packets[0].to == "seat 3"
    assert table.codes == []


def test_bets_may_change_until_the_dice_are_shaken() -> None:
    table = small_table(DICE, 2)
    table.deal("?? " * 8).play(["bets 1: ante 900", "bets 3: ante 500"])
    table.deal(*["?? " * 8] * 4).play(["bets 2: ante 0", "number 3", "bets 1: ante 700", "dump"])
    result = table.end()
    assert {seat.seat: dict(seat.wagers) for seat in result.seats} == {1: {"ante": 900}, 3: {"ante": 500}}
    assert [(incident.code, incident.reason) for incident in table.incidents] == [("wager-held", "number_to_come")]


def test_no_bet_changes_after_the_deal_without_dice() -> None:
    table = piles(AFTER).play(["bets 1: ante 900"])
    assert [incident.reason for incident in table.incidents] == ["bets_open"]


def test_a_number_before_the_hands_lie_there_is_recorded() -> None:
    table = small_table(DICE, 2).play(["number 3"]).deal(*["?? " * 8] * 5).dump()
    result = table.end()
    assert (result.outcome, [incident.reason for incident in table.incidents]) == ("complete", ["hands_lie_there"])
    assert result.packets[0].to == "seat 3"


def test_a_short_hand_is_judged_at_the_place_that_gets_it() -> None:
    table = piles(DICE, 8, 7, 8, 8, 9)
    assert table.codes == []
    table.play(["number 3", "dump"])
    assert [(found.place, found.counted) for found in table.incidents] == [("seat 2", 7), ("seat 4", 9)]
    assert table.end().seats[1].status == "dead"


def test_the_dealer_with_a_short_hand_is_a_misdeal() -> None:
    table = piles(DICE, 8, 8, 8, 7, 9).play(["number 3"])
    assert table.flow.state is State.VOID
    assert table.end().outcome == "misdeal"


def test_end_game_waits_for_the_number() -> None:
    table = piles(DICE).dump()
    assert table.end().outcome == "unreliable"
    assert table.incidents[0].reason == "number_drawn"


def set_hands() -> HandTable:
    table = small_table(SET, 2, start=False).play(["start", "number 3"])
    return table.deal(*["?? " * 8] * 5).dump()


def test_every_player_sets_a_hand() -> None:
    table = set_hands()
    assert table.flow.state is State.SETTING
    assert table.may("HandSet") == [
        "player at seat 1: set the hand at seat 1",
        "player at seat 2: set the hand at seat 2",
    ]
    table.play(["set seat 1: AH KD |", "set seat 2 house-way: ?? ?? |"])
    assert table.flow.state is State.REVEALING
    assert round_of(table.flow).splits[parse_place("seat 2")].by == "house-way"
    assert (table.end().outcome, table.codes) == ("complete", [])


@pytest.mark.parametrize("line", ["confirm", "show dealer: ?? ?? ?? ?? ?? ?? ?? ??", "end"])
def test_nobody_waits_for_a_hand_to_be_keyed(line: str) -> None:
    table = set_hands().play([line])
    result = table.results[-1] if table.results else table.end()
    assert (result.outcome, table.codes) == ("complete", [])


def test_the_low_hand_has_its_number_of_cards() -> None:
    table = set_hands().play(["set seat 1: AH KD QH |"])
    assert [(incident.reason, incident.counted, incident.expected) for incident in table.incidents] == [
        ("set_as_written", 3, 2)
    ]
    assert parse_place("seat 1") not in round_of(table.flow).splits


def test_a_hand_set_against_the_rules_has_its_row() -> None:
    table = set_hands().play(["set seat 1 foul: AH KD |"])
    result = table.end()
    assert [(found.code, found.clause, found.called) for found in table.incidents] == [
        ("hand-set-foul", "S foul", "supervisor")
    ]
    assert [seat.status for seat in result.seats] == ["dead", "live"]
    assert result.seats[0].returned == {}


def test_no_hand_is_set_anew_once_the_house_lies_open() -> None:
    table = set_hands().play(
        ["set seat 1: AH KD |", "confirm", "show dealer: 2C 3C 4C 5C 6C 7C 8C 9C", "set seat 1: AH QD |"]
    )
    assert [incident.reason for incident in table.incidents] == ["set_before_house"]
    assert [card.text for card in round_of(table.flow).splits[parse_place("seat 1")].low] == ["AH", "KD"]


def test_cards_named_low_are_cards_of_the_hand() -> None:
    table = set_hands().play(["set seat 1: AH KD |", "confirm", "show dealer: 2C 3C 4C 5C 6C 7C 8C 9C"])
    table.play(["show seat 1: AH QD QS QC JH JD JS JC"])
    assert [(incident.code, incident.reason) for incident in table.incidents] == [("faces-disagree", "set")]


@pytest.mark.parametrize("number", [0, 33, 255])
def test_a_wager_of_no_seat_enters_nobody_even_when_the_order_of_play_matters_no_more(number: int) -> None:
    """Bets stay open until the number is drawn; the round is spoiled before, so that no report is out of turn."""
    table = piles(DICE)
    table.play(["device PacketDispensed: deck 1; ordinal 99; expected 8; counted 8; cards "])
    assert round_of(table.flow).unreliable
    table.controller(e.WagerPlaced(number, 1, 500))
    table.play(["number 3", "show dealer: 2C 3C 4C 5C 6C 7C 8C 9C", "show seat 1: 2D 3D 4D 5D 6D 7D 8D 9D"])
    assert number not in [seat.seat for seat in table.end().seats]
