"""Small games of steps, written as files would be, and a table that deals them from a packet shuffler or a shoe."""

from __future__ import annotations

from dealer_flow.play.machine import DealerFlow
from dealer_flow.procedure.load import Procedure, parse_procedure
from devices import events as e
from protocol.cards import parse_card, parse_cards
from protocol.places import parse_place
from tests.support.table import SHUFFLER, Table

SHOE = "shoe-1"

HEAD = """schema = "dealwire.procedure/2"
id = "small"
title = "Small"
jurisdiction = "none"
clause = "S"
device = "packet-shuffler"
deck = { cards = 52, jokers = 0, clause = "S deck" }
seats = { most = 4, clause = "S seats" }
misdeal = { until = "first-decision", clause = "S misdeal" }
[face]
duplicate = { then = "defective-deck", clause = "S face" }
foreign = { then = "defective-deck", clause = "S face" }
[care]
deck = { then = "defective-deck", clause = "S care" }
[[bet]]
number = 1
name = "ante"
placed = "before-deal"
enters = true
clause = "S bet"
[[bet]]
number = 2
name = "side"
placed = "before-deal"
clause = "S bet"
[[bet]]
number = 3
name = "raise"
placed = "by-decision"
clause = "S bet"
[[bet]]
number = 4
name = "fee"
placed = "before-deal"
fee = true
clause = "S bet"
[[bet]]
number = 5
name = "progressive"
placed = "before-deal"
progressive = true
clause = "S bet"
[[option]]
name = "top"
default = "left"
allowed = ["left", "right"]
reason = "S"
"""
PACKETS = '[remainder]\nclause = "S rest"\n'


def rows(table: str, *items: str) -> str:
    """`[[table]]` with these lines, for each item; every one with a clause of its own."""
    return "".join(f'[[{table}]]\n{item}\nclause = "S {table} {n}"\n' for n, item in enumerate(items, 1))


def wrong(*places: str, then: str = "dead-hand") -> str:
    """A row for too few and too many cards at each place."""
    return rows("wrong", *(f'of = "{place}"\nhow = ["short", "long"]\nthen = "{then}"' for place in places))


def small(*parts: str, **changes: str) -> Procedure:
    """The game of `HEAD` with these parts; `changes` replace a line's value, `device = ...`."""
    head = HEAD
    for key, value in changes.items():
        line = next(line for line in head.splitlines() if line.startswith(f"{key} = "))
        head = head.replace(line, f"{key} = {value}", 1)
    return parse_procedure(head + "".join(parts), "small.toml")


class SmallTable(Table):
    """A table of one of these games; seats 1 to `seats` have bet the ante, START GAME was pressed."""

    def __init__(self, procedure: Procedure, seats: int = 0, *, start: bool = True, **options: str) -> None:
        super().__init__()
        self.flow = DealerFlow(procedure, options={name.replace("_", "-"): value for name, value in options.items()})
        self.sessions[SHOE], self._numbers[SHOE] = 0x5110E, 0
        self.incidents.clear()
        self.drawn = 0
        for number in range(1, seats + 1):
            self.bet(number, ante=500)
        if seats and start:
            self.start()

    def bet(self, number: int, **cents: int) -> SmallTable:
        spots = {"ante": 1, "side": 2, "raise_": 3, "fee": 4, "progressive": 5, "second": 6}
        for name, amount in cents.items():
            self.controller(e.WagerPlaced(number, spots[name], amount))
        return self

    def packets(self, *hands: str) -> SmallTable:
        for cards in hands:
            self.deal(cards)
        return self

    def draw(self, cards: str) -> SmallTable:
        """Cards come out of the shoe, one after the other."""
        for card in cards.split():
            self.drawn += 1
            self.see(SHOE, e.CardDrawn(self.drawn, parse_card(card), None))
        return self

    def shoe(self, cards: int = 52, decks: int = 1) -> SmallTable:
        self.drawn = 0
        self.see(SHOE, e.ShoeLoaded(1, decks, cards))
        return self

    def choose(self, number: int, decision: int) -> SmallTable:
        self.controller(e.DecisionMade(number, decision))
        return self

    def show(self, place: str, cards: str) -> SmallTable:
        self.controller(e.HandRevealed(parse_place(place), parse_cards(cards), True))
        return self

    def confirm(self) -> SmallTable:
        self.controller(e.Confirmed())
        return self

    def mishap(self, place: str, how: str, card: str = "??") -> SmallTable:
        self.controller(e.CardMishandled(parse_place(place), how, parse_card(card)))
        return self

    def may(self, event: str) -> list[str]:
        """What `legal()` says of this event."""
        return [str(item) for item in self.flow.legal() if item.event == event]


__all__ = ["HEAD", "PACKETS", "SHOE", "SHUFFLER", "SmallTable", "rows", "small", "wrong"]
