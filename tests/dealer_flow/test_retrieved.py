"""A hand that was mucked at the showdown and lies face up again: 47.1-1032(7)-(8)."""

from typing import Final

from tests.dealer_flow.test_betting_guards import RIVER, holdem
from tests.support.dealing.flow_points import round_of
from tests.support.dealing.plays import go_on

MUCKED: Final = f"{RIVER} / acts 1: check / acts 2: check / acts 3: check / acts 1: fold"


def test_a_hand_that_was_retrieved_plays() -> None:
    """47.1-1032(7): a supervisor says so; until then the hand is not settled either way."""
    table = holdem(f"{MUCKED} / show seat 1: AH KH")
    assert (table.codes, round_of(table.flow).live) == (["mucked-hand-shown"], [2, 3])
    assert "GameEnded" not in {item.event for item in table.flow.legal()}
    go_on(table, "confirm")
    assert (table.codes, round_of(table.flow).live) == (["mucked-hand-shown", "ruled-on"], [1, 2, 3])


def test_a_hand_that_was_not_retrievable_stays_in_the_muck() -> None:
    """47.1-1032(8). A ruling is requested only once, and a hand that is mucked again may be shown again."""
    table = holdem(f"{MUCKED} / show seat 1: AH KH / show seat 1: AH KH")
    assert len(round_of(table.flow).rulings) == 1
    go_on(table, "acts 1: fold")
    assert (round_of(table.flow).rulings, round_of(table.flow).live) == ([], [2, 3])
    go_on(table, "show seat 1: AH KH")
    assert len(round_of(table.flow).rulings) == 1


def test_the_last_but_one_hand_may_be_retrieved_too() -> None:
    table = holdem(f"{MUCKED} / acts 2: fold / show seat 2: 2C 3C / confirm / show seat 2: 2C 3C / show seat 3: 4D 5D")
    assert round_of(table.flow).live == [2, 3]
    table.end()
    assert table.results[-1].outcome == "complete"


def test_nobody_is_asked_of_a_fold_or_of_a_pot_that_was_taken_in() -> None:
    """A hand folded in a betting round is no hand of the showdown; a pot that was taken in stands (47.1-1034)."""
    table = holdem(f"{MUCKED} / acts 2: fold / takes 3: 600 / show seat 1: AH KH")
    assert round_of(table.flow).rulings == []
    folded = f"{RIVER} / acts 1: fold / acts 2: check / acts 3: check / show seat 1: AH KH"
    assert round_of(holdem(folded).flow).rulings == []
