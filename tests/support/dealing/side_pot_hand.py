"""A hand of hold'em with a side pot at nine seats, played into a table under a viewer, step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import devices.events as e
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.result import RoundResult
from dealwire.hub.view import TableView
from dealwire.table.table import Table, TableOutcome, TableTerms
from dealwire.table.viewer import Viewer
from devices.events import Seen
from rules.game import load_game
from rules.settlement import HouseRake
from tests.support.dealing.hand_table import CONTROLLER, SESSION, HandTable

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
"""Seat 9 is next."""
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
"""Seat 1 is next."""
FLOP_CALLED: Final = "acts 1: call 6000"
TURN: Final = """
burn-card 2S
draw community 3D
show community: 2H 6C 9S 3D
acts 8: bet 2000
"""
"""The main pot and two side pots lie there; seat 1 is next."""
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


class PokerTable(HandTable):
    """The same hand vocabulary, into a whole table that settles, under a viewer. `table`, `viewer` and `outcomes` are
    what comes of it; `keep` gets every report with the view after it."""

    def __init__(self, procedure: str = "holdem.co", *, seats: int = 9, name: str = "pit-1", **options: str) -> None:
        terms = TableTerms(load_game(procedure), rake=RAKE)
        self.table = Table(load_procedure(procedure), terms, options=options)
        self.viewer = Viewer(self.table, name, seats=seats)
        self.outcomes: list[TableOutcome] = []
        self.keep: Callable[[Seen, TableView], None] | None = None
        super().__init__(procedure, filled=False)
        self.flow = self.table.flow
        for number, device in enumerate(("shoe-1", CONTROLLER), 1):
            self.see(device, e.LinkUp(number, device, "maker", "model", "1", "1.0", False, False), numbered=False)
        self.fresh_deck()

    def see(self, device: str, body: e.Body, *, numbered: bool = True) -> PokerTable:
        """The device reports this now, to the whole table."""
        self.now_ns += 1_000_000_000
        self._numbers[device] += numbered
        number = self._numbers[device] if numbered else 0
        seen = Seen(device, self.sessions.get(device, SESSION), number, self.now_ns, body)
        found = self.table.handle(seen)
        self.viewer.saw(seen, found)
        self.outcomes += found
        self.results += [each for each in found if isinstance(each, RoundResult)]
        if self.keep is not None:
            self.keep(seen, self.view)
        return self

    @property
    def view(self) -> TableView:
        """What a person sees now."""
        return self.viewer.view(self.now_ns // 1_000_000_000 % 1_000_000, self.now_ns)
