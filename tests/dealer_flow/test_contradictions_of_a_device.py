"""Contradictions of a device are found and named, and an honest device is never suspected.

Real links, drivers and flow; a lying relay is placed between the simulated devices and the lines.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from dealer_flow.table.deal_book import RUN, dealt_again, order_of, remember
from devices.simulator.host import TableModel
from protocol.tdp import messages as m
from tests.support.broken.lying_tables import (
    HONEST,
    CutsOnly,
    GreenClears,
    GreenInVain,
    HeardTable,
    KeepsPacketInside,
    Misstating,
    NeverShuffles,
    NumberStandsStill,
)
from tests.support.lies.liar import DeviceLie, EventDraft, also, but
from tests.support.lies.playing import EVENINGS, lying_evening

STATUS, RECORD = m.ShufflerStatusMessage, m.MisdealMessage


@pytest.mark.parametrize(
    "scenario", ["clean-3", "two-rounds", "packet-stays", "player-short", "remainder-short", "jam"]
)
def test_an_honest_device_contradicts_nothing(scenario: str) -> None:
    ours = {"order-again", "statements-differ", "cleared-by-nobody", "round-number-again"}
    heard = HeardTable(scenario, HONEST)
    assert heard.rounds
    assert not {code for found in heard.incidents for code, _ in found} & ours


@pytest.mark.parametrize("device", [NeverShuffles, CutsOnly])
def test_a_deck_that_was_not_shuffled_is_known_by_its_order(device: Callable[[TableModel], TableModel]) -> None:
    heard = HeardTable("two-rounds", device)
    assert [result.outcome for result in heard.rounds] == ["complete", "unreliable"]
    assert heard.incidents == [[], [("order-again", "")]]
    first, second = heard.rounds
    assert second.incidents[0].number == first.round
    assert str(second.incidents[0]).startswith(f"the order of round {first.round} comes again: deck ")


def test_without_recognition_nobody_knows_the_order() -> None:
    heard = HeardTable("two-rounds", NeverShuffles, recognition=False)
    assert heard.incidents == [[], []]


def test_cards_that_stay_inside_are_no_packet_that_nobody_lifted() -> None:
    """The status has put the packet back, so that five cards are missing."""
    heard = HeardTable("clean-3", KeepsPacketInside)
    (found,) = heard.incidents
    assert found == [("statements-differ", "unlifted"), ("cards-not-conserved", "deck")]
    assert [result.outcome for result in heard.rounds] == ["defective-deck"]
    assert heard.rounds[0].remainder is not None
    assert heard.rounds[0].remainder.counted == heard.rounds[0].remainder.expected - 5


@pytest.mark.parametrize("scenario", ["clean-3", "packet-stays"])
@pytest.mark.parametrize(
    ("field", "reason"),
    [("packets", "packets"), ("dispensed", "dispensed"), ("in_tray", "in-tray"), ("remainder", "remainder"),
     ("loaded", "loaded")],
)  # fmt: skip
def test_a_status_is_held_against_the_events(scenario: str, field: str, reason: str) -> None:
    lie: dict[str, Callable[[Any], Any]] = {field: lambda true: true + 1}
    heard = HeardTable(scenario, partial(Misstating, message=STATUS, **lie))
    assert heard.incidents == [[("statements-differ", reason)]]
    assert [result.outcome for result in heard.rounds] == ["unreliable"]


@pytest.mark.parametrize(
    ("field", "make", "reason"),
    [
        ("packets", lambda true: true[:-1], "record-packets"),
        ("packets", lambda true: ((5, 5), *true[1:])[::-1], "record-packets"),
        ("loaded", lambda true: true - 1, "record-loaded"),
        ("remainder", lambda true: 12, "record-remainder"),
    ],
)
def test_a_misdeal_record_is_held_against_the_events(field: str, make: Callable[[Any], Any], reason: str) -> None:
    heard = HeardTable("player-short", partial(Misstating, message=RECORD, **{field: make}))
    assert ("statements-differ", reason) in heard.incidents[0]
    assert heard.rounds[0].outcome == "unreliable"


def test_the_remainder_that_is_lifted_is_of_the_deck_that_was_dealt() -> None:
    heard = HeardTable("clean-3", partial(Misstating, message=m.RemainderLiftedMessage, deck=lambda true: 3 - true))
    assert heard.incidents == [[("statements-differ", "lifted-deck")]]
    assert [result.outcome for result in heard.rounds] == ["unreliable"]


class OnePacketSaid(DeviceLie):
    """Of each deal's packet 2 something else is said."""

    device = "shuffler"

    def __init__(self, says: Callable[[EventDraft], list[EventDraft]]) -> None:
        self.says = says

    def event(self, said: EventDraft) -> list[EventDraft] | None:
        second = said.event is m.PacketDispensedMessage and said.fields["ordinal"] == 2
        return self.says(said) if second else None


def told_again(**fields: Callable[[Any], Any]) -> Callable[[EventDraft], list[EventDraft]]:
    return lambda said: also(said, said.event, **said.fields | {k: make(said.fields[k]) for k, make in fields.items()})


@pytest.mark.parametrize(
    ("says", "evening", "sentence"),
    [
        (
            lambda said: but(said, deck=3 - said.fields["deck"]),
            "clean",
            "a packet of deck 2 comes while deck 1 is dealt",
        ),
        (told_again(counted=lambda true: true - 1), "clean", "packet 2 is reported again, but not as before"),
        (told_again(cards=lambda true: true[::-1]), "reads", "packet 2 is reported again, but not as before"),
    ],
)
def test_a_packet_is_of_the_deck_that_is_dealt_and_comes_once(
    says: Callable[[EventDraft], list[EventDraft]], evening: str, sentence: str
) -> None:
    """The second time with another count that adds up, or with other faces, it was settled without a word."""
    played = lying_evening(OnePacketSaid(says), "shuffler", replace(EVENINGS[evening], rounds=2))
    assert (played.rounds, played.incidents["statements-differ"]) == ({"unreliable": 2}, 2)
    assert played.texts["statements-differ"] == sentence


def test_a_packet_that_is_reported_again_as_before_says_nothing_new() -> None:
    played = lying_evening(OnePacketSaid(told_again()), "shuffler", replace(EVENINGS["clean"], rounds=2))
    assert played.rounds == {"complete": 2}
    assert "statements-differ" not in played.incidents


def test_the_green_button_clears_no_misdeal() -> None:
    heard = HeardTable("player-short", GreenClears)
    assert ("cleared-by-nobody", "") in heard.incidents[0]
    assert heard.rounds[0].outcome == "unreliable"


def test_a_person_who_presses_green_first_has_cleared_it() -> None:
    heard = HeardTable("player-short", GreenInVain)
    assert ("cleared-by-nobody", "") not in heard.incidents[0]
    assert [result.outcome for result in heard.rounds] == [HeardTable("player-short", HONEST).rounds[0].outcome]


def test_a_count_of_rounds_that_stands_still() -> None:
    heard = HeardTable("two-rounds", NumberStandsStill)
    assert heard.incidents == [[], [("round-number-again", "")]]
    assert [result.outcome for result in heard.rounds] == ["complete", "unreliable"]
    assert "begins round 0, but round 1 is next" in str(heard.rounds[1].incidents[0])


# ------------------------------------------------------------------ orders


def test_a_run_of_cards_is_found_wherever_it_lies_and_either_way_round() -> None:
    deck = [*range(0x11, 0x1E), *range(0x21, 0x2E), *range(0x31, 0x3E)]
    before = remember((), 7, order_of([deck[:25]]))
    assert dealt_again(order_of([deck[10 : 10 + RUN], [0x41]]), before) == 7
    assert dealt_again(order_of([deck[10 : 10 + RUN][::-1], [0x41]]), before) == 7
    assert dealt_again(order_of([deck[10 : 9 + RUN], [0x41]]), before) is None


def test_cards_that_were_not_read_are_no_run() -> None:
    unread = order_of([[0x60] * 10])
    assert dealt_again(unread, remember((), 1, unread)) is None
    assert dealt_again("", remember((), 1, unread)) is None


def test_so_many_deals_are_remembered_and_no_more() -> None:
    before: tuple[tuple[int, str], ...] = ()
    for number in range(100):
        before = remember(before, number, order_of([[number + 1] * RUN]))
    assert [number for number, _ in before] == [*range(36, 100)]
    assert remember(before, 100, order_of([[1] * (RUN - 1)])) == before
