"""Facts that simulated people read from a procedure: the shuffler's program, the steps taken, the costs of bets, and
the consequences."""

from __future__ import annotations

from pathlib import Path

import pytest

from dealer_flow.procedure.load import load_procedure
from dealwire.rehearsal.rehearsed import NotDealt, RehearsedProcedure
from dealwire.rehearsal.scenario import packets
from dealwire.rehearsal.scenario_file import clean_round, load_scenario, scenario_of
from devices.simulator.shuffler_parts import PacketGroup
from protocol import places as at
from protocol.tdp import messages as m
from tests.support.evenings.simulated_table import Evening


def rehearsed(name: str, **options: str) -> RehearsedProcedure:
    return RehearsedProcedure(load_procedure(name), {key.replace("_", "-"): value for key, value in options.items()})


def test_packets_of_one_size_make_one_group_and_any_other_step_a_pause() -> None:
    assert [part.group for part in rehearsed("flushes-gone-wild.co").program] == [PacketGroup(5)]
    assert rehearsed("flushes-gone-wild.co").packet_size == 5
    holdem = rehearsed("ultimate-texas-holdem.co")
    assert [part.group for part in holdem.program] == [PacketGroup(2), PacketGroup(3, 1), PacketGroup(2, 1)]
    assert holdem.packet_size == 0


def test_a_choice_costs_what_the_rules_of_the_game_say() -> None:
    colorado = rehearsed("flushes-gone-wild.co")
    assert colorado.cents("play", {"ante": 700, "blind": 700}, "play") == 1400
    unsettled = rehearsed("ultimate-texas-holdem.co")
    raising = next(choice for choice in unsettled.plan.choices.values() if choice.stakes)
    assert unsettled.cents(raising.stakes[0], {unsettled.enters[0]: 300}, raising.name) == 1200


def test_what_follows_is_the_procedures_word_and_a_persons_where_it_is_silent() -> None:
    plain, misdeal = rehearsed("flushes-gone-wild.co"), rehearsed("flushes-gone-wild.co", community_count="misdeal")
    assert plain.then(at.COMMUNITY, "short", "community") == "progressive-only"
    assert misdeal.then(at.COMMUNITY, "short", "community") == "misdeal"
    assert plain.then(at.seat(3), "long", "hands") == "dead-hand"
    assert plain.then(at.seat(3), "exposed", "hands") == "person"


def test_a_packet_from_a_shoe_goes_out_as_one_and_single_cards_one_by_one() -> None:
    for name in ("flushes-gone-wild.co", "flushes-gone-wild.co-single"):
        procedure = load_procedure(name)
        scenario = scenario_of(procedure, [clean_round(procedure, [1, 2])])
        dealt = packets(scenario.procedure, scenario.rounds[0])
        seat_1 = [packet.cards for packet in dealt if packet.place == at.seat(1)]
        assert seat_1 == ([5] if name == "flushes-gone-wild.co" else [1] * 5)


def test_races_are_not_dealt_step_by_step() -> None:
    with pytest.raises(NotDealt, match=r"race-to-the-flush: its cards are drawn into columns"):
        rehearsed("race-to-the-flush")


def test_the_options_of_a_scenario_decide_what_the_dealer_does(tmp_path: Path) -> None:
    text = (
        'title = "t"\nseed = 5\nprocedure = "flushes-gone-wild.co"\n{}[[rounds]]\n[[rounds.players]]\nseat = 1\n'
        'wagers = {{ ante = 500, blind = 500, progressive = 100 }}\n[[rounds.troubles]]\nwhat = "packet"\n'
        'packet = "community"\nby = -1\n'
    )
    dealt = {}
    for options in ("", 'options = { community-count = "misdeal" }\n'):
        path = tmp_path / "mine.toml"
        path.write_text(text.format(options))
        evening = Evening(load_scenario(path))
        evening.run()
        dealt[options] = len(evening.of(m.PacketLiftedMessage))
    assert list(dealt.values()) == [3, 1]
