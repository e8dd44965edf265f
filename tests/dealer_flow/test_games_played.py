"""Every game dealt as at the table: a clean round, each wrong count of its clause, a device's fault in the middle of a
round.

The rounds and their results are in `hands/*.toml`, written from the text.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from dealer_flow.procedure.load import known_procedures, load_procedure
from dealer_flow.procedure.schema import Procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from tests.support.dealing.hand_table import HandTable
from tests.support.reading.dealt_hands import Case, cases, clean, games
from tests.support.reading.each import of_each


def written() -> Iterator[Case]:
    return (case for game in games() for case in cases(game))


def played(case: Case) -> tuple[HandTable, RoundResult]:
    """The round of this case, dealt to its end."""
    return _played(case.game, case.lines, tuple(case.options.items()))


@cache
def _played(game: str, lines: tuple[str, ...], options: tuple[tuple[str, str], ...]) -> tuple[HandTable, RoundResult]:
    table = HandTable(game, **dict(options))
    table.play(list(lines))
    return table, table.end()


def test_every_game_of_steps_has_dealt_hands() -> None:
    """The packet games of other tests aside: Flushes Gone Wild has hands of its own. Of games between players out
    of the hand those that are dealt as hold'em, draw or stud is have evenings instead."""
    elsewhere = {"flushes-gone-wild.co", "flushes-gone-wild.wa", "flushes-gone-wild.sd", "race-to-the-flush"}
    as_those = ("pineapple", "crazy-pineapple", "home-run", "five-card-stud", "joker", "longhorn")
    elsewhere |= {name for name in known_procedures() if name.endswith(".co-hand") and name.startswith(as_those)}
    assert set(games()) == set(known_procedures()) - elsewhere


@of_each("game", games())
def test_a_clean_round(game: str) -> None:
    case = clean(game)
    table, result = played(case)
    assert (result.outcome, table.codes) == ("complete", [])
    assert tuple(seat.status for seat in result.seats) == case.seats
    assert all(not seat.returned and not seat.held for seat in result.seats)
    check_details(case, result)


@pytest.mark.every(3)
@of_each("case", written, ids=str, shares=30)
def test_what_the_clause_says(case: Case) -> None:
    table, result = played(case)
    assert result.outcome == case.outcome, table.codes
    if case.outcome == "complete":
        assert tuple(seat.status for seat in result.seats) == case.seats
    assert {seat.seat: dict(seat.returned) for seat in result.seats if seat.returned} == case.back
    assert {seat.seat: dict(seat.held) for seat in result.seats if seat.held} == case.held
    if case.clause is None:
        assert table.codes == []
    else:
        assert any(case.clause in incident.clause for incident in result.incidents)
    assert any(incident.called == "supervisor" for incident in result.incidents) == case.called
    check_details(case, result)


def check_details(case: Case, result: RoundResult) -> None:
    """Check everything else that the file says of this round."""
    if case.packets:
        assert tuple(packet.to for packet in result.packets) == case.packets
    if case.community:
        assert result.community == case.community
    if case.remainder is not None:
        assert result.remainder is not None
        assert result.remainder.counted == case.remainder
    for seat in result.seats:
        assert dict(seat.wagers) == case.wagers.get(seat.seat, dict(seat.wagers))
    assert {hand.name for hand in result.hands if hand.status == "dead"} == case.dead_hands
    lies = {f"seat {seat.seat}": seat.cards for seat in result.seats} | {"community": result.community}
    assert case.cards.items() <= lies.items()
    assert case.hands.items() <= {hand.name: hand.cards for hand in result.hands}.items()
    line = json.loads(result.to_json())
    assert {path: said(line, path) for path in case.record} == case.record


def said(line: Any, path: str) -> Any:
    """Return the value of a line at a path; `absent` if there is none."""
    for key in path.split("."):
        if isinstance(line, list):
            line = line[int(key)] if int(key) < len(line) else "absent"
        else:
            line = line.get(key, "absent")
        if line == "absent":
            break
    return line


@of_each("game", games())
def test_no_card_is_dealt_twice(game: str) -> None:
    """The hands themselves: a face at most once a deck. Of cards that no device deals those that lie open last."""
    lines = [line for line in clean(game).lines if line.startswith(("packet", "draw", "burn-card"))]
    lines = lines or [*{line.partition(":")[0]: line for line in clean(game).lines if line.startswith("show")}.values()]
    dealt = Counter(re.findall(r"\b(?:[A2-9TJQK][CDHS]|X[1-4])\b", " ".join(lines)))
    assert max(dealt.values()) <= load_procedure(game).deck.decks


HOW = {
    "card-exposed": "exposed",
    "card-off-table": "off-table",
    "card-dropped": "dropped",
    "card-early": "early",
}


@pytest.mark.more
def test_every_row_of_every_game_is_dealt() -> None:
    """For each place and each way it can be wrong, a case in which an incident says so by that row's clause."""
    for game in games():
        procedure, dealt = load_procedure(game), set[tuple[str, str, str]]()
        for case in cases(game):
            _, result = played(case)
            for incident in result.incidents:
                if incident.place is not None:
                    how = HOW.get(incident.code) or short_or_long(incident)
                    dealt.add((kind(procedure, incident.place), how, incident.clause))
        rows = {(row.of, how, row.clause) for row in procedure.wrong for how in row.how}
        assert rows - dealt == set(), game


def kind(procedure: Procedure, place: str) -> str:
    """Return the recipient of the cards at a place, as the rows name it."""
    named = {hand.place: hand.name for hand in procedure.hand}
    return "seats" if place.startswith("seat ") else named.get(place, place)


def short_or_long(incident: Incident) -> str:
    """Return `short` if fewer were counted than expected, else `long`."""
    return "short" if (incident.counted or 0) < (incident.expected or 0) else "long"


def test_208_poker_deals_three_games_out_of_one_shuffle() -> None:
    """47.1-1017.32(18): not more than three; a fourth without a shuffle is noted, one after it is in order."""
    table = HandTable("208.co")
    shuffles = ["2C 3C 4C 5C 6C 7C", "2D 3D 4D 5D 6D 7D", "2H 3H 4H 5H 6H 7H", "2S 3S 4S 5S 6S 7S"]
    for number, cards in enumerate(shuffles, 1):
        deal_208(table, cards)
        assert bool(table.codes) == (number > 3)
    table.fresh_deck()
    table.incidents.clear()
    assert deal_208(table, "8C 9C TC JC QC KC").outcome == "complete"
    assert table.codes == []


def test_208_poker_says_when_the_shoe_is_to_be_shuffled() -> None:
    """47.1-1017.32(18): after three games, and after identical cards, whether or not more games were left; a shuffling
    shoe is never to be."""
    for shoe, sets, due in (
        ("dealing", ["2C 3C 4C 5C 6C 7C"], []),
        ("dealing", ["2C 3C 4C 5C 6C 3C"], ["dealer: shuffle the shoe: identical cards were in one hand"]),
        ("dealing", ["2C 3C", "2D 3D", "2H 3H"], ["dealer: shuffle the shoe: it has been dealt often enough"]),
        ("shuffling", ["2C 3C 4C 5C 6C 3C", "2D 3D", "2H 3H", "2S 3S"], []),
    ):
        table = HandTable("208.co", shoe=shoe)
        for cards in sets:
            deal_208(table, cards)
        assert table.may("ShoeLoaded") == due
        table.fresh_deck()
        assert table.may("ShoeLoaded") == []


def deal_208(table: HandTable, cards: str) -> RoundResult:
    """One player, two cards by hand, each community card after a burned one."""
    table.play(["bets 1: ante 500", "start", "burn-card", "deal by hand"])
    for burned, shown in zip(cards.split()[::2], cards.split()[1::2], strict=True):
        table.play([f"burn-card {burned}", f"draw community {shown}"])
    return table.end()
