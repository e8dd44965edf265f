"""Evenings of many rounds at any procedure: mostly reports that are due, now and then one that is not, lines that fall
silent, devices that restart, and reports that are lost, doubled or swapped on their way."""

from __future__ import annotations

from collections import Counter
from random import Random
from types import SimpleNamespace
from typing import Any

from msgspec.structs import replace

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.machine.states import State
from dealer_flow.procedure.load import Procedure
from dealer_flow.record.result import RoundResult
from devices import events as e
from protocol.cards import CARDS, DECK, Card
from tests.support.dealing.flow_points import round_of
from tests.support.evenings.legal_play import LegalPlay
from tests.support.evenings.table_events import CONTROLLER, DEVICE, possible_reports

AT_CONTROLLER = (
    *(e.WagerPlaced, e.SensorChanged, e.SpotSelected, e.GameStarted, e.GameEnded, e.DecisionMade, e.Confirmed),
    *(e.BurnConfirmed, e.HandRevealed, e.CardsCounted, e.CardMishandled, e.MisdealCalled, e.BadgeSwiped),
)
MOST = 90
"""Number of reports after which a round is ended, even if it still waits for something."""


class LongEvening:
    """A table whose reports are drawn from a seed; `seen` holds all of them. The share `wrong` of the reports is not
    due."""

    def __init__(self, procedure: Procedure, random: Random, wrong: float) -> None:
        self.flow = DealerFlow(procedure)
        self.random, self.wrong = random, wrong
        self.reads = random.random() < 0.6
        self.rounds = self.deck = self.shoes = self._number = self._began = 0
        self.sessions = {DEVICE: 0xA1B2C3D4, CONTROLLER: 0x0C0FFEE0}
        self.seen: list[e.Seen] = []
        self._numbers: Counter[str] = Counter()
        self._cards: list[Card] = []
        for device in (DEVICE, CONTROLLER):
            self._up(device)
        self._begin()

    def run(self, rounds: int) -> list[e.Seen]:
        """Play so many rounds."""
        while self.rounds < rounds:
            if len(self.seen) - self._began > MOST:
                self.see(CONTROLLER, e.GameEnded(round_of(self.flow).number))
                self._began = len(self.seen)
            else:
                self._step()
        return self.seen

    def see(self, device: str, body: e.Body) -> None:
        """Send one report."""
        if isinstance(body, e.GameStarted) and not round_of(self.flow).in_play:
            self._number += 1
            body = e.GameStarted(self._number)
        self._numbers[device] += 1
        at_ns = 1_700_000_000_000_000_000 + 20_000_000_000 * len(self.seen)
        seen = e.Seen(device, self.sessions[device], self._numbers[device], at_ns, body)
        self.seen.append(seen)
        if any(isinstance(item, RoundResult) for item in self.flow.handle(seen)):
            self.rounds += 1
            self._begin()

    def _step(self) -> None:
        wrong = self.random.random() < self.wrong
        if wrong and self.random.random() < 0.2:
            self._happens_to_a_line()
        elif wrong and self.random.random() < 0.3:
            anything: Any = SimpleNamespace(random=self.random, see=lambda body: self.see(self._device(body), body))
            LegalPlay.anything(anything)
        else:
            every = list(possible_reports(self.flow))
            due = [report for report in every if report.due]
            report = self.random.choice(every if wrong or not due else due)
            self.see(report.device, self._faced(report.body))

    def _happens_to_a_line(self) -> None:
        device = self.random.choice((DEVICE, CONTROLLER))
        match self.random.randrange(4):
            case 0:
                self.see(device, e.LinkLost("silent"))
                if self.random.random() < 0.8:
                    self._up(device, resumed=True)
            case 1:
                before = self.sessions[device]
                self.sessions[device] += 1
                self.see(device, e.SessionChanged(before, self.sessions[device]))
                self.see(device, e.Booted(2, self.random.random() < 0.5))
            case 2:
                self.see(device, e.EventsLost(3, 4))
            case _:
                self.see(CONTROLLER, e.BadgeSwiped(7, self.random.choice(("dealer", "supervisor"))))

    def _up(self, device: str, *, resumed: bool = False) -> None:
        kind = "table-controller" if device == CONTROLLER else "shuffler"
        self.see(device, e.LinkUp(self.sessions[device], kind, "maker", "model", f"{device}-1", "1.0", True, resumed))

    def _device(self, body: e.Body) -> str:
        return CONTROLLER if isinstance(body, AT_CONTROLLER) else DEVICE

    def _begin(self) -> None:
        """Report a fresh deck or shoe, and bets at a few seats."""
        self._began = len(self.seen)
        plan, deck = self.flow.plan, self.flow.procedure.deck
        self._cards = []
        if self.random.random() < 0.3:
            self.see(DEVICE, e.StateChanged("READY", ""))
        if plan.from_shoe:
            if not self.shoes or deck.fresh == "each-round" or self.random.random() < 0.2:
                self.shoes += 1
                self.see(DEVICE, e.ShoeLoaded(self.shoes, plan.decks, plan.loaded))
                if self.random.random() < 0.5:
                    self.see(DEVICE, e.BurnStarted(1))
                    self.see(DEVICE, e.CardDrawn(1, self._draw(1)[0], "burn"))
            elif self.random.random() < 0.2:
                self.see(DEVICE, e.CutCardSeen())
        else:
            self.deck = self.deck % deck.alternating + 1
            missing = self.random.random() < self.wrong
            self.see(DEVICE, e.DeckVerified(self.deck, deck.cards, deck.cards - missing))
        if self.flow.state is State.BETTING:
            self._bet()

    def _bet(self) -> None:
        plan = self.flow.plan
        offered = [bet for bet in plan.bets.values() if bet.placed == "before-deal"]
        seats = self.random.sample(range(1, plan.most_seats + 1), self.random.randint(1, min(3, plan.most_seats)))
        for number in sorted(seats):
            if plan.betting is not None:  # what players may bet lies before them
                self.see(CONTROLLER, e.StakeShown(number, self.random.choice((2_000, 20_000))))
            alone = self.random.choice(offered).number if offered and not plan.decisions else 0
            for bet in offered:
                if bet.number == alone or (not alone and (bet.enters or self.random.random() < 0.4)):
                    self.see(CONTROLLER, e.WagerPlaced(number, bet.number, 500))
                    if bet.progressive:
                        self.see(CONTROLLER, e.SensorChanged(number, True))

    def _faced(self, body: e.Body) -> e.Body:
        match body:
            case e.PacketDispensed() if self.reads:
                return replace(body, cards=self._draw(min(body.counted, 60)))
            case e.HandRevealed():
                return replace(body, cards=self._faces(body))
            case e.CardDrawn():
                return replace(body, card=self._draw(1)[0])
        return body

    def _faces(self, body: e.HandRevealed) -> tuple[Card, ...]:
        hand = round_of(self.flow).ledger.hands.get(body.place)
        known = hand.cards[: len(body.cards)] if hand is not None and self.reads else ()
        return known if len(known) == len(body.cards) else self._draw(len(body.cards))

    def _draw(self, count: int) -> tuple[Card, ...]:
        deck = self.flow.procedure.deck
        while len(self._cards) < count:
            fresh = [*DECK, *(CARDS[0x51 + joker] for joker in range(min(deck.jokers, 4)))]
            self._cards = self.random.sample(fresh, len(fresh)) + self._cards
        return tuple(self._cards.pop() for _ in range(count))


def long_evening(procedure: Procedure, seed: str, *, rounds: int, wrong: float) -> list[e.Seen]:
    """Return the reports of an evening; with `wrong` above zero, some are lost, doubled or swapped."""
    random = Random(seed)
    seen = LongEvening(procedure, random, wrong).run(rounds)
    for _ in range(int(len(seen) * wrong / 10)):
        at = random.randrange(len(seen) - 1)
        match random.randrange(3):
            case 0:
                del seen[at]
            case 1:
                seen.insert(at, seen[at])
            case _:
                seen[at], seen[at + 1] = seen[at + 1], seen[at]
    return seen
