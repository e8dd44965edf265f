"""Simulated dealers of games between players without a shoe: out of the hand, and with decks out of a shuffler."""

from collections import Counter
from dataclasses import replace

import pytest

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario import Scenario, endless
from dealwire.rehearsal.scenario_file import clean_scenario, scenario_of
from dealwire.rehearsal.simulate import reports
from dealwire.table.replay import usual_table
from devices import events as e
from protocol.tomlfile import TomlFileError
from rules import Settlement


def evening(
    name: str, rounds: int, *, seats: int = 4, seed: int = 1, faults: float = 0, whole_deck: bool = False
) -> tuple[list[RoundResult], list[Incident], Counter[str], Counter[type[e.Body]]]:
    """Return the rounds of an evening, its incidents, the results of its bets and the reports by kind."""
    scenario = clean_scenario(load_procedure(name), range(1, seats + 1))
    assert isinstance(scenario, Scenario)
    endlessly = replace(endless(scenario, seed=seed, faults=faults), whole_deck=whole_deck)
    table, results, incidents = usual_table(name, name="evening"), list[RoundResult](), list[Incident]()
    lines, kinds = Counter[str](), Counter[type[e.Body]]()
    for seen in reports(endlessly):
        if len(results) >= rounds:
            break
        kinds[type(seen.body)] += 1
        for item in table.handle(seen):
            if isinstance(item, RoundResult):
                results.append(item)
            elif isinstance(item, Incident):
                incidents.append(item)
            elif isinstance(item, Settlement):
                lines.update(str(line.result) for line in item.lines)
    return results, incidents, lines, kinds


@pytest.mark.parametrize(
    "name", ["holdem.co-hand", "seven-card-stud-hi-lo.co-hand", "draw-low.co-hand", "longhorn.co-hand"]
)
def test_each_deck_out_of_the_shuffler_adds_up(name: str) -> None:
    results, incidents, lines, kinds = evening(name, 6, whole_deck=True)
    assert [str(each) for each in incidents] == []
    assert [(each.outcome, each.deck.deck, each.deck.loaded) for each in results] == [
        ("complete", number, 52) for number in (1, 2, 1, 2, 1, 2)
    ]
    assert all(each.remainder is not None and each.remainder.counted == each.remainder.expected for each in results)
    assert lines["held"] == 0
    assert kinds[e.PacketDispensed] >= 6
    assert kinds[e.CardDrawn] == 0


@pytest.mark.more
def test_the_deck_runs_out_of_the_hand() -> None:
    """Eight players of stud, none of whom folds often: all of 47.1-1009(2) happens, and every card is there."""
    results, incidents, lines, _ = evening("seven-card-stud.co-hand", 60, seats=8, seed=2)
    assert {each.outcome for each in results} == {"complete"}
    assert {each.code for each in incidents} == {"deck-runs-out"}
    assert all(each.remainder is not None and each.remainder.counted == each.remainder.expected for each in results)
    assert lines["held"] == 0


def test_people_err_and_the_deck_adds_up_where_the_hand_is_played_out() -> None:
    results, _, _, _ = evening("holdem.co-hand", 60, seed=3, faults=0.5)
    played = [each for each in results if each.outcome == "complete" and each.remainder is not None]
    assert len(played) >= 20
    assert all(each.remainder.counted == each.remainder.expected for each in played if each.remainder is not None)


def test_a_whole_deck_is_for_a_game_by_hand() -> None:
    rounds = [{"players": [{"seat": 1}, {"seat": 2}], "number": 1}]
    assert scenario_of(load_procedure("holdem.co-hand"), rounds, whole_deck=True).beside == "shuffler"
    with pytest.raises(TomlFileError, match="whole_deck: only for a game that is dealt by hand"):
        scenario_of(load_procedure("holdem.co"), rounds, whole_deck=True)
