"""A dealer who does what `legal()` lists, at any game, and nothing else without a request."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random

from dealer_flow.play.flow import DealerFlow
from dealer_flow.play.seen.legal import Legal
from dealer_flow.procedure.bet_rules import BetRule
from dealer_flow.procedure.load import Procedure
from dealer_flow.procedure.plan import Plan
from dealer_flow.record.incidents import Incident
from dealer_flow.record.result import RoundResult
from dealer_flow.table.round import Round
from dealwire.rehearsal.stakes import stake_of, stakes_of
from devices import events as e
from devices.events import BettingAction, Level, Manner, Mishap
from protocol.cards import CARDS, DECK, UNREAD
from protocol.places import NOWHERE, PLACES, parse_place
from tests.support.dealing.chips import STAKE, acted, table_set
from tests.support.dealing.flow_points import round_of
from tests.support.reading.sentences import check_incident

SEATS = 3
RARE = {"MisdealCalled", "CardsCounted", "BadgeSwiped"}
LAST_COUNT = "count the cards that are left"
"""The count that a round waits for."""


def broken(rules: Iterable[BetRule], wagers: Mapping[str, int]) -> list[BetRule]:
    """Return the rules of bets before the deal that these wagers break."""
    return [rule for rule in rules if rule.choice is None and rule.breach(dict(wagers)) is not None]


def entering_stakes(plan: Plan) -> dict[str, int]:
    """Return the least wagers of a player who is dealt in: the bet that enters, and the bets that it requires."""
    if plan.betting is not None:
        return {}  # its table stake does
    whole = stakes_of(plan, 1)
    found = {next(bet.name for bet in plan.bets.values() if bet.enters and bet.name in whole): 0}
    while lacking := {bet for rule in broken(plan.rules, found) for bet in rule.others} & whole.keys() - found.keys():
        found |= dict.fromkeys(lacking, 0)
    return {bet: whole[bet] for bet in found}


def _number(item: Legal) -> int:
    return int(item.place.removeprefix("seat ")) if item.place.startswith("seat ") else 0


def _counted(now: Round, item: Legal) -> int:
    """Return the number of cards that a person finds at a place if everything is right."""
    if item.place == "remainder":
        return now.ledger.remainder_expected
    if item.place == "shoe":
        shoe = now.shoes.current if now.shoes else None
        return (shoe.left or 0) if shoe else 0
    hand = now.ledger.hands.get(parse_place(item.place))
    return (hand.counted or 0) - hand.set_aside if hand else now.plan.cards


def _shown(now: Round, item: Legal) -> e.Body:
    place = parse_place(item.place)
    hand = now.ledger.hands.get(place)
    count = item.value or (hand.expected - hand.set_aside if hand else 1)
    if item.place == "shoe":
        return e.HandRevealed(place, (DECK[-1],), True)
    return e.HandRevealed(place, (UNREAD,) * count, True)


def _burned(now: Round, item: Legal) -> e.Body:
    place = parse_place(item.place)
    return e.BurnConfirmed(place, tuple(now.plan.burns[place].positions), "left-to-right")


def _brought(now: Round, item: Legal) -> e.Body:
    due = now.next_due
    cards = due.cards if due else 1
    return e.PacketDispensed(1 + now.number % 2, item.value, cards, cards, ())


def _dumped(now: Round, item: Legal) -> e.Body:
    left = now.ledger.remainder_expected
    return e.RemainderDumped(now.ledger.deck, left, left)


MAKE: dict[str, Callable[[Round, Legal], e.Body]] = {
    "WagerPlaced": lambda now, item: e.WagerPlaced(_number(item), item.value, 500),
    "StakeShown": lambda now, item: e.StakeShown(_number(item), STAKE),
    "PlayerActed": acted,
    "PotTaken": lambda now, item: e.PotTaken(item.value, _number(item), 100 * item.what.startswith("award")),
    "GameStarted": lambda now, item: e.GameStarted(1),
    "ShoeLoaded": lambda now, item: e.ShoeLoaded(now.number + 1, now.plan.decks, now.plan.loaded),
    "GameEnded": lambda now, item: e.GameEnded(now.number),
    "SpotSelected": lambda now, item: e.SpotSelected(item.value),
    "NumberDrawn": lambda now, item: e.NumberDrawn(7),
    "HandSet": lambda now, item: e.HandSet(parse_place(item.place), e.Setter.PLAYER, False, (), ()),
    "PacketDispensed": _brought,
    "PacketLifted": lambda now, item: e.PacketLifted(item.value),
    "RemainderDumped": _dumped,
    "CardDrawn": lambda now, item: e.CardDrawn(None, DECK[(item.value * 7) % 52], None),
    "BurnConfirmed": _burned,
    "DecisionMade": lambda now, item: e.DecisionMade(_number(item), item.value),
    "HandRevealed": _shown,
    "Confirmed": lambda now, item: e.Confirmed(),
    "CardsCounted": lambda now, item: e.CardsCounted(parse_place(item.place), _counted(now, item)),
    "MisdealCalled": lambda now, item: e.MisdealCalled(7, 0),
    "BadgeSwiped": lambda now, item: e.BadgeSwiped(7, Level.SUPERVISOR),
}
"""Every event that `legal()` may list -> the report of it, with right counts and no face read."""


class LegalPlay:
    """One table. `step` does one thing that may happen; `found` collects what comes out."""

    def __init__(self, procedure: Procedure, random: Random) -> None:
        self.flow = DealerFlow(procedure)
        self.random = random
        self.found: list[RoundResult | Incident] = []
        self.shoes = 0
        self.fill()

    def see(self, body: e.Body) -> None:
        found = self.flow.handle(e.Seen("table", 1, 1, 1, body))
        self.found += found
        for item in found:
            if isinstance(item, Incident):
                check_incident(item)
        if any(isinstance(item, RoundResult) for item in found):
            self.fill()

    def fill(self) -> None:
        """Load a fresh shoe, if the game is dealt from one."""
        plan = self.flow.plan
        if plan.from_shoe:
            self.shoes += 1
            self.see(e.ShoeLoaded(self.shoes, plan.decks, plan.loaded))
        if plan.betting is not None:
            self._chips()

    def _chips(self) -> None:
        """Seat players with stakes of any size, the button before one of them, antes and blinds."""
        below = self.random.randrange
        stakes = {seat: STAKE + below(20) * STAKE for seat in range(1, SEATS + 1)}
        for body in table_set(self.flow.plan, stakes, 1 + below(SEATS)):
            self.see(body)

    def step(self, *, rare: bool = True) -> Legal:
        """Do one legal thing; counts, rulings and badges seldom, or never unless nothing else is legal."""
        legal = list(self.flow.legal())
        items = [item for item in legal if self._likely(item)] or legal  # nobody plays where every seat sits out
        assert items, self.flow.state
        seldom = [item.event in RARE and item.what != LAST_COUNT for item in items]
        weights = [(0.05 if rare else 0.0001) if each else 1.0 for each in seldom]
        (item,) = self.random.choices(items, weights)
        body = MAKE[item.event](round_of(self.flow), item)
        if isinstance(body, e.DecisionMade):
            self._choose(body)
        elif isinstance(body, e.WagerPlaced) and not round_of(self.flow).in_play:
            self._bet(body.seat)
        elif isinstance(body, e.PlayerActed):
            self.see(acted(round_of(self.flow), item, self.random))
        else:
            self.see(body)
        return item

    def _likely(self, item: Legal) -> bool:
        """Return True for a likely report: bets come from a few seats, all of a seat at once; a choice's bet comes with
        the choice. Where players bet against each other, the bets are placed earlier."""
        if item.event in ("WagerPlaced", "StakeShown", "SpotSelected", "PlayerActed") and self._table_set:
            return False  # nobody sits out either
        if item.event != "WagerPlaced":
            return True
        now, number = round_of(self.flow), _number(item)
        if now.in_play:
            return now.draw is not None
        return number <= SEATS and not now.wagers.get(number)

    @property
    def _table_set(self) -> bool:
        now = round_of(self.flow)
        return now.plan.betting is not None and not now.in_play

    def _bet(self, number: int) -> None:
        """Place some of the bets that a player may make, within the rules."""
        plan = self.flow.plan
        whole = stakes_of(plan, number)
        some = {bet: cents for bet, cents in whole.items() if self.random.random() < 0.6}
        bets = some if plan.entering & some.keys() and not broken(plan.rules, some) else whole
        for bet in plan.bets.values():
            if bet.name in bets:
                self.see(e.WagerPlaced(number, bet.number, bets[bet.name]))

    def _choose(self, body: e.DecisionMade) -> None:
        plan = self.flow.plan
        choice = plan.decisions[body.decision]
        numbers = {bet.name: bet.number for bet in plan.bets.values()}
        now = round_of(self.flow)
        for bet in choice.stakes:
            wagers = {**now.staked.get(body.seat, {}), **now.wagers.get(body.seat, {})}
            cents = stake_of(plan, bet, wagers, 500, choice.name)
            self.see(e.WagerPlaced(body.seat, numbers[bet], cents))
        self.see(body)
        if choice.takes_back is not None:
            tips = [tip for tip, own in plan.tips.items() if own == choice.takes_back and tip in now.wagers[body.seat]]
            for bet in (choice.takes_back, *tips):
                self.see(e.WagerPlaced(body.seat, numbers[bet], 0))

    def anything(self) -> None:
        """Report something unexpected."""
        below, pick = self.random.randrange, self.random.choice
        place = PLACES[pick((0, 1, 2, 3, 9, 0x40, 0x41, 0x42, 0x43, 0x44, 0x46, 0x47, 0x50, 0x51, 0x99))]
        cards = tuple(CARDS[below(256)] for _ in range(below(6)))
        card = CARDS[below(256)]
        bodies: list[e.Body] = [
            e.PacketDispensed(below(3), below(9), below(9), below(9), cards),
            e.PacketLifted(below(9)),
            e.RemainderDumped(below(3), below(60), below(60)),
            e.CardDrawn(pick((None, below(20))), card, pick((None, "burn"))),
            e.CardUnread(None, None),
            e.CardReportedAgain(None, card, None),
            e.CardPushedBack(False),
            e.BurnStarted(1),
            e.CutCardSeen(),
            e.ShoeLoaded(below(3), below(3), below(120)),
            e.ShoeEnded(1, below(50)),
            e.CardMishandled(place, pick((*Mishap, "licked")), card),
            e.Confirmed(),
            e.SpotSelected(below(9)),
            e.HandRevealed(place, cards, True),
            e.CardsCounted(place, below(9)),
            e.DecisionMade(below(5), below(9)),
            e.WagerPlaced(below(5), below(9), below(3) * 100),
            e.MisdealCalled(below(2), 0),
            e.BurnConfirmed(place, (below(5),), pick(("left-to-right", "right-to-left", ""))),
            e.GameEnded(1),
            e.GameStarted(1),
            e.DeckLoaded(1, below(3)),
            e.DeckVerified(below(3), 52, below(60)),
            e.DeckRemoved(below(3)),
            e.RedLamp(True, below(600)),
            e.FaultRaised(below(600), NOWHERE, 0),
            e.MisdealCleared(1, below(2), bool(below(2))),
            e.LinkLost("silent"),
            e.Booted(1, bool(below(2))),
            e.BadgeSwiped(1, pick(tuple(Level))),
            e.StakeShown(below(5), below(3) * 100),
            e.PlayerActed(below(5), pick((*BettingAction, "nods")), below(9) * 100, pick(("", *Manner, "slowly"))),
            e.PotTaken(below(3), below(5), below(3) * 100),
        ]
        self.see(pick(bodies))
