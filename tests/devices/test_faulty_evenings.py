"""Sessions with faulty devices: a clean one is unchanged, and every discrepancy is reported."""

from __future__ import annotations

from dataclasses import replace as with_fields
from functools import cache

from msgspec.structs import replace

from dealer_flow.record.incidents import Incident
from dealwire.table.table import TableOutcome
from rules.settlement import Settlement
from tests.support.evenings.faulty_evenings import (
    ROUNDS,
    Truth,
    deal_evening,
    dealt_in,
    evening_of,
    evening_verdict,
    judged_evening,
)

Outcomes = list[TableOutcome]


@cache
def clean() -> tuple[Outcomes, Truth]:
    """Return the host's outcomes, and the truth."""
    return deal_evening(with_fields(evening_of(0), identity=()))


def test_an_evening_without_a_fault_is_the_same_with_every_round() -> None:
    said, true = clean()
    assert judged_evening(said, true.rounds) == "same"
    assert len(list(dealt_in(true.outcomes))) == ROUNDS
    assert all(each.paid is not None for each in dealt_in(said))


def test_a_round_that_is_settled_twice_is_wrong() -> None:
    said, true = clean()
    assert judged_evening([*said, *said[:2]], true.rounds).startswith("WRONG: round 1 of ")


def test_a_cent_too_much_is_wrong() -> None:
    said, true = clean()
    settlement = next(item for item in said if isinstance(item, Settlement))
    line = replace(settlement.lines[0], stake=settlement.lines[0].stake + 1)
    changed = replace(settlement, lines=(line, *settlement.lines[1:]))
    assert judged_evening([changed if item is settlement else item for item in said], true.rounds).startswith("WRONG")


def test_a_round_that_is_gone_without_a_word_is_wrong_and_with_one_it_is_not() -> None:
    said, true = clean()
    assert judged_evening(said[2:], true.rounds).startswith("WRONG: 1 rounds are missing")
    idle = Incident(code="deck-not-alternated", clause="procedure")
    assert judged_evening([idle, *said[2:]], true.rounds).startswith("WRONG: 1 rounds are missing")
    lost = Incident(code="events-lost", clause="procedure")
    assert judged_evening([lost, *said[2:]], true.rounds) == "some only by incidents"


def test_bytes_of_before_a_reboot_settle_no_round_again() -> None:
    """A controller restarted, and its earlier output arrived once more before its first frame."""
    found, dealt, told = evening_verdict(903782)
    assert not found.startswith("WRONG"), found
    assert (dealt, told) == (3, 3)


def test_a_lamp_that_went_out_before_start_game_calls_no_misdeal_when_that_is_heard_after_it() -> None:
    """The shuffler's line was lost between two rounds; the bets of a completely dealt round were once returned."""
    found, dealt, told = evening_verdict(3001814)
    assert not found.startswith("WRONG"), found
    assert (dealt, told) == (4, 4)


def test_a_round_after_one_that_nobody_started_is_its_own() -> None:
    """On its own it is complete; the table before its START GAME was reported as unreliable."""
    assert evening_verdict(3000811)[0] == "some unreliable"


def test_a_round_after_one_that_was_dealt_beside_a_dead_controller_is_its_own() -> None:
    """Packets from the meantime were once added to the previous, held round; the next round was paid unchanged."""
    assert evening_verdict(831056)[0] == "same, with an incident"
