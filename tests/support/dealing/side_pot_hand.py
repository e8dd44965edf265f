"""A hand of hold'em with a side pot at nine seats, played into a table under a viewer, step by step."""

from __future__ import annotations

from typing import Final

from rules.settlement import HouseRake
from tests.support.dealing.hand_table import CONTROLLER
from tests.support.dealing.settling_table import SettlingTable

RAKE: Final = HouseRake("5", 400, 50)

BLINDS: Final = """
stakes 1: 20000, 2: 15000, 3: 20000, 4: 2000, 5: 18000, 6: 22000, 7: 4500, 8: 20000, 9: 20000
bets 2: small-blind 100
bets 3: big-blind 200
start at 1
"""
HANDS: Final = ("2 8S 8D", "3 2C 7H", "4 AS AD", "5 3S 4H", "6 5C 9D", "7 KS KD", "8 QH QD", "9 4C 5S", "1 JC TC")
CARDS: Final = f"draw {' | '.join(f'seat {hand}' for hand in HANDS)}"
PRE_FLOP: Final = """
acts 4: raise 600
acts 5: fold 0
acts 6: fold 0
acts 7: call 600
acts 8: call 600
"""
"""Action before the flop; seat 9 is next."""
CALLED: Final = """
acts 9: fold 0
acts 1: call 600
acts 2: fold 100
acts 3: fold 200
"""
FLOP: Final = """
burn-card 2D
draw community 2H 6C 9S
show community: 2H 6C 9S
"""
ALL_IN: Final = """
acts 4: all-in 1400
acts 7: all-in 3900
acts 8: raise 6000
"""
"""Action with two players all-in; seat 1 is next."""
FLOP_CALLED: Final = "acts 1: call 6000"
TURN: Final = """
burn-card 2S
draw community 3D
show community: 2H 6C 9S 3D
acts 8: bet 2000
"""
"""The turn, with the main pot and two side pots; seat 1 is next."""
TURN_CALLED: Final = "acts 1: call 2000"
RIVER: Final = """
burn-card 3H
draw community TD
show community: 2H 6C 9S 3D TD
acts 8: check 0
acts 1: check 0
"""
SHOWN: Final = """
show community: 2H 6C 9S 3D TD
show seat 8: QH QD
show seat 1: JC TC
show seat 4: AS AD
show seat 7: KS KD
takes 4: 7900
"""
HAND: Final = (BLINDS, CARDS, PRE_FLOP, CALLED, FLOP, ALL_IN, FLOP_CALLED, TURN, TURN_CALLED, RIVER, SHOWN)


class PokerTable(SettlingTable):
    """A table of nine seats that rakes, a second from one report to the next."""

    step_ns = 1_000_000_000

    def __init__(self, procedure: str = "holdem.co", *, seats: int = 9, name: str = "pit-1", **options: str) -> None:
        super().__init__(procedure, {"rake": RAKE}, name=name, seats=seats, linked=("shoe-1", CONTROLLER), **options)
