"""A hand of a game in which players bet against each other, or choose, reported straight into a flow: no line, no
devices, no waiting. Bets are drawn from a seed; the chips are counted here, hand by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Final

from dealer_flow.play.flow import DealerFlow
from dealer_flow.procedure.load import load_procedure
from dealer_flow.procedure.steps.bet import BetStep
from dealer_flow.procedure.steps.burn_card import BurnCardStep
from dealer_flow.procedure.steps.deal import DealStep
from dealer_flow.procedure.steps.decide import DecideStep
from dealer_flow.procedure.steps.due import Due
from dealer_flow.procedure.steps.exchange import ExchangeStep
from dealer_flow.procedure.steps.kinds import AnyStep
from dealer_flow.procedure.steps.reveal import RevealStep
from dealer_flow.procedure.steps.set_hand import SetStep
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealwire.rehearsal.arranging import arranged
from dealwire.rehearsal.betting_hand import BettingHand
from dealwire.rehearsal.bettors import STYLES, StyleName, acts, chooses, mucks
from dealwire.rehearsal.chips import POSTS, Chips, in_turn
from dealwire.rehearsal.rehearsed import RehearsedProcedure, packets_of
from dealwire.rehearsal.scenario import RoundPlan, RoundUnderWay, SimulatedPlayer
from dealwire.rehearsal.stakes import stakes_of
from devices import events as e
from devices.events import BettingAction
from protocol.cards import Card
from protocol.places import BURN, COMMUNITY, REMAINDER, Place, seat

SHOE, CONTROLLER = "shoe", "table-controller"
SESSIONS: Final = {SHOE: 0xA1B2C3D4, CONTROLLER: 0x0C0FFEE0}


@cache
def rehearsed(name: str, options: tuple[tuple[str, str], ...]) -> RehearsedProcedure:
    """Return a procedure with its options, prepared once."""
    return RehearsedProcedure(load_procedure(name), dict(options))


@dataclass
class Player:
    """Player who sits at one seat all evening."""

    seat: int
    style: StyleName
    stake: int


class DealtHand:
    """The dealer's record of one hand."""

    def __init__(self, button: int, players: list[Player]) -> None:
        self.button, self.players = button, players
        self.put: dict[int, dict[str, int]] = {player.seat: {} for player in players}
        """Seat -> bet -> cents."""
        self.cards: dict[Place, list[Card]] = {}
        self.folded: set[int] = set()
        self.betting = False
        """True if chips are bet in turn."""
        self.actions = 0

    @property
    def staked(self) -> dict[int, int]:
        """Return the total that each seat put in, in cents."""
        return {number: sum(bets.values()) for number, bets in self.put.items()}


@dataclass
class HandsDealt:
    """A table and its dealer: `hand` deals one hand and returns its record. `random` decides everything."""

    procedure: RehearsedProcedure
    random: Random
    players: list[Player]
    chips: Chips = field(default_factory=Chips)
    house: dict[str, int] = field(default_factory=lambda: dict(POSTS))

    def __post_init__(self) -> None:
        plan = self.procedure.plan
        self.flow = DealerFlow(plan.procedure, options=plan.options)
        self.incidents: list[Incident] = []
        self.result: RoundResult | None = None
        self.round = 0
        self._numbers: Counter[str] = Counter()
        self._now_ns = 1_700_000_000_000_000_000
        self._faces = [*plan.faces]

    def hand(self, players: list[Player], button: int) -> DealtHand:
        """Deal one hand to these players, who are in the order of their seats."""
        self.result, self.round = None, self.round + 1
        self.dealt = DealtHand(button, players)
        self._styles = {player.seat: STYLES[player.style] for player in players}
        wagers = {player.seat: stakes_of(self.procedure.plan, player.seat) for player in players}
        seated = tuple(SimulatedPlayer(seat=number, wagers=bets) for number, bets in wagers.items())
        self.view = RoundUnderWay(self.procedure, RoundPlan(seated, (), number=button or None))
        self.dealt.folded = self.view.folded
        self.random.shuffle(self._faces)
        self._left, self._ordinal = [*self._faces], 0
        self._up: dict[int, list[Card]] = {player.seat: [] for player in players}
        self._from_device(e.ShoeLoaded(self.round, 1, len(self._left)))
        self._before(players, wagers)
        if button:
            self.see(CONTROLLER, e.SpotSelected(button))
        self.see(CONTROLLER, e.GameStarted(self.round))
        for step in self.procedure.steps:
            if self._is_over(step):
                continue
            self._step(step)
        return self.dealt

    def end(self) -> RoundResult:
        """Press END GAME and return the result; a deck that was dealt out of the hand is counted before."""
        if self.procedure.plan.from_hand:
            self.see(CONTROLLER, e.CardsCounted(REMAINDER, len(self._left)))
        self.see(CONTROLLER, e.GameEnded(self.round))
        assert self.result is not None, "END GAME ends the round"
        return self.result

    def see(self, device: str, body: e.Body) -> None:
        """Report `body` from a device."""
        self._now_ns += 10_000_000
        self._numbers[device] += 1
        seen = e.Seen(device, SESSIONS[device], self._numbers[device], self._now_ns, body)
        for item in self.flow.handle(seen):
            if isinstance(item, RoundResult):
                self.result = item
            elif isinstance(item, Incident):
                self.incidents.append(item)

    # ------------------------------------------------------------------ before the first card

    def _before(self, players: list[Player], wagers: dict[int, dict[str, int]]) -> None:
        plan = self.procedure.plan
        if plan.betting is None:
            for number, bets in wagers.items():
                for bet, cents in bets.items():
                    self._wager(number, bet, cents)
            return
        stakes = {player.seat: player.stake for player in players}
        self.money = BettingHand(plan, stakes, self.dealt.button, self.chips, self.random, self.house)
        self.dealt.put, self.dealt.betting = self.money.put, True
        for number, cents in self.money.stakes.items():
            self.see(CONTROLLER, e.StakeShown(number, cents))
        self._sit_out([player.seat for player in self.players if player.seat not in stakes])
        for number, bet, cents in self.money.put_up():
            self.see(CONTROLLER, e.WagerPlaced(number, self.procedure.bets[bet], cents))

    def _sit_out(self, seats: list[int]) -> None:
        """Leave out seats that have chips; a seat of which nothing is reported sits out as well."""
        for number in seats:
            if (cents := self.chips.behind.get(number, 0)) and self.random.random() < 0.7:
                self.see(CONTROLLER, e.StakeShown(number, cents))
                self.see(CONTROLLER, e.PlayerActed(number, BettingAction.SIT_OUT, 0))

    def _wager(self, number: int, bet: str, cents: int) -> None:
        self.see(CONTROLLER, e.WagerPlaced(number, self.procedure.bets[bet], cents))
        self.dealt.put[number][bet] = cents

    # ------------------------------------------------------------------ step by step

    def _is_over(self, step: AnyStep) -> bool:
        left = len(self.view.live)
        if self.procedure.plan.betting is not None:
            return left <= 1
        return not left and not isinstance(step, RevealStep)

    def _step(self, step: AnyStep) -> None:
        match step:
            case DealStep() | BurnCardStep() | ExchangeStep():
                self._deal(step)
            case BetStep():
                self._betting(step)
            case DecideStep():
                self._decide(step)
            case SetStep():
                self._set(step)
            case RevealStep():
                self._reveal(step)

    def _deal(self, step: AnyStep) -> None:
        packets = packets_of(step, self.view, 0)
        for due in packets:
            if due.why == "exchange":
                self.dealt.cards[due.place] = self.dealt.cards[due.place][due.cards :]
        if isinstance(step, BurnCardStep):
            self._from_device(e.BurnStarted(len(packets)))
        up = isinstance(step, DealStep) and step.face == "up"
        for due in packets:
            for _ in range(due.cards):
                self._draw(due, up=up)
        if self.procedure.plan.from_hand and packets and not isinstance(step, BurnCardStep):
            self._pitch(packets, up=up)

    def _pitch(self, packets: list[Due], *, up: bool) -> None:
        """Report cards dealt out of the hand: confirm them, or key those that lie open."""
        if not up:
            self.see(CONTROLLER, e.Confirmed())
            return
        for place in dict.fromkeys(due.place for due in packets):
            open_ = self._up[place.seat] if place.seat else self.dealt.cards[place]
            self.see(CONTROLLER, e.HandRevealed(place, tuple(open_), True))

    def _from_device(self, body: e.Body) -> None:
        """Report `body` from the shoe, if cards come out of one."""
        if not self.procedure.plan.from_hand:
            self.see(SHOE, body)

    def _draw(self, due: Due, *, up: bool) -> None:
        card = self._left.pop()
        self._ordinal += 1
        self._from_device(e.CardDrawn(self._ordinal, card, "burn" if due.place == BURN else None))
        self.dealt.cards.setdefault(due.place, []).append(card)
        if up and due.place.seat:
            self._up[due.place.seat].append(card)

    def _betting(self, step: BetStep) -> None:
        common = self.dealt.cards.get(COMMUNITY, [])
        boards = {number: (*cards, *common) for number, cards in self._up.items()}
        betting = self.money.betting(step, self.view.live, boards)
        while (number := betting.turn(self.view.live)) is not None:
            action, cents = acts(self._styles[number], betting.moves(number), self.random)
            self.see(CONTROLLER, e.PlayerActed(number, action, cents))
            betting.act(number, action, cents)
            self.money.acted(step, number, cents)
            self.dealt.actions += 1
            if action is BettingAction.FOLD:
                self.view.folded.add(number)

    def _decide(self, step: DecideStep) -> None:
        plan = self.procedure.plan
        for number in in_turn([*self.view.active], self.dealt.button):
            if not self.view.chooses(step, number):
                continue
            bets = self.dealt.put[number].keys()
            offered = [name for name in step.choices if bets >= {*plan.choices[name].needs}]
            offered = [name for name in offered if bets.isdisjoint(plan.choices[name].unless)]
            if not offered:
                continue
            alone = len(self.view.live) == 1  # who has won the pot does not give it up
            style = STYLES[""] if alone else self._styles[number]
            choice = plan.choices[chooses(style, offered, plan.folds, self.random)]
            for bet in choice.stakes:
                self._wager(number, bet, self.procedure.cents(bet, self.dealt.put[number], choice.name))
            self.view.choose(number, choice)
            self.see(CONTROLLER, e.DecisionMade(number, choice.number))
            hand = self.dealt.cards[seat(number)]
            self.random.shuffle(hand)  # any of them is laid away
            del hand[: choice.discards]

    def _set(self, step: SetStep) -> None:
        for number in self.view.live:
            faces = tuple(self.dealt.cards[seat(number)])
            hand = arranged(self.procedure.id, faces, step.low)
            self.see(CONTROLLER, e.HandSet(seat(number), e.Setter.PLAYER, False, hand.low, hand.rest))

    def _reveal(self, step: RevealStep) -> None:
        betting = self.procedure.plan.betting is not None
        for target in step.order:
            if target != "seats":
                place = self.procedure.plan.place(target)
                if self.dealt.cards.get(place):
                    self.see(CONTROLLER, e.HandRevealed(place, tuple(self.dealt.cards[place]), False))
                continue
            live = self.view.live
            for number in self.money.shown(live) if betting else step.in_order(live):
                if betting and len(self.view.live) > 1 and mucks(self._styles[number], self.random):
                    self.see(CONTROLLER, e.PlayerActed(number, BettingAction.FOLD, 0))
                    self.view.folded.add(number)
                else:
                    self._show(number)

    def _show(self, number: int) -> None:
        if not self.procedure.plan.betting or len(self.view.live) > 1:
            self.see(CONTROLLER, e.HandRevealed(seat(number), tuple(self.dealt.cards[seat(number)]), False))
