"""A small vocabulary for races: each word is one thing that happens at the table, as the devices report it."""

from __future__ import annotations

from collections import Counter

from dealer_flow.play.machine import DealerFlow
from dealer_flow.procedure.load import load_procedure
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import UNREAD, Card, parse_card, parse_cards
from protocol.places import SHOE
from rules import Settlement, load_game, settle
from tests.support.sentences import check_incident, check_legal

SHOE_LINE, CONTROLLER = "shoe-1", "controller-1"
PROCEDURE = load_procedure("race-to-the-flush")
GAME = load_game("race-to-the-flush")
SPOTS = {bet.name: bet.number for bet in PROCEDURE.bet}

# Races that end at a known card; the counts by suit stand beside them.
AT_5 = "AH 5H 9H JH KH"
AT_10 = "2C 3D 4H 5S 6C 7D 8H 9H TH 3H"  # C2 D2 H5 S1
AT_11 = "2C 3D 4H 5S 6C 7D 8H 9H TH 2D 3H"  # C2 D3 H5 S1
AT_16 = "2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 9D"  # C4 D5 H4 S3
NEVER = "2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 4H 5H 2S 3S 4S 5S"  # four of each


class RaceTable:
    """Reports go straight into a flow; `incidents` and `results` collect what comes out.

    `counts` gives each card the shoe's own ordinal; `loaded` is what the shoe says it was filled with, None when it
    says nothing.
    """

    def __init__(self, *, loaded: int | None = 52, decks: int = 1, counts: bool = True, **options: str) -> None:
        chosen = {name.replace("_", "-"): value for name, value in options.items()}
        self.flow = DealerFlow(PROCEDURE, options=chosen)
        self.counts, self.ordinal, self.round = counts, 0, 0
        self.incidents: list[Incident] = []
        self.results: list[RoundResult] = []
        self._numbers: Counter[str] = Counter()
        if loaded is not None:
            self.shoe(e.ShoeLoaded(1, decks, loaded))

    def see(self, device: str, body: e.Body) -> RaceTable:
        self._numbers[device] += 1
        for item in self.flow.handle(e.Seen(device, 0xC0FFEE, self._numbers[device], 1, body)):
            (self.results if isinstance(item, RoundResult) else self.incidents).append(item)  # type: ignore[arg-type]
            if isinstance(item, Incident):
                check_incident(item)
        for listed in self.flow.legal():
            check_legal(listed)
        return self

    def shoe(self, body: e.Body) -> RaceTable:
        return self.see(SHOE_LINE, body)

    def controller(self, body: e.Body) -> RaceTable:
        return self.see(CONTROLLER, body)

    @property
    def codes(self) -> list[str]:
        return [incident.code for incident in self.incidents]

    # ------------------------------------------------------------------ the table

    def bet(self, seat: int, **cents: int) -> RaceTable:
        for bet, amount in cents.items():
            self.controller(e.WagerPlaced(seat, SPOTS[bet.replace("_", "-")], amount))
        return self

    def start(self) -> RaceTable:
        self.round += 1
        return self.controller(e.GameStarted(self.round))

    def badge(self, number: int, level: str = "supervisor") -> RaceTable:
        return self.controller(e.BadgeSwiped(number, level))

    def name(self, card: str) -> RaceTable:
        return self.controller(e.HandRevealed(SHOE, parse_cards(card), True))

    def end(self) -> RoundResult:
        self.controller(e.GameEnded(self.round))
        return self.results[-1]

    # ------------------------------------------------------------------ the shoe

    def draw(self, cards: str) -> RaceTable:
        for text in cards.split():
            self.one(UNREAD if text == "??" else parse_card(text))
        return self

    def one(self, card: Card, where: str | None = None) -> RaceTable:
        self.ordinal += 1
        ordinal = self.ordinal if self.counts else None
        return self.shoe(e.CardUnread(ordinal, where) if card == UNREAD else e.CardDrawn(ordinal, card, where))


def race(cards: str, **bets: int) -> RoundResult:
    """A clean race with these bets of seat 1; an extra card, where there is one, is always drawn."""
    table = RaceTable(seventeenth_card="always")
    return table.bet(1, **(bets or {"red": 500})).start().draw(cards).end()


def money(settlement: Settlement) -> dict[str, tuple[str, int]]:
    """Bet of seat 1 -> (result, net cents)."""
    return {line.bet: (line.result, line.net) for line in settlement.lines if line.seat == 1}


def settled(cards: str, **bets: int) -> dict[str, tuple[str, int]]:
    return money(settle(race(cards, **bets), GAME))
