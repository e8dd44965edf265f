"""What the round says of a bet binds its settlement: what was settled before a void does not come back, and a hand that
its player fouled recovers nothing (47.1-1020, 47.1-1031(2), 47.1-1036)."""

import pytest

from rules import load_game, settle
from tests.support.hand_table import HandTable

GAME = load_game("flushes-gone-wild.co")
DEALT = """
bets 1: ante 500, blind 500
bets 2: ante 500, blind 500
start
packet community: 2C 3C 4C 5C 6C
packet seat 1: AH KH QH 9D 2S
packet seat 2: AS KS QD 9C 2D
"""
REST = """
packet dealer: TH 9H 7C 6D 3S
dump
burn community: 1 2 5
choose 1: play, play 1000
choose 2: play, play 1000
show dealer: TH 9H 7C 6D 3S
show community: 4C 5C
show seat 2: AS KS QD 9C 2D
show seat 1: AH KH QH 9D 2S
"""


def lines(table: HandTable) -> dict[tuple[int, str], str]:
    return {(line.seat, line.bet): line.result for line in settle(table.end(), GAME, meters={"meter": 1000}).lines}


def test_what_was_settled_before_the_deck_was_found_defective_does_not_come_back() -> None:
    table = HandTable().play(DEALT + REST).play("count remainder: 26")
    settled = lines(table)
    assert table.results[-1].outcome == "defective-deck"
    assert {bet for seat in table.results[-1].seats for bet in seat.settled} == {"ante", "blind", "play"}
    assert set(settled.values()) == {"held"}


def test_under_the_other_reading_every_bet_comes_back() -> None:
    table = HandTable(won_before_defect="come-back").play(DEALT + REST).play("count remainder: 26")
    assert set(lines(table).values()) == {"returned"}


@pytest.mark.parametrize(("how", "result"), [("fouled-by-player", "lose"), ("fouled-by-others", "returned")])
def test_whose_fault_it_was_decides_what_a_fouled_hand_recovers(how: str, result: str) -> None:
    rest = "\n".join(line for line in REST.splitlines() if not line.startswith(("choose 2", "show seat 2")))
    settled = lines(HandTable().play(DEALT).play(f"mishap seat 2: {how}").play(rest))
    assert {settled[2, "ante"], settled[2, "blind"]} == {result}
    assert settled[1, "ante"] in ("win", "lose", "push")
