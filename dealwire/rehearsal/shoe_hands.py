"""Hands at a card shoe, whatever is dealt from it: a card at a time, and what the shoe halts for is put right."""

from typing import Final

from dealwire.rehearsal.dealt_table import Doings, SimulatedDealer
from dealwire.rehearsal.floor_supervisor import BADGE
from dealwire.rehearsal.scenario import RoundPlan
from dealwire.rehearsal.trouble import What
from devices.simulator.shoe import ShoeModel
from protocol.cards import Card
from protocol.faults import Fault
from protocol.places import SHOE
from protocol.tdp.messages import BadgeLevel, RevealSource
from protocol.tdp.messages import ShoeState as S

AT_SHOE: Final = "shoe"
AT_TABLE: Final = "table-controller"


class ShoeHands(SimulatedDealer):
    """What a dealer at a shoe does with one card, and who comes when the shoe halts."""

    shoe: ShoeModel
    plan: RoundPlan

    def before_card(self, number: int) -> Doings:
        """What happens while the dealer's hand is at the card and it does not come out."""
        yield from self.shown()
        if self.plan.find(What.ERROR, number):
            self.shoe.trouble(Fault.DRAW_TOO_SLOW)
            yield from self.attend()
        if self.plan.find(What.PULL_BACK, number):
            self.shoe.pull_back()
            yield from self.attend()
        if self.plan.find(What.LOCKED, number):
            self.shoe.lock(True)
            yield from self.shown()
            self.shoe.draw()
            yield from self.shown()
            self.shoe.lock(False)
            yield from self.shown()

    def draw_card(self, number: int) -> Card | None:
        """Draw it; None when nothing came out."""
        return self.shoe.draw(readable=self.plan.find(What.UNREAD, number) is None)

    def after_card(self, number: int, card: Card) -> Doings:
        """What the shoe halts for is put right; a card that was not read is named, or nobody names it."""
        unread = self.plan.find(What.UNREAD, number)
        if unread is not None:
            yield from self.at(AT_TABLE)
            self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
            if unread.named:
                yield self.pace.show
                self.controller.reveal(SHOE, (card,), RevealSource.KEYED)
            yield from self._put_right()
        elif self.shoe.state is S.ERROR:
            yield from self.attend()
        if self.plan.find(What.PUSH_BACK, number):
            yield from self.shown()
            self.shoe.push_back()
            yield from self.attend()
            self.shoe.draw()

    def attend(self) -> Doings:
        """The shoe halts: the supervisor comes and puts it right."""
        yield from self.at(AT_TABLE)
        self.controller.swipe(BADGE, BadgeLevel.SUPERVISOR)
        yield from self._put_right()

    def shown(self) -> Doings:
        """Give the shoe the time to say what it has to."""
        yield from self.until_shown([AT_SHOE])
        yield self.pace.draw

    def _put_right(self) -> Doings:
        yield from self.at(AT_SHOE)
        self.shoe.clear(BADGE)
        yield from self.shown()
