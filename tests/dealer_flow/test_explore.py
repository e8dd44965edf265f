"""Every procedure explored: all orders of reports at a small table, up to a bound.

`tests.support.programs.explore` does it.
"""

import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.record.result import RoundResult
from devices import events as e
from tests.support.dealing.hand_table import DEVICE, HandTable
from tests.support.evenings.procedure_rounds import DEALT_OTHERWISE
from tests.support.programs.explore import PAGE, Explorer, explore, listed

STATES = 120
"""States without a departure that the default run follows; a third as many with one. The slow run has many more."""
MORE = {"texas-shootout.co": 400, "fortune-pai-gow.co-single": 500, "pai-gow.co-single": 500, "pai-gow.co": 250}
MORE |= {"emperors-challenge.co": 250, "fortune-pai-gow.co": 250}
"""Procedures whose first complete round is farther away: hands are long, one card at a time or with bets of their own
for every choice."""


@pytest.mark.every(48)
@pytest.mark.parametrize("name", known_procedures())
def test_what_must_hold_holds_in_every_order(name: str) -> None:
    found = explore(name, states=MORE.get(name, STATES))
    assert found.ends.keys() >= {"complete", "unreliable", "misdeal"}
    assert found.states >= 50


@pytest.mark.every(6)
@pytest.mark.parametrize("name", DEALT_OTHERWISE)
def test_so_it_does_where_a_reading_has_it_dealt_otherwise(name: str) -> None:
    found = Explorer(DEALT_OTHERWISE[name], states=2 * STATES, departures=1).run()
    assert found.ends.keys() >= {"complete", "unreliable", "misdeal"}


@pytest.mark.slow
@pytest.mark.parametrize("name", known_procedures())
def test_what_must_hold_holds_in_many_more(name: str) -> None:
    found = explore(name, states=600, departures=2, all_departures=True)
    assert found.ends.keys() >= {"complete", "unreliable", "misdeal", "defective-deck"}


def test_a_fault_in_the_flow_is_told_with_the_way_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """The checks can fail: a flow that gives nothing back after a misdeal."""
    monkeypatch.setattr("dealer_flow.play.seen.publish.returned", lambda now, number, outcome: {})
    with pytest.raises(AssertionError, match=r"(?s)gets back set\(\).*after:.*GameEnded"):
        explore("three-card.co", states=STATES)


def test_a_small_table_is_followed_to_the_end() -> None:
    """Without a bound nothing is left over: every way with one departure."""
    explorer = Explorer(load_procedure("race-to-the-flush"), states=3_000, departures=0, all_departures=True)
    found = explorer.run()
    assert found.whole
    assert found.ends.keys() == {"complete"}


def test_the_page_lists_every_procedure() -> None:
    """Of the figures nothing is held: they change with the bound."""
    assert listed(PAGE.read_text(encoding="utf-8")) == list(known_procedures()), (
        "run python -m tests.support.programs.explore"
    )


# ------------------------------------------------------------------ what exploring found


def ended(table: HandTable, *lines: str) -> RoundResult:
    """The round after these lines and END GAME."""
    return table.play(list(lines)).end()


@pytest.mark.parametrize("game", ["208.co", "pai-gow.co"])
def test_a_round_that_ends_under_the_red_lamp_before_the_deal_is_no_complete_one(game: str) -> None:
    """No place was due a card of the device yet: it was dealt by hand, or the first seat was not selected."""
    table = HandTable(game)
    table.play([f"bets 1: {'wager' if game == 'pai-gow.co' else 'ante'} 500", "start"])
    table.see(DEVICE, e.RedLamp(True, 201))
    result = table.end()
    assert result.outcome == "misdeal"
    assert result.seats[0].returned == result.seats[0].wagers


def test_a_choice_before_its_cards_came_lays_none_down() -> None:
    """One card of four lay there when the choice to lay two down was reported, and the round was broken off."""
    table = HandTable("texas-shootout.co")
    result = ended(table, "bets 1: shootout 500", "start", "draw AC", "choose 1: one-hand")
    assert result.outcome == "unreliable"
    assert result.seats[0].counted == 1
