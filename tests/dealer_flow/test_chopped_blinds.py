"""The two players in the blinds end the hand and take them back, where the house allows it (47.1-1002(10.5), 1034)."""

import pytest

from rules import load_game, settle
from tests.support.dealing.hand_table import HandTable

CLAUSE = "47.1-1002(10.5), 47.1-1034"


def hand(chop: str = "yes") -> HandTable:
    """Three players, the button at seat 1; their cards are out."""
    table = HandTable("holdem.co", chop_blinds=chop)
    table.play(
        ["stakes 1: 20000, 2: 20000, 3: 20000", "bets 2: small-blind 100", "bets 3: big-blind 200", "start at 1"]
    )
    return table.play("draw KD AH 9C 2H 4S 7D")


def test_each_takes_the_blind_back() -> None:
    table = hand().play(["acts 1: fold", "acts 2: chop 100", "acts 3: chop 200"])
    assert table.flow.snapshot().state.value == "revealing"
    result = table.end()
    assert result.outcome == "complete"
    assert {seat.seat: dict(seat.returned) for seat in result.seats if seat.returned} == {
        2: {"small-blind": 100},
        3: {"big-blind": 200},
    }
    assert [(found.code, found.seat, found.clause) for found in result.incidents] == [
        ("blinds-chopped", 2, CLAUSE),
        ("blinds-chopped", 3, CLAUSE),
    ]
    settlement = settle(result, load_game("holdem.co"))
    assert [(line.seat, line.result, line.net, line.clause) for line in settlement.lines] == [
        (2, "returned", 0, CLAUSE),
        (3, "returned", 0, CLAUSE),
    ]


def test_one_alone_ends_nothing_and_the_other_may_play_on() -> None:
    table = hand().play(["acts 1: fold", "acts 2: chop 100"])
    assert table.flow.state.value == "acting"
    table.play(["acts 2: call 200", "acts 3: chop 200"])
    assert table.codes == ["action-refused"]
    table.play(["acts 3: check", "burn-card 3C"])
    assert table.flow.state.value == "dealing"


@pytest.mark.parametrize("undoes", ["acts 2: withdraw", "acts 2: call 200 corrected"])
def test_a_wish_is_no_action_and_nobody_elses_action_is_taken_back_for_it(undoes: str) -> None:
    table = hand().play(["acts 1: fold", "acts 2: chop 100", undoes])
    assert [each.seat for each in table.incidents if each.code == "action-taken-back"] == []
    table.play(
        ["acts 2: call 200", "acts 3: check", "burn-card 3C", "draw 4C 5C 6C", "acts 2: bet 500", "acts 3: fold"]
    )
    assert [(each.seat, each.action) for each in table.end().actions if each.action == "fold"] == [
        (1, "fold"),
        (3, "fold"),
    ]


@pytest.mark.parametrize(
    ("chop", "lines"),
    [
        ("no", ["acts 1: fold", "acts 2: chop 100"]),
        ("yes", ["acts 2: chop 100"]),
        ("yes", ["acts 1: call 200", "acts 2: chop 100"]),
        ("yes", ["acts 1: fold", "acts 2: raise 600", "acts 3: chop 200"]),
    ],
)
def test_it_is_refused(chop: str, lines: list[str]) -> None:
    table = hand(chop).play(lines)
    assert [(found.code, found.reason, found.clause) for found in table.incidents] == [
        ("action-refused", "may_chop", CLAUSE)
    ]
