"""A deck that runs out while cards are due, 47.1-1009(2): games dealt from a deck cut short, by hand from the text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import Procedure, load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.scenario import Scenario, packets
from dealwire.rehearsal.scenario_file import clean_round, scenario_of
from dealwire.rehearsal.tables import set_up
from devices import events as e
from protocol.cards import parse_card
from protocol.places import BURN, Place
from tests.support.dealing.hand_table import DEVICE, HandTable
from tests.support.evenings.table_evenings import TableEvening
from tests.support.reading.refusals import check_refusal, refused_file
from tests.support.reading.sentences import facts

BONUS = """
bets 1: ante 500
bets 2: ante 500
start
burn-card 2C
draw seat 1 AC AD | seat 2 4H 8S
draw community KD
choose 1: bet-2, second 500
choose 2: bet-2, second 500
burn-card 3C
draw seat 1 AH | seat 2 9D
choose 1: bet-3, third 500
choose 2: bet-3, third 500
burn-card 4C
"""
"""Bonus 6 to the third burned card: ten cards are out, two more are due."""


def of(cards: int, game: str = "bonus-6.co") -> Procedure:
    """The game with a deck of so many cards only."""
    procedure = load_procedure(game)
    return procedure.model_copy(update={"deck": procedure.deck.model_copy(update={"cards": cards})})


def allowed(table: HandTable) -> list[str]:
    return [item.what for item in table.flow.legal() if item.actor == "dealer"]


def test_the_last_card_and_the_burned_ones_are_scrambled_and_dealt_by_hand() -> None:
    """Eleven cards: two are due and one is left; with the three burned ones it makes four, so one can be burned."""
    table = HandTable(of(11)).play(BONUS)
    assert table.incidents[-1].clause == "47.1-1009(2)"
    found = {"place": "shoe", "expected": 2, "left": 1, "burned": 3, "by_hand": 2}
    assert (table.incidents[-1].reason, facts(table.incidents[-1])) == ("scramble-and-burn", found)
    assert allowed(table) == ["burn a card"]  # the last one is laid to the others
    table.play(["burn-card 5C"])
    assert allowed(table) == ["deal by hand to seat 1 (1), seat 2 (1), then confirm"]
    table.play(["deal by hand", "choose 1: winning-hand", "choose 2: winning-hand"])
    assert len(table.flow.snapshot().burned) == 2  # four were scrambled and two of them dealt
    table.play(["show seat 2: 4H 8S 9D 5C", "show seat 1: AC AD AH 2C"])  # 2C was burned, and came again
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["deck-runs-out"])
    assert [seat.counted for seat in result.seats] == [4, 4]
    assert result.burned == ("??", "??")
    assert not table.incidents[-1].called


def test_a_card_too_many_to_be_dealt_by_hand_is_ruled_on() -> None:
    """Seven cards: the two burned ones are for the two players; for a dead card there is no third."""
    lines = BONUS.replace("burn-card 4C\n", "").replace("burn-card 3C\ndraw seat 1 AH | seat 2 9D", "burn-card 3C")
    table = HandTable(of(7)).play(lines.split("choose 1: bet-3")[0]).play("mishap seat 1: boxed AD")
    assert [(found.code, found.reason) for found in table.incidents] == [
        ("deck-runs-out", "scramble"),
        ("boxed-card", "person"),
        ("deck-runs-out", "stop"),
    ]
    assert table.incidents[-1].called == "supervisor"


def test_none_is_burned_when_every_card_is_needed() -> None:
    """Seven cards: the second burn takes the last; the two that were burned are what the two players get."""
    lines = BONUS.replace("burn-card 4C\n", "").replace("burn-card 3C\ndraw seat 1 AH | seat 2 9D", "burn-card 3C")
    lines = lines.split("choose 1: bet-3")[0]
    table = HandTable(of(7)).play(lines)
    found = {"place": "shoe", "expected": 2, "left": 0, "burned": 2, "by_hand": 2}
    assert (table.incidents[-1].reason, facts(table.incidents[-1])) == ("scramble", found)
    assert allowed(table) == ["deal by hand to seat 1 (1), seat 2 (1), then confirm"]


def test_a_supervisor_rules_where_even_these_are_too_few() -> None:
    """Six cards: the burn is due and none is left, one is burned; then two more would be due."""
    lines = BONUS.split("burn-card 3C")[0]
    table = HandTable(of(6)).play(lines)
    assert [incident.code for incident in table.incidents] == ["deck-runs-out"]
    assert allowed(table)[:1] == ["deal by hand to burn (1), then confirm"]
    table.play(["confirm"])
    assert [incident.called for incident in table.incidents] == [None, "supervisor"]
    assert (table.incidents[-1].expected, table.incidents[-1].left) == (2, 0)
    table.play(["misdeal"])
    result = table.end()
    assert result.outcome == "misdeal"
    assert {name for seat in result.seats for name in seat.returned} >= {"ante", "second"}


def test_a_supervisor_may_have_them_dealt_by_hand() -> None:
    table = HandTable(of(10), deck_runs_out="person").play(BONUS)
    assert table.incidents[-1].called == "supervisor"
    table.play(["confirm"])
    assert allowed(table) == ["deal by hand to seat 1 (1), seat 2 (1), then confirm"]
    table.play(["deal by hand", "choose 1: winning-hand", "choose 2: winning-hand"])
    table.play(["show seat 2: 4H 8S 9D 6C", "show seat 1: AC AD AH 7C"])
    assert table.end().outcome == "complete"
    assert table.codes == ["deck-runs-out", "ruled-on"]


def test_it_is_a_misdeal_where_the_house_has_it_so() -> None:
    table = HandTable(of(10), deck_runs_out="misdeal").play(BONUS)
    result = table.end()
    assert (result.outcome, table.codes) == ("misdeal", ["deck-runs-out"])
    assert result.seats[0].returned == {"ante": 500, "second": 500, "third": 500}


def test_a_dead_card_at_a_full_table_leaves_none_to_replace_it() -> None:
    """Flushes Gone Wild by single cards: nine seats take all 52, and nothing was burned that could be scrambled."""
    table = HandTable("flushes-gone-wild.co-single")
    faces = iter(f"{rank}{suit}" for suit in "CDHS" for rank in "A23456789TJQK")
    hands = [f"{place} " + " ".join(next(faces) for _ in range(5)) for place in (*SEATS, "dealer")]
    table.play([f"bets {number}: ante 500, blind 500" for number in range(1, 10)])
    table.play(["start", f"draw {' | '.join(hands)}", "mishap seat 1: exposed"])
    assert table.codes == ["card-exposed", "deck-runs-out"]
    assert (table.incidents[-1].expected, table.incidents[-1].left) == (3, 2)
    assert table.incidents[-1].clause == "47.1-1009(2)"
    table.play([f"draw community {next(faces)} {next(faces)}"])
    assert any("rule a misdeal" in item.what for item in table.flow.legal())
    table.play(["misdeal"])
    assert table.end().outcome == "misdeal"


SEATS = tuple(f"seat {number}" for number in range(1, 10))


@pytest.mark.parametrize("game", ["boston-5.co", "boston-7.co", "longhorn.co", "players-choice.co", "bonus-6.co"])
def test_every_game_that_burns_off_one_deck_has_the_rule(game: str) -> None:
    care = load_procedure(game).care
    assert care.runs_out is not None
    assert care.burned is not None
    assert (care.runs_out.clause, care.burned.clause, care.burned.back_on_top) == ("47.1-1009(2)", "47.1-1025", True)


# ------------------------------------------------------------------ a burned card laid back on top


@pytest.mark.parametrize("number", [10, 11])
@pytest.mark.parametrize("again", [False, True])
def test_a_burned_card_comes_out_again_however_the_shoe_tells(number: int, again: bool) -> None:
    """47.1-1025: a shoe may count the card again or not, and may report it as the one it has read before."""
    table = HandTable("bonus-6.co").play(BONUS).play(["push-back"])
    assert allowed(table) == ["burn a card"]
    card = parse_card("4C")
    table.see(DEVICE, e.CardReportedAgain(10, card, None) if again else e.CardDrawn(number, card, None))
    table.ordinal = 10 if again else number
    table.play(["draw seat 1 7S | seat 2 QC", "choose 1: winning-hand", "choose 2: winning-hand"])
    result = table.end()
    assert (result.outcome, table.codes) == ("complete", ["burned-card-put-back"])
    assert (result.burned, [seat.cards for seat in result.seats]) == (
        ("2C", "3C", "4C"),
        [("AC", "AD", "AH", "7S"), ("4H", "8S", "9D", "QC")],
    )


@pytest.mark.parametrize("game", ["bonus-6.co", "longhorn.co"])
def test_a_burned_card_pushed_back_into_a_real_shoe_is_burned_again(game: str) -> None:
    """The shoe halts, a supervisor puts it right, the same card comes out again; any other card is a fault."""
    procedure = load_procedure(game)
    plain = clean_round(procedure, [1, 2, 3])
    places = cards_of(scenario_of(procedure, [plain]))
    burn = next(at for at, place in enumerate(places, 1) if place == BURN and at > 1)
    troubles = [[], [{"what": "push-back", "card": burn}], [{"what": "push-back", "card": burn + 1}]]
    moved = [plain | {"number": at} if "number" in plain else plain for at in (1, 2, 3)]  # a button moves on each round
    rounds_of = [each | ({"troubles": found} if found else {}) for each, found in zip(moved, troubles, strict=True)]
    scenario = scenario_of(procedure, rounds_of)
    flow = DealerFlow(procedure)
    said = [item for seen in TableEvening(set_up(scenario, speed=20.0)).run().seen for item in flow.handle(seen)]
    rounds = [item for item in said if isinstance(item, RoundResult)]
    assert [each.outcome for each in rounds] == ["complete", "complete", "unreliable"]
    assert [[i.code for i in each.incidents][:1] for each in rounds] == [[], ["burned-card-put-back"], ["device-fault"]]
    assert len(rounds[1].incidents) == 1
    assert len(rounds[1].burned) == len(rounds[0].burned)


def cards_of(scenario: Scenario) -> list[Place]:
    """To whom each card of the first round goes."""
    return [packet.place for packet in packets(scenario.procedure, scenario.rounds[0]) for _ in range(packet.cards)]


def test_a_round_whose_first_burn_is_put_back_is_still_one_round() -> None:
    """208 Poker deals three rounds from a shuffle: the shoe's count of them stays right."""
    table = HandTable("208.co")
    for _ in range(3):
        table.play(["bets 1: ante 500", "start", "burn-card", "deal by hand", "burn-card 2C", "push-back"])
        for burned, shown in (("2C", "3C"), ("4C", "5C"), ("6C", "7C")):
            table.play([f"burn-card {burned}", f"draw community {shown}"])
        assert table.end().outcome == "complete"
    assert set(table.codes) == {"burned-card-put-back"}


# ------------------------------------------------------------------ contradictory files

ROW = "[care.burned]                    # cards burned are kept from the discards until all are dealt\noption ="
BAD = {
    "nobody's hand to be dead": (
        "bonus-6.co",
        (f'{ROW} "burned-card-in-muck"', '[care.burned]\nthen = "dead-hand"'),
        "care.burned.then: dead-hand: a burned card is in no one's hand; allowed: nothing, person, misdeal, unreliable",
    ),
    "nothing burned": (
        "western-stud.co",
        ("[care.runs-out]", '[care.burned]\nthen = "nothing"\nclause = "S"\n[care.runs-out]'),
        "care.burned: no step burns a card",
    ),
    "a packet that goes back on top": (
        "3-5-7.co",
        (
            "[care.burned]                    # one touches the discards before all cards are dealt\noption =",
            "[care.burned]\nback-on-top = true\noption =",
        ),
        "care.burned.back-on-top: only for a card-shoe or a dealer's hand with a burn-card step",
    ),
    "a shuffler that runs out": (
        "3-5-7.co",
        ("[care.deck]", '[care.runs-out]\noption = "surrender"\nclause = "S"\n[care.deck]'),
        "care.runs-out: only single cards of a deck that is fresh each-round can run out",
    ),
    "a deck that is dealt on from": (
        "bonus-6.co",
        ('fresh = "each-round"', 'fresh = "until-cut-card"'),
        "care.runs-out: only single cards of a deck that is fresh each-round can run out",
    ),
    "an option that is not there": (
        "bonus-6.co",
        ('option = "deck-runs-out"', 'option = "deck-ran-out"'),
        "care.runs-out.option: no option 'deck-ran-out'; known: bonus-card-wrong, dead-hand-card-fee, ",
    ),
    "an option about something else": (
        "bonus-6.co",
        ('option = "deck-runs-out"', 'option = "foreign-card"'),
        "care.runs-out.option: option 'foreign-card' must choose between scramble, scramble-or-community, person,"
        " misdeal",
    ),
    "nothing to scramble": (
        "western-stud.co",
        ('allowed = ["person", "misdeal"]\nreason = "47.1-1009(2)', 'allowed = ["person", "scramble"]\nreason = "'),
        "care.runs-out.option: 'scramble' needs burned cards, and no burn-card step of this deck burns any",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_meant_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    game, (before, after), why = BAD[name]
    faults = refused_file(game, before, after, tmp_path)
    assert [fault for fault in faults if re.search(rf"bad\.toml:\d+: {re.escape(why)}", str(fault))], faults
    for fault in faults:
        check_refusal(fault)
