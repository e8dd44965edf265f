"""Every game dealt as at the table: a clean round, each wrong count of its clause, a device's fault in mid-round.

The rounds and what follows stand in `hands/*.toml`, written from the text.
"""

import re
from collections import Counter

import pytest

from dealer_flow.procedure import known_procedures, load_procedure
from dealer_flow.result import RoundResult
from tests.support.dealt_hands import Case, cases, clean, games
from tests.support.hand_table import HandTable

CASES = [case for game in games() for case in cases(game)]


def played(case: Case) -> tuple[HandTable, RoundResult]:
    """The round of this case, dealt to its end."""
    table = HandTable(case.game, **case.options)
    table.play(list(case.lines))
    return table, table.end()


def test_every_game_of_steps_has_dealt_hands() -> None:
    """The packet games of other tests aside: Flushes Gone Wild has hands of its own."""
    elsewhere = {"flushes-gone-wild.co", "flushes-gone-wild.wa", "flushes-gone-wild.sd", "race-to-the-flush"}
    assert set(games()) == set(known_procedures()) - elsewhere


@pytest.mark.parametrize("game", games())
def test_a_clean_round(game: str) -> None:
    case = clean(game)
    table, result = played(case)
    assert (result.outcome, table.codes) == ("complete", [])
    assert tuple(seat.status for seat in result.seats) == case.seats
    assert all(not seat.returned for seat in result.seats)
    check_details(case, result)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_the_clause_says(case: Case) -> None:
    table, result = played(case)
    assert result.outcome == case.outcome, table.codes
    if case.outcome == "complete":
        assert tuple(seat.status for seat in result.seats) == case.seats
    assert {seat.seat: dict(seat.returned) for seat in result.seats if seat.returned} == case.back
    if case.clause is None:
        assert table.codes == []
    else:
        assert any(case.clause in incident.clause for incident in result.incidents)
    assert any(incident.called == "supervisor" for incident in result.incidents) == case.called
    check_details(case, result)


def check_details(case: Case, result: RoundResult) -> None:
    """Whatever else the file says of this round."""
    if case.packets:
        assert tuple(packet.to for packet in result.packets) == case.packets
    if case.remainder is not None:
        assert result.remainder is not None
        assert result.remainder.counted == case.remainder
    for seat in result.seats:
        assert dict(seat.wagers) == case.wagers.get(seat.seat, dict(seat.wagers))
    assert case.hands.items() <= {hand.name: hand.cards for hand in result.hands}.items()


@pytest.mark.parametrize("game", games())
def test_no_card_is_dealt_twice(game: str) -> None:
    """The hands themselves: a face at most once a deck."""
    lines = [line for line in clean(game).lines if line.startswith(("packet", "draw", "burn-card"))]
    dealt = Counter(re.findall(r"\b(?:[A2-9TJQK][CDHS]|X[1-4])\b", " ".join(lines)))
    assert max(dealt.values()) <= load_procedure(game).deck.decks


def test_every_place_of_every_game_has_a_case_for_each_wrong_number() -> None:
    """Each place that gets cards is wrong at least once in the hands of its game."""
    for game in games():
        places = {row.of for row in load_procedure(game).wrong if {"short", "long"} & set(row.how)}
        named = " ".join(" ".join(case.lines) for case in cases(game))
        for place in places - {"remainder", "seats"}:
            assert re.search(rf"(packet {place} should be|count {place}:)", named), f"{game}: {place}"
