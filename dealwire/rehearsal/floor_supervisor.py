"""Supervisor at a simulated table: who is called, what is counted, what is decided when something is wrong."""

from typing import Final

from dealwire.rehearsal.betting_dealer import BettingDealer
from dealwire.rehearsal.dealt_table import Course, DealtTable, Doings
from dealwire.rehearsal.scenario import RoundPlan, Scenario
from devices.simulator.deck import Cards
from protocol.faults import Fault
from protocol.places import COMMUNITY, DEALER, MUCK, Place
from protocol.tdp.messages import BadgeLevel

BADGE: Final = 7001
"""Badge number of the supervisor."""

EXECUTIVE_BADGE: Final = 9001
"""Badge number of the executive."""

DEAL_ON: Final = frozenset(
    {Fault.PACKET_SHORT, Fault.PACKET_LONG, Fault.PACKET_LIFTED_EARLY, Fault.EXIT_JAM, Fault.MISDEAL_CALLED_BY_HOST}
)
"""Faults after which the house lets the device continue; the hand in question is counted instead."""

CARDS_ASTRAY: Final = frozenset({Fault.CARD_LOST, Fault.REMAINDER_COUNT_WRONG})
"""Faults after which a card of the deck is missing: the deck is replaced."""

OTHER_DECK: Final = frozenset({Fault.TOO_FEW_CARDS, Fault.TOO_MANY_CARDS})
"""Faults of a deck that is not being dealt yet: the round continues."""


class SupervisedDealer(BettingDealer):
    """Dealer who calls the supervisor when cards are wrong."""

    def __init__(self, scenario: Scenario, table: DealtTable, cards: Cards) -> None:
        self.owed: list[Place] = []
        """Hands that get the next card for a dead one, after all others have theirs."""
        self.short: list[Place] = []
        """Hands that lack a card, which they get after the others have those of the same deal."""
        self.defective = False
        """True if the deck leaves the table after this round."""
        self.replaced = 0
        """Number of dead cards in this round that were replaced by the next card."""
        super().__init__(scenario, table, cards)  # begins the first plan

    def _begin_plan(self, plan: RoundPlan) -> None:
        super()._begin_plan(plan)
        self.replaced, self.defective = 0, False
        self.owed.clear()
        self.short.clear()

    def put_back(self, place: Place, how: str, step: str) -> Doings:
        """Return cards of a place to the deck, which is shuffled: the extra ones, or one that is replaced."""
        raise NotImplementedError

    def judge(self, place: Place, step: str, ruling: str) -> Doings:
        """Count a hand that is known to be wrong, and apply the house's rule or the supervisor's ruling."""
        yield from self.at("table-controller")
        self.controller.count(place, self.cards.count(place))
        if not self.right(place):
            how = "short" if self.missing(place) else "long"
            yield from self.rule(place, how, step, ruling)

    def rule(self, place: Place, how: str, step: str, ruling: str) -> Doings:
        """Apply the consequence of wrong cards at a place. `ruling` is the supervisor's, if a person decides."""
        then = self.procedure.then(place, how, step, self.missing(place) or 1)
        if then == "dead-hand" and place in (COMMUNITY, DEALER):
            then = "defective-deck"  # the house has no hand of its own to lose
        match then:
            case "nothing":
                self.accept(place)
            case "dead-hand":
                self.dead.add(place)
            case "complete" if how == "short":
                self.short += [place] * self.missing(place)
            case "complete" | "replace" if how != "long":
                self.cards.pick(place, MUCK, [0])  # the card is dead, and the next takes its place
                self.replaced += 1
                (self.short if self.procedure.replaced_first(how, step) else self.owed).append(place)
            case "reshuffle":
                yield from self.put_back(place, how, step)
            case "progressive-only":
                yield self.pace.step
                self._call(how)
                self.course = Course.PROGRESSIVE if self.on_sensors() else Course.STOP
            case "misdeal" | "defective-deck":
                yield self.pace.step
                self._call(how)
                self.course = Course.STOP
                self.defective = then == "defective-deck"
            case "person" | "complete":
                yield from self.at("table-controller")
                self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
                yield self.pace.step
                if ruling == "misdeal":
                    self._call(how)
                    self.course = Course.STOP
                else:
                    self.controller.confirm()
                    self.accept(place)

    def award(self) -> Doings:
        """Enter each planned award of a progressive at the controller, one press at a time.

        The dealer selects the winner's spot, presses the hand and confirms; a badge approves it; the hand button
        completes it.
        """
        for each in self.plan.awards:
            yield from self.at("table-controller")
            self.controller.select_spot(each.seat)
            for _ in range(3 if each.slips else 1):
                yield self.pace.step
                self.controller.press_hand(each.hand)
            yield self.pace.step
            self.controller.confirm()
            yield self.pace.step
            self.controller.swipe(BADGE if each.level is BadgeLevel.SUPERVISOR else EXECUTIVE_BADGE, each.level)
            yield self.pace.step
            self.controller.press_hand(each.hand)

    def call_misdeal(self) -> Doings:
        """Call a misdeal for a reason that no device can detect."""
        yield from self.at("table-controller")
        self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
        self.controller.call_misdeal(BADGE, Fault.MISDEAL_CALLED_BY_HOST)

    def _judge_uncounted(self) -> Doings:
        """Apply the consequence of each wrong hand, after all hands were counted."""
        for place in self.hands():
            if not self.right(place) and place not in self.dead:
                yield from self.at("table-controller")
                yield from self.rule(place, "short" if self.missing(place) else "long", "", "misdeal")

    def _call(self, how: str) -> None:
        faults = {"short": Fault.PACKET_SHORT, "long": Fault.PACKET_LONG}
        self.controller.call_misdeal(BADGE, faults.get(how, Fault.MISDEAL_CALLED_BY_HOST))
