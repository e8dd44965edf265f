"""Races to the Flush: their table, known draws, and the amounts won."""

from __future__ import annotations

from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from rules import Settlement, load_game, settle
from tests.support.dealing.hand_table import HandTable

PROCEDURE = load_procedure("race-to-the-flush")
GAME = load_game("race-to-the-flush")
SPOTS = {bet.name: bet.number for bet in PROCEDURE.bet}

# Races that end at a known card, with the counts by suit.
AT_5 = "AH 5H 9H JH KH"
AT_10 = "2C 3D 4H 5S 6C 7D 8H 9H TH 3H"  # C2 D2 H5 S1
AT_11 = "2C 3D 4H 5S 6C 7D 8H 9H TH 2D 3H"  # C2 D3 H5 S1
AT_16 = "2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 9D"  # C4 D5 H4 S3
NEVER = "2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S"  # four of each


def race_table(**setting: object) -> HandTable:
    """Return a table of Race to the Flush."""
    return HandTable(PROCEDURE, **setting)  # type: ignore[arg-type]


def race(cards: str, **bets: int) -> RoundResult:
    """Return a clean race with these bets of seat 1; an extra card, where the race has one, is always drawn."""
    table = race_table(seventeenth_card="always")
    return table.bet(1, **(bets or {"red": 500})).start().draw(cards).end()


def race_money(settlement: Settlement) -> dict[str, tuple[str, int]]:
    """Return (result, net cents) for each bet of seat 1."""
    return {line.bet: (line.result, line.net) for line in settlement.lines if line.seat == 1}


def settled_race(cards: str, **bets: int) -> dict[str, tuple[str, int]]:
    return race_money(settle(race(cards, **bets), GAME))
